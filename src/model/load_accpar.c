/* AccPar network text: `num_layers 8`, then for each layer `conv1 CONV` or `fc1 FC` and lines of a key and a number.
 *
 * The output sizes are after pooling, so a convolution's own output is taken as out x pool.  Stride and padding are not in the
 * file: the stride is the whole ratio of input to output, the padding the least that makes room for this output. */
#include "base/line.h"
#include "model/loader.h"

#include <string.h>

enum { IN_CH, IN_H, IN_W, KERNEL, OUT_CH, OUT_H, OUT_W, POOL, KEYS };

static const char *const keys[KEYS] = { "in_ch", "in_fmap_h", "in_fmap_w", "kernel", "out_ch", "out_fmap_h", "out_fmap_w", "pool" };

struct layer {
	bool open, bad, fc;
	unsigned long line;
	const char *name;
	int64_t value[KEYS];
	bool given[KEYS];
};

struct reading {
	struct builder *b;
	struct layer layer;
	int64_t announced;       /* num_layers, -1 when it is not there */
	unsigned long announced_line;
	int found, last;
};

static struct csv_cell cell_of(const struct line *l, int i)
{
	return (struct csv_cell){ l->word[i], strlen(l->word[i]) };
}

static bool word_is(const struct line *l, int i, const char *word)
{
	struct csv_cell cell = cell_of(l, i);

	return cell_is(&cell, word);
}

static bool is_layer_line(const struct line *w)
{
	return w->count == 2 && (word_is(w, 1, "CONV") || word_is(w, 1, "FC"));
}

static bool recognise(const struct source *s)
{
	struct line w = { .count = 0 };
	size_t at = 0;

	while (w.count == 0 && line_next(s->bytes, s->length, &at, &w))
		;
	return w.count == 2 && (word_is(&w, 0, "num_layers") || is_layer_line(&w));
}

static void bad(struct reading *r, unsigned long line, unsigned long column, const struct diagnostic *d)
{
	struct diagnostic placed = *d;

	placed.line = line;
	placed.column = column;
	builder_bad_row(r->b, &placed);
	r->layer.bad = true;
}

/* Stride and padding of one side from its sizes: the padding is the least with which `out` windows fit. */
static void guess_window(int64_t in, int64_t kernel, int64_t out, int64_t *stride, int64_t *pad)
{
	int64_t lacking;

	*stride = in / out > 0 ? in / out : 1;
	lacking = (out - 1) * *stride + kernel - in;
	*pad = lacking > 0 ? (lacking + 1) / 2 : 0;
}

static enum status conv_operator(const struct layer *l, struct operator *o, struct diagnostic *d)
{
	const int64_t *v = l->value;

	for (int side = 0; side < 2; side++)
		if (v[KERNEL] > 2 * v[IN_H + side] + 1)
			return diagnostic_fail(d, STATUS_INPUT, "a kernel of %lld does not fit an %s of %lld", (long long)v[KERNEL], keys[IN_H + side], (long long)v[IN_H + side]);
	o->in = (struct shape){ v[IN_CH], v[IN_H], v[IN_W] };
	o->kernel = (struct extent){ v[KERNEL], v[KERNEL] };
	o->pool = v[POOL];
	o->out = (struct shape){ v[OUT_CH], v[OUT_H], v[OUT_W] };
	o->conv_out = (struct shape){ v[OUT_CH], v[OUT_H] * v[POOL], v[OUT_W] * v[POOL] };
	for (int side = 0; side < 2; side++)
		if (v[OUT_H + side] * v[POOL] > v[IN_H + side] + v[KERNEL] - 1)
			return diagnostic_fail(d, STATUS_INPUT, "%s %lld times pool %lld is more than a convolution makes of %s %lld", keys[OUT_H + side],
				(long long)v[OUT_H + side], (long long)v[POOL], keys[IN_H + side], (long long)v[IN_H + side]);
	guess_window(o->in.h, o->kernel.h, o->conv_out.h, &o->stride.h, &o->pad.h);
	guess_window(o->in.w, o->kernel.w, o->conv_out.w, &o->stride.w, &o->pad.w);
	return STATUS_OK;
}

static void check_edge(struct reading *r, const struct operator *o)
{
	const struct operator *from = r->last >= 0 ? &r->b->operators[r->last] : NULL;

	if (from != NULL && shape_elements(from->out) != shape_elements(o->in))
		builder_problem(r->b, SEVERITY_WARNING, o->line, 1, "%s reads %lld numbers, but %s above it hands over %lld; correct one of the two layers",
			o->name, (long long)shape_elements(o->in), from->name, (long long)shape_elements(from->out));
}

