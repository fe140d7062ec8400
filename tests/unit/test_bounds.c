/* Graphs too wide for the exact search, arrays as large as they come, and dimensions that do not divide. */
#include "model/load.h"
#include "partition/costs.h"
#include "partition/parts.h"
#include "partition/solve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"

/* Every add reads all rows before it: nothing but the whole graph is a separator.  Layers read the row before them; they are
 * wide inside and narrow outside, so that a forest holds most of what moves and its bound is near. */
static struct model *dense_model(struct random *r, int rows)
{
	struct arena arena = { NULL };
	struct model *m = arena_alloc(&arena, 1, sizeof *m);
	struct diagnostic d;

	m->operators = arena_alloc(&arena, (size_t)rows, sizeof *m->operators);
	m->name = m->path = m->format = "dense";
	m->count = rows;
	for (int i = 0; i < rows; i++) {
		struct operator *o = &m->operators[i];
		int *inputs = arena_alloc(&arena, (size_t)rows, sizeof *inputs);

		o->name = "n";
		o->kind = i == 0 || random_below(r, 3) == 0 ? OPERATOR_LINEAR : OPERATOR_ADD;
		o->groups = o->pool = 1;
		o->kernel = o->stride = (struct extent){ 1, 1 };
		o->in = (struct shape){ 16 * random_size(r), 1 + random_below(r, 4), 1 };
		o->conv_out = o->out = (struct shape){ 1 + random_below(r, 32), o->in.h, 1 };
		o->input_count = o->kind == OPERATOR_ADD ? i : 1;
		for (int k = 0; k < o->input_count; k++)
			inputs[k] = o->kind == OPERATOR_ADD ? k : i - 1;
		o->inputs = inputs;
		operator_measure(o, &d);
	}
	model_finish(m, &d);
	m->arena = arena;
	return m;
}

/* The true optimum by trying everything that is not yet dearer than the best: costs are never negative. */
struct oracle {
	const struct problem *problem;
	const struct plan_request *request;
	int states[24][4];
	double best;
};

static double oracle_cost(const struct oracle *o, int v)
{
	const struct problem_var *var = &o->problem->vars[v];
	struct halvings halved = { 0 };
	double cost = 0;

	for (int h = 0; h < o->request->levels; h++) {
		struct shard shard = costs_shard(var, o->request, halved);
		double here = comm_intra(var->role, o->states[v][h], &shard);

		for (int e = o->problem->first_in[v]; e < o->problem->first_in[v + 1]; e++) {
			const struct problem_edge *edge = &o->problem->edges[e];

			here += costs_edge_elements(edge, o->request, halved) *
				comm_edge(o->request->comm_model, o->problem->vars[edge->from].role, o->states[edge->from][h], var->role, o->states[v][h]);
		}
		cost += ldexp(here, h);
		halvings_add(&halved, var->role, o->states[v][h]);
	}
	return cost;
}

static void oracle_try(struct oracle *o, int v, double so_far)
{
	int count = 1;

	if (v == o->problem->var_count) {
		o->best = fmin(o->best, so_far);
		return;
	}
	for (int h = 0; h < o->request->levels; h++)
		count *= STATES_MAX;
	for (int code = 0; code < count; code++) {
		bool allowed = true;
		double cost;

		for (int h = 0, rest = code; h < o->request->levels; h++, rest /= STATES_MAX) {
			o->states[v][h] = rest % STATES_MAX;
			allowed &= solver_states(o->request, &o->problem->vars[v], h) >> o->states[v][h] & 1;
		}
		if (!allowed)
			continue;
		cost = so_far + oracle_cost(o, v);
		if (cost < o->best)
			oracle_try(o, v + 1, cost);
	}
}

static void check_claims(const struct plan *plan, double best)
{
	assert_true(plan->bound <= best * (1 + 1e-12));
	assert_true(best <= plan->elements * (1 + 1e-12));
	if (plan->exact)
		assert_true(fabs(best - plan->elements) <= 1e-12 * best && plan->bound == plan->elements);
	else
		assert_true(plan->bound < plan->elements);
}

