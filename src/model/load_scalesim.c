/* SCALE-Sim topology files, convolutions and matrix products.
 *
 * Columns are positional: header texts in the wild are wrong ("IFMAP Width" twice), so they only tell what the ninth cell is.
 * No padding column, sizes round up: out = ceil((in - filter) / stride) + 1.  Rows form a chain; a row with a
 * name alone is a section label and starts a new chain.  Whatever follows a cell that begins with # is a comment. */
#include "model/loader.h"

#include <string.h>

enum { NAME, IFMAP_H, IFMAP_W, FILTER_H, FILTER_W, CHANNELS, FILTERS, STRIDE_H, STRIDE_W, CONV_CELLS };

static const char *const conv_columns[CONV_CELLS] = {
	"name", "ifmap height", "ifmap width", "filter height", "filter width", "channels", "num filter", "stride", "stride width"
};
static const char *const gemm_columns[] = { "name", "M", "N", "K" };

enum ninth { NINTH_STRIDE, NINTH_BATCH, NINTH_SPARSITY, NINTH_OTHER };

struct reading {
	const struct source *source;
	struct builder *b;
	enum ninth ninth;
	bool ninth_told;         /* that the ninth column is not read: once a file */
	int last;                /* the row above, MODEL_INPUT at the start of a chain */
};

static bool is_layout(const struct source *s)
{
	for (size_t i = 0; i < s->header_count; i++)
		if (cell_has(&s->header[i], "intraline"))
			return true;
	return false;
}

static bool is_whole(const struct csv_cell *cell)
{
	return cell->length > 0 && strspn(cell->text, "0123456789") == cell->length;
}

/* A file that starts with data: SCALE-Sim would throw its first row away, and we would not recognise it by words. */
static bool is_headerless(const struct source *s)
{
	if (s->header_count < STRIDE_H + 1 || is_whole(&s->header[NAME]))
		return false;
	for (size_t i = IFMAP_H; i <= STRIDE_H; i++)
		if (!is_whole(&s->header[i]))
			return false;
	return true;
}

static bool recognise_layout(const struct source *s)
{
	return is_layout(s);
}

static bool recognise_conv(const struct source *s)
{
	size_t marks = 0;

	for (size_t i = 1; i < s->header_count; i++)
		marks += cell_has(&s->header[i], "ifmap") || cell_has(&s->header[i], "filter") || cell_has(&s->header[i], "stride");
	return !is_layout(s) && (marks >= 4 || is_headerless(s));
}

static bool recognise_gemm(const struct source *s)
{
	size_t m = 0, n = 0, k = 0;

	for (size_t i = 1; i < s->header_count && i < 5; i++) {
		m += cell_is(&s->header[i], "M");
		n += cell_is(&s->header[i], "N");
		k += cell_is(&s->header[i], "K");
	}
	return m == 1 && n == 1 && k == 1;
}

/* Cells of meaning: up to a comment, without empty ones at the end. */
static size_t meaning(const struct csv_row *row)
{
	size_t count = 0;

	for (size_t i = 0; i < row->count && row->cells[i].text[0] != '#'; i++)
		if (row->cells[i].length > 0)
			count = i + 1;
	return count;
}

static enum status read_sizes(const struct csv_row *row, size_t count, size_t wanted, const char *const *columns, int64_t *sizes, struct diagnostic *d)
{
	static const struct csv_cell nothing = { "", 0 };

	for (size_t i = 1; i < wanted; i++) {
		const struct csv_cell *cell = i < count ? &row->cells[i] : &nothing;

		if (cell_size(cell, columns[i], (unsigned long)i + 1, 1, &sizes[i], d) != STATUS_OK)
			return STATUS_INPUT;
	}
	return STATUS_OK;
}

/* The column with the largest size, to point at when a product overflows. */
static unsigned long largest(const int64_t *sizes, size_t count)
{
	size_t best = 1;

	for (size_t i = 2; i < count; i++)
		if (sizes[i] > sizes[best])
			best = i;
	return (unsigned long)best + 1;
}

static int64_t out_side(int64_t in, int64_t filter, int64_t stride)
{
	return (in - filter + stride - 1) / stride + 1;
}

