/* Why one layer, at one level, has its type: options, sentence, flips.  MODELS 2.5, 2.6. */
#ifndef WHYPAR_PARTITION_WHY_H
#define WHYPAR_PARTITION_WHY_H

#include "base/text.h"
#include "partition/solve.h"

/* The question: a plan and what it was solved from.  Only read.  model, element_bytes and bandwidth are for the sentence alone. */
struct why_context {
	const struct model *model;
	struct problem *problem;
	const struct plan_request *request;
	const struct plan *plan;
	double element_bytes;    /* on the wire, both directions */
	double bandwidth;        /* the present one */
	const atomic_bool *cancel; /* may be NULL */
};

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
	/* what the plan is chosen by, elements or seconds (struct why.objective): */
	double plan;             /* of the level's best plan with this state forced, elements of one pair; NAN for joint */
	double total;            /* of the whole plan so pinned, deeper levels solved anew */
	double margin;           /* plan (joint: total) minus the unforced value */
	double plan_elements, total_elements;    /* the same two in elements */
	struct why_edge *edges;  /* prev and next in detail; in why's arena */
	int edge_count;
};

/* The knobs along which a level's cost is a line, so that flips are found exactly: in the batch itself, and in 1 / bandwidth. */
enum flip_knob { FLIP_BATCH, FLIP_BANDWIDTH, FLIP_KNOB_COUNT };

/* What turning one of them does. */
struct flip_axis {
	enum flip_knob knob;
	long from, to;           /* its whole range: samples, or bytes/s */
	struct prices fixed, falling;    /* bandwidth: prices are fixed + falling / bandwidth */
};

/* Intervals of a knob with one choice each; neighbours differ; they cover the parameter's whole range. */
struct flip_segment {
	long from, to;           /* inclusive */
	int state;
};

struct flips {
	struct flip_segment *segments;
	size_t count, capacity;
};

struct why {
	struct arena arena;
	int row, level;
	bool junction;
	int state;
	bool pinned, tie;
	enum objective objective;
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

/* Exact segments of a knob for one row and level (MODELS 2.6).  STATUS_INFEASIBLE when a solve was only bounded: then
 * there is nothing exact to say, and flips is empty. */
enum status why_flips(const struct why_context *c, struct search *probe, int row, int level, const struct flip_axis *axis, struct flips *flips);

/* The state at a value of the knob; NO_STATE where flips do not reach. */
int flips_state(const struct flips *flips, double value);

/* Makes the sentence; call after why->flips was filled. */
void why_sentence(const struct why_context *c, struct why *why);

/* A copy that stands alone; `to` is overwritten. */
void why_copy(struct why *to, const struct why *from);

void flips_copy(struct flips *to, const struct flips *from);      /* `to` is overwritten */
void flips_free(struct flips *flips);
void why_free(struct why *why);

#endif
