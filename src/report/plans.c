/* The plans of so many GPUs: the best, the plain ones beside it, and the flags that others' programs take. */
#include "report/report.h"

#include "report/run.h"
#include "study/planning.h"

#include <math.h>

static void plan_line(const char *name, const struct run_found *found, double best, struct text *out)
{
	const struct run_plan *p = &found->plan;
	char seconds[32];

	text_pad(out, name, 18);
	if (isnan(found->run.seconds)) {
		text_add(out, "  none fits\n");
		return;
	}
	units_print_seconds(found->run.seconds, seconds, sizeof seconds);
	text_printf(out, "%7.0f %9.0f %9.0f %7.0f %11.0f  %-10s %-4s", p->tensor, p->pipeline, p->replicas, p->chunks, p->microbatch, recompute_name(p->recompute), p->sequence_parallel ? "yes" : "");
	text_pad(out, seconds, -10);
	text_printf(out, " %8.1f", found->run.memory.total / 0x1p30);
	if (found->run.seconds > best)
		text_printf(out, "  +%.1f %%", 100 * (found->run.seconds / best - 1));
	text_add(out, "\n");
}

/* As Megatron-LM takes it. */
static void megatron_flags(const struct transformer *t, const struct run_plan *p, struct text *out)
{
	text_printf(out, "--tensor-model-parallel-size %.0f --pipeline-model-parallel-size %.0f", p->tensor, p->pipeline);
	if (p->chunks > 1)
		text_printf(out, " --num-layers-per-virtual-pipeline-stage %.0f", t->blocks / p->pipeline / p->chunks);
	text_printf(out, " --micro-batch-size %.0f --global-batch-size %.0f", p->microbatch, p->batch);
	if (p->sequence_parallel)
		text_add(out, " --sequence-parallel");
	if (p->recompute == RECOMPUTE_SELECTIVE)
		text_add(out, " --recompute-activations");
	if (p->recompute == RECOMPUTE_FULL)
		text_add(out, " --recompute-granularity full --recompute-method uniform --recompute-num-layers 1");
	if (p->zero == 1)        /* of more it has no flag */
		text_add(out, " --use-distributed-optimizer");
	if (p->overlap)
		text_add(out, " --overlap-grad-reduce");
	if (p->fused_attention)
		text_add(out, " --use-flash-attn");
	text_add(out, p->format == FORMAT_BF16 ? " --bf16" : p->format == FORMAT_FP16 ? " --fp16" : p->format == FORMAT_FP8 ? " --bf16 --fp8-format hybrid" : "");
}

/* DeepSpeed's configuration; how layers are dealt to stages and shared by tensor parallelism is said in its program. */
static void deepspeed_config(const struct run_plan *p, struct text *out)
{
	text_printf(out, "{\"train_batch_size\": %.0f, \"train_micro_batch_size_per_gpu\": %.0f, \"gradient_accumulation_steps\": %.0f, \"zero_optimization\": {\"stage\": %d}", p->batch, p->microbatch,
		run_microbatches(p), p->zero);
	if (p->format == FORMAT_BF16 || p->format == FORMAT_FP16)
		text_printf(out, ", \"%s\": {\"enabled\": true}", p->format == FORMAT_BF16 ? "bf16" : "fp16");
	text_add(out, "}");
}

static void write_text(const struct results *r, const struct run_search *s, double gpus, struct text *out)
{
	const struct run_found *best = &s->best[0];
	char seconds[32], name[32], command[256];

	units_print_seconds(best->run.seconds, seconds, sizeof seconds);
	text_printf(out, "%s on %.0f GPUs (%s) of %s, batch %.0f: the best of %.0f plans takes %s a step\n", r->model->name, gpus, r->gpu->name, r->cluster->name, best->plan.batch, s->evaluated, seconds);
	text_printf(out, "%.0f of them fit the memory of %.0f GiB\n\n", s->fitting, r->gpu->memory / 0x1p30);
	text_add(out, "plan               tensor  pipeline  replicas  chunks  microbatch  recompute  seq       time      GiB\n");
	for (int i = 0; i < s->best_count; i++) {
		snprintf(name, sizeof name, "%d", i + 1);
		plan_line(name, &s->best[i], best->run.seconds, out);
	}
	text_add(out, "\nplain plans, the best of each kind\n");
	for (int family = RUN_FAMILY_ALL + 1; family < RUN_FAMILY_COUNT; family++)
		plan_line(run_family_name((enum run_family)family), &s->family[family], best->run.seconds, out);
	planning_command(&best->plan, command, sizeof command);
	text_printf(out, "\n%s\n\nMegatron-LM: ", command);
	megatron_flags(&r->transformer, &best->plan, out);
	text_add(out, "\nDeepSpeed:   ");
	deepspeed_config(&best->plan, out);
	text_add(out, "\n");
}

static json_t *found_json(const struct run_found *found)
{
	const struct run_plan *p = &found->plan;
	struct run_part parts[RUN_PARTS];
	json_t *out = json_object();

	json_set_number(out, "tensor", p->tensor);
	json_set_number(out, "pipeline", p->pipeline);
	json_set_number(out, "replicas", p->replicas);
	json_set_number(out, "chunks", p->chunks);
	json_set_number(out, "microbatch", p->microbatch);
	json_set_text(out, "recompute", recompute_name(p->recompute));
	json_object_set_new(out, "seq_parallel", json_boolean(p->sequence_parallel));
	json_set_number(out, "time_s", found->run.seconds);
	json_set_number(out, "memory", found->run.memory.total);
	run_parts(&found->run, parts);
	for (int i = 0; i < RUN_PARTS; i++)
		json_set_number(out, parts[i].key, parts[i].seconds);
	return out;
}

static void write_json(const struct results *r, const struct run_search *s, double gpus, struct text *out)
{
	json_t *root = json_begin(), *plans = json_array(), *plain = json_object();
	struct text flags = { 0 };

	json_set_text(root, "model", r->model->name);
	json_set_text(root, "gpu", r->gpu->name);
	json_set_text(root, "cluster", r->cluster->name);
	json_set_number(root, "gpus", gpus);
	json_set_number(root, "evaluated", s->evaluated);
	json_set_number(root, "fitting", s->fitting);
	for (int i = 0; i < s->best_count; i++)
		json_array_append_new(plans, found_json(&s->best[i]));
	json_object_set_new(root, "plans", plans);
	for (int family = RUN_FAMILY_ALL + 1; family < RUN_FAMILY_COUNT; family++)
		if (!isnan(s->family[family].run.seconds))
			json_object_set_new(plain, run_family_name((enum run_family)family), found_json(&s->family[family]));
	json_object_set_new(root, "plain", plain);
	megatron_flags(&r->transformer, &s->best[0].plan, &flags);
	json_set_text(root, "megatron", text_string(&flags));
	text_clear(&flags);
	deepspeed_config(&s->best[0].plan, &flags);
	json_set_text(root, "deepspeed", text_string(&flags));
	text_free(&flags);
	json_end(root, out);
}

enum status report_plans(struct study *study, const char *gpus, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct run_search search;
	double count;
	enum status status = planning_gpus(gpus, &count, d);

	if (status == STATUS_OK)
		status = planning_search(study, count, &search, d);
	if (status == STATUS_OK && form == REPORT_JSON)
		write_json(study_results(study), &search, count, out);
	else if (status == STATUS_OK)
		write_text(study_results(study), &search, count, out);
	return status;
}
