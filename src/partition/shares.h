/* What one accelerator of the array holds of every operator, as the timing of its cores needs it.  MODELS 2.2, 7.
 *
 * The largest part of each, all levels applied: parts.h for rows with a choice; the others work in the layout their producer
 * leaves behind. */
#ifndef WHYPAR_PARTITION_SHARES_H
#define WHYPAR_PARTITION_SHARES_H

#include "hardware/core.h"
#include "partition/parts.h"

/* One share a row of the model, for batch samples over the whole array; halves: of an accelerator of that half, or NULL. */
void shares_of(const struct model *model, const struct problem *problem, const struct plan *plan, int64_t batch, const struct half *half, struct share *shares);

#endif
