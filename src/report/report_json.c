#include "report/json.h"
#include "report/links.h"
#include "report/forms.h"
#include "report/ops.h"
#include "report/run.h"
#include "report/compare.h"
#include "study/preset.h"

#include <math.h>

/* What a row takes of the step on one accelerator. */
static void set_row_time(json_t *layer, const struct step_row *row)
{
	json_set_number(layer, "time_s", row->seconds);
	json_set_text(layer, "bound", row->bound == BOUND_COMPUTE ? "compute" : "memory");
	json_set_number(layer, "utilisation", row->utilisation);
	json_set_number(layer, "flop_per_byte", timing_intensity(row->macs, row->bytes));
	if (row->fused)
		json_object_set_new(layer, "fused", json_true());
	if (row->measured)
		json_object_set_new(layer, "measured", json_true());
}

static json_t *layer_json(const struct study *study, int row)
{
	const struct results *r = study_results(study);
	const struct operator *o = &r->model->operators[row];
	const struct plan *plan = r->plan;
	json_t *layer = json_object(), *choice = json_array(), *margin = json_array();

	json_set_text(layer, "name", o->name);
	json_set_text(layer, "kind", operator_kind_name(o->kind));
	json_object_set_new(layer, "row", json_integer(row + 1));
	for (int h = 1; h <= plan->levels; h++) {
		double loss = r->margins != NULL ? margins_margin(r->margins, plan, row, h) : NAN;

		json_array_append_new(choice, json_string(plan_choice(plan, row, h)));
		json_array_append_new(margin, isnan(loss) ? json_null() : json_number(loss));
	}
	json_object_set_new(layer, "choice", choice);
	if (operator_kind_weighted(o->kind))
		json_object_set_new(layer, "params", json_integer(o->params));
	if (o->macs > 0)
		json_object_set_new(layer, "macs", json_integer(o->macs));
	json_set_number(layer, "comm_elements", plan->row_elements[row]);
	json_set_number(layer, "comm_bytes", plan->row_elements[row] * r->element_bytes);
	set_row_time(layer, &r->step->rows[row]);
	/* by what the plan is chosen by */
	if (r->margins != NULL)
		json_object_set_new(layer, plan->objective == OBJECTIVE_TIME ? "margin_s" : "margin", margin);
	else
		json_decref(margin);
	return layer;
}

/* How a level's exchange is routed, and what that takes. */
static void set_exchange(json_t *level, double seconds, const struct exchange *e)
{
	struct link_rates rates;

	json_set_number(level, "time_s", seconds);
	json_set_number(level, "alpha_s", e->alpha);
	json_set_number(level, "beta_s", e->beta);
	json_set_text(level, "on", dimension_name(e->on.kind));
	json_object_set_new(level, "tier", json_integer(e->on.tier + 1));
	json_set_number(level, "hops", e->hops);
	json_set_number(level, "busiest_link_messages", e->load);
	json_set_number(level, "busiest_link_bytes", e->link_bytes);
	links_rates(e, seconds, &rates);
	json_set_number(level, "algbw", rates.algorithm);
	json_set_number(level, "busbw", rates.bus);
	json_set_number(level, "link_rate", rates.link);
}

/* The key of what plans are chosen by. */
static const char *plan_key(const struct plan *plan, const char *seconds, const char *elements)
{
	return plan->objective == OBJECTIVE_TIME ? seconds : elements;
}

