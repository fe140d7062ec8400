/* What changed with the last edit: the numbers before it, kept until the next one. */
#include "ui/inside.h"

#include "study/pins.h"

#include <string.h>

static void free_snapshot(struct snapshot *snapshot)
{
	if (snapshot->valid)
		document_free(&snapshot->document);
	memory_free(snapshot->states);
	memory_free(snapshot->moved);
	memset(snapshot, 0, sizeof *snapshot);
}

void marks_free(struct explorer *e)
{
	if (e->now.valid)
		document_free(&e->opening);
	free_snapshot(&e->now);
	free_snapshot(&e->before);
}

static void take_snapshot(struct explorer *e, struct snapshot *out)
{
	const struct plan *plan = e->results->plan;
	size_t states = (size_t)plan->rows * (size_t)plan->levels;

	free_snapshot(out);
	out->valid = true;
	document_copy(&out->document, study_document(e->study));
	out->model_serial = e->results->model_serial;
	out->rows = plan->rows;
	out->levels = plan->levels;
	out->total = plan->elements;
	out->bytes_per_element = explorer_bytes(e, 1);
	out->states = memory_alloc(states, 1);
	out->moved = memory_alloc((size_t)plan->rows, sizeof *out->moved);
	if (states > 0)
		memcpy(out->states, plan->states, states);
	memcpy(out->moved, plan->row_elements, (size_t)plan->rows * sizeof *out->moved);
}

bool marks_note(struct explorer *e)
{
	const struct results *results = e->results;
	bool edited = false;

	if (results->model == NULL || results->plan == NULL || results->plan_state != FRESH)
		return false;
	if (e->now.valid && e->now.model_serial != results->model_serial)
		marks_free(e);
	if (!e->now.valid) {
		document_copy(&e->opening, study_document(e->study));
	} else if (!document_equal(&e->now.document, study_document(e->study))) {
		struct snapshot spare = e->before;

		e->before = e->now;
		e->now = spare;
		edited = true;
		if (document_equal(&e->opening, study_document(e->study)))
			free_snapshot(&e->before);
	}
	take_snapshot(e, &e->now);
	return edited;
}

bool marks_flipped(const struct explorer *e, int row, int level)
{
	const struct plan *plan = e->results->plan;

	if (!e->before.valid || plan == NULL || plan->rows != e->before.rows || level > e->before.levels || level > plan->levels)
		return false;
	return plan->states[row * plan->levels + level - 1] != e->before.states[row * e->before.levels + level - 1];
}

bool marks_any_flipped(const struct explorer *e, int row)
{
	for (int level = 1; e->results->plan != NULL && level <= e->results->plan->levels; level++)
		if (marks_flipped(e, row, level))
			return true;
	return false;
}

bool marks_before(const struct explorer *e, int row, double *moved)
{
	if (!e->before.valid || e->results->plan == NULL || e->results->plan->rows != e->before.rows)
		return false;
	*moved = e->before.moved[row] * e->before.bytes_per_element;
	return true;
}

bool marks_before_total(const struct explorer *e, double *total)
{
	if (!e->before.valid)
		return false;
	*total = e->before.total * e->before.bytes_per_element;
	return true;
}

void marks_follow(struct explorer *e, const struct document *from, const struct document *to)
{
	const struct document *longer = from->pin_count >= to->pin_count ? from : to, *other = longer == from ? to : from;

	for (int i = 0; i < e->dial_count; i++)
		if (from->values[e->dials[i]] != to->values[e->dials[i]])
			e->dial = i;
	if (e->results->model == NULL)
		return;
	for (size_t i = 0; i < longer->pin_count; i++) {
		const struct pin_rule *rule = &longer->pins[i];

		if (i >= other->pin_count || !document_same_rule(rule, &other->pins[i])) {
			int row = pins_first_row(rule, e->results->model, e->results->problem);

			if (row >= 0)
				explorer_select(e, row, rule->level);
			return;
		}
	}
}
