/* The answer in words.  Everything said is in the numbers of struct why; nothing is computed here but differences. */
#include "partition/why.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

static const char *state_word(const struct why *why, int state)
{
	return state_name(why->junction, state);
}

#define MINUS "\xE2\x88\x92"
#define NO_BREAK "\xC2\xA0"       /* a line does not end between a number and its unit */

/* A printed amount, its unit held to it. */
static const char *unbroken(const char *plain, char out[40])
{
	const char *space = strchr(plain, ' ');

	if (space == NULL)
		snprintf(out, 40, "%s", plain);
	else
		snprintf(out, 40, "%.*s" NO_BREAK "%s", (int)(space - plain), plain, space + 1);
	return out;
}

static const char *bytes_of(const struct why_context *c, double elements, char out[40])
{
	char plain[36];

	units_print_bytes(elements * c->element_bytes, plain, sizeof plain);
	return unbroken(plain, out);
}

/* What the plan is chosen by: bytes that an amount of elements is on the wire, or seconds. */
static const char *amount_of(const struct why_context *c, const struct why *why, double cost, char out[40])
{
	char plain[36];

	if (why->objective != OBJECTIVE_TIME)
		return bytes_of(c, cost, out);
	units_print_seconds(cost, plain, sizeof plain);
	return unbroken(plain, out);
}

/* What a type sums or gathers inside the layer, as a noun phrase. */
static const char *own_exchange(const struct problem_var *var, int state)
{
	if (state == SPLIT_DP)
		return "summing \xCE\x94W";
	if (state == SPLIT_MP)
		return var->role == ROLE_GROUPED ? NULL : "summing its output";
	return var->role == ROLE_EMBEDDING ? NULL : "summing the error of its input";
}

static void say_own(const struct why_context *c, const struct problem_var *var, const struct why_option *o, bool chosen, struct text *out)
{
	const char *what = own_exchange(var, o->state);
	char bytes[40];

	if (what == NULL)
		text_printf(out, "%s sums nothing", split_name((enum split)o->state));
	else
		text_printf(out, "%s %s %s%s", what, chosen ? "moves" : "would move", bytes_of(c, o->intra, bytes),
			o->state == SPLIT_MP && c->request->pooled && var->output != var->conv_output ? " (pooled)" : "");
}

/* The cheapest option that is not the chosen one; NULL when there is none. */
static const struct why_option *best_other(const struct why *why)
{
	const struct why_option *best = NULL;

	for (int i = 0; i < why->option_count; i++)
		if (!why->options[i].chosen && !isnan(why->options[i].margin) && (best == NULL || why->options[i].margin < best->margin))
			best = &why->options[i];
	return best;
}

static const struct why_option *chosen_option(const struct why *why)
{
	for (int i = 0; i < why->option_count; i++)
		if (why->options[i].chosen)
			return &why->options[i];
	return NULL;
}

/* The main reason for the difference: the layer's own exchange, its borders, or what the neighbours then do. */
static const char *reason(const struct why *why, const struct why_option *own, const struct why_option *other)
{
	double exchange = other->intra - own->intra, before = other->prev - own->prev, after = other->next - own->next;
	double rest = other->margin - exchange - before - after;

	if (isnan(rest) || other->margin <= 0)
		return "";
	if (exchange >= before && exchange >= after && exchange >= rest)
		return exchange >= other->margin ? "" : why->junction ? "" : ", most of it by its own sum";
	if (before >= after && before >= rest)
		return ", since its input must be re-laid too";
	if (after >= rest)
		return ", since its output must be re-laid too";
	return ", since its neighbours would have to change as well";
}

static void say_comparison(const struct why_context *c, const struct why *why, const struct why_option *own, const struct why_option *other, struct text *out)
{
	bool joint = c->request->solver == SOLVER_JOINT, time = why->objective == OBJECTIVE_TIME;
	double here = joint ? why->total : why->here, forced = joint ? other->whole_cost : other->level_cost;
	char a[40], b[40];

	text_printf(out, why->pinned ? " As %s the %s would %s %s instead of %s" : " Forced to %s the %s %s %s instead of %s", state_word(why, other->state),
		joint ? "whole plan" : "level", why->pinned ? time ? "take" : "move" : time ? "takes" : "moves", amount_of(c, why, forced, a), amount_of(c, why, here, b));
	if (here > 0 && forced < 10 * here)
		text_printf(out, " (%s%.3g" NO_BREAK "%%)", forced < here ? MINUS : "+", 100 * fabs(forced / here - 1));
	else if (here > 0)
		text_printf(out, " (%.0f times as much)", forced / here);
	text_printf(out, "%s.", reason(why, own, other));
}

