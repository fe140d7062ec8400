/* libFuzzer target: any bytes are a profiled layer graph or are refused with a reason; a small one is split, or nothing fits it. */
#include "pipeline/profile.h"

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
	struct staging_problem p;
	struct staging s;
	struct diagnostic d = { .text = "" };

	if (profile_read("input", (const char *)data, size, NULL, &p, &d) != STATUS_OK) {
		must(d.text[0] != '\0');
		return 0;
	}
	must(p.layer_count > 0 && p.graph_count > 0);
	if (p.layer_count <= 12 && p.microbatches <= 1000000) {
		enum status status = staging_solve(&p, &s, &d);

		must(status == STATUS_OK || d.text[0] != '\0');
		must(status != STATUS_OK || !s.feasible || (isfinite(s.seconds) && s.max_memory <= p.memory));
		staging_free(&s);
	}
	staging_problem_free(&p);
	return 0;
}
