#include "network/calibrate.h"

#include "base/line.h"
#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 100000, RANKS_MAX = 1 << 20 };

struct reading {
	struct calibration *c;
	const char *path;
	int time_column;         /* of the first time, told by the header; -1: none was seen */
	int rank_lines, ranks_before;    /* "# Rank" lines of this output, and of the one before it in the same file */
	bool rows_since;         /* a row was read behind them */
	double algorithm_sum, bus_sum;   /* of the two bandwidths: their ratio tells the ranks */
	double least_ratio, most_ratio;  /* what it can be by every row, as far as its digits say */
	size_t wrong, dropped;
};

/* "#  size  count  type  redop  root  time  algbw ...", and "#  Rank  0 Group ..." for each rank. */
static void read_comment(struct reading *r, const struct line *l)
{
	int first = strcmp(l->word[0], "#") == 0;

	if (l->kept > first && strcmp(l->word[first], "Rank") == 0) {
		if (r->rows_since) {
			r->ranks_before = r->rank_lines;
			r->rank_lines = 0;
			r->rows_since = false;
		}
		r->rank_lines++;
	}
	for (int i = first; i < l->kept && l->kept > first && strcmp(l->word[first], "size") == 0; i++)
		if (strcmp(l->word[i], "time") == 0) {
			r->time_column = i - first;
			return;
		}
}

/* How far a time and the bandwidth behind it are from the size they belong to, in GB/s. */
static double misfit(const struct line *l, int column)
{
	double bytes, us, algorithm;

	if (l->kept <= column + 1 || !line_number(l->word[0], &bytes) || !line_number(l->word[column], &us) || !line_number(l->word[column + 1], &algorithm) || !(us > 0))
		return INFINITY;
	return fabs(bytes / us / 1e3 - algorithm);
}

/* Without a header: behind size, count, type and operation, and behind a root where newer versions print one. */
static int guess_time(const struct line *l)
{
	return misfit(l, 5) < misfit(l, 4) ? 5 : 4;
}

/* Bandwidths are printed in GB/s with two digits; relative: what may be off besides, and by how much time and bandwidth of a row may disagree. */
static const double DIGIT = 0.005, DIGITS = 0.003, DISAGREE = 0.05;

static void read_row(struct reading *r, const struct line *l, unsigned long line)
{
	struct calibration *c = r->c;
	int time = r->time_column >= 0 ? r->time_column : guess_time(l);
	double bytes, us, algorithm, bus, wrong;

	if (l->kept < time + 3 || !isalpha((unsigned char)l->word[2][0]) || !line_number(l->word[0], &bytes) || !line_number(l->word[time], &us) || !line_number(l->word[time + 1], &algorithm) ||
	    !line_number(l->word[time + 2], &bus) || bytes < 0 || bytes > 1e18 || !(us > 0 && us < 1e12)) {
		diagnostics_warn(&c->problems, r->path, line, 0, "no row of nccl-tests: a size, a count and a type, then at column %d a time in us and two bandwidths were expected", time + 1);
		return;
	}
	if (c->count == ROWS_MAX) {
		r->dropped++;
		return;
	}
	if (fabs(bytes / us / 1e3 - algorithm) > DISAGREE * algorithm + 2 * DIGIT) {
		diagnostics_warn(&c->problems, r->path, line, 0, "%.0f bytes in %.4g us are %.3g GB/s, and the row has %.3g; it is left out", bytes, us, bytes / us / 1e3, algorithm);
		return;
	}
	r->rows_since = true;
	if (l->kept > time + 3 && line_number(l->word[time + 3], &wrong) && wrong > 0)
		r->wrong++;
	c->rows = memory_grow(c->rows, &c->capacity, c->count + 1, sizeof *c->rows);
	c->rows[c->count++] = (struct calibration_row){ .line = line, .bytes = bytes, .seconds = us * 1e-6 };
	/* printed with two digits: only larger ones tell */
	if (algorithm >= 1) {
		r->algorithm_sum += algorithm;
		r->bus_sum += bus;
		r->least_ratio = fmax(r->least_ratio, (1 - DIGITS) * (bus - DIGIT) / (algorithm + DIGIT));
		r->most_ratio = fmin(r->most_ratio, (1 + DIGITS) * (bus + DIGIT) / (algorithm - DIGIT));
	}
}

/* Bus over algorithm bandwidth: 2 (n-1) / n of an all-reduce, (n-1) / n of gathers and scatters; 1 of all others. */
static double factor_of(enum collective op, double ranks)
{
	return (op == COLLECTIVE_ALL_REDUCE ? 2 : 1) * (ranks - 1) / ranks;
}

/* The collective of a known number of ranks. */
static enum status find_op(const struct reading *r, double factor, struct diagnostic *d)
{
	struct calibration *c = r->c;
	double reduce = factor_of(COLLECTIVE_ALL_REDUCE, c->ranks), gather = factor_of(COLLECTIVE_ALL_GATHER, c->ranks);

	c->op = isnan(factor) || fabs(factor - reduce) <= fabs(factor - gather) ? COLLECTIVE_ALL_REDUCE : COLLECTIVE_ALL_GATHER;
	if (factor_of(c->op, c->ranks) >= r->least_ratio && factor_of(c->op, c->ranks) <= r->most_ratio)
		return STATUS_OK;
	return diagnostic_fail(d, STATUS_INPUT, "bus over algorithm bandwidth is %.3g, and among %d ranks an all-reduce has %.3g, a gather, scatter or all-to-all %.3g: other ranks, or a broadcast, "
		"reduce or sendrecv, which are not read", factor, c->ranks, reduce, gather);
}

