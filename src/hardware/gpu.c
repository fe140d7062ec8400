#include "hardware/gpu.h"

#include "base/records.h"

#include <math.h>
#include <string.h>

/* id, name, unit, least, most, unit of the examples; and the number of struct gpu */
#define COLUMNS(X) \
	X(PEAK,      "peak",             UNIT_OPERATIONS, 1e9, 1e18, "TOP/s", peak) \
	X(PEAK_FP8,  "peak_fp8",         UNIT_OPERATIONS, 0,   1e18, "TOP/s", peak_fp8) \
	X(PEAK_FP32, "peak_fp32",        UNIT_OPERATIONS, 0,   1e18, "TOP/s", peak_fp32) \
	X(MEMORY,    "memory",           UNIT_BYTES,      1e6, 1e15, "GiB",   memory) \
	X(BANDWIDTH, "bandwidth",        UNIT_RATE,       1e6, 1e15, "GB/s",  bandwidth) \
	X(UNITS,     "units",            UNIT_COUNT,      1,   1e5,  "",      units) \
	X(PRODUCT,   "product_part",     UNIT_PART,       0.01, 1,   "",      product_part) \
	X(PRODUCT8,  "product_part_fp8", UNIT_PART,       0.01, 1,   "",      product_part_fp8) \
	X(STREAM,    "memory_part",      UNIT_PART,       0.01, 1,   "",      memory_part) \
	X(KERNEL,    "kernel",           UNIT_TIME,       0,   1e-3, "us",    kernel_s) \
	X(MISALIGNED, "misaligned",      UNIT_PART,       1,   100,  "",      misaligned)

enum column {
#define X(id, ...) COLUMN_##id,
	COLUMNS(X)
#undef X
	COLUMN_NAME, COLUMN_CALIBRATED, COLUMN_SOURCE, COLUMN_COUNT
};

static const struct field fields[COLUMN_COUNT] = {
#define X(id, name, unit, least, most, example, member) [COLUMN_##id] = { name, unit, false, least, most, example },
	COLUMNS(X)
#undef X
	[COLUMN_NAME] = { "name", NO_UNIT, false, 0, 0, "" },
	[COLUMN_CALIBRATED] = { "calibrated", NO_UNIT, true, 0, 0, "" },
	[COLUMN_SOURCE] = { "source", NO_UNIT, false, 0, 0, "" },
};

static bool read_row(struct records *r, void *context)
{
	struct gpus *list = context;
	struct gpu g = { .name = NULL };
	bool good = true;

#define X(id, name, unit, least, most, example, member) good &= records_number(r, COLUMN_##id, &g.member);
	COLUMNS(X)
#undef X
	if (!good)
		return false;
	g.name = arena_copy_text(&list->arena, records_text(r, COLUMN_NAME), strlen(records_text(r, COLUMN_NAME)));
	g.calibrated = arena_copy_text(&list->arena, records_text(r, COLUMN_CALIBRATED), strlen(records_text(r, COLUMN_CALIBRATED)));
	g.source = arena_copy_text(&list->arena, records_text(r, COLUMN_SOURCE), strlen(records_text(r, COLUMN_SOURCE)));
	list->items = memory_grow(list->items, &list->capacity, list->count + 1, sizeof g);
	list->items[list->count++] = g;
	return true;
}

enum status gpus_builtin(struct gpus *list, struct diagnostic *d)
{
	*list = (struct gpus){ .items = NULL };
	return records_builtin("gpus.csv", "a table of GPUs", fields, COLUMN_COUNT, read_row, list, d);
}

void gpus_free(struct gpus *list)
{
	memory_free(list->items);
	arena_free(&list->arena);
	*list = (struct gpus){ .items = NULL };
}

const struct gpu *gpu_find(const struct gpus *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	return NULL;
}

/* ---- time ---- */

/* Tiles of products, as kernels of today cut them, and the depth they go in. */
enum { TILE_M = 128, TILE_N = 256, TILE_K = 64, HEAD_K = 8 };

static double round_up(double value, double step)
{
	return ceil(value / step) * step;
}

static double rate(const struct gpu *g, enum number_format format)
{
	switch (format_at(format)->bytes) {
	case 1: return g->peak_fp8 * g->product_part_fp8;
	case 2: return g->peak * g->product_part;
	default: return g->peak_fp32 * g->product_part;
	}
}

/* Outputs computed, the idle rest of the last wave and of tiles at the edges included. */
static double outputs(const struct gpu *g, double m, double n)
{
	double tiles = ceil(m / TILE_M) * ceil(n / TILE_N);

	return ceil(tiles / g->units) * g->units * TILE_M * TILE_N;
}

double gpu_product(const struct gpu *g, enum number_format format, double m, double n, double k)
{
	double bytes = fmax(format_at(format)->bytes, 2), work = 2 * fmin(outputs(g, m, n), outputs(g, n, m)) * round_up(k, TILE_K);

	return g->kernel_s + fmax(work / rate(g, format), bytes * (m * k + k * n + m * n) / (g->bandwidth * g->memory_part));
}

double gpu_product_back(const struct gpu *g, enum number_format format, double m, double n, double k)
{
	return gpu_product(g, format, m, k, n) + gpu_product(g, format, k, n, m);
}

double gpu_scores(const struct gpu *g, enum number_format format, double count, double queries, double keys, double depth)
{
	double bytes = fmax(format_at(format)->bytes, 2), slow = fmod(depth, HEAD_K) != 0 ? g->misaligned : 1;
	double compute = 2 * count * queries * keys * round_up(depth, TILE_K) / rate(g, bytes == 2 ? FORMAT_BF16 : format);
	double memory = count * bytes * (queries * keys + (queries + keys) * depth) / (g->bandwidth * g->memory_part);

	return g->kernel_s + slow * fmax(compute, memory);
}

double gpu_fused_scores(const struct gpu *g, enum number_format format, double count, double queries, double keys, double depth)
{
	return 2 * count * queries * keys * round_up(depth, TILE_K) / rate(g, format_at(format)->bytes == 1 ? FORMAT_BF16 : format);
}

double gpu_stream(const struct gpu *g, double kernels, double bytes)
{
	return kernels * g->kernel_s + bytes / (g->bandwidth * g->memory_part);
}
