/* Names of a file's rows, to find a row by name without searching them all.
 *
 * A layer table notes every name first with the last line that bears it, so that an input that names a later row can be told from a
 * slip; then, row by row, with the operator it has become. */
#ifndef WHYPAR_BASE_NAMES_H
#define WHYPAR_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { NAME_NOT_YET = -2, NAME_KEPT_OUT = -3 };

struct name {
	const char *text;        /* NUL when the slot is free */
	size_t length;
	unsigned long last_line; /* of the last row of this name in the file */
	unsigned long line;      /* of the nearest row so far */
	int row;                 /* its operator, or NAME_NOT_YET, NAME_KEPT_OUT */
	int seen;                /* rows of this name so far */
};

struct names {
	struct name *slots;
	size_t capacity, count;
};

/* The slot of a name, or NULL. */
struct name *names_find(const struct names *n, const char *text, size_t length);
/* The slot of a name, made where there is none.  The text is not copied. */
struct name *names_add(struct names *n, const char *text, size_t length);
void names_free(struct names *n);

#endif
