/* Writing results and models to files whose ending names the form. */
#ifndef WHYPAR_REPORT_EXPORT_H
#define WHYPAR_REPORT_EXPORT_H

#include "study/study.h"

/* The report as .csv, .json or .txt; the training step as .trace.json, .svg or .dot. */
enum status export_file(struct study *study, const char *path, struct diagnostic *d);

/* A model as our own layer .csv, or its graph as .dot. */
enum status export_model(const struct model *model, const char *path, struct diagnostic *d);

#endif
