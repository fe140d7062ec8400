/* The path view: the training step as a Gantt chart of the cores, and below it a table of its operators.
 *
 * Rows and bars are tasks of the schedule, known by the training node that heads them.  The lane "path" shows what the step's length
 * comes from: from its last operator back along what each one waited for. */
#include "ui/inside.h"

#include "base/units.h"
#include "report/operator.h"
#include "report/ops.h"
#include "ui/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum column { COLUMN_OPERATOR, COLUMN_ON, COLUMN_PRODUCT, COLUMN_START, COLUMN_TIME, COLUMN_SLACK, COLUMN_BOUND, COLUMN_USE, COLUMN_SHARE, PATH_COLUMNS };

enum { NAME_LEAST = 12, NAME_MOST = 34, BAR_CELLS = 8 };

static const struct table_column columns[PATH_COLUMNS] = {
	[COLUMN_OPERATOR] = { "operator", "operator", NAME_LEAST, ALIGN_LEFT, 0 },
	[COLUMN_ON]       = { "on", "on", 7, ALIGN_LEFT, 4 },
	[COLUMN_PRODUCT]  = { "product", "M x N x K", 18, ALIGN_LEFT, 8 },
	[COLUMN_START]    = { "start", "start", 8, ALIGN_RIGHT, 2 },
	[COLUMN_TIME]     = { "time", "time", 8, ALIGN_RIGHT, 0 },
	[COLUMN_SLACK]    = { "slack", "slack", 8, ALIGN_RIGHT, 1 },
	[COLUMN_BOUND]    = { "bound", "bound", 8, ALIGN_LEFT, 3 },
	[COLUMN_USE]      = { "use", "use %", 5, ALIGN_RIGHT, 5 },
	[COLUMN_SHARE]    = { "of-step", "of step", BAR_CELLS, ALIGN_LEFT, 6 },
};

static const struct step *step_of(const struct explorer *e)
{
	return e->results->step;
}

static int task_of(const struct explorer *e, int node)
{
	return step_of(e)->nodes[node].task;
}

int path_focused(const struct explorer *e)
{
	const struct step *step = step_of(e);

	return step == NULL || e->path.node < 0 || e->path.node >= step->node_count ? -1 : step->tasks[task_of(e, e->path.node)].node;
}

/* ---- the table ---- */

static bool listed(void *self, int id)
{
	return step_of(self)->nodes[id].taken_by < 0;
}

static const char *row_text(void *self, int id)
{
	struct explorer *e = self;

	text_clear(&e->path.label);
	ops_label(e->results->training, step_of(e), task_of(e, id), &e->path.label);
	return text_string(&e->path.label);
}

static double column_value(const struct explorer *e, int column, int id)
{
	const struct step *step = step_of(e);
	int task = task_of(e, id);
	const struct step_task *t = &step->tasks[task];

	switch (column) {
	case COLUMN_ON: return t->core;
	case COLUMN_PRODUCT: return t->timing.macs;
	case COLUMN_SLACK: return step->bounds.tasks[task].slack;
	case COLUMN_BOUND: return step_timing(t)->bound;
	case COLUMN_USE: return step_timing(t)->utilisation;
	case COLUMN_START: return step->schedule.tasks[task].start;
	default: return t->seconds;
	}
}

static int compare(void *self, int column, int a, int b)
{
	char left[600];

	if (column != COLUMN_OPERATOR)
		return table_by_number(column_value(self, column, a), column_value(self, column, b));
	snprintf(left, sizeof left, "%s", row_text(self, a));
	return strcmp(left, row_text(self, b));
}

