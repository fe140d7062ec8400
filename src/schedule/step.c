#include "schedule/step_inside.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---- fusion ---- */

static void count_consumers(struct making *m)
{
	const struct training *t = m->training;

	for (int node = 0; node < t->count; node++)
		for (int i = 0; i < t->nodes[node].input_count; i++) {
			int input = t->inputs[t->nodes[node].first_input + i];

			m->consumers[input]++;
			m->only[input] = node;
		}
}

/* The node that alone waits for this one, when it is vector work on that one tensor; else -1. */
static int follower(const struct making *m, int node)
{
	int next = m->consumers[node] == 1 ? m->only[node] : -1;

	if (next < 0 || m->step->nodes[next].core != CORE_VC || m->training->nodes[next].input_count != 1 ||
	    m->training->nodes[next].pass == PASS_LOSS || m->training->nodes[next].pass == PASS_UPDATE || m->step->nodes[next].unfusable)
		return -1;
	return next;
}

/* Tensor work that took vector work along: both at once, and at the end the vector time of one tile for each of `tiles` cores. */
static struct timing fuse_tensor(const struct machine *machine, const struct step_node *head, const struct timing *tensor, double vector_cycles, double bytes, double tiles)
{
	double vector_s = vector_cycles / machine->clock;
	struct timing t = *tensor;

	t.compute_s = fmax(t.compute_s, vector_s) + fmin(1, tiles * head->timing.tile_part) * vector_s;
	t.bytes = bytes;
	t.memory_s = head->measured ? 0 : bytes / machine->hbm_bw;       /* a measured time is what binds */
	t.time_s = fmax(t.compute_s, t.memory_s);
	t.bound = t.compute_s >= t.memory_s ? BOUND_COMPUTE : BOUND_MEMORY;
	return t;
}

/* Grows one task from a node, taking along what follows while that ends sooner. */
static void grow_task(struct making *m, int node, bool fusion)
{
	struct step_node *head = &m->step->nodes[node];
	struct step_task *task = &m->step->tasks[m->step->task_count];
	int last = node, next;

	*task = (struct step_task){ .node = node, .core = head->core, .timing = head->timing, .vector_cycles = head->vector_cycles };
	head->task = m->step->task_count++;
	while (fusion && !head->unfusable && (head->core == CORE_TC || head->core == CORE_VC) && (next = follower(m, last)) >= 0) {
		struct step_node *n = &m->step->nodes[next];
		/* the tensor between them is neither written nor read; of one that is not whole there the rest comes from elsewhere */
		double between = fmin(m->step->nodes[last].made_bytes, n->taken_bytes);
		double cycles = task->vector_cycles + n->vector_cycles, bytes = task->timing.bytes + n->timing.bytes - 2 * between;
		struct timing fused = head->core == CORE_TC ? fuse_tensor(m->request->machine, head, &head->timing, cycles, bytes, 1)
			: vector_time(m->request->machine, cycles, bytes);     /* one pass over the elements */

		if (fused.time_s >= task->timing.time_s + n->timing.time_s)
			break;
		task->vector_cycles += n->vector_cycles;
		task->timing = fused;
		task->core = head->core == CORE_TC ? CORE_BOTH : CORE_VC;
		n->taken_by = node;
		n->task = head->task;
		m->step->nodes[last].next = next;
		last = next;
	}
}

/* ---- tasks ---- */

/* Cycles of a task's vector work with its elements dealt out over that many vector cores; measured work stays on one. */
static double spread_vector_cycles(const struct step *s, const struct step_task *task, int64_t vc)
{
	double cycles = 0;

	for (int node = task->node; node >= 0; node = s->nodes[node].next) {
		const struct step_node *n = &s->nodes[node];

		cycles += n->measured ? n->vector_cycles : vector_cycles(&s->machine, n->each, n->elements, vc);
	}
	return cycles;
}

/* A task on all of that many cores of its kind: a product as gemm_cycles shares it out, vector work by elements.  time_s 0: it does not
 * spread. */
static struct timing spread_timing(const struct step *s, const struct step_task *task, int64_t tc, int64_t vc)
{
	const struct machine *machine = &s->machine;
	const struct step_node *n = &s->nodes[task->node];
	struct timing t = { .time_s = 0 };

