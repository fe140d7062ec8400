/* Where a choice changes as a knob turns, exactly.  MODELS 2.6. */
#ifndef WHYPAR_PARTITION_FLIPS_H
#define WHYPAR_PARTITION_FLIPS_H

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

/* The knobs along which a level's cost is a line, so that flips are found exactly: in the batch itself, and in 1 / bandwidth. */
enum flip_knob { FLIP_BATCH, FLIP_BANDWIDTH, FLIP_KNOB_COUNT };

/* What turning one of them does. */
struct flip_axis {
	enum flip_knob knob;
	long from, to;           /* its whole range: samples, or bytes/s */
	struct prices fixed, falling;    /* bandwidth: prices are fixed + falling / bandwidth */
};

/* The prices at an x = 1 / bandwidth. */
struct prices flip_prices(const struct flip_axis *axis, double x);

/* Intervals of a knob with one choice each; neighbours differ; they cover the parameter's whole range. */
struct flip_segment {
	long from, to;           /* inclusive */
	int state;
};

struct flips {
	struct flip_segment *segments;
	size_t count, capacity;
};

/* Exact segments of a knob for one row and level (MODELS 2.6).  STATUS_INFEASIBLE when a solve was only bounded: then
 * there is nothing exact to say, and flips is empty. */
enum status why_flips(const struct why_context *c, struct search *probe, int row, int level, const struct flip_axis *axis, struct flips *flips);

/* The state at a value of the knob; NO_STATE where flips do not reach. */
int flips_state(const struct flips *flips, double value);

void flips_copy(struct flips *to, const struct flips *from);      /* `to` is overwritten */
void flips_free(struct flips *flips);

#endif
