/* Repeated blocks: what is found repeats indeed, nothing longer was there, and every node of a repeated block costs what it costs by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "model/training.h"
#include "schedule/step.h"
#include "tests/unit/random_model.h"
#include "tests/unit/reference.h"

static bool same_row(const struct operator *a, const struct operator *b)
{
	return a->kind == b->kind && a->in.ch == b->in.ch && a->in.h == b->in.h && a->in.w == b->in.w && a->out.ch == b->out.ch && a->out.h == b->out.h &&
		a->conv_out.h == b->conv_out.h && a->conv_out.ch == b->conv_out.ch && a->groups == b->groups && a->heads == b->heads &&
		a->kernel.h == b->kernel.h && a->stride.h == b->stride.h && a->input_count == b->input_count && a->bias == b->bias && a->pool == b->pool;
}

static bool same_wiring(const struct model *m, int row, int length)
{
	const struct operator *a = &m->operators[row], *b = &m->operators[row + length];

	for (int i = 0; i < a->input_count; i++)
		if ((a->inputs[i] == MODEL_INPUT) != (b->inputs[i] == MODEL_INPUT) || (a->inputs[i] != MODEL_INPUT && b->inputs[i] - a->inputs[i] != length))
			return false;
	return true;
}

/* Whether rows first .. are count times a block, asked of the rows themselves. */
static bool is_run(const struct model *m, int first, int length, int count)
{
	for (int row = first; row < first + length * (count - 1); row++)
		if (!same_row(&m->operators[row], &m->operators[row + length]) || !same_wiring(m, row, length))
			return false;
	return true;
}

/* The most rows any one run could cover. */
static int largest_run(const struct model *m)
{
	int best = 0;

	for (int first = 0; first < m->count; first++)
		for (int length = 1; first + 2 * length <= m->count; length++) {
			int count = 1;

			while (first + length * (count + 1) <= m->count && is_run(m, first + length * (count - 1), length, 2))
				count++;
			if (count > 1 && length * count > best)
				best = length * count;
		}
	return best;
}

/* A model of which some stretch was written several times. */
static struct model *repeating_model(struct random *r)
{
	struct text csv = { 0 };
	struct model *m;
	struct diagnostic d;
	int length = 1 + (int)random_below(r, 4), times = 1 + (int)random_below(r, 4), before = (int)random_below(r, 3), after = (int)random_below(r, 3), width[5];

