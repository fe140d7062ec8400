/* The training step of a model as a graph: every operator forward, its mirrored backward pieces, the loss, the updates.
 *
 * One node a piece of work; what it costs is schedule/step's business.  Nodes are in an order in which every input comes
 * before its user, so an index is smaller than those that wait for it.  Immutable once made; it keeps a pointer to the model, which
 * must outlive it.  MODELS 3.1, 3.4, 4. */
#ifndef WHYPAR_MODEL_TRAINING_H
#define WHYPAR_MODEL_TRAINING_H

#include "model/blocks.h"

enum pass { PASS_FWD, PASS_LOSS, PASS_BWD_DATA, PASS_BWD_WEIGHT, PASS_UPDATE, PASS_COUNT };

/* Which piece of a row's work a node is; name behind the row's, text */
#define TRAINING_PARTS(X) \
	X(MAIN,    "",         "the row's own operator") \
	X(RELU,    ".relu",    "the activation that a bare table gets behind each layer but the last") \
	X(POOL,    ".pool",    "the down-sampling fused behind a layer") \
	X(QK,      ".qk",      "attention: queries times keys") \
	X(SOFTMAX, ".softmax", "attention: softmax over the keys") \
	X(AV,      ".av",      "attention: weights times values") \
	X(SUM,     ".sum",     "gradients of several consumers, added up") \
	X(LOSS,    "",         "the loss at the end")

enum training_part {
#define X(id, ...) PART_##id,
	TRAINING_PARTS(X)
#undef X
	TRAINING_PART_COUNT
};

struct training_node {
	int row;                 /* of the model; -1: the loss that no row declares */
	enum training_part part;
	enum pass pass;
	int branches;            /* PART_SUM: how many gradients come together; else 0 */
	int first_input, input_count;    /* into training.inputs */
};

struct training {
	struct arena arena;      /* of everything, itself too */
	const struct model *model;
	struct blocks *blocks;   /* of the model; owned */
	struct training_node *nodes;
	int count;
	int *inputs;             /* node indices */
	bool bare;               /* the model declares no activation, norm or loss: the defaults were added */
};

struct training *training_new(const struct model *model);
void training_free(struct training *training);           /* NULL allowed */

const char *pass_name(enum pass pass);                   /* "fwd", "bwd_data", ... */
/* "conv1", "conv1.relu", "loss". */
void training_name(const struct training *training, int node, char *out, size_t size);

#endif
