/* What exchanges cost at each level, in the unit of the objective: elements that the whole array exchanges, or seconds of its links.  MODELS 2.3, 6.
 *
 * A level's cost is what a pair exchanges times the price of an element, plus its messages times the price of one.  Messages are counted as
 * they follow one another: a layer's own sum is one, each change of the layout of F, and of E, is one. */
#ifndef WHYPAR_PARTITION_PRICES_H
#define WHYPAR_PARTITION_PRICES_H

#include "partition/plan.h"

#include <math.h>

struct prices {
	enum objective objective;
	/* level 1 first; read where time is the objective */
	double element_s[LEVELS_MAX];    /* s of one element that a pair exchanges */
	double message_s[LEVELS_MAX];    /* s of one message */
};

bool prices_equal(const struct prices *a, const struct prices *b);

/* Of one element that a pair exchanges: in elements all 2^(h-1) pairs do. */
static inline double prices_element(const struct prices *p, int level)
{
	return p->objective == OBJECTIVE_TIME ? p->element_s[level - 1] : ldexp(1, level - 1);
}

static inline double prices_message(const struct prices *p, int level)
{
	return p->objective == OBJECTIVE_TIME ? p->message_s[level - 1] : 0;
}

/* What a level costs. */
static inline double prices_level(const struct prices *p, int level, double elements, double messages)
{
	return prices_element(p, level) * elements + prices_message(p, level) * messages;
}

/* How many elements of one pair at that level a message costs as much as. */
static inline double prices_message_elements(const struct prices *p, int level)
{
	return prices_message(p, level) / prices_element(p, level);
}

#endif
