#include "study/line_inside.h"

#include "partition/shares.h"
#include "pipeline/line.h"
#include "study/preset.h"

#include <math.h>
#include <string.h>

/* ---- kinds of stages ---- */

static bool same_kind(const struct document *a, const struct document *b)
{
	for (int i = 0; i < PARAMETER_COUNT; i++)
		if (a->values[i] != b->values[i])
			return false;
	return true;
}

/* What the plan, the step and the exchanges of the study were made from. */
static bool is_of_study(const struct making *m, const struct document *document)
{
	static const enum parameter_id others[] = { PARAMETER_SCHEDULE, PARAMETER_CHUNKS, PARAMETER_RECOMPUTE, PARAMETER_ZERO, PARAMETER_GRADIENT_BYTES, PARAMETER_STATE_BYTES,
		PARAMETER_ATTENTION, PARAMETER_SEQ_PARALLEL, PARAMETER_CLUSTER };
	struct document like = *document;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		like.values[others[i]] = m->study->document.values[others[i]];
	if (study_run_plan(like.values).microbatch == study_run_plan(m->study->document.values).microbatch)
		like.values[PARAMETER_MICROBATCH] = m->study->document.values[PARAMETER_MICROBATCH];
	return same_kind(&like, &m->study->document);
}

static struct document document_of_stage(const struct making *m, const struct stage_rule *rule)
{
	struct document d = *m->document;

	if (rule->accelerator >= 0 && rule->accelerator != (int)d.values[PARAMETER_ACCELERATOR]) {
		const struct accelerator *preset;

		d.values[PARAMETER_ACCELERATOR] = rule->accelerator;
		preset = preset_find(&m->study->accelerators, d.own, d.values, NULL);
		if (preset != NULL)      /* else fill_kind says so */
			preset_apply(preset, d.values);
	}
	for (int i = 0; i < STAGE_CORES; i++)
		if (rule->cores[i] > 0)
			d.values[PARAMETER_TC + i] = rule->cores[i];
	if (rule->accelerators > 0)
		d.values[PARAMETER_ACCELERATORS] = rule->accelerators;
	if (rule->tensor > 0)
		d.values[PARAMETER_TENSOR] = rule->tensor;
	return d;
}

static int64_t samples_of(const struct making *m)
{
	return (int64_t)m->out->plan.microbatch;
}

/* The plan and the step of a kind that the study has not. */
static enum status solve_kind(struct making *m, struct kind *k, struct diagnostic *d)
{
	struct plan_request request = request_of(&k->document, m->study->pins);

	/* all stages are on the same links */
	if (request.prices.objective == OBJECTIVE_TIME)
		request.prices = request_link_prices(&k->document, &m->topology);
	if (search_operations(m->study->probe, &request, false) > FRAME_OPERATIONS)
		return diagnostic_fail(d, STATUS_INPUT, "the plan of a stage of %.0f devices takes too long beside the others; set solver=hypar or accpar", k->devices);
	k->own = true;
	k->plan = search_plan(m->study->probe, &request, NULL);
	k->step = study_step_of(m->study, k->plan, k->document.values, &k->machine, d);
	return k->step != NULL ? STATUS_OK : STATUS_INPUT;
}

static void time_exchanges(struct making *m, struct kind *k)
{
	struct plan_request request = request_of(&k->document, NULL);
	struct prices prices;

	k->exchanges = arena_alloc(&m->arena, (size_t)m->model->count, sizeof *k->exchanges);
	if (k->plan->levels == 0)
		return;
	prices = request_link_prices(&k->document, &m->topology);
	request.batch = m->out->plan.microbatch;
	request.replicas = 1;
	exchanges_of_rows(m->study->loaded->problem, &request, &prices, k->plan, k->exchanges);
}

/* s of each layer as the cut weighs them: its operators one after another, and its exchanges; forward twice where that is computed again. */
static void time_layers(struct making *m, struct kind *k)
{
	const struct training *t = m->study->loaded->training;
	bool again = m->out->plan.recompute == RECOMPUTE_FULL;

	k->seconds = arena_alloc(&m->arena, (size_t)m->layers, sizeof *k->seconds);
	for (int node = 0; node < k->step->node_count; node++)
		if (t->nodes[node].pass != PASS_UPDATE)
			k->seconds[t->nodes[node].row >= 0 ? m->layer_of[t->nodes[node].row] : m->layers - 1] +=
				k->step->nodes[node].seconds * (again && (t->nodes[node].pass == PASS_FWD || t->nodes[node].pass == PASS_LOSS) ? 2 : 1);
	for (int row = 0; row < m->model->count; row++)
		for (int kind = 0; kind < EXCHANGE_GRADIENT; kind++)
			k->seconds[m->layer_of[row]] += k->exchanges[row].seconds[kind] * (again && kind != EXCHANGE_ERROR ? 2 : 1);
}

