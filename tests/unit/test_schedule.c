/* Bounds and list schedules beside oracles: paths walked one by one, schedules by hand, and the rules a schedule obeys. */
#include "base/memory.h"

#include <string.h>

#include "tests/unit/schedule_help.h"

/* ---- bounds ---- */

/* The longest of all paths that end with the task's start, or begin with it: each walked by itself. */
static double longest_before(const struct task_graph *g, int task)
{
	double longest = 0;

	for (int k = g->first_input[task]; k < g->first_input[task + 1]; k++)
		longest = fmax(longest, longest_before(g, g->inputs[k]) + tasks_spread_seconds(g, g->inputs[k]));
	return longest;
}

static double longest_from(const struct task_graph *g, int task)
{
	double longest = 0;

	for (int i = task + 1; i < g->count; i++)
		for (int k = g->first_input[i]; k < g->first_input[i + 1]; k++)
			if (g->inputs[k] == task)
				longest = fmax(longest, longest_from(g, i));
	return longest + tasks_spread_seconds(g, task);
}

static void bounds_equal_the_paths_walked(void **state)
{
	static struct random_tasks r = { .state = 1 };
	struct bounds b = { 0 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		double path = 0, work[RESOURCE_COUNT] = { 0 }, most;

		random_fill(&r, 1 + random_under(&r, 12), 12, 9, round % 2 == 1);
		bounds_measure(&r.graph, &b);
		for (int i = 0; i < r.graph.count; i++)
			path = fmax(path, longest_from(&r.graph, i));
		assert_true(b.path == path);
		for (int i = 0; i < r.graph.count; i++) {
			double asap = longest_before(&r.graph, i), slack = path - asap - longest_from(&r.graph, i);

			assert_true(b.tasks[i].asap == asap);
			assert_true(b.tasks[i].alap == asap + slack);
			assert_true(b.tasks[i].slack == slack);
			assert_int_equal(b.tasks[i].critical, slack == 0);
			if (round % 2 == 1)
				continue;
			work[RESOURCE_TC] += r.kinds[i] == CORE_TC || r.kinds[i] == CORE_BOTH ? r.seconds[i] : 0;
			work[RESOURCE_VC] += r.kinds[i] == CORE_VC || r.kinds[i] == CORE_BOTH ? r.seconds[i] : 0;
			work[RESOURCE_LINK] += r.kinds[i] == CORE_LINK ? r.seconds[i] : 0;
		}
		most = path;
		for (int k = 0; k < RESOURCE_COUNT && round % 2 == 0; k++) {
			assert_true(fabs(b.work[k] - work[k] / r.graph.cores[k]) < 1e-9);
			most = fmax(most, work[k] / r.graph.cores[k]);
		}
		if (round % 2 == 0)
			assert_true(fabs(b.makespan - most) < 1e-9);
	}
	bounds_free(&b);
}

/* Six tenths by two ways round: 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ by a rounding, and both are critical. */
static void roundings_are_no_slack(void **state)
{
	const double seconds[] = { 0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0 };
	const unsigned char kinds[7] = { CORE_NONE };
	const int first[] = { 0, 0, 1, 2, 2, 3, 4, 6 }, inputs[] = { 0, 1, 3, 4, 2, 5 };
	struct task_graph g = { .count = 7, .seconds = seconds, .kinds = kinds, .first_input = first, .inputs = inputs };
	struct bounds b = { 0 };

	(void)state;
	assert_true(0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1);
	bounds_measure(&g, &b);
	for (int i = 0; i < 7; i++) {
		assert_true(b.tasks[i].critical);
		assert_true(b.tasks[i].slack == 0);
	}
	bounds_free(&b);
}

/* ---- list scheduling ---- */

static void list_schedules_obey_the_rules(void **state)
{
	static struct random_tasks r = { .state = 2 };
	struct bounds b = { 0 };
	struct schedule s = { 0 };

	(void)state;
	for (int round = 0; round < 600; round++) {
		int window = 1 + random_under(&r, 20);

		random_fill(&r, random_under(&r, 60), window, 9, round % 2 == 1);
		list(&r.graph, &b, &s);
		assert_schedule(&r.graph, &s);
		assert_true(s.makespan >= b.makespan * (1 - 1e-12));
	}
	bounds_free(&b);
	schedule_free(&s);
}

/* True when a core of every resource of the task idles at `time`, counted from the schedule alone. */
static bool could_run(const struct task_graph *g, const struct schedule *s, int task, double time)
{
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		int busy = 0;

		if (!core_uses(g->kinds[task], r))
			continue;
		for (int i = 0; i < g->count; i++)
			if (s->tasks[i].core[r] != CORE_UNUSED && s->tasks[i].start <= time && time < s->tasks[i].end)
				busy += s->tasks[i].core[r] == CORE_ALL ? g->cores[r] : 1;
		if (busy >= g->cores[r])
			return false;
	}
	return true;
}

