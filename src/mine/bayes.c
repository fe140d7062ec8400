/* Bayesian search in Spotlight's manner (HPCA 2023): a Gaussian process with a linear kernel and white noise over features of the hardware, inputs and
 * outputs standardised; of 1000 designs drawn, those with the highest mean and one deviation are tried, ten at a time.  whypar-models(7) 8.3.
 *
 * With a linear kernel the process is a Bayesian linear regression: of F features it needs a matrix of F x F, however many designs there are. */
#include "mine/methods.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As Spotlight has them, for hardware. */
enum { FEATURES = 8, DRAWN = 1000, BATCH = 10, WARM_UP = 10 };
/* Of an output's variance, what is noise: ours, Spotlight fits it. */
static const double NOISE = 0.1;
/* Of batches, those drawn blindly. */
static const double RANDOM_BATCH = 0.1;

struct sample {
	double x[FEATURES], y;
};

struct process {
	struct sample *samples;
	size_t count, capacity;
	double mean[FEATURES], deviation[FEATURES], mean_y, deviation_y;
	double inverse[FEATURES][FEATURES];      /* of the precision of the weights */
	double weights[FEATURES];
};

struct candidate {
	struct design design;
	double hope;
};

/* What Spotlight looks at, as powers of two: multipliers in all, rows, columns, tensor cores, lanes in all, buffer, and how
 * unlike multipliers and lanes, rows and columns are. */
static void features_of(const struct design *d, double x[FEATURES])
{
	double multipliers = d->log[AXIS_TC] + d->log[AXIS_ROWS] + d->log[AXIS_COLS], lanes = d->log[AXIS_VC] + d->log[AXIS_LANES];

	x[0] = multipliers;
	x[1] = d->log[AXIS_ROWS];
	x[2] = d->log[AXIS_COLS];
	x[3] = d->log[AXIS_TC];
	x[4] = lanes;
	x[5] = d->log[AXIS_GLB];
	x[6] = fabs(multipliers - lanes);
	x[7] = fabs((double)(d->log[AXIS_ROWS] - d->log[AXIS_COLS]));
}

static void add_sample(struct process *p, const struct judged *j)
{
	p->samples = memory_grow(p->samples, &p->capacity, p->count + 1, sizeof *p->samples);
	features_of(&j->design, p->samples[p->count].x);
	p->samples[p->count++].y = j->value;
}

static double spread(double squares, double mean, size_t count)
{
	double variance = squares / (double)count - mean * mean;

	return variance > 1e-12 * (mean * mean + 1e-300) ? sqrt(variance) : 1;
}

static void standardise(struct process *p)
{
	double squares[FEATURES] = { 0 }, squares_y = 0;

	memset(p->mean, 0, sizeof p->mean);
	p->mean_y = 0;
	for (size_t i = 0; i < p->count; i++) {
		for (int f = 0; f < FEATURES; f++) {
			p->mean[f] += p->samples[i].x[f] / (double)p->count;
			squares[f] += p->samples[i].x[f] * p->samples[i].x[f];
		}
		p->mean_y += p->samples[i].y / (double)p->count;
		squares_y += p->samples[i].y * p->samples[i].y;
	}
	for (int f = 0; f < FEATURES; f++)
		p->deviation[f] = spread(squares[f], p->mean[f], p->count);
	p->deviation_y = spread(squares_y, p->mean_y, p->count);
}

/* Gauss-Jordan; the matrix is positive definite, so that no row need be exchanged. */
static void invert(double a[FEATURES][FEATURES], double out[FEATURES][FEATURES])
{
	for (int i = 0; i < FEATURES; i++)
		for (int k = 0; k < FEATURES; k++)
			out[i][k] = i == k;
	for (int i = 0; i < FEATURES; i++) {
		double pivot = a[i][i];

		for (int k = 0; k < FEATURES; k++) {
			a[i][k] /= pivot;
			out[i][k] /= pivot;
		}
		for (int row = 0; row < FEATURES; row++) {
			double times = row == i ? 0 : a[row][i];

			for (int k = 0; k < FEATURES; k++) {
				a[row][k] -= times * a[i][k];
				out[row][k] -= times * out[i][k];
			}
		}
	}
}

