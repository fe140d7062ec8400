/* Part of a step by itself: what a pipeline stage does in one slot.  whypar-models(7) 7.7.
 *
 * A part is some of a step's tasks, with the seconds and spreading they have, scheduled on all cores as if nothing else ran. */
#ifndef WHYPAR_SCHEDULE_STEP_PART_H
#define WHYPAR_SCHEDULE_STEP_PART_H

#include "schedule/step.h"

/* Working memory, kept from part to part; zeroed at first. */
struct step_parts {
	struct arena arena;      /* of the arrays, as long as the step's */
	double *seconds;
	unsigned char *kinds;
	int *first, *inputs;
	int *of_part;            /* of each task of the step its number in the part + 1; 0: it is not in */
	struct bounds bounds;
	struct schedule schedule;
};

void step_parts_size(struct step_parts *parts, const struct step *step);
void step_parts_free(struct step_parts *parts);

/* Seconds of these tasks of the step, ascending.  The same step as step_parts_size's. */
double step_part_seconds(struct step_parts *parts, const struct step *step, const int *tasks, int count);

#endif
