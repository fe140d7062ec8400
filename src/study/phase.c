#include "study/phase.h"

#include "base/memory.h"
#include "study/request.h"

#include <math.h>
#include <string.h>

enum status phase_complete(const struct document *document, struct phase_question *question, struct diagnostic *d)
{
	if (question->y == PARAMETER_COUNT) {
		bool time = document->values[PARAMETER_OBJECTIVE] == OBJECTIVE_TIME;
		enum parameter_id first = time ? PARAMETER_BANDWIDTH : PARAMETER_ACCELERATORS, second = time ? PARAMETER_ACCELERATORS : PARAMETER_BATCH;

		question->y = question->x == first ? second : first;
	}
	if (question->x == question->y)
		return diagnostic_fail(d, STATUS_INPUT, "phase_x and phase_y are both %s: a map has two knobs", parameter_at(question->x)->name);
	return STATUS_OK;
}

/* ---- axes ---- */

/* Batches evenly spread on a logarithmic axis over the whole range, whole and different, the present one put in place of the nearest. */
static void spread_batches(struct phase_axis *axis, int most, double present)
{
	double least = INFINITY;

	for (int i = 0; i < most; i++) {
		double batch = round(pow(BATCH_MAX, most > 1 ? (double)i / (most - 1) : 0));

		if (axis->count == 0 || batch > axis->values[axis->count - 1])
			axis->values[axis->count++] = batch;
	}
	for (int i = 0; i < axis->count; i++) {
		double distance = fabs(log2(axis->values[i]) - log2(present));

		if (distance < least) {
			least = distance;
			axis->present = i;
		}
	}
	axis->values[axis->present] = present;
}

/* Whether the value can stand on an axis: one accelerator has no choices, and an own topology must be there. */
static bool stands(const struct document *document, enum parameter_id id, double value)
{
	if (id == PARAMETER_ACCELERATORS)
		return value > 1;
	return id != PARAMETER_TOPOLOGY || value < TOPOLOGY_KIND_COUNT || document->topology.count > 0;
}

/* Values as the dial steps through them, about as many on each side of the present one as there is room for. */
static void step_values(const struct document *document, struct phase_axis *axis, int most)
{
	double present = document->values[axis->id], *below = memory_alloc((size_t)most, sizeof *below), at, next;
	int down = 0, up = 0;

	for (at = present; down < most - 1 && (next = parameter_step_value(axis->id, at, -1)) != at && stands(document, axis->id, next); at = next)
		below[down++] = next;
	for (at = present; up < most - 1 && (next = parameter_step_value(axis->id, at, 1)) != at && stands(document, axis->id, next); at = next)
		up++;
	if (down + up + 1 > most) {
		int half = (most - 1) / 2;

		if (up <= half)
			down = most - 1 - up;
		else
			down = down < half ? down : half;
		up = up < most - 1 - down ? up : most - 1 - down;
	}
	for (int i = down - 1; i >= 0; i--)
		axis->values[axis->count++] = below[i];
	axis->present = axis->count;
	axis->values[axis->count++] = present;
	for (at = present; up > 0; up--)
		axis->values[axis->count++] = at = parameter_step_value(axis->id, at, 1);
	memory_free(below);
}

static struct phase_axis axis_of(const struct document *document, enum parameter_id id, int most)
{
	struct phase_axis axis = { .id = id, .values = memory_alloc((size_t)most, sizeof *axis.values) };

	if (id == PARAMETER_BATCH)
		spread_batches(&axis, most, document->values[id]);
	else
		step_values(document, &axis, most);
	return axis;
}

/* ---- cells ---- */

struct filling {
	const struct document *document;
	const signed char *pins;
	struct problem *problem;
	struct search *search;
	double cell_budget;
	const atomic_bool *cancel;
	struct phase *phase;
};

static signed char *cell_at(const struct phase *phase, int x, int y)
{
	return &phase->states[((size_t)y * (size_t)phase->x.count + (size_t)x) * LEVELS_MAX];
}

int phase_state(const struct phase *phase, int x, int y, int level)
{
	return cell_at(phase, x, y)[level - 1];
}

/* The document with the values of a cell; it borrows all the rest. */
static struct document document_at(const struct filling *f, int x, int y)
{
	struct document document = *f->document;

	document.values[f->phase->x.id] = f->phase->x.values[x];
	document.values[f->phase->y.id] = f->phase->y.values[y];
	return document;
}

static bool possible(const struct document *document)
{
	struct topology topology;

	return request_topology(document, &topology, NULL) == STATUS_OK;
}

/* False when cancelled. */
static bool solve_cell(const struct filling *f, int x, int y)
{
	struct document document = document_at(f, x, y);
	struct plan_request request = request_of(&document, f->pins);
	signed char *states = cell_at(f->phase, x, y);
	struct plan *plan;

	if (!possible(&document) || search_operations(f->search, &request, false) > f->cell_budget) {
		memset(states, possible(&document) ? PHASE_UNSOLVED : PHASE_IMPOSSIBLE, (size_t)request.levels);
		return true;
	}
	plan = search_plan(f->search, &request, f->cancel);
	if (plan == NULL)
		return false;
	for (int level = 1; level <= plan->levels; level++)
		states[level - 1] = (signed char)plan_state(plan, f->phase->question.row, level);
	plan_free(plan);
	return true;
}

