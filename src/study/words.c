#include "study/words.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A path such as /tmp/x.csv also begins with a slash: a regex ends with one before a blank or the end. */
static const char *regex_end(const char *from)
{
	if (*from != '/')
		return NULL;
	for (const char *end = from + 1; *end != '\0'; end++) {
		if (*end == '\\' && end[1] != '\0')
			end++;
		else if (*end == '/' && (end[1] == '\0' || is_blank(end[1])))
			return end + 1;
	}
	return NULL;
}

/* Copies one word's text to out, following its quotes; returns what follows. */
static const char *take_word(const char *from, char *out)
{
	const char *end = regex_end(from);
	char quote = '\0';

	if (end != NULL) {
		memcpy(out, from, (size_t)(end - from));
		out[end - from] = '\0';
		return end;
	}
	for (; *from != '\0' && (quote != '\0' || !is_blank(*from)); from++) {
		if (quote == '\0' && (*from == '"' || *from == '\'') && strchr(from + 1, *from) != NULL)
			quote = *from;
		else if (quote != '\0' && *from == quote)
			quote = '\0';
		else if (quote == '"' && *from == '\\' && from[1] != '\0')
			*out++ = *++from;
		else
			*out++ = *from;
	}
	*out = '\0';
	return from;
}

enum status words_split(struct words *words, const char *line, struct diagnostic *d)
{
	memset(words, 0, sizeof *words);
	words->rest = "";
	for (;;) {
		char *word;

		while (is_blank(*line))
			line++;
		if (*line == '\0' || (*line == '#' && words->count == 0))
			return STATUS_OK;
		if (words->count == 1)
			words->rest = line;
		if (words->count == WORDS_MAX)
			return diagnostic_fail(d, STATUS_USAGE, "a command of more than %d words", WORDS_MAX);
		word = arena_alloc(&words->arena, strlen(line) + 1, 1);
		line = take_word(line, word);
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

void words_quote(struct text *out, const char *word)
{
	if (word[0] != '\0' && word[0] != '/' && strpbrk(word, " \t\"'\\") == NULL) {
		text_add(out, word);
		return;
	}
	text_add(out, "\"");
	for (; *word != '\0'; word++) {
		if (*word == '"' || *word == '\\')
			text_add(out, "\\");
		text_append(out, word, 1);
	}
	text_add(out, "\"");
}