	if (n->measured)                 /* on one core, as measured */
		return t;
	if (task->core == CORE_VC && vc > 1)
		return vector_time(machine, spread_vector_cycles(s, task, vc), task->timing.bytes);
	if (!core_uses(task->core, RESOURCE_TC) || (tc <= 1 && vc <= 1))
		return t;
	t = tensor_spread(machine, n->gemms, n->gemm_count, tc, &n->timing);
	return task->core == CORE_BOTH ? fuse_tensor(machine, n, &t, spread_vector_cycles(s, task, vc), task->timing.bytes, (double)tc) : t;
}

static double spread_of(const void *context, int task, const int cores[RESOURCE_COUNT])
{
	const struct step *s = context;

	if (cores[RESOURCE_TC] == s->machine.tc && cores[RESOURCE_VC] == s->machine.vc)
		return s->tasks[task].spread.time_s;
	return spread_timing(s, &s->tasks[task], cores[RESOURCE_TC], cores[RESOURCE_VC]).time_s;
}

/* Inputs of a task: those of its head, as the tasks that carry them out. */
static void build_graph(struct making *m)
{
	struct step *s = m->step;
	const struct training *t = m->training;
	size_t count = (size_t)s->task_count, edges = 0;
	double *seconds = arena_alloc(&s->arena, count, sizeof *seconds);
	unsigned char *kinds = arena_alloc(&s->arena, count, 1);
	int *first = arena_alloc(&s->arena, count + 1, sizeof *first), *inputs;

	for (int i = 0; i < s->task_count; i++)
		edges += (size_t)t->nodes[s->tasks[i].node].input_count;
	inputs = arena_alloc(&s->arena, edges, sizeof *inputs);
	edges = 0;
	for (int i = 0; i < s->task_count; i++) {
		const struct training_node *head = &t->nodes[s->tasks[i].node];

		first[i] = (int)edges;
		seconds[i] = s->tasks[i].timing.time_s;
		kinds[i] = (unsigned char)s->tasks[i].core;
		s->tasks[i].spread = spread_timing(s, &s->tasks[i], s->machine.tc, s->machine.vc);
		for (int k = 0; k < head->input_count; k++)
			inputs[edges++] = s->nodes[t->inputs[head->first_input + k]].task;
	}
	first[s->task_count] = (int)edges;
	s->graph = (struct task_graph){ .count = s->task_count, .seconds = seconds, .kinds = kinds, .first_input = first, .inputs = inputs,
		.cores = { [RESOURCE_TC] = (int)m->request->machine->tc, [RESOURCE_VC] = (int)m->request->machine->vc },
		.spread = spread_of, .spread_context = s };
}

/* ---- what is fused ---- */

/* The tasks, with or without fusion, and what no schedule of them beats. */
static enum status make_tasks(struct making *m, bool fusion, struct diagnostic *d)
{
	struct step *s = m->step;

	s->task_count = 0;
	for (int node = 0; node < s->node_count; node++)
		s->nodes[node].taken_by = s->nodes[node].next = -1;
	for (int node = 0; node < s->node_count; node++)
		if (s->nodes[node].taken_by < 0)
			grow_task(m, node, fusion);
	build_graph(m);
	if (tasks_check(&s->graph, d) != STATUS_OK)
		return STATUS_INPUT;
	bounds_measure(&s->graph, &s->bounds);
	return STATUS_OK;
}

static double schedule_tasks(struct step *s)
{
	list_schedule(&s->graph, &s->bounds, &s->schedule);
	return s->schedule.makespan;
}

/* What no step is shorter than with nothing fused, at a glance: the work of each kind of core, and the longest path if every node could be
 * shared out evenly over all cores of its kind. */
static double unfused_bound(const struct making *m)
{
	const struct step *s = m->step;
	const struct training *t = m->training;
	double *ends = memory_alloc((size_t)s->node_count, sizeof *ends), work[CORE_KIND_COUNT] = { 0 }, bound = 0;
	double cores[CORE_KIND_COUNT] = { [CORE_NONE] = 1, [CORE_TC] = (double)s->machine.tc, [CORE_VC] = (double)s->machine.vc };

	for (int node = 0; node < s->node_count; node++) {
		double seconds = s->nodes[node].timing.time_s / cores[s->nodes[node].core];

		if (s->nodes[node].core != CORE_NONE)
			work[s->nodes[node].core] += seconds;
		/* memory is not shared out */
		seconds = fmax(seconds, s->nodes[node].timing.memory_s);
		for (int i = 0; i < t->nodes[node].input_count; i++)
			ends[node] = fmax(ends[node], ends[t->inputs[t->nodes[node].first_input + i]]);
		ends[node] += seconds;
		bound = fmax(bound, ends[node]);
	}
	memory_free(ends);
	return fmax(bound, fmax(work[CORE_TC], work[CORE_VC]));
}