/* A loss of no row is the last layer's. */
static int layer_of_task(const struct making *m, const struct kind *k, int task)
{
	int row = m->study->loaded->training->nodes[k->step->tasks[task].node].row;

	return row >= 0 ? m->layer_of[row] : m->layers - 1;
}

static void sort_tasks(struct making *m, struct kind *k)
{
	int *at = arena_alloc(&m->arena, (size_t)m->layers + 1, sizeof *at);

	k->tasks = arena_alloc(&m->arena, (size_t)k->step->task_count, sizeof *k->tasks);
	k->part = arena_alloc(&m->arena, (size_t)k->step->task_count, sizeof *k->part);
	k->first_task = arena_alloc(&m->arena, (size_t)m->layers + 1, sizeof *k->first_task);
	for (int task = 0; task < k->step->task_count; task++)
		k->first_task[layer_of_task(m, k, task) + 1]++;
	for (int layer = 0; layer < m->layers; layer++)
		at[layer + 1] = k->first_task[layer + 1] += k->first_task[layer];
	for (int task = 0; task < k->step->task_count; task++)
		k->tasks[at[layer_of_task(m, k, task)]++] = task;
}

static enum status fill_kind(struct making *m, struct kind *k, struct diagnostic *d)
{
	const double *v = k->document.values;

	k->accelerator = preset_find(&m->study->accelerators, k->document.own, v, d);
	if (k->accelerator == NULL)
		return STATUS_INPUT;
	k->machine = preset_machine(k->accelerator, v);
	k->devices = v[PARAMETER_ACCELERATORS] * v[PARAMETER_TENSOR];
	if (exp2(document_levels(&k->document)) != k->devices)
		return diagnostic_fail(d, STATUS_INPUT, "tensor: %.0f of %.0f accelerators; levels halve a stage, so that tensor is a power of two and a stage has at most %d devices",
			v[PARAMETER_TENSOR], v[PARAMETER_ACCELERATORS], ACCELERATORS_MAX);
	if (is_of_study(m, &k->document)) {
		k->plan = m->study->plan;
		k->step = m->study->step;
	} else if (solve_kind(m, k, d) != STATUS_OK) {
		return STATUS_INPUT;
	}
	k->shares = arena_alloc(&m->arena, (size_t)m->model->count, sizeof *k->shares);
	shares_of(m->model, m->study->loaded->problem, k->plan, samples_of(m), NULL, k->shares);
	time_exchanges(m, k);
	return STATUS_OK;
}

/* A kind for each stage, shared by those that are alike. */
static enum status find_kinds(struct making *m, struct diagnostic *d)
{
	int stages = m->out->stage_count;

	m->kinds = arena_alloc(&m->arena, (size_t)stages, sizeof *m->kinds);
	m->of_stage = arena_alloc(&m->arena, (size_t)stages, sizeof *m->of_stage);
	for (int stage = 0; stage < stages; stage++) {
		struct stage_rule rule = document_stage(m->document, stage + 1);
		struct document document = document_of_stage(m, &rule);
		int i = 0;

		while (i < m->kind_count && !same_kind(&m->kinds[i].document, &document))
			i++;
		m->of_stage[stage] = &m->kinds[i];
		if (i < m->kind_count)
			continue;
		m->kinds[m->kind_count++].document = document;
		if (fill_kind(m, &m->kinds[i], d) != STATUS_OK)
			return STATUS_INPUT;
	}
	return STATUS_OK;
}

/* ---- the cut ---- */

