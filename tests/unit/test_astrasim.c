/* ASTRA-sim workloads: what others wrote is read for what it says, and what we write is read back whole. */
#include "model/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/export.h"
#include "tests/unit/study_help.h"

static char folder[64];

static void write_file(const char *name, const char *text, char path[160])
{
	FILE *f;

	snprintf(path, 160, "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void times_and_weights_are_read(void **state)
{
	static const char text[] = "HYBRID_CUSTOMIZED\t\t\n4\t\t\n"
		"mlp0\t-1\t32291\tALLGATHER\t37632\t32291\tREDUCESCATTER\t37632\t32291\tALLREDUCE\t37632\t3229 HYBRID_DATA_MODEL\n"
		"\nsoft   -1  7488 NONE  0  7489 NONE 0 1 NONE 0  749\t DATA \n"
		"prime -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 52 1\nbad -1 x NONE 0 1 NONE 0 1 NONE 0 1\n";
	struct model *m;
	struct diagnostic d;
	char path[160];

	(void)state;
	write_file("in.txt", text, path);
	if (model_load(path, &m, NULL, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	assert_string_equal(m->format, "astrasim");
	assert_int_equal(m->count, 3);
	assert_int_equal(m->layers, 2);
	assert_int_equal(m->skipped, 1);
	/* 9408 = 98 x 96 */
	assert_true(m->operators[0].weights == 9408 && m->operators[0].in.ch == 98 && m->operators[0].out.ch == 96);
	assert_true(m->operators[0].fwd_s == 32291 * 1e-9 && m->operators[0].bwd_s == 32291 * 1e-9 + 32291 * 1e-9);
	assert_true(m->operators[1].kind == OPERATOR_ACT && m->operators[1].out.ch == 96 && m->operators[1].fwd_s == 7488 * 1e-9);
	assert_true(m->operators[2].in.ch == 13 && m->operators[2].out.ch == 1);
	assert_int_equal(m->problems.items[0].line, 7);
	model_free(m);
}

static void what_is_none_is_told(void **state)
{
	static const struct { const char *text, *phrase; unsigned long line; } cases[] = {
		{ "MODEL\n1\na -1 5 ALLGATHER 64 5 NONE 0 5 NONE 0 1\n", "no layer's weights are known", 2 }, { "DATA\n1\na -1 5 NONE 0 5 NONE 0\n", "8 words; a layer has 12", 3 },
		{ "DATA\n1\na -1 5 NONE 0 5 NONE 0 5 SOMETIMES 64 1\n", "none of NONE, ALLREDUCE", 3 }, { "DATA\n0\n", "number of layers", 2 }, { "DATA\n1\n#whypar nothing,of\n#whypar our,own\n", "no layer table", 3 },
		{ "MODEL\nmany\n", "not \"many\"", 2 }, { "DATA\n", "number of layers", 1 }, { "DATA\n1\na -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 2e18 1\n", "up to 1e+18", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct model *m;
		struct diagnostic d;
		char path[160];

		write_file("bad.txt", cases[i].text, path);
		assert_int_equal(model_load(path, &m, NULL, &d), STATUS_INPUT);
		if (strstr(d.text, cases[i].phrase) == NULL || (cases[i].line > 0 && d.line != cases[i].line))
			fail_msg("case %zu: line %lu \"%s\"", i, d.line, d.text);
	}
}

/* What is read all the same, with a word. */
static void what_looks_odd_is_warned_about(void **state)
{
	static const struct { const char *text, *phrase; } cases[] = {
		{ "OWN\n1\na -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 64 1\n", "no policy" }, { "DATA\n1\na -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 64 1 x\n", "13 words" },
		{ "DATA\n1\na -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 64 1\nb -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 64 1\n", "only the 1 layers" },
		{ "DATA\n2\na -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 64 1\n", "2 layers are announced, but 1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct model *m;
		struct diagnostic d;
		char path[160];

		write_file("odd.txt", cases[i].text, path);
		assert_int_equal(model_load(path, &m, NULL, &d), STATUS_OK);
		assert_int_equal(m->layers, 1);
		if (strstr(m->problems.items[0].text, cases[i].phrase) == NULL)
			fail_msg("case %zu: \"%s\"", i, m->problems.items[0].text);
		model_free(m);
	}
}

/* Every built-in model, exported with its plan and read again, is the same model. */
static void an_export_is_read_back_whole(void **state)
{
	static const char *const models[] = { "sfc", "lenet-c", "vgg-e", "alexnet", "resnet50", "googlenet", "mobilenet-v2", "bert-base", "gpt2-xl" };
	static const char *const edits[] = { "solve hypar", "set solver=accpar accelerators=64 batch=32", "set accelerators=1" };

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct text before = { 0 }, after = { 0 };
		struct study *study = study_new();
		char path[160], line[80];
		struct diagnostic d;
		struct model *m;

		snprintf(line, sizeof line, "load %s", models[i]);
		must_run(study, line);
		must_run(study, edits[i % 3]);
		study_settle(study, NULL);
		snprintf(path, sizeof path, "%s/out.txt", folder);
		if (export_model(study, path, &d) != STATUS_OK)
			fail_msg("%s: %s", models[i], d.text);
		if (model_load(path, &m, NULL, &d) != STATUS_OK)
			fail_msg("%s: %s", models[i], d.text);
		model_write_csv(study_results(study)->model, &before);
		model_write_csv(m, &after);
		assert_string_equal(text_string(&before), text_string(&after));
		assert_string_equal(m->format, "astrasim");
		assert_int_equal(m->problems.total, 0);
		text_free(&before);
		text_free(&after);
		model_free(m);
		study_free(study);
	}
}

/* The file without the model behind its layers: what the simulator, or another program, reads of it. */
static void cut_model(char path[160])
{
	static char text[1 << 20];
	size_t length = 0, kept = 0;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	length = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[length] = '\0';
	for (char *line = text, *next; *line != '\0'; line = next) {
		next = strchr(line, '\n') + 1;
		if (strncmp(line, "#whypar ", 8) != 0) {
			memmove(text + kept, line, (size_t)(next - line));
			kept += (size_t)(next - line);
		}
	}
	text[kept] = '\0';
	write_file("in.txt", text, path);
}

/* Each layer's line has its time, and what its plan sums: the weights of dp layers come back from the bytes of their gradients. */
static void the_lines_say_what_the_plan_does(void **state)
{
	static const char *const solvers[] = { "set solver=dp", "set solver=hypar", "set solver=accpar" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct study *study = study_with("load vgg-a", solvers[i]);
		const struct results *r;
		char path[160];
		struct diagnostic d;
		struct model *m;
		double all = 0, written = 0;

		study_settle(study, NULL);
		r = study_results(study);
		snprintf(path, sizeof path, "%s/out.txt", folder);
		assert_int_equal(export_model(study, path, &d), STATUS_OK);
		cut_model(path);
		if (model_load(path, &m, NULL, &d) != STATUS_OK)
			fail_msg("%s", d.text);
		assert_int_equal(m->count, r->model->layers);
		for (int v = 0; v < r->problem->var_count; v++) {
			int row = r->problem->vars[v].row, dp = 0, others = 0;

			for (int level = 1; level <= r->plan->levels; level++) {
				dp += plan_state(r->plan, row, level) == SPLIT_DP;
				others += plan_state(r->plan, row, level) != SPLIT_DP;
			}
			if (dp > 0)
				assert_true(m->operators[v].weights == r->model->operators[row].weights >> others);
			else
				assert_int_equal(m->operators[v].kind, OPERATOR_ACT);
			written += m->operators[v].fwd_s + m->operators[v].bwd_s;
		}
		for (int node = 0; node < r->training->count; node++)
			all += r->training->nodes[node].pass == PASS_UPDATE ? 0 : r->step->nodes[node].seconds;
		assert_true(fabs(written / all - 1) < 1e-6);
		model_free(m);
		study_free(study);
	}
}

/* Lenet-c on two accelerators with its first layer mp and its second op, by hand: 20 x 12 x 12 outputs (24 x 24 before pooling) of 256 samples are summed
 * forward, the 20 x 12 x 12 errors that the second layer reads backward, and no gradients of either. */
static void an_mp_and_an_op_layer_by_hand(void **state)
{
	struct study *study = study_with("load lenet-c", "set accelerators=2 solver=accpar");
	char path[160], text[4096], name[64], forward[32], input[32], weight[32], policy[32];
	double bytes[3];
	struct diagnostic d;
	FILE *f;

	(void)state;
	must_run(study, "pin #1 mp");
	must_run(study, "pin #2 op");
	study_settle(study, NULL);
	snprintf(path, sizeof path, "%s/out.txt", folder);
	assert_int_equal(export_model(study, path, &d), STATUS_OK);
	f = fopen(path, "r");
	assert_non_null(f);
	for (int line = 0; line < 4; line++) {
		assert_non_null(fgets(text, sizeof text, f));
		if (line < 2)
			continue;
		assert_int_equal(sscanf(text, "%63s -1 %*s %31s %lf %*s %31s %lf %*s %31s %lf %*s %31s", name, forward, &bytes[0], input, &bytes[1], weight, &bytes[2], policy), 8);
		assert_string_equal(weight, "NONE");
		assert_string_equal(policy, "MODEL");
		assert_string_equal(line == 2 ? forward : input, "ALLREDUCE");
		assert_true(bytes[line - 2] == (line == 2 ? 20.0 * 24 * 24 : 20.0 * 12 * 12) * 256 * 4);
	}
	fclose(f);
	study_free(study);
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/whypar-test-XXXXXX");
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "in.txt", "bad.txt", "odd.txt", "out.txt" };
	char path[160];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_and_weights_are_read),
		cmocka_unit_test(what_is_none_is_told),
		cmocka_unit_test(what_looks_odd_is_warned_about),
		cmocka_unit_test(an_export_is_read_back_whole),
		cmocka_unit_test(the_lines_say_what_the_plan_does),
		cmocka_unit_test(an_mp_and_an_op_layer_by_hand),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
