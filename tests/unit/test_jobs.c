/* Long work of a study: handed out, run elsewhere, taken in, or dropped.  What comes back equals what waiting would give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/study_help.h"

/* The solver asked directly, without a study. */
static struct plan *solve_directly(const struct study *study, struct margins **margins)
{
	const double *values = study_document(study)->values;
	struct plan_request q = { .solver = (enum solver)(int)values[PARAMETER_SOLVER], .types = (int)values[PARAMETER_TYPES],
		.levels = (int)lround(log2(values[PARAMETER_ACCELERATORS])), .batch = values[PARAMETER_BATCH] };
	struct problem *p = problem_new(study_results(study)->model);
	struct search *s = search_new(p);
	struct plan *plan = search_plan(s, &q, NULL);

	*margins = search_margins(s, NULL);
	search_free(s);
	problem_release(p);
	return plan;
}

static void run_one(struct study *study, bool wanted)
{
	struct study_job *job = study_take_job(study);

	assert_non_null(job);
	study_run_job(job, NULL);
	assert_int_equal(study_install(study, job), wanted);
}

static void a_long_plan_is_computed_beside(void **state)
{
	struct study *study = study_with("load resnet50", "set accelerators=64 solver=joint");
	const struct results *r = study_update(study);
	struct study_job *job;
	struct plan *plan;
	struct margins *margins;

	(void)state;
	assert_int_equal(r->plan_state, COMPUTING);
	assert_true(r->pending);
	assert_null(r->margins);
	job = study_take_job(study);
	assert_non_null(job);
	assert_null(study_take_job(study));          /* one at a time */
	assert_false(study_results(study)->pending);
	study_run_job(job, NULL);
	assert_int_equal(r->plan_state, COMPUTING);  /* running alone shows nothing */
	assert_true(study_install(study, job));
	assert_int_equal(r->plan_state, FRESH);
	plan = solve_directly(study, &margins);
	assert_true(plan->exact);
	assert_same_plans(r->plan, plan);
	assert_same_margins(r->margins, margins);
	plan_free(plan);
	margins_free(margins);
	study_free(study);
}

/* Whatever edit comes between: a batch, another model, a load taken back, with or without an update before the install. */
static void stale_jobs_are_dropped(void **state)
{
	static const char *const edits[] = { "set batch=512", "load vgg-a", "undo", "pin #1 dp", "solve dp" };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof edits / sizeof *edits; i++) {
		struct study *study = study_with("load lenet-c", "load resnet18"), *fresh;
		struct study_job *job;

		must_run(study, "set solver=joint accelerators=32");
		assert_int_equal(study_update(study)->plan_state, COMPUTING);
		job = study_take_job(study);
		must_run(study, edits[i / 2]);
		if (i % 2)
			study_update(study);
		study_run_job(job, NULL);
		assert_false(study_install(study, job));
		study_settle(study, NULL);
		fresh = study_from_scratch(study_document(study));
		assert_same_results(study_results(study), study_results(fresh));
		study_free(fresh);
		study_free(study);
	}
}

/* Back over a load while a job of the larger model is out: its results are nobody's. */
static void a_job_outlives_its_model(void **state)
{
	struct study *study = study_with("load lenet-c", "load bert-base");
	struct study_job *job;

	(void)state;
	must_run(study, "solve joint");
	study_update(study);
	job = study_take_job(study);
	assert_non_null(job);
	must_run(study, "undo");
	must_run(study, "undo");
	must_run(study, "undo");
	study_run_job(job, NULL);
	assert_false(study_install(study, job));
	must_run(study, "load sfc");
	study_settle(study, NULL);
	assert_int_equal(study_results(study)->plan_state, FRESH);
	study_free(study);
}

/* The same with the plan itself at hand and a baseline out: its rows are not those of the model come back to. */
static void a_baseline_outlives_its_model(void **state)
{
	static const char *const backs[] = { "undo", "load resnet50", "load sfc" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct study *study = study_with("load lenet-c", "load bert-base");
		struct study_job *job;

		assert_int_equal(study_update(study)->plan_state, FRESH);
		job = study_take_job(study);
		assert_non_null(job);
		must_run(study, i < 3 ? backs[i] : "undo");
		if (i == 3)
			must_run(study, "undo");
		study_run_job(job, NULL);
		assert_false(study_install(study, job));
		study_update(study);
		assert_int_equal(study_results(study)->model == NULL, study_results(study)->plan == NULL);
		study_free(study);
	}
}