static void end_layer(struct reading *r)
{
	struct layer *l = &r->layer;
	struct operator o = operator_blank(l->fc ? OPERATOR_LINEAR : OPERATOR_CONV, l->line);
	struct diagnostic d;
	int at = -1;

	if (!l->open)
		return;
	if (!l->given[POOL])
		l->value[POOL] = 1;
	for (int i = 0; i < KEYS && !l->bad; i++)
		if (!l->given[i] && i != POOL && (!l->fc || i == IN_CH || i == OUT_CH)) {
			diagnostic_fail(&d, STATUS_INPUT, "layer %s has no %s; add a line \"%s NUMBER\" below this one", l->name, keys[i], keys[i]);
			bad(r, l->line, 1, &d);
		}
	o.name = l->name;
	if (l->fc) {
		o.in.ch = l->value[IN_CH];
		o.out.ch = o.conv_out.ch = l->value[OUT_CH];
	} else if (!l->bad && conv_operator(l, &o, &d) != STATUS_OK) {
		bad(r, l->line, 1, &d);
	}
	if (!l->bad) {
		builder_inputs(r->b, &o, &r->last, 1);
		at = builder_add(r->b, &o, &d);
		if (at < 0)
			bad(r, l->line, 1, &d);
		else
			check_edge(r, &o);
	}
	if (at >= 0)
		r->last = at;
	else
		r->b->model->skipped++;
	l->open = false;
}

static void begin_layer(struct reading *r, const struct line *w, unsigned long line)
{
	end_layer(r);
	if (!builder_row(r->b, line))
		return;
	r->layer = (struct layer){ .open = true, .fc = word_is(w, 1, "FC"), .line = line };
	r->layer.name = builder_name(r->b, w->word[0], strlen(w->word[0]));
	r->found++;
}

static void take_key(struct reading *r, const struct line *w, unsigned long line)
{
	int key = 0;
	struct csv_cell number = cell_of(w, 1);
	struct diagnostic d;

	while (key < KEYS && !word_is(w, 0, keys[key]))
		key++;
	if (key == KEYS) {
		int near = text_nearest(w->word[0], keys, KEYS);

		builder_problem(r->b, SEVERITY_WARNING, line, 1, "\"%.40s\" is not a key of a layer and is not read; keys are in_ch, in_fmap_h, in_fmap_w, kernel, "
			"out_ch, out_fmap_h, out_fmap_w, pool%s%s", w->word[0], near >= 0 ? "; did you mean " : "", near >= 0 ? keys[near] : "");
	} else if (!r->layer.open) {
		builder_problem(r->b, SEVERITY_ERROR, line, 1, "%s stands before any layer; begin with a line such as \"conv1 CONV\"", keys[key]);
	} else if (r->layer.given[key]) {
		builder_problem(r->b, SEVERITY_WARNING, line, 1, "a second %s of layer %s; the first is read", keys[key], r->layer.name);
	} else if (cell_size(&number, keys[key], 2, 1, &r->layer.value[key], &d) == STATUS_OK) {
		r->layer.given[key] = true;
	} else {
		bad(r, line, 2, &d);
	}
}

static void take_line(struct reading *r, const struct line *w, unsigned long line)
{
	struct csv_cell number = cell_of(w, 1);
	struct diagnostic d;

	if (w->count == 0 || w->word[0][0] == '#')
		return;
	if (w->count != 2) {
		builder_problem(r->b, SEVERITY_ERROR, line, 1, "expected two words, a key and a number (\"kernel 3\") or a name and CONV or FC");
		r->layer.bad = true;
	} else if (word_is(w, 0, "num_layers")) {
		if (cell_size(&number, "num_layers", 2, 1, &r->announced, &d) != STATUS_OK) {
			d.line = line;
			builder_bad_row(r->b, &d);
		}
		r->announced_line = line;
	} else if (is_layer_line(w)) {
		begin_layer(r, w, line);
	} else {
		take_key(r, w, line);
	}
}

static enum status load(const struct source *s, struct builder *b, struct diagnostic *d)
{
	struct reading r = { .b = b, .last = MODEL_INPUT, .announced = -1 };
	size_t at = 0;
	struct line w = { .count = 0 };

	(void)d;
	while (!b->full && line_next(s->bytes, s->length, &at, &w))      /* lines are no rows: begin_layer counts those */
		take_line(&r, &w, w.number);
	end_layer(&r);
	if (r.announced >= 0 && r.announced != r.found)
		builder_problem(b, SEVERITY_WARNING, r.announced_line, 2, "num_layers says %lld, but %d layers follow; correct the number, or add what is missing",
			(long long)r.announced, r.found);
	return STATUS_OK;
}

const struct format format_accpar = { "accpar", recognise, load };
