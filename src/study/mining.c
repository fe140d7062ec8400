#include "study/mining.h"

#include "partition/shares.h"
#include "study/inside.h"
#include "study/mining_line.h"
#include "study/preset.h"
#include "study/stage_rules.h"

#include <string.h>

#include <math.h>
#include <stdio.h>

const struct mining_fixed *mining_fixed(int which)
{
	static const struct mining_fixed designs[MINING_FIXED] = {
		{ "tpuv2-like", { .log = { [AXIS_TC] = 1, [AXIS_ROWS] = 7, [AXIS_COLS] = 7, [AXIS_VC] = 1, [AXIS_LANES] = 7, [AXIS_GLB] = 25 } } },
		{ "nvdla-like", { .log = { [AXIS_TC] = 0, [AXIS_ROWS] = 8, [AXIS_COLS] = 8, [AXIS_VC] = 0, [AXIS_LANES] = 8, [AXIS_GLB] = 25 } } },
	};

	return &designs[which];
}

/* Of methods that would go on for ever: ten times the hardware that Spotlight tries, since a schedule here takes less than a millisecond. */
enum { EVALUATIONS = 1000 };

static enum status check(const struct study *study, struct diagnostic *d)
{
	const struct results *r = &study->results;

	if (r->step == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "mine: %.600s", r->step_trouble[0] != '\0' ? r->step_trouble : "no model");
	if (r->accelerator->kind == ACCELERATOR_GPU)
		return diagnostic_fail(d, STATUS_INPUT, "mine: the power of a GPU (%s) is known for the whole of it only; set accelerator=wham-base", r->accelerator->name);
	if (!r->run_plain && r->run_trouble[0] != '\0')
		return diagnostic_fail(d, STATUS_INPUT, "mine: %.600s", r->run_trouble);
	if (r->second != NULL)
		return diagnostic_fail(d, STATUS_INPUT, "mine: all accelerators get one design; set accelerator2=same");
	return STATUS_OK;
}

static enum status add_model(const struct study *study, struct mining *m, struct diagnostic *d)
{
	const struct results *r = &study->results;
	const double *v = study->document.values;
	struct share *shares;
	struct row_exchanges *rows;
	struct mine_model *model;

	if (check(study, d) != STATUS_OK)
		return STATUS_INPUT;
	shares = arena_alloc(&m->arena, (size_t)r->training->model->count, sizeof *shares);
	shares_of(r->training->model, study->loaded->problem, study->plan, (int64_t)v[PARAMETER_BATCH], NULL, shares);
	model = &m->models[m->request.model_count];
	m->names[m->request.model_count++] = r->training->model->name;
	*model = (struct mine_model){ .training = r->training, .shares = shares, .latencies = study->document.latencies, .optimizer = (enum optimizer)(int)v[PARAMETER_OPTIMIZER],
		.fusion = v[PARAMETER_FUSION] == FUSION_ON, .samples = v[PARAMETER_BATCH], .overlap = (enum overlap)(int)v[PARAMETER_OVERLAP] };
	if (study->plan->levels == 0 || r->overlapped == NULL)
		return STATUS_OK;
	rows = arena_alloc(&m->arena, (size_t)r->training->model->count, sizeof *rows);
	model->beside_s = study_exchanges(study, &study->document, &r->topology, rows);
	if (model->overlap != OVERLAP_NONE)
		model->exchanges = rows;
	return STATUS_OK;
}

static double tpuv2_run(const struct study *study, struct mining_line *line)
{
	const struct accelerator *tpu = accelerator_find(&study->accelerators, "tpuv2", NULL);
	struct document document;
	double throughput = 0;

	document_copy(&document, &line->base);
	if (tpu != NULL) {
		document.values[PARAMETER_ACCELERATOR] = (double)(tpu - study->accelerators.items);
		preset_apply(tpu, document.values);
		throughput = mining_line_throughput(line, &document);
	}
	document_free(&document);
	return throughput;
}

