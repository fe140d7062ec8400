/* The layers view: one row a layer or junction, its choice at every level as a strip (HyPar's Fig. 5: hollow circle
 * for dp, filled for mp), the bytes it moves, how sure the choice is. */
#include "ui/inside.h"

#include "base/units.h"
#include "partition/problem.h"
#include "report/explain.h"
#include "report/ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum column {
	COLUMN_LAYER, COLUMN_KIND, COLUMN_SHAPE, COLUMN_PARAMS, COLUMN_MACS, COLUMN_TYPES, COLUMN_MOVED, COLUMN_SHARE,
	COLUMN_SURE, COLUMN_TIME, COLUMN_BOUND, COLUMN_USE, COLUMN_INTENSITY, COLUMN_CHANGE, LAYERS_COLUMNS
};

enum { BAR_CELLS = 8, NAME_MOST = 28 };

static const struct table_column columns[LAYERS_COLUMNS] = {
	[COLUMN_LAYER]  = { "layer", "layer", 5, ALIGN_LEFT, 0 },
	[COLUMN_KIND]   = { "kind", "kind", 9, ALIGN_LEFT, 10 },
	[COLUMN_SHAPE]  = { "shape", "shape", 10, ALIGN_LEFT, 5 },
	[COLUMN_PARAMS] = { "params", "params", 6, ALIGN_RIGHT, 7 },
	[COLUMN_MACS]   = { "macs", "MACs", 6, ALIGN_RIGHT, 8 },
	[COLUMN_TYPES]  = { "types", "", 0, ALIGN_LEFT, 0 },
	[COLUMN_MOVED]  = { "moved", "moved", 9, ALIGN_RIGHT, 1 },
	[COLUMN_SHARE]  = { "share", "of total", BAR_CELLS, ALIGN_LEFT, 9 },
	[COLUMN_SURE]   = { "sure", "sure", BAR_CELLS, ALIGN_LEFT, 2 },
	[COLUMN_TIME]   = { "time", "time", 8, ALIGN_RIGHT, 6 },
	[COLUMN_BOUND]  = { "bound", "bound", 8, ALIGN_LEFT, 9 },
	[COLUMN_USE]    = { "use", "use %", 5, ALIGN_RIGHT, 11 },
	[COLUMN_INTENSITY] = { "intensity", "FLOP/B", 7, ALIGN_RIGHT, 12 },
	[COLUMN_CHANGE] = { "change", "last edit", 11, ALIGN_RIGHT, 3 },
};

static const struct operator *operator_of(const struct explorer *e, int row)
{
	return &e->results->model->operators[row];
}

bool layers_has_choice(const struct explorer *e, int row)
{
	const struct problem *problem = e->results->problem;

	return problem != NULL && row >= 0 && row < problem->rows && problem->var_of_row[row] >= 0;
}

bool layers_is_junction(const struct explorer *e, int row)
{
	return operator_is_junction(operator_of(e, row));
}

const char *layers_state_glyph(const struct explorer *e, int row, int state, enum style *style)
{
	static const enum glyph glyphs[2][STATES_MAX] = {
		{ GLYPH_DP, GLYPH_MP, GLYPH_OP }, { GLYPH_ROW, GLYPH_COL, GLYPH_FULL }
	};
	static const enum style styles[STATES_MAX] = { STYLE_DP, STYLE_MP, STYLE_OP };

	if (state < 0 || state >= STATES_MAX) {
		*style = STYLE_DIM;
		return style_glyph(GLYPH_EMPTY, e->ascii);
	}
	*style = styles[state];
	return style_glyph(glyphs[layers_is_junction(e, row)][state], e->ascii);
}

/* Of a row at the focused level; NAN when nothing is known of it. */
static double sureness(const struct explorer *e, int row)
{
	const struct results *r = e->results;

	return r->plan == NULL || r->margins == NULL || r->plan->levels < e->level ? NAN : margins_sureness(r->margins, r->plan, row, e->level);
}

