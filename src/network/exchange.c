#include "network/exchange.h"

#include "network/tree.h"

#include <math.h>

/* The dimension in which accelerators so far apart are, and how far apart they are in it. */
static struct dimension dimension_of(const struct topology *topology, int64_t stride, int64_t *offset)
{
	struct dimension all[NETWORK_DIMENSIONS_MAX];
	int count = topology_dimensions(topology, false, all), i = 0;

	for (; i + 1 < count && stride >= all[i].size; i++)
		stride = (stride + all[i].size - 1) / all[i].size;
	*offset = stride;
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

struct exchange exchange_apart(const struct topology *topology, int64_t stride, const struct exchange_request *r)
{
	struct exchange e = { .bytes = r->bytes, .load = 1 };
	struct tree_exchange tree;
	int bit = 0;
	double n;

	e.on = dimension_of(topology, stride, &e.offset);
	n = (double)e.on.size;
	while (INT64_C(1) << bit < e.offset)
		bit++;
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
