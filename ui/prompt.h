/* The line editor behind `:`, `/` and a dial's value.
 *
 * It edits one line of UTF-8 after a label; what is run is prefix + line + suffix, so that `/` shows only the pattern
 * of "search /.../".  Knows nothing of the screen or the study; the explorer completes and runs. */
#ifndef WHYPAR_UI_PROMPT_H
#define WHYPAR_UI_PROMPT_H

#include "base/text.h"

#include <stdint.h>

enum { PROMPT_BYTES = 1024, PROMPT_HISTORY = 100 };

enum prompt_event {
	PROMPT_EDITED,           /* the line changed: look at it again */
	PROMPT_MOVED,            /* only the cursor */
	PROMPT_ACCEPT,           /* Enter */
	PROMPT_CANCEL,           /* Esc, or Backspace on an empty line */
	PROMPT_COMPLETE,         /* Tab */
	PROMPT_COMPLETE_BACK,
	PROMPT_IGNORED           /* not a key of the editor */
};

/* What is typed: a command line, the bare regular expression of a search or a filter, the value of a dial. */
enum prompt_mode { PROMPT_COMMAND, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_VALUE };

struct prompt {
	bool open;
	enum prompt_mode mode;
	char label[32];          /* ":" or "/" or "batch = " */
	char prefix[64], suffix[4];
	char line[PROMPT_BYTES];
	size_t length, cursor;   /* bytes; the cursor is always at the start of a character */
	char *history[PROMPT_HISTORY];
	int history_count, history_at;
	char kept[PROMPT_BYTES]; /* what was typed before history was entered */
};

void prompt_free(struct prompt *prompt);

/* text: the start of a command; "search /" and "filter /" open in pattern form. */
void prompt_open(struct prompt *prompt, const char *text);
/* A value: label "batch = ", prefix "set batch=". */
void prompt_open_value(struct prompt *prompt, const char *name);
void prompt_close(struct prompt *prompt);
/* The line is a bare regular expression. */
bool prompt_is_pattern(const struct prompt *prompt);

enum prompt_event prompt_key(struct prompt *prompt, uint32_t key);
/* Sanitised; line ends become blanks, so pasting never runs anything.  False when there is no room for it. */
bool prompt_paste(struct prompt *prompt, const char *text, size_t length);
void prompt_set_line(struct prompt *prompt, const char *line);

/* The whole command line, slashes in a pattern escaped; remembers it in the history. */
void prompt_command(struct prompt *prompt, struct text *out, bool remember);

/* The regular expression being typed, in pattern form or as a command's /REGEX/; false when there is none.  *offset is
 * where it starts in the line, in bytes. */
bool prompt_pattern(const struct prompt *prompt, char *out, size_t size, size_t *offset);

#endif
