/* The map of one row's choices over batch and array size. */
#include "partition/why.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

int phase_state(const struct phase *phase, int accelerators_log2, int column, int level)
{
	return phase->states[((size_t)(accelerators_log2 - 1) * (size_t)phase->columns + (size_t)column) * LEVELS_MAX + (size_t)level - 1];
}

static signed char *phase_cell(struct phase *phase, int accelerators_log2, int column)
{
	return &phase->states[((size_t)(accelerators_log2 - 1) * (size_t)phase->columns + (size_t)column) * LEVELS_MAX];
}

/* Batches evenly spread on a logarithmic axis over the whole range, whole and different, the present one put in place
 * of the nearest. */
static void choose_batches(struct phase *phase, int columns, double present)
{
	double least = INFINITY;

	phase->batches = memory_alloc((size_t)columns, sizeof *phase->batches);
	phase->columns = 0;
	for (int i = 0; i < columns; i++) {
		long batch = lround(pow(BATCH_MAX, columns > 1 ? (double)i / (columns - 1) : 0));

		if (phase->columns == 0 || batch > phase->batches[phase->columns - 1])
			phase->batches[phase->columns++] = batch;
	}
	for (int i = 0; i < phase->columns; i++) {
		double distance = fabs(log2((double)phase->batches[i]) - log2(present));

		if (distance < least) {
			least = distance;
			phase->present_column = i;
		}
	}
	phase->batches[phase->present_column] = lround(present);
}

static void fill_cells(struct phase *phase, const struct plan *plan, int row, int column, int first, int last)
{
	for (int n = first; n <= last; n++)
		for (int level = 1; level <= n; level++)
			phase_cell(phase, n, column)[level - 1] = (signed char)plan_state(plan, row, level);
}

enum status why_phase(const struct why_context *c, struct search *probe, int row, int columns, int levels, double operations, struct phase *phase)
{
	struct plan_request request = *c->request;
	size_t cells;

	memset(phase, 0, sizeof *phase);
	phase->levels = levels;
	choose_batches(phase, columns, request.batch);
	cells = (size_t)phase->columns * (size_t)levels * LEVELS_MAX;
	phase->states = memory_alloc(cells, 1);
	memset(phase->states, NO_STATE, cells);
	for (int column = 0; column < phase->columns; column++) {
		/* A level-by-level plan of a small array is the beginning of that of a larger one. */
		int first = request.solver == SOLVER_JOINT ? 1 : levels;

		request.batch = (double)phase->batches[column];
		for (int n = first; n <= levels; n++) {
			struct plan *plan;

			request.levels = n;
			if (search_operations(probe, &request, false) > operations)
				break;
			plan = search_plan(probe, &request, c->cancel);
			if (plan == NULL) {
				phase_free(phase);
				return STATUS_INTERRUPTED;
			}
			fill_cells(phase, plan, row, column, request.solver == SOLVER_JOINT ? n : 1, n);
			plan_free(plan);
		}
	}
	return STATUS_OK;
}

void phase_free(struct phase *phase)
{
	memory_free(phase->batches);
	memory_free(phase->states);
	memset(phase, 0, sizeof *phase);
}
