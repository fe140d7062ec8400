/* Where a choice changes as a knob turns, exactly.  MODELS 2.6.
 *
 * With the levels above held, a level's cost under fixed choices is a line in x, the batch or 1 / bandwidth, so the optimum is concave and
 * piecewise linear: its corners are found by intersecting lines and testing.  Between two corners the set of optimal plans, and so the
 * solver's pick among ties, is constant; at whole values next to a corner the solver itself is asked. */
#include "partition/flips.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct affine {
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
	const struct flip_axis *axis;
	signed char *pins;       /* variable x LEVELS_MAX */
	struct flips *flips;
	bool joint;
	bool rounded;            /* costs are seconds */
	enum status status;
};

/* The knob's value as what costs are lines in. */
static double x_of(const struct scan *s, double value)
{
	return s->axis->knob == FLIP_BATCH ? value : 1 / value;
}

struct prices flip_prices(const struct flip_axis *axis, double x)
{
	struct prices p = axis->fixed;

	for (int h = 0; h < LEVELS_MAX; h++) {
		p.element_s[h] += axis->falling.element_s[h] * x;
		p.message_s[h] += axis->falling.message_s[h] * x;
	}
	return p;
}

static struct plan *solve_at(struct scan *s, double x, int level, struct plan_request *request)
{
	struct plan *plan;

	*request = *s->c->request;
	if (s->axis->knob == FLIP_BATCH)
		request->batch = x;
	else
		request->prices = flip_prices(s->axis, x);
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

/* The cost of a plan's choices at the level (joint: at all of them) along x. */
static struct affine line_of(const struct scan *s, const struct plan *plan, const struct plan_request *request, int level)
{
	struct affine line = { 0, 0 };
	double constant[LEVELS_MAX], slope[LEVELS_MAX];

	if (s->axis->knob == FLIP_BATCH)
		plan_elements_lines(s->c->problem, request, plan, constant, slope);
	for (int h = s->joint ? 1 : level; h <= plan->levels; h++) {
		const struct plan_level *at = &plan->level[h - 1];

		if (s->axis->knob == FLIP_BATCH) {
			line.constant += prices_level(&request->prices, h, constant[h - 1], at->messages);
			line.slope += prices_level(&request->prices, h, slope[h - 1], 0);
		} else {
			line.constant += prices_level(&s->axis->fixed, h, at->per_pair, at->messages);
			line.slope += prices_level(&s->axis->falling, h, at->per_pair, at->messages);
		}
	}
	return line;
}

static struct affine line_at(struct scan *s, double x, int level)
{
	struct plan_request request;
	struct plan *plan = solve_at(s, x, level, &request);
	struct affine line = { 0, 0 };

