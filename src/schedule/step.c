#include "schedule/step.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* What is under way while a step is made. */
struct making {
	const struct training *training;
	const struct step_request *request;
	struct step *step;
	int *consumers, *only;           /* of each node: how many, and the last of them */
};

/* ---- what a node is ---- */

static double positions(struct shape s)
{
	return (double)s.h * (double)s.w;
}

/* Elements of a row's tensors in one accelerator's share. */
static double elements_in(const struct operator *o, const struct share *s)
{
	return (double)s->batch * (double)s->in_ch * positions(o->in);
}

static double elements_out(const struct operator *o, const struct share *s)
{
	return (double)s->batch * (double)s->out_ch * positions(o->out);
}

static double elements_conv_out(const struct operator *o, const struct share *s)
{
	return (double)s->batch * (double)s->out_ch * positions(o->conv_out);
}

static double share_weights(const struct operator *o, const struct share *s)
{
	double in = (double)s->in_ch, out = (double)s->out_ch;

	if (o->kind != OPERATOR_CONV)
		return in * out;
	return (double)o->kernel.h * (double)o->kernel.w * in / (double)(s->groups > 0 ? s->groups : 1) * out;
}

/* An activation is told by its name; one that names none is a relu. */
static enum vector_operation activation_of(const char *name)
{
	static const enum vector_operation named[] = { VECTOR_GELU, VECTOR_TANH, VECTOR_SIGMOID, VECTOR_SILU, VECTOR_SWISH, VECTOR_ERF, VECTOR_SOFTMAX };

	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (strstr(name, vector_operation_at(named[i])->name) != NULL)
			return named[i];
	return VECTOR_RELU;
}

/* A measured time is not split into compute and memory: it is what binds. */
static void set_measured(struct step_node *n, double seconds)
{
	n->measured = true;
	n->timing.compute_s = n->timing.time_s = seconds;
	n->timing.memory_s = 0;
	n->timing.bound = BOUND_COMPUTE;
}

/* Vector work: cycles, and the bytes it moves when it is not fused. */
static void set_vector(struct making *m, struct step_node *n, enum vector_operation operation, bool backward, double elements, int64_t window, double moved)
{
	const struct machine *machine = m->request->machine;
	const struct vector_row *row = vector_operation_at(operation);
	double each = operation == VECTOR_POOL && !backward ? (double)window : backward ? row->backward : row->forward;
	const struct latency *measured = latencies_vector(m->request->latencies, operation, backward, elements);

	n->core = CORE_VC;
	n->vector_cycles = vector_operation_cycles(machine, operation, backward, elements, window, 1);
	n->lane_cycles = elements * each;
	n->timing = vector_time(machine, n->vector_cycles, moved * machine->element_bytes);
	if (measured != NULL) {
		set_measured(n, measured->seconds);
		m->step->latency_used[measured - m->request->latencies->rows] = true;
	}
}

/* Data movement: bytes and no core. */
static void set_movement(struct making *m, struct step_node *n, double moved)
{
	n->core = CORE_NONE;
	n->timing = vector_time(m->request->machine, 0, moved * m->request->machine->element_bytes);
}

static enum status set_gemms(struct making *m, struct step_node *n, const struct gemm *gemms, int count, struct diagnostic *d)
{
	const struct latency *measured = NULL;
	double seconds = 0;
	enum status status;

	n->core = CORE_TC;
	n->gemm_count = count;
	memcpy(n->gemms, gemms, (size_t)count * sizeof *gemms);
	status = tensor_time(m->request->machine, gemms, count, 1, &n->timing, d);
	for (int g = 0; g < count && status == STATUS_OK; g++) {
		measured = latencies_product(m->request->latencies, &gemms[g]);
		if (measured == NULL)
			return status;
		m->step->latency_used[measured - m->request->latencies->rows] = true;
		seconds += measured->seconds;
	}
	if (status == STATUS_OK)
		set_measured(n, seconds);
	return status;
}

/* Forward QK' and AV; backward AV makes the errors of the weights and the values, QK' those of queries and keys. */
static enum status set_attention(struct making *m, struct step_node *n, const struct operator *o, const struct share *s, enum training_part part, bool backward,
	struct diagnostic *d)
{
	struct gemm forward[GEMMS_MAX], both[GEMMS_MAX];

	if (gemm_of(o, GEMM_FORWARD, s, forward) != 2)
		return diagnostic_fail(d, STATUS_INPUT, "its sizes overflow");
	if (!backward)
		return set_gemms(m, n, &forward[part == PART_QK ? 0 : 1], 1, d);
	if (part == PART_AV) {
		both[0] = forward[0];
		both[1] = forward[1];
		return set_gemms(m, n, both, 2, d);
	}
	both[0] = forward[1];
	both[0].groups *= 2;
	return set_gemms(m, n, both, 1, d);
}

