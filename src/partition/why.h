/* Why one layer, at one level, has its type: options and a sentence.  MODELS 2.5. */
#ifndef WHYPAR_PARTITION_WHY_H
#define WHYPAR_PARTITION_WHY_H

#include "partition/flips.h"

/* One tensor between the row and a neighbour. */
struct why_edge {
	int row;                 /* the neighbour's */
	bool entering;           /* it comes from there */
	int state;               /* the neighbour's, in the plan with this option forced */
	double tensor;           /* elements, as its consumer holds it */
	double cost;             /* elements exchanged to re-lay it */
};

/* What one state of the row costs at that level, one pair, the neighbours as the forced plan has them. */
struct why_option {
	int state;
	bool chosen;
	double intra;            /* own exchange: dp sums dW, mp sums its output, op sums E */
	double prev;             /* edges entering the row */
	double next;             /* edges leaving it */
	/* what plans are chosen by (struct why.objective): */
	double level_cost;       /* elements of one pair, or seconds, of the level's best plan with this state forced; NAN for joint */
	double whole_cost;       /* elements, or seconds, of the whole plan so pinned, deeper levels solved anew */
	double margin;           /* level_cost (joint: whole_cost) minus the unforced value */
	double level_elements, whole_elements;   /* of the same two plans, elements of one pair and of all */
	struct why_edge *edges;  /* prev and next in detail; in why's arena */
	int edge_count;
};

struct why {
	struct arena arena;
	int row, level;
	bool junction;
	int state;
	bool pinned, tie;
	enum objective objective;
	bool whole_plan;         /* joint: whole plans are weighed, no level by itself */
	bool exact;              /* every plan compared is proven best; else they are the best found */
	int option_count;
	struct why_option options[STATES_MAX];
	double here;             /* the present plan's cost at this level: elements of one pair, or seconds */
	double total;            /* the present plan's: elements, or seconds */
	bool has_flips[FLIP_KNOB_COUNT];
	struct flips flips[FLIP_KNOB_COUNT];     /* of bandwidth only where time is the objective */
	char sentence[640];
};

/* Fills all of why but its flips and sentence.  probe is a search of the same problem, free to be used.  row has a choice and
 * level is 1 .. levels.  STATUS_INTERRUPTED when cancelled. */
enum status why_answer(const struct why_context *c, struct search *probe, int row, int level, struct why *why);

/* The same at once, with what the margins know: the other options' exchanges, and what the margins have not, stay NAN. */
void why_answer_quickly(const struct why_context *c, const struct margins *margins, int row, int level, struct why *why);

/* Makes the sentence; call after why->flips was filled. */
void why_sentence(const struct why_context *c, struct why *why);

/* A copy that stands alone; `to` is overwritten. */
void why_copy(struct why *to, const struct why *from);

void why_free(struct why *why);

#endif
