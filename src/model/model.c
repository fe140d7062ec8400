#include "model/model.h"

#include "base/text.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

struct kind {
	const char *name, *text;
	bool weighted, junction;
};

static const struct kind kinds[OPERATOR_KIND_COUNT] = {
#define X(kind, name, weighted, junction, text) [OPERATOR_##kind] = { name, text, weighted, junction },
	OPERATOR_KINDS(X)
#undef X
};

const char *operator_kind_name(enum operator_kind kind)
{
	return kinds[kind].name;
}

const char *operator_kind_text(enum operator_kind kind)
{
	return kinds[kind].text;
}

bool operator_kind_weighted(enum operator_kind kind)
{
	return kinds[kind].weighted;
}

bool operator_is_junction(const struct operator *o)
{
	return kinds[o->kind].junction || (!kinds[o->kind].weighted && o->input_count > 1);
}

int64_t shape_elements(struct shape s)
{
	return s.ch * s.h * s.w;
}

/* Product of n factors; false on overflow or a factor below 1. */
static bool product(const int64_t *factors, size_t n, int64_t *result)
{
	*result = 1;
	for (size_t i = 0; i < n; i++)
		if (factors[i] < 1 || !units_multiply(*result, factors[i], result))
			return false;
	return true;
}

#define PRODUCT(result, ...) \
	product((const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), result)

enum status operator_measure(struct operator *o, struct diagnostic *d)
{
	const int64_t copies = o->experts > 0 ? o->experts / o->active : 1;
	int64_t elements;
	bool fits = PRODUCT(&elements, o->in.ch, o->in.h, o->in.w) && PRODUCT(&elements, o->conv_out.ch, o->conv_out.h, o->conv_out.w) &&
		PRODUCT(&elements, o->out.ch, o->out.h, o->out.w);

	o->weights = o->params = o->macs = 0;
	switch (fits ? o->kind : OPERATOR_OPAQUE) {
	case OPERATOR_CONV:
		fits = PRODUCT(&o->weights, o->kernel.h, o->kernel.w, o->in.ch / o->groups, o->out.ch) &&
			PRODUCT(&o->macs, o->weights, o->conv_out.h, o->conv_out.w);
		break;
	case OPERATOR_LINEAR:
		fits = PRODUCT(&o->weights, o->in.ch, o->out.ch) && PRODUCT(&o->macs, o->weights, o->in.h, o->in.w) && PRODUCT(&o->weights, o->weights, copies);
		break;
	case OPERATOR_EMBEDDING:
		fits = PRODUCT(&o->weights, o->in.ch, o->out.ch);
		break;
	case OPERATOR_ATTENTION:
		/* QK' and AV over all heads */
		fits = PRODUCT(&o->macs, 2, o->out.ch, o->out.h, o->out.w, o->keys);
		break;
	case OPERATOR_NORM:
		fits = PRODUCT(&o->params, o->scale_only ? 1 : 2, o->in.ch); /* scale and shift */
		break;
	default:
		break;
	}
	if (fits && kinds[o->kind].weighted)
		fits = !__builtin_add_overflow(o->tied ? 0 : o->weights, o->bias ? o->out.ch * copies : 0, &o->params);
	if (!fits)
		return diagnostic_fail(d, STATUS_INPUT, "sizes too large: %lldx%lldx%lld to %lldx%lldx%lld overflows 2^63 when multiplied; check the columns",
			(long long)o->in.ch, (long long)o->in.h, (long long)o->in.w,
			(long long)o->out.ch, (long long)o->out.h, (long long)o->out.w);
	return STATUS_OK;
}

/* Positions of the embeddings where all have as many, and nothing is a picture. */
static int64_t sequence_of(const struct model *m)
{
	int64_t sequence = 0;

	for (int i = 0; i < m->count; i++) {
		const struct operator *o = &m->operators[i];

		if (o->kind == OPERATOR_CONV || o->kind == OPERATOR_POOL)
			return 0;
		if (o->kind != OPERATOR_EMBEDDING)
			continue;
		if (o->in.w != 1 || o->in.h == 1 || (sequence > 0 && o->in.h != sequence))
			return 0;
		sequence = o->in.h;
	}
	return sequence;
}

enum status model_finish(struct model *m, struct diagnostic *d)
{
	m->sequence = sequence_of(m);
	m->layers = m->opaque = 0;
	m->macs = m->params = 0;
	for (int i = 0; i < m->count; i++) {
		const struct operator *o = &m->operators[i];

		m->layers += kinds[o->kind].weighted;
		m->opaque += o->kind == OPERATOR_OPAQUE;
		if (__builtin_add_overflow(m->macs, o->macs, &m->macs) || __builtin_add_overflow(m->params, o->params, &m->params))
			return diagnostic_fail(d, STATUS_INPUT, "the model's total MACs or parameters exceed 2^63 at row %d (%s); check its sizes", i + 1, o->name);
	}
	if (m->layers == 0)
		return diagnostic_fail(d, STATUS_INPUT, "no layer with weights was understood: nothing to split");
	return STATUS_OK;
}