/* bound <= true optimum <= elements <= the level-by-level plan, and nothing claimed that is not so. */
static void check_wide(struct random *r, int rows, int levels, int *inexact)
{
	static const double batches[] = { 8, 32, 64, 128 };
	struct model *m = dense_model(r, rows);
	struct problem *p = problem_new(m);
	struct plan_request q = { .solver = SOLVER_JOINT, .types = 3, .levels = levels, .batch = batches[random_below(r, 4)],
		.comm_model = (enum comm_model)random_below(r, 2) };
	struct search *s = search_new(p);
	struct plan *joint = search_plan(s, &q, NULL), *levelled;
	struct margins *margins = search_margins(s, NULL);
	struct oracle o = { .problem = p, .request = &q, .best = INFINITY };

	o.best = joint->elements * (1 + 1e-12) + 1;
	oracle_try(&o, 0, 0);
	check_claims(joint, o.best);
	/* margins are told only where they are exact */
	assert_true(margins == NULL || joint->exact);
	*inexact += !joint->exact;
	q.solver = SOLVER_ACCPAR;
	levelled = search_plan(s, &q, NULL);
	assert_true(joint->elements <= levelled->elements * (1 + 1e-12));
	margins_free(margins);
	plan_free(levelled);
	plan_free(joint);
	search_free(s);
	problem_release(p);
	model_free(m);
}

/* Nine variables, most of which meet, two levels: 9^7 entries are more than 2^22. */
static void wide_joint_gives_a_bound_that_holds(void **state)
{
	struct random r = { 41 };
	int inexact = 0;

	(void)state;
	for (int round = 0; round < 10; round++)
		check_wide(&r, 9, 2, &inexact);
	assert_in_range(inexact, 1, 10);
}

/* Twenty of which sixteen meet: 3^16 entries, so not even one level fits. */
static void wide_levels_give_a_bound_that_holds(void **state)
{
	struct random r = { 42 };
	int inexact = 0;

	(void)state;
	for (int round = 0; round < 9; round++) {
		struct model *m = dense_model(&r, 20);
		struct problem *p = problem_new(m);
		struct plan_request q = { .solver = SOLVER_ACCPAR, .types = 3, .levels = 1, .batch = 1 << (3 + random_below(&r, 5)) };
		struct search *s = search_new(p);
		struct plan *plan = search_plan(s, &q, NULL), *dp;
		struct margins *margins = search_margins(s, NULL);
		struct oracle o = { .problem = p, .request = &q, .best = plan->elements * (1 + 1e-12) + 1 };

		q.solver = SOLVER_DP;
		dp = search_plan(s, &q, NULL);
		q.solver = SOLVER_ACCPAR;
		o.best = fmin(o.best, dp->elements * (1 + 1e-12) + 1);
		plan_free(dp);
		oracle_try(&o, 0, 0);
		assert_true(margins == NULL || plan->exact);
		margins_free(margins);
		check_claims(plan, o.best);
		inexact += !plan->exact;
		plan_free(plan);
		search_free(s);
		problem_release(p);
		model_free(m);
	}
	assert_in_range(inexact, 1, 9);
}

/* Two dozen that all meet, 1024 accelerators: still a plan, a bound, and no claim. */
static void the_widest_graph_still_gets_a_plan(void **state)
{
	struct random r = { 43 };
	struct model *m = dense_model(&r, 24);
	struct problem *p = problem_new(m);
	struct plan_request q = { .solver = SOLVER_JOINT, .types = 3, .levels = 10, .batch = 64 };
	struct search *s = search_new(p);
	struct plan *plan = search_plan(s, &q, NULL), *levelled;

	(void)state;
	q.solver = SOLVER_ACCPAR;
	levelled = search_plan(s, &q, NULL);
	assert_false(plan->exact);
	assert_true(plan->bound >= 0 && plan->bound < plan->elements);
	assert_true(plan->elements <= levelled->elements);
	plan_free(levelled);
	plan_free(plan);
	search_free(s);
	problem_release(p);
	model_free(m);
}

