#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Smallest first.  print: a value may be printed with it. */
struct suffix {
	enum unit unit;
	const char *text;
	struct unit_scale scale;
	bool print;
};

static const struct suffix suffixes[] = {
	{ UNIT_COUNT, "", { 1, 1 }, true }, { UNIT_COUNT, "k", { 1e3, 1 }, false }, { UNIT_COUNT, "K", { 1e3, 1 }, false }, { UNIT_COUNT, "M", { 1e6, 1 }, false },
	{ UNIT_COUNT, "G", { 1e9, 1 }, false }, { UNIT_COUNT, "Ki", { 0x1p10, 1 }, false }, { UNIT_COUNT, "Mi", { 0x1p20, 1 }, false },
	{ UNIT_BYTES, "B", { 1, 1 }, true }, { UNIT_BYTES, "KiB", { 0x1p10, 1 }, true }, { UNIT_BYTES, "MiB", { 0x1p20, 1 }, true }, { UNIT_BYTES, "GiB", { 0x1p30, 1 }, true },
	{ UNIT_BYTES, "TiB", { 0x1p40, 1 }, true }, { UNIT_BYTES, "kB", { 1e3, 1 }, false }, { UNIT_BYTES, "KB", { 1e3, 1 }, false }, { UNIT_BYTES, "MB", { 1e6, 1 }, false },
	{ UNIT_BYTES, "GB", { 1e9, 1 }, false }, { UNIT_BYTES, "TB", { 1e12, 1 }, false },
	{ UNIT_RATE, "B/s", { 1, 1 }, true }, { UNIT_RATE, "kB/s", { 1e3, 1 }, true }, { UNIT_RATE, "MB/s", { 1e6, 1 }, true }, { UNIT_RATE, "GB/s", { 1e9, 1 }, true },
	{ UNIT_RATE, "TB/s", { 1e12, 1 }, true }, { UNIT_RATE, "MiB/s", { 0x1p20, 1 }, false }, { UNIT_RATE, "GiB/s", { 0x1p30, 1 }, false },
	{ UNIT_RATE, "Mb/s", { 0.125e6, 1 }, false }, { UNIT_RATE, "Gb/s", { 0.125e9, 1 }, false }, { UNIT_RATE, "Tb/s", { 0.125e12, 1 }, false },
	{ UNIT_FREQUENCY, "Hz", { 1, 1 }, true }, { UNIT_FREQUENCY, "kHz", { 1e3, 1 }, true }, { UNIT_FREQUENCY, "MHz", { 1e6, 1 }, true }, { UNIT_FREQUENCY, "GHz", { 1e9, 1 }, true },
	{ UNIT_TIME, "ns", { 1, 1e9 }, true }, { UNIT_TIME, "us", { 1, 1e6 }, true }, { UNIT_TIME, "ms", { 1, 1e3 }, true }, { UNIT_TIME, "s", { 1, 1 }, true },
	{ UNIT_ENERGY, "fJ", { 1, 1e15 }, true }, { UNIT_ENERGY, "pJ", { 1, 1e12 }, true }, { UNIT_ENERGY, "nJ", { 1, 1e9 }, true }, { UNIT_ENERGY, "uJ", { 1, 1e6 }, true }, { UNIT_ENERGY, "J", { 1, 1 }, true },
	{ UNIT_AREA, "um2", { 1, 1e6 }, false }, { UNIT_AREA, "mm2", { 1, 1 }, true },
	{ UNIT_PART_AREA, "um2", { 1, 1 }, true }, { UNIT_PART_AREA, "mm2", { 1e6, 1 }, false },
	{ UNIT_POWER, "mW", { 1, 1e3 }, true }, { UNIT_POWER, "W", { 1, 1 }, true }, { UNIT_POWER, "kW", { 1e3, 1 }, true },
	{ UNIT_DENSITY, "W/mm2", { 1, 1 }, true },
	{ UNIT_OPERATIONS, "op/s", { 1, 1 }, true }, { UNIT_OPERATIONS, "GOP/s", { 1e9, 1 }, true }, { UNIT_OPERATIONS, "TOP/s", { 1e12, 1 }, true },
	{ UNIT_PART, "", { 1, 1 }, true },
};

enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

const char *units_name(enum unit unit)
{
	static const char *const names[UNIT_KINDS] = {
#define X(id, name) [UNIT_##id] = name,
		UNITS(X)
#undef X
	};

	return names[unit];
}

struct unit_scale units_scale(enum unit unit, const char *suffix, size_t length)
{
	for (int i = 0; i < SUFFIXES; i++)
		if (suffixes[i].unit == unit && strlen(suffixes[i].text) == length && strncmp(suffixes[i].text, suffix, length) == 0)
			return suffixes[i].scale;
	return (struct unit_scale){ 0, 1 };
}

void units_list(enum unit unit, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; i < SUFFIXES; i++)
		if (suffixes[i].unit == unit && suffixes[i].text[0] != '\0' && used < size)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", suffixes[i].text);
}

enum status units_parse(enum unit unit, const char *name, const char *text, double *value, struct diagnostic *d)
{
	char known[160], *end;
	struct unit_scale scale = { 1, 1 };
	double number;

	/* strtod also takes hexadecimal, inf and nan: none of them is a value here. */
	if (strpbrk(text, "xXnN") != NULL && !isdigit((unsigned char)text[0]))
		return diagnostic_fail(d, STATUS_INPUT, "%s: \"%s\" is not a number", name, text);
	number = strtod(text, &end);
	if (end == text || !isfinite(number) || memchr(text, 'x', (size_t)(end - text)) || memchr(text, 'X', (size_t)(end - text)))
		return diagnostic_fail(d, STATUS_INPUT, "%s: \"%s\" is not a number", name, text);
	while (*end == ' ')
		end++;
	if (*end != '\0')
		scale = units_scale(unit, end, strlen(end));
	if (scale.multiply > 0) {
		*value = units_inside(scale, number);
		return STATUS_OK;
	}
	units_list(unit, known, sizeof known);
	return diagnostic_fail(d, STATUS_INPUT, "%s: unknown unit \"%s\" in \"%s\"; write a plain number or one with %s", name, end, text, known);
}

enum status units_parse_stated(enum unit unit, const char *name, const char *text, double *value, struct diagnostic *d)
{
	double least = unit == UNIT_RATE ? 1e6 : 0, most = unit == UNIT_TIME ? 1e-3 : INFINITY;
	enum status status = units_parse(unit, name, text, value, d);

	if (status != STATUS_OK || text[strspn(text, "0123456789.eE+- ")] != '\0' || *value == 0 || (*value >= least && *value < most))
		return status;
	return diagnostic_fail(d, STATUS_INPUT, unit == UNIT_RATE ? "%s: \"%.40s\" has no unit; GB/s are bytes, Gb/s are bits" : "%s: \"%.40s\" has no unit; write us, ms or s", name, text);
}

enum status units_parse_whole(const char *text, size_t length, int64_t *value)
{
	int64_t sum = 0;

	if (length == 0)
		return STATUS_INPUT;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(sum, (int64_t)10, &sum) ||
		    __builtin_add_overflow(sum, (int64_t)(text[i] - '0'), &sum))
			return STATUS_INPUT;
	}
	*value = sum;
	return STATUS_OK;
}

void units_print_si(double value, int digits, char *out, size_t size)
{
	static const char *const prefixes[] = { "", " k", " M", " G", " T", " P", " E" };
	double magnitude = fabs(value);
	int step = 0, before;

	/* 999.96 with four digits prints as 1000: step up before it would round there. */
	while (step < 6 && magnitude >= 1000 - 0.5 * pow(10, 3 - digits)) {
		magnitude /= 1000;
		value /= 1000;
		step++;
	}
	before = magnitude < 10 ? 1 : magnitude < 100 ? 2 : 3;
	if (step == 0 && value == floor(value))
		snprintf(out, size, "%.0f", value);
	else
		snprintf(out, size, "%.*f%s", digits > before ? digits - before : 0, value, prefixes[step]);
}

