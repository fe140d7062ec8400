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

bool line_next_bytes(const char *bytes, size_t length, size_t *at, struct line_bytes *line)
{
	size_t to;

	if (*at == 0 && length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
		*at = 3;
	if (*at >= length)
		return false;
	for (to = *at; to < length && bytes[to] != '\n' && bytes[to] != '\r'; )
		to++;
	line->bytes = bytes + *at;
	line->length = to - *at;
	line->number++;
	*at = to + (to + 1 < length && bytes[to] == '\r' && bytes[to + 1] == '\n' ? 2 : 1);
	return true;
}

bool line_next(const char *bytes, size_t length, size_t *at, struct line *line)
{
	struct line_bytes whole = { .number = line->number };
	size_t here = 0;

	if (!line_next_bytes(bytes, length, at, &whole))
		return false;
	line->count = line->kept = 0;
	line->number = whole.number;
	while (here < whole.length) {
		size_t from;

		while (here < whole.length && is_blank(whole.bytes[here]))
			here++;
		for (from = here; here < whole.length && !is_blank(whole.bytes[here]); )
			here++;
		if (here == from)
			break;
		if (line->kept < LINE_WORDS_MAX)
			snprintf(line->word[line->kept++], LINE_WORD_BYTES, "%.*s", (int)(here - from < LINE_WORD_BYTES ? here - from : LINE_WORD_BYTES - 1), whole.bytes + from);
		line->count++;
	}
	return true;
}

bool line_number(const char *word, double *value)
{
	char *end;

	*value = strtod(word, &end);
	return end != word && *end == '\0' && isfinite(*value) && strpbrk(word, "xX") == NULL;
}
