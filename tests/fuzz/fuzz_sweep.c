/* Tables of sweeps: whatever they say, they are read or refused, and every point of a small one is a row. */
#include "study/sweep.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static struct study *study;
	struct sweep_grid grid;
	struct diagnostic d;
	struct document base;
	char *copy = memory_copy_text((const char *)data, size);

	if (study == NULL)
		study = study_new();
	if (sweep_read("grid.csv", copy, size, &grid, &d) == STATUS_OK) {
		document_init(&base);
		for (int64_t point = 0; point < grid.points && point < 2; point++) {
			struct text row = { 0 };

			sweep_evaluate(study, &base, &grid, grid.points - 1 - point, &row);
			if (row.length == 0 || row.bytes[row.length - 1] != '\n' || memchr(row.bytes, '\n', row.length) != row.bytes + row.length - 1)
				abort();
			text_free(&row);
		}
		document_free(&base);
	}
	sweep_grid_free(&grid);
	memory_free(copy);
	return 0;
}
