#include "study/sweep.h"

#include "base/csv.h"
#include "base/files.h"
#include "base/memory.h"
#include "study/commands.h"
#include "study/words.h"

#include <math.h>
#include <string.h>

/* ---- the table ---- */

/* Of every name and value with its end; no value holds a line feed, which ends cells and rows. */
static void mark(struct sweep_grid *g, const char *text)
{
	g->mark = text_hash(g->mark, text, strlen(text) + 1);
}

static enum status wrong(const char *path, unsigned long line, size_t column, struct diagnostic *d)
{
	diagnostic_place(d, path, line, (unsigned long)column + 1);
	return STATUS_INPUT;
}

static enum status read_header(const char *path, const struct csv_row *row, struct sweep_grid *g, struct diagnostic *d)
{
	g->model_column = -1;
	if (row->count > SWEEP_COLUMNS_MAX) {
		diagnostic_fail(d, STATUS_INPUT, "%zu columns, at most %d", row->count, SWEEP_COLUMNS_MAX);
		return wrong(path, row->line, 0, d);
	}
	for (size_t i = 0; i < row->count; i++) {
		const char *name = row->cells[i].text;
		enum parameter_id id;

		if (strcmp(name, "model") == 0) {
			g->model_column = (int)i;
		} else {
			id = parameter_find(name, d);
			if (id == PARAMETER_COUNT && strcmp(name, "network") != 0)
				return wrong(path, row->line, i, d);
			if (id != PARAMETER_COUNT && parameter_at(id)->scope == SCOPE_SCREEN) {
				diagnostic_fail(d, STATUS_INPUT, "%s is of the screen; points differ by parameters of the study", name);
				return wrong(path, row->line, i, d);
			}
		}
		for (int k = 0; k < g->column_count; k++)
			if (strcmp(g->columns[k], name) == 0) {
				diagnostic_fail(d, STATUS_INPUT, "a second column %s", name);
				return wrong(path, row->line, i, d);
			}
		g->columns[g->column_count++] = arena_copy_text(&g->arena, name, strlen(name));
		mark(g, name);
	}
	mark(g, "\n");
	if (g->model_column >= 0)
		return STATUS_OK;
	diagnostic_fail(d, STATUS_INPUT, "there is no column model");
	return wrong(path, row->line, 0, d);
}

/* Checks a value by itself; whether values go together is seen when a point is evaluated.  Empty: as it is set for all. */
static enum status check_value(const struct sweep_grid *g, int column, const char *text, struct diagnostic *d)
{
	enum parameter_id id;
	double value;

	if (column == g->model_column)
		return text[0] != '\0' ? STATUS_OK : diagnostic_fail(d, STATUS_INPUT, "no model");
	id = parameter_find(g->columns[column], NULL);
	if (text[0] == '\0' || id == PARAMETER_COUNT || id == PARAMETER_TOPOLOGY)
		return STATUS_OK;
	return parameter_parse(id, text, &value, d) == STATUS_OK ? STATUS_OK : STATUS_INPUT;
}

static enum status read_cell(const char *path, struct sweep_grid *g, int column, unsigned long line, const char *text, struct sweep_cell *cell, struct diagnostic *d)
{
	int count = 1;
	const char **values;
	char clean[4096];

	for (const char *c = text; *c != '\0'; c++)
		count += *c == '|';
	if (count > SWEEP_VALUES_MAX) {
		diagnostic_fail(d, STATUS_INPUT, "%d values in one cell, at most %d", count, SWEEP_VALUES_MAX);
		return wrong(path, line, (size_t)column, d);
	}
	values = arena_alloc(&g->arena, (size_t)count, sizeof *values);
	for (int i = 0; i < count; i++) {
		size_t length = strcspn(text, "|"), from = strspn(text, " "), to = length;

		while (to > from && text[to - 1] == ' ')
			to--;
		values[i] = arena_copy_text(&g->arena, clean, text_sanitize(clean, sizeof clean, text + (from < to ? from : to), from < to ? to - from : 0));
		mark(g, values[i]);
		if (check_value(g, column, values[i], d) != STATUS_OK)
			return wrong(path, line, (size_t)column, d);
		text += length + 1;
	}
	mark(g, "\n");
	*cell = (struct sweep_cell){ values, count };
	return STATUS_OK;
}

