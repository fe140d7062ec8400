/* How long a collective takes on a topology, in closed form.  MODELS 6; reference for each formula: whypar-models(7) 6.
 *
 * A message of m bytes over h hops takes h latencies and m / bandwidth (cut-through), or h times both (store and forward).  Over several
 * dimensions data is reduce-scattered inwards out, all-reduced in the outermost, and gathered back.  Pure. */
#ifndef WHYPAR_NETWORK_COLLECTIVE_H
#define WHYPAR_NETWORK_COLLECTIVE_H

#include "network/topology.h"

/* id, name, text.  p2p is no phase of the others. */
#define COLLECTIVES(X) \
	X(ALL_REDUCE,     "all-reduce",     "each ends with the sum of all") \
	X(REDUCE_SCATTER, "reduce-scatter", "each ends with its part of the sum") \
	X(ALL_GATHER,     "all-gather",     "each ends with the parts of all; the bytes are those of one part") \
	X(ALL_TO_ALL,     "all-to-all",     "each sends a part of its bytes to each other") \
	X(P2P,            "p2p",            "one message between the two that are farthest apart")

enum collective {
#define X(id, ...) COLLECTIVE_##id,
	COLLECTIVES(X)
#undef X
	COLLECTIVE_COUNT
};

/* id, name, text */
#define ALGORITHMS(X) \
	X(AUTO,               "auto",               "the fastest of these in each dimension, where what meets on a link waits") \
	X(RING,               "ring",               "parts go round, one neighbour a step") \
	X(DIRECT,             "direct",             "each sends to each other at once") \
	X(HALVING_DOUBLING,   "halving-doubling",   "half of the rest with a partner, the distance doubling") \
	X(DOUBLE_BINARY_TREE, "double-binary-tree", "all of it up a tree and down again") \
	X(TWO_WAY_RING,       "two-way-ring",       "half of each part goes round either way")

enum algorithm {
#define X(id, ...) ALGORITHM_##id,
	ALGORITHMS(X)
#undef X
	ALGORITHM_COUNT
};

const char *collective_name(enum collective op);
/* COLLECTIVE_COUNT with d filled when there is none. */
enum collective collective_find(const char *name, struct diagnostic *d);
const char *algorithm_name(enum algorithm algorithm);
/* How long it takes, as a formula in words. */
const char *algorithm_formula(enum algorithm algorithm, enum dimension_kind kind, enum collective op);

struct collective_request {
	enum collective op;
	double bytes;            /* of each accelerator; of an all-gather the part that each has */
	enum algorithm algorithm[NETWORK_DIMENSIONS_MAX];        /* of each dimension; collective_on takes the first for all */
	bool store_forward;
	double endpoint_delay;   /* s, once when a phase begins and once for each step */
	int chunks;              /* the bytes go in that many parts, one behind the other through the dimensions */
};

/* What one dimension does at a time. */
struct collective_phase {
	int dimension;
	struct dimension on;
	enum collective op;
	enum algorithm algorithm;
	double bytes;
	double steps;
	double alpha, beta;      /* s: latencies and delays, bytes over bandwidth */
	double link_bytes;       /* over the busiest link, in one direction */
};

enum { COLLECTIVE_PHASES_MAX = 2 * NETWORK_DIMENSIONS_MAX };

struct collective_time {
	struct collective_phase phases[COLLECTIVE_PHASES_MAX];   /* of one chunk, in order */
	int phase_count;
	int64_t group;           /* accelerators */
	double steps, alpha, beta, seconds;      /* alpha + beta = seconds */
	double algorithm_bandwidth, bus_bandwidth;       /* bytes/s as nccl-tests counts them; NAN where it takes no time */
	double link_bytes;       /* over the busiest link of all */
};

/* The first `count` dimensions.  STATUS_INPUT when an algorithm does not do this in one of them; d says which do. */
enum status collective_time(const struct dimension *dimensions, int count, const struct collective_request *request, struct collective_time *time, struct diagnostic *d);

/* On a resolved topology.  A ring through all of a grid with an even side is tried beside lines along its sides. */
enum status collective_on(const struct topology *topology, const struct collective_request *request, struct collective_time *time, struct diagnostic *d);

/* Whether an algorithm does an operation in a dimension. */
bool algorithm_does(enum algorithm algorithm, const struct dimension *dimension, enum collective op);

#endif
