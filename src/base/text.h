/* Strings: a growing buffer, the one sanitiser, UTF-8, and nearest-name suggestions.
 *
 * Every string that comes from outside (files, argv, rc, pasted text) passes
 * text_sanitize before it is stored or printed, on the screen or off it. */
#ifndef WHYPAR_BASE_TEXT_H
#define WHYPAR_BASE_TEXT_H

#include "base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing string.  Start from {0}; bytes is NUL-terminated once something was added. */
struct text {
	char *bytes;
	size_t length;
	size_t capacity;
};

void text_append(struct text *t, const char *bytes, size_t length);
void text_add(struct text *t, const char *string);
void text_printf(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);
/* Padded to a width in columns; a negative one aligns to the right. */
void text_pad(struct text *t, const char *string, int width);
void text_clear(struct text *t);
void text_free(struct text *t);
/* "" when nothing was added. */
const char *text_string(const struct text *t);

/* Copies source to out so that it can do no harm on a terminal or in a line of text: C0, C1
 * and DEL, line and paragraph separators, bidirectional controls, zero-width characters and bytes
 * that are not UTF-8 become U+FFFD; the result fits size and never ends inside a character.
 * Returns the bytes written, without the NUL. */
size_t text_sanitize(char *out, size_t size, const char *source, size_t length);

/* Decodes one character; returns its bytes (1..4), 0 at the end, and U+FFFD for a bad byte
 * (1 byte consumed).  Overlong forms and surrogates are bad. */
size_t text_decode(const char *source, size_t length, uint32_t *character);

/* Encodes a character; returns its bytes. */
size_t text_encode(uint32_t character, char out[4]);

/* Columns of one character: 0 (combining), 1 or 2 (wcwidth of the current locale; one that the locale does not know counts 1). */
int text_columns(uint32_t character);

/* Columns a sanitised string takes on a terminal. */
int text_width(const char *string);

/* Index of the name nearest to word by edit distance, or -1 when none is near enough
 * to be a likely slip (distance <= 2, or a third of the word). */
int text_nearest(const char *word, const char *const *names, size_t count);

/* FNV-1a, 64 bit, of bytes behind those that are in hash already. */
#define TEXT_HASH_START UINT64_C(14695981039346656037)
uint64_t text_hash(uint64_t hash, const char *bytes, size_t length);

/* True when string starts with prefix. */
bool text_starts_with(const char *string, const char *prefix);

#endif
