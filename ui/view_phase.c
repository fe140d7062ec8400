/* The phase view: the focused layer's type over batch and array size, a map with the present point marked.
 *
 * The map is a job of the study's; until it is there the last one stays, marked as stale. */
#include "ui/inside.h"

#include <stdio.h>
#include <string.h>

/* 41 columns are half octaves of the batch's range 2^0 .. 2^20, 21 octaves, 11 every other one. */
enum { LABEL_COLS = 12, COLUMNS_MOST = 41 };

static int columns_for(int cols)
{
	int most = (cols - LABEL_COLS - 3) / 2;

	return most >= COLUMNS_MOST ? COLUMNS_MOST : most >= 21 ? 21 : 11;
}

/* Screen columns of one batch. */
static int cell_cols(const struct explorer *e, int cols)
{
	int width = (cols - LABEL_COLS - 2) / (e->phase.columns > 0 ? e->phase.columns : 1);

	return width > 4 ? 4 : width < 2 ? 2 : width;
}

static int present_row(const struct explorer *e)
{
	return document_levels(study_document(e->study));
}

/* Columns the map has on the screen: as of the last frame, or what the next one will have. */
static int map_cols(const struct explorer *e)
{
	return e->layout.main.cols > 0 ? e->layout.main.cols : e->cells.cols;
}

static void keep_copy(struct phase_pane *pane, const struct phase *phase)
{
	size_t states = (size_t)phase->columns * (size_t)phase->levels * LEVELS_MAX;

	if (pane->valid)
		phase_free(&pane->phase);
	pane->phase = *phase;
	pane->phase.batches = memory_alloc((size_t)phase->columns, sizeof *phase->batches);
	pane->phase.states = memory_alloc(states, 1);
	memcpy(pane->phase.batches, phase->batches, (size_t)phase->columns * sizeof *phase->batches);
	memcpy(pane->phase.states, phase->states, states);
	pane->valid = true;
}

static void build(struct explorer *e)
{
	struct phase_pane *pane = &e->phase;
	int columns = columns_for(map_cols(e));
	const struct phase *phase;

	if (e->results->model == NULL || e->row < 0)
		return;
	phase = layers_has_choice(e, e->row) && e->results->plan_state == FRESH ? study_phase(e->study, e->row, columns, !e->live) : NULL;
	if (pane->row != e->row || pane->columns != columns) {
		if (pane->valid && phase == NULL)
			phase_free(&pane->phase);
		pane->valid = pane->valid && phase != NULL;
		pane->y = 0;
	}
	pane->row = e->row;
	pane->columns = columns;
	pane->stale = phase == NULL;
	if (phase != NULL)
		keep_copy(pane, phase);
}

static void heading(struct explorer *e, char *out, size_t size)
{
	if (e->results->model != NULL && e->row >= 0)
		snprintf(out, size, "%.40s at H%d, batch by accelerators", e->results->model->operators[e->row].name, e->level);
}

static void wants(struct explorer *e, int *rows, int *cols)
{
	const struct phase_pane *pane = &e->phase;

	*rows = (pane->valid ? pane->phase.levels : 12) + 5;
	*cols = LABEL_COLS + 2 * COLUMNS_MOST + 4;
}

static void place_cursor(struct explorer *e)
{
	struct phase_pane *pane = &e->phase;

	if (pane->y == 0) {
		pane->x = pane->phase.present_column;
		pane->y = present_row(e);
	}
	if (pane->y > pane->phase.levels)
		pane->y = pane->phase.levels;
	if (pane->y < 1)
		pane->y = 1;
	if (pane->x >= pane->phase.columns)
		pane->x = pane->phase.columns - 1;
	if (pane->x < 0)
		pane->x = 0;
}

static void batch_label(long batch, char *out, size_t size)
{
	if (batch >= 1L << 20)
		snprintf(out, size, "%ldMi", batch >> 20);
	else if (batch >= 1024 && batch % 1024 == 0)
		snprintf(out, size, "%ldKi", batch >> 10);
	else
		snprintf(out, size, "%ld", batch);
}

