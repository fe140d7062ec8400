/* Mining: the space and its budgets, wham against every design there is, the same results whatever the threads. */
#include "study/race.h"
#include "schedule/ilp.h"
#include "study/mining.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"
#include "tests/unit/study_help.h"

static struct study *study_of(const char *model, const char *settings)
{
	char line[80];
	struct study *study;

	snprintf(line, sizeof line, "load %s", model);
	study = study_with(line, "set accelerator=wham-base accelerators=1 batch=64 precision=bf16");
	if (settings != NULL)
		must_run(study, settings);
	study_settle(study, NULL);
	return study;
}

static void begin(struct study *study, struct mining *m)
{
	struct diagnostic d;

	if (mining_begin(&study, 1, m, &d) != STATUS_OK)
		fail_msg("%s", d.text);
}

/* MODELS 8: 75 712 designs, 51 943 under 278.83 mm2, of which 29 360 use at least 30 % of it or have a single core of a kind. */
static void the_space_is_the_one_of_the_models(void **state)
{
	struct study *study = study_of("lenet-c", NULL);
	struct mining m;
	int64_t fitting = 0, large = 0;

	(void)state;
	begin(study, &m);
	assert_int_equal(space_count(&m.space), 75712);
	for (int64_t i = 0; i < space_count(&m.space); i++) {
		struct design d = space_design(&m.space, i);

		assert_int_equal(space_number(&m.space, &d), i);
		if (space_limit(&m.space, &d) != LIMIT_NONE)
			continue;
		fitting++;
		large += space_area(&m.space, &d) >= 0.3 * m.space.area_limit || d.log[AXIS_TC] == 0 || d.log[AXIS_VC] == 0;
	}
	assert_int_equal(fitting, 51943);
	assert_int_equal(large, 29360);
	mining_end(&m);
	study_free(study);
}

static void must_run_all(struct study *study, struct text *commands)
{
	for (char *at = strtok((char *)text_string(commands), "\n"); at != NULL; at = strtok(NULL, "\n"))
		must_run(study, at);
	text_free(commands);
}

static double run(const struct mining *m, enum mine_method method, int64_t *evaluations)
{
	struct miner miner;
	struct diagnostic d;
	double value;

	miner_init(&miner, &m->request);
	if (mine_run(method, &miner, &d) != STATUS_OK)
		fail_msg("%s: %s", mine_method_name(method), d.text);
	value = miner_best(&miner)->value;
	*evaluations = miner.evaluations;
	for (int i = 1; i < miner.top_count; i++)
		assert_true(miner.top[i].value <= miner.top[i - 1].value);
	for (size_t i = 1; i < miner.curve_count; i++)
		assert_true(miner.curve[i].value > miner.curve[i - 1].value && miner.curve[i].evaluations > miner.curve[i - 1].evaluations);
	assert_true(miner.curve[miner.curve_count - 1].value == value);
	assert_true(space_limit(&m->space, &miner.top[0].design) == LIMIT_NONE);
	miner_free(&miner);
	return value;
}

/* Within 1 % of the best there is, with 50 times fewer schedules. */
static void wham_is_as_good_as_all(void **state)
{
	static const char *const models[] = { "lenet-c", "cifar-c", "sfc" };

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			struct study *study = study_of(models[i], metric == METRIC_THROUGHPUT ? NULL : "set metric=perf_per_tdp");
			struct mining m;
			int64_t few, all, drawn;
			double wham, best, random;

			begin(study, &m);
			best = run(&m, METHOD_EXHAUSTIVE, &all);
			wham = run(&m, METHOD_WHAM, &few);
			random = run(&m, METHOD_RANDOM, &drawn);
			assert_int_equal(all, 51943);
			assert_int_equal(drawn, 1000);
			assert_true(wham <= best && random <= best);
			if (wham < 0.99 * best || 50 * few > all)
				fail_msg("%s, %s: %.4f of the best with %lld of %lld", models[i], mine_metric_name((enum mine_metric)metric), wham / best, (long long)few, (long long)all);
			mining_end(&m);
			study_free(study);
		}
}

