/* Pipelines for the tests of schedules: random uneven ones, seeded, and what each schedule is known to hold. */
#ifndef WHYPAR_TESTS_RANDOM_PIPELINE_H
#define WHYPAR_TESTS_RANDOM_PIPELINE_H

#include "pipeline/schedules.h"
#include "tests/unit/random_model.h"

/* The most of each, and how many times something random is tried. */
enum { STAGES = 8, CHUNKS = 5, MICROBATCHES = 5 * STAGES, ROUNDS = 300 };

static inline int least_of(int a, int b)
{
	return a < b ? a : b;
}

static inline void play_step(const struct pipeline *p, struct pipeline_step *step)
{
	struct diagnostic d;

	assert_int_equal(pipeline_play(p, step, &d), STATUS_OK);
}

/* The most (microbatch, chunk) pairs at a time, of enough microbatches; below that all there are. */
static inline int known_in_flight(const struct pipeline *p, int device)
{
	const int after = p->stages - device - 1, count = p->chunks * p->microbatches;

	switch (p->schedule) {
	case PIPELINE_GPIPE:
		return count;
	case PIPELINE_INTERLEAVED:
		return least_of(count, p->chunks == 1 ? after + 1 : 2 * after + (p->chunks - 1) * p->stages + 1);
	case PIPELINE_ZB_2P:
		return least_of(count, 2 * after + 1);
	default:
		return least_of(count, after + 1);
	}
}

static inline int known_held(const struct pipeline *p, int device)
{
	if (p->schedule == PIPELINE_ZB_H1)
		return least_of(p->microbatches, p->stages);
	return p->schedule == PIPELINE_ZB_2P ? least_of(p->microbatches, 2 * p->stages - 1) : known_in_flight(p, device);
}

/* More than 0, and most at most. */
static inline double random_seconds(struct random *r, double most)
{
	return most * (1 + random_below(r, 1000)) / 1000;
}

/* Any schedule; room for STAGES x CHUNKS virtual stages. */
static inline struct pipeline random_pipeline(struct random *r, struct virtual_stage *room)
{
	struct pipeline p = { (enum pipeline_schedule)random_below(r, PIPELINE_SCHEDULE_COUNT), 1 + (int)random_below(r, STAGES), 1, 1 + (int)random_below(r, MICROBATCHES), room };

	if (p.schedule == PIPELINE_INTERLEAVED) {
		p.chunks = 1 + (int)random_below(r, CHUNKS);
		p.microbatches = p.stages * (1 + (int)random_below(r, 5));
	}
	for (int k = 0; k < p.stages * p.chunks; k++) {
		room[k] = (struct virtual_stage){ .seconds = { random_seconds(r, 1), random_seconds(r, 2), random_below(r, 5) > 0 ? random_seconds(r, 1) : 0 } };
		room[k].to_next = p.stages > 1 && random_below(r, 3) > 0 ? random_seconds(r, 0.3) : 0;
		room[k].to_previous = p.stages > 1 && random_below(r, 3) > 0 ? random_seconds(r, 0.3) : 0;
	}
	return p;
}

#endif
