/* The order in which variables are eliminated, and what each table then ranges over.  MODELS 2.4.
 *
 * It depends on the graph alone (min-fill, ties by row), so one order serves every level, batch and cost. */
#ifndef WHYPAR_PARTITION_ORDER_H
#define WHYPAR_PARTITION_ORDER_H

#include "base/memory.h"
#include "partition/problem.h"

/* One variable's elimination.  Its working table D has dimensions rest..., var; its table for the parent has
 * rest..., across (when there is an edge to go across), else rest... */
struct elimination_step {
	int var;
	int parent;              /* step that takes its table; -1 at the end of a component */
	int *rest;               /* variables, ascending */
	int rest_count;
	int across;              /* edge gone across digit by digit, or -1 */
	int *children;           /* steps whose tables are taken here */
	int child_count;
	int *edges;              /* edges written out in D */
	int edge_count;
};

/* An order of elimination: depends on the graph alone, min-fill, ties by row. */
struct elimination {
	struct arena arena;
	int var_count, edge_count;
	struct problem_edge *edges;      /* a copy of the ends of those used */
	struct elimination_step *steps;  /* in order */
	int *step_of_var;
};

/* keep: which edges to use, NULL for all. */
struct elimination *elimination_new(const struct problem *problem, const bool *keep);
void elimination_free(struct elimination *e);

#endif
