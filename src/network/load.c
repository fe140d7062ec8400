#include "network/load.h"

#include "base/records.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a table of tiers ---- */

enum { COLUMN_KIND, COLUMN_SIZE, COLUMN_GAIN, COLUMN_BANDWIDTH, COLUMN_LATENCY, COLUMN_LINKS, COLUMN_OVERSUBSCRIPTION, COLUMN_SHARING, COLUMN_COUNT };

static const struct field fields[COLUMN_COUNT] = {
	[COLUMN_KIND] = { "kind", NO_UNIT, false, 0, 0, "" },
	[COLUMN_SIZE] = { "size", NO_UNIT, true, 0, 0, "" },
	[COLUMN_GAIN] = { "gain", NO_UNIT, true, 0, 0, "" },
	[COLUMN_BANDWIDTH] = { "bandwidth", UNIT_RATE, true, LINK_RATE_LEAST, LINK_RATE_MOST, "GB/s" },
	[COLUMN_LATENCY] = { "latency", UNIT_TIME, true, 0, LINK_LATENCY_MOST, "us" },
	[COLUMN_LINKS] = { "links", UNIT_COUNT, true, 1, LINKS_MOST, "" },
	[COLUMN_OVERSUBSCRIPTION] = { "oversubscription", NO_UNIT, true, 0, 0, "" },
	[COLUMN_SHARING] = { "sharing", UNIT_COUNT, true, 1, LINKS_MOST, "" },
};

/* Cells may hold nothing of what joins tiers or begins another part of one. */
static bool cells_are_plain(struct records *r)
{
	static const struct { int column; const char *may; } cells[] = {
		{ COLUMN_KIND, "abcdefghijklmnopqrstuvwxyz" }, { COLUMN_SIZE, "0123456789x" }, { COLUMN_GAIN, "0123456789." }, { COLUMN_OVERSUBSCRIPTION, "0123456789." },
	};

	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
		const char *text = records_text(r, cells[i].column);

		if (text[strspn(text, cells[i].may)] == '\0')
			continue;
		records_blame(r, SEVERITY_ERROR, cells[i].column, "%s: \"%.40s\" is none", fields[cells[i].column].name, text);
		return false;
	}
	return true;
}

/* The row as topology_parse reads a tier, so that both know the same. */
static void write_tier(struct records *r, struct text *out)
{
	double bandwidth = NAN, latency = NAN, links = 1, sharing = 1;
	const char *size = records_text(r, COLUMN_SIZE), *gain = records_text(r, COLUMN_GAIN), *oversubscription = records_text(r, COLUMN_OVERSUBSCRIPTION);
	char number[40];

	records_number(r, COLUMN_BANDWIDTH, &bandwidth);
	records_number(r, COLUMN_LATENCY, &latency);
	records_number(r, COLUMN_LINKS, &links);
	records_number(r, COLUMN_SHARING, &sharing);
	text_printf(out, "%s%s%s%s%s%s@", out->length > 0 ? "+" : "", records_text(r, COLUMN_KIND), size[0] != '\0' ? ":" : "", size, gain[0] != '\0' ? "^" : "", gain);
	if (!isnan(bandwidth)) {
		units_print(UNIT_RATE, bandwidth, number, sizeof number);
		text_add(out, number);
	}
	text_add(out, ",");
	if (!isnan(latency)) {
		units_print(UNIT_TIME, latency, number, sizeof number);
		text_add(out, number);
	}
	text_printf(out, ",%.0f,%s,%.0f", links, oversubscription[0] != '\0' ? oversubscription : "1", sharing);
}

static enum status read_table(const char *path, const char *bytes, size_t length, struct topology *topology, struct diagnostic *d)
{
	struct diagnostics problems = { .items = NULL };
	struct records *r = records_open(path, "a table of tiers", bytes, length, fields, COLUMN_COUNT, &problems);
	struct text all = { 0 };
	enum status status = STATUS_OK;

