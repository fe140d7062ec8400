/* The inspector of a layer: why it has its type at the focused level, in words, then numbers; then the batch values at which it
 * would change, the levels, and the plain baselines beside the present plan. */
#include "ui/inside.h"

#include "base/units.h"
#include "report/explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLS = 12, NUMBER_COLS = 9, FLIPS_SHOWN = 8 };

/* The help says what they mean; report/ names them alike. */
struct number {
	const char *name;
	enum quantity quantity;
};

static const struct number numbers[] = {
	{ "own", QUANTITY_INTRA }, { "before", QUANTITY_PREV }, { "after", QUANTITY_NEXT }, { "level", QUANTITY_PLAN },
	{ "whole", QUANTITY_FORCED_TOTAL }, { "margin", QUANTITY_MARGIN },
};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static double value_of(const struct why_option *option, enum quantity quantity)
{
	switch (quantity) {
	case QUANTITY_INTRA: return option->intra;
	case QUANTITY_PREV: return option->prev;
	case QUANTITY_NEXT: return option->next;
	case QUANTITY_PLAN: return option->level_cost;
	case QUANTITY_FORCED_TOTAL: return option->whole_cost;
	default: return option->margin;
	}
}

/* Is it what the plan is chosen by, so seconds where time is the objective? */
static bool is_cost(enum quantity quantity)
{
	return quantity == QUANTITY_PLAN || quantity == QUANTITY_FORCED_TOTAL || quantity == QUANTITY_MARGIN;
}

static void put_value(struct explorer *e, int line, int end, const struct why_option *option, const struct number *number)
{
	struct item item = { (int)number->quantity, option->state, e->level, 0, 0 };
	char text[FORMAT_BYTES + 2], value[FORMAT_BYTES];
	double shown = value_of(option, number->quantity);

	if (e->results->plan->objective == OBJECTIVE_TIME && is_cost(number->quantity) && !isnan(shown) && shown != 0)
		units_print_seconds(shown, value, sizeof value);
	else
		format_number(shown, e->ascii, value, sizeof value);
	snprintf(text, sizeof text, "%s%s", number->quantity == QUANTITY_MARGIN && shown > 0 ? "+" : "", value);
	sheet_put_number(&e->inspector.sheet, line, end, option->chosen ? STYLE_STRONG : STYLE_TEXT, text, isnan(shown) ? NULL : &item);
}

static int put_option_name(struct explorer *e, int line, int col, const struct why_option *option)
{
	enum style style;
	char text[32];

	snprintf(text, sizeof text, "%s %s", layers_state_glyph(e, e->row, option->state, &style), state_name(layers_is_junction(e, e->row), option->state));
	return sheet_put(&e->inspector.sheet, line, col, (uint8_t)(option->chosen ? STYLE_ACCENT : STYLE_TEXT), text);
}

/* A joint plan has no best of one level (MODELS 2.5). */
static bool is_known(const struct why *why, const struct number *number)
{
	return number->quantity != QUANTITY_PLAN || !why->whole_plan;
}

/* Of the table: what is exchanged is counted, what is weighed may be time. */
static const char *units_of(const struct explorer *e)
{
	return e->results->plan->objective == OBJECTIVE_TIME ? "el., time" : "elements";
}

/* Beside the view: one column an option. */
static int options_down(struct explorer *e, int line)
{
	const struct why *why = &e->why.why;
	struct sheet *sheet = &e->inspector.sheet;

	sheet_put(sheet, line, 0, STYLE_HEADER, units_of(e));
	for (int i = 0; i < why->option_count; i++) {
		char name[16];

		snprintf(name, sizeof name, "%s", state_name(layers_is_junction(e, e->row), why->options[i].state));
		put_option_name(e, line, NAME_COLS + NUMBER_COLS * (i + 1) - 2 - text_width(name), &why->options[i]);
	}
	line++;
	for (int n = 0; n < NUMBERS; n++) {
		if (!is_known(why, &numbers[n]))
			continue;
		sheet_put(sheet, line, 0, STYLE_DIM, numbers[n].name);
		for (int i = 0; i < why->option_count; i++)
			put_value(e, line, NAME_COLS + NUMBER_COLS * (i + 1), &why->options[i], &numbers[n]);
		line++;
	}
	return line;
}

