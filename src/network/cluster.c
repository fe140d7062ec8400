#include "network/cluster.h"

#include "base/records.h"

#include <string.h>

/* id, name, unit, least, most, unit of the examples; and the number of struct cluster */
#define COLUMNS(X) \
	X(NODE,         "node",         UNIT_COUNT, 1,    65536, "",     node) \
	X(INSIDE,       "inside",       UNIT_RATE,  1e6,  1e15,  "GB/s", inside) \
	X(BETWEEN,      "between",      UNIT_RATE,  1e6,  1e15,  "GB/s", between) \
	X(INSIDE_PART,  "inside_part",  UNIT_PART,  0.01, 1,     "",     inside_part) \
	X(BETWEEN_PART, "between_part", UNIT_PART,  0.01, 1,     "",     between_part) \
	X(INSIDE_S,     "inside_delay", UNIT_TIME,  0,    1,     "us",   inside_s) \
	X(TRANSFER_S,   "between_delay", UNIT_TIME, 0,    1,     "us",   transfer_s) \
	X(OVERHEAD,     "overhead",     UNIT_PART,  1,    10,    "",     overhead) \
	X(STRAGGLING,   "straggling",   UNIT_PART,  0,    1,     "",     straggling) \
	X(CONTEXT,      "context",      UNIT_BYTES, 0,    1e12,  "GiB",  context) \
	X(FRAGMENTS,    "fragments",    UNIT_PART,  1,    10,    "",     fragments)

/* The texts likewise. */
#define TEXTS(X) X(NAME, "name", name) X(GPU, "gpu", gpu) X(TEXT, "text", text) X(SOURCE, "source", source)

enum column {
#define X(id, ...) COLUMN_##id,
	COLUMNS(X)
	TEXTS(X)
#undef X
	COLUMN_CALIBRATED, COLUMN_COUNT
};

static const struct field fields[COLUMN_COUNT] = {
#define X(id, name, unit, least, most, example, member) [COLUMN_##id] = { name, unit, false, least, most, example },
	COLUMNS(X)
#undef X
#define X(id, name, member) [COLUMN_##id] = { name, NO_UNIT, false, 0, 0, "" },
	TEXTS(X)
#undef X
	[COLUMN_CALIBRATED] = { "calibrated", NO_UNIT, true, 0, 0, "" },
};

static bool read_row(struct records *r, void *context)
{
	struct clusters *list = context;
	struct cluster c = { .name = NULL };
	bool good = true;

#define X(id, name, unit, least, most, example, member) good &= records_number(r, COLUMN_##id, &c.member);
	COLUMNS(X)
#undef X
	if (!good)
		return false;
#define X(id, name, member) c.member = arena_copy_text(&list->arena, records_text(r, COLUMN_##id), strlen(records_text(r, COLUMN_##id)));
	TEXTS(X)
#undef X
	c.calibrated = arena_copy_text(&list->arena, records_text(r, COLUMN_CALIBRATED), strlen(records_text(r, COLUMN_CALIBRATED)));
	list->items = memory_grow(list->items, &list->capacity, list->count + 1, sizeof c);
	list->items[list->count++] = c;
	return true;
}

enum status clusters_builtin(struct clusters *list, struct diagnostic *d)
{
	*list = (struct clusters){ .items = NULL };
	return records_builtin("clusters.csv", "a table of clusters", fields, COLUMN_COUNT, read_row, list, d);
}

void clusters_free(struct clusters *list)
{
	memory_free(list->items);
	arena_free(&list->arena);
	*list = (struct clusters){ .items = NULL };
}

const struct cluster *cluster_find(const struct clusters *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	return NULL;
}
