#include "schedule/overlap.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Exchanges at a task of the step: one before it, one behind it. */
struct at_task {
	double before, behind;   /* s */
	struct overlap_exchange named[2];
};

/* An exchange that everything waits for: when the task ends, or before it starts; without a task, behind the step. */
struct stop {
	int task;
	bool behind;
	struct overlap_exchange named;
	double seconds;
};

struct stops {
	struct stop *items;
	int count;
	double seconds;          /* of all */
};

/* The step's tasks and the exchanges, in one order. */
struct joined {
	const struct step *step;
	struct at_task *at;
	int *place;              /* of each task of the step, in the new order */
	int *before, *behind;    /* places of its exchanges, or -1 */
	int *task;               /* of each place: the step's task, or -1 - an exchange's task */
	double *seconds;
	unsigned char *kinds;
	int *first_input, *inputs;
	int count;
};

static bool hides(enum overlap overlap, enum exchange_kind kind)
{
	return overlap == OVERLAP_FULL || (overlap == OVERLAP_GRADIENT && kind == EXCHANGE_GRADIENT);
}

static void attach(struct at_task *at, bool behind, int row, enum exchange_kind kind, double seconds)
{
	*(behind ? &at->behind : &at->before) += seconds;
	at->named[behind] = (struct overlap_exchange){ .row = row, .kind = kind };
}

/* The nodes of each row between which it exchanges: its first forward, its own operator's forward, its last backward, its gradients. */
static void find_nodes(const struct training *t, int (*nodes)[EXCHANGE_KIND_COUNT])
{
	for (int row = 0; row < t->model->count; row++)
		for (int kind = 0; kind < EXCHANGE_KIND_COUNT; kind++)
			nodes[row][kind] = -1;
	for (int node = 0; node < t->count; node++) {
		const struct training_node *n = &t->nodes[node];
		int *of_row = n->row >= 0 ? nodes[n->row] : NULL;

		if (of_row == NULL)
			continue;
		if (n->pass == PASS_FWD && of_row[EXCHANGE_INPUT] < 0)
			of_row[EXCHANGE_INPUT] = node;
		if (n->pass == PASS_FWD && (n->part == PART_MAIN || of_row[EXCHANGE_OUTPUT] < 0))
			of_row[EXCHANGE_OUTPUT] = node;
		if (n->pass == PASS_BWD_DATA)
			of_row[EXCHANGE_ERROR] = node;
		if (n->pass == PASS_BWD_WEIGHT)
			of_row[EXCHANGE_GRADIENT] = node;
	}
}

/* Puts what may hide at the tasks it belongs to; the rest stops the step. */
static void place_exchanges(const struct training *t, const struct step *step, const struct row_exchanges *rows, enum overlap overlap, struct at_task *at, struct stops *stops)
{
	int (*nodes)[EXCHANGE_KIND_COUNT] = memory_alloc((size_t)t->model->count, sizeof *nodes);

	*stops = (struct stops){ .items = memory_alloc((size_t)t->model->count * EXCHANGE_KIND_COUNT, sizeof *stops->items) };
	find_nodes(t, nodes);
	for (int row = 0; row < t->model->count; row++)
		for (int kind = 0; kind < EXCHANGE_KIND_COUNT; kind++) {
			double seconds = rows[row].seconds[kind];
			int node = nodes[row][kind], task = node >= 0 ? step->nodes[node].task : -1;
			bool behind = kind != EXCHANGE_INPUT;

			if (seconds == 0)
				continue;
			if (task >= 0 && hides(overlap, (enum exchange_kind)kind)) {
				attach(&at[task], behind, row, (enum exchange_kind)kind, seconds);
				continue;
			}
			stops->items[stops->count++] = (struct stop){ task, behind, { .row = row, .kind = (enum exchange_kind)kind }, seconds };
			stops->seconds += seconds;
		}
	memory_free(nodes);
}