static void cell_text(struct explorer *e, int column, int id, char *out, size_t size)
{
	const struct step *step = step_of(e);
	int task = task_of(e, id);
	const struct step_task *t = &step->tasks[task];
	const struct step_node *n = &step->nodes[id];
	struct text on = { 0 };

	out[0] = '\0';
	switch (column) {
	case COLUMN_OPERATOR: snprintf(out, size, "%s", row_text(e, id)); break;
	case COLUMN_ON:
		ops_on(step, task, &on);
		if (t->spreads)
			snprintf(out, size, "%s", t->core == CORE_VC ? "all VC" : t->core == CORE_TC ? "all TC" : "all");
		else
			snprintf(out, size, "%s", text_string(&on));
		text_free(&on);
		break;
	case COLUMN_PRODUCT:
		if (n->gemm_count > 0)
			snprintf(out, size, "%lldx%lldx%lld", (long long)n->gemms[0].m, (long long)n->gemms[0].n, (long long)n->gemms[0].k);
		break;
	case COLUMN_START: units_print_seconds(step->schedule.tasks[task].start, out, size); break;
	case COLUMN_TIME: units_print_seconds(t->seconds, out, size); break;
	case COLUMN_SLACK:
		if (step->bounds.tasks[task].critical)
			snprintf(out, size, "critical");
		else
			units_print_seconds(step->bounds.tasks[task].slack, out, size);
		break;
	case COLUMN_BOUND:
		snprintf(out, size, "%s", ops_binds(step, task));
		break;
	case COLUMN_USE:
		if (n->gemm_count > 0 && !n->measured)
			snprintf(out, size, "%.1f", 100 * step_timing(t)->utilisation);
		break;
	default: break;
	}
}

static void draw_cell(void *self, struct cells *cells, struct rect area, int column, int id, uint8_t bits)
{
	struct explorer *e = self;
	const struct step *step = step_of(e);
	bool critical = step->bounds.tasks[task_of(e, id)].critical;
	enum style style = column == COLUMN_ON || column == COLUMN_PRODUCT ? STYLE_DIM : critical && column == COLUMN_SLACK ? STYLE_ACCENT : STYLE_TEXT;
	char text[640];

	if (column == COLUMN_SHARE) {
		char bar[BAR_CELLS * 4];

		style_bar(step->tasks[task_of(e, id)].seconds / step->schedule.makespan, BAR_CELLS, e->ascii, bar, sizeof bar);
		cells_put_padded(cells, area, area.row, area.col, area.cols, ALIGN_LEFT, (uint8_t)(STYLE_BAR | bits), bar);
		return;
	}
	cell_text(e, column, id, text, sizeof text);
	cells_put_padded(cells, area, area.row, area.col, area.cols, columns[column].align, (uint8_t)(style | bits), text);
	if (column == COLUMN_OPERATOR && e->search != NULL)
		table_mark_match(cells, area, text, e->search);
}

static struct table_source source_of(struct explorer *e)
{
	return (struct table_source){ e, step_of(e) != NULL ? step_of(e)->node_count : 0, listed, row_text, compare, draw_cell };
}

/* ---- the view ---- */

static void select_node(struct explorer *e, int node)
{
	e->path.node = e->path.table.selected = node;
	if (node >= 0 && e->results->training->nodes[node].row >= 0)
		explorer_select(e, e->results->training->nodes[node].row, 0);
	e->path.row = e->row;
	path_follow(e);
	e->rebuild = true;
}

static void fit_columns(struct explorer *e)
{
	struct table *table = &e->path.table;

	memcpy(table->columns, columns, sizeof columns);
	table->column_count = PATH_COLUMNS;
	for (int node = 0; node < step_of(e)->node_count; node++) {
		int width = listed(e, node) ? text_width(row_text(e, node)) : 0;

		if (width > table->columns[COLUMN_OPERATOR].width)
			table->columns[COLUMN_OPERATOR].width = width > NAME_MOST ? NAME_MOST : width;
	}
}

/* Opened on another model: the window is the whole step, the focus its first operator. */
static void start(struct explorer *e)
{
	e->path.model = e->results->model_serial;
	e->path.span = 0;
	e->path.node = -1;
	regex_free(e->path.table.filter);
	e->path.table.filter = NULL;
}

/* The first operator of a row; -1 when others carry out all of it. */
static int node_of_row(struct explorer *e, int row)
{
	for (int node = 0; node < step_of(e)->node_count; node++)
		if (e->results->training->nodes[node].row == row && listed(e, node))
			return node;
	return -1;
}

