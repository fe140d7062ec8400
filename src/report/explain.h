/* The formula behind any number on the screen: with the numbers in it and its source. */
#ifndef WHYPAR_REPORT_EXPLAIN_H
#define WHYPAR_REPORT_EXPLAIN_H

#include "study/study.h"

enum quantity {
	QUANTITY_SHAPE, QUANTITY_PARAMS, QUANTITY_MACS,
	QUANTITY_MOVED,          /* what a row moves in a step */
	QUANTITY_MARGIN,         /* at a level */
	QUANTITY_LEVEL,          /* what one level moves */
	QUANTITY_TOTAL,          /* what the step moves */
	QUANTITY_INTRA, QUANTITY_PREV, QUANTITY_NEXT, QUANTITY_PLAN, QUANTITY_FORCED_TOTAL, /* of one state at a level */
	QUANTITY_FLIP,
	QUANTITY_BASELINE,       /* state is the enum baseline */
	QUANTITY_COUNT
};

/* Appends some lines, the first of them a title.  row, level (1-based) and state as far as the quantity has them. */
void explain_number(struct study *study, enum quantity quantity, int row, int level, int state, struct text *out);

#endif