static int add_place(struct joined *j, int task, double seconds, enum core_kind kind)
{
	j->task[j->count] = task;
	j->seconds[j->count] = seconds;
	j->kinds[j->count] = (unsigned char)kind;
	return j->count++;
}

/* The inputs of a task: those of the step, or what is exchanged behind them. */
static int add_inputs(struct joined *j, int task, int used)
{
	const struct task_graph *g = &j->step->graph;

	for (int k = g->first_input[task]; k < g->first_input[task + 1]; k++) {
		int input = g->inputs[k];

		j->inputs[used++] = j->behind[input] >= 0 ? j->behind[input] : j->place[input];
	}
	return used;
}

static void join(struct joined *j)
{
	const struct task_graph *g = &j->step->graph;
	int used = 0;

	for (int task = 0; task < g->count; task++) {
		j->before[task] = j->behind[task] = -1;
		if (j->at[task].before > 0) {
			j->before[task] = add_place(j, -1 - task, j->at[task].before, CORE_LINK);
			j->first_input[j->before[task]] = used;
			used = add_inputs(j, task, used);
		}
		j->place[task] = add_place(j, task, g->seconds[task], (enum core_kind)g->kinds[task]);
		j->first_input[j->place[task]] = used;
		if (j->before[task] >= 0)
			j->inputs[used++] = j->before[task];
		else
			used = add_inputs(j, task, used);
		if (j->at[task].behind > 0) {
			j->behind[task] = add_place(j, -1 - task, j->at[task].behind, CORE_LINK);
			j->first_input[j->behind[task]] = used;
			j->inputs[used++] = j->place[task];
		}
	}
	j->first_input[j->count] = used;
}

static double spread_of(const void *context, int place, const int cores[RESOURCE_COUNT])
{
	const struct joined *j = context;

	return j->task[place] < 0 ? 0 : j->step->graph.spread(j->step->graph.spread_context, j->task[place], cores);
}

static int by_start(const void *a, const void *b)
{
	const struct overlap_exchange *x = a, *y = b;

	return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : x->row - y->row;
}

static int stop_by_start(const void *a, const void *b)
{
	return by_start(&((const struct stop *)a)->named, &((const struct stop *)b)->named);
}

/* While an exchange stops the step, what starts or ends later does so later by it. */
static void add_stops(const struct joined *j, const struct schedule *s, const struct stops *stops, struct overlapped *out)
{
	const int beside = out->count;
	double late = 0;

	for (int i = 0; i < stops->count; i++) {
		struct stop *stop = &stops->items[i];
		const struct placing *task = stop->task >= 0 ? &s->tasks[j->place[stop->task]] : NULL;

		stop->named.start = task == NULL ? s->makespan : stop->behind ? task->end : task->start;
	}
	qsort(stops->items, (size_t)stops->count, sizeof *stops->items, stop_by_start);
	for (int i = 0; i < stops->count; i++) {
		struct overlap_exchange *e = &out->exchanges[out->count++];
		double at = stops->items[i].named.start + late;

		for (int k = 0; k < beside; k++) {
			out->exchanges[k].start += out->exchanges[k].start >= at ? stops->items[i].seconds : 0;
			out->exchanges[k].end += out->exchanges[k].end > at ? stops->items[i].seconds : 0;
		}
		*e = stops->items[i].named;
		e->start = at;
		e->end = at + stops->items[i].seconds;
		late += stops->items[i].seconds;
	}
}

static void list_exchanges(const struct joined *j, const struct schedule *s, const struct stops *stops, struct overlapped *out)
{
	out->exchanges = memory_alloc((size_t)(j->count - j->step->task_count + stops->count), sizeof *out->exchanges);
	for (int place = 0; place < j->count; place++) {
		int task = -1 - j->task[place];
		struct overlap_exchange *e = &out->exchanges[out->count];

		if (j->task[place] >= 0)
			continue;
		*e = j->at[task].named[place == j->behind[task]];
		e->start = s->tasks[place].start;
		e->end = s->tasks[place].end;
		out->count++;
	}
	add_stops(j, s, stops, out);
	qsort(out->exchanges, (size_t)out->count, sizeof *out->exchanges, by_start);
}