static void draw_axis(struct explorer *e, struct rect area, int row)
{
	const struct phase *phase = &e->phase.phase;
	int free_from = 0, step = cell_cols(e, area.cols);
	char label[24];

	cells_put(&e->cells, area, row, area.col + 3, STYLE_HEADER, "batch");
	/* The present batch first, then the powers of two that fit without touching. */
	for (int pass = 0; pass < 2; pass++)
		for (int x = 0; x < phase->columns; x++) {
			int col = area.col + LABEL_COLS + x * step, wide, present = phase->present_column;
			int now = area.col + LABEL_COLS + present * step;
			long batch = phase->batches[x];

			if (pass == 0 ? x != present : x == present || (batch & (batch - 1)) != 0)
				continue;
			batch_label(batch, label, sizeof label);
			wide = text_width(label);
			if (pass == 1 && (col < free_from || (x < present && col + wide >= now) || (x > present && col < now + 7) ||
					  col + wide > area.col + area.cols))
				continue;
			if (pass == 1)
				free_from = col + wide + 2;
			cells_put(&e->cells, area, row, col, (uint8_t)(pass == 0 ? STYLE_ACCENT : STYLE_HEADER), label);
		}
}

static void draw_map(struct explorer *e, struct rect area)
{
	const struct phase *phase = &e->phase.phase;
	int shown = phase->levels < area.rows ? phase->levels : area.rows;
	int top = e->phase.y > shown ? e->phase.y : shown, step = cell_cols(e, area.cols);

	for (int i = 0; i < shown; i++) {
		int y = top - i, row = area.row + i;
		char label[24];

		snprintf(label, sizeof label, "%ld", 1L << y);
		cells_put_padded(&e->cells, area, row, area.col + 3, LABEL_COLS - 5, ALIGN_RIGHT, (uint8_t)(y == present_row(e) ? STYLE_ACCENT : STYLE_HEADER), label);
		for (int x = 0; x < phase->columns; x++) {
			int state = e->level <= y ? phase_state(phase, y, x, e->level) : NO_STATE, col = area.col + LABEL_COLS + x * step;
			bool now = x == phase->present_column && y == present_row(e), cursor = x == e->phase.x && y == e->phase.y;
			enum style style;
			const char *glyph = layers_state_glyph(e, e->row, state, &style);

			if (state == NO_STATE && e->level <= y)
				glyph = "?";
			if (now) {
				cells_put(&e->cells, area, row, col - 1, STYLE_ACCENT, "[");
				cells_put(&e->cells, area, row, col + 1, STYLE_ACCENT, "]");
			}
			cells_put(&e->cells, area, row, col, (uint8_t)(style | (cursor && e->focus == FOCUS_ROWS ? STYLE_FOCUS : 0)), glyph);
			if (cursor && e->focus == FOCUS_ROWS) {
				e->cells.cursor_row = row;
				e->cells.cursor_col = col;
			}
		}
	}
}

/* All levels' types at the cursor, in words. */
static void draw_readout(struct explorer *e, struct rect area)
{
	const struct phase_pane *pane = &e->phase;
	const struct phase *phase = &pane->phase;
	char text[96];
	int col = area.col + 3;

	snprintf(text, sizeof text, "batch %ld on %ld: ", phase->batches[pane->x], 1L << pane->y);
	col += cells_put(&e->cells, area, area.row, col, STYLE_DIM, text);
	for (int level = 1; level <= pane->y; level++) {
		enum style style;
		int state = phase_state(phase, pane->y, pane->x, level);
		const char *glyph = layers_state_glyph(e, e->row, state, &style);

		snprintf(text, sizeof text, "H%d ", level);
		col += cells_put(&e->cells, area, area.row, col, (uint8_t)(level == e->level ? STYLE_ACCENT : STYLE_DIM), text);
		col += cells_put(&e->cells, area, area.row, col, (uint8_t)style, glyph);
		snprintf(text, sizeof text, " %s  ", state >= 0 ? state_name(layers_is_junction(e, e->row), state) : "?");
		col += cells_put(&e->cells, area, area.row, col, STYLE_TEXT, text);
	}
}

static void draw_legend(struct explorer *e, struct rect area)
{
	char text[64];
	int col = area.col + 3;

	for (int state = 0; state < STATES_MAX; state++) {
		enum style style;
		const char *glyph = layers_state_glyph(e, e->row, state, &style);

		col += cells_put(&e->cells, area, area.row, col, (uint8_t)style, glyph) + 1;
		snprintf(text, sizeof text, "%s   ", state_name(layers_is_junction(e, e->row), state));
		col += cells_put(&e->cells, area, area.row, col, STYLE_DIM, text);
	}
	snprintf(text, sizeof text, "%s no such level   ? too long to solve   [ ] now", style_glyph(GLYPH_EMPTY, e->ascii));
	cells_put(&e->cells, area, area.row, col, STYLE_DIM, text);
}

