#include "network/collective.h"

#include "base/text.h"
#include "network/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const collective_names[COLLECTIVE_COUNT] = {
#define X(id, name, text) [COLLECTIVE_##id] = name,
	COLLECTIVES(X)
#undef X
};

static const char *const algorithm_names[ALGORITHM_COUNT] = {
#define X(id, name, text) [ALGORITHM_##id] = name,
	ALGORITHMS(X)
#undef X
};

const char *collective_name(enum collective op)
{
	return collective_names[op];
}

const char *algorithm_name(enum algorithm algorithm)
{
	return algorithm_names[algorithm];
}

const char *algorithm_formula(enum algorithm algorithm, enum dimension_kind kind, enum collective op)
{
	switch (algorithm) {
	case ALGORITHM_DIRECT:
		if (kind == DIMENSION_TREE)
			return "2 heights x latency + the most bytes over a height / its bandwidth";
		return kind == DIMENSION_LINE ? "(n - 1) x latency + n x bytes / 4 / bandwidth" : "steps x (farthest hops x latency + part / bandwidth)";
	case ALGORITHM_HALVING_DOUBLING:
		return kind == DIMENSION_TREE ? "sum over i of 2 i x latency + the most bytes of bytes/2^i over a height / its bandwidth" :
			"sum over i of hops x latency + bytes/2^i / bandwidth";
	case ALGORITHM_DOUBLE_BINARY_TREE:
		return "2 log2 n x (hops x latency + bytes / bandwidth)";
	case ALGORITHM_TWO_WAY_RING:
		return op == COLLECTIVE_ALL_TO_ALL ? "floor(n/2) x latency + the bytes of all that pass a link / bandwidth" : "steps x (latency + part / 2 / bandwidth)";
	default:
		return "steps x (hops x latency + part / bandwidth)";
	}
}

enum collective collective_find(const char *name, struct diagnostic *d)
{
	int near;

	for (int i = 0; i < COLLECTIVE_COUNT; i++)
		if (strcmp(collective_names[i], name) == 0)
			return (enum collective)i;
	near = text_nearest(name, collective_names, COLLECTIVE_COUNT);
	diagnostic_fail(d, STATUS_USAGE, "no collective \"%.40s\"%s%s; there are all-reduce, reduce-scatter, all-gather, all-to-all, p2p", name,
		near >= 0 ? "; did you mean " : "", near >= 0 ? collective_names[near] : "");
	return COLLECTIVE_COUNT;
}

static bool is_power_of_two(int64_t n)
{
	return (n & (n - 1)) == 0;
}

bool algorithm_does(enum algorithm algorithm, const struct dimension *x, enum collective op)
{
	bool to_all = op == COLLECTIVE_ALL_TO_ALL;

	switch (algorithm) {
	case ALGORITHM_RING:
		/* on a line neighbours of a ring folded twice; a tree's leaves in their order */
		return !to_all || x->kind == DIMENSION_RING || x->kind == DIMENSION_FULL || x->kind == DIMENSION_SWITCH;
	case ALGORITHM_TWO_WAY_RING:
		/* two are joined by one link */
		return x->kind == DIMENSION_RING && x->size > 2;
	case ALGORITHM_DIRECT:
		return x->kind == DIMENSION_RING || x->kind == DIMENSION_FULL || x->kind == DIMENSION_SWITCH || to_all;
	case ALGORITHM_HALVING_DOUBLING:
		return !to_all && x->kind != DIMENSION_LINE && is_power_of_two(x->size);
	case ALGORITHM_DOUBLE_BINARY_TREE:
		return op == COLLECTIVE_ALL_REDUCE && is_power_of_two(x->size) && (x->kind == DIMENSION_FULL || x->kind == DIMENSION_SWITCH);
	default:
		return true;
	}
}

/* The seconds and bytes of a phase under way. */
struct sum {
	const struct dimension *x;
	bool store_forward;
	double steps, alpha, beta, link_bytes;
};

/* `times` steps that follow one another, each a message of m bytes over h hops; it puts that many bytes on the busiest link. */
static void add_steps(struct sum *s, double times, double hops, double bytes, double on_link)
{
	s->steps += times;
	s->alpha += times * hops * s->x->latency;
	s->beta += times * (s->store_forward ? hops : 1) * bytes / s->x->bandwidth;
	s->link_bytes += times * on_link;
}

