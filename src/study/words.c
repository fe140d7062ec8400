#include "study/words.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Copies one word's text to out, following its quotes; returns what follows, or NULL when a quote stays open. */
static const char *take_word(const char *from, char *out, char *open)
{
	char quote = '\0';
	bool regex = *from == '/' && strchr(from + 1, '/') != NULL;

	if (regex) {
		/* A path such as /tmp/x.csv also begins so: a regex ends with a slash before a blank or the end. */
		const char *end = from + 1;

		while (*end != '\0' && !(*end == '/' && end[-1] != '\\' && (end[1] == '\0' || is_blank(end[1]))))
			end++;
		if (*end == '/') {
			memcpy(out, from, (size_t)(end + 1 - from));
			out[end + 1 - from] = '\0';
			return end + 1;
		}
	}
	for (; *from != '\0' && (quote != '\0' || !is_blank(*from)); from++) {
		if (quote == '\0' && (*from == '"' || *from == '\''))
			quote = *from;
		else if (quote != '\0' && *from == quote)
			quote = '\0';
		else if (quote == '"' && *from == '\\' && from[1] != '\0')
			*out++ = *++from;
		else
			*out++ = *from;
	}
	*out = '\0';
	*open = quote;
	return quote == '\0' ? from : NULL;
}

enum status words_split(struct words *words, const char *line, struct diagnostic *d)
{
	memset(words, 0, sizeof *words);
	words->rest = "";
	for (;;) {
		char open = '\0';
		char *word;

		while (is_blank(*line))
			line++;
		if (*line == '\0')
			return STATUS_OK;
		if (words->count == 1)
			words->rest = line;
		if (words->count == WORDS_MAX)
			return diagnostic_fail(d, STATUS_USAGE, "a command of more than %d words", WORDS_MAX);
		word = arena_alloc(&words->arena, strlen(line) + 1, 1);
		line = take_word(line, word, &open);
		if (line == NULL)
			return diagnostic_fail(d, STATUS_USAGE, "the quote %c is never closed", open);
		words->word[words->count++] = word;
	}
}

void words_free(struct words *words)
{
	arena_free(&words->arena);
	words->count = 0;
}

const char *words_pattern(struct words *words, const char *word)
{
	size_t length = strlen(word), used = 0;
	char *pattern;

	if (length < 2 || word[0] != '/' || word[length - 1] != '/')
		return NULL;
	pattern = arena_alloc(&words->arena, length, 1);
	for (size_t i = 1; i + 1 < length; i++) {
		if (word[i] == '\\' && word[i + 1] == '/' && i + 2 < length)
			i++;
		pattern[used++] = word[i];
	}
	return pattern;
}
