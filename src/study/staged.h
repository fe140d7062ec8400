/* The model of a study as layers to be dealt to pipeline stages: each row with weights and what follows it without, with its time on the accelerator that
 * is set. */
#ifndef WHYPAR_STUDY_STAGED_H
#define WHYPAR_STUDY_STAGED_H

#include "pipeline/profile.h"
#include "study/study.h"

/* The study must be settled; the batch that is set is one microbatch.  Where limits say nothing memory is the accelerator's, bandwidth that of a link as set,
 * devices and microbatches their defaults.  STATUS_INPUT when there is no step, or an array of several accelerators.  problem is ended by
 * staging_problem_free, also after a failure. */
enum status staged_problem(const struct study *study, struct profile_limits *limits, struct staging_problem *problem, struct diagnostic *d);

#endif
