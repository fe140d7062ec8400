/* The models view: what is built in; Enter opens one. */
#include "ui/inside.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN_NAME, COLUMN_TEXT };

static bool listed(void *self, int id)
{
	(void)self;
	(void)id;
	return true;
}

static const char *row_text(void *self, int id)
{
	const struct explorer *e = self;

	return e->builtin[id].name;
}

static int compare(void *self, int column, int a, int b)
{
	const struct explorer *e = self;

	return column == COLUMN_TEXT ? strcmp(e->builtin[a].text, e->builtin[b].text) : strcmp(e->builtin[a].name, e->builtin[b].name);
}

static void draw_cell(void *self, struct cells *cells, struct rect area, int column, int id, uint8_t bits)
{
	struct explorer *e = self;
	const char *text = column == COLUMN_TEXT ? e->builtin[id].text : e->builtin[id].name;

	if (column == COLUMN_NAME && bits != 0 && e->focus == FOCUS_ROWS) {
		bits |= STYLE_FOCUS;
		e->cells.cursor_row = area.row;
		e->cells.cursor_col = area.col;
	}
	cells_put_padded(cells, area, area.row, area.col, area.cols, ALIGN_LEFT, (uint8_t)((column == COLUMN_TEXT ? STYLE_DIM : STYLE_TEXT) | bits), text);
	if (column == COLUMN_NAME)
		table_mark_match(cells, area, text, e->search);
}

static struct table_source source_of(struct explorer *e)
{
	return (struct table_source){ e, (int)e->builtin_count, listed, row_text, compare, draw_cell };
}

static void build(struct explorer *e)
{
	static const struct table_column columns[2] = {
		[COLUMN_NAME] = { "name", "name", 8, ALIGN_LEFT, 0 }, [COLUMN_TEXT] = { "text", "what it is", 10, ALIGN_LEFT, 1 }
	};
	struct table_source source = source_of(e);
	int left;

	memcpy(e->models.columns, columns, sizeof columns);
	e->models.column_count = 2;
	for (size_t i = 0; i < e->builtin_count; i++)
		if (text_width(e->builtin[i].name) > e->models.columns[COLUMN_NAME].width)
			e->models.columns[COLUMN_NAME].width = text_width(e->builtin[i].name);
	left = e->cells.cols - e->models.columns[COLUMN_NAME].width - 6;
	e->models.columns[COLUMN_TEXT].width = left > 10 ? left : 10;
	table_rebuild(&e->models, &source);
}

static void heading(struct explorer *e, char *out, size_t size)
{
	if (e->models.filter != NULL)
		snprintf(out, size, "filter /%.60s/: %d of %zu", regex_pattern(e->models.filter), e->models.count, e->builtin_count);
	else
		snprintf(out, size, "%zu built in; :load FILE opens your own", e->builtin_count);
}

static void draw(struct explorer *e, struct rect area)
{
	struct table_source source = source_of(e);

	if (e->builtin_count == 0) {
		cells_wrap(&e->cells, (struct rect){ area.row + 1, area.col + 3, area.rows, area.cols - 4 }, 0, STYLE_DIM,
			"The built-in models were not found: set WHYPAR_DATA to the program's data folder, or open a file of your own with :load FILE.");
		return;
	}
	table_draw(&e->models, &source, &e->cells, area, e->ascii, e->focus == FOCUS_ROWS);
}

static void move(struct explorer *e, enum move move)
{
	table_move(&e->models, move);
}

static enum status enter(struct explorer *e, struct diagnostic *d)
{
	char line[96];
	enum status status;

	if (e->models.selected < 0)
		return diagnostic_fail(d, STATUS_INPUT, "there is no model to open");
	snprintf(line, sizeof line, "load %s", e->builtin[e->models.selected].name);
	status = command_run(e->study, &e->host, line, d);
	if (status == STATUS_OK)
		explorer_show(e, VIEW_LAYERS);
	return status;
}

static bool search(struct explorer *e, struct regex *match, int direction, bool from_cursor)
{
	struct table_source source = source_of(e);
	int at = table_search(&e->models, &source, match, direction, from_cursor);

	if (at >= 0)
		e->models.selected = e->models.ids[at];
	return at >= 0;
}

static struct table *table_of(struct explorer *e)
{
	return &e->models;
}

static void click(struct explorer *e, int row, int col)
{
	int at = e->models.top + row - 1;

	(void)col;
	if (row >= 1 && at >= 0 && at < e->models.count)
		e->models.selected = e->models.ids[at];
}

static const struct hint hints[] = {
	{ "explain", "open" }, { "prompt search /", "find" }, { "prompt load ", "file" }, { "view layers", "layers" },
	{ "help", "help" }, { "quit", "quit" }, { NULL, NULL }
};

const struct view view_models = {
	.name = "models", .context = CONTEXT_MODELS, .hints = hints, .build = build, .heading = heading,
	.draw = draw, .move = move, .enter = enter, .search = search, .table = table_of, .click = click
};
