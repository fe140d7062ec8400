/* Pipeline schedules: closed forms of equal stages (Qi et al. 2023, Narayanan et al. 2021), tables and losses by hand, what is refused. */
#include "pipeline/schedules.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/tables.h"
#include "tests/unit/random_pipeline.h"

static struct pipeline equal_pipeline(enum pipeline_schedule schedule, int stages, int chunks, int microbatches, const double seconds[SLOT_KINDS], struct virtual_stage *room)
{
	for (int k = 0; k < stages * chunks; k++)
		room[k] = (struct virtual_stage){ .seconds = { seconds[0], seconds[1], seconds[2] } };
	return (struct pipeline){ schedule, stages, chunks, microbatches, room };
}

/* ---- equal stages ---- */

/* Of whole seconds, so that all sums are exact. */
static double closed_form(enum pipeline_schedule schedule, int stages, const double s[SLOT_KINDS])
{
	const double all = s[SLOT_FORWARD] + s[SLOT_BACKWARD] + s[SLOT_WEIGHT];

	if (schedule == PIPELINE_ZB_H1)
		return (stages - 1) * fmax(all - 2 * s[SLOT_WEIGHT], fmax(s[SLOT_FORWARD], s[SLOT_BACKWARD]));
	if (schedule == PIPELINE_ZB_2P)
		return (stages - 1) * fmax(0, fmax(all - 3 * s[SLOT_WEIGHT], s[SLOT_BACKWARD] - s[SLOT_FORWARD]));
	return (stages - 1) * all;       /* of a chunk: for interleaved that is 1 / v of a stage's */
}

static void judge_equal(enum pipeline_schedule schedule, int stages, int chunks, int microbatches)
{
	struct virtual_stage room[STAGES * CHUNKS];

	for (int code = 0; code < 4 * 4 * 4; code++) {
		const double s[SLOT_KINDS] = { 1 + code % 4, 1 + code / 4 % 4, code / 16 };
		struct pipeline p = equal_pipeline(schedule, stages, chunks, microbatches, s, room);
		struct pipeline_step step;

		play_step(&p, &step);
		assert_true(step.bubble.all == closed_form(schedule, stages, s));
		assert_true(step.bubble.few == step.bubble.all && step.bubble.uneven == 0 && step.bubble.transfer == 0);
		assert_true(step.seconds == step.bubble.all + chunks * microbatches * (s[0] + s[1] + s[2]) && step.busiest == step.mean);
		assert_true(schedule == PIPELINE_ZB_2P ? step.makespan >= step.seconds : step.makespan == step.seconds);
		/* what Qi et al. print is for weight gradients that take no longer than the rest */
		if (schedule == PIPELINE_ZB_H1 && s[SLOT_WEIGHT] <= fmin(s[SLOT_FORWARD], s[SLOT_BACKWARD]))
			assert_true(step.bubble.all == (stages - 1) * (s[SLOT_FORWARD] + s[SLOT_BACKWARD] - s[SLOT_WEIGHT]));
		if (schedule == PIPELINE_ZB_2P && s[SLOT_FORWARD] == s[SLOT_BACKWARD] && s[SLOT_BACKWARD] == s[SLOT_WEIGHT])
			assert_true(step.bubble.all == 0);
		pipeline_step_free(&step);
	}
}

static void equal_stages_have_the_closed_forms(void **state)
{
	(void)state;
	for (int stages = 1; stages <= STAGES; stages++) {
		for (int microbatches = 1; microbatches <= 3 * stages; microbatches += 1 + stages / 3) {
			judge_equal(PIPELINE_GPIPE, stages, 1, microbatches);
			judge_equal(PIPELINE_1F1B, stages, 1, microbatches);
			/* fewer than these do not fill the pipeline */
			judge_equal(PIPELINE_ZB_H1, stages, 1, stages - 1 + microbatches);
			judge_equal(PIPELINE_ZB_2P, stages, 1, 2 * stages - 2 + microbatches);
		}
		for (int chunks = 1; chunks <= CHUNKS; chunks++)
			for (int rounds = 1; rounds <= 4; rounds++)
				judge_equal(PIPELINE_INTERLEAVED, stages, chunks, rounds * stages);
	}
}

