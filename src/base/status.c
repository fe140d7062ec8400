#include "base/status.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

enum status diagnostic_fail(struct diagnostic *d, enum status status, const char *format, ...)
{
	char raw[sizeof d->text];
	va_list arguments;

	if (d == NULL)
		return status;
	memset(d, 0, sizeof *d);
	d->severity = SEVERITY_ERROR;
	va_start(arguments, format);
	vsnprintf(raw, sizeof raw, format, arguments);
	va_end(arguments);
	text_sanitize(d->text, sizeof d->text, raw, strlen(raw));
	return status;
}

void diagnostic_place(struct diagnostic *d, const char *file, unsigned long line, unsigned long column)
{
	if (d == NULL)
		return;
	if (file != NULL)
		text_sanitize(d->file, sizeof d->file, file, strlen(file));
	d->line = line;
	d->column = column;
}

void diagnostic_format(const struct diagnostic *d, char *out, size_t size)
{
	char place[sizeof d->file + 48] = "";

	if (d->file[0] != '\0' && d->line > 0 && d->column > 0)
		snprintf(place, sizeof place, "%s:%lu:%lu: ", d->file, d->line, d->column);
	else if (d->file[0] != '\0' && d->line > 0)
		snprintf(place, sizeof place, "%s:%lu: ", d->file, d->line);
	else if (d->file[0] != '\0')
		snprintf(place, sizeof place, "%s: ", d->file);
	snprintf(out, size, "%s%s", place, d->text);
}

void diagnostics_add(struct diagnostics *list, const struct diagnostic *d)
{
	list->total++;
	list->errors += d->severity == SEVERITY_ERROR;
	if (list->count == DIAGNOSTICS_KEPT)
		return;
	list->items = memory_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
	list->items[list->count++] = *d;
}

void diagnostics_warn(struct diagnostics *list, const char *path, unsigned long line, unsigned long column, const char *format, ...)
{
	struct diagnostic d;
	char text[sizeof d.text];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diagnostic_fail(&d, STATUS_OK, "%s", text);
	diagnostic_place(&d, path, line, column);
	d.severity = SEVERITY_WARNING;
	diagnostics_add(list, &d);
}

enum status diagnostics_first_error(const struct diagnostics *list, struct diagnostic *d)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].severity == SEVERITY_ERROR) {
			if (d != NULL)
				*d = list->items[i];
			return STATUS_INPUT;
		}
	return STATUS_OK;
}

void diagnostics_free(struct diagnostics *list)
{
	memory_free(list->items);
	memset(list, 0, sizeof *list);
}