/* Where none may spread no task waits while it could run, and of two that could start the one that must start first does. */
static void no_core_idles_for_a_ready_task(void **state)
{
	static struct random_tasks r = { .state = 3 };
	struct bounds b = { 0 };
	struct schedule s = { 0 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		random_fill(&r, 30, 10, 9, false);
		list(&r.graph, &b, &s);
		for (int i = 0; i < 30; i++) {
			/* loads change at whole seconds only */
			for (double t = s.tasks[i].ready; t < s.tasks[i].start; t++)
				assert_false(could_run(&r.graph, &s, i, t));
			for (int j = 0; j < 30; j++)
				if (r.kinds[i] == r.kinds[j] && r.seconds[i] > 0 && r.seconds[j] > 0 && s.tasks[i].ready <= s.tasks[j].start &&
				    s.tasks[j].start < s.tasks[i].start && r.kinds[i] != CORE_NONE)
					assert_true(b.tasks[j].alap < b.tasks[i].alap || (b.tasks[j].alap == b.tasks[i].alap && j < i));
		}
	}
	bounds_free(&b);
	schedule_free(&s);
}

/* With a core for every task the longest path is the makespan, and every task starts with its inputs. */
static void unlimited_cores_give_the_longest_path(void **state)
{
	static struct random_tasks r = { .state = 4 };
	struct bounds b = { 0 };
	struct schedule s = { 0 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		random_fill(&r, 40, 15, 9, false);
		for (int k = 0; k < RESOURCE_COUNT; k++)
			r.graph.cores[k] = round % 2 == 0 ? 40 : 1 << 30;
		list(&r.graph, &b, &s);
		assert_schedule(&r.graph, &s);
		assert_true(s.makespan == b.path && b.makespan == b.path);
		for (int i = 0; i < 40; i++)
			assert_true(s.tasks[i].start == b.tasks[i].asap);
	}
	bounds_free(&b);
	schedule_free(&s);
}

/* Three tensor tasks and two cores: the two long ones at once, the third where the first ended.  By hand. */
static void a_small_schedule_by_hand(void **state)
{
	const double seconds[] = { 4, 2, 3, 1, 5 };
	const unsigned char kinds[] = { CORE_TC, CORE_TC, CORE_TC, CORE_BOTH, CORE_VC };
	const int first[] = { 0, 0, 0, 0, 2, 2 }, inputs[] = { 0, 1 };
	struct task_graph g = { .count = 5, .seconds = seconds, .kinds = kinds, .first_input = first, .inputs = inputs, .cores = { 2, 1, 0 } };
	/* latest starts against the path 4 + 1: 0, 2, 2, 4, 0.  Task 1 goes before task 2 by its index. */
	static const struct placing expected[] = {
		{ 0, 0, 4, { 0, -1, -1 }, WAIT_NOTHING, -1 },
		{ 0, 0, 2, { 1, -1, -1 }, WAIT_NOTHING, -1 },
		{ 0, 2, 5, { 1, -1, -1 }, WAIT_CORE, 1 },
		{ 4, 5, 6, { 0, 0, -1 }, WAIT_CORE, 4 },         /* a tensor core is free from 4, the vector core from 5 */
		{ 0, 0, 5, { -1, 0, -1 }, WAIT_NOTHING, -1 },
	};
	struct bounds b = { 0 };
	struct schedule s = { 0 };
	struct diagnostic d;

	(void)state;
	assert_int_equal(tasks_check(&g, &d), STATUS_OK);
	list(&g, &b, &s);
	assert_true(b.makespan == 6 && b.by == BOUND_BY_VC);
	assert_true(s.makespan == 6);
	for (int i = 0; i < 5; i++) {
		assert_true(s.tasks[i].ready == expected[i].ready && s.tasks[i].start == expected[i].start && s.tasks[i].end == expected[i].end);
		assert_memory_equal(s.tasks[i].core, expected[i].core, sizeof expected[i].core);
		assert_int_equal(s.tasks[i].wait, expected[i].wait);
		assert_int_equal(s.tasks[i].waited_for, expected[i].waited_for);
	}
	bounds_free(&b);
	schedule_free(&s);
}

/* Two tasks run side by side where one after the other, each on both cores, would end later; the third, alone, spreads when that is sooner. */
static void tasks_spread_where_that_ends_sooner(void **state)
{
	const double seconds[] = { 4, 4, 4 }, spread[] = { 3, 3, 3 }, slow[] = { 4, 5, 0 };
	const unsigned char kinds[] = { CORE_TC, CORE_TC, CORE_BOTH };
	const int first[] = { 0, 0, 0, 2 }, inputs[] = { 0, 1 };
	struct task_graph g = { .count = 3, .seconds = seconds, .kinds = kinds, .first_input = first, .inputs = inputs, .cores = { 2, 1, 0 },
				.spread = random_spread, .spread_context = spread };
	struct bounds b = { 0 };
	struct schedule s = { 0 };

	(void)state;
	list(&g, &b, &s);
	assert_int_equal(s.tasks[0].core[RESOURCE_TC], 0);
	assert_int_equal(s.tasks[1].core[RESOURCE_TC], 1);
	assert_int_equal(s.tasks[2].core[RESOURCE_TC], CORE_ALL);
	assert_int_equal(s.tasks[2].core[RESOURCE_VC], CORE_ALL);
	assert_true(s.makespan == 7);
	g.spread_context = slow;
	list(&g, &b, &s);
	assert_int_equal(s.tasks[2].core[RESOURCE_TC], 0);
	assert_true(s.makespan == 8);
	bounds_free(&b);
	schedule_free(&s);
}

