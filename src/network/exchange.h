/* What the levels of an array exchange: at level h every accelerator i with i xor N/2^h, all at once, routed over the topology.  MODELS 6.
 *
 * Accelerators are numbered through the tiers, innermost fastest; an array of 2^H needs sizes that are powers of two, and a level then lies in
 * one dimension.  Time is that of the busiest link.  Pure. */
#ifndef WHYPAR_NETWORK_EXCHANGE_H
#define WHYPAR_NETWORK_EXCHANGE_H

#include "network/topology.h"

struct exchange {
	struct dimension on;     /* where the level lies */
	int64_t offset;          /* how far apart partners are in it */
	double hops;
	double bytes;            /* that each accelerator sends */
	double load;             /* messages over the busiest link, in one direction */
	double alpha, beta;      /* s: latencies and delays, bytes over bandwidth */
	double link_bytes;       /* over the busiest link, in one direction */
	double bandwidth;        /* of that link */
};

struct exchange_request {
	double bytes;            /* that each accelerator sends, and as many that it gets */
	double messages;         /* it does so in that many, one after the other */
	bool store_forward;
	double endpoint_delay;   /* s, once when a message begins and once when it is there */
};

/* Between accelerators that are `stride` numbers apart, all of them at once, of any resolved topology: the stride lies in the dimension that it comes
 * to (rounded up where inner sizes do not divide it; in a tree to a power of two). */
struct exchange exchange_apart(const struct topology *topology, int64_t stride, const struct exchange_request *request);

/* The same of a level of an array of 2^levels, the innermost of the topology; level 1 is the outermost. */
static inline struct exchange exchange_level(const struct topology *topology, int level, int levels, const struct exchange_request *request)
{
	return exchange_apart(topology, INT64_C(1) << (levels - level), request);
}

/* How many messages go over one link: of a ring or line, from `place` to the next one (back: from the next one to it); of a tree, of each link at height
 * `place` + 1; of a switch or between two that are joined directly, 1. */
double exchange_link_messages(const struct exchange *exchange, int64_t place, bool back);

/* How busy that link is, 1 for the busiest. */
double exchange_link_busyness(const struct exchange *exchange, int64_t place, bool back);

static inline double exchange_seconds(const struct exchange *e)
{
	return e->alpha + e->beta;
}

#endif
