/* The table of accelerators: published powers and peaks, energy, and tables that are wrong. */
#include "hardware/accelerator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void powers_are_the_published(void **state)
{
	static const struct { const char *name; double watts, within; } chips[] = {
		{ "tpuv2", 280, 0.05 * 280 }, { "tpuv3", 450, 0.05 * 450 }, { "nvdla", 1, 2 }, { "v100", 300, 1e-9 }, { "a100", 400, 1e-9 }, { "h100", 700, 1e-9 },
	};
	const struct constants *c = constants_standard();
	struct accelerators list;
	struct diagnostic d;

	(void)state;
	assert_int_equal(accelerators_builtin(&list, NULL, &d), STATUS_OK);
	for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
		const struct accelerator *a = accelerator_find(&list, chips[i].name, &d);
		double uncore = accelerator_uncore(a, c);
		struct power p = accelerator_power(a, &a->machine, uncore, c), sum = machine_power(&a->machine, a->die_mm2, c);

		assert_true(uncore >= 0);
		if (fabs(p.total - chips[i].watts) > chips[i].within || fabs(a->tdp_w - chips[i].watts) > 1e-9)
			fail_msg("%s: %.2f W, published %.2f", a->name, p.total, chips[i].watts);
		/* the three terms add up to about the published also where that is what is told */
		assert_true(fabs(sum.compute + sum.memory + sum.die - chips[i].watts) <= fmax(2, 0.05 * chips[i].watts));
	}
	accelerators_free(&list);
}

static void energy_is_split(void **state)
{
	struct work w = { .macs = 1e12, .lane_cycles = 1e9, .sram_bytes = 4e9, .memory_bytes = 1e9 };
	struct energy e = work_energy(&w, 4.6e-12, constants_standard());

	(void)state;
	assert_true(fabs(e.compute - 4.6e-12 * 1.001e12) < 1e-9);
	assert_true(fabs(e.sram - 5e-3) < 1e-12);            /* HyPar: 5.0 pJ for 4 bytes */
	assert_true(fabs(e.dram - 3.9e-12 * 8e9) < 1e-12);
}

/* ---- presets ---- */

static void presets_reach_their_published_peaks(void **state)
{
	static const char *const names[] = { "hmc", "eyeriss", "nvdla", "tpuv2", "tpuv3", "v100", "a100", "h100", "wham-base", "tpuv4", "tpuv5e" };
	struct diagnostics problems = { .items = NULL };
	struct accelerators list;
	struct diagnostic d;

	(void)state;
	assert_int_equal(accelerators_builtin(&list, &problems, &d), STATUS_OK);
	assert_int_equal(problems.total, 0);
	assert_int_equal(list.count, sizeof names / sizeof *names);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct accelerator *a = accelerator_find(&list, names[i], &d);

		assert_non_null(a);
		assert_true(a->source[0] != '\0' && a->text[0] != '\0');
		if (a->peak_ops > 0 && fabs(2 * machine_peak_macs(&a->machine) / a->peak_ops - 1) > 0.03)
			fail_msg("%s: %.4g op/s, published %.4g", a->name, 2 * machine_peak_macs(&a->machine), a->peak_ops);
	}
	/* 4.6 pJ of fp32, and what fp16 takes of it: (1.1 + 0.4) / (3.7 + 0.9), Horowitz ISSCC 2014. */
	assert_true(fabs(accelerator_mac_j(accelerator_find(&list, "hmc", &d), &accelerator_find(&list, "hmc", &d)->machine, FORMAT_FP32) / 4.6e-12 - 1) < 1e-12);
	assert_true(fabs(accelerator_mac_j(accelerator_find(&list, "hmc", &d), &accelerator_find(&list, "hmc", &d)->machine, FORMAT_FP16) / 1.5e-12 - 1) < 1e-12);
	assert_null(accelerator_find(&list, "tpuv9", &d));
	assert_non_null(strstr(d.text, "did you mean tpuv"));
	accelerators_free(&list);
	diagnostics_free(&problems);
}

#define HEADER "name,kind,tc,tc_rows,tc_cols,vc,vc_lanes,glb [KiB],memory [GiB],bandwidth [GB/s],clock [MHz],dataflow,precision,mac [pJ],source"
#define ROW "x,systolic,1,12,14,1,12,108,8,320,250,ws,fp32,4.6,us"

