/* Inside of a network's minimisation, shared by factors.c (costs, projections), forward.c (forward, decoding) and
 * marginals.c (looking back).  Nobody else includes it. */
#ifndef WHYPAR_PARTITION_FACTORS_INSIDE_H
#define WHYPAR_PARTITION_FACTORS_INSIDE_H

#include "partition/factors.h"

/* A table of at most TABLE_ENTRIES_MAX entries has no more dimensions of two states than this. */
enum { DIMENSIONS_MAX = 24 };

/* Dimensions of a step's working table D: rest..., then the variable itself, fastest. */
struct table_shape {
	int count;               /* dimensions, the variable's own included */
	int vars[DIMENSIONS_MAX];
	size_t sizes[DIMENSIONS_MAX];
	size_t rows;             /* product of all but the last */
	size_t width;            /* of the last */
};

/* Walks the rows of D in order, keeping an offset into another table up to date. */
struct table_walk {
	size_t index[DIMENSIONS_MAX];
	size_t offset;
};

void table_walk_next(struct table_walk *w, const struct table_shape *t, const size_t *strides);

struct table_shape factors_table(const struct factors *net, const struct elimination_step *s);
int factors_other_end(const struct elimination *order, int edge, int var);
bool factors_cancelled(const struct factors *net);

/* Entries of a row of a step's message. */
size_t factors_forward_width(const struct factors *net, const struct elimination_step *s);

/* Strides of a child's message along the dimensions of D; 0 where it does not range over one. */
void factors_forward_strides(const struct factors *net, const struct elimination_step *child, const struct table_shape *t, size_t *strides);

/* D: own costs, the children's tables and the edges written out. */
void factors_fill_table(const struct factors *net, struct forward_tables *m, const struct elimination_step *s, const struct table_shape *t, double *table);

/* Minimises row (over the states of `gone`) plus the edge, for each state of the edge's other end, into out. */
void factors_project(const struct factors *net, int edge, int gone, const double *row, double *out, struct forward_tables *space);

/* The least of a variable's costs over the states it may take. */
double factors_row_minimum(const struct factors *net, int var, const double *row, size_t width);

#endif
