/* Profiled layer graphs as a split problem.  The format is told by the content: Phaze's JSON, Piper's JSON, PipeDream's graph.txt. */
#ifndef WHYPAR_PIPELINE_PROFILE_H
#define WHYPAR_PIPELINE_PROFILE_H

#include "base/units.h"
#include "pipeline/staging.h"

/* What layers are put on.  A file that states them is believed unless they are set; one that does not gets the defaults.
 * id, name, unit, least, most, default, text */
#define PROFILE_LIMITS(X) \
	X(DEVICES,      "devices",      UNIT_COUNT, 1, 1e6,  16,   "as many as accelerators by default") \
	X(MEMORY,       "memory",       UNIT_BYTES, 0, 1e18, 0x1p34, "of one device: 16 GiB, about what PipeDream's planner assumes") \
	X(BANDWIDTH,    "bandwidth",    UNIT_RATE,  1, 1e18, 1e9,  "between two devices; PipeDream's planner assumes 1 GB/s") \
	X(MICROBATCHES, "microbatches", UNIT_COUNT, 1, 1e9,  64,   "of a batch: so many that a pipeline of 16 is filled three quarters of the time")

enum profile_limit {
#define X(id, ...) PROFILE_##id,
	PROFILE_LIMITS(X)
#undef X
	PROFILE_LIMIT_COUNT
};

struct profile_limits {
	double values[PROFILE_LIMIT_COUNT];
	bool set[PROFILE_LIMIT_COUNT];       /* in: by the user */
	bool assumed[PROFILE_LIMIT_COUNT];   /* out: neither by the user nor by the file */
};

const char *profile_limit_name(enum profile_limit limit);

/* "memory=32GB" into limits. */
enum status profile_limit_parse(const char *word, struct profile_limits *limits, struct diagnostic *d);

/* Layers in topological order, those of smaller number first.  limits goes out as it is used; NULL: nothing is set.  problem is ended by
 * staging_problem_free; STATUS_INPUT with the place of what is wrong. */
enum status profile_read(const char *path, const char *bytes, size_t length, struct profile_limits *limits, struct staging_problem *problem, struct diagnostic *d);

#endif
