#include "hardware/core.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

static const char *const dataflow_names[DATAFLOW_COUNT] = {
#define X(kind, name, text) [DATAFLOW_##kind] = name,
	DATAFLOWS(X)
#undef X
};

const char *dataflow_name(enum dataflow dataflow)
{
	return dataflow_names[dataflow];
}

enum dataflow dataflow_find(const char *name)
{
	int i = 0;

	while (i < DATAFLOW_COUNT && strcmp(dataflow_names[i], name) != 0)
		i++;
	return (enum dataflow)i;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

struct share share_whole(const struct operator *o, int64_t batch)
{
	return (struct share){ batch, o->in.ch, o->out.ch, o->groups > 0 ? o->groups : 1, o->heads > 0 ? o->heads : 1 };
}

struct gemm gemm_plain(int64_t groups, int64_t m, int64_t n, int64_t k)
{
	return (struct gemm){ groups, m, n, k, (double)m * (double)k, (double)k * (double)n, (double)m * (double)n };
}

double gemm_macs(const struct gemm *g)
{
	return (double)g->groups * (double)g->m * (double)g->n * (double)g->k;
}

/* MODELS 3.1: pixels x window by window x filters, turned for each pass so that all have equal MACs. */
static int layer_gemm(enum gemm_pass pass, int64_t groups, int64_t pixels, int64_t filters, int64_t window, double input, struct gemm *g)
{
	double weights = (double)window * (double)filters, output = (double)pixels * (double)filters;

	switch (pass) {
	case GEMM_FORWARD:
		*g = (struct gemm){ groups, pixels, filters, window, input, weights, output };
		break;
	case GEMM_BACKWARD_DATA:
		*g = (struct gemm){ groups, pixels, window, filters, output, weights, input };
		break;
	default:
		*g = (struct gemm){ groups, window, filters, pixels, input, output, weights };
		break;
	}
	return 1;
}

static int conv_gemm(const struct operator *o, enum gemm_pass pass, const struct share *s, struct gemm *g)
{
	int64_t groups = s->groups > 1 ? s->groups : 1, in_ch = ceil_div(s->in_ch, groups), filters = ceil_div(s->out_ch, groups), pixels, window;

	if (!units_multiply(s->batch, o->conv_out.h, &pixels) || !units_multiply(pixels, o->conv_out.w, &pixels) ||
	    !units_multiply(in_ch, o->kernel.h, &window) || !units_multiply(window, o->kernel.w, &window))
		return -1;
	return layer_gemm(pass, groups, pixels, filters, window, (double)s->batch * (double)in_ch * (double)o->in.h * (double)o->in.w, g);
}

static int linear_gemm(const struct operator *o, enum gemm_pass pass, const struct share *s, struct gemm *g)
{
	int64_t positions;

	if (!units_multiply(s->batch, o->in.h, &positions) || !units_multiply(positions, o->in.w, &positions))
		return -1;
	if (o->experts > 0) {
		/* positions in equal numbers to each; the wider side has the channels of those a position takes */
		int64_t each = ceil_div(positions * o->active, o->experts), in = s->in_ch, out = s->out_ch;

		*(o->in.ch > o->out.ch ? &in : &out) = ceil_div(o->in.ch > o->out.ch ? in : out, o->active);
		return layer_gemm(pass, o->experts, each, out, in, (double)each * (double)in, g);
	}
	return layer_gemm(pass, 1, positions, s->out_ch, s->in_ch, (double)positions * (double)s->in_ch, g);
}

int gemm_of(const struct operator *o, enum gemm_pass pass, const struct share *share, struct gemm out[GEMMS_MAX])
{
	switch (o->kind) {
	case OPERATOR_CONV:
		return conv_gemm(o, pass, share, out);
	case OPERATOR_LINEAR:
		return linear_gemm(o, pass, share, out);
	default:
		return 0;
	}
}

/* S = Q K', O = P V; then dP = dO V' and dV = P' dO, dQ = dS K and dK = dS' Q. */
int gemm_of_attention(const struct operator *o, bool values, bool backward, const struct share *s, struct gemm out[GEMMS_MAX])
{
	int64_t heads = o->heads > 0 ? o->heads : 1, d = ceil_div(o->out.ch, heads), products, queries;

	if (!units_multiply(s->batch, s->heads > 0 ? s->heads : 1, &products) || !units_multiply(o->out.h, o->out.w, &queries))
		return -1;
	out[0] = values == backward ? gemm_plain(products, queries, o->keys, d) : gemm_plain(products, queries, d, o->keys);
	out[1] = gemm_plain(products, o->keys, d, queries);
	return backward ? 2 : 1;
}

struct folds gemm_folds(const struct machine *m, const struct gemm *g)
{
	double skew = (double)m->tc_rows + (double)m->tc_cols - 2, load = (double)m->tc_rows;

