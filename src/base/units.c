#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct suffix {
	const char *text;
	double factor;
};

static const struct suffix count_suffixes[] = {
	{ "", 1 }, { "k", 1e3 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "Ki", 1024 }, { "Mi", 1048576 }, { NULL, 0 }
};
static const struct suffix byte_suffixes[] = {
	{ "B", 1 }, { "", 1 }, { "KiB", 1024 }, { "MiB", 1048576 }, { "GiB", 1073741824 }, { "TiB", 1099511627776 },
	{ "kB", 1e3 }, { "KB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 }, { "TB", 1e12 }, { NULL, 0 }
};

static const struct suffix *suffixes_of(enum unit unit)
{
	return unit == UNIT_BYTES ? byte_suffixes : count_suffixes;
}

static void list_suffixes(const struct suffix *suffixes, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (; suffixes->text != NULL; suffixes++)
		if (suffixes->text[0] != '\0' && used < size)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", suffixes->text);
}

enum status units_parse(enum unit unit, const char *name, const char *text, double *value, struct diagnostic *d)
{
	const struct suffix *suffixes = suffixes_of(unit), *suffix;
	char known[160], *end;
	double number;

	/* strtod also takes hexadecimal, inf and nan: none of them is a value here. */
	if (strpbrk(text, "xXnN") != NULL && !isdigit((unsigned char)text[0]))
		return diagnostic_fail(d, STATUS_INPUT, "%s: \"%s\" is not a number", name, text);
	number = strtod(text, &end);
	if (end == text || !isfinite(number) || memchr(text, 'x', (size_t)(end - text)) || memchr(text, 'X', (size_t)(end - text)))
		return diagnostic_fail(d, STATUS_INPUT, "%s: \"%s\" is not a number", name, text);
	while (*end == ' ')
		end++;
	for (suffix = suffixes; suffix->text != NULL; suffix++)
		if (strcmp(suffix->text, end) == 0) {
			*value = number * suffix->factor;
			return STATUS_OK;
		}
	list_suffixes(suffixes, known, sizeof known);
	return diagnostic_fail(d, STATUS_INPUT, "%s: unknown unit \"%s\" in \"%s\"; write a plain number or one with %s", name, end, text, known);
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

int units_multiply(int64_t a, int64_t b, int64_t *product)
{
	int64_t result;

	if (__builtin_mul_overflow(a, b, &result))
		return 0;
	*product = result;
	return 1;
}