static enum status conv_operator(const int64_t *sizes, struct operator *o, struct diagnostic *d)
{
	for (int side = 0; side < 2; side++) {
		int64_t in = sizes[IFMAP_H + side], filter = sizes[FILTER_H + side];

		if (filter <= in)
			continue;
		diagnostic_fail(d, STATUS_INPUT, "column %d (%s): a filter of %lld does not fit an input of %lld; SCALE-Sim files have no padding, "
			"so write the padded input size (at least %lld) in column %d", FILTER_H + side + 1, conv_columns[FILTER_H + side],
			(long long)filter, (long long)in, (long long)filter, IFMAP_H + side + 1);
		diagnostic_place(d, NULL, 0, (unsigned long)(FILTER_H + side + 1));
		return STATUS_INPUT;
	}
	o->in = (struct shape){ sizes[CHANNELS], sizes[IFMAP_H], sizes[IFMAP_W] };
	o->kernel = (struct extent){ sizes[FILTER_H], sizes[FILTER_W] };
	o->stride = (struct extent){ sizes[STRIDE_H], sizes[STRIDE_W] };
	o->out = (struct shape){ sizes[FILTERS], out_side(o->in.h, o->kernel.h, o->stride.h), out_side(o->in.w, o->kernel.w, o->stride.w) };
	o->conv_out = o->out;
	return STATUS_OK;
}

/* Says once what the ninth column is and that it is not read. */
static void tell_ninth(struct reading *r, const struct csv_row *row, unsigned long column)
{
	const struct csv_cell *cell = &row->cells[column - 1];

	if (r->ninth_told || (r->ninth == NINTH_BATCH && strcmp(cell->text, "1") == 0))
		return;
	r->ninth_told = true;
	if (r->ninth == NINTH_SPARSITY)
		builder_problem(r->b, SEVERITY_WARNING, row->line, column, "column %lu (sparsity): not read, every row counts as dense", column);
	else if (r->ninth == NINTH_BATCH)
		builder_problem(r->b, SEVERITY_WARNING, row->line, column, "column %lu (batch size): not read, the sizes are of one sample; set batch instead", column);
	else
		builder_problem(r->b, SEVERITY_WARNING, row->line, column, "column %lu: a column that SCALE-Sim files do not have; not read", column);
}

static enum status read_conv(struct reading *r, const struct csv_row *row, size_t count, struct operator *o, int64_t *sizes, struct diagnostic *d)
{
	if (read_sizes(row, count, STRIDE_W, conv_columns, sizes, d) != STATUS_OK)
		return STATUS_INPUT;
	sizes[STRIDE_W] = sizes[STRIDE_H];
	if (count > STRIDE_W && row->cells[STRIDE_W].length > 0) {
		if (r->ninth != NINTH_STRIDE)
			tell_ninth(r, row, STRIDE_W + 1);
		else if (cell_size(&row->cells[STRIDE_W], conv_columns[STRIDE_W], STRIDE_W + 1, 1, &sizes[STRIDE_W], d) != STATUS_OK)
			return STATUS_INPUT;
	}
	return conv_operator(sizes, o, d);
}

static enum status read_gemm(struct reading *r, const struct csv_row *row, size_t count, struct operator *o, int64_t *sizes, struct diagnostic *d)
{
	if (read_sizes(row, count, 4, gemm_columns, sizes, d) != STATUS_OK)
		return STATUS_INPUT;
	if (count > 4 && row->cells[4].length > 0)
		tell_ninth(r, row, 5);
	o->kind = OPERATOR_LINEAR;
	o->in = (struct shape){ sizes[3], sizes[1], 1 };
	o->out = o->conv_out = (struct shape){ sizes[2], sizes[1], 1 };
	return STATUS_OK;
}

typedef enum status read_row(struct reading *r, const struct csv_row *row, size_t count, struct operator *o, int64_t *sizes, struct diagnostic *d);

