#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "ui/cells.h"

#include "base/memory.h"

#include <string.h>

void cells_init(struct cells *cells)
{
	memset(cells, 0, sizeof *cells);
	cells->cursor_row = cells->cursor_col = -1;
}

void cells_free(struct cells *cells)
{
	memory_free(cells->cell);
	memset(cells, 0, sizeof *cells);
}

void cells_clear(struct cells *cells)
{
	static const struct cell blank = { ' ', 0, 0, 1 };

	for (int i = 0; i < cells->rows * cells->cols; i++)
		cells->cell[i] = blank;
	cells->cursor_row = cells->cursor_col = -1;
	cells->cursor_shown = false;
}

void cells_resize(struct cells *cells, int rows, int cols)
{
	memory_free(cells->cell);
	cells->rows = rows > 0 ? rows : 1;
	cells->cols = cols > 0 ? cols : 1;
	cells->cell = memory_alloc((size_t)cells->rows * (size_t)cells->cols, sizeof *cells->cell);
	cells_clear(cells);
}

struct cell *cells_at(struct cells *cells, int row, int col)
{
	if (row < 0 || col < 0 || row >= cells->rows || col >= cells->cols)
		return NULL;
	return &cells->cell[row * cells->cols + col];
}

static bool inside(struct rect clip, int row, int col)
{
	return row >= clip.row && row < clip.row + clip.rows && col >= clip.col && col < clip.col + clip.cols;
}

/* Overwriting half of a wide character would leave the other half hanging: blank it. */
static void split_wide(struct cells *cells, int row, int col)
{
	struct cell *here = cells_at(cells, row, col);
	struct cell *other = here == NULL ? NULL : here->width == 0 ? cells_at(cells, row, col - 1) :
		here->width == 2 ? cells_at(cells, row, col + 1) : NULL;

	if (other != NULL) {
		other->character = ' ';
		other->mark = 0;
		other->width = 1;
	}
}

static void put_one(struct cells *cells, int row, int col, uint8_t style, uint32_t character, int width)
{
	struct cell *here = cells_at(cells, row, col);

	if (here == NULL)
		return;
	split_wide(cells, row, col);
	*here = (struct cell){ character, 0, style, (uint8_t)width };
	if (width == 2) {
		split_wide(cells, row, col + 1);
		here[1] = (struct cell){ 0, 0, style, 0 };
	}
}

/* What stands for a sign of running text (sentences, formulas) where only ASCII is wanted; 0 = nothing does. */
static uint32_t stand_in(uint32_t character)
{
	static const struct {
		uint32_t sign;
		char ascii;
	} table[] = {
		{ 0x394, 'd' }, { 0x2212, '-' }, { 0x2013, '-' }, { 0x2014, '-' }, { 0xD7, 'x' }, { 0xB7, '-' }, { 0x2026, '~' }, { 0x2192, '>' },
		{ 0xB2, '2' }, { 0xB3, '3' }, { 0xBD, '/' }, { 0xBC, '/' }, { 0x2264, '<' }, { 0x2265, '>' }, { 0x2211, 'S' }, { 0xB5, 'u' },
		{ 0x2018, '\'' }, { 0x2019, '\'' }, { 0x201C, '"' }, { 0x201D, '"' },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].sign == character)
			return (unsigned char)table[i].ascii;
	return 0;
}

int cells_put(struct cells *cells, struct rect clip, int row, int col, uint8_t style, const char *text)
{
	size_t left = strlen(text), used;
	uint32_t character;
	int at = col;

	while ((used = text_decode(text, left, &character)) > 0) {
		int width = text_columns(character);

		/* A no-break space is for cells_line alone. */
		if (character == 0xA0)
			character = ' ';
		if (cells->ascii && character >= 0x7F && stand_in(character) != 0)
			character = stand_in(character);
		if (cells->narrow && character >= 0x7F)
			character = '?';
		if (width == 0) {
			struct cell *last = at > col && inside(clip, row, at - 1) ? cells_at(cells, row, at - 1) : NULL;

			if (last != NULL && last->width == 0)
				last = cells_at(cells, row, at - 2);
			if (last != NULL && !cells->narrow)
				last->mark = character;
		} else {
			bool first = inside(clip, row, at), second = width < 2 || (inside(clip, row, at + 1) && at + 1 < cells->cols);

			if (at >= clip.col + clip.cols)
				break;
			if (cells->narrow && width == 2) {
				/* Two columns stay two, so that what is ASCII and what is not line up alike. */
				if (first)
					put_one(cells, row, at, style, '?', 1);
				if (inside(clip, row, at + 1))
					put_one(cells, row, at + 1, style, ' ', 1);
			} else if (first && second) {
				put_one(cells, row, at, style, character, width);
			} else if (first) {
				put_one(cells, row, at, style, ' ', 1);
			} else if (width == 2 && inside(clip, row, at + 1)) {
				put_one(cells, row, at + 1, style, ' ', 1);
			}
			at += width;
		}
		text += used;
		left -= used;
	}
	return at - col;
}

