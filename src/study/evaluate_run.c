/* The stage of runs: the model's training on a cluster of GPUs, as the document plans it. */
#include "study/study.h"

#include "base/memory.h"
#include "study/inside.h"
#include "study/preset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a weight that the optimizer keeps: its moments in fp32, and beside 16 bits the weight itself. */
static double state_bytes(const double *v)
{
	static const double moments[] = { [OPTIMIZER_SGD] = 0, [OPTIMIZER_MOMENTUM] = 4, [OPTIMIZER_ADAM] = 8 };

	return moments[(int)v[PARAMETER_OPTIMIZER]] + (format_at((enum number_format)(int)v[PARAMETER_PRECISION])->bytes < 4 ? 4 : 0);
}

/* All of a replica, or the largest power of two that divides it and leaves four microbatches for each stage. */
static double auto_microbatch(const double *v)
{
	double share = v[PARAMETER_BATCH] / v[PARAMETER_REPLICAS], most = share / (4 * v[PARAMETER_PIPELINE]), samples = 1;

	if (v[PARAMETER_PIPELINE] == 1)
		return fmax(1, share);
	while (2 * samples <= most && fmod(share, 2 * samples) == 0)
		samples *= 2;
	return samples;
}

struct run_plan study_run_plan(const double *v)
{
	enum number_format format = (enum number_format)(int)v[PARAMETER_PRECISION];
	/* bf16 has 8 bits of mantissa, too few to sum gradients in: Megatron-LM keeps their sums in fp32, those of fp16 in fp16 */
	double gradient = v[PARAMETER_GRADIENT_BYTES] > 0 ? v[PARAMETER_GRADIENT_BYTES] : format == FORMAT_FP16 ? 2 : 4;

	return (struct run_plan){ .tensor = v[PARAMETER_TENSOR], .pipeline = v[PARAMETER_PIPELINE], .replicas = v[PARAMETER_REPLICAS], .schedule = (enum pipeline_schedule)(int)v[PARAMETER_SCHEDULE],
		.chunks = v[PARAMETER_SCHEDULE] == PIPELINE_INTERLEAVED ? v[PARAMETER_CHUNKS] : 1, .batch = v[PARAMETER_BATCH],
		.microbatch = v[PARAMETER_MICROBATCH] > 0 ? v[PARAMETER_MICROBATCH] : auto_microbatch(v), .zero = (int)v[PARAMETER_ZERO],
		.sequence_parallel = v[PARAMETER_SEQ_PARALLEL] == SEQ_PARALLEL_ON && v[PARAMETER_TENSOR] > 1, .recompute = (enum recompute)(int)v[PARAMETER_RECOMPUTE],
		.fused_attention = v[PARAMETER_ATTENTION] == ATTENTION_FUSED, .overlap = v[PARAMETER_OVERLAP] != OVERLAP_NONE, .format = format, .exchanged_bytes = gradient,
		.gradient_bytes = gradient, .state_bytes = v[PARAMETER_STATE_BYTES] > 0 ? v[PARAMETER_STATE_BYTES] : state_bytes(v) };
}

/* The named cluster, or the first of that GPU. */
static const struct cluster *find_cluster(const struct study *study, const char *gpu, struct diagnostic *d)
{
	int chosen = (int)study->document.values[PARAMETER_CLUSTER];
	const char *name = parameter_at(PARAMETER_CLUSTER)->choices[chosen];
	const struct cluster *c = NULL;

	if (chosen != CLUSTER_AUTO)
		c = cluster_find(&study->clusters, name);
	for (size_t i = 0; chosen == CLUSTER_AUTO && c == NULL && i < study->clusters.count; i++)
		if (strcmp(study->clusters.items[i].gpu, gpu) == 0)
			c = &study->clusters.items[i];
	if (c == NULL) {
		diagnostic_fail(d, STATUS_INPUT, "no cluster of %s is known; a100 and h100 have some", gpu);
	} else if (strcmp(c->gpu, gpu) != 0) {
		diagnostic_fail(d, STATUS_INPUT, "cluster=%s has GPUs of kind %s; set accelerator=%s or cluster=auto", c->name, c->gpu, c->gpu);
		c = NULL;
	}
	return c;
}

/* More slots than this take longer than a frame has. */
enum { SLOTS_SHOWN = 150000 };