/* A fused task is shorter but holds both kinds of cores: where the step is longer than it need be, it is tried with nothing fused.  What is
 * fused moves less, so it stays where that gains little. */
static enum status fuse_and_schedule(struct making *m, struct diagnostic *d)
{
	static const double little = 1.02;
	struct step *s = m->step;
	double fused;

	if (make_tasks(m, m->request->fusion, d) != STATUS_OK)
		return STATUS_INPUT;
	fused = schedule_tasks(s);
	if (s->task_count == s->node_count || m->request->always_fused || fused <= little * unfused_bound(m))
		return STATUS_OK;
	make_tasks(m, false, d);
	if (little * s->bounds.makespan < fused && little * schedule_tasks(s) < fused)
		return STATUS_OK;
	make_tasks(m, true, d);
	schedule_tasks(s);
	return STATUS_OK;
}

/* Slack with the seconds and cores that each task got: what one waits for is then said of this schedule. */
static void measure_slack(struct step *s)
{
	s->free_bound = s->bounds.makespan;
	bounds_measure_placed(&s->graph, &s->schedule, &s->bounds);
	for (int i = 0; i < s->task_count; i++) {
		s->tasks[i].spreads = schedule_spreads(&s->schedule, i);
		s->tasks[i].seconds = step_timing(&s->tasks[i])->time_s;
		s->critical += s->bounds.tasks[i].critical && s->tasks[i].seconds > 0;
	}
}

/* ---- what nodes take of their task ---- */

/* A fused node begins where the one before it ends.  Behind a product it takes the vector time of one tile; in a chain of vector work, its
 * part of the cycles.  What is left is the head's. */
static void share_task(struct making *m, const struct step_task *task)
{
	struct step_node *nodes = m->step->nodes, *head = &nodes[task->node];
	double left = task->seconds;

	for (int node = head->next; node >= 0; node = nodes[node].next) {
		struct step_node *n = &nodes[node];
		double part = head->core == CORE_TC ? head->timing.tile_part * n->vector_cycles / m->request->machine->clock
			: task->vector_cycles > 0 ? task->seconds * n->vector_cycles / task->vector_cycles : 0;

		n->seconds = fmin(part, left);
		left -= n->seconds;
	}
	head->seconds = left;
	for (int node = task->node; nodes[node].next >= 0; node = nodes[node].next)
		nodes[nodes[node].next].offset = nodes[node].offset + nodes[node].seconds;
}

/* ---- what rows take ---- */

/* Bytes between buffer and cores: what the arrays read and write, or what vector work reads and writes by itself. */
static double buffer_bytes(const struct making *m, const struct step_node *n)
{
	double elements = 0;

	if (n->core != CORE_TC)
		return n->timing.bytes;
	for (int g = 0; g < n->gemm_count; g++) {
		struct sram_traffic t = gemm_sram(m->request->machine, &n->gemms[g]);

		elements += t.left + t.right + t.result;
	}
	return elements * m->request->machine->element_bytes;
}

