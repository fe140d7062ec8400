/* Plans for a number of GPUs: all that go together; and single changes that may make one fit.
 *
 * The search is exhaustive over tensor x pipeline x replicas x microbatch x chunks x recomputation x sequence parallelism; each is evaluated by run.h, so the best is
 * the best there is of these.  Pure. */
#ifndef WHYPAR_PIPELINE_RUN_SEARCH_H
#define WHYPAR_PIPELINE_RUN_SEARCH_H

#include "pipeline/run.h"

#include <stdatomic.h>

/* Families of plans people begin with, and all of them: id, name, text. */
#define RUN_FAMILIES(X) \
	X(ALL,      "any",            "every plan") \
	X(DATA,     "data",           "replicas alone") \
	X(TENSOR,   "tensor + data",  "tensor parallelism within a node, replicas of that") \
	X(PIPELINE, "pipeline + data", "a pipeline without tensor parallelism, replicas of that") \
	X(THREE_WAYS,   "three ways",     "tensor parallelism over a whole node, a pipeline of nodes, microbatches of one, nothing interleaved")

enum run_family {
#define X(id, name, text) RUN_FAMILY_##id,
	RUN_FAMILIES(X)
#undef X
	RUN_FAMILY_COUNT
};

enum { RUN_BEST_MAX = 8 };

struct run_found {
	struct run_plan plan;
	struct run run;
};

struct run_search {
	double evaluated, fitting;
	struct run_found best[RUN_BEST_MAX];     /* that fit, fastest first; ties: less tensor, then less pipeline first */
	int best_count;
	struct run_found family[RUN_FAMILY_COUNT];       /* the fastest of each; seconds NAN where none fits */
	struct run_found nearest;        /* the one that exceeds the memory least, where none fits */
};

/* base: what is not searched (batch, format, zero, attention, overlap, bytes); its schedule is not read, plans are 1f1b or, in chunks, interleaved. STATUS_INPUT when nothing goes together for so many GPUs; a search in which
 * nothing fits is STATUS_OK with best_count 0.  STATUS_INTERRUPTED when *cancel (NULL allowed) becomes true. */
enum status run_search(const struct transformer *t, const struct run_plan *base, double gpus, const struct gpu *gpu, const struct cluster *cluster, const atomic_bool *cancel, struct run_search *out,
	struct diagnostic *d);

/* What may make a plan need less memory, one change each. */
enum { RUN_CHANGES = 13 };
/* The plan with one of them, and the change in words ("set recompute=full"); NULL where it has no such change. */
const char *run_change(const struct run_plan *plan, int change, struct run_plan *out);

const char *run_family_name(enum run_family family);

#endif
