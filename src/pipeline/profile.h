/* Profiled layer graphs as a split problem.  The format is told by the content: Phaze's JSON. */
#ifndef WHYPAR_PIPELINE_PROFILE_H
#define WHYPAR_PIPELINE_PROFILE_H

#include "pipeline/staging.h"

/* Layers in topological order, those of smaller number first.  problem is ended by staging_problem_free; STATUS_INPUT with the place of what is wrong. */
enum status profile_read(const char *path, const char *bytes, size_t length, struct staging_problem *problem, struct diagnostic *d);

#endif
