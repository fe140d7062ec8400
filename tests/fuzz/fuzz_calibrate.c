/* libFuzzer target: any bytes are a calibration with numbers that are some, or are refused with a reason. */
#include "network/calibrate.h"

#include <math.h>
#include <stdlib.h>

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diagnostic d = { .text = "" };
	struct calibration *c = calibration_read("fuzz", (const char *)data, size, size % 3 == 0 ? 8 : 0, &d);

	must(c != NULL || d.text[0] != '\0');
	if (c != NULL) {
		must(c->ranks > 1 && isfinite(c->alpha) && c->alpha >= 0 && isfinite(c->beta) && c->beta > 0);
		must(c->bandwidth > 0 && c->step_latency >= 0 && c->worst_error >= 0);
		for (size_t i = 0; i < c->count; i++)
			must(isfinite(c->rows[i].fitted));
	}
	calibration_free(c);
	return 0;
}
