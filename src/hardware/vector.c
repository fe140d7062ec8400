/* The vector core's table and its cycles.  MODELS 3.4. */
#include "hardware/core.h"

#include <math.h>
#include <string.h>

static const struct vector_row operations[VECTOR_OPERATION_COUNT] = {
#define X(id, name, forward, backward, source) [VECTOR_##id] = { name, forward, backward, source },
	VECTOR_OPERATIONS(X)
#undef X
};

static const struct optimizer_row optimizers[OPTIMIZER_COUNT] = {
#define X(id, name, cycles, source) [OPTIMIZER_##id] = { name, cycles, source },
	OPTIMIZERS(X)
#undef X
};

const struct vector_row *vector_operation_at(enum vector_operation operation)
{
	return &operations[operation];
}

enum vector_operation vector_operation_find(const char *name)
{
	int i = 0;

	while (i < VECTOR_OPERATION_COUNT && strcmp(operations[i].name, name) != 0)
		i++;
	return (enum vector_operation)i;
}

const struct optimizer_row *optimizer_at(enum optimizer optimizer)
{
	return &optimizers[optimizer];
}

enum optimizer optimizer_find(const char *name)
{
	int i = 0;

	while (i < OPTIMIZER_COUNT && strcmp(optimizers[i].name, name) != 0)
		i++;
	return (enum optimizer)i;
}

double vector_each(enum vector_operation operation, bool backward, int64_t window)
{
	const struct vector_row *row = &operations[operation];

	return operation == VECTOR_POOL && !backward ? row->forward * (double)window : backward ? row->backward : row->forward;
}

double vector_cycles(const struct machine *m, double each, double elements, int64_t cores)
{
	return ceil(elements / ((double)m->vc_lanes * (double)cores)) * each;
}