static enum status read_row(const char *path, const struct csv_row *row, struct sweep_grid *g, size_t *capacity, struct diagnostic *d)
{
	struct sweep_cell *cells = arena_alloc(&g->arena, (size_t)g->column_count, sizeof *cells);
	int64_t points = 1;

	if (row->count != (size_t)g->column_count) {
		diagnostic_fail(d, STATUS_INPUT, "%zu cells, and the header has %d; an empty cell, with its comma, leaves what is set for all points", row->count, g->column_count);
		return wrong(path, row->line, row->count < (size_t)g->column_count ? row->count - 1 : (size_t)g->column_count, d);
	}
	for (int i = 0; i < g->column_count; i++) {
		if (read_cell(path, g, i, row->line, row->cells[i].text, &cells[i], d) != STATUS_OK)
			return STATUS_INPUT;
		if (points > SWEEP_POINTS_MAX / cells[i].count || g->points + points * cells[i].count > SWEEP_POINTS_MAX) {
			diagnostic_fail(d, STATUS_INPUT, "more than %lld points in all", (long long)SWEEP_POINTS_MAX);
			return wrong(path, row->line, (size_t)i, d);
		}
		points *= cells[i].count;
	}
	mark(g, "\n");
	g->rows = memory_grow(g->rows, capacity, (size_t)g->row_count + 1, sizeof *g->rows);
	g->rows[g->row_count++] = (struct sweep_row){ cells, g->points };
	g->points += points;
	return STATUS_OK;
}

enum status sweep_read(const char *path, const char *bytes, size_t length, struct sweep_grid *g, struct diagnostic *d)
{
	struct csv_reader *r = csv_open(bytes, length, (struct csv_options){ .quotes = true, .comments = true });
	struct csv_row row;
	enum csv_event event;
	enum status status = STATUS_OK;
	size_t capacity = 0;

	*g = (struct sweep_grid){ .mark = TEXT_HASH_START };
	while (status == STATUS_OK && (event = csv_next(r, &row, d)) != CSV_EVENT_END) {
		if (event == CSV_EVENT_BAD) {
			diagnostic_place(d, path, row.line, 0);
			status = STATUS_INPUT;
		} else {
			status = g->column_count == 0 ? read_header(path, &row, g, d) : read_row(path, &row, g, &capacity, d);
		}
	}
	csv_close(r);
	if (status == STATUS_OK && g->points == 0)
		status = diagnostic_fail(d, STATUS_INPUT, "%.200s: no points; a header with model and parameters, and a row for each point or set of points", path);
	return status;
}

enum status sweep_load(const char *path, const struct document *base, struct sweep_grid *g, struct diagnostic *d)
{
	char *bytes;
	size_t length;
	enum status status = file_read(path, &bytes, &length, d);

	*g = (struct sweep_grid){ .points = 0 };
	if (status == STATUS_OK)
		status = sweep_read(path, bytes, length, g, d);
	memory_free(bytes);
	if (status == STATUS_OK)
		sweep_mark(g, base);
	return status;
}

void sweep_grid_free(struct sweep_grid *g)
{
	memory_free(g->rows);
	arena_free(&g->arena);
	*g = (struct sweep_grid){ .points = 0 };
}

/* ---- a point ---- */

/* The row that a point is of, and which of its values each cell has. */
static const struct sweep_row *place_of(const struct sweep_grid *g, int64_t point, int digits[SWEEP_COLUMNS_MAX])
{
	int low = 0, high = g->row_count - 1;

	while (low < high) {
		int middle = (low + high + 1) / 2;

		if (g->rows[middle].first <= point)
			low = middle;
		else
			high = middle - 1;
	}
	point -= g->rows[low].first;
	for (int i = g->column_count - 1; i >= 0; i--) {
		digits[i] = (int)(point % g->rows[low].cells[i].count);
		point /= g->rows[low].cells[i].count;
	}
	return &g->rows[low];
}