static bool listed(void *self, int id)
{
	const struct explorer *e = self;

	if (e->folded && blocks_first(e->results->training->blocks, id) != id)
		return false;
	return layers_has_choice(e, id) || operator_of(e, id)->kind == OPERATOR_OPAQUE;
}

static const char *row_text(void *self, int id)
{
	return operator_of(self, id)->name;
}

/* The strip as one number: mp at the outermost level weighs most. */
static double types_order(const struct explorer *e, int id)
{
	const struct plan *plan = e->results->plan;
	double order = 0;

	for (int level = 0; plan != NULL && level < plan->levels; level++)
		order = order * 4 + plan_state(plan, id, level + 1) + 1;
	return order;
}

/* What the row takes of the step on one accelerator, as a number to sort by; NAN without a step. */
static double step_value(const struct explorer *e, int column, int row)
{
	const struct step_row *r = e->results->step != NULL ? &e->results->step->rows[row] : NULL;

	if (r == NULL)
		return NAN;
	switch (column) {
	case COLUMN_BOUND: return r->bound;
	case COLUMN_USE: return r->utilisation;
	case COLUMN_INTENSITY: return timing_intensity(r->macs, r->bytes);
	default: return r->seconds;
	}
}

static void step_text(const struct explorer *e, int column, int row, char *out, size_t size)
{
	const struct step_row *r = e->results->step != NULL ? &e->results->step->rows[row] : NULL;
	double value = step_value(e, column, row);

	out[0] = '\0';
	if (r == NULL || isnan(value))
		return;
	switch (column) {
	case COLUMN_BOUND:
		snprintf(out, size, "%s", ops_row_binds(r));
		break;
	case COLUMN_USE: snprintf(out, size, "%.1f", 100 * value); break;
	case COLUMN_INTENSITY: snprintf(out, size, "%.3g", value); break;
	default: units_print_seconds(value, out, size);
	}
}

static int compare(void *self, int column, int a, int b)
{
	const struct explorer *e = self;
	const struct operator *left = operator_of(e, a), *right = operator_of(e, b);
	const struct plan *plan = e->results->plan;

	switch (column) {
	case COLUMN_LAYER: return strcmp(left->name, right->name);
	case COLUMN_KIND: return strcmp(operator_kind_name(left->kind), operator_kind_name(right->kind));
	case COLUMN_SHAPE: return table_by_number((double)shape_elements(left->in), (double)shape_elements(right->in));
	case COLUMN_PARAMS: return table_by_number((double)left->params, (double)right->params);
	case COLUMN_MACS: return table_by_number((double)left->macs, (double)right->macs);
	case COLUMN_TYPES: return table_by_number(types_order(e, a), types_order(e, b));
	case COLUMN_TIME: case COLUMN_BOUND: case COLUMN_USE: case COLUMN_INTENSITY: return table_by_number(step_value(e, column, a), step_value(e, column, b));
	case COLUMN_SURE: return table_by_number(sureness(e, a), sureness(e, b));
	default: return plan != NULL ? table_by_number(plan->row_elements[a], plan->row_elements[b]) : 0;
	}
}

static bool on(const struct explorer *e, int id, enum column column)
{
	return e->focus == FOCUS_ROWS && e->view == VIEW_LAYERS && id == e->row && e->layers_column == (int)column;
}

static void put_cursor(struct explorer *e, struct rect area, int col)
{
	e->cells.cursor_row = area.row;
	e->cells.cursor_col = col;
}

