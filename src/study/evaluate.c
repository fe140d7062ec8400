/* The stages, in their order: from the document to the results. */
#include "study/study.h"

#include "base/memory.h"
#include "base/system.h"
#include "partition/parts.h"
#include "study/inside.h"
#include "study/pins.h"

#include <math.h>

struct plan_request study_request(const struct study *study)
{
	return request_of(&study->document, study->pins);
}

static const struct {
	const char *name, *short_name;
	enum solver solver;
	int types;
} baselines[BASELINE_COUNT] = {
#define X(id, name, short_name, solver, types) [BASELINE_##id] = { name, short_name, solver, types },
	BASELINES(X)
#undef X
};

/* True when the document's solver is this baseline's. */
static bool same_solver(const struct study *study, enum baseline which)
{
	const double *values = study->document.values;

	return (int)values[PARAMETER_SOLVER] == (int)baselines[which].solver &&
		(baselines[which].solver != SOLVER_JOINT || values[PARAMETER_TYPES] == baselines[which].types);
}

struct plan_request baseline_request(const struct study *study, enum baseline which)
{
	struct plan_request request = study_request(study);

	request.solver = baselines[which].solver;
	request.types = baselines[which].types;
	request.pins = NULL;
	return request;
}

static void run_problem(struct study *study)
{
	struct problem *problem = study->loaded != NULL ? study->loaded->problem : NULL;

	study_free_search(study);
	study->results.model_serial++;
	study->results.model = study->loaded != NULL ? study->loaded->model : NULL;
	study->results.problem = problem;
	if (problem == NULL)
		return;
	study->search = search_new(problem);
	study->baseline_search = search_new(problem);
	study->probe = search_new(problem);
	study->pins = memory_alloc((size_t)problem->var_count * LEVELS_MAX, 1);
}

static void run_pins(struct study *study)
{
	diagnostics_free(&study->pin_warnings);
	if (study->loaded != NULL)
		pins_resolve(&study->document, study->loaded->model, study->loaded->problem, study->pins, &study->pin_warnings);
}

static void run_plan(struct study *study)
{
	struct plan_request request;
	struct plan *plan;

	study->plan_wanted = false;
	study->results.plan_state = FRESH;
	if (study->search == NULL)
		return;
	request = study_request(study);
	if (search_operations(study->search, &request, true) > FRAME_OPERATIONS) {
		study->plan_wanted = true;
		study->results.plan_state = COMPUTING;
		/* margins belong to the shown plan; when that is of another shape they cannot be read beside the new document */
		margins_free(study->margins);
		study->margins = NULL;
		return;
	}
	plan = search_plan(study->search, &request, NULL);
	study_take_plan(study, plan, search_margins(study->search, NULL));
	study->results.work = search_work(study->search);
}

void study_take_plan(struct study *study, struct plan *plan, struct margins *margins)
{
	plan_free(study->plan);
	margins_free(study->margins);
	study->plan = plan;
	study->margins = margins;
	study->plan_wanted = false;
	study->results.plan_state = FRESH;
}

void study_take_baseline(struct study *study, enum baseline which, const struct plan *plan)
{
	struct baseline_result *result = &study->results.baselines[which];

	result->state = FRESH;
	result->elements = plan->elements;
	result->cost = plan->cost;
	result->bound = plan->bound;
	result->note = NULL;
	study->baseline_wanted[which] = false;
}

static void run_baselines(struct study *study)
{
	for (int b = 0; b < BASELINE_COUNT; b++) {
		struct baseline_result *result = &study->results.baselines[b];
		struct plan_request request;
		double operations;

		*result = (struct baseline_result){ .name = baselines[b].name, .short_name = baselines[b].short_name, .elements = NAN, .cost = NAN, .bound = NAN, .ratio = NAN };
		study->baseline_wanted[b] = false;
		if (study->baseline_search == NULL)
			continue;
		request = baseline_request(study, (enum baseline)b);
		operations = search_operations(study->baseline_search, &request, false);
		if (operations > BASELINE_OPERATIONS) {
			result->state = SKIPPED;
			result->note = "too long unasked; solver=joint with these types evaluates it";
		} else if (operations > FRAME_OPERATIONS / BASELINE_COUNT) {
			result->state = COMPUTING;
			study->baseline_wanted[b] = true;
		} else {
			struct plan *plan = search_plan(study->baseline_search, &request, NULL);

			study_take_baseline(study, (enum baseline)b, plan);
			plan_free(plan);
		}
	}
}

