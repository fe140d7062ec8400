#include "hardware/latencies.h"

#include "base/csv.h"
#include "base/memory.h"
#include "base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* id, name, must be in the header */
#define COLUMNS(X) \
	X(OPERATION, "operation", true) \
	X(PASS,      "pass",      false) \
	X(M,         "m",         false) \
	X(N,         "n",         false) \
	X(K,         "k",         false) \
	X(GROUPS,    "groups",    false) \
	X(ELEMENTS,  "elements",  false) \
	X(TIME,      "time",      true)

enum column {
#define X(id, ...) COLUMN_##id,
	COLUMNS(X)
#undef X
	COLUMN_COUNT
};

static const char *const names[COLUMN_COUNT] = {
#define X(id, name, must) [COLUMN_##id] = name,
	COLUMNS(X)
#undef X
};

static const bool musts[COLUMN_COUNT] = {
#define X(id, name, must) [COLUMN_##id] = must,
	COLUMNS(X)
#undef X
};

struct reading {
	struct latencies *list;
	size_t capacity;
	const struct csv_row *row;
	int cell_of[COLUMN_COUNT];       /* its place in the header, or -1 */
	struct unit_scale scale;         /* of the unit of time */
	struct diagnostic first;         /* error */
	bool failed;
};

static void PRINTF_LIKE(4, 5) blame(struct reading *r, enum severity severity, int cell, const char *format, ...)
{
	struct diagnostic d;
	char text[sizeof d.text];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diagnostic_fail(&d, STATUS_INPUT, "%s", text);
	diagnostic_place(&d, r->list->path, r->row != NULL ? r->row->line : 0, (unsigned long)cell + 1);
	d.severity = severity;
	diagnostics_add(&r->list->problems, &d);
	if (severity == SEVERITY_ERROR && !r->failed) {
		r->first = d;
		r->failed = true;
	}
}

/* "time [us]": the unit stands in the header. */
static void read_time_unit(struct reading *r, int at, const char *header)
{
	const char *bracket = strchr(header, '[');
	char known[80];

	r->scale = bracket != NULL ? units_scale(UNIT_TIME, bracket + 1, strcspn(bracket + 1, "]")) : (struct unit_scale){ 0, 1 };
	if (r->scale.multiply > 0)
		return;
	units_list(UNIT_TIME, known, sizeof known);
	blame(r, SEVERITY_ERROR, at, "\"%.40s\": %s; write \"time [us]\", or another of %s", header, bracket != NULL ? "not a unit of time" : "a time needs its unit", known);
}

static void read_header(struct reading *r)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		r->cell_of[i] = -1;
	for (size_t at = 0; at < r->row->count; at++) {
		const char *header = r->row->cells[at].text;
		size_t length = strcspn(header, "[");
		int column = 0;

		while (length > 0 && header[length - 1] == ' ')
			length--;
		while (column < COLUMN_COUNT && (strlen(names[column]) != length || strncmp(names[column], header, length) != 0))
			column++;
		if (length == 0)
			continue;
		if (column == COLUMN_COUNT) {
			blame(r, SEVERITY_WARNING, (int)at, "\"%.40s\" is not a column of a table of latencies and is not read", header);
			continue;
		}
		r->cell_of[column] = (int)at;
		if (column == COLUMN_TIME)
			read_time_unit(r, (int)at, header);
	}
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (musts[i] && r->cell_of[i] < 0)
			blame(r, SEVERITY_ERROR, (int)r->row->count, "no column %s; add it to the header", i == COLUMN_TIME ? "time [us]" : names[i]);
}

static const char *cell_text(const struct reading *r, int column)
{
	int at = r->cell_of[column];

	return at >= 0 && (size_t)at < r->row->count ? r->row->cells[at].text : "";
}

static bool read_size(struct reading *r, int column, int64_t standard, int64_t *value)
{
	const char *text = cell_text(r, column);

	*value = standard;
	if (text[0] == '\0' && standard > 0)
		return true;
	if (units_parse_whole(text, strlen(text), value) == STATUS_OK && *value > 0)
		return true;
	blame(r, SEVERITY_ERROR, r->cell_of[column], "%s: \"%.40s\" is not a whole number from 1 up", names[column], text);
	return false;
}

static bool read_shape(struct reading *r, struct latency *l)
{
	const char *operation = cell_text(r, COLUMN_OPERATION), *pass = cell_text(r, COLUMN_PASS);
	int64_t elements;

	l->product = strcmp(operation, "gemm") == 0;
	if (l->product)
		return read_size(r, COLUMN_M, 0, &l->m) && read_size(r, COLUMN_N, 0, &l->n) && read_size(r, COLUMN_K, 0, &l->k) &&
			read_size(r, COLUMN_GROUPS, 1, &l->groups);
	l->operation = vector_operation_find(operation);
	if (l->operation == VECTOR_OPERATION_COUNT) {
		blame(r, SEVERITY_ERROR, r->cell_of[COLUMN_OPERATION], "operation: \"%.40s\" is neither gemm nor a vector operation (relu, add, softmax, ...: whypar-models(7) 3.4)", operation);
		return false;
	}
	l->backward = strcmp(pass, "bwd") == 0;
	if (!l->backward && pass[0] != '\0' && strcmp(pass, "fwd") != 0) {
		blame(r, SEVERITY_ERROR, r->cell_of[COLUMN_PASS], "pass: \"%.40s\" is neither fwd nor bwd", pass);
		return false;
	}
	if (!read_size(r, COLUMN_ELEMENTS, 0, &elements))
		return false;
	l->elements = (double)elements;
	return true;
}

