/* What one node of the training graph costs by itself, by the kind of its row, its part and its pass.  MODELS 3.1, 3.4. */
#include "schedule/step_inside.h"

#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

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

/* True when the word, whatever its case and without a number at its end, ends in the name: "Gelu_1", "leakyrelu", "act2_hardswish". */
static bool word_ends_in(const char *word, size_t length, const char *name)
{
	size_t tail = strlen(name);

	while (length > 0 && isdigit((unsigned char)word[length - 1]))
		length--;
	if (length < tail)
		return false;
	for (size_t i = 0; i < tail; i++)
		if (tolower((unsigned char)word[length - tail + i]) != name[i])
			return false;
	return true;
}

/* An activation is told by a word of its name; one that names none is a relu. */
static enum vector_operation activation_of(const char *name)
{
	static const enum vector_operation named[] = { VECTOR_RELU, VECTOR_GELU, VECTOR_TANH, VECTOR_SIGMOID, VECTOR_SILU, VECTOR_SWISH, VECTOR_ERF, VECTOR_SOFTMAX };

	for (size_t length; *name != '\0'; name += length) {
		for (length = 0; isalnum((unsigned char)name[length]); )
			length++;
		for (size_t i = 0; i < sizeof named / sizeof *named; i++)
			if (word_ends_in(name, length, vector_operation_at(named[i])->name))
				return named[i];
		length += length == 0;
	}
	return VECTOR_RELU;
}

/* A measured time is not split into compute and memory: it is what binds.  Vector work that is fused takes as long as cycles. */
static void set_measured(const struct making *m, struct step_node *n, double seconds)
{
	n->measured = true;
	n->timing.compute_s = n->timing.time_s = seconds;
	n->timing.memory_s = 0;
	n->timing.bound = BOUND_COMPUTE;
	n->timing.cycles = NAN;
	if (n->core == CORE_TC)
		n->timing.utilisation = NAN;
	if (n->core == CORE_VC)
		n->vector_cycles = seconds * m->request->machine->clock;
}

/* The measured latency of a shape, NULL when there is none; the step notes that it is used. */
static const struct latency *use_latency(struct making *m, const struct latency *l)
{
	if (l != NULL)
		m->step->latency_used[l - m->request->latencies->rows] = true;
	return l;
}

/* Vector work by itself. */
static void set_elements(const struct making *m, struct step_node *n, double each, double elements, double moved)
{
	const struct machine *machine = m->request->machine;

	n->core = CORE_VC;
	n->elements = elements;
	n->each = each;
	n->vector_cycles = vector_cycles(machine, each, elements, 1);
	n->timing = vector_time(machine, n->vector_cycles, moved * machine->element_bytes);
}

/* What vector work moves when it is not fused, in elements. */
struct moves {
	double taken;            /* from the node before it */
	double beside;           /* read besides */
	double made;             /* its result */
};

/* The same elements in and out; backward, those of the way there are read besides. */
static struct moves moves_alike(double elements, bool backward)
{
	return (struct moves){ elements, backward ? elements : 0, elements };
}

/* Vector work: cycles, and what it moves. */
static void set_vector(struct making *m, struct step_node *n, enum vector_operation operation, bool backward, double elements, int64_t window, struct moves moves)
{
	const struct machine *machine = m->request->machine;
	const struct latency *measured = latencies_vector(m->request->latencies, operation, backward, elements, operation == VECTOR_POOL ? window : 1);

	set_elements(m, n, vector_each(operation, backward, window), elements, moves.taken + moves.beside + moves.made);
	n->taken_bytes = moves.taken * machine->element_bytes;
	n->made_bytes = moves.made * machine->element_bytes;
	if (use_latency(m, measured) != NULL)
		set_measured(m, n, measured->seconds);
}

/* Data movement: bytes and no core. */
static void set_movement(struct making *m, struct step_node *n, double moved)
{
	n->core = CORE_NONE;
	n->timing = vector_time(m->request->machine, 0, moved * m->request->machine->element_bytes);
}

static enum status set_gemms(struct making *m, struct step_node *n, const struct gemm *gemms, int count, struct diagnostic *d)
{
	enum status status;
	double seconds = 0;

