/* Runs on stages of arrays: measured layers by hand, what must hold of any of them, and what a stage may have of its own. */
#include "study/commands.h"
#include "study/line_run.h"
#include "study/run_choices.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"
#include "tests/unit/study_help.h"

static char measured[64];

/* Eight layers of 1 s forward and 2 s backward, which hand on next to nothing. */
static int write_measured(void **state)
{
	FILE *file;
	int fd;

	(void)state;
	strcpy(measured, "/tmp/whypar-line-XXXXXX");
	fd = mkstemp(measured);
	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (file == NULL)
		return 1;
	fprintf(file, "name,kind,in_ch,out_ch,fwd_s,bwd_s\n");
	for (int i = 0; i < 8; i++)
		fprintf(file, "l%d,linear,8,8,1,2\n", i);
	fprintf(file, "end,loss,8,8,,\n");
	return fclose(file);
}

static int remove_measured(void **state)
{
	(void)state;
	return unlink(measured);
}

static struct study *measured_study(const char *settings)
{
	struct study *study = study_new();
	char line[300];

	snprintf(line, sizeof line, "load %s", measured);
	must_run(study, line);
	must_run(study, "set accelerators=1 bandwidth=1TB/s");
	must_run(study, settings);
	study_settle(study, NULL);
	assert_string_equal(study_results(study)->run_trouble, "");
	return study;
}

static bool near(double a, double b, double within)
{
	return fabs(a - b) <= within * fmax(fabs(a), fabs(b));
}

/* MODELS 7: S stages of F = 8 / S and B = 16 / S, m microbatches. */
static void measured_layers_are_played_as_by_hand(void **state)
{
	static const struct { const char *settings; double seconds, bubble; } cases[] = {
		{ "set pipeline=1 batch=8 microbatch=8", 24, 0 },
		{ "set pipeline=1 batch=32 microbatch=8", 96, 0 },
		{ "set pipeline=4 batch=32 microbatch=4 schedule=gpipe", (8 + 3) * 6, 3 * 6 },
		{ "set pipeline=4 batch=32 microbatch=4 schedule=1f1b", (8 + 3) * 6, 3 * 6 },
		{ "set pipeline=8 batch=32 microbatch=1 schedule=1f1b", (32 + 7) * 3, 7 * 3 },
		{ "set pipeline=4 batch=32 microbatch=4 schedule=interleaved chunks=2", 8 * 6 + 3 * 6 / 2.0, 3 * 6 / 2.0 },
		{ "set pipeline=2 replicas=4 batch=32 microbatch=2", (4 + 1) * 12, 12 },
		/* each stage computes its forward pass again */
		{ "set pipeline=4 batch=32 microbatch=4 recompute=full", (8 + 3) * 8, 3 * 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct study *study = measured_study(cases[i].settings);
		const struct results *r = study_results(study);

		assert_true(near(r->run.seconds, cases[i].seconds, 1e-6));
		assert_true(fabs(r->run.bubble - cases[i].bubble) < 1e-6 * cases[i].seconds);
		study_free(study);
	}
}

static double parts_sum(const struct run *r)
{
	return r->forward + r->backward + r->recompute + r->collectives + r->transfers + r->bubble + r->gradients + r->update + r->straggling;
}

static void check_run(const struct results *r)
{
	double layers = 0;

	assert_true(r->run.seconds > 0 && near(parts_sum(&r->run), r->run.seconds, 1e-9));
	assert_true(r->run.bubble >= 0 && r->run.transfers >= 0 && r->run.gradients >= 0 && r->run.update >= 0 && r->run.collectives >= 0);
	assert_true(r->stage_count > 1 || r->run.bubble == 0);
	for (int i = 0; i < r->stage_count; i++) {
		const struct run_memory *m = &r->stages[i].memory;

		layers += r->stages[i].layers;
		assert_true(r->stages[i].layers >= 1);
		assert_true(near(m->weights + m->gradients + m->states + m->activations + m->buffers + m->context, m->total, 1e-9));
		assert_true(m->total <= r->run.memory.total || r->stages[i].capacity != r->stages[r->run.worst].capacity);
	}
	assert_true(layers > 0);
}

/* Whatever is set, where there is a run it adds up, and it is the longer the more samples a step has. */
static void any_run_adds_up(void **state)
{
	static const char *const models[] = { "lenet-c", "vgg-a", "resnet18", "bert-base" }, *const schedules[] = { "1f1b", "gpipe", "zb-h1", "zb-2p" };
	static const char *const kinds[] = { "hmc", "tpuv2", "wham-base", "v100" };
	struct random r = { 31 };
	int runs = 0;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct study *study = study_new();
		char line[300];
		double once;

		snprintf(line, sizeof line, "load %s", models[random_below(&r, 4)]);
		must_run(study, line);
		snprintf(line, sizeof line, "set accelerator=%s accelerators=%u tensor=%u pipeline=%u replicas=%u batch=64 schedule=%s recompute=%s zero=%u bandwidth=%uGB/s overlap=%s", kinds[random_below(&r, 4)],
			1u << random_below(&r, 3), 1u << random_below(&r, 3), 1 + random_below(&r, 4), 1u << random_below(&r, 3), schedules[random_below(&r, 4)], random_below(&r, 2) ? "none" : "full",
			random_below(&r, 2), 1 + random_below(&r, 100), random_below(&r, 2) ? "none" : "gradient");
		must_run(study, line);
		study_settle(study, NULL);
		if (study_results(study)->run_trouble[0] == '\0') {
			check_run(study_results(study));
			once = study_results(study)->run.seconds;
			must_run(study, "set batch=128");
			study_settle(study, NULL);
			check_run(study_results(study));
			assert_true(study_results(study)->run.seconds >= once * (1 - 1e-9));
			runs++;
		}
		study_free(study);
	}
	assert_true(runs > 40);
}

