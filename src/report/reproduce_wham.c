/* The headline of WHAM: its search beside the rivals of one space and judge, one design for eight models, and pipelines of 32 stages. */
#include "report/reproduce.h"

#include "base/files.h"
#include "base/records.h"
#include "study/commands.h"
#include "study/race.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_SOURCE, COLUMN_ITEM, COLUMN_QUANTITY, COLUMN_THEIRS, COLUMN_WITHIN, COLUMN_NOTE, COLUMN_COUNT };

static const struct field fields[COLUMN_COUNT] = {
	[COLUMN_SOURCE] = { "source", NO_UNIT, false, 0, 0, "" },
	[COLUMN_ITEM] = { "item", NO_UNIT, false, 0, 0, "" },
	[COLUMN_QUANTITY] = { "quantity", NO_UNIT, false, 0, 0, "" },
	[COLUMN_THEIRS] = { "theirs", NO_UNIT, false, 0, 0, "" },
	[COLUMN_WITHIN] = { "within", NO_UNIT, false, 0, 0, "" },
	[COLUMN_NOTE] = { "note", NO_UNIT, true, 0, 0, "" },
};

/* The paper's models, as far as they are built in; VGG-16 is vgg-d. */
static const char *const small[] = { "mobilenet-v3", "resnet18", "inception-v3", "resnext101", "vgg-d", "gnmt", "bert-base", "bert-large" };
static const char *const deep[] = { "opt-1.3b", "gpt2-xl", "gpt3-175b" };
enum { SMALL = sizeof small / sizeof *small, DEEP = sizeof deep / sizeof *deep };

static const char on_one[] = "set accelerator=wham-base accelerators=1 batch=64 precision=bf16";
static const char on_stages[] = "set accelerator=wham-base accelerators=1 batch=64 precision=bf16 pipeline=32 microbatch=1 network=nvlink3";

/* What was raced of one model. */
struct raced {
	double gain[METHOD_COUNT];       /* of wham over each rival, samples a second */
	double later[METHOD_COUNT];      /* how many times the designs until its last gain */
};

struct ours {
	struct raced models[SMALL];
	double common[MINING_FIXED];     /* of one design for all of these over each fixed one */
	double common_small[MINING_FIXED];       /* the same, where it may take no more area than the first fixed one */
	double throughput[DEEP], per_tdp[DEEP];  /* at depth 32, over the first fixed one */
};

static enum status open_study(const char *model, const char *settings, struct study **out, struct diagnostic *d)
{
	static const struct command_host host = { .act = NULL };
	struct study *study = study_new();
	enum status status = study_load(study, model, NULL, d);

	if (status == STATUS_OK)
		status = command_run(study, &host, settings, d);
	if (status == STATUS_OK)
		status = study_settle(study, NULL);
	*out = status == STATUS_OK ? study : NULL;
	if (status != STATUS_OK)
		study_free(study);
	return status;
}

/* The race that was run by these methods, over models with these settings; race_free ends it.  NULL with d when it cannot be. */
static struct race *run_race(const char *const *models, int count, const char *settings, unsigned methods, struct diagnostic *d)
{
	struct study *studies[SMALL] = { NULL };
	struct race *race = NULL;
	int made = 0;

	while (made < count && open_study(models[made], settings, &studies[made], d) == STATUS_OK)
		made++;
	if (made < count) {
		while (made > 0)
			study_free(studies[--made]);
		return NULL;
	}
	race = race_new(studies, count, true);
	for (int method = 0; method < METHOD_COUNT; method++)
		if (methods & 1u << method) {
			race_enter(race, (enum mine_method)method);
			if (race_leg(race, (enum mine_method)method, NULL, d) != STATUS_OK) {
				race_free(race);
				return NULL;
			}
		}
	return race;
}

static const struct miner *miner_of(const struct race *race, enum mine_method method)
{
	return &race->entrants[method].miner;
}