static enum status find_starts(const struct making *m, int *starts, struct diagnostic *d)
{
	for (int k = 0; k < m->virtual_stages; k++)
		starts[k] = -1;
	for (size_t i = 0; i < m->document->stage_count; i++) {
		const struct stage_rule *rule = &m->document->stages[i];

		if (rule->starts < 0 || rule->stage > m->virtual_stages)
			continue;
		if (rule->starts >= m->model->count)
			return diagnostic_fail(d, STATUS_INPUT, "stage %d starts with row #%d, and %s has %d", rule->stage, rule->starts + 1, m->model->name, m->model->count);
		starts[rule->stage - 1] = m->layer_of[rule->starts];
	}
	return STATUS_OK;
}

static enum status cut(struct making *m, struct diagnostic *d)
{
	int stages = m->out->stage_count;
	const double **seconds = arena_alloc(&m->arena, (size_t)stages, sizeof *seconds);
	int *starts = arena_alloc(&m->arena, (size_t)m->virtual_stages, sizeof *starts);
	struct line line = { .layers = m->layers, .stages = stages, .chunks = (int)m->out->plan.chunks, .seconds = seconds, .starts = starts };

	/* one stage has all layers, however long they take */
	for (int i = 0; i < m->kind_count && m->virtual_stages > 1; i++)
		time_layers(m, &m->kinds[i]);
	for (int stage = 0; stage < stages; stage++)
		seconds[stage] = m->of_stage[stage]->seconds;
	m->first = arena_alloc(&m->arena, (size_t)m->virtual_stages + 1, sizeof *m->first);
	m->first[1] = m->layers;
	if (m->virtual_stages == 1)
		return STATUS_OK;
	if (find_starts(m, starts, d) != STATUS_OK)
		return STATUS_INPUT;
	return line_split(&line, m->first, d);
}

/* ---- the step ---- */

static enum status play(struct making *m, int microbatches, struct pipeline_step *step, struct diagnostic *d)
{
	const struct run_plan *p = &m->out->plan;
	struct pipeline pipeline = { .schedule = p->schedule, .stages = (int)p->pipeline, .chunks = (int)p->chunks, .microbatches = microbatches, .virtual_stages = m->played };
	enum status status = pipeline_play(&pipeline, step, d);

	if (status != STATUS_OK)
		pipeline_step_free(step);
	return status;
}

/* What each further microbatch adds, of a step and of its transfers, s. */
struct slope {
	double seconds, transfer;
};

static struct slope slope_between(const struct pipeline_step *few, const struct pipeline_step *more)
{
	double further = more->table.microbatches - few->table.microbatches;

	return (struct slope){ (more->seconds - few->seconds) / further, (more->bubble.transfer - few->bubble.transfer) / further };
}

/* Plays as many microbatches as there is time for, twice as many from turn to turn, until a further one adds what the last ones did; into the run's pipeline,
 * with the last slope. */
static enum status play_some(struct making *m, double all, struct slope *slope, struct diagnostic *d)
{
	int count = m->out->stage_count;
	struct pipeline_step *step = &m->out->pipeline;
	double before = -1;

	if (play(m, count, step, d) != STATUS_OK)
		return STATUS_INPUT;
	do {
		struct pipeline_step more;

		count *= 2;
		if (play(m, count, &more, d) != STATUS_OK)
			return STATUS_INPUT;
		before = slope->seconds;
		*slope = slope_between(step, &more);
		pipeline_step_free(step);
		*step = more;
	} while (fabs(slope->seconds - before) > 1e-4 * slope->seconds && 2.0 * count <= all && 6.0 * count * m->virtual_stages <= PIPELINE_SLOTS_FRAME && 2 * count <= PIPELINE_MICROBATCHES_MAX);
	return STATUS_OK;
}

/* The step without its end, s, and what of it is transfers. */
static enum status play_all(struct making *m, double *seconds, struct diagnostic *d)
{
	struct line_run *out = m->out;
	double all = run_microbatches(&out->plan), rest;
	struct pipeline_step *step = &out->pipeline;
	struct slope slope = { 0, 0 };

	out->whole = (all * 3 * m->virtual_stages <= PIPELINE_SLOTS_FRAME && all <= PIPELINE_MICROBATCHES_MAX) || all <= 4 * out->stage_count;
	if ((out->whole ? play(m, (int)all, step, d) : play_some(m, all, &slope, d)) != STATUS_OK)
		return STATUS_INPUT;
	rest = all - step->table.microbatches;
	*seconds = step->seconds + slope.seconds * rest;
	out->run.transfers = step->bubble.transfer + slope.transfer * rest;
	for (int stage = 1; stage < out->stage_count; stage++)
		if (step->devices[stage].busy > step->devices[out->run.slowest].busy)
			out->run.slowest = stage;
	return STATUS_OK;
}

