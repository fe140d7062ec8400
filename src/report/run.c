#include "report/run.h"

#include "pipeline/run_search.h"

#include <math.h>

void run_parts(const struct run *run, struct run_part out[RUN_PARTS])
{
	const struct run_part parts[RUN_PARTS] = {
		{ "forward", "forward_s", run->forward }, { "backward", "backward_s", run->backward }, { "computed again", "recompute_s", run->recompute },
		{ "tensor collectives", "collectives_s", run->collectives }, { "transfers", "transfers_s", run->transfers }, { "bubble", "bubble_s", run->bubble },
		{ "gradients", "gradients_s", run->gradients }, { "update", "update_s", run->update }, { "straggling", "straggling_s", run->straggling },
	};

	for (int i = 0; i < RUN_PARTS; i++)
		out[i] = parts[i];
}

void run_memory_parts(const struct run_memory *m, struct run_memory_part out[RUN_MEMORY_PARTS])
{
	const struct run_memory_part parts[RUN_MEMORY_PARTS] = {
		{ "weights", "weights", m->weights }, { "gradients", "gradients", m->gradients }, { "optimizer", "optimizer", m->states }, { "activations", "activations", m->activations },
		{ "buffers", "buffers", m->buffers }, { "context", "context", m->context },
	};

	for (int i = 0; i < RUN_MEMORY_PARTS; i++)
		out[i] = parts[i];
}

void run_schedules(const struct results *r, struct run_scheduled out[PIPELINE_SCHEDULE_COUNT])
{
	for (int i = 0; i < PIPELINE_SCHEDULE_COUNT; i++) {
		out[i] = (struct run_scheduled){ .name = pipeline_schedule_name((enum pipeline_schedule)i), .plan = run_with_schedule(&r->transformer, &r->run_plan, (enum pipeline_schedule)i),
			.run.seconds = NAN };
		if (run_plan_check(&r->transformer, &out[i].plan, r->gpu, NULL) == STATUS_OK)
			run_evaluate(&r->transformer, &out[i].plan, r->gpu, r->cluster, &out[i].run);
	}
}

static const char *seconds(double value, char out[32])
{
	units_print_seconds(value, out, 32);
	return out;
}

void run_sentence(const struct results *r, struct text *out)
{
	const struct run_plan *p = &r->run_plan;
	struct run_part parts[RUN_PARTS];
	char a[32];
	bool first = true;

	text_printf(out, "%.0f GPU%s (%s) of %s: tensor %.0f x replicas %.0f x pipeline %.0f; a step takes %s, %.1f %% of the peak", run_devices(p), run_devices(p) == 1 ? "" : "s", r->gpu->name, r->cluster->name,
		p->tensor, p->replicas, p->pipeline, seconds(r->run.seconds, a), 100 * run_utilisation(&r->run, &r->run_plan, r->gpu));
	run_parts(&r->run, parts);
	for (int i = 0; i < RUN_PARTS; i++)
		if (parts[i].seconds >= 0.0005 * r->run.seconds) {
			text_printf(out, "%s%s %.1f %%", first ? ": " : ", ", parts[i].name, 100 * parts[i].seconds / r->run.seconds);
			first = false;
		}
	text_add(out, ".");
}

static void memory_text(const struct results *r, struct text *out)
{
	const struct run_memory *m = &r->run.memory;
	struct run_memory_part parts[RUN_MEMORY_PARTS];

	text_printf(out, "memory of stage %d, the fullest: %.1f of %.0f GiB%s:", r->run.worst + 1, m->total / 0x1p30, r->gpu->memory / 0x1p30, m->total <= r->gpu->memory ? "" : ", which does NOT fit");
	run_memory_parts(m, parts);
	for (int i = 0; i < RUN_MEMORY_PARTS; i++)
		text_printf(out, "%s %s %.1f", i > 0 ? "," : "", parts[i].name, parts[i].bytes / 0x1p30);
	text_add(out, "\n");
}

/* What would make it fit, each evaluated. */
static void remedies_text(const struct results *r, struct text *out)
{
	struct run_remedy remedies[REMEDIES_MAX];
	int count = run_remedies(&r->transformer, &r->run_plan, r->gpu, r->cluster, remedies);

	if (r->run.memory.total <= r->gpu->memory)
		return;
	text_add(out, count > 0 ? "it would fit with one of these:\n" : "no single change makes it fit; `whypar plan MODEL GPUS` looks at all of them\n");
	for (int i = 0; i < count; i++)
		text_printf(out, "  %-36s step %+.1f %%, %.1f GiB\n", remedies[i].what, 100 * remedies[i].slowdown, remedies[i].after.run.memory.total / 0x1p30);
}

static json_t *remedies_json(const struct results *r)
{
	struct run_remedy remedies[REMEDIES_MAX];
	int count = run_remedies(&r->transformer, &r->run_plan, r->gpu, r->cluster, remedies);
	json_t *list = json_array();

	for (int i = 0; i < count; i++) {
		json_t *entry = json_object();

		json_set_text(entry, "what", remedies[i].what);
		json_set_number(entry, "time_s", remedies[i].after.run.seconds);
		json_set_number(entry, "slowdown", remedies[i].slowdown);
		json_set_number(entry, "memory", remedies[i].after.run.memory.total);
		json_array_append_new(list, entry);
	}
	return list;
}