static void draw_types(struct explorer *e, struct rect area, int id, uint8_t bits)
{
	const struct plan *plan = e->results->plan;
	bool stale = e->results->plan_state != FRESH;

	for (int level = 1; plan != NULL && level <= plan->levels; level++) {
		enum style style;
		const char *glyph = layers_state_glyph(e, id, plan_state(plan, id, level), &style);
		int col = area.col + 1 + 2 * (level - 1);
		uint8_t own = bits;

		if (id == e->row && level == e->level && on(e, id, COLUMN_TYPES)) {
			own |= STYLE_FOCUS;
			put_cursor(e, area, col);
		}
		if (stale)
			style = STYLE_STALE;
		else if (marks_flipped(e, id, level))
			style = STYLE_CHANGED;
		cells_put(&e->cells, area, area.row, col, (uint8_t)(style | own), glyph);
		if (plan->pinned[id * plan->levels + level - 1])
			cells_put(&e->cells, area, area.row, col - 1, STYLE_ACCENT, style_glyph(GLYPH_PIN, e->ascii));
		else if (marks_flipped(e, id, level) && !stale)
			cells_put(&e->cells, area, area.row, col - 1, STYLE_CHANGED, style_glyph(GLYPH_FLIP, e->ascii));
	}
}

static void draw_bar(struct explorer *e, struct rect area, double fraction, uint8_t bits)
{
	char bar[BAR_CELLS * 4];

	style_bar(fraction, BAR_CELLS, e->ascii, bar, sizeof bar);
	if (isnan(fraction))
		return;
	/* A tie has no bar at all, which would look like nothing known. */
	if (bar[0] == '\0')
		snprintf(bar, sizeof bar, "%s", fraction == 0 ? "tie" : e->ascii ? "." : "▏");
	cells_put_padded(&e->cells, area, area.row, area.col, area.cols, ALIGN_LEFT, (uint8_t)(STYLE_BAR | bits), bar);
}

/* Flip mark, arrow and change, each in its own column so that they line up. */
static void draw_change(struct explorer *e, struct rect area, double now, double before, bool flipped, uint8_t bits)
{
	char change[FORMAT_BYTES];

	format_change(now, before, e->ascii, change, sizeof change);
	if (flipped)
		cells_put(&e->cells, area, area.row, area.col, (uint8_t)(STYLE_CHANGED | bits), style_glyph(GLYPH_FLIP, e->ascii));
	if (change[0] == '\0')
		return;
	cells_put(&e->cells, area, area.row, area.col + 2, (uint8_t)(STYLE_CHANGED | bits), style_glyph(now > before ? GLYPH_UP : GLYPH_DOWN, e->ascii));
	cells_put_right(&e->cells, area, area.row, (uint8_t)(STYLE_CHANGED | bits), change);
}

/* True when a repetition of the row chose otherwise. */
static bool repeats_differ(const struct explorer *e, int row)
{
	const struct blocks *b = e->results->training->blocks;
	const struct plan *plan = e->results->plan;
	const struct block_run *run = &b->runs[b->run_of[row]];

	for (int i = 1; plan != NULL && i < run->count; i++)
		for (int level = 1; level <= plan->levels; level++)
			if (plan_state(plan, row, level) != plan_state(plan, row + i * run->length, level))
				return true;
	return false;
}

/* Folded, how often the row stands there, and whether not all of these chose alike. */
static void layer_name(const struct explorer *e, int row, char *out, size_t size)
{
	int count = e->folded ? blocks_count(e->results->training->blocks, row) : 1;

	if (count == 1)
		snprintf(out, size, "%s", operator_of(e, row)->name);
	else
		snprintf(out, size, "%s %s%d%s", operator_of(e, row)->name, style_glyph(GLYPH_TIMES, e->ascii), count, repeats_differ(e, row) ? e->ascii ? " !=" : " ≠" : "");
}

