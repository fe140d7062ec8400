/* WHAM, as published and with what exhaustive search taught.  whypar-models(7) 8.3.
 *
 * Published: a tree of dimensions from the largest down, best first; in each node cores are added one kind at a time while operators on the critical path
 * wait for one.  Ours looks at a coarse grid of dimensions, each with as many cores as fit, and from the best of them takes whatever single step, trade of
 * one dimension for another, or turn of rows and columns is better, until nothing is. */
#include "mine/methods.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool in_range(const struct design *d, enum design_axis axis)
{
	return d->log[axis] >= design_axis_least(axis) && d->log[axis] <= design_axis_most(axis);
}

/* By the metric; below its floor by samples a second, so that there is a way up to it. */
static bool better(const struct judged *a, const struct judged *b)
{
	return a->value != b->value ? a->value > b->value : a->value == 0 && a->throughput > b->throughput;
}

/* Takes a design that may be better than *best; tells what came of it. */
static bool take_if_better(struct miner *m, const struct design *d, struct judged *best, enum mine_event_kind how, int *event)
{
	const struct judged *j = space_fits(m->request->space, d) ? miner_try(m, d) : NULL;

	if (j == NULL || !better(j, best))
		return false;
	*best = *j;
	*event = miner_tell(m, how, d, j->value, *event);
	return true;
}

/* ---- as published ---- */

struct node {
	struct design design;            /* its dimensions, and the cores found for it */
	struct judged judged;
	int level, without_gain;
	int event;
};

struct tree {
	struct miner *miner;
	struct node *nodes;              /* open ones */
	size_t count, capacity;
	bool *seen;                      /* of each combination of dimensions */
};

static const enum design_axis dimensions[] = { AXIS_ROWS, AXIS_COLS, AXIS_GLB, AXIS_LANES };
enum { DIMENSIONS = sizeof dimensions / sizeof *dimensions };

/* Lanes, the last, only where they are free. */
static int dimension_count(const struct miner *m)
{
	return DIMENSIONS - !m->request->space->free_lanes;
}

/* A number for each combination of dimensions; of the largest of all, one less than there are. */
static size_t combination(const struct design *d)
{
	size_t at = 0;

	for (int i = 0; i < DIMENSIONS; i++)
		at = at * (size_t)design_axis_size(dimensions[i]) + (size_t)(d->log[dimensions[i]] - design_axis_least(dimensions[i]));
	return at;
}

static struct design largest(void)
{
	struct design d = { .log = { 0 } };

	for (int i = 0; i < DIMENSIONS; i++)
		d.log[dimensions[i]] = (signed char)design_axis_most(dimensions[i]);
	return d;
}

/* From one core of each kind: while an operator on the critical path asks for a core, twice as many of that kind. */
static bool add_cores(struct miner *m, struct node *n)
{
	const struct judged *j;

	n->design.log[AXIS_TC] = n->design.log[AXIS_VC] = 0;
	j = space_fits(m->request->space, &n->design) ? miner_try(m, &n->design) : NULL;
	if (j == NULL)
		return false;
	n->judged = *j;
	n->event = miner_tell(m, MINED_TRIED, &n->design, j->value, n->event);
	for (;;) {
		enum design_axis most = n->judged.asked_tc >= n->judged.asked_vc ? AXIS_TC : AXIS_VC;
		bool added = false;

		for (int i = 0; i < 2 && !added; i++) {
			enum design_axis axis = i == 0 ? most : most == AXIS_TC ? AXIS_VC : AXIS_TC;
			struct design more = n->judged.design;

			if ((axis == AXIS_TC ? n->judged.asked_tc : n->judged.asked_vc) <= 0)
				continue;
			more.log[axis]++;
			added = take_if_better(m, &more, &n->judged, MINED_ADDED, &n->event);
		}
		if (!added)
			break;
	}
	n->design = n->judged.design;
	miner_tell(m, MINED_KEPT, &n->design, n->judged.value, n->event);
	return true;
}

static void open_node(struct tree *t, const struct node *n)
{
	t->nodes = memory_grow(t->nodes, &t->capacity, t->count + 1, sizeof *t->nodes);
	t->nodes[t->count++] = *n;
}

/* The best open node; of equal ones the first. */
static struct node take_best(struct tree *t)
{
	size_t best = 0;
	struct node n;

	for (size_t i = 1; i < t->count; i++)
		if (better(&t->nodes[i].judged, &t->nodes[best].judged))
			best = i;
	n = t->nodes[best];
	memmove(&t->nodes[best], &t->nodes[best + 1], (t->count - best - 1) * sizeof n);
	t->count--;
	return n;
}

