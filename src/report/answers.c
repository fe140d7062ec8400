/* Answers about one choice, as text and as JSON: why, its flips, its phase map. */
#include "base/units.h"
#include "report/forms.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

static const char *si(double value, char out[32])
{
	if (isnan(value))
		return "-";
	units_print_si(value, 4, out, 32);
	return out;
}

const char *answers_amount(enum objective objective, double value, char out[40])
{
	if (objective != OBJECTIVE_TIME || value == 0)
		return si(value, out);
	units_print_seconds(value, out, 40);
	return out;
}

void answers_flip(enum flip_knob knob, bool junction, const struct flip_segment *s, struct text *out)
{
	const struct parameter *p = parameter_at(flip_parameter(knob));
	char from[40], to[40];

	units_print(p->unit, (double)s->from, from, sizeof from);
	units_print(p->unit, (double)s->to, to, sizeof to);
	text_printf(out, "%s for %s %s to %s\n", state_name(junction, s->state), p->name, from, to);
}

void report_why_text(const struct why *why, struct text *out)
{
	bool joint = why->whole_plan;
	char a[32], b[32], c[32], d[40], e[40], f[40];

	text_printf(out, "%s\n\n", why->sentence);
	text_printf(out, "elements          own    before     after  %s\n", joint ? "       whole    margin" : "     level       whole    margin");
	for (int i = 0; i < why->option_count; i++) {
		const struct why_option *o = &why->options[i];

		text_printf(out, "%s %-9s %9s %9s %9s  ", o->chosen ? ">" : " ", state_name(why->junction, o->state), si(o->intra, a), si(o->prev, b), si(o->next, c));
		if (joint)
			text_printf(out, "%12s %9s\n", answers_amount(why->objective, o->whole_cost, d), answers_amount(why->objective, o->margin, e));
		else
			text_printf(out, "%10s %11s %9s\n", answers_amount(why->objective, o->level_cost, d), answers_amount(why->objective, o->whole_cost, e), answers_amount(why->objective, o->margin, f));
	}
	text_printf(out, "own, before and after: one pair at H%d, exchange of the layer itself, of its inputs, of its outputs\n%s"
		"whole: the step, this choice forced and deeper levels solved anew; margin: loss against the present %s\n", why->level,
		joint ? "" : "level: the level's best plan with this choice forced, one pair\n", joint ? "plan" : "level");
	if (!why->has_flips[FLIP_BATCH])
		text_add(out, why->exact ? "\nflips by batch take long here: `whypar flips` finds them\n" : "\nno flip is exact where plans are only bounded\n");
	for (int knob = 0; knob < FLIP_KNOB_COUNT; knob++)
		for (size_t i = 0; i < why->flips[knob].count; i++) {
			text_add(out, i == 0 ? "\n" : "");
			answers_flip((enum flip_knob)knob, why->junction, &why->flips[knob].segments[i], out);
		}
}

void report_flips_text(const struct study *study, int row, int level, enum flip_knob knob, const struct flips *flips, struct text *out)
{
	const struct results *r = study_results(study);

	const struct parameter *p = parameter_at(flip_parameter(knob));
	char from[40], to[40];

	text_printf(out, "%s at H%d, by %s:\n", r->model->operators[row].name, level, p->name);
	for (size_t i = 0; i < flips->count; i++) {
		units_print(p->unit, (double)flips->segments[i].from, from, sizeof from);
		units_print(p->unit, (double)flips->segments[i].to, to, sizeof to);
		text_printf(out, "  %7s .. %-7s  %s\n", from, to, state_name(r->plan->junction[row], flips->segments[i].state));
	}
}

