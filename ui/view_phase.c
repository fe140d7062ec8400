/* The phase view: the focused layer's choice over two knobs, a map with the present point and the exact flips marked.
 *
 * The map is the study's: coarse at first where it takes long; a map of other values stays, marked as stale, until there is a new one. */
#include "ui/inside.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

/* 41 columns are half octaves of the batch's range 2^0 .. 2^20, 21 octaves, 11 every other one. */
enum { LABEL_MOST = 15, COLUMNS_MOST = 41, ROWS_LEAST = 7, ROWS_MOST = 21, LINES_BELOW = 4, WORD_BYTES = 64 };

static int columns_for(int cols)
{
	int most = (cols - 12 - 3) / 2;

	return most >= COLUMNS_MOST ? COLUMNS_MOST : most >= 21 ? 21 : 11;
}

/* The screen's rows for the map: as of the last frame, or about what the next one will have. */
static int rows_for(const struct explorer *e)
{
	int rows = (e->layout.main.rows > 0 ? e->layout.main.rows : e->cells.rows - 12) - LINES_BELOW - 1;

	rows = rows > ROWS_MOST ? ROWS_MOST : rows < ROWS_LEAST ? ROWS_LEAST : rows;
	return rows % 2 == 0 ? rows - 1 : rows;
}

static int map_cols(const struct explorer *e)
{
	return e->layout.main.cols > 0 ? e->layout.main.cols : e->cells.cols;
}

static void value_word(const struct explorer *e, const struct phase_axis *axis, int i, char out[WORD_BYTES])
{
	phase_print(study_document(e->study), axis, i, out, WORD_BYTES);
}

/* Columns of the labels on the left. */
static int label_cols(const struct explorer *e)
{
	const struct phase_axis *y = &e->phase.phase.y;
	char word[WORD_BYTES];
	int most = 7;

	for (int i = 0; i < y->count; i++) {
		value_word(e, y, i, word);
		most = text_width(word) > most ? text_width(word) : most;
	}
	return (most < LABEL_MOST ? most : LABEL_MOST) + 5;
}

/* Screen columns of one value: words of choices want room, numbers are written where they fit. */
static int cell_cols(const struct explorer *e, int cols)
{
	const struct phase_axis *x = &e->phase.phase.x;
	int width = (cols - label_cols(e) - 2) / (x->count > 0 ? x->count : 1), most = parameter_at(x->id)->unit == UNIT_CHOICE ? 14 : 4;

	return width > most ? most : width < 2 ? 2 : width;
}

static void build(struct explorer *e)
{
	struct phase_pane *pane = &e->phase;
	const struct phase *phase = NULL;
	struct diagnostic d = { .text = "" };

	if (e->results->model == NULL || e->row < 0)
		return;
	if (layers_has_choice(e, e->row) && e->results->plan_state == FRESH && e->results->plan->levels > 0)
		phase = study_phase(e->study, e->row, e->level, columns_for(map_cols(e)), rows_for(e), !e->live, &d);
	snprintf(pane->trouble, sizeof pane->trouble, "%s", d.text);
	if (pane->valid && (phase == NULL ? d.text[0] != '\0' || pane->phase.question.row != e->row :
			    pane->phase.x.id != phase->x.id || pane->phase.y.id != phase->y.id || pane->phase.x.count != phase->x.count || pane->phase.y.count != phase->y.count))
		pane->placed = false;
	pane->stale = phase == NULL;
	if (pane->valid && (phase != NULL || d.text[0] != '\0' || pane->phase.question.row != e->row)) {
		phase_free(&pane->phase);
		pane->valid = false;
	}
	if (phase == NULL)
		return;
	phase_copy(&pane->phase, phase);
	pane->valid = true;
}

static void heading(struct explorer *e, char *out, size_t size)
{
	if (e->results->model == NULL || e->row < 0)
		return;
	if (e->phase.valid)
		snprintf(out, size, "%.40s at H%d, %s by %s", e->results->model->operators[e->row].name, e->level, parameter_at(e->phase.phase.x.id)->name,
			parameter_at(e->phase.phase.y.id)->name);
	else
		snprintf(out, size, "%.40s at H%d", e->results->model->operators[e->row].name, e->level);
}

static void wants(struct explorer *e, int *rows, int *cols)
{
	const struct phase_pane *pane = &e->phase;

	*rows = (pane->valid ? pane->phase.y.count : 12) + 1 + LINES_BELOW;
	*cols = 12 + 2 * COLUMNS_MOST + 4;
}

