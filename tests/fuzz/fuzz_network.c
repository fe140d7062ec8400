/* libFuzzer target: any bytes are a topology, as a table of tiers or as ASTRA-sim's network, or are refused with a reason; what is one reads back as
 * the same. */
#include "network/load.h"

#include <stdlib.h>

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char printed[TOPOLOGY_BYTES];
	struct topology t, again;
	struct diagnostic d = { .text = "" };

	if (topology_read("input", (const char *)data, size, &t, &d) != STATUS_OK) {
		must(d.text[0] != '\0');
		return 0;
	}
	must(t.count > 0);
	topology_print(&t, printed, sizeof printed);
	must(topology_parse(printed, &again, &d) == STATUS_OK && topology_equal(&t, &again));
	return 0;
}
