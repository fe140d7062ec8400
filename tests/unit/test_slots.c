/* The engine of slots: random uneven pipelines keep all rules and are as long as longest paths found in other ways; tables that cannot be played. */
#include "pipeline/slots.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random_pipeline.h"

/* ---- the rules ---- */

/* The end of each slot by kind, virtual stage and microbatch; each must be there once. */
struct found {
	double start[SLOT_KINDS][STAGES * CHUNKS][MICROBATCHES], end[SLOT_KINDS][STAGES * CHUNKS][MICROBATCHES];
};

static void find_slots(const struct pipeline *p, const struct pipeline_step *step, struct found *f)
{
	const bool split = pipeline_schedule_splits(p->schedule);

	for (int kind = 0; kind < SLOT_KINDS; kind++)
		for (int k = 0; k < p->stages * p->chunks; k++)
			for (int i = 0; i < p->microbatches; i++)
				f->end[kind][k][i] = -1;
	assert_int_equal(step->table.per_device, p->chunks * p->microbatches * (split ? 3 : 2));
	for (int device = 0; device < p->stages; device++) {
		double before = 0, busy = 0;

		for (int i = 0; i < step->table.per_device; i++) {
			const struct slot *s = &slot_row(&step->table, device)[i];
			const struct slot_times *t = &step->times[device * step->table.per_device + i];
			int k = s->chunk * p->stages + device;
			const double *seconds = p->virtual_stages[k].seconds;

			assert_true(s->chunk < p->chunks && s->microbatch < p->microbatches && s->kind < (split ? SLOT_KINDS : SLOT_WEIGHT));
			assert_true(f->end[s->kind][k][s->microbatch] < 0);
			assert_true(t->start >= before);
			assert_true(t->end == t->start + (s->kind == SLOT_BACKWARD && !split ? seconds[SLOT_BACKWARD] + seconds[SLOT_WEIGHT] : seconds[s->kind]));
			f->start[s->kind][k][s->microbatch] = t->start;
			f->end[s->kind][k][s->microbatch] = before = t->end;
			busy += t->end - t->start;
		}
		assert_true(fabs(busy - step->devices[device].busy) <= 1e-9);
	}
}

static void judge_needs(const struct pipeline *p, const struct found *f)
{
	const int last = p->stages * p->chunks - 1;

	for (int k = 0; k <= last; k++)
		for (int i = 0; i < p->microbatches; i++) {
			if (k > 0)
				assert_true(f->start[SLOT_FORWARD][k][i] >= f->end[SLOT_FORWARD][k - 1][i] + p->virtual_stages[k - 1].to_next);
			if (k < last)
				assert_true(f->start[SLOT_BACKWARD][k][i] >= f->end[SLOT_BACKWARD][k + 1][i] + p->virtual_stages[k + 1].to_previous);
			assert_true(f->start[SLOT_BACKWARD][k][i] >= f->end[SLOT_FORWARD][k][i]);
			if (pipeline_schedule_splits(p->schedule))
				assert_true(f->start[SLOT_WEIGHT][k][i] >= f->end[SLOT_BACKWARD][k][i]);
		}
}

/* One microbatch there and back. */
static double critical_path(const struct pipeline *p)
{
	const int count = p->stages * p->chunks;
	double sum = 0;

	for (int k = 0; k < count; k++) {
		const struct virtual_stage *s = &p->virtual_stages[k];

		/* a weight gradient behind the last backward; where it is not split, each on the way */
		sum += s->seconds[SLOT_FORWARD] + s->seconds[SLOT_BACKWARD] + (k == 0 || !pipeline_schedule_splits(p->schedule) ? s->seconds[SLOT_WEIGHT] : 0);
		sum += (k + 1 < count ? s->to_next : 0) + (k > 0 ? s->to_previous : 0);
	}
	return sum;
}

static void judge_loss(const struct pipeline_loss *loss, double seconds, double busy)
{
	assert_true(fabs(loss->all - (seconds - busy)) <= 1e-9);
	assert_true(loss->few >= 0 && loss->uneven >= 0 && loss->transfer >= 0);
	assert_true(fabs(loss->few + loss->uneven + loss->transfer - loss->all) <= 1e-12 * (1 + seconds));
}