/* On a chain only the number of a layer's dp levels and how two neighbours' sets overlap matter, and nested sets are the
 * best for all boundaries at once.  So the optimum is a walk over (layer, dp levels): MODELS 2.2's closed form.
 * printed: a boundary pays F/2 at every level that is not dp on both sides; figures: where dp meets mp. */
static double chain_optimum(const struct problem *p, const struct plan_request *q)
{
	double best[LEVELS_MAX + 1], next[LEVELS_MAX + 1], least = INFINITY;

	for (int v = 0; v < p->var_count; v++) {
		const struct problem_var *var = &p->vars[v];

		for (int d = 0; d <= q->levels; d++) {
			double left = v == 0 ? 0 : INFINITY;

			for (int b = 0; v > 0 && b <= q->levels; b++) {
				int pays = q->comm_model == COMM_FIGURES ? (b > d ? b - d : 0) : q->levels - (b < d ? b : d);

				left = fmin(left, best[b] + pays * var->input * q->batch / 2);
			}
			next[d] = left + var->weights * (ldexp(1, d) - 1) + var->conv_output * q->batch * (ldexp(1, q->levels - d) - 1);
		}
		memcpy(best, next, sizeof best);
	}
	for (int d = 0; d <= q->levels; d++)
		least = fmin(least, best[d]);
	return least;
}

static void chains_of_4096_accelerators_are_exact(void **state)
{
	static const char *const models[] = { "vgg-a", "lenet-c", "sfc" };

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct plan_request q = { .solver = SOLVER_JOINT, .types = 2, .levels = LEVELS_MAX, .batch = 256, .comm_model = (enum comm_model)(i % 2) };
		struct model *m;
		struct problem *p;
		struct search *s;
		struct plan *plan;
		struct diagnostic d;
		double want;

		assert_int_equal(model_load(models[i / 2], &m, NULL, &d), STATUS_OK);
		p = problem_new(m);
		s = search_new(p);
		plan = search_plan(s, &q, NULL);
		want = chain_optimum(p, &q);
		assert_true(plan->exact && plan->bound == plan->elements);
		assert_true(fabs(plan->elements - want) <= 1e-12 * want);
		plan_free(plan);
		search_free(s);
		problem_release(p);
		model_free(m);
	}
}

/* ---- parts ---- */

static struct parts parts_with(const struct operator *o, bool junction, const char *states, int64_t batch)
{
	signed char cells[LEVELS_MAX];
	unsigned char is_junction = junction;
	struct plan plan = { .rows = 1, .levels = (int)strlen(states), .states = cells, .junction = &is_junction };

	for (int h = 0; h < plan.levels; h++)
		cells[h] = (signed char)(states[h] - '0');
	return parts_of(o, &plan, 0, batch, NULL);
}

