/* Tables of measured latencies: what is read, what is refused with which place, and what a step makes of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "schedule/step.h"
#include "tests/unit/reference.h"

static struct latencies *read_text(const char *text, struct diagnostic *d)
{
	return latencies_read("t.csv", text, strlen(text), d);
}

static void what_is_read_is_found_by_its_shape(void **state)
{
	struct diagnostic d;
	struct latencies *l = read_text("time [ms],k,n,m,groups,operation,pass,elements,remark\n"
		"2,30,20,10,,gemm,,,\n3,30,20,10,4,gemm,,,\n0.5,,,,,relu,bwd,1000,\n0.25,,,,,relu,,1000,\n7,30,20,10,,gemm,,,again\n", &d);
	struct gemm g = { .groups = 1, .m = 10, .n = 20, .k = 30 };

	(void)state;
	assert_non_null(l);
	assert_int_equal(l->count, 4);
	assert_true(latencies_product(l, &g)->seconds == 2e-3 && latencies_product(l, &g)->line == 2);
	g.groups = 4;
	assert_true(latencies_product(l, &g)->seconds == 3e-3);
	g.m = 11;
	assert_null(latencies_product(l, &g));
	assert_true(latencies_vector(l, VECTOR_RELU, true, 1000, 1)->seconds == 5e-4);
	assert_true(latencies_vector(l, VECTOR_RELU, false, 1000, 1)->seconds == 2.5e-4);
	assert_null(latencies_vector(l, VECTOR_ADD, false, 1000, 1));
	assert_null(latencies_product(NULL, &g));
	/* an unknown column, and a shape measured twice */
	assert_int_equal(l->problems.total, 2);
	assert_int_equal(l->problems.errors, 0);
	assert_true(l->problems.items[1].line == 6 && strstr(l->problems.items[1].text, "line 2") != NULL);
	latencies_release(latencies_share(l));
	latencies_release(l);
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
	static const struct { const char *text; unsigned long line, column; const char *phrase; } cases[] = {
		{ "", 0, 0, "begins with a header" },
		{ "operation,time [us]\n", 0, 0, "no rows" },
		{ "operation,m,n,k\ngemm,1,1,1\n", 1, 5, "time [us]" },
		{ "operation,time\nrelu,1\n", 1, 2, "time [us]" },
		{ "operation,time [hours]\nrelu,1\n", 1, 2, "time [us]" },
		{ "time [us],m\n1,1\n", 1, 3, "no column operation" },
		{ "operation,m,n,k,time [us]\ngemm,0,1,1,5\n", 2, 2, "out of range" },
		{ "operation,m,n,k,time [us]\ngemm,1.5,1,1,5\n", 2, 2, "whole number" },
		{ "operation,m,n,k,time [us]\ngemm,1,1,,5\n", 2, 4, "empty" },
		{ "operation,elements,time [us]\nconv,8,5\n", 2, 1, "neither gemm" },
		{ "operation,elements,pass,time [us]\nrelu,8,up,5\n", 2, 3, "fwd nor bwd" },
		{ "operation,elements,time [us]\nrelu,8,-5\n", 2, 3, "out of range" },
		{ "operation,elements,time [us]\nrelu,8,nan\n", 2, 3, "not a number" },
		{ "operation,elements,time [us]\nrelu,8,1e400\n", 2, 3, "not a number" },
		{ "operation,elements,time [us]\n\"relu,8,1\n", 2, 1, "quote" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diagnostic d = { .text = "" };

		assert_null(read_text(cases[i].text, &d));
		if (d.line != cases[i].line || d.column != cases[i].column || strstr(d.text, cases[i].phrase) == NULL)
			fail_msg("case %zu: %lu:%lu: %s", i, d.line, d.column, d.text);
	}
}

/* One shape measured: its operators take that time, are marked, and nothing else changes. */
static void a_step_takes_measured_times(void **state)
{
	struct model *m = load_reference("lenet-c");
	struct training *t = training_new(m);
	struct machine machine = { .tc = 1, .tc_rows = 8, .tc_cols = 8, .vc = 1, .vc_lanes = 8, .glb = 1 << 16, .hbm_bw = 1e9, .clock = 1e9, .element_bytes = 4 };
	struct share *shares = memory_alloc((size_t)m->count, sizeof *shares);
	struct step_request request = { .machine = &machine, .shares = shares };
	struct step *modelled, *measured;
	struct diagnostic d;
	int marked = 0;

	(void)state;
	for (int row = 0; row < m->count; row++)
		shares[row] = share_whole(&m->operators[row], 16);
	request.latencies = NULL;
	assert_int_equal(step_new(t, &request, &modelled, &d), STATUS_OK);
	/* fc1 forward: 16 x 500 x 800; and one that no operator has */
	request.latencies = read_text("operation,m,n,k,time [ms]\ngemm,16,500,800,9\ngemm,3,3,3,1\n", &d);
	assert_int_equal(step_new(t, &request, &measured, &d), STATUS_OK);
	for (int node = 0; node < t->count; node++) {
		const struct step_node *a = &modelled->nodes[node], *b = &measured->nodes[node];

		marked += b->measured;
		if (b->measured) {
			assert_true(b->timing.time_s == 9e-3 && b->gemms[0].k == 800);
			assert_true(measured->rows[t->nodes[node].row].measured);
		} else {
			assert_true(a->timing.time_s == b->timing.time_s);
		}
		assert_true(a->timing.macs == b->timing.macs);
	}
	assert_int_equal(marked, 1);
	assert_true(measured->latency_used[1] && !measured->latency_used[0]);
	latencies_release((struct latencies *)request.latencies);
	step_free(modelled);
	step_free(measured);
	memory_free(shares);
	training_free(t);
	model_free(m);
}

