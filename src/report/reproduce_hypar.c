/* The figures of HyPar: its ten networks on its array, by the rules that the figures follow. */
#include "report/reproduce.h"

#include "base/files.h"
#include "base/records.h"
#include "base/text.h"
#include "partition/figures.h"
#include "study/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_SOURCE, COLUMN_ITEM, COLUMN_MODEL, COLUMN_QUANTITY, COLUMN_THEIRS, COLUMN_WITHIN, COLUMN_DO, COLUMN_GIGABYTES, COLUMN_NOTE, COLUMN_COUNT };

static const struct field fields[COLUMN_COUNT] = {
	[COLUMN_SOURCE] = { "source", NO_UNIT, false, 0, 0, "" },
	[COLUMN_ITEM] = { "item", NO_UNIT, false, 0, 0, "" },
	[COLUMN_MODEL] = { "model", NO_UNIT, true, 0, 0, "" },
	[COLUMN_QUANTITY] = { "quantity", NO_UNIT, false, 0, 0, "" },
	[COLUMN_THEIRS] = { "theirs", NO_UNIT, false, 0, 0, "" },
	[COLUMN_WITHIN] = { "within", NO_UNIT, false, 0, 0, "" },
	[COLUMN_DO] = { "do", NO_UNIT, true, 0, 0, "" },
	[COLUMN_GIGABYTES] = { "gigabytes", NO_UNIT, true, 0, 0, "" },
	[COLUMN_NOTE] = { "note", NO_UNIT, true, 0, 0, "" },
};

/* One design point: elements exchanged in a step by each strategy, and the work. */
struct point {
	char *model, *commands;
	double dp, mp, trick, plan;
	double accelerators;
	struct figures_work work;
	struct text partition;   /* of each level, a figure for each layer: 0 dp, 1 mp */
};

struct points {
	struct point *items;
	size_t count, capacity;
};

/* What a row asks of its point; gigabytes: of the row itself. */
static double seconds(const struct point *p, double elements)
{
	return figures_seconds(&p->work, p->accelerators, elements, false);
}

static double gain(const struct point *p, double gigabytes) { (void)gigabytes; return seconds(p, p->dp) / seconds(p, p->plan); }
static double mp_gain(const struct point *p, double gigabytes) { (void)gigabytes; return seconds(p, p->dp) / seconds(p, p->mp); }
static double bar_gain(const struct point *p, double gigabytes) { return seconds(p, p->dp) / seconds(p, gigabytes * 1e9 / 8); }
static double torus_gain(const struct point *p, double gigabytes) { (void)gigabytes; return seconds(p, p->dp) / figures_seconds(&p->work, p->accelerators, p->plan, true); }
static double trick_gain(const struct point *p, double gigabytes) { (void)gigabytes; return seconds(p, p->trick) / seconds(p, p->plan); }
static double efficiency(const struct point *p, double gigabytes) { (void)gigabytes; return figures_joules(&p->work, p->dp) / figures_joules(&p->work, p->plan); }
static double mp_efficiency(const struct point *p, double gigabytes) { (void)gigabytes; return figures_joules(&p->work, p->dp) / figures_joules(&p->work, p->mp); }
static double trick_efficiency(const struct point *p, double gigabytes) { (void)gigabytes; return figures_joules(&p->work, p->trick) / figures_joules(&p->work, p->plan); }
static double speedup(const struct point *p, double gigabytes) { (void)gigabytes; return figures_seconds(&p->work, 1, 0, false) / seconds(p, p->plan); }
static double dp_speedup(const struct point *p, double gigabytes) { (void)gigabytes; return figures_seconds(&p->work, 1, 0, false) / seconds(p, p->dp); }
static double plan_gb(const struct point *p, double gigabytes) { (void)gigabytes; return p->plan * 8e-9; }
static double dp_gb(const struct point *p, double gigabytes) { (void)gigabytes; return p->dp * 8e-9; }
static double mp_gb(const struct point *p, double gigabytes) { (void)gigabytes; return p->mp * 8e-9; }

