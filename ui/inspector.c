/* The inspector: a pane beside or below a view that says why about what is focused there.  What it says is the view's inspection. */
#include "ui/inside.h"

#include <stdio.h>
#include <string.h>

void inspector_build(struct explorer *e)
{
	const struct inspection *inspection = explorer_view(e)->inspection;
	struct inspector *pane = &e->inspector;
	bool beside = e->layout.beside;
	int width = e->layout.inspector.cols - (beside ? 1 : 4), subject;

	if (inspection == NULL || e->results->model == NULL || (subject = inspection->subject(e)) < 0 || width < 20)
		return;
	if (pane->of == inspection && pane->generation == e->results->generation && pane->subject == subject && pane->width == width &&
	    pane->beside == beside && pane->drawn_ascii == e->ascii && !pane->ask_again)
		return;
	if (pane->of != inspection || pane->generation != e->results->generation || pane->subject != subject || pane->ask_again) {
		inspection->ask(e);
		pane->top = 0;
	}
	if (pane->of != inspection)
		pane->focus = 0;
	*pane = (struct inspector){ .sheet = pane->sheet, .of = inspection, .generation = e->results->generation, .subject = subject, .width = width,
		.beside = beside, .drawn_ascii = e->ascii, .focus = pane->focus, .top = pane->top };
	sheet_clear(&pane->sheet, width > 72 ? 72 : width);
	inspection->build(e, beside, width);
	if (pane->focus >= pane->sheet.item_count)
		pane->focus = pane->sheet.item_count - 1;
}

static void draw_heading(struct explorer *e, struct rect area)
{
	bool focused = e->focus == FOCUS_INSPECTOR;
	char text[128] = " ";
	int col;

	cells_fill(&e->cells, (struct rect){ area.row, area.col, 1, area.cols }, STYLE_RULE, e->ascii ? '-' : 0x2500);
	explorer_view(e)->inspection->title(e, text + 1, sizeof text - 2);
	strcat(text, " ");
	col = area.col + (area.cols > 60 && !e->layout.beside ? 2 : 0);
	cells_put(&e->cells, area, area.row, col, focused ? STYLE_ACCENT : STYLE_STRONG, text);
}

void inspector_draw(struct explorer *e, struct rect area)
{
	struct inspector *pane = &e->inspector;
	struct rect body = { area.row + 1, area.col + (e->layout.beside ? 1 : 3), area.rows - 1, area.cols - (e->layout.beside ? 1 : 4) };
	int focus = e->focus == FOCUS_INSPECTOR ? pane->focus : -1;

	if (area.rows < 2 || e->results->model == NULL || explorer_view(e)->inspection->subject(e) < 0)
		return;
	inspector_build(e);
	draw_heading(e, area);
	if (focus >= 0 && focus < pane->sheet.item_count) {
		int line = pane->sheet.items[focus].line;

		if (line < pane->top + 1)
			pane->top = line > 1 ? line - 1 : 0;
		if (line >= pane->top + body.rows)
			pane->top = line - body.rows + 1;
	} else {
		pane->top = 0;
	}
	sheet_draw(&pane->sheet, &e->cells, body, pane->top, focus);
	if (pane->top + body.rows < pane->sheet.lines && e->focus == FOCUS_INSPECTOR)
		cells_put(&e->cells, area, area.row + area.rows - 1, area.col + area.cols - 1, STYLE_ACCENT, style_glyph(GLYPH_DOWN, e->ascii));
}

void inspector_move(struct explorer *e, enum move move)
{
	struct inspector *pane = &e->inspector;
	int lines = move == MOVE_UP || move == MOVE_HALF_UP || move == MOVE_PAGE_UP ? -1 :
		move == MOVE_DOWN || move == MOVE_HALF_DOWN || move == MOVE_PAGE_DOWN ? 1 : 0;
	int cols = move == MOVE_LEFT ? -1 : move == MOVE_RIGHT ? 1 : 0;
	int times = move == MOVE_HALF_UP || move == MOVE_HALF_DOWN ? 4 : move == MOVE_PAGE_UP || move == MOVE_PAGE_DOWN ? 8 : 1;

	if (move == MOVE_FIRST)
		pane->focus = pane->sheet.item_count > 0 ? 0 : -1;
	else if (move == MOVE_LAST)
		pane->focus = pane->sheet.item_count - 1;
	else
		while (times-- > 0)
			pane->focus = sheet_step(&pane->sheet, pane->focus, lines, cols);
}

enum status inspector_explain(struct explorer *e, struct diagnostic *d)
{
	const struct inspector *pane = &e->inspector;
	const struct item *item;

	if (pane->focus < 0 || pane->focus >= pane->sheet.item_count)
		return diagnostic_fail(d, STATUS_INPUT, "there is no number here to explain");
	item = &pane->sheet.items[pane->focus];
	explorer_explain(e, item->quantity, item->level > 0 ? item->level : e->level, item->state);
	return STATUS_OK;
}

void inspector_draw_strip(struct explorer *e, struct rect area)
{
	if (area.rows > 0 && explorer_view(e)->inspection != NULL)
		explorer_view(e)->inspection->strip(e, area);
}
