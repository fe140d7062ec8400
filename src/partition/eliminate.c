/* Messages, decoding and min-marginals over an order of elimination. */
#include "partition/eliminate.h"

#include <math.h>
#include <string.h>

/* A table of at most TABLE_ENTRIES_MAX entries has no more dimensions of two states than this. */
enum { DIMENSIONS_MAX = 24 };

/* Relative slack within which two sums count as equal; sums of dyadic costs are exact, so this only
 * matters for costs that are not. */
static const double tie_slack = 1e-13;

size_t network_states(int radix, int levels)
{
	size_t states = 1;

	while (levels-- > 0)
		states *= (size_t)radix;
	return states;
}

static int other_end(const struct elimination *order, int edge, int var)
{
	return order->edges[edge].from == var ? order->edges[edge].to : order->edges[edge].from;
}

static bool cancelled(const struct network *net)
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

double network_largest_table(const struct elimination *order, const unsigned char *radix, int levels)
{
	double largest = 0;

	for (int i = 0; i < order->var_count; i++) {
		const struct elimination_step *s = &order->steps[i];
		double rest = entries_of_rest(s, radix, levels), widest = pow(radix[s->var], levels);

		if (s->across >= 0)
			widest = fmax(widest, pow(radix[other_end(order, s->across, s->var)], levels));
		largest = fmax(largest, rest * widest);
	}
	return largest;
}

double network_operations(const struct elimination *order, const unsigned char *radix, int levels)
{
	double operations = 0;

	for (int i = 0; i < order->var_count; i++) {
		const struct elimination_step *s = &order->steps[i];
		double rest = entries_of_rest(s, radix, levels), own = pow(radix[s->var], levels);
		double work = own * (1 + s->child_count + s->edge_count);

		if (s->across >= 0) {
			int r = radix[other_end(order, s->across, s->var)];

			work += levels * (radix[s->var] > r ? radix[s->var] : r) * fmax(own, pow(r, levels));
		}
		operations += rest * work;
	}
	return operations;
}

double network_message_entries(const struct elimination *order, const unsigned char *radix, int levels)
{
	double entries = 0;

	for (int i = 0; i < order->var_count; i++) {
		const struct elimination_step *s = &order->steps[i];
		double width = s->across < 0 ? 1 : pow(radix[other_end(order, s->across, s->var)], levels);

		entries += entries_of_rest(s, radix, levels) * width;
	}
	return entries;
}

/* ---- tables ---- */

/* Dimensions of a step's working table D: rest..., then the variable itself, fastest. */
struct shape_of_table {
	int count;               /* dimensions, the variable's own included */
	int vars[DIMENSIONS_MAX];
	size_t sizes[DIMENSIONS_MAX];
	size_t rows;             /* product of all but the last */
	size_t width;            /* of the last */
};

static struct shape_of_table table_shape(const struct network *net, const struct elimination_step *s)
{
	struct shape_of_table t;

	t.count = 0;
	t.rows = 1;
	for (int i = 0; i < s->rest_count; i++) {
		t.vars[t.count] = s->rest[i];
		t.sizes[t.count] = network_states(net->radix[s->rest[i]], net->levels);
		t.rows *= t.sizes[t.count++];
	}
	t.vars[t.count] = s->var;
	t.width = t.sizes[t.count++] = network_states(net->radix[s->var], net->levels);
	return t;
}

static size_t message_width(const struct network *net, const struct elimination_step *s)
{
	return s->across < 0 ? 1 : network_states(net->radix[other_end(net->order, s->across, s->var)], net->levels);
}

/* Strides of a child's message along the dimensions of D; 0 where it does not range over one. */
static void message_strides(const struct network *net, const struct elimination_step *child, const struct shape_of_table *t, size_t *strides)
{
	size_t stride = message_width(net, child);
	int across = child->across < 0 ? -1 : other_end(net->order, child->across, child->var);

	memset(strides, 0, (size_t)t->count * sizeof *strides);
	for (int i = child->rest_count - 1; i >= 0; i--) {
		for (int d = 0; d < t->count; d++)
			if (t->vars[d] == child->rest[i])
				strides[d] = stride;
		stride *= network_states(net->radix[child->rest[i]], net->levels);
	}
	for (int d = 0; d < t->count; d++)
		if (t->vars[d] == across)
			strides[d] = 1;
}