	n->core = CORE_TC;
	n->gemm_count = count;
	memcpy(n->gemms, gemms, (size_t)count * sizeof *gemms);
	status = tensor_time(m->request->machine, gemms, count, 1, &n->timing, d);
	if (status != STATUS_OK)
		return status;
	for (int g = 0; g < count; g++)
		n->made_bytes += (double)gemms[g].groups * gemms[g].result * m->request->machine->element_bytes;
	/* all of its products are measured, or none counts */
	for (int g = 0; g < count; g++)
		if (latencies_product(m->request->latencies, &gemms[g]) == NULL)
			return STATUS_OK;
	for (int g = 0; g < count; g++)
		seconds += use_latency(m, latencies_product(m->request->latencies, &gemms[g]))->seconds;
	set_measured(m, n, seconds);
	return STATUS_OK;
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

		set_elements(m, n, optimizer_at(m->request->optimizer)->cycles, weights, moved[m->request->optimizer] * weights);
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
		set_vector(m, n, VECTOR_ADD, backward, out * (o->input_count - 1), 1, (struct moves){ out, out * (o->input_count - 1), out });
		break;
	case OPERATOR_MUL:
		set_vector(m, n, VECTOR_MUL, backward, out * (backward ? o->input_count : o->input_count - 1), 1, (struct moves){ out, out * (o->input_count - 1), out });
		break;
	case OPERATOR_CONCAT:
		set_movement(m, n, 2 * out);
		break;
	case OPERATOR_POOL:
		set_vector(m, n, VECTOR_POOL, backward, backward ? in : out, o->kernel.h * o->kernel.w, (struct moves){ backward ? out : in, 0, backward ? in : out });
		break;
	case OPERATOR_NORM:
		/* both norms take as long; a measured one may be called either */
		set_vector(m, n, latencies_vector(m->request->latencies, VECTOR_BATCH_NORM, backward, out, 1) != NULL ? VECTOR_BATCH_NORM : VECTOR_LAYER_NORM, backward,
			out, 1, moves_alike(out, backward));
		break;
	case OPERATOR_SOFTMAX:
		set_vector(m, n, VECTOR_SOFTMAX, backward, out, 1, moves_alike(out, backward));
		break;
	case OPERATOR_DROPOUT:
		set_vector(m, n, VECTOR_DROPOUT, backward, out, 1, moves_alike(out, backward));
		break;
	case OPERATOR_ACT:
		set_vector(m, n, activation_of(o->name), backward, out, 1, moves_alike(out, backward));
		break;
	default:                         /* opaque: its work is not known */
		n->core = CORE_NONE;
		n->opaque = true;
	}
}