static double until_best(const struct miner *m)
{
	return (double)m->curve[m->curve_count - 1].evaluations;
}

static enum status race_rivals(struct ours *o, struct diagnostic *d)
{
	static const enum mine_method rivals[] = { METHOD_RLGA, METHOD_BAYES };

	for (int i = 0; i < SMALL; i++) {
		struct race *race = run_race(&small[i], 1, on_one, 1u << METHOD_WHAM | 1u << METHOD_RLGA | 1u << METHOD_BAYES, d);
		const struct miner *wham = race != NULL ? miner_of(race, METHOD_WHAM) : NULL;

		if (race == NULL)
			return STATUS_INPUT;
		for (size_t k = 0; k < sizeof rivals / sizeof *rivals; k++) {
			const struct miner *rival = miner_of(race, rivals[k]);

			o->models[i].gain[rivals[k]] = wham->top[0].throughput / rival->top[0].throughput;
			o->models[i].later[rivals[k]] = until_best(rival) / until_best(wham);
		}
		race_free(race);
	}
	return STATUS_OK;
}

/* Of one design for all, within an area (0: the default), over each fixed one; *first: the area of the first of these. */
static enum status find_common(double area, double over[MINING_FIXED], double *first, struct diagnostic *d)
{
	char settings[sizeof on_one + 40];
	struct race *race;

	snprintf(settings, sizeof settings, area > 0 ? "%s area_limit=%.6gmm2" : "%s", on_one, area);
	race = run_race(small, SMALL, settings, 1u << METHOD_WHAM, d);
	if (race == NULL)
		return STATUS_INPUT;
	for (int fixed = 0; fixed < MINING_FIXED; fixed++)
		over[fixed] = miner_of(race, METHOD_WHAM)->top[0].throughput / race->mining.fixed[fixed];
	*first = mining_fixed_judged(&race->mining, 0).area;
	race_free(race);
	return STATUS_OK;
}

static enum status find_deep(struct ours *o, struct diagnostic *d)
{
	for (int i = 0; i < DEEP; i++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			char settings[sizeof on_stages + 32];
			struct race *race;
			struct judged fixed;
			const struct judged *best;

			snprintf(settings, sizeof settings, "%s metric=%s", on_stages, mine_metric_name((enum mine_metric)metric));
			race = run_race(&deep[i], 1, settings, 1u << METHOD_WHAM, d);
			if (race == NULL)
				return STATUS_INPUT;
			best = &miner_of(race, METHOD_WHAM)->top[0];
			fixed = mining_fixed_judged(&race->mining, 0);
			if (metric == METRIC_THROUGHPUT)
				o->throughput[i] = best->throughput / fixed.throughput;
			else
				o->per_tdp[i] = judged_per_tdp(best) / judged_per_tdp(&fixed);
			race_free(race);
		}
	return STATUS_OK;
}

static double mean(const double *values, int count)
{
	double logs = 0;

	for (int i = 0; i < count; i++)
		logs += log(values[i]);
	return exp(logs / count);
}

static double mean_of_models(const struct ours *o, enum mine_method rival, bool later)
{
	double values[SMALL];

	for (int i = 0; i < SMALL; i++)
		values[i] = later ? o->models[i].later[rival] : o->models[i].gain[rival];
	return mean(values, SMALL);
}

/* Ours of a row, by its words; NAN for words that it does not know. */
static double ours_of(const struct ours *o, const struct reproduced *row)
{
	bool later = strcmp(row->quantity, "until the best") == 0;

	if (strcmp(row->source, "one device") == 0)
		return mean_of_models(o, strstr(row->item, "ConfuciuX") != NULL ? METHOD_RLGA : METHOD_BAYES, later);
	if (strcmp(row->source, "one design for eight") == 0)
		return o->common[strstr(row->item, "NVDLA") != NULL];
	if (strcmp(row->source, "depth 32") == 0)
		return mean(strstr(row->quantity, "each W") != NULL ? o->per_tdp : o->throughput, DEEP);
	return NAN;
}