/* Below the view: one row an option. */
static int options_across(struct explorer *e, int line)
{
	const struct why *why = &e->why.why;
	struct sheet *sheet = &e->inspector.sheet;
	int step = (sheet->cols - NAME_COLS) / NUMBERS < NUMBER_COLS + 2 ? (sheet->cols - NAME_COLS) / NUMBERS : NUMBER_COLS + 2;
	int end = NAME_COLS;

	sheet_put(sheet, line, 0, STYLE_HEADER, units_of(e));
	for (int i = 0; i < why->option_count; i++)
		put_option_name(e, line + 1 + i, 0, &why->options[i]);
	for (int n = 0; n < NUMBERS; n++) {
		if (!is_known(why, &numbers[n]))
			continue;
		end += step;
		sheet_put_number(sheet, line, end, STYLE_HEADER, numbers[n].name, NULL);
		for (int i = 0; i < why->option_count; i++)
			put_value(e, line + 1 + i, end, &why->options[i], &numbers[n]);
	}
	return line + 1 + why->option_count;
}

/* The choice over the whole range of batches, 2^0 to 2^20, a character half an octave or so; the present one below it. */
static int flips_picture(struct explorer *e, int line)
{
	const struct flips *flips = &e->why.why.flips[FLIP_BATCH];
	struct sheet *sheet = &e->inspector.sheet;
	int cols = sheet->cols > 43 ? 41 : 31, here;
	double octaves = log2((double)BATCH_MAX), batch = explorer_value(e, PARAMETER_BATCH);
	char text[64];

	here = (int)lround(log2(batch) / octaves * (cols - 1));
	for (int i = 0; i < cols; i++) {
		enum style style;
		const char *glyph = layers_state_glyph(e, e->row, flips_state(flips, i == here ? batch : floor(exp2(octaves * i / (cols - 1)))), &style);

		sheet_put(sheet, line, i, (uint8_t)(i == here ? style | STYLE_FOCUS : style), glyph);
	}
	line++;
	snprintf(text, sizeof text, "%s%.0f", style_glyph(GLYPH_CARET, e->ascii), batch);
	if (here > 2)
		sheet_put(sheet, line, 0, STYLE_DIM, "1");
	sheet_put(sheet, line, here, STYLE_ACCENT, text);
	if (here + text_width(text) < cols - 4)
		sheet_put(sheet, line, cols - 3, STYLE_DIM, "1Mi");
	return line + 1;
}

static void knob_text(enum flip_knob knob, double value, char *out, size_t size)
{
	if (knob == FLIP_BATCH)
		snprintf(out, size, "%.0f", value);
	else
		units_print_rate(value, out, size);
}

/* The values of a knob with the choice that each has. */
static int segment_lines(struct explorer *e, enum flip_knob knob, int line)
{
	const struct flips *flips = &e->why.why.flips[knob];
	struct sheet *sheet = &e->inspector.sheet;
	double present = explorer_value(e, flip_parameter(knob));
	char text[96], from[40], to[40];

	for (size_t i = 0; i < flips->count && i < FLIPS_SHOWN; i++, line++) {
		const struct flip_segment *segment = &flips->segments[i];
		struct item item = { QUANTITY_FLIP, segment->state, e->level, 0, 0 };
		bool here = present >= (double)segment->from && present <= (double)segment->to;
		enum style style;
		const char *glyph = layers_state_glyph(e, e->row, segment->state, &style);
		int end;

		snprintf(text, sizeof text, "%s %s", glyph, state_name(layers_is_junction(e, e->row), segment->state));
		sheet_put(sheet, line, 0, (uint8_t)(here ? STYLE_ACCENT : STYLE_TEXT), text);
		knob_text(knob, (double)segment->from, from, sizeof from);
		knob_text(knob, (double)segment->to, to, sizeof to);
		snprintf(text, sizeof text, "%s %s %s", from, style_glyph(GLYPH_DASH, e->ascii), to);
		end = 8 + text_width(text);
		sheet_put_number(sheet, line, end, here ? STYLE_STRONG : STYLE_TEXT, text, &item);
		if (here) {
			snprintf(text, sizeof text, knob == FLIP_BATCH ? "%s now %.0f" : "%s now", style_glyph(GLYPH_LEFT, e->ascii), present);
			sheet_put(sheet, line, knob == FLIP_BATCH ? 27 : end + 1, STYLE_ACCENT, text);
		}
	}
	if (flips->count > FLIPS_SHOWN) {
		snprintf(text, sizeof text, "%zu more: see `whypar flips`", flips->count - FLIPS_SHOWN);
		sheet_put(sheet, line++, 0, STYLE_DIM, text);
	}
	return line + 1;
}

