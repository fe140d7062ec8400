/* Long work: questions handed out over an immutable snapshot, and their answers taken in. */
#include "study/study.h"

#include "base/memory.h"
#include "study/inside.h"

#include <math.h>
#include <string.h>

struct study_job {
	enum job_kind kind;
	unsigned long stamp;
	struct problem *problem;
	struct plan_request request;
	signed char *pins;
	double element_bytes;
	enum baseline baseline;
	int row, level;
	bool with_flips;
	struct document document;        /* for a phase; and a why's axes are of it */
	struct phase_question question;
	bool done;
	/* answers */
	struct search *search;   /* made by the job, taken by the study with the plan: its tables serve the next edit */
	struct plan *plan;       /* also the snapshot a why is about */
	struct margins *margins;
	struct why why;
	struct phase phase;
};

static struct study_job *job_new(const struct study *study, enum job_kind kind, const struct plan_request *request)
{
	struct study_job *job = memory_alloc(1, sizeof *job);
	size_t pins = (size_t)study->loaded->problem->var_count * LEVELS_MAX;

	job->kind = kind;
	job->stamp = study->stamp;
	job->problem = problem_share(study->loaded->problem);
	job->request = *request;
	job->element_bytes = study->results.element_bytes;
	document_copy(&job->document, &study->document);
	if (request->pins != NULL) {
		job->pins = memory_alloc(pins, 1);
		memcpy(job->pins, request->pins, pins);
		job->request.pins = job->pins;
	}
	return job;
}

static void job_free(struct study_job *job)
{
	problem_release(job->problem);
	memory_free(job->pins);
	search_free(job->search);
	plan_free(job->plan);
	margins_free(job->margins);
	why_free(&job->why);
	phase_free(&job->phase);
	document_free(&job->document);
	memory_free(job);
}

struct study_job *study_take_job(struct study *study)
{
	struct plan_request request;
	struct study_job *job = NULL;

	if (study->job_out || study->loaded == NULL || study->stale != 0)
		return NULL;
	request = study_request(study);
	if (study->plan_wanted) {
		job = job_new(study, JOB_PLAN, &request);
	} else if (study->asked_why.wanted && !study->asked_why.ready && study->plan != NULL) {
		job = job_new(study, JOB_WHY, &request);
		job->plan = plan_copy(study->plan);
		job->row = study->asked_why.row;
		job->level = study->asked_why.level;
		job->with_flips = study->asked_why.with_flips;
	} else if (study->asked_phase.wanted && !study->asked_phase.ready) {
		job = job_new(study, JOB_PHASE, &request);
		job->question = study->asked_phase.question;
	}
	for (int b = 0; b < BASELINE_COUNT && job == NULL; b++)
		if (study->baseline_wanted[b]) {
			request = baseline_request(study, (enum baseline)b);
			job = job_new(study, JOB_BASELINE, &request);
			job->baseline = (enum baseline)b;
		}
	study->job_out = job != NULL;
	study->results.pending = false;
	return job;
}

/* False when cancelled. */
static bool find_flips(struct study_job *job, const struct why_context *context, enum flip_knob knob)
{
	struct flip_axis axis;
	enum status status;

	if (!request_axis(&job->document, knob, &axis))
		return true;
	status = why_flips(context, job->search, job->row, job->level, &axis, &job->why.flips[knob]);
	job->why.has_flips[knob] = status == STATUS_OK;
	return status != STATUS_INTERRUPTED;
}

