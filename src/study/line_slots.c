/* What a stage of a line does in a slot, and what its links take. */
#include "study/line_inside.h"

#include <math.h>
#include <stdlib.h>

enum part { PARTS_FORWARD = 1 << PASS_FWD | 1 << PASS_LOSS, PARTS_DATA = 1 << PASS_BWD_DATA, PARTS_WEIGHT = 1 << PASS_BWD_WEIGHT, PARTS_UPDATE = 1 << PASS_UPDATE };

static int ascending(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Of the passes of layers first to last - 1, or of what they compute again: all kinds of rows, or attention alone. */
static double part_seconds(struct making *m, struct kind *k, int first, int last, unsigned passes, bool attention)
{
	const struct training *t = m->study->loaded->training;
	int count = 0;

	for (int i = k->first_task[first]; i < k->first_task[last]; i++) {
		const struct training_node *n = &t->nodes[k->step->tasks[k->tasks[i]].node];

		if (passes >> n->pass & 1 && (!attention || (n->row >= 0 && m->model->operators[n->row].kind == OPERATOR_ATTENTION)))
			k->part[count++] = k->tasks[i];
	}
	qsort(k->part, (size_t)count, sizeof *k->part, ascending);
	return step_part_seconds(&k->parts, k->step, k->part, count);
}

/* Bytes of what layers before `layer` hand to it and those behind it, of one microbatch. */
static double border_bytes(const struct making *m, int layer)
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
	return elements * m->out->plan.microbatch * document_element_bytes(m->document);
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
	else if (m->out->plan.recompute == RECOMPUTE_SELECTIVE && !m->out->plan.fused_attention)
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
		s->border = border_bytes(m, first);
	}
}

static struct exchange send_apart(const struct making *m, double apart, double bytes, double messages)
{
	const double *v = m->document->values;
	struct exchange_request request = { .bytes = bytes, .messages = messages, .store_forward = v[PARAMETER_SWITCHING] == SWITCHING_STORE_FORWARD, .endpoint_delay = v[PARAMETER_ENDPOINT_DELAY] };

	return exchange_apart(&m->topology, (int64_t)apart, &request);
}

/* Seconds that bytes take from the devices of one stage to those of another, all replicas at once.  Each device sends or takes in an equal part: what the links
 * between carry is that of the senders, and no port is faster than that of the smaller stage. */
static double send_border(const struct making *m, int from, int to, double bytes)
{
	double senders = m->of_stage[from]->devices, fewer = fmin(senders, m->of_stage[to]->devices), apart = 0;
	struct exchange e;

	if (bytes <= 0)
		return 0;
	for (int stage = from < to ? from : to; stage < (from < to ? to : from); stage++)
		apart += m->of_stage[stage]->devices * m->out->plan.replicas;
	e = send_apart(m, apart, bytes / senders, 1);
	return e.alpha + fmax(e.beta, bytes / fewer / e.bandwidth);
}

/* As the schedule is played with them. */
static void fill_virtual_stages(struct making *m)
{
	bool split = pipeline_schedule_splits(m->out->plan.schedule) && m->out->stage_count > 1;
	int stages = m->out->stage_count;

	m->played = arena_alloc(&m->arena, (size_t)m->virtual_stages, sizeof *m->played);
	for (int i = 0; i < m->virtual_stages; i++) {
		const struct slot_parts *s = &m->slots[i];
		struct virtual_stage *v = &m->played[i];
		double weight = fmin(s->weight, s->backward);

		v->seconds[SLOT_FORWARD] = s->forward + s->exchange_forward;
		v->seconds[SLOT_BACKWARD] = (split ? s->data : s->backward - weight) + s->again + s->exchange_backward;
		v->seconds[SLOT_WEIGHT] = weight;
		if (i + 1 == m->virtual_stages)
			continue;
		v->to_next = send_border(m, i % stages, (i + 1) % stages, m->slots[i + 1].border);
		m->played[i + 1].to_previous = send_border(m, (i + 1) % stages, i % stages, m->slots[i + 1].border);
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
	if (p->replicas > 1) {
		/* gradients that are split are exchanged with every microbatch, and hide behind them all */
		double turns = p->zero > 1 ? run_microbatches(p) : 1;
		struct exchange e = send_apart(m, k->devices, (p->replicas - 1) / p->replicas * run_exchanged(p) * line_weights(m, stage), 2 * (p->replicas - 1) * turns);

		all += exchange_seconds(&e);
		backward *= turns;
	}
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
