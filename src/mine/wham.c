/* WHAM, as published and with what exhaustive search taught.  whypar-models(7) 8.2.
 *
 * Published: a tree of dimensions from the largest down, best first; in each node cores are added one kind at a time while operators on the critical path
 * wait for one.  Ours begins in a few nodes of that tree with as many cores as fit, and then takes whatever single step, or trade of one dimension for
 * another, is better, until nothing is. */
#include "mine/methods.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static bool in_range(const struct design *d, enum design_axis axis)
{
	return d->log[axis] >= design_axis_least(axis) && d->log[axis] <= design_axis_most(axis);
}

/* Lanes follow the rows unless they are a dimension of their own. */
static void follow(const struct miner *m, struct design *d)
{
	if (!m->request->space->free_lanes)
		d->log[AXIS_LANES] = d->log[AXIS_ROWS];
}

static bool fits(const struct miner *m, const struct design *d)
{
	for (int axis = 0; axis < AXIS_COUNT; axis++)
		if (!in_range(d, (enum design_axis)axis))
			return false;
	return space_limit(m->request->space, d) == LIMIT_NONE;
}

/* By the metric; below its floor by samples a second, so that there is a way up to it. */
static bool better(const struct judged *a, const struct judged *b)
{
	return a->value != b->value ? a->value > b->value : a->value == 0 && a->throughput > b->throughput;
}

