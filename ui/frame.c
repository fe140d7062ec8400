/* The frame around the views: title, dials, rules, notes, footer, prompt, popup.  Paints the whole grid. */
#include "ui/inside.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 8, PART_BYTES = 160 };

struct part {
	char text[PART_BYTES];
	enum style style;
};

static int parts_width(const struct part *parts, int count, int gap)
{
	int width = 0;

	for (int i = 0; i < count; i++)
		width += text_width(parts[i].text) + (i > 0 ? gap : 0);
	return width;
}

static int left_parts(const struct explorer *e, struct part *parts)
{
	const struct model *model = e->results->model;
	char value[64];
	int count = 0;

	if (model == NULL) {
		snprintf(parts[0].text, PART_BYTES, "whypar");
		parts[0].style = STYLE_TITLE;
		return 1;
	}
	for (int i = 0; i < 4; i++)
		parts[i].style = i == 0 ? STYLE_TITLE : STYLE_TEXT;
	snprintf(parts[count++].text, PART_BYTES, "%.60s", model->name);
	parameter_print(PARAMETER_BATCH, explorer_value(e, PARAMETER_BATCH), value, sizeof value);
	snprintf(parts[count++].text, PART_BYTES, "batch %s", value);
	parameter_print(PARAMETER_ACCELERATORS, explorer_value(e, PARAMETER_ACCELERATORS), value, sizeof value);
	snprintf(parts[count++].text, PART_BYTES, "%s accelerator%s", value, strcmp(value, "1") == 0 ? "" : "s");
	parameter_print(PARAMETER_SOLVER, explorer_value(e, PARAMETER_SOLVER), value, sizeof value);
	snprintf(parts[count++].text, PART_BYTES, "%s%s", value, study_document(e->study)->pin_count > 0 ? ", pinned" : "");
	return count;
}

/* The step on one accelerator, and what the last edit made of it. */
static int step_parts(const struct explorer *e, struct part *parts)
{
	const struct results *r = e->results;
	char number[32], change[FORMAT_BYTES];
	double before;
	int count = 0;

	if (r->step == NULL) {
		snprintf(parts[0].text, PART_BYTES, "no step");
		parts[0].style = STYLE_STALE;
		return 1;
	}
	units_print_seconds(r->step->schedule.makespan, number, sizeof number);
	snprintf(parts[count].text, PART_BYTES, "step %s", number);
	parts[count++].style = STYLE_TITLE;
	if (marks_before_step(e, &before)) {
		format_change(r->step->schedule.makespan, before, e->ascii, change, sizeof change);
		snprintf(parts[count].text, PART_BYTES, "%s %s", change[0] == '\0' ? "=" : style_glyph(r->step->schedule.makespan > before ? GLYPH_UP : GLYPH_DOWN, e->ascii),
			change[0] == '\0' ? "as before" : change);
		parts[count++].style = change[0] == '\0' ? STYLE_TEXT : STYLE_CHANGED;
	}
	return count;
}