static double neighbour_hops(const struct dimension *x)
{
	switch (x->kind) {
	case DIMENSION_SWITCH: return 2;
	case DIMENSION_LINE: return x->size > 2 ? 2 : 1;
	case DIMENSION_TREE: return 2 * log2((double)x->size);         /* at worst, over the root */
	default: return 1;
	}
}

/* The message of one step of a ring or of one direct step. */
static double part_bytes(enum collective op, double bytes, double n)
{
	return op == COLLECTIVE_ALL_GATHER ? bytes : bytes / n;
}

static int tree_heights(const struct dimension *x)
{
	return (int)lround(log2((double)x->size));
}

static void add_ring(struct sum *s, enum collective op, double bytes)
{
	const struct dimension *x = s->x;
	double n = (double)x->size, part = part_bytes(op, bytes, n);
	double steps = op == COLLECTIVE_ALL_REDUCE ? 2 * (n - 1) : op == COLLECTIVE_ALL_TO_ALL ? n * (n - 1) / 2 : n - 1;

	if (x->kind != DIMENSION_TREE) {
		add_steps(s, steps, neighbour_hops(x), part, part);
		return;
	}
	s->steps += steps;
	s->alpha += steps * neighbour_hops(x) * x->latency;
	s->beta += steps * (s->store_forward ? tree_path_seconds(x, tree_heights(x), part) : part / tree_narrowest(x, tree_heights(x)));
	s->link_bytes += steps * part;
}

/* Messages over the busiest link of a ring where all send to all by the shorter way; those to an opposite one all go the same way round. */
static double ring_load(double n)
{
	return fmod(n, 2) == 0 ? n * n / 8 + n / 4 : (n * n - 1) / 8;
}

static void add_two_way_ring(struct sum *s, enum collective op, double bytes)
{
	double n = (double)s->x->size, part = part_bytes(op, bytes, n) / 2;

	if (op == COLLECTIVE_ALL_TO_ALL) {
		/* each way to those that are nearer so; an opposite one gets half either way */
		double load = ring_load(n) - (fmod(n, 2) == 0 ? n / 4 : 0);

		s->steps += 1;
		s->alpha += floor(n / 2) * s->x->latency;
		s->beta += load * bytes / n / s->x->bandwidth;
		s->link_bytes += load * bytes / n;
		return;
	}
	add_steps(s, op == COLLECTIVE_ALL_REDUCE ? 2 * (n - 1) : n - 1, 1, part, part);
}

/* All to all where messages meet: the middle of a line, the heights of a tree. */
static void add_crossing(struct sum *s, double bytes)
{
	const struct dimension *x = s->x;
	double n = (double)x->size, slowest = 0;

	s->steps += 1;
	if (x->kind == DIMENSION_LINE) {
		s->alpha += (n - 1) * x->latency;
		s->beta += fmax(n * bytes / 4, s->store_forward ? (n - 1) * bytes / n : 0) / x->bandwidth;
		s->link_bytes += n * bytes / 4;
		return;
	}
	s->alpha += 2 * log2(n) * x->latency;
	for (int l = 1; exp2(l) <= n; l++) {
		double crossing = exp2(l - 1) * (n - exp2(l - 1)) * bytes / n;

		slowest = fmax(slowest, crossing / tree_bandwidth(x, l));
		s->link_bytes = fmax(s->link_bytes, crossing);
	}
	s->beta += s->store_forward ? fmax(slowest, tree_path_seconds(x, tree_heights(x), bytes / n)) : slowest;
}

static void add_direct(struct sum *s, enum collective op, double bytes)
{
	const struct dimension *x = s->x;
	double n = (double)x->size, part = part_bytes(op, bytes, n), times = op == COLLECTIVE_ALL_REDUCE ? 2 : 1, load;

	if (x->kind == DIMENSION_LINE || x->kind == DIMENSION_TREE) {
		add_crossing(s, bytes);
		return;
	}
	if (x->kind == DIMENSION_FULL || !s->store_forward) {
		/* cut through, messages that meet on a link are taken not to wait: reference/network.md 3 */
		add_steps(s, times, x->kind == DIMENSION_RING ? floor(n / 2) : x->kind == DIMENSION_SWITCH ? 2 : 1, part,
			x->kind == DIMENSION_SWITCH ? (n - 1) * part : x->kind == DIMENSION_RING ? ring_load(n) * part : part);
		return;
	}
	/* n - 1 messages share the link up, or those of the ring its busiest link */
	load = x->kind == DIMENSION_SWITCH ? n : ring_load(n);
	s->steps += times;
	s->alpha += times * (x->kind == DIMENSION_SWITCH ? 2 : floor(n / 2)) * x->latency;
	s->beta += times * load * part / x->bandwidth;
	s->link_bytes += times * (x->kind == DIMENSION_SWITCH ? n - 1 : load) * part;
}

