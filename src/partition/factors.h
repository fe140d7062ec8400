/* Exact minimisation of a sum of local costs over a graph: variable elimination (MODELS 2.4).
 *
 * Every variable has a state at each of `levels` levels; its whole state is the number whose digits, base
 * `radix`, are these, level 1 most significant.  The cost is a table for each variable plus, for each edge and level, a
 * 3 x 3 table times a scale that depends on the consumer's earlier digits (its shard shrinks level by level), and a
 * table that is not scaled.
 * Eliminating a variable across an edge therefore goes digit by digit: levels x radix^(levels + 1) steps instead of
 * radix^(2 levels).  One level is the case the level-by-level solvers use.
 *
 * Where elements are minimised, costs are whole multiples of a power of two, so sums below 2^53 of it are exact and ties are equalities: at a whole batch a
 * joint cost is a multiple of 1/4 element, a level's of 2^-13.
 *
 * Minimisation ranges over allowed digits only, but tables keep all of them, so min-marginals (the best total with a
 * state forced) come out for forbidden states too.  Costs that are dyadic rationals below 2^53 stay exact. */
#ifndef WHYPAR_PARTITION_FACTORS_H
#define WHYPAR_PARTITION_FACTORS_H

#include "partition/order.h"

#include <stdatomic.h>

/* Largest table that is still solved exactly. */
#define TABLE_ENTRIES_MAX 4194304.0

/* The numbers to minimise over.  Owned by the caller. */
struct factors {
	const struct elimination *order;
	int levels;
	const unsigned char *radix;      /* of each variable */
	const unsigned char *allowed;    /* var x levels: bit s set when state s may be chosen */
	double *const *unary;            /* of each variable: radix^levels costs */
	const double (*edge)[STATES_MAX][STATES_MAX]; /* of each edge: [from state][to state] */
	const double (*flat)[STATES_MAX][STATES_MAX]; /* of each edge and level, not scaled; NULL: all 0 */
	const double *const *scale;      /* of each variable as consumer: for level h = 0.., radix^h factors, one level after the other */
	double slack;                    /* costs that differ by no more are ties: 0 where they are exact, else what rounding may make of the least sum */
	const atomic_bool *cancel;       /* may be NULL; when it becomes true, functions return early with a meaningless result */
};

/* Entries of the largest table, about how many steps one minimisation takes, entries of all forward tables together. */
double factors_largest_table(const struct elimination *order, const unsigned char *radix, int levels);
double factors_operations(const struct elimination *order, const unsigned char *radix, int levels);

double factors_forward_entries(const struct elimination *order, const unsigned char *radix, int levels);

size_t factors_states(int radix, int levels);

/* Sizes of a step's tables for the radices at hand. */
struct step_sizes {
	size_t rows;             /* entries of D over rest... */
	size_t width;            /* states of the step's own variable */
	size_t out;              /* entries of a row of the forward table: states across, or 1 */
};

/* The tables of one minimisation, one for each step: the least of what is eliminated by then, for each state of what it touches.  With it the space to work in, so that solving again
 * allocates nothing. */
struct forward_tables {
	struct step_sizes *sizes;
	double **tables;
	double *block;
	double *roots;           /* per step: minimum of a component where its parent is -1 */
	double *table, *row_a, *row_b, *edge, *edge_next;  /* scratch, as large as the largest step needs */
};

void forward_new(struct forward_tables *m, const struct factors *net);
void forward_free(struct forward_tables *m);

/* Computes the tables and returns the minimum.  dirty (per step, may be NULL for all): steps to redo; those above them are
 * redone too, and dirty is left all true for these.  *redone, when not NULL, counts tables computed. */
double factors_minimise(const struct factors *net, struct forward_tables *m, bool *dirty, unsigned long *redone);

/* One minimising assignment, state of each variable: from the last eliminated back, the lowest optimal state. */
void factors_decode(const struct factors *net, struct forward_tables *m, size_t *states);

/* For each variable the minimum with each of its states forced; marginal[v] has radix^levels entries. */
void factors_marginals(const struct factors *net, struct forward_tables *m, double *const *marginal);

/* Cost of one edge for two whole states. */
double factors_edge_cost(const struct factors *net, int edge, size_t from_state, size_t to_state);

/* Adds an edge's cost to costs[state of var], its other end being decided.  space holds as many entries as costs. */
void factors_add_edge(const struct factors *net, int edge, int var, size_t other_state, double *costs, double *space);

/* The lowest of the cheapest allowed states. */
size_t factors_cheapest(const struct factors *net, int var, const double *costs);

/* True when every digit of the state may be chosen. */
bool factors_state_allowed(const struct factors *net, int var, size_t state);

/* Digit of a state at a level (0-based). */
static inline int state_digit(size_t state, int radix, int levels, int level)
{
	for (int h = levels - 1; h > level; h--)
		state /= (size_t)radix;
	return (int)(state % (size_t)radix);
}

/* What an edge costs at a level, its consumer's scale there being known. */
static inline double factors_edge_digit(const struct factors *net, int edge, int level, double scale, int from_digit, int to_digit)
{
	double scaled = scale * net->edge[edge][from_digit][to_digit];

	return net->flat == NULL ? scaled : scaled + net->flat[edge * net->levels + level][from_digit][to_digit];
}

#endif
