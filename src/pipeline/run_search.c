#include "pipeline/run_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name, *text; } families[RUN_FAMILY_COUNT] = {
#define X(id, name, text) [RUN_FAMILY_##id] = { name, text },
	RUN_FAMILIES(X)
#undef X
};

const char *run_family_name(enum run_family family)
{
	return families[family].name;
}

const char *run_family_text(enum run_family family)
{
	return families[family].text;
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
	case RUN_FAMILY_PLAIN: return p->tensor == s->cluster->node && p->microbatch == 1 && p->chunks == 1;
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
	return diagnostic_fail(d, STATUS_INPUT, "%.0f GPUs: no tensor x pipeline x replicas makes so many, with a batch of %.0f, %.0f heads and %.0f blocks; try a power of two, or a batch that has more divisors",
		gpus, base->batch, t->heads, t->blocks);
}

/* ---- what would fit ---- */

static int by_slowdown(const void *a, const void *b)
{
	const struct run_remedy *x = a, *y = b;

	return x->slowdown != y->slowdown ? (x->slowdown > y->slowdown) - (x->slowdown < y->slowdown) : strcmp(x->what, y->what);
}

int run_remedies(const struct transformer *t, const struct run_plan *plan, const struct gpu *gpu, const struct cluster *cluster, struct run_remedy out[REMEDIES_MAX])
{
	struct run_remedy tried[REMEDIES_MAX];
	struct run before;
	int count = 0, fitting = 0;

	run_evaluate(t, plan, gpu, cluster, &before);
	if (before.memory.total <= gpu->memory)
		return 0;
#define TRY(text, change) do { tried[count] = (struct run_remedy){ .what = text, .after.plan = *plan }; struct run_plan *p = &tried[count++].after.plan; change; } while (0)
	TRY("set recompute=selective", p->recompute = RECOMPUTE_SELECTIVE);
	TRY("set recompute=full", p->recompute = RECOMPUTE_FULL);
	TRY("set attention=fused", p->fused_attention = true);
	TRY("set seq_parallel=on", p->sequence_parallel = p->tensor > 1);
	TRY("halve microbatch", p->microbatch /= 2);
	TRY("set zero=1", p->zero = 1);
	TRY("set zero=2", p->zero = 2);
	TRY("set zero=3", p->zero = 3);
	TRY("double tensor, half the replicas", (p->tensor *= 2, p->replicas /= 2));
	TRY("double pipeline, half the replicas", (p->pipeline *= 2, p->replicas /= 2));
	TRY("double tensor, twice the GPUs", p->tensor *= 2);
	TRY("double pipeline, twice the GPUs", p->pipeline *= 2);
#undef TRY
	for (int i = 0; i < count; i++) {
		struct run_found *after = &tried[i].after;

		if (after->plan.microbatch < 1 || after->plan.replicas < 1 || fmod(after->plan.microbatch, 1) != 0 || fmod(after->plan.replicas, 1) != 0 ||
		    run_plan_check(t, &after->plan, gpu, NULL) != STATUS_OK)
			continue;
		run_evaluate(t, &after->plan, gpu, cluster, &after->run);
		if (after->run.memory.total > gpu->memory)
			continue;
		tried[i].slowdown = after->run.seconds / before.seconds - 1;
		out[fitting++] = tried[i];
	}
	qsort(out, (size_t)fitting, sizeof *out, by_slowdown);
	return fitting;
}
