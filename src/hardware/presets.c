/* The reader of accelerator tables. */
#include "hardware/accelerator.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/records.h"
#include "base/text.h"

#include <string.h>

/* id, name, unit (a text has none), may be empty (a published figure, or a text), least, most, unit of the examples */
#define COLUMNS(X) \
	X(NAME,      "name",      NO_UNIT,         false, 0,           0,          "") \
	X(KIND,      "kind",      NO_UNIT,         false, 0,           0,          "") \
	X(TC,        "tc",        UNIT_COUNT,      false, 1,           CORES_MAX,  "") \
	X(TC_ROWS,   "tc_rows",   UNIT_COUNT,      false, 1,           ARRAY_MAX,  "") \
	X(TC_COLS,   "tc_cols",   UNIT_COUNT,      false, 1,           ARRAY_MAX,  "") \
	X(VC,        "vc",        UNIT_COUNT,      false, 1,           CORES_MAX,  "") \
	X(VC_LANES,  "vc_lanes",  UNIT_COUNT,      false, 1,           LANES_MAX,  "") \
	X(GLB,       "glb",       UNIT_BYTES,      false, GLB_LEAST,   GLB_MOST,   "KiB") \
	X(MEMORY,    "memory",    UNIT_BYTES,      false, 1024,        0x1p50,     "GiB") \
	X(BANDWIDTH, "bandwidth", UNIT_RATE,       false, RATE_LEAST,  RATE_MOST,  "GB/s") \
	X(CLOCK,     "clock",     UNIT_FREQUENCY,  false, CLOCK_LEAST, CLOCK_MOST, "MHz") \
	X(DATAFLOW,  "dataflow",  NO_UNIT,         false, 0,           0,          "") \
	X(PRECISION, "precision", NO_UNIT,         false, 0,           0,          "") \
	X(MAC,       "mac",       UNIT_ENERGY,     false, 1e-15,       1e-6,       "pJ") \
	X(DIE,       "die",       UNIT_AREA,       true,  1e-3,        1e6,        "mm2") \
	X(TDP,       "tdp",       UNIT_POWER,      true,  1e-6,        1e6,        "W") \
	X(PEAK,      "peak",      UNIT_OPERATIONS, true,  1,           1e24,       "TOP/s") \
	X(TEXT,      "text",      NO_UNIT,         true,  0,           0,          "") \
	X(NETWORK,   "network",   NO_UNIT,         true,  0,           0,          "") \
	X(SOURCE,    "source",    NO_UNIT,         false, 0,           0,          "")

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

static bool read_words(struct records *r, struct accelerator *a)
{
	const char *kind = records_text(r, COLUMN_KIND), *dataflow = records_text(r, COLUMN_DATAFLOW), *format = records_text(r, COLUMN_PRECISION);
	bool good = true;

	a->kind = strcmp(kind, "gpu") == 0 ? ACCELERATOR_GPU : ACCELERATOR_SYSTOLIC;
	a->machine.dataflow = dataflow_find(dataflow);
	a->format = format_find(format);
	if (a->kind != ACCELERATOR_GPU && strcmp(kind, "systolic") != 0) {
		records_blame(r, SEVERITY_ERROR, COLUMN_KIND, "kind: \"%.40s\" is neither systolic nor gpu", kind);
		good = false;
	}
	if (a->machine.dataflow == DATAFLOW_COUNT) {
		records_blame(r, SEVERITY_ERROR, COLUMN_DATAFLOW, "dataflow: \"%.40s\" is none of ws, os and is", dataflow);
		good = false;
	}
	if (a->format == FORMAT_COUNT) {
		records_blame(r, SEVERITY_ERROR, COLUMN_PRECISION, "precision: \"%.40s\" is none of fp32, tf32, bf16, fp16, fp8 and int8", format);
		good = false;
	}
	if (good)
		a->machine.element_bytes = format_at(a->format)->bytes;
	return good;
}

static bool read_texts(struct records *r, struct accelerators *list, const struct names *names, struct accelerator *a)
{
	const struct name *taken;
	static const int texts[] = { COLUMN_NAME, COLUMN_TEXT, COLUMN_NETWORK, COLUMN_SOURCE };
	const char **out[] = { &a->name, &a->text, &a->network, &a->source };
	char clean[1024];

	for (int i = 0; i < 4; i++) {
		const char *text = records_text(r, texts[i]);
		size_t length = text_sanitize(clean, i == 0 ? 64 : sizeof clean, text, strlen(text));

		if (length == 0 && !fields[texts[i]].optional) {
			records_blame(r, SEVERITY_ERROR, texts[i], "%s is empty; every accelerator has one", fields[texts[i]].name);
			return false;
		}
		*out[i] = arena_copy_text(&list->arena, clean, length);
	}
	taken = names_find(names, a->name, strlen(a->name));
	if (taken != NULL)
		records_blame(r, SEVERITY_ERROR, COLUMN_NAME, "a second accelerator %s (the first is in line %lu); rename one", a->name, taken->line);
	return taken == NULL;
}

