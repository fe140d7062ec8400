#include "model/load.h"

#include "base/csv.h"
#include "base/units.h"
#include "model/columns.h"
#include "base/names.h"

#include <string.h>

/* Columns that are written when some operator needs them. */
struct extra {
	bool bias, tied, experts, conv, seconds;
};

struct writing {
	const struct model *model;
	struct text *out;
	struct names names;
	struct extra extra;
};

/* Whether the reader derives this side of a convolution's own output from the rest of the row: rounded down, and where
 * out_h or out_w states it (no pool) also rounded up. */
static bool is_derived(int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t pool, int64_t out)
{
	int64_t span = in + 2 * pad - kernel;

	return out == span / stride + 1 || (pool == 1 && out == (span + stride - 1) / stride + 1);
}

static bool needs_conv(const struct operator *o)
{
	return o->kind == OPERATOR_CONV && !(is_derived(o->in.h, o->kernel.h, o->stride.h, o->pad.h, o->pool, o->conv_out.h) &&
		is_derived(o->in.w, o->kernel.w, o->stride.w, o->pad.w, o->pool, o->conv_out.w));
}

static bool is_row_mark(const char *name)
{
	return name[0] == '#' && name[1] != '\0' && strspn(name + 1, "0123456789") == strlen(name + 1);
}

/* A name that an inputs cell can carry and that means one row only; others are written as #N. */
static bool is_plain_reference(const struct writing *w, const char *name)
{
	const struct name *slot = names_find(&w->names, name, strlen(name));
	size_t length = strlen(name);

	return slot != NULL && slot->seen == 1 && length > 0 && strcmp(name, "-") != 0 && strpbrk(name, ";,\"\t") == NULL &&
		!is_row_mark(name) && name[0] != ' ' && name[length - 1] != ' ';
}

static void write_inputs(struct writing *w, int row)
{
	const struct operator *o = &w->model->operators[row];
	struct text cell = { 0 };

	if (o->input_count != 1 || o->inputs[0] != row - 1) {
		for (int i = 0; i < o->input_count; i++) {
			int input = o->inputs[i];
			const char *name = input == MODEL_INPUT ? "-" : w->model->operators[input].name;

			text_add(&cell, i > 0 ? ";" : "");
			if (input == MODEL_INPUT || is_plain_reference(w, name))
				text_add(&cell, name);
			else
				text_printf(&cell, "#%d", input + 1);
		}
	} else if (row == 0) {
		text_add(&cell, "-");
	}
	csv_write_cell(w->out, text_string(&cell));
	text_free(&cell);
}

static void write_pair(struct text *out, struct extent e, int64_t otherwise, bool always)
{
	text_add(out, ",");
	if (e.h == e.w && e.h == otherwise && !always)
		return;
	if (e.h == e.w)
		text_printf(out, "%lld", (long long)e.h);
	else
		text_printf(out, "%lldx%lld", (long long)e.h, (long long)e.w);
}

static void write_shape(struct text *out, struct shape s)
{
	text_printf(out, ",%lld,%lld,%lld", (long long)s.ch, (long long)s.h, (long long)s.w);
}

static void write_seconds(struct text *out, double seconds)
{
	char number[40] = "";

	if (seconds > 0)
		units_print_exact(seconds, number, sizeof number);
	text_printf(out, ",%s", number);
}

/* A number, or nothing where it is the default. */
static void write_number(struct text *out, int64_t number, int64_t otherwise)
{
	text_add(out, ",");
	if (number != otherwise)
		text_printf(out, "%lld", (long long)number);
}

static void write_row(struct writing *w, int row)
{
	const struct operator *o = &w->model->operators[row];
	bool window = o->kind == OPERATOR_CONV || o->kind == OPERATOR_POOL;

	csv_write_cell(w->out, o->name);
	text_printf(w->out, ",%s,", operator_kind_name(o->kind));
	write_inputs(w, row);
	write_shape(w->out, o->in);
	write_pair(w->out, o->kernel, 1, window);
	write_pair(w->out, o->stride, 1, window);
	write_pair(w->out, o->pad, 0, window);
	write_number(w->out, o->groups, 1);
	write_shape(w->out, o->out);
	write_number(w->out, o->pool, 1);
	write_number(w->out, o->heads, 0);
	if (w->extra.bias)
		o->scale_only ? text_add(w->out, ",0") : write_number(w->out, o->bias, 0);
	if (w->extra.tied)
		write_number(w->out, o->tied, 0);
	if (w->extra.experts) {
		write_number(w->out, o->experts, 0);
		write_number(w->out, o->active, 0);
	}
	if (w->extra.conv) {
		write_number(w->out, needs_conv(o) ? o->conv_out.h : 0, 0);
		write_number(w->out, needs_conv(o) ? o->conv_out.w : 0, 0);
	}
	if (w->extra.seconds) {
		write_seconds(w->out, o->fwd_s);
		write_seconds(w->out, o->bwd_s);
	}
	text_add(w->out, "\n");
}

/* Whether some operator needs a column. */
static bool is_written(const struct extra *extra, int column)
{
	if (column < COLUMNS_WRITTEN)
		return true;
	return column == COLUMN_BIAS ? extra->bias : column == COLUMN_TIED ? extra->tied : column <= COLUMN_ACTIVE ? extra->experts : column >= COLUMN_FWD_S ? extra->seconds : extra->conv;
}

void model_write_csv(const struct model *m, struct text *out)
{
	struct writing w = { .model = m, .out = out };

	for (int i = 0; i < m->count; i++) {
		const struct operator *o = &m->operators[i];

		names_add(&w.names, o->name, strlen(o->name))->seen++;
		w.extra.bias = w.extra.bias || o->bias || o->scale_only;
		w.extra.tied = w.extra.tied || o->tied;
		w.extra.experts = w.extra.experts || o->experts > 0;
		w.extra.conv = w.extra.conv || needs_conv(o);
		w.extra.seconds = w.extra.seconds || o->fwd_s > 0 || o->bwd_s > 0;
	}
	for (int column = 0; column < COLUMN_COUNT; column++)
		if (is_written(&w.extra, column))
			text_printf(out, "%s%s", column > 0 ? "," : "", column_names[column]);
	text_add(out, "\n");
	for (int i = 0; i < m->count; i++)
		write_row(&w, i);
	names_free(&w.names);
}
