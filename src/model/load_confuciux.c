/* ConfuciuX model tables: K,C,Y,X,R,S,T.
 *
 * K filters, C channels, Y and X input rows and columns, R and S filter, T 1 = convolution, 2 = depthwise (K is then 1 for each
 * channel).  No names, no stride, no padding: stride 1 and no padding are taken, as ConfuciuX does.  Rows form a chain. */
#include "model/loader.h"

#include <string.h>

enum { K, C, Y, X, R, S, T, CELLS };

static const char *const columns[CELLS] = { "K", "C", "Y", "X", "R", "S", "T" };

struct reading {
	struct builder *b;
	size_t cell_of[CELLS];   /* place in the header */
	int last;
};

static bool find_columns(const struct source *s, size_t *cell_of)
{
	for (int i = 0; i < CELLS; i++) {
		size_t at = 0;

		while (at < s->header_count && !cell_is(&s->header[at], columns[i]))
			at++;
		if (at == s->header_count)
			return false;
		cell_of[i] = at;
	}
	return true;
}

static bool recognise(const struct source *s)
{
	size_t cell_of[CELLS];

	return find_columns(s, cell_of);
}

static enum status fail_at(const struct reading *r, int column, struct diagnostic *d)
{
	diagnostic_place(d, NULL, 0, (unsigned long)r->cell_of[column] + 1);
	return STATUS_INPUT;
}

static enum status understand(const struct reading *r, const struct csv_row *row, struct operator *o, struct diagnostic *d)
{
	static const struct csv_cell nothing = { "", 0 };
	int64_t v[CELLS];

	for (int i = 0; i < CELLS; i++) {
		size_t at = r->cell_of[i];

		if (cell_size(at < row->count ? &row->cells[at] : &nothing, columns[i], (unsigned long)at + 1, 1, &v[i], d) != STATUS_OK)
			return STATUS_INPUT;
	}
	if (v[T] > 2) {
		diagnostic_fail(d, STATUS_INPUT, "column %zu (T): %lld is neither 1 (convolution) nor 2 (depthwise)", r->cell_of[T] + 1, (long long)v[T]);
		return fail_at(r, T, d);
	}
	for (int side = 0; side < 2; side++)
		if (v[R + side] > v[Y + side]) {
			diagnostic_fail(d, STATUS_INPUT, "column %zu (%s): a filter of %lld does not fit an input of %lld, and these files have no padding; "
				"write the padded size in %s", r->cell_of[R + side] + 1, columns[R + side], (long long)v[R + side], (long long)v[Y + side], columns[Y + side]);
			return fail_at(r, R + side, d);
		}
	o->in = (struct shape){ v[C], v[Y], v[X] };
	o->kernel = (struct extent){ v[R], v[S] };
	o->groups = v[T] == 2 ? v[C] : 1;
	o->out = (struct shape){ v[K] * o->groups, v[Y] - v[R] + 1, v[X] - v[S] + 1 };
	o->conv_out = o->out;
	return STATUS_OK;
}

static bool is_empty_row(const struct csv_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		if (row->cells[i].length > 0)
			return false;
	return true;
}

static void take_row(struct reading *r, const struct csv_row *row)
{
	struct operator o = operator_blank(OPERATOR_CONV, row->line);
	struct diagnostic d;
	int at = -1;

	if (understand(r, row, &o, &d) == STATUS_OK) {
		o.name = builder_name(r->b, "", 0);
		builder_inputs(r->b, &o, &r->last, 1);
		at = builder_add(r->b, &o, &d);
		if (at < 0)
			d.column = 1;
	}
	if (at >= 0) {
		r->last = at;
		return;
	}
	d.line = row->line;
	builder_bad_row(r->b, &d);
	r->b->model->skipped++;
}

static enum status load(const struct source *s, struct builder *b, struct diagnostic *d)
{
	struct reading r = { .b = b, .last = MODEL_INPUT };
	struct csv_reader *csv;
	struct csv_row row;
	enum csv_event event;

	(void)d;
	find_columns(s, r.cell_of);
	csv = csv_open(s->bytes, s->length, (struct csv_options){ .quotes = true, .comments = true });
	while ((event = csv_next(csv, &row, d)) != CSV_EVENT_END && builder_row(b, row.line)) {
		if (event == CSV_EVENT_BAD) {
			builder_bad_row(b, d);
			b->model->skipped++;
		} else if (row.line != s->header_line && !is_empty_row(&row)) {
			take_row(&r, &row);
		}
	}
	csv_close(csv);
	return STATUS_OK;
}

const struct format format_confuciux = { "confuciux", recognise, load };
