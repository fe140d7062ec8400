/* Flips against the solver asked at every batch, and the check numbers of MODELS 2.6. */
#include "model/load.h"
#include "partition/why.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "tests/unit/random_model.h"

static const struct flip_axis by_batch = { .knob = FLIP_BATCH, .from = 1, .to = BATCH_MAX };

/* Row 0's flips at one level, or another row's, cover all batches, change state at every corner, and say what the solver
 * says at every batch to `dense`, then at every `step`-th (0: a seventh more each time), to `last`.  Frees m; returns the corners. */
static int expect_flips(struct model *m, struct plan_request q, struct random *r, bool any_row, long dense, long step, long last)
{
	struct problem *p = problem_new(m);
	struct search *probe = search_new(p);
	struct plan *plan = search_plan(probe, &q, NULL);
	struct why_context c = { .model = m, .problem = p, .request = &q, .plan = plan, .element_bytes = 8 };
	int row = any_row ? p->vars[random_below(r, (unsigned)p->var_count)].row : 0, level = 1 + (int)random_below(r, (unsigned)q.levels);
	struct flips flips;
	int corners;

	assert_int_equal(why_flips(&c, probe, row, level, &by_batch, &flips), STATUS_OK);
	assert_int_equal(flips.segments[0].from, 1);
	assert_int_equal(flips.segments[flips.count - 1].to, BATCH_MAX);
	for (size_t i = 1; i < flips.count; i++) {
		assert_int_equal(flips.segments[i].from, flips.segments[i - 1].to + 1);
		assert_int_not_equal(flips.segments[i].state, flips.segments[i - 1].state);
	}
	for (long batch = 1; batch <= last; batch += batch < dense ? 1 : step > 0 ? step : batch / 7) {
		struct plan *here;

		q.batch = (double)batch;
		here = search_plan(probe, &q, NULL);
		assert_int_equal(plan_state(here, row, level), flips_state(&flips, (double)batch));
		plan_free(here);
	}
	corners = (int)flips.count - 1;
	flips_free(&flips);
	plan_free(plan);
	search_free(probe);
	problem_release(p);
	model_free(m);
	return corners;
}

static void flips_equal_the_solver_at_every_batch(void **state)
{
	struct random r = { 21 };
	static const enum solver solvers[] = { SOLVER_HYPAR, SOLVER_ACCPAR, SOLVER_JOINT };
	int corners = 0;

	(void)state;
	for (int round = 0; round < 90; round++) {
		int levels = 1 + (int)random_below(&r, 3);
		struct model *m = random_model(&r, 3 + (int)random_below(&r, 6), round % 2);
		struct plan_request q = { .solver = solvers[round % 3], .types = 2 + round % 2, .levels = levels, .batch = 64,
			.comm_model = (enum comm_model)random_below(&r, 2), .pooled = random_below(&r, 2) };

		corners += expect_flips(m, q, &r, true, 600, 0, BATCH_MAX);
	}
	assert_true(corners > 30);
}

/* One linear layer, jointly over six levels: its plans d = 0 .. 6 are lines of which three and more meet in one point, where
 * a search for corners may lose one.  fc 294 x 16: A(dW) 2^-m = A(F) B 2^-d at B = 294 x 2^k, and dp wins the ties. */
static void lines_that_meet_in_one_point_lose_no_corner(void **state)
{
	struct random r = { 22 };

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct model *m = random_model(&r, 1 + round % 2, true);
		struct plan_request q = { .solver = SOLVER_JOINT, .types = 2 + round % 2, .levels = 2 + (int)random_below(&r, 5), .batch = 64,
			.comm_model = (enum comm_model)random_below(&r, 2) };

		expect_flips(m, q, &r, false, 3000, 37, 40000);
	}
}