static void cell_text(const struct explorer *e, int column, int id, char *out, size_t size)
{
	const struct operator *o = operator_of(e, id);
	const struct plan *plan = e->results->plan;

	out[0] = '\0';
	switch (column) {
	case COLUMN_LAYER: layer_name(e, id, out, size); break;
	case COLUMN_KIND: snprintf(out, size, "%s", operator_kind_name(o->kind)); break;
	case COLUMN_SHAPE: shape_print(o, &e->shape, out, size); break;
	case COLUMN_PARAMS:
		if (o->params > 0)
			format_number((double)o->params, e->ascii, out, size);
		break;
	case COLUMN_MACS:
		if (o->macs > 0)
			format_number((double)o->macs, e->ascii, out, size);
		break;
	case COLUMN_TIME: case COLUMN_BOUND: case COLUMN_USE: case COLUMN_INTENSITY: step_text(e, column, id, out, size); break;
	case COLUMN_MOVED:
		if (plan != NULL && layers_has_choice(e, id))
			format_scaled(e->scale, explorer_bytes(e, plan->row_elements[id]), out, size);
		break;
	default: break;
	}
}

static void draw_cell(void *self, struct cells *cells, struct rect area, int column, int id, uint8_t bits)
{
	struct explorer *e = self;
	const struct results *r = e->results;
	bool opaque = operator_of(e, id)->kind == OPERATOR_OPAQUE;
	enum style style = column == COLUMN_KIND || column == COLUMN_SHAPE || column == COLUMN_BOUND || opaque ? STYLE_DIM : STYLE_TEXT;
	char text[NAME_MOST + 256];

	if (column == COLUMN_TYPES) {
		draw_types(e, area, id, bits);
		return;
	}
	if (column == COLUMN_CHANGE) {
		double before;

		if (r->plan != NULL && r->plan_state == FRESH && layers_has_choice(e, id) && marks_before(e, id, &before))
			draw_change(e, area, explorer_bytes(e, r->plan->row_elements[id]), before, marks_any_flipped(e, id), bits);
		return;
	}
	if (column == COLUMN_MOVED && r->plan_state != FRESH)
		style = STYLE_STALE;
	if (on(e, id, (enum column)column)) {
		bits |= STYLE_FOCUS;
		put_cursor(e, area, area.col);
	}
	if (column == COLUMN_SURE && r->plan != NULL && e->level <= r->plan->levels && r->plan->pinned[id * r->plan->levels + e->level - 1]) {
		cells_put_padded(cells, area, area.row, area.col, area.cols, ALIGN_LEFT, (uint8_t)(STYLE_DIM | bits), "pinned");
	} else if (column == COLUMN_SURE) {
		draw_bar(e, area, sureness(e, id), bits);
	} else if (column == COLUMN_SHARE) {
		if (r->plan != NULL && r->plan->elements > 0 && layers_has_choice(e, id) && r->plan->row_elements[id] > 0)
			draw_bar(e, area, r->plan->row_elements[id] / r->plan->elements, bits & (uint8_t)~STYLE_FOCUS);
	} else {
		cell_text(e, column, id, text, sizeof text);
		cells_put_padded(cells, area, area.row, area.col, area.cols, columns[column].align, (uint8_t)(style | bits), text);
		if (column == COLUMN_LAYER && e->search != NULL)
			table_mark_match(cells, area, text, e->search);
	}
}

static struct table_source source_of(struct explorer *e)
{
	return (struct table_source){ e, e->results->model != NULL ? e->results->model->count : 0, listed, row_text, compare, draw_cell };
}

