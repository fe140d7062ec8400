#include "ui/table.h"

#include "base/memory.h"
#include "ui/style.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUTTER = 3, GAP = 2 };    /* columns of the cursor mark before the rows; blanks between columns */

int table_by_number(double a, double b)
{
	return isnan(a) || isnan(b) ? isnan(b) - isnan(a) : (a > b) - (a < b);
}

void table_init(struct table *table)
{
	memset(table, 0, sizeof *table);
	table->selected = table->sort = -1;
}

void table_free(struct table *table)
{
	memory_free(table->ids);
	regex_free(table->filter);
	table_init(table);
}

/* Position of the selected row among the shown ones, -1 = none. */
static int table_position(const struct table *table)
{
	for (int i = 0; i < table->count; i++)
		if (table->ids[i] == table->selected)
			return i;
	return -1;
}

/* Insertion sort by halves would do for 20 rows; a big transformer has a thousand: merge sort, stable, no globals. */
static void sort_ids(const struct table *table, const struct table_source *source, int *ids, int *spare, int count)
{
	int half = count / 2, left = 0, right = half, sign = table->descending ? -1 : 1;

	if (count < 2)
		return;
	sort_ids(table, source, ids, spare, half);
	sort_ids(table, source, ids + half, spare, count - half);
	for (int i = 0; i < count; i++) {
		bool take_left = left < half &&
			(right == count || sign * source->compare(source->self, table->sort, ids[left], ids[right]) <= 0);

		spare[i] = take_left ? ids[left++] : ids[right++];
	}
	memcpy(ids, spare, (size_t)count * sizeof *ids);
}

/* The shown row nearest to a row that is not shown any more. */
static int nearest_id(const struct table *table, int id)
{
	int best = -1;

	for (int i = 0; i < table->count; i++)
		if (best < 0 || abs(table->ids[i] - id) < abs(best - id))
			best = table->ids[i];
	return best;
}

void table_rebuild(struct table *table, const struct table_source *source)
{
	table->ids = memory_grow(table->ids, &table->capacity, (size_t)source->total + 1, sizeof *table->ids);
	table->count = 0;
	for (int id = 0; id < source->total; id++)
		if (source->listed(source->self, id) &&
		    (table->filter == NULL || regex_find(table->filter, source->text(source->self, id), NULL, NULL)))
			table->ids[table->count++] = id;
	if (table->sort >= 0) {
		int *spare = memory_alloc((size_t)table->count, sizeof *spare);

		sort_ids(table, source, table->ids, spare, table->count);
		memory_free(spare);
	}
	if (table_position(table) < 0)
		table->selected = nearest_id(table, table->selected);
}

void table_move(struct table *table, enum move move)
{
	int at = table_position(table), page = table->page > 1 ? table->page - 1 : 1;

	if (table->count == 0)
		return;
	switch (move) {
	case MOVE_UP: at -= 1; break;
	case MOVE_DOWN: at += 1; break;
	case MOVE_PAGE_UP: at -= page; break;
	case MOVE_PAGE_DOWN: at += page; break;
	case MOVE_HALF_UP: at -= (page + 1) / 2; break;
	case MOVE_HALF_DOWN: at += (page + 1) / 2; break;
	case MOVE_FIRST: at = 0; break;
	case MOVE_LAST: at = table->count - 1; break;
	default: break;
	}
	at = at < 0 ? 0 : at >= table->count ? table->count - 1 : at;
	table->selected = table->ids[at];
}

int table_search(const struct table *table, const struct table_source *source, struct regex *match, int direction,
	bool from_cursor)
{
	int start = table_position(table);

	for (int i = from_cursor ? 0 : 1; i <= table->count; i++) {
		int at = start + i * direction;

		at = table->count > 0 ? ((at % table->count) + table->count) % table->count : 0;
		if (table->count > 0 && regex_find(match, source->text(source->self, table->ids[at]), NULL, NULL))
			return at;
	}
	return -1;
}

int table_column_find(const struct table *table, const char *name)
{
	for (int i = 0; i < table->column_count; i++)
		if (strcmp(table->columns[i].name, name) == 0)
			return i;
	return -1;
}