/* dp from the given batch on; figures, pooled, 2 accelerators.  fc3 4096x1000: A(dW) = A(F) at 4096 exactly, and dp wins the tie. */
static void check_numbers(void **state)
{
	static const struct { const char *model, *layer; long dp_from; } cases[] = {
		{ "vgg-a", "conv5_2", 38 }, { "vgg-e", "conv5_4", 38 }, { "vgg-a", "fc3", 4096 }, { "lenet-c", "fc1", 446 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct model *m;
		struct diagnostic d;
		struct problem *p;
		struct search *probe;
		struct plan_request q = { .solver = SOLVER_HYPAR, .types = 2, .levels = 1, .batch = 256, .comm_model = COMM_FIGURES, .pooled = true };
		struct why_context c;
		struct flips flips;
		struct plan *plan;

		assert_int_equal(model_load(cases[i].model, &m, NULL, &d), STATUS_OK);
		p = problem_new(m);
		probe = search_new(p);
		plan = search_plan(probe, &q, NULL);
		c = (struct why_context){ .model = m, .problem = p, .request = &q, .plan = plan, .element_bytes = 8 };
		assert_int_equal(why_flips(&c, probe, model_find(m, cases[i].layer, NULL, &d), 1, &by_batch, &flips), STATUS_OK);
		assert_int_equal(flips.segments[0].state, SPLIT_MP);
		assert_int_equal(flips.segments[1].from, cases[i].dp_from);
		assert_int_equal(flips.segments[1].state, SPLIT_DP);
		flips_free(&flips);
		plan_free(plan);
		search_free(probe);
		problem_release(p);
		model_free(m);
	}
}

/* What the solver chooses at a bandwidth. */
static int choice_at(struct search *probe, const struct plan_request *request, const struct flip_axis *axis, double bandwidth, int row, int level)
{
	struct plan_request q = *request;
	struct plan *plan;
	int state;

	q.prices = flip_prices(axis, 1 / bandwidth);
	plan = search_plan(probe, &q, NULL);
	state = plan_state(plan, row, level);
	plan_free(plan);
	return state;
}

/* Links of which some take the bandwidth and some have their own, with latencies or without: the solver at bandwidths all over the range, and on both
 * sides of each flip, chooses what the flips say. */
static void flips_of_bandwidth_equal_the_solver(void **state)
{
	struct random r = { 23 };
	static const enum solver solvers[] = { SOLVER_HYPAR, SOLVER_ACCPAR, SOLVER_JOINT };
	int corners = 0;

	(void)state;
	for (int round = 0; round < 150; round++) {
		int levels = 1 + (int)random_below(&r, 4), row, level;
		struct model *m = random_model(&r, 3 + (int)random_below(&r, 6), round % 2);
		struct problem *p = problem_new(m);
		struct search *probe = search_new(p);
		struct plan_request q = { .solver = solvers[round % 3], .types = 2 + round % 2, .levels = levels, .batch = 1 << random_below(&r, 12) };
		struct flip_axis axis = { .knob = FLIP_BANDWIDTH, .from = 1000, .to = 1000000000000000, .fixed.objective = OBJECTIVE_TIME, .falling.objective = OBJECTIVE_TIME };
		struct why_context c = { .model = m, .problem = p, .request = &q };
		struct flips flips;

		for (int h = 0; h < levels; h++) {
			bool own = round % 5 > 1 && random_below(&r, 3) == 0;

			*(own ? &axis.fixed.element_s[h] : &axis.falling.element_s[h]) = own ? 1e-11 * (1 + random_below(&r, 500)) : round % 5 <= 1 ? 4.0 * (1 << h) / 16 : 1 << random_below(&r, 5);
			axis.fixed.message_s[h] = round % 5 != 0 && random_below(&r, 2) ? 1e-7 * random_below(&r, 1000) : 0;
		}
		q.prices.objective = OBJECTIVE_TIME;
		row = p->vars[random_below(&r, (unsigned)p->var_count)].row;
		level = 1 + (int)random_below(&r, (unsigned)levels);
		assert_int_equal(why_flips(&c, probe, row, level, &axis, &flips), STATUS_OK);
		assert_true(flips.segments[0].from == axis.from && flips.segments[flips.count - 1].to == axis.to);
		for (size_t i = 0; i < flips.count; i++) {
			const struct flip_segment *s = &flips.segments[i];

			assert_true(i == 0 || (s->from == s[-1].to + 1 && s->state != s[-1].state));
			assert_int_equal(choice_at(probe, &q, &axis, (double)s->from, row, level), s->state);
			assert_int_equal(choice_at(probe, &q, &axis, (double)s->to, row, level), s->state);
		}
		for (double bandwidth = 1000; bandwidth < 1e15; bandwidth = floor(bandwidth * 1.37))
			assert_int_equal(choice_at(probe, &q, &axis, bandwidth, row, level), flips_state(&flips, bandwidth));
		corners += (int)flips.count - 1;
		flips_free(&flips);
		search_free(probe);
		problem_release(p);
		model_free(m);
	}
	assert_true(corners > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flips_equal_the_solver_at_every_batch),
		cmocka_unit_test(lines_that_meet_in_one_point_lose_no_corner),
		cmocka_unit_test(check_numbers),
		cmocka_unit_test(flips_of_bandwidth_equal_the_solver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