static json_t *option_json(const struct why *why, const struct why_option *o)
{
	json_t *option = json_object();

	json_set_text(option, "type", state_name(why->junction, o->state));
	json_set_number(option, "intra_elements", o->intra);
	json_set_number(option, "inter_prev_elements", o->prev);
	json_set_number(option, "inter_next_elements", o->next);
	json_set_number(option, "plan_elements", o->level_elements);
	json_set_number(option, "total_elements", o->whole_elements);
	if (why->objective != OBJECTIVE_TIME) {
		json_set_number(option, "margin_elements", o->margin);
		return option;
	}
	json_set_number(option, "plan_s", o->level_cost);
	json_set_number(option, "total_s", o->whole_cost);
	json_set_number(option, "margin_s", o->margin);
	return option;
}

void report_why_json(const struct study *study, const struct why *why, struct text *out)
{
	const struct operator *o = &study_results(study)->model->operators[why->row];
	json_t *root = json_begin(), *options = json_array(), *flips = json_array();

	json_set_text(root, "layer", o->name);
	json_object_set_new(root, "row", json_integer(why->row + 1));
	json_object_set_new(root, "level", json_integer(why->level));
	json_set_text(root, "choice", state_name(why->junction, why->state));
	json_object_set_new(root, "pinned", json_boolean(why->pinned));
	json_object_set_new(root, "tie", json_boolean(why->tie));
	for (int i = 0; i < why->option_count; i++)
		json_array_append_new(options, option_json(why, &why->options[i]));
	json_object_set_new(root, "options", options);
	for (int knob = 0; knob < FLIP_KNOB_COUNT; knob++)
		for (size_t i = 1; i < why->flips[knob].count; i++) {
			const struct flip_segment *s = &why->flips[knob].segments[i];
			json_t *flip = json_object();

			json_set_text(flip, "knob", parameter_at(flip_parameter((enum flip_knob)knob))->name);
			json_object_set_new(flip, "value", json_integer(s->from));
			json_set_text(flip, "from", state_name(why->junction, s[-1].state));
			json_set_text(flip, "to", state_name(why->junction, s->state));
			json_array_append_new(flips, flip);
		}
	if (why->has_flips[FLIP_BATCH])
		json_object_set_new(root, "flips", flips);
	else
		json_decref(flips);
	json_object_set_new(root, "exact", json_boolean(why->exact));
	json_set_text(root, "sentence", why->sentence);
	json_end(root, out);
}

static json_t *segments_json(const struct flips *flips, bool junction)
{
	json_t *segments = json_array();

	for (size_t i = 0; i < flips->count; i++) {
		json_t *segment = json_object();

		json_object_set_new(segment, "from", json_integer(flips->segments[i].from));
		json_object_set_new(segment, "to", json_integer(flips->segments[i].to));
		json_set_text(segment, "choice", state_name(junction, flips->segments[i].state));
		json_array_append_new(segments, segment);
	}
	return segments;
}

void report_flips_json(const struct study *study, int row, int level, enum flip_knob knob, const struct flips *flips, struct text *out)
{
	const struct results *r = study_results(study);
	json_t *root = json_begin();

	json_set_text(root, "layer", r->model->operators[row].name);
	json_object_set_new(root, "row", json_integer(row + 1));
	json_set_text(root, "knob", parameter_at(flip_parameter(knob))->name);
	json_object_set_new(root, "level", json_integer(level));
	json_object_set_new(root, "segments", segments_json(flips, r->plan->junction[row]));
	json_end(root, out);
}

/* What a cell of the map says at the question's level. */
static char phase_letter(const struct phase *phase, bool junction, int x, int y)
{
	int state = phase_state(phase, x, y, phase->question.level);

	return state >= 0 ? state_name(junction, state)[0] : state == PHASE_UNSOLVED ? '?' : state == PHASE_IMPOSSIBLE ? '!' : '.';
}