/* Columns shown at a width: bit i for column i.  Gives up the highest rank first, the rightmost of equals. */
static unsigned shown_columns(const struct table *table, int width)
{
	unsigned shown = (1u << table->column_count) - 1;

	for (;;) {
		int need = GUTTER, worst = -1;

		for (int i = 0; i < table->column_count; i++) {
			if (!(shown >> i & 1) || table->columns[i].width == 0)
				continue;
			need += table->columns[i].width + (i > 0 ? GAP : 0);
			if (table->columns[i].rank > 0 && (worst < 0 || table->columns[i].rank >= table->columns[worst].rank))
				worst = i;
		}
		if (need <= width || worst < 0)
			return shown;
		shown &= ~(1u << worst);
	}
}

struct rect table_column_place(const struct table *table, int width, int column)
{
	unsigned shown = shown_columns(table, width);
	struct rect place = { 0, GUTTER, 1, 0 };

	for (int i = 0; i <= column; i++) {
		if (!(shown >> i & 1) || table->columns[i].width == 0) {
			place.cols = 0;
			continue;
		}
		if (i > 0)
			place.col += GAP;
		place.cols = table->columns[i].width;
		if (i < column)
			place.col += place.cols;
	}
	if (place.col + place.cols > width)
		place.cols = width > place.col ? width - place.col : 0;
	return place;
}

static void draw_header(const struct table *table, struct cells *cells, struct rect area, bool ascii)
{
	for (int i = 0; i < table->column_count; i++) {
		struct rect place = table_column_place(table, area.cols, i);
		char title[48];

		if (place.cols == 0)
			continue;
		memcpy(title, table->columns[i].title, sizeof table->columns[i].title);
		if (i == table->sort)
			strcat(title, style_glyph(table->descending ? GLYPH_DESCENDING : GLYPH_ASCENDING, ascii));
		cells_put_padded(cells, area, area.row, area.col + place.col, place.cols, table->columns[i].align, STYLE_HEADER, title);
	}
}

static void keep_in_view(struct table *table, int page)
{
	int at = table_position(table);

	table->page = page;
	if (at >= 0 && at < table->top)
		table->top = at;
	if (at >= 0 && at >= table->top + page)
		table->top = at - page + 1;
	if (table->top > table->count - page)
		table->top = table->count - page;
	if (table->top < 0)
		table->top = 0;
}

void table_draw(struct table *table, const struct table_source *source, struct cells *cells, struct rect area, bool ascii,
	bool focused)
{
	if (area.rows < 1)
		return;
	draw_header(table, cells, area, ascii);
	keep_in_view(table, area.rows > 1 ? area.rows - 1 : 1);
	for (int i = 0; i < area.rows - 1 && table->top + i < table->count; i++) {
		int id = table->ids[table->top + i], row = area.row + 1 + i;
		uint8_t bits = id == table->selected ? STYLE_SELECTED : 0;

		if (bits != 0) {
			cells_put(cells, area, row, area.col + 1, (uint8_t)(focused ? STYLE_ACCENT : STYLE_DIM), style_glyph(GLYPH_CURSOR, ascii));
			if (cells->cursor_row < 0) {
				cells->cursor_row = row;
				cells->cursor_col = area.col + 1;
			}
		}
		for (int column = 0; column < table->column_count; column++) {
			struct rect place = table_column_place(table, area.cols, column);

			if (place.cols > 0)
				source->cell(source->self, cells, (struct rect){ row, area.col + place.col, 1, place.cols }, column, id, bits);
		}
	}
}

void table_mark_match(struct cells *cells, struct rect area, const char *text, struct regex *match)
{
	int start, end;
	char *part;

	if (match == NULL || !regex_find(match, text, &start, &end) || end == start)
		return;
	part = memory_copy_text(text, (size_t)start);
	area.col += text_width(part);
	area.cols -= text_width(part);
	memory_free(part);
	part = memory_copy_text(text + start, (size_t)(end - start));
	for (int c = 0; c < text_width(part) && c < area.cols; c++) {
		struct cell *cell = cells_at(cells, area.row, area.col + c);

		if (cell != NULL)
			cell->style = (uint8_t)((cell->style & ~STYLE_ID_MASK) | STYLE_MATCH);
	}
	memory_free(part);
}