/* Widths that depend on the model: names, shapes; on the array: the strip; on the numbers: the unit of bytes. */
static void fit_columns(struct explorer *e)
{
	const struct results *r = e->results;
	struct table *table = &e->layers;
	int levels = r->plan != NULL ? r->plan->levels : 0, used;
	char text[256];

	memcpy(table->columns, columns, sizeof columns);
	table->column_count = LAYERS_COLUMNS;
	e->shape = (struct shape_form){ 1, 1, e->ascii ? 6 : 5, e->ascii };
	for (int i = 0; i < r->model->count; i++) {
		int from = snprintf(NULL, 0, "%lld", (long long)r->model->operators[i].in.ch);
		int to = snprintf(NULL, 0, "%lld", (long long)r->model->operators[i].out.ch);

		if (!listed(e, i))
			continue;
		e->shape.from = from > e->shape.from ? from : e->shape.from;
		e->shape.to = to > e->shape.to ? to : e->shape.to;
	}
	for (int i = 0; i < r->model->count; i++) {
		int width = 0;

		if (listed(e, i)) {
			layer_name(e, i, text, sizeof text);
			width = text_width(text);
		}

		if (width > table->columns[COLUMN_LAYER].width)
			table->columns[COLUMN_LAYER].width = width > NAME_MOST ? NAME_MOST : width;
		if (!listed(e, i))
			continue;
		shape_print(operator_of(e, i), &e->shape, text, sizeof text);
		if (text_width(text) > table->columns[COLUMN_SHAPE].width)
			table->columns[COLUMN_SHAPE].width = text_width(text);
	}
	table->columns[COLUMN_TYPES].width = levels > 0 ? 2 * levels : 0;
	used = levels > 0 ? snprintf(table->columns[COLUMN_TYPES].title, sizeof table->columns[COLUMN_TYPES].title, "H1") : 0;
	for (int level = 2; level <= levels && (size_t)used + 3 < sizeof table->columns[COLUMN_TYPES].title; level++)
		used += snprintf(table->columns[COLUMN_TYPES].title + used, sizeof table->columns[COLUMN_TYPES].title - (size_t)used, " %d", level % 10);
	e->scale = format_scale_bytes(r->plan != NULL ? explorer_bytes(e, r->plan->elements) : 0);
	snprintf(table->columns[COLUMN_MOVED].title, sizeof table->columns[COLUMN_MOVED].title, "moved %s", e->scale.unit);
	snprintf(table->columns[COLUMN_SURE].title, sizeof table->columns[COLUMN_SURE].title, "sure H%d", e->level);
	if (e->before.plan == NULL)
		table->columns[COLUMN_CHANGE].width = 0;
}

static void build(struct explorer *e)
{
	struct table_source source = source_of(e);

	if (e->results->model == NULL)
		return;
	fit_columns(e);
	e->layers.selected = e->row;
	table_rebuild(&e->layers, &source);
	if (e->layers.selected >= 0)
		e->row = e->layers.selected;
	if (e->layers_column < COLUMN_SHAPE || e->layers_column == COLUMN_SHARE || e->layers_column >= COLUMN_CHANGE || e->layers_column == COLUMN_BOUND)
		e->layers_column = COLUMN_TYPES;
}

/* ", 1 not understood, 2 warnings (w)"; returns its length. */
static int heading_warnings(const struct explorer *e, char *out, size_t size)
{
	const struct model *model = e->results->model;
	const struct diagnostics *of_plan = e->results->warnings;
	size_t lost = (size_t)(model->opaque + model->skipped);
	size_t warnings = model->problems.total - model->problems.errors + (of_plan != NULL ? of_plan->total : 0);
	char first[40] = "", second[40] = "", key[16];

	if (lost > 0)
		snprintf(first, sizeof first, ", %zu not understood", lost);
	if (warnings > 0)
		snprintf(second, sizeof second, ", %zu warning%s", warnings, warnings > 1 ? "s" : "");
	if (lost + warnings == 0)
		return 0;
	if (!keys_find(&e->keys, CONTEXT_LAYERS, "warnings", key, sizeof key))
		snprintf(key, sizeof key, ":warnings");
	return snprintf(out, size, "%s%s (%s)", first, second, key);
}

