/* Training runs: measured ones within what is promised of each source, sums and orders that must hold, and transformers found in graphs. */
#include "pipeline/run_search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/load.h"
#include "report/reproduce.h"
#include "study/parameters.h"
#include "hardware/accelerator.h"
#include "tests/unit/random_model.h"

static struct gpus gpus;
static struct clusters clusters;

/* The floors of golden/measured.csv's groups, relative; memory of those that give it; and what has been reached, so that a change of it is seen. */
static const struct { const char *source; double most; size_t rows; double mean; } promises[] = {
	{ "table5", 0.03, 8, 0.0146 }, { "sc21-table1", 0.06, 10, 0.0427 }, { "seqsel-530b-dp8", 0.03, 2, 0.0071 }, { "megascale-175b", 0.05, 8, 0.0190 }, { "zerobubble-table4", 0.10, 12, 0.0505 },
	{ "bloom-tuning", 0.15, 20, 0.0251 }, { "dgxc-gpt3-175b", 0.06, 10, 0.0043 }, { "zerobubble-table4 memory", 0.08, 12, 0.0285 }, { "bloom-tuning memory", 0.08, 15, 0.0447 },
};

static const struct transformer gpt = { .blocks = 24, .hidden = 2048, .heads = 16, .kv_heads = 16, .head_size = 128, .ffn = 8192, .experts = 1, .active = 1, .vocabulary = 51200, .embedding_params = 51200.0 * 2048, .head = true,
	.tied = true, .sequence = 1024 };

static const struct run_plan plain = { .tensor = 1, .pipeline = 1, .replicas = 1, .chunks = 1, .batch = 64, .microbatch = 1, .format = FORMAT_BF16, .exchanged_bytes = 4, .gradient_bytes = 4,
	.state_bytes = 12, .schedule = PIPELINE_1F1B };

static void measured_runs_are_met(void **state)
{
	struct reproduction r;
	struct diagnostic d;

	(void)state;
	if (reproduce_megatron(&r, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
		double sum[2] = { 0, 0 };
		size_t rows[2] = { 0, 0 };

		for (size_t k = 0; k < r.count; k++)
			if (strcmp(r.rows[k].source, promises[i].source) == 0 && !r.rows[k].aside) {
				rows[r.rows[k].kept_out]++;
				sum[r.rows[k].kept_out] += fabs(r.rows[k].error);
			}
		assert_int_equal(rows[0] + rows[1], promises[i].rows);
		assert_true(sum[0] + sum[1] <= promises[i].most * (double)promises[i].rows);
		if (fabs((sum[0] + sum[1]) / (double)promises[i].rows - promises[i].mean) > 0.0002)
			fail_msg("%s: mean error %.4f, was %.4f", promises[i].source, (sum[0] + sum[1]) / (double)promises[i].rows, promises[i].mean);
		/* what was not calibrated on must be met as well */
		assert_true(sum[1] <= promises[i].most * (double)rows[1]);
	}
	reproduction_free(&r);
}

/* data/clusters.csv and the choices of the parameter are the same, each of a GPU that is known, which is the accelerator of that name. */
static void tables_agree(void **state)
{
	const struct parameter *p = parameter_at(PARAMETER_CLUSTER);
	struct accelerators accelerators;
	struct diagnostic d;

	(void)state;
	assert_int_equal(p->maximum, clusters.count);
	for (size_t i = 0; i < clusters.count; i++) {
		assert_non_null(cluster_find(&clusters, p->choices[i + 1]));
		assert_non_null(gpu_find(&gpus, clusters.items[i].gpu));
		assert_true((clusters.items[i].calibrated[0] != '\0') <= (gpu_find(&gpus, clusters.items[i].gpu)->calibrated[0] != '\0'));
	}
	assert_int_equal(accelerators_builtin(&accelerators, NULL, &d), STATUS_OK);
	for (size_t i = 0; i < gpus.count; i++) {
		const struct gpu *g = &gpus.items[i];
		const struct accelerator *a = accelerator_find(&accelerators, g->name, &d);

		assert_non_null(a);
		assert_true(a->peak_ops == g->peak && a->machine.hbm == g->memory && a->machine.hbm_bw == g->bandwidth);
	}
	accelerators_free(&accelerators);
}

/* All stages' weights are the model's, norms at the end aside. */
static void stages_hold_the_weights(void **state)
{
	static const char *const models[] = { "gpt2-xl", "gpt3-175b", "bert-large" };
	const struct cluster *selene = cluster_find(&clusters, "selene");

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct run_plan p = plain;
		struct transformer t;
		struct model *m;
		struct diagnostic d;
		double weights = 0;

		assert_int_equal(model_load(models[i], &m, NULL, &d), STATUS_OK);
		assert_int_equal(transformer_of(m, &t, &d), STATUS_OK);
		p.pipeline = 4;
		for (int stage = 0; stage < 4; stage++)
			weights += run_stage_memory(&t, &p, selene, stage).weights / 2;
		/* a tied head on the last stage has a copy */
		weights -= t.tied && t.head ? t.vocabulary * t.hidden : 0;
		/* an encoder's pooler is of no stage */
		weights += t.head ? 0 : t.hidden * t.hidden;
		if (fabs(weights / t.params - 1) > 0.001)
			fail_msg("%s: %.0f of %.0f", models[i], weights, t.params);
		model_free(m);
	}
}