static void a_job_may_be_freed_with_the_study_gone_on(void **state)
{
	struct study *study = study_with("load resnet18", "set accelerators=64 solver=joint");
	struct study_job *job;

	(void)state;
	study_update(study);
	job = study_take_job(study);
	must_run(study, "load lenet-c");
	must_run(study, "set solver=hypar accelerators=2");
	study_settle(study, NULL);                   /* one job is out, so none is handed out beside it */
	study_run_job(job, NULL);
	assert_false(study_install(study, job));
	assert_int_equal(study_results(study)->plan->rows, study_results(study)->model->count);
	study_free(study);
}

/* Cancelled: the old plan stays, nothing comes back by itself, the next edit asks anew. */
static void a_cancelled_job_waits_for_the_next_edit(void **state)
{
	struct study *study = study_with("load resnet50", "set batch=64");
	const struct results *r = study_update(study);
	atomic_bool cancel = true;
	struct study_job *job;
	double before;

	(void)state;
	before = r->plan->elements;
	must_run(study, "set accelerators=64 solver=joint");
	study_update(study);
	job = study_take_job(study);
	study_run_job(job, &cancel);
	assert_false(study_install(study, job));
	assert_int_equal(r->plan_state, SKIPPED);
	assert_true(r->plan->elements == before && r->plan->levels == 4);
	/* the baselines still wait for their turn; cancel them as well */
	while ((job = study_take_job(study)) != NULL) {
		study_run_job(job, &cancel);
		assert_false(study_install(study, job));
		assert_int_equal(r->plan_state, SKIPPED);
	}
	assert_false(r->pending);
	study_update(study);
	assert_null(study_take_job(study));
	must_run(study, "set batch=65");
	study_update(study);
	assert_int_equal(r->plan_state, COMPUTING);
	assert_true(r->pending);
	study_free(study);
}

static void settling_stops_when_cancelled(void **state)
{
	struct study *study = study_with("load resnet50", "set accelerators=64 solver=joint");
	atomic_bool cancel = true;

	(void)state;
	assert_int_equal(study_settle(study, &cancel), STATUS_INTERRUPTED);
	assert_int_equal(study_results(study)->plan_state, SKIPPED);
	study_free(study);
}

static void assert_same_answers(const struct why *a, const struct why *b)
{
	assert_int_equal(a->row, b->row);
	assert_int_equal(a->level, b->level);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->tie, b->tie);
	assert_int_equal(a->option_count, b->option_count);
	for (int i = 0; i < a->option_count; i++) {
		const struct why_option *x = &a->options[i], *y = &b->options[i];

		assert_int_equal(x->state, y->state);
		assert_true(same_number(x->intra, y->intra) && same_number(x->prev, y->prev) && same_number(x->next, y->next));
		assert_true(same_number(x->level_cost, y->level_cost) && same_number(x->whole_cost, y->whole_cost) && same_number(x->margin, y->margin));
	}
	assert_true(a->here == b->here && a->total == b->total);
	assert_memory_equal(a->has_flips, b->has_flips, sizeof a->has_flips);
	for (int knob = 0; knob < FLIP_KNOB_COUNT; knob++) {
		const struct flips *x = &a->flips[knob], *y = &b->flips[knob];

		assert_int_equal(x->count, y->count);
		for (size_t i = 0; i < x->count; i++)
			assert_true(x->segments[i].from == y->segments[i].from && x->segments[i].to == y->segments[i].to && x->segments[i].state == y->segments[i].state);
	}
	assert_string_equal(a->sentence, b->sentence);
}

