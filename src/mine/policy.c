#include "mine/policy.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ENCODED = 10, WIDE = 128, NARROW = 12, GATES = 4, LANES = 8 };

/* Adam (Kingma and Ba 2015), its defaults. */
static const float BETA1 = 0.9f, BETA2 = 0.999f, EPSILON = 1e-8f;
/* Lengths that gradients are cut to: of all weights, then of the LSTM cell's.  ConfuciuX's. */
static const double CLIP = 100, CLIP_CELL = 10;

/* Weights at `at`, those of an input together, then a bias for each output. */
struct layer {
	int in, out;
	size_t at;
};

/* What a step computed, kept for the way back. */
struct step_taken {
	float inputs[POLICY_GROUPS * POLICY_INPUTS_MAX];
	float encoded[POLICY_GROUPS * ENCODED];
	float first[WIDE], second[WIDE];
	float joint[2 * WIDE];           /* the third layer, and what the cell put out before */
	float gates[GATES * WIDE];       /* in, forget, fresh, out: behind their sigmoid or tanh */
	float cell[WIDE], squashed[WIDE], out[WIDE];
	float narrow[NARROW];
	float chances[POLICY_CHOICES_MAX];
	int head, choice;
};

struct policy {
	struct policy_shape shape;
	struct layer encoders[POLICY_GROUPS], layers[3], cell, narrow[POLICY_HEADS_MAX], heads[POLICY_HEADS_MAX];
	size_t count;                    /* of weights */
	float *weights, *gradient, *mean, *square;
	double decay1, decay2;           /* BETA1 and BETA2 to the power of the steps taken */
	struct step_taken taken[POLICY_STEPS_MAX];
	int steps;
};

/* ---- layers ---- */

static void add_layer(struct policy *p, struct layer *layer, int in, int out)
{
	*layer = (struct layer){ in, out, p->count };
	p->count += (size_t)(in + 1) * (size_t)out;
}

static void draw_layer(struct policy *p, const struct layer *layer, double fan, struct mine_random *random)
{
	for (size_t i = 0; i < (size_t)(layer->in + 1) * (size_t)layer->out; i++)
		p->weights[layer->at + i] = (float)(((double)(mine_draw(random) >> 11) * 0x1p-52 - 1) / sqrt(fan));
}

/* to += times x from, n of them; eight at a time, for the compiler's sake. */
static void add_times(float *restrict to, const float *restrict from, float times, int n)
{
	int i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int k = 0; k < LANES; k++)
			to[i + k] += times * from[i + k];
	for (; i < n; i++)
		to[i] += times * from[i];
}

static float dot(const float *a, const float *b, int n)
{
	float sums[LANES] = { 0 }, sum = 0;
	int i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int k = 0; k < LANES; k++)
			sums[k] += a[i + k] * b[i + k];
	for (; i < n; i++)
		sum += a[i] * b[i];
	for (int k = 0; k < LANES; k++)
		sum += sums[k];
	return sum;
}

static void forward(const struct policy *p, const struct layer *layer, const float *in, float *out)
{
	const float *weights = p->weights + layer->at;

	memcpy(out, weights + (size_t)layer->in * (size_t)layer->out, (size_t)layer->out * sizeof *out);
	for (int i = 0; i < layer->in; i++)
		if (in[i] != 0)
			add_times(out, weights + (size_t)i * (size_t)layer->out, in[i], layer->out);
}

/* Adds to the gradient of the weights; the gradient of the inputs into `back` unless it is NULL. */
static void backward(struct policy *p, const struct layer *layer, const float *in, const float *slope, float *back)
{
	const float *weights = p->weights + layer->at;
	float *gradient = p->gradient + layer->at;

	for (int i = 0; i < layer->in; i++) {
		if (in[i] != 0)
			add_times(gradient + (size_t)i * (size_t)layer->out, slope, in[i], layer->out);
		if (back != NULL)
			back[i] = dot(weights + (size_t)i * (size_t)layer->out, slope, layer->out);
	}
	add_times(gradient + (size_t)layer->in * (size_t)layer->out, slope, 1, layer->out);
}

static void relu(float *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = x[i] > 0 ? x[i] : 0;
}

/* Where nothing came through nothing goes back. */
static void relu_back(const float *out, float *slope, int n)
{
	for (int i = 0; i < n; i++)
		slope[i] = out[i] > 0 ? slope[i] : 0;
}

static float sigmoid(float x)
{
	return 1 / (1 + expf(-x));
}

/* ---- there ---- */

