/* How long training runs take to evaluate, to plan and to play. */
#include "tests/bench/run.h"

#include "pipeline/run_search.h"
#include "tests/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>

/* GPT-3 175B and Megatron's 22B. */
static const struct transformer gpt175 = { .blocks = 96, .hidden = 12288, .heads = 96, .kv_heads = 96, .head_size = 128, .ffn = 49152, .experts = 1, .active = 1, .vocabulary = 51200, .embedding_params = 51200.0 * 12288, .head = true,
	.tied = true, .sequence = 2048 };
static const struct transformer gpt22 = { .blocks = 48, .hidden = 6144, .heads = 64, .kv_heads = 64, .head_size = 96, .ffn = 24576, .experts = 1, .active = 1, .vocabulary = 51200, .embedding_params = 51200.0 * 6144, .head = true,
	.tied = true, .sequence = 2048 };

static const struct run_plan plan = { .tensor = 8, .pipeline = 8, .replicas = 8, .chunks = 3, .schedule = PIPELINE_INTERLEAVED, .batch = 512, .microbatch = 1, .zero = 1, .sequence_parallel = true,
	.recompute = RECOMPUTE_SELECTIVE, .format = FORMAT_BF16, .exchanged_bytes = 4, .gradient_bytes = 4, .state_bytes = 12 };

static void bench_point(const struct gpu *gpu, const struct cluster *cluster)
{
	enum { RUNS = 200, EACH = 1000 };
	static double seconds[RUNS];
	double sum = 0;

	for (int i = 0; i < RUNS; i++) {
		struct run_plan p = plan;
		struct run run;
		double start = seconds_now();

		for (int k = 0; k < EACH; k++) {
			p.microbatch = 1 + k % 4;
			run_evaluate(&gpt175, &p, gpu, cluster, &run);
			sum += run.seconds;
		}
		seconds[i] = (seconds_now() - start) / EACH;
	}
	print_times(sum > 0 ? "one design point of a run, GPT-3 on 512 GPUs" : "no run", seconds, RUNS, 20e-6);
}

static void bench_plans(const struct transformer *t, double gpus, double batch, const struct gpu *gpu, const struct cluster *cluster, const char *what)
{
	enum { RUNS = 50 };
	static double seconds[RUNS];
	static struct run_search search;
	struct run_plan base = plan;
	struct diagnostic d;
	char text[128];

	base.batch = batch;
	for (int i = 0; i < RUNS; i++) {
		double start = seconds_now();

		if (run_search(t, &base, gpus, gpu, cluster, NULL, &search, &d) != STATUS_OK) {
			fprintf(stderr, "bench: %s\n", d.text);
			exit(1);
		}
		seconds[i] = seconds_now() - start;
	}
	snprintf(text, sizeof text, "all plans of %s (%.0f evaluated)", what, search.evaluated);
	print_times(text, seconds, RUNS, 2);
}

static void bench_play(enum pipeline_schedule schedule)
{
	enum { RUNS = 30, STAGES = 64, MICROBATCHES = 512 };
	static double seconds[RUNS];
	static struct virtual_stage stages[2 * STAGES];
	struct pipeline pipeline = { .schedule = schedule, .stages = STAGES, .chunks = schedule == PIPELINE_INTERLEAVED ? 2 : 1, .microbatches = MICROBATCHES, .virtual_stages = stages };
	struct diagnostic d;
	char text[128];

	for (int i = 0; i < 2 * STAGES; i++)
		stages[i] = (struct virtual_stage){ { 1 + 0.01 * (i % 7), 1.1 + 0.01 * (i % 5), 0.9 }, 0.01, 0.01 };
	for (int i = 0; i < RUNS; i++) {
		struct pipeline_step step;
		double start = seconds_now();

		if (pipeline_play(&pipeline, &step, &d) != STATUS_OK) {
			fprintf(stderr, "bench: %s\n", d.text);
			exit(1);
		}
		seconds[i] = seconds_now() - start;
		pipeline_step_free(&step);
	}
	snprintf(text, sizeof text, "%s of 64 stages, 512 microbatches, played and told apart", pipeline_schedule_name(schedule));
	print_times(text, seconds, RUNS, 5e-3);
}

void bench_runs(void)
{
	struct gpus gpus;
	struct clusters clusters;
	const struct cluster *selene;
	const struct gpu *a100;

	if (gpus_builtin(&gpus, NULL) != STATUS_OK || clusters_builtin(&clusters, NULL) != STATUS_OK)
		exit(1);
	selene = cluster_find(&clusters, "selene");
	a100 = gpu_find(&gpus, "a100");
	bench_point(a100, selene);
	bench_plans(&gpt22, 64, 128, a100, selene, "22B on 64 GPUs");
	bench_plans(&gpt175, 512, 512, a100, selene, "175B on 512 GPUs");
	for (int schedule = 0; schedule < PIPELINE_SCHEDULE_COUNT; schedule++)
		bench_play((enum pipeline_schedule)schedule);
	gpus_free(&gpus);
	clusters_free(&clusters);
}
