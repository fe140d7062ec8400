/* Calibration: what was put into printed rows comes out again, however the rows are printed. */
#include "network/calibrate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "study/calibrated.h"
#include "tests/unit/random_model.h"

/* Rows of a collective with that latency and link bandwidth, printed as nccl-tests does: with its header or without, with a root column or not. */
static void print_rows(struct text *out, bool all_reduce, int ranks, double alpha, double bandwidth, bool header, bool root, int rows)
{
	double factor = (all_reduce ? 2.0 : 1.0) * (ranks - 1) / ranks;

	if (header)
		for (int i = 0; i < ranks; i++)
			text_printf(out, "#  Rank %2d Group  0 Pid %d on node device %d\n", i, 100 + i, i);
	if (header)
		text_printf(out, "#\n#       size         count      type   redop%s     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n", root ? "    root" : "");
	for (int i = 0; i < rows; i++) {
		double bytes = exp2(16 + 2 * i), us = 1e6 * (alpha + factor * bytes / bandwidth), rate = bytes / us / 1e3;

		text_printf(out, "%12.0f %10.0f float sum %s %8.6g %7.2f %7.2f 0 %8.6g %7.2f %7.2f 0\n", bytes, bytes / 4, root ? "-1" : "", us, rate, rate * factor, us, rate, rate * factor);
	}
	text_add(out, "# Out of bounds values : 0 OK\n");
}

static void what_was_put_in_comes_out(void **state)
{
	struct random r = { 17 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		bool all_reduce = random_below(&r, 2), header = random_below(&r, 2), root = random_below(&r, 2);
		int ranks = 2 + (int)random_below(&r, 30);
		double alpha = 1e-6 * (1 + random_below(&r, 100)), bandwidth = 1e9 * (20 + random_below(&r, 400));
		struct text text = { 0 };
		struct calibration *c;
		struct diagnostic d;

		print_rows(&text, all_reduce, ranks, alpha, bandwidth, header, root, 8);
		c = calibration_read("t", text.bytes, text.length, header || ranks == 2 || random_below(&r, 2) ? ranks : 0, &d);
		if (c == NULL)
			fail_msg("%s\n%s", d.text, text_string(&text));
		assert_int_equal(c->problems.total, 0);
		assert_int_equal(c->count, 8);
		assert_true(c->op == (all_reduce ? COLLECTIVE_ALL_REDUCE : COLLECTIVE_ALL_GATHER));
		/* told from bandwidths of two digits, many ranks look alike */
		assert_true(fabs(1.0 / c->ranks - 1.0 / ranks) < 0.01);
		assert_true(fabs(c->alpha / alpha - 1) < 1e-3 && fabs(c->bandwidth * ranks / (ranks - 1) * (c->ranks - 1) / c->ranks / bandwidth - 1) < 0.02);
		assert_true(c->worst_error < 1e-3 && c->mean_error <= c->worst_error);
		calibration_free(c);
		text_free(&text);
	}
}

static void what_cannot_be_told_is_refused(void **state)
{
	static const struct { const char *text; int ranks; const char *phrase; } cases[] = {
		{ "", 0, "no row of nccl-tests" }, { "hello\nworld\n", 0, "no row of nccl-tests" }, { "1024 256 float\n", 0, "lacks a time" },
		{ "1024 256 float sum -1 nan 1 1 0\n", 0, "lacks a time" }, { "1024 256 float sum -1 5.0 0.20 0.36 0\n", 0, "how many ranks" },
		{ "0 0 float sum -1 5.0 0 0 0\n", 8, "no bandwidth" }, { "2048 1 float sum -1 5.0 0.4 0.7 0\n1048576 1 float sum -1 1.0 1048 1835 0\n", 8, "do not take longer" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diagnostic d;
		struct calibration *c = calibration_read("t", cases[i].text, strlen(cases[i].text), cases[i].ranks, &d);

		if (c != NULL)
			fail_msg("%s: taken", cases[i].text);
		if (strstr(d.text, cases[i].phrase) == NULL)
			fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, d.text, cases[i].phrase);
	}
}

/* Rows that contradict the ranks, each other, or are of what is not read. */
static void contradictions_are_refused(void **state)
{
	struct text reduce = { 0 }, both = { 0 }, broadcast = { 0 };
	struct diagnostic d;

	(void)state;
	print_rows(&reduce, true, 8, 1e-5, 300e9, true, true, 8);
	print_rows(&both, true, 8, 1e-5, 300e9, false, true, 8);
	print_rows(&both, false, 8, 1e-5, 300e9, false, true, 8);
	text_add(&broadcast, "1073741824 268435456 float none 0 5069.5 211.80 211.80 0\n");
	assert_null(calibration_read("t", reduce.bytes, reduce.length, 16, &d));
	assert_non_null(strstr(d.text, "lists 8 ranks, not 16"));
	assert_null(calibration_read("t", both.bytes, both.length, 8, &d));
	assert_non_null(strstr(d.text, "several collectives"));
	assert_null(calibration_read("t", broadcast.bytes, broadcast.length, 8, &d));
	assert_non_null(strstr(d.text, "broadcast"));
	assert_null(calibration_read("t", broadcast.bytes, broadcast.length, 0, &d));
	assert_non_null(strstr(d.text, "how many ranks"));
	text_free(&reduce);
	text_free(&both);
	text_free(&broadcast);
}

