/* Plans of a run, searched for the study that is open. */
#ifndef WHYPAR_STUDY_PLANNING_H
#define WHYPAR_STUDY_PLANNING_H

#include "pipeline/run_search.h"
#include "study/study.h"

/* GPUs as typed: a whole number from 1 to 2^20. */
enum status planning_gpus(const char *text, double *gpus, struct diagnostic *d);

/* The best plans of so many GPUs for the model, accelerator and cluster that are set; what is not searched is as set (batch, precision, zero, attention,
 * overlap); schedules are 1f1b, or interleaved where there are chunks.  The study must be settled.  STATUS_INPUT when there is no run to plan, STATUS_INFEASIBLE when none fits, with the nearest miss. */
enum status planning_search(const struct study *study, double gpus, struct run_search *out, struct diagnostic *d);

/* The command that sets a plan. */
void planning_command(const struct run_plan *plan, char *out, size_t size);

#endif