static void sum_busiest(struct making *m, double microbatches)
{
	struct run *run = &m->out->run;

	for (int i = run->slowest; i < m->virtual_stages; i += m->out->stage_count) {
		const struct slot_parts *s = &m->slots[i];

		run->forward += microbatches * s->forward;
		run->backward += microbatches * (m->played[i].seconds[SLOT_BACKWARD] + m->played[i].seconds[SLOT_WEIGHT] - s->again - s->exchange_backward);
		run->recompute += microbatches * s->again;
		run->collectives += microbatches * (s->exchange_forward + s->exchange_backward);
	}
}

/* What its levels exchange of a plain run: the gradients' part of it. */
static void take_exchanges(struct making *m, const struct results *r)
{
	struct run *run = &m->out->run;

	if (m->study->plan->levels == 0 || !(r->comm_s > 0))
		return;
	run->gradients = m->slots[0].gradients / r->comm_s * r->comm_exposed_s;
	run->collectives = r->comm_exposed_s - run->gradients;
}

/* One stage that takes one microbatch is the study's own step, whose updates and exchanges may go along with the rest. */
static void take_step(struct making *m, const struct results *r)
{
	struct run *run = &m->out->run;

	/* of unlike halves the passes are the first one's, which both are as long as */
	double longer = r->second != NULL ? r->compute_s / m->study->step->schedule.makespan : 1;

	run->forward = longer * m->slots[0].forward;
	run->backward = longer * m->slots[0].backward;
	run->update = fmax(0, r->compute_s - run->forward - run->backward);
	run->collectives = run->gradients = 0;
	take_exchanges(m, r);
	run->seconds = run->forward + run->backward + run->update + run->collectives + run->gradients;
}

static void fill_stage(struct making *m, int stage)
{
	struct stage_figures *f = &m->out->stages[stage];
	double chunks = m->out->plan.chunks;

	f->accelerator = m->of_stage[stage]->accelerator->name;
	f->devices = m->of_stage[stage]->devices;
	f->peak = machine_peak_ops(&m->of_stage[stage]->machine);
	f->row = m->first_row[m->first[stage]];
	for (int i = stage; i < m->virtual_stages; i += m->out->stage_count) {
		const struct virtual_stage *v = &m->played[i];

		f->layers += m->first[i + 1] - m->first[i];
		f->times.forward += v->seconds[SLOT_FORWARD];
		f->times.backward += v->seconds[SLOT_BACKWARD] + v->seconds[SLOT_WEIGHT];
		f->times.weight += v->seconds[SLOT_WEIGHT];
		f->times.transfer += v->to_next / chunks;
	}
	f->gradients = line_gradients(m, stage);
	f->update = line_update(m, stage);
	line_memory(m, stage, f);
}

static void find_worst(struct line_run *out)
{
	for (int stage = 1; stage < out->stage_count; stage++) {
		const struct stage_figures *a = &out->stages[stage], *b = &out->stages[out->run.worst];
		double full_a = a->capacity > 0 ? a->memory.total / a->capacity : 0, full_b = b->capacity > 0 ? b->memory.total / b->capacity : 0;

		if (full_a > full_b || (full_a == full_b && a->memory.total > b->memory.total))
			out->run.worst = stage;
	}
	out->run.memory = out->stages[out->run.worst].memory;
}

static enum status step_of(struct making *m, struct diagnostic *d)
{
	struct line_run *out = m->out;
	struct run *run = &out->run;
	double microbatches = run_microbatches(&out->plan), seconds = 0, ends = -1;

	if (out->stage_count > 1) {
		if (play_all(m, &seconds, d) != STATUS_OK)
			return STATUS_INPUT;
	}
	for (int stage = 0; stage < out->stage_count; stage++) {
		struct stage_figures *f = &out->stages[stage];

		fill_stage(m, stage);
		if (f->gradients + f->update <= ends)
			continue;
		ends = f->gradients + f->update;
		run->gradients = f->gradients;
		run->update = f->update;
	}
	find_worst(out);
	sum_busiest(m, microbatches);
	if (out->plain) {
		take_step(m, &m->study->results);
		return STATUS_OK;
	}
	if (out->stage_count == 1)
		seconds = run->forward + run->backward + run->recompute + run->collectives;
	run->bubble = out->stage_count == 1 ? 0 : fmax(0, seconds - run->forward - run->backward - run->recompute - run->collectives - run->transfers);
	run->seconds = run->forward + run->backward + run->recompute + run->collectives + run->transfers + run->bubble + run->gradients + run->update;
	return STATUS_OK;
}