static const struct quantity_of_figure {
	const char *name;
	double (*of)(const struct point *p, double gigabytes);   /* NULL: the partition */
} quantities[] = {
	{ "partition", NULL },
	{ "hypar gain", gain },
	{ "gain with pins", gain },
	{ "mp gain", mp_gain },
	{ "mp gain by the bytes of Fig. 8", bar_gain },
	{ "torus gain, bar read", torus_gain },
	{ "gain over the trick", trick_gain },
	{ "hypar energy efficiency", efficiency },
	{ "mp energy efficiency", mp_efficiency },
	{ "energy over the trick", trick_efficiency },
	{ "hypar speedup, bar read", speedup },
	{ "dp speedup, bar read", dp_speedup },
	{ "hypar GB", plan_gb },
	{ "hypar GB, bar read", plan_gb },
	{ "dp GB", dp_gb },
	{ "dp GB, bar read", dp_gb },
	{ "mp GB", mp_gb },
};

static const struct quantity_of_figure *find_quantity(const char *name)
{
	for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
		if (strcmp(quantities[i].name, name) == 0)
			return &quantities[i];
	return NULL;
}

static void say_nothing(void *self, const char *text)
{
	(void)self, (void)text;
}

/* Carries out commands with "; " between them. */
static enum status run_commands(struct study *study, const char *commands, struct diagnostic *d)
{
	static const struct command_host host = { .say = say_nothing };
	char line[256];

	while (*commands != '\0') {
		size_t length = strcspn(commands, ";");

		snprintf(line, sizeof line, "%.*s", (int)length, commands);
		if (command_run(study, &host, line, d) != STATUS_OK)
			return STATUS_INPUT;
		commands += length + strspn(commands + length, "; ");
	}
	return STATUS_OK;
}

static void write_partition(const struct results *r, struct text *out)
{
	for (int h = 1; h <= r->plan->levels; h++) {
		if (h > 1)
			text_add(out, "|");
		for (int row = 0; row < r->model->count; row++)
			if (operator_kind_weighted(r->model->operators[row].kind))
				text_printf(out, "%d", plan_state(r->plan, row, h));
	}
}

static enum status compute_point(struct study *study, struct point *p, struct diagnostic *d)
{
	const struct results *r;
	char name[128], path[4096];
	enum status status;

	/* a network of the paper's alone lies beside its numbers */
	snprintf(name, sizeof name, "papers/%s.csv", p->model);
	status = study_load(study, data_find(name, path, sizeof path) ? path : p->model, NULL, d);
	if (status == STATUS_OK)
		status = run_commands(study, "set batch=256 accelerators=16 comm_model=figures mp_output=pooled", d);
	if (status == STATUS_OK)
		status = run_commands(study, p->commands, d);
	if (status == STATUS_OK)
		status = study_settle(study, NULL);
	if (status != STATUS_OK)
		return status;
	r = study_results(study);
	p->dp = r->baselines[BASELINE_DP].elements;
	p->mp = r->baselines[BASELINE_MP].elements;
	p->trick = r->baselines[BASELINE_OWT].elements;
	p->plan = r->plan->elements;
	p->accelerators = study_document(study)->values[PARAMETER_ACCELERATORS];
	p->work = figures_work(r->model, study_document(study)->values[PARAMETER_BATCH]);
	write_partition(r, &p->partition);
	return STATUS_OK;
}

/* The point of a row, computed once; NULL with d filled when that fails. */
static const struct point *point_of(struct points *points, const char *model, const char *commands, struct diagnostic *d)
{
	struct study *study;
	struct point *p;
	enum status status;

	for (size_t i = 0; i < points->count; i++)
		if (strcmp(points->items[i].model, model) == 0 && strcmp(points->items[i].commands, commands) == 0)
			return &points->items[i];
	points->items = memory_grow(points->items, &points->capacity, points->count + 1, sizeof *points->items);
	p = &points->items[points->count++];
	*p = (struct point){ .model = memory_copy_text(model, strlen(model)), .commands = memory_copy_text(commands, strlen(commands)) };
	study = study_new();
	status = compute_point(study, p, d);
	study_free(study);
	return status == STATUS_OK ? p : NULL;
}

