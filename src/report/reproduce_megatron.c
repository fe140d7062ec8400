/* Measured runs of transformers on clusters, held against run.h: data/papers/megatron.csv.  Each row has all its settings; constants belong to GPUs and
 * clusters, none to a row. */
#include "report/reproduce.h"

#include "base/records.h"
#include "base/text.h"
#include "pipeline/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* id, name, may be empty */
#define NUMBERS(X) \
	X(HIDDEN, "hidden", true) X(BLOCKS, "blocks", true) X(HEADS, "heads", true) X(KV_HEADS, "kv_heads", true) X(FFN, "ffn", true) X(VOCABULARY, "vocabulary", true) \
	X(SEQUENCE, "sequence", true) X(BATCH, "batch", true) X(MICROBATCH, "microbatch", true) X(TENSOR, "tensor", true) X(PIPELINE, "pipeline", true) X(CHUNKS, "chunks", true) \
	X(REPLICAS, "replicas", true) X(ZERO, "zero", true) X(SEQUENCE_PARALLEL, "sequence_parallel", true) X(FUSED, "fused_attention", true) X(EXCHANGED, "exchanged", true) \
	X(GRADIENT, "gradient", true) X(STATES, "states", true) X(OVERLAP, "overlap", true) X(ENDS, "ends", true) X(JUDGED, "judged", false) X(KEPT_OUT, "kept_out", false)

#define TEXTS(X) \
	X(SOURCE, "source", false) X(ITEM, "item", false) X(CLUSTER, "cluster", true) X(PRECISION, "precision", true) X(RECOMPUTE, "recompute", true) X(SCHEDULE, "schedule", true) X(SECONDS, "seconds", true) \
	X(MEMORY, "memory", true) X(NOTE, "note", true)

enum column {
#define X(id, ...) COLUMN_##id,
	NUMBERS(X)
	TEXTS(X)
#undef X
	COLUMN_COUNT
};

static const struct field fields[COLUMN_COUNT] = {
#define X(id, name, optional) [COLUMN_##id] = { name, UNIT_COUNT, optional, 0, 1e9, "" },
	NUMBERS(X)
#undef X
#define X(id, name, optional) [COLUMN_##id] = { name, NO_UNIT, optional, 0, 0, "" },
	TEXTS(X)
#undef X
};

/* How near a source's times must come, relative: the floors of golden/measured.csv; and its memory. */
static const struct { const char *source; double within; } sources[] = {
	{ "table5", 0.03 }, { "sc21-table1", 0.06 }, { "seqsel-530b-dp8", 0.03 }, { "megascale-175b", 0.05 }, { "zerobubble-table4", 0.10 }, { "bloom-tuning", 0.15 }, { "dgxc-gpt3-175b", 0.06 },
};
static const double WITHIN_MEMORY = 0.08;

struct reading {
	struct reproduction *r;
	struct gpus gpus;
	struct clusters clusters;
	struct reproduction memory;      /* rows that follow the times; texts are of r's arena */
};

static double within_of(const char *source)
{
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		if (strcmp(sources[i].source, source) == 0)
			return sources[i].within;
	return 0.1;
}

/* False where the row does not say all of it. */
static bool plan_of(const double n[COLUMN_COUNT], struct records *records, struct transformer *t, struct run_plan *p)
{
	const char *schedule = records_text(records, COLUMN_SCHEDULE);

	*t = (struct transformer){ .blocks = n[COLUMN_BLOCKS], .hidden = n[COLUMN_HIDDEN], .heads = n[COLUMN_HEADS], .kv_heads = n[COLUMN_KV_HEADS] > 0 ? n[COLUMN_KV_HEADS] : n[COLUMN_HEADS],
		.head_size = n[COLUMN_HEADS] > 0 ? n[COLUMN_HIDDEN] / n[COLUMN_HEADS] : 0, .ffn = n[COLUMN_FFN], .experts = 1, .active = 1, .vocabulary = n[COLUMN_VOCABULARY], .embedding_params = n[COLUMN_VOCABULARY] * n[COLUMN_HIDDEN], .head = true,
		.tied = true, .sequence = n[COLUMN_SEQUENCE] };
	*p = (struct run_plan){ .tensor = n[COLUMN_TENSOR], .pipeline = n[COLUMN_PIPELINE], .replicas = n[COLUMN_REPLICAS], .chunks = n[COLUMN_CHUNKS], .batch = n[COLUMN_BATCH],
		.microbatch = n[COLUMN_MICROBATCH], .schedule = n[COLUMN_CHUNKS] > 1 ? PIPELINE_INTERLEAVED : schedule[0] != '\0' ? pipeline_schedule_find(schedule) : PIPELINE_1F1B, .zero = (int)n[COLUMN_ZERO], .sequence_parallel = n[COLUMN_SEQUENCE_PARALLEL] > 0, .recompute = recompute_find(records_text(records, COLUMN_RECOMPUTE)),
		.fused_attention = n[COLUMN_FUSED] > 0, .overlap = n[COLUMN_OVERLAP] > 0, .ends_count = n[COLUMN_ENDS] > 0, .format = format_find(records_text(records, COLUMN_PRECISION)),
		.exchanged_bytes = n[COLUMN_EXCHANGED], .gradient_bytes = n[COLUMN_GRADIENT], .state_bytes = n[COLUMN_STATES] };
	return t->blocks > 0 && t->heads > 0 && p->microbatch > 0 && p->chunks > 0 && p->tensor > 0 && p->pipeline > 0 && p->replicas > 0 && p->format != FORMAT_COUNT && p->recompute != RECOMPUTE_COUNT &&
		p->schedule != PIPELINE_SCHEDULE_COUNT;
}

