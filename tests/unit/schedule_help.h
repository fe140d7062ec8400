/* What every schedule obeys, whoever made it, judged from the graph and the schedule alone. */
#ifndef WHYPAR_TESTS_SCHEDULE_HELP_H
#define WHYPAR_TESTS_SCHEDULE_HELP_H

#include "schedule/list.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/random_tasks.h"

static inline bool overlap(const struct placing *a, const struct placing *b)
{
	return a->start < b->end && b->start < a->end;
}

static inline bool share_core(const struct placing *a, const struct placing *b)
{
	for (int r = 0; r < RESOURCE_COUNT; r++)
		if (a->core[r] != CORE_UNUSED && b->core[r] != CORE_UNUSED && (a->core[r] == b->core[r] || a->core[r] == CORE_ALL || b->core[r] == CORE_ALL))
			return true;
	return false;
}

/* The cores a task holds: exactly those of its kind. */
static inline void assert_cores(const struct task_graph *g, int task, const struct placing *p)
{
	bool tc = g->kinds[task] == CORE_TC || g->kinds[task] == CORE_BOTH, vc = g->kinds[task] == CORE_VC || g->kinds[task] == CORE_BOTH;
	bool uses[RESOURCE_COUNT] = { tc, vc, g->kinds[task] == CORE_LINK }, spread = false;

	for (int r = 0; r < RESOURCE_COUNT; r++) {
		if (g->seconds[task] == 0 || !uses[r])
			assert_int_equal(p->core[r], CORE_UNUSED);
		else
			assert_true(p->core[r] == CORE_ALL || (p->core[r] >= 0 && p->core[r] < g->cores[r]));
		spread |= p->core[r] == CORE_ALL;
	}
	assert_true(p->end == p->start + (spread ? tasks_spread_seconds(g, task) : g->seconds[task]));
}

/* What a start waited for ends exactly then, and is what the wait says. */
static inline void assert_wait(const struct task_graph *g, const struct schedule *s, int task)
{
	const struct placing *p = &s->tasks[task];
	bool input = false;

	if (p->wait == WAIT_NOTHING) {
		assert_int_equal(p->waited_for, -1);
		assert_true(p->start == 0);
		return;
	}
	assert_in_range(p->waited_for, 0, s->count - 1);
	assert_true(s->tasks[p->waited_for].end == p->start);
	for (int k = g->first_input[task]; k < g->first_input[task + 1]; k++)
		input |= g->inputs[k] == p->waited_for;
	if (p->wait == WAIT_INPUT) {
		assert_true(input && p->start == p->ready);
	} else {
		assert_true(p->start > p->ready);
		/* cores are kept for what may spread, and for nothing else */
		assert_true(p->wait == WAIT_KEPT ? g->spread != NULL : share_core(p, &s->tasks[p->waited_for]));
	}
}

static inline void assert_schedule(const struct task_graph *g, const struct schedule *s)
{
	double last = 0;

	assert_int_equal(s->count, g->count);
	for (int i = 0; i < g->count; i++) {
		const struct placing *p = &s->tasks[i];
		double ready = 0;

		for (int k = g->first_input[i]; k < g->first_input[i + 1]; k++)
			ready = fmax(ready, s->tasks[g->inputs[k]].end);
		assert_true(p->ready == ready && p->start >= ready);
		assert_cores(g, i, p);
		assert_wait(g, s, i);
		for (int j = 0; j < i; j++)
			assert_false(overlap(p, &s->tasks[j]) && share_core(p, &s->tasks[j]));
		last = fmax(last, p->end);
	}
	assert_true(s->makespan == last);
}

static inline void list(const struct task_graph *g, struct bounds *b, struct schedule *s)
{
	bounds_measure(g, b);
	list_schedule(g, b, s);
}

#endif