static void scaled(const struct process *p, const double x[FEATURES], double z[FEATURES])
{
	for (int f = 0; f < FEATURES; f++)
		z[f] = (x[f] - p->mean[f]) / p->deviation[f];
}

static void fit(struct process *p)
{
	double precision[FEATURES][FEATURES] = { { 0 } }, right[FEATURES] = { 0 };

	standardise(p);
	for (size_t i = 0; i < p->count; i++) {
		double z[FEATURES], y = (p->samples[i].y - p->mean_y) / p->deviation_y;

		scaled(p, p->samples[i].x, z);
		for (int a = 0; a < FEATURES; a++) {
			right[a] += z[a] * y / NOISE;
			for (int b = 0; b < FEATURES; b++)
				precision[a][b] += z[a] * z[b] / NOISE;
		}
	}
	for (int f = 0; f < FEATURES; f++)
		precision[f][f] += 1;
	invert(precision, p->inverse);
	for (int a = 0; a < FEATURES; a++) {
		p->weights[a] = 0;
		for (int b = 0; b < FEATURES; b++)
			p->weights[a] += p->inverse[a][b] * right[b];
	}
}

/* Mean and one deviation. */
static double hope_of(const struct process *p, const struct design *d)
{
	double x[FEATURES], z[FEATURES], mean = 0, variance = NOISE;

	features_of(d, x);
	scaled(p, x, z);
	for (int a = 0; a < FEATURES; a++) {
		mean += p->weights[a] * z[a];
		for (int b = 0; b < FEATURES; b++)
			variance += z[a] * p->inverse[a][b] * z[b];
	}
	return mean + sqrt(variance);
}

static void try_one(struct miner *m, struct process *p, const struct design *d)
{
	int64_t before = m->evaluations;
	const struct judged *j = miner_try(m, d);

	if (j != NULL && m->evaluations > before)
		add_sample(p, j);
}

static int by_hope(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	/* equal hopes in an order of their own, which no library's sort decides */
	return x->hope != y->hope ? (x->hope < y->hope ? 1 : -1) : memcmp(&x->design, &y->design, sizeof x->design);
}

void mine_bayes(struct miner *m)
{
	struct mine_random random = { m->request->seed };
	struct process p = { .samples = NULL };
	struct candidate *drawn = memory_alloc(DRAWN, sizeof *drawn);
	int64_t *numbers, fitting = space_fitting(m->request->space, &numbers), idle = 0;

	miner_plan(m, m->request->evaluations < fitting ? m->request->evaluations : fitting);
	/* where hardly anything fits, all that does has been had some time */
	while (m->evaluations < m->request->evaluations && idle < 100 && miner_goes_on(m)) {
		int64_t before = m->evaluations;
		bool blind = p.count < WARM_UP || mine_draw_part(&random) < RANDOM_BATCH;
		int taken = 0;

		if (!blind)
			fit(&p);
		for (int i = 0; i < (blind ? BATCH : DRAWN); i++) {
			drawn[i].design = space_design(m->request->space, numbers[mine_draw(&random) % (uint64_t)fitting]);
			drawn[i].hope = blind ? 0 : hope_of(&p, &drawn[i].design);
		}
		if (!blind)
			qsort(drawn, DRAWN, sizeof *drawn, by_hope);
		for (int i = 0; i < (blind ? BATCH : DRAWN) && taken < BATCH && m->evaluations < m->request->evaluations && miner_goes_on(m); i++) {
			int64_t now = m->evaluations;

			try_one(m, &p, &drawn[i].design);
			taken += m->evaluations > now;
		}
		idle = m->evaluations > before ? 0 : idle + 1;
	}
	memory_free(p.samples);
	memory_free(drawn);
	memory_free(numbers);
}
