/* Branch and bound over the order of starts.
 *
 * An optimum is among the schedules in which tasks are taken in an order of starts that never fall, each started as soon as
 * its inputs and cores allow, but not before the one taken last: so a node is an order's beginning, and what matters of it is
 * the set taken, when each core and each input of the rest is free, and the last start.  A node no better in any of these than
 * one seen with the same set is dropped, as is one whose bound does not beat the best schedule. */
#include "schedule/exact.h"

#include "base/memory.h"
#include "schedule/list.h"

#include <math.h>
#include <string.h>

enum { EXACT_CORES = RESOURCE_COUNT * EXACT_TASKS, STATE = EXACT_TASKS + EXACT_CORES + 2, KEPT_STATES = 1 << 14 };

/* A difference below this part of the makespan is a rounding. */
static const double rounding = 1e-12;

struct node {
	unsigned taken;          /* tasks, as bits */
	double now;              /* the last start of a task that takes a core */
	double end[EXACT_TASKS]; /* of tasks taken */
	double free[RESOURCE_COUNT][EXACT_TASKS];        /* cores, ascending */
	double makespan;         /* of what is taken */
	int order[EXACT_TASKS];
	int count;
	bool spread[EXACT_TASKS];
};

/* A node seen: the values that decide about what follows, none better being dominated. */
struct seen {
	double values[STATE];
	int next;                /* of the same set, -1 at the end */
};

struct search {
	const struct task_graph *graph;
	const struct bounds *bounds;
	const atomic_bool *cancel;
	int cores[RESOURCE_COUNT];       /* more than there are tasks are never used */
	unsigned inputs[EXACT_TASKS], consumers[EXACT_TASKS];    /* as bits */
	double spread_seconds[EXACT_TASKS];      /* 0: does not spread */
	struct seen *seen;
	int *first_seen;         /* by set */
	int seen_count;
	int state_count;         /* values of a state in use */
	long nodes, limit;
	double best;             /* the shortest makespan so far; order and spread are its own */
	int order[EXACT_TASKS];
	bool spread[EXACT_TASKS];
	double open;             /* the least bound of a node not looked into */
	bool stopped;
};

/* The longest path from the start of a task to the sink, itself included. */
static double tail_of(const struct search *s, int task)
{
	return s->bounds->path - s->bounds->tasks[task].alap;
}

static void add_sorted(double *values, int count, double value)
{
	int i = count - 1;

	for (; i > 0 && values[i - 1] > value; i--)
		values[i] = values[i - 1];
	values[i] = value;
}

/* Ends one core's wait: the first (all are at or before the start, so none is better than another) is busy until end. */
static void take_core(double *free, int count, double end)
{
	memmove(free, free + 1, (size_t)(count - 1) * sizeof *free);
	add_sorted(free, count, end);
}

/* Takes a task; node is the parent's copy. */
static void take(const struct search *s, struct node *n, int task, bool spread)
{
	const struct task_graph *g = s->graph;
	double start = 0, seconds = spread ? s->spread_seconds[task] : g->seconds[task];
	bool holds = seconds > 0 && g->kinds[task] != CORE_NONE;

	for (int i = 0; i < task; i++)
		if (s->inputs[task] >> i & 1)
			start = fmax(start, n->end[i]);
	for (int r = 0; r < RESOURCE_COUNT && holds; r++)
		if (core_uses(g->kinds[task], r))
			start = fmax(start, n->free[r][spread ? s->cores[r] - 1 : 0]);
	if (holds)
		n->now = start = fmax(start, n->now);
	for (int r = 0; r < RESOURCE_COUNT && holds; r++)
		if (core_uses(g->kinds[task], r))
			for (int c = 0; c < (spread ? s->cores[r] : 1); c++)
				take_core(n->free[r], s->cores[r], start + seconds);
	n->end[task] = start + seconds;
	n->makespan = fmax(n->makespan, n->end[task]);
	n->taken |= 1u << task;
	n->spread[task] = spread;
	n->order[n->count++] = task;
}

