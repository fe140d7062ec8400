/* What a stage of a line does in a slot, and what its links take. */
#include "study/line_inside.h"

#include <math.h>

enum part { PARTS_FORWARD = 1 << PASS_FWD | 1 << PASS_LOSS, PARTS_DATA = 1 << PASS_BWD_DATA, PARTS_WEIGHT = 1 << PASS_BWD_WEIGHT, PARTS_UPDATE = 1 << PASS_UPDATE };

/* Of the passes of layers first to last - 1, or of what they compute again: all kinds of rows, or attention alone. */
static double part_seconds(struct making *m, struct kind *k, int first, int last, unsigned passes, bool attention)
{
	const struct training *t = m->study->loaded->training;
	unsigned char *in = memory_alloc((size_t)k->step->task_count, 1);
	double seconds;

	for (int task = 0; task < k->step->task_count; task++) {
		const struct training_node *n = &t->nodes[k->step->tasks[task].node];

		in[task] = passes >> n->pass & 1 && k->layer[task] >= first && k->layer[task] < last && (!attention || (n->row >= 0 && m->model->operators[n->row].kind == OPERATOR_ATTENTION));
	}
	seconds = step_part_seconds(&k->parts, k->step, in);
	memory_free(in);
	return seconds;
}

/* Bytes of one device's part of what layers before `layer` hand to it and those behind it. */
static double border_bytes(const struct making *m, const struct kind *k, int layer)
{
	double elements = 0;
	unsigned char *counted = memory_alloc((size_t)m->model->count, 1);

	for (int row = 0; layer > 0 && row < m->model->count; row++)
		for (int i = 0; m->layer_of[row] >= layer && i < m->model->operators[row].input_count; i++) {
			int from = m->model->operators[row].inputs[i];

			if (from == MODEL_INPUT || m->layer_of[from] >= layer || counted[from])
				continue;
			counted[from] = 1;
			elements += (double)shape_elements(m->model->operators[from].out);
		}
	memory_free(counted);
	return elements * m->out->plan.microbatch * document_element_bytes(m->document) / k->devices;
}

/* Of the study's own step, as it is scheduled whole: when the last task forward ends, and the last one backward. */
static void take_passes(struct making *m, struct slot_parts *s)
{
	const struct step *step = m->study->step;
	const struct training *t = m->study->loaded->training;
	double end[PASS_COUNT] = { 0 };

	for (int task = 0; task < step->task_count; task++) {
		enum pass pass = t->nodes[step->tasks[task].node].pass;

		end[pass] = fmax(end[pass], step->schedule.tasks[task].end);
	}
	s->forward = fmax(end[PASS_FWD], end[PASS_LOSS]);
	s->backward = fmax(s->forward, fmax(end[PASS_BWD_DATA], end[PASS_BWD_WEIGHT])) - s->forward;
}

static void time_parts(struct making *m, struct kind *k, int first, int last, struct slot_parts *s)
{
	s->forward = part_seconds(m, k, first, last, PARTS_FORWARD, false);
	s->data = part_seconds(m, k, first, last, PARTS_DATA, false);
	s->weight = part_seconds(m, k, first, last, PARTS_WEIGHT, false);
	s->backward = part_seconds(m, k, first, last, PARTS_DATA | PARTS_WEIGHT, false);
	if (m->out->plan.recompute == RECOMPUTE_FULL)
		s->again = s->forward;
	else if (m->out->plan.recompute == RECOMPUTE_SELECTIVE)
		s->again = part_seconds(m, k, first, last, PARTS_FORWARD, true);
}

