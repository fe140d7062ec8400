/* When in a step each row of a plan exchanges what, and the seconds that takes on the links. */
#ifndef WHYPAR_PARTITION_EXCHANGES_H
#define WHYPAR_PARTITION_EXCHANGES_H

#include "partition/solve.h"

enum exchange_kind {
	EXCHANGE_INPUT,          /* re-laying its inputs, before it runs forward */
	EXCHANGE_OUTPUT,         /* partial sums of its output, behind it */
	EXCHANGE_ERROR,          /* partial sums of its input's error, and re-laying that for the layers before it */
	EXCHANGE_GRADIENT,       /* gradients of its weights, summed before they are updated */
	EXCHANGE_KIND_COUNT
};

struct row_exchanges {
	double seconds[EXCHANGE_KIND_COUNT];     /* s on the links */
};

/* Of each row of the model (rows of them), over all levels, one after another; the sum over all is what the plan's levels take at these prices
 * (objective time).  The request's batch and comm_model are those of the plan. */
void exchanges_of_rows(const struct problem *problem, const struct plan_request *request, const struct prices *prices, const struct plan *plan, struct row_exchanges *rows);

#endif
