#include "ui/gantt.h"

#include "base/memory.h"
#include "base/units.h"
#include "ui/style.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What one column of one lane shows. */
struct slot {
	const struct gantt_bar *most;
	double seconds;          /* that the bar fills of it */
	double busy;             /* of all lanes merged here */
};

static int columns_of(int cols)
{
	return cols - GANTT_LABEL_COLS;
}

int gantt_column(const struct gantt *g, int cols, double seconds)
{
	return GANTT_LABEL_COLS + (int)floor((seconds - g->from) / g->span * columns_of(cols));
}

double gantt_moment(const struct gantt *g, int cols, int column)
{
	return g->from + g->span * (column - GANTT_LABEL_COLS + 0.5) / columns_of(cols);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void fill_slots(const struct gantt *g, int cols, struct slot *slots)
{
	double each = g->span / cols;

	for (int i = 0; i < g->bar_count; i++) {
		const struct gantt_bar *bar = &g->bars[i];
		int first, last;

		if (bar->end <= g->from || bar->start >= g->from + g->span || bar->lane < 0)
			continue;
		first = bar->start <= g->from ? 0 : (int)((bar->start - g->from) / each);
		last = bar->end >= g->from + g->span ? cols - 1 : (int)((bar->end - g->from) / each);
		for (int c = first; c <= last && c < cols; c++) {
			struct slot *s = &slots[bar->lane * cols + c];
			double begin = g->from + c * each, part = least(bar->end, begin + each) - (bar->start > begin ? bar->start : begin);

			if (part <= 0)
				continue;
			s->busy += part * bar->cores;
			/* the focused bar is seen however short it is */
			if (s->most == NULL || (part > s->seconds && s->most->id != g->focus) || bar->id == g->focus) {
				s->most = bar;
				s->seconds = part;
			}
		}
	}
}

static void draw_lane(const struct gantt *g, struct cells *cells, struct rect area, int lane, const struct slot *slots, int cols)
{
	int row = area.row + lane;

	cells_put_padded(cells, area, row, area.col + 1, GANTT_LABEL_COLS - 2, ALIGN_LEFT, STYLE_DIM, g->lanes[lane].label);
	for (int c = 0; c < cols; c++) {
		const struct slot *s = &slots[lane * cols + c];
		bool focus = s->most != NULL && s->most->id == g->focus && g->focus >= 0;
		uint8_t style = s->most == NULL ? STYLE_RULE : s->most->style;
		const char *glyph = s->most == NULL ? style_glyph(GLYPH_EMPTY, g->ascii) : s->most->glyph;

		int merged = g->lanes[lane].merged;
		double each = g->span / cols, busy = s->busy / (each * merged);

		/* merged, one bar on all of them still shows as itself */
		if (merged > 1 && (s->most == NULL || s->most->cores < merged || (s->seconds < 0.5 * each && busy < 0.99))) {
			glyph = style_height(busy, g->ascii);
			style = STYLE_TEXT;
		}
		if (focus)
			style = (uint8_t)(STYLE_ACCENT | STYLE_FOCUS);
		cells_put(cells, area, row, area.col + GANTT_LABEL_COLS + c, style, glyph);
		if (focus && g->focused && cells->cursor_row < 0) {
			cells->cursor_row = row;
			cells->cursor_col = area.col + GANTT_LABEL_COLS + c;
		}
	}
}

/* 1, 2 or 5 times a power of ten, so that labels stand at least `apart` columns from each other. */
static double tick_step(double span, int cols, int apart)
{
	double least_step = span * apart / cols, power = pow(10, floor(log10(least_step)));

	return least_step <= power ? power : least_step <= 2 * power ? 2 * power : least_step <= 5 * power ? 5 * power : 10 * power;
}

/* One unit for the whole axis, by the window's end. */
static const char *axis_unit(double end, double *factor)
{
	static const struct { double factor; const char *name; } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };
	int i = 0;

	while (i < 3 && end < 2 * units[i].factor)
		i++;
	*factor = units[i].factor;
	return units[i].name;
}

static void draw_axis(const struct gantt *g, struct cells *cells, struct rect area, int row)
{
	int cols = columns_of(area.cols), digits, free_from = 0;
	double factor, step = tick_step(g->span, cols, 10);
	const char *unit = axis_unit(g->from + g->span, &factor);
	char label[32];

	cells_put(cells, area, row + 1, area.col + 1, STYLE_HEADER, unit);
	cells_fill(cells, (struct rect){ row, area.col + GANTT_LABEL_COLS, 1, cols }, STYLE_RULE, g->ascii ? '-' : 0x2500);
	digits = (int)fmax(0, ceil(-log10(step / factor) - 1e-9));
	for (double tick = ceil(g->from / step - 1e-9) * step; tick <= g->from + g->span; tick += step) {
		int col = gantt_column(g, area.cols, tick + step * 1e-9);

		if (col >= area.cols)
			break;
		cells_put(cells, area, row, area.col + col, STYLE_RULE, g->ascii ? "+" : "┴");
		snprintf(label, sizeof label, "%.*f", digits, fabs(tick / factor));
		if (col < free_from || col + text_width(label) > area.cols)
			continue;
		cells_put(cells, area, row + 1, area.col + col, STYLE_HEADER, label);
		free_from = col + text_width(label) + 1;
	}
}

void gantt_draw(const struct gantt *g, struct cells *cells, struct rect area)
{
	int cols = columns_of(area.cols);
	struct slot *slots;

	if (cols < 8 || area.rows < GANTT_AXIS_ROWS + g->lane_count || !(g->span > 0))
		return;
	slots = memory_alloc((size_t)g->lane_count * (size_t)cols, sizeof *slots);
	fill_slots(g, cols, slots);
	for (int lane = 0; lane < g->lane_count; lane++)
		draw_lane(g, cells, area, lane, slots, cols);
	draw_axis(g, cells, area, area.row + g->lane_count);
	memory_free(slots);
}
