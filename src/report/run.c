#include "report/run.h"

#include "base/units.h"
#include "study/run_choices.h"

#include <math.h>

void run_parts(const struct run *run, struct run_part out[RUN_PARTS])
{
	const struct run_part parts[RUN_PARTS] = {
		{ "forward", "forward_s", run->forward }, { "backward", "backward_s", run->backward }, { "computed again", "recompute_s", run->recompute },
		{ "collectives", "collectives_s", run->collectives }, { "transfers", "transfers_s", run->transfers }, { "bubble", "bubble_s", run->bubble },
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

static const char *seconds(double value, char out[32])
{
	units_print_seconds(value, out, 32);
	return out;
}

static const char *plural(double count)
{
	return count == 1 ? "" : "s";
}

/* The devices, and where they are. */
static void place(const struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	const struct run_plan *p = &r->run_plan;
	double accelerators = study_document(study)->values[PARAMETER_ACCELERATORS];

	if (r->on_cluster)
		text_printf(out, "%.0f GPU%s (%s) of %s: ", r->run_devices, plural(r->run_devices), r->gpu->name, r->cluster->name);
	else
		text_printf(out, "%.0f accelerator%s (%s%s): ", r->run_devices, plural(r->run_devices), r->accelerator->name, study_document(study)->stage_count > 0 ? ", stages as set" : "");
	if (accelerators > 1)
		text_printf(out, "arrays of %.0f x ", accelerators);
	text_printf(out, "tensor %.0f x replicas %.0f x pipeline %.0f", p->tensor, p->replicas, p->pipeline);
}

void run_sentence(const struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	struct run_part parts[RUN_PARTS];
	char a[32];
	bool first = true;

	place(study, out);
	text_printf(out, "; a step takes %s, %.1f %% of the peak", seconds(r->run.seconds, a), 100 * r->run_utilisation);
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
	const struct stage_figures *worst = &r->stages[r->run.worst];
	struct run_memory_part parts[RUN_MEMORY_PARTS];
	char a[32], b[32];

	if (r->stage_count > 1)
		text_printf(out, "memory of stage %d, the fullest: ", r->run.worst + 1);
	else
		text_printf(out, "memory of one %s: ", worst->accelerator);
	units_print_memory(worst->memory.total, a, sizeof a);
	units_print_memory(worst->capacity, b, sizeof b);
	text_printf(out, "%s%s%s%s:", a, worst->capacity > 0 ? " of " : "", worst->capacity > 0 ? b : "", stage_fits(worst) ? "" : ", which does NOT fit");
	run_memory_parts(&worst->memory, parts);
	for (int i = 0, shown = 0; i < RUN_MEMORY_PARTS; i++) {
		if (parts[i].bytes <= 0)
			continue;
		units_print_memory(parts[i].bytes, a, sizeof a);
		text_printf(out, "%s %s %s", shown++ > 0 ? "," : "", parts[i].name, a);
	}
	text_add(out, "\n");
}

/* What would make it fit, each evaluated. */
static void remedies_text(struct study *study, struct text *out)
{
	const struct run_choices *c = study_run_choices(study);
	char a[32];

	if (study_fits(study_results(study), NULL) == STATUS_OK)
		return;
	text_add(out, c->remedy_count > 0 ? "it would fit with one of these:\n" : study_results(study)->on_cluster ? "no single change makes it fit; `whypar plan MODEL GPUS` looks at all of them\n" :
		"no single change makes it fit\n");
	for (int i = 0; i < c->remedy_count; i++) {
		units_print_memory(c->remedies[i].run.memory.total, a, sizeof a);
		text_printf(out, "  %-40s step %+.1f %%, %s\n", c->remedies[i].what, 100 * c->remedies[i].slowdown, a);
	}
}

static json_t *remedies_json(struct study *study)
{
	const struct run_choices *c = study_run_choices(study);
	json_t *list = json_array();

	for (int i = 0; i < c->remedy_count; i++) {
		json_t *entry = json_object();

		json_set_text(entry, "what", c->remedies[i].what);
		json_set_number(entry, "time_s", c->remedies[i].run.seconds);
		json_set_number(entry, "slowdown", c->remedies[i].slowdown);
		json_set_number(entry, "memory", c->remedies[i].run.memory.total);
		json_array_append_new(list, entry);
	}
	return list;
}

static void schedules_text(struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	const struct run_choices *c;
	char a[32], b[32];

	if (r->run_plan.pipeline < 2)
		return;
	c = study_run_choices(study);
	text_add(out, "under each schedule:\n");
	for (int i = 0; i < PIPELINE_SCHEDULE_COUNT; i++) {
		const struct run_scheduled *s = &c->schedules[i];

		text_printf(out, "  %-12s", s->name);
		if (isnan(s->run.seconds)) {
			text_add(out, "  does not go with these microbatches and layers\n");
			continue;
		}
		units_print_memory(s->run.memory.total, b, sizeof b);
		text_printf(out, "  step %9s, bubble %4.1f %%, %s, chunks %.0f%s\n", seconds(s->run.seconds, a), 100 * s->run.bubble / s->run.seconds, b, s->plan.chunks,
			s->plan.schedule == r->run_plan.schedule ? " (set)" : "");
	}
}

/* Of a line the stages, which may be of any kinds. */
static void stages_text(const struct results *r, struct text *out)
{
	char forward[32], backward[32], memory[32];

	if (r->on_cluster || r->stage_count < 2)
		return;
	text_printf(out, "%5s %-9s %7s %6s  %-12s %8s %8s %9s\n", "stage", "kind", "devices", "layers", "from", "forward", "backward", "memory");
	for (int i = 0; i < r->stage_count; i++) {
		const struct stage_figures *s = &r->stages[i];

		units_print_memory(s->memory.total, memory, sizeof memory);
		text_printf(out, "%4d%s %-9s %7.0f %6.0f  %-12.12s %8s %8s %9s\n", i + 1, i == r->run.slowest ? "*" : " ", s->accelerator, s->devices, s->layers, r->model->operators[s->row].name, seconds(s->times.forward, forward),
			seconds(s->times.backward, backward), memory);
	}
}

void run_text(struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	const struct run_plan *p = &r->run_plan;

	if (r->run_trouble[0] != '\0')
		return;
	if (!r->run_plain) {
		text_add(out, "a training run: ");
		run_sentence(study, out);
		text_printf(out, "\nof %.0f microbatch%s of %.0f", run_microbatches(p), run_microbatches(p) == 1 ? "" : "es", p->microbatch);
		if (r->on_cluster)
			text_printf(out, ", %.0f blocks in %.0f stage%s", r->transformer.blocks, p->pipeline, plural(p->pipeline));
		if (p->pipeline > 1)
			text_printf(out, ", the slowest is stage %d", r->run.slowest + 1);
		text_add(out, "\n");
		stages_text(r, out);
	}
	memory_text(r, out);
	schedules_text(study, out);
	remedies_text(study, out);
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

static json_t *schedules_json(struct study *study)
{
	const struct run_choices *c = study_run_choices(study);
	json_t *list = json_array();

	for (int i = 0; i < PIPELINE_SCHEDULE_COUNT; i++) {
		const struct run_scheduled *s = &c->schedules[i];
		json_t *entry = json_object();

		json_set_text(entry, "name", s->name);
		json_set_number(entry, "chunks", s->plan.chunks);
		json_set_number(entry, "time_s", s->run.seconds);
		if (!isnan(s->run.seconds)) {
			json_set_number(entry, "bubble_s", s->run.bubble);
			json_set_number(entry, "memory", s->run.memory.total);
		}
		json_array_append_new(list, entry);
	}
	return list;
}

static json_t *stage_json(const struct results *r, const struct stage_figures *s)
{
	struct run_memory_part parts[RUN_MEMORY_PARTS];
	json_t *out = json_object();

	json_set_text(out, "accelerator", s->accelerator);
	json_set_number(out, "devices", s->devices);
	json_set_number(out, r->on_cluster ? "blocks" : "layers", s->layers);
	if (s->row >= 0)
		json_set_text(out, "first", r->model->operators[s->row].name);
	json_set_number(out, "forward_s", s->times.forward);
	json_set_number(out, "backward_s", s->times.backward);
	run_memory_parts(&s->memory, parts);
	for (int i = 0; i < RUN_MEMORY_PARTS; i++)
		json_set_number(out, parts[i].key, parts[i].bytes);
	json_set_number(out, "total", s->memory.total);
	if (s->capacity > 0)
		json_set_number(out, "capacity", s->capacity);
	json_object_set_new(out, "fits", json_boolean(stage_fits(s)));
	return out;
}

static json_t *run_object(struct study *study)
{
	const struct results *r = study_results(study);
	const struct run_plan *p = &r->run_plan;
	struct run_part parts[RUN_PARTS];
	json_t *run = json_object();

	if (r->on_cluster) {
		json_set_text(run, "cluster", r->cluster->name);
		json_set_text(run, "gpu", r->gpu->name);
		json_set_number(run, "gpus", r->run_devices);
		json_set_number(run, "tokens_per_s", p->batch * r->transformer.sequence / r->run.seconds);
	}
	json_set_number(run, "devices", r->run_devices);
	json_set_number(run, "microbatches", run_microbatches(p));
	json_set_number(run, "microbatch", p->microbatch);
	json_set_number(run, "time_s", r->run.seconds);
	json_set_number(run, "utilisation", r->run_utilisation);
	run_parts(&r->run, parts);
	for (int i = 0; i < RUN_PARTS; i++)
		json_set_number(run, parts[i].key, parts[i].seconds);
	json_object_set_new(run, "slowest_stage", json_integer(r->run.slowest + 1));
	if (p->pipeline > 1)
		json_object_set_new(run, "schedules", schedules_json(study));
	return run;
}

void run_json(struct study *study, json_t *root)
{
	const struct results *r = study_results(study);
	json_t *memory, *stages;
	bool fits;

	if (r->run_trouble[0] != '\0')
		return;
	memory = json_object();
	stages = json_array();
	fits = study_fits(r, NULL) == STATUS_OK;
	json_object_set_new(root, "run", run_object(study));
	json_object_set_new(memory, "worst_stage", json_integer(r->run.worst + 1));
	json_object_set_new(memory, "fits", json_boolean(fits));
	for (int stage = 0; stage < r->stage_count; stage++)
		json_array_append_new(stages, stage_json(r, &r->stages[stage]));
	json_object_set_new(memory, "stages", stages);
	if (!fits)
		json_object_set_new(memory, "remedies", remedies_json(study));
	json_object_set_new(root, "memory", memory);
}