static void lengthen(int64_t *positions, int64_t from, int64_t to)
{
	*positions = *positions == from ? to : *positions;
}

struct model *model_at_sequence(const struct model *m, int64_t sequence, struct diagnostic *d)
{
	struct arena arena = { 0 };
	struct model *copy;

	if (m->sequence == 0) {
		diagnostic_fail(d, STATUS_INPUT, "seq: %s is not of sequences: it has no embedding of several positions, or it has pictures", m->name);
		return NULL;
	}
	copy = arena_alloc(&arena, 1, sizeof *copy);
	*copy = *m;
	copy->arena = arena;
	copy->name = arena_copy_text(&copy->arena, m->name, strlen(m->name));
	copy->path = arena_copy_text(&copy->arena, m->path, strlen(m->path));
	copy->problems = (struct diagnostics){ 0 };
	for (size_t i = 0; i < m->problems.count; i++)
		diagnostics_add(&copy->problems, &m->problems.items[i]);
	copy->operators = arena_alloc(&copy->arena, (size_t)m->count, sizeof *copy->operators);
	for (int i = 0; i < m->count; i++) {
		struct operator *o = &copy->operators[i];
		int *inputs = arena_alloc(&copy->arena, (size_t)m->operators[i].input_count, sizeof *inputs);

		*o = m->operators[i];
		o->name = arena_copy_text(&copy->arena, o->name, strlen(o->name));
		memcpy(inputs, o->inputs, (size_t)o->input_count * sizeof *inputs);
		o->inputs = inputs;
		lengthen(&o->in.h, m->sequence, sequence);
		lengthen(&o->conv_out.h, m->sequence, sequence);
		lengthen(&o->out.h, m->sequence, sequence);
		lengthen(&o->keys, m->sequence, sequence);
		if (operator_measure(o, d) != STATUS_OK) {
			model_free(copy);
			return NULL;
		}
	}
	if (model_finish(copy, d) == STATUS_OK)
		return copy;
	model_free(copy);
	return NULL;
}

int model_find(const struct model *m, const char *name, bool *repeats, struct diagnostic *d)
{
	const char **names;
	int found = -1, near;

	if (repeats != NULL)
		*repeats = false;
	if (name[0] == '#') {
		int64_t row;

		if (units_parse_whole(name + 1, strlen(name + 1), &row) == STATUS_OK && row >= 1 && row <= m->count)
			return (int)row - 1;
		diagnostic_fail(d, STATUS_INPUT, "no row %s: %s has rows #1 to #%d", name, m->name, m->count);
		return -1;
	}
	for (int i = 0; i < m->count; i++) {
		if (strcmp(m->operators[i].name, name) != 0)
			continue;
		if (found >= 0) {
			if (repeats != NULL)
				*repeats = true;
			break;
		}
		found = i;
	}
	if (found >= 0)
		return found;
	names = memory_alloc((size_t)m->count, sizeof *names);
	for (int i = 0; i < m->count; i++)
		names[i] = m->operators[i].name;
	near = text_nearest(name, names, (size_t)m->count);
	if (near >= 0)
		diagnostic_fail(d, STATUS_INPUT, "no layer \"%s\" in %s; did you mean %s?", name, m->name, names[near]);
	else
		diagnostic_fail(d, STATUS_INPUT, "no layer \"%s\" in %s; its layers run from %s to %s (`whypar check` lists them)", name, m->name, names[0], names[m->count - 1]);
	memory_free(names);
	return -1;
}

void model_free(struct model *m)
{
	struct arena arena;

	if (m == NULL)
		return;
	diagnostics_free(&m->problems);
	arena = m->arena;        /* the model itself lies in its arena */
	arena_free(&arena);
}

int model_stage_layers(const struct model *m, int *layer_of)
{
	int layers = 0;

	for (int row = 0; row < m->count; row++) {
		const struct operator *o = &m->operators[row];

		layer_of[row] = -1;
		for (int i = 0; i < o->input_count && !operator_kind_weighted(o->kind); i++)
			if (o->inputs[i] != MODEL_INPUT && layer_of[o->inputs[i]] > layer_of[row])
				layer_of[row] = layer_of[o->inputs[i]];
		if (layer_of[row] < 0)
			layer_of[row] = layers++;
	}
	return layers;
}
