/* Costs of one array level, in elements exchanged by one pair of groups.  MODELS 2.1.
 *
 * One idea behind every table: two groups hold a tensor in a layout (row: batch split, col: channels split,
 * full: both hold all), a type fixes the layouts of its tensors, and a change of layout costs a fraction of
 * the tensor.  HyPar's Table 2 and AccPar's tables follow.  Pure: reads nothing, writes nothing. */
#ifndef WHYPAR_PARTITION_COMM_H
#define WHYPAR_PARTITION_COMM_H

#include "partition/plan.h"

enum comm_model { COMM_PRINTED, COMM_FIGURES };

/* What a variable of the partition problem is. */
enum role {
	ROLE_LAYER,              /* dp, mp, op */
	ROLE_GROUPED,            /* a grouped or depthwise convolution: dp, mp (at group borders, nothing summed) */
	ROLE_EMBEDDING,          /* dp, mp (vocabulary), op (width); its input carries no error */
	ROLE_JUNCTION,           /* row, col, full */
	ROLE_COUNT
};

/* States a role has at all: 2 or 3. */
int comm_states(enum role role);

/* The layout changes of F (producer to consumer) and of E (back), as fractions of the tensor between them. */
struct comm_changes {
	double features, errors;
};
struct comm_changes comm_changes(enum comm_model model, enum role from, int from_state, enum role to, int to_state);
/* Both together. */
double comm_edge(enum comm_model model, enum role from, int from_state, enum role to, int to_state);

/* How many of these changes are not free: 0, 1 or 2. */
int comm_edge_messages(enum comm_model model, enum role from, int from_state, enum role to, int to_state);

/* True when a group that has `state` at a level holds half of the tensor below it. */
bool comm_halves_input(enum role role, int state);
bool comm_halves_output(enum role role, int state);
bool comm_halves_weights(enum role role, int state);

/* Sizes one group holds at a level. */
struct shard {
	double weights;          /* A(W) = A(dW) */
	double input;            /* A(F_l) = A(E_l) */
	double output;           /* A(F_{l+1}) */
};

/* Own exchange of a type: dp sums dW, mp sums its output, op sums E_l; a junction exchanges nothing itself. */
double comm_intra(enum role role, int state, const struct shard *shard);

#endif
