#include "partition/relax.h"

#include <math.h>
#include <stdlib.h>

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

static double sum_edges_at(const struct problem *problem, const struct network *net, const size_t *states, int v)
{
	double cost = 0;

	for (int e = problem->first_in[v]; e < problem->first_in[v + 1]; e++)
		cost += network_edge_cost(net, e, states[problem->edges[e].from], states[v]);
	for (int k = problem->first_out[v]; k < problem->first_out[v + 1]; k++)
		cost += network_edge_cost(net, problem->out_edges[k], states[v], states[problem->edges[problem->out_edges[k]].to]);
	return cost;
}

static bool improve_one(const struct problem *problem, const struct network *net, size_t *states, int v)
{
	size_t before = states[v], best = before, count = network_states(net->radix[v], net->levels);
	double least = net->unary[v][before] + sum_edges_at(problem, net, states, v);

	for (size_t s = 0; s < count; s++) {
		double cost;

		if (!network_state_allowed(net, v, s))
			continue;
		states[v] = s;
		cost = net->unary[v][s] + sum_edges_at(problem, net, states, v);
		/* strictly better by more than rounding, so that the walk ends */
		if (cost < least - fabs(least) * 1e-12) {
			least = cost;
			best = s;
		}
	}
	states[v] = best;
	return best != before;
}

void relax_improve(const struct problem *problem, const struct network *net, size_t *states)
{
	enum { ROUNDS_MAX = 20 };
	bool changed = true;

	for (int round = 0; changed && round < ROUNDS_MAX; round++) {
		changed = false;
		for (int v = 0; v < problem->var_count; v++) {
			if (net->cancel != NULL && atomic_load(net->cancel))
				return;
			changed |= improve_one(problem, net, states, v);
		}
	}
}

double relax_cost(const struct problem *problem, const struct network *net, const size_t *states)
{
	double cost = 0;

	for (int v = 0; v < problem->var_count; v++)
		cost += net->unary[v][states[v]];
	for (int e = 0; e < problem->edge_count; e++)
		cost += network_edge_cost(net, e, states[problem->edges[e].from], states[problem->edges[e].to]);
	return cost;
}
