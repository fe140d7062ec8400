/* When a graph is too wide to solve exactly: a bound from fewer edges, and a plan improved a variable at a time.  MODELS 2.4. */
#ifndef WHYPAR_PARTITION_RELAX_H
#define WHYPAR_PARTITION_RELAX_H

#include "partition/factors.h"

/* Marks a spanning forest of the heaviest edges in keep[edge_count].  Costs are never negative, so leaving edges
 * out can only lower the optimum: the forest's optimum is a lower bound. */
void relax_forest(const struct problem *problem, bool *keep);

/* Lowers the cost of an assignment by changing one variable at a time, all edges counted, until none helps; the same from every
 * uniform assignment (all row and dp, all col and mp, all full and op), and the cheapest is kept.  Deterministic: variables in
 * order, lowest state first. */
void relax_improve(const struct problem *problem, const struct factors *net, size_t *states);

/* The assignment's cost with every edge, whatever the order of elimination kept. */
double relax_cost(const struct problem *problem, const struct factors *net, const size_t *states);

#endif
