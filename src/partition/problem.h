/* The partition problem of a model: one variable for every weighted layer and junction, one edge for every
 * tensor between two of them.  MODELS 2.1, 2.4.
 *
 * Norms, activations, pools and other operators with one input contract into the edge.  Immutable once made; sizes
 * are per sample.  Reference-counted, since a worker may still read it when the study has moved on; it keeps no
 * pointer into the model. */
#ifndef WHYPAR_PARTITION_PROBLEM_H
#define WHYPAR_PARTITION_PROBLEM_H

#include "partition/comm.h"

struct problem_var {
	int row;                 /* of the model */
	enum role role;
	enum operator_kind kind;
	double weights;          /* A(W) */
	double input;            /* A(F_l) of one sample */
	double conv_output;      /* A(F_{l+1}) before pooling, of one sample */
	double output;           /* after pooling */
};

struct problem_edge {
	int from, to;            /* variables; from < to, at most one edge a pair */
	double elements;         /* of one sample: a layer's input, or what a junction's producer gives */
};

struct problem {
	int rows;                /* of the model */
	int var_count, edge_count;
	struct problem_var *vars;     /* in the order of their rows */
	struct problem_edge *edges;   /* by consumer, then producer */
	int *var_of_row;         /* rows; -1 where the row has no choice */
	int *first_in;           /* var_count + 1: edges into variable v are first_in[v] .. first_in[v + 1] - 1 */
	int *out_edges;          /* edge_count: edge indices grouped by producer */
	int *first_out;          /* var_count + 1 */
};

struct problem *problem_new(const struct model *model);
struct problem *problem_share(struct problem *problem);    /* from any thread */
void problem_release(struct problem *problem);             /* NULL allowed */

#endif
