/* The numbers of a network: costs of edges, what a variable may take, and minimising over one end of an edge. */
#include "partition/factors_inside.h"

#include <math.h>
#include <string.h>

size_t factors_states(int radix, int levels)
{
	size_t states = 1;

	while (levels-- > 0)
		states *= (size_t)radix;
	return states;
}

int factors_other_end(const struct elimination *order, int edge, int var)
{
	return order->edges[edge].from == var ? order->edges[edge].to : order->edges[edge].from;
}

bool factors_cancelled(const struct factors *net)
{
	return net->cancel != NULL && atomic_load_explicit(net->cancel, memory_order_relaxed);
}

static double entries_of_rest(const struct elimination_step *s, const unsigned char *radix, int levels)
{
	double entries = 1;

	for (int i = 0; i < s->rest_count; i++)
		entries *= pow(radix[s->rest[i]], levels);
	return entries;
}

double factors_largest_table(const struct elimination *order, const unsigned char *radix, int levels)
{
	double largest = 0;

	for (int i = 0; i < order->var_count; i++) {
		const struct elimination_step *s = &order->steps[i];
		double rest = entries_of_rest(s, radix, levels), widest = pow(radix[s->var], levels);

		if (s->across >= 0)
			widest = fmax(widest, pow(radix[factors_other_end(order, s->across, s->var)], levels));
		largest = fmax(largest, rest * widest);
	}
	return largest;
}

double factors_operations(const struct elimination *order, const unsigned char *radix, int levels)
{
	double operations = 0;

	for (int i = 0; i < order->var_count; i++) {
		const struct elimination_step *s = &order->steps[i];
		double rest = entries_of_rest(s, radix, levels), own = pow(radix[s->var], levels);
		double work = own * (1 + s->child_count + s->edge_count);

		if (s->across >= 0) {
			int r = radix[factors_other_end(order, s->across, s->var)];

			work += levels * (radix[s->var] > r ? radix[s->var] : r) * fmax(own, pow(r, levels));
		}
		operations += rest * work;
	}
	return operations;
}

double factors_forward_entries(const struct elimination *order, const unsigned char *radix, int levels)
{
	double entries = 0;

	for (int i = 0; i < order->var_count; i++) {
		const struct elimination_step *s = &order->steps[i];
		double width = s->across < 0 ? 1 : pow(radix[factors_other_end(order, s->across, s->var)], levels);

		entries += entries_of_rest(s, radix, levels) * width;
	}
	return entries;
}

double factors_edge_cost(const struct factors *net, int edge, size_t from_state, size_t to_state)
{
	int from = net->order->edges[edge].from, to = net->order->edges[edge].to;
	const double *scale = net->scale[to];
	size_t prefixes = 1, prefix = 0;
	double cost = 0;

	for (int h = 0; h < net->levels; h++) {
		int f = state_digit(from_state, net->radix[from], net->levels, h);
		int t = state_digit(to_state, net->radix[to], net->levels, h);

		cost += factors_edge_digit(net, edge, h, scale[prefix], f, t);
		scale += prefixes;
		prefixes *= net->radix[to];
		prefix = prefix * net->radix[to] + (size_t)t;
	}
	return cost;
}

void factors_add_edge(const struct factors *net, int edge, int var, size_t other_state, double *costs, double *space)
{
	const struct problem_edge *ends = &net->order->edges[edge];
	bool producer = ends->from == var;
	int other = producer ? ends->to : ends->from;
	size_t radix = net->radix[var], states = 1, prefixes = 1, prefix = 0;
	const double *scale = net->scale[ends->to];

	/* grown digit by digit, from the end so that a prefix is read before its place is taken */
	space[0] = 0;
	for (int h = 0; h < net->levels; h++) {
		int digit = state_digit(other_state, net->radix[other], net->levels, h);

		for (size_t p = states; p-- > 0;) {
			double so_far = space[p], factor = scale[producer ? prefix : p];

			for (size_t own = radix; own-- > 0;)
				space[p * radix + own] = so_far + (producer ? factors_edge_digit(net, edge, h, factor, (int)own, digit) : factors_edge_digit(net, edge, h, factor, digit, (int)own));
		}
		states *= radix;
		scale += prefixes;
		prefixes *= net->radix[ends->to];
		prefix = prefix * net->radix[ends->to] + (size_t)digit;
	}
	for (size_t x = 0; x < states; x++)
		costs[x] += space[x];
}

static bool is_allowed(const struct factors *net, int var, int level, int digit)
{
	return net->allowed[(size_t)var * (size_t)net->levels + (size_t)level] >> digit & 1;
}

/* A digit's costs seen from the end that goes: scaled by the consumer's earlier digits, and not. */
struct digit_costs {
	double scaled[STATES_MAX][STATES_MAX], flat[STATES_MAX][STATES_MAX];
};

