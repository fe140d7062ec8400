/* ASTRA-sim workloads: what others wrote is read for what it says, and what we write is read back whole. */
#include "model/load.h"

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
		{ "DATA\n1\na -1 5 NONE 0 5 NONE 0 5 SOMETIMES 64 1\n", "none of NONE, ALLREDUCE", 3 }, { "DATA\n0\n", "", 0 }, { "DATA\n1\n#whypar nothing,of\n#whypar our,own\n", "no layer table", 0 },
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

/* Every built-in model, exported with its plan and read again, is the same model; each of its layers has a line that the simulator could read. */
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

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/whypar-test-XXXXXX");
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "in.txt", "bad.txt", "out.txt" };
	char path[160];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
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
		cmocka_unit_test(an_export_is_read_back_whole),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