static void draw(struct explorer *e, struct rect area)
{
	struct phase_pane *pane = &e->phase;
	struct rect map = { area.row + 1, area.col, area.rows - 4, area.cols };

	if (e->results->model == NULL || e->row < 0 || area.rows < 5)
		return;
	if (!pane->valid) {
		cells_wrap(&e->cells, (struct rect){ area.row + 1, area.col + 3, area.rows - 1, area.cols - 4 }, 0, STYLE_DIM,
			layers_has_choice(e, e->row) ? e->working ? "computing the map ..." : "the map is not computed yet" : "this row has no choice, so there is no map of it");
		return;
	}
	place_cursor(e);
	cells_put(&e->cells, area, area.row, area.col + 3, STYLE_HEADER, "accelerators");
	if (pane->stale)
		cells_put(&e->cells, area, area.row, area.col + 17, STYLE_STALE, e->working ? "the map is of the values before, computing ..." : "the map is of the values before");
	draw_map(e, map);
	area.row = map.row + (pane->phase.levels < map.rows ? pane->phase.levels : map.rows);
	area.rows = 3;
	draw_axis(e, area, area.row);
	draw_readout(e, (struct rect){ area.row + 1, area.col, 1, area.cols });
	draw_legend(e, (struct rect){ area.row + 2, area.col, 1, area.cols });
}

static void move(struct explorer *e, enum move move)
{
	struct phase_pane *pane = &e->phase;

	if (!pane->valid)
		return;
	switch (move) {
	case MOVE_LEFT: pane->x--; break;
	case MOVE_RIGHT: pane->x++; break;
	case MOVE_UP: pane->y++; break;
	case MOVE_DOWN: pane->y--; break;
	case MOVE_PAGE_UP: case MOVE_HALF_UP: pane->y += 3; break;
	case MOVE_PAGE_DOWN: case MOVE_HALF_DOWN: pane->y -= 3; break;
	case MOVE_FIRST: pane->x = 0; break;
	case MOVE_LAST: pane->x = pane->phase.columns - 1; break;
	default: break;
	}
	if (pane->y < 1)
		pane->y = 1;
	place_cursor(e);
}

/* Enter makes the point under the cursor the present one. */
static enum status enter(struct explorer *e, struct diagnostic *d)
{
	const struct phase_pane *pane = &e->phase;
	char line[80];

	if (!pane->valid)
		return diagnostic_fail(d, STATUS_INPUT, "the map is not there yet");
	snprintf(line, sizeof line, "set batch=%ld accelerators=%ld", pane->phase.batches[pane->x], 1L << pane->y);
	return command_run(e->study, &e->host, line, d);
}

/* Another layer's map: search goes over the layers as in their own view. */
static bool search(struct explorer *e, struct regex *match, int direction, bool from_cursor)
{
	if (e->layers.count == 0)
		view_layers.build(e);
	return view_layers.search(e, match, direction, from_cursor);
}

static void click(struct explorer *e, int row, int col)
{
	struct phase_pane *pane = &e->phase;
	int shown;

	if (!pane->valid)
		return;
	shown = pane->phase.levels < e->layout.main.rows - 4 ? pane->phase.levels : e->layout.main.rows - 4;
	if (row < 1 || row > shown || col < LABEL_COLS - 1)
		return;
	pane->x = (col - LABEL_COLS + 1) / cell_cols(e, e->layout.main.cols);
	pane->y = (pane->y > shown ? pane->y : shown) - (row - 1);
	place_cursor(e);
}

static const struct hint hints[] = {
	{ "explain", "go there" }, { "level up", "level" }, { "prompt search /", "other layer" }, { "view layers", "layers" },
	{ "focus dials", "dials" }, { "help", "help" }, { NULL, NULL }
};

const struct view view_phase = {
	.name = "phase", .context = CONTEXT_PHASE, .dials = DIAL_PLAN, .inspection = &inspect_layer, .hints = hints, .build = build, .heading = heading,
	.wants = wants, .draw = draw, .move = move, .enter = enter, .search = search, .click = click
};
