/* Which states a solver, or a pin, lets a variable have. */
#include "partition/search.h"

unsigned solver_states(const struct plan_request *request, const struct problem_var *var, int level)
{
	const unsigned dp = 1u << SPLIT_DP, mp = 1u << SPLIT_MP, op = 1u << SPLIT_OP;
	unsigned all = var->role == ROLE_GROUPED ? dp | mp : dp | mp | op;

	if (var->role == ROLE_JUNCTION)
		return 1u << LAYOUT_ROW | 1u << LAYOUT_COL | 1u << LAYOUT_FULL;
	if (level < request->tensor_levels)
		return all & ~dp;
	if (request->solver == SOLVER_ACCPAR || (request->solver == SOLVER_JOINT && request->types == 3))
		return all;
	return dp | mp;
}

/* What the solver itself leaves open: fixed solvers leave one type. */
static unsigned solver_choice(const struct plan_request *request, const struct problem_var *var, int level)
{
	if (var->role != ROLE_JUNCTION && level >= request->tensor_levels) {
		if (request->solver == SOLVER_DP)
			return 1u << SPLIT_DP;
		if (request->solver == SOLVER_MP)
			return 1u << SPLIT_MP;
		if (request->solver == SOLVER_OWT)
			return 1u << (var->kind == OPERATOR_CONV ? SPLIT_DP : SPLIT_MP);
	}
	return solver_states(request, var, level);
}

unsigned search_allowed(const struct plan_request *request, const struct problem *problem, int var, int level)
{
	int pin = request->pins != NULL ? request->pins[var * LEVELS_MAX + level] : NO_STATE;

	return pin != NO_STATE ? 1u << pin : solver_choice(request, &problem->vars[var], level);
}
