/* A sheet: lines made of styled spans, some of which are numbers that can be focused and explained.
 *
 * A view builds it when results change and draws the slice that fits.  Everything lives in the sheet's arena. */
#ifndef WHYPAR_UI_SHEET_H
#define WHYPAR_UI_SHEET_H

#include "base/memory.h"
#include "ui/cells.h"
#include "base/regex.h"

struct span {
	int line, col;
	int item;                /* -1 = not a number */
	uint8_t style;
	const char *text;
};

struct item {                    /* what report/explain.h is asked */
	int quantity;            /* enum quantity */
	int state;
	int level;
	int line, col;           /* where it stands, for moving between items */
};

struct sheet {
	struct arena arena;
	struct span *spans;
	size_t span_count, span_capacity;
	struct item *items;
	int item_count;
	size_t item_capacity;
	int lines, cols;         /* width it was laid out for */
};

void sheet_clear(struct sheet *sheet, int cols);
void sheet_free(struct sheet *sheet);

/* Adds text to a line (lines may be filled in any order); returns the column after it. */
int sheet_put(struct sheet *sheet, int line, int col, uint8_t style, const char *text);
/* Right-aligned so that it ends before column `end`, and focusable when item is not NULL. */
void sheet_put_number(struct sheet *sheet, int line, int end, uint8_t style, const char *text, const struct item *item);
/* Word-wraps from line `line` on; returns the line after it. */
int sheet_wrap(struct sheet *sheet, int line, int col, uint8_t style, const char *text);
/* A dim heading. */
int sheet_heading(struct sheet *sheet, int line, const char *text);

/* Draws lines top.. into area; the item `focus` (-1 = none) is marked and gets the cursor. */
void sheet_draw(const struct sheet *sheet, struct cells *cells, struct rect area, int top, int focus);

/* The item reached from `from` by a step: lines (-1, +1) or columns (-1, +1); itself when there is none. */
int sheet_step(const struct sheet *sheet, int from, int lines, int cols);

/* The line's text from its spans, into out. */
void sheet_line_text(const struct sheet *sheet, int line, struct text *out);
/* First line at or after `from` in the direction (wrapping) that matches; -1. */
int sheet_search(const struct sheet *sheet, struct regex *match, int from, int direction);

#endif