/* The closed form of what is held, and of the bubble of even stages without transfers, against the schedule as it plays. */
static void closed_forms_are_those_of_the_played(void **state)
{
	struct cluster near = *cluster_find(&clusters, "selene");
	const struct gpu *a100 = gpu_find(&gpus, "a100");
	struct transformer t = gpt;

	(void)state;
	t.vocabulary = t.embedding_params = 0;
	t.head = false;
	near.inside_s = near.transfer_s = near.straggling = near.context = 0;
	near.inside = near.between = 1e18;
	near.fragments = 1;
	for (int schedule = 0; schedule < PIPELINE_SCHEDULE_COUNT; schedule++) {
		struct run_plan p = plain;
		struct run run;
		struct virtual_stage *stages;
		struct pipeline pipeline = { .schedule = (enum pipeline_schedule)schedule, .stages = 4, .microbatches = 32 };
		struct pipeline_step step;
		double one;

		p.pipeline = 4;
		p.batch = 32;
		p.schedule = (enum pipeline_schedule)schedule;
		p.chunks = pipeline.chunks = schedule == PIPELINE_INTERLEAVED ? 3 : 1;
		run_evaluate(&t, &p, a100, &near, &run);
		stages = memory_alloc((size_t)(4 * pipeline.chunks), sizeof *stages);
		for (int k = 0; k < 4 * pipeline.chunks; k++) {
			struct run_stage s = run_stage_times(&t, &p, a100, &near, k % 4);

			stages[k] = (struct virtual_stage){ { s.forward / p.chunks, (s.backward - s.weight) / p.chunks, s.weight / p.chunks }, 0, 0 };
		}
		pipeline.virtual_stages = stages;
		assert_int_equal(pipeline_play(&pipeline, &step, NULL), STATUS_OK);
		if (fabs(step.bubble.all - run.bubble) > 1e-6 * run.seconds)
			fail_msg("%s: bubble %g, played %g", pipeline_schedule_name(p.schedule), run.bubble, step.bubble.all);
		/* what one microbatch keeps: of gpipe's 32 on the last stage, which has no hidden tensor more */
		p.schedule = PIPELINE_GPIPE;
		p.chunks = 1;
		one = run_stage_memory(&t, &p, &near, 3).activations / 32;
		p.schedule = (enum pipeline_schedule)schedule;
		p.chunks = pipeline.chunks;
		for (int stage = 1; stage < 4; stage++)
			if (fabs(run_stage_memory(&t, &p, &near, stage).activations / one - step.devices[stage].held / p.chunks) > 1e-9)
				fail_msg("%s, stage %d: holds %g, played %g", pipeline_schedule_name(p.schedule), stage, run_stage_memory(&t, &p, &near, stage).activations / one, step.devices[stage].held / p.chunks);
		pipeline_step_free(&step);
		memory_free(stages);
	}
}

