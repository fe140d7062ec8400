#include "ui/prompt.h"

#include "base/memory.h"
#include "ui/keys.h"

#include <stdio.h>
#include <string.h>

void prompt_free(struct prompt *prompt)
{
	for (int i = 0; i < prompt->history_count; i++)
		memory_free(prompt->history[i]);
	memset(prompt, 0, sizeof *prompt);
}

void prompt_set_line(struct prompt *prompt, const char *line)
{
	prompt->length = text_sanitize(prompt->line, sizeof prompt->line, line, strlen(line));
	prompt->cursor = prompt->length;
}

void prompt_open(struct prompt *prompt, const char *text)
{
	prompt->open = true;
	prompt->mode = PROMPT_COMMAND;
	prompt->prefix[0] = prompt->suffix[0] = '\0';
	prompt->history_at = prompt->history_count;
	snprintf(prompt->label, sizeof prompt->label, ":");
	if (text_starts_with(text, "search /") || text_starts_with(text, "filter /")) {
		prompt->mode = text_starts_with(text, "search") ? PROMPT_SEARCH : PROMPT_FILTER;
		snprintf(prompt->label, sizeof prompt->label, "%s", prompt->mode == PROMPT_SEARCH ? "/" : "filter /");
		snprintf(prompt->prefix, sizeof prompt->prefix, "%.8s", text);
		snprintf(prompt->suffix, sizeof prompt->suffix, "/");
		text += strlen("search /");
	}
	prompt_set_line(prompt, text);
}

void prompt_open_value(struct prompt *prompt, const char *name)
{
	prompt_open(prompt, "");
	prompt->mode = PROMPT_VALUE;
	snprintf(prompt->label, sizeof prompt->label, "%.20s = ", name);
	snprintf(prompt->prefix, sizeof prompt->prefix, "set %.40s=", name);
}

void prompt_close(struct prompt *prompt)
{
	prompt->open = false;
}

bool prompt_is_pattern(const struct prompt *prompt)
{
	return prompt->mode == PROMPT_SEARCH || prompt->mode == PROMPT_FILTER;
}

static size_t step_back(const struct prompt *prompt, size_t at)
{
	while (at > 0 && (prompt->line[--at] & 0xC0) == 0x80)
		;
	return at;
}

static size_t step_forward(const struct prompt *prompt, size_t at)
{
	if (at < prompt->length)
		at++;
	while (at < prompt->length && (prompt->line[at] & 0xC0) == 0x80)
		at++;
	return at;
}

static void erase(struct prompt *prompt, size_t from, size_t to)
{
	memmove(prompt->line + from, prompt->line + to, prompt->length - to + 1);
	prompt->length -= to - from;
	prompt->cursor = from;
}

static bool insert(struct prompt *prompt, const char *bytes, size_t length)
{
	if (prompt->length + length >= sizeof prompt->line)
		return false;
	memmove(prompt->line + prompt->cursor + length, prompt->line + prompt->cursor, prompt->length - prompt->cursor + 1);
	memcpy(prompt->line + prompt->cursor, bytes, length);
	prompt->length += length;
	prompt->cursor += length;
	return true;
}

