#include "pipeline/run_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const families[RUN_FAMILY_COUNT] = {
#define X(id, name, text) name,
	RUN_FAMILIES(X)
#undef X
};

const char *run_family_name(enum run_family family)
{
	return families[family];
}

struct searching {
	const struct transformer *t;
	const struct gpu *gpu;
	const struct cluster *cluster;
	struct run_search *out;
	bool any;                /* a plan went together */
};

static bool is_of(const struct searching *s, const struct run_plan *p, enum run_family family)
{
	switch (family) {
	case RUN_FAMILY_DATA: return p->tensor == 1 && p->pipeline == 1;
	case RUN_FAMILY_TENSOR: return p->tensor > 1 && p->tensor <= s->cluster->node && p->pipeline == 1;
	case RUN_FAMILY_PIPELINE: return p->tensor == 1 && p->pipeline > 1;
	case RUN_FAMILY_THREE_WAYS: return p->tensor == s->cluster->node && p->microbatch == 1 && p->chunks == 1;
	default: return true;
	}
}

static void keep_best(struct run_search *out, const struct run_found *found)
{
	int at = out->best_count;

	while (at > 0 && found->run.seconds < out->best[at - 1].run.seconds)
		at--;
	if (at == RUN_BEST_MAX)
		return;
	if (out->best_count < RUN_BEST_MAX)
		out->best_count++;
	memmove(&out->best[at + 1], &out->best[at], (size_t)(out->best_count - 1 - at) * sizeof *out->best);
	out->best[at] = *found;
}

static void try_plan(struct searching *s, const struct run_plan *plan)
{
	struct run_found found = { .plan = *plan };

	if (run_plan_check(s->t, plan, s->gpu, NULL) != STATUS_OK)
		return;
	s->any = true;
	run_evaluate(s->t, plan, s->gpu, s->cluster, &found.run);
	s->out->evaluated++;
	if (found.run.memory.total > s->gpu->memory) {
		if (!(s->out->nearest.run.memory.total <= found.run.memory.total))
			s->out->nearest = found;
		return;
	}
	s->out->fitting++;
	keep_best(s->out, &found);
	for (int family = 0; family < RUN_FAMILY_COUNT; family++)
		if (is_of(s, plan, (enum run_family)family) && !(s->out->family[family].run.seconds <= found.run.seconds))
			s->out->family[family] = found;
}

/* What is computed again, and the sequence's split, of one division of the GPUs, batch and blocks. */
static void try_rest(struct searching *s, struct run_plan *p)
{
	for (int recompute = 0; recompute < RECOMPUTE_COUNT; recompute++) {
		/* fused attention keeps no scores */
		if (recompute == RECOMPUTE_SELECTIVE && p->fused_attention)
			continue;
		p->recompute = (enum recompute)recompute;
		for (int split = 0; split < (p->tensor > 1 ? 2 : 1); split++) {
			p->sequence_parallel = split > 0;
			try_plan(s, p);
		}
	}
}

static void try_microbatches(struct searching *s, struct run_plan *p)
{
	double share = p->batch / p->replicas;

	for (double b = 1; b <= share; b++) {
		if (fmod(share, b) != 0)
			continue;
		p->microbatch = b;
		for (double chunks = 1; chunks * p->pipeline <= s->t->blocks && (chunks == 1 || p->pipeline > 1); chunks++) {
			/* chunks of unlike size only wait for each other */
			if (chunks > 1 && fmod(s->t->blocks, chunks * p->pipeline) != 0)
				continue;
			p->chunks = chunks;
			p->schedule = chunks > 1 ? PIPELINE_INTERLEAVED : PIPELINE_1F1B;
			try_rest(s, p);
		}
	}
}

static bool is_cancelled(const atomic_bool *cancel)
{
	return cancel != NULL && atomic_load_explicit(cancel, memory_order_relaxed);
}

enum status run_search(const struct transformer *t, const struct run_plan *base, double gpus, const struct gpu *gpu, const struct cluster *cluster, const atomic_bool *cancel, struct run_search *out,
	struct diagnostic *d)
{
	struct searching s = { .t = t, .gpu = gpu, .cluster = cluster, .out = out };
	struct run_plan p = *base;

