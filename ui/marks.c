/* What changed with the last edit: the numbers before it, kept until the next one. */
#include "ui/inside.h"

#include "study/pins.h"

#include <math.h>

static void free_snapshot(struct snapshot *snapshot)
{
	if (snapshot->plan != NULL)
		document_free(&snapshot->document);
	plan_free(snapshot->plan);
	snapshot->plan = NULL;
}

void marks_free(struct explorer *e)
{
	if (e->now.plan != NULL)
		document_free(&e->opening);
	free_snapshot(&e->now);
	free_snapshot(&e->before);
}

static void take_snapshot(struct explorer *e, struct snapshot *out)
{
	free_snapshot(out);
	out->plan = plan_copy(e->results->plan);
	document_copy(&out->document, study_document(e->study));
	out->model_serial = e->results->model_serial;
	out->element_bytes = e->results->element_bytes;
	out->step = e->results->step != NULL ? e->results->step->schedule.makespan : NAN;
}

bool marks_note(struct explorer *e)
{
	const struct results *results = e->results;
	bool edited = false;

	if (results->model == NULL || results->plan == NULL || results->plan_state != FRESH)
		return false;
	if (e->now.plan != NULL && e->now.model_serial != results->model_serial)
		marks_free(e);
	if (e->now.plan == NULL) {
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

/* There is something to compare the present plan with. */
static bool comparable(const struct explorer *e)
{
	return e->before.plan != NULL && e->results->plan != NULL && e->before.model_serial == e->results->model_serial;
}

bool marks_flipped(const struct explorer *e, int row, int level)
{
	return comparable(e) && level <= e->before.plan->levels && level <= e->results->plan->levels &&
		plan_state(e->results->plan, row, level) != plan_state(e->before.plan, row, level);
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
	if (!comparable(e))
		return false;
	*moved = e->before.plan->row_elements[row] * e->before.element_bytes;
	return true;
}

bool marks_before_total(const struct explorer *e, double *total)
{
	if (!comparable(e))
		return false;
	*total = e->before.plan->elements * e->before.element_bytes;
	return true;
}

bool marks_before_step(const struct explorer *e, double *seconds)
{
	if (!comparable(e) || isnan(e->before.step))
		return false;
	*seconds = e->before.step;
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
