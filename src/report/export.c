#include "report/export.h"

#include "base/files.h"
#include "report/report.h"

#include <string.h>

static const char *ending(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');

	return dot != NULL ? dot : "";
}

enum status export_file(struct study *study, const char *path, struct diagnostic *d)
{
	static const struct { const char *ending; enum report_form form; } forms[] = {
		{ ".csv", REPORT_CSV }, { ".json", REPORT_JSON }, { ".txt", REPORT_TEXT },
	};
	struct text out = { 0 };
	enum status status = STATUS_INPUT;

	diagnostic_fail(d, STATUS_INPUT, "export %s: the ending says the form; give .csv, .json or .txt", path);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strcmp(ending(path), forms[i].ending) == 0)
			status = report_study(study, forms[i].form, &out, d);
	if (status == STATUS_OK)
		status = file_write(path, text_string(&out), out.length, d);
	text_free(&out);
	return status;
}

enum status export_model(const struct model *model, const char *path, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status;

	if (strcmp(ending(path), ".csv") != 0)
		return diagnostic_fail(d, STATUS_INPUT, "convert to %s: the ending says the form; give .csv", path);
	model_write_csv(model, &out);
	status = file_write(path, text_string(&out), out.length, d);
	text_free(&out);
	return status;
}