/* Walks the rows of D in order, keeping an offset into another table up to date. */
struct walk {
	size_t index[DIMENSIONS_MAX];
	size_t offset;
};

static void walk_next(struct walk *w, const struct shape_of_table *t, const size_t *strides)
{
	for (int d = t->count - 2; d >= 0; d--) {
		w->offset += strides[d];
		if (++w->index[d] < t->sizes[d])
			return;
		w->offset -= strides[d] * t->sizes[d];
		w->index[d] = 0;
	}
}

static void add_table(double *table, const struct shape_of_table *t, const double *other, const size_t *strides)
{
	struct walk w = { .offset = 0 };
	size_t step = strides[t->count - 1];

	for (size_t row = 0; row < t->rows; row++, walk_next(&w, t, strides)) {
		double *into = table + row * t->width;

		for (size_t x = 0; x < t->width; x++)
			into[x] += other[w.offset + x * step];
	}
}

/* ---- edges ---- */

/* Cost of an edge for two whole states, given as digits. */
double network_edge_cost(const struct network *net, int edge, size_t from_state, size_t to_state)
{
	int from = net->order->edges[edge].from, to = net->order->edges[edge].to;
	const double *scale = net->scale[to];
	size_t prefixes = 1, prefix = 0;
	double cost = 0;

	for (int h = 0; h < net->levels; h++) {
		int f = state_digit(from_state, net->radix[from], net->levels, h);
		int t = state_digit(to_state, net->radix[to], net->levels, h);

		cost += scale[prefix] * net->edge[edge][f][t];
		scale += prefixes;
		prefixes *= net->radix[to];
		prefix = prefix * net->radix[to] + (size_t)t;
	}
	return cost;
}

/* Writes an edge out as a table [from state][to state], one digit of both ends after the other. */
static const double *write_edge(const struct network *net, int edge, struct messages *s)
{
	size_t from_radix = net->radix[net->order->edges[edge].from], to_radix = net->radix[net->order->edges[edge].to];
	const double *scale = net->scale[net->order->edges[edge].to];
	size_t froms = 1, tos = 1;
	double *now = s->edge, *next = s->edge_next;

	now[0] = 0;
	for (int h = 0; h < net->levels; h++) {
		double *swap = now;

		for (size_t f = 0; f < froms * from_radix; f++)
			for (size_t t = 0; t < tos * to_radix; t++)
				next[f * tos * to_radix + t] = now[f / from_radix * tos + t / to_radix] +
					scale[t / to_radix] * net->edge[edge][f % from_radix][t % to_radix];
		scale += tos;
		froms *= from_radix;
		tos *= to_radix;
		now = next;
		next = swap;
	}
	return now;
}

/* Adds a written-out edge to D. */
static void add_edge(const struct network *net, double *table, const struct shape_of_table *t, int edge, struct messages *s)
{
	int var = t->vars[t->count - 1], end = other_end(net->order, edge, var);
	bool var_first = net->order->edges[edge].from == var;
	size_t strides[DIMENSIONS_MAX] = { 0 }, tos = network_states(net->radix[net->order->edges[edge].to], net->levels);

	for (int d = 0; d < t->count - 1; d++)
		if (t->vars[d] == end)
			strides[d] = var_first ? 1 : tos;
	strides[t->count - 1] = var_first ? tos : 1;
	add_table(table, t, write_edge(net, edge, s), strides);
}

static bool is_allowed(const struct network *net, int var, int level, int digit)
{
	return net->allowed[(size_t)var * (size_t)net->levels + (size_t)level] >> digit & 1;
}

/* One digit of a projection: for each prefix, rest: out[prefix][b][rest] = min over allowed a of
 * in[prefix][a][rest] + scale * cost(a, b).  scale_step is 1 when scale runs with the prefix, 0 when rest holds it. */
static void project_digit(const double *in, double *out, size_t prefixes, int from_radix, int to_radix, size_t rest,
	unsigned allowed, const double cost[STATES_MAX][STATES_MAX], const double *scale)
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
				double extra = scale[p] * cost[a][b];

				if (!(allowed >> a & 1))
					continue;
				for (size_t r = 0; r < rest; r++)
					if (row[r] + extra < into[r])
						into[r] = row[r] + extra;
			}
		}
	}
}

