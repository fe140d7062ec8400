/* A training step on one accelerator: what each node of the training graph costs, what is fused, and when it runs.
 * MODELS 3, 4.
 *
 * The one file of this room that knows models and hardware: it turns a training graph and a machine into tasks, schedules
 * them, and keeps what a person would ask of each node.  Owned by the caller; step_free ends it.  Reads its inputs only while
 * step_new runs. */
#ifndef WHYPAR_SCHEDULE_STEP_H
#define WHYPAR_SCHEDULE_STEP_H

#include "hardware/core.h"
#include "model/training.h"
#include "hardware/accelerator.h"
#include "hardware/latencies.h"
#include "schedule/bounds.h"
#include "schedule/list.h"

struct step_request {
	const struct machine *machine;
	const struct share *shares;      /* of each row: what one accelerator holds of it, in a microbatch */
	const struct latencies *latencies;        /* measured ones take the place of modelled ones; NULL allowed */
	enum optimizer optimizer;
	bool fusion;
	bool always_fused;               /* also where the step is shorter with nothing fused */
};

/* One node of the training graph. */
struct step_node {
	enum core_kind core;             /* of the node itself, before fusion */
	struct gemm gemms[GEMMS_MAX];
	int gemm_count;
	double vector_cycles;            /* on one vector core, 0 without vector work */
	double elements, each;           /* of vector work, and the cycles each takes of one lane */
	double made_bytes;               /* its result */
	double taken_bytes;              /* of vector work: the tensor it takes from the node before it */
	struct timing timing;            /* of the node alone, on one core of its kind */
	int taken_by;                    /* the node it was fused into, or -1 */
	int task;                        /* of the node that carries it out */
	int next;                        /* the node fused behind it, or -1 */
	double offset, seconds;          /* of its task, as scheduled: from the task's start, and how long */
	bool opaque;                     /* nothing is known of its work */
	bool measured;                   /* its time is a measured one */
	bool unfusable;                  /* that of its row: it is not fused */
};

/* One task: a node with all that was fused into it. */
struct step_task {
	int node;
	enum core_kind core;
	double vector_cycles;            /* of all its vector work, on one core */
	struct timing timing;            /* on one core of each kind it uses */
	struct timing spread;            /* on all cores of its kind; time_s 0: it does not spread */
	bool spreads;                    /* it was scheduled so */
	double seconds;                  /* as scheduled */
};

/* All tasks of one row of the model: what it takes of a step. */
struct step_row {
	double seconds;                  /* of its nodes, one after another */
	double compute_s, memory_s;
	double macs, bytes;
	double utilisation;              /* of the tensor cores while its products run; NAN without products */
	enum bound bound;                /* of the larger of both sums */
	bool fused, measured;            /* fused: all of it is done along with other rows */
};

/* As it runs: on one core or on all. */
static inline const struct timing *step_timing(const struct step_task *task)
{
	return task->spreads ? &task->spread : &task->timing;
}

struct step {
	struct arena arena;              /* of all but bounds and schedule */
	struct machine machine;          /* of the request */
	int node_count, task_count;
	int critical;                    /* tasks that take time and have no slack */
	struct step_node *nodes;
	struct step_task *tasks;
	struct step_row *rows;           /* of the model */
	struct work work;                /* of one accelerator, for its energy */
	struct work update;              /* what of it is done once for all microbatches */
	int rows_unused, row_unused;     /* rows whose measured seconds are not used, and the first of them */
	bool *latency_used;              /* of each measured latency: some operator has its shape; NULL without any */
	struct task_graph graph;         /* seconds on one core */
	struct bounds bounds;            /* with the seconds and cores of the schedule: asap, alap, slack of each task; makespan: what no schedule with these beats */
	double free_bound;               /* what no schedule of these tasks beats, however they spread; bounds.makespan only holds with the cores they got */
	struct schedule schedule;
};

/* When a node ends, from the start of the step. */
static inline double step_node_end(const struct step *step, int node)
{
	const struct step_node *n = &step->nodes[node];

	return step->schedule.tasks[n->task].start + n->offset + n->seconds;
}

/* True when some task holds a core of it. */
bool step_uses(const struct step *step, enum resource resource);

/* STATUS_INPUT when a buffer holds no tile of a product or sizes overflow; d names the node. */
enum status step_new(const struct training *training, const struct step_request *request, struct step **step, struct diagnostic *d);
void step_free(struct step *step);       /* NULL allowed */

#endif
