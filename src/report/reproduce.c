#include "report/reproduce.h"

#include "base/text.h"
#include "report/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct paper {
	const char *name, *title;
	bool means;              /* what counts is the mean of a source, not each row */
	enum status (*reproduce)(struct reproduction *r, struct diagnostic *d);
} papers[] = {
	{ "hypar", "HyPar's figures (HPCA 2019), by the rules that they follow: whypar-models(7) 2.7", false, reproduce_hypar },
	{ "wham", "WHAM's headline (arXiv 2404.14632), with the program's own budgets: whypar-models(7) 8", false, reproduce_wham },
	{ "megatron", "Measured runs of transformers on clusters, by one set of constants for each GPU and cluster: whypar-models(7) 7", true, reproduce_megatron },
};

void reproduction_free(struct reproduction *r)
{
	memory_free(r->rows);
	arena_free(&r->arena);
	*r = (struct reproduction){ .rows = NULL };
}

void reproduced_judge(struct reproduced *row, double within)
{
	row->within = row->ours_text == NULL && row->theirs_text[0] != '>' && within > 0 ? within : NAN;
	row->error = !isnan(row->theirs) && row->theirs != 0 ? row->ours / row->theirs - 1 : NAN;
	if (row->ours_text != NULL)
		row->reproduced = strcmp(row->ours_text, row->theirs_text) == 0;
	else if (row->theirs_text[0] == '>')     /* a bar cut off at the figure's edge */
		row->reproduced = row->ours > strtod(row->theirs_text + 1, NULL);
	else if (isnan(row->error))
		row->reproduced = row->ours == row->theirs;
	else
		row->reproduced = fabs(row->error) <= within * (1 + 1e-9);
}

/* Absolute errors. */
struct mean {
	size_t count;
	double sum;
};

/* The rows of one source, but for those aside: how many there are, how many are reproduced, how far off they are, and those that were kept out of
 * calibration. */
struct summary {
	size_t rows, within;
	struct mean all, kept_out;
};

static double mean_of(const struct mean *m)
{
	return m->count > 0 ? m->sum / (double)m->count : NAN;
}

static void add_error(struct mean *m, double error)
{
	m->count++;
	m->sum += fabs(error);
}

/* Of the rows from `first` on; returns the first of the next source. */
static size_t sum_up(const struct reproduction *r, size_t first, struct summary *s)
{
	size_t i = first;

	*s = (struct summary){ 0 };
	for (; i < r->count && strcmp(r->rows[i].source, r->rows[first].source) == 0; i++) {
		if (r->rows[i].aside)
			continue;
		s->rows++;
		s->within += r->rows[i].reproduced;
		if (!isnan(r->rows[i].error))
			add_error(&s->all, r->rows[i].error);
		if (!isnan(r->rows[i].error) && r->rows[i].kept_out)
			add_error(&s->kept_out, r->rows[i].error);
	}
	return i;
}

/* ---- JSON ---- */

static json_t *row_json(const struct reproduced *row)
{
	json_t *entry = json_object();

	json_set_text(entry, "source", row->source);
	json_set_text(entry, "item", row->item);
	json_set_text(entry, "quantity", row->quantity);
	if (isnan(row->theirs))
		json_set_text(entry, "theirs", row->theirs_text);
	json_set_number(entry, "theirs", row->theirs);
	if (row->ours_text != NULL)
		json_set_text(entry, "ours", row->ours_text);
	json_set_number(entry, "ours", row->ours);
	json_set_number(entry, "relative_error", row->error);
	json_set_number(entry, "within", row->within);
	json_object_set_new(entry, "reproduced", json_boolean(row->reproduced));
	if (row->aside)
		json_object_set_new(entry, "judged", json_false());
	if (row->kept_out)
		json_object_set_new(entry, "kept_out", json_true());
	if (!row->reproduced && row->note[0] != '\0')
		json_set_text(entry, "note", row->note);
	return entry;
}

static void write_json(const struct paper *paper, const struct reproduction *r, struct text *out)
{
	json_t *root = json_begin(), *rows = json_array(), *summaries = json_array();

	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(rows, row_json(&r->rows[i]));
	for (size_t i = 0; i < r->count; ) {
		json_t *entry = json_object();
		struct summary s;

		json_set_text(entry, "source", r->rows[i].source);
		i = sum_up(r, i, &s);
		json_object_set_new(entry, "rows", json_integer((json_int_t)s.rows));
		json_object_set_new(entry, "within", json_integer((json_int_t)s.within));
		json_set_number(entry, "mean_absolute_error", mean_of(&s.all));
		json_set_number(entry, "mean_absolute_error_kept_out", mean_of(&s.kept_out));
		json_array_append_new(summaries, entry);
	}
	json_set_text(root, "paper", paper->name);
	json_object_set_new(root, "rows", rows);
	json_object_set_new(root, "summary", summaries);
	json_end(root, out);
}

