/* Core timing and area against SCALE-Sim's runs, Phaze's areas and a search over every tiling. */
#include "hardware/accelerator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reference.h"

/* ---- help ---- */

static uint64_t seed;

static uint64_t any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* 1 to most, small ones as likely as large ones. */
static int64_t size_up_to(int64_t most)
{
	return (int64_t)exp((double)any(1 << 20) / (1 << 20) * log((double)most + 0.999));
}

static struct machine some_machine(void)
{
	return (struct machine){ .tc = size_up_to(64), .tc_rows = size_up_to(256), .tc_cols = size_up_to(256), .dataflow = (enum dataflow)any(DATAFLOW_COUNT),
		.vc = size_up_to(64), .vc_lanes = size_up_to(256), .glb = (double)(24 + any(1 << 24)), .hbm = 0x1p33,
		.hbm_bw = 1e9 * (double)size_up_to(1000), .clock = 1e6 * (double)size_up_to(2000), .element_bytes = 1 << any(3), .mac_j = 1e-12 };
}

static struct operator conv(struct shape in, struct extent kernel, int64_t filters, int64_t groups, struct extent out)
{
	return (struct operator){ .kind = OPERATOR_CONV, .in = in, .kernel = kernel, .groups = groups, .pool = 1,
		.conv_out = { filters, out.h, out.w }, .out = { filters, out.h, out.w } };
}

/* ---- cycles ---- */

static void cycles_by_hand(void **state)
{
	struct machine m = { .tc = 1, .tc_rows = 4, .tc_cols = 8, .dataflow = DATAFLOW_OS };
	struct gemm g = gemm_plain(3, 9, 17, 5);

	(void)state;
	/* 3 x 3 folds of 5 + 4 + 8 - 2 cycles, three groups */
	assert_true(gemm_cycles(&m, &g, 1) == 3 * 9 * 15);
	/* two cores: N, the larger, would be 9 for each and take 3 * 3 * 2 folds; the 27 folds dealt out are 14 */
	assert_true(gemm_cycles(&m, &g, 2) == 14 * 15);
	/* eight: 17 / 8 is 3, one fold of columns each, but 27 / 8 is 4 */
	assert_true(gemm_cycles(&m, &g, 8) == 4 * 15);
	m.dataflow = DATAFLOW_WS;
	assert_true(gemm_cycles(&m, &g, 1) == 3 * (2 * 3) * (9 + 8 + 8 - 2));
	/* weights stay: a long stream is better cut than its folds dealt out */
	g = gemm_plain(1, 1000, 8, 4);
	assert_true(gemm_cycles(&m, &g, 4) == 250 + 8 + 8 - 2);
	g = gemm_plain(3, 9, 17, 5);
	m.dataflow = DATAFLOW_IS;
	assert_true(gemm_cycles(&m, &g, 1) == 3 * (2 * 2) * (17 + 8 + 8 - 2));
}

/* Columns of systolic_cycles.csv. */
enum {
	IFMAP_H = 2, IFMAP_W, FILT_H, FILT_W, CHANNELS, FILTERS, STRIDE, DATAFLOW, ROWS, COLS, CYCLES,
	KIND = 17, STRIDE_W, M, N, K, IFMAP_READS, FILTER_READS, OFMAP_WRITES, CYCLE_CELLS
};

static int64_t number(char **cells, int column)
{
	return atoll(cells[column]);
}

/* SCALE-Sim rounds outputs up. */
static int64_t side_out(int64_t in, int64_t kernel, int64_t stride)
{
	return (in - kernel + stride - 1) / stride + 1;
}

static struct gemm golden_gemm(char **cells)
{
	struct gemm plain = gemm_plain(1, number(cells, M), number(cells, N), number(cells, K)), made[GEMMS_MAX];
	struct shape in = { number(cells, CHANNELS), number(cells, IFMAP_H), number(cells, IFMAP_W) };
	struct extent kernel = { number(cells, FILT_H), number(cells, FILT_W) };
	int64_t stride = number(cells, STRIDE), stride_w = cells[STRIDE_W][0] != '\0' ? number(cells, STRIDE_W) : stride;

