/* Slots: what each device of a pipeline does, one after the other, and the engine that plays such tables.
 *
 * A slot starts when its device is free and what it needs has ended.  With k a virtual stage, in the order of the model:
 *   forward of k              forward of k - 1 and its transfer
 *   backward of k             forward of k; backward of k + 1 and its transfer (none for the last)
 *   weight gradient of k      backward of k
 * Transfers take no time of a device and do not wait for one another.  The order of a device is the table's alone: the engine never
 * passes over a slot that waits, as a training program does not. */
#ifndef WHYPAR_PIPELINE_SLOTS_H
#define WHYPAR_PIPELINE_SLOTS_H

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum slot_kind {
	SLOT_FORWARD,
	SLOT_BACKWARD,           /* the input gradient; the weight gradient too where the backward is not split */
	SLOT_WEIGHT,
	SLOT_KINDS
};

/* One microbatch through one virtual stage.  chunk c of device s is virtual stage c x devices + s. */
struct slot {
	uint16_t microbatch;
	uint8_t chunk;
	uint8_t kind;            /* enum slot_kind */
};

struct slot_table {
	int devices, chunks, microbatches;
	int per_device;          /* slots of each device */
	struct slot *slots;      /* devices one after another; the table's (slot_table_free) */
};

struct virtual_stage {
	double seconds[SLOT_KINDS];      /* s of a microbatch */
	double to_next;          /* s from the end of a forward until the next virtual stage has its output; of the last nothing */
	double to_previous;      /* s from the end of a backward until the one before has its gradient; of the first nothing */
};

struct slot_times {
	double start, end;       /* s from the start of the step */
};

/* What a play found, and its working memory: one player plays any number of tables of one size. */
struct slot_player {
	struct arena arena;      /* of the arrays */
	double makespan;         /* s to the end of the last slot */
	double span;             /* s from the first start to the last end of the device where they are farthest apart */
	double *busy;            /* s, of each device */
	double *first, *last;    /* start of its first slot and end of its last, s */
	double *ends;            /* s, of each forward, then of each backward, by virtual stage and microbatch; < 0: it has not run */
	int *next;               /* slot of each device, in its row */
	int *awaited;            /* the index in ends for which each device waits, or -1 */
	int *runnable;           /* devices that can go on, a stack */
	int runnable_count;
};

static inline struct slot *slot_row(const struct slot_table *table, int device)
{
	return &table->slots[(size_t)device * (size_t)table->per_device];
}

/* An empty table: each device has a forward and a backward, and when split a weight gradient, of each chunk of each microbatch. */
void slot_table_size(struct slot_table *table, int devices, int chunks, int microbatches, bool split);
void slot_table_free(struct slot_table *table);

void slot_player_size(struct slot_player *player, const struct slot_table *table);
void slot_player_free(struct slot_player *player);

/* Plays the table; stages: devices x chunks of them; times: of each slot, where slots has it, or NULL.  STATUS_INFEASIBLE, with d telling the device
 * and the slot, when devices wait for one another or for a slot of their own that comes later.  O(slots). */
enum status slots_play(const struct slot_table *table, const struct virtual_stage *stages, struct slot_player *player, struct slot_times *times, struct diagnostic *d);

#endif
