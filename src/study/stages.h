/* The stages that derive results from a document, and what each reads.  DESIGN 2.
 *
 * A stage is redone when an input it reads has changed or a stage before it was redone; stages run in the order of this
 * table, which is topological.  There is one entry point, study_update. */
#ifndef WHYPAR_STUDY_STAGES_H
#define WHYPAR_STUDY_STAGES_H

#include "study/document.h"

#include <stdint.h>

/* Inputs besides the parameters. */
/* INPUT_PRICES: what exchanges cost a solver, which reads the links only where time is the objective. */
/* The last of the parameters are those of searches, which no stage reads, those of the screen, which are in no document, and constants of area, power and
 * energy, which are one input. */
enum { INPUT_CONSTANTS = PARAMETER_AREA_LIMIT, INPUT_MODEL, INPUT_PINS, INPUT_OWN, INPUT_LATENCIES, INPUT_TOPOLOGY, INPUT_PRICES, INPUT_STAGES, INPUT_COUNT };

_Static_assert(INPUT_COUNT < 64, "inputs are the bits of a word");
#define READS(input) (UINT64_C(1) << (input))
/* All from one to another of the parameter table. */
#define READS_FROM(first, last) (READS((last) + 1) - READS(first))
/* What devices there are. */
#define READS_DEVICES (READS(INPUT_STAGES) | READS(PARAMETER_ACCELERATORS) | READS(PARAMETER_TENSOR) | READS(PARAMETER_REPLICAS) | READS(PARAMETER_PIPELINE))
/* Samples of a microbatch. */
#define READS_SAMPLES (READS(PARAMETER_BATCH) | READS(PARAMETER_REPLICAS) | READS(PARAMETER_PIPELINE) | READS(PARAMETER_MICROBATCH))
#define READS_COSTS (READS(PARAMETER_BATCH) | READS(PARAMETER_ACCELERATORS) | READS(PARAMETER_TENSOR) | READS(PARAMETER_REPLICAS) | READS(PARAMETER_COMM_MODEL) | READS(PARAMETER_MP_OUTPUT) | READS(INPUT_PRICES))
#define READS_MACHINE (READS_FROM(PARAMETER_ACCELERATOR, PARAMETER_UNCORE_MM2) | READS(PARAMETER_PRECISION) | READS(INPUT_OWN))
/* What collectives alone read (algorithm, chunks_comm) is no stage's. */
#define OR_READS(id) | READS(PARAMETER_##id)
#define READS_LINKS (READS(INPUT_TOPOLOGY) LINK_PARAMETERS(OR_READS))
#define READS_CONSTANTS READS(INPUT_CONSTANTS)
#define READS_RUN (READS_FROM(PARAMETER_TENSOR, PARAMETER_CLUSTER) | READS(PARAMETER_ACCELERATOR) | READS(PARAMETER_ACCELERATORS) | READS(PARAMETER_BATCH) | READS(PARAMETER_PRECISION) | \
	READS(PARAMETER_OPTIMIZER) | READS(PARAMETER_OVERLAP) | READS(INPUT_STAGES))

/* id, inputs, earlier stages */
#define STAGES(X) \
	X(PROBLEM,   READS(INPUT_MODEL),                                                         0) \
	X(PINS,      READS(INPUT_PINS) | READS(PARAMETER_ACCELERATORS) | READS(PARAMETER_TENSOR),                          1u << STAGE_PROBLEM) \
	X(PLAN,      READS_COSTS | READS(PARAMETER_SOLVER) | READS(PARAMETER_TYPES),             1u << STAGE_PROBLEM | 1u << STAGE_PINS) \
	X(BASELINES, READS_COSTS,                                                                1u << STAGE_PROBLEM) \
	X(STEP,      READS_MACHINE | READS_SAMPLES | READS(PARAMETER_OPTIMIZER) | READS(PARAMETER_FUSION) | READS(INPUT_LATENCIES), \
	                                                                                         1u << STAGE_PROBLEM | 1u << STAGE_PLAN) \
	X(LINKS,     READS_LINKS | READS(PARAMETER_PRECISION) | READS_DEVICES,   1u << STAGE_PLAN | 1u << STAGE_STEP) \
	X(ACCOUNTS,  READS_MACHINE | READS_CONSTANTS | READS(PARAMETER_ACCELERATORS) | READS(PARAMETER_BATCH) | READS(PARAMETER_ENERGY), \
	                                                                                         1u << STAGE_STEP) \
	X(RUN,       READS_RUN,                                                                  1u << STAGE_LINKS) \
	X(SUMMARY,   READS(PARAMETER_PRECISION),                                                 1u << STAGE_PLAN | 1u << STAGE_BASELINES | 1u << STAGE_LINKS | 1u << STAGE_ACCOUNTS | 1u << STAGE_RUN)

enum stage {
#define X(id, inputs, stages) STAGE_##id,
	STAGES(X)
#undef X
	STAGE_COUNT
};

/* Inputs that differ between two documents, as READS bits. */
uint64_t stages_changed(const struct document *a, const struct document *b);

/* The stages to redo when these inputs changed and these stages are known to be out of date. */
unsigned stages_touched(uint64_t inputs, unsigned stale);

#endif
