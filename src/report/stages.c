/* The exact pipeline split of a profiled layer graph, or of the study's model, as text and as JSON. */
#include "base/files.h"
#include "base/units.h"
#include "pipeline/profile.h"
#include "report/json.h"
#include "report/report.h"
#include "study/staged.h"

#include <string.h>

static const char *layer_name(const struct staging_problem *p, int layer)
{
	return p->graphs[0].layers[layer].name;
}

/* The width of tensor parallelism alone: of a model, a stage is that of arrays. */
static int tensor_of(const struct staging_problem *p, const struct staging *s)
{
	return p->array > 1 ? s->tensor / p->array : s->tensor;
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
	json_object_set_new(root, "tensor", json_integer(tensor_of(p, s)));
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
	text_printf(out, "%d stage%s, tensor width %d%s%s, %lld cop%s: %s a batch, a microbatch every %s\n\n", s->stage_count, s->stage_count == 1 ? "" : "s", tensor_of(p, s), way != NULL ? ", " : "",
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

/* Devices that one stage takes, at the least width. */
static int least_devices(const struct staging_problem *p)
{
	return p->array > 1 ? p->graphs[0].width : 1;
}

/* Stages there are with all cuts that have to be. */
static int least_stages(const struct staging_problem *p)
{
	int stages = 1;

	for (int i = 0; p->borders != NULL && i + 1 < p->layer_count; i++)
		stages += p->borders[i] > 0;
	return stages;
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
		diagnostic_fail(d, STATUS_INFEASIBLE, "no cut fits devices=%lld: a stage takes %d at least, and there %s %d at least", (long long)p->devices, least_devices(p), least_stages(p) == 1 ? "is" : "are",
			least_stages(p));
	} else {
		for (int i = 0; i < least.stage_count; i++)
			worst = worst == NULL || least.stages[i].memory > worst->memory ? &least.stages[i] : worst;
		units_print_bytes(p->memory, has, sizeof has);
		units_print_bytes(worst->memory, needs, sizeof needs);
		diagnostic_fail(d, STATUS_INFEASIBLE, "no cut fits a memory of %s a device: the least of all is %s, for the stage of %.40s to %.40s (%d stages, tensor width %d)", has, needs,
			layer_name(p, worst->layers[0]), layer_name(p, worst->layers[worst->count - 1]), least.stage_count, tensor_of(p, &least));
	}
	staging_free(&least);
	return STATUS_INFEASIBLE;
}

/* "cut=LAYER": a stage ends behind it; "join=LAYER": none does. */
static const struct { const char *word; signed char border; } borders[] = { { "cut=", 1 }, { "join=", -1 } };

static int border_of(const char *word)
{
	for (int i = 0; i < 2; i++)
		if (strncmp(word, borders[i].word, strlen(borders[i].word)) == 0)
			return i;
	return -1;
}

/* "by=time", "by=memory". */
static bool is_objective(const char *word)
{
	return strncmp(word, "by=", 3) == 0;
}

static enum status set_objective(struct staging_problem *p, const char *const *words, int count, struct diagnostic *d)
{
	for (int i = 0; i < count; i++) {
		if (!is_objective(words[i]))
			continue;
		if (strcmp(words[i], "by=time") != 0 && strcmp(words[i], "by=memory") != 0)
			return diagnostic_fail(d, STATUS_INPUT, "%.40s: stages are cut by=time or by=memory", words[i]);
		p->objective = strcmp(words[i], "by=memory") == 0 ? STAGING_BY_MEMORY : STAGING_BY_TIME;
	}
	return STATUS_OK;
}

static int find_layer(const struct staging_problem *p, const char *name)
{
	int64_t number;

	if (name[0] == '#' && units_parse_whole(name + 1, strlen(name + 1), &number) == STATUS_OK && number >= 1 && number <= p->layer_count)
		return (int)number - 1;
	for (int layer = 0; layer < p->layer_count; layer++)
		if (strcmp(layer_name(p, layer), name) == 0)
			return layer;
	return -1;
}

static enum status set_borders(struct staging_problem *p, const char *const *words, int count, struct diagnostic *d)
{
	signed char *all = arena_alloc(&p->arena, (size_t)p->layer_count, sizeof *all);

	for (int i = 0; i < count; i++) {
		int kind = border_of(words[i]), layer = kind >= 0 ? find_layer(p, words[i] + strlen(borders[kind].word)) : -1;

		if (kind >= 0 && layer < 0)
			return diagnostic_fail(d, STATUS_INPUT, "%.80s: no layer of that name; they run from %.40s to %.40s", words[i], layer_name(p, 0), layer_name(p, p->layer_count - 1));
		if (kind >= 0 && layer == p->layer_count - 1)
			return diagnostic_fail(d, STATUS_INPUT, "%.80s: behind the last layer every split ends", words[i]);
		if (kind >= 0 && all[layer] == -borders[kind].border)
			return diagnostic_fail(d, STATUS_INPUT, "%.80s: cut and join of one layer contradict each other", words[i]);
		if (kind >= 0)
			all[layer] = borders[kind].border;
	}
	p->borders = all;
	return STATUS_OK;
}

static enum status split(struct staging_problem *problem, const char *const *words, int count, const struct profile_limits *limits, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct staging staging = { .stages = NULL };
	enum status status = set_borders(problem, words, count, d);

	if (status == STATUS_OK)
		status = set_objective(problem, words, count, d);
	if (status == STATUS_OK)
		status = staging_solve(problem, &staging, d);
	if (status == STATUS_OK && !staging.feasible)
		status = refuse(problem, d);
	else if (status == STATUS_OK && form == REPORT_JSON)
		write_json(problem, &staging, out);
	else if (status == STATUS_OK)
		write_text(problem, limits, &staging, out);
	staging_free(&staging);
	return status;
}

static enum status read_limits(const char *const *words, int count, struct profile_limits *limits, struct diagnostic *d)
{
	enum status status = STATUS_OK;

	*limits = (struct profile_limits){ .set = { false } };
	for (int i = 0; i < count && status == STATUS_OK; i++)
		if (border_of(words[i]) < 0 && !is_objective(words[i]))
			status = profile_limit_parse(words[i], limits, d);
	return status;
}

enum status report_stages(const char *const *words, int count, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct profile_limits limits;
	struct staging_problem problem;
	char *bytes;
	size_t length;
	enum status status = read_limits(words + 1, count - 1, &limits, d);

	if (status == STATUS_OK)
		status = file_read(words[0], &bytes, &length, d);
	if (status != STATUS_OK)
		return status;
	status = profile_read(words[0], bytes, length, &limits, &problem, d);
	memory_free(bytes);
	if (status != STATUS_OK)
		return status;
	status = split(&problem, words + 1, count - 1, &limits, form, out, d);
	staging_problem_free(&problem);
	return status;
}

enum status report_model_stages(struct study *study, const char *const *limits, int count, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct profile_limits read;
	struct staging_problem problem;
	enum status status = read_limits(limits, count, &read, d);

	if (status != STATUS_OK)
		return status;
	status = staged_problem(study, &read, &problem, d);
	if (status == STATUS_OK)
		status = split(&problem, limits, count, &read, form, out, d);
	staging_problem_free(&problem);
	return status;
}
