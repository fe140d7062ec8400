#include "model/columns.h"

#include "base/units.h"

#include <stdarg.h>
#include <stdio.h>

const char *const column_names[COLUMN_COUNT] = {
#define X(column, name, least) name,
	COLUMNS(X)
#undef X
};

static enum status PRINTF_LIKE(3, 4) blame(struct diagnostic *d, enum column column, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diagnostic_fail(d, STATUS_INPUT, "%s", text);
	diagnostic_place(d, NULL, 0, (unsigned long)column + 1);
	return STATUS_INPUT;
}

static int64_t value(const struct declared *row, enum column column, int64_t otherwise)
{
	return row->given[column] ? row->value[column].h : otherwise;
}

static bool is_known(struct shape s)
{
	return s.ch > 0;
}

/* Elements of a shape whose product may overflow; 0 then. */
static int64_t elements(struct shape s)
{
	int64_t n;

	return units_multiply(s.ch, s.h, &n) && units_multiply(n, s.w, &n) ? n : 0;
}

/* The input as declared, each empty cell filled from the producer. */
static enum status take_input(struct operator *o, const struct declared *row, struct shape from, struct diagnostic *d)
{
	static const enum column columns[3] = { COLUMN_IN_CH, COLUMN_IN_H, COLUMN_IN_W };
	int64_t given[3] = { from.ch, from.h, from.w };

	for (int i = 0; i < 3; i++) {
		given[i] = value(row, columns[i], given[i]);
		if (given[i] == 0)
			return blame(d, columns[i], "is empty, and what the row reads has no known shape; write the size of its input");
	}
	o->in = (struct shape){ given[0], given[1], given[2] };
	return STATUS_OK;
}

/* One side of a window that moves over an input: its output by rounding down; 0 when the window does not fit. */
static int64_t window_out(int64_t in, int64_t kernel, int64_t stride, int64_t pad)
{
	return in + 2 * pad < kernel ? 0 : (in + 2 * pad - kernel) / stride + 1;
}

static int64_t window_out_up(int64_t in, int64_t kernel, int64_t stride, int64_t pad)
{
	return (in + 2 * pad - kernel + stride - 1) / stride + 1;
}

/* One side of a window: what it gives, or what was declared where that is the same rounded up.  A declared output that cannot be is refused. */
static enum status window_side(const char *what, int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t declared,
	enum column column, int64_t *out, struct diagnostic *d)
{
	int64_t down = window_out(in, kernel, stride, pad), up;

	if (down == 0)
		return blame(d, COLUMN_KERNEL, "a %s of %lld does not fit an input of %lld with padding %lld; it may be %lld at most", what,
			(long long)kernel, (long long)in, (long long)pad, (long long)(in + 2 * pad));
	up = window_out_up(in, kernel, stride, pad);
	*out = declared > 0 ? declared : down;
	if (*out != down && *out != up)
		return blame(d, column, "%lld is not what %s %lld, stride %lld and padding %lld make of %lld, which is %lld (%lld rounded up); "
			"correct one of them or leave it empty", (long long)declared, what, (long long)kernel, (long long)stride, (long long)pad,
			(long long)in, (long long)down, (long long)up);
	return STATUS_OK;
}

static enum status check_groups(const struct operator *o, struct diagnostic *d)
{
	if (o->in.ch % o->groups != 0)
		return blame(d, COLUMN_GROUPS, "%lld groups do not divide %lld input channels", (long long)o->groups, (long long)o->in.ch);
	if (o->out.ch % o->groups != 0)
		return blame(d, COLUMN_GROUPS, "%lld groups do not divide %lld output channels", (long long)o->groups, (long long)o->out.ch);
	return STATUS_OK;
}

/* What is left of a side after down-sampling by `pool`, or as declared: windows that overlap or are padded give one more or less. */
static enum status pooled_side(int64_t conv, int64_t pool, int64_t declared, enum column column, int64_t *out, struct diagnostic *d)
{
	if (conv < pool)
		return blame(d, COLUMN_POOL, "pooling by %lld does not fit an output of %lld", (long long)pool, (long long)conv);
	*out = declared > 0 ? declared : conv / pool;
	if (*out < conv / pool - 1 || *out > conv / pool + 1)
		return blame(d, column, "%lld is not about %lld / %lld, the convolution's output over pool; correct one of them or leave it empty",
			(long long)declared, (long long)conv, (long long)pool);
	return STATUS_OK;
}

static enum status conv_side(const struct declared *row, int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t pool,
	enum column out_column, enum column conv_column, int64_t *conv, int64_t *out, struct diagnostic *d)
{
	int64_t declared = value(row, out_column, 0), own = value(row, conv_column, 0);

