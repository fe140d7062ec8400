#include "partition/plan.h"

#include <math.h>
#include <string.h>

const char *split_name(enum split split)
{
	static const char *const names[SPLIT_COUNT] = { "dp", "mp", "op" };

	return names[split];
}

const char *layout_name(enum layout layout)
{
	static const char *const names[LAYOUT_COUNT] = { "row", "col", "full" };

	return names[layout];
}

const char *state_name(bool junction, int state)
{
	if (state == NO_STATE)
		return "";
	return junction ? layout_name((enum layout)state) : split_name((enum split)state);
}

const char *plan_choice(const struct plan *plan, int row, int level)
{
	int state = plan_state(plan, row, level);

	return state_name(plan->junction[row], state);
}

int plan_state(const struct plan *plan, int row, int level)
{
	return plan->states[(size_t)row * (size_t)plan->levels + (size_t)level - 1];
}

struct plan *plan_copy(const struct plan *plan)
{
	struct plan *copy = memory_alloc(1, sizeof *copy);
	size_t rows = (size_t)plan->rows, cells = rows * (size_t)plan->levels;

	*copy = *plan;
	copy->arena = (struct arena){ NULL };
#define COPY(field, count) \
	copy->field = memcpy(arena_alloc(&copy->arena, count, sizeof *copy->field), plan->field, (count) * sizeof *copy->field)
	COPY(states, cells);
	COPY(pinned, cells);
	COPY(junction, rows);
	COPY(row_elements, rows);
	COPY(row_level, cells);
#undef COPY
	return copy;
}

void plan_free(struct plan *plan)
{
	if (plan == NULL)
		return;
	arena_free(&plan->arena);
	memory_free(plan);
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

static const double *values_at(const struct margins *m, int row, int level)
{
	return &m->value[((size_t)row * (size_t)m->levels + (size_t)level - 1) * STATES_MAX];
}

double margins_value(const struct margins *m, int row, int level, int state)
{
	return values_at(m, row, level)[state];
}

double margin_between(enum objective objective, double other, double present)
{
	return objective == OBJECTIVE_TIME && fabs(other - present) <= COST_ROUNDING * present ? 0 : other - present;
}

static double present_cost(const struct margins *m, const struct plan *plan, int level)
{
	return m->whole_plan ? plan->cost : plan->level[level - 1].cost;
}

double margins_margin(const struct margins *m, const struct plan *plan, int row, int level)
{
	int chosen = plan_state(plan, row, level);
	const double *values = values_at(m, row, level);
	double least = INFINITY;

	for (int s = 0; s < STATES_MAX; s++)
		if (s != chosen && values[s] < least)
			least = values[s];
	return least < INFINITY && chosen != NO_STATE ? margin_between(plan->objective, least, present_cost(m, plan, level)) : NAN;
}

double margins_sureness(const struct margins *m, const struct plan *plan, int row, int level)
{
	double margin = margins_margin(m, plan, row, level);

	if (isnan(margin) || margin <= 0)
		return isnan(margin) ? NAN : 0;
	return margin / (margin + present_cost(m, plan, level));
}

void margins_free(struct margins *margins)
{
	if (margins == NULL)
		return;
	memory_free(margins->value);
	memory_free(margins);
}
