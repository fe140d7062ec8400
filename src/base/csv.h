/* Tables: a reader over libcsv that knows the line of every row, and the writing of one cell.
 *
 * A row is one line of the file: a quoted cell that is still open at the end of its line is an error of that line, not a
 * reason to swallow the rest of the file.  Line ends are LF, CRLF or CR.  A byte order mark is dropped, no-break spaces
 * (U+00A0) count as blanks, blanks around unquoted cells are cut, blank lines are passed over but counted.
 * The bytes are the caller's and must outlive the reader; a row lives until the next call. */
#ifndef WHYPAR_BASE_CSV_H
#define WHYPAR_BASE_CSV_H

#include "base/text.h"

enum {
	CSV_CELL_BYTES_MAX = 64 * 1024,
	CSV_CELLS_MAX = 1024
};

struct csv_cell {
	const char *text;        /* NUL-terminated, raw: sanitise before it is stored or shown */
	size_t length;
};

struct csv_row {
	unsigned long line;      /* 1-based, of the file */
	const struct csv_cell *cells;
	size_t count;            /* >= 1 */
};

struct csv_options {
	bool quotes;             /* "a, b" is one cell; otherwise a double quote is an error, as in formats that never use it */
	bool comments;           /* a line whose first mark is # is passed over */
};

enum csv_event { CSV_EVENT_ROW, CSV_EVENT_BAD, CSV_EVENT_END };

struct csv_reader;

/* The delimiter is the comma, or the tab when the first line of cells has no comma but a tab.  Free with csv_close. */
struct csv_reader *csv_open(const char *bytes, size_t length, struct csv_options options);

/* The next row.  CSV_EVENT_BAD: this line is no row; d holds its line, cell and the reason (no file), row its line and no
 * cells, and the next call goes on with the next line. */
enum csv_event csv_next(struct csv_reader *r, struct csv_row *row, struct diagnostic *d);

void csv_close(struct csv_reader *r);

/* Appends one cell, quoted only where it would otherwise not read back. */
void csv_write_cell(struct text *out, const char *cell);

#endif
