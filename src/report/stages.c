/* The exact pipeline split of a profiled layer graph, as text and as JSON. */
#include "base/files.h"
#include "base/units.h"
#include "pipeline/profile.h"
#include "report/json.h"
#include "report/report.h"

#include <string.h>

static const char *layer_name(const struct staging_problem *p, int layer)
{
	return p->graphs[0].layers[layer].name;
}

static json_t *stage_json(const struct staging_problem *p, const struct staging_stage *s)
{
	json_t *stage = json_object(), *layers = json_array();

	json_set_text(stage, "first", layer_name(p, s->layers[0]));
	json_set_text(stage, "last", layer_name(p, s->layers[s->count - 1]));
	for (int i = 0; i < s->count; i++)
		json_array_append_new(layers, json_string(layer_name(p, s->layers[i])));
	json_object_set_new(stage, "layers", layers);
	json_object_set_new(stage, "devices", json_integer(s->devices));
	json_set_number(stage, "load_s", s->load);
	json_set_number(stage, "memory", s->memory);
	return stage;
}

static void write_json(const struct staging_problem *p, const struct staging *s, struct text *out)
{
	json_t *root = json_begin(), *stages = json_array();

	json_set_number(root, "time_per_batch_s", s->seconds);
	json_set_number(root, "max_load_s", s->max_load);
	json_object_set_new(root, "data", json_integer(s->data));
	json_object_set_new(root, "tensor", json_integer(s->tensor));
	if (p->graphs[s->graph].way != NULL)
		json_set_text(root, "way", p->graphs[s->graph].way);
	for (int i = 0; i < s->stage_count; i++)
		json_array_append_new(stages, stage_json(p, &s->stages[i]));
	json_object_set_new(root, "stages", stages);
	json_object_set_new(root, "feasible", json_true());
	json_end(root, out);
}

/* What the file left open, as the words that say the same. */
static void write_assumed(const struct profile_limits *limits, struct text *out)
{
	static const enum unit units[PROFILE_LIMIT_COUNT] = {
#define X(id, name, unit, ...) [PROFILE_##id] = unit,
		PROFILE_LIMITS(X)
#undef X
	};
	bool first = true;

	for (int i = 0; i < PROFILE_LIMIT_COUNT; i++) {
		char value[40];

		if (!limits->assumed[i])
			continue;
		units_print(units[i], limits->values[i], value, sizeof value);
		text_printf(out, "%s%s=%s", first ? "\nnot in the file, and so assumed: " : " ", profile_limit_name((enum profile_limit)i), value);
		first = false;
	}
	text_add(out, first ? "" : "\n");
}

static void write_text(const struct staging_problem *p, const struct profile_limits *limits, const struct staging *s, struct text *out)
{
	const char *way = p->graphs[s->graph].way;
	char a[32], b[40], c[40];

	units_print_seconds(s->seconds, a, sizeof a);
	units_print_seconds(s->max_load, b, sizeof b);
	text_printf(out, "%d stage%s, tensor width %d%s%s, %lld cop%s: %s a batch, a microbatch every %s\n\n", s->stage_count, s->stage_count == 1 ? "" : "s", s->tensor, way != NULL ? ", " : "",
		way != NULL ? way : "", (long long)s->data, s->data == 1 ? "y" : "ies", a, b);
	text_printf(out, "%-6s %7s %10s %16s  %s\n", "stage", "devices", "load", "memory", "layers");
	for (int i = 0; i < s->stage_count; i++) {
		const struct staging_stage *stage = &s->stages[i];

		units_print_seconds(stage->load, a, sizeof a);
		units_print_bytes(stage->memory, b, sizeof b);
		units_print_bytes(p->memory, c, sizeof c);
		text_printf(out, "%-6d %7lld %10s %7s/%8s  %d: %s to %s\n", i + 1, (long long)stage->devices, a, b, c, stage->count, layer_name(p, stage->layers[0]),
			layer_name(p, stage->layers[stage->count - 1]));
	}
	write_assumed(limits, out);
}

/* Which limit is in the way, and what the nearest miss needs. */
static enum status refuse(struct staging_problem *p, struct diagnostic *d)
{
	struct staging least;
	const struct staging_stage *worst = NULL;
	char has[40], needs[40];

	p->objective = STAGING_BY_MEMORY;
	if (staging_solve(p, &least, d) != STATUS_OK)
		return STATUS_INFEASIBLE;
	if (!least.feasible) {
		diagnostic_fail(d, STATUS_INFEASIBLE, "no cut fits %lld device%s", (long long)p->devices, p->devices == 1 ? "" : "s");
	} else {
		for (int i = 0; i < least.stage_count; i++)
			worst = worst == NULL || least.stages[i].memory > worst->memory ? &least.stages[i] : worst;
		units_print_bytes(p->memory, has, sizeof has);
		units_print_bytes(worst->memory, needs, sizeof needs);
		diagnostic_fail(d, STATUS_INFEASIBLE, "no cut fits a memory of %s a device: the least of all is %s, for the stage of %.40s to %.40s (%d stages, tensor width %d)", has, needs,
			layer_name(p, worst->layers[0]), layer_name(p, worst->layers[worst->count - 1]), least.stage_count, least.tensor);
	}
	staging_free(&least);
	return STATUS_INFEASIBLE;
}

enum status report_stages(const char *const *words, int count, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct profile_limits limits = { .set = { false } };
	struct staging_problem problem;
	struct staging staging;
	char *bytes;
	size_t length;
	enum status status = STATUS_OK;

	for (int i = 1; i < count && status == STATUS_OK; i++)
		status = profile_limit_parse(words[i], &limits, d);
	if (status == STATUS_OK)
		status = file_read(words[0], &bytes, &length, d);
	if (status != STATUS_OK)
		return status;
	status = profile_read(words[0], bytes, length, &limits, &problem, d);
	memory_free(bytes);
	if (status != STATUS_OK)
		return status;
	status = staging_solve(&problem, &staging, d);
	if (status == STATUS_OK && !staging.feasible)
		status = refuse(&problem, d);
	else if (status == STATUS_OK && form == REPORT_JSON)
		write_json(&problem, &staging, out);
	else if (status == STATUS_OK)
		write_text(&problem, &limits, &staging, out);
	staging_free(&staging);
	staging_problem_free(&problem);
	return status;
}