static const char *keep(struct reading *g, const char *text)
{
	return arena_copy_text(&g->r->arena, text, strlen(text));
}

static void add_row(struct reading *g, struct reproduction *to, struct records *records, const char *suffix, int theirs, const char *quantity, double ours, double within, const double n[COLUMN_COUNT])
{
	char source[80];
	struct reproduced row = { .item = keep(g, records_text(records, COLUMN_ITEM)), .quantity = quantity, .theirs_text = keep(g, records_text(records, theirs)), .ours = ours,
		.note = keep(g, records_text(records, COLUMN_NOTE)), .aside = n[COLUMN_JUDGED] == 0, .kept_out = n[COLUMN_KEPT_OUT] > 0 };

	snprintf(source, sizeof source, "%s%s", records_text(records, COLUMN_SOURCE), suffix);
	row.source = keep(g, source);
	row.theirs = row.theirs_text[0] != '\0' ? strtod(row.theirs_text, NULL) : NAN;
	reproduced_judge(&row, within);
	row.reproduced = row.reproduced && !isnan(ours);
	to->rows = memory_grow(to->rows, &to->capacity, to->count + 1, sizeof row);
	to->rows[to->count++] = row;
}

static bool read_row(struct records *records, void *context)
{
	struct reading *g = context;
	const struct cluster *cluster = cluster_find(&g->clusters, records_text(records, COLUMN_CLUSTER));
	const struct gpu *gpu = cluster != NULL ? gpu_find(&g->gpus, cluster->gpu) : NULL;
	double n[COLUMN_COUNT] = { 0 };
	struct transformer t;
	struct run_plan plan;
	struct run run = { .seconds = NAN, .memory = { .total = NAN } };
	bool good = true;

	for (int i = 0; i < COLUMN_COUNT; i++)
		if (fields[i].unit != NO_UNIT)
			good &= records_number(records, i, &n[i]);
	if (!good)
		return false;
	if (plan_of(n, records, &t, &plan) && gpu != NULL && run_plan_check(&t, &plan, gpu, NULL) == STATUS_OK)
		run_evaluate(&t, &plan, gpu, cluster, &run);
	add_row(g, g->r, records, "", COLUMN_SECONDS, "step time s", run.seconds, within_of(records_text(records, COLUMN_SOURCE)), n);
	if (records_text(records, COLUMN_MEMORY)[0] != '\0')
		add_row(g, &g->memory, records, " memory", COLUMN_MEMORY, "worst GPU's memory GiB", run.memory.total / 0x1p30, WITHIN_MEMORY, n);
	return true;
}

enum status reproduce_megatron(struct reproduction *r, struct diagnostic *d)
{
	struct reading g = { .r = r };
	enum status status;

	*r = (struct reproduction){ .rows = NULL };
	status = gpus_builtin(&g.gpus, d);
	if (status == STATUS_OK)
		status = clusters_builtin(&g.clusters, d);
	if (status == STATUS_OK)
		status = records_builtin("papers/megatron.csv", "a table of measured runs", fields, COLUMN_COUNT, read_row, &g, d);
	for (size_t i = 0; i < g.memory.count; i++) {
		r->rows = memory_grow(r->rows, &r->capacity, r->count + 1, sizeof *r->rows);
		r->rows[r->count++] = g.memory.rows[i];
	}
	memory_free(g.memory.rows);
	gpus_free(&g.gpus);
	clusters_free(&g.clusters);
	return status;
}
