/* List scheduling, event by event. */
#include "schedule/list.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A heap of (key, index), least first, ties by index. */
struct item {
	double key;
	int index;
};

struct heap {
	struct item *items;
	int count;
};

/* Idle cores, as bits: the lowest is taken first. */
struct idle {
	uint64_t *words;
	int first;               /* no bit is in a word before it */
	int count;
};

/* One run.  Arrays lie one after the other in the schedule's scratch. */
struct run {
	const struct task_graph *graph;
	const struct task_bounds *bounds;
	bool thrifty;            /* tasks spread only where that takes few more core-seconds */
	double latest;           /* a start later than this after its latest cannot end soon enough: the run gives up */
	bool hopeless;           /* it did */
	struct placing *tasks;
	int *first_consumer, *consumers;         /* the inputs turned round */
	int *missing;            /* inputs not ended */
	int *ended;              /* a stack of tasks whose consumers have not been told */
	int ended_count;
	struct heap ready[CORE_KIND_COUNT];      /* by latest start */
	struct heap running;     /* by end */
	struct idle idle[RESOURCE_COUNT];
	/* The last task of each core, -1 for none: freed_by of those that were freed alone since all were at once, freed_all of the others. */
	int *freed_by[RESOURCE_COUNT], *freed_turn[RESOURCE_COUNT], freed_all[RESOURCE_COUNT];
	int turn[RESOURCE_COUNT];                /* how often all were freed at once */
	int alone[RESOURCE_COUNT];               /* cores freed alone since */
	int cores[RESOURCE_COUNT];               /* more than there are tasks are never used */
	int left[RESOURCE_COUNT];                /* idle up to now, with all started that could */
	unsigned kept;           /* resources, as bits, that are kept for a task that is to spread over them */
	double kept_until;       /* when they will be free */
	int just_ended;          /* a task that ends now */
};

static bool before(struct item a, struct item b)
{
	/* without branches: which of two it is cannot be foretold */
	return (a.key < b.key) | ((a.key == b.key) & (a.index < b.index));
}

static void heap_push(struct heap *h, struct item item)
{
	int i = h->count++;

	for (; i > 0 && before(item, h->items[(i - 1) / 2]); i = (i - 1) / 2)
		h->items[i] = h->items[(i - 1) / 2];
	h->items[i] = item;
}

static struct item heap_pop(struct heap *h)
{
	struct item top = h->items[0], last = h->items[--h->count];
	int i = 0, child;

	while ((child = 2 * i + 1) < h->count) {
		if (child + 1 < h->count)
			child += before(h->items[child + 1], h->items[child]);
		if (!before(h->items[child], last))
			break;
		h->items[i] = h->items[child];
		i = child;
	}
	h->items[i] = last;
	return top;
}

static void put_idle(struct idle *idle, int core)
{
	idle->words[core / 64] |= (uint64_t)1 << core % 64;
	if (core / 64 < idle->first)
		idle->first = core / 64;
	idle->count++;
}

/* There must be one. */
static int take_idle(struct idle *idle)
{
	int bit;

	while (idle->words[idle->first] == 0)
		idle->first++;
	bit = __builtin_ctzll(idle->words[idle->first]);
	idle->words[idle->first] &= idle->words[idle->first] - 1;
	idle->count--;
	return idle->first * 64 + bit;
}

static void take_all(struct idle *idle, int cores)
{
	memset(idle->words, 0, ((size_t)cores / 64 + 1) * sizeof *idle->words);
	idle->count = 0;
	idle->first = cores / 64;
}

static void put_all(struct idle *idle, int cores)
{
	memset(idle->words, 0xff, (size_t)cores / 64 * sizeof *idle->words);
	idle->words[cores / 64] = ((uint64_t)1 << cores % 64) - 1;
	idle->count = cores;
	idle->first = 0;
}