static void digit_costs(const struct factors *net, int edge, int level, bool producer, struct digit_costs *out)
{
	int from_radix = net->radix[net->order->edges[edge].from], to_radix = net->radix[net->order->edges[edge].to];

	for (int f = 0; f < from_radix; f++)
		for (int t = 0; t < to_radix; t++) {
			int gone = producer ? f : t, kept = producer ? t : f;

			out->scaled[gone][kept] = net->edge[edge][f][t];
			out->flat[gone][kept] = net->flat == NULL ? 0 : net->flat[edge * net->levels + level][f][t];
		}
}

/* One digit of a projection: for each prefix, rest: out[prefix][b][rest] = min over allowed a of
 * in[prefix][a][rest] + scale[prefix] * scaled(a, b) + flat(a, b). */
static void project_digit(const double *in, double *out, size_t prefixes, int from_radix, int to_radix, size_t rest,
	unsigned allowed, const struct digit_costs *cost, const double *scale)
{
	for (size_t p = 0; p < prefixes; p++) {
		const double *source = in + p * (size_t)from_radix * rest;
		double *target = out + p * (size_t)to_radix * rest;

		for (int b = 0; b < to_radix; b++) {
			double *into = target + (size_t)b * rest;

			for (size_t r = 0; r < rest; r++)
				into[r] = INFINITY;
			for (int a = 0; a < from_radix; a++) {
				const double *row = source + (size_t)a * rest;
				double extra = scale[p] * cost->scaled[a][b] + cost->flat[a][b];

				if (!(allowed >> a & 1))
					continue;
				for (size_t r = 0; r < rest; r++)
					if (row[r] + extra < into[r])
						into[r] = row[r] + extra;
			}
		}
	}
}

void factors_project(const struct factors *net, int edge, int gone, const double *row, double *out, struct forward_tables *s)
{
	const struct problem_edge *ends = &net->order->edges[edge];
	bool producer = ends->from == gone;
	int kept = producer ? ends->to : ends->from;
	int levels = net->levels, gone_radix = net->radix[gone], kept_radix = net->radix[kept];
	const double *scale = net->scale[ends->to];
	struct digit_costs cost;
	const double *in = row;
	double *spare[2] = { s->row_a, s->row_b };

	if (levels == 1) {
		digit_costs(net, edge, 0, producer, &cost);
		project_digit(row, out, 1, gone_radix, kept_radix, 1, net->allowed[gone], &cost, scale);
		return;
	}
	for (int step = 0; step < levels; step++) {
		/* The scale of level h depends on the consumer's digits before h.  A producer goes from the first
		 * digit on, since the consumer's digits then stand in front; a consumer goes from the last. */
		int h = producer ? step : levels - 1 - step;
		size_t prefixes = factors_states(producer ? kept_radix : gone_radix, h);
		size_t rest = factors_states(producer ? gone_radix : kept_radix, levels - 1 - h);
		unsigned allowed = net->allowed[(size_t)gone * (size_t)levels + (size_t)h];
		double *into = step == levels - 1 ? out : spare[step & 1];
		const double *level_scale = scale;

		for (int k = 0; k < h; k++)
			level_scale += factors_states(net->radix[ends->to], k);
		digit_costs(net, edge, h, producer, &cost);
		project_digit(in, into, prefixes, gone_radix, kept_radix, rest, allowed, &cost, level_scale);
		in = into;
	}
}

bool factors_state_allowed(const struct factors *net, int var, size_t state)
{
	for (int h = net->levels - 1; h >= 0; h--) {
		if (!is_allowed(net, var, h, (int)(state % net->radix[var])))
			return false;
		state /= net->radix[var];
	}
	return true;
}

/* True when the variable may take every state, so that none need be looked at. */
static bool unrestricted(const struct factors *net, int var)
{
	unsigned all = (1u << net->radix[var]) - 1;

	for (int h = 0; h < net->levels; h++)
		if ((net->allowed[(size_t)var * (size_t)net->levels + (size_t)h] & all) != all)
			return false;
	return true;
}

double factors_row_minimum(const struct factors *net, int var, const double *row, size_t width)
{
	bool any = unrestricted(net, var);
	double least = INFINITY;

	for (size_t x = 0; x < width; x++)
		if (row[x] < least && (any || factors_state_allowed(net, var, x)))
			least = row[x];
	return least;
}

size_t factors_cheapest(const struct factors *net, int var, const double *costs)
{
	size_t n = factors_states(net->radix[var], net->levels), x = 0;
	bool any = unrestricted(net, var);
	double least = factors_row_minimum(net, var, costs, n);

	while (x + 1 < n && !(costs[x] <= least + net->slack && (any || factors_state_allowed(net, var, x))))
		x++;
	return x;
}
