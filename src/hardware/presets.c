/* The reader of accelerator tables. */
#include "hardware/accelerator.h"

#include "base/csv.h"
#include "base/files.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* id, name, unit (a text has none), may be empty (a published figure, or a text), least, most, unit of the examples */
#define NO_UNIT UNIT_KINDS
#define COLUMNS(X) \
	X(NAME,      "name",      NO_UNIT,         false, 0,           0,          "") \
	X(KIND,      "kind",      UNIT_CHOICE,     false, 0,           0,          "") \
	X(TC,        "tc",        UNIT_COUNT,      false, 1,           CORES_MAX,  "") \
	X(TC_ROWS,   "tc_rows",   UNIT_COUNT,      false, 1,           ARRAY_MAX,  "") \
	X(TC_COLS,   "tc_cols",   UNIT_COUNT,      false, 1,           ARRAY_MAX,  "") \
	X(VC,        "vc",        UNIT_COUNT,      false, 1,           CORES_MAX,  "") \
	X(VC_LANES,  "vc_lanes",  UNIT_COUNT,      false, 1,           LANES_MAX,  "") \
	X(GLB,       "glb",       UNIT_BYTES,      false, GLB_LEAST,   GLB_MOST,   "KiB") \
	X(MEMORY,    "memory",    UNIT_BYTES,      false, 1024,        0x1p50,     "GiB") \
	X(BANDWIDTH, "bandwidth", UNIT_RATE,       false, RATE_LEAST,  RATE_MOST,  "GB/s") \
	X(CLOCK,     "clock",     UNIT_FREQUENCY,  false, CLOCK_LEAST, CLOCK_MOST, "MHz") \
	X(DATAFLOW,  "dataflow",  UNIT_CHOICE,     false, 0,           0,          "") \
	X(PRECISION, "precision", UNIT_CHOICE,     false, 0,           0,          "") \
	X(MAC,       "mac",       UNIT_ENERGY,     false, 1e-15,       1e-6,       "pJ") \
	X(DIE,       "die",       UNIT_AREA,       true,  1e-3,        1e6,        "mm2") \
	X(TDP,       "tdp",       UNIT_POWER,      true,  1e-6,        1e6,        "W") \
	X(PEAK,      "peak",      UNIT_OPERATIONS, true,  1,           1e24,       "TOP/s") \
	X(TEXT,      "text",      NO_UNIT,         true,  0,           0,          "") \
	X(SOURCE,    "source",    NO_UNIT,         false, 0,           0,          "")

enum column {
#define X(id, ...) COLUMN_##id,
	COLUMNS(X)
#undef X
	COLUMN_COUNT
};

struct column_row {
	const char *name;
	enum unit unit;
	bool empty;
	double least, most;
	const char *example;
};

static const struct column_row columns[COLUMN_COUNT] = {
#define X(id, ...) [COLUMN_##id] = { __VA_ARGS__ },
	COLUMNS(X)
#undef X
};

struct reading {
	struct accelerators *list;
	struct diagnostics *problems;
	const char *path;
	unsigned long line;              /* of the row at hand */
	size_t capacity;
	int cell_of[COLUMN_COUNT];       /* its place in the header, or -1 */
	struct unit_scale scale_of[COLUMN_COUNT]; /* of the unit in its header */
	char unit_of[COLUMN_COUNT][16];
	struct diagnostic first;         /* error */
	bool failed;
};

static void PRINTF_LIKE(4, 5) blame(struct reading *r, enum severity severity, unsigned long column, const char *format, ...)
{
	struct diagnostic d;
	char text[sizeof d.text];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diagnostic_fail(&d, STATUS_INPUT, "%s", text);
	diagnostic_place(&d, r->path, r->line, column);
	d.severity = severity;
	if (r->problems != NULL)
		diagnostics_add(r->problems, &d);
	if (severity == SEVERITY_ERROR && !r->failed) {
		r->first = d;
		r->failed = true;
	}
}

static int find_column(const char *name, size_t length)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (strlen(columns[i].name) == length && strncmp(columns[i].name, name, length) == 0)
			return i;
	return -1;
}

static bool takes_unit(int column)
{
	return columns[column].unit != NO_UNIT && columns[column].unit > UNIT_CHOICE;
}

