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
	X(BASELINE,     "baseline", "a plain plan to compare with; its type is its name") \
	X(ROW_TIME,     "step",     "what the row takes of a step, pass by pass") \
	X(TIME,         "time",     "how long an operator of the row takes; its type is a pass") \
	X(CYCLES,       "cycles",   "cycles of an operator on its core; its type is a pass") \
	X(TRAFFIC,      "bytes",    "what an operator moves between memory and buffer; its type is a pass") \
	X(UTILISATION,  "use",      "how many of the multipliers work; its type is a pass") \
	X(AREA,         "area",     "the accelerator in mm2") \
	X(POWER,        "power",    "what it takes at most") \
	X(ENERGY,       "energy",   "what a step takes")

enum quantity {
#define X(id, name, text) QUANTITY_##id,
	QUANTITIES(X)
#undef X
	QUANTITY_COUNT
};

/* "time", "cycles", ...: the word of the command line. */
const char *quantity_name(enum quantity quantity);

/* Of one operator: explain_number is then given its training node as state. */
bool quantity_of_operator(enum quantity quantity);

/* QUANTITY_COUNT when there is none; then d suggests the nearest. */
enum quantity quantity_find(const char *name, struct diagnostic *d);

/* Appends some lines, the first of them a title.  row, level (1-based) and state as far as the quantity has them
 * (of a baseline the state is its enum baseline).  With wait,
 * what would not fit a frame is computed all the same. */
void explain_number_waiting(struct study *study, enum quantity quantity, int row, int level, int state, bool wait, struct text *out);

/* Without. */
void explain_number(struct study *study, enum quantity quantity, int row, int level, int state, struct text *out);

#endif
