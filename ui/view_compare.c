/* The compare view: the present design point beside the remembered one, figure by figure, what was set differently, and the plain plans. */
#include "ui/inside.h"

#include "report/compare.h"

#include <math.h>
#include <stdio.h>

enum { TEXT_COL = 3, NAME_COLS = 16, VALUE_COLS = 16, BAR_COLS = 24 };

static void build(struct explorer *e)
{
	(void)e;
}

static void heading(struct explorer *e, char *out, size_t size)
{
	snprintf(out, size, "%s", e->results->remembered_outcome != NULL ? "now against what b remembered" : "nothing is remembered yet");
}

static void wants(struct explorer *e, int *rows, int *cols)
{
	(void)e;
	*rows = COMPARED_FIGURES + BASELINE_COUNT + 8;
	*cols = 100;
}

/* A bar about 1: to the right what is more, to the left what is less, an octave for half of it. */
static void draw_ratio(struct explorer *e, struct rect area, int row, int col, const struct compared *c)
{
	bool better = c->less_is_better ? c->ratio < 1 : c->ratio > 1;
	int half = BAR_COLS / 2, length = (int)lround(fmin(1, fabs(log2(c->ratio))) * half);
	char text[32];

	snprintf(text, sizeof text, "%8.4g", c->ratio);
	cells_put(&e->cells, area, row, col, c->ratio == 1 ? STYLE_DIM : STYLE_STRONG, text);
	cells_put(&e->cells, area, row, col + 10, STYLE_TEXT, c->ratio == 1 ? "same" : better ? "better" : "worse");
	if (area.cols - (col + 18 - area.col) < BAR_COLS)
		return;
	cells_put(&e->cells, area, row, col + 18 + half, STYLE_RULE, "|");
	for (int i = 1; i <= length; i++)
		cells_put(&e->cells, area, row, col + 18 + half + (c->ratio > 1 ? i : -i), better ? STYLE_BAR : STYLE_WARNING, e->ascii ? "#" : "▇");
}

static int draw_row(struct explorer *e, struct rect area, int row, const struct compared *c)
{
	int col = area.col + TEXT_COL;

	cells_put_padded(&e->cells, area, row, col, NAME_COLS - 1, ALIGN_LEFT, STYLE_DIM, c->name);
	cells_put_padded(&e->cells, area, row, col + NAME_COLS, VALUE_COLS - 1, ALIGN_RIGHT, STYLE_STRONG, c->now[0] != '\0' ? c->now : style_glyph(GLYPH_DASH, e->ascii));
	cells_put_padded(&e->cells, area, row, col + NAME_COLS + VALUE_COLS, VALUE_COLS - 1, ALIGN_RIGHT, STYLE_TEXT, c->before[0] != '\0' ? c->before : style_glyph(GLYPH_DASH, e->ascii));
	if (!isnan(c->ratio))
		draw_ratio(e, area, row, col + NAME_COLS + 2 * VALUE_COLS + 1, c);
	return row + 1;
}

static int draw_figures(struct explorer *e, struct rect area, int row)
{
	struct compared rows[COMPARED_FIGURES];
	int col = area.col + TEXT_COL + NAME_COLS;

	compare_figures(e->study, rows);
	cells_put_padded(&e->cells, area, row, col, VALUE_COLS - 1, ALIGN_RIGHT, STYLE_HEADER, "now");
	cells_put_padded(&e->cells, area, row++, col + VALUE_COLS, VALUE_COLS - 1, ALIGN_RIGHT, STYLE_HEADER, "remembered");
	for (int i = 0; i < COMPARED_FIGURES; i++)
		if (rows[i].now[0] != '\0' || rows[i].before[0] != '\0')
			row = draw_row(e, area, row, &rows[i]);
	return row;
}

static int draw_settings(struct explorer *e, struct rect area, int row)
{
	struct compared settings[COMPARED_SETTINGS];
	int count = compare_settings(e->study, settings);

	if (count > 0)
		cells_put(&e->cells, area, ++row, area.col + TEXT_COL, STYLE_HEADER, "set differently");
	for (int i = 0; i < count; i++)
		draw_row(e, area, ++row, &settings[i]);
	return row + 1;
}

/* What each plain plan costs against the present one. */
static void draw_plain(struct explorer *e, struct rect area, int row)
{
	const struct results *r = e->results;

	if (r->plan == NULL || r->plan->levels == 0 || row + 1 >= area.row + area.rows)
		return;
	cells_put(&e->cells, area, ++row, area.col + TEXT_COL, STYLE_HEADER, r->plan->objective == OBJECTIVE_TIME ? "plain plans, time on the links" : "plain plans, bytes moved");
	for (int b = 0; b < BASELINE_COUNT; b++) {
		struct compared c = { .name = r->baselines[b].name, .ratio = r->baselines[b].ratio, .less_is_better = true };

		if (isnan(r->baselines[b].cost))
			snprintf(c.now, sizeof c.now, "%s", "not known");
		else if (r->plan->objective == OBJECTIVE_TIME)
			units_print_seconds(r->baselines[b].cost, c.now, sizeof c.now);
		else
			units_print_bytes(explorer_bytes(e, r->baselines[b].cost), c.now, sizeof c.now);
		draw_row(e, area, ++row, &c);
	}
}

static void draw(struct explorer *e, struct rect area)
{
	int row = area.row;

	if (e->results->model == NULL || area.rows < 2)
		return;
	row = draw_figures(e, area, row);
	row = draw_settings(e, area, row);
	draw_plain(e, area, row);
}

static void move(struct explorer *e, enum move move)
{
	(void)e, (void)move;
}

static enum status enter(struct explorer *e, struct diagnostic *d)
{
	if (e->results->remembered_outcome == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "nothing is remembered yet: b remembers the present point, then turn a dial");
	compare_text(e->study, explorer_popup(e, "compare"));
	return STATUS_OK;
}

static const struct hint hints[] = {
	{ "baseline", "remember" }, { "explain", "as text" }, { "focus dials", "dials" }, { "view layers", "layers" }, { "help", "help" }, { NULL, NULL }
};

const struct view view_compare = {
	.name = "compare", .context = CONTEXT_COMPARE, .dials = DIAL_PLAN, .hints = hints, .build = build, .heading = heading, .wants = wants, .draw = draw, .move = move, .enter = enter
};
