/* A schedule from an order of its tasks. */
#include "schedule/schedule.h"

#include "base/memory.h"

bool schedule_spreads(const struct schedule *schedule, int task)
{
	for (int r = 0; r < RESOURCE_COUNT; r++)
		if (schedule->tasks[task].core[r] == CORE_ALL)
			return true;
	return false;
}

int schedule_last(const struct schedule *schedule)
{
	int last = -1;

	for (int i = 0; i < schedule->count; i++)
		if (last < 0 || schedule->tasks[i].end > schedule->tasks[last].end)
			last = i;
	return last;
}

void schedule_size(struct schedule *s, int count)
{
	s->tasks = memory_grow(s->tasks, &s->capacity, (size_t)count, sizeof *s->tasks);
	s->count = count;
	s->makespan = 0;
}

void schedule_free(struct schedule *s)
{
	memory_free(s->tasks);
	memory_free(s->scratch);
	*s = (struct schedule){ 0 };
}

/* One core so far. */
struct core {
	double free;
	int freed_by;            /* -1: not used yet */
};

struct cores {
	struct core *of[RESOURCE_COUNT];
	int count[RESOURCE_COUNT];       /* more than there are tasks are never used */
};

static struct cores new_cores(const struct task_graph *g)
{
	struct cores cores;

	for (int r = 0; r < RESOURCE_COUNT; r++) {
		cores.count[r] = g->cores[r] < g->count ? g->cores[r] : g->count;
		if (cores.count[r] < 0)
			cores.count[r] = 0;
		cores.of[r] = memory_alloc((size_t)cores.count[r], sizeof *cores.of[r]);
		for (int i = 0; i < cores.count[r]; i++)
			cores.of[r][i].freed_by = -1;
	}
	return cores;
}

/* When the inputs are there, and which was the last. */
static void wait_for_inputs(const struct task_graph *g, const struct schedule *s, int task, struct placing *p)
{
	*p = (struct placing){ .core = { CORE_UNUSED, CORE_UNUSED, CORE_UNUSED }, .waited_for = -1 };
	for (int k = g->first_input[task]; k < g->first_input[task + 1]; k++) {
		int input = g->inputs[k];

		if (s->tasks[input].end > p->ready) {
			p->ready = s->tasks[input].end;
			p->wait = WAIT_INPUT;
			p->waited_for = input;
		}
	}
	p->start = p->ready;
}

/* Delays the start until core c is free. */
static void wait_for_core(struct placing *p, const struct core *c)
{
	if (c->free > p->start) {
		p->start = c->free;
		p->wait = WAIT_CORE;
		p->waited_for = c->freed_by;
	}
}

static int earliest(const struct core *cores, int count)
{
	int best = 0;

	for (int i = 1; i < count; i++)
		if (cores[i].free < cores[best].free)
			best = i;
	return best;
}

/* The core that was free for the shortest time before start: longer gaps are left to others. */
static int best_fit(const struct core *cores, int count, double start)
{
	int best = -1;

	for (int i = 0; i < count; i++)
		if (cores[i].free <= start && (best < 0 || cores[i].free > cores[best].free))
			best = i;
	return best;
}

static void take_cores(const struct task_graph *g, struct cores *cores, int task, bool spread, struct placing *p)
{
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		if (!core_uses(g->kinds[task], r))
			continue;
		if (!spread)
			wait_for_core(p, &cores->of[r][earliest(cores->of[r], cores->count[r])]);
		for (int i = 0; spread && i < cores->count[r]; i++)
			wait_for_core(p, &cores->of[r][i]);
	}
	p->end = p->start + (spread ? tasks_spread_seconds(g, task) : g->seconds[task]);
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		if (!core_uses(g->kinds[task], r))
			continue;
		p->core[r] = spread ? CORE_ALL : best_fit(cores->of[r], cores->count[r], p->start);
		for (int i = 0; i < cores->count[r]; i++)
			if (spread || i == p->core[r])
				cores->of[r][i] = (struct core){ p->end, task };
	}
}

void schedule_in_order(const struct task_graph *g, const int *order, const bool *spread, struct schedule *s)
{
	struct cores cores = new_cores(g);

	schedule_size(s, g->count);
	for (int i = 0; i < g->count; i++) {
		struct placing *p = &s->tasks[order[i]];

		wait_for_inputs(g, s, order[i], p);
		p->end = p->start;
		if (g->seconds[order[i]] > 0)
			take_cores(g, &cores, order[i], spread != NULL && spread[order[i]], p);
		if (p->end > s->makespan)
			s->makespan = p->end;
	}
	for (int r = 0; r < RESOURCE_COUNT; r++)
		memory_free(cores.of[r]);
}