static void bad_tables_are_refused_where_they_are_bad(void **state)
{
	static const struct { const char *bytes; unsigned long line, column; const char *says; } bad[] = {
		{ "", 0, 0, "empty" },
		{ HEADER "\n", 0, 0, "no rows" },
		{ "# a comment\nname,kind\nx,systolic\n", 2, 3, "no column tc;" },
		{ "name,kind,tc,tc_rows,tc_cols,vc,vc_lanes,glb,memory [GiB],bandwidth [GB/s],clock [MHz],dataflow,precision,mac [pJ],source\n" ROW, 1, 8, "glb [KiB]" },
		{ "name,kind,tc,tc_rows,tc_cols,vc,vc_lanes,glb [KiB],memory [GiB],bandwidth [MHz],clock [MHz],dataflow,precision,mac [pJ],source\n" ROW, 1, 10, "\"MHz\" is no unit" },
		{ "name [x],kind,tc,tc_rows,tc_cols,vc,vc_lanes,glb [KiB],memory [GiB],bandwidth [GB/s],clock [MHz],dataflow,precision,mac [pJ],source\n" ROW, 1, 1, "no unit" },
		{ HEADER "\nx,systolic,0,12,14,1,12,108,8,320,250,ws,fp32,4.6,us\n", 2, 3, "out of range" },
		{ HEADER "\nx,systolic,1.5,12,14,1,12,108,8,320,250,ws,fp32,4.6,us\n", 2, 3, "whole" },
		{ HEADER "\nx,systolic,1,12,14,1,12,-108,8,320,250,ws,fp32,4.6,us\n", 2, 8, "out of range" },
		{ HEADER "\nx,systolic,1,12,14,1,12,108,8,320,fast,ws,fp32,4.6,us\n", 2, 11, "not a number" },
		{ HEADER "\nx,systolic,1,12,14,1,12,108,8,320,nan,ws,fp32,4.6,us\n", 2, 11, "not a number" },
		{ HEADER "\nx,systolic,1,12,14,1,12,108,8,320,0x10,ws,fp32,4.6,us\n", 2, 11, "not a number" },
		{ HEADER "\nx,systolic,1,12,14,1,12,108,8,320,250,rs,fp32,4.6,us\n", 2, 12, "ws, os" },
		{ HEADER "\nx,systolic,1,12,14,1,12,108,8,320,250,ws,fp33,4.6,us\n", 2, 13, "fp32" },
		{ HEADER "\nx,analog,1,12,14,1,12,108,8,320,250,ws,fp32,4.6,us\n", 2, 2, "systolic" },
		{ HEADER "\nx,systolic,1,12,14,1,12,108,8,320,250,ws,fp32,4.6\n", 2, 15, "source is empty" },
		{ HEADER "\n,systolic,1,12,14,1,12,108,8,320,250,ws,fp32,4.6,us\n", 2, 1, "name is empty" },
		{ HEADER "\n\"x,systolic\n", 2, 1, "double quote" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct accelerators list;
		struct diagnostic d;

		assert_int_equal(accelerators_read("a.csv", bad[i].bytes, strlen(bad[i].bytes), &list, NULL, &d), STATUS_INPUT);
		if (d.line != bad[i].line || d.column != bad[i].column || strstr(d.text, bad[i].says) == NULL)
			fail_msg("case %zu: %lu:%lu: %s", i, d.line, d.column, d.text);
		assert_string_equal(d.file, "a.csv");
		assert_true(list.count == 0);
	}
}

static void a_bad_row_spares_the_good(void **state)
{
	static const char bytes[] = HEADER ",colour\n" ROW ",red\ny,systolic,0,12,14,1,12,108,8,320,250,ws,fp32,4.6,us\n" ROW "\n";
	struct diagnostics problems = { .items = NULL };
	struct accelerators list;
	struct diagnostic d;

	(void)state;
	assert_int_equal(accelerators_read("a.csv", bytes, strlen(bytes), &list, &problems, &d), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_true(list.items[0].machine.glb == 108 * 1024 && list.items[0].machine.element_bytes == 4 && list.items[0].machine.clock == 250e6);
	assert_true(list.items[0].die_mm2 == 0 && list.items[0].tdp_w == 0);
	assert_int_equal(problems.total, 3);
	assert_int_equal(problems.errors, 2);
	assert_true(problems.items[0].severity == SEVERITY_WARNING && problems.items[0].line == 1 && problems.items[0].column == 16);
	assert_true(problems.items[1].line == 3 && problems.items[1].column == 3);
	assert_true(problems.items[2].line == 4 && problems.items[2].column == 1 && strstr(problems.items[2].text, "line 2") != NULL);
	accelerators_free(&list);
	diagnostics_free(&problems);
}

static int find_data(void **state)
{
	(void)state;
	return setenv("WHYPAR_DATA", "data", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(powers_are_the_published),
		cmocka_unit_test(energy_is_split),
		cmocka_unit_test(presets_reach_their_published_peaks),
		cmocka_unit_test(bad_tables_are_refused_where_they_are_bad),
		cmocka_unit_test(a_bad_row_spares_the_good),
	};

	return cmocka_run_group_tests(tests, find_data, NULL);
}