/* Halves each dimension of the node in turn. */
static void branch(struct tree *t, const struct node *parent)
{
	struct miner *m = t->miner;

	miner_tell(m, MINED_BRANCHED, &parent->design, parent->judged.value, parent->event);
	for (int i = 0; i < dimension_count(m) && miner_goes_on(m); i++) {
		struct node child = { .design = parent->design, .level = parent->level + 1, .event = parent->event };

		child.design.log[dimensions[i]]--;
		space_follow(m->request->space, &child.design);
		if (!in_range(&child.design, dimensions[i]) || !in_range(&child.design, AXIS_LANES) || t->seen[combination(&child.design)])
			continue;
		t->seen[combination(&child.design)] = true;
		if (!add_cores(m, &child))
			continue;
		child.without_gain = better(&child.judged, &parent->judged) ? 0 : parent->without_gain + 1;
		if (child.without_gain < m->request->hysteresis) {
			open_node(t, &child);
			continue;
		}
		miner_prune(m, 1);
		miner_tell(m, MINED_PRUNED, &child.design, child.judged.value, child.event);
	}
}

void mine_wham_paper(struct miner *miner)
{
	struct node root = { .design = largest(), .event = -1 };
	struct tree t = { .miner = miner, .seen = memory_alloc(combination(&root.design) + 1, sizeof *t.seen) };

	/* where the largest dimensions do not fit at all, it begins with the largest that do, each halved in turn */
	for (int turn = 0; !space_fits(miner->request->space, &root.design) && turn < 64; turn++) {
		enum design_axis axis = dimensions[turn % dimension_count(miner)];

		if (root.design.log[axis] > design_axis_least(axis))
			root.design.log[axis]--;
		space_follow(miner->request->space, &root.design);
	}
	t.seen[combination(&root.design)] = true;
	if (add_cores(miner, &root))
		open_node(&t, &root);
	while (t.count > 0 && miner_goes_on(miner)) {
		struct node n = take_best(&t);

		branch(&t, &n);
	}
	memory_free(t.nodes);
	memory_free(t.seen);
}

/* ---- ours ---- */

/* By what exhaustive search of all models in data/ within many budgets showed to be enough; after ENOUGH designs no narrow descent begins, so that they stay
 * well below a fiftieth of all. */
enum { DESCENTS = 14, WIDE_DESCENTS = 2, APART = 3, ENOUGH = 600 };

static bool has_less(const struct design *d, enum design_axis axis)
{
	return d->log[axis] > design_axis_least(axis);
}

/* As many cores as fit, of each kind in turn; where not even one does, the buffer is made smaller, then the cores.  False when nothing fits. */
static bool fill(struct miner *m, struct design *d)
{
	bool grew = true;

	space_follow(m->request->space, d);
	d->log[AXIS_TC] = d->log[AXIS_VC] = 0;
	while (!space_fits(m->request->space, d)) {
		enum design_axis axis = has_less(d, AXIS_GLB) ? AXIS_GLB : d->log[AXIS_ROWS] > d->log[AXIS_COLS] ? AXIS_ROWS : AXIS_COLS;

		if (!has_less(d, axis))
			return false;
		d->log[axis]--;
		space_follow(m->request->space, d);
	}
	while (grew) {
		grew = false;
		for (int i = 0; i < 2; i++) {
			struct design more = *d;

			more.log[i == 0 ? AXIS_TC : AXIS_VC]++;
			if (!space_fits(m->request->space, &more))
				continue;
			*d = more;
			grew = true;
		}
	}
	return true;
}

/* A step along one axis, or along two at once; or rows for columns, with as many lanes in all. */
struct move {
	signed char by[AXIS_COUNT];
	bool trade, turn;
};

static struct design moved(const struct miner *m, const struct design *from, const struct move *move)
{
	struct design d = *from;

	for (int axis = 0; axis < AXIS_COUNT; axis++)
		d.log[axis] = (signed char)(d.log[axis] + move->by[axis]);
	if (move->turn) {
		d.log[AXIS_ROWS] = from->log[AXIS_COLS];
		d.log[AXIS_COLS] = from->log[AXIS_ROWS];
	}
	space_follow(m->request->space, &d);
	if (move->turn)
		d.log[AXIS_VC] = (signed char)(d.log[AXIS_VC] + from->log[AXIS_LANES] - d.log[AXIS_LANES]);
	return d;
}

enum { MOVES_MAX = 256 };

/* Steps of one and trades of one for one; wide: of up to two, and both at once, too. */
static int make_moves(const struct miner *m, bool wide, struct move moves[MOVES_MAX])
{
	static const signed char pairs[][2] = { { 1, -1 }, { 2, -1 }, { 1, -2 }, { 2, -2 }, { 1, 1 }, { -1, -1 } }, singles[] = { 1, -1, 2, -2 };
	int axes = space_dimensions(m->request->space), count = 0;

	for (int a = 0; a < axes; a++)
		for (int i = 0; i < (wide ? 4 : 2); i++) {
			moves[count] = (struct move){ .trade = false };
			moves[count++].by[a] = singles[i];
		}
	for (int a = 0; a < axes; a++)
		for (int b = 0; b < axes; b++)
			for (int i = 0; a != b && i < (wide ? 6 : 1) && count < MOVES_MAX - 1; i++) {
				if (i >= 4 && a > b)     /* the same both ways */
					continue;
				moves[count] = (struct move){ .trade = true };
				moves[count].by[a] = pairs[i][0];
				moves[count++].by[b] = pairs[i][1];
			}
	moves[count++] = (struct move){ .trade = true, .turn = true };
	return count;
}