/* Minimises row (over the states of `gone`) plus the edge, for each state of the edge's other end, into out. */
static void project(const struct network *net, int edge, int gone, const double *row, double *out, struct messages *s)
{
	const struct problem_edge *ends = &net->order->edges[edge];
	bool producer = ends->from == gone;
	int kept = producer ? ends->to : ends->from;
	int levels = net->levels, gone_radix = net->radix[gone], kept_radix = net->radix[kept];
	const double *scale = net->scale[ends->to];
	double cost[STATES_MAX][STATES_MAX];
	const double *in = row;
	double *spare[2] = { s->row_a, s->row_b };

	for (int a = 0; a < gone_radix; a++)
		for (int b = 0; b < kept_radix; b++)
			cost[a][b] = producer ? net->edge[edge][a][b] : net->edge[edge][b][a];
	if (levels == 1) {
		project_digit(row, out, 1, gone_radix, kept_radix, 1, net->allowed[gone], (const double (*)[STATES_MAX])cost, scale);
		return;
	}
	for (int step = 0; step < levels; step++) {
		/* The scale of level h depends on the consumer's digits before h.  A producer goes from the first
		 * digit on, since the consumer's digits then stand in front; a consumer goes from the last. */
		int h = producer ? step : levels - 1 - step;
		size_t prefixes = network_states(producer ? kept_radix : gone_radix, h);
		size_t rest = network_states(producer ? gone_radix : kept_radix, levels - 1 - h);
		unsigned allowed = net->allowed[(size_t)gone * (size_t)levels + (size_t)h];
		double *into = step == levels - 1 ? out : spare[step & 1];
		const double *level_scale = scale;

		for (int k = 0; k < h; k++)
			level_scale += network_states(net->radix[ends->to], k);
		project_digit(in, into, prefixes, gone_radix, kept_radix, rest, allowed, (const double (*)[STATES_MAX])cost, level_scale);
		in = into;
	}
}

bool network_state_allowed(const struct network *net, int var, size_t state)
{
	for (int h = net->levels - 1; h >= 0; h--) {
		if (!is_allowed(net, var, h, (int)(state % net->radix[var])))
			return false;
		state /= net->radix[var];
	}
	return true;
}

/* ---- forward ---- */

static void fill_table(const struct network *net, struct messages *m, const struct elimination_step *s,
	const struct shape_of_table *t, double *table)
{
	size_t strides[DIMENSIONS_MAX];

	for (size_t row = 0; row < t->rows; row++)
		memcpy(table + row * t->width, net->unary[s->var], t->width * sizeof *table);
	for (int c = 0; c < s->child_count; c++) {
		message_strides(net, &net->order->steps[s->children[c]], t, strides);
		add_table(table, t, m->tables[s->children[c]], strides);
	}
	for (int i = 0; i < s->edge_count; i++)
		add_edge(net, table, t, s->edges[i], m);
}

/* True when the variable may take every state, so that none need be looked at. */
static bool unrestricted(const struct network *net, int var)
{
	unsigned all = (1u << net->radix[var]) - 1;

	for (int h = 0; h < net->levels; h++)
		if ((net->allowed[(size_t)var * (size_t)net->levels + (size_t)h] & all) != all)
			return false;
	return true;
}

static double row_minimum(const struct network *net, int var, const double *row, size_t width)
{
	bool any = unrestricted(net, var);
	double least = INFINITY;

	for (size_t x = 0; x < width; x++)
		if (row[x] < least && (any || network_state_allowed(net, var, x)))
			least = row[x];
	return least;
}

static void send_message(const struct network *net, struct messages *m, int step)
{
	const struct elimination_step *s = &net->order->steps[step];
	struct shape_of_table t = table_shape(net, s);
	size_t width = m->sizes[step].message;

	fill_table(net, m, s, &t, m->table);
	for (size_t row = 0; row < t.rows; row++) {
		const double *values = m->table + row * t.width;

		if (s->across >= 0)
			project(net, s->across, s->var, values, m->tables[step] + row * width, m);
		else
			m->tables[step][row] = row_minimum(net, s->var, values, t.width);
	}
	if (s->parent < 0)
		m->roots[step] = m->tables[step][0];
}