/* Plays the schedule with the times of each stage. */
static void play(struct study *study)
{
	struct results *r = &study->results;
	const struct run_plan *p = &r->run_plan;
	int stages = (int)p->pipeline, chunks = (int)p->chunks, count = stages * chunks;
	struct pipeline pipeline = { .schedule = p->schedule, .stages = stages, .chunks = chunks, .microbatches = (int)run_microbatches(p) };
	struct virtual_stage *virtual_stages;

	if (stages < 2 || run_microbatches(p) > PIPELINE_MICROBATCHES_MAX || chunks > PIPELINE_CHUNKS_MAX || 3.0 * count * pipeline.microbatches > SLOTS_SHOWN)
		return;
	virtual_stages = memory_alloc((size_t)count, sizeof *virtual_stages);
	for (int k = 0; k < count; k++) {
		struct run_stage s = run_stage_times(&r->transformer, p, r->gpu, r->cluster, k % stages);

		virtual_stages[k] = (struct virtual_stage){ { s.forward / chunks, (s.backward - s.weight) / chunks, s.weight / chunks }, s.transfer, s.transfer };
	}
	pipeline.virtual_stages = virtual_stages;
	if (pipeline_play(&pipeline, &study->pipeline, NULL) == STATUS_OK)
		r->pipeline = &study->pipeline;
	memory_free(virtual_stages);
}

static enum status evaluate(struct study *study, struct diagnostic *d)
{
	struct results *r = &study->results;
	const double *v = study->document.values;
	const struct accelerator *preset = preset_find(&study->accelerators, study->document.own, v, d);

	if (study->loaded == NULL || preset == NULL)
		return STATUS_INPUT;
	if (preset->kind != ACCELERATOR_GPU)
		return diagnostic_fail(d, STATUS_INPUT, "a run takes place on a cluster of GPUs, and %s is none: set accelerator=a100 or h100", preset->name);
	if (v[PARAMETER_ACCELERATORS] > 1)
		return diagnostic_fail(d, STATUS_INPUT, "accelerators=%.0f are an array inside one stage; set accelerators=1, and tensor, pipeline and replicas as many GPUs as there are",
			v[PARAMETER_ACCELERATORS]);
	if (transformer_of(study->loaded->model, &r->transformer, d) != STATUS_OK) {
		r->transformer.blocks = 0;
		return STATUS_INPUT;
	}
	r->gpu = gpu_find(&study->gpus, preset->name);
	r->cluster = find_cluster(study, preset->name, d);
	if (r->gpu == NULL && r->cluster != NULL)
		return diagnostic_fail(d, STATUS_INPUT, "what a %s achieves is not known; of a100 and h100 it is", preset->name);
	if (r->cluster == NULL)
		return STATUS_INPUT;
	r->run_plan = study_run_plan(v);
	if (run_plan_check(&r->transformer, &r->run_plan, r->gpu, d) != STATUS_OK)
		return STATUS_INPUT;
	run_evaluate(&r->transformer, &r->run_plan, r->gpu, r->cluster, &r->run);
	return STATUS_OK;
}

void study_run_training(struct study *study)
{
	struct results *r = &study->results;
	struct diagnostic d = { .text = "" };

	r->transformer = (struct transformer){ .blocks = 0 };
	r->run = (struct run){ .seconds = NAN };
	r->gpu = NULL;
	r->cluster = NULL;
	r->run_trouble[0] = '\0';
	r->pipeline = NULL;
	pipeline_step_free(&study->pipeline);
	if (evaluate(study, &d) != STATUS_OK)
		snprintf(r->run_trouble, sizeof r->run_trouble, "%s", d.text[0] != '\0' ? d.text : "no model");
	else
		play(study);
}

void study_warn_run(const struct study *study, struct diagnostics *warnings)
{
	const struct results *r = &study->results;
	struct run_plan asked = study_run_plan(study->document.values);

	if (study->loaded != NULL && r->run_trouble[0] != '\0' && run_devices(&asked) > 1)
		diagnostics_warn(warnings, NULL, 0, 0, "tensor, pipeline and replicas change nothing: %.560s", r->run_trouble);
	if (r->run_trouble[0] == '\0' && r->run.memory.total > r->gpu->memory)
		diagnostics_warn(warnings, NULL, 0, 0, "stage %d takes %.1f GiB of memory, and one %s has %.0f", r->run.worst + 1, r->run.memory.total / 0x1p30, r->gpu->name, r->gpu->memory / 0x1p30);
}
