#include "pipeline/slots.h"

#include <math.h>

void slot_table_size(struct slot_table *table, int devices, int chunks, int microbatches, bool split)
{
	*table = (struct slot_table){ .devices = devices, .chunks = chunks, .microbatches = microbatches, .per_device = chunks * microbatches * (split ? 3 : 2) };
	table->slots = memory_alloc((size_t)devices * (size_t)table->per_device, sizeof *table->slots);
}

void slot_table_free(struct slot_table *table)
{
	memory_free(table->slots);
	*table = (struct slot_table){ .slots = NULL };
}

/* Forwards, or backwards, of the whole table. */
static int pass_size(const struct slot_table *t)
{
	return t->devices * t->chunks * t->microbatches;
}

void slot_player_size(struct slot_player *p, const struct slot_table *t)
{
	size_t devices = (size_t)t->devices;

	*p = (struct slot_player){ .makespan = 0 };
	p->busy = arena_alloc(&p->arena, devices, sizeof *p->busy);
	p->first = arena_alloc(&p->arena, devices, sizeof *p->first);
	p->last = arena_alloc(&p->arena, devices, sizeof *p->last);
	p->next = arena_alloc(&p->arena, devices, sizeof *p->next);
	p->awaited = arena_alloc(&p->arena, devices, sizeof *p->awaited);
	p->runnable = arena_alloc(&p->arena, devices, sizeof *p->runnable);
	p->ends = arena_alloc(&p->arena, 2 * (size_t)pass_size(t), sizeof *p->ends);
}

void slot_player_free(struct slot_player *p)
{
	arena_free(&p->arena);
	*p = (struct slot_player){ .makespan = 0 };
}

static void rewind_player(struct slot_player *p, const struct slot_table *t)
{
	p->runnable_count = 0;
	for (int device = t->devices - 1; device >= 0; device--) {
		p->busy[device] = p->first[device] = p->last[device] = 0;
		p->next[device] = 0;
		p->awaited[device] = -1;
		p->runnable[p->runnable_count++] = device;
	}
	for (int i = 0; i < 2 * pass_size(t); i++)
		p->ends[i] = -1;
}

/* When what a slot needs is there.  False when it is not: then *awaited is what it waits for.  That a backward's own forward has ended follows from the
 * backward behind it. */
static bool find_ready(const struct slot_player *p, const struct slot_table *t, const struct virtual_stage *stages, int stage, const struct slot *slot, double *ready, int *awaited)
{
	const int own = stage * t->microbatches + slot->microbatch, pass = pass_size(t);
	double transfer = 0;

	*ready = 0;
	if (slot->kind == SLOT_FORWARD && stage == 0)
		return true;
	if (slot->kind == SLOT_FORWARD) {
		*awaited = own - t->microbatches;
		transfer = stages[stage - 1].to_next;
	} else if (slot->kind == SLOT_WEIGHT) {
		*awaited = pass + own;
	} else if (stage + 1 == t->devices * t->chunks) {
		*awaited = own;
	} else {
		*awaited = pass + own + t->microbatches;
		transfer = stages[stage + 1].to_previous;
	}
	*ready = p->ends[*awaited] + transfer;
	return p->ends[*awaited] >= 0;
}

/* Notes the end of a slot; the device that waits for it goes on. */
static void end_slot(struct slot_player *p, const struct slot_table *t, int device, int stage, const struct slot *slot, double end)
{
	int index = stage * t->microbatches + slot->microbatch, other;

	if (slot->kind == SLOT_WEIGHT)
		return;
	if (slot->kind == SLOT_FORWARD) {
		other = device + 1 < t->devices ? device + 1 : 0;
	} else {
		index += pass_size(t);
		other = device > 0 ? device - 1 : t->devices - 1;
	}
	p->ends[index] = end;
	if (p->awaited[other] == index) {
		p->awaited[other] = -1;
		p->runnable[p->runnable_count++] = other;
	}
}

/* Lets a device run until a slot must wait for another device.  Returns the slots it ran. */
static int run_device(struct slot_player *p, const struct slot_table *t, const struct virtual_stage *stages, int device, struct slot_times *times)
{
	const struct slot *row = slot_row(t, device);
	struct slot_times *row_times = times != NULL ? &times[row - t->slots] : NULL;
	const int from = p->next[device];
	double now = p->last[device], busy = p->busy[device];
	int i, awaited;

	for (i = from; i < t->per_device; i++) {
		int stage = row[i].chunk * t->devices + device;
		double seconds = stages[stage].seconds[row[i].kind], ready, start;

		if (!find_ready(p, t, stages, stage, &row[i], &ready, &awaited)) {
			p->awaited[device] = awaited;
			break;
		}
		start = ready > now ? ready : now;
		now = start + seconds;
		busy += seconds;
		if (i == 0)
			p->first[device] = start;
		if (row_times != NULL)
			row_times[i] = (struct slot_times){ start, now };
		end_slot(p, t, device, stage, &row[i], now);
	}
	p->next[device] = i;
	p->last[device] = now;
	p->busy[device] = busy;
	return i - from;
}

static enum status tell_stuck(const struct slot_player *p, const struct slot_table *t, struct diagnostic *d)
{
	static const char *const kinds[SLOT_KINDS] = { "forward", "backward", "weight gradient" };
	int device = 0;

	while (p->next[device] == t->per_device)
		device++;
	const struct slot *slot = &slot_row(t, device)[p->next[device]];

	return diagnostic_fail(d, STATUS_INFEASIBLE, "the schedule cannot be played: device %d waits forever at its slot %d, the %s of microbatch %d in chunk %d", device,
		p->next[device], kinds[slot->kind], slot->microbatch, slot->chunk);
}

enum status slots_play(const struct slot_table *table, const struct virtual_stage *stages, struct slot_player *player, struct slot_times *times, struct diagnostic *d)
{
	int64_t left = (int64_t)table->devices * table->per_device;

	rewind_player(player, table);
	while (player->runnable_count > 0)
		left -= run_device(player, table, stages, player->runnable[--player->runnable_count], times);
	if (left > 0)
		return tell_stuck(player, table, d);
	player->makespan = player->span = 0;
	for (int device = 0; device < table->devices; device++) {
		player->makespan = fmax(player->makespan, player->last[device]);
		player->span = fmax(player->span, player->last[device] - player->first[device]);
	}
	return STATUS_OK;
}
