/* libFuzzer target: any bytes are what mine --json wrote, with designs of the space alone, or are refused with a reason. */
#include "study/mined_file.h"

#include <stdlib.h>

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct design designs[MINE_TOP_MAX];
	struct diagnostic d = { .text = "" };
	int count;

	if (mined_read("input", (const char *)data, size, designs, &count, &d) != STATUS_OK) {
		must(d.text[0] != '\0');
		return 0;
	}
	must(count > 0 && count <= MINE_TOP_MAX);
	for (int i = 0; i < count; i++)
		for (int axis = 0; axis < AXIS_COUNT; axis++)
			must(designs[i].log[axis] >= design_axis_least((enum design_axis)axis) && designs[i].log[axis] <= design_axis_most((enum design_axis)axis));
	return 0;
}