static void build(struct explorer *e)
{
	struct path_pane *pane = &e->path;
	struct table_source source = source_of(e);
	double all;

	if (step_of(e) == NULL)
		return;
	if (pane->model != e->results->model_serial)
		start(e);
	all = step_of(e)->schedule.makespan;
	/* of a step of another length the same part is shown */
	if (pane->all > 0 && pane->span > 0 && pane->all != all) {
		pane->from *= all / pane->all;
		pane->span *= all / pane->all;
	}
	pane->all = all;
	path_clamp(e);
	fit_columns(e);
	if (pane->row != e->row && e->row >= 0 && node_of_row(e, e->row) >= 0) {
		pane->node = node_of_row(e, e->row);
		path_follow(e);
	}
	if (path_focused(e) < 0)
		pane->node = step_of(e)->tasks[0].node;
	pane->table.selected = path_focused(e);
	table_rebuild(&pane->table, &source);
	if (pane->table.selected >= 0)
		pane->node = pane->table.selected;
	pane->row = e->row;
}

static void heading(struct explorer *e, char *out, size_t size)
{
	const struct step *step = step_of(e);
	bool wide = e->layout.rule.cols == 0 || e->layout.rule.cols >= 90;      /* 0: before the first frame */
	char bound[32];

	out[0] = '\0';
	if (step == NULL)
		return;
	units_print_seconds(step->bounds.makespan, bound, sizeof bound);
	if (wide && e->results->plan->levels > 0)
		snprintf(out, size, "one of %.0f, ", explorer_value(e, PARAMETER_ACCELERATORS));
	snprintf(out + strlen(out), size - strlen(out), "bound %s", bound);
	if (wide)
		snprintf(out + strlen(out), size - strlen(out), " (%s)", ops_bound_by(step->bounds.by));
	snprintf(out + strlen(out), size - strlen(out), ", critical %d of %d", step->critical, step->task_count);
	if (e->path.span < step->schedule.makespan)
		snprintf(out + strlen(out), size - strlen(out), ", zoom %.0f%s", step->schedule.makespan / e->path.span, style_glyph(GLYPH_TIMES, e->ascii));
}

static void wants(struct explorer *e, int *rows, int *cols)
{
	*rows = step_of(e) != NULL ? e->path.table.count + path_chart_rows(e, 40) + 2 : 4;
	*cols = 96;
}

static void draw_nothing(struct explorer *e, struct rect area)
{
	const struct results *r = e->results;
	const char *text = r->step_trouble[0] != '\0' ? r->step_trouble : r->plan_state == SKIPPED ? "The plan was stopped before it was known, so there is no step; any edit starts it again."
		: "The plan is being computed; the step follows it.";

	cells_wrap(&e->cells, (struct rect){ area.row + 1, area.col + 3, area.rows - 1, area.cols - 4 }, 0, r->step_trouble[0] != '\0' ? STYLE_ERROR : STYLE_STALE, text);
}

/* Where there is no room for a table: its focused row. */
static void draw_focused(struct explorer *e, struct rect area)
{
	static const int shown[] = { COLUMN_OPERATOR, COLUMN_TIME, COLUMN_SLACK };
	int col = area.col + 3;
	char text[640];

	if (area.rows < 1 || path_focused(e) < 0)
		return;
	cells_put(&e->cells, area, area.row, area.col + 1, STYLE_ACCENT, style_glyph(GLYPH_CURSOR, e->ascii));
	for (int i = 0; i < 3; i++) {
		cell_text(e, shown[i], path_focused(e), text, sizeof text);
		col += cells_put(&e->cells, area, area.row, col, STYLE_TEXT, text) + 2;
	}
}

static void draw(struct explorer *e, struct rect area)
{
	struct table_source source = source_of(e);
	int rows;

	if (e->results->model == NULL || area.rows < 4)
		return;
	if (step_of(e) == NULL) {
		draw_nothing(e, area);
		return;
	}
	rows = path_chart_draw(e, area);
	area.row += rows;
	area.rows -= rows;
	e->path.table_row = rows;
	if (area.rows < 2) {
		draw_focused(e, area);
		return;
	}
	table_draw(&e->path.table, &source, &e->cells, area, e->ascii, e->focus == FOCUS_ROWS);
	if (e->path.table.count == 0)
		cells_put(&e->cells, area, area.row + 1, area.col + 3, STYLE_DIM, "no operator matches the filter; F shows all");
}

