#include "base/records.h"
#include "base/files.h"
#include "base/csv.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Where a field stands in this file. */
struct column {
	int cell;                /* its place in the header, or -1 */
	struct unit_scale scale;
	char suffix[16];
};

struct records {
	const char *path, *what;
	const struct field *fields;
	int count;
	struct column *columns;  /* by field */
	struct csv_reader *csv;
	struct csv_row row;
	struct diagnostics *problems;
};

static void tell(struct records *r, enum severity severity, unsigned long line, unsigned long cell, const char *format, va_list arguments)
{
	struct diagnostic d;
	char text[sizeof d.text];

	vsnprintf(text, sizeof text, format, arguments);
	diagnostic_fail(&d, STATUS_INPUT, "%s", text);
	diagnostic_place(&d, r->path, line, cell);
	d.severity = severity;
	diagnostics_add(r->problems, &d);
}

void records_blame(struct records *r, enum severity severity, int field, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tell(r, severity, r->row.line, (unsigned long)(r->columns[field].cell + 1), format, arguments);
	va_end(arguments);
}

static void PRINTF_LIKE(4, 5) blame_cell(struct records *r, enum severity severity, size_t cell, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tell(r, severity, r->row.line, (unsigned long)cell + 1, format, arguments);
	va_end(arguments);
}

/* ---- the header ---- */

static bool takes_suffix(const struct field *f)
{
	return f->unit != NO_UNIT && f->unit != UNIT_COUNT && f->unit != UNIT_CHOICE && f->unit != UNIT_PART;
}

static void read_suffix(struct records *r, int field, size_t cell, const char *header, const char *bracket)
{
	const struct field *f = &r->fields[field];
	struct column *c = &r->columns[field];
	const char *suffix = bracket != NULL ? bracket + 1 : "";
	size_t length = strcspn(suffix, "]");
	char known[160];

	if (!takes_suffix(f)) {
		if (bracket != NULL)
			blame_cell(r, SEVERITY_ERROR, cell, "\"%.40s\": %s has no unit; write the name alone", header, f->name);
		return;
	}
	if (bracket != NULL && suffix[length] == '\0') {
		blame_cell(r, SEVERITY_ERROR, cell, "\"%.40s\": the bracket is not closed; write \"%s [%s]\"", header, f->name, f->example);
		return;
	}
	c->scale = units_scale(f->unit, suffix, length);
	snprintf(c->suffix, sizeof c->suffix, "%.*s", length < 15 ? (int)length : 15, suffix);
	if (c->scale.multiply > 0)
		return;
	units_list(f->unit, known, sizeof known);
	if (bracket == NULL)
		blame_cell(r, SEVERITY_ERROR, cell, "\"%.40s\" has no unit; write \"%s [%s]\", or another of %s", header, f->name, f->example, known);
	else
		blame_cell(r, SEVERITY_ERROR, cell, "\"%.40s\": \"%.*s\" is no unit of %s; write \"%s [%s]\", or another of %s", header,
			length < 20 ? (int)length : 20, suffix, f->name, f->name, f->example, known);
}

static void tell_unknown(struct records *r, size_t cell, const char *header)
{
	const char **names = memory_alloc((size_t)r->count, sizeof *names);
	int near;

	for (int i = 0; i < r->count; i++)
		names[i] = r->fields[i].name;
	near = text_nearest(header, names, (size_t)r->count);
	blame_cell(r, SEVERITY_WARNING, cell, "\"%.40s\" is not a column of %s and is not read%s%s", header, r->what, near >= 0 ? "; did you mean " : "",
		near >= 0 ? names[near] : "");
	memory_free(names);
}

static void read_header_cell(struct records *r, size_t cell)
{
	const char *header = r->row.cells[cell].text, *bracket = strchr(header, '[');
	size_t length = bracket != NULL ? (size_t)(bracket - header) : strlen(header);
	int field = 0;

	while (length > 0 && header[length - 1] == ' ')
		length--;
	while (field < r->count && (strlen(r->fields[field].name) != length || strncmp(r->fields[field].name, header, length) != 0))
		field++;
	if (length == 0)
		return;
	if (field == r->count) {
		tell_unknown(r, cell, header);
	} else if (r->columns[field].cell >= 0) {
		blame_cell(r, SEVERITY_WARNING, cell, "a second column %s; the first is read", r->fields[field].name);
	} else {
		r->columns[field].cell = (int)cell;
		read_suffix(r, field, cell, header, bracket);
	}
}

