#include "network/presets.h"

#include "base/records.h"
#include "base/text.h"

#include <string.h>

enum { COLUMN_NAME, COLUMN_TOPOLOGY, COLUMN_TEXT, COLUMN_SOURCE, COLUMN_COUNT };

static const struct field fields[COLUMN_COUNT] = {
	[COLUMN_NAME] = { "name", NO_UNIT, false, 0, 0, "" },
	[COLUMN_TOPOLOGY] = { "topology", NO_UNIT, false, 0, 0, "" },
	[COLUMN_TEXT] = { "text", NO_UNIT, false, 0, 0, "" },
	[COLUMN_SOURCE] = { "source", NO_UNIT, false, 0, 0, "" },
};

static const char *keep(struct networks *list, const char *text)
{
	return arena_copy_text(&list->arena, text, strlen(text));
}

static bool read_row(struct records *r, void *context)
{
	struct networks *list = context;
	struct network n = { .name = keep(list, records_text(r, COLUMN_NAME)), .text = keep(list, records_text(r, COLUMN_TEXT)),
		.source = keep(list, records_text(r, COLUMN_SOURCE)) };
	struct diagnostic d;

	if (topology_parse(records_text(r, COLUMN_TOPOLOGY), &n.topology, &d) != STATUS_OK) {
		records_blame(r, SEVERITY_ERROR, COLUMN_TOPOLOGY, "%s", d.text);
		return false;
	}
	list->items = memory_grow(list->items, &list->capacity, list->count + 1, sizeof n);
	list->items[list->count++] = n;
	return true;
}

enum status networks_builtin(struct networks *list, struct diagnostic *d)
{
	*list = (struct networks){ .items = NULL };
	return records_builtin("networks.csv", "a table of networks", fields, COLUMN_COUNT, read_row, list, d);
}

void networks_free(struct networks *list)
{
	memory_free(list->items);
	arena_free(&list->arena);
	*list = (struct networks){ .items = NULL };
}

static int nearest_of(const struct networks *list, const char *name)
{
	const char **names = memory_alloc(list->count, sizeof *names);
	int near;

	for (size_t i = 0; i < list->count; i++)
		names[i] = list->items[i].name;
	near = text_nearest(name, names, list->count);
	memory_free(names);
	return near;
}

bool network_nearest(const char *name, char *near, size_t size)
{
	struct networks list;
	int index = networks_builtin(&list, NULL) == STATUS_OK ? nearest_of(&list, name) : -1;

	if (index >= 0)
		snprintf(near, size, "%s", list.items[index].name);
	networks_free(&list);
	return index >= 0;
}

enum status network_find(const char *name, struct topology *topology, struct diagnostic *d)
{
	struct networks list;
	enum status status = networks_builtin(&list, d);
	int near;

	for (size_t i = 0; status == STATUS_OK && i < list.count; i++)
		if (strcmp(list.items[i].name, name) == 0) {
			*topology = list.items[i].topology;
			networks_free(&list);
			return STATUS_OK;
		}
	near = status == STATUS_OK ? nearest_of(&list, name) : -1;
	if (status == STATUS_OK)
		diagnostic_fail(d, STATUS_INPUT, "no network \"%.40s\"%s%s; `whypar networks` lists them", name, near >= 0 ? "; did you mean " : "", near >= 0 ? list.items[near].name : "");
	networks_free(&list);
	return STATUS_INPUT;
}
