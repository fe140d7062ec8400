/* The screen in memory: a grid of characters with style ids.  Everything in ui/ draws here; only term.c knows curses.
 *
 * A cell holds one character and at most one combining mark.  A wide character owns its cell and the next one
 * (whose width is 0); one that would be cut at an edge becomes a blank.  Strings given here are sanitised already.
 * Coordinates are 0-based; whatever falls outside the clip rectangle or the grid is dropped. */
#ifndef WHYPAR_UI_CELLS_H
#define WHYPAR_UI_CELLS_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct rect {
	int row, col, rows, cols;
};

struct cell {
	uint32_t character;      /* never 0 except in the second half of a wide one */
	uint32_t mark;           /* combining, or 0 */
	uint8_t style;           /* see style.h */
	uint8_t width;           /* 1, 2, or 0 for the second half */
};

struct cells {
	int rows, cols;
	struct cell *cell;       /* rows x cols */
	bool ascii;              /* our own signs are drawn in ASCII: those of common text have a stand-in */
	bool narrow;             /* the terminal shows nothing beyond ASCII: what has no stand-in becomes '?' */
	int cursor_row, cursor_col; /* where the focused item is; -1 = nowhere */
	bool cursor_shown;     /* an editor is open: the terminal's cursor shows, whatever the user set */
};

void cells_init(struct cells *cells);
void cells_free(struct cells *cells);
/* Makes it rows x cols and blank. */
void cells_resize(struct cells *cells, int rows, int cols);
void cells_clear(struct cells *cells);

struct cell *cells_at(struct cells *cells, int row, int col);   /* NULL outside */

/* Draws text from (row, col) within clip; returns the columns it took (as far as it fitted). */
int cells_put(struct cells *cells, struct rect clip, int row, int col, uint8_t style, const char *text);

enum align { ALIGN_LEFT, ALIGN_RIGHT };

/* Draws text padded to `width` columns.  What does not fit is cut and its last column shows the cut mark. */
void cells_put_padded(struct cells *cells, struct rect clip, int row, int col, int width, enum align align, uint8_t style,
	const char *text);

/* Draws text at the right end of the rectangle's row; returns the column it starts at. */
int cells_put_right(struct cells *cells, struct rect clip, int row, uint8_t style, const char *text);

void cells_fill(struct cells *cells, struct rect area, uint8_t style, uint32_t character);

/* Word-wraps text into area, from its row `skip` on; returns the rows it takes in all (area.rows may be less).
 * With cells == NULL it only counts. */
int cells_wrap(struct cells *cells, struct rect area, int skip, uint8_t style, const char *text);

/* Bytes of the first line when text is word-wrapped to cols columns; *next is where the second one starts. */
size_t cells_line(const char *text, int cols, size_t *next);

/* The grid as text, one line a row, trailing blanks cut. */
void cells_dump(const struct cells *cells, struct text *out);

#endif
