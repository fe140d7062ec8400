#include "ui/layout.h"

#include <string.h>

static int between(int least, int value, int most)
{
	return value > most ? most : value < least ? least : value;
}

/* The inspector's columns beside the view: what the view leaves, within what reads well. */
static int beside_width(int cols, int wanted_by_main)
{
	int width = cols - wanted_by_main - 2;

	return between(40, width, cols / 2 > 76 ? 76 : cols / 2);
}

/* Rows of the inspector below the view, its heading included; 0 = none. */
static int below_height(int room, int wanted_by_main)
{
	if (room < 13)
		return 0;
	return between(room >= 15 ? 8 : 5, room - wanted_by_main, room / 2);
}

struct screen_layout layout_compute(int rows, int cols, const struct layout_options *options)
{
	struct screen_layout out;
	int top = 0, bottom = rows, room, dial_rows = 0;

	memset(&out, 0, sizeof out);
	if (rows < LAYOUT_LEAST_ROWS || cols < LAYOUT_LEAST_COLS) {
		out.small = true;
		out.title = (struct rect){ 0, 0, rows > 0 ? 1 : 0, cols > 0 ? cols : 0 };
		return out;
	}
	out.title = (struct rect){ top++, 0, 1, cols };
	if (options->dials_width > 0)
		dial_rows = options->dials_width > cols - 2 && rows >= 20 ? 2 : 1;
	out.dials = (struct rect){ top, 0, dial_rows, cols };
	top += dial_rows;
	out.rule = (struct rect){ top++, 0, 1, cols };
	out.footer = (struct rect){ --bottom, 0, 1, cols };
	if (options->note_rows > 0 && bottom - top > 4) {
		int height = between(1, options->note_rows, (bottom - top) / 3);

		bottom -= height;
		out.note = (struct rect){ bottom, 0, height, cols };
	}
	out.beside = options->inspector && cols >= LAYOUT_BESIDE_COLS && bottom - top >= 8;
	if (options->inspector && !out.beside && rows >= 22) {
		bottom--;
		out.strip = (struct rect){ bottom, 0, 1, cols };
	}
	room = bottom - top;
	if (out.beside) {
		int width = beside_width(cols, options->main_cols);

		out.inspector = (struct rect){ out.rule.row, cols - width, room + 1, width };
		out.rule.cols = out.inspector.col - 1;
		out.main = (struct rect){ top, 0, room, out.inspector.col - 1 };
	} else {
		int height = options->inspector ? below_height(room, options->main_rows) : 0;

		out.main = (struct rect){ top, 0, room - height, cols };
		out.inspector = (struct rect){ bottom - height, 0, height, cols };
	}
	return out;
}
