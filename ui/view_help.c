/* The help: the keys of the view it was opened from, every command, every parameter; all from the tables that drive
 * them.  `help WORD` shows what mentions the word. */
#include "ui/inside.h"

#include <stdio.h>
#include <string.h>

struct writer {
	struct explorer *e;
	int line;
	char word[64];
	bool any;                /* something under the present heading */
	const char *heading;
};

static bool mentions(const struct writer *w, const char *text)
{
	return w->word[0] == '\0' || strstr(text, w->word) != NULL;
}

static void write_line(struct writer *w, const char *key, int key_cols, const char *text)
{
	struct sheet *sheet = &w->e->help;
	int col = 3 + (key_cols < sheet->cols / 2 ? key_cols : 4);

	if (!w->any) {
		if (w->line > 0)
			w->line++;
		sheet_put(sheet, w->line++, 1, STYLE_STRONG, w->heading);
		w->any = true;
	}
	if (text_width(key) + 3 >= col) {
		sheet_put(sheet, w->line++, 3, STYLE_KEY, key);
	} else {
		sheet_put(sheet, w->line, 3, STYLE_KEY, key);
	}
	w->line = sheet_wrap(sheet, w->line, col, STYLE_TEXT, text);
}

/* Writes what is asked for: all, or what mentions the word. */
static void write_entry(struct writer *w, const char *key, const char *text)
{
	if (mentions(w, key) || mentions(w, text))
		write_line(w, key, 14, text);
}

static void start(struct writer *w, const char *heading)
{
	w->heading = heading;
	w->any = false;
}

/* Keys of one context; those bound to one command stand on one line. */
static void write_keys(struct writer *w, enum key_context context)
{
	const struct keys *keys = &w->e->keys;

	for (size_t i = 0; i < keys->count; i++) {
		char names[64], text[256];

		if (keys->bindings[i].context != context || !keys_group(keys, i, names, sizeof names))
			continue;
		keys_describe(context, keys->bindings[i].command, text, sizeof text);
		write_entry(w, names, text);
	}
}

static void write_legend(struct writer *w)
{
	const bool ascii = w->e->ascii;
	char text[512];

	start(w, "What the marks mean");
	snprintf(text, sizeof text, "%s dp: batch split   %s mp: input channels split   %s op: output channels split", style_glyph(GLYPH_DP, ascii),
		style_glyph(GLYPH_MP, ascii), style_glyph(GLYPH_OP, ascii));
	write_entry(w, "types", text);
	snprintf(text, sizeof text, "%s row: batch split   %s col: channels split   %s full: both groups hold all (a junction's layout)",
		style_glyph(GLYPH_ROW, ascii), style_glyph(GLYPH_COL, ascii), style_glyph(GLYPH_FULL, ascii));
	write_entry(w, "layouts", text);
	snprintf(text, sizeof text, "%s before a type: pinned   %s before it: flipped by the last edit   %s %s in numbers: more, less than before it",
		style_glyph(GLYPH_PIN, ascii), style_glyph(GLYPH_FLIP, ascii), style_glyph(GLYPH_UP, ascii), style_glyph(GLYPH_DOWN, ascii));
	write_entry(w, "edits", text);
	snprintf(text, sizeof text, "in the title: %s live   %s computing   %s stale (stopped)", style_glyph(GLYPH_LIVE, ascii),
		style_glyph(GLYPH_COMPUTING, ascii), style_glyph(GLYPH_STALE, ascii));
	write_entry(w, "state", text);
	write_entry(w, "dials", "(value): turning it changes nothing now; the footer says why");
}

static void write_columns(struct writer *w)
{
	static const struct { const char *name, *text; } rows[] = {
		{ "shape", "channels in and out, height and width in, k kernel, s stride, g groups" },
		{ "params", "numbers the layer holds" },
		{ "MACs", "multiply-adds of one forward sample" },
		{ "H1 2 3 ...", "the type at each level; H1 is the outermost halving of the array" },
		{ "moved", "bytes all links of the array carry in one training step, both directions" },
		{ "of total", "the row's share of that" },
		{ "sure", "how much dearer the level (solver=joint: the plan) gets with the next best type" },
		{ "last edit", "what the last edit changed; undo to the start clears it" },
	}, why[] = {
		{ "own", "elements one pair of groups exchanges at this level inside the layer: dp sums its weights' gradients, mp its outputs, op its errors" },
		{ "before", "elements a pair moves to lay its inputs out anew, where the layers before it have another type" },
		{ "after", "elements a pair moves to lay its outputs out anew for the layers behind it" },
		{ "level", "elements a pair moves at this level in the best plan with this type forced; solver=joint has no such plan of one level" },
		{ "whole", "elements the whole step moves with this type forced, deeper levels solved anew" },
		{ "margin", "what forcing it loses against the present level (solver=joint: the present plan)" },
	};

	start(w, "What the columns mean");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		write_entry(w, rows[i].name, rows[i].text);
	start(w, "What the columns of the why mean");
	for (size_t i = 0; i < sizeof why / sizeof *why; i++)
		write_entry(w, why[i].name, why[i].text);
	write_entry(w, style_glyph(GLYPH_TIMES, w->e->ascii), "in the line of baselines: what each of them moves, times the present plan");
}

