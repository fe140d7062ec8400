/* The charts of the search view: how soon each method was how near the best, and what the focused one tried. */
#include "ui/search.h"

#include "base/memory.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_COLS = 9, BELOW_ROWS = 2, COLUMNS_MOST = 512 };

/* A box of cells for marks, rows from the top. */
struct plot {
	struct rect area;
	int rows, cols;
};

static struct plot plot_of(struct rect area)
{
	struct plot p = { { area.row, area.col + LABEL_COLS, area.rows - BELOW_ROWS, area.cols - LABEL_COLS - 2 }, 0, 0 };

	p.rows = p.area.rows;
	p.cols = p.area.cols < COLUMNS_MOST ? p.area.cols : COLUMNS_MOST;
	return p;
}

static void put_mark(struct explorer *e, const struct plot *p, int row, int col, enum style style, const char *mark)
{
	if (row >= 0 && row < p->rows && col >= 0 && col < p->cols)
		cells_put(&e->cells, p->area, p->area.row + row, p->area.col + col, (uint8_t)style, mark);
}

static void draw_label(struct explorer *e, const struct plot *p, int row, const char *text)
{
	struct rect area = { p->area.row, p->area.col - LABEL_COLS, p->area.rows, LABEL_COLS - 1 };

	cells_put_padded(&e->cells, area, area.row + row, area.col, area.cols, ALIGN_RIGHT, STYLE_HEADER, text);
}

/* The line below, with what stands at both ends and in the middle. */
static void draw_below(struct explorer *e, const struct plot *p, const char *left, const char *middle, const char *right)
{
	struct rect line = { p->area.row + p->rows, p->area.col, BELOW_ROWS, p->cols };

	for (int col = 0; col < p->cols; col++)
		cells_put(&e->cells, line, line.row, line.col + col, STYLE_RULE, e->ascii ? "-" : "\xE2\x94\x80");
	cells_put(&e->cells, line, line.row + 1, line.col, STYLE_HEADER, left);
	if (text_width(left) + text_width(right) < p->cols - text_width(middle) - 4)
		cells_put(&e->cells, line, line.row + 1, line.col + (p->cols - text_width(middle)) / 2, STYLE_HEADER, middle);
	cells_put(&e->cells, line, line.row + 1, line.col + p->cols - text_width(right), STYLE_HEADER, right);
}

/* ---- how soon how near ---- */

/* A distance from the best as a row: the best in the first, then 0.1 % to 100 % by its logarithm. */
static const double NEAREST = 1e-3;

static int row_of_gap(const struct plot *p, double gap)
{
	double part = log10(fmax(gap, NEAREST) / NEAREST) / -log10(NEAREST);

	if (gap < NEAREST / 2 || p->rows < 2)
		return 0;
	return 1 + (int)lround(part * (p->rows - 2));
}

static double place_of(const struct mine_point *point, bool by_seconds)
{
	return by_seconds ? point->seconds : (double)point->evaluations;
}

static void draw_gaps(struct explorer *e, const struct plot *p)
{
	static const double gaps[] = { 0, 0.001, 0.01, 0.1, 1 };
	int before = -1;

	for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
		int row = row_of_gap(p, gaps[i]);
		char text[32];

		if (row == before || row >= p->rows)
			continue;
		snprintf(text, sizeof text, "%s%g %%", e->ascii ? "-" : "\xE2\x88\x92", 100 * gaps[i]);
		draw_label(e, p, row, gaps[i] == 0 ? "best" : text);
		for (int col = 0; col < p->cols; col += 4)
			put_mark(e, p, row, col, STYLE_RULE, style_glyph(GLYPH_EMPTY, e->ascii));
		before = row;
	}
}

/* What a method had found by each column: a line of its letter, ending where it ended. */
static void draw_curve(struct explorer *e, const struct plot *p, enum mine_method method, double best, double first, double last, bool by_seconds)
{
	const struct race_entrant *entrant = &e->racing.race->entrants[method];
	const struct miner *m = &entrant->miner;
	double until = by_seconds ? race_seconds(entrant) : (double)m->evaluations;
	char mark[2] = { search_mark(method), '\0' };
	bool here = method == e->racing.method;
	size_t at = 0;

	for (int col = 0; col < p->cols && m->curve_count > 0; col++) {
		double x = first * pow(last / first, p->cols > 1 ? (double)col / (p->cols - 1) : 0);

		if (place_of(&m->curve[0], by_seconds) > x * (1 + 1e-9))
			continue;
		while (at + 1 < m->curve_count && place_of(&m->curve[at + 1], by_seconds) <= x * (1 + 1e-9))
			at++;
		put_mark(e, p, row_of_gap(p, 1 - m->curve[at].value / best), col, here ? STYLE_ACCENT : STYLE_TEXT, mark);
		if (x > until)
			break;
	}
}