static void schedules_text(const struct results *r, struct text *out)
{
	struct run_scheduled s[PIPELINE_SCHEDULE_COUNT];
	char a[32];

	if (r->run_plan.pipeline < 2)
		return;
	run_schedules(r, s);
	text_add(out, "under each schedule:\n");
	for (int i = 0; i < PIPELINE_SCHEDULE_COUNT; i++) {
		text_printf(out, "  %-12s", s[i].name);
		if (isnan(s[i].run.seconds))
			text_add(out, "  does not go with these microbatches and blocks\n");
		else
			text_printf(out, "  step %9s, bubble %4.1f %%, %5.1f GiB, chunks %.0f%s\n", seconds(s[i].run.seconds, a), 100 * s[i].run.bubble / s[i].run.seconds, s[i].run.memory.total / 0x1p30,
				s[i].plan.chunks, s[i].plan.schedule == r->run_plan.schedule ? " (set)" : "");
	}
}

void run_text(const struct results *r, struct text *out)
{
	const struct run_plan *p = &r->run_plan;

	if (r->run_trouble[0] != '\0')
		return;
	text_add(out, "a training run: ");
	run_sentence(r, out);
	text_printf(out, "\nof %.0f microbatch%s of %.0f, %.0f blocks in %.0f stage%s", run_microbatches(p), run_microbatches(p) == 1 ? "" : "es", p->microbatch, r->transformer.blocks, p->pipeline,
		p->pipeline == 1 ? "" : "s");
	if (p->pipeline > 1)
		text_printf(out, ", the slowest is stage %d", r->run.slowest + 1);
	text_add(out, "\n");
	memory_text(r, out);
	schedules_text(r, out);
	remedies_text(r, out);
	text_add(out, "\n");
}

json_t *run_step_json(const struct results *r)
{
	const struct run *run = &r->run;
	json_t *step = json_object();

	json_set_number(step, "time_s", run->seconds);
	json_set_number(step, "compute_s", run->forward + run->backward + run->recompute);
	json_set_number(step, "comm_exposed_s", run->collectives + run->transfers + run->gradients);
	json_set_number(step, "bubble_s", run->bubble);
	json_set_number(step, "update_s", run->update);
	json_set_number(step, "straggling_s", run->straggling);
	return step;
}

static json_t *schedules_json(const struct results *r)
{
	struct run_scheduled s[PIPELINE_SCHEDULE_COUNT];
	json_t *list = json_array();

	run_schedules(r, s);
	for (int i = 0; i < PIPELINE_SCHEDULE_COUNT; i++) {
		json_t *entry = json_object();

		json_set_text(entry, "name", s[i].name);
		json_set_number(entry, "chunks", s[i].plan.chunks);
		json_set_number(entry, "time_s", s[i].run.seconds);
		if (!isnan(s[i].run.seconds)) {
			json_set_number(entry, "bubble_s", s[i].run.bubble);
			json_set_number(entry, "memory", s[i].run.memory.total);
		}
		json_array_append_new(list, entry);
	}
	return list;
}

static json_t *stage_json(const struct results *r, int stage)
{
	struct run_memory m = run_stage_memory(&r->transformer, &r->run_plan, r->cluster, stage);
	struct run_stage times = run_stage_times(&r->transformer, &r->run_plan, r->gpu, r->cluster, stage);
	struct run_memory_part parts[RUN_MEMORY_PARTS];
	json_t *out = json_object();

	json_set_number(out, "blocks", run_blocks(&r->transformer, &r->run_plan, stage));
	json_set_number(out, "forward_s", times.forward);
	json_set_number(out, "backward_s", times.backward);
	run_memory_parts(&m, parts);
	for (int i = 0; i < RUN_MEMORY_PARTS; i++)
		json_set_number(out, parts[i].key, parts[i].bytes);
	json_set_number(out, "total", m.total);
	json_set_number(out, "capacity", r->gpu->memory);
	json_object_set_new(out, "fits", json_boolean(m.total <= r->gpu->memory));
	return out;
}

void run_json(const struct results *r, json_t *root)
{
	const struct run_plan *p = &r->run_plan;
	json_t *run, *memory, *stages;
	struct run_part parts[RUN_PARTS];

	if (r->run_trouble[0] != '\0')
		return;
	run = json_object();
	memory = json_object();
	stages = json_array();
	json_set_text(run, "cluster", r->cluster->name);
	json_set_text(run, "gpu", r->gpu->name);
	json_set_number(run, "gpus", run_devices(p));
	json_set_number(run, "microbatches", run_microbatches(p));
	json_set_number(run, "microbatch", p->microbatch);
	json_set_number(run, "time_s", r->run.seconds);
	json_set_number(run, "utilisation", run_utilisation(&r->run, &r->run_plan, r->gpu));
	json_set_number(run, "tokens_per_s", p->batch * r->transformer.sequence / r->run.seconds);
	run_parts(&r->run, parts);
	for (int i = 0; i < RUN_PARTS; i++)
		json_set_number(run, parts[i].key, parts[i].seconds);
	json_object_set_new(run, "slowest_stage", json_integer(r->run.slowest + 1));
	if (p->pipeline > 1)
		json_object_set_new(run, "schedules", schedules_json(r));
	json_object_set_new(root, "run", run);
	json_object_set_new(memory, "worst_stage", json_integer(r->run.worst + 1));
	json_object_set_new(memory, "fits", json_boolean(r->run.memory.total <= r->gpu->memory));
	for (int stage = 0; stage < (int)p->pipeline; stage++)
		json_array_append_new(stages, stage_json(r, stage));
	json_object_set_new(memory, "stages", stages);
	if (r->run.memory.total > r->gpu->memory)
		json_object_set_new(memory, "remedies", remedies_json(r));
	json_object_set_new(root, "memory", memory);
}
