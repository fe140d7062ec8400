/* The stage of runs: the model's training on a cluster of GPUs, as the document plans it. */
#include "study/study.h"

#include "base/memory.h"
#include "pipeline/line.h"
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
		.sequence_parallel = v[PARAMETER_SEQ_PARALLEL] == SEQ_PARALLEL_ON, .recompute = (enum recompute)(int)v[PARAMETER_RECOMPUTE],
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
		diagnostic_fail(d, STATUS_INPUT, "no cluster of %s is known; set accelerator=a100 or h100", gpu);
	} else if (strcmp(c->gpu, gpu) != 0) {
		diagnostic_fail(d, STATUS_INPUT, "cluster=%s has GPUs of kind %s; set accelerator=%s or cluster=auto", c->name, c->gpu, c->gpu);
		c = NULL;
	}
	return c;
}

/* Plays the schedule with the times of each stage of a run on a cluster. */
static void play(struct study *study)
{
	struct results *r = &study->results;
	const struct run_plan *p = &r->run_plan;
	int stages = (int)p->pipeline, chunks = (int)p->chunks, count = stages * chunks;
	struct pipeline pipeline = { .schedule = p->schedule, .stages = stages, .chunks = chunks, .microbatches = (int)run_microbatches(p) };
	struct virtual_stage *virtual_stages;

	if (stages < 2 || run_microbatches(p) > PIPELINE_MICROBATCHES_MAX || chunks > PIPELINE_CHUNKS_MAX || 3.0 * count * pipeline.microbatches > PIPELINE_SLOTS_FRAME)
		return;
	virtual_stages = memory_alloc((size_t)count, sizeof *virtual_stages);
	for (int k = 0; k < count; k++) {
		struct run_stage s = r->stages[k % stages].times;

		virtual_stages[k] = (struct virtual_stage){ { s.forward / chunks, (s.backward - s.weight) / chunks, s.weight / chunks }, s.transfer, s.transfer };
	}
	pipeline.virtual_stages = virtual_stages;
	if (pipeline_play(&pipeline, &study->line.pipeline, NULL) == STATUS_OK)
		r->pipeline = &study->line.pipeline;
	memory_free(virtual_stages);
}

/* Whether the document and the model are those of a run on a cluster; d says why not. */
static enum status find_run(struct study *study, struct diagnostic *d)
{
	struct results *r = &study->results;
	const double *v = study->document.values;
	const struct accelerator *preset = preset_find(&study->accelerators, study->document.own, v, d);
	const struct gpu *gpu;

	if (study->loaded == NULL || preset == NULL)
		return STATUS_INPUT;
	gpu = gpu_find(&study->gpus, preset->name);
	if (gpu == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no cluster of %s is known: set accelerator=a100 or h100", preset->name);
	study->gpu = *gpu;
	study->gpu.memory = v[PARAMETER_HBM];
	r->gpu = &study->gpu;
	if (v[PARAMETER_ACCELERATORS] > 1)
		return diagnostic_fail(d, STATUS_INPUT, "accelerators=%.0f are an array inside one stage; on a cluster set accelerators=1, and tensor, pipeline and replicas as many GPUs as there are",
			v[PARAMETER_ACCELERATORS]);
	if (transformer_of(study->loaded->model, &r->transformer, d) != STATUS_OK) {
		r->transformer.blocks = 0;
		return STATUS_INPUT;
	}
	for (size_t i = 0; i < study->document.stage_count; i++)
		if (study->document.stages[i].accelerator >= 0 || study->document.stages[i].accelerators > 0 || study->document.stages[i].tensor > 0 ||
		    document_stage_has_cores(&study->document.stages[i]))
			return diagnostic_fail(d, STATUS_INPUT, "stage %d is of its own kind; on a cluster all GPUs are alike", study->document.stages[i].stage);
	r->cluster = find_cluster(study, preset->name, d);
	return r->cluster != NULL ? STATUS_OK : STATUS_INPUT;
}

/* Blocks of each stage where the document says with which some begin; the others are as even as that leaves them. */
static enum status deal_blocks(struct study *study, struct diagnostic *d)
{
	struct results *r = &study->results;
	struct run_plan *p = &r->run_plan;
	int stages = (int)p->pipeline, *dealt, *first, blocks = (int)r->transformer.blocks;
	double *one = arena_alloc(&study->line.arena, (size_t)blocks, sizeof *one);
	const double **seconds = arena_alloc(&study->line.arena, (size_t)stages, sizeof *seconds);
	int *starts = arena_alloc(&study->line.arena, (size_t)stages, sizeof *starts);
	struct line line = { .layers = blocks, .stages = stages, .chunks = 1, .seconds = seconds, .starts = starts };
	bool any = false;