/* Microbatches beyond those that are played take what the last of these did. */
static void what_is_not_played_is_added_up(void **state)
{
	static const char *const schedules[] = { "1f1b", "gpipe", "zb-h1" };

	(void)state;
	for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
		struct study *study = study_new();
		char line[200];
		double few, many;

		must_run(study, "load vgg-a");
		snprintf(line, sizeof line, "set pipeline=4 microbatch=1 bandwidth=10GB/s schedule=%s batch=4000", schedules[i]);
		must_run(study, line);
		study_settle(study, NULL);
		assert_non_null(study_results(study)->pipeline);
		few = study_results(study)->run.seconds;
		must_run(study, "set batch=16000");
		study_settle(study, NULL);
		assert_null(study_results(study)->pipeline);
		many = study_results(study)->run.seconds;
		must_run(study, "set batch=12000");
		study_settle(study, NULL);
		/* a line through all three */
		assert_true(near(many - study_results(study)->run.seconds, (study_results(study)->run.seconds - few) / 2, 1e-3));
		study_free(study);
	}
}

/* MODELS 7, Megatron's way: tensor parallelism finds columns, then rows, with one sum for each pair. */
static void tensor_levels_are_never_dp(void **state)
{
	struct study *study = study_with("load bert-base", "set accelerators=4 tensor=4 solver=hypar batch=64");
	const struct results *r;

	(void)state;
	study_settle(study, NULL);
	r = study_results(study);
	assert_int_equal(r->plan->levels, 4);
	for (int row = 0; row < r->model->count; row++)
		for (int level = 1; level <= 2 && operator_kind_weighted(r->model->operators[row].kind); level++)
			assert_true(plan_state(r->plan, row, level) == SPLIT_MP || plan_state(r->plan, row, level) == SPLIT_OP);
	study_free(study);
}

