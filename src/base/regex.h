/* Regular expressions (PCRE2): pins, search, filter, and the live check of what is being typed.
 *
 * Smart case: a pattern without a capital letter ignores case.  Limits keep a hostile pattern to
 * well under a millisecond a row. */
#ifndef WHYPAR_BASE_REGEX_H
#define WHYPAR_BASE_REGEX_H

#include "base/status.h"

#include <stdbool.h>

struct regex;

/* NULL when the pattern does not compile; then d holds why and *offset (may be NULL) the byte where. */
struct regex *regex_new(const char *pattern, int *offset, struct diagnostic *d);
void regex_free(struct regex *regex);    /* NULL allowed */

/* First match in text as bytes [*start, *end) (may be NULL).  A pattern that runs into its limits does not match. */
bool regex_find(struct regex *regex, const char *text, int *start, int *end);

/* True when some regex_find ran into the limits: "no match" may then be wrong. */
bool regex_gave_up(const struct regex *regex);

const char *regex_pattern(const struct regex *regex);

#endif
