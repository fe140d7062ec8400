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

static double passes(const struct machine *m, double elements, int64_t cores)
{
	return ceil(elements / ((double)m->vc_lanes * (double)cores));
}

double vector_cycles(const struct machine *m, int cycles_each, double elements, int64_t cores)
{
	return passes(m, elements, cores) * cycles_each;
}

double vector_operation_cycles(const struct machine *m, enum vector_operation operation, bool backward, double elements, int64_t window, int64_t cores)
{
	const struct vector_row *row = &operations[operation];

	if (operation == VECTOR_POOL && !backward)
		return passes(m, elements, cores) * row->forward * (double)window;
	return passes(m, elements, cores) * (backward ? row->backward : row->forward);
}

double optimizer_cycles(const struct machine *m, enum optimizer optimizer, double weights, int64_t cores)
{
	return passes(m, weights, cores) * optimizers[optimizer].cycles;
}
