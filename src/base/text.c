#define _XOPEN_SOURCE 700
#include "base/text.h"

#include "base/memory.h"

#include <string.h>
#include <wchar.h>

void text_append(struct text *t, const char *bytes, size_t length)
{
	t->bytes = memory_grow(t->bytes, &t->capacity, t->length + length + 1, 1);
	memcpy(t->bytes + t->length, bytes, length);
	t->length += length;
	t->bytes[t->length] = '\0';
}

void text_add(struct text *t, const char *string)
{
	text_append(t, string, strlen(string));
}

void text_printf(struct text *t, const char *format, ...)
{
	va_list arguments, again;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length > 0) {
		t->bytes = memory_grow(t->bytes, &t->capacity, t->length + (size_t)length + 1, 1);
		vsnprintf(t->bytes + t->length, (size_t)length + 1, format, again);
		t->length += (size_t)length;
	}
	va_end(again);
}

void text_pad(struct text *t, const char *string, int width)
{
	int missing = (width < 0 ? -width : width) - text_width(string);

	for (int i = 0; width < 0 && i < missing; i++)
		text_add(t, " ");
	text_add(t, string);
	for (int i = 0; width > 0 && i < missing; i++)
		text_add(t, " ");
}

void text_clear(struct text *t)
{
	t->length = 0;
	if (t->bytes != NULL)
		t->bytes[0] = '\0';
}

void text_free(struct text *t)
{
	memory_free(t->bytes);
	memset(t, 0, sizeof *t);
}

const char *text_string(const struct text *t)
{
	return t->bytes != NULL ? t->bytes : "";
}

size_t text_decode(const char *source, size_t length, uint32_t *character)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)source;
	size_t bytes, i;
	uint32_t c;

	if (length == 0)
		return 0;
	*character = 0xFFFD;
	if (s[0] < 0x80) {
		*character = s[0];
		return 1;
	}
	bytes = s[0] >= 0xF0 && s[0] < 0xF8 ? 4 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3 : s[0] >= 0xC0 && s[0] < 0xE0 ? 2 : 0;
	if (bytes == 0 || bytes > length)
		return 1;
	c = s[0] & (0xFFu >> (bytes + 1));
	for (i = 1; i < bytes; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 1;
		c = c << 6 | (s[i] & 0x3Fu);
	}
	if (c < least[bytes] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return 1;
	*character = c;
	return bytes;
}

size_t text_encode(uint32_t c, char out[4])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xC0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xE0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3F));
		out[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3F));
	out[2] = (char)(0x80 | (c >> 6 & 0x3F));
	out[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

static bool is_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD ||
	       c == 0x61C || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
	       (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
	       (c >= 0xE0000 && c <= 0xE0FFF) || (c & 0xFFFE) == 0xFFFE;
}

/* Bytes of printable ASCII that source begins with: they are themselves, and most of what comes from outside. */
static size_t plain_run(const char *source, size_t length)
{
	size_t n = 0;

	while (n < length && source[n] >= 0x20 && source[n] < 0x7F)
		n++;
	return n;
}

size_t text_sanitize(char *out, size_t size, const char *source, size_t length)
{
	size_t written = 0;

	if (size == 0)
		return 0;
	while (length > 0) {
		size_t plain = plain_run(source, length < size - 1 - written ? length : size - 1 - written);
		char encoded[4];
		uint32_t c;
		size_t used, bytes;

		memcpy(out + written, source, plain);
		written += plain;
		source += plain;
		length -= plain;
		if (length == 0)
			break;
		used = text_decode(source, length, &c);
		bytes = text_encode(is_harmful(c) ? 0xFFFD : c, encoded);
		if (bytes > size - 1 - written)
			break;
		memcpy(out + written, encoded, bytes);
		written += bytes;
		source += used;
		length -= used;
	}
	out[written] = '\0';
	return written;
}

int text_columns(uint32_t character)
{
	int width = character < 0x80 ? 1 : wcwidth((wchar_t)character);

	return width < 0 ? 1 : width;
}

int text_width(const char *string)
{
	size_t left = strlen(string), used;
	uint32_t c;
	int columns = 0;

	while ((used = text_decode(string, left, &c)) > 0) {
		columns += text_columns(c);
		string += used;
		left -= used;
	}
	return columns;
}

/* Edit distance with transposition (optimal string alignment), words cut at WORD_MAX. */
static int edit_distance(const char *a, const char *b)
{
	enum { WORD_MAX = 40 };
	int rows[3][WORD_MAX + 1];
	int m = (int)strnlen(a, WORD_MAX), n = (int)strnlen(b, WORD_MAX);
	int *before = rows[0], *last = rows[1], *now = rows[2];

	for (int j = 0; j <= n; j++)
		last[j] = before[j] = j;
	for (int i = 1; i <= m; i++) {
		int *spare = before;

		now[0] = i;
		for (int j = 1; j <= n; j++) {
			int best = last[j - 1] + (a[i - 1] != b[j - 1]);

			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[n];
}

int text_nearest(const char *word, const char *const *names, size_t count)
{
	int length = (int)strlen(word);
	int limit = length / 3 > 2 ? length / 3 : 2, best = -1;

	if (length < 2)
		return -1;
	for (size_t i = 0; i < count; i++) {
		int distance = text_starts_with(names[i], word) ? 1 : edit_distance(word, names[i]);

		if (distance <= limit && distance < length) {
			limit = distance - 1;
			best = (int)i;
		}
	}
	return best;
}

bool text_starts_with(const char *string, const char *prefix)
{
	return strncmp(string, prefix, strlen(prefix)) == 0;
}

uint64_t text_hash(uint64_t hash, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
	return hash;
}