static int flips_lines(struct explorer *e, int line)
{
	const struct why *why = &e->why.why;

	if (why->has_flips[FLIP_BATCH] && why->flips[FLIP_BATCH].count > 0) {
		line = sheet_heading(&e->inspector.sheet, line, "choice by batch, exact");
		if (e->layout.beside && why->flips[FLIP_BATCH].count > 1)
			line = flips_picture(e, line);
		line = segment_lines(e, FLIP_BATCH, line);
	}
	if (why->has_flips[FLIP_BANDWIDTH] && why->flips[FLIP_BANDWIDTH].count > 0) {
		line = sheet_heading(&e->inspector.sheet, line, "choice by bandwidth, exact");
		line = segment_lines(e, FLIP_BANDWIDTH, line);
	}
	return line;
}

static int levels_lines(struct explorer *e, int line)
{
	const struct plan *plan = e->results->plan;
	struct sheet *sheet = &e->inspector.sheet;
	char text[FORMAT_BYTES], name[16];

	sheet_put(sheet, line, 0, STYLE_HEADER, "level");
	sheet_put_number(sheet, line, NAME_COLS + NUMBER_COLS, STYLE_HEADER, "a pair", NULL);
	sheet_put_number(sheet, line, NAME_COLS + 2 * NUMBER_COLS, STYLE_HEADER, "pairs", NULL);
	for (int level = 1; level <= plan->levels; level++) {
		struct item item = { QUANTITY_LEVEL, NO_STATE, level, 0, 0 };
		enum style style = level == e->level ? STYLE_STRONG : STYLE_TEXT;

		line++;
		snprintf(name, sizeof name, "H%d", level);
		sheet_put(sheet, line, 0, (uint8_t)(level == e->level ? STYLE_ACCENT : STYLE_TEXT), name);
		format_number(plan->level[level - 1].per_pair, e->ascii, text, sizeof text);
		sheet_put_number(sheet, line, NAME_COLS + NUMBER_COLS, (uint8_t)style, text, &item);
		snprintf(text, sizeof text, "%.0f", plan->level[level - 1].pairs);
		sheet_put_number(sheet, line, NAME_COLS + 2 * NUMBER_COLS, (uint8_t)style, text, NULL);
	}
	return line + 2;
}

/* What plans are chosen by. */
static void plan_cost_text(const struct explorer *e, double elements, double cost, struct scale scale, char *out, size_t size)
{
	if (e->results->plan->objective == OBJECTIVE_TIME)
		units_print_seconds(cost, out, size);
	else
		format_scaled(scale, explorer_bytes(e, elements), out, size);
}

static void baseline_text(const struct explorer *e, const struct baseline_result *baseline, struct scale scale, char *value, char *ratio, size_t size)
{
	ratio[0] = '\0';
	if (baseline->state == FRESH) {
		plan_cost_text(e, baseline->elements, baseline->cost, scale, value, size);
		format_ratio(baseline->ratio, e->ascii, ratio, size);
	} else {
		snprintf(value, size, "%s", baseline->state == COMPUTING ? "..." : "not run");
	}
}

static int baseline_lines(struct explorer *e, int line)
{
	const struct results *r = e->results;
	struct sheet *sheet = &e->inspector.sheet;
	struct item total = { QUANTITY_TOTAL, NO_STATE, 0, 0, 0 };
	char value[FORMAT_BYTES], ratio[FORMAT_BYTES], name[40];
	int first = NAME_COLS + NUMBER_COLS + (r->plan->objective == OBJECTIVE_TIME), second = NAME_COLS + 2 * NUMBER_COLS;

	sheet_put(sheet, line, 0, STYLE_HEADER, "plan");
	snprintf(name, sizeof name, "%s/step", r->plan->objective == OBJECTIVE_TIME ? "time" : e->scale.unit);
	sheet_put_number(sheet, line, first, STYLE_HEADER, name, NULL);
	sheet_put_number(sheet, line++, second, STYLE_HEADER, "to now", NULL);
	plan_cost_text(e, r->plan->elements, r->plan->cost, e->scale, value, sizeof value);
	sheet_put(sheet, line, 0, STYLE_STRONG, "now");
	sheet_put_number(sheet, line++, first, r->plan_state == FRESH ? STYLE_STRONG : STYLE_STALE, value, &total);
	for (int i = 0; i < BASELINE_COUNT; i++, line++) {
		struct item item = { QUANTITY_BASELINE, i, 0, 0, 0 };
		bool known = r->baselines[i].state == FRESH;

		sheet_put(sheet, line, 0, STYLE_DIM, r->baselines[i].name);
		baseline_text(e, &r->baselines[i], e->scale, value, ratio, sizeof value);
		if (known) {
			sheet_put_number(sheet, line, first, STYLE_TEXT, value, &item);
			sheet_put_number(sheet, line, second, STYLE_TEXT, ratio, NULL);
		} else {
			sheet_put_number(sheet, line, second, STYLE_STALE, value, NULL);
		}
		if (known && r->baselines[i].bound < r->baselines[i].cost)
			sheet_put(sheet, line, second + 1, STYLE_DIM, "best found");
	}
	return line + 1;
}

