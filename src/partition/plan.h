/* A plan: for every layer and junction, at every level of the array, how two groups share it.
 *
 * Rows are the model's operators.  A layer's state is its type (dp, mp, op), a junction's its layout
 * (row, col, full); operators that are neither have no choice and cost nothing (MODELS 2.1).
 * Amounts are elements; bytes on the wire = elements x bytes per element x 2. */
#ifndef WHYPAR_PARTITION_PLAN_H
#define WHYPAR_PARTITION_PLAN_H

#include "model/model.h"

enum { LEVELS_MAX = 12, ACCELERATORS_MAX = 1 << LEVELS_MAX, STATES_MAX = 3 };
/* The largest batch there is: flips cover 1 .. this. */
enum { BATCH_MAX = 1048576 };

enum split { SPLIT_DP, SPLIT_MP, SPLIT_OP, SPLIT_COUNT };
enum layout { LAYOUT_ROW, LAYOUT_COL, LAYOUT_FULL, LAYOUT_COUNT };
enum { NO_STATE = -1 };

/* How a plan is chosen (MODELS 2.3). */
enum solver { SOLVER_DP, SOLVER_MP, SOLVER_OWT, SOLVER_HYPAR, SOLVER_ACCPAR, SOLVER_JOINT, SOLVER_COUNT };

/* What a plan is chosen by: elements exchanged (bytes are as many of each), or seconds that exchanging them takes. */
enum objective { OBJECTIVE_ELEMENTS, OBJECTIVE_BYTES, OBJECTIVE_TIME, OBJECTIVE_COUNT };

struct plan_level {
	double per_pair;         /* elements one pair of groups exchanges */
	double pairs;            /* 2^(h-1) */
	double messages;         /* that one pair exchanges one after the other */
	double cost;             /* what level-by-level solvers minimise: elements of one pair, or seconds */
};

struct plan {
	struct arena arena;      /* of the arrays below */
	int rows, levels;
	signed char *states;     /* rows x levels, NO_STATE where there is no choice */
	unsigned char *junction; /* rows: 1 where the state is a layout */
	unsigned char *pinned;   /* rows x levels: 1 where a pin decided */
	double *row_elements;    /* rows: own exchange plus the edges entering it, all levels and pairs; they sum to elements */
	double *row_level;       /* rows x levels: the same of one pair at each level */
	struct plan_level level[LEVELS_MAX];
	double elements;         /* of one training step */
	enum objective objective;
	double cost;             /* what it was chosen by, of one training step: elements, or seconds */
	bool exact;              /* the solver's claim is proven: joint's over all plans, the others' at each level */
	double bound;            /* when exact, cost; else a proven lower bound: joint's over all plans, the others' of each
	                          * level given the choices above it */
};

/* "dp", "mp", "op", "row", "col", "full", or "" without a choice.  level is 1-based. */
const char *plan_choice(const struct plan *plan, int row, int level);
/* The state itself; NO_STATE without a choice. */
int plan_state(const struct plan *plan, int row, int level);
const char *split_name(enum split split);
const char *layout_name(enum layout layout);
/* The word of a state of a layer or a junction; "" for NO_STATE. */
const char *state_name(bool junction, int state);

/* What the plan loses when one choice is forced another way (MODELS 2.5), for every row, level and state at once.
 * value: the level's cost for level-by-level solvers, the whole plan's for joint: elements, or seconds. */
struct margins {
	int rows, levels;
	bool whole_plan;         /* joint: value is the whole plan's cost */
	double *value;           /* rows x levels x STATES_MAX; NAN where the state does not exist */
};

struct margins *margins_new(int rows, int levels, bool whole_plan);   /* NAN everywhere */
double margins_value(const struct margins *m, int row, int level, int state);
/* Sums of seconds that differ by a smaller part are the same but for rounding. */
#define COST_ROUNDING 1e-12

/* What another cost loses against the present one.  Seconds are sums of rounded parts: a difference that rounding may have made is none. */
double margin_between(enum objective objective, double other, double present);
/* value of the cheapest other state minus the plan's own value; NAN when there is no other state. */
double margins_margin(const struct margins *m, const struct plan *plan, int row, int level);
/* How sure the choice is, 0 .. 1: 1 - present / forced, the share of the cheapest other plan that is loss; NAN like margin. */
double margins_sureness(const struct margins *m, const struct plan *plan, int row, int level);

struct plan *plan_copy(const struct plan *plan);
void plan_free(struct plan *plan);        /* NULL allowed */
void margins_free(struct margins *margins);

#endif
