/* Questions to a study: why, flips, phase, one core more.  What would not fit a frame is left to a job. */
#include "study/study.h"

#include "study/inside.h"

#include <math.h>
#include <string.h>

static struct why_context context_of(const struct study *study, const struct plan_request *request)
{
	return (struct why_context){ .model = study->loaded->model, .problem = study->loaded->problem, .request = request,
		.plan = study->plan, .element_bytes = study->results.element_bytes, .bandwidth = study->document.values[PARAMETER_BANDWIDTH] };
}

static enum status check_question(const struct study *study, int row, int level, struct diagnostic *d)
{
	const struct results *r = &study->results;

	if (r->model == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no model is loaded");
	if (r->plan == NULL || r->plan_state != FRESH)
		return diagnostic_fail(d, STATUS_INPUT, r->plan_state == SKIPPED ? "the plan was stopped; any edit starts it again" : "the plan is still being computed");
	if (row < 0 || row >= r->model->count || r->problem->var_of_row[row] < 0)
		return diagnostic_fail(d, STATUS_INPUT, "%s has no choice of its own: it follows the layer before it at no cost",
			row < 0 || row >= r->model->count ? "that row" : r->model->operators[row].name);
	if (level < 1 || level > r->plan->levels) {
		if (r->plan->levels == 0)
			return diagnostic_fail(d, STATUS_INPUT, "one accelerator has no levels: nothing is split");
		return diagnostic_fail(d, STATUS_INPUT, "no level H%d: %.0f accelerators have H1 to H%d", level,
			study->document.values[PARAMETER_ACCELERATORS], r->plan->levels);
	}
	return STATUS_OK;
}

/* A guess, of the right order, at the solves behind a flip: a few corners a variable and level, three solves each. */
static double flips_operations(const struct study *study, double solve, int level, bool joint)
{
	double corners = 6 + study->loaded->problem->var_count * 0.5;
	int knobs = study->plan->objective == OBJECTIVE_TIME ? FLIP_KNOB_COUNT : 1;

	return solve * 3 * corners * (joint ? 1 : level) * knobs;
}

static void answer_now(struct study *study, int row, int level, bool with_options, bool with_flips, struct why *why)
{
	struct plan_request request = study_request(study);
	struct why_context context = context_of(study, &request);

	if (with_options)
		why_answer(&context, study->probe, row, level, why);
	else
		why_answer_quickly(&context, study->margins, row, level, why);
	for (int knob = 0; with_flips && knob < FLIP_KNOB_COUNT; knob++) {
		struct flip_axis axis;

		if (request_axis(&study->document, (enum flip_knob)knob, &axis))
			why->has_flips[knob] = why_flips(&context, study->probe, row, level, &axis, &why->flips[knob]) == STATUS_OK;
	}
	why_sentence(&context, why);
}

/* Hands out a copy of the kept answer. */
static void copy_answer(struct study *study, struct why *why)
{
	struct plan_request request = study_request(study);
	struct why_context context = context_of(study, &request);

	why_copy(why, &study->asked_why.why);
	why_sentence(&context, why);
}

enum status study_why(struct study *study, int row, int level, bool wait, struct why *why, struct diagnostic *d)
{
	struct asked_why *asked = &study->asked_why;
	enum status status;
	struct plan_request request;
	double solve;
	double flips;
	bool options_fit, flips_fit, flips_worth;

	memset(why, 0, sizeof *why);
	study_update(study);
	status = check_question(study, row, level, d);
	if (status != STATUS_OK)
		return status;
	if (asked->ready && asked->row == row && asked->level == level) {
		copy_answer(study, why);
		return STATUS_OK;
	}
	request = study_request(study);
	solve = search_operations(study->probe, &request, false);
	options_fit = wait || 3 * solve <= FRAME_OPERATIONS;
	flips = flips_operations(study, solve, level, request.solver == SOLVER_JOINT);
	flips_worth = flips <= FLIPS_OPERATIONS && study->plan->exact;
	flips_fit = flips <= (wait ? FLIPS_OPERATIONS : FRAME_OPERATIONS);
	answer_now(study, row, level, options_fit, flips_fit && flips_worth, why);
	if (!(options_fit && (flips_fit || !flips_worth)) && !(asked->wanted && asked->row == row && asked->level == level)) {
		asked->wanted = true;
		asked->ready = false;
		asked->with_flips = flips_worth;
		asked->row = row;
		asked->level = level;
		study->results.pending = !study->job_out;
	}
	return STATUS_OK;
}

enum status study_flips(struct study *study, int row, int level, enum flip_knob knob, struct flips *flips, struct diagnostic *d)
{
	struct flip_axis axis;
	struct plan_request request;
	struct why_context context;
	enum status status;