	if (strcmp(cells[KIND], "conv") == 0) {
		struct operator o = conv(in, kernel, number(cells, FILTERS), 1, (struct extent){ side_out(in.h, kernel.h, stride), side_out(in.w, kernel.w, stride_w) });
		struct share whole = share_whole(&o, 1);

		assert_int_equal(gemm_of(&o, GEMM_FORWARD, &whole, made), 1);
		assert_true(made[0].m == plain.m && made[0].n == plain.n && made[0].k == plain.k && made[0].groups == 1);
	}
	return plain;
}

static void cycles_are_scale_sims(void **state)
{
	FILE *file = shared_open("golden/systolic_cycles.csv");
	char line[1024], *cells[CYCLE_CELLS];
	int rows = 0;

	(void)state;
	if (file == NULL)
		skip();
	assert_non_null(fgets(line, sizeof line, file));
	for (; fgets(line, sizeof line, file) != NULL && split_line(line, cells, CYCLE_CELLS) == CYCLE_CELLS; rows++) {
		struct machine m = { .tc = 1, .tc_rows = number(cells, ROWS), .tc_cols = number(cells, COLS), .dataflow = dataflow_find(cells[DATAFLOW]) };
		struct gemm g = golden_gemm(cells);
		struct folds f = gemm_folds(&m, &g);
		struct sram_traffic t = gemm_sram(&m, &g);

		if (gemm_cycles(&m, &g, 1) != (double)number(cells, CYCLES) + 1)
			fail_msg("%s %s: %.0f cycles, want %s + 1", cells[0], cells[1], gemm_cycles(&m, &g, 1), cells[CYCLES]);
		if (m.dataflow == DATAFLOW_OS)   /* the slip that gemm_sram leaves out */
			t.result += (double)(f.rows * f.cols * (m.tc_rows + m.tc_cols));
		if (t.left != (double)number(cells, IFMAP_READS) || t.right != (double)number(cells, FILTER_READS) || t.result != (double)number(cells, OFMAP_WRITES))
			fail_msg("%s %s: SRAM %.0f %.0f %.0f, want %s %s %s", cells[0], cells[1], t.left, t.right, t.result, cells[IFMAP_READS], cells[FILTER_READS], cells[OFMAP_WRITES]);
	}
	fclose(file);
	assert_int_equal(rows, 400);
}

/* Columns of systolic_stalls.csv: bytes a word are 1, each operand has a port of its own. */
enum { S_M = 1, S_N, S_K, S_DATAFLOW, S_ROWS, S_COLS, S_LEFT_KB, S_RIGHT_KB, S_RESULT_KB, S_BANDWIDTH, S_TOTAL, S_STALLS, S_CELLS };

/* What SCALE-Sim adds for a slow memory is never less than nothing, and its total never below our compute; nor does more bandwidth slow us. */
static void stalls_keep_their_bounds(void **state)
{
	FILE *file = shared_open("golden/systolic_stalls.csv");
	char line[1024], *cells[S_CELLS];
	int rows = 0;

	(void)state;
	if (file == NULL)
		skip();
	assert_non_null(fgets(line, sizeof line, file));
	for (; fgets(line, sizeof line, file) != NULL && split_line(line, cells, S_CELLS) == S_CELLS; rows++) {
		double buffer = 1024.0 * (double)(number(cells, S_LEFT_KB) + number(cells, S_RIGHT_KB) + number(cells, S_RESULT_KB)), total = (double)number(cells, S_TOTAL);
		struct machine m = { .tc = 1, .tc_rows = number(cells, S_ROWS), .tc_cols = number(cells, S_COLS), .dataflow = dataflow_find(cells[S_DATAFLOW]),
			.glb = buffer, .hbm_bw = 3 * fmax(1, atof(cells[S_BANDWIDTH])), .clock = 1, .element_bytes = 1 };
		struct gemm g = gemm_plain(1, number(cells, S_M), number(cells, S_N), number(cells, S_K));
		struct timing t, wider;

		assert_int_equal(tensor_time(&m, &g, 1, 1, &t, NULL), STATUS_OK);
		assert_true(total - (double)number(cells, S_STALLS) == t.cycles - 1);
		assert_true(total >= t.compute_s - 1);
		m.hbm_bw *= 2;
		assert_int_equal(tensor_time(&m, &g, 1, 1, &wider, NULL), STATUS_OK);
		assert_true(wider.time_s <= t.time_s && wider.time_s >= t.compute_s);
	}
	fclose(file);
	assert_int_equal(rows, 75);
}

