#define _XOPEN_SOURCE 700
#include "model/load.h"

#include "base/files.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct builtin_model *)a)->name, ((const struct builtin_model *)b)->name);
}

/* The comment lines at a file's start, joined, as far as they fit. */
static void read_comment(const char *bytes, char *out, size_t size)
{
	struct text joined = { 0 };

	while (*bytes == '#') {
		size_t length = strcspn(bytes, "\r\n");
		size_t mark = strspn(bytes, "# \t");

		if (joined.length > 0)
			text_add(&joined, " ");
		if (mark < length)
			text_append(&joined, bytes + mark, length - mark);
		bytes += length;
		bytes += strspn(bytes, "\r\n");
	}
	text_sanitize(out, size, text_string(&joined), joined.length);
	text_free(&joined);
}

static bool add_model(struct builtin_model *m, const char *folder, const char *file)
{
	size_t length = strlen(file);
	char path[4400], *bytes;
	struct diagnostic d;
	size_t size;

	if (length < 5 || strcmp(file + length - 4, ".csv") != 0 || length - 4 >= sizeof m->name)
		return false;
	snprintf(path, sizeof path, "%s/%s", folder, file);
	if (file_read(path, &bytes, &size, &d) != STATUS_OK)
		return false;
	memset(m, 0, sizeof *m);
	text_sanitize(m->name, sizeof m->name, file, length - 4);
	read_comment(bytes, m->text, sizeof m->text);
	memory_free(bytes);
	return true;
}

enum status models_builtin(struct builtin_model **list, size_t *count, struct diagnostic *d)
{
	char folder[4096];
	size_t capacity = 0;
	struct dirent *entry;
	DIR *directory;

	*list = NULL;
	*count = 0;
	if (!data_find("models", folder, sizeof folder))
		return diagnostic_fail(d, STATUS_INPUT, "the folder of built-in models is not found, last tried %s; set WHYPAR_DATA to the program's data folder", folder);
	directory = opendir(folder);
	if (directory == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "cannot read the built-in models in %s: %s", folder, strerror(errno));
	while ((entry = readdir(directory)) != NULL) {
		*list = memory_grow(*list, &capacity, *count + 1, sizeof **list);
		*count += add_model(&(*list)[*count], folder, entry->d_name);
	}
	closedir(directory);
	if (*count > 1)
		qsort(*list, *count, sizeof **list, by_name);
	return STATUS_OK;
}