	memset(flips, 0, sizeof *flips);
	study_update(study);
	status = check_question(study, row, level, d);
	if (status != STATUS_OK)
		return status;
	if (!request_axis(&study->document, knob, &axis))
		return study->results.topology_trouble[0] != '\0' ? diagnostic_fail(d, STATUS_INPUT, "%s", study->results.topology_trouble) :
			diagnostic_fail(d, STATUS_INPUT, "no bandwidth changes what is exchanged; with objective=time a plan depends on it");
	request = study_request(study);
	context = context_of(study, &request);
	status = why_flips(&context, study->probe, row, level, &axis, flips);
	if (status == STATUS_INFEASIBLE)
		diagnostic_fail(d, status, "the plan is only bounded, not proven best, so no flip of it is exact; with fewer accelerators it may be");
	return status;
}

/* The knobs that the screen's parameters name. */
static void phase_knobs(const struct study *study, struct phase_question *question)
{
	static const enum parameter_id knobs[] = {
#define X(id, name) PARAMETER_##id,
		PHASE_KNOBS(X)
#undef X
		PARAMETER_COUNT
	};

	question->x = knobs[(int)study_value(study, PARAMETER_PHASE_X)];
	question->y = knobs[(int)study_value(study, PARAMETER_PHASE_Y)];
}

const struct phase *study_phase(struct study *study, int row, int level, int columns, int rows, bool wait, struct diagnostic *d)
{
	struct asked_phase *asked = &study->asked_phase;
	struct phase_question question = { .row = row, .level = level, .most_x = columns, .most_y = rows };

	study_update(study);
	if (study->loaded == NULL || row < 0 || row >= study->loaded->model->count || study->loaded->problem->var_of_row[row] < 0 || columns < 1 || rows < 1) {
		diagnostic_fail(d, STATUS_INPUT, "that row has no choice of its own, so there is no map of it");
		return NULL;
	}
	phase_knobs(study, &question);
	if (phase_complete(&study->document, &question, d) != STATUS_OK)
		return NULL;
	if (!(asked->wanted && phase_same_question(&asked->question, &question))) {
		phase_free(&asked->phase);
		*asked = (struct asked_phase){ .wanted = true, .question = question };
	}
	if (asked->ready)
		return &asked->phase;
	if (asked->phase.states == NULL || wait) {
		phase_free(&asked->phase);
		phase_fill(&study->document, study->pins, study->loaded->problem, study->probe, &question, wait ? INFINITY : FRAME_OPERATIONS, PHASE_CELL_OPERATIONS, NULL, &asked->phase);
		asked->ready = !asked->phase.coarse;
	}
	if (!asked->ready)
		study->results.pending = !study->job_out;
	return &asked->phase;
}

static void add_core(struct study *study, enum resource resource, enum parameter_id id)
{
	double values[PARAMETER_COUNT];

	memcpy(values, study->document.values, sizeof values);
	if (step_uses(study->step, resource) && ++values[id] <= CORES_MAX)
		study->whatif.more[resource] = study_make_step(study, values, NULL);
}

const struct whatif *study_whatif(struct study *study)
{
	study_update(study);
	if (study->step == NULL)
		return NULL;
	if (!study->whatif_ready) {
		whatif_free(&study->whatif);
		/* a core more in one half alone would have the shares be others: that is not tried */
		if (study->results.second == NULL) {
			add_core(study, RESOURCE_TC, PARAMETER_TC);
			add_core(study, RESOURCE_VC, PARAMETER_VC);
		}
	}
	study->whatif_ready = true;
	return &study->whatif;
}