/* Elements that reach the loss: the outputs of what it waits for, other losses apart. */
static double loss_elements(const struct making *m, const struct training_node *t)
{
	double elements = 0;

	for (int i = 0; i < t->input_count; i++) {
		int row = m->training->nodes[m->training->inputs[t->first_input + i]].row;

		/* another loss has done its work */
		if (m->training->model->operators[row].kind != OPERATOR_LOSS)
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
	struct gemm gemms[GEMMS_MAX];
	double weights, before, after;
	int count;

	n->taken_by = n->next = -1;
	if (t->pass == PASS_LOSS) {
		set_vector(m, n, VECTOR_LOSS, false, loss_elements(m, t), 1, moves_alike(loss_elements(m, t), false));
		return STATUS_OK;
	}
	switch (t->part) {
	case PART_RELU:
		set_vector(m, n, VECTOR_RELU, backward, elements_conv_out(o, s), 1, moves_alike(elements_conv_out(o, s), backward));
		return STATUS_OK;
	case PART_POOL:
		before = elements_conv_out(o, s);
		after = elements_out(o, s);
		set_vector(m, n, VECTOR_POOL, backward, backward ? before : after, o->pool * o->pool, (struct moves){ backward ? after : before, 0, backward ? before : after });
		return STATUS_OK;
	case PART_SUM:
		after = elements_out(o, s);
		set_vector(m, n, VECTOR_ADD, false, after * (t->branches - 1), 1, (struct moves){ after, after * (t->branches - 1), after });
		return STATUS_OK;
	case PART_QK:
	case PART_AV:
		count = gemm_of_attention(o, t->part == PART_AV, backward, s, gemms);
		return count > 0 ? set_gemms(m, n, gemms, count, d) : diagnostic_fail(d, STATUS_INPUT, "its sizes overflow");
	case PART_SOFTMAX:
		weights = (double)s->batch * (double)(s->heads > 0 ? s->heads : 1) * positions(o->out) * (double)o->keys;
		set_vector(m, n, VECTOR_SOFTMAX, backward, weights, 1, moves_alike(weights, backward));
		return STATUS_OK;
	default:
		break;
	}
	if (operator_kind_weighted(o->kind))
		return set_weighted(m, n, o, s, t->pass, d);
	set_plain(m, n, o, s, backward);
	return STATUS_OK;
}

static bool same_share(const struct share *a, const struct share *b)
{
	return a->batch == b->batch && a->in_ch == b->in_ch && a->out_ch == b->out_ch && a->groups == b->groups && a->heads == b->heads;
}

/* The place of a node's kind of work in `alike`; NULL when it is not one row's alone. */
static int *alike_of(const struct making *m, int node)
{
	const struct training_node *t = &m->training->nodes[node];

	if (t->row < 0 || t->pass == PASS_LOSS)
		return NULL;
	return &m->alike[(m->training->blocks->class_of[t->row] * TRAINING_PART_COUNT + (int)t->part) * PASS_COUNT + (int)t->pass];
}

/* Repeated blocks: a node like one before, with as large a share, costs what that costs.  False when there is none. */
static bool cost_as_before(struct making *m, int node)
{
	const struct training_node *t = &m->training->nodes[node], *before;
	int *alike = alike_of(m, node), first;

	if (alike == NULL)
		return false;
	first = *alike - 1;
	if (first < 0) {
		*alike = node + 1;
		return false;
	}
	before = &m->training->nodes[first];
	if (t->branches != before->branches || !same_share(&m->request->shares[t->row], &m->request->shares[before->row]) ||
	    (m->training->model->operators[t->row].kind == OPERATOR_ACT &&
	     activation_of(m->training->model->operators[t->row].name) != activation_of(m->training->model->operators[before->row].name)))
		return false;
	m->step->nodes[node] = m->step->nodes[first];
	return true;
}

enum status step_cost_node(struct making *m, int node, struct diagnostic *d)
{
	return cost_as_before(m, node) ? STATUS_OK : cost_node(m, node, d);
}

/* Whether a node's work is of a row's forward (or backward) seconds: the sums of gradients behind a fork are not. */
static bool is_of(const struct training_node *t, bool backward)
{
	bool pass = backward ? t->pass == PASS_BWD_DATA || t->pass == PASS_BWD_WEIGHT : t->pass == PASS_FWD || t->pass == PASS_LOSS;

	return pass && t->row >= 0 && t->part != PART_SUM;
}

/* The activation and the down-sampling of a layer: measured with it, so they take nothing more. */
static bool comes_along(enum training_part part)
{
	return part == PART_RELU || part == PART_POOL;
}

static void use_measured_rows(struct making *m, bool backward, double *modelled)
{
	const struct training *t = m->training;

	for (int node = 0; node < t->count; node++)
		if (is_of(&t->nodes[node], backward) && !comes_along(t->nodes[node].part))
			modelled[t->nodes[node].row] += m->step->nodes[node].timing.time_s;
	for (int node = 0; node < t->count; node++) {
		struct step_node *n = &m->step->nodes[node];
		int row = t->nodes[node].row;
		const struct operator *o = row >= 0 ? &t->model->operators[row] : NULL;
		double seconds = o == NULL ? 0 : backward ? o->bwd_s : o->fwd_s;

		/* a part of a layer's channels was not what was measured */
		if (!is_of(&t->nodes[node], backward) || !(seconds > 0) || modelled[row] == 0 || m->request->shares[row].in_ch != o->in.ch || m->request->shares[row].out_ch != o->out.ch)
			continue;
		if (comes_along(t->nodes[node].part))
			*n = (struct step_node){ .core = CORE_NONE, .taken_by = -1, .next = -1, .measured = true };
		else
			set_measured(m, n, seconds * n->timing.time_s / modelled[row]);
		n->unfusable = true;     /* it was measured by itself */
	}
}

/* Notes rows that have measured seconds of a direction and no node that took them. */
static void note_unused(struct making *m, bool backward)
{
	const struct training *t = m->training;
	bool *used = memory_alloc((size_t)t->model->count, sizeof *used);

	for (int node = 0; node < t->count; node++)
		if (is_of(&t->nodes[node], backward) && m->step->nodes[node].unfusable)
			used[t->nodes[node].row] = true;
	for (int row = 0; row < t->model->count; row++) {
		const struct operator *o = &t->model->operators[row];

		if (!((backward ? o->bwd_s : o->fwd_s) > 0) || used[row])
			continue;
		if (m->step->rows_unused++ == 0)
			m->step->row_unused = row;
	}
	memory_free(used);
}

void step_use_measured_rows(struct making *m)
{
	double *modelled = memory_alloc(2 * (size_t)m->training->model->count, sizeof *modelled);

	use_measured_rows(m, false, modelled);
	use_measured_rows(m, true, modelled + m->training->model->count);
	memory_free(modelled);
	note_unused(m, false);
	note_unused(m, true);
}
