/* The phase map: what one row chooses over two knobs, and where exactly that changes.
 *
 * Made from a document and a search alone, so that a job can do it.  Every cell is solved, none is guessed; along a knob that flips are
 * exact for (batch; bandwidth where time is the objective) each line of the map has its exact flips as well. */
#ifndef WHYPAR_STUDY_PHASE_H
#define WHYPAR_STUDY_PHASE_H

#include "partition/flips.h"
#include "study/document.h"

/* In the place of a state: the array has the level but the plan takes too long, or there is no such topology. */
enum { PHASE_UNSOLVED = -2, PHASE_IMPOSSIBLE = -3 };

struct phase_question {
	int row, level;
	enum parameter_id x, y;
	int most_x, most_y;      /* values, at most */
};

struct phase_axis {
	enum parameter_id id;
	int count, present;      /* which of the values is the document's own */
	double *values;          /* ascending, choices in their order */
};

struct phase {
	struct phase_question question;
	struct phase_axis x, y;
	signed char *states;     /* [y][x][level]: at each level of the array that is there; NO_STATE where there is no such level */
	struct flips *lines;     /* of each y: along x, at the question's level; empty where not known.  NULL: x has none */
	bool coarse;             /* not all cells were solved: the others have their neighbour's state */
};

int phase_state(const struct phase *phase, int x, int y, int level);

/* Fills in y where it is PARAMETER_COUNT: bandwidth if time is the objective, else accelerators.  STATUS_INPUT where both are the same. */
enum status phase_complete(const struct document *document, struct phase_question *question, struct diagnostic *d);

/* A map whose solves take about so many steps at most: a coarse one where all cells would take more.  Cells of which one alone would take more
 * than cell_budget are left unsolved.  STATUS_INTERRUPTED when cancelled; then phase holds nothing. */
enum status phase_fill(const struct document *document, const signed char *pins, struct problem *problem, struct search *search, const struct phase_question *question,
	double budget, double cell_budget, const atomic_bool *cancel, struct phase *phase);

bool phase_same_question(const struct phase_question *a, const struct phase_question *b);

/* The i-th value of an axis as text that sets it. */
void phase_print(const struct document *document, const struct phase_axis *axis, int i, char *out, size_t size);

/* A copy that stands alone. */
void phase_copy(struct phase *to, const struct phase *from);
void phase_free(struct phase *phase);    /* of zeros allowed */

#endif
