/* The communication model against the published tables written out by hand, its closed form, and the papers' own numbers. */
#include "model/load.h"
#include "partition/costs.h"
#include "partition/why.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"

enum { DP = SPLIT_DP, MP = SPLIT_MP, OP = SPLIT_OP, ROW = LAYOUT_ROW, COL = LAYOUT_COL, FULL = LAYOUT_FULL };
enum { LAYER = ROLE_LAYER, GROUPED = ROLE_GROUPED, EMBEDDING = ROLE_EMBEDDING, JUNCTION = ROLE_JUNCTION };

/* Quarters of the tensor that F and E together move.  The first nine rows of `printed` are MODELS 2.1's second table (HyPar
 * Table 2 in its dp/mp corner, AccPar's for the rest); the others follow from the first table, worked out on paper. */
static const struct {
	int from, from_state, to, to_state, printed, figures;
} edges[] = {
	{ LAYER, DP, LAYER, DP, 0, 0 }, { LAYER, DP, LAYER, MP, 2, 2 }, { LAYER, DP, LAYER, OP, 2, 0 },
	{ LAYER, MP, LAYER, DP, 2, 0 }, { LAYER, MP, LAYER, MP, 2, 0 }, { LAYER, MP, LAYER, OP, 0, 0 },
	{ LAYER, OP, LAYER, DP, 2, 2 }, { LAYER, OP, LAYER, MP, 0, 0 }, { LAYER, OP, LAYER, OP, 2, 0 },

	{ LAYER, DP, GROUPED, DP, 0, 0 }, { LAYER, DP, GROUPED, MP, 2, 2 }, { LAYER, MP, GROUPED, DP, 2, 0 },
	{ LAYER, MP, GROUPED, MP, 2, 0 }, { LAYER, OP, GROUPED, DP, 2, 2 }, { LAYER, OP, GROUPED, MP, 0, 0 },
	{ GROUPED, DP, GROUPED, DP, 0, 0 }, { GROUPED, DP, GROUPED, MP, 2, 2 }, { GROUPED, MP, GROUPED, DP, 2, 2 },
	{ GROUPED, MP, GROUPED, MP, 0, 0 }, { GROUPED, MP, LAYER, DP, 2, 2 }, { GROUPED, MP, LAYER, MP, 0, 0 },
	{ GROUPED, MP, LAYER, OP, 2, 0 }, { GROUPED, DP, LAYER, OP, 2, 0 }, { GROUPED, DP, LAYER, MP, 2, 2 },

	{ LAYER, DP, JUNCTION, ROW, 0, 0 }, { LAYER, DP, JUNCTION, COL, 2, 2 }, { LAYER, DP, JUNCTION, FULL, 2, 0 },
	{ LAYER, MP, JUNCTION, ROW, 2, 0 }, { LAYER, MP, JUNCTION, COL, 2, 0 }, { LAYER, MP, JUNCTION, FULL, 0, 0 },
	{ LAYER, OP, JUNCTION, ROW, 2, 2 }, { LAYER, OP, JUNCTION, COL, 0, 0 }, { LAYER, OP, JUNCTION, FULL, 2, 0 },
	{ JUNCTION, ROW, LAYER, DP, 0, 0 }, { JUNCTION, ROW, LAYER, MP, 2, 2 }, { JUNCTION, ROW, LAYER, OP, 2, 0 },
	{ JUNCTION, COL, LAYER, DP, 2, 2 }, { JUNCTION, COL, LAYER, MP, 0, 0 }, { JUNCTION, COL, LAYER, OP, 2, 0 },
	{ JUNCTION, FULL, LAYER, DP, 2, 0 }, { JUNCTION, FULL, LAYER, MP, 2, 0 }, { JUNCTION, FULL, LAYER, OP, 0, 0 },
	{ JUNCTION, ROW, JUNCTION, COL, 2, 2 }, { JUNCTION, COL, JUNCTION, FULL, 2, 0 }, { JUNCTION, FULL, JUNCTION, ROW, 2, 0 },
	{ JUNCTION, FULL, JUNCTION, FULL, 0, 0 }, { JUNCTION, COL, GROUPED, MP, 0, 0 }, { GROUPED, MP, JUNCTION, FULL, 2, 0 },

	/* word numbers carry no error back: F alone */
	{ LAYER, DP, EMBEDDING, DP, 0, 0 }, { LAYER, DP, EMBEDDING, MP, 1, 1 }, { LAYER, DP, EMBEDDING, OP, 2, 0 },
	{ LAYER, MP, EMBEDDING, DP, 0, 0 }, { LAYER, OP, EMBEDDING, DP, 1, 1 }, { LAYER, OP, EMBEDDING, OP, 2, 0 },
	{ EMBEDDING, DP, LAYER, MP, 2, 2 }, { EMBEDDING, MP, LAYER, DP, 2, 0 }, { EMBEDDING, OP, LAYER, MP, 0, 0 },
};

