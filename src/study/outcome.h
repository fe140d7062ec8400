/* What a design point comes to, in a few figures, so that two can be held against each other. */
#ifndef WHYPAR_STUDY_OUTCOME_H
#define WHYPAR_STUDY_OUTCOME_H

#include "base/units.h"

/* id, name, unit, less is better, text */
#define OUTCOMES(X) \
	X(MOVED,    "moved",       UNIT_BYTES,  true,  "exchanged in a step, by all") \
	X(LINKS,    "links",       UNIT_TIME,   true,  "all exchanges of a step") \
	X(COMPUTE,  "computing",   UNIT_TIME,   true,  "one accelerator's part of a step") \
	X(STEP,     "step",        UNIT_TIME,   true,  "computing, and what exchanges add") \
	X(ENERGY,   "energy",      UNIT_ENERGY, true,  "of a step, on all accelerators") \
	X(AREA,     "area",        UNIT_AREA,   true,  "cores and buffer of an accelerator, modelled") \
	X(POWER,    "power",       UNIT_POWER,  true,  "an accelerator's at most") \
	X(RUN,      "run's step",  UNIT_TIME,   true,  "a step of the run on a cluster") \
	X(MEMORY,   "run's memory", UNIT_BYTES, true,  "the fullest stage's") \
	X(USE,      "run's use",   UNIT_PART,   false, "part of the GPUs' peak")

enum outcome_figure {
#define X(id, ...) OUTCOME_##id,
	OUTCOMES(X)
#undef X
	OUTCOME_COUNT
};

/* NAN where there is none. */
struct outcome {
	double value[OUTCOME_COUNT];
};

#endif