/* One step of halving or doubling with a partner `offset` away: bytes go each way. */
static void add_exchange(struct sum *s, int level, double bytes)
{
	const struct dimension *x = s->x;
	double offset = exp2(level), n = (double)x->size;
	struct tree_exchange tree;

	switch (x->kind) {
	case DIMENSION_RING:
		add_steps(s, 1, fmin(offset, n - offset), bytes, offset * bytes);
		break;
	case DIMENSION_TREE:
		tree = tree_exchange(x, level, bytes, s->store_forward);
		s->steps += 1;
		s->alpha += 2 * (level + 1) * x->latency;
		s->beta += tree.seconds;
		s->link_bytes += tree.load * bytes;
		break;
	default:
		/* another link for each partner: the busiest is the nearest one's, level 0 */
		add_steps(s, 1, x->kind == DIMENSION_SWITCH ? 2 : 1, bytes, x->kind == DIMENSION_SWITCH || level == 0 ? bytes : 0);
	}
}

/* Halving: near first, with half of it; doubling: far first, with one's own part. */
static void add_halving(struct sum *s, enum collective op, double bytes)
{
	int levels = (int)lround(log2((double)s->x->size));
	double all = op == COLLECTIVE_ALL_GATHER ? bytes * (double)s->x->size : bytes;

	for (int turn = 0; turn < (op == COLLECTIVE_ALL_REDUCE ? 2 : 1); turn++)
		for (int level = 0; level < levels; level++)
			add_exchange(s, level, all / exp2(level + 1));
}

static void add_tree(struct sum *s, double bytes)
{
	const struct dimension *x = s->x;
	double levels = log2((double)x->size), on_link = x->kind == DIMENSION_SWITCH ? 2 * bytes : bytes;

	add_steps(s, 2 * levels, x->kind == DIMENSION_SWITCH ? 2 : 1, bytes, 0);
	s->link_bytes = on_link;
	/* two children meet at the link of their parent */
	if (s->store_forward && x->kind == DIMENSION_SWITCH)
		s->beta += 2 * (levels - 1) * bytes / x->bandwidth;
}

static void run_phase(const struct dimension *x, const struct collective_request *request, struct collective_phase *p)
{
	struct sum s = { .x = x, .store_forward = request->store_forward };

	switch (p->algorithm) {
	case ALGORITHM_TWO_WAY_RING: add_two_way_ring(&s, p->op, p->bytes); break;
	case ALGORITHM_DIRECT: add_direct(&s, p->op, p->bytes); break;
	case ALGORITHM_HALVING_DOUBLING: add_halving(&s, p->op, p->bytes); break;
	case ALGORITHM_DOUBLE_BINARY_TREE: add_tree(&s, p->bytes); break;
	default: add_ring(&s, p->op, p->bytes);
	}
	p->steps = s.steps;
	p->alpha = s.alpha + (s.steps + 1) * request->endpoint_delay;
	p->beta = s.beta;
	p->link_bytes = s.link_bytes;
}

static enum status cannot(enum algorithm algorithm, const struct dimension *x, enum collective op, struct diagnostic *d)
{
	char known[128] = "";

	for (int a = ALGORITHM_RING; a < ALGORITHM_COUNT; a++)
		if (algorithm_does((enum algorithm)a, x, op))
			snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", known[0] != '\0' ? ", " : "", algorithm_names[a]);
	return diagnostic_fail(d, STATUS_INPUT, "algorithm: %s does no %s on a %s of %lld; what does: %s", algorithm_names[algorithm], collective_names[op], dimension_name(x->kind),
		(long long)x->size, known);
}

