#include "ui/sheet.h"

#include "ui/style.h"

#include <stdlib.h>
#include <string.h>

void sheet_clear(struct sheet *sheet, int cols)
{
	arena_free(&sheet->arena);
	sheet->span_count = 0;
	sheet->item_count = sheet->lines = 0;
	sheet->cols = cols;
}

void sheet_free(struct sheet *sheet)
{
	arena_free(&sheet->arena);
	memory_free(sheet->spans);
	memory_free(sheet->items);
	memset(sheet, 0, sizeof *sheet);
}

static void add(struct sheet *sheet, int line, int col, uint8_t style, const char *text, size_t length, int item)
{
	sheet->spans = memory_grow(sheet->spans, &sheet->span_capacity, sheet->span_count + 1, sizeof *sheet->spans);
	sheet->spans[sheet->span_count++] = (struct span){ line, col, item, style, arena_copy_text(&sheet->arena, text, length) };
	if (line >= sheet->lines)
		sheet->lines = line + 1;
}

int sheet_put(struct sheet *sheet, int line, int col, uint8_t style, const char *text)
{
	add(sheet, line, col, style, text, strlen(text), -1);
	return col + text_width(text);
}

void sheet_put_number(struct sheet *sheet, int line, int end, uint8_t style, const char *text, const struct item *item)
{
	int col = end - text_width(text), index = -1;

	if (item != NULL) {
		sheet->items = memory_grow(sheet->items, &sheet->item_capacity, (size_t)sheet->item_count + 1, sizeof *sheet->items);
		index = sheet->item_count++;
		sheet->items[index] = *item;
		sheet->items[index].line = line;
		sheet->items[index].col = end;
	}
	add(sheet, line, col < 0 ? 0 : col, style, text, strlen(text), index);
}

int sheet_wrap(struct sheet *sheet, int line, int col, uint8_t style, const char *text)
{
	while (*text != '\0' && sheet->cols - col > 0) {
		size_t next, length = cells_line(text, sheet->cols - col, &next);

		add(sheet, line++, col, style, text, length, -1);
		text += next;
	}
	return line;
}

int sheet_heading(struct sheet *sheet, int line, const char *text)
{
	sheet_put(sheet, line, 0, STYLE_HEADER, text);
	return line + 1;
}

void sheet_draw(const struct sheet *sheet, struct cells *cells, struct rect area, int top, int focus)
{
	for (size_t i = 0; i < sheet->span_count; i++) {
		const struct span *span = &sheet->spans[i];
		int row = area.row + span->line - top;
		uint8_t bits = span->item >= 0 && span->item == focus ? STYLE_FOCUS : 0;

		if (span->line < top || span->line - top >= area.rows)
			continue;
		cells_put(cells, area, row, area.col + span->col, span->style | bits, span->text);
		if (bits != 0) {
			cells->cursor_row = row;
			cells->cursor_col = area.col + span->col;
		}
	}
}

int sheet_step(const struct sheet *sheet, int from, int lines, int cols)
{
	int best = from;
	long best_distance = -1;

	if (from < 0 || from >= sheet->item_count)
		return sheet->item_count > 0 ? 0 : -1;
	for (int i = 0; i < sheet->item_count; i++) {
		int down = sheet->items[i].line - sheet->items[from].line, right = sheet->items[i].col - sheet->items[from].col;
		long distance = lines != 0 ? labs((long)down) * 1000 + labs((long)right) : labs((long)right);

		if (lines != 0 ? down * lines <= 0 : down != 0 || right * cols <= 0)
			continue;
		if (best_distance < 0 || distance < best_distance) {
			best = i;
			best_distance = distance;
		}
	}
	return best;
}

void sheet_line_text(const struct sheet *sheet, int line, struct text *out)
{
	text_clear(out);
	for (size_t i = 0; i < sheet->span_count; i++)
		if (sheet->spans[i].line == line)
			text_printf(out, "%s%s", out->length > 0 ? " " : "", sheet->spans[i].text);
}

int sheet_search(const struct sheet *sheet, struct regex *match, int from, int direction)
{
	struct text text = { 0 };
	int found = -1;

	for (int i = 0; i < sheet->lines && found < 0; i++) {
		int line = ((from + i * direction) % sheet->lines + sheet->lines) % sheet->lines;

		sheet_line_text(sheet, line, &text);
		if (regex_find(match, text_string(&text), NULL, NULL))
			found = line;
	}
	text_free(&text);
	return found;
}
