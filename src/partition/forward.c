/* Forward tables of an elimination, and decoding them backward. */
#include "partition/factors_inside.h"

#include <string.h>

struct table_shape factors_table(const struct factors *net, const struct elimination_step *s)
{
	struct table_shape t;

	t.count = 0;
	t.rows = 1;
	for (int i = 0; i < s->rest_count; i++) {
		t.vars[t.count] = s->rest[i];
		t.sizes[t.count] = factors_states(net->radix[s->rest[i]], net->levels);
		t.rows *= t.sizes[t.count++];
	}
	t.vars[t.count] = s->var;
	t.width = t.sizes[t.count++] = factors_states(net->radix[s->var], net->levels);
	return t;
}

size_t factors_forward_width(const struct factors *net, const struct elimination_step *s)
{
	return s->across < 0 ? 1 : factors_states(net->radix[factors_other_end(net->order, s->across, s->var)], net->levels);
}

void factors_forward_strides(const struct factors *net, const struct elimination_step *child, const struct table_shape *t, size_t *strides)
{
	size_t stride = factors_forward_width(net, child);
	int across = child->across < 0 ? -1 : factors_other_end(net->order, child->across, child->var);

	memset(strides, 0, (size_t)t->count * sizeof *strides);
	for (int i = child->rest_count - 1; i >= 0; i--) {
		for (int d = 0; d < t->count; d++)
			if (t->vars[d] == child->rest[i])
				strides[d] = stride;
		stride *= factors_states(net->radix[child->rest[i]], net->levels);
	}
	for (int d = 0; d < t->count; d++)
		if (t->vars[d] == across)
			strides[d] = 1;
}

void table_walk_next(struct table_walk *w, const struct table_shape *t, const size_t *strides)
{
	for (int d = t->count - 2; d >= 0; d--) {
		w->offset += strides[d];
		if (++w->index[d] < t->sizes[d])
			return;
		w->offset -= strides[d] * t->sizes[d];
		w->index[d] = 0;
	}
}

static void add_table(double *table, const struct table_shape *t, const double *other, const size_t *strides)
{
	struct table_walk w = { .offset = 0 };
	size_t step = strides[t->count - 1];

	for (size_t row = 0; row < t->rows; row++, table_walk_next(&w, t, strides)) {
		double *into = table + row * t->width;

		for (size_t x = 0; x < t->width; x++)
			into[x] += other[w.offset + x * step];
	}
}

/* Writes an edge out as a table [from state][to state], one digit of both ends after the other. */
static const double *write_edge(const struct factors *net, int edge, struct forward_tables *s)
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
					factors_edge_digit(net, edge, h, scale[t / to_radix], (int)(f % from_radix), (int)(t % to_radix));
		scale += tos;
		froms *= from_radix;
		tos *= to_radix;
		now = next;
		next = swap;
	}
	return now;
}

/* Adds a written-out edge to D. */
static void add_edge(const struct factors *net, double *table, const struct table_shape *t, int edge, struct forward_tables *s)
{
	int var = t->vars[t->count - 1], end = factors_other_end(net->order, edge, var);
	bool var_first = net->order->edges[edge].from == var;
	size_t strides[DIMENSIONS_MAX] = { 0 }, tos = factors_states(net->radix[net->order->edges[edge].to], net->levels);

	for (int d = 0; d < t->count - 1; d++)
		if (t->vars[d] == end)
			strides[d] = var_first ? 1 : tos;
	strides[t->count - 1] = var_first ? tos : 1;
	add_table(table, t, write_edge(net, edge, s), strides);
}

void factors_fill_table(const struct factors *net, struct forward_tables *m, const struct elimination_step *s,
	const struct table_shape *t, double *table)
{
	size_t strides[DIMENSIONS_MAX];

	for (size_t row = 0; row < t->rows; row++)
		memcpy(table + row * t->width, net->unary[s->var], t->width * sizeof *table);
	for (int c = 0; c < s->child_count; c++) {
		factors_forward_strides(net, &net->order->steps[s->children[c]], t, strides);
		add_table(table, t, m->tables[s->children[c]], strides);
	}
	for (int i = 0; i < s->edge_count; i++)
		add_edge(net, table, t, s->edges[i], m);
}