static void read_unit(struct reading *r, int column, unsigned long cell, const char *header, const char *bracket)
{
	const char *unit = bracket != NULL ? bracket + 1 : "";
	size_t length = strcspn(unit, "]");
	char known[160];

	if (!takes_unit(column)) {
		if (bracket != NULL)
			blame(r, SEVERITY_ERROR, cell, "\"%.40s\": %s has no unit; write the name alone", header, columns[column].name);
		return;
	}
	r->scale_of[column] = units_scale(columns[column].unit, unit, length);
	snprintf(r->unit_of[column], sizeof r->unit_of[column], "%.*s", length < 15 ? (int)length : 15, unit);
	if (r->scale_of[column].multiply > 0)
		return;
	units_list(columns[column].unit, known, sizeof known);
	if (bracket == NULL)
		blame(r, SEVERITY_ERROR, cell, "\"%.40s\" has no unit; write \"%s [%s]\", or another of %s", header, columns[column].name,
			columns[column].example, known);
	else
		blame(r, SEVERITY_ERROR, cell, "\"%.40s\": \"%.*s\" is no unit of %s; write \"%s [%s]\", or another of %s", header,
			length < 20 ? (int)length : 20, unit, columns[column].name, columns[column].name, columns[column].example, known);
}

static void read_header_cell(struct reading *r, const char *header, int at)
{
	const char *bracket = strchr(header, '[');
	size_t length = bracket != NULL ? (size_t)(bracket - header) : strlen(header);
	unsigned long cell = (unsigned long)at + 1;
	int column;

	while (length > 0 && header[length - 1] == ' ')
		length--;
	if (length == 0)
		return;
	column = find_column(header, length);
	if (column < 0) {
		const char *names[COLUMN_COUNT];
		int near;

		for (int i = 0; i < COLUMN_COUNT; i++)
			names[i] = columns[i].name;
		near = text_nearest(header, names, COLUMN_COUNT);
		blame(r, SEVERITY_WARNING, cell, "\"%.40s\" is not a column of an accelerator table and is not read%s%s", header,
			near >= 0 ? "; did you mean " : "", near >= 0 ? names[near] : "");
	} else if (r->cell_of[column] >= 0) {
		blame(r, SEVERITY_WARNING, cell, "a second column %s; the first is read", columns[column].name);
	} else {
		r->cell_of[column] = at;
		read_unit(r, column, cell, header, bracket);
	}
}

static void read_header(struct reading *r, const struct csv_row *row)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		r->cell_of[i] = -1;
	for (size_t i = 0; i < row->count; i++)
		read_header_cell(r, row->cells[i].text, (int)i);
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (r->cell_of[i] < 0 && !columns[i].empty)
			blame(r, SEVERITY_ERROR, (unsigned long)row->count + 1, "no column %s; add \"%s%s%s%s\" to the header", columns[i].name, columns[i].name,
				takes_unit(i) ? " [" : "", columns[i].example, takes_unit(i) ? "]" : "");
}

/* The cell of a column, "" when the row has none. */
static const char *cell_text(const struct reading *r, const struct csv_row *row, int column)
{
	int at = r->cell_of[column];

	return at >= 0 && (size_t)at < row->count ? row->cells[at].text : "";
}

static bool read_number(struct reading *r, const struct csv_row *row, int column, double *value)
{
	const struct column_row *c = &columns[column];
	const char *text = cell_text(r, row, column), *unit = r->unit_of[column];
	struct unit_scale scale = takes_unit(column) ? r->scale_of[column] : (struct unit_scale){ 1, 1 };
	double number;
	unsigned long cell = (unsigned long)(r->cell_of[column] + 1);
	char *end;

	*value = 0;
	if (text[0] == '\0' && c->empty)
		return true;
	number = strtod(text, &end);
	if (text[0] == '\0' || *end != '\0' || !isfinite(number) || strpbrk(text, "xX") != NULL) {
		blame(r, SEVERITY_ERROR, cell, "%s: \"%.40s\" is not a number%s%s; the unit stands in the header", c->name, text, unit[0] != '\0' ? " of " : "", unit);
		return false;
	}
	*value = units_inside(scale, number);
	if (!(*value >= c->least && *value <= c->most)) {
		blame(r, SEVERITY_ERROR, cell, "%s: %.40s %s is out of range; it goes from %g to %g %s", c->name, text, unit, units_outside(scale, c->least), units_outside(scale, c->most), unit);
		return false;
	}
	if (c->unit == UNIT_COUNT && *value != floor(*value)) {
		blame(r, SEVERITY_ERROR, cell, "%s: %.40s is not a whole number", c->name, text);
		return false;
	}
	return true;
}