/* ---- text ---- */

static void write_row(const struct reproduced *row, struct text *out)
{
	char ours[32], error[32] = "";

	text_add(out, "  ");
	text_pad(out, row->item, 24);
	if (row->ours_text != NULL) {
		text_printf(out, " %s%s%s\n", row->theirs_text, row->reproduced ? ": the same" : ", ours ", row->reproduced ? "" : row->ours_text);
		return;
	}
	if (isnan(row->ours) && row->aside) {
		text_printf(out, " %8s  not modelled\n", row->theirs_text[0] != '\0' ? row->theirs_text : "none");
		return;
	}
	snprintf(ours, sizeof ours, "%.4g", row->ours);
	if (!isnan(row->error))
		snprintf(error, sizeof error, "%+.2f %%", 100 * row->error);
	text_printf(out, " %8s %9s %9s", row->theirs_text, ours, error);
	text_add(out, row->aside ? "  aside" : row->kept_out ? "  kept out" : "");
	if (!row->aside && !row->reproduced && !isnan(row->within))
		text_printf(out, "  not within %.3g %%", 100 * row->within);
	text_add(out, row->aside || row->reproduced || !isnan(row->within) ? "\n" : "  not reproduced\n");
}

/* Rows that are not reproduced, by their reasons: each once. */
static void write_notes(const struct reproduction *r, struct text *out)
{
	for (size_t i = 0; i < r->count; i++) {
		bool told = r->rows[i].reproduced || r->rows[i].note[0] == '\0';

		for (size_t k = 0; k < i && !told; k++)
			told = !r->rows[k].reproduced && strcmp(r->rows[k].note, r->rows[i].note) == 0;
		if (!told)
			text_printf(out, "%s, %s: %s\n", r->rows[i].source, r->rows[i].quantity, r->rows[i].note);
	}
}

static void write_text(const struct paper *paper, const struct reproduction *r, struct text *out)
{
	size_t within = 0, judged = 0;
	char head[80];

	for (size_t i = 0; i < r->count; ) {
		struct summary s;
		size_t next = sum_up(r, i, &s);

		within += s.within;
		judged += s.rows;
		snprintf(head, sizeof head, "%s: %zu of %zu reproduced", r->rows[i].source, s.within, s.rows);
		text_pad(out, head, 28);
		text_add(out, r->rows[i].ours_text != NULL ? "\n" : " theirs      ours difference\n");
		for (const char *quantity = ""; i < next; i++) {
			if (strcmp(quantity, r->rows[i].quantity) != 0)
				text_printf(out, " %s\n", r->rows[i].quantity);
			quantity = r->rows[i].quantity;
			write_row(&r->rows[i], out);
		}
		if (s.all.count > 0 && s.kept_out.count > 0)
			text_printf(out, "  mean absolute error %.2f %%; of the %zu that were kept out of calibration %.2f %%\n", 100 * mean_of(&s.all), s.kept_out.count, 100 * mean_of(&s.kept_out));
		else if (s.all.count > 0 && paper->means)
			text_printf(out, "  mean absolute error %.2f %%\n", 100 * mean_of(&s.all));
		text_add(out, "\n");
	}
	write_notes(r, out);
	text_printf(out, "%zu of %zu reproduced.  %s\n", within, judged, paper->title);
}

enum status report_reproduce(const char *name, enum report_form form, struct text *out, struct diagnostic *d)
{
	const char *names[sizeof papers / sizeof *papers];
	const struct paper *paper = NULL;
	struct reproduction r;
	enum status status;
	int near;

	for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) {
		names[i] = papers[i].name;
		if (strcmp(papers[i].name, name) == 0)
			paper = &papers[i];
	}
	if (paper == NULL) {
		near = text_nearest(name, names, sizeof papers / sizeof *papers);
		return diagnostic_fail(d, STATUS_USAGE, "no paper \"%.60s\" to reproduce%s%s; there are: hypar, wham, megatron", name, near >= 0 ? ", did you mean " : "", near >= 0 ? names[near] : "");
	}
	status = paper->reproduce(&r, d);
	if (status == STATUS_OK && form == REPORT_JSON)
		write_json(paper, &r, out);
	else if (status == STATUS_OK)
		write_text(paper, &r, out);
	reproduction_free(&r);
	return status;
}
