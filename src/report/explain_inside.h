/* Between the files of explain: the dispatcher in explain.c, what is about operators and accelerators in explain_operator.c. */
#ifndef WHYPAR_REPORT_EXPLAIN_INSIDE_H
#define WHYPAR_REPORT_EXPLAIN_INSIDE_H

#include "base/text.h"
#include "report/explain.h"

/* node: of the training graph. */
void explain_operator(const struct results *results, enum quantity quantity, int node, struct text *out);
void explain_row_time(const struct results *results, int row, struct text *out);
void explain_accelerator(const struct study *study, enum quantity quantity, struct text *out);

#endif
