/* Lines of words between blanks, as tools print them and people type them: tables without commas, keys and numbers. */
#ifndef WHYPAR_BASE_LINE_H
#define WHYPAR_BASE_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { LINE_WORDS_MAX = 24, LINE_WORD_BYTES = 128 };

/* Words behind the last are counted, not kept; longer ones are cut. */
struct line {
	char word[LINE_WORDS_MAX][LINE_WORD_BYTES];
	int count;               /* of all words */
	int kept;
	unsigned long number;    /* from 1 */
};

/* A line as it stands, without its end; the bytes are the caller's. */
struct line_bytes {
	const char *bytes;
	size_t length;
	unsigned long number;    /* from 1 */
};

/* The line that begins at *at, for those that words between blanks do not fit; ends, marks and numbers as line_next has them. */
bool line_next_bytes(const char *bytes, size_t length, size_t *at, struct line_bytes *line);

/* Cuts the line that begins at *at, which ends at LF, CR or both, and goes on to the next; false at the end.  A NUL is a blank, and so is the byte order mark of a file's beginning.
 * line->number goes up by one, so start from a line of zeros. */
bool line_next(const char *bytes, size_t length, size_t *at, struct line *line);

/* All of the word as a finite decimal number. */
bool line_number(const char *word, double *value);

#endif
