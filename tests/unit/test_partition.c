/* The exact searches against brute force that knows nothing of elimination, on random nets. */
#include "partition/costs.h"
#include "partition/solve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"

/* Calls visit with every assignment of the cells (variable x level) that the solver and its pins allow. */
struct brute {
	const struct problem *problem;
	const struct plan_request *request;
	signed char states[64];
	int first, last;         /* cells var * levels + level to be tried */
	double least;
	int level;               /* 0: the whole plan's cost, else that level's */
};

static bool brute_allows(const struct brute *b, int cell, int state)
{
	int v = cell / b->request->levels, h = cell % b->request->levels;
	int pin = b->request->pins != NULL ? b->request->pins[v * LEVELS_MAX + h] : NO_STATE;

	if (state >= comm_states(b->problem->vars[v].role))
		return false;
	if (pin == NO_STATE && b->problem->vars[v].role != ROLE_JUNCTION && h < b->request->tensor_levels)
		return state != SPLIT_DP;
	return pin != NO_STATE ? pin == state : solver_states(b->request, &b->problem->vars[v], h) >> state & 1;
}

static void brute_all(struct brute *b, int cell)
{
	if (cell == b->problem->var_count * b->request->levels) {
		struct plan *plan = plan_evaluate(b->problem, b->request, b->states);
		double value = b->level > 0 ? plan->level[b->level - 1].cost : plan->cost;

		b->least = fmin(b->least, value);
		plan_free(plan);
		return;
	}
	if (b->level > 0 && cell % b->request->levels != b->level - 1) {
		brute_all(b, cell + 1);
		return;
	}
	for (int state = 0; state < STATES_MAX; state++)
		if (brute_allows(b, cell, state)) {
			b->states[cell] = (signed char)state;
			brute_all(b, cell + 1);
		}
}

/* Elements, or seconds of links of any speed; latencies matter in half of these. */
static void random_prices(struct random *r, struct prices *p)
{
	memset(p, 0, sizeof *p);
	p->objective = random_below(r, 2) ? OBJECTIVE_TIME : OBJECTIVE_ELEMENTS;
	for (int h = 0; h < LEVELS_MAX; h++) {
		p->element_s[h] = 1e-9 * (1 + random_below(r, 1000));
		p->message_s[h] = random_below(r, 2) ? 1e-6 * random_below(r, 10000) : 0;
	}
}

static struct plan_request random_request(struct random *r, enum solver solver, int levels)
{
	static const double batches[] = { 1, 2, 7, 32, 256, 4096 };

	struct plan_request q = { .solver = solver, .types = 2 + (int)random_below(r, 2), .levels = levels,
		.batch = batches[random_below(r, 6)], .comm_model = (enum comm_model)random_below(r, 2), .pooled = random_below(r, 2) };

	random_prices(r, &q.prices);
	if (random_below(r, 2)) {
		q.tensor_levels = (int)random_below(r, (unsigned)levels + 1);
		q.replicas = 1 + random_below(r, 3);
	}
	return q;
}

static void random_pins(struct random *r, const struct problem *p, signed char *pins, unsigned one_in)
{
	memset(pins, NO_STATE, (size_t)p->var_count * LEVELS_MAX);
	for (int v = 0; v < p->var_count; v++)
		for (int h = 0; h < LEVELS_MAX; h++)
			if (random_below(r, one_in) == 0)
				pins[v * LEVELS_MAX + h] = (signed char)random_below(r, (unsigned)comm_states(p->vars[v].role));
}

static void joint_equals_brute_force(void **state)
{
	struct random r = { 11 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		int levels = 1 + (int)random_below(&r, 2);
		struct model *m = random_model(&r, levels == 1 ? 8 : 4, random_below(&r, 3) == 0);
		struct problem *p = problem_new(m);
		struct plan_request q = random_request(&r, SOLVER_JOINT, levels);
		signed char pins[16 * LEVELS_MAX];
		struct search *s = search_new(p);
		struct brute b = { .problem = p, .request = &q, .least = INFINITY };
		struct plan *plan;

		random_pins(&r, p, pins, 6);
		q.pins = round % 2 ? pins : NULL;
		plan = search_plan(s, &q, NULL);
		brute_all(&b, 0);
		assert_true(plan->exact);
		assert_true(fabs(plan->cost - b.least) <= 1e-12 * b.least);
		plan_free(plan);
		search_free(s);
		problem_release(p);
		model_free(m);
	}
}