/* From its joint; before: the cell a step ago, NULL in the first. */
static void cell_forward(const struct policy *p, struct step_taken *m, const float *before)
{
	float *in = m->gates, *forget = in + WIDE, *fresh = forget + WIDE, *out = fresh + WIDE;

	forward(p, &p->cell, m->joint, m->gates);
	for (int i = 0; i < WIDE; i++) {
		in[i] = sigmoid(in[i]);
		forget[i] = sigmoid(forget[i]);
		fresh[i] = tanhf(fresh[i]);
		out[i] = sigmoid(out[i]);
		m->cell[i] = in[i] * fresh[i] + (before != NULL ? forget[i] * before[i] : 0);
		m->squashed[i] = tanhf(m->cell[i]);
		m->out[i] = out[i] * m->squashed[i];
	}
}

static void softmax(float *x, int n)
{
	float most = x[0], sum = 0;

	for (int i = 1; i < n; i++)
		most = fmaxf(most, x[i]);
	for (int i = 0; i < n; i++) {
		x[i] = expf(x[i] - most);
		sum += x[i];
	}
	for (int i = 0; i < n; i++)
		x[i] /= sum;
}

void policy_begin(struct policy *p)
{
	p->steps = 0;
}

const float *policy_step(struct policy *p, const float *inputs, int head)
{
	const struct step_taken *before = p->steps > 0 ? &p->taken[p->steps - 1] : NULL;
	struct step_taken *m = &p->taken[p->steps++];
	int from = 0;

	m->head = head;
	m->choice = 0;
	for (int group = 0; group < POLICY_GROUPS; from += p->shape.inputs[group++]) {
		memcpy(m->inputs + from, inputs + from, (size_t)p->shape.inputs[group] * sizeof *inputs);
		forward(p, &p->encoders[group], m->inputs + from, m->encoded + group * ENCODED);
	}
	forward(p, &p->layers[0], m->encoded, m->first);
	relu(m->first, WIDE);
	forward(p, &p->layers[1], m->first, m->second);
	relu(m->second, WIDE);
	forward(p, &p->layers[2], m->second, m->joint);
	relu(m->joint, WIDE);
	for (int i = 0; i < WIDE; i++)
		m->joint[WIDE + i] = before != NULL ? before->out[i] : 0;
	cell_forward(p, m, before != NULL ? before->cell : NULL);
	forward(p, &p->narrow[head], m->out, m->narrow);
	relu(m->narrow, NARROW);
	forward(p, &p->heads[head], m->narrow, m->chances);
	softmax(m->chances, p->shape.choices[head]);
	return m->chances;
}

void policy_chose(struct policy *p, int choice)
{
	p->taken[p->steps - 1].choice = choice;
}

/* ---- and back ---- */

/* Through the cell: out_slope is that of its output; cell_slope comes as that of the cell a step later, and leaves as that of the cell before. */
static void cell_backward(struct policy *p, const struct step_taken *m, const float *before, const float *out_slope, float *cell_slope, float joint_slope[2 * WIDE])
{
	const float *in = m->gates, *forget = in + WIDE, *fresh = forget + WIDE, *out = fresh + WIDE;
	float slopes[GATES * WIDE];

	for (int i = 0; i < WIDE; i++) {
		float c = cell_slope[i] + out_slope[i] * out[i] * (1 - m->squashed[i] * m->squashed[i]);

		slopes[i] = c * fresh[i] * in[i] * (1 - in[i]);
		slopes[WIDE + i] = before != NULL ? c * before[i] * forget[i] * (1 - forget[i]) : 0;
		slopes[2 * WIDE + i] = c * in[i] * (1 - fresh[i] * fresh[i]);
		slopes[3 * WIDE + i] = out_slope[i] * m->squashed[i] * out[i] * (1 - out[i]);
		cell_slope[i] = c * forget[i];
	}
	backward(p, &p->cell, m->joint, slopes, joint_slope);
}

/* From the slope of the third layer to the inputs. */
static void layers_backward(struct policy *p, const struct step_taken *m, float *slope)
{
	float second[WIDE], first[WIDE], encoded[POLICY_GROUPS * ENCODED];
	int from = 0;

	relu_back(m->joint, slope, WIDE);
	backward(p, &p->layers[2], m->second, slope, second);
	relu_back(m->second, second, WIDE);
	backward(p, &p->layers[1], m->first, second, first);
	relu_back(m->first, first, WIDE);
	backward(p, &p->layers[0], m->encoded, first, encoded);
	for (int group = 0; group < POLICY_GROUPS; from += p->shape.inputs[group++])
		backward(p, &p->encoders[group], m->inputs + from, encoded + group * ENCODED, NULL);
}

