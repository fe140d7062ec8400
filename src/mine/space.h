/* The mine room: which accelerator a model would choose.  whypar-models(7) 8.
 *
 *   space      the designs there are, what they take of area and power, and which fit the budgets (this file)
 *   judge      a design's training step: what all methods go by
 *   miner      a search under way: what it asks to be judged, best so far, the best few, and every step it took
 *   methods    how to search: exhaustive, wham, ilp, and the rivals, a file each (policy: the network of rlga)
 *
 * A design is so many tensor cores of rows x columns, so many vector cores of so many lanes, and a buffer: all powers of two, in one numbered space.  The
 * rest of the machine (clock, memory, number format, dataflow) is given.  mm2, W, bytes. */
#ifndef WHYPAR_MINE_SPACE_H
#define WHYPAR_MINE_SPACE_H

#include "hardware/accelerator.h"

/* What each dimension of the space may be: 2 to the least, .. 2 to the most. id, name, least, most */
#define DESIGN_AXES(X) \
	X(TC,    "tc",       0, 12) \
	X(ROWS,  "tc_rows",  1, 8) \
	X(COLS,  "tc_cols",  1, 8) \
	X(VC,    "vc",       0, 12) \
	X(GLB,   "glb",      21, 27) \
	X(LANES, "vc_lanes", 1, 8)

enum design_axis {
#define X(id, ...) AXIS_##id,
	DESIGN_AXES(X)
#undef X
	AXIS_COUNT
};

/* Exponents of two. */
struct design {
	signed char log[AXIS_COUNT];
};

struct design_space {
	struct machine machine;          /* what designs have in common */
	const struct accelerator *preset;        /* of it: how its power is counted */
	struct constants constants;
	double uncore_mm2;
	bool free_lanes;                 /* lanes are a dimension; else as many as a tensor core has rows */
	double area_limit, power_limit;  /* of the modelled area, and TDP; INFINITY for none */
};

const char *design_axis_name(enum design_axis axis);
int design_axis_least(enum design_axis axis);
int design_axis_most(enum design_axis axis);
/* How many values it has. */
int design_axis_size(enum design_axis axis);

/* How many designs there are, fitting or not; and each of them by its number, dimensions of cores first. */
int64_t space_count(const struct design_space *space);
struct design space_design(const struct design_space *space, int64_t number);
int64_t space_number(const struct design_space *space, const struct design *design);

/* The axes that are chosen: without free lanes, which come last, those follow the rows. */
int space_dimensions(const struct design_space *space);
void space_follow(const struct design_space *space, struct design *design);

struct machine space_machine(const struct design_space *space, const struct design *design);

double space_area(const struct design_space *space, const struct design *design);
double space_tdp(const struct design_space *space, const struct design *design);

enum design_limit { LIMIT_NONE, LIMIT_AREA, LIMIT_POWER };
/* The limit a design exceeds, LIMIT_NONE when it fits. */
enum design_limit space_limit(const struct design_space *space, const struct design *design);

/* Within all ranges and limits. */
bool space_fits(const struct design_space *space, const struct design *design);

/* The numbers of all designs that fit, ascending (memory_free); returns how many. */
int64_t space_fitting(const struct design_space *space, int64_t **numbers);

#endif