/* The best of all plans is no slower than any that a plain loop finds. */
static void search_finds_the_best(void **state)
{
	const struct cluster *selene = cluster_find(&clusters, "selene");
	const struct gpu *a100 = gpu_find(&gpus, "a100");
	struct run_plan base = plain;
	struct run_search found;
	struct diagnostic d;
	double best = INFINITY, tried = 0;

	(void)state;
	base.batch = 32;
	assert_int_equal(run_search(&gpt, &base, 8, a100, selene, NULL, &found, &d), STATUS_OK);
	for (double tensor = 1; tensor <= 8; tensor++)
		for (double pipeline = 1; pipeline <= 8; pipeline++)
			for (double replicas = 1; replicas <= 8; replicas++)
				for (double microbatch = 1; microbatch <= 32; microbatch++)
					for (double chunks = 1; chunks <= 24; chunks++)
						for (int more = 0; more < 2 * RECOMPUTE_COUNT; more++) {
							struct run_plan p = base;
							struct run run;

							if (tensor * pipeline * replicas != 8 || (more % 2 > 0 && tensor == 1) || fmod(24, pipeline * chunks) != 0)
								continue;
							p.tensor = tensor;
							p.pipeline = pipeline;
							p.replicas = replicas;
							p.microbatch = microbatch;
							p.chunks = chunks;
							p.schedule = chunks > 1 ? PIPELINE_INTERLEAVED : PIPELINE_1F1B;
							p.sequence_parallel = more % 2;
							p.recompute = (enum recompute)(more / 2);
							if (run_plan_check(&gpt, &p, a100, NULL) != STATUS_OK)
								continue;
							run_evaluate(&gpt, &p, a100, selene, &run);
							tried++;
							if (run.memory.total <= a100->memory)
								best = fmin(best, run.seconds);
						}
	assert_true(tried > 100 && found.best[0].run.seconds == best);
}

static void parts_sum_to_the_whole(void **state)
{
	struct random r = { 5 };

	(void)state;
	for (int round = 0; round < 3000; round++) {
		const struct cluster *cluster = &clusters.items[random_below(&r, (int)clusters.count)];
		const struct gpu *gpu = gpu_find(&gpus, cluster->gpu);
		struct run_plan p = plain;
		struct run run;
		double sum, memory, blocks = 0;

		p.tensor = exp2((double)random_below(&r, 5));
		p.pipeline = exp2((double)random_below(&r, 4));
		p.replicas = exp2((double)random_below(&r, 4));
		p.chunks = p.pipeline > 1 ? 1 + (double)random_below(&r, 3) : 1;
		p.schedule = p.chunks > 1 ? PIPELINE_INTERLEAVED : random_below(&r, 2) ? PIPELINE_GPIPE : random_below(&r, 2) ? PIPELINE_ZB_H1 : PIPELINE_1F1B;
		p.batch = p.replicas * 64;
		p.microbatch = exp2((double)random_below(&r, 3));
		p.zero = (int)random_below(&r, 4);
		p.sequence_parallel = random_below(&r, 2);
		p.recompute = (enum recompute)random_below(&r, RECOMPUTE_COUNT);
		p.fused_attention = random_below(&r, 2);
		p.overlap = random_below(&r, 2);
		p.format = random_below(&r, 2) ? FORMAT_BF16 : FORMAT_FP32;
		if (run_plan_check(&gpt, &p, gpu, NULL) != STATUS_OK)
			continue;
		run_evaluate(&gpt, &p, gpu, cluster, &run);
		sum = run.forward + run.backward + run.recompute + run.collectives + run.transfers + run.bubble + run.gradients + run.update + run.straggling;
		memory = run.memory.weights + run.memory.gradients + run.memory.states + run.memory.activations + run.memory.buffers + run.memory.context;
		for (int stage = 0; stage < (int)p.pipeline; stage++) {
			blocks += run_blocks(&gpt, &p, stage);
			assert_true(run_stage_memory(&gpt, &p, cluster, stage).total <= run.memory.total * (1 + 1e-12));
		}
		assert_true(blocks == gpt.blocks);
		assert_true(isfinite(run.seconds) && fabs(sum / run.seconds - 1) < 1e-12 && fabs(memory / run.memory.total - 1) < 1e-12);
		assert_true(run.bubble >= -1e-12 && run.gradients >= 0 && (p.tensor > 1) == (run.collectives > 0) && (p.pipeline > 1) == (run.transfers > 0));
	}
}

