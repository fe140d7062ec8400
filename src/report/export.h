/* Writing results and models to files whose ending names the form. */
#ifndef WHYPAR_REPORT_EXPORT_H
#define WHYPAR_REPORT_EXPORT_H

#include "study/race.h"
#include "study/study.h"

/* As .csv, .json or .txt the report (view "layers", or NULL) or the operators (view "path"), or what export_model writes ("model"); as .trace.json, .svg or .dot the training step.
 * STATUS_USAGE for another view. */
enum status export_file(struct study *study, const char *view, const char *path, struct diagnostic *d);

/* What the methods of a race found, with their steps: .json, which race_warm reads back, or .txt.  race may be NULL: STATUS_INPUT. */
enum status export_race(struct race *race, int topk, const char *path, struct diagnostic *d);
/* .json or .txt, but no .trace.json. */
bool export_is_report(const char *path);

/* The model as our own layer .csv, as .json, its graph as .dot, or with its plan as an ASTRA-sim workload, .txt. */
enum status export_model(struct study *study, const char *path, struct diagnostic *d);

#endif
