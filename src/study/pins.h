/* Pin rules of the document against the layers of a model. */
#ifndef WHYPAR_STUDY_PINS_H
#define WHYPAR_STUDY_PINS_H

#include "partition/problem.h"
#include "study/document.h"

/* Writes the pins (variable x LEVELS_MAX: a state or NO_STATE) that the rules make.  Rules that match nothing, ask a row for a
 * state it does not have, or speak of a level that the array has not, are told in warnings. */
void pins_resolve(const struct document *document, const struct model *model, const struct problem *problem, signed char *pins,
	struct diagnostics *warnings);

/* A rule's rows as the user would write them: "#12", the name, or "/regex/". */
void pins_words(const struct pin_rule *rule, char *out, size_t size);

/* The first row a rule is about, or -1. */
int pins_first_row(const struct pin_rule *rule, const struct model *model, const struct problem *problem);

/* How many rows a rule would pin; *refused counts those it matches that do not have the state.  -1 with d filled when the
 * pattern is malformed or there is no such row. */
int pins_count(const struct pin_rule *rule, const struct model *model, const struct problem *problem, int *refused, struct diagnostic *d);

#endif
