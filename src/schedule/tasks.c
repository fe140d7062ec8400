/* Task graphs: what is refused, and how long a spread task takes. */
#include "schedule/tasks.h"

#include <math.h>

static enum status check_task(const struct task_graph *g, int task, struct diagnostic *d)
{
	if (!isfinite(g->seconds[task]) || g->seconds[task] < 0)
		return diagnostic_fail(d, STATUS_INPUT, "task %d takes %g s; expected a number of 0 or more", task, g->seconds[task]);
	if (g->kinds[task] >= CORE_KIND_COUNT)
		return diagnostic_fail(d, STATUS_INPUT, "task %d has core kind %d; kinds are 0 to %d", task, g->kinds[task], CORE_KIND_COUNT - 1);
	if (g->first_input[task + 1] < g->first_input[task])
		return diagnostic_fail(d, STATUS_INPUT, "the inputs of task %d end before they begin", task);
	for (int i = g->first_input[task]; i < g->first_input[task + 1]; i++)
		if (g->inputs[i] < 0 || g->inputs[i] >= task)
			return diagnostic_fail(d, STATUS_INPUT, "task %d reads task %d; inputs come before their task, or the graph could be cyclic", task,
					       g->inputs[i]);
	return STATUS_OK;
}

const char *resource_lane(enum resource resource)
{
	static const char *const lanes[RESOURCE_COUNT] = {
#define X(id, lane, name) lane,
		RESOURCES(X)
#undef X
	};

	return lanes[resource];
}

const char *resource_name(enum resource resource)
{
	static const char *const names[RESOURCE_COUNT] = {
#define X(id, lane, name) name,
		RESOURCES(X)
#undef X
	};

	return names[resource];
}

enum status tasks_check(const struct task_graph *g, struct diagnostic *d)
{
	double sum = 0;

	if (g->count < 0 || (g->count > 0 && g->first_input[0] != 0))
		return diagnostic_fail(d, STATUS_INPUT, "a task graph of %d tasks whose inputs do not begin at 0", g->count);
	for (int i = 0; i < g->count; i++) {
		enum status status = check_task(g, i, d);

		if (status != STATUS_OK)
			return status;
		sum += g->seconds[i];
		for (int r = 0; r < RESOURCE_COUNT; r++)
			if (core_uses(g->kinds[i], r) && g->cores[r] < 1)
				return diagnostic_fail(d, STATUS_INFEASIBLE, "task %d needs a %s and there is none; the least is 1", i, resource_name((enum resource)r));
	}
	if (!isfinite(sum))
		return diagnostic_fail(d, STATUS_INPUT, "the seconds of all tasks together are no number a schedule can hold");
	return STATUS_OK;
}

double tasks_spread_seconds(const struct task_graph *g, int task)
{
	double own = g->seconds[task], spread;
	bool several = false;

	for (int r = 0; r < RESOURCE_COUNT; r++)
		several |= core_uses(g->kinds[task], r) && g->cores[r] > 1;
	if (!several || g->spread == NULL || own == 0)
		return own;
	spread = g->spread(g->spread_context, task, g->cores);
	return spread > 0 && spread < own ? spread : own;
}