/* Takes count * size bytes, aligned for doubles, from *at; with at NULL only adds to *total. */
static void *carve(char **at, size_t *total, size_t count, size_t size)
{
	size_t bytes = (count * size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
	void *block = *at;

	*total += bytes;
	if (*at != NULL)
		*at += bytes;
	return block;
}

/* Lays the arrays out at `at` and returns their bytes.  An int counts the tasks, so products of sizes stay far from SIZE_MAX. */
static size_t lay_out(struct run *run, char *at, const int *kinds)
{
	size_t n = (size_t)run->graph->count, total = 0;

	run->running.items = carve(&at, &total, n, sizeof(struct item));
	for (int k = 0; k < CORE_KIND_COUNT; k++)
		run->ready[k].items = carve(&at, &total, (size_t)kinds[k], sizeof(struct item));
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		run->idle[r].words = carve(&at, &total, (size_t)run->cores[r] / 64 + 1, sizeof(uint64_t));
		run->freed_by[r] = carve(&at, &total, (size_t)run->cores[r], sizeof(int));
		run->freed_turn[r] = carve(&at, &total, (size_t)run->cores[r], sizeof(int));
	}
	run->first_consumer = carve(&at, &total, n + 2, sizeof(int));
	run->consumers = carve(&at, &total, n == 0 ? 0 : (size_t)run->graph->first_input[n], sizeof(int));
	run->missing = carve(&at, &total, n, sizeof(int));
	run->ended = carve(&at, &total, n, sizeof(int));
	return total;
}

static void turn_inputs_round(struct run *run)
{
	const struct task_graph *g = run->graph;
	int *first = run->first_consumer;

	for (int i = 0; i < g->count + 2; i++)
		first[i] = 0;
	for (int i = 0; i < g->count; i++) {
		run->missing[i] = g->first_input[i + 1] - g->first_input[i];
		for (int k = g->first_input[i]; k < g->first_input[i + 1]; k++)
			first[g->inputs[k] + 2]++;
	}
	for (int i = 2; i < g->count + 2; i++)
		first[i] += first[i - 1];
	/* first[t + 1] runs from the first place of t to its end, which is the first place of t + 1 */
	for (int i = 0; i < g->count; i++)
		for (int k = g->first_input[i]; k < g->first_input[i + 1]; k++)
			run->consumers[first[g->inputs[k] + 1]++] = i;
}

static void set_up(struct run *run, struct schedule *s)
{
	const struct task_graph *g = run->graph;
	int kinds[CORE_KIND_COUNT] = { 0 };
	size_t bytes;

	for (int i = 0; i < g->count; i++)
		kinds[g->kinds[i]]++;
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		int users = 0;

		for (int k = 0; k < CORE_KIND_COUNT; k++)
			users += core_uses(k, r) ? kinds[k] : 0;
		run->cores[r] = g->cores[r] < users ? g->cores[r] : users;
	}
	bytes = lay_out(run, NULL, kinds);
	s->scratch = memory_grow(s->scratch, &s->scratch_capacity, bytes, 1);
	lay_out(run, s->scratch, kinds);
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		put_all(&run->idle[r], run->cores[r]);
		memset(run->freed_turn[r], 0xff, (size_t)run->cores[r] * sizeof(int));   /* no turn */
		run->freed_all[r] = -1;
	}
	turn_inputs_round(run);
}

/* Seconds on all cores, where the run lets the task spread; else on one. */
static double spread_seconds(const struct run *run, int task)
{
	/* core-seconds on all cores, over those on one, that are few */
	static const double few = 1.25;
	double one = run->graph->seconds[task], all = run->bounds[task].seconds;

	for (int r = 0; run->thrifty && r < RESOURCE_COUNT; r++)
		if (core_uses(run->graph->kinds[task], r) && all * run->graph->cores[r] > few * one)
			return one;
	return all;
}

static void start_task(struct run *run, int task, double now, double seconds)
{
	run->tasks[task].start = now;
	run->tasks[task].end = now + seconds;
	heap_push(&run->running, (struct item){ now + seconds, task });
}

/* The last input has ended now, or there is none. */
static void get_ready(struct run *run, int task, double now)
{
	const struct task_graph *g = run->graph;
	struct placing *p = &run->tasks[task];

	*p = (struct placing){ .ready = now, .start = now, .end = now, .core = { CORE_UNUSED, CORE_UNUSED, CORE_UNUSED }, .waited_for = -1 };
	for (int k = g->first_input[task]; now > 0 && k < g->first_input[task + 1]; k++)
		if (run->tasks[g->inputs[k]].end == now) {
			p->wait = WAIT_INPUT;
			p->waited_for = g->inputs[k];
			break;
		}
	if (g->seconds[task] == 0)
		run->ended[run->ended_count++] = task;
	else if (g->kinds[task] == CORE_NONE)
		start_task(run, task, now, g->seconds[task]);
	else
		heap_push(&run->ready[g->kinds[task]], (struct item){ run->bounds[task].alap, task });
}