static void a_stage_may_be_of_its_own(void **state)
{
	struct study *study = measured_study("set pipeline=4 batch=32 microbatch=4");
	const struct results *r = study_results(study);
	struct diagnostic d;
	double alike = r->run.seconds;

	(void)state;
	must_run(study, "stage 2 starts l1");
	study_settle(study, NULL);
	r = study_results(study);
	assert_int_equal(r->stages[1].row, 1);
	assert_true(r->stages[0].layers == 1 && r->run.seconds > alike);
	must_run(study, "stage 3 accelerator=tpuv2 accelerators=2");
	study_settle(study, NULL);
	r = study_results(study);
	assert_string_equal(r->stages[2].accelerator, "tpuv2");
	assert_true(r->stages[2].devices == 2 && r->stages[0].devices == 1 && r->run_devices == 5);
	must_run(study, "undo");
	must_run(study, "stage 2 free");
	study_settle(study, NULL);
	assert_true(study_results(study)->run.seconds == alike);
	assert_int_equal(command_run(study, &host, "stage 1 starts l3", &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "stage 1 begins with the model"));
	assert_int_equal(command_run(study, &host, "stage 2 batch=3", &d), STATUS_USAGE);
	assert_int_equal(command_run(study, &host, "stage 0 free", &d), STATUS_INPUT);
	must_run(study, "stage 2 starts l7");    /* leaves no layers for the two behind it */
	study_settle(study, NULL);
	assert_non_null(strstr(study_results(study)->run_trouble, "stage 2 cannot start"));
	study_free(study);
}

/* Three layers on two stages, the second of four accelerators, by hand: fp32, 12 samples in microbatches of 3. */
/* Cores set for each stage are those set for all. */
static void cores_of_stages_are_cores_of_all(void **state)
{
	struct study *study = study_with("load vgg-a", "set accelerator=wham-base accelerators=1 batch=32 pipeline=3 microbatch=4"), *all = study_with("load vgg-a", "set accelerator=wham-base accelerators=1 batch=32 pipeline=3 microbatch=4 tc=4 vc=8 glb=16MiB");

	(void)state;
	for (int stage = 1; stage <= 3; stage++) {
		char line[80];

		snprintf(line, sizeof line, "stage %d tc=4 vc=8 glb=16MiB", stage);
		must_run(study, line);
	}
	study_settle(study, NULL);
	study_settle(all, NULL);
	assert_true(study_results(study)->run.seconds == study_results(all)->run.seconds);
	must_run(study, "stage 2 free");
	study_settle(study, NULL);
	assert_true(study_results(study)->run.seconds != study_results(all)->run.seconds);
	study_free(study);
	study_free(all);
}