	for (int stage = 0; stage < stages; stage++) {
		struct stage_rule rule = document_stage(&study->document, stage + 1);

		if (rule.starts >= r->training->model->count)
			return diagnostic_fail(d, STATUS_INPUT, "stage %d starts with row #%d, and %s has %d", stage + 1, rule.starts + 1, r->training->model->name, r->training->model->count);
		starts[stage] = rule.starts >= 0 ? transformer_block_of(r->training->model, rule.starts) : -1;
		seconds[stage] = one;
		any = any || starts[stage] >= 0;
	}
	if (!any)
		return STATUS_OK;
	if (p->chunks > 1)
		return diagnostic_fail(d, STATUS_INPUT, "stage: chunks of blocks are dealt evenly; take another schedule than interleaved, or let the stages start where they would");
	for (int block = 0; block < blocks; block++)
		one[block] = 1;
	first = arena_alloc(&study->line.arena, (size_t)stages + 1, sizeof *first);
	dealt = arena_alloc(&study->line.arena, (size_t)stages, sizeof *dealt);
	if (line_split(&line, first, d) != STATUS_OK)
		return STATUS_INPUT;
	for (int stage = 0; stage < stages; stage++)
		dealt[stage] = first[stage + 1] - first[stage];
	p->dealt = dealt;
	return STATUS_OK;
}

/* The figures of each stage, into the study's line. */
static void fill_stages(struct study *study)
{
	struct results *r = &study->results;
	const struct run_plan *p = &r->run_plan;
	struct line_run *line = &study->line;
	int block = 0;

	line->stage_count = (int)p->pipeline;
	line->stages = arena_alloc(&line->arena, (size_t)line->stage_count, sizeof *line->stages);
	for (int stage = 0; stage < line->stage_count; stage++) {
		double blocks = run_blocks(&r->transformer, p, stage);

		line->stages[stage] = (struct stage_figures){ .accelerator = r->gpu->name, .devices = p->tensor, .layers = blocks,
			.row = p->chunks > 1 ? -1 : transformer_block_row(r->training->model, block), .times = run_stage_times(&r->transformer, p, r->gpu, r->cluster, stage),
			.gradients = r->run.gradients, .update = r->run.update, .memory = run_stage_memory(&r->transformer, p, r->cluster, stage), .capacity = r->gpu->memory };
		block += (int)blocks;
	}
}

static enum status run_on_cluster(struct study *study, struct diagnostic *d)
{
	struct results *r = &study->results;
	const struct run_plan *p = &r->run_plan;

