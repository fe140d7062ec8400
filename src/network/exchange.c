#include "network/exchange.h"

#include "network/tree.h"

#include <math.h>

/* The dimension that holds that bit of an accelerator's number, and the bit within it. */
static struct dimension dimension_of_bit(const struct topology *topology, int bit, int *within)
{
	struct dimension all[NETWORK_DIMENSIONS_MAX];
	int count = topology_dimensions(topology, false, all), i = 0, bits;

	for (; i + 1 < count && bit >= (bits = (int)lround(log2((double)all[i].size))); i++)
		bit -= bits;
	*within = bit;
	return all[i];
}

double exchange_link_messages(const struct exchange *e, int64_t place, bool back)
{
	int64_t o = e->offset, at = place % (2 * o);

	switch (e->on.kind) {
	case DIMENSION_TREE:
		return place <= (int64_t)lround(log2((double)o)) ? exp2((double)place) : 0;
	case DIMENSION_RING:
		if (2 * o == e->on.size)         /* all go the same way round */
			return back ? 0 : (double)o;
		return (double)(at < o ? at + 1 : 2 * o - 1 - at);
	case DIMENSION_LINE:
		return (double)(at < o ? at + 1 : 2 * o - 1 - at);
	default:
		return 1;
	}
}

double exchange_link_busyness(const struct exchange *e, int64_t place, bool back)
{
	double wider = e->on.kind == DIMENSION_TREE ? tree_bandwidth(&e->on, (int)place + 1) / e->bandwidth : 1;

	return exchange_link_messages(e, place, back) / e->load / wider;
}

struct exchange exchange_level(const struct topology *topology, int level, int levels, const struct exchange_request *r)
{
	struct exchange e = { .bytes = r->bytes, .load = 1 };
	struct tree_exchange tree;
	int bit;
	double n;

	e.on = dimension_of_bit(topology, levels - level, &bit);
	e.offset = INT64_C(1) << bit;
	n = (double)e.on.size;
	e.bandwidth = e.on.bandwidth;
	switch (e.on.kind) {
	case DIMENSION_TREE:
		tree = tree_exchange(&e.on, bit, r->bytes, r->store_forward);
		e.hops = 2 * (bit + 1);
		e.load = tree.load;
		e.bandwidth = tree.bandwidth;
		e.beta = tree.seconds;
		break;
	case DIMENSION_RING: case DIMENSION_LINE:
		/* half of each block of 2 offset goes one way, half the other; opposite each other on a ring, all go the same way round */
		e.hops = (double)e.offset;
		e.load = (double)e.offset;
		break;
	default:
		e.hops = e.on.kind == DIMENSION_SWITCH ? 2 : 1;
	}
	if (e.on.kind == DIMENSION_RING && n == 2)
		e.hops = e.load = 1;
	if (e.on.kind != DIMENSION_TREE)
		e.beta = (r->store_forward ? fmax(e.hops, e.load) : e.load) * r->bytes / e.on.bandwidth;
	e.alpha = r->messages * (e.hops * e.on.latency + 2 * r->endpoint_delay);
	e.link_bytes = e.load * r->bytes;
	return e;
}