static void place_cursor(struct explorer *e)
{
	struct phase_pane *pane = &e->phase;

	if (!pane->placed) {
		pane->x = pane->phase.x.present;
		pane->y = pane->phase.y.present;
		pane->placed = true;
	}
	pane->y = pane->y >= pane->phase.y.count ? pane->phase.y.count - 1 : pane->y < 0 ? 0 : pane->y;
	pane->x = pane->x >= pane->phase.x.count ? pane->phase.x.count - 1 : pane->x < 0 ? 0 : pane->x;
}

/* The value of the top line: the map scrolls when it is taller than the screen. */
static int top_value(const struct phase_pane *pane, int shown)
{
	int top = pane->phase.y.count - 1;

	return pane->y <= top - shown ? pane->y + shown - 1 : top;
}

/* A label of the axis below; of batches the powers of two, which are round. */
static bool axis_label(const struct explorer *e, const struct phase_axis *x, int i, char out[WORD_BYTES])
{
	double value = x->values[i];

	value_word(e, x, i, out);
	if (x->id != PARAMETER_BATCH)
		return true;
	if (value >= 1048576)
		snprintf(out, WORD_BYTES, "%.0fMi", value / 1048576);
	else if (value >= 1024 && (long)value % 1024 == 0)
		snprintf(out, WORD_BYTES, "%.0fKi", value / 1024);
	return ((long)value & ((long)value - 1)) == 0;
}

static void draw_axis(struct explorer *e, struct rect area, int row)
{
	const struct phase_axis *x = &e->phase.phase.x;
	int left = area.col + label_cols(e), step = cell_cols(e, area.cols), free_from = 0, now = left + x->present * step, now_end;
	char label[WORD_BYTES];

	cells_put(&e->cells, (struct rect){ area.row, area.col, area.rows, left - area.col - 1 }, row, area.col + 3, STYLE_HEADER, parameter_at(x->id)->name);
	/* The present value first, then those that fit without touching. */
	axis_label(e, x, x->present, label);
	cells_put(&e->cells, area, row, now, STYLE_ACCENT, label);
	now_end = now + text_width(label) + 1;
	for (int i = 0; i < x->count; i++) {
		int col = left + i * step, wide;

		if (i == x->present || !axis_label(e, x, i, label))
			continue;
		wide = text_width(label);
		if (col < free_from || (i < x->present && col + wide >= now) || (i > x->present && col < now_end) || col + wide > area.col + area.cols)
			continue;
		free_from = col + wide + (parameter_at(x->id)->unit == UNIT_CHOICE ? 1 : 2);
		cells_put(&e->cells, area, row, col, STYLE_HEADER, label);
	}
}

/* Bars where the choice flips, each between the two values that it lies between, as far along as it is. */
static void draw_flips(struct explorer *e, struct rect area, int row, int y)
{
	const struct phase *phase = &e->phase.phase;
	int left = area.col + label_cols(e), step = cell_cols(e, area.cols);

	if (phase->lines == NULL)
		return;
	for (size_t i = 1; i < phase->lines[y].count; i++) {
		double at = (double)phase->lines[y].segments[i].from;
		int x = 0;

		while (x + 1 < phase->x.count && phase->x.values[x + 1] < at)
			x++;
		if (x + 1 < phase->x.count && phase->x.values[x] < at)
			cells_put(&e->cells, area, row, left + x * step + 1 + (int)((step - 1) * 0.999 * (at - phase->x.values[x]) / (phase->x.values[x + 1] - phase->x.values[x])),
				STYLE_RULE, e->ascii ? "|" : "\xE2\x94\x82");
	}
}

static const char *cell_glyph(const struct explorer *e, int state, enum style *style)
{
	const char *glyph = layers_state_glyph(e, e->row, state, style);

	return state == PHASE_UNSOLVED ? "?" : state == PHASE_IMPOSSIBLE ? "!" : glyph;
}