	if (own > 0) {
		if (window_out(in, kernel, stride, pad) == 0)
			return window_side("kernel", in, kernel, stride, pad, 0, out_column, conv, d);
		if (own > in + 2 * pad)
			return blame(d, conv_column, "%lld is more than the padded input of %lld", (long long)own, (long long)(in + 2 * pad));
		*conv = own;
	} else if (window_side("kernel", in, kernel, stride, pad, pool == 1 ? declared : 0, out_column, conv, d) != STATUS_OK) {
		return STATUS_INPUT;
	}
	return pooled_side(*conv, pool, declared, out_column, out, d);
}

static enum status derive_conv(struct operator *o, const struct declared *row, struct shape from, struct diagnostic *d)
{
	if (take_input(o, row, from, d) != STATUS_OK)
		return STATUS_INPUT;
	if (!row->given[COLUMN_OUT_CH])
		return blame(d, COLUMN_OUT_CH, "is empty; a convolution needs its number of output channels");
	o->out.ch = o->conv_out.ch = value(row, COLUMN_OUT_CH, 0);
	if (check_groups(o, d) != STATUS_OK ||
	    conv_side(row, o->in.h, o->kernel.h, o->stride.h, o->pad.h, o->pool, COLUMN_OUT_H, COLUMN_CONV_H, &o->conv_out.h, &o->out.h, d) != STATUS_OK ||
	    conv_side(row, o->in.w, o->kernel.w, o->stride.w, o->pad.w, o->pool, COLUMN_OUT_W, COLUMN_CONV_W, &o->conv_out.w, &o->out.w, d) != STATUS_OK)
		return STATUS_INPUT;
	return STATUS_OK;
}

/* Positions and channels of a linear layer.  Where cells are empty: a plane (h and w > 1) is flattened, a sequence keeps its positions. */
static enum status linear_input(struct operator *o, const struct declared *row, struct shape from, struct diagnostic *d)
{
	int64_t all = elements(from), ch = value(row, COLUMN_IN_CH, 0), positions;
	bool placed = row->given[COLUMN_IN_H] || row->given[COLUMN_IN_W];

	o->in = (struct shape){ ch, value(row, COLUMN_IN_H, 1), value(row, COLUMN_IN_W, 1) };
	if (placed && ch > 0)
		return STATUS_OK;
	if (!is_known(from) || all == 0) {
		if (ch > 0)
			return STATUS_OK;
		return blame(d, COLUMN_IN_CH, "is empty, and what the row reads has no known shape; write the number of input channels");
	}
	if (placed) {
		if (!units_multiply(o->in.h, o->in.w, &positions) || all % positions != 0)
			return blame(d, COLUMN_IN_H, "%lld x %lld positions do not divide the %lld elements of the input; write in_ch",
				(long long)o->in.h, (long long)o->in.w, (long long)all);
		o->in.ch = all / positions;
	} else if (ch == 0 && from.h > 1 && from.w > 1) {
		o->in = (struct shape){ all, 1, 1 };
	} else if (ch == 0 || (ch == from.ch && ch != all)) {
		o->in = from;
	}
	return STATUS_OK;
}

static enum status derive_linear(struct operator *o, const struct declared *row, struct shape from, struct diagnostic *d)
{
	if (linear_input(o, row, from, d) != STATUS_OK)
		return STATUS_INPUT;
	if (!row->given[COLUMN_OUT_CH])
		return blame(d, COLUMN_OUT_CH, "is empty; a linear layer needs its number of outputs");
	o->conv_out = (struct shape){ value(row, COLUMN_OUT_CH, 0), o->in.h, o->in.w };
	o->out = (struct shape){ o->conv_out.ch, value(row, COLUMN_OUT_H, o->in.h), value(row, COLUMN_OUT_W, o->in.w) };
	if (o->out.h != o->in.h || o->out.w != o->in.w)
		return blame(d, o->out.h != o->in.h ? COLUMN_OUT_H : COLUMN_OUT_W, "a linear layer keeps its %lld x %lld positions; leave out_h and out_w empty",
			(long long)o->in.h, (long long)o->in.w);
	if (o->pool != 1)
		return blame(d, COLUMN_POOL, "only a convolution has pool; write the pooling as a row of its own");
	return STATUS_OK;
}