static void heading(struct explorer *e, char *out, size_t size)
{
	const struct model *model = e->results->model;
	int used = 0, all = 0;

	for (int i = 0; model != NULL && i < model->count; i++)
		all += listed(e, i);
	if (e->layers.filter != NULL)
		used = snprintf(out, size, "filter /%.60s/: %d of %d rows", regex_pattern(e->layers.filter), e->layers.count, all);
	else
		used = snprintf(out, size, e->folded ? "%d rows, repeats folded" : "%d rows", all);
	if (model != NULL && (size_t)used < size)
		used += heading_warnings(e, out + used, size - (size_t)used);
	if (e->layers.sort >= 0 && (size_t)used < size)
		snprintf(out + used, size - (size_t)used, ", by %s", e->layers.columns[e->layers.sort].name);
}

static void wants(struct explorer *e, int *rows, int *cols)
{
	*rows = e->layers.count + 2;
	*cols = 4;
	for (int i = 0; i < e->layers.column_count; i++)
		*cols += e->layers.columns[i].width > 0 ? e->layers.columns[i].width + 2 : 0;
}

/* The last row: what the columns add up to, from the results (never added here). */
static void draw_total(struct explorer *e, struct rect area)
{
	const struct results *r = e->results;
	const enum column column[] = { COLUMN_PARAMS, COLUMN_MACS, COLUMN_MOVED, COLUMN_TIME };
	struct rect change = table_column_place(&e->layers, area.cols, COLUMN_CHANGE);
	char text[FORMAT_BYTES];
	double before;

	cells_put(&e->cells, area, area.row, area.col + 3, STYLE_STRONG, "total");
	for (size_t i = 0; i < sizeof column / sizeof *column; i++) {
		struct rect place = table_column_place(&e->layers, area.cols, column[i]);
		bool stale = column[i] == COLUMN_MOVED && r->plan_state != FRESH;

		text[0] = '\0';
		if (column[i] == COLUMN_TIME && r->step != NULL)
			units_print_seconds(r->step->schedule.makespan, text, sizeof text);
		else if (column[i] == COLUMN_PARAMS || column[i] == COLUMN_MACS)
			format_number((double)(column[i] == COLUMN_PARAMS ? r->model->params : r->model->macs), e->ascii, text, sizeof text);
		else if (column[i] == COLUMN_MOVED && r->plan != NULL)
			format_scaled(e->scale, explorer_bytes(e, r->plan->elements), text, sizeof text);
		cells_put_padded(&e->cells, area, area.row, area.col + place.col, place.cols, ALIGN_RIGHT, (uint8_t)(stale ? STYLE_STALE : STYLE_STRONG), text);
	}
	if (r->plan != NULL && r->plan_state == FRESH && marks_before_total(e, &before) && change.cols > 0)
		draw_change(e, (struct rect){ area.row, area.col + change.col, 1, change.cols }, explorer_bytes(e, r->plan->elements), before, false, 0);
}

static void draw(struct explorer *e, struct rect area)
{
	struct table_source source = source_of(e);
	struct rect rows = area;

	if (e->results->model == NULL || area.rows < 2)
		return;
	rows.rows = area.rows - 1 < e->layers.count + 1 ? area.rows - 1 : e->layers.count + 1;
	table_draw(&e->layers, &source, &e->cells, rows, e->ascii, e->focus == FOCUS_ROWS);
	draw_total(e, (struct rect){ area.row + rows.rows, area.col, 1, area.cols });
	if (e->layers.count == 0)
		cells_put(&e->cells, area, area.row + 1, area.col + 3, STYLE_DIM, "no row matches the filter; F shows all");
}

/* Left and right go over the levels first, then on to the numbers on either side. */
static void move_sideways(struct explorer *e, int step)
{
	static const enum column order[] = { COLUMN_SHAPE, COLUMN_PARAMS, COLUMN_MACS, COLUMN_TYPES, COLUMN_MOVED, COLUMN_SURE, COLUMN_TIME, COLUMN_USE, COLUMN_INTENSITY };
	int levels = e->results->plan != NULL ? e->results->plan->levels : 0, at = 0;

	if (e->layers_column == COLUMN_TYPES && e->level + step >= 1 && e->level + step <= levels) {
		e->level += step;
		return;
	}
	while (order[at] != (enum column)e->layers_column)
		at++;
	for (at += step; at >= 0 && at < (int)(sizeof order / sizeof *order); at += step) {
		if (table_column_place(&e->layers, e->layout.main.cols, order[at]).cols == 0)
			continue;
		e->layers_column = (int)order[at];
		return;
	}
}

