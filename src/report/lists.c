/* Lists of what is built in, each made once as text and as JSON. */
#include "report/report.h"

#include "base/memory.h"
#include "hardware/accelerator.h"
#include "network/presets.h"
#include "report/json.h"
#include "study/commands.h"

#include <math.h>

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

/* Published and modelled figures of one accelerator as it is built. */
static void accelerator_entry(const struct accelerator *a, json_t *entry)
{
	const struct machine *m = &a->machine;
	const struct constants *c = constants_standard();

	json_set_text(entry, "name", a->name);
	json_set_text(entry, "kind", a->kind == ACCELERATOR_GPU ? "gpu" : "systolic");
	json_set_number(entry, "tc", (double)m->tc);
	json_set_number(entry, "tc_rows", (double)m->tc_rows);
	json_set_number(entry, "tc_cols", (double)m->tc_cols);
	json_set_number(entry, "vc", (double)m->vc);
	json_set_number(entry, "vc_lanes", (double)m->vc_lanes);
	json_set_number(entry, "glb_bytes", m->glb);
	json_set_number(entry, "hbm_bytes", m->hbm);
	json_set_number(entry, "hbm_bytes_per_s", m->hbm_bw);
	json_set_number(entry, "clock_hz", m->clock);
	json_set_text(entry, "dataflow", dataflow_name(m->dataflow));
	json_set_text(entry, "precision", format_at(a->format)->name);
	json_set_number(entry, "peak_ops", machine_peak_ops(m));
	json_set_number(entry, "area_mm2", machine_area(m, c).total);
	json_set_number(entry, "tdp_w", accelerator_power(a, m, accelerator_uncore(a, c), c).total);
	json_set_number(entry, "published_peak_ops", a->peak_ops > 0 ? a->peak_ops : NAN);
	json_set_number(entry, "published_die_mm2", a->die_mm2 > 0 ? a->die_mm2 : NAN);
	json_set_number(entry, "published_tdp_w", a->tdp_w > 0 ? a->tdp_w : NAN);
	json_set_text(entry, "text", a->text);
	json_set_text(entry, "source", a->source);
}

/* "46.0 (45.9)": published, and in brackets modelled; "-" where nothing was published. */
static void add_pair(struct text *out, double published, double modelled, double factor, int width)
{
	char pair[64], number[32] = "-";

	if (published > 0)
		snprintf(number, sizeof number, "%.3g", published / factor);
	snprintf(pair, sizeof pair, "%s (%.3g)", number, modelled / factor);
	text_pad(out, pair, -width);
}

static void accelerator_line(const struct accelerator *a, struct text *out)
{
	const struct machine *m = &a->machine;
	const struct constants *c = constants_standard();
	char tc[64], vc[48], glb[48], rate[48];

	snprintf(tc, sizeof tc, "%lldx%lldx%lld %s", (long long)m->tc, (long long)m->tc_rows, (long long)m->tc_cols, dataflow_name(m->dataflow));
	snprintf(vc, sizeof vc, "%lldx%lld", (long long)m->vc, (long long)m->vc_lanes);
	units_print(UNIT_BYTES, m->glb, glb, sizeof glb);
	snprintf(rate, sizeof rate, "%.4g", m->hbm_bw / 1e9);
	text_pad(out, a->name, 11);
	text_pad(out, tc, 14);
	text_pad(out, vc, 9);
	text_pad(out, glb, -7);
	text_printf(out, " %6.4g %6s", m->clock / 1e6, rate);
	add_pair(out, a->peak_ops, machine_peak_ops(m), 1e12, 18);
	add_pair(out, a->die_mm2, machine_area(m, c).total, 1, 13);
	add_pair(out, a->tdp_w, accelerator_power(a, m, accelerator_uncore(a, c), c).total, 1, 14);
	text_printf(out, "\n           %s [%s]\n", a->text, a->source);
}

enum status report_accelerators(enum report_form form, struct text *out, struct diagnostic *d)
{
	struct accelerators accelerators;
	struct list list = { { 0 }, NULL };
	enum status status = accelerators_builtin(&accelerators, NULL, d);

	if (status != STATUS_OK)
		return status;
	text_printf(&list.lines, "%-11s%-14s%-9s%7s %6s %6s%18s%13s%14s\n%-11s%-14s%-9s%7s %6s %6s%18s%13s%14s\n", "", "tensor cores", "vector", "buffer", "clock", "memory",
		"peak", "die", "TDP", "", "", "cores", "", "MHz", "GB/s", "TOP/s", "mm2", "W");
	for (size_t i = 0; i < accelerators.count; i++) {
		accelerator_entry(&accelerators.items[i], list_entry(&list));
		accelerator_line(&accelerators.items[i], &list.lines);
	}
	text_add(&list.lines, "published (modelled); - where no figure was published; the modelled area is cores and buffer alone\n");
	accelerators_free(&accelerators);
	list_end(&list, form, "accelerators", out);
	return STATUS_OK;
}

enum status report_networks(enum report_form form, struct text *out, struct diagnostic *d)
{
	struct networks networks;
	struct list list = { { 0 }, NULL };
	enum status status = networks_builtin(&networks, d);

	for (size_t i = 0; status == STATUS_OK && i < networks.count; i++) {
		const struct network *n = &networks.items[i];
		json_t *entry = list_entry(&list);
		char topology[TOPOLOGY_BYTES];

		topology_print(&n->topology, topology, sizeof topology);
		json_set_text(entry, "name", n->name);
		json_set_text(entry, "topology", topology);
		json_set_text(entry, "text", n->text);
		json_set_text(entry, "source", n->source);
		text_pad(&list.lines, n->name, 11);
		text_printf(&list.lines, "%s\n           %s [%s]\n", topology, n->text, n->source);
	}
	if (status == STATUS_OK) {
		text_printf(&list.lines, "\nkinds\n");
		for (int kind = 0; kind < TOPOLOGY_KIND_COUNT; kind++) {
			text_pad(&list.lines, topology_kind_name((enum topology_kind)kind), 11);
			text_printf(&list.lines, "%s\n", topology_kind_text((enum topology_kind)kind));
		}
		list_end(&list, form, "networks", out);
	}
	networks_free(&networks);
	return status;
}

static void parameter_entry(enum parameter_id id, json_t *entry)
{
	const struct parameter *p = parameter_at(id);
	char value[64];

	json_set_text(entry, "name", p->name);
	json_set_text(entry, "unit", units_name(p->unit));
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
	json_set_text(entry, "scope", p->scope == SCOPE_SCREEN ? "screen" : "study");
	json_set_text(entry, "text", p->text);
	if (p->source[0] != '\0')
		json_set_text(entry, "source", p->source);
}

static void parameter_line(enum parameter_id id, struct text *out)
{
	const struct parameter *p = parameter_at(id);
	char value[64], least[64], most[64];

	parameter_print(id, p->standard, value, sizeof value);
	text_printf(out, "%-13s ", p->name);
	if (p->unit == UNIT_CHOICE) {
		for (size_t k = 0; p->choices[k] != NULL; k++)
			text_printf(out, "%s%s", k > 0 ? "|" : "", p->choices[k]);
	} else {
		parameter_print(id, p->minimum, least, sizeof least);
		parameter_print(id, p->maximum, most, sizeof most);
		text_printf(out, "%s..%s", least, most);
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
