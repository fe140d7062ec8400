/* The words for one task of a training step, in every form and on the screen.  Functions with an `out` append to it. */
#ifndef WHYPAR_REPORT_OPS_H
#define WHYPAR_REPORT_OPS_H

#include "base/text.h"
#include "schedule/step.h"

/* "tc", "vc", "tc+vc", "link", "none". */
const char *ops_core(enum core_kind core);
/* Where it runs: "TC0", "TC1+VC0", "TC0+TC1+..." spread; a range from 17 cores on, "TC0-TC431"; "" on no core. */
void ops_on(const struct step *step, int task, struct text *out);
/* What binds a task, or a row: "compute", "memory", "measured", "opaque", "fused", "" for what takes no time. */
const char *ops_binds(const struct step *step, int task);
const char *ops_row_binds(const struct step_row *row);
/* What the bound of a step comes from: "longest path", "work of the tensor cores", ... */
const char *ops_bound_by(enum bound_by by);
/* "conv1_1:fwd". */
void ops_label(const struct training *training, const struct step *step, int task, struct text *out);
/* "relu" and "pool" of "conv1_1" are fused into it: ".relu .pool", or the names of other rows; "" for none. */
void ops_fused(const struct training *training, const struct step *step, int task, struct text *out);

#endif