static enum status set_weighted(struct making *m, struct step_node *n, const struct operator *o, const struct share *s, enum pass pass, struct diagnostic *d)
{
	static const enum gemm_pass passes[PASS_COUNT] = { [PASS_FWD] = GEMM_FORWARD, [PASS_BWD_DATA] = GEMM_BACKWARD_DATA, [PASS_BWD_WEIGHT] = GEMM_WEIGHT_GRADIENT };
	struct gemm gemms[GEMMS_MAX];
	double weights = share_weights(o, s);
	int count;

	if (pass == PASS_UPDATE) {
		/* reads weights, gradients and what the optimizer keeps of each, writes all but the gradients */
		static const double moved[OPTIMIZER_COUNT] = { [OPTIMIZER_SGD] = 3, [OPTIMIZER_MOMENTUM] = 5, [OPTIMIZER_ADAM] = 7 };

		n->core = CORE_VC;
		n->vector_cycles = optimizer_cycles(m->request->machine, m->request->optimizer, weights, 1);
		n->lane_cycles = weights * optimizer_at(m->request->optimizer)->cycles;
		n->timing = vector_time(m->request->machine, n->vector_cycles, moved[m->request->optimizer] * weights * m->request->machine->element_bytes);
		return STATUS_OK;
	}
	if (o->kind == OPERATOR_EMBEDDING) {
		set_movement(m, n, 2 * elements_out(o, s));
		return STATUS_OK;
	}
	count = gemm_of(o, passes[pass], s, gemms);
	return count > 0 ? set_gemms(m, n, gemms, count, d) : diagnostic_fail(d, STATUS_INPUT, "its sizes overflow");
}

/* Operators without weights, forward and backward. */
static void set_plain(struct making *m, struct step_node *n, const struct operator *o, const struct share *s, bool backward)
{
	double in = elements_in(o, s), out = elements_out(o, s);

	switch (o->kind) {
	case OPERATOR_ADD:
		set_vector(m, n, VECTOR_ADD, backward, out * (o->input_count - 1), 1, out * (o->input_count + 1));
		break;
	case OPERATOR_MUL:
		set_vector(m, n, VECTOR_MUL, backward, out * (backward ? o->input_count : o->input_count - 1), 1, out * (o->input_count + 1));
		break;
	case OPERATOR_CONCAT:
		set_movement(m, n, 2 * out);
		break;
	case OPERATOR_POOL:
		set_vector(m, n, VECTOR_POOL, backward, backward ? in : out, o->kernel.h * o->kernel.w, in + out);
		break;
	case OPERATOR_NORM:
		set_vector(m, n, VECTOR_LAYER_NORM, backward, out, 1, (backward ? 3 : 2) * out);
		break;
	case OPERATOR_SOFTMAX:
		set_vector(m, n, VECTOR_SOFTMAX, backward, out, 1, (backward ? 3 : 2) * out);
		break;
	case OPERATOR_DROPOUT:
		set_vector(m, n, VECTOR_DROPOUT, backward, out, 1, (backward ? 3 : 2) * out);
		break;
	case OPERATOR_ACT:
		set_vector(m, n, activation_of(o->name), backward, out, 1, (backward ? 3 : 2) * out);
		break;
	default:                         /* opaque: its work is not known */
		n->core = CORE_NONE;
		n->opaque = true;
	}
}

/* Elements that reach the loss: the outputs of what it waits for. */
static double loss_elements(const struct making *m, const struct training_node *t)
{
	double elements = 0;

	for (int i = 0; i < t->input_count; i++) {
		int row = m->training->nodes[m->training->inputs[t->first_input + i]].row;

		elements += elements_out(&m->training->model->operators[row], &m->request->shares[row]);
	}
	return elements;
}

static enum status cost_node(struct making *m, int node, struct diagnostic *d)
{
	const struct training_node *t = &m->training->nodes[node];
	struct step_node *n = &m->step->nodes[node];
	const struct operator *o = t->row >= 0 ? &m->training->model->operators[t->row] : NULL;
	const struct share *s = t->row >= 0 ? &m->request->shares[t->row] : NULL;
	bool backward = t->pass == PASS_BWD_DATA || t->pass == PASS_BWD_WEIGHT;
	double heads_square;

