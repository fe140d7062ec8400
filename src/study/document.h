/* The document: every input of a study, and nothing derived.
 *
 * Plain data that can be copied and compared; the undo journal is a list of copies.  It owns its strings. */
#ifndef WHYPAR_STUDY_DOCUMENT_H
#define WHYPAR_STUDY_DOCUMENT_H

#include "study/parameters.h"

/* A pin rule.  Rules apply in order; a later one wins where both match.  state -1 frees again (unpin). */
struct pin_rule {
	char *pattern;           /* PCRE2 pattern, or "#12" for one row */
	int level;               /* 1-based, 0 = every level */
	int state;               /* enum split for layers, enum layout for junctions: dp=row 0, mp=col 1, op=full 2; -1 */
	bool junction;           /* the rule names a layout: it pins junctions, else layers */
};

struct document {
	char *model;             /* reference as given to load; NULL = none yet */
	double values[PARAMETER_COUNT];
	struct pin_rule *pins;
	size_t pin_count, pin_capacity;
};

void document_init(struct document *document);
void document_copy(struct document *to, const struct document *from);   /* `to` is overwritten, not freed */
bool document_same_pins(const struct document *a, const struct document *b);
bool document_equal(const struct document *a, const struct document *b);
void document_free(struct document *document);
/* Adds a rule behind the others; rules it leaves without effect go. */
void document_add_pin(struct document *document, const char *pattern, int level, int state, bool junction);

#endif