/* Samples a second of the preset tpuv2 as it is, with its own clock and memory; geometric mean of the models. */
static double tpuv2_throughput(struct study *const *studies, const struct mining *m)
{
	double logs = 0;

	if (m->line != NULL)
		return tpuv2_run(studies[0], m->line);
	for (int i = 0; i < m->request.model_count; i++) {
		const struct study *study = studies[i];
		const struct accelerator *tpu = accelerator_find(&study->accelerators, "tpuv2", NULL);
		struct machine machine;
		struct step *step;

		if (tpu == NULL)
			return 0;
		machine = tpu->machine;
		machine.element_bytes = document_element_bytes(&study->document);
		step = study_step_of(study, study->plan, study->document.values, &machine, NULL);
		if (step == NULL)
			return 0;
		logs += log(study->document.values[PARAMETER_BATCH] / mine_step_seconds(&m->models[i], step));
		step_free(step);
	}
	return exp(logs / m->request.model_count);
}

enum status mining_begin(struct study *const *studies, int count, struct mining *m, struct diagnostic *d)
{
	const struct study *first = studies[0];
	const double *v = first->document.values;

	*m = (struct mining){ .arena = { 0 } };
	for (int i = 0; i < count; i++)
		if (add_model(studies[i], m, d) != STATUS_OK)
			return STATUS_INPUT;
	if (!first->results.run_plain && count > 1)
		return diagnostic_fail(d, STATUS_INPUT, "mine: a run on stages is of one model; for several set pipeline=1 replicas=1 microbatch=auto recompute=none");
	m->space = (struct design_space){ .machine = first->results.machine, .preset = first->results.accelerator, .constants = preset_constants(v), .uncore_mm2 = v[PARAMETER_UNCORE_MM2],
		.free_lanes = v[PARAMETER_SPACE] == SPACE_FREE, .area_limit = v[PARAMETER_AREA_LIMIT], .power_limit = v[PARAMETER_POWER_LIMIT] > 0 ? v[PARAMETER_POWER_LIMIT] : INFINITY };
	m->request.space = &m->space;
	if (!first->results.run_plain && mining_line_begin(studies[0], m, d) != STATUS_OK)
		return STATUS_INPUT;
	m->request.models = m->models;
	m->request.metric = (enum mine_metric)(int)v[PARAMETER_METRIC];
	m->request.hysteresis = (int)v[PARAMETER_HYSTERESIS];
	m->request.seed = (uint64_t)v[PARAMETER_SEED];
	m->request.threads = (int)v[PARAMETER_THREADS];
	m->request.evaluations = EVALUATIONS;
	m->request.floor = v[PARAMETER_MIN_THROUGHPUT] > 0 ? v[PARAMETER_MIN_THROUGHPUT] : tpuv2_throughput(studies, m);
	m->request.time_limit = v[PARAMETER_TIME_LIMIT];
	for (int i = 0; i < MINING_FIXED; i++)
		m->fixed[i] = mine_judge(&m->request, &mining_fixed(i)->design).throughput;
	return STATUS_OK;
}

void mining_end(struct mining *m)
{
	mining_line_end(m->line);
	arena_free(&m->arena);
}

const char *mining_limit_word(enum mining_limit limit)
{
	static const char *const words[] = { "none", "area", "power", "bound" };

	return words[limit];
}

/* Each model's step is as short as no schedule of these tasks beats. */
static bool is_bound(const struct mining *m, const struct judged *best)
{
	struct machine machine = space_machine(&m->space, &best->design);

	for (int i = 0; i < m->request.model_count; i++) {
		const struct mine_model *model = &m->models[i];
		struct step_request request = { .machine = &machine, .shares = model->shares, .latencies = model->latencies, .optimizer = model->optimizer, .fusion = model->fusion };
		struct step *step;
		bool bound;

		if (step_new(model->training, &request, &step, NULL) != STATUS_OK)
			return false;
		bound = step->schedule.makespan <= step->bounds.path * (1 + 1e-9) && best->asked_tc == 0 && best->asked_vc == 0;
		step_free(step);
		if (!bound)
			return false;
	}
	return true;
}

