/* Regular expressions of the screen: search, filter and the live check of what is being typed (PCRE2).
 *
 * Smart case: a pattern without a capital letter ignores case.  Limits keep a hostile pattern to
 * well under a millisecond a row. */
#ifndef WHYPAR_UI_MATCH_H
#define WHYPAR_UI_MATCH_H

#include "base/status.h"

#include <stdbool.h>

struct match;

/* NULL when the pattern does not compile; then d holds why and *offset (may be NULL) the byte where. */
struct match *match_new(const char *pattern, int *offset, struct diagnostic *d);
void match_free(struct match *match);    /* NULL allowed */

/* First match in text as bytes [*start, *end) (may be NULL).  A pattern that runs into its limits does not match. */
bool match_find(const struct match *match, const char *text, int *start, int *end);

const char *match_pattern(const struct match *match);

#endif