/* Takes all that is ready and holds no core: nothing is gained by waiting. */
static void take_free(const struct search *s, struct node *n)
{
	for (int i = 0; i < s->graph->count; i++)
		if (!(n->taken >> i & 1) && (s->inputs[i] & ~n->taken) == 0 && (s->graph->kinds[i] == CORE_NONE || s->graph->seconds[i] == 0))
			take(s, n, i, false);
}

/* Least end of what is left for one resource: its work fills the cores evenly as they become free (some do not in time to
 * take part), then comes the shortest tail. */
static double resource_bound(const struct search *s, const struct node *n, const double *head, int resource)
{
	double first = INFINITY, after = INFINITY, work = 0, level = INFINITY;

	for (int i = 0; i < s->graph->count; i++) {
		double seconds = s->bounds->tasks[i].seconds, one = s->graph->seconds[i];

		if (n->taken >> i & 1 || one == 0 || !core_uses(s->graph->kinds[i], resource))
			continue;
		first = fmin(first, head[i]);
		after = fmin(after, tail_of(s, i) - seconds);
		work += fmin(one, seconds * s->cores[resource]);
	}
	if (work == 0)
		return 0;
	for (int c = 0; c < s->cores[resource]; c++) {
		work += fmax(n->free[resource][c], first);
		level = fmin(level, work / (c + 1));
	}
	return level + after;
}

/* No schedule that begins like the node is shorter. */
static double bound_of(const struct search *s, const struct node *n)
{
	double head[EXACT_TASKS], bound = n->makespan;

	for (int i = 0; i < s->graph->count; i++) {
		if (n->taken >> i & 1)
			continue;
		head[i] = 0;
		for (int k = 0; k < i; k++)
			if (s->inputs[i] >> k & 1)
				head[i] = fmax(head[i], n->taken >> k & 1 ? n->end[k] : head[k] + s->bounds->tasks[k].seconds);
		if (s->graph->kinds[i] != CORE_NONE && s->graph->seconds[i] > 0)
			head[i] = fmax(head[i], n->now);
		for (int r = 0; r < RESOURCE_COUNT; r++)
			if (s->graph->seconds[i] > 0 && core_uses(s->graph->kinds[i], r))
				head[i] = fmax(head[i], n->free[r][0]);
		bound = fmax(bound, head[i] + tail_of(s, i));
	}
	for (int r = 0; r < RESOURCE_COUNT; r++)
		bound = fmax(bound, resource_bound(s, n, head, r));
	return bound;
}

/* What decides about the rest: nothing can happen before now, so nothing is free before it. */
static void state_of(const struct search *s, const struct node *n, double *values)
{
	int count = 0;

	memset(values, 0, STATE * sizeof *values);
	values[count++] = n->now;
	values[count++] = n->makespan;
	for (int i = 0; i < s->graph->count; i++, count++)
		if (n->taken >> i & 1 && (s->consumers[i] & ~n->taken) != 0)
			values[count] = n->end[i];
	for (int r = 0; r < RESOURCE_COUNT; r++)
		for (int c = 0; c < s->cores[r]; c++)
			values[count++] = fmax(n->free[r][c], n->now);
}

static bool no_better(const double *values, const double *than, int count)
{
	for (int i = 0; i < count; i++)
		if (values[i] < than[i])
			return false;
	return true;
}

/* True when a node seen makes this one needless; else it is seen now, while there is room. */
static bool is_dominated(struct search *s, const struct node *n)
{
	double values[STATE];

	state_of(s, n, values);
	for (int i = s->first_seen[n->taken]; i >= 0; i = s->seen[i].next)
		if (no_better(values, s->seen[i].values, s->state_count))
			return true;
	if (s->seen_count < KEPT_STATES) {
		struct seen *seen = &s->seen[s->seen_count];

		memcpy(seen->values, values, sizeof values);
		seen->next = s->first_seen[n->taken];
		s->first_seen[n->taken] = s->seen_count++;
	}
	return false;
}

static void keep_best(struct search *s, const struct node *n)
{
	if (n->makespan >= s->best)
		return;
	s->best = n->makespan;
	memcpy(s->order, n->order, sizeof s->order);
	memcpy(s->spread, n->spread, sizeof s->spread);
}

static void look_into(struct search *s, const struct node *n, double bound);