static bool read_words(struct reading *r, const struct csv_row *row, struct accelerator *a)
{
	const char *kind = cell_text(r, row, COLUMN_KIND), *dataflow = cell_text(r, row, COLUMN_DATAFLOW), *format = cell_text(r, row, COLUMN_PRECISION);
	bool good = true;

	a->kind = strcmp(kind, "gpu") == 0 ? ACCELERATOR_GPU : ACCELERATOR_SYSTOLIC;
	a->machine.dataflow = dataflow_find(dataflow);
	a->format = format_find(format);
	if (a->kind != ACCELERATOR_GPU && strcmp(kind, "systolic") != 0) {
		blame(r, SEVERITY_ERROR, (unsigned long)r->cell_of[COLUMN_KIND] + 1, "kind: \"%.40s\" is neither systolic nor gpu", kind);
		good = false;
	}
	if (a->machine.dataflow == DATAFLOW_COUNT) {
		blame(r, SEVERITY_ERROR, (unsigned long)r->cell_of[COLUMN_DATAFLOW] + 1, "dataflow: \"%.40s\" is none of ws, os and is", dataflow);
		good = false;
	}
	if (a->format == FORMAT_COUNT) {
		blame(r, SEVERITY_ERROR, (unsigned long)r->cell_of[COLUMN_PRECISION] + 1, "precision: \"%.40s\" is none of fp32, tf32, bf16, fp16, fp8 and int8", format);
		good = false;
	}
	if (good)
		a->machine.element_bytes = format_at(a->format)->bytes;
	return good;
}

static bool read_texts(struct reading *r, const struct csv_row *row, struct accelerator *a)
{
	static const int texts[] = { COLUMN_NAME, COLUMN_TEXT, COLUMN_SOURCE };
	const char **out[] = { &a->name, &a->text, &a->source };
	char clean[1024];

	for (int i = 0; i < 3; i++) {
		const char *text = cell_text(r, row, texts[i]);
		size_t length = text_sanitize(clean, i == 0 ? 64 : sizeof clean, text, strlen(text));

		if (length == 0 && !columns[texts[i]].empty) {
			blame(r, SEVERITY_ERROR, (unsigned long)r->cell_of[texts[i]] + 1, "%s is empty; every accelerator has one", columns[texts[i]].name);
			return false;
		}
		*out[i] = arena_copy_text(&r->list->arena, clean, length);
	}
	for (size_t i = 0; i < r->list->count; i++)
		if (strcmp(r->list->items[i].name, a->name) == 0) {
			blame(r, SEVERITY_ERROR, (unsigned long)r->cell_of[COLUMN_NAME] + 1, "a second accelerator %s (the first is in line %lu); rename one", a->name,
				r->list->items[i].line);
			return false;
		}
	return true;
}

static void read_row(struct reading *r, const struct csv_row *row)
{
	struct accelerator a = { .line = row->line };
	double value[COLUMN_COUNT] = { 0 };
	bool good = read_texts(r, row, &a);

	good &= read_words(r, row, &a);
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (columns[i].unit != NO_UNIT && columns[i].unit != UNIT_CHOICE)
			good &= read_number(r, row, i, &value[i]);
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
	r->list->items = memory_grow(r->list->items, &r->capacity, r->list->count + 1, sizeof a);
	r->list->items[r->list->count++] = a;
}

static void read_table(struct reading *r, struct csv_reader *csv)
{
	bool header = false;
	struct csv_row row;
	struct diagnostic d;
	enum csv_event event;

	while ((event = csv_next(csv, &row, &d)) != CSV_EVENT_END) {
		r->line = row.line;
		if (event == CSV_EVENT_BAD) {
			blame(r, SEVERITY_ERROR, d.column, "%s", d.text);
		} else if (header) {
			read_row(r, &row);
			continue;
		} else {
			read_header(r, &row);
		}
		if (r->failed && !header)
			return;          /* without a header no row can be read */
		header = true;
	}
	if (r->list->count == 0 && !r->failed)
		blame(r, SEVERITY_ERROR, 0, header ? "no accelerator: a header and no rows" : "the file is empty; it needs a header and one row an accelerator");
}

enum status accelerators_read(const char *path, const char *bytes, size_t length, struct accelerators *list,
	struct diagnostics *problems, struct diagnostic *d)
{
	struct reading r = { .list = list, .problems = problems, .path = path };
	struct csv_reader *csv = csv_open(bytes, length, (struct csv_options){ .quotes = true, .comments = true });

	*list = (struct accelerators){ .items = NULL };
	read_table(&r, csv);
	csv_close(csv);
	if (list->count > 0)
		return STATUS_OK;
	accelerators_free(list);
	if (d != NULL)
		*d = r.first;
	return STATUS_INPUT;
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