static void each_level_is_optimal_on_what_the_levels_above_left(void **state)
{
	struct random r = { 12 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct model *m = random_model(&r, 6, round % 3 == 0);
		struct problem *p = problem_new(m);
		struct plan_request q = random_request(&r, round % 2 ? SOLVER_HYPAR : SOLVER_ACCPAR, 3);
		signed char pins[16 * LEVELS_MAX];
		struct search *s = search_new(p);
		struct plan *plan;

		random_pins(&r, p, pins, 6);
		q.pins = round % 4 < 2 ? pins : NULL;
		plan = search_plan(s, &q, NULL);
		for (int level = 1; level <= 3; level++) {
			struct brute b = { .problem = p, .request = &q, .least = INFINITY, .level = level };

			for (int v = 0; v < p->var_count; v++)
				for (int h = 1; h <= 3; h++)
					b.states[v * 3 + h - 1] = (signed char)plan_state(plan, p->vars[v].row, h);
			brute_all(&b, 0);
			assert_true(fabs(plan->level[level - 1].cost - b.least) <= 1e-12 * b.least);
		}
		plan_free(plan);
		search_free(s);
		problem_release(p);
		model_free(m);
	}
}

/* MODELS 2.5: plan_elements equals re-solving with a pin at that level; for joint, of the whole plan. */
static void margins_equal_solving_again_with_a_pin(void **state)
{
	struct random r = { 13 };
	static const enum solver solvers[] = { SOLVER_DP, SOLVER_MP, SOLVER_OWT, SOLVER_HYPAR, SOLVER_ACCPAR, SOLVER_JOINT };

	(void)state;
	for (int round = 0; round < 240; round++) {
		int levels = 1 + (int)random_below(&r, 3);
		struct model *m = random_model(&r, 3 + (int)random_below(&r, 8), round % 3 == 0);
		struct problem *p = problem_new(m);
		struct plan_request q = random_request(&r, solvers[round % 6], levels);
		signed char pins[16 * LEVELS_MAX], forced[16 * LEVELS_MAX];
		struct search *s = search_new(p), *again = search_new(p);
		struct plan *plan;
		struct margins *margins;

		random_pins(&r, p, pins, 7);
		q.pins = pins;
		plan = search_plan(s, &q, NULL);
		margins = search_margins(s, NULL);
		for (int v = 0; v < p->var_count; v++)
			for (int level = 1; level <= levels; level++)
				for (int f = 0; f < STATES_MAX; f++) {
					struct plan_request pinned = q;
					double value = margins_value(margins, p->vars[v].row, level, f), solved;
					struct plan *other;

					if (isnan(value)) {
						assert_false(solver_states(&q, &p->vars[v], level - 1) >> f & 1);
						continue;
					}
					memcpy(forced, pins, sizeof forced);
					forced[v * LEVELS_MAX + level - 1] = (signed char)f;
					pinned.pins = forced;
					other = search_plan(again, &pinned, NULL);
					solved = q.solver == SOLVER_JOINT ? other->cost : other->level[level - 1].cost;
					assert_true(fabs(value - solved) <= 1e-12 * solved);
					plan_free(other);
				}
		margins_free(margins);
		plan_free(plan);
		search_free(s);
		search_free(again);
		problem_release(p);
		model_free(m);
	}
}