/* What a point's results are, in the order of their columns: name, value. */
#define RESULTS(X) \
	X("step_s", whole ? r->run.seconds : r->step_s) \
	X("compute_s", whole ? r->run.forward + r->run.backward + r->run.recompute : r->compute_s) \
	X("comm_exposed_s", whole ? r->run.collectives + r->run.transfers + r->run.gradients : r->plan->levels > 0 ? r->comm_exposed_s : 0) \
	X("bubble_s", whole ? r->run.bubble : 0) \
	X("samples_per_s", document->values[PARAMETER_BATCH] / (whole ? r->run.seconds : r->step_s)) \
	X("comm_bytes", r->plan->elements * r->element_bytes) \
	X("energy_j", r->energy_j) \
	X("memory_bytes", r->stage_count > 0 ? r->run.memory.total : NAN) \
	X("area_mm2", r->area.total) \
	X("tdp_w", r->power.total)

void sweep_header(const struct sweep_grid *g, struct text *out)
{
	text_add(out, "point");
	for (int i = 0; i < g->column_count; i++)
		text_printf(out, ",%s", g->columns[i]);
#define X(name, value) text_add(out, "," name);
	RESULTS(X)
#undef X
	text_add(out, ",fits,error\n");
}

static void add_number(struct text *out, double value)
{
	if (isfinite(value))
		text_printf(out, ",%.12g", value);
	else
		text_add(out, ",");
}

static void add_results(struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	const struct document *document = study_document(study);
	bool whole = r->run_trouble[0] == '\0' && !r->run_plain;

#define X(name, value) add_number(out, value);
	RESULTS(X)
#undef X
	text_add(out, r->stage_count == 0 ? "," : study_fits(r, NULL) == STATUS_OK ? ",yes" : ",no");
}

/* Sets what the point has, on top of what all have. */
static enum status set_point(struct study *study, const struct document *base, const struct sweep_grid *g, const struct sweep_row *row, const int *digits, struct diagnostic *d)
{
	struct document next;
	const char *model = row->cells[g->model_column].values[digits[g->model_column]];
	enum status status;

	document_copy(&next, base);
	memory_free(next.model);
	next.model = memory_copy_text(model, strlen(model));
	status = study_edit(study, &next, "point", d);
	for (int i = 0; i < g->column_count && status == STATUS_OK; i++) {
		const char *value = row->cells[i].values[digits[i]];
		struct text line = { 0 }, word = { 0 };

		if (i == g->model_column || value[0] == '\0')
			continue;
		text_printf(&word, "%s=%s", g->columns[i], value);
		text_add(&line, "set ");
		words_quote(&line, text_string(&word));
		status = command_run(study, NULL, text_string(&line), d);
		text_free(&word);
		text_free(&line);
	}
	study_start(study);
	return status;
}

void sweep_evaluate(struct study *study, const struct document *base, const struct sweep_grid *g, int64_t point, struct text *out)
{
	int digits[SWEEP_COLUMNS_MAX];
	const struct sweep_row *row = place_of(g, point, digits);
	struct diagnostic d = { .text = "" };
	enum status status = set_point(study, base, g, row, digits, &d);
	const struct results *r;

	text_printf(out, "%lld", (long long)point);
	for (int i = 0; i < g->column_count; i++) {
		text_add(out, ",");
		csv_write_cell(out, row->cells[i].values[digits[i]]);
	}
	if (status == STATUS_OK)
		study_settle_plan(study);
	r = study_results(study);
	if (status == STATUS_OK && r->step == NULL)
		status = diagnostic_fail(&d, STATUS_INPUT, "%.600s", r->step_trouble);
	if (status == STATUS_OK && r->topology_trouble[0] != '\0' && !r->on_cluster)
		status = diagnostic_fail(&d, STATUS_INPUT, "%.600s", r->topology_trouble);
	if (status == STATUS_OK && r->run_trouble[0] != '\0')
		status = diagnostic_fail(&d, STATUS_INPUT, "%.600s", r->run_trouble);
	if (status == STATUS_OK) {
		add_results(study, out);
		text_add(out, ",\n");
		return;
	}
#define X(name, value) text_add(out, ",");
	RESULTS(X)
#undef X
	text_add(out, ",,");
	csv_write_cell(out, d.text);
	text_add(out, "\n");
}