/* fwd_s and bwd_s of a row are what its operators take, whatever is fused: activation and pool come along, errors and gradients share. */
static void rows_take_their_measured_seconds(void **state)
{
	static const char csv[] = "name,kind,in_ch,in_h,in_w,kernel,out_ch,pool,fwd_s,bwd_s\na,conv,3,8,8,3,4,2,1e-3,\nb,linear,36,1,1,,20,,2e-3,5e-3\nc,linear,20,1,1,,5,,,7e-3\nd,linear,5,1,1,,5,,-1,\n";
	struct machine machine = { .tc = 2, .tc_rows = 8, .tc_cols = 8, .vc = 2, .vc_lanes = 8, .glb = 1 << 16, .hbm_bw = 1e9, .clock = 1e9, .element_bytes = 4 };
	struct model *m;
	struct diagnostic d;
	struct share shares[4];

	(void)state;
	assert_int_equal(model_load_bytes("t.csv", csv, sizeof csv - 1, &m, NULL, &d), STATUS_OK);
	assert_int_equal(m->problems.total, 1);
	for (int fusion = 0; fusion < 2; fusion++) {
		struct training *t = training_new(m);
		struct step_request request = { .machine = &machine, .shares = shares, .fusion = fusion };
		double forward[4] = { 0 }, backward[4] = { 0 };
		struct step *step;

		for (int row = 0; row < 4; row++)
			shares[row] = share_whole(&m->operators[row], 16);
		assert_int_equal(step_new(t, &request, &step, &d), STATUS_OK);
		for (int node = 0; node < t->count; node++) {
			int row = t->nodes[node].row;

			if (row >= 0 && t->nodes[node].pass == PASS_FWD)
				forward[row] += step->nodes[node].seconds;
			if (row >= 0 && (t->nodes[node].pass == PASS_BWD_DATA || t->nodes[node].pass == PASS_BWD_WEIGHT))
				backward[row] += step->nodes[node].seconds;
		}
		assert_true(fabs(forward[0] - 1e-3) < 1e-15 && fabs(forward[1] - 2e-3) < 1e-15 && fabs(backward[1] - 5e-3) < 1e-15 && fabs(backward[2] - 7e-3) < 1e-15);
		assert_true(forward[2] < 1e-4 && forward[3] < 1e-4 && backward[3] < 1e-4);
		step_free(step);
		/* half of its channels was not measured */
		shares[1].out_ch = 10;
		assert_int_equal(step_new(t, &request, &step, &d), STATUS_OK);
		assert_true(!step->rows[1].measured && step->rows[0].measured);
		step_free(step);
		training_free(t);
	}
	model_free(m);
}

/* A measured row is not fused, so that its time is not hidden by what it would be done along with. */
static void measured_rows_are_not_fused(void **state)
{
	static const char csv[] = "name,kind,in_ch,in_h,in_w,kernel,out_ch,fwd_s\na,conv,3,8,8,3,4,\nn,norm,,,,,,0.5\nr,act,,,,,,\nb,linear,144,1,1,,5,\n";
	struct machine machine = { .tc = 1, .tc_rows = 8, .tc_cols = 8, .vc = 1, .vc_lanes = 8, .glb = 1 << 16, .hbm_bw = 1e9, .clock = 1e9, .element_bytes = 4 };
	struct model *m;
	struct training *t;
	struct step *step;
	struct share shares[4];
	struct diagnostic d;
	struct step_request request = { .machine = &machine, .shares = shares, .fusion = true };

	(void)state;
	assert_int_equal(model_load_bytes("t.csv", csv, sizeof csv - 1, &m, NULL, &d), STATUS_OK);
	t = training_new(m);
	for (int row = 0; row < 4; row++)
		shares[row] = share_whole(&m->operators[row], 16);
	assert_int_equal(step_new(t, &request, &step, &d), STATUS_OK);
	assert_true(fabs(step->rows[1].seconds - 0.5) < 1e-3 && step->schedule.makespan > 0.5);
	for (int node = 0; node < t->count; node++)
		assert_true(t->nodes[node].row != 1 || t->nodes[node].pass != PASS_FWD || (step->nodes[node].taken_by < 0 && step->nodes[node].next < 0));
	step_free(step);
	training_free(t);
	model_free(m);
}

/* A pool is known by its window too, and both norms by either name. */
static void windows_and_norms(void **state)
{
	struct diagnostic d;
	struct latencies *l = read_text("operation,elements,window,time [us]\npool,4096,4,7\npool,4096,9,8\n", &d);

	(void)state;
	assert_true(latencies_vector(l, VECTOR_POOL, false, 4096, 4)->seconds == 7e-6 && latencies_vector(l, VECTOR_POOL, false, 4096, 9)->seconds == 8e-6);
	assert_null(latencies_vector(l, VECTOR_POOL, false, 4096, 16));
	latencies_release(l);
	assert_null(read_text("operation,elements,time [us]\npool,4096,7\n", &d));
	assert_non_null(strstr(d.text, "window"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_is_found_by_its_shape),
		cmocka_unit_test(what_is_wrong_is_told_with_its_place),
		cmocka_unit_test(a_step_takes_measured_times),
		cmocka_unit_test(rows_take_their_measured_seconds),
		cmocka_unit_test(measured_rows_are_not_fused),
		cmocka_unit_test(windows_and_norms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