static struct reproduced *add_row(struct reproduction *r)
{
	r->rows = memory_grow(r->rows, &r->capacity, r->count + 1, sizeof *r->rows);
	return memset(&r->rows[r->count++], 0, sizeof *r->rows);
}

/* What the means are of: beside the paper, which has no numbers for single models. */
static void add_model(struct reproduction *r, const char *source, const char *model, const char *quantity, double ours)
{
	*add_row(r) = (struct reproduced){ .source = source, .item = model, .quantity = quantity, .theirs_text = "", .theirs = NAN, .ours = ours, .error = NAN, .within = NAN, .aside = true, .note = "" };
}

static void add_models(struct reproduction *r, const struct ours *o, const char *source)
{
	if (strcmp(source, "one device") == 0) {
		for (int i = 0; i < SMALL; i++)
			add_model(r, source, small[i], "over ConfuciuX's manner, samples a second", o->models[i].gain[METHOD_RLGA]);
		for (int i = 0; i < SMALL; i++)
			add_model(r, source, small[i], "over Spotlight's manner, samples a second", o->models[i].gain[METHOD_BAYES]);
	} else if (strcmp(source, "one design for eight") == 0) {
		add_model(r, source, "over NVDLA", "within the area of the TPUv2-like design", o->common_small[1]);
		add_model(r, source, "over TPUv2", "within the area of the TPUv2-like design", o->common_small[0]);
	} else {
		for (int i = 0; i < DEEP; i++)
			add_model(r, source, deep[i], "over TPUv2, samples a second", o->throughput[i]);
		for (int i = 0; i < DEEP; i++)
			add_model(r, source, deep[i], "over TPUv2, samples a second for each W", o->per_tdp[i]);
	}
}

struct reading {
	struct reproduction *r;
	struct ours ours;
	const char *source;      /* of the row before */
};

static const char *keep(struct reproduction *r, const char *text)
{
	return arena_copy_text(&r->arena, text, strlen(text));
}

static bool read_row(struct records *records, void *context)
{
	struct reading *g = context;
	struct reproduced row = { .source = keep(g->r, records_text(records, COLUMN_SOURCE)), .item = keep(g->r, records_text(records, COLUMN_ITEM)),
		.quantity = keep(g->r, records_text(records, COLUMN_QUANTITY)), .theirs_text = keep(g->r, records_text(records, COLUMN_THEIRS)),
		.note = keep(g->r, records_text(records, COLUMN_NOTE)) };

	row.theirs = strtod(row.theirs_text, NULL);
	row.ours = ours_of(&g->ours, &row);
	if (isnan(row.ours)) {
		records_blame(records, SEVERITY_ERROR, COLUMN_ITEM, "no such headline: %.60s, %.60s", row.source, row.item);
		return false;
	}
	reproduced_judge(&row, strtod(records_text(records, COLUMN_WITHIN), NULL));
	if (g->source != NULL && strcmp(g->source, row.source) != 0)
		add_models(g->r, &g->ours, g->source);
	g->source = row.source;
	*add_row(g->r) = row;
	return true;
}

enum status reproduce_wham(struct reproduction *r, struct diagnostic *d)
{
	struct reading g = { .r = r };
	double area = 0;
	enum status status;

	*r = (struct reproduction){ .rows = NULL };
	status = race_rivals(&g.ours, d);
	if (status == STATUS_OK)
		status = find_common(0, g.ours.common, &area, d);
	if (status == STATUS_OK)
		status = find_common(area, g.ours.common_small, &area, d);
	if (status == STATUS_OK)
		status = find_deep(&g.ours, d);
	if (status == STATUS_OK)
		status = records_builtin("papers/wham.csv", "a table of a paper's headline", fields, COLUMN_COUNT, read_row, &g, d);
	if (status == STATUS_OK && g.source != NULL)
		add_models(r, &g.ours, g.source);
	return status;
}
