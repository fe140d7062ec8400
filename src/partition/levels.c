/* Level by level: HyPar's Algorithm 2 with an exact search at each level, on any graph.  Costs are elements of one pair, a message as many as cost the same. */
#include "partition/relax.h"
#include "partition/search.h"

#include <string.h>

static const double one_scale[] = { 1 };

static void tables_new(struct search *s, struct level_tables *t, const struct factors *net)
{
	size_t vars = (size_t)s->problem->var_count;
	double *unary = memory_alloc(vars * STATES_MAX, sizeof *unary);

	t->allowed = memory_alloc(vars, sizeof *t->allowed);
	t->unary = memory_alloc(vars + 1, sizeof *t->unary);
	t->unary[vars] = unary;          /* kept for freeing, also when there are no variables */
	for (size_t v = 0; v < vars; v++)
		t->unary[v] = unary + v * STATES_MAX;
	t->edge = memory_alloc((size_t)s->problem->edge_count, sizeof *t->edge);
	t->edge_elements = memory_alloc((size_t)s->problem->edge_count, sizeof *t->edge_elements);
	t->dirty = memory_alloc(vars, sizeof *t->dirty);
	t->states = memory_alloc(vars, sizeof *t->states);
	forward_new(&t->forward, net);
}

void levels_free(struct search *s)
{
	for (int h = 0; h < LEVELS_MAX; h++) {
		struct level_tables *t = &s->levels[h];

		if (t->unary == NULL)
			continue;
		memory_free(t->unary[s->problem->var_count]);
		memory_free(t->unary);
		memory_free(t->allowed);
		memory_free(t->edge);
		memory_free(t->edge_elements);
		memory_free(t->dirty);
		memory_free(t->states);
		forward_free(&t->forward);
	}
}

/* Marks the step that takes an edge's costs as input: that of its end eliminated first. */
static void mark_edge(struct search *s, struct level_tables *t, int edge)
{
	int from = s->order->step_of_var[s->problem->edges[edge].from], to = s->order->step_of_var[s->problem->edges[edge].to];

	t->dirty[from < to ? from : to] = true;
}

/* Brings a level's own exchanges up to the request and the halvings so far; marks the steps that are touched. */
static void refresh_vars(struct search *s, struct level_tables *t, const struct plan_request *r, int level, const struct halvings *halved)
{
	const struct problem *p = s->problem;

	for (int v = 0; v < p->var_count; v++) {
		const struct problem_var *var = &p->vars[v];
		struct shard shard = costs_shard(var, r, halved[v]);
		unsigned char allowed = (unsigned char)search_allowed(r, p, v, level);
		double costs[STATES_MAX] = { 0 };

		for (int state = 0; state < s->radix[v]; state++) {
			costs[state] = comm_intra(var->role, state, &shard);
			costs[state] += costs[state] > 0 ? prices_message_elements(&r->prices, level + 1) : 0;
		}
		if (t->solved && t->allowed[v] == allowed && memcmp(t->unary[v], costs, sizeof costs) == 0)
			continue;
		t->allowed[v] = allowed;
		memcpy(t->unary[v], costs, sizeof costs);
		t->dirty[s->order->step_of_var[v]] = true;
		s->work++;
	}
}

/* The same for the re-laying on its edges. */
static void refresh_edges(struct search *s, struct level_tables *t, const struct plan_request *r, int level, const struct halvings *halved)
{
	const struct problem *p = s->problem;
	double message = prices_message_elements(&r->prices, level + 1);
	bool same_model = t->solved && t->comm_model == r->comm_model && t->message_elements == message;

	for (int e = 0; e < p->edge_count; e++) {
		const struct problem_edge *edge = &p->edges[e];
		const struct problem_var *from = &p->vars[edge->from], *to = &p->vars[edge->to];
		double elements = costs_edge_elements(edge, r, halved[edge->to]);

		if (same_model && t->edge_elements[e] == elements)
			continue;
		t->edge_elements[e] = elements;
		for (int a = 0; a < s->radix[edge->from]; a++)
			for (int b = 0; b < s->radix[edge->to]; b++)
				t->edge[e][a][b] = elements * comm_edge(r->comm_model, from->role, a, to->role, b) +
					message * comm_edge_messages(r->comm_model, from->role, a, to->role, b);
		mark_edge(s, t, e);
		s->work++;
	}
	t->comm_model = r->comm_model;
	t->message_elements = message;
}