static void write_parameters(struct writer *w)
{
	for (int id = 0; id < PARAMETER_COUNT; id++) {
		const struct parameter *p = parameter_at((enum parameter_id)id);
		struct text text = { 0 };
		char value[64], least[64], most[64];

		parameter_print((enum parameter_id)id, explorer_value(w->e, (enum parameter_id)id), value, sizeof value);
		text_printf(&text, "%s (", p->text);
		if (p->unit == UNIT_CHOICE) {
			for (int i = 0; p->choices[i] != NULL; i++)
				text_printf(&text, "%s%s", i > 0 ? " " : "", p->choices[i]);
		} else {
			parameter_print((enum parameter_id)id, p->minimum, least, sizeof least);
			parameter_print((enum parameter_id)id, p->maximum, most, sizeof most);
			text_printf(&text, "%s to %s", least, most);
		}
		text_printf(&text, "; now %s%s%s)", value, p->source[0] != '\0' ? "; " : "", p->source);
		write_entry(w, p->name, text_string(&text));
		text_free(&text);
	}
}

static void build(struct explorer *e)
{
	struct writer w = { e, 0, "", false, "" };
	char heading[64];
	enum view_id from = e->before_help;

	sheet_clear(&e->help, e->cells.cols - 2 > 110 ? 110 : e->cells.cols - 2);
	snprintf(w.word, sizeof w.word, "%s", e->help_word);
	snprintf(heading, sizeof heading, "Keys of the %s view", view_at(from)->name);
	start(&w, heading);
	write_keys(&w, view_at(from)->context);
	start(&w, "Keys on the dials (t or Tab)");
	write_keys(&w, CONTEXT_DIALS);
	start(&w, "Keys everywhere");
	write_keys(&w, CONTEXT_GENERIC);
	write_legend(&w);
	write_columns(&w);
	start(&w, "Commands (: opens the prompt; a key is a command, a script is lines of them)");
	for (int id = 0; id < COMMAND_COUNT; id++) {
		const struct command *command = command_at((enum command_id)id);
		char usage[128];

		snprintf(usage, sizeof usage, "%s %s", command->name, command->usage);
		if (mentions(&w, usage) || mentions(&w, command->text))
			write_line(&w, usage, e->help.cols < 90 ? 14 : 34, command->text);
	}
	start(&w, "Parameters (:set NAME=VALUE)");
	write_parameters(&w);
	if (e->help.lines == 0)
		sheet_put(&e->help, 0, 1, STYLE_DIM, "nothing mentions this word; :help alone shows everything");
}

static void heading(struct explorer *e, char *out, size_t size)
{
	if (e->help_word[0] != '\0')
		snprintf(out, size, "what mentions \"%.40s\"", e->help_word);
	else
		snprintf(out, size, "line %d of %d", e->help_line + 1, e->help.lines);
}

static void draw(struct explorer *e, struct rect area)
{
	int most;

	e->help_page = area.rows;
	most = e->help.lines - area.rows;
	if (e->help_line > most)
		e->help_line = most;
	if (e->help_line < 0)
		e->help_line = 0;
	sheet_draw(&e->help, &e->cells, area, e->help_line, -1);
	for (int i = 0; e->search != NULL && i < area.rows && i + e->help_line < e->help.lines; i++) {
		for (size_t s = 0; s < e->help.span_count; s++) {
			const struct span *span = &e->help.spans[s];

			if (span->line == i + e->help_line)
				table_mark_match(&e->cells, (struct rect){ area.row + i, area.col + span->col, 1, area.cols - span->col }, span->text, e->search);
		}
	}
	e->cells.cursor_row = area.row;
	e->cells.cursor_col = area.col;
}

static void move(struct explorer *e, enum move move)
{
	int page = e->help_page > 1 ? e->help_page - 1 : 1;

	switch (move) {
	case MOVE_UP: e->help_line--; break;
	case MOVE_DOWN: e->help_line++; break;
	case MOVE_PAGE_UP: e->help_line -= page; break;
	case MOVE_PAGE_DOWN: e->help_line += page; break;
	case MOVE_HALF_UP: e->help_line -= page / 2 + 1; break;
	case MOVE_HALF_DOWN: e->help_line += page / 2 + 1; break;
	case MOVE_FIRST: e->help_line = 0; break;
	case MOVE_LAST: e->help_line = e->help.lines; break;
	default: break;
	}
	if (e->help_line > e->help.lines - e->help_page)
		e->help_line = e->help.lines - e->help_page;
	if (e->help_line < 0)
		e->help_line = 0;
}

static enum status enter(struct explorer *e, struct diagnostic *d)
{
	(void)d;
	move(e, MOVE_DOWN);
	return STATUS_OK;
}

static bool search(struct explorer *e, struct regex *match, int direction, bool from_cursor)
{
	int found = sheet_search(&e->help, match, e->help_line + (from_cursor ? 0 : direction), direction);

	if (found >= 0)
		e->help_line = found;
	return found >= 0;
}

static const struct hint hints[] = {
	{ "cancel", "back" }, { "move page-down", "page" }, { "prompt search /", "find" }, { "prompt", "help WORD" }, { NULL, NULL }
};

const struct view view_help = {
	.name = "help", .context = CONTEXT_HELP, .hints = hints, .build = build, .heading = heading,
	.draw = draw, .move = move, .enter = enter, .search = search
};