/* Sideways: to the operator before or after on the same core. */
static void move_sideways(struct explorer *e, int direction)
{
	const struct step *step = step_of(e);
	int from = task_of(e, path_focused(e)), best = -1;
	const struct placing *here = &step->schedule.tasks[from];

	for (int task = 0; task < step->task_count; task++) {
		const struct placing *p = &step->schedule.tasks[task];
		/* what runs on no core has a lane too */
		bool same = step->tasks[from].core == CORE_NONE && step->tasks[task].core == CORE_NONE && p->end > p->start;

		for (int r = 0; r < RESOURCE_COUNT; r++)
			same = same || (here->core[r] != CORE_UNUSED && p->core[r] != CORE_UNUSED && (p->core[r] == here->core[r] || p->core[r] == CORE_ALL || here->core[r] == CORE_ALL));
		if (!same || task == from || (p->start - here->start) * direction < 0 || (p->start == here->start && (task < from) == (direction > 0)))
			continue;
		if (best < 0 || (p->start - step->schedule.tasks[best].start) * direction < 0)
			best = task;
	}
	if (best >= 0)
		select_node(e, step->tasks[best].node);
}

static void move(struct explorer *e, enum move move)
{
	if (step_of(e) == NULL || path_focused(e) < 0)
		return;
	if (move == MOVE_LEFT || move == MOVE_RIGHT) {
		move_sideways(e, move == MOVE_LEFT ? -1 : 1);
		return;
	}
	table_move(&e->path.table, move);
	if (e->path.table.selected >= 0)
		select_node(e, e->path.table.selected);
}

/* Enter: the loops of the operator. */
static enum status enter(struct explorer *e, struct diagnostic *d)
{
	struct text *out;
	int node = path_focused(e);
	char title[96];

	if (node < 0)
		return diagnostic_fail(d, STATUS_INPUT, "there is no operator to explain");
	snprintf(title, sizeof title, "%.80s", row_text(e, node));
	out = explorer_popup(e, title);
	operator_sentence(e->study, node, out);
	text_add(out, "\n\n");
	operator_loops(e->results, node, out);
	return STATUS_OK;
}

static bool search(struct explorer *e, struct regex *match, int direction, bool from_cursor)
{
	struct table_source source = source_of(e);
	int at;

	if (step_of(e) == NULL)
		return false;
	at = table_search(&e->path.table, &source, match, direction, from_cursor);
	if (at < 0)
		return false;
	select_node(e, e->path.table.ids[at]);
	return true;
}

static struct table *table_of(struct explorer *e)
{
	return &e->path.table;
}

/* In the chart: the bar there; in the table: the row. */
static void click(struct explorer *e, int row, int col)
{
	struct table *table = &e->path.table;
	int node;

	if (step_of(e) == NULL)
		return;
	if (row >= e->path.table_row) {
		int at = table->top + row - e->path.table_row - 1;

		if (row > e->path.table_row && at >= 0 && at < table->count)
			select_node(e, table->ids[at]);
		return;
	}
	node = path_chart_at(e, e->layout.main, row, col);
	if (node >= 0)
		select_node(e, node);
}

static const struct hint hints[] = {
	{ "explain", "loops" }, { "zoom in", "zoom" }, { "zoom fit", "fit" }, { "focus dials", "dials" }, { "prompt search /", "find" },
	{ "help", "help" }, { NULL, NULL }
};

const struct view view_path = {
	.name = "path", .context = CONTEXT_PATH, .dials = DIAL_MACHINE, .inspection = &inspect_operator, .hints = hints, .build = build, .heading = heading,
	.wants = wants, .draw = draw, .move = move, .enter = enter, .search = search, .table = table_of, .click = click, .zoom = path_zoom, .pan = path_pan
};