static void equal_stages_hold_the_known_numbers(void **state)
{
	const double seconds[SLOT_KINDS] = { 1, 1, 1 };
	struct virtual_stage room[STAGES * CHUNKS];

	(void)state;
	for (int stages = 1; stages <= STAGES; stages++)
		for (int schedule = 0; schedule < PIPELINE_SCHEDULE_COUNT; schedule++)
			for (int chunks = 1; chunks <= (schedule == PIPELINE_INTERLEAVED ? CHUNKS : 1); chunks++)
				for (int rounds = 1; rounds <= 4; rounds++) {
					struct pipeline p = equal_pipeline((enum pipeline_schedule)schedule, stages, chunks, rounds * stages, seconds, room);
					struct pipeline_step step;

					play_step(&p, &step);
					for (int device = 0; device < stages; device++) {
						assert_int_equal(step.devices[device].in_flight, known_in_flight(&p, device));
						assert_int_equal(step.devices[device].held, known_held(&p, device));
					}
					/* whypar-models(7) 7.3: interleaved's first stage holds S + (S - 1) / v */
					if (schedule == PIPELINE_INTERLEAVED && rounds > 1)
						assert_true(chunks == 1 || step.devices[0].held == chunks * stages + stages - 1);
					pipeline_step_free(&step);
				}
}

/* ---- by hand ---- */

static void assert_row(const struct slot_table *table, int device, const char *expected)
{
	char text[256] = "";
	size_t used = 0;

	for (int i = 0; i < table->per_device; i++) {
		struct slot s = slot_row(table, device)[i];

		used += (size_t)snprintf(text + used, sizeof text - used, table->chunks > 1 ? "%c%d%c " : "%c%d ", "FBW"[s.kind], s.microbatch, 'a' + s.chunk);
	}
	assert_string_equal(text, expected);
}

