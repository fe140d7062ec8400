/* Where everything goes: a pure function of the terminal's size and of what wants room.
 *
 * Rectangles never overlap and lie inside the screen; one with rows == 0 or cols == 0 is not shown.  Panes
 * are given up in this order as the screen shrinks: baseline strip, second row of dials, inspector, dials. */
#ifndef WHYPAR_UI_LAYOUT_H
#define WHYPAR_UI_LAYOUT_H

#include "ui/cells.h"

enum { LAYOUT_LEAST_ROWS = 10, LAYOUT_LEAST_COLS = 40, LAYOUT_BESIDE_COLS = 104 };

struct layout_options {
	bool inspector;          /* the view has something to inspect */
	int dials_width;         /* columns the dials take in one row, 0 = no dials */
	int note_rows;           /* rows a lesson's text would like, 0 = none */
	int main_rows;           /* rows the view could use; the inspector below it gets what it does not need */
	int main_cols;           /* columns the view could use; the inspector beside it gets the rest */
};

struct screen_layout {
	bool small;              /* below the least size: only `title` is set, for one line of advice */
	struct rect title, dials, rule, main, inspector, strip, note, footer;
	bool beside;             /* the inspector stands right of the view; its first row is in the rule's row */
};

struct screen_layout layout_compute(int rows, int cols, const struct layout_options *options);

#endif