static json_t *comm_json(const struct results *r, const double *values)
{
	json_t *comm = json_object(), *levels = json_array();
	char topology[TOPOLOGY_BYTES];

	json_set_number(comm, "elements", r->plan->elements);
	json_set_number(comm, "bytes", r->plan->elements * r->element_bytes);
	for (int h = 0; h < r->plan->levels; h++) {
		const struct plan_level *l = &r->plan->level[h];
		json_t *level = json_object();

		json_object_set_new(level, "level", json_integer(h + 1));
		json_set_number(level, "elements_per_pair", l->per_pair);
		json_set_number(level, "pairs", l->pairs);
		json_set_number(level, "bytes", l->per_pair * l->pairs * r->element_bytes);
		json_set_number(level, "group", ldexp(2, r->plan->levels - 1 - h));
		json_set_number(level, "messages", l->messages);
		set_exchange(level, r->level_seconds[h], &r->level_exchange[h]);
		json_array_append_new(levels, level);
	}
	topology_print(&r->topology, topology, sizeof topology);
	json_set_text(comm, "topology", topology);
	json_set_text(comm, "comm_time", values[PARAMETER_COMM_TIME] == COMM_TIME_FIGURES ? "figures" : "links");
	json_object_set_new(comm, "levels", levels);
	json_set_number(comm, "change_against_baseline", r->change_remembered);
	json_object_set_new(comm, "exact", json_boolean(r->plan->exact));
	json_set_number(comm, plan_key(r->plan, "bound_s", "bound_elements"), r->plan->bound);
	if (r->plan->objective == OBJECTIVE_TIME)
		json_set_number(comm, "objective_s", r->plan->cost);
	return comm;
}

static json_t *baselines_json(const struct results *r)
{
	json_t *list = json_array();

	for (int b = 0; b < BASELINE_COUNT; b++) {
		const struct baseline_result *result = &r->baselines[b];
		json_t *entry = json_object();

		json_set_text(entry, "name", result->name);
		json_set_number(entry, "elements", result->elements);
		json_set_number(entry, "bytes", result->elements * r->element_bytes);
		json_set_number(entry, "ratio", result->ratio);
		if (r->plan->objective == OBJECTIVE_TIME)
			json_set_number(entry, "objective_s", result->cost);
		if (result->bound < result->cost)
			json_set_number(entry, plan_key(r->plan, "bound_s", "bound_elements"), result->bound);
		if (result->note != NULL)
			json_set_text(entry, "note", result->note);
		json_array_append_new(list, entry);
	}
	return list;
}

/* Where a value comes from: the user, the preset, or the parameter's own default. */
static const char *value_source(const struct results *r, enum parameter_id id, double value)
{
	if (value != preset_standard(r->accelerator, id))
		return "set by the user";
	return parameter_of_preset(id) ? r->accelerator->source : parameter_at(id)->source;
}

/* Every parameter of the study with where its value comes from, and what the model takes for granted. */
static json_t *assumptions_json(const struct study *study)
{
	const struct results *r = study_results(study);
	const struct document *document = study_document(study);
	json_t *list = json_array(), *entry;
	char value[TOPOLOGY_BYTES];

	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const struct parameter *p = parameter_at((enum parameter_id)i);

		if (p->scope == SCOPE_SCREEN)
			continue;
		entry = json_object();
		json_set_text(entry, "name", p->name);
		document_print(document, (enum parameter_id)i, value, sizeof value);
		if (p->unit == UNIT_CHOICE)
			json_set_text(entry, "value", value);
		else
			json_set_number(entry, "value", document->values[i]);
		json_set_text(entry, "unit", units_name(p->unit));
		json_set_text(entry, "source", value_source(r, (enum parameter_id)i, document->values[i]));
		json_array_append_new(list, entry);
	}
	entry = json_object();
	json_set_text(entry, "name", "element_bytes_on_the_wire");
	json_set_number(entry, "value", study_results(study)->element_bytes);
	json_set_text(entry, "unit", "B");
	json_set_text(entry, "source", "bytes of the precision, in both directions (HyPar section 3)");
	json_array_append_new(list, entry);
	entry = json_object();
	json_set_text(entry, "name", "exchange_of_norms_and_elementwise_operators");
	json_set_number(entry, "value", 0);
	json_set_text(entry, "unit", "elements");
	json_set_text(entry, "source", "assumed free: they work in the layout they are given");
	json_array_append_new(list, entry);
	return list;
}

static json_t *warnings_json(const struct results *r)
{
	json_t *list = json_array();
	char line[1024];

	for (size_t i = 0; i < r->model->problems.count; i++) {
		diagnostic_format(&r->model->problems.items[i], line, sizeof line);
		json_array_append_new(list, json_string(line));
	}
	for (size_t i = 0; i < r->warnings->count; i++) {
		diagnostic_format(&r->warnings->items[i], line, sizeof line);
		json_array_append_new(list, json_string(line));
	}
	return list;
}

