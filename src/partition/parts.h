/* True sizes: what the largest group holds when a dimension does not halve evenly.  MODELS 2.2.
 *
 * Costs use real halving; what is shown, and later compute and memory, use these. */
#ifndef WHYPAR_PARTITION_PARTS_H
#define WHYPAR_PARTITION_PARTS_H

#include "partition/problem.h"

/* One accelerator's share of a row after all levels of a plan. */
struct parts {
	int64_t batch, in_ch, out_ch, groups;    /* the largest part of each; 0 where the row has no such thing */
	int batch_ways, in_ways, out_ways, group_ways; /* in how many parts, a power of two */
	bool uneven;                             /* some dimension does not divide */
	bool idle;                               /* some part holds nothing: fewer units than parts */
};

/* Whose share is asked for, where the two groups of H1 are unlike: of what H1 splits the first has this part.  NULL: they share evenly. */
struct half {
	double first;
	bool second;
};

/* The largest of so many parts of a size. */
int64_t parts_largest(int64_t size, int64_t ways);

struct parts parts_of(const struct operator *o, const struct plan *plan, int row, int64_t batch, const struct half *half);

/* What a group of H1 has of a size that is split there, at least 1. */
int64_t parts_of_half(int64_t size, const struct half *half);

/* Adds a warning for each row whose dimensions do not divide, saying both numbers and the largest part; one for all when
 * it is the batch. */
void parts_warn(const struct model *model, const struct problem *problem, const struct plan *plan, double batch, struct diagnostics *warnings);

#endif
