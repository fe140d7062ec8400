/* The pipeline room: layers of known times and sizes on a row of devices.
 *
 *   staging    the exact cut of a graph of layers into stages
 *   profile    such graphs from files
 *   run        a transformer's run on a cluster in closed form (run_search: all plans of so many GPUs; transformer: what a model is to it)
 *   line       the cut of a chain of layers into so many stages, of unlike kinds
 *   slots      tables of what each device does in turn, and the engine that plays them
 *   tables     such tables for each known schedule
 *   schedules  a step under a schedule: times, bubble and why, activations held
 *
 * Seconds are of one microbatch, bytes of one device.  Pure; results belong to the caller. */
#ifndef WHYPAR_PIPELINE_STAGING_H
#define WHYPAR_PIPELINE_STAGING_H

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct staging_layer {
	const char *name;
	double forward, backward;        /* s */
	double weights, activations;     /* bytes */
	bool tensor;             /* it is one slice of a layer that is split over the width */
	double kept;             /* bytes beside the copies of weights and the activations, whatever is in flight */
};

/* What one layer hands to another; from comes before to in the order of layers. */
struct staging_edge {
	int from, to;
	double bytes;
};

/* The layers at one tensor-parallel width: the same ones, of other times and sizes. */
struct staging_graph {
	int width;
	const char *way;         /* how it is run, where a width has several; NULL: it has one */
	struct staging_layer *layers;
	struct staging_edge *edges;        /* by to, then from */
	int edge_count;
};

enum staging_objective { STAGING_BY_TIME, STAGING_BY_MEMORY };

struct staging_problem {
	struct arena arena;      /* of everything */
	int layer_count;
	struct staging_graph *graphs;      /* ascending widths; those of one width are ways to run it */
	int graph_count;
	int array;               /* devices of width 1: an array's accelerators; 0 as 1 */
	int64_t devices, microbatches;   /* of a batch */
	double bandwidth;        /* bytes/s */
	double memory;           /* of a device, bytes */
	double weight_copies;    /* weights, gradients and optimizer together, in weights: 2 or 3; 0 where each layer has them in kept */
	bool recompute;
	enum staging_objective objective;
	const signed char *borders;      /* of each layer but the last: 1 a stage must end behind it, -1 none may, 0 free; NULL: all free */
};

struct staging_stage {
	int *layers;             /* in their order */
	int count;
	int64_t devices;
	double load;             /* s of a microbatch */
	double memory;           /* bytes of one of its devices, with the microbatches in flight at its place */
};

struct staging {
	struct arena arena;      /* of the stages */
	bool feasible;
	double seconds;          /* of a batch: max_load x (ceil(microbatches / data) + stages - 1), and the exchange of the first stage's gradients */
	double max_load, max_memory;
	int64_t data;            /* copies of the pipeline */
	int tensor;              /* width */
	int graph;               /* whose it is */
	struct staging_stage *stages;      /* first to last */
	int stage_count;
};

/* The best split there is; not feasible when no stage order fits the memory or the devices.  STATUS_INFEASIBLE when the graph branches so much that
 * it has more parts than are looked at; d then says so. */
enum status staging_solve(const struct staging_problem *problem, struct staging *staging, struct diagnostic *d);

/* What the stages of a given cut are: layers of each stage, first to last; fills load, memory and seconds. */
void staging_evaluate(const struct staging_problem *problem, int graph, int64_t data, struct staging *staging);

void staging_free(struct staging *staging);
void staging_problem_free(struct staging_problem *problem);

#endif
