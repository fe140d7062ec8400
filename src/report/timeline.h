/* The training step for other programs: its timeline as a trace and as a picture, its graph as DOT; a model's graph as DOT.
 * Results have a step where one is needed. */
#ifndef WHYPAR_REPORT_TIMELINE_H
#define WHYPAR_REPORT_TIMELINE_H

#include "base/text.h"
#include "study/study.h"

/* Trace events in JSON, as Chrome and Perfetto read them: one thread a core, times in microseconds. */
void timeline_trace(const struct results *results, struct text *out);

/* One lane a core, one box an operator, named where there is room. */
void timeline_svg(const struct results *results, struct text *out);

/* Every operator of the step and what it waits for; critical ones bold. */
void timeline_dot(const struct results *results, struct text *out);

/* The step and its plan as an ASTRA-sim 1.0 workload, the model behind it, so that it can be read again. */
void timeline_workload(const struct study *study, struct text *out);

/* A model's rows and their inputs. */
void model_json(const struct model *model, struct text *out);

void model_dot(const struct model *model, struct text *out);

#endif