static void sum_rows(struct making *m)
{
	struct step *s = m->step;
	const struct training *t = m->training;
	const struct machine *machine = m->request->machine;
	double multipliers = (double)machine->tc_rows * (double)machine->tc_cols;
	double *cycles = memory_alloc((size_t)t->model->count, sizeof *cycles);

	for (int row = 0; row < t->model->count; row++)
		s->rows[row].fused = true;
	for (int node = 0; node < t->count; node++) {
		const struct step_node *n = &s->nodes[node];
		struct step_row *row = t->nodes[node].row >= 0 ? &s->rows[t->nodes[node].row] : NULL;

		s->work.macs += n->timing.macs;
		s->work.lane_cycles += n->elements * n->each;
		s->work.sram_bytes += buffer_bytes(m, n);
		if (t->nodes[node].pass == PASS_UPDATE) {
			s->update.lane_cycles += n->elements * n->each;
			s->update.sram_bytes += buffer_bytes(m, n);
		}
		if (row == NULL)
			continue;
		row->seconds += n->seconds;
		row->macs += n->timing.macs;
		row->measured |= n->measured;
		if (n->core == CORE_TC)          /* of all cores it runs on */
			cycles[t->nodes[node].row] += s->tasks[n->task].spreads ? s->tasks[n->task].spread.cycles * (double)machine->tc : n->timing.cycles;
	}
	for (int i = 0; i < s->task_count; i++) {
		const struct timing *timing = step_timing(&s->tasks[i]);
		struct step_row *row = t->nodes[s->tasks[i].node].row >= 0 ? &s->rows[t->nodes[s->tasks[i].node].row] : NULL;

		s->work.memory_bytes += timing->bytes;
		if (t->nodes[s->tasks[i].node].pass == PASS_UPDATE)
			s->update.memory_bytes += timing->bytes;
		if (row == NULL)
			continue;
		row->fused = false;
		row->compute_s += timing->compute_s;
		row->memory_s += timing->memory_s;
		row->bytes += timing->bytes;
	}
	for (int row = 0; row < t->model->count; row++) {
		struct step_row *r = &s->rows[row];

		r->bound = r->compute_s >= r->memory_s ? BOUND_COMPUTE : BOUND_MEMORY;
		r->utilisation = cycles[row] > 0 ? r->macs / (cycles[row] * multipliers) : NAN;
	}
	memory_free(cycles);
}

static enum status make_step(struct making *m, struct diagnostic *d)
{
	const struct training *t = m->training;
	char name[600];

	for (int node = 0; node < t->count; node++) {
		struct diagnostic cause;

		if (step_cost_node(m, node, &cause) != STATUS_OK) {
			training_name(t, node, name, sizeof name);
			return diagnostic_fail(d, STATUS_INPUT, "%.80s, %s: %s", name, pass_name(t->nodes[node].pass), cause.text);
		}
	}
	step_use_measured_rows(m);
	count_consumers(m);
	if (fuse_and_schedule(m, d) != STATUS_OK)
		return STATUS_INPUT;
	measure_slack(m->step);
	for (int task = 0; task < m->step->task_count; task++)
		share_task(m, &m->step->tasks[task]);
	sum_rows(m);
	return STATUS_OK;
}

enum status step_new(const struct training *training, const struct step_request *request, struct step **step, struct diagnostic *d)
{
	struct step *s = memory_alloc(1, sizeof *s);
	size_t nodes = (size_t)training->count;
	struct making m = { .training = training, .request = request, .step = s,
		.consumers = memory_alloc(nodes, sizeof(int)), .only = memory_alloc(nodes, sizeof(int)),
		.alike = memory_alloc((size_t)training->model->count * TRAINING_PART_COUNT * PASS_COUNT, sizeof(int)) };
	enum status status;

	s->machine = *request->machine;
	s->node_count = training->count;
	s->nodes = arena_alloc(&s->arena, nodes, sizeof *s->nodes);
	s->tasks = arena_alloc(&s->arena, nodes, sizeof *s->tasks);
	s->rows = arena_alloc(&s->arena, (size_t)training->model->count, sizeof *s->rows);
	if (request->latencies != NULL)
		s->latency_used = arena_alloc(&s->arena, (size_t)request->latencies->count, sizeof *s->latency_used);
	status = make_step(&m, d);
	memory_free(m.consumers);
	memory_free(m.only);
	memory_free(m.alike);
	if (status != STATUS_OK) {
		step_free(s);
		s = NULL;
	}
	*step = s;
	return status;
}

bool step_uses(const struct step *step, enum resource resource)
{
	for (int i = 0; i < step->task_count; i++)
		if (step->tasks[i].seconds > 0 && core_uses(step->tasks[i].core, resource))
			return true;
	return false;
}

void step_free(struct step *step)
{
	if (step == NULL)
		return;
	bounds_free(&step->bounds);
	schedule_free(&step->schedule);
	arena_free(&step->arena);
	memory_free(step);
}
