/* Between the files of step: what is under way while a step is made.  Nobody else includes it. */
#ifndef WHYPAR_SCHEDULE_STEP_INSIDE_H
#define WHYPAR_SCHEDULE_STEP_INSIDE_H

#include "schedule/step.h"

struct making {
	const struct training *training;
	const struct step_request *request;
	struct step *step;
	int *consumers, *only;           /* of each node: how many, and the last of them */
	int *alike;                      /* by row class, part and pass: a node already costed + 1, 0 for none */
};

/* Fills the node's core, products, cycles and timing by itself; step_cost.c.  A node like one already costed is copied from it. */
enum status step_cost_node(struct making *m, int node, struct diagnostic *d);
/* Measured seconds of whole rows, where the share is one: the row's nodes get them in the proportion of their modelled times. */
void step_use_measured_rows(struct making *m);

#endif
