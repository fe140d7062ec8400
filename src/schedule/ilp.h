/* The shortest schedule by an integer linear program, solved by GLPK where the program was built with it.  MODELS 4.
 *
 * After reference/placement.md 2.4: starts, which tasks spread, and which of two ends before the other begins; in place of
 * a core for each task, of any m + 1 tasks that could meet on m cores two must be ordered. */
#ifndef WHYPAR_SCHEDULE_ILP_H
#define WHYPAR_SCHEDULE_ILP_H

#include "schedule/exact.h"

enum { ILP_TASKS = 32, ILP_SETS = 20000 };      /* sets of tasks are the bits of an unsigned */

/* Built with GLPK? */
bool ilp_available(void);

/* Like exact_schedule, within `seconds`.  The program's times are whole parts of about 1/10 000 of the heuristic's makespan,
 * rounded down: the bound holds, and what is proven is so to one such part a task; sums of few whole seconds are exact.
 * Fails without GLPK (the diagnostic says how to get it), on more than ILP_TASKS tasks and on more than ILP_SETS such sets. */
enum status ilp_schedule(const struct task_graph *graph, double seconds, const atomic_bool *cancel, struct exact_result *result,
			 struct schedule *schedule, struct diagnostic *diagnostic);

#endif
