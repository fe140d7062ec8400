/* What one device of a stage of a line holds. */
#include "study/line_inside.h"

#include <math.h>

/* The part of a row's weights that one device holds. */
static double weights_part(const struct operator *o, const struct share *s)
{
	double part = (double)s->out_ch / (double)o->conv_out.ch;

	if (operator_kind_weighted(o->kind) && o->kind != OPERATOR_EMBEDDING)
		part *= (double)s->in_ch / (double)s->groups / ((double)o->in.ch / (double)o->groups);
	return fmin(1, part);
}

/* Weights of one row on one device; a tied row has a copy where its stage is another than the embedding's. */
double line_row_weights(const struct making *m, const struct kind *k, int row, int stage)
{
	const struct operator *o = &m->model->operators[row];
	double params = o->tied && stage > 0 ? (double)o->weights : (double)o->params;

	return params * weights_part(o, &k->shares[row]);
}

double line_row_activations(const struct making *m, const struct kind *k, int row)
{
	const struct operator *o = &m->model->operators[row];
	const struct share *s = &k->shares[row];

	if (o->kind == OPERATOR_DROPOUT || o->kind == OPERATOR_LOSS)
		return 0;
	return (double)s->batch * (double)(s->out_ch < o->conv_out.ch ? s->out_ch : o->conv_out.ch) * (double)o->conv_out.h * (double)o->conv_out.w;
}

/* Elements of a row's scores of attention, where they are kept. */
static double row_scores(const struct making *m, const struct kind *k, int row)
{
	const struct operator *o = &m->model->operators[row];

	if (o->kind != OPERATOR_ATTENTION || m->out->plan.fused_attention)
		return 0;
	return (double)k->shares[row].batch * (double)k->shares[row].heads * (double)o->out.h * (double)o->out.w * (double)o->keys;
}

/* Sums over the rows of a stage, and the largest of some of them; elements. */
struct stage_sizes {
	double weights, activations, scores, largest_weights, largest_scores, largest_activations;
};

static struct stage_sizes size_stage(const struct making *m, int stage)
{
	const struct kind *k = m->of_stage[stage];
	struct stage_sizes z = { 0 };

	for (int i = stage; i < m->virtual_stages; i += m->out->stage_count)
		for (int row = 0; row < m->model->count; row++) {
			double weights, activations, scores;

			if (m->layer_of[row] < m->first[i] || m->layer_of[row] >= m->first[i + 1])
				continue;
			weights = line_row_weights(m, k, row, stage);
			activations = line_row_activations(m, k, row);
			scores = row_scores(m, k, row);
			z.weights += weights;
			z.activations += activations;
			z.scores += scores;
			z.largest_weights = fmax(z.largest_weights, weights);
			z.largest_activations = fmax(z.largest_activations, activations);
			z.largest_scores = fmax(z.largest_scores, scores);
		}
	return z;
}

/* Elements that come into the first stage, of one microbatch on one device: of an embedding, words by their number. */
static double model_input(const struct making *m)
{
	const struct operator *o = &m->model->operators[0];
	const struct share *s = &m->of_stage[0]->shares[0];

	return (double)s->batch * (o->kind == OPERATOR_EMBEDDING ? 1 : (double)s->in_ch) * (double)o->in.h * (double)o->in.w;
}

void line_memory(const struct making *m, int stage, struct stage_figures *f)
{
	const struct run_plan *p = &m->out->plan;
	struct stage_sizes z = size_stage(m, stage);
	double e = document_element_bytes(m->document), chunks = p->chunks, taken = stage == 0 ? e * model_input(m) : 0, kept, again = 0;
	struct run_memory *memory = &f->memory;

	for (int i = stage; i < m->virtual_stages; i += m->out->stage_count)
		taken += m->slots[i].border / m->of_stage[stage]->devices;
	kept = taken + e * (z.activations + z.scores);
	if (p->recompute == RECOMPUTE_FULL) {
		again = kept - taken;
		kept = taken;
	} else if (p->recompute == RECOMPUTE_SELECTIVE) {
		again = e * z.largest_scores;
		kept -= e * z.scores;
	}
	memory->weights = e * z.weights / (p->zero > 2 ? p->replicas : 1);
	memory->gradients = p->gradient_bytes * z.weights / (p->zero > 1 ? p->replicas : 1);
	memory->states = p->state_bytes * z.weights / (p->zero > 0 ? p->replicas : 1);
	memory->activations = run_held(p, stage) * kept;
	/* errors of the largest tensor on both its sides, what is computed again, what arrives, and gathered weights of the layer at work and of the next */
	memory->buffers = 2 * e * z.largest_activations + again / chunks + (p->pipeline > 1 ? 2 * taken / chunks : 0) + (p->zero > 2 && p->replicas > 1 ? 2 * e * z.largest_weights : 0);
	memory->total = memory->weights + memory->gradients + memory->states + memory->activations + memory->buffers;
	f->capacity = m->of_stage[stage]->machine.hbm;
}

double line_weights(const struct making *m, int stage)
{
	return size_stage(m, stage).weights;
}
