/* Local costs of a level: what the levels above have left of each tensor, and what each state then exchanges.
 * MODELS 2.1, 2.2.  Real halving, also of odd numbers: costs are elements on average; the true largest parts are
 * parts.h's business. */
#ifndef WHYPAR_PARTITION_COSTS_H
#define WHYPAR_PARTITION_COSTS_H

#include "partition/solve.h"

/* How often the levels above have halved a variable's tensors. */
struct halvings {
	unsigned char input, output, weights;
};

void halvings_add(struct halvings *halved, enum role role, int state);

/* size / 2^times: exact, and cheaper than ldexp.  times <= LEVELS_MAX. */
static inline double halve(double size, int times)
{
	return size / (double)(1u << times);
}

/* What the levels above one (1-based) leave of a variable under a plan. */
struct halvings costs_halved_above(const struct plan *plan, const struct problem_var *var, int level);

/* What one group holds. */
struct shard costs_shard(const struct problem_var *var, const struct plan_request *request, struct halvings halved);

/* Elements of the tensor on an edge, as the consumer holds it. */
double costs_edge_elements(const struct problem_edge *edge, const struct plan_request *request, struct halvings consumer);

/* Makes a plan of chosen states (variable x levels): sums every row's and level's elements.  bound and exact are the caller's. */
struct plan *plan_evaluate(const struct problem *problem, const struct plan_request *request, const signed char *states);

#endif