static void read_row(struct records *r, struct accelerators *list, size_t *capacity, struct names *names)
{
	struct accelerator a = { .line = records_line(r) };
	double value[COLUMN_COUNT] = { 0 };
	bool good = read_texts(r, list, names, &a);

	good &= read_words(r, &a);
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (fields[i].unit != NO_UNIT)
			good &= records_number(r, i, &value[i]);
	if (!good)
		return;
	a.machine.tc = (int64_t)value[COLUMN_TC];
	a.machine.tc_rows = (int64_t)value[COLUMN_TC_ROWS];
	a.machine.tc_cols = (int64_t)value[COLUMN_TC_COLS];
	a.machine.vc = (int64_t)value[COLUMN_VC];
	a.machine.vc_lanes = (int64_t)value[COLUMN_VC_LANES];
	a.machine.glb = value[COLUMN_GLB];
	a.machine.hbm = value[COLUMN_MEMORY];
	a.machine.hbm_bw = value[COLUMN_BANDWIDTH];
	a.machine.clock = value[COLUMN_CLOCK];
	a.machine.mac_j = value[COLUMN_MAC];
	a.die_mm2 = value[COLUMN_DIE];
	a.tdp_w = value[COLUMN_TDP];
	a.peak_ops = value[COLUMN_PEAK];
	list->items = memory_grow(list->items, capacity, list->count + 1, sizeof a);
	list->items[list->count++] = a;
	names_add(names, a.name, strlen(a.name))->line = a.line;
}

enum status accelerators_read(const char *path, const char *bytes, size_t length, struct accelerators *list,
	struct diagnostics *problems, struct diagnostic *d)
{
	struct diagnostics own = { .items = NULL }, *told = problems != NULL ? problems : &own;
	struct records *r = records_open(path, "a table of accelerators", bytes, length, fields, COLUMN_COUNT, told);
	struct names names = { .slots = NULL };
	size_t capacity = 0;
	enum status status = STATUS_OK;

	*list = (struct accelerators){ .items = NULL };
	while (r != NULL && records_next(r))
		read_row(r, list, &capacity, &names);
	records_close(r);
	names_free(&names);
	if (list->count == 0) {
		accelerators_free(list);
		status = diagnostics_first_error(told, d);
		if (status == STATUS_OK) {
			status = diagnostic_fail(d, STATUS_INPUT, "no accelerator: a header and no rows");
			diagnostic_place(d, path, 0, 0);
			if (d != NULL)
				diagnostics_add(told, d);
		}
	}
	diagnostics_free(&own);
	return status;
}

enum status accelerators_builtin(struct accelerators *list, struct diagnostics *problems, struct diagnostic *d)
{
	char path[4096], *bytes;
	size_t length;
	enum status status;

	*list = (struct accelerators){ .items = NULL };
	if (!data_find("accelerators.csv", path, sizeof path))
		return diagnostic_fail(d, STATUS_INPUT, "the program's own accelerators are not found, last tried %s; set WHYPAR_DATA to its data folder", path);
	status = file_read(path, &bytes, &length, d);
	if (status != STATUS_OK)
		return status;
	status = accelerators_read(path, bytes, length, list, problems, d);
	memory_free(bytes);
	return status;
}

struct own_accelerator *own_accelerator_read(const char *path, const char *name, struct diagnostic *d)
{
	struct own_accelerator *own;
	char *bytes;
	size_t length;

	if (file_read(path, &bytes, &length, d) != STATUS_OK)
		return NULL;
	own = memory_alloc(1, sizeof *own);
	own->users = 1;
	own->path = memory_copy_text(path, strlen(path));
	own->digest = text_hash(TEXT_HASH_START, bytes, length);
	if (accelerators_read(path, bytes, length, &own->table, &own->problems, d) == STATUS_OK)
		own->chosen = name != NULL ? accelerator_find(&own->table, name, d) : &own->table.items[0];
	memory_free(bytes);
	if (own->chosen != NULL)
		return own;
	own_accelerator_release(own);
	return NULL;
}

struct own_accelerator *own_accelerator_share(struct own_accelerator *own)
{
	if (own != NULL)
		own->users++;
	return own;
}

void own_accelerator_release(struct own_accelerator *own)
{
	if (own == NULL || --own->users > 0)
		return;
	accelerators_free(&own->table);
	diagnostics_free(&own->problems);
	memory_free(own->path);
	memory_free(own);
}