/* Ways on from a node: each ready task, spread or not, those with the longest way to the sink first. */
static void go_on(struct search *s, const struct node *n)
{
	int ready[EXACT_TASKS], count = 0;

	for (int i = 0; i < s->graph->count; i++) {
		int k = count;

		if (n->taken >> i & 1 || (s->inputs[i] & ~n->taken) != 0)
			continue;
		for (; k > 0 && tail_of(s, ready[k - 1]) < tail_of(s, i); k--)
			ready[k] = ready[k - 1];
		ready[k] = i;
		count++;
	}
	for (int k = 0; k < count; k++)
		for (int spread = 0; spread <= (s->spread_seconds[ready[k]] > 0); spread++) {
			struct node child = *n;

			take(s, &child, ready[k], spread);
			take_free(s, &child);
			look_into(s, &child, bound_of(s, &child));
		}
}

static void look_into(struct search *s, const struct node *n, double bound)
{
	if (bound >= s->best * (1 - rounding))
		return;
	if (s->nodes >= s->limit || (s->cancel != NULL && atomic_load(s->cancel)))
		s->stopped = true;
	if (s->stopped) {
		s->open = fmin(s->open, bound);
		return;
	}
	s->nodes++;
	if (n->count == s->graph->count)
		keep_best(s, n);
	else if (!is_dominated(s, n))
		go_on(s, n);
}

/* The heuristic's schedule is the first best. */
static void begin_with_list(struct search *s, struct schedule *schedule)
{
	const struct placing *tasks;

	list_schedule(s->graph, s->bounds, schedule);
	tasks = schedule->tasks;
	s->best = schedule->makespan;
	for (int i = 0; i < s->graph->count; i++) {
		int k = i;

		for (; k > 0 && tasks[s->order[k - 1]].start > tasks[i].start; k--)
			s->order[k] = s->order[k - 1];
		s->order[k] = i;
		for (int r = 0; r < RESOURCE_COUNT; r++)
			s->spread[i] |= tasks[i].core[r] == CORE_ALL;
	}
}

static void set_up(struct search *s)
{
	const struct task_graph *g = s->graph;

	for (int i = 0; i < g->count; i++) {
		for (int k = g->first_input[i]; k < g->first_input[i + 1]; k++) {
			s->inputs[i] |= 1u << g->inputs[k];
			s->consumers[g->inputs[k]] |= 1u << i;
		}
		if (s->bounds->tasks[i].seconds < g->seconds[i])
			s->spread_seconds[i] = s->bounds->tasks[i].seconds;
	}
	s->state_count = 2 + g->count;
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		s->cores[r] = g->cores[r] < 0 ? 0 : g->cores[r] < g->count ? g->cores[r] : g->count;
		s->state_count += s->cores[r];
	}
	s->seen = memory_alloc(KEPT_STATES, sizeof *s->seen);
	s->first_seen = memory_alloc((size_t)1 << g->count, sizeof *s->first_seen);
	for (unsigned set = 0; set < 1u << g->count; set++)
		s->first_seen[set] = -1;
}

enum status exact_schedule(const struct task_graph *g, long nodes, const atomic_bool *cancel, struct exact_result *result, struct schedule *schedule,
			   struct diagnostic *d)
{
	struct bounds bounds = { 0 };
	struct search s = { .graph = g, .bounds = &bounds, .cancel = cancel, .limit = nodes, .open = INFINITY };
	struct node root = { 0 };

	if (g->count > EXACT_TASKS)
		return diagnostic_fail(d, STATUS_INFEASIBLE, "%d tasks are too many for branch and bound; the most is %d", g->count, EXACT_TASKS);
	bounds_measure(g, &bounds);
	set_up(&s);
	begin_with_list(&s, schedule);
	take_free(&s, &root);
	look_into(&s, &root, fmax(bounds.makespan, bound_of(&s, &root)));
	schedule_in_order(g, s.order, s.spread, schedule);
	*result = (struct exact_result){ schedule->makespan, fmin(schedule->makespan, s.open), s.open >= schedule->makespan * (1 - rounding), s.nodes };
	memory_free(s.seen);
	memory_free(s.first_seen);
	bounds_free(&bounds);
	return STATUS_OK;
}