/* The total, then what it is against; the last of them goes first when it is narrow. */
static int right_parts(const struct explorer *e, struct part *parts)
{
	const struct results *r = e->results;
	bool fresh = r->plan_state == FRESH;
	char number[FORMAT_BYTES], change[FORMAT_BYTES];
	double total, before;
	bool by_time, search = e->view == VIEW_SEARCH, of_run, whole;
	int count = 0;

	if (r->model == NULL)
		return 0;
	/* what the search goes by: the run, the step with its exchanges, or without any */
	of_run = e->view == VIEW_PIPELINE || (search && !r->run_plain);
	whole = e->view == VIEW_NETWORK || (search && r->run_plain && r->plan != NULL && r->plan->levels > 0);
	if (e->view == VIEW_PATH || (search && !of_run && !whole))
		return step_parts(e, parts);
	if (whole && !isnan(r->step_s)) {
		units_print_seconds(r->step_s, number, sizeof number);
		snprintf(parts[0].text, PART_BYTES, "whole step %s", number);
		parts[0].style = STYLE_TITLE;
		return 1;
	}
	if (of_run) {
		units_print_seconds(r->run.seconds, number, sizeof number);
		snprintf(parts[0].text, PART_BYTES, r->run_trouble[0] == '\0' ? "step of the run %s" : "no run", number);
		parts[0].style = r->run_trouble[0] == '\0' ? STYLE_TITLE : STYLE_STALE;
		return 1;
	}
	if (r->plan == NULL) {
		snprintf(parts[0].text, PART_BYTES, "no plan yet");
		parts[0].style = STYLE_STALE;
		return 1;
	}
	by_time = r->plan->objective == OBJECTIVE_TIME;
	total = explorer_bytes(e, r->plan->elements);
	if (by_time)
		units_print_seconds(r->plan->cost, number, sizeof number);
	else
		format_scaled(e->scale, total, number, sizeof number);
	snprintf(parts[count].text, PART_BYTES, by_time ? "%s of links/step" : "%s %s/step", number, e->scale.unit);
	parts[count++].style = fresh ? STYLE_TITLE : STYLE_STALE;
	if (!fresh)
		return count;
	format_change(r->plan->cost, r->baselines[BASELINE_DP].cost, e->ascii, change, sizeof change);
	if (r->baselines[BASELINE_DP].state == FRESH) {
		snprintf(parts[count].text, PART_BYTES, "%s vs dp", change[0] != '\0' ? change : "=");
		parts[count++].style = STYLE_TEXT;
	}
	if (!by_time && marks_before_total(e, &before)) {
		format_change(total, before, e->ascii, change, sizeof change);
		if (change[0] != '\0') {
			snprintf(parts[count].text, PART_BYTES, "%s %s", style_glyph(total > before ? GLYPH_UP : GLYPH_DOWN, e->ascii), change);
			parts[count++].style = STYLE_CHANGED;
		}
	}
	if (r->remembered != NULL && r->remembered->objective == r->plan->objective) {
		format_change(r->plan->cost, r->remembered->cost, e->ascii, change, sizeof change);
		snprintf(parts[count].text, PART_BYTES, "%s vs baseline", change[0] != '\0' ? change : "=");
		parts[count++].style = STYLE_TEXT;
	}
	return count;
}

static void draw_state(struct explorer *e, struct rect area)
{
	const struct results *r = e->results;
	bool computing = (r->plan_state == COMPUTING && e->working) || e->racing.out != NULL, stale = r->plan_state != FRESH && !e->working;

	if (r->model == NULL)
		return;
	cells_put(&e->cells, area, area.row, area.col + area.cols - 2, (uint8_t)(stale ? STYLE_WARNING : STYLE_ACCENT),
		style_glyph(computing ? GLYPH_COMPUTING : stale ? GLYPH_STALE : GLYPH_LIVE, e->ascii));
}

static void draw_title(struct explorer *e, struct rect area)
{
	struct part left[PARTS_MAX], right[PARTS_MAX];
	int lefts = left_parts(e, left), rights = right_parts(e, right), col = area.col + 1, room = area.cols - 8;

	while (lefts > 1 && parts_width(left, lefts, 3) + parts_width(right, rights, 2) > room)
		lefts--;
	while (rights > 1 && parts_width(left, lefts, 3) + parts_width(right, rights, 2) > room)
		rights--;
	for (int i = 0; i < lefts; i++) {
		if (i > 0)
			col += cells_put(&e->cells, area, area.row, col + 1, STYLE_DIM, style_glyph(GLYPH_DOT, e->ascii)) + 2;
		col += cells_put(&e->cells, (struct rect){ area.row, area.col, 1, area.cols - 6 - parts_width(right, rights, 2) }, area.row, col,
			(uint8_t)left[i].style, left[i].text);
	}
	col = area.col + area.cols - 4 - parts_width(right, rights, 2);
	for (int i = 0; i < rights; i++)
		col += cells_put(&e->cells, area, area.row, col, (uint8_t)right[i].style, right[i].text) + 2;
	draw_state(e, area);
}

static void draw_rule(struct explorer *e, struct rect area)
{
	const struct view *view = explorer_view(e);
	char title[80], heading[160] = "";
	int wide;

	cells_fill(&e->cells, area, STYLE_RULE, e->ascii ? '-' : 0x2500);
	snprintf(title, sizeof title, " %s ", view->name);
	cells_put(&e->cells, area, area.row, area.col + 2, e->focus == FOCUS_ROWS ? STYLE_ACCENT : STYLE_STRONG, title);
	heading[0] = ' ';
	if (view->heading != NULL)
		view->heading(e, heading + 1, sizeof heading - 2);
	wide = text_width(heading);
	if (wide > 1 && wide + text_width(title) + 6 < area.cols) {
		strcat(heading, " ");
		cells_put(&e->cells, area, area.row, area.col + area.cols - wide - 3, STYLE_DIM, heading);
	}
}

