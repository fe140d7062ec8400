/* Why one layer, at one level, has its type: options, sentence, flips, phase map.  MODELS 2.5, 2.6. */
#ifndef WHYPAR_PARTITION_WHY_H
#define WHYPAR_PARTITION_WHY_H

#include "base/text.h"
#include "partition/plan.h"

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
	int row, level;
	bool junction;
	int state;
	bool pinned, tie;
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
	signed char *states;     /* [level count H = 1..levels][column][level 1..H], row stride below; NO_STATE = not evaluated */
};
int phase_state(const struct phase *phase, int accelerators_log2, int column, int level);

void flips_free(struct flips *flips);
void why_free(struct why *why);
void phase_free(struct phase *phase);

#endif
