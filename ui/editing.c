/* The prompt at work: live search and filter, completion, running the line. */
#include "ui/inside.h"

#include <string.h>

static void forget_completions(struct explorer *e)
{
	text_clear(&e->completions);
	e->completion = -1;
}

void editing_open(struct explorer *e, const char *text)
{
	const struct table *table = explorer_table(e);

	prompt_open(&e->prompt, text);
	forget_completions(e);
	e->bad_pattern = -1;
	e->message.text[0] = '\0';
	e->editing.row = e->row;
	e->editing.line = e->help_line;
	snprintf(e->editing.filter, sizeof e->editing.filter, "%s", table != NULL && table->filter != NULL ? regex_pattern(table->filter) : "");
	if (e->prompt.mode == PROMPT_FILTER)
		prompt_set_line(&e->prompt, e->editing.filter);
}

/* Esc: the cursor and the filter go back to what they were. */
static void abandon(struct explorer *e)
{
	if (e->prompt.mode == PROMPT_FILTER)
		explorer_filter(e, e->editing.filter, NULL);
	if (e->prompt.mode == PROMPT_SEARCH) {
		explorer_select(e, e->editing.row, 0);
		e->help_line = e->editing.line;
	}
	prompt_close(&e->prompt);
	forget_completions(e);
	e->bad_pattern = -1;
	e->message.text[0] = '\0';
	e->rebuild = true;
}

/* Before a pin or unpin is run: how many rows it would be about (they are marked in the table as well). */
static void preview(struct explorer *e, struct regex *regex)
{
	int rows = 0, matches = 0;

	for (int row = 0; e->results->model != NULL && row < e->results->model->count; row++) {
		if (!layers_has_choice(e, row))
			continue;
		rows++;
		matches += regex_find(regex, e->results->model->operators[row].name, NULL, NULL);
	}
	explorer_say(e, matches > 0 ? STYLE_TEXT : STYLE_WARNING, "matches %d of %d rows", matches, rows);
}

/* Looks at the pattern while it is typed: shows where it fails, keeps the last good one at work. */
void editing_changed(struct explorer *e)
{
	char pattern[PROMPT_BYTES];
	struct diagnostic d;
	struct regex *match;
	size_t start;
	int offset = 0;

	forget_completions(e);
	e->bad_pattern = -1;
	e->message.text[0] = '\0';
	if (!prompt_pattern(&e->prompt, pattern, sizeof pattern, &start))
		return;
	if (pattern[0] == '\0') {
		if (e->prompt.mode == PROMPT_FILTER)
			explorer_filter(e, "", NULL);
		return;
	}
	match = regex_new(pattern, &offset, &d);
	if (match == NULL) {
		/* The caret shows where, the prompt shows the pattern: the reason is enough. */
		const char *reason = strlen(d.text) > strlen(pattern) + 4 ? d.text + strlen(pattern) + 4 : d.text;

		e->bad_pattern = (int)start + offset;
		explorer_say(e, STYLE_ERROR, "%s", reason);
		return;
	}
	if (e->prompt.mode == PROMPT_FILTER) {
		regex_free(match);
		explorer_filter(e, pattern, NULL);
		return;
	}
	regex_free(e->search);
	e->search = match;
	e->rebuild = true;
	if (!prompt_is_pattern(&e->prompt))
		preview(e, match);
	if (e->prompt.mode == PROMPT_SEARCH) {
		explorer_select(e, e->editing.row, 0);
		e->help_line = e->editing.line;
		if (explorer_view(e)->search == NULL || !explorer_view(e)->search(e, match, 1, true))
			explorer_say(e, STYLE_WARNING, "no row matches");
	}
}

static size_t common_prefix(const char *lines)
{
	const char *first = lines, *line = lines;
	size_t common = strcspn(first, "\n");

	while (*(line += strcspn(line, "\n")) == '\n' && line[1] != '\0') {
		size_t same = 0;

		line++;
		while (same < common && line[same] == first[same] && line[same] != '\n')
			same++;
		common = same;
	}
	return common;
}

static int count_lines(const char *lines)
{
	int count = 0;

	for (; *lines != '\0'; lines++)
		count += *lines == '\n';
	return count;
}

/* Candidate `index` as the prompt's line: the whole new line without the prompt's own prefix. */
static void take_candidate(struct explorer *e, const char *line, size_t length)
{
	size_t skip = strlen(e->prompt.prefix);
	char copy[PROMPT_BYTES];

	if (length >= sizeof copy || length < skip)
		return;
	memcpy(copy, line, length);
	copy[length] = '\0';
	prompt_set_line(&e->prompt, copy + skip);
}

static void complete(struct explorer *e, int direction)
{
	const char *line;
	int count;

	if (prompt_is_pattern(&e->prompt))
		return;
	if (e->completions.length == 0) {
		struct text typed = { 0 };

		e->prompt.line[e->prompt.cursor] = '\0';
		e->prompt.length = e->prompt.cursor;
		prompt_command(&e->prompt, &typed, false);
		command_complete(e->study, text_string(&typed), &e->completions);
		text_free(&typed);
		if (e->completions.length > 0 && e->completions.bytes[e->completions.length - 1] != '\n')
			text_add(&e->completions, "\n");
		count = count_lines(text_string(&e->completions));
		if (count == 0) {
			explorer_say(e, STYLE_DIM, "nothing completes this");
			return;
		}
		take_candidate(e, e->completions.bytes, common_prefix(e->completions.bytes));
		if (count == 1)
			forget_completions(e);
		return;
	}
	count = count_lines(e->completions.bytes);
	e->completion = ((e->completion < 0 && direction < 0 ? 0 : e->completion) + direction + count) % count;
	line = e->completions.bytes;
	for (int i = 0; i < e->completion; i++)
		line += strcspn(line, "\n") + 1;
	take_candidate(e, line, strcspn(line, "\n"));
}

/* A line that fails stays open to be mended. */
static void accept(struct explorer *e)
{
	struct text command = { 0 };
	struct prompt *prompt = &e->prompt;
	bool empty = prompt->length == 0;
	struct diagnostic d;

	if (empty && prompt->mode != PROMPT_FILTER) {
		abandon(e);
		return;
	}
	if (prompt->mode == PROMPT_SEARCH)
		explorer_select(e, e->editing.row, 0);
	prompt_command(prompt, &command, true);
	prompt_close(prompt);
	forget_completions(e);
	e->bad_pattern = -1;
	e->message.text[0] = '\0';
	if (explorer_command(e, text_string(&command), &d) != STATUS_OK) {
		explorer_complain(e, &d);
		if (!prompt->open && !prompt_is_pattern(prompt)) {
			prompt->open = true;
			prompt->history_at = prompt->history_count;
		}
	}
	e->rebuild = true;
	text_free(&command);
}

void editing_key(struct explorer *e, uint32_t key)
{
	switch (prompt_key(&e->prompt, key)) {
	case PROMPT_EDITED: editing_changed(e); break;
	case PROMPT_ACCEPT: accept(e); break;
	case PROMPT_CANCEL: abandon(e); break;
	case PROMPT_COMPLETE: complete(e, 1); break;
	case PROMPT_COMPLETE_BACK: complete(e, -1); break;
	case PROMPT_MOVED: case PROMPT_IGNORED: break;
	}
}
