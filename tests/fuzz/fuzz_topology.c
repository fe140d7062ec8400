/* libFuzzer target: any text is a topology or is refused with a reason; what is one prints, reads back as the same, and times every collective
 * and level with numbers that are some. */
#include "network/collective.h"
#include "network/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_times(const struct topology *t, int64_t accelerators)
{
	struct topology resolved;
	struct diagnostic d = { .text = "" };

	if (topology_resolve(t, accelerators, 1e9, 1e-6, &resolved, &d) != STATUS_OK) {
		must(d.text[0] != '\0');
		return;
	}
	for (int op = 0; op < COLLECTIVE_COUNT; op++) {
		struct collective_request r = { .op = (enum collective)op, .bytes = 1e6, .chunks = 3, .store_forward = op % 2 };
		struct collective_time time;

		must(collective_on(&resolved, &r, &time, &d) == STATUS_OK);
		must(isfinite(time.seconds) && time.seconds >= 0 && time.group >= 1);
	}
	for (int level = 1; accelerators == 16 && level <= 4; level++) {
		struct exchange e = exchange_level(&resolved, level, 4, &(struct exchange_request){ .bytes = 1e6, .messages = 2 });

		must(isfinite(exchange_seconds(&e)) && e.beta > 0 && e.load >= 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[600], printed[1024];
	struct topology t, again;
	struct diagnostic d = { .text = "" };

	if (size >= sizeof text)
		size = sizeof text - 1;
	memcpy(text, data, size);
	text[size] = '\0';
	if (topology_parse(text, &t, &d) != STATUS_OK) {
		must(d.text[0] != '\0');
		return 0;
	}
	topology_print(&t, printed, sizeof printed);
	must(topology_parse(printed, &again, &d) == STATUS_OK && topology_equal(&t, &again));
	check_times(&t, 0);
	check_times(&t, 16);
	return 0;
}