static void draw_cell(struct explorer *e, struct rect area, int row, int col, int x, int y)
{
	const struct phase_pane *pane = &e->phase;
	bool now = x == pane->phase.x.present && y == pane->phase.y.present, cursor = x == pane->x && y == pane->y && e->focus == FOCUS_ROWS;
	enum style style;
	const char *glyph = cell_glyph(e, phase_state(&pane->phase, x, y, e->level), &style);

	if (now) {
		cells_put(&e->cells, area, row, col - 1, STYLE_ACCENT, "[");
		cells_put(&e->cells, area, row, col + 1, STYLE_ACCENT, "]");
	}
	cells_put(&e->cells, area, row, col, (uint8_t)(style | (cursor ? STYLE_FOCUS : 0)), glyph);
	if (cursor) {
		e->cells.cursor_row = row;
		e->cells.cursor_col = col;
	}
}

static int shown_rows(const struct phase *phase, struct rect map)
{
	return phase->y.count < map.rows ? phase->y.count : map.rows;
}

static void draw_map(struct explorer *e, struct rect area)
{
	const struct phase *phase = &e->phase.phase;
	int shown = shown_rows(phase, area), top = top_value(&e->phase, shown), labels = label_cols(e), step = cell_cols(e, area.cols);

	for (int i = 0; i < shown; i++) {
		int y = top - i, row = area.row + i;
		char label[WORD_BYTES];

		value_word(e, &phase->y, y, label);
		cells_put_padded(&e->cells, area, row, area.col + 3, labels - 5, ALIGN_RIGHT, (uint8_t)(y == phase->y.present ? STYLE_ACCENT : STYLE_HEADER), label);
		draw_flips(e, area, row, y);
		for (int x = 0; x < phase->x.count; x++)
			draw_cell(e, area, row, area.col + labels + x * step, x, y);
	}
}

/* All levels' choices at the cursor, in words. */
static void draw_readout(struct explorer *e, struct rect area)
{
	const struct phase_pane *pane = &e->phase;
	const struct phase *phase = &pane->phase;
	char text[192], x[WORD_BYTES], y[WORD_BYTES];
	int col = area.col + 3;

	value_word(e, &phase->x, pane->x, x);
	value_word(e, &phase->y, pane->y, y);
	snprintf(text, sizeof text, "%s %s, %s %s: ", parameter_at(phase->x.id)->name, x, parameter_at(phase->y.id)->name, y);
	col += cells_put(&e->cells, area, area.row, col, STYLE_DIM, text);
	for (int level = 1; level <= LEVELS_MAX && phase_state(phase, pane->x, pane->y, level) != NO_STATE; level++) {
		enum style style;
		int state = phase_state(phase, pane->x, pane->y, level);
		const char *glyph = cell_glyph(e, state, &style);

		snprintf(text, sizeof text, "H%d ", level);
		col += cells_put(&e->cells, area, area.row, col, (uint8_t)(level == e->level ? STYLE_ACCENT : STYLE_DIM), text);
		col += cells_put(&e->cells, area, area.row, col, (uint8_t)style, glyph);
		snprintf(text, sizeof text, " %s  ", state >= 0 ? state_name(layers_is_junction(e, e->row), state) : "");
		col += cells_put(&e->cells, area, area.row, col, STYLE_TEXT, text);
	}
}

/* The cursor's line of exact flips. */
static void draw_exact(struct explorer *e, struct rect area)
{
	const struct phase *phase = &e->phase.phase;
	const struct flips *flips = phase->lines != NULL ? &phase->lines[e->phase.y] : NULL;
	const struct parameter *p = parameter_at(phase->x.id);
	char text[96], value[WORD_BYTES];
	int col = area.col + 3;

	if (flips == NULL || flips->count == 0)
		return;
	if (flips->count == 1)
		snprintf(text, sizeof text, "exact: no %s changes it here", p->name);
	else
		snprintf(text, sizeof text, "exact, by %s: %s", p->name, state_name(layers_is_junction(e, e->row), flips->segments[0].state));
	col += cells_put(&e->cells, area, area.row, col, STYLE_DIM, text);
	for (size_t i = 1; i < flips->count && col < area.col + area.cols; i++) {
		if (p->unit == UNIT_RATE)
			units_print_rate((double)flips->segments[i].from, value, sizeof value);
		else
			units_print(p->unit, (double)flips->segments[i].from, value, sizeof value);
		snprintf(text, sizeof text, ", %s from %s", state_name(layers_is_junction(e, e->row), flips->segments[i].state), value);
		col += cells_put(&e->cells, area, area.row, col, STYLE_TEXT, text);
	}
}

