#include "partition/costs.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void halvings_add(struct halvings *halved, enum role role, int state)
{
	halved->input = (unsigned char)(halved->input + comm_halves_input(role, state));
	halved->output = (unsigned char)(halved->output + comm_halves_output(role, state));
	halved->weights = (unsigned char)(halved->weights + comm_halves_weights(role, state));
}

struct halvings costs_halved_above(const struct plan *plan, const struct problem_var *var, int level)
{
	struct halvings halved = { 0 };

	for (int h = 1; h < level; h++)
		halvings_add(&halved, var->role, plan_state(plan, var->row, h));
	return halved;
}

/* Samples of one array. */
static double samples_of(const struct plan_request *request)
{
	return request->replicas > 1 ? request->batch / request->replicas : request->batch;
}

struct shard costs_shard(const struct problem_var *var, const struct plan_request *request, struct halvings halved)
{
	double output = request->pooled ? var->output : var->conv_output;

	return (struct shard){
		.weights = halve(var->weights, halved.weights),
		.input = halve(var->input * samples_of(request), halved.input),
		.output = halve(output * samples_of(request), halved.output),
	};
}

double costs_edge_elements(const struct problem_edge *edge, const struct plan_request *request, struct halvings consumer)
{
	return halve(edge->elements * samples_of(request), consumer.input);
}

static struct plan *plan_new(const struct problem *problem, const struct plan_request *request)
{
	struct plan *plan = memory_alloc(1, sizeof *plan);
	size_t rows = (size_t)problem->rows, cells = rows * (size_t)request->levels;

	plan->rows = problem->rows;
	plan->levels = request->levels;
	plan->states = arena_alloc(&plan->arena, cells, sizeof *plan->states);
	plan->pinned = arena_alloc(&plan->arena, cells, sizeof *plan->pinned);
	plan->junction = arena_alloc(&plan->arena, rows, sizeof *plan->junction);
	plan->row_elements = arena_alloc(&plan->arena, rows, sizeof *plan->row_elements);
	plan->row_level = arena_alloc(&plan->arena, cells, sizeof *plan->row_level);
	memset(plan->states, NO_STATE, cells);
	return plan;
}

/* One variable at one level: own exchange and the edges entering it, of one pair. */
static double var_cost(const struct problem *problem, const struct plan_request *request, const signed char *states, int v, int level,
	struct halvings halved, double *messages)
{
	const struct problem_var *var = &problem->vars[v];
	int own = states[v * request->levels + level];
	struct shard shard = costs_shard(var, request, halved);
	double cost = comm_intra(var->role, own, &shard);

	*messages += cost > 0;
	for (int e = problem->first_in[v]; e < problem->first_in[v + 1]; e++) {
		const struct problem_edge *edge = &problem->edges[e];
		enum role from = problem->vars[edge->from].role;
		int state = states[edge->from * request->levels + level];

		cost += costs_edge_elements(edge, request, halved) * comm_edge(request->comm_model, from, state, var->role, own);
		*messages += comm_edge_messages(request->comm_model, from, state, var->role, own);
	}
	return cost;
}

struct plan *plan_evaluate(const struct problem *problem, const struct plan_request *request, const signed char *states)
{
	struct plan *plan = plan_new(problem, request);
	int levels = request->levels;

	for (int h = 0; h < levels; h++)
		plan->level[h].pairs = ldexp(1, h);
	for (int v = 0; v < problem->var_count; v++) {
		const struct problem_var *var = &problem->vars[v];
		size_t first = (size_t)var->row * (size_t)levels;
		struct halvings halved = { 0 };

		plan->junction[var->row] = var->role == ROLE_JUNCTION;
		for (int h = 0; h < levels; h++) {
			int state = states[v * levels + h];
			double cost = var_cost(problem, request, states, v, h, halved, &plan->level[h].messages);

			plan->states[first + (size_t)h] = (signed char)state;
			plan->pinned[first + (size_t)h] = request->pins != NULL && request->pins[v * LEVELS_MAX + h] != NO_STATE;
			plan->row_level[first + (size_t)h] = cost;
			plan->row_elements[var->row] += cost * plan->level[h].pairs;
			plan->level[h].per_pair += cost;
			halvings_add(&halved, var->role, state);
		}
	}
	plan->objective = request->prices.objective;
	for (int h = 0; h < levels; h++) {
		struct plan_level *level = &plan->level[h];
		double price = prices_level(&request->prices, h + 1, level->per_pair, level->messages);

		plan->elements += level->per_pair * level->pairs;
		plan->cost += price;
		level->cost = plan->objective == OBJECTIVE_TIME ? price : level->per_pair;
	}
	return plan;
}

void plan_elements_lines(const struct problem *problem, const struct plan_request *request, const struct plan *plan, double *constant, double *slope)
{
	struct plan_request one = *request;
	signed char *states = memory_alloc((size_t)problem->var_count * (size_t)plan->levels, 1);
	struct plan *at_one;

	/* Only dp's exchange of dW does not grow with the batch. */
	memset(constant, 0, (size_t)plan->levels * sizeof *constant);
	for (int v = 0; v < problem->var_count; v++) {
		const struct problem_var *var = &problem->vars[v];
		struct halvings halved = { 0 };

		for (int h = 1; h <= plan->levels; h++) {
			int state = plan_state(plan, var->row, h);

			states[v * plan->levels + h - 1] = (signed char)state;
			if (var->role != ROLE_JUNCTION && state == SPLIT_DP)
				constant[h - 1] += halve(var->weights, halved.weights);
			halvings_add(&halved, var->role, state);
		}
	}
	/* Taken at batch 1, where it is exact, also when the plan is of a batch that is not whole. */
	one.batch = 1;
	at_one = plan_evaluate(problem, &one, states);
	for (int h = 0; h < plan->levels; h++)
		slope[h] = at_one->level[h].per_pair - constant[h];
	plan_free(at_one);
	memory_free(states);
}