static void read_header(struct records *r)
{
	for (size_t cell = 0; cell < r->row.count; cell++)
		read_header_cell(r, cell);
	for (int i = 0; i < r->count; i++) {
		const struct field *f = &r->fields[i];

		if (r->columns[i].cell < 0 && !f->optional)
			blame_cell(r, SEVERITY_ERROR, r->row.count, "no column %s; add \"%s%s%s%s\" to the header", f->name, f->name, takes_suffix(f) ? " [" : "", f->example,
				takes_suffix(f) ? "]" : "");
	}
}

/* On to the next row that is one; false at the end.  stop: at a bad one too. */
static bool go_on(struct records *r, bool stop)
{
	struct diagnostic d;
	enum csv_event event;

	while ((event = csv_next(r->csv, &r->row, &d)) != CSV_EVENT_END) {
		if (event == CSV_EVENT_ROW)
			return true;
		blame_cell(r, SEVERITY_ERROR, d.column - 1, "%s", d.text);
		if (stop)
			return false;
	}
	return false;
}

struct records *records_open(const char *path, const char *what, const char *bytes, size_t length, const struct field *fields, int count,
	struct diagnostics *problems)
{
	struct records *r = memory_alloc(1, sizeof *r);
	size_t before = problems->errors;

	*r = (struct records){ .path = path, .what = what, .fields = fields, .count = count, .problems = problems,
		.columns = memory_alloc((size_t)count, sizeof *r->columns), .csv = csv_open(bytes, length, (struct csv_options){ .quotes = true, .comments = true }) };
	for (int i = 0; i < count; i++)
		r->columns[i] = (struct column){ .cell = -1, .scale = { 1, 1 } };
	if (go_on(r, true))
		read_header(r);
	else if (problems->errors == before)
		blame_cell(r, SEVERITY_ERROR, (size_t)-1, "the file is empty; %s begins with a header", what);
	if (problems->errors == before)
		return r;
	records_close(r);
	return NULL;
}

void records_close(struct records *r)
{
	if (r == NULL)
		return;
	csv_close(r->csv);
	memory_free(r->columns);
	memory_free(r);
}

/* ---- rows ---- */

bool records_next(struct records *r)
{
	return go_on(r, false);
}

unsigned long records_line(const struct records *r)
{
	return r->row.line;
}

const char *records_text(const struct records *r, int field)
{
	int cell = r->columns[field].cell;

	return cell >= 0 && (size_t)cell < r->row.count ? r->row.cells[cell].text : "";
}

bool records_number(struct records *r, int field, double *value)
{
	const struct field *f = &r->fields[field];
	const struct column *c = &r->columns[field];
	const char *text = records_text(r, field);
	double number;
	char *end;

	if (text[0] == '\0' && f->optional)
		return true;
	number = strtod(text, &end);
	if (text[0] == '\0' || *end != '\0' || !isfinite(number) || strpbrk(text, "xX") != NULL) {
		records_blame(r, SEVERITY_ERROR, field, "%s: \"%.40s\" is not a number%s%s%s", f->name, text, c->suffix[0] != '\0' ? " of " : "", c->suffix,
			c->suffix[0] != '\0' ? "; the unit stands in the header" : "");
		return false;
	}
	number = units_inside(c->scale, number);
	if (!(number >= f->least && number <= f->most)) {
		const char *blank = c->suffix[0] != '\0' ? " " : "";

		records_blame(r, SEVERITY_ERROR, field, "%s: %.40s%s%s is out of range; it goes from %.10g to %.10g%s%s", f->name, text, blank, c->suffix,
			units_outside(c->scale, f->least), units_outside(c->scale, f->most), blank, c->suffix);
		return false;
	}
	if (f->unit == UNIT_COUNT && number != floor(number)) {
		records_blame(r, SEVERITY_ERROR, field, "%s: %.40s is not a whole number", f->name, text);
		return false;
	}
	*value = number;
	return true;
}

enum status records_builtin(const char *file, const char *what, const struct field *fields, int count, bool (*read_row)(struct records *r, void *context), void *context,
	struct diagnostic *d)
{
	struct diagnostics problems = { .items = NULL };
	char path[4096], *bytes;
	size_t length;
	struct records *r;
	enum status status = STATUS_OK;
	bool good = true;

	if (!data_find(file, path, sizeof path))
		return diagnostic_fail(d, STATUS_INPUT, "the program's own data is not found, last tried %s; set WHYPAR_DATA to its data folder", path);
	if (file_read(path, &bytes, &length, d) != STATUS_OK)
		return STATUS_INPUT;
	r = records_open(path, what, bytes, length, fields, count, &problems);
	while (r != NULL && good && records_next(r))
		good = read_row(r, context);
	if (r == NULL || !good || problems.errors > 0)
		status = diagnostics_first_error(&problems, d);
	records_close(r);
	diagnostics_free(&problems);
	memory_free(bytes);
	return status;
}