	while (r != NULL && status == STATUS_OK && records_next(r)) {
		if (!cells_are_plain(r))
			break;
		write_tier(r, &all);
		status = topology_parse(text_string(&all), topology, d);
		if (status != STATUS_OK)
			diagnostic_place(d, path, records_line(r), 0);
	}
	records_close(r);
	/* a column that is not known is a slip here: what it should have said would be missing without a word */
	if (status == STATUS_OK && problems.total > 0) {
		*d = problems.items[0];
		status = STATUS_INPUT;
	}
	if (status == STATUS_OK && all.length == 0) {
		status = diagnostic_fail(d, STATUS_INPUT, "a table of tiers without a tier");
		diagnostic_place(d, path, 0, 0);
	}
	diagnostics_free(&problems);
	text_free(&all);
	return status;
}

/* ---- ASTRA-sim's network ---- */

enum { KEY_TOPOLOGY, KEY_COUNT, KEY_BANDWIDTH, KEY_LATENCY, KEYS, ITEM_BYTES = 48 };

static const char *const keys[KEYS] = { "topology", "npus_count", "bandwidth", "latency" };

struct list {
	char items[TIERS_MAX][ITEM_BYTES];
	int count;
	unsigned long line;      /* 0: not there */
};

struct yaml {
	struct list lists[KEYS];
	int open;                /* the key whose items may follow, each behind a "-"; -1 */
	bool in_brackets;        /* a list in brackets goes on */
};

