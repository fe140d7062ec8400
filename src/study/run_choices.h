/* What else a run could be: under each schedule, and what would make it fit.  Each is evaluated, as the run itself is. */
#ifndef WHYPAR_STUDY_RUN_CHOICES_H
#define WHYPAR_STUDY_RUN_CHOICES_H

#include "pipeline/run_search.h"
#include "study/study.h"

/* The plan under one schedule. */
struct run_scheduled {
	const char *name;
	struct run_plan plan;
	struct run run;          /* seconds NAN where it does not go together */
};

/* One change of a plan that is too large. */
struct run_remedy {
	const char *what;        /* "set recompute=full" */
	struct run_plan plan;
	struct run run;
	double slowdown;         /* seconds after / before - 1 */
};

struct run_choices {
	struct run_scheduled schedules[PIPELINE_SCHEDULE_COUNT];
	struct run_remedy remedies[RUN_CHANGES];         /* those that fit, least slowdown first; none where the run fits */
	int remedy_count;
};

/* Of a study with a run; kept until the run changes. */
const struct run_choices *study_run_choices(struct study *study);

/* Writes a plan into parameters; batch, precision and bytes stay. */
void run_plan_apply(const struct run_plan *plan, double *values);

#endif