static void larger(size_t *most, size_t candidate)
{
	if (candidate > *most)
		*most = candidate;
}

void messages_new(struct messages *m, const struct network *net)
{
	size_t total = 0, n = (size_t)net->order->var_count, table = 1, row = 1, edge = 1;

	m->sizes = memory_alloc(n, sizeof *m->sizes);
	m->tables = memory_alloc(n, sizeof *m->tables);
	m->roots = memory_alloc(n, sizeof *m->roots);
	for (size_t i = 0; i < n; i++) {
		const struct elimination_step *s = &net->order->steps[i];
		struct shape_of_table t = table_shape(net, s);

		m->sizes[i] = (struct step_sizes){ t.rows, t.width, message_width(net, s) };
		total += t.rows * m->sizes[i].message;
		larger(&table, t.rows * t.width);
		/* between two radices a half-done projection is no larger than the larger end */
		larger(&row, t.width);
		larger(&row, m->sizes[i].message);
		for (int k = 0; k < s->edge_count; k++)
			larger(&edge, t.width * network_states(net->radix[other_end(net->order, s->edges[k], s->var)], net->levels));
	}
	m->block = memory_alloc(total, sizeof *m->block);
	total = 0;
	for (size_t i = 0; i < n; i++) {
		m->tables[i] = m->block + total;
		total += m->sizes[i].rows * m->sizes[i].message;
	}
	m->table = memory_alloc(table, sizeof *m->table);
	m->row_a = memory_alloc(row, sizeof *m->row_a);
	m->row_b = memory_alloc(row, sizeof *m->row_b);
	m->edge = memory_alloc(edge, sizeof *m->edge);
	m->edge_next = memory_alloc(edge, sizeof *m->edge_next);
}

void messages_free(struct messages *m)
{
	memory_free(m->tables);
	memory_free(m->block);
	memory_free(m->roots);
	memory_free(m->sizes);
	memory_free(m->table);
	memory_free(m->row_a);
	memory_free(m->row_b);
	memory_free(m->edge);
	memory_free(m->edge_next);
	memset(m, 0, sizeof *m);
}

double network_minimise(const struct network *net, struct messages *m, bool *dirty, unsigned long *redone)
{
	double total = 0;

	for (int i = 0; i < net->order->var_count && !cancelled(net); i++) {
		if (dirty != NULL && !dirty[i])
			continue;
		send_message(net, m, i);
		if (redone != NULL)
			++*redone;
		if (dirty != NULL && net->order->steps[i].parent >= 0)
			dirty[net->order->steps[i].parent] = true;
	}
	for (int i = 0; i < net->order->var_count; i++)
		if (net->order->steps[i].parent < 0)
			total += m->roots[i];
	return total;
}

/* ---- decoding ---- */

void network_add_edge(const struct network *net, int edge, int var, size_t other_state, double *costs, double *space)
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
				space[p * radix + own] = so_far + factor * (producer ? net->edge[edge][own][digit] : net->edge[edge][digit][own]);
		}
		states *= radix;
		scale += prefixes;
		prefixes *= net->radix[ends->to];
		prefix = prefix * net->radix[ends->to] + (size_t)digit;
	}
	for (size_t x = 0; x < states; x++)
		costs[x] += space[x];
}

size_t network_cheapest(const struct network *net, int var, const double *costs)
{
	size_t n = network_states(net->radix[var], net->levels), x = 0;
	bool any = unrestricted(net, var);
	double least = row_minimum(net, var, costs, n);

	while (x + 1 < n && !(costs[x] <= least + fabs(least) * tie_slack && (any || network_state_allowed(net, var, x))))
		x++;
	return x;
}

/* Costs of a step's variable, everything later being decided. */
static void conditional_costs(const struct network *net, struct messages *m, const struct elimination_step *s,
	const size_t *states, double *costs)
{
	struct shape_of_table t = table_shape(net, s);
	size_t strides[DIMENSIONS_MAX];

	memcpy(costs, net->unary[s->var], t.width * sizeof *costs);
	for (int c = 0; c < s->child_count; c++) {
		const double *table = m->tables[s->children[c]];
		size_t offset = 0;

		message_strides(net, &net->order->steps[s->children[c]], &t, strides);
		for (int d = 0; d < t.count - 1; d++)
			offset += strides[d] * states[t.vars[d]];
		for (size_t x = 0; x < t.width; x++)
			costs[x] += table[offset + x * strides[t.count - 1]];
	}
	for (int i = -1; i < s->edge_count; i++) {
		int edge = i < 0 ? s->across : s->edges[i];

		if (edge >= 0)
			network_add_edge(net, edge, s->var, states[other_end(net->order, edge, s->var)], costs, m->row_b);
	}
}

