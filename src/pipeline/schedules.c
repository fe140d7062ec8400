#include "pipeline/schedules.h"

#include <math.h>
#include <string.h>

#include "pipeline/tables.h"

/* ---- the known schedules ---- */

struct known {
	const char *name;
	bool split, flows;
	const char *text;
};

static const struct known known[PIPELINE_SCHEDULE_COUNT] = {
#define X(id, name, split, flows, text) [PIPELINE_##id] = { name, split, flows, text },
	PIPELINE_SCHEDULES(X)
#undef X
};

const char *pipeline_schedule_name(enum pipeline_schedule schedule)
{
	return known[schedule].name;
}

enum pipeline_schedule pipeline_schedule_find(const char *name)
{
	int i = 0;

	while (i < PIPELINE_SCHEDULE_COUNT && strcmp(pipeline_schedule_name((enum pipeline_schedule)i), name) != 0)
		i++;
	return (enum pipeline_schedule)i;
}

bool pipeline_schedule_splits(enum pipeline_schedule schedule)
{
	return known[schedule].split;
}

/* ---- what can be played ---- */

enum { SECONDS_MAX = 1000 * 1000 * 1000 };       /* keeps all sums far from infinity */

static enum status check_range(const char *what, int value, int most, struct diagnostic *d)
{
	if (value >= 1 && value <= most)
		return STATUS_OK;
	return diagnostic_fail(d, STATUS_INPUT, "%d %s, expected 1 to %d", value, what, most);
}

/* The multiples of stages on both sides, as far as they can be played. */
static enum status check_multiple(const struct pipeline *p, struct diagnostic *d)
{
	int below = p->microbatches / p->stages * p->stages, above = below + p->stages;

	if (p->schedule != PIPELINE_INTERLEAVED || p->microbatches % p->stages == 0)
		return STATUS_OK;
	if (below == 0 || above > PIPELINE_MICROBATCHES_MAX)
		return diagnostic_fail(d, STATUS_INPUT, "interleaved: %d microbatches are no multiple of %d stages; the nearest multiple is %d", p->microbatches, p->stages,
			below == 0 ? above : below);
	return diagnostic_fail(d, STATUS_INPUT, "interleaved: %d microbatches are no multiple of %d stages; the nearest multiples are %d and %d", p->microbatches, p->stages,
		below, above);
}

static enum status check_slots(const struct pipeline *p, struct diagnostic *d)
{
	const int64_t of_microbatch = (int64_t)p->stages * p->chunks * (known[p->schedule].split ? 3 : 2), slots = of_microbatch * p->microbatches;
	const int unit = p->schedule == PIPELINE_INTERLEAVED ? p->stages : 1;
	const int most = (int)(PIPELINE_SLOTS_MAX / of_microbatch) / unit * unit;

	if (slots <= PIPELINE_SLOTS_MAX)
		return STATUS_OK;
	if (most > 0)
		return diagnostic_fail(d, STATUS_INPUT, "%lld slots of %d stages, %d chunks each and %d microbatches, expected at most %d: take at most %d microbatches",
			(long long)slots, p->stages, p->chunks, p->microbatches, PIPELINE_SLOTS_MAX, most);
	/* interleaved alone has so many, and takes no fewer microbatches than stages */
	return diagnostic_fail(d, STATUS_INPUT, "%lld slots of %d stages, %d chunks each and %d microbatches, expected at most %d: take at most %d chunks with %d microbatches",
		(long long)slots, p->stages, p->chunks, p->microbatches, PIPELINE_SLOTS_MAX, (int)(PIPELINE_SLOTS_MAX / ((int64_t)p->stages * p->stages * 2)), p->stages);
}

static enum status check_seconds(const struct pipeline *p, struct diagnostic *d)
{
	static const char *const what[] = { "forward", "input gradient", "weight gradient", "transfer to the next", "transfer to the one before" };
	const int count = p->stages * p->chunks;