/* ---- operators as products ---- */

static double pass_macs(const struct operator *o, enum gemm_pass pass, const struct share *s, int64_t *m, int64_t *n, int64_t *k)
{
	struct gemm g[GEMMS_MAX];
	int count = gemm_of(o, pass, s, g);
	double macs = 0;

	assert_true(count >= 0);
	for (int i = 0; i < count; i++)
		macs += gemm_macs(&g[i]);
	*m = g[0].m;
	*n = g[0].n;
	*k = g[0].k;
	return macs;
}

static void three_passes_have_equal_macs(void **state)
{
	struct operator layers[] = {
		conv((struct shape){ 64, 56, 56 }, (struct extent){ 3, 3 }, 128, 1, (struct extent){ 28, 28 }),
		conv((struct shape){ 96, 27, 27 }, (struct extent){ 5, 5 }, 256, 2, (struct extent){ 27, 27 }),
		conv((struct shape){ 144, 56, 56 }, (struct extent){ 3, 3 }, 144, 144, (struct extent){ 56, 56 }),
		{ .kind = OPERATOR_LINEAR, .in = { 768, 128, 1 }, .out = { 3072, 128, 1 }, .conv_out = { 3072, 128, 1 }, .groups = 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
		struct operator *o = &layers[i];
		struct share whole = share_whole(o, 32);
		int64_t m[3], n[3], k[3];
		double macs[3];

		o->kernel.h += o->kernel.h == 0;
		o->kernel.w += o->kernel.w == 0;
		assert_int_equal(operator_measure(o, NULL), STATUS_OK);
		for (int pass = 0; pass < 3; pass++)
			macs[pass] = pass_macs(o, (enum gemm_pass)pass, &whole, &m[pass], &n[pass], &k[pass]);
		assert_true(macs[0] == 32.0 * (double)o->macs && macs[1] == macs[0] && macs[2] == macs[0]);
		/* MODELS 3.1: pixels, filters and window change places */
		assert_true(m[1] == m[0] && n[1] == k[0] && k[1] == n[0] && m[2] == k[0] && n[2] == n[0] && k[2] == m[0]);
	}
}

static bool is_product(const struct gemm *g, int64_t groups, int64_t m, int64_t n, int64_t k)
{
	return g->groups == groups && g->m == m && g->n == n && g->k == k;
}

/* 128 queries, 12 heads of 64; keys and values as many, or 200. */
static void attention_goes_by_heads(void **state)
{
	struct operator o = { .kind = OPERATOR_ATTENTION, .in = { 3 * 768, 128, 1 }, .out = { 768, 128, 1 }, .conv_out = { 768, 128, 1 }, .heads = 12, .groups = 1 };
	struct gemm g[GEMMS_MAX];

	(void)state;
	for (o.keys = 128; o.keys <= 200; o.keys += 72) {
		struct share whole = share_whole(&o, 4);
		double macs = 0;

		assert_int_equal(operator_measure(&o, NULL), STATUS_OK);
		assert_int_equal(gemm_of_attention(&o, false, false, &whole, g), 1);
		assert_true(is_product(&g[0], 48, 128, o.keys, 64));
		macs += gemm_macs(&g[0]);
		assert_int_equal(gemm_of_attention(&o, true, false, &whole, g), 1);
		assert_true(is_product(&g[0], 48, 128, 64, o.keys));
		assert_true(macs + gemm_macs(&g[0]) == 4.0 * (double)o.macs);
		assert_int_equal(gemm_of_attention(&o, true, true, &whole, g), 2);
		assert_true(is_product(&g[0], 48, 128, o.keys, 64) && is_product(&g[1], 48, o.keys, 64, 128));
		assert_int_equal(gemm_of_attention(&o, false, true, &whole, g), 2);
		assert_true(is_product(&g[0], 48, 128, 64, o.keys) && is_product(&g[1], 48, o.keys, 64, 128));
		assert_int_equal(gemm_of(&o, GEMM_FORWARD, &whole, g), 0);
		whole.heads = 3;
		assert_int_equal(gemm_of_attention(&o, false, false, &whole, g), 1);
		assert_true(2 * gemm_macs(&g[0]) == (double)o.macs);
	}
}

static void shares_cut_what_they_name(void **state)
{
	struct operator o = conv((struct shape){ 64, 56, 56 }, (struct extent){ 3, 3 }, 128, 1, (struct extent){ 28, 28 });
	struct share s = { .batch = 4, .in_ch = 16, .out_ch = 43, .groups = 1, .heads = 1 };
	struct gemm g[GEMMS_MAX];

	(void)state;
	assert_int_equal(gemm_of(&o, GEMM_FORWARD, &s, g), 1);
	assert_true(g[0].m == 4 * 28 * 28 && g[0].n == 43 && g[0].k == 9 * 16);
	assert_true(g[0].left == 4.0 * 16 * 56 * 56 && g[0].right == 9.0 * 16 * 43 && g[0].result == 4.0 * 43 * 28 * 28);
	assert_int_equal(gemm_of(&o, GEMM_BACKWARD_DATA, &s, g), 1);
	assert_true(g[0].left == 4.0 * 43 * 28 * 28 && g[0].result == 4.0 * 16 * 56 * 56);
	s.batch = INT64_MAX / 4;
	assert_int_equal(gemm_of(&o, GEMM_FORWARD, &s, g), -1);
	o.kind = OPERATOR_EMBEDDING;
	assert_int_equal(gemm_of(&o, GEMM_FORWARD, &s, g), 0);
}

/* ---- memory ---- */

/* Every pair of tiles of M and K, each with the widest tile of N beside it. */
static double least_traffic(const struct gemm *g, double room)
{
	double least = INFINITY;

	for (int64_t tm = 1; tm <= g->m; tm++)
		for (int64_t tk = 1; tk <= g->k; tk++) {
			int64_t left = (int64_t)room - tm * tk, tn = left / (tm + tk);
			double moved;

			if (left < 0 || tn < 1)
				break;
			tn = tn < g->n ? tn : g->n;
			moved = g->left * (double)((g->n + tn - 1) / tn) + g->right * (double)((g->m + tm - 1) / tm) + g->result * (double)(2 * ((g->k + tk - 1) / tk) - 1);
			least = moved < least ? moved : least;
		}
	return least;
}

static void check_tiling(const struct gemm *g, double room)
{
	struct tiling t;
	double least = least_traffic(g, room), counted;

	assert_int_equal(gemm_tile(g, 2 * room, 1, &t, NULL), STATUS_OK);
	if (t.elements != least)
		fail_msg("%lldx%lldx%lld, raw %.0f %.0f %.0f, room %.0f: %.0f, want %.0f", (long long)g->m, (long long)g->n, (long long)g->k, g->left, g->right, g->result,
			room, t.elements, least);
	assert_true(t.m * t.k + t.k * t.n + t.m * t.n <= (int64_t)room);
	assert_true(t.m * t.m_count >= g->m && t.n * t.n_count >= g->n && t.k * t.k_count >= g->k);
	counted = g->left * (double)t.n_count + g->right * (double)t.m_count + g->result * (double)(2 * t.k_count - 1);
	assert_true(counted == t.elements);
}

static void tilings_are_the_best_of_all(void **state)
{
	(void)state;
	seed = 20240719;
	for (int64_t most = 4; most <= 256; most *= 4)
		for (int i = 0; i < (most > 100 ? 600 : 6000); i++) {
			struct gemm g = gemm_plain(1, size_up_to(most), size_up_to(most), size_up_to(most));

			/* raw inputs are smaller than their im2col, by any factor */
			if (any(2) == 0)
				g.left = ceil(g.left / (double)(1 + any(9)));
			if (any(3) == 0)
				g.result = ceil(g.result / (double)(1 + any(9)));
			check_tiling(&g, 3 + (double)any(1ull << any(15)));
		}
}

static void a_whole_product_that_fits_moves_once(void **state)
{
	struct gemm g = gemm_plain(1, 10, 20, 30);
	struct tiling t;

	(void)state;
	assert_int_equal(gemm_tile(&g, 4 * 2 * (300 + 600 + 200), 4, &t, NULL), STATUS_OK);
	assert_true(t.elements == 300 + 600 + 200 && t.m == 10 && t.n == 20 && t.k == 30);
	assert_int_equal(gemm_tile(&g, 4 * 2 * (300 + 600 + 200) - 1, 4, &t, NULL), STATUS_OK);
	assert_true(t.elements > 300 + 600 + 200);
}

static void a_buffer_too_small_says_the_least(void **state)
{
	struct gemm g = gemm_plain(1, 10, 20, 30);
	struct tiling t;
	struct diagnostic d;

	(void)state;
	assert_int_equal(gemm_tile(&g, 23, 4, &t, &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "23"));
	assert_non_null(strstr(d.text, "24 bytes"));
	assert_int_equal(gemm_tile(&g, 24, 4, &t, &d), STATUS_OK);
	assert_true(t.m == 1 && t.n == 1 && t.k == 1);
}

/* Sizes whose products pass 2^63 many times over: finite, positive, and not slow. */
static void enormous_products_stay_finite(void **state)
{
	static const double buffers[] = { 24, 1000, 0x1p27, 0x1p50 };
	int64_t huge = (int64_t)1 << 60;
	struct machine m = { .tc = 1, .tc_rows = 128, .tc_cols = 128, .hbm_bw = 1e9, .clock = 1e9, .element_bytes = 4 };

	(void)state;
	for (int shape = 0; shape < 8; shape++) {
		struct gemm g = gemm_plain(huge, shape & 1 ? huge : 3, shape & 2 ? huge : 5, shape & 4 ? huge : 7);

		for (int i = 0; i < 4; i++)
			for (int dataflow = 0; dataflow < DATAFLOW_COUNT; dataflow++) {
				struct timing t;

				m.glb = buffers[i];
				m.dataflow = (enum dataflow)dataflow;
				assert_int_equal(tensor_time(&m, &g, 1, 1, &t, NULL), STATUS_OK);
				assert_true(isfinite(t.time_s) && t.time_s > 0 && t.utilisation > 0 && t.utilisation <= 1);
			}
	}
}

/* ---- time ---- */

static double time_of(const struct machine *m, const struct gemm *g, int64_t cores)
{
	struct timing t;

	assert_int_equal(tensor_time(m, g, 1, cores, &t, NULL), STATUS_OK);
	assert_true(t.time_s == fmax(t.compute_s, t.memory_s) && t.time_s > 0 && t.utilisation <= 1);
	assert_true(t.bound == (t.memory_s > t.compute_s ? BOUND_MEMORY : BOUND_COMPUTE));
	return t.time_s;
}

static void more_never_slows(void **state)
{
	(void)state;
	seed = 20240720;
	for (int i = 0; i < 20000; i++) {
		struct machine m = some_machine(), more = m;
		struct gemm g = gemm_plain(size_up_to(64), size_up_to(100000), size_up_to(5000), size_up_to(5000));
		int64_t cores = size_up_to(64);
		double before = time_of(&m, &g, cores), after;

		switch (any(4)) {
		case 0:
			cores += size_up_to(16);
			break;
		case 1:
			more.hbm_bw *= 1 + 0.1 * (double)size_up_to(100);
			break;
		case 2:
			more.glb += (double)size_up_to(1 << 22);
			break;
		default:
			more.clock *= 1 + 0.1 * (double)size_up_to(100);
			break;
		}
		after = time_of(&more, &g, cores);
		if (after > before)
			fail_msg("case %d: %.17g before, %.17g after", i, before, after);
	}
}

static void vector_work_goes_by_the_table(void **state)
{
	struct machine m = { .vc = 2, .vc_lanes = 128, .clock = 1e9, .hbm_bw = 1e9, .element_bytes = 4 };
	struct timing t;

	(void)state;
	assert_true(vector_cycles(&m, vector_each(VECTOR_RELU, false, 0), 129, 1) == 2);
	assert_true(vector_cycles(&m, vector_each(VECTOR_SOFTMAX, false, 0), 256, 1) == 20);
	assert_true(vector_cycles(&m, vector_each(VECTOR_SOFTMAX, true, 0), 256, 2) == 2);
	assert_true(vector_cycles(&m, vector_each(VECTOR_POOL, false, 9), 128, 1) == 9);
	assert_true(vector_cycles(&m, vector_each(VECTOR_POOL, true, 9), 128, 1) == 1);
	assert_true(vector_cycles(&m, optimizer_at(OPTIMIZER_ADAM)->cycles, 1000, 1) == 88);
	assert_int_equal(vector_operation_find("tanh"), VECTOR_TANH);
	assert_int_equal(vector_operation_at(VECTOR_TANH)->forward, 27);
	assert_int_equal(vector_operation_find("nothing"), VECTOR_OPERATION_COUNT);
	assert_int_equal(optimizer_find("momentum"), OPTIMIZER_MOMENTUM);
	t = vector_time(&m, 1000, 4000);
	assert_true(t.bound == BOUND_MEMORY && t.time_s == 4e-6);
}

/* ---- area ---- */

static void areas_are_phazes(void **state)
{
	FILE *file = shared_open("golden/area.csv");
	char line[256], *cells[7];
	int rows = 0;

	(void)state;
	if (file == NULL)
		skip();
	assert_non_null(fgets(line, sizeof line, file));
	for (; fgets(line, sizeof line, file) != NULL && split_line(line, cells, 7) == 7; rows++) {
		struct machine m = { .tc = number(cells, 0), .vc = number(cells, 1), .tc_rows = number(cells, 2), .tc_cols = number(cells, 3),
			.vc_lanes = number(cells, 4), .glb = atof(cells[5]) };
		double area = 1e6 * machine_area(&m, constants_standard()).total;

		if (fabs(area - atof(cells[6])) > 1e-9 * area)
			fail_msg("row %d: %.17g, want %s", rows + 1, area, cells[6]);
	}
	fclose(file);
	assert_int_equal(rows, 70);
}

static void memories_grow_in_area(void **state)
{
	double last = 0;

	(void)state;
	assert_true(fabs(sram_area(1024) - 6133.98) < 1e-6 && fabs(sram_area(0x1p27) - 175423000) < 1e-3);
	assert_true(fabs(sram_area(1536) - (6133.98 + 8248.43) / 2) < 1e-6);
	for (double bytes = 24; bytes < 0x1p40; bytes *= 1.1) {
		assert_true(sram_area(bytes) > last);
		last = sram_area(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles_by_hand),
		cmocka_unit_test(cycles_are_scale_sims),
		cmocka_unit_test(stalls_keep_their_bounds),
		cmocka_unit_test(three_passes_have_equal_macs),
		cmocka_unit_test(attention_goes_by_heads),
		cmocka_unit_test(shares_cut_what_they_name),
		cmocka_unit_test(tilings_are_the_best_of_all),
		cmocka_unit_test(a_whole_product_that_fits_moves_once),
		cmocka_unit_test(a_buffer_too_small_says_the_least),
		cmocka_unit_test(enormous_products_stay_finite),
		cmocka_unit_test(more_never_slows),
		cmocka_unit_test(vector_work_goes_by_the_table),
		cmocka_unit_test(areas_are_phazes),
		cmocka_unit_test(memories_grow_in_area),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
