/* When in a step each row of a plan exchanges what, and the seconds that takes on the links. */
#ifndef WHYPAR_PARTITION_EXCHANGES_H
#define WHYPAR_PARTITION_EXCHANGES_H

#include "partition/solve.h"

/* id, text */
#define EXCHANGES(X) \
	X(INPUT,    "re-laying its inputs, before it runs forward") \
	X(OUTPUT,   "partial sums of its output, behind it") \
	X(ERROR,    "partial sums of its input's error, and re-laying that for the layers before it") \
	X(GRADIENT, "gradients of its weights, summed before they are updated")

enum exchange_kind {
#define X(id, text) EXCHANGE_##id,
	EXCHANGES(X)
#undef X
	EXCHANGE_KIND_COUNT
};

const char *exchange_kind_text(enum exchange_kind kind);

struct row_exchanges {
	double seconds[EXCHANGE_KIND_COUNT];
};

/* Of each row of the model (rows of them), over all levels, one after another; the sum over all is what the plan's levels take at these prices
 * (objective time).  The request's batch and comm_model are those of the plan. */
void exchanges_of_rows(const struct problem *problem, const struct plan_request *request, const struct prices *prices, const struct plan *plan, struct row_exchanges *rows);

#endif
