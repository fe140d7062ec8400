#include "partition/solve.h"

#include "partition/relax.h"
#include "partition/search.h"

#include <math.h>
#include <string.h>

unsigned solver_states(const struct plan_request *request, const struct problem_var *var)
{
	const unsigned dp = 1u << SPLIT_DP, mp = 1u << SPLIT_MP, op = 1u << SPLIT_OP;
	unsigned all = var->role == ROLE_GROUPED ? dp | mp : dp | mp | op;

	if (var->role == ROLE_JUNCTION)
		return 1u << LAYOUT_ROW | 1u << LAYOUT_COL | 1u << LAYOUT_FULL;
	if (request->solver == SOLVER_ACCPAR || (request->solver == SOLVER_JOINT && request->types == 3))
		return all;
	return dp | mp;
}

/* What the solver itself leaves open: fixed solvers leave one type. */
static unsigned solver_choice(const struct plan_request *request, const struct problem_var *var)
{
	if (var->role != ROLE_JUNCTION) {
		if (request->solver == SOLVER_DP)
			return 1u << SPLIT_DP;
		if (request->solver == SOLVER_MP)
			return 1u << SPLIT_MP;
		if (request->solver == SOLVER_OWT)
			return 1u << (var->kind == OPERATOR_CONV ? SPLIT_DP : SPLIT_MP);
	}
	return solver_states(request, var);
}

unsigned search_allowed(const struct plan_request *request, const struct problem *problem, int var, int level)
{
	int pin = request->pins != NULL ? request->pins[var * LEVELS_MAX + level] : NO_STATE;

	return pin != NO_STATE ? 1u << pin : solver_choice(request, &problem->vars[var]);
}

struct margins *margins_new(int rows, int levels, bool whole_plan)
{
	struct margins *m = memory_alloc(1, sizeof *m);
	size_t count = (size_t)rows * (size_t)levels * STATES_MAX;

	m->rows = rows;
	m->levels = levels;
	m->whole_plan = whole_plan;
	m->value = memory_alloc(count, sizeof *m->value);
	for (size_t i = 0; i < count; i++)
		m->value[i] = NAN;
	return m;
}

struct search *search_new(struct problem *problem)
{
	struct search *s = memory_alloc(1, sizeof *s);

	s->problem = problem_share(problem);
	s->radix = memory_alloc((size_t)problem->var_count, sizeof *s->radix);
	for (int v = 0; v < problem->var_count; v++)
		s->radix[v] = (unsigned char)comm_states(problem->vars[v].role);
	s->order = elimination_new(problem, NULL);
	if (network_largest_table(s->order, s->radix, 1) > TABLE_ENTRIES_MAX) {
		bool *keep = memory_alloc((size_t)problem->edge_count, sizeof *keep);

		relax_forest(problem, keep);
		elimination_free(s->order);
		s->order = elimination_new(problem, keep);
		s->relaxed = true;
		memory_free(keep);
	}
	s->last_pins = memory_alloc((size_t)problem->var_count * LEVELS_MAX, sizeof *s->last_pins);
	s->last_states = memory_alloc((size_t)problem->var_count * LEVELS_MAX, sizeof *s->last_states);
	return s;
}

void search_free(struct search *s)
{
	if (s == NULL)
		return;
	levels_free(s);
	joint_free(&s->joint);
	elimination_free(s->order);
	problem_release(s->problem);
	memory_free(s->radix);
	memory_free(s->last_pins);
	memory_free(s->last_states);
	memory_free(s);
}

struct plan *search_plan(struct search *s, const struct plan_request *request, const atomic_bool *cancel)
{
	size_t pins = (size_t)s->problem->var_count * LEVELS_MAX;
	struct plan *plan;
	double bound = 0;
	bool exact = !s->relaxed, done;

	s->work = 0;
	s->last = *request;
	if (request->pins != NULL) {
		memmove(s->last_pins, request->pins, pins);
		s->last.pins = s->last_pins;
	}
	if (request->solver == SOLVER_JOINT && request->levels > 0)
		done = joint_solve(s, request, cancel, s->last_states, &bound, &exact);
	else
		done = levels_solve(s, request, cancel, s->last_states, &bound);
	if (!done)
		return NULL;
	plan = plan_evaluate(s->problem, request, s->last_states);
	plan->exact = exact || plan->elements <= bound;
	plan->bound = plan->exact ? plan->elements : bound;
	return plan;
}

struct margins *search_margins(struct search *s, const atomic_bool *cancel)
{
	if (s->last.levels == 0)
		return margins_new(s->problem->rows, 0, false);
	if (s->last.solver == SOLVER_JOINT)
		return joint_margins(s, cancel);
	/* a relaxed level's tables leave edges out: their marginals would be bounds, not costs */
	return s->relaxed ? NULL : levels_margins(s, cancel);
}

double search_operations(struct search *s, const struct plan_request *request, bool with_margins)
{
	double operations;

	if (request->solver == SOLVER_JOINT)
		operations = joint_operations(s, request);
	else
		operations = request->levels * network_operations(s->order, s->radix, 1);
	return with_margins ? 4 * operations : operations;
}

unsigned long search_work(const struct search *s)
{
	return s->work;
}