static void uneven_steps_are_legal(void **state)
{
	static struct found found;
	struct virtual_stage room[STAGES * CHUNKS];
	struct random r = { 81 };

	(void)state;
	for (int round = 0; round < 3 * ROUNDS; round++) {
		struct pipeline p = random_pipeline(&r, room);
		struct pipeline_step step;
		double longest = 0, sum = 0;

		play_step(&p, &step);
		find_slots(&p, &step, &found);
		judge_needs(&p, &found);
		for (int device = 0; device < p.stages; device++) {
			const struct pipeline_device *of = &step.devices[device];

			/* weight gradients that fill waits hold less; nothing else depends on times */
			assert_true(of->held <= known_held(&p, device) && of->in_flight == known_in_flight(&p, device));
			assert_true(of->busy <= of->last - of->first + 1e-9 && of->last <= step.makespan && of->last - of->first <= step.seconds);
			longest = fmax(longest, of->busy);
			sum += of->busy;
		}
		assert_true(step.busiest == longest && fabs(step.mean - sum / p.stages) <= 1e-9);
		assert_true(step.makespan >= critical_path(&p) - 1e-9 && step.seconds <= step.makespan && step.seconds >= step.busiest - 1e-9);
		judge_loss(&step.bubble, step.seconds, step.busiest);
		judge_loss(&step.idle, step.seconds, step.mean);
		assert_true(p.stages > 1 || step.bubble.all <= 1e-9);
		pipeline_step_free(&step);
	}
}

/* ---- longest paths ---- */

/* Ends of a table by relaxing all of it until nothing changes, from the last device to the first so that news goes slowly.  Not the engine's way. */
static void relax(const struct pipeline *p, const struct slot_table *t, double (*end)[STAGES * CHUNKS][MICROBATCHES])
{
	const int last = p->stages * p->chunks - 1;
	bool changed = true;

	for (int kind = 0; kind < SLOT_KINDS; kind++)
		for (int k = 0; k <= last; k++)
			for (int i = 0; i < p->microbatches; i++)
				end[kind][k][i] = 0;
	while (changed) {
		changed = false;
		for (int n = t->devices * t->per_device - 1; n >= 0; n--) {
			const struct slot *s = &t->slots[n], *before = n % t->per_device > 0 ? s - 1 : NULL;
			int device = n / t->per_device, k = s->chunk * t->devices + device, i = s->microbatch;
			double start = before != NULL ? end[before->kind][before->chunk * t->devices + device][before->microbatch] : 0, seconds = p->virtual_stages[k].seconds[s->kind];

			if (s->kind == SLOT_FORWARD && k > 0)
				start = fmax(start, end[SLOT_FORWARD][k - 1][i] + p->virtual_stages[k - 1].to_next);
			if (s->kind == SLOT_BACKWARD)
				start = fmax(start, fmax(end[SLOT_FORWARD][k][i], k < last ? end[SLOT_BACKWARD][k + 1][i] + p->virtual_stages[k + 1].to_previous : 0));
			if (s->kind == SLOT_BACKWARD && !pipeline_schedule_splits(p->schedule))
				seconds += p->virtual_stages[k].seconds[SLOT_WEIGHT];
			if (s->kind == SLOT_WEIGHT)
				start = fmax(start, end[SLOT_BACKWARD][k][i]);
			changed = changed || end[s->kind][k][i] != start + seconds;
			end[s->kind][k][i] = start + seconds;
		}
	}
}

static void every_table_plays_as_its_longest_paths(void **state)
{
	static double ends[SLOT_KINDS][STAGES * CHUNKS][MICROBATCHES];
	struct virtual_stage room[STAGES * CHUNKS];
	struct random r = { 84 };

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct pipeline p = random_pipeline(&r, room);
		struct pipeline_step step;

		play_step(&p, &step);
		relax(&p, &step.table, ends);
		for (int n = 0; n < p.stages * step.table.per_device; n++) {
			const struct slot *s = &step.table.slots[n];

			assert_true(step.times[n].end == ends[s->kind][s->chunk * p.stages + n / step.table.per_device][s->microbatch]);
		}
		pipeline_step_free(&step);
	}
}

/* 1F1B without a table: the end of a slot by what comes before it, found anew for each microbatch and stage. */
struct paths {
	const struct pipeline *p;
	double end[2][STAGES][MICROBATCHES];       /* of forward and backward; < 0: not found yet */
};

