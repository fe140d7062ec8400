#include "model/profiled.h"

#include <stdlib.h>
#include <string.h>

void profiled_free(struct profiled_graph *g)
{
	struct arena arena = g->arena;

	*g = (struct profiled_graph){ .layer_count = 0 };
	arena_free(&arena);
}

/* An edge of a circle among the layers that never became ready: each of them has a producer that did not either, and so the way back from any
 * of them meets itself. */
static int find_circle(int count, const struct profiled_edge *edges, int edge_count, const int *missing)
{
	int *producer = memory_alloc((size_t)count, sizeof *producer), at = 0, edge;

	for (int e = 0; e < edge_count; e++)
		if (missing[edges[e].from] > 0 && missing[edges[e].to] > 0)
			producer[edges[e].to] = e;
	while (missing[at] <= 0)
		at++;
	for (int steps = 0; steps < count; steps++)
		at = edges[producer[at]].from;
	edge = producer[at];
	memory_free(producer);
	return edge;
}

bool profiled_order(int count, const struct profiled_edge *edges, int edge_count, int *order, int *closing)
{
	int *missing = memory_alloc((size_t)count, sizeof *missing), *first = memory_alloc((size_t)count + 1, sizeof *first);
	int *out = memory_alloc((size_t)edge_count, sizeof *out), done = 0;

	for (int e = 0; e < edge_count; e++) {
		missing[edges[e].to]++;
		first[edges[e].from + 1]++;
	}
	for (int v = 0; v < count; v++)
		first[v + 1] += first[v];
	/* first[v + 1], where v's edges end, becomes where they begin */
	for (int e = edge_count - 1; e >= 0; e--)
		out[--first[edges[e].from + 1]] = e;
	while (done < count) {
		int next = 0, end;

		while (next < count && missing[next] != 0)
			next++;
		if (next == count)
			break;
		missing[next] = -1;
		order[done++] = next;
		end = next + 2 <= count ? first[next + 2] : edge_count;
		for (int k = first[next + 1]; k < end; k++)
			missing[edges[out[k]].to]--;
	}
	if (done < count)
		*closing = find_circle(count, edges, edge_count, missing);
	memory_free(missing);
	memory_free(first);
	memory_free(out);
	return done == count;
}

struct sorted_edge {
	struct profiled_edge edge;
	int was;                 /* its place before */
};

static int by_end(const void *a, const void *b)
{
	const struct sorted_edge *x = a, *y = b;

	if (x->edge.to != y->edge.to)
		return x->edge.to - y->edge.to;
	return x->edge.from != y->edge.from ? x->edge.from - y->edge.from : x->was - y->was;
}

static void sort_edges(struct profiled_graph *g)
{
	struct sorted_edge *sorted = memory_alloc((size_t)g->edge_count, sizeof *sorted);
	double *bytes = memory_alloc((size_t)g->edge_count, sizeof *bytes);
	int kept = 0;

	for (int e = 0; e < g->edge_count; e++)
		sorted[e] = (struct sorted_edge){ g->edges[e], e };
	if (g->edge_count > 0)
		qsort(sorted, (size_t)g->edge_count, sizeof *sorted, by_end);
	for (int e = 0; e < g->edge_count; e++)
		if (e == 0 || sorted[e].edge.to != sorted[e - 1].edge.to || sorted[e].edge.from != sorted[e - 1].edge.from)
			sorted[kept++] = sorted[e];
	for (int e = 0; e < kept; e++)
		g->edges[e] = sorted[e].edge;
	for (int k = 0; k < g->variant_count; k++) {
		for (int e = 0; e < kept; e++)
			bytes[e] = g->variants[k].bytes[sorted[e].was];
		memcpy(g->variants[k].bytes, bytes, (size_t)kept * sizeof *bytes);
	}
	g->edge_count = kept;
	memory_free(sorted);
	memory_free(bytes);
}

enum status profiled_put_in_order(const char *path, struct profiled_graph *g, struct diagnostic *d)
{
	size_t count = (size_t)g->layer_count;
	int *order = memory_alloc(count, sizeof *order), *place = memory_alloc(count, sizeof *place), closing = 0;
	struct profiled_layer *layers = arena_alloc(&g->arena, count, sizeof *layers);

	if (!profiled_order(g->layer_count, g->edges, g->edge_count, order, &closing)) {
		const struct profiled_edge *e = &g->edges[closing];

		diagnostic_fail(d, STATUS_INPUT, "%.60s -- %.60s closes a circle: what a layer reads must come from layers before it; take one edge of the circle out", g->layers[e->from].name,
			g->layers[e->to].name);
		diagnostic_place(d, path, e->line, e->line > 0 ? 1 : 0);
		memory_free(order);
		memory_free(place);
		return STATUS_INPUT;
	}
	for (int i = 0; i < g->layer_count; i++) {
		place[order[i]] = i;
		layers[i] = g->layers[order[i]];
	}
	g->layers = layers;
	for (int k = 0; k < g->variant_count; k++) {
		struct profiled_cost *costs = arena_alloc(&g->arena, count, sizeof *costs);

		for (int i = 0; i < g->layer_count; i++)
			costs[i] = g->variants[k].costs[order[i]];
		g->variants[k].costs = costs;
	}
	for (int e = 0; e < g->edge_count; e++) {
		g->edges[e].from = place[g->edges[e].from];
		g->edges[e].to = place[g->edges[e].to];
	}
	sort_edges(g);
	memory_free(order);
	memory_free(place);
	return STATUS_OK;
}