static void draw_legend(struct explorer *e, struct rect area)
{
	char text[96];
	int col = area.col + 3;

	for (int state = 0; state < STATES_MAX; state++) {
		enum style style;
		const char *glyph = layers_state_glyph(e, e->row, state, &style);

		col += cells_put(&e->cells, area, area.row, col, (uint8_t)style, glyph) + 1;
		snprintf(text, sizeof text, "%s   ", state_name(layers_is_junction(e, e->row), state));
		col += cells_put(&e->cells, area, area.row, col, STYLE_DIM, text);
	}
	snprintf(text, sizeof text, "%s no level  ? too long  ! no such links  [ ] now", style_glyph(GLYPH_EMPTY, e->ascii));
	cells_put(&e->cells, area, area.row, col, STYLE_DIM, text);
}

static const char *state_of_map(const struct explorer *e)
{
	const struct phase_pane *pane = &e->phase;

	if (pane->stale)
		return e->working ? "the map is of the values before, computing ..." : "the map is of the values before";
	return !pane->phase.coarse ? "" : e->working ? "a coarse map, computing the rest ..." : "a coarse map: every few points are solved";
}

static void draw(struct explorer *e, struct rect area)
{
	struct phase_pane *pane = &e->phase;
	struct rect map = { area.row + 1, area.col, area.rows - 1 - LINES_BELOW, area.cols };
	int col;

	if (e->results->model == NULL || e->row < 0 || area.rows < 2 + LINES_BELOW)
		return;
	if (!pane->valid) {
		cells_wrap(&e->cells, (struct rect){ area.row + 1, area.col + 3, area.rows - 1, area.cols - 4 }, 0, STYLE_DIM, pane->trouble[0] != '\0' ? pane->trouble :
			!layers_has_choice(e, e->row) ? "this row has no choice, so there is no map of it" :
			e->results->plan != NULL && e->results->plan->levels == 0 ? "one accelerator has no choices: raise accelerators" : "the map waits for the plan");
		return;
	}
	place_cursor(e);
	col = area.col + 3 + cells_put(&e->cells, area, area.row, area.col + 3, STYLE_HEADER, parameter_at(pane->phase.y.id)->name) + 2;
	cells_put(&e->cells, area, area.row, col, STYLE_STALE, state_of_map(e));
	draw_map(e, map);
	area.row = map.row + shown_rows(&pane->phase, map);
	area.rows = LINES_BELOW;
	draw_axis(e, area, area.row);
	draw_readout(e, (struct rect){ area.row + 1, area.col, 1, area.cols });
	draw_exact(e, (struct rect){ area.row + 2, area.col, 1, area.cols });
	draw_legend(e, (struct rect){ area.row + 3, area.col, 1, area.cols });
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
	case MOVE_LAST: pane->x = pane->phase.x.count - 1; break;
	default: break;
	}
	place_cursor(e);
}

/* Enter makes the point under the cursor the present one. */
static enum status enter(struct explorer *e, struct diagnostic *d)
{
	const struct phase_pane *pane = &e->phase;
	char line[256], x[WORD_BYTES], y[WORD_BYTES];

	if (!pane->valid)
		return diagnostic_fail(d, STATUS_INPUT, "the map is not there yet");
	value_word(e, &pane->phase.x, pane->x, x);
	value_word(e, &pane->phase.y, pane->y, y);
	snprintf(line, sizeof line, "set %s=%s %s=%s", parameter_at(pane->phase.x.id)->name, x, parameter_at(pane->phase.y.id)->name, y);
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
	struct rect map = { 1, 0, e->layout.main.rows - 1 - LINES_BELOW, e->layout.main.cols };
	int shown, labels;

	if (!pane->valid)
		return;
	shown = shown_rows(&pane->phase, map);
	labels = label_cols(e);
	if (row < 1 || row > shown || col < labels - 1)
		return;
	pane->x = (col - labels + 1) / cell_cols(e, e->layout.main.cols);
	pane->y = top_value(pane, shown) - (row - 1);
	place_cursor(e);
}

static const struct hint hints[] = {
	{ "explain", "go there" }, { "level up", "level" }, { "prompt search /", "other layer" }, { "view layers", "layers" },
	{ "focus dials", "dials" }, { "help", "help" }, { NULL, NULL }
};

const struct view view_phase = {
	.name = "phase", .context = CONTEXT_PHASE, .dials = DIAL_PLAN | DIAL_MAP, .inspection = &inspect_layer, .hints = hints, .build = build, .heading = heading,
	.wants = wants, .draw = draw, .move = move, .enter = enter, .search = search, .click = click
};
