/* A command line as words: blanks divide, "..." and '...' quote (a quote that is never closed is an ordinary character, as
 * in it's), /REGEX/ is one word, \ keeps the next character inside double quotes, # at the beginning makes a comment. */
#ifndef WHYPAR_STUDY_WORDS_H
#define WHYPAR_STUDY_WORDS_H

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>

enum { WORDS_MAX = 66 };

struct words {
	struct arena arena;
	char *word[WORDS_MAX];
	int count;
	const char *rest;        /* of the line, behind the first word and its blanks */
};

/* STATUS_USAGE on too many words.  End with words_free in any case. */
enum status words_split(struct words *words, const char *line, struct diagnostic *d);
void words_free(struct words *words);

/* The pattern of a /REGEX/ word, unescaped (\/ for a slash), or NULL when the word is no such thing.  In words' arena. */
const char *words_pattern(struct words *words, const char *word);

/* Appends a word so that words_split gives it back unchanged. */
void words_quote(struct text *out, const char *word);

#endif
