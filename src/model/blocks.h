/* Repeated blocks of a model: stretches of rows that follow one another several times with the same shapes and wiring, as the blocks
 * of a transformer or a residual network do.
 *
 * Found once on load and kept beside the model.  The screen folds a run to its first repetition; rows
 * of one class are costed once where their shares are equal too (schedule/step_cost). */
#ifndef WHYPAR_MODEL_BLOCKS_H
#define WHYPAR_MODEL_BLOCKS_H

#include "model/model.h"

/* Rows first .. first + length x count - 1; count >= 2. */
struct block_run {
	int first, length, count;
};

struct blocks {
	struct arena arena;
	struct block_run *runs;          /* by first row; they do not overlap */
	int run_count;
	int *run_of;                     /* rows: the run, or -1 */
	int *class_of;                   /* rows: the first row of the same kind and shapes, wherever it is */
};

struct blocks *blocks_new(const struct model *model);
void blocks_free(struct blocks *blocks);         /* NULL allowed */

/* The row of the first repetition that this one repeats: itself outside of runs and in a first repetition. */
int blocks_first(const struct blocks *blocks, int row);
/* How many repetitions the row stands in; 1 outside of runs. */
int blocks_count(const struct blocks *blocks, int row);

#endif
