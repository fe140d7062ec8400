/* List scheduling: whenever a core is free, the ready task that can use it and must start first.  MODELS 4.
 *
 * A task spreads over all cores of its kind when they are idle and it, with all other ready tasks for any of them, ends sooner so, one after
 * another, than side by side: MODELS 3.2's rule for a task alone, and what follows from it for several.  When they are not idle, but waiting
 * for them and spreading ends sooner than one core now, they are kept for it: until they are free, only tasks start there that end by then.
 * But for that no core idles while a task that could run on it is ready.  All of it is done twice, the second time so that only tasks
 * spread for which that is little more work, and the shorter schedule kept.  Deterministic: ties go to the lower task and the lower core. */
#ifndef WHYPAR_SCHEDULE_LIST_H
#define WHYPAR_SCHEDULE_LIST_H

#include "schedule/bounds.h"
#include "schedule/schedule.h"

/* bounds: of this graph.  O((tasks + inputs) log tasks) without spreading; allocates only when the schedule must grow. */
void list_schedule(const struct task_graph *graph, const struct bounds *bounds, struct schedule *schedule);

#endif