/* Asks anew: other results or another layer. */
static void ask(struct explorer *e)
{
	struct why_pane *pane = &e->why;
	struct diagnostic d;

	if (pane->valid)
		why_free(&pane->why);
	pane->trouble[0] = '\0';
	pane->valid = false;
	if (!layers_has_choice(e, e->row))
		snprintf(pane->trouble, sizeof pane->trouble, "This row was not understood, so it moves nothing and has no choice. :warnings says why.");
	else if (e->results->plan_state == SKIPPED)
		snprintf(pane->trouble, sizeof pane->trouble, "The plan was stopped before it was known; any edit starts it again.");
	else if (e->results->plan == NULL || e->results->plan_state != FRESH)
		snprintf(pane->trouble, sizeof pane->trouble, "The plan is being computed; the answer follows it.");
	else if (e->results->plan->levels == 0)
		snprintf(pane->trouble, sizeof pane->trouble, "One accelerator exchanges nothing: there is no level to choose at. Raise accelerators.");
	else if (study_why(e->study, e->row, e->level, !e->live, &pane->why, &d) == STATUS_OK)
		pane->valid = true;
	else
		snprintf(pane->trouble, sizeof pane->trouble, "%s", d.text);
}

static void build(struct explorer *e, bool beside, int width)
{
	struct why_pane *pane = &e->why;
	struct sheet *sheet = &e->inspector.sheet;
	int line = sheet_wrap(sheet, 0, 0, STYLE_TEXT, pane->valid ? pane->why.sentence : pane->trouble);

	if (beside)
		line++;
	sheet->cols = width;
	if (pane->valid) {
		line = beside ? options_down(e, line) : options_across(e, line);
		line = flips_lines(e, line + 1);
	}
	if (e->results->plan != NULL) {
		line = baseline_lines(e, line);
		if (e->results->plan->levels > 0)
			levels_lines(e, line);
	}
}

static void title(const struct explorer *e, char *out, size_t size)
{
	const struct why_pane *pane = &e->why;

	snprintf(out, size, "why %.40s at H%d%s", e->results->model->operators[e->row].name, e->level,
		pane->valid && pane->why.pinned ? ", pinned" : pane->valid && pane->why.tie ? ", a tie" : "");
}

static int subject(const struct explorer *e)
{
	return e->row < 0 ? -1 : e->row * (LEVELS_MAX + 1) + e->level;
}

static void draw_strip(struct explorer *e, struct rect area)
{
	const struct results *r = e->results;
	const char *times = style_glyph(GLYPH_TIMES, e->ascii);
	char value[FORMAT_BYTES], ratio[FORMAT_BYTES];
	int col = area.col + 1;

	if (area.rows < 1 || r->plan == NULL)
		return;
	snprintf(value, sizeof value, "%s now", times);
	col += cells_put(&e->cells, area, area.row, col + 2, STYLE_HEADER, value) + 2;
	for (int i = 0; i < BASELINE_COUNT; i++) {
		const struct baseline_result *baseline = &r->baselines[i];
		const char *name = baseline->short_name, *shown = value;

		/* Where room is short, the plan that is on the screen anyway is left out. */
		if (area.cols < 90 && baseline->ratio == 1 && baseline->same)
			continue;
		baseline_text(e, baseline, e->scale, value, ratio, sizeof value);
		/* The heading has the sign; where nothing moves, nothing is to be compared. */
		if (baseline->state == FRESH)
			shown = ratio[0] != '\0' ? ratio + strlen(times) : style_glyph(GLYPH_DASH, e->ascii);
		if (col + 3 + text_width(name) + text_width(shown) > area.col + area.cols)
			break;
		col += 2;
		col += cells_put(&e->cells, area, area.row, col, STYLE_DIM, name) + 1;
		col += cells_put(&e->cells, area, area.row, col, STYLE_TEXT, shown);
	}
}

const struct inspection inspect_layer = { subject, ask, build, title, draw_strip };
