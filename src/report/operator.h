/* One operator of the training step in words: why it runs when it does and takes as long, and its loops on the array.  Both append
 * to out. */
#ifndef WHYPAR_REPORT_OPERATOR_H
#define WHYPAR_REPORT_OPERATOR_H

#include "base/text.h"
#include "study/study.h"

/* Critical or how much slack, what it waits for, what binds it, what one more core of each kind would save.  node: of the training graph;
 * there is a step. */
void operator_sentence(struct study *study, int node, struct text *out);

/* What its products are, as nested loops: tiles between memory and buffer, folds on the array.  Nothing for vector work. */
void operator_loops(const struct results *results, int node, struct text *out);

/* The node that a "name:pass" or "name" (its forward pass) names; -1 with d filled when there is none. */
int operator_find(const struct results *results, const char *words, struct diagnostic *d);

#endif