static void edges_equal_the_published_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
		double printed = comm_edge(COMM_PRINTED, (enum role)edges[i].from, edges[i].from_state, (enum role)edges[i].to, edges[i].to_state);
		double figures = comm_edge(COMM_FIGURES, (enum role)edges[i].from, edges[i].from_state, (enum role)edges[i].to, edges[i].to_state);

		if (printed * 4 != edges[i].printed || figures * 4 != edges[i].figures)
			fail_msg("row %zu: printed %g, figures %g quarters; want %d, %d", i, printed * 4, figures * 4, edges[i].printed, edges[i].figures);
	}
}

/* MODELS 2.1, first table: what each type exchanges itself, and 2.2: what it halves below. */
static void types_exchange_and_halve_what_the_table_says(void **state)
{
	static const struct { int role, state; double own; int input, output, weights; } types[] = {
		{ LAYER, DP, 3, 1, 1, 0 }, { LAYER, MP, 7, 1, 0, 1 }, { LAYER, OP, 5, 0, 1, 1 },
		{ GROUPED, DP, 3, 1, 1, 0 }, { GROUPED, MP, 0, 1, 1, 1 },
		{ EMBEDDING, DP, 3, 1, 1, 0 }, { EMBEDDING, MP, 7, 1, 0, 1 }, { EMBEDDING, OP, 0, 0, 1, 1 },
		{ JUNCTION, ROW, 0, 1, 1, 0 }, { JUNCTION, COL, 0, 1, 1, 0 }, { JUNCTION, FULL, 0, 0, 0, 0 },
	};
	const struct shard shard = { .weights = 3, .input = 5, .output = 7 };

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		enum role role = (enum role)types[i].role;

		assert_true(comm_intra(role, types[i].state, &shard) == types[i].own);
		assert_int_equal(comm_halves_input(role, types[i].state), types[i].input);
		assert_int_equal(comm_halves_output(role, types[i].state), types[i].output);
		assert_int_equal(comm_halves_weights(role, types[i].state), types[i].weights);
	}
	assert_int_equal(comm_states(ROLE_GROUPED), 2);
}

/* MODELS 2.2: W(2^d - 1) + F(2^m - 1) a layer in any order of its levels, and C[a][b] x F a boundary and level.
 * C of two types, by hand: printed { 0, 1/2, 1/2, 1/2 }, figures { 0, 1/2, 0, 0 }; a grouped mp sums nothing. */