void network_decode(const struct network *net, struct messages *m, size_t *states)
{
	for (int i = net->order->var_count - 1; i >= 0 && !cancelled(net); i--) {
		const struct elimination_step *s = &net->order->steps[i];

		conditional_costs(net, m, s, states, m->row_a);
		states[s->var] = network_cheapest(net, s->var, m->row_a);
	}
}

/* ---- marginals ---- */

/* Makes D the belief: the best total for each of its entries, by adding what lies outside the step. */
static void add_outside(const struct network *net, const struct elimination_step *s, const struct shape_of_table *t,
	const double *outside, double *table, double *row, struct messages *m)
{
	size_t width = message_width(net, s);

	for (size_t r = 0; r < t->rows; r++) {
		double *values = table + r * t->width;

		if (s->across >= 0) {
			project(net, s->across, other_end(net->order, s->across, s->var), outside + r * width, row, m);
			for (size_t x = 0; x < t->width; x++)
				values[x] += row[x];
		} else {
			for (size_t x = 0; x < t->width; x++)
				values[x] += outside[r];
		}
	}
}

/* True when every dimension of the row that the strides skip has an allowed state (so it may be minimised over). */
static bool row_allowed(const struct network *net, const struct shape_of_table *t, const struct walk *w, const size_t *strides)
{
	for (int d = 0; d < t->count - 1; d++)
		if (strides[d] == 0 && t->sizes[d] > 1 && !network_state_allowed(net, t->vars[d], w->index[d]))
			return false;
	return true;
}

/* out[offset] = min over what the strides skip of the belief. */
static void project_belief(const struct network *net, const struct shape_of_table *t, const double *belief, const size_t *strides,
	double *out, size_t out_count)
{
	struct walk w = { .offset = 0 };
	size_t step = strides[t->count - 1];
	int var = t->vars[t->count - 1];

	for (size_t i = 0; i < out_count; i++)
		out[i] = INFINITY;
	for (size_t row = 0; row < t->rows; row++, walk_next(&w, t, strides)) {
		const double *values = belief + row * t->width;

		if (!row_allowed(net, t, &w, strides))
			continue;
		for (size_t x = 0; x < t->width; x++)
			if (values[x] < out[w.offset + x * step] && (step > 0 || t->width == 1 || network_state_allowed(net, var, x)))
				out[w.offset + x * step] = values[x];
	}
}

void network_marginals(const struct network *net, struct messages *m, double *const *marginal)
{
	struct messages outside;
	double total = 0;
	size_t strides[DIMENSIONS_MAX];

	messages_new(&outside, net);
	for (int i = 0; i < net->order->var_count; i++)
		if (net->order->steps[i].parent < 0)
			total += m->roots[i];
	for (int i = net->order->var_count - 1; i >= 0 && !cancelled(net); i--) {
		const struct elimination_step *s = &net->order->steps[i];
		struct shape_of_table t = table_shape(net, s);

		if (s->parent < 0)
			outside.tables[i][0] = total - m->roots[i];
		fill_table(net, m, s, &t, m->table);
		/* the other messages' rows are free to be used: they serve only as space */
		add_outside(net, s, &t, outside.tables[i], m->table, outside.row_a, m);
		memset(strides, 0, sizeof strides);
		strides[t.count - 1] = 1;
		project_belief(net, &t, m->table, strides, marginal[s->var], t.width);
		for (int c = 0; c < s->child_count; c++) {
			const struct elimination_step *child = &net->order->steps[s->children[c]];
			size_t entries = m->sizes[s->children[c]].rows * m->sizes[s->children[c]].message;
			double *into = outside.tables[s->children[c]];

			message_strides(net, child, &t, strides);
			project_belief(net, &t, m->table, strides, into, entries);
			for (size_t k = 0; k < entries; k++)
				into[k] -= m->tables[s->children[c]][k];
		}
	}
	messages_free(&outside);
}