	switch (m->dataflow) {
	case DATAFLOW_OS:
		return (struct folds){ ceil_div(g->m, m->tc_rows), ceil_div(g->n, m->tc_cols), (double)g->k + skew };
	case DATAFLOW_IS:
		return (struct folds){ ceil_div(g->k, m->tc_rows), ceil_div(g->m, m->tc_cols), (double)g->n + load + skew };
	default:
		return (struct folds){ ceil_div(g->k, m->tc_rows), ceil_div(g->n, m->tc_cols), (double)g->m + load + skew };
	}
}

/* What each of `cores` cores gets: the larger of M and N is cut into that many parts.  For cycles only: the memory is shared. */
static struct gemm gemm_spread(const struct gemm *g, int64_t cores)
{
	struct gemm part = *g;

	if (g->m >= g->n)
		part.m = ceil_div(g->m, cores);
	else
		part.n = ceil_div(g->n, cores);
	return part;
}

/* The folds of all groups in equal numbers on the cores, each fold whole: sums over K meet in the buffer, as those of one core's folds do. */
static double cycles_of_folds(const struct machine *m, const struct gemm *g, int64_t cores)
{
	struct folds f = gemm_folds(m, g);

	return ceil((double)g->groups * (double)f.rows * (double)f.cols / (double)cores) * f.each;
}

double gemm_cycles(const struct machine *m, const struct gemm *g, int64_t cores)
{
	struct gemm part = gemm_spread(g, cores);
	double by_side = cycles_of_folds(m, &part, 1), by_fold = cycles_of_folds(m, g, cores);

	return by_fold < by_side ? by_fold : by_side;
}

struct sram_traffic gemm_sram(const struct machine *m, const struct gemm *g)
{
	struct folds f = gemm_folds(m, g);
	double groups = (double)g->groups, left = groups * (double)g->m * (double)g->k, right = groups * (double)g->k * (double)g->n;
	double result = groups * (double)g->m * (double)g->n;

	switch (m->dataflow) {
	case DATAFLOW_OS:
		return (struct sram_traffic){ left * (double)f.cols, right * (double)f.rows, result };
	case DATAFLOW_IS:
		return (struct sram_traffic){ left, right * (double)f.cols, result * (double)f.rows };
	default:
		return (struct sram_traffic){ left * (double)f.cols, right, result * (double)f.rows };
	}
}

static void settle(const struct machine *m, struct timing *t)
{
	t->compute_s = t->cycles / m->clock;
	t->memory_s = t->bytes / m->hbm_bw;
	t->bound = t->memory_s > t->compute_s ? BOUND_MEMORY : BOUND_COMPUTE;
	t->time_s = t->bound == BOUND_MEMORY ? t->memory_s : t->compute_s;
}

double timing_intensity(double macs, double bytes)
{
	return macs > 0 && bytes > 0 ? 2 * macs / bytes : NAN;
}

/* Cycles and what follows from them. */
static void set_cycles(const struct machine *m, const struct gemm *gemms, int count, int64_t cores, struct timing *t)
{
	t->cycles = 0;
	for (int i = 0; i < count; i++)
		t->cycles += gemm_cycles(m, &gemms[i], cores);
	t->utilisation = t->cycles > 0 ? t->macs / (t->cycles * (double)m->tc_rows * (double)m->tc_cols * (double)cores) : 0;
	settle(m, t);
}

enum status tensor_time(const struct machine *m, const struct gemm *gemms, int count, int64_t cores, struct timing *t, struct diagnostic *d)
{
	*t = (struct timing){ 0 };
	for (int i = 0; i < count; i++) {
		struct tiling tiling;
		enum status status = gemm_tile(&gemms[i], m->glb, m->element_bytes, &tiling, d);

		if (status != STATUS_OK)
			return status;
		t->macs += gemm_macs(&gemms[i]);
		t->bytes += (double)gemms[i].groups * tiling.elements * m->element_bytes;
		if (i == 0)
			t->tile_part = (double)tiling.m * (double)tiling.n / ((double)gemms[i].groups * (double)gemms[i].m * (double)gemms[i].n);
	}
	set_cycles(m, gemms, count, cores, t);
	return STATUS_OK;
}

struct timing tensor_spread(const struct machine *m, const struct gemm *gemms, int count, int64_t cores, const struct timing *one)
{
	struct timing t = *one;

	set_cycles(m, gemms, count, cores, &t);
	return t;
}

struct timing vector_time(const struct machine *m, double cycles, double bytes)
{
	struct timing t = { .cycles = cycles, .bytes = bytes };

	settle(m, &t);
	return t;
}
