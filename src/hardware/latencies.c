#include "hardware/latencies.h"

#include "base/memory.h"
#include "base/records.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* id, name, unit, may be missing, least, most, unit of the examples */
#define COLUMNS(X) \
	X(OPERATION, "operation", NO_UNIT,    false, 0, 0,       "") \
	X(PASS,      "pass",      NO_UNIT,    true,  0, 0,       "") \
	X(M,         "m",         UNIT_COUNT, true,  1, 0x1p53,  "") \
	X(N,         "n",         UNIT_COUNT, true,  1, 0x1p53,  "") \
	X(K,         "k",         UNIT_COUNT, true,  1, 0x1p53,  "") \
	X(GROUPS,    "groups",    UNIT_COUNT, true,  1, 0x1p53,  "") \
	X(ELEMENTS,  "elements",  UNIT_COUNT, true,  1, 0x1p53,  "") \
	X(WINDOW,    "window",    UNIT_COUNT, true,  1, 0x1p31,  "") \
	X(TIME,      "time",      UNIT_TIME,  false, 1e-15, 1e9, "us")

enum column {
#define X(id, ...) COLUMN_##id,
	COLUMNS(X)
#undef X
	COLUMN_COUNT
};

static const struct field fields[COLUMN_COUNT] = {
#define X(id, ...) [COLUMN_##id] = { __VA_ARGS__ },
	COLUMNS(X)
#undef X
};

/* A size that this kind of row must have (standard 0), or may. */
static bool read_size(struct records *r, int column, int64_t standard, int64_t *size)
{
	double value = (double)standard;

	if (!records_number(r, column, &value))
		return false;
	if (value == 0)
		records_blame(r, SEVERITY_ERROR, column, "%s is empty; a row of this operation has one", fields[column].name);
	*size = (int64_t)value;
	return value > 0;
}

static bool read_shape(struct records *r, struct latency *l)
{
	const char *operation = records_text(r, COLUMN_OPERATION), *pass = records_text(r, COLUMN_PASS);
	int64_t elements;

	l->product = strcmp(operation, "gemm") == 0;
	if (l->product)
		return read_size(r, COLUMN_M, 0, &l->m) && read_size(r, COLUMN_N, 0, &l->n) && read_size(r, COLUMN_K, 0, &l->k) &&
			read_size(r, COLUMN_GROUPS, 1, &l->groups);
	l->operation = vector_operation_find(operation);
	if (l->operation == VECTOR_OPERATION_COUNT) {
		records_blame(r, SEVERITY_ERROR, COLUMN_OPERATION, "operation: \"%.40s\" is neither gemm nor a vector operation (relu, add, softmax, ...: whypar-models(7) 3.4)",
			operation);
		return false;
	}
	l->backward = strcmp(pass, "bwd") == 0;
	if (!l->backward && pass[0] != '\0' && strcmp(pass, "fwd") != 0) {
		records_blame(r, SEVERITY_ERROR, COLUMN_PASS, "pass: \"%.40s\" is neither fwd nor bwd", pass);
		return false;
	}
	if (!read_size(r, COLUMN_ELEMENTS, 0, &elements))
		return false;
	l->elements = (double)elements;
	return read_size(r, COLUMN_WINDOW, l->operation == VECTOR_POOL ? 0 : 1, &l->window);
}

static void read_row(struct records *r, struct latencies *list, size_t *capacity)
{
	struct latency l = { .line = records_line(r) };

	if (!read_shape(r, &l) || !records_number(r, COLUMN_TIME, &l.seconds))
		return;
	list->rows = memory_grow(list->rows, capacity, (size_t)list->count + 1, sizeof l);
	list->rows[list->count++] = l;
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
	ORDER(x->window, y->window);
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
static void sort_rows(struct latencies *list)
{
	int kept = 0;

	qsort(list->rows, (size_t)list->count, sizeof *list->rows, compare_rows);
	for (int i = 0; i < list->count; i++) {
		if (kept == 0 || compare_shapes(&list->rows[kept - 1], &list->rows[i]) != 0) {
			list->rows[kept++] = list->rows[i];
			continue;
		}
		diagnostics_warn(&list->problems, list->path, list->rows[i].line, 0, "the shape of line %lu again; the first counts", list->rows[kept - 1].line);
	}
	list->count = kept;
}

struct latencies *latencies_read(const char *path, const char *bytes, size_t length, struct diagnostic *d)
{
	struct latencies *list = memory_alloc(1, sizeof *list);
	struct records *r;
	size_t capacity = 0;

	list->path = memory_copy_text(path, strlen(path));
	list->digest = text_hash(TEXT_HASH_START, bytes, length);
	list->users = 1;
	r = records_open(list->path, "a table of latencies", bytes, length, fields, COLUMN_COUNT, &list->problems);
	while (r != NULL && records_next(r))
		read_row(r, list, &capacity);
	records_close(r);
	if (list->count > 0) {
		sort_rows(list);
		return list;
	}
	if (diagnostics_first_error(&list->problems, d) == STATUS_OK) {
		diagnostic_fail(d, STATUS_INPUT, "no latency: a header and no rows");
		diagnostic_place(d, path, 0, 0);
	}
	latencies_release(list);
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

const struct latency *latencies_vector(const struct latencies *latencies, enum vector_operation operation, bool backward, double elements,
	int64_t window)
{
	return find(latencies, &(struct latency){ .operation = operation, .backward = backward, .elements = elements, .window = window });
}