static void memory_and_transfers_are_as_by_hand(void **state)
{
	static const struct { const char *own; double devices[2], border_s; } cases[] = {
		/* 3 samples of 16 x 4 bytes over 1 MB/s from one device to one; from one to four, which the one sends alone; and the other way round */
		{ "stage 2 accelerators=1 starts #2", { 1, 1 }, 192e-6 }, { "stage 2 accelerators=4 starts #2", { 1, 4 }, 192e-6 }, { "stage 1 accelerators=4", { 4, 1 }, 192e-6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct study *study = study_new();
		char path[64] = "/tmp/whypar-hand-XXXXXX", line[200];
		int fd = mkstemp(path);
		FILE *file = fdopen(fd, "w");
		const struct results *r;
		double held[2] = { 2, 1 };

		fprintf(file, "name,kind,in_ch,out_ch,fwd_s,bwd_s\na,linear,8,16,1,2\nb,linear,16,16,1,2\nc,linear,16,4,1,2\nend,loss,4,4,,\n");
		fclose(file);
		snprintf(line, sizeof line, "load %s", path);
		must_run(study, line);
		must_run(study, "set accelerators=1 topology=switch bandwidth=1MB/s batch=12 microbatch=3 pipeline=2 solver=dp optimizer=momentum");
		must_run(study, "stage 2 starts #2");
		must_run(study, cases[i].own);
		study_settle(study, NULL);
		r = study_results(study);
		assert_string_equal(r->run_trouble, "");
		for (int stage = 0; stage < 2; stage++) {
			const struct run_memory *m = &r->stages[stage].memory;
			/* all dp: each device has all weights and its part of the samples, one at least */
			double weights = stage == 0 ? 8 * 16 : 16 * 16 + 16 * 4, samples = ceil(3 / cases[i].devices[stage]);  /* bare tables have no biases */
			double taken = stage == 0 ? 8 * samples : 16 * 3 / cases[i].devices[stage], made = stage == 0 ? 16 : 16 + 4;

			assert_true(r->stages[stage].devices == cases[i].devices[stage]);
			assert_true(m->weights == 4 * weights && m->gradients == 4 * weights && m->states == 4 * weights);
			if (fabs(m->activations - 4 * held[stage] * (taken + made * samples)) > 1e-6)
				fail_msg("%s, stage %d: %g bytes kept, by hand %g", cases[i].own, stage + 1, m->activations, 4 * held[stage] * (taken + made * samples));
		}
		if (!near(r->stages[0].times.transfer, cases[i].border_s, 1e-9))
			fail_msg("%s: %g s over the border, by hand %g", cases[i].own, r->stages[0].times.transfer, cases[i].border_s);
		unlink(path);
		study_free(study);
	}
}

/* What is held does not depend on how many microbatches were played; nor do slow links on how the rest was added. */
static void long_steps_are_no_other_than_short_ones(void **state)
{
	struct study *study = study_with("load vgg-a", "set pipeline=4 microbatch=1 schedule=gpipe batch=4000");
	double held, few, transfers;

	(void)state;
	study_settle(study, NULL);
	held = study_results(study)->stages[0].memory.activations;
	must_run(study, "set batch=12000");
	study_settle(study, NULL);
	assert_true(near(study_results(study)->stages[0].memory.activations, 3 * held, 1e-9));
	must_run(study, "set schedule=1f1b bandwidth=20MB/s batch=4000");
	study_settle(study, NULL);
	few = study_results(study)->run.seconds;
	transfers = study_results(study)->run.transfers / few;
	must_run(study, "set batch=8000");
	study_settle(study, NULL);
	assert_null(study_results(study)->pipeline);
	assert_true(near(study_results(study)->run.seconds, 2 * few, 0.01) && near(study_results(study)->run.transfers / study_results(study)->run.seconds, transfers, 0.03));
	study_free(study);
}

/* What would make it fit is evaluated as the run itself is. */
static void choices_are_runs(void **state)
{
	struct study *study = study_with("load bert-large", "set accelerator=wham-base accelerators=1 pipeline=2 batch=64 microbatch=4 schedule=gpipe optimizer=adam");
	const struct run_choices *c;
	struct diagnostic d;

	(void)state;
	study_settle(study, NULL);
	assert_int_equal(study_fits(study_results(study), &d), STATUS_INFEASIBLE);
	c = study_run_choices(study);
	assert_true(c->remedy_count > 1);
	for (int i = 0; i < c->remedy_count; i++) {
		struct document next;
		double values[PARAMETER_COUNT];

		memcpy(values, study_document(study)->values, sizeof values);
		document_copy(&next, study_document(study));
		run_plan_apply(&c->remedies[i].plan, next.values);
		assert_int_equal(study_edit(study, &next, "remedy", &d), STATUS_OK);
		study_settle(study, NULL);
		assert_int_equal(study_fits(study_results(study), &d), STATUS_OK);
		study_undo(study);
		study_settle(study, NULL);
		c = study_run_choices(study);
	}
	study_free(study);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measured_layers_are_played_as_by_hand),
		cmocka_unit_test(any_run_adds_up),
		cmocka_unit_test(what_is_not_played_is_added_up),
		cmocka_unit_test(tensor_levels_are_never_dp),
		cmocka_unit_test(a_stage_may_be_of_its_own),
		cmocka_unit_test(cores_of_stages_are_cores_of_all),
		cmocka_unit_test(memory_and_transfers_are_as_by_hand),
		cmocka_unit_test(long_steps_are_no_other_than_short_ones),
		cmocka_unit_test(choices_are_runs),
	};

	return cmocka_run_group_tests(tests, write_measured, remove_measured);
}
