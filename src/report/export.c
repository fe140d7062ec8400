#include "report/export.h"

#include "base/files.h"
#include "report/race.h"
#include "report/timeline.h"

#include <string.h>

static bool ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && strcmp(path + length - tail, ending) == 0;
}

static enum status export_report(struct study *study, bool operators, const char *path, enum report_form form, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = operators ? report_ops(study, form, &out, d) : report_study(study, form, &out, d);

	if (status == STATUS_OK)
		status = file_write(path, text_string(&out), out.length, d);
	text_free(&out);
	return status;
}

static enum status export_timeline(struct study *study, const char *path, void (*make)(const struct results *results, struct text *out), struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = report_need_step(study, d);

	if (status == STATUS_OK) {
		make(study_results(study), &out);
		status = file_write(path, text_string(&out), out.length, d);
	}
	text_free(&out);
	return status;
}

enum status export_file(struct study *study, const char *view, const char *path, struct diagnostic *d)
{
	static const struct {
		const char *ending;
		enum report_form form;
		void (*timeline)(const struct results *results, struct text *out);
	} forms[] = {
		{ ".trace.json", REPORT_TEXT, timeline_trace }, { ".svg", REPORT_TEXT, timeline_svg }, { ".dot", REPORT_TEXT, timeline_dot },
		{ ".csv", REPORT_CSV, NULL }, { ".json", REPORT_JSON, NULL }, { ".txt", REPORT_TEXT, NULL },
	};

	bool operators = view != NULL && strcmp(view, "path") == 0;

	if (view != NULL && strcmp(view, "model") == 0)
		return export_model(study, path, d);
	if (view != NULL && strcmp(view, "search") == 0)
		return diagnostic_fail(d, STATUS_USAGE, "export search: nothing is searched here; `whypar mine MODEL --json` writes what it finds, and the search view what `mine` found there");
	if (view != NULL && !operators && strcmp(view, "layers") != 0)
		return diagnostic_fail(d, STATUS_USAGE, "export \"%.40s\": what can be written are the views layers, path and search, and the model", view);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (ends_in(path, forms[i].ending))
			return forms[i].timeline != NULL ? export_timeline(study, path, forms[i].timeline, d) : export_report(study, operators, path, forms[i].form, d);
	return diagnostic_fail(d, STATUS_INPUT, "export %s: the ending says the form; give .csv, .json or .txt for the view, .trace.json, .svg or .dot for the step", path);
}

bool export_is_report(const char *path)
{
	return (ends_in(path, ".json") && !ends_in(path, ".trace.json")) || ends_in(path, ".txt");
}

enum status export_race(struct race *race, int topk, const char *path, struct diagnostic *d)
{
	struct text out = { 0 };
	unsigned methods = 0;
	enum status status;

	for (int i = 0; race != NULL && i < METHOD_COUNT; i++)
		if (race_has_begun(race, (enum mine_method)i))
			methods |= 1u << i;
	if (methods == 0 || !race_has_found(race))
		return diagnostic_fail(d, STATUS_INPUT, "export search: no search has found a design yet; `mine` begins one");
	if (!export_is_report(path))
		return diagnostic_fail(d, STATUS_INPUT, "export search %s: the ending says the form; give .json or .txt", path);
	report_race(race, methods, topk, ends_in(path, ".json") ? REPORT_JSON : REPORT_TEXT, true, &out);
	status = file_write(path, text_string(&out), out.length, d);
	text_free(&out);
	return status;
}

/* Plan and step of the model, for another simulator. */
static enum status export_workload(struct study *study, const char *path, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = report_need_step(study, d);

	if (status == STATUS_OK) {
		timeline_workload(study, &out);
		status = file_write(path, text_string(&out), out.length, d);
	}
	text_free(&out);
	return status;
}

enum status export_model(struct study *study, const char *path, struct diagnostic *d)
{
	const struct model *model = study_update(study)->model;
	struct text out = { 0 };
	enum status status;

	if (ends_in(path, ".txt"))
		return export_workload(study, path, d);
	if (ends_in(path, ".csv"))
		model_write_csv(model, &out);
	else if (ends_in(path, ".dot"))
		model_dot(model, &out);
	else if (ends_in(path, ".json"))
		model_json(model, &out);
	else
		return diagnostic_fail(d, STATUS_INPUT, "convert to %s: the ending says the form; give .csv, .json, .dot or .txt", path);
	status = file_write(path, text_string(&out), out.length, d);
	text_free(&out);
	return status;
}