static void make_table(const struct factors *net, struct forward_tables *m, int step)
{
	const struct elimination_step *s = &net->order->steps[step];
	struct table_shape t = factors_table(net, s);
	size_t width = m->sizes[step].out;

	factors_fill_table(net, m, s, &t, m->table);
	for (size_t row = 0; row < t.rows; row++) {
		const double *values = m->table + row * t.width;

		if (s->across >= 0)
			factors_project(net, s->across, s->var, values, m->tables[step] + row * width, m);
		else
			m->tables[step][row] = factors_row_minimum(net, s->var, values, t.width);
	}
	if (s->parent < 0)
		m->roots[step] = m->tables[step][0];
}

static void larger(size_t *most, size_t candidate)
{
	if (candidate > *most)
		*most = candidate;
}

void forward_new(struct forward_tables *m, const struct factors *net)
{
	size_t total = 0, n = (size_t)net->order->var_count, table = 1, row = 1, edge = 1;

	m->sizes = memory_alloc(n, sizeof *m->sizes);
	m->tables = memory_alloc(n, sizeof *m->tables);
	m->roots = memory_alloc(n, sizeof *m->roots);
	for (size_t i = 0; i < n; i++) {
		const struct elimination_step *s = &net->order->steps[i];
		struct table_shape t = factors_table(net, s);

		m->sizes[i] = (struct step_sizes){ t.rows, t.width, factors_forward_width(net, s) };
		total += t.rows * m->sizes[i].out;
		larger(&table, t.rows * t.width);
		/* between two radices a half-done projection is no larger than the larger end */
		larger(&row, t.width);
		larger(&row, m->sizes[i].out);
		for (int k = 0; k < s->edge_count; k++)
			larger(&edge, t.width * factors_states(net->radix[factors_other_end(net->order, s->edges[k], s->var)], net->levels));
	}
	m->block = memory_alloc(total, sizeof *m->block);
	total = 0;
	for (size_t i = 0; i < n; i++) {
		m->tables[i] = m->block + total;
		total += m->sizes[i].rows * m->sizes[i].out;
	}
	m->table = memory_alloc(table, sizeof *m->table);
	m->row_a = memory_alloc(row, sizeof *m->row_a);
	m->row_b = memory_alloc(row, sizeof *m->row_b);
	m->edge = memory_alloc(edge, sizeof *m->edge);
	m->edge_next = memory_alloc(edge, sizeof *m->edge_next);
}

void forward_free(struct forward_tables *m)
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

double factors_minimise(const struct factors *net, struct forward_tables *m, bool *dirty, unsigned long *redone)
{
	double total = 0;

	for (int i = 0; i < net->order->var_count && !factors_cancelled(net); i++) {
		if (dirty != NULL && !dirty[i])
			continue;
		make_table(net, m, i);
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

/* Costs of a step's variable, everything later being decided. */
static void conditional_costs(const struct factors *net, struct forward_tables *m, const struct elimination_step *s,
	const size_t *states, double *costs)
{
	struct table_shape t = factors_table(net, s);
	size_t strides[DIMENSIONS_MAX];

	memcpy(costs, net->unary[s->var], t.width * sizeof *costs);
	for (int c = 0; c < s->child_count; c++) {
		const double *table = m->tables[s->children[c]];
		size_t offset = 0;

		factors_forward_strides(net, &net->order->steps[s->children[c]], &t, strides);
		for (int d = 0; d < t.count - 1; d++)
			offset += strides[d] * states[t.vars[d]];
		for (size_t x = 0; x < t.width; x++)
			costs[x] += table[offset + x * strides[t.count - 1]];
	}
	for (int i = -1; i < s->edge_count; i++) {
		int edge = i < 0 ? s->across : s->edges[i];

		if (edge >= 0)
			factors_add_edge(net, edge, s->var, states[factors_other_end(net->order, edge, s->var)], costs, m->row_b);
	}
}

void factors_decode(const struct factors *net, struct forward_tables *m, size_t *states)
{
	for (int i = net->order->var_count - 1; i >= 0 && !factors_cancelled(net); i--) {
		const struct elimination_step *s = &net->order->steps[i];

		conditional_costs(net, m, s, states, m->row_a);
		states[s->var] = factors_cheapest(net, s->var, m->row_a);
	}
}