static void draw_note(struct explorer *e, struct rect area)
{
	char next[64];
	struct rect text = { area.row, area.col + 3, area.rows, area.cols - 6 };

	if (area.rows == 0)
		return;
	for (int i = 0; i < area.rows; i++)
		cells_put(&e->cells, area, area.row + i, area.col + 1, STYLE_ACCENT, style_glyph(GLYPH_BAR, e->ascii));
	cells_wrap(&e->cells, text, 0, STYLE_STRONG, text_string(&e->lesson.note));
	if (e->lesson.waiting) {
		snprintf(next, sizeof next, "  Space %s next  Esc leave", style_glyph(GLYPH_CURSOR, e->ascii));
		cells_put_right(&e->cells, text, area.row + area.rows - 1, STYLE_ACCENT, next);
	}
}

static int draw_hints(struct explorer *e, struct rect area, bool draw)
{
	const struct hint *hint = explorer_view(e)->hints;
	static const struct hint dial_hints[] = {
		{ "dial down", "less" }, { "dial up", "more" }, { "dial edit", "type a value" }, { "move right", "next dial" },
		{ "cancel", "back" }, { "help", "help" }, { NULL, NULL }
	};
	static const struct hint inspector_hints[] = {
		{ "explain", "formula" }, { "move down", "next" }, { "focus next", "dials" }, { "cancel", "back" }, { "help", "help" }, { NULL, NULL }
	};
	static const struct hint popup_hints[] = { { "cancel", "close" }, { "move down", "scroll" }, { NULL, NULL } };
	enum key_context context = explorer_context(e);
	int col = area.col + 1;

	hint = context == CONTEXT_DIALS ? dial_hints : context == CONTEXT_INSPECTOR ? inspector_hints : context == CONTEXT_POPUP ? popup_hints : hint;
	for (; hint->command != NULL; hint++) {
		char key[16];

		if (!keys_find(&e->keys, context, hint->command, key, sizeof key))
			continue;
		if (col + text_width(key) + text_width(hint->word) + 1 > area.col + area.cols)
			break;
		if (draw) {
			cells_put(&e->cells, area, area.row, col, STYLE_KEY, key);
			cells_put(&e->cells, area, area.row, col + text_width(key) + 1, STYLE_DIM, hint->word);
		}
		col += text_width(key) + text_width(hint->word) + 4;
	}
	return col - 3;
}

static const char *footer_message(const struct explorer *e)
{
	if (e->message.text[0] != '\0')
		return e->message.text;
	if (e->focus == FOCUS_DIALS && e->view != VIEW_HELP) {
		const char *reason = dials_no_effect(e, e->dials[e->dial]);

		return reason != NULL ? reason : parameter_at((enum parameter_id)e->dials[e->dial])->text;
	}
	return "";
}

static void draw_footer(struct explorer *e, struct rect area)
{
	const char *message = footer_message(e);
	char time[FORMAT_BYTES] = "";
	int end, right, wide = text_width(message);

	/* Without a terminal the screen is to be the same every time. */
	if (e->live && e->results->model != NULL && e->results->plan != NULL)
		format_seconds(e->results->seconds, time, sizeof time);
	right = area.col + area.cols - text_width(time) - 2;
	end = draw_hints(e, (struct rect){ area.row, area.col, 1, right - area.col }, false);
	if (wide == 0 || end + 4 + wide < right)
		draw_hints(e, (struct rect){ area.row, area.col, 1, right - area.col - 1 }, true);
	else
		end = area.col - 2;
	/* A message too long for its room takes the time's place as well. */
	if (wide > 0) {
		int room = end + 3 + wide < right ? right - end - 3 : area.col + area.cols - end - 4;
		uint8_t style = (uint8_t)(e->message.text[0] != '\0' ? e->message.style : STYLE_DIM);

		cells_put_padded(&e->cells, area, area.row, end + 3, room < wide ? room : wide, ALIGN_LEFT, style, message);
		if (end + 3 + wide >= right)
			return;
	}
	cells_put(&e->cells, area, area.row, right + 1, STYLE_DIM, time);
}

