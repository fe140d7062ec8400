/* The inspector of an operator: why it runs when it does and takes as long, in words, then numbers; what one more core of each kind
 * would save; its loops on the array. */
#include "ui/inside.h"

#include "base/units.h"
#include "report/explain.h"
#include "report/operator.h"
#include "report/ops.h"
#include "ui/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_END = 24 };

static int subject(const struct explorer *e)
{
	return path_focused(e) < 0 ? -1 : e->path.node;
}

static void ask(struct explorer *e)
{
	text_clear(&e->path.sentence);
	operator_sentence(e->study, e->path.node, &e->path.sentence);
}

static int put_seconds(struct explorer *e, int line, const char *name, double seconds, const struct item *item)
{
	char text[32];

	sheet_put(&e->inspector.sheet, line, 0, STYLE_DIM, name);
	units_print_seconds(seconds, text, sizeof text);
	sheet_put_number(&e->inspector.sheet, line, NUMBER_END, STYLE_TEXT, text, item);
	return line + 1;
}

static int put_text(struct explorer *e, int line, const char *name, const char *text, const struct item *item)
{
	sheet_put(&e->inspector.sheet, line, 0, STYLE_DIM, name);
	sheet_put_number(&e->inspector.sheet, line, NUMBER_END, STYLE_TEXT, text, item);
	return line + 1;
}

static int numbers(struct explorer *e, int line)
{
	const struct step *step = e->results->step;
	const struct step_node *n = &step->nodes[e->path.node];
	const struct step_task *t = &step->tasks[n->task];
	const struct timing *timing = step_timing(t);
	const struct task_bounds *b = &step->bounds.tasks[n->task];
	struct item item = { .state = e->path.node };
	struct text fused = { 0 };
	char text[64];

	item.quantity = QUANTITY_TIME;
	line = put_seconds(e, line, "time", t->seconds, &item);
	item.quantity = QUANTITY_CYCLES;
	line = put_seconds(e, line, "  compute", timing->compute_s, &item);
	item.quantity = QUANTITY_TRAFFIC;
	line = put_seconds(e, line, "  memory", timing->memory_s, &item);
	units_print_bytes(timing->bytes, text, sizeof text);
	line = put_text(e, line, "  bytes", text, &item);
	if (n->gemm_count > 0) {
		item.quantity = QUANTITY_UTILISATION;
		snprintf(text, sizeof text, "%.1f %%", 100 * timing->utilisation);
		line = put_text(e, line, "multipliers busy", text, &item);
		snprintf(text, sizeof text, "%.3g", timing_intensity(timing->macs, timing->bytes));
		line = put_text(e, line, "FLOP a byte", text, NULL);
	}
	line = put_seconds(e, line, "start", step->schedule.tasks[n->task].start, NULL);
	line = put_seconds(e, line, "  earliest", b->asap, NULL);
	line = put_seconds(e, line, "  latest", b->alap, NULL);
	ops_fused(e->results->training, step, n->task, &fused);
	if (fused.length > 0) {
		sheet_put(&e->inspector.sheet, line, 0, STYLE_DIM, "fused");
		line = sheet_wrap(&e->inspector.sheet, line, 9, STYLE_TEXT, text_string(&fused));
	}
	text_free(&fused);
	return line + 1;
}

/* What one more core of each kind would save: of the step, and of this operator's end. */
static int more_cores(struct explorer *e, int line)
{
	const struct step *step = e->results->step;
	const struct whatif *w = study_whatif(e->study);
	struct sheet *sheet = &e->inspector.sheet;
	char text[FORMAT_BYTES];
	int chosen = whatif_best(w, step);

	sheet_put(sheet, line, 0, STYLE_HEADER, "with");
	sheet_put_number(sheet, line, NUMBER_END - 8, STYLE_HEADER, "step", NULL);
	sheet_put_number(sheet, line++, NUMBER_END + 4, STYLE_HEADER, "its end", NULL);
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		double now = step->schedule.makespan, end = step_node_end(step, e->path.node);

		if (w->more[r] == NULL)
			continue;
		snprintf(text, sizeof text, "+1 %s", resource_lane((enum resource)r));
		sheet_put(sheet, line, 0, r == chosen ? STYLE_STRONG : STYLE_DIM, text);
		format_change(now - whatif_saves(w, step, (enum resource)r), now, e->ascii, text, sizeof text);
		sheet_put_number(sheet, line, NUMBER_END - 8, r == chosen ? STYLE_STRONG : STYLE_TEXT, text[0] != '\0' ? text : "=", NULL);
		format_change(end - whatif_node_saves(w, step, e->path.node, (enum resource)r), end, e->ascii, text, sizeof text);
		sheet_put_number(sheet, line, NUMBER_END + 4, STYLE_TEXT, text[0] != '\0' ? text : "=", NULL);
		if (r == chosen)
			sheet_put(sheet, line, NUMBER_END + 6, STYLE_ACCENT, sheet->cols >= NUMBER_END + 24 ? "change this first" : "first");
		line++;
	}
	return line + 1;
}

static int loops(struct explorer *e, int line)
{
	struct text out = { 0 };
	const char *at;

	operator_loops(e->results, e->path.node, &out);
	for (at = text_string(&out); *at != '\0'; line++) {
		size_t length = strcspn(at, "\n");
		char text[160];
		bool heading = strchr("bMo", at[0]) != NULL && length > 0;

		snprintf(text, sizeof text, "%.*s", (int)length, at);
		sheet_put(&e->inspector.sheet, line, 0, heading ? STYLE_HEADER : STYLE_TEXT, text);
		at += length + (at[length] == '\n');
	}
	text_free(&out);
	return line;
}

static void build(struct explorer *e, bool beside, int width)
{
	struct sheet *sheet = &e->inspector.sheet;
	int line = sheet_wrap(sheet, 0, 0, STYLE_TEXT, text_string(&e->path.sentence)) + beside;

	sheet->cols = width;
	line = numbers(e, line);
	line = more_cores(e, line);
	loops(e, line);
}

static void title(const struct explorer *e, char *out, size_t size)
{
	struct text label = { 0 };

	ops_label(e->results->training, e->results->step, e->results->step->nodes[e->path.node].task, &label);
	snprintf(out, size, "why %.60s", text_string(&label));
	text_free(&label);
}

/* What the accelerator is: area, power, energy of a step. */
static void strip(struct explorer *e, struct rect area)
{
	const struct results *r = e->results;
	char text[200], peak[32], energy[48] = "";

	if (r->accelerator == NULL)
		return;
	units_print_si(machine_peak_ops(&r->machine), 3, peak, sizeof peak);
	if (!isnan(r->energy_j)) {
		char joules[24];

		if (r->energy_j < 1)
			snprintf(joules, sizeof joules, "%.3g ", r->energy_j);
		else
			units_print_si(r->energy_j, 3, joules, sizeof joules);
		snprintf(energy, sizeof energy, "  %s%sJ a step", joules, strchr(joules, ' ') != NULL ? "" : " ");
	}
	snprintf(text, sizeof text, "%s  %sOP/s  %.3g mm2 cores and buffer  %.3g W%s", r->accelerator->name, peak, r->area.total, r->power.total, energy);
	if (r->second != NULL && r->step != NULL) {
		units_print_seconds(r->second_s, peak, sizeof peak);
		snprintf(text, sizeof text, "first half, %.3g %% of the work, shown; second half of %s: %s", 100 * r->first_share, r->second->name, peak);
	}
	cells_put(&e->cells, area, area.row, area.col + 3, STYLE_DIM, text);
}

const struct inspection inspect_operator = { subject, ask, build, title, strip };
