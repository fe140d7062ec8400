/* The columns of our own layer CSV, and the shapes that follow from a row of it.
 *
 * The table is what the reader looks for, what the writer writes and what messages call a column. */
#ifndef WHYPAR_MODEL_COLUMNS_H
#define WHYPAR_MODEL_COLUMNS_H

#include "model/model.h"

/* column, name, its cells are: a size >= least, or a pair of them (HxW), or something else (-1) */
#define COLUMNS(X) \
	X(NAME,   "name",   -1) \
	X(KIND,   "kind",   -1) \
	X(INPUTS, "inputs", -1) \
	X(IN_CH,  "in_ch",   1) \
	X(IN_H,   "in_h",    1) \
	X(IN_W,   "in_w",    1) \
	X(KERNEL, "kernel",  1) \
	X(STRIDE, "stride",  1) \
	X(PAD,    "pad",     0) \
	X(GROUPS, "groups",  1) \
	X(OUT_CH, "out_ch",  1) \
	X(OUT_H,  "out_h",   1) \
	X(OUT_W,  "out_w",   1) \
	X(POOL,   "pool",    1) \
	X(HEADS,  "heads",   1) \
	X(BIAS,   "bias",    0)  /* 1: one parameter more for each output channel; written only where there are any */ \
	X(TIED,   "tied",    0)  /* 1: its weights are another row's, not counted again as parameters; written only where there are any */ \
	X(EXPERTS, "experts", 1)  /* so many layers, of which each position takes `active`; written only where there are any */ \
	X(ACTIVE, "active",  1) \
	X(CONV_H, "conv_h",  1)  /* a convolution's own output, before `pool`; written only where the rule does not give it */ \
	X(CONV_W, "conv_w",  1) \
	X(FWD_S,  "fwd_s",  -1)  /* measured seconds of a microbatch; written only where there are any */ \
	X(BWD_S,  "bwd_s",  -1)

enum column {
#define X(column, name, least) COLUMN_##column,
	COLUMNS(X)
#undef X
	COLUMN_COUNT
};

enum { COLUMNS_WRITTEN = COLUMN_BIAS };  /* always; those after it where needed */

extern const char *const column_names[COLUMN_COUNT];

/* Values of a row; `given` is false where the cell is empty. */
struct declared {
	struct extent value[COLUMN_COUNT]; /* .h of plain sizes; both of kernel, stride and pad */
	bool given[COLUMN_COUNT];
};

/* Fills o's shapes from what its row declares and what its inputs (their outputs; ch 0 = not known) hand over.
 * On failure d->column is the enum column to blame, plus 1.  Kind and input_count are set before. */
enum status derive_operator(struct operator *o, const struct declared *row, const struct shape *inputs, struct diagnostic *d);

/* What a row that was not understood hands on: its declared output, else its first input.  ch 0 when neither is known. */
struct shape derive_opaque(const struct declared *row, const struct shape *inputs, int count);

#endif