void cells_put_padded(struct cells *cells, struct rect clip, int row, int col, int width, enum align align, uint8_t style,
	const char *text)
{
	int wide = text_width(text), before = 0, right = clip.col + clip.cols;
	struct rect area = clip;

	if (width <= 0)
		return;
	if (wide < width)
		before = align == ALIGN_RIGHT ? width - wide : 0;
	if (col > area.col)
		area.col = col;
	if (col + width < right)
		right = col + width;
	area.cols = right - area.col;
	if (area.cols <= 0)
		return;
	for (int c = area.col; c < right; c++)
		if (inside(clip, row, c))
			put_one(cells, row, c, style, ' ', 1);
	cells_put(cells, area, row, col + before, style, text);
	if (wide > width && inside(clip, row, col + width - 1))
		put_one(cells, row, col + width - 1, style, cells->ascii ? '~' : 0x2026, 1);
}

int cells_put_right(struct cells *cells, struct rect clip, int row, uint8_t style, const char *text)
{
	int col = clip.col + clip.cols - text_width(text);

	cells_put(cells, clip, row, col, style, text);
	return col;
}

void cells_fill(struct cells *cells, struct rect area, uint8_t style, uint32_t character)
{
	for (int r = area.row; r < area.row + area.rows; r++)
		for (int c = area.col; c < area.col + area.cols; c++)
			put_one(cells, r, c, style, character, 1);
}

size_t cells_line(const char *text, int cols, size_t *next)
{
	size_t length = strlen(text), at = 0, used, blank = 0;
	uint32_t character;
	int width = 0;

	while ((used = text_decode(text + at, length - at, &character)) > 0) {
		if (character == '\n') {
			*next = at + 1;
			return at;
		}
		if (width + text_columns(character) > cols)
			break;
		if (character == ' ')
			blank = at;
		width += text_columns(character);
		at += used;
	}
	if (used == 0) {
		*next = at;
		return at;
	}
	if (text[at] != ' ' && blank > 0)
		at = blank;
	if (at == 0)
		at = used;               /* a character wider than the area: take it, cells_put drops it */
	*next = at + strspn(text + at, " ");
	return at;
}

int cells_wrap(struct cells *cells, struct rect area, int skip, uint8_t style, const char *text)
{
	int row = 0;

	if (area.cols <= 0)
		return 0;
	while (*text != '\0') {
		size_t next, length = cells_line(text, area.cols, &next);

		if (cells != NULL && row >= skip && row - skip < area.rows) {
			char *line = memory_copy_text(text, length);

			cells_put(cells, area, area.row + row - skip, area.col, style, line);
			memory_free(line);
		}
		row++;
		text += next;
	}
	return row;
}

void cells_dump(const struct cells *cells, struct text *out)
{
	for (int r = 0; r < cells->rows; r++) {
		const struct cell *row = cells->cell + r * cells->cols;
		int last = cells->cols;
		char bytes[4];

		while (last > 0 && row[last - 1].character == ' ' && row[last - 1].mark == 0)
			last--;
		for (int c = 0; c < last; c++) {
			if (row[c].width == 0)
				continue;
			text_append(out, bytes, text_encode(row[c].character, bytes));
			if (row[c].mark != 0)
				text_append(out, bytes, text_encode(row[c].mark, bytes));
		}
		text_add(out, "\n");
	}
}