static void chains_with_two_types_pay_the_closed_form(void **state)
{
	struct random r = { 31 };

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct model *m = random_model(&r, 1 + (int)random_below(&r, 5), true);
		struct problem *p = problem_new(m);
		int levels = 1 + (int)random_below(&r, 6), figures = round % 2;
		struct plan_request q = { .solver = SOLVER_HYPAR, .types = 2, .levels = levels, .batch = 1 + random_below(&r, 300),
			.comm_model = figures ? COMM_FIGURES : COMM_PRINTED, .pooled = random_below(&r, 2) };
		signed char states[8 * LEVELS_MAX];
		struct plan *plan;
		double want = 0;

		for (int i = 0; i < p->var_count * levels; i++)
			states[i] = (signed char)random_below(&r, 2);
		for (int v = 0; v < p->var_count; v++) {
			const struct problem_var *var = &p->vars[v];
			int dp = 0;

			for (int h = 0; h < levels; h++) {
				int here = states[v * levels + h], left = v > 0 ? states[(v - 1) * levels + h] : here;
				bool grouped_left = v > 0 && p->vars[v - 1].role == ROLE_GROUPED, pays;

				dp += here == DP;
				pays = figures ? left == DP && here == MP : left == MP || here == MP;
				if (grouped_left && left == MP)
					pays = here == DP;
				if (v > 0 && pays)
					want += var->input * q.batch / 2;
			}
			want += var->weights * (ldexp(1, dp) - 1);
			if (var->role != ROLE_GROUPED)
				want += (q.pooled ? var->output : var->conv_output) * q.batch * (ldexp(1, levels - dp) - 1);
		}
		plan = plan_evaluate(p, &q, states);
		assert_true(plan->elements == want);
		plan_free(plan);
		problem_release(p);
		model_free(m);
	}
}

static struct model *load_text(const char *rows)
{
	struct text csv = { 0 };
	struct model *m;
	struct diagnostic d;