static struct factors level_factors(const struct search *s, const struct level_tables *t, const double *const *scale, const atomic_bool *cancel)
{
	return (struct factors){ .order = s->order, .levels = 1, .radix = s->radix, .allowed = t->allowed, .unary = t->unary,
		.edge = (const double (*)[STATES_MAX][STATES_MAX])t->edge, .scale = scale, .cancel = cancel };
}

/* Every variable's scale at a single level is 1. */
static const double **unit_scales(int count)
{
	const double **scale = memory_alloc((size_t)count, sizeof *scale);

	for (int v = 0; v < count; v++)
		scale[v] = one_scale;
	return scale;
}

bool levels_solve(struct search *s, const struct plan_request *r, const atomic_bool *cancel, signed char *states, double *bound)
{
	const struct problem *p = s->problem;
	struct halvings *halved = memory_alloc((size_t)p->var_count, sizeof *halved);
	const double **scale = unit_scales(p->var_count);
	bool done = true;

	*bound = 0;
	for (int h = 0; h < r->levels && done; h++) {
		struct level_tables *t = &s->levels[h];
		struct factors net;
		double least;

		net = level_factors(s, t, scale, cancel);
		if (t->unary == NULL) {
			tables_new(s, t, &net);
			net = level_factors(s, t, scale, cancel);
		}
		refresh_vars(s, t, r, h, halved);
		refresh_edges(s, t, r, h, halved);
		least = factors_minimise(&net, &t->forward, t->dirty, &s->work);
		net.slack = r->prices.objective == OBJECTIVE_TIME ? COST_ROUNDING * least : 0;
		factors_decode(&net, &t->forward, t->states);
		if (s->relaxed)
			relax_improve(p, &net, t->states);
		done = cancel == NULL || !atomic_load(cancel);
		t->solved = done;
		memset(t->dirty, 0, (size_t)p->var_count * sizeof *t->dirty);
		*bound += least * prices_element(&r->prices, h + 1);
		for (int v = 0; v < p->var_count; v++) {
			states[v * r->levels + h] = (signed char)t->states[v];
			halvings_add(&halved[v], p->vars[v].role, (int)t->states[v]);
		}
	}
	memory_free(halved);
	memory_free(scale);
	return done;
}

struct margins *levels_margins(struct search *s, const atomic_bool *cancel)
{
	const struct problem *p = s->problem;
	const struct plan_request *r = &s->last;
	struct margins *m = margins_new(p->rows, r->levels, false);
	bool seconds = r->prices.objective == OBJECTIVE_TIME;
	double *values = memory_alloc((size_t)p->var_count * STATES_MAX, sizeof *values);
	double **marginal = memory_alloc((size_t)p->var_count, sizeof *marginal);
	const double **scale = unit_scales(p->var_count);

	for (int v = 0; v < p->var_count; v++)
		marginal[v] = values + (size_t)v * STATES_MAX;
	for (int h = 0; h < r->levels; h++) {
		struct factors net = level_factors(s, &s->levels[h], scale, cancel);

		factors_marginals(&net, &s->levels[h].forward, marginal);
		for (int v = 0; v < p->var_count; v++) {
			unsigned shown = solver_states(r, &p->vars[v], h) | s->levels[h].allowed[v];
			double *into = &m->value[((size_t)p->vars[v].row * (size_t)r->levels + (size_t)h) * STATES_MAX];

			for (int state = 0; state < s->radix[v]; state++)
				if (shown >> state & 1)
					into[state] = marginal[v][state] * (seconds ? prices_element(&r->prices, h + 1) : 1);
		}
	}
	memory_free(values);
	memory_free(marginal);
	memory_free(scale);
	if (cancel != NULL && atomic_load(cancel)) {
		margins_free(m);
		return NULL;
	}
	return m;
}