void search_draw_curves(struct explorer *e, struct rect area, bool by_seconds)
{
	struct plot p = plot_of(area);
	double best = race_best(e->racing.race), first = INFINITY, last = 0;
	char left[FORMAT_BYTES], right[FORMAT_BYTES];

	if (p.rows < 3 || p.cols < 10 || !(best > 0))
		return;
	for (int i = 0; i < METHOD_COUNT; i++)
		if (racing_hold(e, (enum mine_method)i)) {
			const struct miner *m = &e->racing.race->entrants[i].miner;

			if (m->curve_count > 0) {
				first = fmin(first, fmax(place_of(&m->curve[0], by_seconds), 1e-6));
				last = fmax(last, by_seconds ? fmax(m->curve[m->curve_count - 1].seconds, race_seconds(&e->racing.race->entrants[i])) : (double)m->evaluations);
			}
			racing_release(e, (enum mine_method)i);
		}
	last = fmax(last, 1.001 * first);
	draw_gaps(e, &p);
	/* the focused one over the others */
	for (int pass = 0; pass < 2; pass++)
		for (int i = METHOD_COUNT - 1; i >= 0; i--)
			if ((i == (int)e->racing.method) == (pass == 1) && racing_hold(e, (enum mine_method)i)) {
				draw_curve(e, &p, (enum mine_method)i, best, first, last, by_seconds);
				racing_release(e, (enum mine_method)i);
			}
	if (by_seconds) {
		units_print_seconds(first, left, sizeof left);
		units_print_seconds(last, right, sizeof right);
	} else {
		snprintf(left, sizeof left, "%.0f", first);
		snprintf(right, sizeof right, "%.0f", last);
	}
	draw_below(e, &p, e->live || !by_seconds ? left : "", by_seconds ? "seconds" : "designs scheduled", e->live || !by_seconds ? right : "");
}

/* ---- what it costs ---- */

struct spread {
	double x_from, x_to, y_to;
};

static double cost_of(const struct judged *j, bool by_area)
{
	return by_area ? j->area : j->tdp;
}

static void widen(struct spread *s, const struct judged *j, bool by_area)
{
	s->x_from = fmin(s->x_from, cost_of(j, by_area));
	s->x_to = fmax(s->x_to, cost_of(j, by_area));
	s->y_to = fmax(s->y_to, j->throughput);
}

/* Columns by the logarithm of the cost, rows by samples a second. */
static int column_of(const struct plot *p, const struct spread *s, double cost)
{
	double span = log(s->x_to / s->x_from);

	return span > 0 ? (int)lround(log(cost / s->x_from) / span * (p->cols - 1)) : 0;
}

static int row_of(const struct plot *p, const struct spread *s, double throughput)
{
	return p->rows - 1 - (int)lround(throughput / s->y_to * (p->rows - 1));
}

static void mark_design(struct explorer *e, const struct plot *p, const struct spread *s, const struct judged *j, bool by_area, enum style style, const char *mark)
{
	if (j->throughput > 0)
		put_mark(e, p, row_of(p, s, j->throughput), column_of(p, s, cost_of(j, by_area)), style, mark);
}

void search_draw_front(struct explorer *e, struct rect area, bool by_area)
{
	struct plot p = plot_of(area);
	const struct mining *mining = racing_mining(e);
	const struct miner *m = &e->racing.race->entrants[e->racing.method].miner;
	struct spread s = { INFINITY, 0, 0 };
	/* of each column the most samples a second, and what is on the front: more than all that costs less */
	double most[COLUMNS_MOST] = { 0 }, front = 0;
	const struct judged *j;
	struct judged focused;
	size_t at = 0;
	char text[FORMAT_BYTES], left[FORMAT_BYTES], right[FORMAT_BYTES];

	if (p.rows < 3 || p.cols < 10 || !racing_hold(e, e->racing.method))
		return;
	while ((j = miner_next(m, &at)) != NULL)
		if (j->throughput > 0)
			widen(&s, j, by_area);
	for (at = 0; s.y_to > 0 && (j = miner_next(m, &at)) != NULL;) {
		int col;

		if (!(j->throughput > 0))
			continue;
		col = column_of(&p, &s, cost_of(j, by_area));
		mark_design(e, &p, &s, j, by_area, STYLE_DIM, style_glyph(GLYPH_EMPTY, e->ascii));
		if (j->throughput > most[col])
			most[col] = j->throughput;
	}
	racing_release(e, e->racing.method);
	if (!(s.y_to > 0))
		return;
	for (int col = 0; col < p.cols; col++)
		if (most[col] > front) {
			front = most[col];
			put_mark(e, &p, row_of(&p, &s, front), col, STYLE_TEXT, e->ascii ? "o" : "\xE2\x97\x8B");
		}
	for (int i = 0; i < MINING_FIXED; i++) {
		struct judged fixed = mining_fixed_judged(mining, i);
		char mark[2] = { mining_fixed(i)->name[0], '\0' };

		if (cost_of(&fixed, by_area) >= s.x_from && cost_of(&fixed, by_area) <= s.x_to)
			mark_design(e, &p, &s, &fixed, by_area, STYLE_STRONG, mark);
	}
	if (search_focused(e, &focused))
		mark_design(e, &p, &s, &focused, by_area, STYLE_ACCENT, e->ascii ? "#" : "\xE2\x97\x86");
	search_value(s.y_to, text);
	draw_label(e, &p, 0, text);
	draw_label(e, &p, p.rows - 1, "0");
	snprintf(left, sizeof left, by_area ? "%.3g mm2" : "%.3g W", s.x_from);
	snprintf(right, sizeof right, by_area ? "%.3g mm2" : "%.3g W", s.x_to);
	draw_below(e, &p, left, e->ascii ? "o front  # here  t, n fixed" : "\xE2\x97\x8B front  \xE2\x97\x86 here  t, n fixed", right);
}
