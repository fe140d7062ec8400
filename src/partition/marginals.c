/* Min-marginals: looking back over an elimination, the best total with each single state forced. */
#include "partition/factors_inside.h"

#include <math.h>
#include <string.h>

/* Makes D the belief: the best total for each of its entries, by adding what lies outside the step. */
static void add_outside(const struct factors *net, const struct elimination_step *s, const struct table_shape *t,
	const double *outside, double *table, double *row, struct forward_tables *m)
{
	size_t width = factors_forward_width(net, s);

	for (size_t r = 0; r < t->rows; r++) {
		double *values = table + r * t->width;

		if (s->across >= 0) {
			factors_project(net, s->across, factors_other_end(net->order, s->across, s->var), outside + r * width, row, m);
			for (size_t x = 0; x < t->width; x++)
				values[x] += row[x];
		} else {
			for (size_t x = 0; x < t->width; x++)
				values[x] += outside[r];
		}
	}
}

/* True when every dimension of the row that the strides skip has an allowed state (so it may be minimised over). */
static bool row_allowed(const struct factors *net, const struct table_shape *t, const struct table_walk *w, const size_t *strides)
{
	for (int d = 0; d < t->count - 1; d++)
		if (strides[d] == 0 && t->sizes[d] > 1 && !factors_state_allowed(net, t->vars[d], w->index[d]))
			return false;
	return true;
}

/* out[offset] = min over what the strides skip of the belief. */
static void project_belief(const struct factors *net, const struct table_shape *t, const double *belief, const size_t *strides,
	double *out, size_t out_count)
{
	struct table_walk w = { .offset = 0 };
	size_t step = strides[t->count - 1];
	int var = t->vars[t->count - 1];

	for (size_t i = 0; i < out_count; i++)
		out[i] = INFINITY;
	for (size_t row = 0; row < t->rows; row++, table_walk_next(&w, t, strides)) {
		const double *values = belief + row * t->width;

		if (!row_allowed(net, t, &w, strides))
			continue;
		for (size_t x = 0; x < t->width; x++)
			if (values[x] < out[w.offset + x * step] && (step > 0 || t->width == 1 || factors_state_allowed(net, var, x)))
				out[w.offset + x * step] = values[x];
	}
}

void factors_marginals(const struct factors *net, struct forward_tables *m, double *const *marginal)
{
	struct forward_tables outside;
	double total = 0;
	size_t strides[DIMENSIONS_MAX];

	forward_new(&outside, net);
	for (int i = 0; i < net->order->var_count; i++)
		if (net->order->steps[i].parent < 0)
			total += m->roots[i];
	for (int i = net->order->var_count - 1; i >= 0 && !factors_cancelled(net); i--) {
		const struct elimination_step *s = &net->order->steps[i];
		struct table_shape t = factors_table(net, s);

		if (s->parent < 0)
			outside.tables[i][0] = total - m->roots[i];
		factors_fill_table(net, m, s, &t, m->table);
		/* the other tables' rows are free to be used: they serve only as space */
		add_outside(net, s, &t, outside.tables[i], m->table, outside.row_a, m);
		memset(strides, 0, sizeof strides);
		strides[t.count - 1] = 1;
		project_belief(net, &t, m->table, strides, marginal[s->var], t.width);
		for (int c = 0; c < s->child_count; c++) {
			const struct elimination_step *child = &net->order->steps[s->children[c]];
			size_t entries = m->sizes[s->children[c]].rows * m->sizes[s->children[c]].out;
			double *into = outside.tables[s->children[c]];

			factors_forward_strides(net, child, &t, strides);
			project_belief(net, &t, m->table, strides, into, entries);
			for (size_t k = 0; k < entries; k++)
				into[k] -= m->tables[s->children[c]][k];
		}
	}
	forward_free(&outside);
}