	*out = (struct run_search){ .nearest.run.memory.total = NAN };
	for (int family = 0; family < RUN_FAMILY_COUNT; family++)
		out->family[family].run.seconds = NAN;
	for (p.tensor = 1; p.tensor <= gpus; p.tensor++) {
		if (fmod(gpus, p.tensor) != 0 || fmod(t->heads, p.tensor) != 0)
			continue;
		for (p.pipeline = 1; p.pipeline <= fmin(gpus / p.tensor, t->blocks); p.pipeline++) {
			if (fmod(gpus / p.tensor, p.pipeline) != 0)
				continue;
			if (is_cancelled(cancel))
				return diagnostic_fail(d, STATUS_INTERRUPTED, "interrupted");
			p.replicas = gpus / p.tensor / p.pipeline;
			if (fmod(p.batch, p.replicas) == 0)
				try_microbatches(&s, &p);
		}
	}
	if (s.any)
		return STATUS_OK;
	return diagnostic_fail(d, STATUS_INPUT, "%.0f GPUs: no tensor x pipeline x replicas makes so many, with a batch of %.0f, %.0f heads and %.0f blocks; take another number of GPUs, or a batch with more divisors",
		gpus, base->batch, t->heads, t->blocks);
}

/* ---- what would fit ---- */

/* One change; tensor and pipeline by more, replicas by less.  Devices are what their product becomes. */
static const struct {
	const char *what;
	enum { SET_RECOMPUTE, SET_ATTENTION, SET_SEQUENCE, SET_ZERO, HALVE_MICROBATCH, MORE_TENSOR, MORE_PIPELINE, SET_SCHEDULE } change;
	int value;               /* of a setting; of a factor, whether replicas are halved */
} changes[] = {
	{ "set recompute=selective", SET_RECOMPUTE, RECOMPUTE_SELECTIVE }, { "set recompute=full", SET_RECOMPUTE, RECOMPUTE_FULL }, { "set attention=fused", SET_ATTENTION, 1 },
	{ "set seq_parallel=on", SET_SEQUENCE, 1 }, { "set schedule=1f1b", SET_SCHEDULE, PIPELINE_1F1B }, { "halve microbatch", HALVE_MICROBATCH, 0 }, { "set zero=1", SET_ZERO, 1 }, { "set zero=2", SET_ZERO, 2 }, { "set zero=3", SET_ZERO, 3 },
	{ "double tensor, half the replicas", MORE_TENSOR, 1 }, { "double pipeline, half the replicas", MORE_PIPELINE, 1 }, { "double tensor, twice the devices", MORE_TENSOR, 0 },
	{ "double pipeline, twice the devices", MORE_PIPELINE, 0 },
};

_Static_assert(sizeof changes / sizeof *changes == RUN_CHANGES, "as many as run_search.h says");

static bool is_whole(double value)
{
	return value >= 1 && value == floor(value);
}

const char *run_change(const struct run_plan *plan, int i, struct run_plan *out)
{
	struct run_plan p = *plan;
	double less = changes[i].value > 0 ? 2 : 1;

	switch (changes[i].change) {
	case SET_RECOMPUTE: p.recompute = (enum recompute)changes[i].value; break;
	case SET_ATTENTION: p.fused_attention = true; break;
	case SET_SEQUENCE: p.sequence_parallel = p.tensor > 1; break;
	case SET_ZERO: p.zero = changes[i].value > p.zero ? changes[i].value : p.zero; break;
	case SET_SCHEDULE:
		p.schedule = (enum pipeline_schedule)changes[i].value;
		p.chunks = 1;
		break;
	case HALVE_MICROBATCH: p.microbatch /= 2; break;
	case MORE_TENSOR: p.tensor *= 2; p.replicas /= less; break;
	default:
		p.pipeline *= 2;
		p.replicas /= less;
		p.dealt = NULL;
	}
	*out = p;
	return is_whole(p.microbatch) && is_whole(p.replicas) ? changes[i].what : NULL;
}
