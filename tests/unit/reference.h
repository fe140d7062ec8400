/* What tests read: built-in models, and the folder of real files and golden numbers that lies beside the source, where there is one
 * (../shared, or $WHYPAR_SHARED).  Tests that need it skip where it is absent. */
#ifndef WHYPAR_TESTS_REFERENCE_H
#define WHYPAR_TESTS_REFERENCE_H

#include "model/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Path of a file of that folder; valid until the next call. */
static inline const char *shared_path(const char *file)
{
	static char path[4096];
	const char *folder = getenv("WHYPAR_SHARED");

	snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "../shared", file);
	return path;
}

/* NULL where it is absent. */
static inline FILE *shared_open(const char *file)
{
	return fopen(shared_path(file), "r");
}

/* Cells of a line of the reference tables, in place; they are plain: no quotes. */
static inline int split_line(char *line, char **cells, int most)
{
	int count = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (char *cell = line; cell != NULL && count < most; count++) {
		char *comma = strchr(cell, ',');

		cells[count] = cell;
		if (comma != NULL)
			*comma = '\0';
		cell = comma != NULL ? comma + 1 : NULL;
	}
	return count;
}

/* Fails the test when it does not load. */
static inline struct model *load_reference(const char *reference)
{
	struct model *m;
	struct diagnostic d;

	if (model_load(reference, &m, NULL, &d) != STATUS_OK)
		fail_msg("%s: %s", reference, d.text);
	return m;
}

#endif