/* Two stages: Megatron-LM's order of two chunks, and the orders of Qi et al.'s figures. */
static void tables_are_those_of_the_papers(void **state)
{
	static const struct {
		enum pipeline_schedule schedule;
		int chunks, microbatches;
		const char *rows[2];
	} cases[] = {
		{ PIPELINE_GPIPE, 1, 2, { "F0 F1 B1 B0 ", "F0 F1 B1 B0 " } },
		{ PIPELINE_1F1B, 1, 3, { "F0 F1 B0 F2 B1 B2 ", "F0 B0 F1 B1 F2 B2 " } },
		{ PIPELINE_INTERLEAVED, 2, 4, { "F0a F1a F0b F1b F2a B0b F3a B1b F2b B0a F3b B1a B2b B3b B2a B3a ", "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a " } },
		{ PIPELINE_ZB_H1, 1, 3, { "F0 F1 B0 W0 F2 B1 W1 B2 W2 ", "F0 B0 F1 B1 W0 F2 B2 W1 W2 " } },
		{ PIPELINE_ZB_2P, 1, 4, { "F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3 ", "F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3 " } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pipeline p = { cases[i].schedule, 2, cases[i].chunks, cases[i].microbatches, NULL };
		struct slot_table table;

		table_build(&p, &table);
		assert_row(&table, 0, cases[i].rows[0]);
		assert_row(&table, 1, cases[i].rows[1]);
		slot_table_free(&table);
	}
}

/* Two uneven stages, two microbatches, half a second on the way:
 *   stage 0   F 0-1, 1-2                                 B 7-9, 12-14
 *   stage 1       F 1.5-3.5  B 3.5-6.5  F 6.5-8.5  B 8.5-11.5
 * Without the way 13 s; of mean stages (1.5 and 2.5) and no way 12 s, of which 8 busy. */
static void losses_are_what_replaying_finds(void **state)
{
	static const struct virtual_stage stages[] = { { .seconds = { 1, 1, 1 }, .to_next = 0.5 }, { .seconds = { 2, 2, 1 }, .to_previous = 0.5 } };
	static const double ends[2][4] = { { 1, 2, 9, 14 }, { 3.5, 6.5, 8.5, 11.5 } };
	struct pipeline p = { PIPELINE_1F1B, 2, 1, 2, stages };
	struct pipeline_step step;

	(void)state;
	play_step(&p, &step);
	for (int i = 0; i < 8; i++)
		assert_true(step.times[i].end == ends[i / 4][i % 4]);
	assert_true(step.makespan == 14 && step.seconds == 14 && step.busiest == 10 && step.mean == 8);
	assert_true(step.devices[0].first == 0 && step.devices[0].last == 14 && step.devices[1].first == 1.5 && step.devices[1].last == 11.5);
	/* the slow stage waits 3 s beside the way, less than the 4 s that a mean one would */
	assert_true(step.bubble.all == 4 && step.bubble.transfer == 1 && step.bubble.few == 3 && step.bubble.uneven == 0);
	assert_true(step.idle.all == 6 && step.idle.transfer == 1 && step.idle.few == 4 && step.idle.uneven == 1);
	pipeline_step_free(&step);
}

/* The later stages have long weight gradients and wait for the slow first one.  Its last forward ends at 3 x 18 + 3 x 20 = 114 s and the last stage's last
 * backward at 117 s.  As H1 puts them off, the last stage then has three weight gradients of 9 s to do, until 144 s.  Run in the waits, one is left, and the
 * middle stage ends last: it has W of one microbatch until 125 s, then B and W of the last. */
static void weight_gradients_fill_waits(void **state)
{
	static const struct virtual_stage stages[] = { { .seconds = { 18, 1, 1 } }, { .seconds = { 1, 1, 9 } }, { .seconds = { 1, 1, 9 } } };
	struct pipeline p = { PIPELINE_ZB_H1, 3, 1, 6, stages };
	struct pipeline_step step;
	struct slot_table table;
	struct slot_player player;
	struct diagnostic d;

	(void)state;
	table_build(&p, &table);
	slot_player_size(&player, &table);
	assert_int_equal(slots_play(&table, stages, &player, NULL, &d), STATUS_OK);
	play_step(&p, &step);
	assert_true(player.makespan == 144 && step.makespan == 135 && step.seconds == 135);
	assert_true(step.devices[2].held == 1 && step.devices[2].in_flight == 1);
	slot_player_free(&player);
	slot_table_free(&table);
	pipeline_step_free(&step);
}

/* ---- random stages ---- */

/* Parts of the loss are differences of whole steps.  Only of schedules whose table does not depend on times. */
static void losses_are_differences_of_steps(void **state)
{
	struct virtual_stage room[STAGES * CHUNKS];
	struct random r = { 82 };

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct pipeline p = random_pipeline(&r, room);
		const int count = p.stages * p.chunks;
		struct pipeline_step step, still, even;
		double mean[SLOT_KINDS] = { 0 };

		if (pipeline_schedule_splits(p.schedule))
			continue;
		play_step(&p, &step);
		for (int k = 0; k < count; k++) {
			room[k].to_next = room[k].to_previous = 0;
			for (int kind = 0; kind < SLOT_KINDS; kind++)
				mean[kind] += room[k].seconds[kind] / count;
		}
		play_step(&p, &still);
		p = equal_pipeline(p.schedule, p.stages, p.chunks, p.microbatches, mean, room);
		play_step(&p, &even);
		assert_true(step.bubble.transfer == step.seconds - still.seconds && step.idle.transfer == step.bubble.transfer);
		assert_true(fabs(step.idle.few - fmin(even.bubble.all, still.seconds - step.mean)) <= 1e-9);
		assert_true(fabs(step.bubble.few - fmin(even.bubble.all, still.seconds - step.busiest)) <= 1e-9);
		/* gpipe and 1f1b: the path through all of the busiest stage's slots is never shorter than that of mean stages */
		assert_true(p.chunks > 1 || step.idle.few >= even.bubble.all - 1e-9);
		pipeline_step_free(&step);
		pipeline_step_free(&still);
		pipeline_step_free(&even);
	}
}

/* Filling waits never makes a step longer. */
static void filled_tables_are_no_longer(void **state)
{
	struct virtual_stage room[STAGES * CHUNKS];
	struct random r = { 83 };
	int shorter = 0;

	(void)state;
	for (int round = 0; round < 2 * ROUNDS; round++) {
		struct pipeline p = random_pipeline(&r, room);
		struct pipeline_step step;
		struct slot_table table;
		struct slot_player player;
		struct diagnostic d;

		if (!pipeline_schedule_splits(p.schedule))
			continue;
		table_build(&p, &table);
		slot_player_size(&player, &table);
		assert_int_equal(slots_play(&table, room, &player, NULL, &d), STATUS_OK);
		play_step(&p, &step);
		assert_true(step.makespan <= player.makespan && (p.schedule != PIPELINE_ZB_2P || step.seconds <= player.span));
		shorter += step.makespan < player.makespan;
		slot_player_free(&player);
		slot_table_free(&table);
		pipeline_step_free(&step);
	}
	assert_true(shorter > 0);
}

/* ---- what cannot be played ---- */

static void refused(enum pipeline_schedule schedule, int stages, int chunks, int microbatches, const struct virtual_stage *of, const char *text)
{
	struct pipeline p = { schedule, stages, chunks, microbatches, of };
	struct pipeline_step step;
	struct diagnostic d = { .line = 0 };

	assert_int_equal(pipeline_play(&p, &step, &d), STATUS_INPUT);
	assert_string_equal(d.text, text);
	pipeline_step_free(&step);
}

