/* A training step of a pipeline under a schedule: when each slot runs, what the bubble comes from, what is held in memory.  whypar-models(7) 7.3.
 *
 * Virtual stages may be as uneven as they like.  With equal ones and no transfers, S stages, F, B, W their seconds, and enough microbatches the bubble is
 *   gpipe, 1f1b    (S - 1) (F + B + W)
 *   interleaved    (S - 1) (F + B + W) of one chunk, of v in a stage
 *   zb-h1          (S - 1) max(F + B - W, F, B): Qi et al.'s F + B - W while W is the least of the three
 *   zb-2p          (S - 1) max(0, F + B - 2W, B - F), none when all are equal */
#ifndef WHYPAR_PIPELINE_SCHEDULES_H
#define WHYPAR_PIPELINE_SCHEDULES_H

#include "pipeline/slots.h"

/* id, name, the backward is split into input and weight gradient, devices begin the next step without waiting for one another, text */
#define PIPELINE_SCHEDULES(X) \
	X(GPIPE,       "gpipe",       false, false, "all forward, then all backward: every microbatch's activations are held (GPipe)") \
	X(1F1B,        "1f1b",        false, false, "a backward as soon as there is one, then a forward: stages - stage microbatches are held (PipeDream-Flush)") \
	X(INTERLEAVED, "interleaved", false, false, "1f1b with several chunks a device: 1 / chunks of the bubble, more transfers (Megatron-LM)") \
	X(ZB_H1,       "zb-h1",       true,  false, "weight gradients put off to fill the end: no stage holds more than 1f1b's first (zero bubble H1)") \
	X(ZB_2P,       "zb-2p",       true,  true,  "twice as many in flight and weight gradients put off: about no bubble, twice 1f1b's activations (zero bubble H2)")

enum pipeline_schedule {
#define X(id, ...) PIPELINE_##id,
	PIPELINE_SCHEDULES(X)
#undef X
	PIPELINE_SCHEDULE_COUNT
};

enum {
	PIPELINE_STAGES_MAX = 512,
	PIPELINE_CHUNKS_MAX = 64,
	PIPELINE_MICROBATCHES_MAX = 4096,
	PIPELINE_SLOTS_MAX = 1 << 23,    /* of all devices: some 200 MB */
	PIPELINE_SLOTS_FRAME = 150000    /* more than these take longer than a frame of the screen has */
};

const char *pipeline_schedule_name(enum pipeline_schedule schedule);
/* PIPELINE_SCHEDULE_COUNT when there is none of that name. */
enum pipeline_schedule pipeline_schedule_find(const char *name);
bool pipeline_schedule_splits(enum pipeline_schedule schedule);

struct pipeline {
	enum pipeline_schedule schedule;
	int stages;              /* devices */
	int chunks;              /* of each device, 1 but for interleaved */
	int microbatches;        /* of a step; a multiple of stages for interleaved */
	const struct virtual_stage *virtual_stages;      /* stages x chunks in the order of the model, k on device k mod stages; input and weight gradients apart */
};

struct pipeline_device {
	double busy;             /* s */
	double first, last;      /* start of its first slot and end of its last, s */
	/* Most of its (microbatch, chunk) pairs at a time: whose forward has run and whose backward has not ended; and whose weight gradient has not, so
	 * that activations are held for it.  The same where the backward is not split. */
	int in_flight, held;
};

/* What time without work comes from; the parts are never negative and sum to all of it.
 *   transfer   what the step is shorter by with no transfers
 *   few        what is left of that with every virtual stage the mean of all: the filling and draining that more microbatches would thin out
 *   uneven     the rest
 * Where uneven stages fill and drain faster than equal ones would, uneven is 0 and few what there is. */
struct pipeline_loss {
	double all, few, uneven, transfer;       /* s */
};

struct pipeline_step {
	struct slot_table table;
	struct slot_times *times;        /* of each slot of the table */
	struct pipeline_device *devices;
	double makespan;         /* s from the first start to the last end of all devices */
	/* Of the step, s: the makespan.  zb-2p: the longest time from a device's first start to its last end, for as steps follow one another that is
	 * what each of them takes when no device waits for the others before it updates its weights (Qi et al.: post-validation). */
	double seconds;
	double busiest, mean;    /* busy s of the busiest device, and of all on average */
	struct pipeline_loss bubble;     /* of seconds, what the busiest device does not work */
	struct pipeline_loss idle;       /* and what a device does not work on average: its uneven has what the busiest has more to do than the mean */
};

/* STATUS_INPUT when a number is out of range, when the microbatches are no multiple of the stages for interleaved, and when there are more slots than
 * PIPELINE_SLOTS_MAX.  step is ended by pipeline_step_free, also after a failure. */
enum status pipeline_play(const struct pipeline *pipeline, struct pipeline_step *step, struct diagnostic *d);
void pipeline_step_free(struct pipeline_step *step);

#endif
