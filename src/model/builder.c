#include "model/loader.h"

#include "base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool builder_row(struct builder *b, unsigned long line)
{
	if (b->full)
		return false;
	b->full = b->rows++ == MODEL_ROWS_MAX;
	b->full_line = line;
	return !b->full;
}

/* A file with no end of problems is given up as one with no end of rows is. */
static void add_problem(struct builder *b, const struct diagnostic *d)
{
	diagnostics_add(&b->problems, d);
	if (b->problems.total <= MODEL_ROWS_MAX || b->full)
		return;
	b->full = true;
	b->full_line = d->line;
}

void builder_problem(struct builder *b, enum severity severity, unsigned long line, unsigned long column, const char *format, ...)
{
	char text[sizeof ((struct diagnostic *)0)->text];
	struct diagnostic d;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diagnostic_fail(&d, STATUS_INPUT, "%s", text);
	d.severity = severity;
	diagnostic_place(&d, b->path, line, column);
	add_problem(b, &d);
}

void builder_bad_row(struct builder *b, struct diagnostic *d)
{
	d->severity = SEVERITY_ERROR;
	diagnostic_place(d, b->path, d->line, d->column);
	add_problem(b, d);
}

const char *builder_name(struct builder *b, const char *name, size_t length)
{
	char clean[NAME_BYTES_MAX];
	size_t bytes;

	if (length == 0)
		bytes = (size_t)snprintf(clean, sizeof clean, "layer%d", b->model->count + 1);
	else
		bytes = text_sanitize(clean, sizeof clean, name, length);
	if (length > bytes && bytes + 4 >= sizeof clean)
		builder_problem(b, SEVERITY_WARNING, 0, 0, "a name of %zu bytes is cut to %zu: %.40s...", length, bytes, clean);
	return arena_copy_text(&b->model->arena, clean, bytes);
}

void builder_inputs(struct builder *b, struct operator *o, const int *inputs, int count)
{
	int *copy = arena_alloc(&b->model->arena, (size_t)count, sizeof *copy);

	memcpy(copy, inputs, (size_t)count * sizeof *copy);
	o->inputs = copy;
	o->input_count = count;
}

/* Sizes that were derived (flattened, concatenated) keep the bound of those that are read, so that every model can be written and read back. */
static enum status check_sizes(const struct operator *o, struct diagnostic *d)
{
	const int64_t sizes[] = { o->in.ch, o->in.h, o->in.w, o->conv_out.ch, o->conv_out.h, o->conv_out.w, o->out.ch, o->out.h, o->out.w };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i] > MODEL_SIZE_MAX)
			return diagnostic_fail(d, STATUS_INPUT, "its inputs make a size of %lld, more than the %d that can be read; check the rows it reads",
				(long long)sizes[i], MODEL_SIZE_MAX);
	return STATUS_OK;
}

int builder_add(struct builder *b, struct operator *o, struct diagnostic *d)
{
	if (check_sizes(o, d) != STATUS_OK)
		return -1;
	if (operator_measure(o, d) != STATUS_OK)
		return -1;
	b->operators = memory_grow(b->operators, &b->capacity, (size_t)b->model->count + 1, sizeof *b->operators);
	b->operators[b->model->count] = *o;
	return b->model->count++;
}

struct operator operator_blank(enum operator_kind kind, unsigned long line)
{
	const struct shape point = { 1, 1, 1 };
	const struct extent one = { 1, 1 };
	struct operator o = { .kind = kind, .line = line, .in = point, .kernel = one, .stride = one, .groups = 1,
		.conv_out = point, .pool = 1, .out = point };

	return o;
}

/* Sides tried below the square: all of those of up to 10^10 weights. */
enum { SIDES_TRIED = 100000 };

void operator_make_square(struct operator *o, int64_t weights)
{
	int64_t root = (int64_t)sqrt((double)weights), side = root;

	while (weights % side != 0 && root - side < SIDES_TRIED)
		side--;
	side = weights % side == 0 && weights / side <= MODEL_SIZE_MAX ? side : root;
	o->kind = OPERATOR_LINEAR;
	o->in.ch = weights / side;
	o->out.ch = o->conv_out.ch = side;
}

/* Why a text is not a size, and what to write instead. */
static void explain_size(const char *text, size_t length, int64_t least, char *out, size_t size)
{
	size_t digits = strspn(text, "0123456789");

	if (text[0] == '-' && strspn(text + 1, "0123456789") == length - 1 && length > 1)
		snprintf(out, size, "is negative; a size is a whole number >= %d", (int)least);
	else if (digits == length)
		snprintf(out, size, "is not from %d to %d, the sizes that can be read; correct it", (int)least, MODEL_SIZE_MAX);
	else if (strspn(text, "0123456789.eE+-") == length)
		snprintf(out, size, "is not a whole number; write sizes without a fraction or exponent");
	else if (length <= 2)
		snprintf(out, size, "is a letter, not a number: a template; replace its letters by numbers (in the file, every one of them)");
	else
		snprintf(out, size, "is not a whole number; write one >= %d", (int)least);
}

enum status cell_size(const struct csv_cell *cell, const char *name, unsigned long column, int64_t least, int64_t *value, struct diagnostic *d)
{
	char why[160];
	int64_t number;

	if (units_parse_whole(cell->text, cell->length, &number) == STATUS_OK && number >= least && number <= MODEL_SIZE_MAX) {
		*value = number;
		return STATUS_OK;
	}
	explain_size(cell->text, cell->length, least, why, sizeof why);
	if (cell->length == 0)
		diagnostic_fail(d, STATUS_INPUT, "column %lu (%s): the cell is empty; write a whole number >= %d", column, name, (int)least);
	else
		diagnostic_fail(d, STATUS_INPUT, "column %lu (%s): \"%.40s\" %s", column, name, cell->text, why);
	diagnostic_place(d, NULL, 0, column);
	return STATUS_INPUT;
}

bool cell_is(const struct csv_cell *cell, const char *word)
{
	return strcasecmp(cell->text, word) == 0;
}

bool cell_has(const struct csv_cell *cell, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= cell->length; i++)
		if (strncasecmp(cell->text + i, word, length) == 0)
			return true;
	return false;
}