/* Tells the consumers of all that has ended; those of no seconds end at once themselves. */
static void tell_consumers(struct run *run, double now)
{
	while (run->ended_count > 0) {
		int task = run->ended[--run->ended_count];

		for (int k = run->first_consumer[task]; k < run->first_consumer[task + 1]; k++)
			if (--run->missing[run->consumers[k]] == 0)
				get_ready(run, run->consumers[k], now);
	}
}

static void free_core(struct run *run, int task, int resource, int core)
{
	run->freed_by[resource][core] = task;
	run->freed_turn[resource][core] = run->turn[resource];
	run->alone[resource]++;
	put_idle(&run->idle[resource], core);
}

static void free_all(struct run *run, int task, int resource)
{
	run->freed_all[resource] = task;
	run->turn[resource]++;
	run->alone[resource] = 0;
	put_all(&run->idle[resource], run->cores[resource]);
}

static int freed_by(const struct run *run, int resource, int core)
{
	return run->freed_turn[resource][core] == run->turn[resource] ? run->freed_by[resource][core] : run->freed_all[resource];
}

/* Frees the cores of a task that ended. */
static void end_task(struct run *run, int task)
{
	const struct placing *p = &run->tasks[task];

	for (int r = 0; r < RESOURCE_COUNT; r++)
		if (p->core[r] == CORE_ALL)
			free_all(run, task, r);
		else if (p->core[r] != CORE_UNUSED)
			free_core(run, task, r, p->core[r]);
	run->ended[run->ended_count++] = task;
}

/* The kind whose first ready task goes next, CORE_NONE when none can. */
static enum core_kind choose_kind(const struct run *run)
{
	enum core_kind best = CORE_NONE;
	unsigned idle = 0;

	for (int r = 0; r < RESOURCE_COUNT; r++)
		idle |= (unsigned)(run->idle[r].count > 0) << r;
	for (int k = CORE_NONE + 1; k < CORE_KIND_COUNT; k++)
		if (run->ready[k].count > 0 && (core_needs(k) & ~idle) == 0 && (best == CORE_NONE || before(run->ready[k].items[0], run->ready[best].items[0])))
			best = k;
	return best;
}

/* True when the task, just taken from its heap, had better run on all cores of its kind: all are idle, and it and the other ready ones that
 * contend for them end sooner one after another, each on all cores, than side by side. */
static bool had_better_spread(const struct run *run, int task)
{
	int kind = run->graph->kinds[task];
	double in_turn = spread_seconds(run, task), longest = run->graph->seconds[task];

	if (in_turn >= longest)
		return false;
	for (int r = 0; r < RESOURCE_COUNT; r++)
		if (core_uses(kind, r) && run->idle[r].count < run->cores[r])
			return false;
	for (int k = CORE_NONE + 1; k < CORE_KIND_COUNT; k++) {
		if (!(core_needs(k) & core_needs(kind)))
			continue;
		/* more than can run side by side keep all cores busy */
		if (run->ready[k].count > run->cores[RESOURCE_TC] + run->cores[RESOURCE_VC] + run->cores[RESOURCE_LINK])
			return false;
		for (int i = 0; i < run->ready[k].count; i++) {
			int other = run->ready[k].items[i].index;

			in_turn += spread_seconds(run, other);
			longest = run->graph->seconds[other] > longest ? run->graph->seconds[other] : longest;
		}
	}
	return in_turn < longest;
}

/* When all cores that a task could spread over will be free. */
static double all_free(const struct run *run, int kind)
{
	double last = 0;

	for (int i = 0; i < run->running.count; i++)
		if (core_needs(run->graph->kinds[run->running.items[i].index]) & core_needs(kind) && run->running.items[i].key > last)
			last = run->running.items[i].key;
	return last;
}

/* True when the task had better wait for all cores than start on one: then these are kept for it, and only what ends until they are free
 * may start on them. */
static bool had_better_wait(struct run *run, int task, double now)
{
	int kind = run->graph->kinds[task];
	double seconds = run->graph->seconds[task], until;

	if (spread_seconds(run, task) < seconds) {
		until = all_free(run, kind);
		if (until > now && until + spread_seconds(run, task) < now + seconds) {
			run->kept |= core_needs(kind);
			run->kept_until = until > run->kept_until ? until : run->kept_until;
			return true;
		}
	}
	return (run->kept & core_needs(kind)) && now + seconds > run->kept_until;
}