	if (run_plan_check(&r->transformer, p, r->gpu, d) != STATUS_OK || deal_blocks(study, d) != STATUS_OK)
		return STATUS_INPUT;
	run_evaluate(&r->transformer, p, r->gpu, r->cluster, &r->run);
	r->run_devices = run_devices(p);
	r->run_utilisation = run_utilisation(&r->run, p, r->gpu);
	fill_stages(study);
	return STATUS_OK;
}

/* Multiply-adds twice, forward and both of the backward pass, of the peak of all stages' devices. */
static void use_of_line(struct study *study)
{
	struct results *r = &study->results;
	double peak = 0;

	r->run.flops = 6 * (double)r->model->macs * r->run_plan.batch;
	r->run_devices = 0;
	for (int stage = 0; stage < r->stage_count; stage++) {
		double devices = r->stages[stage].devices * r->run_plan.replicas, one = r->stages[stage].peak;

		r->run_devices += devices;
		peak += devices * (r->second != NULL ? (one + machine_peak_ops(&study->second_machine)) / 2 : one);
	}
	r->run_utilisation = r->run.flops / r->run.seconds / peak;
}

void study_run_training(struct study *study)
{
	struct results *r = &study->results;
	struct diagnostic d = { .text = "" };
	enum status status;

	r->transformer = (struct transformer){ .blocks = 0 };
	r->run = (struct run){ .seconds = NAN };
	r->gpu = NULL;
	r->cluster = NULL;
	r->pipeline = NULL;
	r->run_devices = r->run_utilisation = NAN;
	study->run_choices_ready = r->run_plain = false;
	line_run_free(&study->line);
	r->run_plan = study_run_plan(study->document.values);
	r->on_cluster = find_run(study, &d) == STATUS_OK;
	if (!r->on_cluster) {
		r->gpu = NULL;
		r->cluster = NULL;
	}
	snprintf(r->cluster_trouble, sizeof r->cluster_trouble, "%s", d.text);
	d.text[0] = '\0';
	status = r->on_cluster ? run_on_cluster(study, &d) : line_run(study, &study->document, &study->line, &d);
	snprintf(r->run_trouble, sizeof r->run_trouble, "%s", status == STATUS_OK ? "" : d.text[0] != '\0' ? d.text : "no model");
	r->stages = study->line.stages;
	r->stage_count = study->line.stage_count;
	if (status != STATUS_OK)
		return;
	if (r->on_cluster) {
		play(study);
		return;
	}
	r->run = study->line.run;
	r->run_plain = study->line.plain;
	use_of_line(study);
	if (study->line.whole && r->stage_count > 1)
		r->pipeline = &study->line.pipeline;
}

/* The first stage that does not fit, or NULL. */
static const struct stage_figures *misfit(const struct results *r)
{
	for (int stage = 0; stage < r->stage_count; stage++)
		if (!stage_fits(&r->stages[stage]))
			return &r->stages[stage];
	return NULL;
}

enum status study_fits(const struct results *r, struct diagnostic *d)
{
	const struct stage_figures *worst = r->stage_count > 0 ? &r->stages[r->run.worst] : NULL;
	char taken[32], there[32];

	if (worst == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "there is no run to fit: %.600s", r->run_trouble);
	worst = stage_fits(worst) ? misfit(r) : worst;
	if (worst == NULL)
		return STATUS_OK;
	units_print_memory(worst->memory.total, taken, sizeof taken);
	units_print_memory(worst->capacity, there, sizeof there);
	return diagnostic_fail(d, STATUS_INFEASIBLE, "stage %d takes %s of memory, and one %s has %s", (int)(worst - r->stages) + 1, taken, worst->accelerator, there);
}

void study_warn_run(const struct study *study, struct diagnostics *warnings)
{
	const struct results *r = &study->results;
	const double *v = study->document.values;
	struct diagnostic d;

	if (study->loaded != NULL && r->run_trouble[0] != '\0' && r->step_trouble[0] == '\0' && r->plan_state == FRESH)
		diagnostics_warn(warnings, NULL, 0, 0, "there is no run: %.560s", r->run_trouble);
	if (study->loaded != NULL && v[PARAMETER_CLUSTER] != CLUSTER_AUTO && !r->on_cluster)
		diagnostics_warn(warnings, NULL, 0, 0, "cluster changes nothing: %.560s", r->cluster_trouble);
	for (size_t i = 0; i < study->document.stage_count; i++)
		if (study->document.stages[i].stage > v[PARAMETER_PIPELINE] * (study->document.stages[i].starts >= 0 ? r->run_plan.chunks : 1))
			diagnostics_warn(warnings, NULL, 0, 0, "what is set of stage %d waits for a longer pipeline: this one has %.0f%s", study->document.stages[i].stage, v[PARAMETER_PIPELINE],
				r->run_plan.chunks > 1 ? ", and starts of their chunks behind them" : "");
	if (r->on_cluster && (r->gpu->calibrated[0] == '\0' || r->cluster->calibrated[0] == '\0'))
		diagnostics_warn(warnings, NULL, 0, 0, "no measured run on %s was at hand: what is achieved of its peaks and links is taken from an A100's", r->cluster->name);
	if (r->run_trouble[0] == '\0' && r->stage_count > 0 && study_fits(r, &d) != STATUS_OK)
		diagnostics_warn(warnings, NULL, 0, 0, "%s", d.text);
}