static enum status derive_embedding(struct operator *o, const struct declared *row, struct shape from, struct diagnostic *d)
{
	if (!row->given[COLUMN_IN_CH])
		return blame(d, COLUMN_IN_CH, "is empty; an embedding needs the size of its vocabulary");
	if (!row->given[COLUMN_OUT_CH])
		return blame(d, COLUMN_OUT_CH, "is empty; an embedding needs the width of its vectors");
	o->in = (struct shape){ value(row, COLUMN_IN_CH, 0), value(row, COLUMN_IN_H, from.h > 0 ? from.h : 1), value(row, COLUMN_IN_W, from.w > 0 ? from.w : 1) };
	o->out = o->conv_out = (struct shape){ value(row, COLUMN_OUT_CH, 0), o->in.h, o->in.w };
	return STATUS_OK;
}

/* Pooling as a row: a window, or without a kernel the window that makes out_h x out_w of the input (1 x 1: global). */
static enum status pool_side(const struct declared *row, int64_t in, enum column column, bool rows, struct operator *o, int64_t *out, struct diagnostic *d)
{
	int64_t *kernel = rows ? &o->kernel.h : &o->kernel.w, *stride = rows ? &o->stride.h : &o->stride.w, pad = rows ? o->pad.h : o->pad.w;
	int64_t declared = value(row, column, 0);

	if (!row->given[COLUMN_KERNEL]) {
		if (declared == 0)
			return blame(d, COLUMN_KERNEL, "is empty; a pool row needs its kernel, or out_h and out_w (1 and 1 for a global pool)");
		if (declared > in)
			return blame(d, column, "%lld is more than the input's %lld; pooling only shrinks", (long long)declared, (long long)in);
		*stride = in / declared;
		*kernel = in - (declared - 1) * *stride;
	}
	return window_side("window", in, *kernel, *stride, pad, declared, column, out, d);
}

static enum status derive_pool(struct operator *o, const struct declared *row, struct shape from, struct diagnostic *d)
{
	if (take_input(o, row, from, d) != STATUS_OK)
		return STATUS_INPUT;
	o->out.ch = value(row, COLUMN_OUT_CH, o->in.ch);
	if (o->out.ch != o->in.ch)
		return blame(d, COLUMN_OUT_CH, "pooling keeps its %lld channels; leave it empty", (long long)o->in.ch);
	if (pool_side(row, o->in.h, COLUMN_OUT_H, true, o, &o->out.h, d) != STATUS_OK ||
	    pool_side(row, o->in.w, COLUMN_OUT_W, false, o, &o->out.w, d) != STATUS_OK)
		return STATUS_INPUT;
	o->conv_out = o->out;
	return STATUS_OK;
}

/* Sum of the inputs' channels; false when one is unknown or the sum overflows. */
static bool sum_channels(const struct shape *inputs, int count, int64_t *sum)
{
	*sum = 0;
	for (int i = 0; i < count; i++)
		if (!is_known(inputs[i]) || __builtin_add_overflow(*sum, inputs[i].ch, sum))
			return false;
	return true;
}

static enum status derive_attention(struct operator *o, const struct declared *row, const struct shape *inputs, struct diagnostic *d)
{
	struct shape from = inputs[0];
	int64_t ch;

	if (o->input_count > 1)
		from.ch = sum_channels(inputs, o->input_count, &ch) ? ch : 0;
	if (take_input(o, row, from, d) != STATUS_OK)
		return STATUS_INPUT;
	ch = o->input_count > 1 && is_known(inputs[0]) ? inputs[0].ch : o->in.ch / 3;
	if (o->input_count == 1 && !row->given[COLUMN_OUT_CH] && o->in.ch % 3 != 0)
		return blame(d, COLUMN_IN_CH, "a packed input of %lld channels is not three equal parts; name q;k;v as inputs, or write out_ch", (long long)o->in.ch);
	o->out = o->conv_out = (struct shape){ value(row, COLUMN_OUT_CH, ch), value(row, COLUMN_OUT_H, o->in.h), value(row, COLUMN_OUT_W, o->in.w) };
	o->heads = value(row, COLUMN_HEADS, 1);
	o->keys = o->input_count > 1 && is_known(inputs[1]) ? inputs[1].h * inputs[1].w : o->out.h * o->out.w;
	if (o->out.ch % o->heads != 0)
		return blame(d, COLUMN_HEADS, "%lld heads do not divide %lld channels", (long long)o->heads, (long long)o->out.ch);
	return STATUS_OK;
}

/* add, mul, norm, act and the like: the shape of the first input; concat: channels added up. */
static enum status derive_same(struct operator *o, const struct declared *row, const struct shape *inputs, struct diagnostic *d)
{
	struct shape from = inputs[0];
	int64_t ch;

