#include "partition/exchanges.h"

#include "partition/costs.h"

#include <string.h>

/* What a layer sums itself, by its type. */
static enum exchange_kind own_kind(int state)
{
	return state == SPLIT_DP ? EXCHANGE_GRADIENT : state == SPLIT_MP ? EXCHANGE_OUTPUT : EXCHANGE_ERROR;
}

static void add(struct row_exchanges *row, enum exchange_kind kind, const struct prices *prices, int level, double elements)
{
	if (elements > 0)
		row->seconds[kind] += prices_level(prices, level, elements, 1);
}

static void add_level(const struct problem *p, const struct plan_request *request, const struct prices *prices, const struct plan *plan, int v, int level,
	struct halvings halved, struct row_exchanges *row)
{
	const struct problem_var *var = &p->vars[v];
	int own = plan_state(plan, var->row, level);
	struct shard shard = costs_shard(var, request, halved);

	add(row, own_kind(own), prices, level, comm_intra(var->role, own, &shard));
	for (int e = p->first_in[v]; e < p->first_in[v + 1]; e++) {
		const struct problem_var *from = &p->vars[p->edges[e].from];
		double tensor = costs_edge_elements(&p->edges[e], request, halved);
		struct comm_changes c = comm_changes(request->comm_model, from->role, plan_state(plan, from->row, level), var->role, own);

		add(row, EXCHANGE_INPUT, prices, level, tensor * c.features);
		add(row, EXCHANGE_ERROR, prices, level, tensor * c.errors);
	}
}

void exchanges_of_rows(const struct problem *p, const struct plan_request *request, const struct prices *prices, const struct plan *plan, struct row_exchanges *rows)
{
	memset(rows, 0, (size_t)p->rows * sizeof *rows);
	for (int v = 0; v < p->var_count; v++) {
		struct halvings halved = { 0 };

		for (int level = 1; level <= plan->levels; level++) {
			add_level(p, request, prices, plan, v, level, halved, &rows[p->vars[v].row]);
			halvings_add(&halved, p->vars[v].role, plan_state(plan, p->vars[v].row, level));
		}
	}
}
