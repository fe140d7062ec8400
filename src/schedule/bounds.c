/* Longest paths, forwards and back, and the work of each resource. */
#include "schedule/bounds.h"

#include "base/memory.h"

/* Sums along two equally long paths differ by less than this part of their length. */
static const double rounding = 1e-11;

/* Core-seconds of a task on one resource, per core of it.  Free to spread: the least it can be, one core for the seconds on one or all of
 * them for the shorter ones; placed: what it takes there. */
static double work_of(const struct task_graph *g, int task, int resource, double share, double shortest, const struct schedule *placed)
{
	double one = g->seconds[task] * share;

	if (placed != NULL)
		return placed->tasks[task].core[resource] == CORE_ALL ? shortest : shortest * share;
	return shortest < one ? shortest : one;
}

/* Forwards: asap, the longest path, and the work of each resource. */
static void go_forwards(const struct task_graph *g, const struct schedule *placed, struct bounds *b)
{
	double share[RESOURCE_COUNT];

	for (int r = 0; r < RESOURCE_COUNT; r++)
		share[r] = g->cores[r] > 0 ? 1.0 / g->cores[r] : 0;
	for (int i = 0; i < g->count; i++) {
		struct task_bounds *t = &b->tasks[i];
		double start = 0;

		t->seconds = placed != NULL && !schedule_spreads(placed, i) ? g->seconds[i] : tasks_spread_seconds(g, i);
		b->spreading |= t->seconds < g->seconds[i];
		for (int k = g->first_input[i]; k < g->first_input[i + 1]; k++) {
			const struct task_bounds *input = &b->tasks[g->inputs[k]];

			if (input->asap + input->seconds > start)
				start = input->asap + input->seconds;
		}
		t->asap = start;
		if (start + t->seconds > b->path)
			b->path = start + t->seconds;
		for (int r = 0; r < RESOURCE_COUNT; r++)
			if (core_uses(g->kinds[i], r))
				b->work[r] += work_of(g, i, r, share[r], t->seconds, placed);
	}
}

/* Backwards: first the longest path from each start to the sink, kept in alap, then the rest. */
static void go_back(const struct task_graph *g, struct bounds *b)
{
	for (int i = 0; i < g->count; i++)
		b->tasks[i].alap = 0;
	for (int i = g->count - 1; i >= 0; i--) {
		double tail = b->tasks[i].alap += b->tasks[i].seconds;

		for (int k = g->first_input[i]; k < g->first_input[i + 1]; k++) {
			struct task_bounds *input = &b->tasks[g->inputs[k]];

			if (tail > input->alap)
				input->alap = tail;
		}
	}
	for (int i = 0; i < g->count; i++) {
		struct task_bounds *t = &b->tasks[i];

		t->alap = b->path - t->alap;
		t->slack = t->alap - t->asap;
		t->critical = t->slack <= rounding * b->path;
		if (t->critical) {
			t->slack = 0;
			t->alap = t->asap;
		}
	}
}

static void measure(const struct task_graph *g, const struct schedule *placed, struct bounds *b)
{
	b->tasks = memory_grow(b->tasks, &b->capacity, (size_t)g->count, sizeof *b->tasks);
	b->count = g->count;
	b->spreading = false;
	b->path = 0;
	for (int r = 0; r < RESOURCE_COUNT; r++)
		b->work[r] = 0;
	go_forwards(g, placed, b);
	go_back(g, b);
	b->makespan = b->path;
	b->by = BOUND_BY_PATH;
	for (int r = 0; r < RESOURCE_COUNT; r++)
		if (b->work[r] > b->makespan * (1 + rounding)) {
			b->makespan = b->work[r];
			b->by = BOUND_BY_TC + r;
		}
}

void bounds_measure(const struct task_graph *g, struct bounds *b)
{
	measure(g, NULL, b);
}

void bounds_measure_placed(const struct task_graph *g, const struct schedule *placed, struct bounds *b)
{
	measure(g, placed, b);
}

void bounds_free(struct bounds *b)
{
	memory_free(b->tasks);
	*b = (struct bounds){ 0 };
}