/* Joint and level by level; the job's answer is the one that waiting gives, and flips alone are the same ones. */
static void why_as_a_job_equals_waiting(void **state)
{
	static const struct { const char *model, *edit; int var, level; } asked[] = {
		{ "load resnet18", "set accelerators=16 solver=joint", 5, 2 },
		{ "load bert-base", "set accelerators=4096", 9, 3 },
		{ "load googlenet", "set accelerators=256 solver=accpar", 7, 3 },
		{ "load resnet18", "set accelerators=32 solver=accpar objective=time latency=20us", 5, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct study *study = study_with(asked[i].model, asked[i].edit), *waiting = study_with(asked[i].model, asked[i].edit);
		const struct results *r;
		struct why why, waited;
		struct flips flips;
		struct diagnostic d;
		int row, level = asked[i].level;

		r = study_update(study);
		row = r->problem->vars[asked[i].var].row;
		if (r->plan_state == COMPUTING)
			run_one(study, true);
		assert_int_equal(study_why(study, row, level, false, &why, &d), STATUS_OK);
		assert_false(why.has_flips[FLIP_BATCH]);
		assert_true(r->pending);
		why_free(&why);
		run_one(study, true);
		assert_int_equal(study_why(study, row, level, false, &why, &d), STATUS_OK);
		assert_true(why.has_flips[FLIP_BATCH]);
		if (study_update(waiting)->plan_state == COMPUTING)
			run_one(waiting, true);
		assert_int_equal(study_why(waiting, row, level, true, &waited, &d), STATUS_OK);
		assert_same_answers(&why, &waited);
		assert_int_equal(study_flips(study, row, level, FLIP_BATCH, &flips, &d), STATUS_OK);
		assert_int_equal(flips.count, why.flips[FLIP_BATCH].count);
		flips_free(&flips);
		why_free(&why);
		why_free(&waited);
		study_free(study);
		study_free(waiting);
	}
}

/* At first a coarse map, whose solved cells are right; then the job's, which equals the one that is waited for. */
static void a_phase_map_as_a_job_equals_waiting(void **state)
{
	static const char *const edits[] = { "set batch=100", "set batch=100 objective=time latency=20us bandwidth=10GB/s" };
	enum { COLUMNS = 41, ROWS = 13 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct study *study = study_with("load bert-base", edits[i]), *waiting = study_with("load bert-base", edits[i]);
		const struct phase *phase, *waited;
		signed char *solved;
		size_t cells;
		int row = study_update(study)->problem->vars[5].row;

		phase = study_phase(study, row, 1, COLUMNS, ROWS, false, NULL);
		assert_true(phase != NULL && phase->coarse && study_results(study)->pending);
		assert_true(phase->y.id == (i == 0 ? PARAMETER_ACCELERATORS : PARAMETER_BANDWIDTH));
		run_one(study, true);
		phase = study_phase(study, row, 1, COLUMNS, ROWS, false, NULL);
		waited = study_phase(waiting, row, 1, COLUMNS, ROWS, true, NULL);
		assert_true(phase != NULL && waited != NULL && !phase->coarse && !waited->coarse);
		assert_int_equal(phase->x.count, waited->x.count);
		assert_int_equal(phase->y.count, waited->y.count);
		assert_memory_equal(phase->x.values, waited->x.values, (size_t)phase->x.count * sizeof *phase->x.values);
		cells = (size_t)phase->x.count * (size_t)phase->y.count * LEVELS_MAX;
		assert_memory_equal(phase->states, waited->states, cells);
		assert_true(phase->x.values[phase->x.present] == 100);
		/* the plan's own cell is the plan's own choice */
		for (int level = 1; level <= 4; level++)
			assert_int_equal(phase_state(phase, phase->x.present, phase->y.present, level), plan_state(study_results(study)->plan, row, level));
		/* and every cell lies on its exact line */
		for (int y = 0; y < phase->y.count; y++)
			for (int x = 0; x < phase->x.count; x++)
				assert_int_equal(phase_state(phase, x, y, 1), flips_state(&phase->lines[y], phase->x.values[x]));
		solved = memory_alloc(cells, 1);
		memcpy(solved, phase->states, cells);
		must_run(study, "set batch=101");
		must_run(study, "set batch=100");
		phase = study_phase(study, row, 1, COLUMNS, ROWS, false, NULL);
		assert_true(phase->coarse);
		assert_memory_equal(&phase->states[(size_t)phase->y.present * (size_t)phase->x.count * LEVELS_MAX],
			&solved[(size_t)phase->y.present * (size_t)phase->x.count * LEVELS_MAX], LEVELS_MAX);
		memory_free(solved);
		study_free(study);
		study_free(waiting);
	}
}

/* Any two knobs make a map whose every cell is what setting them gives. */
static void every_cell_of_a_map_is_what_setting_its_knobs_gives(void **state)
{
	static const char *const axes[][2] = {
		{ "solver", "topology" }, { "accelerators", "types" }, { "latency", "bandwidth" }, { "objective", "precision" }, { "endpoint_delay", "switching" }, { "mp_output", "comm_model" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
		struct study *study = study_with("load lenet-c", "set batch=700 objective=time latency=1us solver=joint"), *other = study_with("load lenet-c", "set batch=700 objective=time latency=1us solver=joint");
		const struct phase *phase;
		char line[200], x_word[60], y_word[60];

		snprintf(line, sizeof line, "set phase_x=%s phase_y=%s", axes[i][0], axes[i][1]);
		must_run(study, line);
		phase = study_phase(study, 2, 1, 9, 7, true, NULL);
		assert_non_null(phase);
		assert_true(phase->x.count > 1 && phase->x.count <= 9 && phase->y.count > 1 && phase->y.count <= 7);
		for (int y = 0; y < phase->y.count; y++)
			for (int x = 0; x < phase->x.count; x++) {
				const struct results *r;

				parameter_print(phase->x.id, phase->x.values[x], x_word, sizeof x_word);
				parameter_print(phase->y.id, phase->y.values[y], y_word, sizeof y_word);
				snprintf(line, sizeof line, "set %s=%s %s=%s", axes[i][0], x_word, axes[i][1], y_word);
				must_run(other, line);
				study_settle(other, NULL);
				r = study_results(other);
				for (int level = 1; level <= LEVELS_MAX; level++)
					assert_int_equal(phase_state(phase, x, y, level), level <= r->plan->levels ? plan_state(r->plan, 2, level) : NO_STATE);
			}
		study_free(study);
		study_free(other);
	}
}

/* MODELS 2.5: an option's total is the plan with that choice pinned, its margin the difference. */
static void options_equal_a_pin(void **state)
{
	static const char *const solvers[] = { "solve hypar", "solve accpar", "solve joint" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct study *study = study_with("load lenet-c", solvers[i]);

		study_settle(study, NULL);
		for (int row = 0; row < study_results(study)->model->count; row++) {
			struct why why;
			struct diagnostic d;
			char line[64];

			if (study_why(study, row, 2, true, &why, &d) != STATUS_OK)
				continue;
			for (int k = 0; k < why.option_count; k++) {
				const struct why_option *o = &why.options[k];

				snprintf(line, sizeof line, "pin #%d H2 %s", row + 1, split_name((enum split)o->state));
				must_run(study, line);
				study_settle(study, NULL);
				assert_true(study_results(study)->plan->elements == o->whole_cost);
				if (!isnan(o->level_cost))
					assert_true(study_results(study)->plan->level[1].per_pair == o->level_cost && o->margin == o->level_cost - why.here);
				else
					assert_true(o->margin == o->whole_cost - why.total);
				must_run(study, "undo");
				study_settle(study, NULL);
			}
			why_free(&why);
		}
		study_free(study);
	}
}

static void questions_without_an_answer_are_refused(void **state)
{
	static const struct { const char *model, *edit; int row, level; const char *help; } cases[] = {
		{ "load lenet-c", "set accelerators=16", 99, 1, "no choice" }, { "load lenet-c", "set accelerators=16", -1, 1, "no choice" },
		{ "load lenet-c", "set accelerators=16", 0, 5, "H1 to H4" }, { "load lenet-c", "set accelerators=16", 0, 0, "H1 to H4" },
		{ "load lenet-c", "set accelerators=1", 0, 1, "one accelerator" }, { "load resnet50", "set accelerators=64 solver=joint", 0, 1, "still being computed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct study *study = study_with(cases[i].model, cases[i].edit);
		struct why why;
		struct flips flips;
		struct diagnostic d = { 0 };

		assert_int_equal(study_why(study, cases[i].row, cases[i].level, true, &why, &d), STATUS_INPUT);
		assert_non_null(strstr(d.text, cases[i].help));
		assert_int_equal(study_flips(study, cases[i].row, cases[i].level, FLIP_BATCH, &flips, &d), STATUS_INPUT);
		study_free(study);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_plan_is_computed_beside),
		cmocka_unit_test(stale_jobs_are_dropped),
		cmocka_unit_test(a_job_outlives_its_model),
		cmocka_unit_test(a_baseline_outlives_its_model),
		cmocka_unit_test(a_job_may_be_freed_with_the_study_gone_on),
		cmocka_unit_test(a_cancelled_job_waits_for_the_next_edit),
		cmocka_unit_test(settling_stops_when_cancelled),
		cmocka_unit_test(why_as_a_job_equals_waiting),
		cmocka_unit_test(a_phase_map_as_a_job_equals_waiting),
		cmocka_unit_test(every_cell_of_a_map_is_what_setting_its_knobs_gives),
		cmocka_unit_test(options_equal_a_pin),
		cmocka_unit_test(questions_without_an_answer_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
