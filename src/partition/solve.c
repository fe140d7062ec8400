#include "partition/solve.h"

#include "partition/relax.h"
#include "partition/search.h"

#include <string.h>

struct search *search_new(struct problem *problem)
{
	struct search *s = memory_alloc(1, sizeof *s);

	s->problem = problem_share(problem);
	s->radix = memory_alloc((size_t)problem->var_count, sizeof *s->radix);
	for (int v = 0; v < problem->var_count; v++)
		s->radix[v] = (unsigned char)comm_states(problem->vars[v].role);
	s->order = elimination_new(problem, NULL);
	if (factors_largest_table(s->order, s->radix, 1) > TABLE_ENTRIES_MAX) {
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
	elimination_free(s->forest);
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
	plan->exact = exact || plan->cost <= bound;
	plan->bound = plan->exact ? plan->cost : bound;
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
	/* what a message costs before its table is looked at, in steps of a table: measured */
	const double message = 200;
	double operations;

	if (request->solver == SOLVER_JOINT)
		operations = joint_operations(s, request);
	else
		operations = request->levels * (factors_operations(s->order, s->radix, 1) + message * s->problem->var_count);
	return with_margins ? 4 * operations : operations;
}

unsigned long search_work(const struct search *s)
{
	return s->work;
}