	for (int k = 0; k < count; k++) {
		const struct virtual_stage *s = &p->virtual_stages[k];
		const double seconds[] = { s->seconds[SLOT_FORWARD], s->seconds[SLOT_BACKWARD], s->seconds[SLOT_WEIGHT], k + 1 < count ? s->to_next : 0, k > 0 ? s->to_previous : 0 };

		for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
			if (!(seconds[i] >= 0 && seconds[i] <= SECONDS_MAX))
				return diagnostic_fail(d, STATUS_INPUT, "virtual stage %d: its %s takes %g s, expected 0 to 1e9 s", k, what[i], seconds[i]);
	}
	return STATUS_OK;
}

static enum status check(const struct pipeline *p, struct diagnostic *d)
{
	enum status status = check_range("stages", p->stages, PIPELINE_STAGES_MAX, d);

	if (status == STATUS_OK)
		status = check_range("chunks", p->chunks, PIPELINE_CHUNKS_MAX, d);
	if (status == STATUS_OK)
		status = check_range("microbatches", p->microbatches, PIPELINE_MICROBATCHES_MAX, d);
	if (status == STATUS_OK && p->chunks > 1 && p->schedule != PIPELINE_INTERLEAVED)
		status = diagnostic_fail(d, STATUS_INPUT, "%s: %d chunks a stage, expected 1: only interleaved takes more", known[p->schedule].name, p->chunks);
	if (status == STATUS_OK)
		status = check_multiple(p, d);
	if (status == STATUS_OK)
		status = check_slots(p, d);
	if (status == STATUS_OK)
		status = check_seconds(p, d);
	return status;
}

/* ---- what is played ---- */

/* Virtual stages as they are played: where the backward is not split, its slot has both gradients; a single device sends itself nothing. */
static void take_stages(const struct pipeline *p, struct virtual_stage *stages)
{
	for (int k = 0; k < p->stages * p->chunks; k++) {
		stages[k] = p->virtual_stages[k];
		if (!known[p->schedule].split) {
			stages[k].seconds[SLOT_BACKWARD] += stages[k].seconds[SLOT_WEIGHT];
			stages[k].seconds[SLOT_WEIGHT] = 0;
		}
		if (p->stages == 1)
			stages[k].to_next = stages[k].to_previous = 0;
	}
}

/* False when there were none. */
static bool drop_transfers(struct virtual_stage *stages, int count)
{
	bool any = false;

	for (int k = 0; k < count; k++) {
		any = any || (k + 1 < count && stages[k].to_next > 0) || (k > 0 && stages[k].to_previous > 0);
		stages[k].to_next = stages[k].to_previous = 0;
	}
	return any;
}

/* False when they were equal. */
static bool make_even(struct virtual_stage *stages, int count)
{
	bool uneven = false;

	for (int kind = 0; kind < SLOT_KINDS; kind++) {
		double sum = 0;

		for (int k = 0; k < count; k++) {
			sum += stages[k].seconds[kind];
			uneven = uneven || stages[k].seconds[kind] != stages[0].seconds[kind];
		}
		for (int k = 0; uneven && k < count; k++)
			stages[k].seconds[kind] = sum / count;
	}
	return uneven;
}

static double step_seconds(const struct pipeline *p, const struct slot_player *player)
{
	return known[p->schedule].flows ? player->span : player->makespan;
}

static void count_held(const struct slot_table *table, int device, struct pipeline_device *of)
{
	const struct slot *row = slot_row(table, device);
	const bool split = table->per_device > 2 * table->chunks * table->microbatches;
	int in_flight = 0, held = 0;

	for (int i = 0; i < table->per_device; i++) {
		in_flight += (row[i].kind == SLOT_FORWARD) - (row[i].kind == SLOT_BACKWARD);
		held += (row[i].kind == SLOT_FORWARD) - (row[i].kind == (split ? SLOT_WEIGHT : SLOT_BACKWARD));
		of->in_flight = in_flight > of->in_flight ? in_flight : of->in_flight;
		of->held = held > of->held ? held : of->held;
	}
}