bool prompt_paste(struct prompt *prompt, const char *text, size_t length)
{
	char clean[PROMPT_BYTES];
	char *raw = memory_copy_text(text, length);
	bool fits;

	for (size_t i = 0; i < length; i++)
		if (raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t')
			raw[i] = ' ';
	fits = length < sizeof clean && insert(prompt, clean, text_sanitize(clean, sizeof clean, raw, length));
	memory_free(raw);
	return fits;
}

static size_t word_start(const struct prompt *prompt)
{
	size_t at = prompt->cursor;

	while (at > 0 && prompt->line[at - 1] == ' ')
		at--;
	while (at > 0 && prompt->line[at - 1] != ' ')
		at--;
	return at;
}

/* The history holds whole commands; only those that begin as this prompt does can be edited in it. */
static enum prompt_event recall(struct prompt *prompt, int direction)
{
	size_t skip = strlen(prompt->prefix);
	int at = prompt->history_at + direction;

	while (at >= 0 && at < prompt->history_count && !text_starts_with(prompt->history[at], prompt->prefix))
		at += direction;
	if (at < 0 || at > prompt->history_count)
		return PROMPT_MOVED;
	if (prompt->history_at == prompt->history_count)
		memcpy(prompt->kept, prompt->line, sizeof prompt->kept);
	prompt->history_at = at;
	if (at == prompt->history_count) {
		prompt_set_line(prompt, prompt->kept);
	} else {
		prompt_set_line(prompt, prompt->history[at] + skip);
		if (prompt->suffix[0] != '\0' && prompt->length > 0 && prompt->line[prompt->length - 1] == prompt->suffix[0])
			erase(prompt, prompt->length - 1, prompt->length);
	}
	return PROMPT_EDITED;
}

static enum prompt_event move_to(struct prompt *prompt, size_t at)
{
	prompt->cursor = at;
	return PROMPT_MOVED;
}

static enum prompt_event erase_event(struct prompt *prompt, size_t from, size_t to)
{
	erase(prompt, from, to);
	return PROMPT_EDITED;
}

static enum prompt_event type_key(struct prompt *prompt, uint32_t key)
{
	char raw[4], clean[8];

	if (key < 0x20 || key >= KEY_CODE_NONE)
		return PROMPT_IGNORED;
	insert(prompt, clean, text_sanitize(clean, sizeof clean, raw, text_encode(key, raw)));
	return PROMPT_EDITED;
}

enum prompt_event prompt_key(struct prompt *prompt, uint32_t key)
{
	switch (key) {
	case KEY_CODE_ENTER: return PROMPT_ACCEPT;
	case KEY_CODE_ESCAPE: case 'C' - 0x40: return PROMPT_CANCEL;
	case KEY_CODE_TAB: return PROMPT_COMPLETE;
	case KEY_CODE_BACK_TAB: return PROMPT_COMPLETE_BACK;
	case KEY_CODE_LEFT: case 'B' - 0x40: return move_to(prompt, step_back(prompt, prompt->cursor));
	case KEY_CODE_RIGHT: case 'F' - 0x40: return move_to(prompt, step_forward(prompt, prompt->cursor));
	case KEY_CODE_HOME: case 'A' - 0x40: return move_to(prompt, 0);
	case KEY_CODE_END: case 'E' - 0x40: return move_to(prompt, prompt->length);
	case KEY_CODE_UP: case 'P' - 0x40: return recall(prompt, -1);
	case KEY_CODE_DOWN: case 'N' - 0x40: return recall(prompt, 1);
	case KEY_CODE_DELETE: case 'D' - 0x40: return erase_event(prompt, prompt->cursor, step_forward(prompt, prompt->cursor));
	case 'U' - 0x40: return erase_event(prompt, 0, prompt->cursor);
	case 'W' - 0x40: return erase_event(prompt, word_start(prompt), prompt->cursor);
	case 'K' - 0x40:
		prompt->length = prompt->cursor;
		prompt->line[prompt->length] = '\0';
		return PROMPT_EDITED;
	case KEY_CODE_BACKSPACE: case 'H' - 0x40: case 0x7F:
		if (prompt->length == 0)
			return PROMPT_CANCEL;
		return erase_event(prompt, step_back(prompt, prompt->cursor), prompt->cursor);
	default:
		return type_key(prompt, key);
	}
}

static void add_history(struct prompt *prompt, const char *line)
{
	if (line[0] == '\0' || (prompt->history_count > 0 && strcmp(prompt->history[prompt->history_count - 1], line) == 0))
		return;
	if (prompt->history_count == PROMPT_HISTORY) {
		memory_free(prompt->history[0]);
		memmove(prompt->history, prompt->history + 1, (PROMPT_HISTORY - 1) * sizeof *prompt->history);
		prompt->history_count--;
	}
	prompt->history[prompt->history_count++] = memory_copy_text(line, strlen(line));
}

void prompt_command(struct prompt *prompt, struct text *out, bool remember)
{
	bool pattern = prompt_is_pattern(prompt);

	text_clear(out);
	text_add(out, prompt->prefix);
	for (size_t i = 0; i < prompt->length; i++) {
		if (pattern && prompt->line[i] == '\\' && i + 1 < prompt->length)
			text_append(out, &prompt->line[i++], 1);
		else if (pattern && prompt->line[i] == '/')
			text_add(out, "\\");
		text_append(out, &prompt->line[i], 1);
	}
	text_add(out, prompt->suffix);
	if (remember)
		add_history(prompt, text_string(out));
}

bool prompt_pattern(const struct prompt *prompt, char *out, size_t size, size_t *offset)
{
	const char *start = prompt->line;
	size_t length = 0;

	if (!prompt_is_pattern(prompt)) {
		static const char *const takers[] = { "pin /", "unpin /", "search /", "filter /" };
		size_t i = 0;

		while (i < sizeof takers / sizeof *takers && !text_starts_with(prompt->line, takers[i]))
			i++;
		if (i == sizeof takers / sizeof *takers)
			return false;
		start += strlen(takers[i]);
	}
	*offset = (size_t)(start - prompt->line);
	/* \/ is a slash inside; the pattern ends at the first bare one (never, in pattern form). */
	for (; *start != '\0' && length + 1 < size; start++) {
		if (!prompt_is_pattern(prompt) && *start == '/')
			break;
		if (start[0] == '\\' && start[1] != '\0' && length + 2 < size)
			out[length++] = *start++;
		out[length++] = *start;
	}
	out[length] = '\0';
	return true;
}
