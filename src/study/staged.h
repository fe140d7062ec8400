/* The model of a study as layers to be dealt to pipeline stages: each row with weights and what follows it without, with its time on the accelerator that
 * is set. */
#ifndef WHYPAR_STUDY_STAGED_H
#define WHYPAR_STUDY_STAGED_H

#include "pipeline/profile.h"
#include "study/study.h"

/* The study must be settled; the batch that is set is one microbatch.  Where limits say nothing memory is the accelerator's, bandwidth that of a link as set,
 * devices and microbatches their defaults.  A stage is an array of the accelerators that are set, as wide as tensor says; where that is 1, widths 1, 2, 4
 * and 8 are ways to choose from.  STATUS_INPUT when there is no step.  problem is ended by
 * staging_problem_free, also after a failure. */
enum status staged_problem(struct study *study, struct profile_limits *limits, struct staging_problem *problem, struct diagnostic *d);

#endif
