/* A transformer by its sizes: what a stack of equal blocks is to those who train it on clusters of GPUs.
 *
 * Found in a model's graph by structure, never by names: rows of attention, what they read and what reads them, and the linear layers between. */
#ifndef WHYPAR_PIPELINE_TRANSFORMER_H
#define WHYPAR_PIPELINE_TRANSFORMER_H

#include "model/model.h"

struct transformer {
	double blocks;
	double hidden;           /* channels between the blocks */
	double heads, kv_heads, head_size;
	double ffn;              /* channels inside the MLP, of one expert */
	double experts, active;  /* of a mixture, and those a position takes; else 1 and 1 */
	bool gated;              /* the MLP has a gate as wide as it is */
	double vocabulary;       /* of the embedding; 0: none */
	double embedding_params; /* of all embeddings: words, positions, segments */
	bool head;               /* an output layer as wide as the vocabulary */
	bool tied;               /* with the embedding's weights */
	double sequence;         /* positions of a sample */
	double params;           /* of the whole model */
};

/* STATUS_INPUT with the reason in d (NULL allowed) when the model is none: no attention, blocks that differ, or layers that have no place in one. */
enum status transformer_of(const struct model *model, struct transformer *out, struct diagnostic *d);

/* The row that a block (from 0) of a transformer's model begins with: the first has what is before it too.  And the block that a row is of. */
int transformer_block_row(const struct model *model, int block);
int transformer_block_of(const struct model *model, int row);

#endif
