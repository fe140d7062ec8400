/* Lists of what is built in, each made once as text and as JSON. */
#include "report/report.h"

#include "base/memory.h"
#include "report/json.h"
#include "study/commands.h"

/* A list under way: text lines and JSON entries grow side by side, one of them is given out. */
struct list {
	struct text lines;
	json_t *entries;
};

static json_t *list_entry(struct list *list)
{
	json_t *entry = json_object();

	if (list->entries == NULL)
		list->entries = json_array();
	json_array_append(list->entries, entry);
	json_decref(entry);      /* the array holds it */
	return entry;
}

static void list_end(struct list *list, enum report_form form, const char *key, struct text *out)
{
	json_t *root = json_begin();

	json_object_set_new(root, key, list->entries != NULL ? list->entries : json_array());
	if (form == REPORT_JSON) {
		json_end(root, out);
	} else {
		json_decref(root);
		text_append(out, text_string(&list->lines), list->lines.length);
	}
	text_free(&list->lines);
}

enum status report_models(enum report_form form, struct text *out, struct diagnostic *d)
{
	struct builtin *models;
	struct list list = { { 0 }, NULL };
	size_t count;
	enum status status = models_builtin(&models, &count, d);

	for (size_t i = 0; status == STATUS_OK && i < count; i++) {
		json_t *entry = list_entry(&list);

		json_set_text(entry, "name", models[i].name);
		json_set_text(entry, "text", models[i].text);
		text_printf(&list.lines, "%-14s %s\n", models[i].name, models[i].text);
	}
	memory_free(models);
	if (status == STATUS_OK)
		list_end(&list, form, "models", out);
	return status;
}

static void parameter_entry(enum parameter_id id, json_t *entry)
{
	const struct parameter *p = parameter_at(id);
	char value[64];

	json_set_text(entry, "name", p->name);
	json_set_text(entry, "unit", p->unit == UNIT_CHOICE ? "word" : "count");
	parameter_print(id, p->standard, value, sizeof value);
	if (p->unit == UNIT_CHOICE) {
		json_t *choices = json_array();

		for (size_t k = 0; p->choices[k] != NULL; k++)
			json_array_append_new(choices, json_string(p->choices[k]));
		json_set_text(entry, "default", value);
		json_object_set_new(entry, "choices", choices);
	} else {
		json_set_number(entry, "default", p->standard);
		json_set_number(entry, "min", p->minimum);
		json_set_number(entry, "max", p->maximum);
	}
	json_set_text(entry, "scope", p->scope == SCOPE_STUDY ? "study" : "screen");
	json_set_text(entry, "text", p->text);
	if (p->source[0] != '\0')
		json_set_text(entry, "source", p->source);
}

static void parameter_line(enum parameter_id id, struct text *out)
{
	const struct parameter *p = parameter_at(id);
	char value[64];

	parameter_print(id, p->standard, value, sizeof value);
	text_printf(out, "%-13s ", p->name);
	if (p->unit == UNIT_CHOICE) {
		for (size_t k = 0; p->choices[k] != NULL; k++)
			text_printf(out, "%s%s", k > 0 ? "|" : "", p->choices[k]);
	} else {
		text_printf(out, "%.0f..%.0f", p->minimum, p->maximum);
	}
	text_printf(out, ", default %s\n              %s%s%s%s\n", value, p->text, p->source[0] != '\0' ? " [" : "", p->source, p->source[0] != '\0' ? "]" : "");
}

enum status report_parameters(enum report_form form, struct text *out, struct diagnostic *d)
{
	struct list list = { { 0 }, NULL };

	(void)d;
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		parameter_entry((enum parameter_id)i, list_entry(&list));
		parameter_line((enum parameter_id)i, &list.lines);
	}
	list_end(&list, form, "parameters", out);
	return STATUS_OK;
}

enum status report_commands(enum report_form form, struct text *out, struct diagnostic *d)
{
	struct list list = { { 0 }, NULL };

	(void)d;
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_at((enum command_id)i);
		json_t *entry = list_entry(&list);

		json_set_text(entry, "name", c->name);
		json_set_text(entry, "usage", c->usage);
		json_set_text(entry, "scope", c->host ? "screen" : "study");
		json_set_text(entry, "text", c->text);
		text_printf(&list.lines, "%s%s%s\n              %s\n", c->name, c->usage[0] != '\0' ? " " : "", c->usage, c->text);
	}
	list_end(&list, form, "commands", out);
	return STATUS_OK;
}