	if (o->kind == OPERATOR_CONCAT)
		from.ch = sum_channels(inputs, o->input_count, &ch) ? ch : 0;
	if (take_input(o, row, from, d) != STATUS_OK)
		return STATUS_INPUT;
	o->out = o->conv_out = (struct shape){ value(row, COLUMN_OUT_CH, o->in.ch), value(row, COLUMN_OUT_H, o->in.h), value(row, COLUMN_OUT_W, o->in.w) };
	if (o->kind != OPERATOR_OPAQUE && elements(o->out) != elements(o->in))
		return blame(d, COLUMN_OUT_CH, "%s keeps its size, but %lldx%lldx%lld is not %lldx%lldx%lld; leave out_ch, out_h and out_w empty", operator_kind_name(o->kind),
			(long long)o->out.ch, (long long)o->out.h, (long long)o->out.w, (long long)o->in.ch, (long long)o->in.h, (long long)o->in.w);
	return STATUS_OK;
}

static enum status check_columns(const struct operator *o, const struct declared *row, struct diagnostic *d)
{
	if (row->given[COLUMN_HEADS] && o->kind != OPERATOR_ATTENTION)
		return blame(d, COLUMN_HEADS, "only attention has heads; leave it empty");
	if ((row->given[COLUMN_EXPERTS] || row->given[COLUMN_ACTIVE]) && o->kind != OPERATOR_LINEAR)
		return blame(d, row->given[COLUMN_EXPERTS] ? COLUMN_EXPERTS : COLUMN_ACTIVE, "only a linear layer has experts; leave it empty");
	if (value(row, COLUMN_EXPERTS, 1) % value(row, COLUMN_ACTIVE, 1) != 0)
		return blame(d, COLUMN_ACTIVE, "%lld is no divisor of %lld experts", (long long)value(row, COLUMN_ACTIVE, 1), (long long)value(row, COLUMN_EXPERTS, 1));
	if (row->given[COLUMN_BIAS] && row->value[COLUMN_BIAS].h > 0 && !operator_kind_weighted(o->kind))
		return blame(d, COLUMN_BIAS, "only a layer with weights has a bias; leave it empty");
	if (row->given[COLUMN_TIED] && row->value[COLUMN_TIED].h > 0 && !operator_kind_weighted(o->kind))
		return blame(d, COLUMN_TIED, "only a layer with weights can share another's; leave it empty");
	if (operator_kind_weighted(o->kind) && o->input_count > 1)
		return blame(d, COLUMN_INPUTS, "a %s reads one input, not %d; join them by an add or concat row first", operator_kind_name(o->kind), o->input_count);
	return STATUS_OK;
}

enum status derive_operator(struct operator *o, const struct declared *row, const struct shape *inputs, struct diagnostic *d)
{
	if (check_columns(o, row, d) != STATUS_OK)
		return STATUS_INPUT;
	if (row->given[COLUMN_KERNEL])
		o->kernel = row->value[COLUMN_KERNEL];
	if (row->given[COLUMN_STRIDE])
		o->stride = row->value[COLUMN_STRIDE];
	if (row->given[COLUMN_PAD])
		o->pad = row->value[COLUMN_PAD];
	o->groups = value(row, COLUMN_GROUPS, 1);
	o->experts = value(row, COLUMN_EXPERTS, 0);
	o->active = o->experts > 0 ? value(row, COLUMN_ACTIVE, 1) : 0;
	o->scale_only = o->kind == OPERATOR_NORM && row->given[COLUMN_BIAS] && row->value[COLUMN_BIAS].h == 0;
	o->pool = value(row, COLUMN_POOL, 1);
	switch (o->kind) {
	case OPERATOR_CONV:
		return derive_conv(o, row, inputs[0], d);
	case OPERATOR_LINEAR:
		return derive_linear(o, row, inputs[0], d);
	case OPERATOR_EMBEDDING:
		return derive_embedding(o, row, inputs[0], d);
	case OPERATOR_POOL:
		return derive_pool(o, row, inputs[0], d);
	case OPERATOR_ATTENTION:
		return derive_attention(o, row, inputs, d);
	default:
		return derive_same(o, row, inputs, d);
	}
}

struct shape derive_opaque(const struct declared *row, const struct shape *inputs, int count)
{
	struct shape from = count > 0 ? inputs[0] : (struct shape){ 0, 0, 0 };
	struct shape out = { value(row, COLUMN_OUT_CH, from.ch), value(row, COLUMN_OUT_H, from.h > 0 ? from.h : 1), value(row, COLUMN_OUT_W, from.w > 0 ? from.w : 1) };

	return out;
}
