#include "base/line.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == '\0' || isspace((unsigned char)c);
}

bool line_next(const char *bytes, size_t length, size_t *at, struct line *line)
{
	size_t to;

	if (*at == 0 && length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
		*at = 3;
	if (*at >= length)
		return false;
	for (to = *at; to < length && bytes[to] != '\n' && bytes[to] != '\r'; )
		to++;
	line->count = line->kept = 0;
	line->number++;
	while (*at < to) {
		size_t from;

		while (*at < to && is_blank(bytes[*at]))
			++*at;
		for (from = *at; *at < to && !is_blank(bytes[*at]); )
			++*at;
		if (*at == from)
			break;
		if (line->kept < LINE_WORDS_MAX)
			snprintf(line->word[line->kept++], LINE_WORD_BYTES, "%.*s", (int)(*at - from < LINE_WORD_BYTES ? *at - from : LINE_WORD_BYTES - 1), bytes + from);
		line->count++;
	}
	*at = to + (to + 1 < length && bytes[to] == '\r' && bytes[to + 1] == '\n' ? 2 : 1);
	return true;
}

bool line_number(const char *word, double *value)
{
	char *end;

	*value = strtod(word, &end);
	return end != word && *end == '\0' && isfinite(*value) && strpbrk(word, "xX") == NULL;
}
