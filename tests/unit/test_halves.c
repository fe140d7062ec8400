/* An array of two kinds of accelerators: the halves share so that both finish together. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/study_help.h"

/* Halves named alike are alike. */
static void alike_halves_share_evenly(void **state)
{
	static const char *const models[] = { "vgg-a", "resnet18", "bert-base" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char line[40];
		struct study *even, *named;

		snprintf(line, sizeof line, "load %s", models[i]);
		even = study_with(line, "set accelerator=tpuv2");
		study_settle(even, NULL);
		named = study_with(line, "set accelerator=tpuv2 accelerator2=tpuv2");
		study_settle(named, NULL);
		assert_null(study_results(even)->second);
		assert_non_null(study_results(named)->second);
		assert_true(study_results(named)->first_share == 0.5);
		assert_true(study_results(named)->compute_s == study_results(even)->compute_s && study_results(named)->second_s == study_results(even)->compute_s);
		assert_true(fabs(study_results(named)->energy_j / study_results(even)->energy_j - 1) < 1e-12);
		study_free(even);
		study_free(named);
	}
}

/* The faster half has more, the step is shorter than with even shares, and where samples are many both finish together. */
static void unlike_halves_finish_together(void **state)
{
	static const char *const kinds[][2] = { { "tpuv2", "tpuv3" }, { "tpuv3", "tpuv2" }, { "hmc", "eyeriss" }, { "v100", "a100" } };

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char line[160];
		struct study *slow, *fast, *both;
		double a, b, t;

		snprintf(line, sizeof line, "set batch=65536 solver=dp accelerator=%s accelerators=16 topology=htree", kinds[i][0]);
		slow = study_with("load vgg-a", line);
		study_settle(slow, NULL);
		snprintf(line, sizeof line, "set batch=65536 solver=dp accelerator=%s accelerators=16 topology=htree", kinds[i][1]);
		fast = study_with("load vgg-a", line);
		study_settle(fast, NULL);
		snprintf(line, sizeof line, "set batch=65536 solver=dp accelerator=%s accelerators=16 topology=htree accelerator2=%s", kinds[i][0], kinds[i][1]);
		both = study_with("load vgg-a", line);
		study_settle(both, NULL);
		a = study_results(slow)->compute_s;
		b = study_results(fast)->compute_s;
		t = study_results(both)->compute_s;
		assert_true(fabs(study_results(both)->step->schedule.makespan / study_results(both)->second_s - 1) < 0.01);
		/* two speeds add up, 1/t is the mean of 1/a and 1/b, but for what shares do not change, such as updates */
		assert_true(fabs(t * (1 / a + 1 / b) / 2 - 1) < 0.1);
		assert_true((study_results(both)->first_share < 0.5) == (a > b));
		/* each by itself has what even shares would give that half */
		assert_true(t < fmax(a, b));
		study_free(slow);
		study_free(fast);
		study_free(both);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(alike_halves_share_evenly), cmocka_unit_test(unlike_halves_finish_together) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