/* The makespan with the exchanges at their tasks. */
static double run(const struct step *step, struct at_task *at, const struct stops *stops, struct overlapped *out)
{
	size_t tasks = (size_t)step->task_count, most = 3 * tasks;
	struct joined j = { .step = step, .at = at, .place = memory_alloc(tasks, sizeof(int)), .before = memory_alloc(tasks, sizeof(int)), .behind = memory_alloc(tasks, sizeof(int)),
		.task = memory_alloc(most, sizeof(int)), .seconds = memory_alloc(most, sizeof(double)), .kinds = memory_alloc(most, 1), .first_input = memory_alloc(most + 1, sizeof(int)),
		.inputs = memory_alloc((size_t)step->graph.first_input[tasks] + 2 * tasks, sizeof(int)) };
	struct task_graph graph = step->graph;
	struct bounds bounds = { 0 };
	struct schedule schedule = { 0 };
	double makespan;

	join(&j);
	graph.count = j.count;
	graph.seconds = j.seconds;
	graph.kinds = j.kinds;
	graph.first_input = j.first_input;
	graph.inputs = j.inputs;
	graph.cores[RESOURCE_LINK] = 1;
	graph.spread = spread_of;
	graph.spread_context = &j;
	bounds_measure(&graph, &bounds);
	list_schedule(&graph, &bounds, &schedule);
	makespan = schedule.makespan;
	list_exchanges(&j, &schedule, stops, out);
	bounds_free(&bounds);
	schedule_free(&schedule);
	memory_free(j.place);
	memory_free(j.before);
	memory_free(j.behind);
	memory_free(j.task);
	memory_free(j.seconds);
	memory_free(j.kinds);
	memory_free(j.first_input);
	memory_free(j.inputs);
	return makespan;
}

/* One way of overlapping.  A schedule is a heuristic's: with exchanges in it, it may even come out shorter, and all of them behind the step is
 * always a schedule too. */
static void try_overlap(const struct training *training, const struct step *step, const struct row_exchanges *rows, double all, enum overlap overlap, struct overlapped *out)
{
	struct at_task *at = memory_alloc((size_t)step->task_count, sizeof *at);
	double compute = step->schedule.makespan;
	struct stops stops;

	*out = (struct overlapped){ .exchanges = NULL };
	place_exchanges(training, step, rows, overlap, at, &stops);
	out->seconds = fmax(run(step, at, &stops, out), compute) + stops.seconds;
	if (out->seconds > compute + all) {
		out->seconds = compute + all;
		out->count = 0;
	}
	memory_free(stops.items);
	memory_free(at);
}

void overlap_step(const struct training *training, const struct step *step, const struct row_exchanges *rows, double all, enum overlap overlap, struct overlapped *out)
{
	double compute = step->schedule.makespan;
	struct overlapped other;

	*out = (struct overlapped){ .seconds = compute + all, .exposed = all };
	if (overlap == OVERLAP_NONE)
		return;
	try_overlap(training, step, rows, all, OVERLAP_GRADIENT, out);
	if (overlap == OVERLAP_FULL) {
		/* all may hide, but need not: an exchange that the cores wait for can be stuck behind gradients */
		try_overlap(training, step, rows, all, OVERLAP_FULL, &other);
		if (other.seconds < out->seconds) {
			overlapped_free(out);
			*out = other;
		} else {
			overlapped_free(&other);
		}
	}
	out->exposed = out->seconds - compute;
	out->hidden = fmax(0, all - out->exposed);
}

void overlapped_free(struct overlapped *o)
{
	memory_free(o->exchanges);
	*o = (struct overlapped){ .exchanges = NULL };
}