	text_printf(&csv, "name,kind,in_ch,in_h,in_w,kernel,out_ch\n%s", rows);
	if (model_load_bytes("test.csv", csv.bytes, csv.length, &m, NULL, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	text_free(&csv);
	return m;
}

static double solve_elements(const struct model *m, const struct plan_request *q)
{
	struct problem *p = problem_new(m);
	struct search *s = search_new(p);
	struct plan *plan = search_plan(s, q, NULL);
	double elements = plan->elements;

	plan_free(plan);
	search_free(s);
	problem_release(p);
	return elements;
}

/* HyPar section 3's examples, B = 32, fp32, both directions: 8 bytes an element. */
static void bytes_of_hypars_examples(void **state)
{
	static const struct { const char *row; double dp, mp; } examples[] = {
		{ "fc,linear,70,1,1,,100\n", 56000, 25600 },
		{ "conv,conv,20,12,12,5,50\n", 200000, 819200 },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct model *m = load_text(examples[i].row);
		struct plan_request q = { .solver = SOLVER_DP, .types = 2, .levels = 1, .batch = 32 };

		assert_true(solve_elements(m, &q) * 8 == examples[i].dp);
		q.solver = SOLVER_MP;
		assert_true(solve_elements(m, &q) * 8 == examples[i].mp);
		model_free(m);
	}
}

/* MODELS 2.6: conv5_2's own A(dW) = A(F) at batch 94.04 pooled, 23.51 not. */
static void vgg_conv5_own_thresholds(void **state)
{
	struct model *m;
	struct problem *p;
	const struct problem_var *var;
	struct diagnostic d;

	(void)state;
	assert_int_equal(model_load("vgg-a", &m, NULL, &d), STATUS_OK);
	p = problem_new(m);
	var = &p->vars[p->var_of_row[model_find(m, "conv5_2", NULL, &d)]];
	assert_true(var->weights == 2359296);
	assert_true(fabs(var->weights / var->output - 94.04) < 0.005);
	assert_true(fabs(var->weights / var->conv_output - 23.51) < 0.005);
	problem_release(p);
	model_free(m);
}

/* fc3, 4096x1000, alone: A(dW) = A(F) at batch 4096 exactly, a tie that dp wins; dp is cheaper when A(dW) < A(F). */
static void fc3_alone_ties_at_4096(void **state)
{
	static const struct { double batch; int state; bool tie; } cases[] = { { 4095, MP, false }, { 4096, DP, true }, { 4097, DP, false } };
	struct model *m = load_text("fc3,linear,4096,1,1,,1000\n");
	struct problem *p = problem_new(m);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct plan_request q = { .solver = SOLVER_HYPAR, .types = 2, .levels = 1, .batch = cases[i].batch };
		struct search *s = search_new(p);
		struct plan *plan = search_plan(s, &q, NULL);
		struct why_context c = { .model = m, .problem = p, .request = &q, .plan = plan, .element_bytes = 8 };
		struct why why;

		assert_int_equal(why_answer(&c, s, 0, 1, &why), STATUS_OK);
		assert_int_equal(why.state, cases[i].state);
		assert_int_equal(why.tie, cases[i].tie);
		why_free(&why);
		plan_free(plan);
		search_free(s);
	}
	problem_release(p);
	model_free(m);
}

/* reference/hypar.md section 6, read off the paper's Figs. 5 and 8: partitions H1|H2|H3|H4 (0 dp, 1 mp) at batch 256, and GB. */
static const struct {
	const char *model, *partition;
	double hypar_gb, dp_gb;
} figures[] = {
	{ "sfc", "1111|1111|0111|1111", 0.681, 16.9 },
	{ "sconv", "0000|0000|0000|0000", 0.0121, 0.0121 },
	{ "lenet-c", "0011|0010|0000|0011", 0.0161, 0.0517 },
	{ "cifar-c", "00000|00000|00010|00111", 0.0135, 0.0174 },
	{ "alexnet-hypar", "00000111|00000111|00000111|00000100", 0.289, 2.00 },
	{ "vgg-a", "00000000111|00000000111|00000000111|00000001111", 1.47, 15.9 },
	{ "vgg-b", "0000000000111|0000000000111|0000000000111|0000000001111", 1.491, 16.0 },   /* the label says 1.47, Fig. 6's gain 1.491 */
	{ "vgg-c", "0000000000000111|0000000000000111|0000000000000111|0000000000000111", 1.58, 16.0 },
	{ "vgg-d", "0000000000000111|0000000000000111|0000000000000111|0000000000001111", 2.13, 16.6 },
	{ "vgg-e", "0000000000000000111|0000000000000000111|0000000000000000111|0000000000000001111", 2.76, 17.2 },
};

static void write_partition(const struct plan *plan, char *out)
{
	for (int h = 1; h <= plan->levels; h++) {
		if (h > 1)
			*out++ = '|';
		for (int row = 0; row < plan->rows; row++)
			if (plan_state(plan, row, h) != NO_STATE)
				*out++ = (char)('0' + plan_state(plan, row, h));
	}
	*out = '\0';
}

static void partitions_and_totals_of_hypars_figures(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		struct plan_request q = { .solver = SOLVER_HYPAR, .types = 2, .levels = 4, .batch = 256, .comm_model = COMM_FIGURES, .pooled = true };
		struct model *m;
		struct problem *p;
		struct search *s;
		struct plan *plan;
		struct diagnostic d;
		char partition[256];

		assert_int_equal(model_load(figures[i].model, &m, NULL, &d), STATUS_OK);
		p = problem_new(m);
		s = search_new(p);
		plan = search_plan(s, &q, NULL);
		write_partition(plan, partition);
		assert_string_equal(partition, figures[i].partition);
		if (fabs(plan->elements * 8e-9 / figures[i].hypar_gb - 1) > 0.005)
			fail_msg("%s hypar: %g GB, Fig. 8 has %g", figures[i].model, plan->elements * 8e-9, figures[i].hypar_gb);
		plan_free(plan);
		q.solver = SOLVER_DP;
		if (fabs(solve_elements(m, &q) * 8e-9 / figures[i].dp_gb - 1) > 0.005)
			fail_msg("%s dp: %g GB, Fig. 8 has %g", figures[i].model, solve_elements(m, &q) * 8e-9, figures[i].dp_gb);
		search_free(s);
		problem_release(p);
		model_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_equal_the_published_tables),
		cmocka_unit_test(types_exchange_and_halve_what_the_table_says),
		cmocka_unit_test(chains_with_two_types_pay_the_closed_form),
		cmocka_unit_test(bytes_of_hypars_examples),
		cmocka_unit_test(vgg_conv5_own_thresholds),
		cmocka_unit_test(fc3_alone_ties_at_4096),
		cmocka_unit_test(partitions_and_totals_of_hypars_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
