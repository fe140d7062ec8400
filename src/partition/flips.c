/* Where a choice changes as the batch grows, exactly.  MODELS 2.6.
 *
 * With the levels above held, a level's cost under fixed choices is a line in the batch B, so the optimum is concave
 * and piecewise linear: its corners are found by intersecting lines and testing.  Between two corners the set of optimal plans,
 * and so the solver's pick among ties, is constant; at whole batches next to a corner the solver itself is asked. */
#include "partition/why.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
	double constant, slope;
};

struct numbers {
	double *items;
	size_t count, capacity;
};

/* The levels 1 .. level - 1 are pinned to what the solver chose there; `level` itself is looked at. */
struct scan {
	const struct why_context *c;
	struct search *probe;
	int row, target;         /* the question */
	signed char *pins;       /* variable x LEVELS_MAX */
	struct flips *flips;
	bool joint;
	enum status status;
};

static struct plan *solve_at(struct scan *s, double batch, int level, struct plan_request *request)
{
	struct plan *plan;

	*request = *s->c->request;
	request->batch = batch;
	request->pins = s->pins;
	if (!s->joint)
		request->levels = level;
	plan = search_plan(s->probe, request, s->c->cancel);
	if (plan != NULL && plan->exact)
		return plan;
	s->status = plan == NULL ? STATUS_INTERRUPTED : STATUS_INFEASIBLE;
	plan_free(plan);
	return NULL;
}

static struct line line_at(struct scan *s, double batch, int level)
{
	struct plan_request request;
	struct plan *plan = solve_at(s, batch, level, &request);
	struct line line = { 0, 0 };

	if (plan != NULL)
		plan_cost_line(s->c->problem, &request, plan, s->joint ? 0 : level, &line.constant, &line.slope);
	plan_free(plan);
	return line;
}

static double value_at(struct line line, double batch)
{
	return line.constant + line.slope * batch;
}

static bool same_line(struct line a, struct line b)
{
	return a.constant == b.constant && a.slope == b.slope;
}

static void add_corner(struct numbers *corners, double corner)
{
	corners->items = memory_grow(corners->items, &corners->capacity, corners->count + 1, sizeof *corners->items);
	corners->items[corners->count++] = corner;
}

/* Corners of the optimum between two batches, given an optimal line at each.  A corner too many does no harm: the whole
 * batches beside it are asked one by one. */
static void find_corners(struct scan *s, int level, double low, struct line at_low, double high, struct line at_high, struct numbers *corners)
{
	double corner = (at_high.constant - at_low.constant) / (at_low.slope - at_high.slope);
	struct line between;

	if (s->status != STATUS_OK || !isfinite(corner))
		return;
	if (corner <= low || corner >= high) {
		/* the lines meet at an end */
		add_corner(corners, corner <= low ? low : high);
		return;
	}
	between = line_at(s, corner, level);
	if (same_line(between, at_low) || same_line(between, at_high) || value_at(between, corner) >= value_at(at_low, corner)) {
		add_corner(corners, corner);
		return;
	}
	find_corners(s, level, low, at_low, corner, between, corners);
	find_corners(s, level, corner, between, high, at_high, corners);
}

static void add_segment(struct flips *f, long from, long to, int state)
{
	if (f->count > 0 && f->segments[f->count - 1].state == state && f->segments[f->count - 1].to + 1 == from) {
		f->segments[f->count - 1].to = to;
		return;
	}
	f->segments = memory_grow(f->segments, &f->capacity, f->count + 1, sizeof *f->segments);
	f->segments[f->count++] = (struct flip_segment){ from, to, state };
}

static void scan_level(struct scan *s, int level, long from, long to);

/* Batches from .. to share all choices at `level`: go a level deeper, or note the answer. */
static void settle_range(struct scan *s, int level, long from, long to)
{
	struct plan_request request;
	struct plan *plan;

	if (from > to || s->status != STATUS_OK)
		return;
	plan = solve_at(s, (double)from, level, &request);
	if (plan == NULL)
		return;
	if (s->joint || level == s->target) {
		add_segment(s->flips, from, to, plan_state(plan, s->row, s->target));
	} else {
		for (int v = 0; v < s->c->problem->var_count; v++)
			s->pins[v * LEVELS_MAX + level - 1] = (signed char)plan_state(plan, s->c->problem->vars[v].row, level);
		scan_level(s, level + 1, from, to);
		for (int v = 0; v < s->c->problem->var_count; v++)
			s->pins[v * LEVELS_MAX + level - 1] = s->c->request->pins != NULL ? s->c->request->pins[v * LEVELS_MAX + level - 1] : NO_STATE;
	}
	plan_free(plan);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void scan_level(struct scan *s, int level, long from, long to)
{
	struct numbers corners = { 0 };
	long next = from;

	find_corners(s, level, (double)from, line_at(s, (double)from, level), (double)to, line_at(s, (double)to, level), &corners);
	if (corners.count > 0)
		qsort(corners.items, corners.count, sizeof *corners.items, ascending);
	/* the ends may be corners themselves, so each stands alone, as do the whole batches on both sides of a corner */
	settle_range(s, level, from, from);
	next = from + 1;
	for (size_t i = 0; i < corners.count; i++) {
		long below = (long)floor(corners.items[i]), above = (long)ceil(corners.items[i]);

		settle_range(s, level, next, below - 1);
		next = below > next ? below : next;
		for (; next <= above && next < to; next++)
			settle_range(s, level, next, next);
	}
	settle_range(s, level, next, to - 1);
	if (to > from)
		settle_range(s, level, to, to);
	memory_free(corners.items);
}

enum status why_flips(const struct why_context *c, struct search *probe, int row, int level, struct flips *flips)
{
	size_t cells = (size_t)c->problem->var_count * LEVELS_MAX;
	struct scan s = { .c = c, .probe = probe, .row = row, .target = level, .flips = flips,
		.joint = c->request->solver == SOLVER_JOINT, .pins = memory_alloc(cells, 1) };

	memset(flips, 0, sizeof *flips);
	if (c->request->pins != NULL)
		memcpy(s.pins, c->request->pins, cells);
	else
		memset(s.pins, NO_STATE, cells);
	scan_level(&s, s.joint ? level : 1, 1, BATCH_MAX);
	memory_free(s.pins);
	if (s.status != STATUS_OK)
		flips_free(flips);
	return s.status;
}

int flips_state(const struct flips *flips, double batch)
{
	for (size_t i = 0; i < flips->count; i++)
		if (batch >= (double)flips->segments[i].from && batch <= (double)flips->segments[i].to)
			return flips->segments[i].state;
	return NO_STATE;
}