/* The exact flips along x of a line of the map. */
static bool find_line(const struct filling *f, enum flip_knob knob, int y)
{
	const struct phase_question *q = &f->phase->question;
	struct document document = document_at(f, f->phase->x.present, y);
	struct plan_request request = request_of(&document, f->pins);
	struct why_context context = { .problem = f->problem, .request = &request, .cancel = f->cancel };
	struct flip_axis axis;

	if (request.levels < q->level || !request_axis(&document, knob, &axis) || search_operations(f->search, &request, false) > f->cell_budget)
		return true;
	return why_flips(&context, f->search, q->row, q->level, &axis, &f->phase->lines[y]) != STATUS_INTERRUPTED;
}

static void copy_cell(const struct phase *phase, int x, int y, int from_x, int from_y)
{
	memcpy(cell_at(phase, x, y), cell_at(phase, from_x, from_y), LEVELS_MAX);
}

/* Of a coarse map: the solved line or column that stands for this one. */
static int standing_for(const struct phase_axis *axis, int i, int stride)
{
	return i == axis->present ? i : i - i % stride;
}

static bool fill_cells(const struct filling *f, int stride)
{
	const struct phase *p = f->phase;

	for (int x = 0; x < p->x.count; x++)
		for (int y = 0; y < p->y.count; y++)
			if (standing_for(&p->x, x, stride) == x && standing_for(&p->y, y, stride) == y && !solve_cell(f, x, y))
				return false;
	for (int x = 0; stride > 1 && x < p->x.count; x++)
		for (int y = 0; y < p->y.count; y++)
			copy_cell(p, x, y, standing_for(&p->x, x, stride), standing_for(&p->y, y, stride));
	return true;
}

static bool fill_lines(const struct filling *f)
{
	struct phase *p = f->phase;
	enum flip_knob knob = flip_knob_of(p->x.id);

	if (knob == FLIP_KNOB_COUNT)
		return true;
	p->lines = memory_alloc((size_t)p->y.count, sizeof *p->lines);
	for (int y = 0; y < p->y.count; y++)
		if (!find_line(f, knob, y))
			return false;
	return true;
}

static double cells_operations(const struct filling *f)
{
	double operations = 0;

	for (int x = 0; x < f->phase->x.count; x++)
		for (int y = 0; y < f->phase->y.count; y++) {
			struct document document = document_at(f, x, y);
			struct plan_request request = request_of(&document, f->pins);
			double one = search_operations(f->search, &request, false);

			operations += one > f->cell_budget ? 0 : one;
		}
	return operations;
}

static void begin(struct phase *phase, const struct document *document, const struct phase_question *question)
{
	memset(phase, 0, sizeof *phase);
	phase->question = *question;
	phase->x = axis_of(document, question->x, question->most_x);
	phase->y = axis_of(document, question->y, question->most_y);
	phase->states = memory_alloc((size_t)phase->x.count * (size_t)phase->y.count, LEVELS_MAX);
	memset(phase->states, NO_STATE, (size_t)phase->x.count * (size_t)phase->y.count * LEVELS_MAX);
}

enum status phase_fill(const struct document *document, const signed char *pins, struct problem *problem, struct search *search, const struct phase_question *question,
	double budget, double cell_budget, const atomic_bool *cancel, struct phase *phase)
{
	struct filling f = { document, pins, problem, search, cell_budget, cancel, phase };
	double all;
	int stride = 1;

	begin(phase, document, question);
	all = cells_operations(&f);
	while (all / (stride * stride) > budget && stride < phase->x.count)
		stride *= 2;
	phase->coarse = stride > 1;
	if (fill_cells(&f, stride) && (phase->coarse || fill_lines(&f)))
		return STATUS_OK;
	phase_free(phase);
	return STATUS_INTERRUPTED;
}

bool phase_same_question(const struct phase_question *a, const struct phase_question *b)
{
	return a->row == b->row && a->level == b->level && a->x == b->x && a->y == b->y && a->most_x == b->most_x && a->most_y == b->most_y;
}

void phase_print(const struct document *document, const struct phase_axis *axis, int i, char *out, size_t size)
{
	struct document with = *document;        /* borrowed */

	with.values[axis->id] = axis->values[i];
	document_print(&with, axis->id, out, size);
}

static void copy_axis(struct phase_axis *axis)
{
	double *values = memory_alloc((size_t)axis->count, sizeof *values);

	memcpy(values, axis->values, (size_t)axis->count * sizeof *values);
	axis->values = values;
}

void phase_copy(struct phase *to, const struct phase *from)
{
	size_t states = (size_t)from->x.count * (size_t)from->y.count * LEVELS_MAX;

	*to = *from;
	copy_axis(&to->x);
	copy_axis(&to->y);
	to->states = memory_alloc(states, 1);
	memcpy(to->states, from->states, states);
	if (from->lines == NULL)
		return;
	to->lines = memory_alloc((size_t)from->y.count, sizeof *to->lines);
	for (int y = 0; y < from->y.count; y++)
		flips_copy(&to->lines[y], &from->lines[y]);
}

void phase_free(struct phase *phase)
{
	for (int y = 0; phase->lines != NULL && y < phase->y.count; y++)
		flips_free(&phase->lines[y]);
	memory_free(phase->lines);
	memory_free(phase->x.values);
	memory_free(phase->y.values);
	memory_free(phase->states);
	memset(phase, 0, sizeof *phase);
}
