/* What one accelerator holds: the true largest part, level by level, and followers in their producer's layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "partition/shares.h"
#include "partition/solve.h"
#include "tests/unit/random_model.h"
#include "tests/unit/reference.h"

/* The largest group at each halving gets the larger half. */
static int64_t halve(int64_t size)
{
	return size - size / 2;
}

struct held {
	int64_t batch, in, out;
};

/* Level by level, as groups of accelerators do it. */
static struct held hold(const struct operator *o, const struct plan *plan, int row, int64_t batch)
{
	struct held h = { batch, o->in.ch, plan->junction[row] && o->heads > 0 ? o->heads : o->out.ch };
	int64_t groups = o->groups, in_each = groups > 1 ? o->in.ch / groups : 0, out_each = groups > 1 ? o->out.ch / groups : 0;

	for (int level = 1; level <= plan->levels; level++) {
		int state = plan_state(plan, row, level);

		if (plan->junction[row]) {
			h.batch = state == LAYOUT_ROW ? halve(h.batch) : h.batch;
			h.out = state == LAYOUT_COL ? halve(h.out) : h.out;
		} else if (state == SPLIT_MP && o->groups > 1) {
			groups = halve(groups);
		} else {
			h.batch = state == SPLIT_DP ? halve(h.batch) : h.batch;
			h.in = state == SPLIT_MP ? halve(h.in) : h.in;
			h.out = state == SPLIT_OP ? halve(h.out) : h.out;
		}
	}
	if (o->groups > 1 && !plan->junction[row]) {
		h.in = groups * in_each;
		h.out = groups * out_each;
	}
	return h;
}

static struct plan *make_plan(struct problem *p, enum solver solver, int levels, double batch, struct search **search)
{
	struct plan_request request = { .solver = solver, .types = 3, .levels = levels, .batch = batch };

	*search = search_new(p);
	return search_plan(*search, &request, NULL);
}

static void check_model(const struct model *m, enum solver solver, int levels, int64_t batch)
{
	struct problem *p = problem_new((struct model *)m);
	struct search *search;
	struct plan *plan = make_plan(p, solver, levels, (double)batch, &search);
	struct share *shares = memory_alloc((size_t)m->count, sizeof *shares);

	shares_of(m, p, plan, batch, NULL, shares);
	for (int row = 0; row < m->count; row++) {
		const struct operator *o = &m->operators[row];
		const struct share *s = &shares[row];
		struct held h;

		assert_true(s->batch >= 1 && s->in_ch >= 1 && s->out_ch >= 1 && s->groups >= 1 && s->heads >= 1);
		assert_true(s->batch <= batch && s->in_ch <= o->in.ch && s->out_ch <= o->out.ch);
		if (p->var_of_row[row] < 0) {
			/* a follower keeps what its producer hands on */
			if (o->inputs[0] != MODEL_INPUT && o->out.ch == m->operators[o->inputs[0]].out.ch) {
				assert_int_equal(s->batch, shares[o->inputs[0]].batch);
				assert_int_equal(s->out_ch, shares[o->inputs[0]].out_ch);
			}
			continue;
		}
		h = hold(o, plan, row, batch);
		assert_int_equal(s->batch, h.batch);
		if (plan->junction[row] && o->heads > 0) {
			assert_int_equal(s->heads, h.out);
			continue;
		}
		assert_int_equal(s->out_ch, h.out);
		if (!plan->junction[row])
			assert_int_equal(s->in_ch, h.in);
	}
	memory_free(shares);
	plan_free(plan);
	search_free(search);
	problem_release(p);
}

static void shares_halve_level_by_level(void **state)
{
	static const enum solver solvers[] = { SOLVER_DP, SOLVER_MP, SOLVER_HYPAR, SOLVER_ACCPAR };
	struct random r = { 91 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct model *m = random_model(&r, 1 + (int)random_below(&r, 12), round % 3 == 0);

		check_model(m, solvers[round % 4], (int)random_below(&r, 6), 1 + (int64_t)random_below(&r, 300));
		model_free(m);
	}
}

/* Unlike halves: what H1 splits, the two have together, each with at least one; alike half are the even ones. */
static void halves_have_it_all_together(void **state)
{
	struct random r = { 92 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct model *m = random_model(&r, 1 + (int)random_below(&r, 12), round % 3 == 0);
		struct problem *p = problem_new(m);
		int64_t batch = 2 + (int64_t)random_below(&r, 300);
		struct search *search;
		struct plan *plan = make_plan(p, round % 2 ? SOLVER_ACCPAR : SOLVER_HYPAR, 1, (double)batch, &search);
		struct half first = { 0.05 + 0.9 * random_below(&r, 1000) / 1000, false }, second = { first.first, true };

		for (int v = 0; v < p->var_count; v++) {
			int row = p->vars[v].row;
			const struct operator *o = &m->operators[row];
			struct parts a = parts_of(o, plan, row, batch, &first), b = parts_of(o, plan, row, batch, &second);
			int64_t channels = plan->junction[row] && o->heads > 0 ? o->heads : o->out.ch;

			assert_true(a.batch >= 1 && b.batch >= 1 && a.in_ch >= 1 && b.in_ch >= 1 && a.out_ch >= 1 && b.out_ch >= 1);
			assert_true(a.batch_ways == 1 ? a.batch == batch && b.batch == batch : batch == 1 || a.batch + b.batch == batch || a.batch == 1 || b.batch == 1);
			if (o->groups > 1 && !plan->junction[row])
				continue;
			assert_true(a.in_ways == 1 ? a.in_ch == o->in.ch : a.in_ch + b.in_ch == o->in.ch || a.in_ch == 1 || b.in_ch == 1);
			assert_true(a.out_ways == 1 ? a.out_ch == channels : a.out_ch + b.out_ch == channels || a.out_ch == 1 || b.out_ch == 1);
			if (a.batch_ways > 1 && batch % 2 == 0)
				assert_int_equal(parts_of(o, plan, row, batch, &(struct half){ 0.5, random_below(&r, 2) }).batch, parts_of(o, plan, row, batch, NULL).batch);
		}
		plan_free(plan);
		search_free(search);
		problem_release(p);
		model_free(m);
	}
}

static void built_in_models_are_shared_out(void **state)
{
	static const char *const names[] = { "bert-base", "mobilenet-v2", "googlenet", "vgg-a" };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (int levels = 0; levels <= 6; levels += 3) {
			struct model *m = load_reference(names[i]);

			check_model(m, SOLVER_ACCPAR, levels, 256);
			check_model(m, SOLVER_MP, levels, 24);
			model_free(m);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_halve_level_by_level),
		cmocka_unit_test(halves_have_it_all_together),
		cmocka_unit_test(built_in_models_are_shared_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