static bool starts(const char *at, const char *end, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static enum status add_item(struct list *list, const char *at, const char *end, struct diagnostic *d)
{
	while (at < end && (isspace((unsigned char)*at) || *at == '"' || *at == '\''))
		at++;
	while (end > at && (isspace((unsigned char)end[-1]) || end[-1] == '"' || end[-1] == '\''))
		end--;
	if (at == end)
		return STATUS_OK;
	if (list->count == TIERS_MAX)
		return diagnostic_fail(d, STATUS_INPUT, "more than %d dimensions", TIERS_MAX);
	snprintf(list->items[list->count++], ITEM_BYTES, "%.*s", (int)(end - at < ITEM_BYTES ? end - at : ITEM_BYTES - 1), at);
	return STATUS_OK;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at;
}

/* Items of the open key, between commas and brackets. */
static enum status read_items(struct yaml *y, const char *at, const char *end, struct diagnostic *d)
{
	enum status status = STATUS_OK;

	while (at < end && status == STATUS_OK) {
		size_t item = 0;

		while (at + item < end && strchr("[],", at[item]) == NULL)
			item++;
		status = add_item(&y->lists[y->open], at, at + item, d);
		at += item;
		if (at < end)
			y->in_brackets = *at == '[' || (*at == ',' && y->in_brackets);
		at++;
	}
	return status;
}

static enum status read_line(struct yaml *y, const char *at, const char *end, unsigned long line, struct diagnostic *d)
{
	const char *comment = memchr(at, '#', (size_t)(end - at)), *colon = end;
	int key;

	end = comment != NULL ? comment : end;
	while (at < end && isspace((unsigned char)*at))
		at++;
	if (at < end && *at == '-' && y->open >= 0 && !starts(at, end, "---"))
		return add_item(&y->lists[y->open], at + 1, end, d);
	if (y->in_brackets)
		return read_items(y, at, end, d);
	for (key = 0; key < KEYS; key++)
		if (starts(at, end, keys[key]) && (colon = skip_blanks(at + strlen(keys[key]), end)) < end && *colon == ':')
			break;
	if (key == KEYS) {
		y->open = at == end ? y->open : -1;
		return STATUS_OK;
	}
	if (y->lists[key].line > 0)
		return diagnostic_fail(d, STATUS_INPUT, "%s stands here a second time, after line %lu", keys[key], y->lists[key].line);
	y->lists[key].line = line;
	y->open = key;
	return read_items(y, colon + 1, end, d);
}

/* A positive number, or 0 for a latency. */
static enum status item_number(const struct yaml *y, int key, int i, double least, double most, double *value, struct diagnostic *d)
{
	const char *text = y->lists[key].items[i];
	char *end;

	*value = strtod(text, &end);
	if (end != text && *end == '\0' && *value >= least && *value <= most)
		return STATUS_OK;
	return diagnostic_fail(d, STATUS_INPUT, "%s: \"%s\" is no number from %g to %g", keys[key], text, least, most);
}

static enum status tier_of(const struct yaml *y, int i, struct text *out, struct diagnostic *d)
{
	static const struct { const char *name; enum topology_kind kind; } kinds[] = {
		{ "Ring", TOPOLOGY_RING }, { "FullyConnected", TOPOLOGY_FULL }, { "Switch", TOPOLOGY_SWITCH },
	};
	const char *name = y->lists[KEY_TOPOLOGY].items[i];
	double bandwidth = 0, latency = 0;
	char rate[40], time[40];
	size_t kind = 0;

	while (kind < 3 && strcmp(kinds[kind].name, name) != 0)
		kind++;
	if (kind == 3)
		return diagnostic_fail(d, STATUS_INPUT, "topology: \"%s\" is none of Ring, FullyConnected, Switch", name);
	if (item_number(y, KEY_BANDWIDTH, i, 1e-6, 9e5, &bandwidth, d) != STATUS_OK || item_number(y, KEY_LATENCY, i, 0, 1e10, &latency, d) != STATUS_OK)
		return STATUS_INPUT;
	/* its "GB/s" are 2^30 bytes */
	units_print(UNIT_RATE, bandwidth * 0x1p30, rate, sizeof rate);
	units_print(UNIT_TIME, latency / 1e9, time, sizeof time);
	text_printf(out, "%s%s:%s@%s,%s", i > 0 ? "+" : "", topology_kind_name(kinds[kind].kind), y->lists[KEY_COUNT].items[i], rate, time);
	return STATUS_OK;
}

static enum status read_yaml(const char *path, const char *bytes, size_t length, struct topology *topology, struct diagnostic *d)
{
	struct yaml y = { .open = -1 };
	struct text all = { 0 };
	unsigned long line = 0;
	enum status status = STATUS_OK;

	for (size_t at = 0; at < length && status == STATUS_OK; line++) {
		const char *end = memchr(bytes + at, '\n', length - at);
		size_t next = end != NULL ? (size_t)(end - bytes) : length;

		status = read_line(&y, bytes + at, bytes + next, line + 1, d);
		at = next + 1;
	}
	for (int key = 0; key < KEYS && status == STATUS_OK; key++)
		if (y.lists[key].count != y.lists[KEY_TOPOLOGY].count || y.lists[key].count == 0) {
			status = diagnostic_fail(d, STATUS_INPUT, "%s has %d items and topology %d; each dimension needs one of each", keys[key], y.lists[key].count, y.lists[KEY_TOPOLOGY].count);
			line = y.lists[key].line > 0 ? y.lists[key].line : 1;
		}
	for (int i = 0; i < y.lists[KEY_TOPOLOGY].count && status == STATUS_OK; i++) {
		status = tier_of(&y, i, &all, d);
		line = y.lists[KEY_TOPOLOGY].line;
	}
	if (status == STATUS_OK)
		status = topology_parse(text_string(&all), topology, d);
	if (status != STATUS_OK)
		diagnostic_place(d, path, line, 0);
	text_free(&all);
	return status;
}

enum status topology_read(const char *path, const char *bytes, size_t length, struct topology *topology, struct diagnostic *d)
{
	/* the key that no table has; memmem is not POSIX */
	static const char key[] = "npus_count";

	for (size_t at = 0; at + sizeof key - 1 <= length; at++)
		if (memcmp(bytes + at, key, sizeof key - 1) == 0)
			return read_yaml(path, bytes, length, topology, d);
	return read_table(path, bytes, length, topology, d);
}