static bool anything_wanted(const struct study *study)
{
	bool wanted = study->plan_wanted || (study->asked_why.wanted && !study->asked_why.ready) || (study->asked_phase.wanted && !study->asked_phase.ready);

	for (int b = 0; b < BASELINE_COUNT; b++)
		wanted |= study->baseline_wanted[b];
	return wanted;
}

/* A baseline that the present plan itself is need not be solved for. */
static void reuse_plan(struct study *study)
{
	if (study->plan == NULL || study->results.plan_state != FRESH || study->document.pin_count > 0)
		return;
	for (int b = 0; b < BASELINE_COUNT; b++)
		if (study->baseline_wanted[b] && same_solver(study, (enum baseline)b))
			study_take_baseline(study, (enum baseline)b, study->plan);
}

static struct outcome outcome_of(const struct results *r)
{
	bool fresh = r->plan != NULL && r->plan_state == FRESH, run = r->run_trouble[0] == '\0' && r->stage_count > 0, links = fresh && r->plan->levels > 0;

	return (struct outcome){ {
		[OUTCOME_MOVED] = links ? r->plan->elements * r->element_bytes : NAN, [OUTCOME_LINKS] = links ? r->comm_s : NAN, [OUTCOME_COMPUTE] = fresh ? r->compute_s : NAN,
		[OUTCOME_STEP] = links ? r->step_s : NAN, [OUTCOME_ENERGY] = fresh ? r->energy_j : NAN, [OUTCOME_AREA] = r->area.total, [OUTCOME_POWER] = r->accelerator != NULL ? r->power.total : NAN,
		[OUTCOME_RUN] = run ? r->run.seconds : NAN, [OUTCOME_MEMORY] = run ? r->run.memory.total : NAN,
		[OUTCOME_USE] = run ? r->run_utilisation : NAN,
	} };
}

void study_summarise(struct study *study)
{
	struct results *r = &study->results;

	reuse_plan(study);
	r->generation++;
	r->plan = study->plan;
	r->margins = study->margins;
	r->remembered = study->remembered;
	r->remembered_outcome = study->remembered != NULL ? &study->remembered_outcome : NULL;
	r->remembered_document = study->remembered != NULL ? &study->remembered_document : NULL;
	r->element_bytes = 2 * document_element_bytes(&study->document);
	r->change_remembered = study->plan != NULL && study->remembered != NULL && study->remembered->elements > 0 ?
		study->plan->elements / study->remembered->elements - 1 : NAN;
	for (int b = 0; b < BASELINE_COUNT; b++) {
		r->baselines[b].same = same_solver(study, (enum baseline)b);
		r->baselines[b].ratio = study->plan != NULL && r->plan_state == FRESH && study->plan->cost > 0 ?
			r->baselines[b].cost / study->plan->cost : NAN;
	}
	r->outcome = outcome_of(r);
	r->pending = anything_wanted(study) && !study->job_out;
	diagnostics_free(&study->warnings);
	for (size_t i = 0; i < study->pin_warnings.count; i++)
		diagnostics_add(&study->warnings, &study->pin_warnings.items[i]);
	study_warn_step(study, &study->warnings);
	study_warn_run(study, &study->warnings);
	if (study->plan != NULL && r->plan_state == FRESH)
		parts_warn(study->loaded->model, study->loaded->problem, study->plan, study->document.values[PARAMETER_BATCH], &study->warnings);
}

static void (*const run[STAGE_COUNT])(struct study *) = {
	[STAGE_PROBLEM] = run_problem, [STAGE_PINS] = run_pins, [STAGE_PLAN] = run_plan, [STAGE_BASELINES] = run_baselines,
	[STAGE_STEP] = study_run_step, [STAGE_LINKS] = study_run_links, [STAGE_ACCOUNTS] = study_run_accounts, [STAGE_RUN] = study_run_training,
	[STAGE_SUMMARY] = study_summarise,
};

static void run_stages(struct study *study, unsigned stages)
{
	for (int s = 0; s < STAGE_COUNT; s++)
		if (stages >> s & 1)
			run[s](study);
}

void study_run_after(struct study *study, unsigned stages)
{
	run_stages(study, stages_touched(0, stages) & ~stages);
}

const struct results *study_update(struct study *study)
{
	unsigned stale = study->stale;
	double start;

	if (stale == 0)
		return &study->results;
	start = seconds_now();
	study->results.work = 0;
	if (stale & (1u << STAGE_PLAN | 1u << STAGE_BASELINES)) {
		study->stamp++;
		study_forget_answers(study);
	}
	run_stages(study, stale);
	study->stale = 0;
	study->results.seconds = seconds_now() - start;
	return &study->results;
}