void study_run_job(struct study_job *job, const atomic_bool *cancel)
{
	struct why_context context = { .problem = job->problem, .request = &job->request, .plan = job->plan,
		.element_bytes = job->element_bytes, .cancel = cancel };

	job->search = search_new(job->problem);
	switch (job->kind) {
	case JOB_PLAN:
		/* a plan whose margins were stopped is a plan all the same */
		job->plan = search_plan(job->search, &job->request, cancel);
		job->done = job->plan != NULL;
		if (job->done && search_operations(job->search, &job->request, true) <= MARGIN_OPERATIONS)
			job->margins = search_margins(job->search, cancel);
		break;
	case JOB_BASELINE:
		job->plan = search_plan(job->search, &job->request, cancel);
		job->done = job->plan != NULL;
		break;
	case JOB_WHY:
		job->done = why_answer(&context, job->search, job->row, job->level, &job->why) == STATUS_OK;
		for (int knob = 0; job->with_flips && job->done && knob < FLIP_KNOB_COUNT; knob++)
			job->done = find_flips(job, &context, (enum flip_knob)knob);
		break;
	case JOB_PHASE:
		job->done = phase_fill(&job->document, job->request.pins, job->problem, job->search, &job->question, INFINITY, PHASE_CELL_OPERATIONS, cancel, &job->phase) == STATUS_OK;
		break;
	}
}

/* A job that was stopped is not handed out again until the next edit or question. */
static void note_stopped(struct study *study, const struct study_job *job)
{
	switch (job->kind) {
	case JOB_PLAN:
		study->plan_wanted = false;
		study->results.plan_state = SKIPPED;
		break;
	case JOB_BASELINE:
		study->baseline_wanted[job->baseline] = false;
		study->results.baselines[job->baseline].state = SKIPPED;
		study->results.baselines[job->baseline].note = "stopped";
		break;
	case JOB_WHY:
		study->asked_why.wanted = false;
		break;
	case JOB_PHASE:
		study->asked_phase.wanted = false;
		break;
	}
}

static void take_answer(struct study *study, struct study_job *job)
{
	switch (job->kind) {
	case JOB_PLAN:
		study_take_plan(study, job->plan, job->margins);
		search_free(study->search);
		study->search = job->search;
		job->plan = NULL;
		job->margins = NULL;
		job->search = NULL;
		break;
	case JOB_BASELINE:
		study_take_baseline(study, job->baseline, job->plan);
		break;
	case JOB_WHY:
		if (study->asked_why.row == job->row && study->asked_why.level == job->level) {
			why_free(&study->asked_why.why);
			study->asked_why.why = job->why;
			study->asked_why.ready = true;
			memset(&job->why, 0, sizeof job->why);
		}
		break;
	case JOB_PHASE:
		if (phase_same_question(&study->asked_phase.question, &job->question)) {
			phase_free(&study->asked_phase.phase);
			study->asked_phase.phase = job->phase;
			study->asked_phase.ready = true;
			memset(&job->phase, 0, sizeof job->phase);
		}
		break;
	}
}

bool study_install(struct study *study, struct study_job *job)
{
	bool wanted = job->stamp == study->stamp && !(study->stale & (1u << STAGE_PLAN | 1u << STAGE_BASELINES));

	study->job_out = false;
	if (wanted && job->done)
		take_answer(study, job);
	else if (wanted)
		note_stopped(study, job);
	/* with an edit before the next update, plan and model need not belong together */
	if (!(study->stale & 1u << STAGE_PLAN) && job->kind == JOB_PLAN)
		study_run_after(study, 1u << STAGE_PLAN);
	else if (!(study->stale & 1u << STAGE_PLAN))
		study_summarise(study);
	wanted = wanted && job->done;
	job_free(job);
	return wanted;
}

void study_settle_plan(struct study *study)
{
	struct study_job *job;

	study_update(study);
	while (study_results(study)->plan_state == COMPUTING && (job = study_take_job(study)) != NULL) {
		study_run_job(job, NULL);
		study_install(study, job);
	}
}

enum status study_settle(struct study *study, const atomic_bool *cancel)
{
	struct study_job *job;

	study_update(study);
	while ((job = study_take_job(study)) != NULL) {
		study_run_job(job, cancel);
		study_install(study, job);
		if (cancel != NULL && atomic_load(cancel))
			return STATUS_INTERRUPTED;
	}
	return STATUS_OK;
}
