/* A Gantt chart: lanes of bars over a pinned time axis.  Knows cells and seconds, nothing of models.
 *
 * A column of the screen shows the bar that fills most of its time; where several lanes are drawn as one, how much of them is busy: a
 * height, or tenths in ASCII. */
#ifndef WHYPAR_UI_GANTT_H
#define WHYPAR_UI_GANTT_H

#include "ui/cells.h"

struct gantt_bar {
	int lane, id;
	int cores;               /* of a lane that stands for several, how many it is on */
	double start, end;
	const char *glyph;       /* one column wide */
	uint8_t style;
};

struct gantt_lane {
	char label[32];
	int merged;              /* how many lanes this one stands for; 1 = itself */
};

struct gantt {
	const struct gantt_lane *lanes;
	int lane_count;
	const struct gantt_bar *bars;
	int bar_count;
	double from, span;       /* the window, seconds */
	int focus;               /* id whose bars are marked, -1 = none */
	bool focused;            /* the cursor is here */
	bool ascii;
};

enum { GANTT_LABEL_COLS = 10, GANTT_AXIS_ROWS = 2 };

/* Lanes from area's first row on, the axis in its last two. */
void gantt_draw(const struct gantt *gantt, struct cells *cells, struct rect area);

/* The column of a moment, and the moment of a column; both from the area's left edge. */
int gantt_column(const struct gantt *gantt, int cols, double seconds);
double gantt_moment(const struct gantt *gantt, int cols, int column);

#endif