/* The rivals are as good as their seed, the same again, and stop where hardly anything fits. */
static void rivals_draw_by_their_seed(void **state)
{
	static const enum mine_method rivals[] = { METHOD_RLGA, METHOD_BAYES, METHOD_RANDOM };

	(void)state;
	for (size_t i = 0; i < sizeof rivals / sizeof *rivals; i++) {
		struct study *study = study_of("lenet-c", NULL);
		struct mining m;
		int64_t evaluations;
		double once, again, other;

		begin(study, &m);
		m.request.evaluations = 300;
		once = run(&m, rivals[i], &evaluations);
		assert_int_equal(evaluations, 300);
		again = run(&m, rivals[i], &evaluations);
		m.request.seed = 7;
		other = run(&m, rivals[i], &evaluations);
		assert_true(once == again && other > 0 && (rivals[i] != METHOD_RANDOM || other != once));
		m.space.area_limit = 1.005 * space_area(&m.space, &(struct design){ .log = { 0, 1, 1, 0, 21, 1 } });     /* a few designs */
		once = run(&m, rivals[i], &evaluations);
		assert_true(once > 0 && evaluations < 300);
		assert_true(once <= run(&m, METHOD_EXHAUSTIVE, &evaluations));
		mining_end(&m);
		study_free(study);
	}
}

struct stopper {
	atomic_bool cancel;
	int left;                        /* designs to be judged before it is set */
};

static struct judged judge_and_stop(void *context, const struct mine_request *request, const struct design *design)
{
	struct stopper *s = context;
	struct mine_request plain = *request;

	if (--s->left == 0)
		atomic_store(&s->cancel, true);
	plain.judge = NULL;
	return mine_judge(&plain, design);
}

/* ilp takes no other judge: stopped from another thread. */
static void *stop_soon(void *context)
{
	static const struct timespec nap = { 0, 50000000 };
	struct stopper *s = context;

	nanosleep(&nap, NULL);
	atomic_store(&s->cancel, true);
	return NULL;
}

/* Whatever is under way: no design more is judged, and what was found stays. */
static void all_methods_can_be_stopped(void **state)
{
	(void)state;
	for (int method = 0; method < METHOD_COUNT; method++) {
		bool ilp = method == METHOD_ILP;
		struct study *study = study_of(ilp ? "sfc" : "bert-base", NULL);
		struct stopper s = { .left = 8 };
		struct mining m;
		struct miner miner;
		struct diagnostic d;
		pthread_t thread;

		begin(study, &m);
		m.request.evaluations = 1000000;
		m.request.threads = 1;
		m.request.cancel = &s.cancel;
		if (!ilp) {
			m.request.judge = judge_and_stop;
			m.request.judge_context = &s;
		}
		miner_init(&miner, &m.request);
		if (ilp)
			assert_int_equal(pthread_create(&thread, NULL, stop_soon, &s), 0);
		if (!ilp || ilp_available()) {
			assert_int_equal(mine_run((enum mine_method)method, &miner, &d), STATUS_INTERRUPTED);
			assert_int_equal(s.left, ilp ? 8 : 0);
			assert_true(ilp || method == METHOD_EXHAUSTIVE || (miner.evaluations == 8 && miner_best(&miner) != NULL));
		}
		if (ilp)
			pthread_join(thread, NULL);
		miner_free(&miner);
		mining_end(&m);
		study_free(study);
	}
}

