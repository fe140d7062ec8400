#include "study/parameters.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const struct parameter table[PARAMETER_COUNT] = {
#define X(id, name_, unit_, min_, max_, standard_, step_, scope_, dials_, choices_, text_, source_) \
	[PARAMETER_##id] = { .name = name_, .unit = unit_, .minimum = min_, .maximum = max_, .standard = standard_, \
		.step = step_, .scope = scope_, .dials = dials_, .choices = choices_, .text = text_, .source = source_ },
	PARAMETERS(X)
#undef X
#define X(id, name_, unit_, least_, most_, value_, text_, source_) \
	[PARAMETER_##id] = { .name = name_, .unit = unit_, .minimum = least_, .maximum = most_, .standard = value_, \
		.step = STEP_DOUBLE, .scope = SCOPE_STUDY, .dials = DIAL_NONE, .choices = NULL, .text = text_, .source = source_ },
	HARDWARE_CONSTANTS(X)
#undef X
};

const struct parameter *parameter_at(enum parameter_id id)
{
	return &table[id];
}

bool parameter_of_preset(enum parameter_id id)
{
	return table[id].scope == SCOPE_PRESET;
}

enum parameter_id parameter_find(const char *name, struct diagnostic *d)
{
	const char *names[PARAMETER_COUNT];
	int near;

	for (int i = 0; i < PARAMETER_COUNT; i++) {
		names[i] = table[i].name;
		if (strcmp(name, names[i]) == 0)
			return (enum parameter_id)i;
	}
	near = text_nearest(name, names, PARAMETER_COUNT);
	if (near >= 0)
		diagnostic_fail(d, STATUS_USAGE, "no parameter \"%s\"; did you mean %s? (`whypar parameters` lists them)", name, names[near]);
	else
		diagnostic_fail(d, STATUS_USAGE, "no parameter \"%s\"; `whypar parameters` lists them", name);
	return PARAMETER_COUNT;
}

static enum status parse_choice(const struct parameter *p, const char *text, double *value, struct diagnostic *d)
{
	struct text known = { 0 };
	size_t count = 0;
	int near;

	for (; p->choices[count] != NULL; count++) {
		if (strcmp(p->choices[count], text) == 0) {
			text_free(&known);
			*value = (double)count;
			return STATUS_OK;
		}
		text_printf(&known, "%s%s", count > 0 ? ", " : "", p->choices[count]);
	}
	near = text_nearest(text, p->choices, count);
	if (near >= 0)
		diagnostic_fail(d, STATUS_INPUT, "%s: \"%s\" is none of %s; did you mean %s?", p->name, text, text_string(&known), p->choices[near]);
	else
		diagnostic_fail(d, STATUS_INPUT, "%s: \"%s\" is none of %s", p->name, text, text_string(&known));
	text_free(&known);
	return STATUS_INPUT;
}

/* 2^H accelerators: an array is halved level by level. */
static enum status check_power_of_two(const char *name, double value, double maximum, struct diagnostic *d)
{
	double below = exp2(floor(log2(value)));

	if (below == value)
		return STATUS_OK;
	if (2 * below > maximum)
		return diagnostic_fail(d, STATUS_INPUT, "%s: %.0f is not a power of two, and the array is halved level by level; the nearest is %.0f", name, value, below);
	return diagnostic_fail(d, STATUS_INPUT, "%s: %.0f is not a power of two, and the array is halved level by level; the nearest are %.0f and %.0f",
		name, value, below, 2 * below);
}

enum status parameter_parse(enum parameter_id id, const char *text, double *value, struct diagnostic *d)
{
	const struct parameter *p = &table[id];
	double parsed = 0;
	char least[64], most[64];
	enum status status;

	if (p->unit == UNIT_CHOICE)
		return parse_choice(p, text, value, d);
	if (p->choices != NULL && strcmp(text, p->choices[0]) == 0) {
		*value = 0;
		return STATUS_OK;
	}
	status = p->unit == UNIT_RATE || p->unit == UNIT_TIME ? units_parse_stated(p->unit, p->name, text, &parsed, d) : units_parse(p->unit, p->name, text, &parsed, d);
	if (status != STATUS_OK)
		return status;
	if (parsed != floor(parsed) && (p->unit == UNIT_COUNT || p->unit == UNIT_BYTES))
		return diagnostic_fail(d, STATUS_INPUT, "%s: %s is not a whole number", p->name, text);
	/* of threads all know what 0 means */
	if (p->choices != NULL && parsed == 0 && id != PARAMETER_THREADS)
		return diagnostic_fail(d, STATUS_INPUT, "%s: %s is not possible; write %s=%s for what is found without", p->name, text, p->name, p->choices[0]);
	if (!(parsed >= p->minimum && parsed <= p->maximum)) {
		parameter_print(id, p->minimum, least, sizeof least);
		parameter_print(id, p->maximum, most, sizeof most);
		return diagnostic_fail(d, STATUS_INPUT, "%s: %s is out of range; it goes from %s to %s", p->name, text, least, most);
	}
	if (p->step == STEP_POWER)
		status = check_power_of_two(p->name, parsed, p->maximum, d);
	if (status == STATUS_OK)
		*value = parsed;
	return status;
}

void parameter_print(enum parameter_id id, double value, char *out, size_t size)
{
	const struct parameter *p = &table[id];

	if (p->unit == UNIT_CHOICE)
		snprintf(out, size, "%s", p->choices[(int)value]);
	else if (p->choices != NULL && value == 0)
		snprintf(out, size, "%s", p->choices[0]);
	else
		units_print(p->unit, value, out, size);
}

/* s: what a time steps to from 0, and below which it is 0 again. */
static const double FIRST_TIME = 100e-9, LEAST_TIME = 1e-9;

/* The next value of a number that doubles.  From 0 on to the default, or to 1 (100 ns); down to the least. */
static double next_double(const struct parameter *p, double value, int direction)
{
	bool whole = p->unit == UNIT_COUNT || p->unit == UNIT_BYTES;
	double half = whole ? floor(value / 2) : value / 2;

	if (direction > 0)
		return value > 0 ? value * 2 : p->standard > 0 ? p->standard : p->unit == UNIT_TIME ? FIRST_TIME : 1;
	return half < p->minimum || (p->unit == UNIT_TIME && half < LEAST_TIME) ? p->minimum : half;
}

double parameter_step_value(enum parameter_id id, double value, int direction)
{
	const struct parameter *p = &table[id];
	bool doubles = p->step == STEP_DOUBLE || p->step == STEP_POWER;
	double next = doubles ? next_double(p, value, direction) : value + (direction > 0 ? 1 : -1);

	/* a count that doubles ends at its maximum, whatever it started from */
	if (p->step == STEP_DOUBLE && next > p->maximum)
		return p->maximum;
	return next < p->minimum || next > p->maximum ? value : next;
}