/* Adds the phase of a dimension, by the asked algorithm or the fastest. */
static enum status add_phase(const struct dimension *dimensions, int dimension, enum collective op, double bytes, const struct collective_request *request,
	struct collective_time *t, struct diagnostic *d)
{
	const struct dimension *x = &dimensions[dimension];
	enum algorithm asked = request->algorithm[dimension];
	struct collective_phase best = { .algorithm = ALGORITHM_AUTO };

	for (int a = ALGORITHM_RING; a < ALGORITHM_COUNT; a++) {
		struct collective_phase p = { .dimension = dimension, .on = *x, .op = op, .algorithm = (enum algorithm)a, .bytes = bytes };

		if ((asked != ALGORITHM_AUTO && asked != p.algorithm) || !algorithm_does(p.algorithm, x, op))
			continue;
		run_phase(x, request, &p);
		/* asked for by name, direct is the simulator's, where messages that meet on a link do not wait; that is not to win by itself */
		if (asked == ALGORITHM_AUTO && x->kind != DIMENSION_TREE)
			p.beta = fmax(p.beta, p.link_bytes / x->bandwidth);
		if (best.algorithm == ALGORITHM_AUTO || p.alpha + p.beta < best.alpha + best.beta)
			best = p;
	}
	if (best.algorithm == ALGORITHM_AUTO)
		return cannot(asked, x, op, d);
	t->phases[t->phase_count++] = best;
	return STATUS_OK;
}

/* Dimensions by turns: inwards out, or back (step -1). */
static enum status add_phases(const struct dimension *dimensions, int from, int to, int step, enum collective op, double bytes, const struct collective_request *request,
	struct collective_time *t, struct diagnostic *d)
{
	for (int i = from; i != to; i += step) {
		enum status status = add_phase(dimensions, i, op, bytes, request, t, d);

		if (status != STATUS_OK)
			return status;
		if (op == COLLECTIVE_REDUCE_SCATTER)
			bytes /= (double)dimensions[i].size;
		else if (op == COLLECTIVE_ALL_GATHER)
			bytes *= (double)dimensions[i].size;
	}
	return STATUS_OK;
}

static enum status add_all_phases(const struct dimension *dimensions, int count, double bytes, const struct collective_request *request, struct collective_time *t,
	struct diagnostic *d)
{
	double inner = 1;
	enum status status;

	if (count == 0)
		return STATUS_OK;
	switch (request->op) {
	case COLLECTIVE_ALL_REDUCE:
		for (int i = 0; i + 1 < count; i++)
			inner *= (double)dimensions[i].size;
		status = add_phases(dimensions, 0, count - 1, 1, COLLECTIVE_REDUCE_SCATTER, bytes, request, t, d);
		if (status == STATUS_OK)
			status = add_phase(dimensions, count - 1, COLLECTIVE_ALL_REDUCE, bytes / inner, request, t, d);
		return status == STATUS_OK ? add_phases(dimensions, count - 2, -1, -1, COLLECTIVE_ALL_GATHER, bytes / inner, request, t, d) : status;
	case COLLECTIVE_ALL_GATHER:
		return add_phases(dimensions, count - 1, -1, -1, COLLECTIVE_ALL_GATHER, bytes, request, t, d);
	default:
		return add_phases(dimensions, 0, count, 1, request->op, bytes, request, t, d);
	}
}

/* The farthest two of a dimension. */
static double farthest(const struct dimension *x)
{
	double n = (double)x->size;

	switch (x->kind) {
	case DIMENSION_RING: return floor(n / 2);
	case DIMENSION_LINE: return n - 1;
	case DIMENSION_SWITCH: return 2;
	case DIMENSION_TREE: return 2 * log2(n);
	default: return 1;
	}
}

/* One message through all dimensions. */
static void send_message(const struct dimension *dimensions, int count, const struct collective_request *request, struct collective_time *t)
{
	double narrow = INFINITY;

	for (int i = 0; i < count; i++) {
		struct dimension x = dimensions[i];
		bool tree = x.kind == DIMENSION_TREE;

		/* nobody shares the links with it */
		x.bandwidth = x.alone;
		narrow = fmin(narrow, tree ? tree_narrowest(&x, tree_heights(&x)) : x.bandwidth);
		t->alpha += farthest(&x) * x.latency;
		if (request->store_forward)
			t->beta += tree ? tree_path_seconds(&x, tree_heights(&x), request->bytes) : farthest(&x) * request->bytes / x.bandwidth;
	}
	if (count > 0) {
		t->steps = 1;
		t->beta = request->store_forward ? t->beta : request->bytes / narrow;
		t->link_bytes = request->bytes;
	}
}