/* Why a task that was ready before starts only now.  taken: its cores; all of a kind when it spreads. */
static void say_wait(const struct run *run, struct placing *p, int kind, const int taken[RESOURCE_COUNT], double now)
{
	p->wait = WAIT_KEPT;
	p->waited_for = run->just_ended;
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		if (!core_uses(kind, r))
			continue;
		/* while none was freed alone, one stands for all */
		for (int c = taken[r] == CORE_ALL ? 0 : taken[r]; c < (taken[r] != CORE_ALL ? taken[r] + 1 : run->alone[r] > 0 ? run->cores[r] : 1); c++) {
			int by = freed_by(run, r, c);

			if (by < 0 || run->tasks[by].end != now || (taken[r] != CORE_ALL && run->left[r] > 0))
				continue;
			p->wait = WAIT_CORE;
			p->waited_for = by;
			return;
		}
	}
}

static void put_on_cores(struct run *run, int task, bool spread, double now)
{
	int kind = run->graph->kinds[task], taken[RESOURCE_COUNT] = { CORE_UNUSED, CORE_UNUSED, CORE_UNUSED };
	struct placing *p = &run->tasks[task];

	for (int r = 0; r < RESOURCE_COUNT; r++) {
		if (!core_uses(kind, r))
			continue;
		taken[r] = take_idle(&run->idle[r]);
		if (spread) {
			take_all(&run->idle[r], run->cores[r]);
			taken[r] = CORE_ALL;
		}
		p->core[r] = taken[r];
	}
	run->hopeless |= now - run->bounds[task].alap >= run->latest;
	if (p->ready < now)
		say_wait(run, p, kind, taken, now);
	start_task(run, task, now, spread ? run->bounds[task].seconds : run->graph->seconds[task]);
}

/* Starts all that had better start now.  A few tasks that wait are looked behind, not all, so that a round stays short. */
static void start_ready(struct run *run, double now)
{
	enum { LOOK_BEHIND = 8 };
	struct item waiting[LOOK_BEHIND];
	int count = 0;
	enum core_kind kind;

	run->kept = 0;
	run->kept_until = 0;
	while (count < LOOK_BEHIND && (kind = choose_kind(run)) != CORE_NONE) {
		struct item item = heap_pop(&run->ready[kind]);
		bool spread = had_better_spread(run, item.index);

		if (!spread && had_better_wait(run, item.index, now))
			waiting[count++] = item;
		else
			put_on_cores(run, item.index, spread, now);
	}
	while (count-- > 0)
		heap_push(&run->ready[run->graph->kinds[waiting[count].index]], waiting[count]);
}

/* False when it gave up: the schedule would not be shorter than `best`. */
static bool run_list(const struct task_graph *g, const struct bounds *bounds, bool thrifty, double best, struct schedule *s)
{
	struct run run = { .graph = g, .bounds = bounds->tasks, .thrifty = thrifty, .latest = best - bounds->path };
	double now = 0;

	schedule_size(s, g->count);
	run.tasks = s->tasks;
	set_up(&run, s);
	for (int i = 0; i < g->count; i++)
		if (g->first_input[i] == g->first_input[i + 1])
			get_ready(&run, i, 0);
	while (!run.hopeless) {
		tell_consumers(&run, now);
		start_ready(&run, now);
		for (int r = 0; r < RESOURCE_COUNT; r++)
			run.left[r] = run.idle[r].count;
		if (run.running.count == 0)
			break;
		now = run.running.items[0].key;
		run.just_ended = run.running.items[0].index;
		while (run.running.count > 0 && run.running.items[0].key == now)
			end_task(&run, heap_pop(&run.running).index);
	}
	s->makespan = now;
	return !run.hopeless && now < best;
}

/* Spreading shortens paths and lengthens work: which of them the step waits for is tried, not guessed. */
void list_schedule(const struct task_graph *g, const struct bounds *bounds, struct schedule *s)
{
	struct schedule thrifty = { 0 };

	run_list(g, bounds, false, INFINITY, s);
	if (bounds->spreading && s->makespan > bounds->makespan && run_list(g, bounds, true, s->makespan, &thrifty)) {
		struct schedule longer = *s;

		*s = thrifty;
		thrifty = longer;
	}
	schedule_free(&thrifty);
}
