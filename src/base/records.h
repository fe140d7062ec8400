/* Records: the rows of a table whose columns are found by name, in any order, with the unit of numbers in the header, as in
 * "clock [MHz]".  What the program's own tables and the user's are made of (accelerators, latencies).
 *
 * Every problem is told with its place in the list that the reader was given; rows and columns that are wrong do not end the reading, a
 * wrong header does.  The bytes, fields and problems are the caller's and must outlive the reader. */
#ifndef WHYPAR_BASE_RECORDS_H
#define WHYPAR_BASE_RECORDS_H

#include "base/status.h"
#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>

/* A field that holds no number. */
#define NO_UNIT UNIT_KINDS

struct field {
	const char *name;
	enum unit unit;          /* NO_UNIT, UNIT_COUNT (whole numbers without a suffix), or one whose suffix stands in the header */
	bool optional;           /* the column may be missing and its cells empty */
	double least, most;      /* of a number, in the unit of the inside */
	const char *example;     /* the suffix that messages propose */
};

struct records;

/* what: what messages call the table, "a table of accelerators".  NULL when the header is wrong; then problems has why.  End with
 * records_close. */
struct records *records_open(const char *path, const char *what, const char *bytes, size_t length, const struct field *fields, int count,
	struct diagnostics *problems);
void records_close(struct records *r);   /* NULL allowed */

/* Goes on to the next row; false at the end.  Rows that are no rows (an open quote) are told and passed over. */
bool records_next(struct records *r);
unsigned long records_line(const struct records *r);

/* A cell of the present row, raw; "" where the row has none. */
const char *records_text(const struct records *r, int field);
/* A number within the field's range; where an optional cell is empty, *value stays.  false when it is none: that has been told. */
bool records_number(struct records *r, int field, double *value);
/* Tells what is wrong with a cell of the present row. */
void records_blame(struct records *r, enum severity severity, int field, const char *format, ...) PRINTF_LIKE(4, 5);

/* Reads a table of the program's own data, row by row; a row that read_row refuses ends it.  STATUS_INPUT when it is missing or wrong, with the place. */
enum status records_builtin(const char *file, const char *what, const struct field *fields, int count, bool (*read_row)(struct records *r, void *context), void *context,
	struct diagnostic *d);

#endif