/* The geometric mean of the rows of the same figure and quantity before. */
static double geometric_mean(const struct reproduction *r, const struct reproduced *row)
{
	double sum = 0;
	int count = 0;

	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->rows[i].source, row->source) == 0 && strcmp(r->rows[i].quantity, row->quantity) == 0) {
			sum += log(r->rows[i].ours);
			count++;
		}
	return exp(sum / count);
}

static double number_or_nan(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	return text[0] != '\0' && *end == '\0' ? number : NAN;
}

static enum status read_row(struct reproduction *r, struct records *records, struct points *points, struct diagnostic *d)
{
	const char *texts[COLUMN_COUNT];
	const struct quantity_of_figure *quantity;
	const struct point *p;
	struct reproduced row;

	for (int i = 0; i < COLUMN_COUNT; i++) {
		const char *text = records_text(records, i);

		texts[i] = arena_copy_text(&r->arena, text, strlen(text));
	}
	row = (struct reproduced){ .source = texts[COLUMN_SOURCE], .item = texts[COLUMN_ITEM], .quantity = texts[COLUMN_QUANTITY], .theirs_text = texts[COLUMN_THEIRS],
		.note = texts[COLUMN_NOTE], .theirs = number_or_nan(texts[COLUMN_THEIRS]), .ours = NAN };
	quantity = find_quantity(row.quantity);
	if (quantity == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no quantity \"%.60s\" of a figure is known", row.quantity);
	if (texts[COLUMN_MODEL][0] == '\0') {
		row.ours = geometric_mean(r, &row);
	} else {
		p = point_of(points, texts[COLUMN_MODEL], texts[COLUMN_DO], d);
		if (p == NULL)
			return STATUS_INPUT;
		if (quantity->of != NULL)
			row.ours = quantity->of(p, number_or_nan(texts[COLUMN_GIGABYTES]));
		else
			row.ours_text = arena_copy_text(&r->arena, text_string(&p->partition), p->partition.length);
	}
	reproduced_judge(&row, number_or_nan(texts[COLUMN_WITHIN]));
	r->rows = memory_grow(r->rows, &r->capacity, r->count + 1, sizeof row);
	r->rows[r->count++] = row;
	return STATUS_OK;
}

static void free_points(struct points *points)
{
	for (size_t i = 0; i < points->count; i++) {
		memory_free(points->items[i].model);
		memory_free(points->items[i].commands);
		text_free(&points->items[i].partition);
	}
	memory_free(points->items);
}

enum status reproduce_hypar(struct reproduction *r, struct diagnostic *d)
{
	struct points points = { .items = NULL };
	struct diagnostics problems = { .items = NULL };
	char path[4096], *bytes = NULL;
	size_t length;
	struct records *records;
	enum status status = STATUS_OK;

	*r = (struct reproduction){ .rows = NULL };
	if (!data_find("papers/hypar.csv", path, sizeof path))
		return diagnostic_fail(d, STATUS_INPUT, "the paper's numbers are not found, last tried %s; set WHYPAR_DATA to the program's data folder", path);
	if (file_read(path, &bytes, &length, d) != STATUS_OK)
		return STATUS_INPUT;
	records = records_open(path, "a table of a paper's numbers", bytes, length, fields, COLUMN_COUNT, &problems);
	if (records == NULL)
		status = diagnostics_first_error(&problems, d);
	while (status == STATUS_OK && records_next(records)) {
		status = read_row(r, records, &points, d);
		if (status != STATUS_OK)
			diagnostic_place(d, path, records_line(records), 0);
	}
	records_close(records);
	diagnostics_free(&problems);
	memory_free(bytes);
	free_points(&points);
	return status;
}