/* Takes a design that may be better than *best; tells what came of it. */
static bool take_if_better(struct miner *m, const struct design *d, struct judged *best, enum mine_event_kind how, int *event)
{
	const struct judged *j = fits(m, d) ? miner_try(m, d) : NULL;

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

static size_t combination(const struct design *d)
{
	size_t at = 0;

	for (int axis = 0; axis < AXIS_COUNT; axis++)
		if (axis != AXIS_TC && axis != AXIS_VC)
			at = at * (size_t)(design_axis_most((enum design_axis)axis) - design_axis_least((enum design_axis)axis) + 1) + (size_t)(d->log[axis] - design_axis_least((enum design_axis)axis));
	return at;
}

enum { COMBINATIONS = 8 * 8 * 7 * 8 };

/* From one core of each kind: while an operator on the critical path asks for a core, twice as many of that kind. */
static bool add_cores(struct miner *m, struct node *n)
{
	const struct judged *j;

	n->design.log[AXIS_TC] = n->design.log[AXIS_VC] = 0;
	j = fits(m, &n->design) ? miner_try(m, &n->design) : NULL;
	if (j == NULL)
		return false;
	n->judged = *j;
	n->event = miner_tell(m, EVENT_TRIED, &n->design, j->value, n->event);
	for (;;) {
		enum design_axis most = n->judged.asked_tc >= n->judged.asked_vc ? AXIS_TC : AXIS_VC;
		bool added = false;

		for (int i = 0; i < 2 && !added; i++) {
			enum design_axis axis = i == 0 ? most : most == AXIS_TC ? AXIS_VC : AXIS_TC;
			struct design more = n->judged.design;

			if ((axis == AXIS_TC ? n->judged.asked_tc : n->judged.asked_vc) <= 0)
				continue;
			more.log[axis]++;
			added = take_if_better(m, &more, &n->judged, EVENT_ADDED, &n->event);
		}
		if (!added)
			break;
	}
	n->design = n->judged.design;
	miner_tell(m, EVENT_KEPT, &n->design, n->judged.value, n->event);
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
	static const enum design_axis dimensions[] = { AXIS_ROWS, AXIS_COLS, AXIS_GLB, AXIS_LANES };
	struct miner *m = t->miner;

	miner_tell(m, EVENT_BRANCHED, &parent->design, parent->judged.value, parent->event);
	for (int i = 0; i < (m->request->space->free_lanes ? 4 : 3) && !miner_cancelled(m); i++) {
		struct node child = { .design = parent->design, .level = parent->level + 1, .event = parent->event };

		child.design.log[dimensions[i]]--;
		follow(m, &child.design);
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
		miner_tell(m, EVENT_PRUNED, &child.design, child.judged.value, child.event);
	}
}

void mine_wham_paper(struct miner *miner)
{
	struct tree t = { .miner = miner, .seen = memory_alloc(COMBINATIONS, sizeof *t.seen) };
	struct node root = { .event = -1 };

	for (int axis = 0; axis < AXIS_COUNT; axis++)
		root.design.log[axis] = (signed char)design_axis_most((enum design_axis)axis);
	/* where the largest dimensions do not fit at all, it begins with the largest that do, rows and columns halved in turn */
	root.design.log[AXIS_TC] = root.design.log[AXIS_VC] = 0;
	for (int turn = 0; !fits(miner, &root.design) && turn < 64; turn++) {
		enum design_axis axis = turn % 3 == 0 ? AXIS_GLB : turn % 3 == 1 ? AXIS_ROWS : AXIS_COLS;

		if (root.design.log[axis] > design_axis_least(axis))
			root.design.log[axis]--;
		follow(miner, &root.design);
	}
	t.seen[combination(&root.design)] = true;
	if (add_cores(miner, &root))
		open_node(&t, &root);
	while (t.count > 0 && !miner_cancelled(miner)) {
		struct node n = take_best(&t);

		branch(&t, &n);
	}
	memory_free(t.nodes);
	memory_free(t.seen);
}

/* ---- ours ---- */

/* Dimensions to begin with: rows, columns, buffer, as exponents. */
static const signed char beginnings[][3] = { { 8, 8, 27 }, { 7, 7, 25 }, { 5, 5, 24 }, { 3, 3, 23 }, { 8, 4, 25 }, { 4, 8, 25 }, { 8, 1, 25 }, { 2, 7, 24 }, { 6, 6, 22 } };

/* As many cores as fit, of each kind in turn; false when not even one does. */
static bool fill(struct miner *m, struct design *d)
{
	bool grew = true;

	follow(m, d);
	d->log[AXIS_TC] = d->log[AXIS_VC] = 0;
	if (!fits(m, d))
		return false;
	while (grew) {
		grew = false;
		for (int i = 0; i < 2; i++) {
			struct design more = *d;

			more.log[i == 0 ? AXIS_TC : AXIS_VC]++;
			if (!fits(m, &more))
				continue;
			*d = more;
			grew = true;
		}
	}
	return true;
}

/* A step along one axis, or along two at once. */
struct move {
	signed char by[AXIS_COUNT];
	bool trade;
};

enum { MOVES_MAX = 256 };

static int dimensions_of(const struct miner *m)
{
	return m->request->space->free_lanes ? AXIS_COUNT : AXIS_LANES;
}

/* Steps of one and trades of one for one; wide: of up to two, and both at once, too. */
static int make_moves(const struct miner *m, bool wide, struct move moves[MOVES_MAX])
{
	static const signed char pairs[][2] = { { 1, -1 }, { 2, -1 }, { 1, -2 }, { 2, -2 }, { 1, 1 }, { -1, -1 } }, singles[] = { 1, -1, 2, -2 };
	int axes = dimensions_of(m), count = 0;

	for (int a = 0; a < axes; a++)
		for (int i = 0; i < (wide ? 4 : 2); i++) {
			moves[count] = (struct move){ .trade = false };
			moves[count++].by[a] = singles[i];
		}
	for (int a = 0; a < axes; a++)
		for (int b = 0; b < axes; b++)
			for (int i = 0; a != b && i < (wide ? 6 : 1) && count < MOVES_MAX; i++) {
				if (i >= 4 && a > b)     /* the same both ways */
					continue;
				moves[count] = (struct move){ .trade = true };
				moves[count].by[a] = pairs[i][0];
				moves[count++].by[b] = pairs[i][1];
			}
	return count;
}

/* Moves while some move is better, each as often as it is; then nothing next to it is. */
static void descend(struct miner *m, struct judged *at, bool wide, int event)
{
	struct move moves[MOVES_MAX];
	int count = make_moves(m, wide, moves), failed = 0;

	for (int i = 0; failed < count && !miner_cancelled(m);) {
		struct design d = at->design;

		for (int axis = 0; axis < AXIS_COUNT; axis++)
			d.log[axis] = (signed char)(d.log[axis] + moves[i].by[axis]);
		follow(m, &d);
		if (take_if_better(m, &d, at, moves[i].trade ? EVENT_TRADED : EVENT_ADDED, &event)) {
			failed = 0;
			continue;
		}
		failed++;
		i = (i + 1) % count;
	}
	miner_tell(m, EVENT_SETTLED, &at->design, at->value, event);
}

/* Descends from a design; what it ends in takes the place of *best where it is better. */
static void begin_at(struct miner *m, const struct design *d, struct judged *best, bool *any)
{
	const struct judged *j = miner_try(m, d);
	struct judged at;

	if (j == NULL)
		return;
	at = *j;
	descend(m, &at, false, miner_tell(m, EVENT_TRIED, d, at.value, -1));
	if (!*any || better(&at, best))
		*best = at;
	*any = true;
}

void mine_wham(struct miner *miner)
{
	const struct mine_request *r = miner->request;
	struct judged best = { .value = 0 };
	bool any = false;

	/* with a search to go on from, from the best that it knew */
	if (r->known_count > 0)
		begin_at(miner, &r->known[0], &best, &any);
	for (size_t i = 0; r->known_count == 0 && i < sizeof beginnings / sizeof *beginnings && !miner_cancelled(miner); i++) {
		struct design d = { .log = { [AXIS_ROWS] = beginnings[i][0], [AXIS_COLS] = beginnings[i][1], [AXIS_GLB] = beginnings[i][2], [AXIS_LANES] = beginnings[i][0] } };

		if (fill(miner, &d))
			begin_at(miner, &d, &best, &any);
	}
	/* where none of them fits, the smallest design does */
	if (!any) {
		struct design d = space_design(r->space, 0);

		begin_at(miner, &d, &best, &any);
	}
	if (any)
		descend(miner, &best, true, miner_tell(miner, EVENT_TRIED, &best.design, best.value, -1));
}