static void read_row(struct reading *r)
{
	struct latency l = { .line = r->row->line };
	const char *text = cell_text(r, COLUMN_TIME);
	char *end;

	if (!read_shape(r, &l))
		return;
	l.seconds = units_inside(r->scale, strtod(text, &end));
	if (text[0] == '\0' || *end != '\0' || strpbrk(text, "xX") != NULL || !(l.seconds > 0 && l.seconds < 1e9)) {
		blame(r, SEVERITY_ERROR, r->cell_of[COLUMN_TIME], "time: \"%.40s\" is not a time above 0; the unit stands in the header", text);
		return;
	}
	r->list->rows = memory_grow(r->list->rows, &r->capacity, (size_t)r->list->count + 1, sizeof l);
	r->list->rows[r->list->count++] = l;
}

#define ORDER(a, b) if ((a) != (b)) return (a) < (b) ? -1 : 1

static int compare_shapes(const void *a, const void *b)
{
	const struct latency *x = a, *y = b;

	ORDER(x->product, y->product);
	ORDER(x->m, y->m);
	ORDER(x->n, y->n);
	ORDER(x->k, y->k);
	ORDER(x->groups, y->groups);
	ORDER(x->operation, y->operation);
	ORDER(x->backward, y->backward);
	ORDER(x->elements, y->elements);
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	int order = compare_shapes(a, b);

	if (order != 0)
		return order;
	ORDER(((const struct latency *)a)->line, ((const struct latency *)b)->line);
	return 0;
}

/* One time a shape: of a shape measured twice the first row counts. */
static void sort_rows(struct reading *r)
{
	struct latencies *list = r->list;
	int kept = 0;

	qsort(list->rows, (size_t)list->count, sizeof *list->rows, compare_rows);
	r->row = NULL;
	for (int i = 0; i < list->count; i++) {
		if (kept > 0 && compare_shapes(&list->rows[kept - 1], &list->rows[i]) == 0)
			blame(r, SEVERITY_WARNING, 0, "line %lu measures the shape of line %lu again; the first counts", list->rows[i].line, list->rows[kept - 1].line);
		else
			list->rows[kept++] = list->rows[i];
	}
	list->count = kept;
}

struct latencies *latencies_read(const char *path, const char *bytes, size_t length, struct diagnostic *d)
{
	struct reading r = { .list = memory_alloc(1, sizeof *r.list) };
	struct csv_reader *csv = csv_open(bytes, length, (struct csv_options){ .quotes = true, .comments = true });
	bool header = false;
	struct csv_row row;
	enum csv_event event;

	r.list->path = memory_copy_text(path, strlen(path));
	r.list->users = 1;
	while ((event = csv_next(csv, &row, d)) != CSV_EVENT_END && !(r.failed && !header)) {
		r.row = &row;
		if (event == CSV_EVENT_BAD)
			blame(&r, SEVERITY_ERROR, (int)d->column - 1, "%s", d->text);
		else if (header)
			read_row(&r);
		else
			read_header(&r);
		header = header || !r.failed;
	}
	csv_close(csv);
	r.row = NULL;
	if (r.list->count == 0 && !r.failed)
		blame(&r, SEVERITY_ERROR, 0, "no latency: it needs a header, as \"operation,m,n,k,time [us]\", and one row a shape");
	if (r.list->count > 0) {
		sort_rows(&r);
		return r.list;
	}
	*d = r.first;
	latencies_release(r.list);
	return NULL;
}

struct latencies *latencies_share(struct latencies *latencies)
{
	if (latencies != NULL)
		latencies->users++;
	return latencies;
}

void latencies_release(struct latencies *latencies)
{
	if (latencies == NULL || --latencies->users > 0)
		return;
	diagnostics_free(&latencies->problems);
	memory_free(latencies->path);
	memory_free(latencies->rows);
	memory_free(latencies);
}

static const struct latency *find(const struct latencies *list, const struct latency *shape)
{
	if (list == NULL)
		return NULL;
	return bsearch(shape, list->rows, (size_t)list->count, sizeof *list->rows, compare_shapes);
}

const struct latency *latencies_product(const struct latencies *latencies, const struct gemm *gemm)
{
	return find(latencies, &(struct latency){ .product = true, .groups = gemm->groups, .m = gemm->m, .n = gemm->n, .k = gemm->k });
}

const struct latency *latencies_vector(const struct latencies *latencies, enum vector_operation operation, bool backward, double elements)
{
	return find(latencies, &(struct latency){ .operation = operation, .backward = backward, .elements = elements });
}
