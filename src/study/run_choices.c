#include "study/run_choices.h"

#include "study/inside.h"
#include "study/line_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void run_plan_apply(const struct run_plan *p, double *v)
{
	v[PARAMETER_TENSOR] = p->tensor;
	v[PARAMETER_PIPELINE] = p->pipeline;
	v[PARAMETER_REPLICAS] = p->replicas;
	v[PARAMETER_MICROBATCH] = p->microbatch;
	v[PARAMETER_SCHEDULE] = p->schedule;
	v[PARAMETER_CHUNKS] = p->chunks;
	v[PARAMETER_RECOMPUTE] = p->recompute;
	v[PARAMETER_ZERO] = p->zero;
	v[PARAMETER_SEQ_PARALLEL] = p->sequence_parallel ? SEQ_PARALLEL_ON : SEQ_PARALLEL_OFF;
	v[PARAMETER_ATTENTION] = p->fused_attention ? ATTENTION_FUSED : ATTENTION_PLAIN;
}

/* The run of another plan, and whether every stage of it fits; false where there is none. */
static bool try_plan(struct study *study, const struct run_plan *plan, struct run *run, bool *fits)
{
	const struct results *r = &study->results;
	struct document document = study->document;      /* borrowed */
	struct line_run line;

	if (r->on_cluster) {
		if (run_plan_check(&r->transformer, plan, r->gpu, NULL) != STATUS_OK || (plan->dealt != NULL && plan->chunks > 1))
			return false;
		run_evaluate(&r->transformer, plan, r->gpu, r->cluster, run);
		*fits = run->memory.total <= r->gpu->memory;
		return true;
	}
	run_plan_apply(plan, document.values);
	if (line_run(study, &document, &line, NULL) != STATUS_OK)
		return false;
	*run = line.run;
	*fits = true;
	for (int stage = 0; stage < line.stage_count; stage++)
		*fits = *fits && stage_fits(&line.stages[stage]);
	line_run_free(&line);
	return true;
}

/* Interleaved with the plan's chunks, or where it has none with the most up to 4 that go with the model. */
static bool try_schedule(struct study *study, enum pipeline_schedule schedule, struct run_scheduled *out)
{
	bool fits;

	out->plan = study->results.run_plan;
	out->plan.schedule = schedule;
	if (schedule == PIPELINE_INTERLEAVED && out->plan.chunks == 1) {
		for (out->plan.chunks = 4; out->plan.chunks > 1; out->plan.chunks--)
			if ((!study->results.on_cluster || fmod(study->results.transformer.blocks, out->plan.chunks * out->plan.pipeline) == 0) && try_plan(study, &out->plan, &out->run, &fits))
				return true;
		return false;
	}
	out->plan.chunks = schedule == PIPELINE_INTERLEAVED ? out->plan.chunks : 1;
	return try_plan(study, &out->plan, &out->run, &fits);
}

static void fill_schedules(struct study *study, struct run_choices *c)
{
	const struct results *r = &study->results;

	for (int i = 0; i < PIPELINE_SCHEDULE_COUNT; i++) {
		struct run_scheduled *s = &c->schedules[i];

		*s = (struct run_scheduled){ .name = pipeline_schedule_name((enum pipeline_schedule)i), .plan = r->run_plan, .run.seconds = NAN };
		if ((enum pipeline_schedule)i == r->run_plan.schedule)
			s->run = r->run;
		else if (r->run_plan.pipeline > 1 && !try_schedule(study, (enum pipeline_schedule)i, s))
			s->run.seconds = NAN;
	}
}

static int by_slowdown(const void *a, const void *b)
{
	const struct run_remedy *x = a, *y = b;

	return x->slowdown != y->slowdown ? (x->slowdown > y->slowdown) - (x->slowdown < y->slowdown) : strcmp(x->what, y->what);
}

static void fill_remedies(struct study *study, struct run_choices *c)
{
	const struct results *r = &study->results;
	bool fits = true;

	c->remedy_count = 0;
	for (int stage = 0; stage < r->stage_count; stage++)
		fits = fits && stage_fits(&r->stages[stage]);
	for (int i = 0; !fits && i < RUN_CHANGES; i++) {
		struct run_remedy *remedy = &c->remedies[c->remedy_count];
		bool now = false;

		remedy->what = run_change(&r->run_plan, i, &remedy->plan);
		if (remedy->what == NULL || !try_plan(study, &remedy->plan, &remedy->run, &now) || !now)
			continue;
		remedy->slowdown = remedy->run.seconds / r->run.seconds - 1;
		c->remedy_count++;
	}
	qsort(c->remedies, (size_t)c->remedy_count, sizeof *c->remedies, by_slowdown);
}

const struct run_choices *study_run_choices(struct study *study)
{
	study_update(study);
	if (study->run_choices_ready)
		return &study->run_choices;
	fill_schedules(study, &study->run_choices);
	fill_remedies(study, &study->run_choices);
	study->run_choices_ready = true;
	return &study->run_choices;
}