void units_print_exact(double value, char *out, size_t size)
{
	if (value == floor(value) && fabs(value) < 9007199254740992.0) {
		snprintf(out, size, "%.0f", value);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(out, size, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			return;
	}
}

void units_print(enum unit unit, double value, char *out, size_t size)
{
	char best[64], number[48];

	units_print_exact(value, best, sizeof best);
	if (units_scale(unit, units_name(unit), strlen(units_name(unit))).multiply > 0)
		strncat(best, units_name(unit), sizeof best - strlen(best) - 1);
	for (int i = 0; i < SUFFIXES; i++) {
		char text[64];

		if (suffixes[i].unit != unit || !suffixes[i].print || units_inside(suffixes[i].scale, 1) > fabs(value))
			continue;
		units_print_exact(units_outside(suffixes[i].scale, value), number, sizeof number);
		snprintf(text, sizeof text, "%s%s", number, suffixes[i].text);
		/* only what reads back as the very value; of two as short, the larger suffix */
		if (units_inside(suffixes[i].scale, strtod(number, NULL)) == value && strlen(text) <= strlen(best))
			memcpy(best, text, sizeof best);
	}
	snprintf(out, size, "%s", best);
}

void units_print_bytes(double bytes, char *out, size_t size)
{
	char number[40];
	size_t length;

	units_print_si(bytes, 3, number, sizeof number);
	length = strlen(number);
	if (length > 0 && isalpha((unsigned char)number[length - 1]))
		snprintf(out, size, "%sB", number);
	else
		snprintf(out, size, "%s B", number);
}

void units_print_memory(double bytes, char *out, size_t size)
{
	double scale = bytes >= 0.1 * 0x1p30 ? 0x1p30 : bytes >= 0.1 * 0x1p20 ? 0x1p20 : 0x1p10, value = bytes / scale;

	snprintf(out, size, value >= 10 ? "%.1f %s" : "%.2f %s", value, scale == 0x1p30 ? "GiB" : scale == 0x1p20 ? "MiB" : "KiB");
}

static void print_rate(double rate, int digits, char *out, size_t size)
{
	static const struct { double factor; const char *text; } scales[] = { { 1, "B/s" }, { 1e3, "kB/s" }, { 1e6, "MB/s" }, { 1e9, "GB/s" }, { 1e12, "TB/s" } };
	int i = 0;

	while (i < 4 && rate >= scales[i + 1].factor)
		i++;
	snprintf(out, size, "%.*g %s", digits, rate / scales[i].factor, scales[i].text);
}

void units_print_rate(double rate, char *out, size_t size)
{
	print_rate(rate, 6, out, size);
}

void units_print_rate_short(double rate, char *out, size_t size)
{
	print_rate(rate, 3, out, size);
}

void units_print_seconds(double seconds, char *out, size_t size)
{
	static const struct { double factor; const char *text; } scales[] = { { 1e-9, "ns" }, { 1e-6, "us" }, { 1e-3, "ms" }, { 1, "s" } };
	int i = 0;
	double shown;

	/* 999.6 us with three digits is 1.00 ms: step up before it would round there */
	while (i < 3 && fabs(seconds) >= 999.5 * scales[i].factor)
		i++;
	shown = seconds / scales[i].factor;
	snprintf(out, size, "%.*f %s", shown == 0 || fabs(shown) >= 99.95 ? 0 : fabs(shown) >= 9.995 ? 1 : 2, shown, scales[i].text);
}

int units_multiply(int64_t a, int64_t b, int64_t *product)
{
	int64_t result;

	if (__builtin_mul_overflow(a, b, &result))
		return 0;
	*product = result;
	return 1;
}
