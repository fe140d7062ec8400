#define _XOPEN_SOURCE 700
#include "base/builtin.h"

#include "base/files.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct builtin *)a)->name, ((const struct builtin *)b)->name);
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

static bool add_file(struct builtin *m, const char *folder, const char *file, const char *ending)
{
	size_t length = strlen(file), tail = strlen(ending);
	char path[4400], *bytes;
	struct diagnostic d;
	size_t size;

	if (length <= tail || strcmp(file + length - tail, ending) != 0 || length - tail >= sizeof m->name)
		return false;
	snprintf(path, sizeof path, "%s/%s", folder, file);
	if (file_read(path, &bytes, &size, &d) != STATUS_OK)
		return false;
	memset(m, 0, sizeof *m);
	text_sanitize(m->name, sizeof m->name, file, length - tail);
	read_comment(bytes, m->text, sizeof m->text);
	memory_free(bytes);
	return true;
}

enum status builtin_list(const char *folder_name, const char *ending, struct builtin **list, size_t *count, struct diagnostic *d)
{
	char folder[4096];
	size_t capacity = 0;
	struct dirent *entry;
	DIR *directory;

	*list = NULL;
	*count = 0;
	if (!data_find(folder_name, folder, sizeof folder))
		return diagnostic_fail(d, STATUS_INPUT, "the program's own %s are not found, last tried %s; set WHYPAR_DATA to its data folder", folder_name, folder);
	directory = opendir(folder);
	if (directory == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "cannot read the %s in %s: %s", folder_name, folder, strerror(errno));
	while ((entry = readdir(directory)) != NULL) {
		*list = memory_grow(*list, &capacity, *count + 1, sizeof **list);
		*count += add_file(&(*list)[*count], folder, entry->d_name, ending);
	}
	closedir(directory);
	if (*count > 1)
		qsort(*list, *count, sizeof **list, by_name);
	return STATUS_OK;
}
