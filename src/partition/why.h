/* Why one layer, at one level, has its type: options, sentence, flips, phase map.  MODELS 2.5, 2.6. */
#ifndef WHYPAR_PARTITION_WHY_H
#define WHYPAR_PARTITION_WHY_H

#include "base/text.h"
#include "partition/solve.h"

/* The question: a plan and what it was solved from.  Only read.  model and element_bytes are for the sentence alone. */
struct why_context {
	const struct model *model;
	struct problem *problem;
	const struct plan_request *request;
	const struct plan *plan;
	double element_bytes;    /* on the wire, both directions */
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
	double plan;             /* the level's best plan with this state forced, one pair; NAN for joint */
	double total;            /* the whole plan so pinned, deeper levels solved anew */
	double margin;           /* plan (joint: total) minus the unforced value */
	struct why_edge *edges;  /* prev and next in detail; in why's arena */
	int edge_count;
};

/* Batch intervals with one choice each; neighbours differ; they cover the parameter's whole range. */
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
	bool exact;              /* every plan compared is proven best; else they are the best found */
	int option_count;
	struct why_option options[STATES_MAX];
	double here;             /* the present plan's elements at this level, one pair */
	double total;            /* the present plan's elements */
	bool has_flips;
	struct flips flips;      /* of batch */
	char sentence[640];
};

/* Choices of one row over batch and array size. */
struct phase {
	int columns, levels;
	long *batches;           /* columns values, ascending; the present batch is one of them */
	int present_column;
	signed char *states;     /* [levels][columns][LEVELS_MAX]: arrays of 2^1.., batches, levels; NO_STATE = not evaluated */
};
int phase_state(const struct phase *phase, int accelerators_log2, int column, int level);

/* Fills all of why but its flips and sentence.  probe is a search of the same problem, free to be used.  row has a choice and
 * level is 1 .. levels.  STATUS_INTERRUPTED when cancelled. */
enum status why_answer(const struct why_context *c, struct search *probe, int row, int level, struct why *why);

/* The same at once, with what the margins know: the other options' exchanges, and what the margins have not, stay NAN. */
void why_answer_quickly(const struct why_context *c, const struct margins *margins, int row, int level, struct why *why);

/* Exact segments of the batch for one row and level (MODELS 2.6).  STATUS_INFEASIBLE when a solve was only bounded: then
 * there is nothing exact to say, and flips is empty. */
enum status why_flips(const struct why_context *c, struct search *probe, int row, int level, struct flips *flips);

/* The state at a batch; NO_STATE where flips do not reach. */
int flips_state(const struct flips *flips, double batch);

/* Makes the sentence; call after why->flips was filled. */
void why_sentence(const struct why_context *c, struct why *why);

/* Choices over batches (columns of them, evenly spread on a logarithmic axis, the present one among them) and arrays of up to
 * 2^levels accelerators.  Cells whose solve would take more than `operations` are left NO_STATE. */
enum status why_phase(const struct why_context *c, struct search *probe, int row, int columns, int levels, double operations, struct phase *phase);

/* A copy that stands alone; `to` is overwritten. */
void why_copy(struct why *to, const struct why *from);

void flips_free(struct flips *flips);
void why_free(struct why *why);
void phase_free(struct phase *phase);

#endif