/* states: one digit a level, 0 dp or row, 1 mp or col, 2 op or full. */
static const struct {
	int64_t in, out, groups, heads, batch;
	bool junction;
	const char *states;
	int64_t most_batch, most_in, most_out, most_groups;
	bool uneven, idle;
} shares[] = {
	{ 512, 1000, 1, 0, 256, false, "2222", 256, 512, 63, 0, true, false },   /* 1000 over 16: 62.5 */
	{ 512, 1000, 1, 0, 256, false, "0222", 128, 512, 125, 0, false, false },
	{ 512, 1000, 1, 0, 3, false, "00", 1, 512, 1000, 0, true, true },        /* 3 samples over 4 */
	{ 512, 1000, 1, 0, 5, false, "00", 2, 512, 1000, 0, true, false },
	{ 3, 64, 1, 0, 256, false, "11", 256, 1, 64, 0, true, true },            /* 3 colours over 4 */
	{ 100, 100, 1, 0, 7, false, "0112", 4, 25, 50, 0, true, false },
	{ 96, 96, 96, 0, 8, false, "111", 8, 12, 12, 12, false, false },         /* depthwise */
	{ 6, 6, 6, 0, 8, false, "11", 8, 2, 2, 2, true, false },
	{ 12, 24, 6, 0, 8, false, "11", 8, 4, 8, 2, true, false },               /* six groups of two channels */
	{ 12, 24, 6, 0, 8, false, "00", 2, 12, 24, 6, false, false },
	{ 768, 768, 1, 12, 8, true, "111", 8, 768, 2, 0, true, false },          /* 12 heads over 8: two at most */
	{ 768, 768, 1, 12, 8, true, "1120", 4, 768, 3, 0, false, false },
	{ 64, 10, 1, 0, 8, true, "22", 8, 64, 10, 0, false, false },
	{ 512, 1000, 1, 0, 256, false, "", 256, 512, 1000, 0, false, false },
};

static void the_largest_part_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		struct operator o = { .kind = shares[i].junction ? OPERATOR_ATTENTION : OPERATOR_CONV, .groups = shares[i].groups, .heads = shares[i].heads,
			.in = { shares[i].in, 1, 1 }, .conv_out = { shares[i].out, 1, 1 }, .out = { shares[i].out, 1, 1 } };
		struct parts p = parts_with(&o, shares[i].junction, shares[i].states, shares[i].batch);

		if (p.batch != shares[i].most_batch || p.in_ch != shares[i].most_in || p.out_ch != shares[i].most_out || p.groups != shares[i].most_groups ||
		    p.uneven != shares[i].uneven || p.idle != shares[i].idle)
			fail_msg("share %zu: batch %lld in %lld out %lld groups %lld uneven %d idle %d", i, (long long)p.batch, (long long)p.in_ch,
				(long long)p.out_ch, (long long)p.groups, p.uneven, p.idle);
	}
}

/* Both numbers and the largest part; the batch in one warning for all rows. */
static void warnings_say_what_does_not_divide(void **state)
{
	static const char *const csv = "name,kind,in_ch,in_h,in_w,kernel,out_ch\nfc1,linear,100,1,1,,512\nfc2,linear,512,1,1,,1000\n";
	struct plan_request q = { .solver = SOLVER_HYPAR, .types = 2, .levels = 3, .batch = 3 };
	signed char states[] = { 1, 1, 1, 0, 0, 2 };
	struct diagnostics warnings = { 0 };
	struct diagnostic d;
	struct model *m;
	struct problem *p;
	struct plan *plan;

	(void)state;
	assert_int_equal(model_load_bytes("test.csv", csv, strlen(csv), &m, NULL, &d), STATUS_OK);
	p = problem_new(m);
	plan = plan_evaluate(p, &q, states);
	parts_warn(m, p, plan, q.batch, &warnings);
	assert_int_equal(warnings.count, 2);
	assert_string_equal(warnings.items[0].text, "fc1: 100 input channels do not divide by 8: the largest part is 13; costs halve evenly");
	assert_string_equal(warnings.items[1].text, "batch: 3 samples over 4 groups: 1 of them get none, so costs (which halve evenly) are optimistic");
	assert_int_equal(warnings.items[0].severity, SEVERITY_WARNING);
	diagnostics_free(&warnings);
	plan_free(plan);
	problem_release(p);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_joint_gives_a_bound_that_holds),
		cmocka_unit_test(wide_levels_give_a_bound_that_holds),
		cmocka_unit_test(the_widest_graph_still_gets_a_plan),
		cmocka_unit_test(chains_of_4096_accelerators_are_exact),
		cmocka_unit_test(the_largest_part_is_told),
		cmocka_unit_test(warnings_say_what_does_not_divide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