	text_add(&csv, "name,kind,in_ch,out_ch\n");
	for (int i = 0; i < 5; i++)
		width[i] = 4 << random_below(r, 2);
	width[length] = width[0];
	text_printf(&csv, "first,linear,3,%d\n", width[0]);
	for (int i = 0; i < before; i++)
		text_printf(&csv, "b%d,linear,%d,%d\n", i, width[0], width[0]);
	for (int t = 0; t < times; t++)
		for (int i = 0; i < length; i++)
			text_printf(&csv, "r%d_%d,linear,%d,%d\n", t, i, width[i], width[i + 1]);
	for (int i = 0; i < after; i++)
		text_printf(&csv, "a%d,linear,%d,%d\n", i, i == 0 ? width[0] : 5, 5);
	if (model_load_bytes("repeats.csv", csv.bytes, csv.length, &m, NULL, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	text_free(&csv);
	return m;
}

static void check_blocks(const struct model *m)
{
	struct blocks *b = blocks_new(m);
	int covered = 0, end = 0;

	for (int i = 0; i < b->run_count; i++) {
		const struct block_run *run = &b->runs[i];

		assert_true(run->count >= 2 && run->length >= 1 && run->first >= end);
		end = run->first + run->length * run->count;
		assert_true(end <= m->count && is_run(m, run->first, run->length, run->count));
		covered = run->length * run->count > covered ? run->length * run->count : covered;
	}
	/* the run with the most rows is always among them */
	assert_int_equal(covered, largest_run(m));
	for (int row = 0; row < m->count; row++) {
		int first = blocks_first(b, row);

		assert_true(same_row(&m->operators[first], &m->operators[row]) && first <= row);
		assert_true(same_row(&m->operators[b->class_of[row]], &m->operators[row]) && b->class_of[row] <= row);
		for (int before = 0; before < b->class_of[row]; before++)
			assert_false(same_row(&m->operators[before], &m->operators[row]));
		assert_int_equal(blocks_count(b, row) > 1, b->run_of[row] >= 0);
	}
	blocks_free(b);
}

static void runs_are_what_the_rows_say(void **state)
{
	struct random r = { 81 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct model *m = round % 3 == 0 ? random_model(&r, 1 + (int)random_below(&r, 20), round % 2) : repeating_model(&r);

		check_blocks(m);
		model_free(m);
	}
}

static void built_in_models_fold(void **state)
{
	static const struct { const char *name; int length, count; } largest[] = {
		{ "bert-base", 10, 12 }, { "resnet50", 10, 5 }, { "vgg-e", 1, 3 }, { "mobilenet-v2", 9, 3 }
	};

	(void)state;
	for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
		struct model *m = load_reference(largest[i].name);
		struct blocks *b = blocks_new(m);
		bool found = false;

		check_blocks(m);
		for (int run = 0; run < b->run_count; run++)
			found = found || (b->runs[run].length == largest[i].length && b->runs[run].count == largest[i].count);
		assert_true(found);
		blocks_free(b);
		model_free(m);
	}
}

/* Copied or not, a node's products are its row's and cost what the core says of them. */
static void repeats_cost_what_they_cost_alone(void **state)
{
	static const char *const names[] = { "bert-base", "resnet50", "mobilenet-v2", "googlenet" };
	static const enum gemm_pass passes[PASS_COUNT] = { [PASS_FWD] = GEMM_FORWARD, [PASS_BWD_DATA] = GEMM_BACKWARD_DATA, [PASS_BWD_WEIGHT] = GEMM_WEIGHT_GRADIENT };
	struct machine machine = { .tc = 2, .tc_rows = 32, .tc_cols = 16, .vc = 1, .vc_lanes = 16, .glb = 1 << 18, .hbm_bw = 1e11, .clock = 1e9, .element_bytes = 2 };
	struct random r = { 82 };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct model *m = load_reference(names[i]);
		struct training *t = training_new(m);
		struct share *shares = memory_alloc((size_t)m->count, sizeof *shares);
		struct step_request request = { .machine = &machine, .shares = shares };
		struct step *step;
		struct diagnostic d;

		/* some rows of a repeated block have another share */
		for (int row = 0; row < m->count; row++)
			shares[row] = share_whole(&m->operators[row], 4 << random_below(&r, 2));
		assert_int_equal(step_new(t, &request, &step, &d), STATUS_OK);
		for (int node = 0; node < t->count; node++) {
			const struct training_node *n = &t->nodes[node];
			const struct operator *o = n->row >= 0 ? &m->operators[n->row] : NULL;
			struct gemm gemms[GEMMS_MAX];
			struct timing timing;

			if (o == NULL || step->nodes[node].core != CORE_TC || o->kind == OPERATOR_ATTENTION)
				continue;
			assert_int_equal(gemm_of(o, passes[n->pass], &shares[n->row], gemms), step->nodes[node].gemm_count);
			assert_memory_equal(gemms, step->nodes[node].gemms, (size_t)step->nodes[node].gemm_count * sizeof *gemms);
			assert_int_equal(tensor_time(&machine, gemms, step->nodes[node].gemm_count, 1, &timing, &d), STATUS_OK);
			assert_true(timing.time_s == step->nodes[node].timing.time_s && timing.bytes == step->nodes[node].timing.bytes);
		}
		step_free(step);
		memory_free(shares);
		training_free(t);
		model_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_what_the_rows_say),
		cmocka_unit_test(built_in_models_fold),
		cmocka_unit_test(repeats_cost_what_they_cost_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