static void move(struct explorer *e, enum move move)
{
	if (move == MOVE_LEFT || move == MOVE_RIGHT)
		move_sideways(e, move == MOVE_LEFT ? -1 : 1);
	else
		table_move(&e->layers, move);
	explorer_select(e, e->layers.selected, 0);
	e->rebuild = true;
}

static enum status enter(struct explorer *e, struct diagnostic *d)
{
	static const enum quantity quantities[LAYERS_COLUMNS] = {
		[COLUMN_SHAPE] = QUANTITY_SHAPE, [COLUMN_PARAMS] = QUANTITY_PARAMS, [COLUMN_MACS] = QUANTITY_MACS,
		[COLUMN_TYPES] = QUANTITY_PLAN, [COLUMN_MOVED] = QUANTITY_MOVED, [COLUMN_SURE] = QUANTITY_MARGIN,
		[COLUMN_TIME] = QUANTITY_ROW_TIME, [COLUMN_USE] = QUANTITY_ROW_TIME, [COLUMN_INTENSITY] = QUANTITY_ROW_TIME
	};
	const struct plan *plan = e->results->plan;
	int state;

	if (e->results->model == NULL || e->row < 0)
		return diagnostic_fail(d, STATUS_INPUT, "there is no row to explain");
	if (plan == NULL || plan->levels == 0 || !layers_has_choice(e, e->row)) {
		if (e->layers_column >= COLUMN_TYPES && e->layers_column < COLUMN_TIME)
			return diagnostic_fail(d, STATUS_INPUT, "%s has no choice here", operator_of(e, e->row)->name);
		state = NO_STATE;
	} else {
		state = plan_state(plan, e->row, e->level);
	}
	explorer_explain(e, (int)quantities[e->layers_column], e->level, state);
	return STATUS_OK;
}

static bool search(struct explorer *e, struct regex *match, int direction, bool from_cursor)
{
	struct table_source source = source_of(e);
	int at;

	e->layers.selected = e->row;
	at = table_search(&e->layers, &source, match, direction, from_cursor);
	if (at < 0)
		return false;
	explorer_select(e, e->layers.ids[at], 0);
	return true;
}

static struct table *table_of(struct explorer *e)
{
	return &e->layers;
}

static void click(struct explorer *e, int row, int col)
{
	int at = e->layers.top + row - 1;

	if (row < 1 || at < 0 || at >= e->layers.count)
		return;
	explorer_select(e, e->layers.ids[at], 0);
	for (int column = COLUMN_SHAPE; column <= COLUMN_INTENSITY; column++) {
		struct rect place = table_column_place(&e->layers, e->layout.main.cols, column);

		if (column == COLUMN_SHARE || column == COLUMN_BOUND || col < place.col || col >= place.col + place.cols)
			continue;
		e->layers_column = column;
		if (column == COLUMN_TYPES)
			explorer_select(e, e->row, (col - place.col) / 2 + 1);
	}
	e->rebuild = true;
}

static const struct hint hints[] = {
	{ "cycle", "pin" }, { "explain", "formula" }, { "focus dials", "dials" }, { "prompt search /", "find" },
	{ "view path", "path" }, { "help", "help" }, { NULL, NULL }
};

const struct view view_layers = {
	.name = "layers", .context = CONTEXT_LAYERS, .dials = DIAL_PLAN, .inspection = &inspect_layer, .hints = hints, .build = build, .heading = heading,
	.wants = wants, .draw = draw, .move = move, .enter = enter, .search = search, .table = table_of, .click = click
};