/* Set on any topology, the links give the measured times back. */
static void a_calibration_gives_the_measured_times(void **state)
{
	static const enum topology_kind topologies[] = { TOPOLOGY_RING, TOPOLOGY_SWITCH, TOPOLOGY_HTREE, TOPOLOGY_FATTREE, TOPOLOGY_MESH, TOPOLOGY_FULL, TOPOLOGY_TORUS };
	struct document document;
	struct diagnostic d;

	(void)state;
	for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
		for (int all_reduce = 0; all_reduce < 2; all_reduce++) {
			struct topology t = topology_bare(topologies[i]), resolved;
			struct collective_request request = { .op = all_reduce ? COLLECTIVE_ALL_REDUCE : COLLECTIVE_REDUCE_SCATTER, .bytes = 1 << 20, .algorithm = { ALGORITHM_RING } };
			struct collective_time time;
			struct text text = { 0 };
			struct calibrated c;

			print_rows(&text, all_reduce, 8, 14e-6, 100e9, true, true, 10);
			document_init(&document);
			document.values[PARAMETER_TOPOLOGY] = topologies[i];
			assert_int_equal(calibrated_read(&document, "t", text.bytes, text.length, NULL, &c, &d), STATUS_OK);
			assert_false(c.as_ring);
			assert_int_equal(topology_resolve(&t, 8, c.bandwidth, c.latency, &resolved, &d), STATUS_OK);
			assert_int_equal(collective_on(&resolved, &request, &time, &d), STATUS_OK);
			assert_true(fabs(time.seconds / (c.calibration->alpha + c.calibration->beta * (1 << 20)) - 1) < 1e-3);
			calibration_free(c.calibration);
			document_free(&document);
			text_free(&text);
		}
}

/* What each endpoint adds and the chunks that follow each other are the document's, not the links'. */
static void delays_and_chunks_are_not_the_links(void **state)
{
	static const double delays[] = { 0, 0.5e-6 };

	(void)state;
	for (int chunks = 1; chunks <= 16; chunks *= 4)
		for (int k = 0; k < 2; k++) {
			struct document document;
			struct collective_request request = { .op = COLLECTIVE_ALL_REDUCE, .bytes = 1 << 24, .algorithm = { ALGORITHM_RING }, .endpoint_delay = delays[k], .chunks = chunks };
			struct topology t = topology_bare(TOPOLOGY_RING), resolved;
			struct collective_time time;
			struct text text = { 0 };
			struct calibrated c;
			struct diagnostic d;

			print_rows(&text, true, 8, 700e-6, 100e9, true, true, 10);
			document_init(&document);
			document.values[PARAMETER_TOPOLOGY] = TOPOLOGY_RING;
			document.values[PARAMETER_ENDPOINT_DELAY] = delays[k];
			document.values[PARAMETER_CHUNKS_COMM] = chunks;
			assert_int_equal(calibrated_read(&document, "t", text.bytes, text.length, NULL, &c, &d), STATUS_OK);
			topology_resolve(&t, 8, c.bandwidth, c.latency, &resolved, &d);
			assert_int_equal(collective_on(&resolved, &request, &time, &d), STATUS_OK);
			assert_true(fabs(time.seconds / (c.calibration->alpha + c.calibration->beta * (1 << 24)) - 1) < 1e-3);
			calibration_free(c.calibration);
			document_free(&document);
			text_free(&text);
		}
}

/* A row whose time and bandwidth disagree is left out with a word; rows of seven and of eight ranks are no one collective. */
static void rows_are_compared_with_themselves_and_each_other(void **state)
{
	struct text text = { 0 };
	struct calibration *c;
	struct diagnostic d;

	(void)state;
	print_rows(&text, true, 8, 1e-5, 100e9, false, true, 10);
	text_add(&text, "1073741824 268435456 float sum -1 5069.5 21.18 37.07 0\n");
	c = calibration_read("t", text.bytes, text.length, 8, &d);
	assert_non_null(c);
	assert_true(c->count == 10 && c->problems.total == 1 && strstr(c->problems.items[0].text, "left out") != NULL && c->worst_error < 1e-3);
	calibration_free(c);
	print_rows(&text, true, 7, 1e-5, 100e9, false, true, 10);
	assert_null(calibration_read("t", text.bytes, text.length, 8, &d));
	assert_non_null(strstr(d.text, "several"));
	text_free(&text);
}

/* A line that was copied alone gives a bandwidth. */
static void one_line_gives_a_bandwidth(void **state)
{
	static const char line[] = "1073741824 268435456 float sum -1 5069.5 211.80 370.66 0\n";
	struct diagnostic d;
	struct calibration *c = calibration_read("t", line, sizeof line - 1, 0, &d);

	(void)state;
	assert_non_null(c);
	assert_true(c->one_size && c->ranks == 8 && c->alpha == 0 && fabs(c->bandwidth / 370.66e9 - 1) < 1e-3);
	calibration_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_put_in_comes_out),
		cmocka_unit_test(what_cannot_be_told_is_refused),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(a_calibration_gives_the_measured_times),
		cmocka_unit_test(delays_and_chunks_are_not_the_links),
		cmocka_unit_test(rows_are_compared_with_themselves_and_each_other),
		cmocka_unit_test(one_line_gives_a_bandwidth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