const float *policy_gradient(struct policy *p, const double *returns)
{
	float cell_slope[WIDE] = { 0 }, joint_slope[2 * WIDE] = { 0 };

	memset(p->gradient, 0, p->count * sizeof *p->gradient);
	for (int step = p->steps - 1; step >= 0; step--) {
		const struct step_taken *m = &p->taken[step];
		float choices[POLICY_CHOICES_MAX], narrow[NARROW], out[WIDE];

		for (int i = 0; i < p->shape.choices[m->head]; i++)
			choices[i] = (float)returns[step] * (m->chances[i] - (i == m->choice));
		backward(p, &p->heads[m->head], m->narrow, choices, narrow);
		relu_back(m->narrow, narrow, NARROW);
		backward(p, &p->narrow[m->head], m->out, narrow, out);
		for (int i = 0; i < WIDE; i++)
			out[i] += joint_slope[WIDE + i];
		cell_backward(p, m, step > 0 ? p->taken[step - 1].cell : NULL, out, cell_slope, joint_slope);
		layers_backward(p, m, joint_slope);
	}
	return p->gradient;
}

/* Cuts part of the gradient to a length. */
static void clip(float *gradient, size_t count, double most)
{
	double length = sqrt((double)dot(gradient, gradient, (int)count));

	for (size_t i = 0; i < count && length > most; i++)
		gradient[i] *= (float)(most / length);
}

void policy_learn(struct policy *p, const double *returns, double rate)
{
	float mean_part, square_part;

	policy_gradient(p, returns);
	clip(p->gradient, p->count, CLIP);
	clip(p->gradient + p->cell.at, (size_t)(p->cell.in + 1) * (size_t)p->cell.out, CLIP_CELL);
	p->decay1 *= BETA1;
	p->decay2 *= BETA2;
	mean_part = (float)(rate / (1 - p->decay1));
	square_part = (float)(1 / (1 - p->decay2));
	for (size_t i = 0; i < p->count; i++) {
		float g = p->gradient[i];

		p->mean[i] = BETA1 * p->mean[i] + (1 - BETA1) * g;
		p->square[i] = BETA2 * p->square[i] + (1 - BETA2) * g * g;
		p->weights[i] -= mean_part * p->mean[i] / (sqrtf(square_part * p->square[i]) + EPSILON);
	}
}

/* ---- making ---- */

struct policy *policy_new(const struct policy_shape *shape, struct mine_random *random)
{
	struct policy *p = memory_alloc(1, sizeof *p);

	p->shape = *shape;
	for (int head = 0; head < shape->heads; head++)
		assert(shape->choices[head] <= POLICY_CHOICES_MAX);
	p->decay1 = p->decay2 = 1;
	for (int group = 0; group < POLICY_GROUPS; group++)
		add_layer(p, &p->encoders[group], shape->inputs[group], ENCODED);
	for (int i = 0; i < 3; i++)
		add_layer(p, &p->layers[i], i == 0 ? POLICY_GROUPS * ENCODED : WIDE, WIDE);
	add_layer(p, &p->cell, 2 * WIDE, GATES * WIDE);
	for (int head = 0; head < shape->heads; head++) {
		add_layer(p, &p->narrow[head], WIDE, NARROW);
		add_layer(p, &p->heads[head], NARROW, shape->choices[head]);
	}
	p->weights = memory_alloc(p->count, sizeof *p->weights);
	p->gradient = memory_alloc(p->count, sizeof *p->gradient);
	p->mean = memory_alloc(p->count, sizeof *p->mean);
	p->square = memory_alloc(p->count, sizeof *p->square);
	for (int group = 0; group < POLICY_GROUPS; group++)
		draw_layer(p, &p->encoders[group], p->encoders[group].in, random);
	for (int i = 0; i < 3; i++)
		draw_layer(p, &p->layers[i], p->layers[i].in, random);
	draw_layer(p, &p->cell, WIDE, random);
	for (int head = 0; head < shape->heads; head++) {
		draw_layer(p, &p->narrow[head], WIDE, random);
		draw_layer(p, &p->heads[head], NARROW, random);
	}
	return p;
}

void policy_free(struct policy *p)
{
	if (p == NULL)
		return;
	memory_free(p->weights);
	memory_free(p->gradient);
	memory_free(p->mean);
	memory_free(p->square);
	memory_free(p);
}

float *policy_weights(struct policy *p, size_t *count)
{
	*count = p->count;
	return p->weights;
}