/* ---- the whole ---- */

static enum status check(struct making *m, struct diagnostic *d)
{
	const struct results *r = &m->study->results;
	const struct run_plan *p = &m->out->plan;

	if (m->study->loaded == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no model");
	if (m->study->plan == NULL || r->plan_state != FRESH)
		return diagnostic_fail(d, STATUS_INPUT, "the plan is still being computed");
	if (m->study->step == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "%s", r->step_trouble);
	if (run_schedule_check(p, d) != STATUS_OK)
		return STATUS_INPUT;
	if (document_devices(m->document) > 1 && request_topology(m->document, &m->topology, d) != STATUS_OK)
		return STATUS_INPUT;
	if (r->second != NULL && (run_devices(p) > 1 || run_microbatches(p) > 1))
		return diagnostic_fail(d, STATUS_INPUT, "accelerator2 goes with one array and one microbatch; give stages kinds of their own: stage 2 accelerator=NAME");
	if (p->pipeline > PIPELINE_STAGES_MAX)
		return diagnostic_fail(d, STATUS_INPUT, "pipeline: %.0f stages; at most %d", p->pipeline, PIPELINE_STAGES_MAX);
	return STATUS_OK;
}

static void find_layers(struct making *m)
{
	m->model = m->study->loaded->model;
	m->layer_of = arena_alloc(&m->arena, (size_t)m->model->count, sizeof *m->layer_of);
	m->first_row = arena_alloc(&m->arena, (size_t)m->model->count, sizeof *m->first_row);
	m->layers = model_stage_layers(m->model, m->layer_of);
	for (int row = m->model->count - 1; row >= 0; row--)
		m->first_row[m->layer_of[row]] = row;
}

/* Kinds, cut and times of the stages. */
static enum status lay_out(struct making *m, struct diagnostic *d)
{
	struct line_run *out = m->out;

	m->virtual_stages = out->stage_count * (int)out->plan.chunks;
	find_layers(m);
	out->stages = arena_alloc(&out->arena, (size_t)out->stage_count, sizeof *out->stages);
	if (find_kinds(m, d) != STATUS_OK || cut(m, d) != STATUS_OK)
		return STATUS_INPUT;
	out->plain = out->stage_count == 1 && run_microbatches(&out->plan) == 1 && out->plan.replicas == 1 && out->plan.recompute == RECOMPUTE_NONE && m->of_stage[0]->step == m->study->step;
	for (int i = 0; i < m->kind_count && !out->plain; i++) {
		step_parts_size(&m->kinds[i].parts, m->kinds[i].step);
		sort_tasks(m, &m->kinds[i]);
	}
	line_time_slots(m);
	return STATUS_OK;
}

static void making_free(struct making *m)
{
	for (int i = 0; i < m->kind_count; i++) {
		step_parts_free(&m->kinds[i].parts);
		if (m->kinds[i].own) {
			step_free(m->kinds[i].step);
			plan_free(m->kinds[i].plan);
		}
	}
	arena_free(&m->arena);
}

static void begin(struct making *m)
{
	struct line_run *out = m->out;

	*out = (struct line_run){ .plan = study_run_plan(m->document->values) };
	out->stage_count = (int)out->plan.pipeline;
	/* on the links a gradient is as wide as all else, unless it is set */
	if (m->document->values[PARAMETER_GRADIENT_BYTES] == 0)
		out->plan.exchanged_bytes = document_element_bytes(m->document);
}

enum status line_run(struct study *study, const struct document *document, struct line_run *out, struct diagnostic *d)
{
	struct making m = { .study = study, .document = document, .out = out };
	enum status status;

