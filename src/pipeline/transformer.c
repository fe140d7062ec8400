#include "pipeline/transformer.h"

#include <string.h>

struct finding {
	const struct model *model;
	struct transformer *t;
	struct diagnostic *d;
	int attentions, ups, downs, projections;
};

/* Its first input is a row of that kind. */
static bool is_fed_by(const struct model *m, int row, enum operator_kind kind)
{
	const struct operator *o = &m->operators[row];

	return o->inputs[0] != MODEL_INPUT && m->operators[o->inputs[0]].kind == kind;
}

static enum status differs(struct finding *f, int row, const char *what, double found, double before)
{
	return diagnostic_fail(f->d, STATUS_INPUT, "%s has %s of %.0f, another %.0f: the blocks of a transformer are alike", f->model->operators[row].name, what, found, before);
}

/* Takes a size that all rows of a kind must have. */
static enum status take(struct finding *f, int row, const char *what, double found, double *size)
{
	if (*size != 0 && *size != found)
		return differs(f, row, what, found, *size);
	*size = found;
	return STATUS_OK;
}

static enum status take_attention(struct finding *f, int row)
{
	const struct operator *o = &f->model->operators[row];
	struct transformer *t = f->t;
	int64_t packed = o->input_count == 1 ? (o->in.ch - o->out.ch) / 2 : o->input_count > 1 && o->inputs[1] != MODEL_INPUT ? f->model->operators[o->inputs[1]].out.ch : o->out.ch;
	double head_size = (double)o->out.ch / (double)o->heads;
	int fed = o->inputs[0];

	f->attentions++;
	if (o->keys != o->out.h * o->out.w || fed == MODEL_INPUT || f->model->operators[fed].kind != OPERATOR_LINEAR)
		return diagnostic_fail(f->d, STATUS_INPUT, "%s is no attention of a sequence to itself behind a linear layer", o->name);
	if (take(f, row, "heads", (double)o->heads, &t->heads) != STATUS_OK || take(f, row, "a head size", head_size, &t->head_size) != STATUS_OK ||
	    take(f, row, "heads of keys", (double)packed / head_size, &t->kv_heads) != STATUS_OK || take(f, row, "a sequence", (double)o->keys, &t->sequence) != STATUS_OK)
		return STATUS_INPUT;
	return take(f, row, "hidden channels", (double)f->model->operators[fed].in.ch, &t->hidden);
}

/* Queries, keys and values stand close before the attention that reads them. */
enum { ROWS_TO_ATTENTION = 4 };

static bool feeds_attention(const struct model *m, int row)
{
	for (int i = row + 1; i < m->count && i <= row + ROWS_TO_ATTENTION; i++)
		for (int k = 0; m->operators[i].kind == OPERATOR_ATTENTION && k < m->operators[i].input_count; k++)
			if (m->operators[i].inputs[k] == row)
				return true;
	return false;
}

static bool is_expert(const struct operator *o)
{
	return o->experts > 0;
}

/* What a linear layer is of a block, or that it is beside the stack. */
static enum status take_linear(struct finding *f, int row)
{
	const struct operator *o = &f->model->operators[row];
	struct transformer *t = f->t;
	double ffn, in = (double)o->in.ch, out = (double)o->out.ch, active = is_expert(o) ? (double)o->active : 1;

	if (feeds_attention(f->model, row))
		return STATUS_OK;
	if (is_fed_by(f->model, row, OPERATOR_ATTENTION)) {
		f->projections++;
		return STATUS_OK;
	}
	if (t->vocabulary > 0 && out == t->vocabulary) {
		t->head = true;
		t->tied = o->tied;
		return STATUS_OK;
	}
	if (in != t->hidden && out != t->hidden)
		return diagnostic_fail(f->d, STATUS_INPUT, "%s, from %.0f to %.0f channels, has no place in a block of %.0f", o->name, in, out, t->hidden);
	/* routers of mixtures, and heads of encoders (square), are small and go with the rest of the parameters */
	if ((in == t->hidden && out == t->hidden) || (in == t->hidden && out < t->hidden && is_fed_by(f->model, row, OPERATOR_NORM) && !is_expert(o)))
		return STATUS_OK;
	ffn = (in == t->hidden ? out : in) / active;
	*(in == t->hidden ? &f->ups : &f->downs) += 1;
	if (is_expert(o) && (take(f, row, "experts", (double)o->experts, &t->experts) != STATUS_OK || take(f, row, "active experts", active, &t->active) != STATUS_OK))
		return STATUS_INPUT;
	return take(f, row, "inner channels", ffn, &t->ffn);
}

static enum status conclude(struct finding *f)
{
	struct transformer *t = f->t;

	t->blocks = f->attentions;
	t->params = (double)f->model->params;
	t->experts = t->experts > 0 ? t->experts : 1;
	t->active = t->active > 0 ? t->active : 1;
	t->gated = f->ups == 2 * f->attentions;
	if (f->projections == f->attentions && f->downs == f->attentions && (f->ups == f->attentions || t->gated))
		return STATUS_OK;
	return diagnostic_fail(f->d, STATUS_INPUT, "%d attentions, %d projections behind them, %d layers into and %d out of what lies between: not one transformer block after another", f->attentions,
		f->projections, f->ups, f->downs);
}

enum status transformer_of(const struct model *model, struct transformer *out, struct diagnostic *d)
{
	struct finding f = { .model = model, .t = out, .d = d };

	*out = (struct transformer){ .blocks = 0 };
	for (int row = 0; row < model->count; row++)
		if (model->operators[row].kind == OPERATOR_ATTENTION && take_attention(&f, row) != STATUS_OK)
			return STATUS_INPUT;
	if (f.attentions == 0)
		return diagnostic_fail(d, STATUS_INPUT, "%s is no transformer: it has no attention", model->name);
	for (int row = 0; row < model->count; row++) {
		const struct operator *o = &model->operators[row];

		if (o->kind == OPERATOR_CONV || o->kind == OPERATOR_OPAQUE)
			return diagnostic_fail(d, STATUS_INPUT, "%s (%s) has no place in a transformer", o->name, operator_kind_name(o->kind));
		if (o->kind != OPERATOR_EMBEDDING)
			continue;
		out->embedding_params += (double)o->params;
		if ((double)o->in.ch > out->vocabulary)
			out->vocabulary = (double)o->in.ch;
	}
	for (int row = 0; row < model->count; row++)
		if (model->operators[row].kind == OPERATOR_LINEAR && take_linear(&f, row) != STATUS_OK)
			return STATUS_INPUT;
	return conclude(&f);
}

/* The row behind the sum, or the embedding, that comes last before an attention. */
static int begin_of(const struct model *model, int attention)
{
	int row = attention;

	while (row > 0 && model->operators[row - 1].kind != OPERATOR_ADD && model->operators[row - 1].kind != OPERATOR_EMBEDDING && model->operators[row - 1].kind != OPERATOR_ATTENTION)
		row--;
	return row;
}

int transformer_block_row(const struct model *model, int block)
{
	int attentions = 0;

	for (int row = 0; row < model->count && block > 0; row++)
		if (model->operators[row].kind == OPERATOR_ATTENTION && attentions++ == block)
			return begin_of(model, row);
	return 0;
}

int transformer_block_of(const struct model *model, int row)
{
	int block = -1;

	for (int at = 0; at < model->count; at++)
		if (model->operators[at].kind == OPERATOR_ATTENTION && begin_of(model, at) <= row)
			block++;
	return block < 0 ? 0 : block;
}
