/* When each task could start and when it must, and what no schedule can beat.  MODELS 4.
 *
 * bounds_measure takes a task's shortest seconds: those over all cores of its kind where it spreads and that is shorter. */
#ifndef WHYPAR_SCHEDULE_BOUNDS_H
#define WHYPAR_SCHEDULE_BOUNDS_H

#include "schedule/schedule.h"

#include <stddef.h>

struct task_bounds {
	double seconds;          /* the shortest */
	double asap;             /* the longest path to its start */
	double alap;             /* its latest start with which the sink is not later than the longest path */
	double slack;            /* alap - asap; below a rounding of the longest path it is 0 */
	bool critical;           /* slack 0 */
};

enum bound_by { BOUND_BY_PATH, BOUND_BY_TC, BOUND_BY_VC, BOUND_BY_LINK, BOUND_BY_COUNT };

struct bounds {
	struct task_bounds *tasks;
	int count;
	bool spreading;          /* some task is shorter over all cores of its kind */
	double path;             /* the longest */
	double work[RESOURCE_COUNT];     /* all its work, evenly on all its cores: never less than the work of its tasks / cores */
	double makespan;         /* the largest of these: no schedule ends sooner */
	enum bound_by by;        /* which that is; the path on a tie */
	size_t capacity;
};

/* Graphs that tasks_check accepts. */
void bounds_measure(const struct task_graph *graph, struct bounds *bounds);
/* The same with the seconds and cores each task got in a schedule: no schedule with these ends sooner. */
void bounds_measure_placed(const struct task_graph *graph, const struct schedule *placed, struct bounds *bounds);
void bounds_free(struct bounds *bounds);

#endif