/* One character a cell. */
void report_phase_text(const struct study *study, const struct phase *phase, struct text *out)
{
	const struct results *r = study_results(study);
	bool junction = r->plan->junction[phase->question.row];
	char first[256], last[256];

	phase_print(study_document(study), &phase->x, 0, first, sizeof first);
	phase_print(study_document(study), &phase->x, phase->x.count - 1, last, sizeof last);
	text_printf(out, "%s: choice at H%d, by %s (rows) and %s (columns, %s to %s, * = now)\n\n", r->model->operators[phase->question.row].name, phase->question.level,
		parameter_at(phase->y.id)->name, parameter_at(phase->x.id)->name, first, last);
	for (int y = phase->y.count - 1; y >= 0; y--) {
		phase_print(study_document(study), &phase->y, y, first, sizeof first);
		text_pad(out, first, -14);
		text_add(out, y == phase->y.present ? " *" : "  ");
		for (int x = 0; x < phase->x.count; x++)
			text_printf(out, "%c", phase_letter(phase, junction, x, y));
		text_add(out, "\n");
	}
	text_printf(out, "%*s\n%s; . = no such level, ? = not evaluated, ! = no such topology\n", 17 + phase->x.present, "*", junction ? "r row, c col, f full" : "d dp, m mp, o op");
	if (phase->lines == NULL)
		return;
	text_printf(out, "\nexact, along %s:\n", parameter_at(phase->x.id)->name);
	for (int y = phase->y.count - 1; y >= 0; y--) {
		phase_print(study_document(study), &phase->y, y, first, sizeof first);
		if (phase->lines[y].count < 2)
			continue;
		text_pad(out, first, -14);
		for (size_t i = 0; i < phase->lines[y].count; i++) {
			const struct flip_segment *s = &phase->lines[y].segments[i];

			units_print(parameter_at(phase->x.id)->unit, (double)s->from, last, sizeof last);
			text_printf(out, i == 0 ? "  %s" : ", %s from %s", state_name(junction, s->state), last);
		}
		text_add(out, "\n");
	}
}

static json_t *axis_json(const struct study *study, const struct phase_axis *axis)
{
	json_t *object = json_object(), *values = json_array();
	const struct parameter *p = parameter_at(axis->id);

	json_set_text(object, "knob", p->name);
	for (int i = 0; i < axis->count; i++) {
		char word[256];

		phase_print(study_document(study), axis, i, word, sizeof word);
		json_array_append_new(values, p->unit == UNIT_CHOICE ? json_string(word) : json_number(axis->values[i]));
	}
	json_object_set_new(object, "values", values);
	json_object_set_new(object, "present", json_integer(axis->present));
	return object;
}

static json_t *cell_json(const struct phase *phase, bool junction, int x, int y)
{
	json_t *choices = json_array();

	for (int level = 1; level <= LEVELS_MAX && phase_state(phase, x, y, level) >= 0; level++)
		json_array_append_new(choices, json_string(state_name(junction, phase_state(phase, x, y, level))));
	return choices;
}

void report_phase_json(const struct study *study, const struct phase *phase, struct text *out)
{
	const struct results *r = study_results(study);
	bool junction = r->plan->junction[phase->question.row];
	json_t *root = json_begin(), *rows = json_array();

	json_set_text(root, "layer", r->model->operators[phase->question.row].name);
	json_object_set_new(root, "row", json_integer(phase->question.row + 1));
	json_object_set_new(root, "level", json_integer(phase->question.level));
	json_object_set_new(root, "x", axis_json(study, &phase->x));
	json_object_set_new(root, "y", axis_json(study, &phase->y));
	for (int y = 0; y < phase->y.count; y++) {
		json_t *row = json_object(), *cells = json_array();

		for (int x = 0; x < phase->x.count; x++)
			json_array_append_new(cells, cell_json(phase, junction, x, y));
		json_object_set_new(row, "choices", cells);
		if (phase->lines != NULL && phase->lines[y].count > 0)
			json_object_set_new(row, "segments", segments_json(&phase->lines[y], junction));
		json_array_append_new(rows, row);
	}
	json_object_set_new(root, "rows", rows);
	json_end(root, out);
}
