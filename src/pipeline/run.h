/* A training run of a transformer on a cluster: the time of a step and the memory of every stage, in closed form.  whypar-models(7) 7.
 *
 * devices = tensor x replicas x pipeline, neighbours in that order.  One block is timed operator by operator on one GPU; collectives, transfers, the
 * bubble, the gradients' exchange and the update are added.  The slowest stage counts.  Pure, and fast enough to try every plan there is. */
#ifndef WHYPAR_PIPELINE_RUN_H
#define WHYPAR_PIPELINE_RUN_H

#include "hardware/gpu.h"
#include "network/cluster.h"
#include "pipeline/schedules.h"
#include "pipeline/transformer.h"

/* What is computed a second time in the backward pass, so that it need not be kept: id, name, text. */
#define RECOMPUTES(X) \
	X(NONE,      "none",      "nothing is computed twice") \
	X(SELECTIVE, "selective", "the scores of attention") \
	X(FULL,      "full",      "every block")

enum recompute {
#define X(id, name, text) RECOMPUTE_##id,
	RECOMPUTES(X)
#undef X
	RECOMPUTE_COUNT
};

const char *recompute_name(enum recompute recompute);
/* RECOMPUTE_COUNT when there is none of that name. */
enum recompute recompute_find(const char *name);

struct run_plan {
	double tensor, pipeline, replicas;
	enum pipeline_schedule schedule;
	double chunks;           /* of a stage, from 2 where it is interleaved; else 1 */
	double batch, microbatch;        /* samples of a step, and of one replica's microbatch */
	int zero;                /* replicas split 0: nothing, 1: optimizer states, 2: gradients too, 3: weights too */
	bool sequence_parallel;  /* what lies between tensor-parallel layers is split over them too */
	enum recompute recompute;
	bool fused_attention;    /* scores never leave the chip */
	bool overlap;            /* gradients are exchanged behind the last backward pass */
	const int *dealt;        /* blocks of each stage; NULL: evenly */
	bool ends_count;         /* embedding and head count as a block when these are dealt to stages */
	enum number_format format;
	double exchanged_bytes;  /* of a gradient on the links */
	double gradient_bytes, state_bytes;  /* of a weight's gradient and optimizer states in memory */
};

/* Bytes of one GPU of a stage. */
struct run_memory {
	double weights, gradients, states, activations, buffers, context;    /* buffers: of one block's work, of the loss; context: the cluster's, and fragments */
	double total;
};

struct run {
	/* s of a step; forward to transfers of the slowest stage, of all its microbatches */
	double forward, backward, recompute, collectives, transfers;
	double bubble, gradients, update, straggling;
	double seconds;          /* all of them */
	int slowest;             /* stage, from 0 */
	int worst;               /* stage of the largest memory, from 0 */
	struct run_memory memory;        /* of that */
	double flops;            /* of the model, a step: multiply-adds twice, three passes, nothing computed again */
};

/* STATUS_INPUT when the plan does not go together: d has both numbers, the rule and the nearest that does. */
enum status run_plan_check(const struct transformer *t, const struct run_plan *plan, const struct gpu *gpu, struct diagnostic *d);
/* The same of batch, microbatches, schedule and zero alone. */
enum status run_schedule_check(const struct run_plan *plan, struct diagnostic *d);
/* Of a plan that run_plan_check takes. */
void run_evaluate(const struct transformer *t, const struct run_plan *plan, const struct gpu *gpu, const struct cluster *cluster, struct run *run);

/* Of the GPUs' peak in the plan's number format, by the model's own operations: 0 to 1. */
double run_utilisation(const struct run *run, const struct run_plan *plan, const struct gpu *gpu);

/* Bytes of a weight that cross a link of the replicas' ring in a step: gradients summed and handed back; or summed to who owns them and the new weights
 * gathered; gradients that are split with every microbatch; and weights that are split gathered for each pass of each. */
double run_exchanged(const struct run_plan *plan);

double run_devices(const struct run_plan *plan);
double run_microbatches(const struct run_plan *plan);
/* Microbatches whose activations a stage (from 0) keeps at most; of chunks, in whole stages. */
double run_held(const struct run_plan *plan, int stage);
/* Blocks of a stage, from 0. */
double run_blocks(const struct transformer *t, const struct run_plan *plan, int stage);
/* s of one microbatch of a stage, all its chunks: forward; backward with what is computed again, of which the gradients of weights may wait; and of one
 * transfer to the next stage or chunk.  Collectives are in forward and backward. */
struct run_stage {
	double forward, backward, weight, transfer;
};

/* One stage of a run, as it is shown. */
struct stage_figures {
	const char *accelerator; /* its kind; as long as the table it is of */
	double devices;          /* of one replica that work in it together */
	double layers;           /* dealt to it; of a transformer on a cluster, blocks */
	int row;                 /* of the model that it begins with; -1: not known */
	struct run_stage times;
	double gradients, update;        /* s of a step */
	struct run_memory memory;        /* of one device */
	double capacity;         /* bytes of that; 0: not known */
	double peak;             /* op/s of one device */
};

/* Whether the stage fits; where the capacity is not known it does. */
static inline bool stage_fits(const struct stage_figures *s)
{
	return s->capacity == 0 || s->memory.total <= s->capacity;
}

struct run_stage run_stage_times(const struct transformer *t, const struct run_plan *plan, const struct gpu *gpu, const struct cluster *cluster, int stage);
struct run_memory run_stage_memory(const struct transformer *t, const struct run_plan *plan, const struct cluster *cluster, int stage);

#endif