/* One row of cells: a label, a layer, or a problem. */
static void take_row(struct reading *r, const struct csv_row *row, read_row *read)
{
	struct operator o = operator_blank(OPERATOR_CONV, row->line);
	size_t count = meaning(row);
	int64_t sizes[CONV_CELLS] = { 0 };
	struct diagnostic d;

	if (count == 0)
		return;
	if (count == 1) {
		r->last = MODEL_INPUT;
		return;
	}
	if (read(r, row, count, &o, sizes, &d) == STATUS_OK) {
		int at;

		o.name = builder_name(r->b, row->cells[NAME].text, row->cells[NAME].length);
		builder_inputs(r->b, &o, &r->last, 1);
		at = builder_add(r->b, &o, &d);
		if (at >= 0) {
			r->last = at;
			return;
		}
		d.column = largest(sizes, read == read_conv ? CONV_CELLS : 4);
	}
	d.line = row->line;
	builder_bad_row(r->b, &d);
	r->b->model->skipped++;
}

static enum status load_rows(struct reading *r, bool header, read_row *read, struct diagnostic *d)
{
	struct csv_reader *csv = csv_open(r->source->bytes, r->source->length, (struct csv_options){ .quotes = false });
	struct csv_row row;
	enum csv_event event;

	r->last = MODEL_INPUT;
	while ((event = csv_next(csv, &row, d)) != CSV_EVENT_END && builder_row(r->b, row.line)) {
		if (event == CSV_EVENT_BAD) {
			diagnostic_place(d, r->source->path, d->line, d->column);
			csv_close(csv);
			return STATUS_INPUT;
		}
		if (header && row.line == r->source->header_line)
			continue;
		take_row(r, &row, read);
	}
	csv_close(csv);
	return STATUS_OK;
}

static enum status load_conv(const struct source *s, struct builder *b, struct diagnostic *d)
{
	struct reading r = { .source = s, .b = b };
	bool header = !is_headerless(s);

	if (!header)
		builder_problem(b, SEVERITY_WARNING, s->header_line, 1, "no header line: this row is read as a layer, though SCALE-Sim itself drops the first line; add a header");
	else if (s->header_count > STRIDE_W && cell_has(&s->header[STRIDE_W], "batch"))
		r.ninth = NINTH_BATCH;
	else if (s->header_count > STRIDE_W && cell_has(&s->header[STRIDE_W], "sparsity"))
		r.ninth = NINTH_SPARSITY;
	else if (s->header_count > STRIDE_W && s->header[STRIDE_W].length > 0 && !cell_has(&s->header[STRIDE_W], "stride"))
		r.ninth = NINTH_OTHER;
	return load_rows(&r, header, read_conv, d);
}

static enum status load_gemm(const struct source *s, struct builder *b, struct diagnostic *d)
{
	struct reading r = { .source = s, .b = b, .ninth = NINTH_OTHER };

	for (size_t i = 1; i <= 3; i++)
		if (i >= s->header_count || !cell_is(&s->header[i], gemm_columns[i])) {
			diagnostic_fail(d, STATUS_INPUT, "a matrix product file has the columns name, M, N, K in this order, for SCALE-Sim reads by position; reorder them");
			diagnostic_place(d, s->path, s->header_line, (unsigned long)i + 1);
			return STATUS_INPUT;
		}
	if (s->header_count > 4 && cell_has(&s->header[4], "sparsity"))
		r.ninth = NINTH_SPARSITY;
	else if (s->header_count > 4 && cell_has(&s->header[4], "batch"))
		r.ninth = NINTH_BATCH;
	return load_rows(&r, true, read_gemm, d);
}

static enum status refuse_layout(const struct source *s, struct builder *b, struct diagnostic *d)
{
	(void)b;
	diagnostic_fail(d, STATUS_INPUT, "a SCALE-Sim layout file: it says how tensors lie in memory, not what the layers are; "
		"give the topology file of the same name instead");
	diagnostic_place(d, s->path, s->header_line, 0);
	return STATUS_INPUT;
}

const struct format format_scalesim_layout = { "scalesim-layout", recognise_layout, refuse_layout };
const struct format format_scalesim_conv = { "scalesim-conv", recognise_conv, load_conv };
const struct format format_scalesim_gemm = { "scalesim-gemm", recognise_gemm, load_gemm };