/* k chunks follow one another through the dimensions: all phases once, then k - 1 times what the busiest dimension takes. */
static void sum_phases(int chunks, struct collective_time *t)
{
	double alpha[NETWORK_DIMENSIONS_MAX] = { 0 }, beta[NETWORK_DIMENSIONS_MAX] = { 0 }, link[NETWORK_DIMENSIONS_MAX] = { 0 };
	int busiest = 0;

	for (int i = 0; i < t->phase_count; i++) {
		const struct collective_phase *p = &t->phases[i];

		t->steps += p->steps * chunks;
		t->alpha += p->alpha;
		t->beta += p->beta;
		alpha[p->dimension] += p->alpha;
		beta[p->dimension] += p->beta;
		link[p->dimension] += p->link_bytes;
		t->link_bytes = fmax(t->link_bytes, link[p->dimension] * chunks);
	}
	for (int i = 1; i < NETWORK_DIMENSIONS_MAX; i++)
		if (alpha[i] + beta[i] > alpha[busiest] + beta[busiest])
			busiest = i;
	t->alpha += (chunks - 1) * alpha[busiest];
	t->beta += (chunks - 1) * beta[busiest];
}

/* As nccl-tests counts: the bytes of the whole over the time, and times what of them must cross a link. */
static void set_bandwidths(const struct collective_request *request, struct collective_time *t)
{
	static const double factors[COLLECTIVE_COUNT] = { [COLLECTIVE_ALL_REDUCE] = 2, [COLLECTIVE_REDUCE_SCATTER] = 1, [COLLECTIVE_ALL_GATHER] = 1, [COLLECTIVE_ALL_TO_ALL] = 1 };
	double n = (double)t->group, all = request->op == COLLECTIVE_ALL_GATHER ? request->bytes * n : request->bytes;

	t->algorithm_bandwidth = t->seconds > 0 ? all / t->seconds : NAN;
	t->bus_bandwidth = t->algorithm_bandwidth * (request->op == COLLECTIVE_P2P ? 1 : factors[request->op] * (n - 1) / n);
}

enum status collective_time(const struct dimension *dimensions, int count, const struct collective_request *request, struct collective_time *t, struct diagnostic *d)
{
	int chunks = request->chunks > 1 ? request->chunks : 1;
	enum status status = STATUS_OK;

	*t = (struct collective_time){ .group = 1 };
	for (int i = 0; i < count; i++)
		t->group *= dimensions[i].size;
	if (request->op == COLLECTIVE_P2P) {
		send_message(dimensions, count, request, t);
	} else {
		status = add_all_phases(dimensions, count, request->bytes / chunks, request, t, d);
		sum_phases(chunks, t);
	}
	t->seconds = t->alpha + t->beta;
	set_bandwidths(request, t);
	return status;
}

enum status collective_on(const struct topology *topology, const struct collective_request *request, struct collective_time *t, struct diagnostic *d)
{
	struct collective_request all = *request;
	struct dimension lines[NETWORK_DIMENSIONS_MAX], rounds[NETWORK_DIMENSIONS_MAX];
	int count = topology_dimensions(topology, false, lines), fewer = topology_dimensions(topology, true, rounds);
	struct collective_time other;
	enum status status;

	for (int i = 1; i < NETWORK_DIMENSIONS_MAX; i++)
		all.algorithm[i] = request->algorithm[0];
	status = collective_time(lines, count, &all, t, d);
	/* going round is only for rings: a message between two takes the grid's short ways */
	if (fewer == count || request->op == COLLECTIVE_P2P || request->op == COLLECTIVE_ALL_TO_ALL || (request->algorithm[0] != ALGORITHM_AUTO && request->algorithm[0] != ALGORITHM_RING))
		return status;
	for (int i = 0; i < fewer; i++)
		if (rounds[i].kind == DIMENSION_RING && topology->tiers[rounds[i].tier].kind == TOPOLOGY_MESH)
			all.algorithm[i] = ALGORITHM_RING;
	if (collective_time(rounds, fewer, &all, &other, d) == STATUS_OK && (status != STATUS_OK || other.seconds < t->seconds)) {
		*t = other;
		return STATUS_OK;
	}
	return status;
}
