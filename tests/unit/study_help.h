/* What the tests of studies share: lines run, and two studies compared through everything a screen shows. */
#ifndef WHYPAR_TESTS_STUDY_HELP_H
#define WHYPAR_TESTS_STUDY_HELP_H

#include "study/commands.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

static char said[512];           /* the last thing a command told the user */

static inline void keep_said(void *self, const char *text)
{
	(void)self;
	snprintf(said, sizeof said, "%s", text);
}

static inline enum status accept_all(void *self, enum command_id id, int count, char **words, const char *rest, struct diagnostic *d)
{
	(void)self, (void)id, (void)count, (void)words, (void)rest, (void)d;
	return STATUS_OK;
}

static const struct command_host host = { .act = accept_all, .say = keep_said };

static inline void must_run(struct study *study, const char *line)
{
	struct diagnostic d = { 0 };

	if (command_run(study, &host, line, &d) != STATUS_OK)
		fail_msg("%s: %s", line, d.text);
}

/* A study after two lines. */
static inline struct study *study_with(const char *line, const char *then)
{
	struct study *study = study_new();

	must_run(study, line);
	must_run(study, then);
	return study;
}

/* A study made from nothing with this document, everything computed. */
static inline struct study *study_from_scratch(const struct document *document)
{
	struct study *study = study_new();
	struct document next;
	struct diagnostic d = { 0 };

	document_copy(&next, document);
	if (study_edit(study, &next, "from scratch", &d) != STATUS_OK)
		fail_msg("%s", d.text);
	study_settle(study, NULL);
	return study;
}

static inline bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static inline void assert_same_plans(const struct plan *a, const struct plan *b)
{
	size_t cells = (size_t)a->rows * (size_t)a->levels;

	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->levels, b->levels);
	assert_memory_equal(a->states, b->states, cells);
	assert_memory_equal(a->pinned, b->pinned, cells);
	assert_true(a->elements == b->elements && a->bound == b->bound && a->exact == b->exact);
	for (int row = 0; row < a->rows; row++)
		assert_true(a->row_elements[row] == b->row_elements[row]);
	for (size_t i = 0; i < cells; i++)
		assert_true(a->row_level[i] == b->row_level[i]);
}

static inline void assert_same_margins(const struct margins *a, const struct margins *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a == NULL)
		return;
	assert_int_equal(a->whole_plan, b->whole_plan);
	for (size_t i = 0; i < (size_t)a->rows * (size_t)a->levels * STATES_MAX; i++)
		assert_true(same_number(a->value[i], b->value[i]));
}

static inline void assert_same_steps(const struct step *a, const struct step *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a == NULL)
		return;
	assert_int_equal(a->node_count, b->node_count);
	assert_int_equal(a->task_count, b->task_count);
	assert_true(a->schedule.makespan == b->schedule.makespan && a->bounds.makespan == b->bounds.makespan);
	for (int node = 0; node < a->node_count; node++) {
		assert_true(a->nodes[node].seconds == b->nodes[node].seconds && a->nodes[node].offset == b->nodes[node].offset);
		assert_int_equal(a->nodes[node].task, b->nodes[node].task);
	}
	for (int task = 0; task < a->task_count; task++)
		assert_true(a->schedule.tasks[task].start == b->schedule.tasks[task].start && a->bounds.tasks[task].slack == b->bounds.tasks[task].slack);
}

static inline void assert_same_runs(const struct results *a, const struct results *b)
{
	assert_string_equal(a->run_trouble, b->run_trouble);
	assert_true(same_number(a->run.seconds, b->run.seconds) && same_number(a->run.bubble, b->run.bubble) && same_number(a->run_utilisation, b->run_utilisation));
	assert_int_equal(a->stage_count, b->stage_count);
	for (int stage = 0; stage < a->stage_count; stage++) {
		const struct stage_figures *x = &a->stages[stage], *y = &b->stages[stage];

		assert_true(x->layers == y->layers && x->row == y->row && x->devices == y->devices && x->times.forward == y->times.forward && x->memory.total == y->memory.total);
	}
}

static inline void assert_same_results(const struct results *a, const struct results *b)
{
	assert_int_equal(a->model == NULL, b->model == NULL);
	assert_int_equal(a->plan == NULL, b->plan == NULL);
	assert_int_equal(a->plan_state, b->plan_state);
	assert_true(a->element_bytes == b->element_bytes);
	if (a->plan != NULL)
		assert_same_plans(a->plan, b->plan);
	assert_same_margins(a->margins, b->margins);
	for (int i = 0; i < BASELINE_COUNT; i++) {
		assert_int_equal(a->baselines[i].state, b->baselines[i].state);
		assert_true(same_number(a->baselines[i].elements, b->baselines[i].elements));
		assert_true(same_number(a->baselines[i].bound, b->baselines[i].bound));
		assert_true(same_number(a->baselines[i].ratio, b->baselines[i].ratio));
	}
	assert_same_steps(a->step, b->step);
	assert_string_equal(a->step_trouble, b->step_trouble);
	assert_true(same_number(a->compute_s, b->compute_s) && same_number(a->first_share, b->first_share) && same_number(a->comm_hidden_s, b->comm_hidden_s));
	assert_true(same_number(a->area.total, b->area.total) && a->die_mm2 == b->die_mm2 && a->power.total == b->power.total);
	assert_true(same_number(a->energy_j, b->energy_j) && same_number(a->link_j, b->link_j) && same_number(a->energy.dram, b->energy.dram));
	assert_true(topology_equal(&a->topology, &b->topology) && same_number(a->comm_s, b->comm_s) && same_number(a->step_s, b->step_s));
	for (int h = 0; a->plan != NULL && !isnan(a->comm_s) && h < a->plan->levels; h++)
		assert_true(exchange_seconds(&a->level_exchange[h]) == exchange_seconds(&b->level_exchange[h]));
	assert_same_runs(a, b);
	assert_int_equal(a->warnings->count, b->warnings->count);
	for (size_t i = 0; i < a->warnings->count; i++)
		assert_string_equal(a->warnings->items[i].text, b->warnings->items[i].text);
}

#endif
