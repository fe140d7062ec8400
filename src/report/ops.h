/* The words for one task of a training step, in every form and on the screen. */
#ifndef WHYPAR_REPORT_OPS_H
#define WHYPAR_REPORT_OPS_H

#include "base/text.h"
#include "schedule/step.h"

/* "tc", "vc", "tc+vc", "link", "none". */
const char *ops_core(enum core_kind core);
/* Where it runs: "TC0", "TC1+VC0", "TC0+TC1+..." spread; a range from 17 cores on, "TC0-TC431"; "" on no core. */
void ops_on(const struct step *step, int task, struct text *out);
/* "conv1_1:fwd". */
void ops_label(const struct training *training, const struct step *step, int task, struct text *out);
/* "relu" and "pool" of "conv1_1" are fused into it: ".relu .pool", or the names of other rows; "" for none. */
void ops_fused(const struct training *training, const struct step *step, int task, struct text *out);

#endif