/* The line being typed, and below it what helps: candidates, why a pattern fails, the usage of the command. */
static void draw_prompt_help(struct explorer *e, struct rect area, int caret)
{
	const struct prompt *prompt = &e->prompt;
	const char *line = text_string(&e->completions);
	int col = area.col + 1;
	char word[32];
	enum command_id id;

	if (e->bad_pattern >= 0) {
		cells_put(&e->cells, area, area.row, caret, STYLE_ERROR, style_glyph(GLYPH_CARET, e->ascii));
		cells_put(&e->cells, area, area.row, caret + 2, STYLE_ERROR, e->message.text);
		return;
	}
	if (e->message.text[0] != '\0') {
		cells_put_padded(&e->cells, area, area.row, col, area.cols - 2, ALIGN_LEFT, (uint8_t)e->message.style, e->message.text);
		return;
	}
	if (*line != '\0') {
		for (int i = 0; *line != '\0'; i++) {
			size_t length = strcspn(line, "\n"), start = length;
			char *candidate;

			/* Only the word being completed. */
			while (start > 0 && line[start - 1] != ' ' && line[start - 1] != '=' && line[start - 1] != '/')
				start--;
			candidate = memory_copy_text(line + start, length - start);
			if (i >= e->completion - 6)
				col += cells_put(&e->cells, area, area.row, col, (uint8_t)(i == e->completion ? STYLE_STRONG | STYLE_FOCUS : STYLE_TEXT), candidate) + 2;
			memory_free(candidate);
			line += length + (line[length] == '\n');
		}
		return;
	}
	if (prompt_is_pattern(prompt)) {
		cells_put(&e->cells, area, area.row, col, STYLE_DIM, "regular expression (PCRE2); small letters match both cases; Enter keeps, Esc goes back");
		return;
	}
	snprintf(word, sizeof word, "%.*s", (int)strcspn(prompt->line, " "), prompt->line);
	id = prompt->prefix[0] != '\0' ? COMMAND_COUNT : command_find(word);
	if (id != COMMAND_COUNT) {
		const struct command *command = command_at(id);

		col += cells_put(&e->cells, area, area.row, col, STYLE_STRONG, command->name) + 1;
		col += cells_put(&e->cells, area, area.row, col, STYLE_TEXT, command->usage) + 2;
		cells_put(&e->cells, area, area.row, col, STYLE_DIM, command->text);
	} else {
		cells_put(&e->cells, area, area.row, col, STYLE_DIM, "Tab completes, Up recalls, Enter runs, Esc closes");
	}
}

static int columns_of(const char *bytes, size_t length)
{
	char *copy = memory_copy_text(bytes, length);
	int width = text_width(copy);

	memory_free(copy);
	return width;
}

static void draw_prompt(struct explorer *e, struct rect footer)
{
	const struct prompt *prompt = &e->prompt;
	struct rect line = { footer.row - 1, footer.col, 1, footer.cols };
	int start = line.col + 1 + text_width(prompt->label), cursor = columns_of(prompt->line, prompt->cursor);
	int shift = start + cursor > line.cols - 2 ? start + cursor - (line.cols - 2) : 0;
	struct rect body = { line.row, start, 1, line.cols - start };
	int bad = e->bad_pattern >= 0 ? columns_of(prompt->line, (size_t)e->bad_pattern > prompt->length ? prompt->length : (size_t)e->bad_pattern) : 0;

	cells_fill(&e->cells, line, STYLE_TEXT, ' ');
	cells_fill(&e->cells, footer, STYLE_TEXT, ' ');
	cells_put(&e->cells, line, line.row, line.col + 1, STYLE_ACCENT, prompt->label);
	cells_put(&e->cells, body, line.row, start - shift, STYLE_STRONG, prompt->line);
	draw_prompt_help(e, footer, start - shift + bad);
	e->cells.cursor_row = line.row;
	e->cells.cursor_col = start - shift + cursor;
	e->cells.cursor_shown = true;
}