static void fill_parts(struct making *m)
{
	int stages = m->out->stage_count;

	m->slots = arena_alloc(&m->arena, (size_t)m->virtual_stages, sizeof *m->slots);
	for (int i = 0; i < m->virtual_stages; i++) {
		struct kind *k = m->of_stage[i % stages];
		struct slot_parts *s = &m->slots[i];
		int first = m->first[i], last = m->first[i + 1];

		if (m->out->plain)
			take_passes(m, s);
		else
			time_parts(m, k, first, last, s);
		for (int row = 0; row < m->model->count; row++) {
			const double *seconds = k->exchanges[row].seconds;

			if (m->layer_of[row] < first || m->layer_of[row] >= last)
				continue;
			s->exchange_forward += seconds[EXCHANGE_INPUT] + seconds[EXCHANGE_OUTPUT];
			s->exchange_backward += seconds[EXCHANGE_ERROR];
			s->gradients += seconds[EXCHANGE_GRADIENT];
		}
		/* what is computed again is exchanged again */
		if (m->out->plan.recompute == RECOMPUTE_FULL)
			s->exchange_backward += s->exchange_forward;
		s->border = border_bytes(m, k, first);
	}
}

/* Seconds of so many bytes of each device to another, so many devices on: of the next stage or replica. */
static double send(const struct making *m, double devices, double bytes, double messages)
{
	const double *v = m->document->values;
	struct exchange_request request = { .bytes = bytes, .messages = messages, .store_forward = v[PARAMETER_SWITCHING] == SWITCHING_STORE_FORWARD, .endpoint_delay = v[PARAMETER_ENDPOINT_DELAY] };
	struct exchange e;

	if (bytes <= 0)
		return 0;
	e = exchange_apart(&m->topology, (int64_t)devices, &request);
	return exchange_seconds(&e);
}

/* As the schedule is played with them. */
static void fill_virtual_stages(struct making *m)
{
	const struct run_plan *p = &m->out->plan;
	bool split = pipeline_schedule_splits(p->schedule);
	double apart = m->of_stage[0]->devices * p->replicas;

	m->virtual_stages_of = arena_alloc(&m->arena, (size_t)m->virtual_stages, sizeof *m->virtual_stages_of);
	for (int i = 0; i < m->virtual_stages; i++) {
		const struct slot_parts *s = &m->slots[i];
		struct virtual_stage *v = &m->virtual_stages_of[i];
		double transfer = i + 1 < m->virtual_stages ? send(m, apart, m->slots[i + 1].border, 1) : 0;

		v->seconds[SLOT_FORWARD] = s->forward + s->exchange_forward;
		v->seconds[SLOT_BACKWARD] = (split ? s->data : s->backward - s->weight) + s->again + s->exchange_backward;
		v->seconds[SLOT_WEIGHT] = s->weight;
		v->to_next = transfer;
		if (i + 1 < m->virtual_stages)
			m->virtual_stages_of[i + 1].to_previous = transfer;
	}
}

void line_time_slots(struct making *m)
{
	fill_parts(m);
	fill_virtual_stages(m);
}

/* ---- what a step ends with ---- */

/* What the stage's levels and its replicas sum up. */
double line_gradients(const struct making *m, int stage)
{
	const struct run_plan *p = &m->out->plan;
	const struct kind *k = m->of_stage[stage];
	double seconds = 0, backward = 0, layers = 0, all;

	for (int i = stage; i < m->virtual_stages; i += m->out->stage_count) {
		seconds += m->slots[i].gradients;
		backward += m->slots[i].backward + m->slots[i].again;
		layers += m->first[i + 1] - m->first[i];
	}
	all = seconds;
	if (p->replicas > 1)
		all += send(m, k->devices, (p->replicas - 1) / p->replicas * run_exchanged(p) * line_weights(m, stage), 2 * (p->replicas - 1));
	return p->overlap ? fmax(all / layers, all - backward) : all;
}

double line_update(struct making *m, int stage)
{
	const struct run_plan *p = &m->out->plan;
	double seconds = 0;

	if (m->out->plain)
		return 0;        /* what is left of the step */
	for (int i = stage; i < m->virtual_stages; i += m->out->stage_count)
		seconds += part_seconds(m, m->of_stage[stage], m->first[i], m->first[i + 1], PARTS_UPDATE, false);
	return seconds / (p->zero > 0 ? p->replicas : 1);
}