	n->taken_by = -1;
	if (t->pass == PASS_LOSS) {
		set_vector(m, n, VECTOR_LOSS, false, loss_elements(m, t), 1, 2 * loss_elements(m, t));
		return STATUS_OK;
	}
	switch (t->part) {
	case PART_RELU:
		set_vector(m, n, VECTOR_RELU, backward, elements_conv_out(o, s), 1, (backward ? 3 : 2) * elements_conv_out(o, s));
		return STATUS_OK;
	case PART_POOL:
		set_vector(m, n, VECTOR_POOL, backward, backward ? elements_conv_out(o, s) : elements_out(o, s), o->pool * o->pool,
			elements_conv_out(o, s) + elements_out(o, s));
		return STATUS_OK;
	case PART_SUM:
		set_vector(m, n, VECTOR_ADD, false, elements_out(o, s) * (t->branches - 1), 1, elements_out(o, s) * (t->branches + 1));
		return STATUS_OK;
	case PART_QK:
	case PART_AV:
		return set_attention(m, n, o, s, t->part, backward, d);
	case PART_SOFTMAX:
		heads_square = (double)s->batch * (double)(s->heads > 0 ? s->heads : 1) * positions(o->out) * positions(o->out);
		set_vector(m, n, VECTOR_SOFTMAX, backward, heads_square, 1, (backward ? 3 : 2) * heads_square);
		return STATUS_OK;
	default:
		break;
	}
	if (operator_kind_weighted(o->kind))
		return set_weighted(m, n, o, s, t->pass, d);
	set_plain(m, n, o, s, backward);
	return STATUS_OK;
}

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
	    m->training->nodes[next].pass == PASS_LOSS || m->training->nodes[next].pass == PASS_UPDATE)
		return -1;
	return next;
}

static double result_elements(const struct step_node *n)
{
	double elements = 0;

	for (int g = 0; g < n->gemm_count; g++)
		elements += (double)n->gemms[g].groups * n->gemms[g].result;
	return elements;
}

/* How much of a product's result is one tile. */
static double tile_part(const struct step_node *head)
{
	double elements = result_elements(head);

	return elements > 0 ? fmin(1, head->timing.tile_elements / elements) : 0;
}

/* Tensor work takes vector work along: both at once, and at the end the vector time of one tile for each of `tiles` cores.  The tensor between
 * them is not moved. */
static struct timing fuse_tensor(const struct making *m, const struct step_node *head, const struct timing *tensor, double vector_cycles, double tiles)
{
	double vector_s = vector_cycles / m->request->machine->clock;
	struct timing t = *tensor;

	t.compute_s = fmax(t.compute_s, vector_s) + fmin(1, tiles * tile_part(head)) * vector_s;
	t.time_s = fmax(t.compute_s, t.memory_s);
	t.bound = t.compute_s >= t.memory_s ? BOUND_COMPUTE : BOUND_MEMORY;
	return t;
}

/* Vector work takes vector work along: one pass over the elements. */
static struct timing fuse_vector(const struct making *m, const struct timing *first, const struct step_node *second, double cycles)
{
	const struct machine *machine = m->request->machine;
	double between = second->timing.bytes / 2;       /* written by the first, read by the second */

	return vector_time(machine, cycles, fmax(0, first->bytes - between) + fmax(0, second->timing.bytes - between));
}

/* Grows one task from a node, taking along what follows while that ends sooner. */
static void grow_task(struct making *m, int node)
{
	struct step_node *head = &m->step->nodes[node];
	struct step_task *task = &m->step->tasks[m->step->task_count];
	int last = node, next;

	*task = (struct step_task){ .node = node, .core = head->core, .timing = head->timing, .vector_cycles = head->vector_cycles };
	head->task = m->step->task_count++;
	while (m->request->fusion && (head->core == CORE_TC || head->core == CORE_VC) && (next = follower(m, last)) >= 0) {
		struct step_node *n = &m->step->nodes[next];
		struct timing fused = head->core == CORE_TC ? fuse_tensor(m, head, &head->timing, task->vector_cycles + n->vector_cycles, 1)
			: fuse_vector(m, &task->timing, n, task->vector_cycles + n->vector_cycles);

		if (fused.time_s >= task->timing.time_s + n->timing.time_s)
			break;
		task->vector_cycles += n->vector_cycles;
		task->timing = fused;
		task->core = head->core == CORE_TC ? CORE_BOTH : CORE_VC;
		n->taken_by = node;
		n->task = head->task;
		last = next;
	}
	head->last_fused = last;
}

/* ---- tasks ---- */

/* All cores of a kind: the larger side of a product, or the elements, in equal parts. */
static struct timing spread_timing(const struct making *m, const struct step_task *task)
{
	const struct machine *machine = m->request->machine;
	const struct step_node *n = &m->step->nodes[task->node];
	struct timing t = { .time_s = 0 };

	if (n->measured)                 /* on one core, as measured */
		return t;
	if (task->core == CORE_VC && machine->vc > 1)
		return vector_time(machine, ceil(task->timing.cycles / (double)machine->vc), task->timing.bytes);
	if (!core_uses(task->core, RESOURCE_TC) || (machine->tc == 1 && machine->vc == 1))
		return t;
	if (tensor_time(machine, n->gemms, n->gemm_count, machine->tc, &t, NULL) != STATUS_OK)
		return (struct timing){ .time_s = 0 };
	if (task->core == CORE_BOTH)
		return fuse_tensor(m, n, &t, task->vector_cycles / (double)machine->vc, (double)machine->tc);
	return t;
}