/* compute_s is the schedule's whole length, updates included. */
static json_t *step_json(const struct results *r)
{
	json_t *step = json_object();

	json_set_number(step, "time_s", r->step_s);
	json_set_number(step, "compute_s", r->compute_s);
	if (r->second != NULL) {
		json_set_number(step, "first_share", r->first_share);
		json_set_number(step, "first_compute_s", r->step->schedule.makespan);
		json_set_number(step, "second_compute_s", r->second_s);
	}
	if (r->plan->levels > 0) {
		json_set_number(step, "comm_exposed_s", r->comm_exposed_s);
		json_set_number(step, "comm_hidden_s", r->comm_hidden_s);
	}
	return step;
}

static json_t *energy_json(const struct results *r)
{
	json_t *energy = json_object();

	json_set_number(energy, "total_j", r->energy_j);
	json_set_number(energy, "compute_j", r->energy.compute);
	json_set_number(energy, "sram_j", r->energy.sram);
	json_set_number(energy, "dram_j", r->energy.dram);
	json_set_number(energy, "link_j", r->link_j);
	return energy;
}

static json_t *path_json(const struct results *r)
{
	static const char *const by[BOUND_BY_COUNT] = { [BOUND_BY_PATH] = "path", [BOUND_BY_TC] = "tc", [BOUND_BY_VC] = "vc", [BOUND_BY_LINK] = "link" };
	const struct step *step = r->step;
	json_t *path = json_object(), *critical = json_array();
	struct text label = { 0 };

	json_set_number(path, "makespan_s", step->schedule.makespan);
	json_set_number(path, "lower_bound_s", step->bounds.makespan);
	json_set_text(path, "bound_by", by[step->bounds.by]);
	json_set_number(path, "free_bound_s", step->free_bound);
	json_set_number(path, "memory_s", step->work.memory_bytes / r->machine.hbm_bw);
	json_object_set_new(path, "operators", json_integer(step->node_count));
	json_object_set_new(path, "tasks", json_integer(step->task_count));
	for (int task = 0; task < step->task_count; task++) {
		if (!step->bounds.tasks[task].critical || step->tasks[task].seconds == 0)
			continue;
		text_clear(&label);
		ops_label(r->training, step, task, &label);
		json_array_append_new(critical, json_string(text_string(&label)));
	}
	json_object_set_new(path, "critical", critical);
	text_free(&label);
	return path;
}

/* Modelled, and beside it what the preset's makers published. */
static json_t *accelerator_json(const struct results *r)
{
	const struct machine *m = &r->machine;
	const struct accelerator *a = r->accelerator;
	json_t *out = json_object();

	json_set_text(out, "preset", a->name);
	if (r->second != NULL)
		json_set_text(out, "second_preset", r->second->name);
	json_object_set_new(out, "tc", json_integer(m->tc));
	json_object_set_new(out, "tc_rows", json_integer(m->tc_rows));
	json_object_set_new(out, "tc_cols", json_integer(m->tc_cols));
	json_object_set_new(out, "vc", json_integer(m->vc));
	json_object_set_new(out, "vc_lanes", json_integer(m->vc_lanes));
	json_set_number(out, "glb_bytes", m->glb);
	json_set_number(out, "clock_hz", m->clock);
	json_set_number(out, "hbm_bytes_per_s", m->hbm_bw);
	json_set_text(out, "dataflow", dataflow_name(m->dataflow));
	json_set_number(out, "peak_ops", machine_peak_ops(m));
	json_set_number(out, "area_mm2", r->area.total);
	json_set_number(out, "die_mm2", r->die_mm2);
	json_set_number(out, "tdp_w", r->power.total);
	json_object_set_new(out, "tdp_is_published", json_boolean(r->power.published));
	if (a->peak_ops > 0)
		json_set_number(out, "published_peak_ops", a->peak_ops);
	if (a->die_mm2 > 0)
		json_set_number(out, "published_die_mm2", a->die_mm2);
	if (a->tdp_w > 0)
		json_set_number(out, "published_tdp_w", a->tdp_w);
	json_set_text(out, "source", a->source);
	return out;
}

