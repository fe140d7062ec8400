#include "network/calibrate.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS_MAX = 20, TOKEN_BYTES = 40, ROWS_MAX = 100000, RANKS_MAX = 1 << 20 };

/* One line under way, cut at blanks. */
struct line {
	char tokens[TOKENS_MAX][TOKEN_BYTES];
	int count;
};

struct reading {
	struct calibration *c;
	const char *path;
	int time_column;         /* of the first time, told by the header; -1: none was seen */
	int rank_lines;
	double algorithm_sum, bus_sum;   /* of the two bandwidths: their ratio tells the ranks */
};

static void cut_line(const char *text, size_t length, struct line *out)
{
	size_t at = 0;

	out->count = 0;
	while (at < length && out->count < TOKENS_MAX) {
		size_t from;

		while (at < length && isspace((unsigned char)text[at]))
			at++;
		for (from = at; at < length && !isspace((unsigned char)text[at]); )
			at++;
		if (at > from)
			snprintf(out->tokens[out->count++], TOKEN_BYTES, "%.*s", (int)(at - from < TOKEN_BYTES ? at - from : TOKEN_BYTES - 1), text + from);
	}
}

static bool number(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*value) && strpbrk(text, "xX") == NULL;
}

/* "#  size  count  type  redop  root  time  algbw ...", and "#  Rank  0 Group ..." for each rank. */
static void read_comment(struct reading *r, struct line *l)
{
	int first = strcmp(l->tokens[0], "#") == 0;

	if (l->count > first && strcmp(l->tokens[first], "Rank") == 0)
		r->rank_lines++;
	for (int i = first; i < l->count && l->count > first && strcmp(l->tokens[first], "size") == 0; i++)
		if (strcmp(l->tokens[i], "time") == 0) {
			r->time_column = i - first;
			return;
		}
}

/* How far a time and the bandwidth behind it are from the size they belong to, in GB/s. */
static double misfit(const struct line *l, int column)
{
	double bytes, us, algorithm;

	if (l->count <= column + 1 || !number(l->tokens[0], &bytes) || !number(l->tokens[column], &us) || !number(l->tokens[column + 1], &algorithm) || !(us > 0))
		return INFINITY;
	return fabs(bytes / us / 1e3 - algorithm);
}

/* Without a header: behind size, count, type and operation, and behind a root where newer versions print one. */
static int guess_time(const struct line *l)
{
	return misfit(l, 5) < misfit(l, 4) ? 5 : 4;
}

static void read_row(struct reading *r, const struct line *l, unsigned long line)
{
	struct calibration *c = r->c;
	int time = r->time_column >= 0 ? r->time_column : guess_time(l);
	double bytes, us, algorithm, bus;

	if (l->count < time + 3 || !number(l->tokens[0], &bytes) || !number(l->tokens[time], &us) || !number(l->tokens[time + 1], &algorithm) ||
	    !number(l->tokens[time + 2], &bus) || bytes < 0 || bytes > 1e18 || !(us > 0 && us < 1e12)) {
		diagnostics_warn(&c->problems, r->path, line, 0, "no row of nccl-tests: a size, then at column %d a time in us and two bandwidths were expected", time + 1);
		return;
	}
	if (c->count == ROWS_MAX)
		return;
	c->rows = memory_grow(c->rows, &c->capacity, c->count + 1, sizeof *c->rows);
	c->rows[c->count++] = (struct calibration_row){ .line = line, .bytes = bytes, .seconds = us * 1e-6 };
	/* printed with two digits: only larger ones tell */
	if (algorithm >= 1) {
		r->algorithm_sum += algorithm;
		r->bus_sum += bus;
	}
}

/* Bus over algorithm bandwidth is 2 (n-1) / n for an all-reduce, (n-1) / n for gathers and scatters. */
static enum status find_ranks(struct reading *r, int stated, struct diagnostic *d)
{
	struct calibration *c = r->c;
	double factor = r->algorithm_sum > 0 ? r->bus_sum / r->algorithm_sum : NAN, n;

	c->op = factor >= 0.99 || isnan(factor) ? COLLECTIVE_ALL_REDUCE : COLLECTIVE_ALL_GATHER;
	c->ranks = stated > 0 ? stated : r->rank_lines;
	/* two ranks: an all-reduce has 1, gathers 1/2 */
	if (c->ranks > 1 && !isnan(factor))
		c->op = fabs(factor - 2.0 * (c->ranks - 1) / c->ranks) <= fabs(factor - 1.0 * (c->ranks - 1) / c->ranks) ? COLLECTIVE_ALL_REDUCE : COLLECTIVE_ALL_GATHER;
	if (c->ranks < 1 && !isnan(factor)) {
		n = c->op == COLLECTIVE_ALL_REDUCE ? 2 / (2 - factor) : 1 / (1 - factor);
		c->ranks = n > 1.5 && n < RANKS_MAX ? (int)lround(n) : 0;
	}
	return c->ranks > 1 ? STATUS_OK : diagnostic_fail(d, STATUS_INPUT, "how many ranks there were is neither stated nor to be told from the bandwidths; add them, as in `whypar calibrate FILE 8`");
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
	struct reading r = { .c = memory_alloc(1, sizeof *r.c), .path = path, .time_column = -1 };
	struct calibration *c = r.c;
	unsigned long line = 0;
	enum status status;

	for (size_t at = 0; at < length; ) {
		const char *end = memchr(bytes + at, '\n', length - at);
		size_t bytes_of_line = end != NULL ? (size_t)(end - bytes) - at : length - at;
		struct line l;

		line++;
		cut_line(bytes + at, bytes_of_line, &l);
		if (l.count > 0 && l.tokens[0][0] == '#')
			read_comment(&r, &l);
		else if (l.count > 2 && isdigit((unsigned char)l.tokens[0][0]))
			read_row(&r, &l, line);
		at += bytes_of_line + 1;
	}
	if (c->count == 0) {
		status = diagnostic_fail(d, STATUS_INPUT, "no row of nccl-tests output, such as \"1048576 262144 float sum -1 57.4 18.3 32.0 0\"%s",
			c->problems.total > 0 ? "; the first line that looks like one lacks a time or a bandwidth" : "");
		diagnostic_place(d, path, c->problems.total > 0 ? c->problems.items[0].line : 0, 0);
	} else {
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
