#include "partition/relax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ranked_edge {
	double elements;
	int edge;
};

static int heavier_first(const void *a, const void *b)
{
	const struct ranked_edge *x = a, *y = b;

	if (x->elements != y->elements)
		return x->elements < y->elements ? 1 : -1;
	return x->edge - y->edge;
}

static int root_of(int *parent, int v)
{
	while (parent[v] != v) {
		parent[v] = parent[parent[v]];
		v = parent[v];
	}
	return v;
}

void relax_forest(const struct problem *problem, bool *keep)
{
	struct ranked_edge *ranked = memory_alloc((size_t)problem->edge_count, sizeof *ranked);
	int *parent = memory_alloc((size_t)problem->var_count, sizeof *parent);

	for (int v = 0; v < problem->var_count; v++)
		parent[v] = v;
	for (int e = 0; e < problem->edge_count; e++)
		ranked[e] = (struct ranked_edge){ problem->edges[e].elements, e };
	qsort(ranked, (size_t)problem->edge_count, sizeof *ranked, heavier_first);
	for (int i = 0; i < problem->edge_count; i++) {
		int e = ranked[i].edge;
		int a = root_of(parent, problem->edges[e].from), b = root_of(parent, problem->edges[e].to);

		keep[e] = a != b;
		parent[a] = b;
	}
	memory_free(ranked);
	memory_free(parent);
}

/* Costs of each state of v, all else being decided. */
static void costs_at(const struct problem *problem, const struct factors *net, const size_t *states, int v, double *costs, double *space)
{
	memcpy(costs, net->unary[v], factors_states(net->radix[v], net->levels) * sizeof *costs);
	for (int e = problem->first_in[v]; e < problem->first_in[v + 1]; e++)
		factors_add_edge(net, e, v, states[problem->edges[e].from], costs, space);
	for (int k = problem->first_out[v]; k < problem->first_out[v + 1]; k++)
		factors_add_edge(net, problem->out_edges[k], v, states[problem->edges[problem->out_edges[k]].to], costs, space);
}

static void improve(const struct problem *problem, const struct factors *net, size_t *states)
{
	enum { ROUNDS_MAX = 20 };
	size_t widest = 1;
	double *costs, *space;
	bool changed = true;

	for (int v = 0; v < problem->var_count; v++) {
		size_t n = factors_states(net->radix[v], net->levels);

		widest = n > widest ? n : widest;
	}
	costs = memory_alloc(widest, sizeof *costs);
	space = memory_alloc(widest, sizeof *space);
	for (int round = 0; changed && round < ROUNDS_MAX; round++) {
		changed = false;
		for (int v = 0; v < problem->var_count && !(net->cancel != NULL && atomic_load(net->cancel)); v++) {
			size_t best;

			costs_at(problem, net, states, v, costs, space);
			best = factors_cheapest(net, v, costs);
			if (costs[best] < costs[states[v]]) {
				states[v] = best;
				changed = true;
			}
		}
	}
	memory_free(costs);
	memory_free(space);
}

double relax_cost(const struct problem *problem, const struct factors *net, const size_t *states)
{
	double cost = 0;

	for (int v = 0; v < problem->var_count; v++)
		cost += net->unary[v][states[v]];
	for (int e = 0; e < problem->edge_count; e++)
		cost += factors_edge_cost(net, e, states[problem->edges[e].from], states[problem->edges[e].to]);
	return cost;
}

/* The state whose digits are all the same, or the lowest allowed where it may not be chosen. */
static size_t uniform_state(const struct factors *net, int v, int digit)
{
	size_t state = 0;

	for (int h = 0; h < net->levels; h++)
		state = state * net->radix[v] + (size_t)digit;
	if (digit < net->radix[v] && factors_state_allowed(net, v, state))
		return state;
	state = 0;
	for (int h = 0; h < net->levels; h++) {
		unsigned allowed = net->allowed[(size_t)v * (size_t)net->levels + (size_t)h];
		int lowest = 0;

		while (!(allowed >> lowest & 1))
			lowest++;
		state = state * net->radix[v] + (size_t)lowest;
	}
	return state;
}

void relax_improve(const struct problem *problem, const struct factors *net, size_t *states)
{
	size_t *tried = memory_alloc((size_t)problem->var_count, sizeof *tried);
	double least;

	improve(problem, net, states);
	least = relax_cost(problem, net, states);
	for (int digit = 0; digit < STATES_MAX && !(net->cancel != NULL && atomic_load(net->cancel)); digit++) {
		double cost;

		for (int v = 0; v < problem->var_count; v++)
			tried[v] = uniform_state(net, v, digit);
		improve(problem, net, tried);
		cost = relax_cost(problem, net, tried);
		if (cost < least) {
			least = cost;
			memcpy(states, tried, (size_t)problem->var_count * sizeof *states);
		}
	}
	memory_free(tried);
}