/* Ranks and collective from the bandwidths alone. */
static enum status tell_ranks(const struct reading *r, double factor, struct diagnostic *d)
{
	struct calibration *c = r->c;
	double n;

	c->ranks_told = true;
	c->op = factor > 1 ? COLLECTIVE_ALL_REDUCE : COLLECTIVE_ALL_GATHER;
	n = c->op == COLLECTIVE_ALL_REDUCE ? 2 / (2 - factor) : 1 / (1 - factor);
	/* 1 is an all-reduce among two, and any broadcast, reduce or sendrecv */
	if (isnan(factor) || (r->least_ratio <= 1 && r->most_ratio >= 1) || !(n > 1.5 && n < RANKS_MAX))
		return diagnostic_fail(d, STATUS_INPUT, "how many ranks there were is neither stated nor to be told from the bandwidths; add them, as in `whypar calibrate FILE 8`");
	c->ranks = (int)lround(n);
	return STATUS_OK;
}

static enum status find_ranks(struct reading *r, int stated, struct diagnostic *d)
{
	struct calibration *c = r->c;
	double factor = r->algorithm_sum > 0 ? r->bus_sum / r->algorithm_sum : NAN;

	if (r->most_ratio < r->least_ratio || (r->ranks_before > 0 && r->rank_lines > 0 && r->ranks_before != r->rank_lines))
		return diagnostic_fail(d, STATUS_INPUT, "rows of several collectives, or of several numbers of ranks; give one output at a time");
	if (stated > 0 && r->rank_lines > 0 && stated != r->rank_lines)
		return diagnostic_fail(d, STATUS_INPUT, "the output lists %d ranks, not %d", r->rank_lines, stated);
	c->ranks = stated > 0 ? stated : r->rank_lines;
	return c->ranks > 1 ? find_op(r, factor, d) : tell_ranks(r, factor, d);
}

/* Least squares of relative errors: sum ((alpha + beta s) / t - 1)^2. */
static enum status fit(struct calibration *c, struct diagnostic *d)
{
	double w = 0, ws = 0, wss = 0, v = 0, vs = 0, det;

	for (size_t i = 0; i < c->count; i++) {
		double t = c->rows[i].seconds, s = c->rows[i].bytes;

		w += 1 / (t * t);
		ws += s / (t * t);
		wss += s * s / (t * t);
		v += 1 / t;
		vs += s / t;
	}
	det = w * wss - ws * ws;
	c->one_size = !(det > 1e-12 * w * wss);
	c->alpha = c->one_size ? 0 : (v * wss - vs * ws) / det;
	c->beta = c->one_size ? 0 : (w * vs - ws * v) / det;
	/* with one size, or when noise makes the latency less than nothing: the bandwidth alone */
	if (c->one_size || c->alpha < 0) {
		c->alpha = 0;
		c->beta = wss > 0 ? vs / wss : 0;
	}
	return c->beta > 0 && isfinite(c->beta) ? STATUS_OK : diagnostic_fail(d, STATUS_INPUT, "larger sizes do not take longer, or all are 0, so there is no bandwidth to tell");
}

static void conclude(struct calibration *c)
{
	double steps = (c->op == COLLECTIVE_ALL_REDUCE ? 2 : 1) * (c->ranks - 1.0), sum = 0;

	c->step_latency = c->alpha / steps;
	c->bandwidth = steps / c->ranks / c->beta;
	for (size_t i = 0; i < c->count; i++) {
		struct calibration_row *row = &c->rows[i];
		double error;

		row->fitted = c->alpha + c->beta * row->bytes;
		error = fabs(row->fitted / row->seconds - 1);
		sum += error;
		c->worst_error = fmax(c->worst_error, error);
	}
	c->mean_error = sum / (double)c->count;
}

struct calibration *calibration_read(const char *path, const char *bytes, size_t length, int ranks, struct diagnostic *d)
{
	struct reading r = { .c = memory_alloc(1, sizeof *r.c), .path = path, .time_column = -1, .least_ratio = 0, .most_ratio = INFINITY };
	struct calibration *c = r.c;
	struct line l = { .kept = 0 };
	size_t at = 0;
	enum status status;

	while (line_next(bytes, length, &at, &l))
		if (l.kept > 0 && l.word[0][0] == '#')
			read_comment(&r, &l);
		else if (l.kept > 2 && isdigit((unsigned char)l.word[0][0]))
			read_row(&r, &l, l.number);
	if (c->count == 0) {
		status = diagnostic_fail(d, STATUS_INPUT, "no row of nccl-tests output, such as \"1048576 262144 float sum -1 57.4 18.3 32.0 0\"%s",
			c->problems.total > 0 ? "; the first line that looks like one lacks a time or a bandwidth" : "");
		diagnostic_place(d, path, c->problems.total > 0 ? c->problems.items[0].line : 0, 0);
	} else {
		if (r.wrong > 0)
			diagnostics_warn(&c->problems, path, 0, 0, "%zu of %zu rows have wrong results (#wrong); their times are taken all the same", r.wrong, c->count);
		if (r.dropped > 0)
			diagnostics_warn(&c->problems, path, 0, 0, "only the first %d rows are read, %zu are left out", ROWS_MAX, r.dropped);
		status = find_ranks(&r, ranks, d);
		if (status == STATUS_OK)
			status = fit(c, d);
		if (status == STATUS_OK)
			conclude(c);
		else
			diagnostic_place(d, path, 0, 0);
	}
	if (status == STATUS_OK)
		return c;
	calibration_free(c);
	return NULL;
}

void calibration_free(struct calibration *c)
{
	if (c == NULL)
		return;
	memory_free(c->rows);
	diagnostics_free(&c->problems);
	memory_free(c);
}