static void impossible_inputs_are_refused(void **state)
{
	struct virtual_stage stages[4] = { { .seconds = { 1, 1, 1 } } };

	(void)state;
	refused(PIPELINE_1F1B, 0, 1, 1, stages, "0 stages, expected 1 to 512");
	refused(PIPELINE_INTERLEAVED, 2, 65, 2, stages, "65 chunks, expected 1 to 64");
	refused(PIPELINE_GPIPE, 2, 1, 4097, stages, "4097 microbatches, expected 1 to 4096");
	refused(PIPELINE_ZB_H1, 2, 2, 4, stages, "zb-h1: 2 chunks a stage, expected 1: only interleaved takes more");
	refused(PIPELINE_INTERLEAVED, 4, 2, 10, stages, "interleaved: 10 microbatches are no multiple of 4 stages; the nearest multiples are 8 and 12");
	refused(PIPELINE_INTERLEAVED, 4, 2, 3, stages, "interleaved: 3 microbatches are no multiple of 4 stages; the nearest multiple is 4");
	refused(PIPELINE_INTERLEAVED, 500, 2, 4095, stages, "interleaved: 4095 microbatches are no multiple of 500 stages; the nearest multiple is 4000");
	refused(PIPELINE_INTERLEAVED, 512, 8, 4096, stages, "33554432 slots of 512 stages, 8 chunks each and 4096 microbatches, expected at most 8388608: "
		"take at most 1024 microbatches");
	refused(PIPELINE_INTERLEAVED, 512, 64, 512, stages, "33554432 slots of 512 stages, 64 chunks each and 512 microbatches, expected at most 8388608: "
		"take at most 16 chunks with 512 microbatches");
	stages[2].seconds[SLOT_WEIGHT] = -1;
	refused(PIPELINE_1F1B, 4, 1, 4, stages, "virtual stage 2: its weight gradient takes -1 s, expected 0 to 1e9 s");
	stages[1].to_previous = NAN;
	refused(PIPELINE_INTERLEAVED, 2, 2, 4, stages, "virtual stage 1: its transfer to the one before takes nan s, expected 0 to 1e9 s");
}

/* What no stage takes is no trouble: all zero but one, or all. */
static void stages_may_take_no_time(void **state)
{
	struct virtual_stage stages[STAGES] = { { .seconds = { 0 } } };

	(void)state;
	for (int busy = 0; busy < 2; busy++)
		for (int schedule = 0; schedule < PIPELINE_SCHEDULE_COUNT; schedule++) {
			struct pipeline p = { (enum pipeline_schedule)schedule, 4, 1, 8, stages };
			struct pipeline_step step;

			stages[2].seconds[SLOT_FORWARD] = busy;
			play_step(&p, &step);
			assert_true(step.seconds == 8 * busy && step.bubble.all == 0 && step.idle.all == 6 * busy && step.idle.transfer == 0);
			pipeline_step_free(&step);
		}
}

/* Nothing is sent from one chunk to the next of the same device. */
static void a_single_device_never_waits(void **state)
{
	static const struct virtual_stage stages[3] = { { { 1, 2, 3 }, 4, 5 }, { { 3, 2, 1 }, 4, 5 }, { { 1, 1, 1 }, 4, 5 } };

	(void)state;
	for (int schedule = 0; schedule < PIPELINE_SCHEDULE_COUNT; schedule++) {
		struct pipeline p = { (enum pipeline_schedule)schedule, 1, schedule == PIPELINE_INTERLEAVED ? 3 : 1, 5, stages };
		struct pipeline_step step;

		play_step(&p, &step);
		assert_true(step.seconds == (schedule == PIPELINE_INTERLEAVED ? 75 : 30) && step.idle.all == 0 && step.bubble.all == 0);
		pipeline_step_free(&step);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stages_have_the_closed_forms),
		cmocka_unit_test(equal_stages_hold_the_known_numbers),
		cmocka_unit_test(tables_are_those_of_the_papers),
		cmocka_unit_test(losses_are_what_replaying_finds),
		cmocka_unit_test(weight_gradients_fill_waits),
		cmocka_unit_test(losses_are_differences_of_steps),
		cmocka_unit_test(filled_tables_are_no_longer),
		cmocka_unit_test(impossible_inputs_are_refused),
		cmocka_unit_test(stages_may_take_no_time),
		cmocka_unit_test(a_single_device_never_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
