/* The stages that derive results from a document, and what each reads.  DESIGN 2.
 *
 * A stage is redone when an input it reads has changed or a stage before it was redone; stages run in the order of this
 * table, which is topological.  There is one entry point, study_update. */
#ifndef WHYPAR_STUDY_STAGES_H
#define WHYPAR_STUDY_STAGES_H

#include "study/document.h"

/* Inputs besides the parameters. */
enum { INPUT_MODEL = PARAMETER_COUNT, INPUT_PINS, INPUT_COUNT };

#define READS(input) (1u << (input))
#define READS_COSTS (READS(PARAMETER_BATCH) | READS(PARAMETER_ACCELERATORS) | READS(PARAMETER_COMM_MODEL) | READS(PARAMETER_MP_OUTPUT))

/* id, inputs, earlier stages */
#define STAGES(X) \
	X(PROBLEM,   READS(INPUT_MODEL),                                                         0) \
	X(PINS,      READS(INPUT_PINS) | READS(PARAMETER_ACCELERATORS),                          1u << STAGE_PROBLEM) \
	X(PLAN,      READS_COSTS | READS(PARAMETER_SOLVER) | READS(PARAMETER_TYPES),             1u << STAGE_PROBLEM | 1u << STAGE_PINS) \
	X(BASELINES, READS_COSTS,                                                                1u << STAGE_PROBLEM) \
	X(SUMMARY,   READS(PARAMETER_PRECISION),                                                 1u << STAGE_PLAN | 1u << STAGE_BASELINES)

enum stage {
#define X(id, inputs, stages) STAGE_##id,
	STAGES(X)
#undef X
	STAGE_COUNT
};

/* Inputs that differ between two documents, as READS bits. */
unsigned stages_changed(const struct document *a, const struct document *b);

/* The stages to redo when these inputs changed and these stages are known to be out of date. */
unsigned stages_touched(unsigned inputs, unsigned stale);

#endif
