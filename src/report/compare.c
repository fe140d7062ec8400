#include "report/compare.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *name, *text;
	enum unit unit;
	bool less_is_better;
} figures[OUTCOME_COUNT] = {
#define X(id, name, unit, less, text) [OUTCOME_##id] = { name, text, unit, less },
	OUTCOMES(X)
#undef X
};

static void print_figure(int figure, double value, char *out, size_t size)
{
	out[0] = '\0';
	if (isnan(value))
		return;
	switch (figures[figure].unit) {
	case UNIT_TIME: units_print_seconds(value, out, size); break;
	case UNIT_BYTES:
		if (figure == OUTCOME_MEMORY)
			units_print_memory(value, out, size);
		else
			units_print_bytes(value, out, size);
		break;
	case UNIT_PART: snprintf(out, size, "%.1f %%", 100 * value); break;
	default: snprintf(out, size, "%.4g %s", value, units_name(figures[figure].unit));
	}
}

void compare_figures(const struct study *study, struct compared out[COMPARED_FIGURES])
{
	const struct results *r = study_results(study);

	for (int i = 0; i < OUTCOME_COUNT; i++) {
		double now = r->outcome.value[i], before = r->remembered_outcome != NULL ? r->remembered_outcome->value[i] : NAN;

		out[i] = (struct compared){ .name = figures[i].name, .text = figures[i].text, .ratio = before > 0 ? now / before : NAN, .less_is_better = figures[i].less_is_better };
		print_figure(i, now, out[i].now, sizeof out[i].now);
		print_figure(i, before, out[i].before, sizeof out[i].before);
	}
}

static void put_text(char out[64], const char *text)
{
	text_sanitize(out, 64, text, strlen(text));
}

int compare_settings(const struct study *study, struct compared out[COMPARED_SETTINGS])
{
	const struct document *now = study_document(study), *before = study_results(study)->remembered_document;
	int count = 0;

	if (before == NULL)
		return 0;
	if (now->model != NULL && before->model != NULL && strcmp(now->model, before->model) != 0) {
		out[count] = (struct compared){ .name = "model", .text = "", .ratio = NAN };
		put_text(out[count].now, now->model);
		put_text(out[count++].before, before->model);
	}
	for (int i = 0; i < PARAMETER_COUNT && count < COMPARED_SETTINGS; i++) {
		char value[TOPOLOGY_BYTES];

		if (parameter_at((enum parameter_id)i)->scope == SCOPE_SCREEN)
			continue;
		document_print(now, (enum parameter_id)i, value, sizeof value);
		put_text(out[count].now, value);
		document_print(before, (enum parameter_id)i, value, sizeof value);
		put_text(out[count].before, value);
		if (strcmp(out[count].now, out[count].before) == 0)
			continue;
		out[count].name = parameter_at((enum parameter_id)i)->name;
		out[count].text = "";
		out[count++].ratio = NAN;
	}
	return count;
}

void compare_text(const struct study *study, struct text *out)
{
	struct compared rows[COMPARED_FIGURES], settings[COMPARED_SETTINGS];
	int count = compare_settings(study, settings);

	if (study_results(study)->remembered_outcome == NULL)
		return;
	compare_figures(study, rows);
	text_add(out, "\nfigure              now     remembered   ratio\n");
	for (int i = 0; i < COMPARED_FIGURES; i++) {
		if (rows[i].now[0] == '\0' && rows[i].before[0] == '\0')
			continue;
		text_pad(out, rows[i].name, 12);
		text_pad(out, rows[i].now[0] != '\0' ? rows[i].now : "-", -13);
		text_pad(out, rows[i].before[0] != '\0' ? rows[i].before : "-", -15);
		if (!isnan(rows[i].ratio))
			text_printf(out, "   %.4g", rows[i].ratio);
		text_add(out, "\n");
	}
	for (int i = 0; i < count; i++)
		text_printf(out, "%s%s %s instead of %s", i == 0 ? "set differently: " : ", ", settings[i].name, settings[i].now, settings[i].before);
	text_add(out, count > 0 ? "\n" : "");
}

void compare_json(const struct study *study, json_t *root)
{
	const struct results *r = study_results(study);
	struct compared settings[COMPARED_SETTINGS];
	json_t *list, *differs;
	int count = compare_settings(study, settings);

	if (r->remembered_outcome == NULL)
		return;
	list = json_array();
	differs = json_array();
	for (int i = 0; i < OUTCOME_COUNT; i++) {
		double now = r->outcome.value[i], before = r->remembered_outcome->value[i];
		json_t *entry;

		if (isnan(now) && isnan(before))
			continue;
		entry = json_object();
		json_set_text(entry, "figure", figures[i].name);
		json_set_number(entry, "now", now);
		json_set_number(entry, "remembered", before);
		json_set_number(entry, "ratio", before > 0 ? now / before : NAN);
		json_array_append_new(list, entry);
	}
	for (int i = 0; i < count; i++) {
		json_t *entry = json_object();

		json_set_text(entry, "name", settings[i].name);
		json_set_text(entry, "now", settings[i].now);
		json_set_text(entry, "remembered", settings[i].before);
		json_array_append_new(differs, entry);
	}
	json_object_set_new(root, "compare", list);
	json_object_set_new(root, "differs", differs);
}