/* Runs ilp, which must end by itself; its bound and whether it is proven.  timely: in less than one program may take, so that no limit cut it. */
static double run_ilp(const struct mining *m, double *bound, bool *proven, bool *timely)
{
	struct miner miner;
	struct diagnostic d;
	double value;

	miner_init(&miner, &m->request);
	if (mine_run(METHOD_ILP, &miner, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	assert_true(miner.evaluations <= m->request.evaluations);
	value = miner_best(&miner)->value;
	*bound = miner.bound;
	*proven = miner.proven;
	*timely = miner_seconds(&miner) < m->request.time_limit / 10;
	miner_free(&miner);
	return value;
}

static void ilp_bounds_what_there_is(const struct mining *m, const char *what, uint64_t seed)
{
	int64_t evaluations;
	double bound, again, best = run(m, METHOD_EXHAUSTIVE, &evaluations), paper = run(m, METHOD_WHAM_PAPER, &evaluations), value;
	bool proven, timely;

	value = run_ilp(m, &bound, &proven, &timely);
	/* its times are parts of 1/10 000, rounded down: what it proves is so to one for each task */
	if (value > best || bound < best || value < paper || (proven && bound > 1.2 * best))
		fail_msg("%s %llu: %g, bound %g; of all %g, paper %g", what, (unsigned long long)seed, value, bound, best, paper);
	if (proven && timely) {
		assert_true(value == best);
		value = run_ilp(m, &again, &proven, &timely);
		assert_true(!timely || (value == best && again == bound));
	}
}

/* No design there is exceeds the bound, and none is better by the judge where it is proven. */
static void ilp_is_as_good_as_all(void **state)
{
	static const char *const models[] = { "lenet-c", "sconv", "sfc" }, *const settings[] = { "set area_limit=20mm2", "set area_limit=20mm2 metric=perf_per_tdp min_throughput=1000", "set fusion=off area_limit=20mm2" };

	(void)state;
	if (!ilp_available())
		skip();
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
			struct study *study = study_of(models[i], settings[k]);
			struct mining m;

			begin(study, &m);
			m.request.time_limit = 1;
			ilp_bounds_what_there_is(&m, models[i], k);
			mining_end(&m);
			study_free(study);
		}
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct random random = { seed };
		struct study *study = study_of("lenet-c", "set area_limit=20mm2");
		struct model *model = random_model(&random, 3, false);
		struct training *training = training_new(model);
		struct share shares[3];
		struct mining m;

		begin(study, &m);
		for (int i = 0; i < 3; i++)
			shares[i] = share_whole(&model->operators[i], 8);
		m.request.time_limit = 1;
		m.models[0].training = training;
		m.models[0].shares = shares;
		if (training->count <= ILP_TASKS)
			ilp_bounds_what_there_is(&m, "random", seed);
		mining_end(&m);
		training_free(training);
		model_free(model);
		study_free(study);
	}
}

/* What it cannot do it says, with what can. */
static void ilp_says_what_is_too_much(void **state)
{
	static const struct { const char *model; int models; double time_limit; const char *phrase; } cases[] = {
		{ "vgg-a", 1, 60, "74 tasks is too much for integer programs, which take 32; wham" }, { "lenet-c", 2, 60, "2 models at once are too many" },
		{ "lenet-c", 1, 1e-6, "time_limit: 1e-06 s are too few" },
	};

	(void)state;
	if (!ilp_available())
		skip();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct study *study = study_of(cases[i].model, NULL);
		struct mining m;
		struct miner miner;
		struct diagnostic d;

		begin(study, &m);
		m.request.model_count = cases[i].models;
		m.request.time_limit = cases[i].time_limit;
		miner_init(&miner, &m.request);
		assert_int_equal(mine_run(METHOD_ILP, &miner, &d), STATUS_INPUT);
		if (strstr(d.text, cases[i].phrase) == NULL)
			fail_msg("\"%s\" does not say \"%s\"", d.text, cases[i].phrase);
		miner_free(&miner);
		mining_end(&m);
		study_free(study);
	}
}

static void results_do_not_depend_on_threads(void **state)
{
	struct study *study = study_of("lenet-c", "set area_limit=20mm2");
	struct mining m;
	struct miner one, three;
	struct diagnostic d;

	(void)state;
	begin(study, &m);
	m.request.threads = 1;
	miner_init(&one, &m.request);
	assert_int_equal(mine_run(METHOD_EXHAUSTIVE, &one, &d), STATUS_OK);
	m.request.threads = 3;
	miner_init(&three, &m.request);
	assert_int_equal(mine_run(METHOD_EXHAUSTIVE, &three, &d), STATUS_OK);
	assert_int_equal(one.evaluations, three.evaluations);
	assert_int_equal(one.top_count, three.top_count);
	for (int i = 0; i < one.top_count; i++)
		assert_memory_equal(&one.top[i].design, &three.top[i].design, sizeof one.top[i].design);
	assert_int_equal(one.curve_count, three.curve_count);
	for (size_t i = 0; i < one.curve_count; i++)
		assert_true(one.curve[i].evaluations == three.curve[i].evaluations && one.curve[i].value == three.curve[i].value);
	miner_free(&one);
	miner_free(&three);
	mining_end(&m);
	study_free(study);
}

