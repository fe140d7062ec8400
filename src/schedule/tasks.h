/* The schedule room: abstract tasks on the cores of one accelerator, and when each runs.  MODELS 4.
 *
 *   tasks      what there is to do: seconds, kinds of core, inputs (this file)
 *   bounds     ASAP, ALAP, slack, critical tasks; what no schedule can beat
 *   schedule   a schedule: start, end, cores, what each task waited for; made from an order
 *   list       the heuristic: list scheduling by latest start
 *   exact      the optimum of small graphs, by branch and bound
 *   ilp        the same by GLPK, where the program was built with it
 *   step       the tasks of a training step: what knows of models and hardware (step_cost: one node of it)
 *   overlap    the step with its exchanges on the links beside the cores
 *   whatif     the step with one more core of each kind
 *   step_part  some of a step's tasks by themselves: a slot of a pipeline
 *
 * Times are seconds from the start of the step.  Pure: graphs are read and never kept; results belong to the caller, start
 * out zeroed, keep their memory from run to run and have a _free of their own.  Any number of threads, each with results of its own. */
#ifndef WHYPAR_SCHEDULE_TASKS_H
#define WHYPAR_SCHEDULE_TASKS_H

#include "base/status.h"

#include <stdbool.h>

/* What a task runs on. */
enum core_kind {
	CORE_NONE,               /* nothing that could be busy */
	CORE_TC,
	CORE_VC,
	CORE_BOTH,               /* a tensor and a vector core, both all the time: a fused operator */
	CORE_LINK,
	CORE_KIND_COUNT
};

/* What there is a number of: id, as a lane is called, in words */
#define RESOURCES(X) \
	X(TC,   "TC",   "tensor core") \
	X(VC,   "VC",   "vector core") \
	X(LINK, "LINK", "link")

enum resource {
#define X(id, lane, name) RESOURCE_##id,
	RESOURCES(X)
#undef X
	RESOURCE_COUNT
};

const char *resource_lane(enum resource resource);
const char *resource_name(enum resource resource);

/* Seconds of a task that runs on all cores of its kind at once, cores[] of them (for CORE_BOTH of both kinds).  Pure.
 * Not shorter than the task's own seconds, or not more than 0: the task does not spread. */
typedef double task_spread(const void *context, int task, const int cores[RESOURCE_COUNT]);

/* Borrowed arrays.  A copy with other cores[] is another graph over the same tasks. */
struct task_graph {
	int count;
	const double *seconds;           /* on one core; a task of 0 seconds takes no core */
	const unsigned char *kinds;      /* enum core_kind */
	const int *first_input;          /* count + 1 places in inputs */
	const int *inputs;               /* tasks that must have ended, all before the task itself */
	int cores[RESOURCE_COUNT];
	task_spread *spread;             /* NULL: no task spreads.  MODELS 3.2 */
	const void *spread_context;
};

/* Every task but one of 0 seconds holds one core of each resource its kind uses, or, spread, all of them. */
static inline unsigned core_needs(enum core_kind kind)
{
	static const unsigned char needs[CORE_KIND_COUNT] = {
		[CORE_TC] = 1 << RESOURCE_TC, [CORE_VC] = 1 << RESOURCE_VC, [CORE_BOTH] = 1 << RESOURCE_TC | 1 << RESOURCE_VC, [CORE_LINK] = 1 << RESOURCE_LINK
	};

	return needs[kind];      /* bits by resource */
}

static inline bool core_uses(enum core_kind kind, enum resource resource)
{
	return core_needs(kind) >> resource & 1;
}

/* Refuses what no other function here could stand: seconds that are negative or not numbers, kinds that do not exist,
 * inputs at or after their task (the graph could be cyclic), a kind in use without a core (STATUS_INFEASIBLE). */
enum status tasks_check(const struct task_graph *graph, struct diagnostic *diagnostic);

/* Seconds over all cores of its kind, or the task's own when that would not end sooner. */
double tasks_spread_seconds(const struct task_graph *graph, int task);

#endif
