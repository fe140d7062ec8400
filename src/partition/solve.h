/* The solvers: a problem and a request in, a plan out.  MODELS 2.2 to 2.4.
 *
 * A search keeps the tables of its last solve, level by level, and redoes only what a new request changes; the
 * result equals a solve from scratch.  One thread at a time uses a search; it shares the problem. */
#ifndef WHYPAR_PARTITION_SOLVE_H
#define WHYPAR_PARTITION_SOLVE_H

#include "partition/prices.h"
#include "partition/problem.h"

#include <stdatomic.h>

struct plan_request {
	enum solver solver;
	int types;               /* joint: 2 or 3; accpar always has 3, the others 2 */
	int levels;              /* H, 0 .. LEVELS_MAX */
	int tensor_levels;       /* the outermost of them: what they join is one batch's, so a layer there is mp or op */
	double batch;            /* > 0; not whole only inside flips */
	double replicas;         /* arrays that share it evenly; 0 as 1 */
	enum comm_model comm_model;
	bool pooled;             /* partial sums of mp are of the pooled output */
	struct prices prices;    /* what is minimised */
	const signed char *pins; /* variable x LEVELS_MAX: a state or NO_STATE; NULL for none */
};

struct search;
struct search *search_new(struct problem *problem);
void search_free(struct search *search);

/* The plan the request's solver chooses.  NULL only when *cancel (may be NULL) became true.  The caller frees it. */
struct plan *search_plan(struct search *search, const struct plan_request *request, const atomic_bool *cancel);

/* What every other choice would cost, for the last plan of this search.  NULL when cancelled, or when that plan is not
 * exact: then there are bounds, not costs, to look back over. */
struct margins *search_margins(struct search *search, const atomic_bool *cancel);

/* About how many steps the request takes: what decides between the frame and the worker. */
double search_operations(struct search *search, const struct plan_request *request, bool with_margins);

/* Local costs and messages recomputed by the last search_plan. */
unsigned long search_work(const struct search *search);

/* The states a solver may choose for a variable at a level (from 0), as bits; pins are left aside. */
unsigned solver_states(const struct plan_request *request, const struct problem_var *var, int level);

/* What one pair exchanges at each level under the plan's choices as constant + slope * batch.  The same problem and request as the plan's. */
void plan_elements_lines(const struct problem *problem, const struct plan_request *request, const struct plan *plan, double *constant, double *slope);

#endif