/* What costs or saves memory or time in every textbook does so here. */
static void orders_hold(void **state)
{
	const struct cluster *selene = cluster_find(&clusters, "selene");
	const struct gpu *a100 = gpu_find(&gpus, "a100");
	struct run_plan p = plain;
	struct run none, selective, full, split, fused;

	(void)state;
	p.tensor = 4;
	p.replicas = 8;
	p.batch = 512;
	run_evaluate(&gpt, &p, a100, selene, &none);
	p.recompute = RECOMPUTE_SELECTIVE;
	run_evaluate(&gpt, &p, a100, selene, &selective);
	p.recompute = RECOMPUTE_FULL;
	run_evaluate(&gpt, &p, a100, selene, &full);
	assert_true(none.seconds < selective.seconds && selective.seconds < full.seconds);
	assert_true(none.memory.total > selective.memory.total && selective.memory.total > full.memory.total);
	p.zero = 1;
	run_evaluate(&gpt, &p, a100, selene, &split);
	assert_true(split.memory.states * 8 == full.memory.states && split.memory.total < full.memory.total);
	for (p.zero = 2; p.zero < 4; p.zero++) {
		struct run before = split;

		run_evaluate(&gpt, &p, a100, selene, &split);
		assert_true(split.memory.total < before.memory.total && split.gradients > before.gradients);
	}
	p.zero = 1;
	p.recompute = RECOMPUTE_NONE;
	p.fused_attention = true;
	run_evaluate(&gpt, &p, a100, selene, &fused);
	assert_true(fused.seconds < none.seconds && fused.memory.total < none.memory.total);
	/* 6 operations for each parameter and position, and those of the scores */
	assert_true(fabs(none.flops / (6.0 * 512 * 1024 * (24 * 12.0 * 2048 * 2048 + 51200 * 2048) + 12.0 * 512 * 24 * 2048 * 1024 * 1024) - 1) < 1e-12);
}