/* A design that was mined is the machine of its command, and its samples a second those of the study then. */
static void a_mined_design_is_what_the_study_says(void **state)
{
	static const char *const settings[] = { NULL, "set accelerators=4", "set accelerators=4 overlap=gradient", "set accelerators=16 overlap=full bandwidth=10GB/s" };

	(void)state;
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		struct study *study = study_of("resnet18", settings[i]);
		struct mining m;
		struct miner miner;
		struct diagnostic d;
		struct judged best;
		struct text commands = { 0 };

		begin(study, &m);
		miner_init(&miner, &m.request);
		assert_int_equal(mine_run(METHOD_WHAM, &miner, &d), STATUS_OK);
		best = *miner_best(&miner);
		mining_commands(&m, &best.design, study_document(study), &commands);
		miner_free(&miner);
		mining_end(&m);
		must_run_all(study, &commands);
		study_settle(study, NULL);
		assert_true(fabs(best.throughput * (i == 0 ? study_results(study)->compute_s : study_results(study)->step_s) / 64 - 1) < 1e-12);
		assert_true(fabs(best.area / study_results(study)->area.total - 1) < 1e-12 && fabs(best.tdp / study_results(study)->power.total - 1) < 1e-12);
		study_free(study);
	}
}

static void limits_are_kept_and_told(void **state)
{
	static const struct { const char *settings, *phrase; } cases[] = {
		{ "set area_limit=1mm2", "area_limit: no design fits 1 mm2; the smallest" }, { "set power_limit=1W", "power_limit: no design fits 1 W; the smallest" },
		{ "set metric=perf_per_tdp min_throughput=1e12", "min_throughput: no design that was tried reaches 1e+12 samples/s, the nearest " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct study *study = study_of("lenet-c", cases[i].settings);
		struct mining m;
		struct miner miner;
		struct diagnostic d;

		begin(study, &m);
		miner_init(&miner, &m.request);
		assert_int_equal(mine_run(METHOD_WHAM, &miner, &d), STATUS_INFEASIBLE);
		if (strstr(d.text, cases[i].phrase) == NULL)
			fail_msg("\"%s\" does not say \"%s\"", d.text, cases[i].phrase);
		miner_free(&miner);
		mining_end(&m);
		study_free(study);
	}
}

/* What is true of all studies of a search: one that has no plain step is refused. */
static void a_search_needs_a_run_that_can_be(void **state)
{
	static const struct { const char *settings, *phrase; } cases[] = { { "set pipeline=200", "pipeline" }, { "set accelerator=a100", "set accelerator=wham-base" } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct study *study = study_of("vgg-a", cases[i].settings);
		struct mining m;
		struct diagnostic d;

		assert_int_equal(mining_begin(&study, 1, &m, &d), STATUS_INPUT);
		assert_non_null(strstr(d.text, cases[i].phrase));
		mining_end(&m);
		study_free(study);
	}
}

/* What the study says of the run, once the search's commands are carried out. */
static double throughput_of_run(struct study *study)
{
	const struct results *r;

	study_settle(study, NULL);
	r = study_results(study);
	assert_string_equal(r->run_trouble, "");
	return study_document(study)->values[PARAMETER_BATCH] / r->run.seconds;
}

/* Of runs on stages: tensor parallel, replicated, of few and many microbatches, by both metrics. */
static void runs_on_stages_get_one_design_or_one_each(void **state)
{
	static const struct { const char *model, *settings; } cases[] = {
		{ "vgg-a", "set pipeline=4 bandwidth=100GB/s" }, { "vgg-a", "set pipeline=2 tensor=2 replicas=2 bandwidth=100GB/s metric=perf_per_tdp" },
		{ "lenet-c", "set pipeline=3 microbatch=4 recompute=full schedule=zb-h1" }, { "lenet-c", "set microbatch=16" },
		{ "cifar-c", "set pipeline=2 schedule=interleaved chunks=2 microbatch=4 metric=perf_per_tdp" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct study *study = study_of(cases[i].model, cases[i].settings);
		struct race *race = race_new(&study, 1, false);
		const struct race_entrant *e = &race->entrants[METHOD_WHAM];
		struct text commands = { 0 };
		struct diagnostic d;
		const struct judged *best;

		race_enter(race, METHOD_WHAM);
		if (race_leg(race, METHOD_WHAM, NULL, &d) != STATUS_OK)
			fail_msg("%s, %s: %s", cases[i].model, cases[i].settings, d.text);
		assert_non_null(race->mining.line);
		best = &e->miner.top[0];
		assert_true(e->line->each.of_stage != NULL && e->line->each.value >= best->value * (1 - 1e-12));
		assert_true(e->line->candidates > 0 && e->line->stage_evaluations > 0);
		for (int fixed = 0; fixed < MINING_FIXED; fixed++)
			assert_true(best->value > mining_fixed_judged(&race->mining, fixed).value);
		/* whatever was set before: each stage's, one for all, each stage's */
		for (int turn = 0; turn < 3; turn++) {
			if (turn == 1)
				mining_commands(&race->mining, &best->design, study_document(study), &commands);
			else
				line_found_commands(&race->mining, &e->line->each, &commands);
			must_run_all(study, &commands);
			assert_true(fabs(throughput_of_run(study) / (turn == 1 ? best->throughput : e->line->each.throughput) - 1) < 1e-9);
		}
		race_free(race);
		study_free(study);
	}
}

/* With few designs that fit, the best of all runs is known. */
static void wham_on_stages_is_near_the_best_run(void **state)
{
	static const char *const settings[] = { "set pipeline=3 microbatch=8 area_limit=5mm2 bandwidth=100GB/s", "set pipeline=2 tensor=2 microbatch=16 bandwidth=100GB/s area_limit=5mm2 metric=perf_per_tdp min_throughput=1",
		"set pipeline=2 schedule=zb-2p power_limit=30W" };

	(void)state;
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		struct study *study = study_of("lenet-c", settings[i]);
		struct race *race = race_new(&study, 1, false);
		struct diagnostic d;

		for (int method = 0; method < METHOD_COUNT; method++)
			if (method == METHOD_WHAM || method == METHOD_EXHAUSTIVE) {
				race_enter(race, (enum mine_method)method);
				if (race_leg(race, (enum mine_method)method, NULL, &d) != STATUS_OK)
					fail_msg("%s", d.text);
			}
		if (race->entrants[METHOD_WHAM].miner.top[0].value < 0.98 * race->entrants[METHOD_EXHAUSTIVE].miner.top[0].value)
			fail_msg("%s: %g of %g", settings[i], race->entrants[METHOD_WHAM].miner.top[0].value, race->entrants[METHOD_EXHAUSTIVE].miner.top[0].value);
		race_free(race);
		study_free(study);
	}
}

/* Where nothing fits, the limit is told, not the floor; lanes of their own are halved too. */
static void small_budgets_are_met_or_told(void **state)
{
	static const struct { const char *settings, *phrase; } cases[] = {
		{ "set pipeline=2 area_limit=1mm2", "area_limit: no design fits 1 mm2" }, { "set pipeline=2 power_limit=1W", "power_limit: no design fits 1 W" },
		{ "set area_limit=3.45mm2 space=free", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int method = METHOD_WHAM; method <= METHOD_WHAM_PAPER; method++) {
			struct study *study = study_of("lenet-c", cases[i].settings);
			struct race *race = race_new(&study, 1, false);
			struct diagnostic d = { .text = "" };
			enum status status;

			race_enter(race, (enum mine_method)method);
			status = race_leg(race, (enum mine_method)method, NULL, &d);
			if (status != (cases[i].phrase != NULL ? STATUS_INFEASIBLE : STATUS_OK) || (cases[i].phrase != NULL && strstr(d.text, cases[i].phrase) == NULL))
				fail_msg("%s by %s: \"%s\"", cases[i].settings, mine_method_name((enum mine_method)method), d.text);
			race_free(race);
			study_free(study);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_space_is_the_one_of_the_models),
		cmocka_unit_test(wham_is_as_good_as_all),
		cmocka_unit_test(rivals_draw_by_their_seed),
		cmocka_unit_test(all_methods_can_be_stopped),
		cmocka_unit_test(ilp_is_as_good_as_all),
		cmocka_unit_test(ilp_says_what_is_too_much),
		cmocka_unit_test(results_do_not_depend_on_threads),
		cmocka_unit_test(a_mined_design_is_what_the_study_says),
		cmocka_unit_test(limits_are_kept_and_told),
		cmocka_unit_test(a_search_needs_a_run_that_can_be),
		cmocka_unit_test(runs_on_stages_get_one_design_or_one_each),
		cmocka_unit_test(wham_on_stages_is_near_the_best_run),
		cmocka_unit_test(small_budgets_are_met_or_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