/* Of two tasks the second is ready just after the first could start.  Spread over both cores each would be a little shorter, and the step longer. */
static void little_is_not_worth_all_cores(void **state)
{
	const double seconds[] = { 10, 1, 10 }, spread[] = { 9, 0, 9 }, half[] = { 5, 0, 5 };
	const unsigned char kinds[] = { CORE_TC, CORE_VC, CORE_TC };
	const int first[] = { 0, 0, 0, 1 }, inputs[] = { 1 };
	struct task_graph g = { .count = 3, .seconds = seconds, .kinds = kinds, .first_input = first, .inputs = inputs, .cores = { 2, 1, 0 },
				.spread = random_spread, .spread_context = spread };
	struct bounds b = { 0 };
	struct schedule s = { 0 };

	(void)state;
	list(&g, &b, &s);
	assert_true(s.makespan == 11 && !schedule_spreads(&s, 0) && !schedule_spreads(&s, 2));
	g.spread_context = half;
	list(&g, &b, &s);
	assert_true(s.makespan == 10 && schedule_spreads(&s, 0) && schedule_spreads(&s, 2));
	bounds_free(&b);
	schedule_free(&s);
}

/* The same graph again, and after another one in the same memory: the same bytes. */
static void schedules_are_deterministic(void **state)
{
	static struct random_tasks r = { .state = 5 }, other = { .state = 6 };
	struct bounds b = { 0 };
	struct schedule s = { 0 }, again = { 0 };

	(void)state;
	for (int round = 0; round < 50; round++) {
		random_fill(&r, 200, 40, 4, round % 2 == 1);
		random_fill(&other, 1 + random_under(&other, 400), 40, 4, true);
		list(&r.graph, &b, &s);
		list(&other.graph, &b, &again);
		list(&r.graph, &b, &again);
		assert_int_equal(s.count, again.count);
		for (int i = 0; i < s.count; i++) {
			assert_true(s.tasks[i].start == again.tasks[i].start && s.tasks[i].end == again.tasks[i].end);
			assert_memory_equal(s.tasks[i].core, again.tasks[i].core, sizeof s.tasks[i].core);
			assert_int_equal(s.tasks[i].waited_for, again.tasks[i].waited_for);
		}
	}
	bounds_free(&b);
	schedule_free(&s);
	schedule_free(&again);
}

/* ---- bad input ---- */

static void impossible_graphs_are_refused(void **state)
{
	double seconds[] = { 1, 2 };
	unsigned char kinds[] = { CORE_TC, CORE_LINK };
	int first[] = { 0, 0, 1 }, inputs[] = { 0 };
	struct task_graph g = { .count = 2, .seconds = seconds, .kinds = kinds, .first_input = first, .inputs = inputs, .cores = { 1, 0, 1 } };
	struct diagnostic d;

	(void)state;
	assert_int_equal(tasks_check(&g, &d), STATUS_OK);
	g.cores[RESOURCE_LINK] = 0;
	assert_int_equal(tasks_check(&g, &d), STATUS_INFEASIBLE);
	assert_non_null(strstr(d.text, "task 1 needs a link"));
	g.cores[RESOURCE_LINK] = 1;
	inputs[0] = 1;
	assert_int_equal(tasks_check(&g, &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "task 1 reads task 1"));
	inputs[0] = -1;
	assert_int_equal(tasks_check(&g, &d), STATUS_INPUT);
	inputs[0] = 0;
	for (int i = 0; i < 3; i++) {
		seconds[1] = i == 0 ? -1 : i == 1 ? NAN : INFINITY;
		assert_int_equal(tasks_check(&g, &d), STATUS_INPUT);
		assert_non_null(strstr(d.text, "task 1 takes"));
	}
	seconds[0] = seconds[1] = 1e308;
	assert_int_equal(tasks_check(&g, &d), STATUS_INPUT);
	seconds[0] = 1;
	kinds[1] = CORE_KIND_COUNT;
	assert_int_equal(tasks_check(&g, &d), STATUS_INPUT);
	kinds[1] = CORE_VC;
	assert_int_equal(tasks_check(&g, &d), STATUS_INFEASIBLE);
	assert_non_null(strstr(d.text, "vector core"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_equal_the_paths_walked),
		cmocka_unit_test(roundings_are_no_slack),
		cmocka_unit_test(list_schedules_obey_the_rules),
		cmocka_unit_test(no_core_idles_for_a_ready_task),
		cmocka_unit_test(unlimited_cores_give_the_longest_path),
		cmocka_unit_test(a_small_schedule_by_hand),
		cmocka_unit_test(tasks_spread_where_that_ends_sooner),
		cmocka_unit_test(little_is_not_worth_all_cores),
		cmocka_unit_test(schedules_are_deterministic),
		cmocka_unit_test(impossible_graphs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