static void plans_that_do_not_go_together_are_refused(void **state)
{
	static const struct { double tensor, pipeline, replicas, chunks, batch, microbatch; enum number_format format; const char *phrase; } cases[] = {
		{ 3, 1, 1, 1, 64, 1, FORMAT_BF16, "does not divide the 16 heads; 2 does" }, { 1, 1, 3, 1, 64, 1, FORMAT_BF16, "3 does not divide the 64 samples of a batch; 2 does" },
		{ 1, 1, 2, 1, 64, 64, FORMAT_BF16, "64 does not divide the 32 samples of a replica; 32 does" }, { 1, 32, 1, 1, 64, 1, FORMAT_BF16, "there are 24; at most pipeline=24" },
		{ 1, 1, 1, 2, 64, 1, FORMAT_BF16, "nothing to interleave" }, { 1, 3, 1, 2, 64, 1, FORMAT_BF16, "64 microbatches are no multiple of the 3 stages" },
		{ 1, 1, 1, 1, 64, 1, FORMAT_FP8, "no products in 8 bits are known" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run_plan p = plain;
		struct diagnostic d;

		p.tensor = cases[i].tensor;
		p.pipeline = cases[i].pipeline;
		p.replicas = cases[i].replicas;
		p.chunks = cases[i].chunks;
		p.schedule = p.chunks > 1 ? PIPELINE_INTERLEAVED : PIPELINE_1F1B;
		p.batch = cases[i].batch;
		p.microbatch = cases[i].microbatch;
		p.format = cases[i].format;
		assert_int_equal(run_plan_check(&gpt, &p, gpu_find(&gpus, "a100"), &d), STATUS_INPUT);
		if (strstr(d.text, cases[i].phrase) == NULL)
			fail_msg("\"%s\" does not say \"%s\"", d.text, cases[i].phrase);
	}
}

static void transformers_are_found_in_graphs(void **state)
{
	static const struct { const char *model; double blocks, hidden, heads, kv_heads, ffn, vocabulary; bool gated, head, tied; } cases[] = {
		{ "gpt2-xl", 48, 1600, 25, 25, 6400, 50257, false, true, true }, { "gpt3-175b", 96, 12288, 96, 96, 49152, 50257, false, true, true },
		{ "opt-1.3b", 24, 2048, 32, 32, 8192, 50272, false, true, true },
		{ "bert-base", 12, 768, 12, 12, 3072, 30522, false, false, false },
		{ "{\"model_type\":\"llama\",\"hidden_size\":4096,\"num_hidden_layers\":32,\"num_attention_heads\":32,\"num_key_value_heads\":8,\"intermediate_size\":14336,\"vocab_size\":128256,"
			"\"max_position_embeddings\":8192}", 32, 4096, 32, 8, 14336, 128256, true, true, false },
		{ "{\"model_type\":\"mixtral\",\"hidden_size\":4096,\"num_hidden_layers\":32,\"num_attention_heads\":32,\"num_key_value_heads\":8,\"intermediate_size\":14336,\"vocab_size\":32000,"
			"\"max_position_embeddings\":4096}", 32, 4096, 32, 8, 14336, 32000, true, true, false },
	};
	static const char *const others[] = { "vgg-a", "resnet50" };
	struct diagnostic d;
	struct model *m;
	struct transformer t;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = cases[i].model;
		enum status status = text[0] == '{' ? model_load_bytes("config.json", text, strlen(text), &m, NULL, &d) : model_load(text, &m, NULL, &d);

		if (status != STATUS_OK || transformer_of(m, &t, &d) != STATUS_OK)
			fail_msg("%s: %s", text, d.text);
		assert_true(t.blocks == cases[i].blocks && t.hidden == cases[i].hidden && t.heads == cases[i].heads && t.kv_heads == cases[i].kv_heads && t.ffn == cases[i].ffn);
		assert_true(t.vocabulary == cases[i].vocabulary && t.gated == cases[i].gated && t.head == cases[i].head && t.tied == cases[i].tied);
		assert_true(t.experts == (strstr(text, "mixtral") != NULL ? 8 : 1) && t.params == (double)m->params);
		model_free(m);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		assert_int_equal(model_load(others[i], &m, NULL, &d), STATUS_OK);
		assert_int_equal(transformer_of(m, &t, &d), STATUS_INPUT);
		assert_non_null(strstr(d.text, "no transformer"));
		model_free(m);
	}
}

static int read_tables(void **state)
{
	(void)state;
	return gpus_builtin(&gpus, NULL) != STATUS_OK || clusters_builtin(&clusters, NULL) != STATUS_OK;
}

static int free_tables(void **state)
{
	(void)state;
	gpus_free(&gpus);
	clusters_free(&clusters);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measured_runs_are_met),
		cmocka_unit_test(tables_agree),
		cmocka_unit_test(stages_hold_the_weights),
		cmocka_unit_test(closed_forms_are_those_of_the_played),
		cmocka_unit_test(search_finds_the_best),
		cmocka_unit_test(parts_sum_to_the_whole),
		cmocka_unit_test(orders_hold),
		cmocka_unit_test(plans_that_do_not_go_together_are_refused),
		cmocka_unit_test(transformers_are_found_in_graphs),
	};

	return cmocka_run_group_tests(tests, read_tables, free_tables);
}
