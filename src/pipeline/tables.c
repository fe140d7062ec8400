#include "pipeline/tables.h"

#include <string.h>

/* What makes a device's row, in (microbatch, chunk) pairs. */
struct pattern {
	int ahead;               /* forwards before the first backward */
	int put_off;             /* backwards after whose own a weight gradient runs */
};

/* Narayanan et al. 2021 for interleaved: 2 (S - s - 1) + (v - 1) S forwards warm up, then forward and backward in turn; one chunk is plain 1F1B, as in
 * Megatron-LM.  Qi et al. 2023 for H1 and H2: what device s has less in flight than the first, it has more in weight gradients put off. */
static struct pattern pattern_of(const struct pipeline *p, int device)
{
	const int after = p->stages - device - 1;

	switch (p->schedule) {
	case PIPELINE_GPIPE:
		return (struct pattern){ p->microbatches, 0 };
	case PIPELINE_INTERLEAVED:
		return (struct pattern){ p->chunks > 1 ? 2 * after + (p->chunks - 1) * p->stages + 1 : after + 1, 0 };
	case PIPELINE_ZB_H1:
		return (struct pattern){ after + 1, device };
	case PIPELINE_ZB_2P:
		return (struct pattern){ 2 * after + 1, 2 * device };
	case PIPELINE_1F1B:
	case PIPELINE_SCHEDULE_COUNT:
		break;
	}
	return (struct pattern){ after + 1, 0 };
}

/* The i-th forward of a device: as many microbatches as there are stages through one chunk, then through the next.  Backwards take the chunks the other
 * way; GPipe's begin with the last microbatch. */
static struct slot nth_slot(const struct pipeline *p, enum slot_kind kind, int i)
{
	int round = i / (p->stages * p->chunks), within = i % (p->stages * p->chunks), chunk = within / p->stages, microbatch = round * p->stages + within % p->stages;

	if (kind != SLOT_FORWARD) {
		chunk = p->chunks - 1 - chunk;
		microbatch = p->schedule == PIPELINE_GPIPE ? p->microbatches - 1 - microbatch : microbatch;
	}
	return (struct slot){ (uint16_t)microbatch, (uint8_t)chunk, (uint8_t)kind };
}

void table_build(const struct pipeline *p, struct slot_table *table)
{
	const bool split = pipeline_schedule_splits(p->schedule);
	const int count = p->chunks * p->microbatches;

	slot_table_size(table, p->stages, p->chunks, p->microbatches, split);
	for (int device = 0; device < p->stages; device++) {
		const struct pattern pattern = pattern_of(p, device);
		struct slot *at = slot_row(table, device);
		int forward = 0, weight = 0;

		while (forward < count && forward < pattern.ahead)
			*at++ = nth_slot(p, SLOT_FORWARD, forward++);
		for (int i = 0; i < count; i++) {
			*at++ = nth_slot(p, SLOT_BACKWARD, i);
			if (split && i >= pattern.put_off)
				*at++ = nth_slot(p, SLOT_WEIGHT, weight++);
			if (forward < count)
				*at++ = nth_slot(p, SLOT_FORWARD, forward++);
		}
		while (split && weight < count)
			*at++ = nth_slot(p, SLOT_WEIGHT, weight++);
	}
}

/* One device of one chunk: the weight gradients, in the order of microbatches, go where the old row waits for something else. */
static bool fill_row(struct slot *row, const struct slot *old, const struct slot_times *times, int count, double seconds)
{
	int ended = 0, placed = 0, used = 0;     /* backwards so far, weight gradients so far, slots of the new row */
	bool moved = false;
	double now = 0;

	for (int i = 0; i < count; i++) {
		if (old[i].kind == SLOT_WEIGHT) {
			if (old[i].microbatch < placed)
				continue;
			placed++;
		}
		for (; old[i].kind != SLOT_WEIGHT && placed < ended && now + seconds <= times[i].start; now += seconds, moved = true)
			row[used++] = (struct slot){ (uint16_t)placed++, 0, SLOT_WEIGHT };
		row[used++] = old[i];
		now = times[i].end;
		ended += old[i].kind == SLOT_BACKWARD;
	}
	return moved;
}

bool table_fill_waits(struct slot_table *table, const struct virtual_stage *stages, const struct slot_times *times)
{
	struct slot *old = memory_alloc((size_t)table->per_device, sizeof *old);
	bool moved = false;

	for (int device = 0; device < table->devices; device++) {
		struct slot *row = slot_row(table, device);

		memcpy(old, row, (size_t)table->per_device * sizeof *old);
		moved |= fill_row(row, old, &times[row - table->slots], table->per_device, stages[device].seconds[SLOT_WEIGHT]);
	}
	memory_free(old);
	return moved;
}