/* Knobs that change little or nothing now, and why. */
static json_t *idle_json(struct study *study)
{
	json_t *list = json_array();

	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const char *why = parameter_at((enum parameter_id)i)->scope != SCOPE_SCREEN ? study_idle(study, (enum parameter_id)i) : NULL;

		if (why != NULL)
			json_array_append_new(list, json_pack("{s:s, s:s}", "name", parameter_at((enum parameter_id)i)->name, "why", why));
	}
	return list;
}

void report_study_json(struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	const struct document *document = study_document(study);
	json_t *root = json_begin(), *layers = json_array();
	char solver[32];

	json_set_text(root, "model", r->model->name);
	json_set_number(root, "batch", document->values[PARAMETER_BATCH]);
	json_set_number(root, "accelerators", document->values[PARAMETER_ACCELERATORS]);
	parameter_print(PARAMETER_SOLVER, document->values[PARAMETER_SOLVER], solver, sizeof solver);
	json_set_text(root, "solver", solver);
	for (int v = 0; v < r->problem->var_count; v++)
		json_array_append_new(layers, layer_json(study, r->problem->vars[v].row));
	json_object_set_new(root, "layers", layers);
	json_object_set_new(root, "comm", comm_json(r, study_document(study)->values));
	json_object_set_new(root, "step", r->run_trouble[0] == '\0' && !r->run_plain ? run_step_json(r) : step_json(r));
	run_json(study, root);
	compare_json(study, root);
	json_object_set_new(root, "energy", energy_json(r));
	json_object_set_new(root, "path", path_json(r));
	json_object_set_new(root, "accelerator", accelerator_json(r));
	json_object_set_new(root, "baselines", baselines_json(r));
	json_object_set_new(root, "idle", idle_json(study));
	json_object_set_new(root, "assumptions", assumptions_json(study));
	json_object_set_new(root, "warnings", warnings_json(r));
	json_end(root, out);
}

void report_check_json(const struct results *r, double understood_percent, struct text *out)
{
	const struct model *m = r->model;
	const struct blocks *b = r->training->blocks;
	json_t *root = json_begin(), *problems = json_array(), *blocks = json_array();

	json_set_text(root, "format", m->format);
	json_set_text(root, "name", m->name);
	json_object_set_new(root, "layers", json_integer(m->layers));
	json_object_set_new(root, "operators", json_integer(m->count));
	json_object_set_new(root, "macs", json_integer(m->macs));
	json_object_set_new(root, "params", json_integer(m->params));
	json_set_number(root, "understood_macs_percent", understood_percent);
	json_object_set_new(root, "opaque", json_integer(m->opaque));
	json_object_set_new(root, "skipped", json_integer(m->skipped));
	for (size_t i = 0; i < m->problems.count; i++) {
		const struct diagnostic *d = &m->problems.items[i];
		json_t *problem = json_object();

		json_object_set_new(problem, "line", json_integer((json_int_t)d->line));
		json_object_set_new(problem, "column", json_integer((json_int_t)d->column));
		json_set_text(problem, "severity", d->severity == SEVERITY_ERROR ? "error" : "warning");
		json_set_text(problem, "text", d->text);
		json_array_append_new(problems, problem);
	}
	for (int i = 0; i < b->run_count; i++)
		json_array_append_new(blocks, json_pack("{s:i, s:i, s:i}", "first", b->runs[i].first + 1, "length", b->runs[i].length, "count", b->runs[i].count));
	json_object_set_new(root, "blocks", blocks);
	json_object_set_new(root, "bare", json_boolean(r->training->bare));
	json_object_set_new(root, "problems", problems);
	json_object_set_new(root, "problems_total", json_integer((json_int_t)m->problems.total));
	json_end(root, out);
}