	if (plan != NULL)
		line = line_of(s, plan, &request, level);
	plan_free(plan);
	return line;
}

static double value_at(struct affine line, double x)
{
	return line.constant + line.slope * x;
}

/* Not below by more than rounding, which seconds have and elements have not. */
static bool no_less(const struct scan *s, double a, double b)
{
	return s->rounded ? a >= b * (1 - COST_ROUNDING) : a >= b;
}

static bool same_line(struct affine a, struct affine b)
{
	return a.constant == b.constant && a.slope == b.slope;
}

static void add_corner(struct numbers *corners, double corner)
{
	corners->items = memory_grow(corners->items, &corners->capacity, corners->count + 1, sizeof *corners->items);
	corners->items[corners->count++] = corner;
}

/* Corners of the optimum between two x, given an optimal line at each.  A corner too many does no harm: the whole values beside
 * it are asked one by one. */
static void find_corners(struct scan *s, int level, double low, struct affine at_low, double high, struct affine at_high, struct numbers *corners)
{
	double corner = (at_high.constant - at_low.constant) / (at_low.slope - at_high.slope);
	struct affine between;

	if (s->status != STATUS_OK || !isfinite(corner))
		return;
	if (corner <= low || corner >= high) {
		/* the lines meet at an end */
		add_corner(corners, corner <= low ? low : high);
		return;
	}
	between = line_at(s, corner, level);
	if (same_line(between, at_low) || same_line(between, at_high) || no_less(s, value_at(between, corner), value_at(at_low, corner))) {
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

static bool same_choices(const struct scan *s, const struct plan *a, const struct plan *b, int level)
{
	if (s->joint || level == s->target)
		return plan_state(a, s->row, s->target) == plan_state(b, s->row, s->target);
	for (int v = 0; v < s->c->problem->var_count; v++)
		if (plan_state(a, s->c->problem->vars[v].row, level) != plan_state(b, s->c->problem->vars[v].row, level))
			return false;
	return true;
}

/* The last value of from .. to that has the plan's choices.  Its end has others: rounding has moved a corner. */
static long last_alike(struct scan *s, const struct plan *plan, int level, long from, long to)
{
	while (to - from > 1 && s->status == STATUS_OK) {
		long middle = from + (to - from) / 2;
		struct plan_request request;
		struct plan *there = solve_at(s, x_of(s, (double)middle), level, &request);

		if (there != NULL && same_choices(s, plan, there, level))
			from = middle;
		else
			to = middle;
		plan_free(there);
	}
	return from;
}

/* All choices at `level` being the plan's: go a level deeper, or note the answer. */
static void settle(struct scan *s, const struct plan *plan, int level, long from, long to)
{
	const struct problem *p = s->c->problem;

	if (s->joint || level == s->target) {
		add_segment(s->flips, from, to, plan_state(plan, s->row, s->target));
		return;
	}
	for (int v = 0; v < p->var_count; v++)
		s->pins[v * LEVELS_MAX + level - 1] = (signed char)plan_state(plan, p->vars[v].row, level);
	scan_level(s, level + 1, from, to);
	for (int v = 0; v < p->var_count; v++)
		s->pins[v * LEVELS_MAX + level - 1] = s->c->request->pins != NULL ? s->c->request->pins[v * LEVELS_MAX + level - 1] : NO_STATE;
}

/* The first of three values of a range, ends and middle, whose choices are not the plan's: rounding has moved a corner, or ties are taken near one.
 * `to` + 1 when there is none. */
static long first_unlike(struct scan *s, const struct plan *plan, int level, long from, long to)
{
	long asked[2] = { s->axis->knob == FLIP_BATCH ? from + (to - from) / 2 : (long)sqrt((double)from * (double)to), to };

	for (int i = 0; i < 2 && s->status == STATUS_OK; i++) {
		struct plan_request request;
		struct plan *there = solve_at(s, x_of(s, (double)asked[i]), level, &request);
		bool alike = there == NULL || same_choices(s, plan, there, level);

		plan_free(there);
		if (!alike)
			return asked[i];
	}
	return to + 1;
}

/* Values from .. to lie between two corners, so they share all choices at `level`; where costs are rounded, that is asked. */
static void settle_range(struct scan *s, int level, long from, long to)
{
	struct plan_request request;
	struct plan *plan;
	long last = to, unlike;

	if (from > to || s->status != STATUS_OK)
		return;
	plan = solve_at(s, x_of(s, (double)from), level, &request);
	if (plan != NULL && s->rounded && to > from) {
		unlike = first_unlike(s, plan, level, from, to);
		last = unlike <= to ? last_alike(s, plan, level, from, unlike) : to;
	}
	if (s->status == STATUS_OK)
		settle(s, plan, level, from, last);
	plan_free(plan);
	settle_range(s, level, last + 1, to);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void scan_level(struct scan *s, int level, long from, long to)
{
	struct numbers corners = { 0 };
	double ends[2] = { x_of(s, (double)from), x_of(s, (double)to) };
	bool falling = ends[0] > ends[1];
	double low = ends[falling], high = ends[!falling];
	long next;

	find_corners(s, level, low, line_at(s, low, level), high, line_at(s, high, level), &corners);
	for (size_t i = 0; i < corners.count; i++)
		corners.items[i] = fmin(fmax(x_of(s, corners.items[i]), (double)from), (double)to);
	if (corners.count > 0)
		qsort(corners.items, corners.count, sizeof *corners.items, ascending);
	/* the ends may be corners themselves, so each stands alone, as do the whole values on both sides of a corner */
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

enum status why_flips(const struct why_context *c, struct search *probe, int row, int level, const struct flip_axis *axis, struct flips *flips)
{
	size_t cells = (size_t)c->problem->var_count * LEVELS_MAX;
	struct scan s = { .c = c, .probe = probe, .row = row, .target = level, .axis = axis, .flips = flips,
		.joint = c->request->solver == SOLVER_JOINT, .rounded = c->request->prices.objective == OBJECTIVE_TIME, .pins = memory_alloc(cells, 1) };

	memset(flips, 0, sizeof *flips);
	if (c->request->pins != NULL)
		memcpy(s.pins, c->request->pins, cells);
	else
		memset(s.pins, NO_STATE, cells);
	scan_level(&s, s.joint ? level : 1, axis->from, axis->to);
	memory_free(s.pins);
	if (s.status != STATUS_OK)
		flips_free(flips);
	return s.status;
}

int flips_state(const struct flips *flips, double value)
{
	for (size_t i = 0; i < flips->count; i++)
		if (value >= (double)flips->segments[i].from && value <= (double)flips->segments[i].to)
			return flips->segments[i].state;
	return NO_STATE;
}

void flips_copy(struct flips *to, const struct flips *from)
{
	*to = (struct flips){ memory_alloc(from->count, sizeof *to->segments), from->count, from->count };
	if (from->count > 0)
		memcpy(to->segments, from->segments, from->count * sizeof *to->segments);
}

void flips_free(struct flips *flips)
{
	memory_free(flips->segments);
	memset(flips, 0, sizeof *flips);
}
