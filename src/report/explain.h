/* The formula behind any number on the screen: with the numbers in it and its source. */
#ifndef WHYPAR_REPORT_EXPLAIN_H
#define WHYPAR_REPORT_EXPLAIN_H

#include "study/study.h"

/* id, name on the command line, text */
#define QUANTITIES(X) \
	X(SHAPE,        "shape",    "the row's tensors") \
	X(PARAMS,       "params",   "its parameters") \
	X(MACS,         "macs",     "its multiply-adds") \
	X(MOVED,        "moved",    "what the row moves in a step") \
	X(MARGIN,       "margin",   "what another choice would lose at a level") \
	X(LEVEL,        "level",    "what one level moves") \
	X(TOTAL,        "total",    "what the step moves") \
	X(INTRA,        "own",      "own exchange of one type at a level") \
	X(PREV,         "before",   "re-laying of its inputs") \
	X(NEXT,         "after",    "re-laying of its outputs") \
	X(PLAN,         "plan",     "the level's best plan with one type forced") \
	X(FORCED_TOTAL, "whole",    "the whole plan with one type forced") \
	X(FLIP,         "flips",    "where the choice changes with the batch") \
	X(BASELINE,     "baseline", "a plain plan to compare with; its type is its name")

enum quantity {
#define X(id, name, text) QUANTITY_##id,
	QUANTITIES(X)
#undef X
	QUANTITY_COUNT
};

/* QUANTITY_COUNT when there is none; then d suggests the nearest. */
enum quantity quantity_find(const char *name, struct diagnostic *d);

/* Appends some lines, the first of them a title.  row, level (1-based) and state as far as the quantity has them
 * (of a baseline the state is its enum baseline).  With wait,
 * what would not fit a frame is computed all the same. */
void explain_number_waiting(struct study *study, enum quantity quantity, int row, int level, int state, bool wait, struct text *out);

/* Without. */
void explain_number(struct study *study, enum quantity quantity, int row, int level, int state, struct text *out);

#endif