/* Moves while some move is better, each as often as it is; then nothing next to it is. */
static void descend(struct miner *m, struct judged *at, bool wide, int event)
{
	struct move moves[MOVES_MAX];
	int count = make_moves(m, wide, moves), failed = 0;

	for (int i = 0; failed < count && miner_goes_on(m);) {
		struct design d = moved(m, &at->design, &moves[i]);

		if (take_if_better(m, &d, at, moves[i].trade ? MINED_TRADED : MINED_STEPPED, &event)) {
			failed = 0;
			continue;
		}
		failed++;
		i = (i + 1) % count;
	}
	if (failed == count)
		miner_tell(m, MINED_SETTLED, &at->design, at->value, event);
}

/* Where the search begins and where it has come to, best last. */
struct places {
	struct judged *items;
	size_t count, capacity;
};

static void add_place(struct places *p, const struct judged *j)
{
	size_t at = p->count;

	for (size_t i = 0; i < p->count; i++)
		if (memcmp(&p->items[i].design, &j->design, sizeof j->design) == 0)
			return;
	p->items = memory_grow(p->items, &p->capacity, p->count + 1, sizeof *p->items);
	for (; at > 0 && !better(j, &p->items[at - 1]); at--)
		p->items[at] = p->items[at - 1];
	p->items[at] = *j;
	p->count++;
}

static void try_place(struct miner *m, const struct design *d, struct places *found)
{
	const struct judged *j = miner_try(m, d);

	if (j == NULL)
		return;
	miner_tell(m, MINED_LOOKED, d, j->value, -1);
	add_place(found, j);
}

/* Of each coarse combination of dimensions, with as many cores as fit. */
static void look_around(struct miner *m, struct places *found)
{
	static const signed char sides[] = { 2, 4, 6, 8 }, buffers[] = { 21, 23, 25, 27 }, lanes[] = { 2, 5, 8 };
	int shapes = 4 * 4, sizes = 4, lane_counts = m->request->space->free_lanes ? 3 : 1;

	for (int at = 0; at < shapes * sizes * lane_counts && miner_goes_on(m); at++) {
		struct design d = { .log = { [AXIS_ROWS] = sides[at % 4], [AXIS_COLS] = sides[at / 4 % 4], [AXIS_GLB] = buffers[at / shapes % sizes], [AXIS_LANES] = lanes[at / (shapes * sizes)] } };

		if (fill(m, &d))
			try_place(m, &d, found);
	}
}

/* So many steps of dimensions between them; of rows that lanes follow two. */
static int distance(const struct design *a, const struct design *b)
{
	int steps = 0;

	for (int i = 0; i < DIMENSIONS; i++)
		steps += abs(a->log[dimensions[i]] - b->log[dimensions[i]]);
	return steps;
}

/* Descends from the best of these, each time forgetting those near it; what that ends in is a place of *ends. */
static void descend_from(struct miner *m, struct places *from, struct places *ends, int times, bool wide)
{
	while (from->count > 0 && times-- > 0 && (wide || m->evaluations < ENOUGH) && miner_goes_on(m)) {
		struct judged at = from->items[from->count - 1];
		size_t kept = 0;

		for (size_t i = 0; i < from->count; i++)
			if (distance(&from->items[i].design, &at.design) >= APART)
				from->items[kept++] = from->items[i];
		from->count = kept;
		descend(m, &at, wide, miner_tell(m, MINED_TRIED, &at.design, at.value, -1));
		add_place(ends, &at);
	}
}

void mine_wham(struct miner *miner)
{
	const struct mine_request *r = miner->request;
	struct places begin = { .items = NULL }, ends = { .items = NULL }, last = { .items = NULL };
	struct design least = space_design(r->space, 0);

	for (int i = 0; i < r->begin_count; i++)
		try_place(miner, &r->begin_with[i], &begin);
	if (r->begin_count == 0)
		look_around(miner, &begin);
	/* where nothing else fits, the smallest design does */
	if (begin.count == 0)
		try_place(miner, &least, &begin);
	descend_from(miner, &begin, &ends, DESCENTS, false);
	descend_from(miner, &ends, &last, WIDE_DESCENTS, true);
	memory_free(begin.items);
	memory_free(ends.items);
	memory_free(last.items);
}