static void fill_devices(const struct slot_player *player, struct pipeline_step *step)
{
	double sum = 0;

	for (int device = 0; device < step->table.devices; device++) {
		struct pipeline_device *of = &step->devices[device];

		*of = (struct pipeline_device){ .busy = player->busy[device], .first = player->first[device], .last = player->last[device] };
		count_held(&step->table, device, of);
		step->busiest = fmax(step->busiest, of->busy);
		sum += of->busy;
	}
	step->mean = sum / step->table.devices;
}

/* busy: what of a step is no loss; still: the step without transfers; few: the loss of an even pipeline, of the rest as much as there is.  Without transfers
 * nothing ends later, a device's first forward is earlier by no more than all behind it, and no step is shorter than its busiest device is busy: differences
 * below 0 are only those of rounding. */
static struct pipeline_loss split_loss(double seconds, double busy, double still, double few)
{
	struct pipeline_loss loss = { .all = fmax(0, seconds - busy), .transfer = fmax(0, seconds - still) };
	double rest = fmax(0, loss.all - loss.transfer);

	loss.few = fmin(fmax(0, few), rest);
	loss.uneven = rest - loss.few;
	return loss;
}

/* Plays the table without transfers, then the schedule's own with even stages. */
static enum status find_losses(const struct pipeline *p, struct virtual_stage *stages, struct slot_player *player, struct pipeline_step *step, struct diagnostic *d)
{
	const int count = p->stages * p->chunks;
	struct slot_table even = { .slots = NULL };
	double still = step->seconds, few = INFINITY;    /* of even stages all that is left */
	enum status status = STATUS_OK;

	if (drop_transfers(stages, count)) {
		status = slots_play(&step->table, stages, player, NULL, d);
		still = step_seconds(p, player);
	}
	if (status == STATUS_OK && make_even(stages, count)) {
		table_build(p, &even);
		status = slots_play(&even, stages, player, NULL, d);
		few = step_seconds(p, player) - player->busy[0];
		slot_table_free(&even);
	}
	step->bubble = split_loss(step->seconds, step->busiest, still, few);
	step->idle = split_loss(step->seconds, step->mean, still, few);
	return status;
}

static enum status play_all(const struct pipeline *p, struct virtual_stage *stages, struct slot_player *player, struct pipeline_step *step, struct diagnostic *d)
{
	enum status status = slots_play(&step->table, stages, player, step->times, d);

	if (status == STATUS_OK && known[p->schedule].split && table_fill_waits(&step->table, stages, step->times))
		status = slots_play(&step->table, stages, player, step->times, d);
	if (status != STATUS_OK)
		return status;
	step->makespan = player->makespan;
	step->seconds = step_seconds(p, player);
	fill_devices(player, step);
	return find_losses(p, stages, player, step, d);
}

enum status pipeline_play(const struct pipeline *p, struct pipeline_step *step, struct diagnostic *d)
{
	enum status status;
	struct slot_player player;
	struct virtual_stage *stages;

	*step = (struct pipeline_step){ .times = NULL };
	status = check(p, d);
	if (status != STATUS_OK)
		return status;
	stages = memory_alloc((size_t)p->stages * (size_t)p->chunks, sizeof *stages);
	take_stages(p, stages);
	table_build(p, &step->table);
	step->times = memory_alloc((size_t)p->stages * (size_t)step->table.per_device, sizeof *step->times);
	step->devices = memory_alloc((size_t)p->stages, sizeof *step->devices);
	slot_player_size(&player, &step->table);
	status = play_all(p, stages, &player, step, d);
	slot_player_free(&player);
	memory_free(stages);
	return status;
}

void pipeline_step_free(struct pipeline_step *step)
{
	slot_table_free(&step->table);
	memory_free(step->times);
	memory_free(step->devices);
	*step = (struct pipeline_step){ .times = NULL };
}