static void draw_popup(struct explorer *e, struct rect screen)
{
	struct popup *popup = &e->popup;
	int width = screen.cols - 4 > 84 ? 84 : screen.cols - 4, height, most = screen.rows - 2;
	struct rect box, text;

	popup->lines = cells_wrap(NULL, (struct rect){ 0, 0, 0, width - 4 }, 0, STYLE_TEXT, text_string(&popup->body));
	height = popup->lines + 2 > most ? most : popup->lines + 2;
	box = (struct rect){ screen.row + (screen.rows - height) / 2, screen.col + (screen.cols - width) / 2, height, width };
	text = (struct rect){ box.row + 1, box.col + 2, box.rows - 2, box.cols - 4 };
	popup->page = text.rows;
	cells_fill(&e->cells, box, STYLE_TEXT, ' ');
	for (int i = 0; i < height; i++) {
		bool edge = i == 0 || i == height - 1;
		uint32_t left = e->ascii ? (edge ? '+' : '|') : i == 0 ? 0x250C : edge ? 0x2514 : 0x2502;
		uint32_t right = e->ascii ? (edge ? '+' : '|') : i == 0 ? 0x2510 : edge ? 0x2518 : 0x2502;

		if (edge)
			cells_fill(&e->cells, (struct rect){ box.row + i, box.col, 1, box.cols }, STYLE_RULE, e->ascii ? '-' : 0x2500);
		cells_fill(&e->cells, (struct rect){ box.row + i, box.col, 1, 1 }, STYLE_RULE, left);
		cells_fill(&e->cells, (struct rect){ box.row + i, box.col + width - 1, 1, 1 }, STYLE_RULE, right);
	}
	cells_put(&e->cells, (struct rect){ box.row, box.col + 2, 1, width - 4 }, box.row, box.col + 2, STYLE_RULE, " ");
	cells_put(&e->cells, (struct rect){ box.row, box.col + 3, 1, width - 6 }, box.row, box.col + 3, STYLE_ACCENT, popup->title);
	cells_put(&e->cells, (struct rect){ box.row, box.col + 2, 1, width - 4 }, box.row, box.col + 3 + text_width(popup->title), STYLE_RULE, " ");
	cells_wrap(&e->cells, text, popup->top, STYLE_TEXT, text_string(&popup->body));
	if (popup->top + popup->page < popup->lines)
		cells_put_right(&e->cells, (struct rect){ box.row, box.col, box.rows, box.cols - 2 }, box.row + box.rows - 1, STYLE_ACCENT, style_glyph(GLYPH_DOWN, e->ascii));
	e->cells.cursor_row = text.row;
	e->cells.cursor_col = text.col;
}

static void compute_layout(struct explorer *e)
{
	const struct view *view = explorer_view(e);
	struct layout_options options = { 0 };

	options.inspector = view->inspection != NULL && e->results->model != NULL;
	options.dials_width = view->dials == DIAL_NONE || e->results->model == NULL ? 0 : dials_width(e);
	options.note_rows = e->lesson.note.length > 0 ?
		cells_wrap(NULL, (struct rect){ 0, 0, 0, e->cells.cols - 6 }, 0, STYLE_TEXT, text_string(&e->lesson.note)) + e->lesson.waiting : 0;
	if (view->wants != NULL)
		view->wants(e, &options.main_rows, &options.main_cols);
	e->layout = layout_compute(e->cells.rows, e->cells.cols, &options);
}

void explorer_draw(struct explorer *e)
{
	const struct screen_layout *layout = &e->layout;

	compute_layout(e);
	cells_clear(&e->cells);
	if (layout->small) {
		char text[80];

		snprintf(text, sizeof text, "whypar needs %dx%d, this is %dx%d", LAYOUT_LEAST_COLS, LAYOUT_LEAST_ROWS, e->cells.cols, e->cells.rows);
		cells_wrap(&e->cells, (struct rect){ 0, 0, e->cells.rows, e->cells.cols }, 0, STYLE_TEXT, text);
		return;
	}
	draw_title(e, layout->title);
	dials_draw(e, layout->dials);
	draw_rule(e, layout->rule);
	explorer_view(e)->draw(e, layout->main);
	inspector_draw(e, layout->inspector);
	inspector_draw_strip(e, layout->strip);
	draw_note(e, layout->note);
	draw_footer(e, layout->footer);
	if (e->popup.open)
		draw_popup(e, (struct rect){ layout->title.row + 1, 0, layout->footer.row - 1, e->cells.cols });
	if (e->prompt.open)
		draw_prompt(e, layout->footer);
}