enum mining_limit mining_limit(const struct mining *m, const struct judged *best)
{
	if (m->line == NULL && is_bound(m, best))
		return MINING_BOUND;
	for (int i = 0; i < 2; i++) {
		struct design more = best->design;
		enum design_axis axis = i == 0 ? AXIS_TC : AXIS_VC;
		enum design_limit limit;

		if (more.log[axis] == design_axis_most(axis))
			continue;
		more.log[axis]++;
		limit = space_limit(&m->space, &more);
		if (limit != LIMIT_NONE)
			return limit == LIMIT_AREA ? MINING_AREA : MINING_POWER;
	}
	return MINING_NONE;
}

struct judged mining_fixed_judged(const struct mining *m, int which)
{
	struct judged j = { .design = mining_fixed(which)->design, .asked_row = { -1, -1 }, .throughput = m->fixed[which] };

	j.area = space_area(&m->space, &j.design);
	j.tdp = space_tdp(&m->space, &j.design) * (m->line != NULL ? m->line->devices : 1);
	j.value = mine_value(&m->request, j.throughput, j.tdp);
	return j;
}

void mining_design(const struct design_space *space, const struct design *design, char *out, size_t size)
{
	struct machine machine = space_machine(space, design);

	snprintf(out, size, "%lldx%lldx%lld, vc %lldx%lld, %.0f MiB", (long long)machine.tc, (long long)machine.tc_rows, (long long)machine.tc_cols, (long long)machine.vc, (long long)machine.vc_lanes,
		machine.glb / 0x1p20);
}

void mining_cores(const struct design_space *space, const struct design *design, double *values)
{
	struct machine machine = space_machine(space, design);
	double cores[STAGE_CORES] = { (double)machine.tc, (double)machine.tc_rows, (double)machine.tc_cols, (double)machine.vc, (double)machine.vc_lanes, machine.glb };

	memcpy(values, cores, sizeof cores);
}

/* A stage as it was judged: of no cores of its own, beginning where the search found it to. */
static struct stage_rule plain_rule(const struct mining *m, const struct stage_rule *rule)
{
	struct stage_rule plain = *rule;

	memset(plain.cores, 0, sizeof plain.cores);
	if (m->line != NULL)
		plain.starts = document_stage(&m->line->base, rule->stage).starts;
	return plain;
}

void mining_set(const struct mining *m, const struct design *design, struct document *document)
{
	mining_cores(&m->space, design, &document->values[PARAMETER_TC]);
	for (size_t i = document->stage_count; i-- > 0;) {
		struct stage_rule plain = plain_rule(m, &document->stages[i]);

		document_set_stage(document, &plain);
	}
}

void mining_commands(const struct mining *m, const struct design *design, const struct document *document, struct text *out)
{
	struct machine machine = space_machine(&m->space, design);

	text_printf(out, "set tc=%lld tc_rows=%lld tc_cols=%lld vc=%lld vc_lanes=%lld glb=%.0fMiB\n", (long long)machine.tc, (long long)machine.tc_rows, (long long)machine.tc_cols, (long long)machine.vc,
		(long long)machine.vc_lanes, machine.glb / 0x1p20);
	for (size_t i = 0; i < document->stage_count; i++) {
		const struct stage_rule *rule = &document->stages[i];
		struct stage_rule plain = plain_rule(m, rule);

		if (memcmp(plain.cores, rule->cores, sizeof plain.cores) == 0 && plain.starts == rule->starts)
			continue;
		text_printf(out, "stage %d free\n", rule->stage);
		if (plain.starts >= 0 || plain.accelerator >= 0 || plain.accelerators > 0 || plain.tensor > 0)
			stage_rule_write(&plain, out);
	}
}
