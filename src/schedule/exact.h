/* The shortest schedule of a small graph, by branch and bound.  The oracle of list scheduling; MODELS 4. */
#ifndef WHYPAR_SCHEDULE_EXACT_H
#define WHYPAR_SCHEDULE_EXACT_H

#include "schedule/schedule.h"

#include <stdatomic.h>

enum { EXACT_TASKS = 16 };       /* the largest graph; about 12 tasks take milliseconds */

/* What an exact method found. */
struct exact_result {
	double makespan;         /* of the schedule */
	double bound;            /* no schedule is shorter */
	bool proven;             /* the two are one, but for roundings */
	long nodes;              /* looked at */
};

/* Tasks spread or not as is best, not by the heuristic's rule.  Stops after `nodes` nodes or when *cancel (may be NULL) is
 * true: the schedule is then the best so far and the bound still holds.  Fails on more than EXACT_TASKS tasks. */
enum status exact_schedule(const struct task_graph *graph, long nodes, const atomic_bool *cancel, struct exact_result *result,
			   struct schedule *schedule, struct diagnostic *diagnostic);

#endif