static void say_status(const struct why_context *c, const struct why *why, const struct why_option *other, struct text *out)
{
	char a[40];

	if (why->pinned && other->margin < 0)
		text_printf(out, " The pin costs %s.", amount_of(c, why, -other->margin, a));
	else if (other->margin < 0)
		text_printf(out, " %s would save %s, but the solver gives every such layer %s.", state_word(why, other->state),
			amount_of(c, why, -other->margin, a), state_word(why, why->state));
	else if (why->tie)
		text_printf(out, " It is a tie with %s; the first of %s is taken, from the last layer back.", state_word(why, other->state),
			why->junction ? "row, col, full" : "dp, mp, op");
	if (c->request->solver != SOLVER_JOINT && other->margin >= 0 && other->whole_cost < why->total)
		text_printf(out, " Yet over all levels %s would %s %.3g %% less: level by level missed this.", state_word(why, other->state),
			why->objective == OBJECTIVE_TIME ? "take" : "move", 100 * (1 - other->whole_cost / why->total));
}

static void knob_value(enum flip_knob knob, long value, char out[40])
{
	if (knob == FLIP_BATCH)
		snprintf(out, 40, "%ld", value);
	else
		units_print_rate((double)value, out, 40);
}

/* The nearest change on either side of the present value. */
static void say_flips(const struct why *why, enum flip_knob knob, double present, struct text *out)
{
	const struct flips *flips = &why->flips[knob];
	const char *word = knob == FLIP_BATCH ? "batch" : "bandwidth";
	char value[40];

	if (!why->has_flips[knob] || why->pinned || flips->count == 0)
		return;
	if (flips->count == 1) {
		text_printf(out, " No %s changes that.", word);
		return;
	}
	for (size_t i = 0; i < flips->count; i++) {
		const struct flip_segment *s = &flips->segments[i];

		if ((double)s->from > present || (double)s->to < present)
			continue;
		if (i > 0) {
			knob_value(knob, s[-1].to, value);
			text_printf(out, " It would be %s up to %s %s", state_word(why, s[-1].state), word, value);
		}
		if (i + 1 < flips->count) {
			knob_value(knob, s[1].from, value);
			text_printf(out, "%s %s from %s %s", i > 0 ? "," : " It would be", state_word(why, s[1].state), word, value);
		}
		text_printf(out, ".");
	}
}

void why_sentence(const struct why_context *c, struct why *why)
{
	const struct problem_var *var = &c->problem->vars[c->problem->var_of_row[why->row]];
	const struct why_option *own = chosen_option(why), *other = best_other(why);
	struct text out = { 0 };
	char a[40], b[40];

	text_printf(&out, "%s is %s%s at H%d", c->model->operators[why->row].name, why->pinned ? "pinned to " : "", state_word(why, why->state), why->level);
	if (why->junction && own->prev + own->next == 0) {
		text_printf(&out, ": nothing has to be re-laid on either side.");
	} else if (why->junction && !isnan(own->prev)) {
		text_printf(&out, ": its inputs are re-laid for %s, its output for %s.", bytes_of(c, own->prev, a), bytes_of(c, own->next, b));
	} else if (!why->junction && !isnan(own->intra)) {
		text_printf(&out, ": ");
		say_own(c, var, own, true, &out);
		if (other != NULL && !isnan(other->intra)) {
			text_printf(&out, ", ");
			say_own(c, var, other, false, &out);
		}
		text_printf(&out, ".");
	} else {
		text_printf(&out, ".");
	}
	if (other != NULL) {
		if (other->margin != 0)
			say_comparison(c, why, own, other, &out);
		say_status(c, why, other, &out);
	}
	if (!why->exact)
		text_printf(&out, " These are the best plans found, not proven best.");
	say_flips(why, FLIP_BATCH, round(c->request->batch), &out);
	say_flips(why, FLIP_BANDWIDTH, c->bandwidth, &out);
	text_sanitize(why->sentence, sizeof why->sentence, text_string(&out), out.length);
	text_free(&out);
}