static double spread_of(const void *context, int task, const int cores[RESOURCE_COUNT])
{
	(void)cores;
	return ((const struct step_task *)context)[task].spread.time_s;
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
		s->tasks[i].spread = spread_timing(m, &s->tasks[i]);
		for (int k = 0; k < head->input_count; k++)
			inputs[edges++] = s->nodes[t->inputs[head->first_input + k]].task;
	}
	first[s->task_count] = (int)edges;
	s->graph = (struct task_graph){ .count = s->task_count, .seconds = seconds, .kinds = kinds, .first_input = first, .inputs = inputs,
		.cores = { [RESOURCE_TC] = (int)m->request->machine->tc, [RESOURCE_VC] = (int)m->request->machine->vc },
		.spread = spread_of, .spread_context = s->tasks };
}

/* Schedules, then measures slack with the seconds that each task got: what one waits for is then said of this schedule. */
static enum status schedule_tasks(struct step *s, struct diagnostic *d)
{
	enum status status = tasks_check(&s->graph, d);

	if (status != STATUS_OK)
		return status;
	bounds_measure(&s->graph, &s->bounds);
	list_schedule(&s->graph, &s->bounds, &s->schedule);
	bounds_measure_placed(&s->graph, &s->schedule, &s->bounds);
	for (int i = 0; i < s->task_count; i++) {
		s->tasks[i].spreads = schedule_spreads(&s->schedule, i);
		s->tasks[i].seconds = step_timing(&s->tasks[i])->time_s;
	}
	return STATUS_OK;
}

/* ---- what nodes take of their task ---- */

/* A fused node begins where the one before it ends.  Behind a product it takes the vector time of one tile; in a chain of vector work, its
 * part of the cycles.  What is left is the head's. */
static void share_task(struct making *m, const struct step_task *task)
{
	struct step_node *nodes = m->step->nodes, *head = &nodes[task->node];
	double left = task->seconds;

	for (int node = task->node; node != head->last_fused; node = m->only[node]) {
		struct step_node *n = &nodes[m->only[node]];
		double part = head->core == CORE_TC ? tile_part(head) * n->vector_cycles / m->request->machine->clock
			: task->vector_cycles > 0 ? task->seconds * n->vector_cycles / task->vector_cycles : 0;

		n->seconds = fmin(part, left);
		left -= n->seconds;
	}
	head->seconds = left;
	for (int node = task->node; node != head->last_fused; node = m->only[node])
		nodes[m->only[node]].offset = nodes[node].offset + nodes[node].seconds;
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
		s->work.lane_cycles += n->lane_cycles;
		s->work.sram_bytes += buffer_bytes(m, n);
		if (row == NULL)
			continue;
		row->seconds += n->seconds;
		row->macs += n->timing.macs;
		row->measured |= n->measured;
		cycles[t->nodes[node].row] += n->core == CORE_TC ? n->timing.cycles : 0;
	}
	for (int i = 0; i < s->task_count; i++) {
		const struct timing *timing = step_timing(&s->tasks[i]);
		struct step_row *row = t->nodes[s->tasks[i].node].row >= 0 ? &s->rows[t->nodes[s->tasks[i].node].row] : NULL;

		s->work.memory_bytes += timing->bytes;
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

		if (cost_node(m, node, &cause) != STATUS_OK) {
			training_name(t, node, name, sizeof name);
			return diagnostic_fail(d, STATUS_INPUT, "%.80s, %s: %s", name, pass_name(t->nodes[node].pass), cause.text);
		}
	}
	count_consumers(m);
	for (int node = 0; node < t->count; node++)
		if (m->step->nodes[node].taken_by < 0)
			grow_task(m, node);
	build_graph(m);
	if (schedule_tasks(m->step, d) != STATUS_OK)
		return STATUS_INPUT;
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
		.consumers = memory_alloc(nodes, sizeof(int)), .only = memory_alloc(nodes, sizeof(int)) };
	enum status status;

	s->node_count = training->count;
	s->nodes = arena_alloc(&s->arena, nodes, sizeof *s->nodes);
	s->tasks = arena_alloc(&s->arena, nodes, sizeof *s->tasks);
	s->rows = arena_alloc(&s->arena, (size_t)training->model->count, sizeof *s->rows);
	if (request->latencies != NULL)
		s->latency_used = arena_alloc(&s->arena, (size_t)request->latencies->count, sizeof *s->latency_used);
	status = make_step(&m, d);
	memory_free(m.consumers);
	memory_free(m.only);
	if (status != STATUS_OK) {
		step_free(s);
		s = NULL;
	}
	*step = s;
	return status;
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