static double path_to(struct paths *paths, bool backward, int stage, int i)
{
	const struct pipeline *p = paths->p;
	const struct virtual_stage *s = &p->virtual_stages[stage];
	const int ahead = p->stages - stage;     /* forwards before the first backward */
	double *end = &paths->end[backward][stage][i], start = 0;

	if (*end >= 0)
		return *end;
	if (!backward) {
		if (i > 0)
			start = i < ahead ? path_to(paths, false, stage, i - 1) : path_to(paths, true, stage, i - ahead);
		if (stage > 0)
			start = fmax(start, path_to(paths, false, stage - 1, i) + s[-1].to_next);
		return *end = start + s->seconds[SLOT_FORWARD];
	}
	start = path_to(paths, false, stage, least_of(i + ahead - 1, p->microbatches - 1));
	if (i > 0)
		start = fmax(start, path_to(paths, true, stage, i - 1));
	if (stage + 1 < p->stages)
		start = fmax(start, path_to(paths, true, stage + 1, i) + s[1].to_previous);
	return *end = start + (s->seconds[SLOT_BACKWARD] + s->seconds[SLOT_WEIGHT]);
}

static void one_forward_one_backward_is_its_longest_path(void **state)
{
	static struct paths paths;
	struct virtual_stage room[STAGES * CHUNKS];
	struct random r = { 85 };

	(void)state;
	for (int round = 0; round < 4 * ROUNDS; round++) {
		struct pipeline p = random_pipeline(&r, room);
		struct pipeline_step step;
		double longest = 0;

		if (p.chunks > 1)
			continue;
		p.schedule = p.schedule == PIPELINE_INTERLEAVED ? PIPELINE_INTERLEAVED : PIPELINE_1F1B;  /* of one chunk the same */
		play_step(&p, &step);
		paths.p = &p;
		for (int stage = 0; stage < p.stages; stage++)
			for (int i = 0; i < p.microbatches; i++)
				paths.end[0][stage][i] = paths.end[1][stage][i] = -1;
		for (int stage = 0; stage < p.stages; stage++)
			longest = fmax(longest, path_to(&paths, true, stage, p.microbatches - 1));
		assert_true(step.makespan == longest);
		pipeline_step_free(&step);
	}
}

/* ---- what cannot be played ---- */

/* Slots in an order that waits forever: a backward before its own forward, a weight gradient before its backward, and two devices for each other. */
static void deadlocks_are_told(void **state)
{
	static const struct {
		struct slot rows[2][3];
		const char *text;
	} cases[] = {
		{ { { { 0, 0, SLOT_FORWARD }, { 0, 0, SLOT_BACKWARD }, { 0, 0, SLOT_WEIGHT } }, { { 0, 0, SLOT_BACKWARD }, { 0, 0, SLOT_FORWARD }, { 0, 0, SLOT_WEIGHT } } },
			"device 0 waits forever at its slot 1, the backward of microbatch 0 in chunk 0" },
		{ { { { 0, 0, SLOT_FORWARD }, { 0, 0, SLOT_BACKWARD }, { 0, 0, SLOT_WEIGHT } }, { { 0, 0, SLOT_FORWARD }, { 0, 0, SLOT_WEIGHT }, { 0, 0, SLOT_BACKWARD } } },
			"device 0 waits forever at its slot 1, the backward of microbatch 0 in chunk 0" },
		{ { { { 0, 0, SLOT_BACKWARD }, { 0, 0, SLOT_FORWARD }, { 0, 0, SLOT_WEIGHT } }, { { 0, 0, SLOT_FORWARD }, { 0, 0, SLOT_BACKWARD }, { 0, 0, SLOT_WEIGHT } } },
			"device 0 waits forever at its slot 0, the backward of microbatch 0 in chunk 0" },
		{ { { { 0, 0, SLOT_FORWARD }, { 0, 0, SLOT_BACKWARD }, { 0, 0, SLOT_WEIGHT } }, { { 0, 0, SLOT_FORWARD }, { 0, 0, SLOT_BACKWARD }, { 0, 0, SLOT_WEIGHT } } }, NULL },
	};
	static const struct virtual_stage stages[2] = { { .seconds = { 1, 1, 1 } }, { .seconds = { 1, 1, 1 } } };
	struct slot_table table;
	struct slot_player player;
	struct diagnostic d;

	(void)state;
	slot_table_size(&table, 2, 1, 1, true);
	slot_player_size(&player, &table);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		memcpy(table.slots, cases[i].rows, sizeof cases[i].rows);
		/* the player has seen another table before */
		assert_int_equal(slots_play(&table, stages, &player, NULL, &d), cases[i].text != NULL ? STATUS_INFEASIBLE : STATUS_OK);
		if (cases[i].text != NULL)
			assert_non_null(strstr(d.text, cases[i].text));
		else
			assert_true(player.makespan == 5 && player.span == 5);
	}
	slot_player_free(&player);
	slot_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uneven_steps_are_legal),
		cmocka_unit_test(every_table_plays_as_its_longest_paths),
		cmocka_unit_test(one_forward_one_backward_is_its_longest_path),
		cmocka_unit_test(deadlocks_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