	begin(&m);
	status = check(&m, d) == STATUS_OK && lay_out(&m, d) == STATUS_OK ? step_of(&m, d) : STATUS_INPUT;
	making_free(&m);
	if (status != STATUS_OK)
		line_run_free(out);
	return status;
}

static void sum_layers(const struct making *m, struct line_layer *layers)
{
	const struct training *t = m->study->loaded->training;
	const struct kind *k = &m->kinds[0];
	double bytes = document_element_bytes(m->document);

	memset(layers, 0, (size_t)m->layers * sizeof *layers);
	for (int node = 0; node < k->step->node_count; node++) {
		struct line_layer *layer = &layers[t->nodes[node].row >= 0 ? m->layer_of[t->nodes[node].row] : m->layers - 1];

		if (t->nodes[node].pass == PASS_FWD || t->nodes[node].pass == PASS_LOSS)
			layer->forward += k->step->nodes[node].seconds;
		else if (t->nodes[node].pass != PASS_UPDATE)
			layer->backward += k->step->nodes[node].seconds;
	}
	for (int row = 0; row < m->model->count; row++) {
		struct line_layer *layer = &layers[m->layer_of[row]];
		const double *seconds = k->exchanges[row].seconds;

		layer->forward += seconds[EXCHANGE_INPUT] + seconds[EXCHANGE_OUTPUT];
		layer->backward += seconds[EXCHANGE_ERROR];
		layer->weights += bytes * line_row_weights(m, k, row, 0);
		layer->activations += bytes * line_row_activations(m, k, row);
	}
}

enum status line_layers(struct study *study, const struct document *document, struct line_layer *layers, struct diagnostic *d)
{
	struct line_run out = { .plan = study_run_plan(document->values), .stage_count = 1 };
	struct making m = { .study = study, .document = document, .out = &out };
	enum status status = check(&m, d);

	if (status == STATUS_OK) {
		find_layers(&m);
		status = find_kinds(&m, d);
	}
	if (status == STATUS_OK)
		sum_layers(&m, layers);
	making_free(&m);
	return status;
}

static void copy_cut(const struct making *m, struct arena *arena, struct line_cut *out)
{
	size_t rows = (size_t)m->model->count;

	*out = (struct line_cut){ .stages = m->out->stage_count, .chunks = (int)m->out->plan.chunks, .layers = m->layers };
	out->layer_of = arena_alloc(arena, rows, sizeof *out->layer_of);
	memcpy(out->layer_of, m->layer_of, rows * sizeof *out->layer_of);
	out->first = arena_alloc(arena, (size_t)m->virtual_stages + 1, sizeof *out->first);
	memcpy(out->first, m->first, ((size_t)m->virtual_stages + 1) * sizeof *out->first);
	out->exchange = arena_alloc(arena, (size_t)out->stages, sizeof *out->exchange);
	out->shares = arena_alloc(arena, (size_t)out->stages, sizeof *out->shares);
	out->devices = arena_alloc(arena, (size_t)out->stages, sizeof *out->devices);
	for (int i = 0; i < m->virtual_stages; i++)
		out->exchange[i % out->stages] += m->slots[i].exchange_forward + m->slots[i].exchange_backward;
	for (int stage = 0; stage < out->stages; stage++) {
		out->devices[stage] = m->of_stage[stage]->devices;
		out->shares[stage] = arena_alloc(arena, rows, sizeof **out->shares);
		memcpy(out->shares[stage], m->of_stage[stage]->shares, rows * sizeof **out->shares);
	}
}

int line_cut_row(const struct line_cut *cut, int virtual_stage)
{
	int row = 0;

	if (virtual_stage < 0 || virtual_stage >= cut->stages * cut->chunks)
		return -1;
	while (cut->layer_of[row] < cut->first[virtual_stage])
		row++;
	return row;
}

enum status line_cut(struct study *study, const struct document *document, struct arena *arena, struct line_cut *cut_out, struct diagnostic *d)
{
	struct line_run out;
	struct making m = { .study = study, .document = document, .out = &out };
	enum status status;

	begin(&m);
	status = check(&m, d) == STATUS_OK ? lay_out(&m, d) : STATUS_INPUT;
	if (status == STATUS_OK)
		copy_cut(&m, arena, cut_out);
	making_free(&m);
	line_run_free(&out);
	return status;
}

void line_run_free(struct line_run *run)
{
	pipeline_step_free(&run->pipeline);
	arena_free(&run->arena);
	*run = (struct line_run){ .stage_count = 0 };
}