static void incremental_equals_from_scratch_after_random_edits(void **state)
{
	struct random r = { 14 };

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct model *m = random_model(&r, 4 + (int)random_below(&r, 12), round % 3 == 0);
		struct problem *p = problem_new(m);
		struct search *kept = search_new(p);
		struct plan_request q = random_request(&r, SOLVER_HYPAR, 4);
		signed char pins[20 * LEVELS_MAX];

		random_pins(&r, p, pins, 1000000);
		q.pins = pins;
		for (int edit = 0; edit < 30; edit++) {
			struct search *fresh = search_new(p);
			struct plan *a, *b;

			switch (random_below(&r, 9)) {
			case 0: q.batch = 1 << random_below(&r, 12); break;
			case 1: q.solver = (enum solver)random_below(&r, SOLVER_COUNT); break;
			case 2: q.comm_model = (enum comm_model)random_below(&r, 2); break;
			case 3: q.pooled = !q.pooled; break;
			case 4: q.levels = (int)random_below(&r, 5); break;
			case 5: random_prices(&r, &q.prices); break;
			default: {
				unsigned v = random_below(&r, (unsigned)p->var_count);

				pins[v * LEVELS_MAX + random_below(&r, 4)] = (signed char)((int)random_below(&r, 3) - 1);
			}
			}
			a = search_plan(kept, &q, NULL);
			b = search_plan(fresh, &q, NULL);
			assert_true(a->elements == b->elements);
			assert_memory_equal(a->states, b->states, (size_t)a->rows * (size_t)a->levels);
			plan_free(a);
			plan_free(b);
			search_free(fresh);
		}
		search_free(kept);
		problem_release(p);
		model_free(m);
	}
}

/* A pin on the last layer of a chain touches that layer's costs and one message of its level, and what changes below. */
static void an_edit_of_one_layer_redoes_only_what_it_touches(void **state)
{
	struct random r = { 15 };
	struct model *m = random_model(&r, 400, true);
	struct problem *p = problem_new(m);
	struct search *s = search_new(p);
	struct plan_request q = { .solver = SOLVER_HYPAR, .types = 2, .levels = 4, .batch = 256 };
	signed char *pins = memory_alloc((size_t)p->var_count * LEVELS_MAX, 1);
	unsigned long all;

	(void)state;
	memset(pins, NO_STATE, (size_t)p->var_count * LEVELS_MAX);
	q.pins = pins;
	plan_free(search_plan(s, &q, NULL));
	all = search_work(s);
	plan_free(search_plan(s, &q, NULL));
	assert_int_equal(search_work(s), 0);
	pins[(p->var_count - 1) * LEVELS_MAX + 3] = SPLIT_MP;
	plan_free(search_plan(s, &q, NULL));
	assert_in_range(search_work(s), 1, 2);
	assert_true(all > 4000);
	memory_free(pins);
	search_free(s);
	problem_release(p);
	model_free(m);
}

/* What a level exchanges is constant + slope x batch under fixed choices. */
static void cost_lines_pass_through_other_batches(void **state)
{
	struct random r = { 16 };

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct model *m = random_model(&r, 8, false);
		struct problem *p = problem_new(m);
		struct plan_request q = random_request(&r, SOLVER_ACCPAR, 3), other = q;
		struct search *s = search_new(p);
		struct plan *plan = search_plan(s, &q, NULL), *moved;
		signed char states[64];
		double constant[3], slope[3];

		for (int v = 0; v < p->var_count; v++)
			for (int h = 0; h < 3; h++)
				states[v * 3 + h] = (signed char)plan_state(plan, p->vars[v].row, h + 1);
		other.batch = q.batch * 2 + 1;
		moved = plan_evaluate(p, &other, states);
		plan_elements_lines(p, &q, plan, constant, slope);
		for (int h = 0; h < 3; h++)
			assert_true(fabs(constant[h] + slope[h] * other.batch - moved->level[h].per_pair) <= 1e-9 * moved->level[h].per_pair);
		plan_free(plan);
		plan_free(moved);
		search_free(s);
		problem_release(p);
		model_free(m);
	}
}

/* A search that is stopped ends without a plan, also before its costs are all there, whatever is too wide for it. */
static void a_stopped_search_ends(void **state)
{
	struct random r = { 17 };

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct model *m = random_model(&r, 40, round % 2);
		struct problem *p = problem_new(m);
		struct plan_request q = random_request(&r, SOLVER_JOINT, 6 + round % 4);
		struct search *s = search_new(p);
		atomic_bool stop = true;

		assert_null(search_plan(s, &q, &stop));
		search_free(s);
		problem_release(p);
		model_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joint_equals_brute_force),
		cmocka_unit_test(each_level_is_optimal_on_what_the_levels_above_left),
		cmocka_unit_test(margins_equal_solving_again_with_a_pin),
		cmocka_unit_test(incremental_equals_from_scratch_after_random_edits),
		cmocka_unit_test(an_edit_of_one_layer_redoes_only_what_it_touches),
		cmocka_unit_test(cost_lines_pass_through_other_batches),
		cmocka_unit_test(a_stopped_search_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
