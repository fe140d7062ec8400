/* A schedule: when and where each task runs, and what it waited for.  MODELS 4. */
#ifndef WHYPAR_SCHEDULE_SCHEDULE_H
#define WHYPAR_SCHEDULE_SCHEDULE_H

#include "schedule/tasks.h"

#include <stddef.h>

enum { CORE_UNUSED = -1, CORE_ALL = -2 };

enum wait {
	WAIT_NOTHING,            /* it starts with the step */
	WAIT_INPUT,              /* for its last input to end */
	WAIT_CORE,               /* its inputs were there before; for a task to free its core */
	WAIT_KEPT,               /* a core idled, but was kept for a task that spreads over all of them; for an end that changed that */
	WAIT_COUNT
};

struct placing {
	double ready;            /* when its inputs were there */
	double start, end;
	int core[RESOURCE_COUNT];        /* 0 up, CORE_UNUSED, or CORE_ALL when spread */
	enum wait wait;
	/* The task whose end this start waited for: the latest input (the first of equals), or the last on its core.  It ends
	 * exactly when this one starts, so that following it back tells why the step is as long as it is.  -1 for nothing. */
	int waited_for;
};

struct schedule {
	struct placing *tasks;
	int count;
	double makespan;
	size_t capacity;
	void *scratch;           /* list_schedule's, kept from run to run */
	size_t scratch_capacity;
};

/* True when the task runs on all cores of a kind. */
bool schedule_spreads(const struct schedule *schedule, int task);

/* The task that ends last, the first of equals; following waited_for from there tells why the schedule is as long as it is.  -1 without
 * tasks. */
int schedule_last(const struct schedule *schedule);

/* Room for count tasks, not cleared. */
void schedule_size(struct schedule *schedule, int count);
void schedule_free(struct schedule *schedule);

/* The schedule of an order in which inputs come before their tasks: each starts once its inputs have ended and its core has
 * ended all that came before it in the order.  spread: which run on all cores of their kind; NULL for none.
 * Started from the order of starts of any schedule, no task ends later than in that one. */
void schedule_in_order(const struct task_graph *graph, const int *order, const bool *spread, struct schedule *schedule);

#endif
