/* The order of elimination: which variable goes when, and what its message ranges over. */
#include "partition/order.h"

#include <stdlib.h>
#include <string.h>

/* Neighbours of a variable among those not eliminated yet, ascending. */
struct neighbours {
	int *vars;
	size_t capacity;
	int count;
};

/* A candidate in the heap; stale ones are skipped when popped. */
struct candidate {
	long fill;
	int var;
};

struct game {
	struct neighbours *of;
	long *fill;
	bool *gone;
	struct candidate *heap;
	size_t heap_count, heap_capacity;
};

/* Beyond this many neighbours the fill is bounded, not counted: such a variable goes late anyway. */
enum { COUNTED_NEIGHBOURS = 48 };

static int find_place(const struct neighbours *n, int var)
{
	int low = 0, high = n->count;

	while (low < high) {
		int middle = (low + high) / 2;

		if (n->vars[middle] < var)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_neighbour(const struct neighbours *n, int var)
{
	int place = find_place(n, var);

	return place < n->count && n->vars[place] == var;
}

static void add_neighbour(struct neighbours *n, int var)
{
	int place = find_place(n, var);

	if (place < n->count && n->vars[place] == var)
		return;
	n->vars = memory_grow(n->vars, &n->capacity, (size_t)n->count + 1, sizeof *n->vars);
	memmove(&n->vars[place + 1], &n->vars[place], (size_t)(n->count - place) * sizeof *n->vars);
	n->vars[place] = var;
	n->count++;
}

static void remove_neighbour(struct neighbours *n, int var)
{
	int place = find_place(n, var);

	memmove(&n->vars[place], &n->vars[place + 1], (size_t)(n->count - place - 1) * sizeof *n->vars);
	n->count--;
}

static bool before(struct candidate a, struct candidate b)
{
	return a.fill < b.fill || (a.fill == b.fill && a.var < b.var);
}

static void heap_push(struct game *g, struct candidate c)
{
	size_t i = g->heap_count++;

	g->heap = memory_grow(g->heap, &g->heap_capacity, g->heap_count, sizeof *g->heap);
	for (; i > 0 && before(c, g->heap[(i - 1) / 2]); i = (i - 1) / 2)
		g->heap[i] = g->heap[(i - 1) / 2];
	g->heap[i] = c;
}

static struct candidate heap_pop(struct game *g)
{
	struct candidate top = g->heap[0], last = g->heap[--g->heap_count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < g->heap_count) {
		if (child + 1 < g->heap_count && before(g->heap[child + 1], g->heap[child]))
			child++;
		if (!before(g->heap[child], last))
			break;
		g->heap[i] = g->heap[child];
		i = child;
	}
	g->heap[i] = last;
	return top;
}

/* Edges that eliminating the variable would add. */
static long fill_of(const struct game *g, int var)
{
	const struct neighbours *n = &g->of[var];
	long fill = 0;

	if (n->count > COUNTED_NEIGHBOURS)
		return (long)n->count * (n->count - 1) / 2;
	for (int i = 0; i < n->count; i++)
		for (int j = i + 1; j < n->count; j++)
			fill += !has_neighbour(&g->of[n->vars[i]], n->vars[j]);
	return fill;
}

static void consider(struct game *g, int var)
{
	g->fill[var] = fill_of(g, var);
	heap_push(g, (struct candidate){ g->fill[var], var });
}

/* Takes var out and connects its neighbours.  Their fill changes, and that of the neighbours of new edges. */
static void take_out(struct game *g, int var)
{
	struct neighbours *n = &g->of[var];

	g->gone[var] = true;
	for (int i = 0; i < n->count; i++)
		remove_neighbour(&g->of[n->vars[i]], var);
	for (int i = 0; i < n->count; i++)
		for (int j = i + 1; j < n->count; j++) {
			add_neighbour(&g->of[n->vars[i]], n->vars[j]);
			add_neighbour(&g->of[n->vars[j]], n->vars[i]);
		}
	for (int i = 0; i < n->count; i++)
		consider(g, n->vars[i]);
	if (n->count <= 2 && n->count > 0) {
		/* a new edge between two variables lowers the fill of what they share */
		const struct neighbours *first = &g->of[n->vars[0]];

		if (first->count <= COUNTED_NEIGHBOURS)
			for (int i = 0; i < first->count; i++)
				consider(g, first->vars[i]);
	}
}

static int pop_least(struct game *g)
{
	for (;;) {
		struct candidate c = heap_pop(g);

		if (!g->gone[c.var] && g->fill[c.var] == c.fill)
			return c.var;
	}
}

/* Plays the elimination game; fills order[] and, for each variable, its neighbours when it was taken out. */
static void play(struct elimination *e, int *order, struct neighbours *separators)
{
	size_t n = (size_t)e->var_count;
	struct game g = { .of = separators, .fill = memory_alloc(n, sizeof *g.fill), .gone = memory_alloc(n, sizeof *g.gone) };

	for (int i = 0; i < e->edge_count; i++)
		if (e->edges[i].elements >= 0) {
			add_neighbour(&separators[e->edges[i].from], e->edges[i].to);
			add_neighbour(&separators[e->edges[i].to], e->edges[i].from);
		}
	for (int v = 0; v < e->var_count; v++)
		consider(&g, v);
	for (int i = 0; i < e->var_count; i++) {
		order[i] = pop_least(&g);
		take_out(&g, order[i]);
	}
	memory_free(g.fill);
	memory_free(g.gone);
	memory_free(g.heap);
}

/* Edges of each variable, used ones only: counted, then listed. */
struct incidence {
	int *first, *edges;
};

static struct incidence list_incidence(const struct elimination *e)
{
	struct incidence in = { memory_alloc((size_t)e->var_count + 2, sizeof(int)), memory_alloc(2 * (size_t)e->edge_count, sizeof(int)) };

	for (int i = 0; i < e->edge_count; i++)
		if (e->edges[i].elements >= 0) {
			in.first[e->edges[i].from + 2]++;
			in.first[e->edges[i].to + 2]++;
		}
	for (int v = 0; v < e->var_count; v++)
		in.first[v + 2] += in.first[v + 1];
	for (int i = 0; i < e->edge_count; i++)
		if (e->edges[i].elements >= 0) {
			in.edges[in.first[e->edges[i].from + 1]++] = i;
			in.edges[in.first[e->edges[i].to + 1]++] = i;
		}
	return in;
}

static bool in_list(const int *list, int count, int value)
{
	for (int i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

static int other_end(const struct problem_edge *edge, int var)
{
	return edge->from == var ? edge->to : edge->from;
}

/* True when some child's message ranges over the variable. */
static bool child_reaches(const struct elimination *e, const struct elimination_step *s, int var)
{
	for (int c = 0; c < s->child_count; c++) {
		const struct elimination_step *child = &e->steps[s->children[c]];

		if (in_list(child->rest, child->rest_count, var))
			return true;
		if (child->across >= 0 && other_end(&e->edges[child->across], child->var) == var)
			return true;
	}
	return false;
}

/* Splits a step's edges into the one to go across and those written out, and its separator likewise. */
static void finish_step(struct elimination *e, struct elimination_step *s, const struct neighbours *separator)
{
	int target = -1, kept = 0;

	s->across = -1;
	for (int i = 0; i < s->edge_count; i++) {
		int end = other_end(&e->edges[s->edges[i]], s->var);

		if (end > target && !child_reaches(e, s, end)) {
			target = end;
			s->across = s->edges[i];
		}
	}
	for (int i = 0; i < s->edge_count; i++)
		if (s->edges[i] != s->across)
			s->edges[kept++] = s->edges[i];
	s->edge_count = kept;
	s->rest = arena_alloc(&e->arena, (size_t)separator->count, sizeof *s->rest);
	for (int i = 0; i < separator->count; i++)
		if (separator->vars[i] != target)
			s->rest[s->rest_count++] = separator->vars[i];
}

static void build_steps(struct elimination *e, const int *order, const struct neighbours *separators)
{
	struct incidence in = list_incidence(e);
	int *child_first = memory_alloc((size_t)e->var_count + 1, sizeof *child_first), *children;

	for (int i = 0; i < e->var_count; i++)
		e->step_of_var[order[i]] = i;
	for (int i = 0; i < e->var_count; i++) {
		struct elimination_step *s = &e->steps[i];
		const struct neighbours *n = &separators[order[i]];

		s->var = order[i];
		s->parent = -1;
		for (int k = 0; k < n->count; k++) {
			int step = e->step_of_var[n->vars[k]];

			if (s->parent < 0 || step < s->parent)
				s->parent = step;
		}
		if (s->parent >= 0)
			child_first[s->parent + 1]++;
	}
	for (int i = 0; i < e->var_count; i++)
		child_first[i + 1] += child_first[i];
	children = arena_alloc(&e->arena, (size_t)e->var_count, sizeof *children);
	for (int i = 0; i < e->var_count; i++) {
		struct elimination_step *s = &e->steps[i];
		int first = in.first[s->var], last = in.first[s->var + 1];

		s->children = &children[child_first[i]];
		s->edges = arena_alloc(&e->arena, (size_t)(last - first), sizeof *s->edges);
		for (int k = first; k < last; k++)
			if (e->step_of_var[other_end(&e->edges[in.edges[k]], s->var)] > i)
				s->edges[s->edge_count++] = in.edges[k];
		finish_step(e, s, &separators[s->var]);
		if (s->parent >= 0) {
			struct elimination_step *parent = &e->steps[s->parent];

			/* the parent comes later, so its own list is not laid out yet: find it by child_first */
			children[child_first[s->parent] + parent->child_count++] = i;
		}
	}
	memory_free(child_first);
	memory_free(in.first);
	memory_free(in.edges);
}

struct elimination *elimination_new(const struct problem *problem, const bool *keep)
{
	struct elimination *e = memory_alloc(1, sizeof *e);
	size_t n = (size_t)problem->var_count;
	struct neighbours *separators = memory_alloc(n, sizeof *separators);
	int *order = memory_alloc(n, sizeof *order);

	e->var_count = problem->var_count;
	e->edge_count = problem->edge_count;
	e->edges = arena_alloc(&e->arena, (size_t)problem->edge_count, sizeof *e->edges);
	memcpy(e->edges, problem->edges, (size_t)problem->edge_count * sizeof *e->edges);
	for (int i = 0; keep != NULL && i < e->edge_count; i++)
		if (!keep[i])
			e->edges[i].elements = -1;       /* not used */
	e->steps = arena_alloc(&e->arena, n, sizeof *e->steps);
	e->step_of_var = arena_alloc(&e->arena, n, sizeof *e->step_of_var);
	play(e, order, separators);
	build_steps(e, order, separators);
	for (size_t i = 0; i < n; i++)
		memory_free(separators[i].vars);
	memory_free(separators);
	memory_free(order);
	return e;
}

void elimination_free(struct elimination *e)
{
	if (e == NULL)
		return;
	arena_free(&e->arena);
	memory_free(e);
}
