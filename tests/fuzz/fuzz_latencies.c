/* libFuzzer target: any bytes either read as a table of measured latencies or are refused with a reason, and every row that was read is found
 * again by its shape. */
#include "hardware/latencies.h"

#include <math.h>
#include <stdlib.h>

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_text(const char *text)
{
	for (; *text != '\0'; text++)
		must((unsigned char)*text >= 0x20 && *text != 0x7F);
}

static const struct latency *find_again(const struct latencies *list, const struct latency *l)
{
	struct gemm g = { .groups = l->groups, .m = l->m, .n = l->n, .k = l->k };

	return l->product ? latencies_product(list, &g) : latencies_vector(list, l->operation, l->backward, l->elements, l->window);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diagnostic d = { .text = "" };
	struct latencies *list = latencies_read("fuzz", (const char *)data, size, &d), *second = latencies_share(list);

	must(list != NULL || d.text[0] != '\0');
	for (size_t i = 0; list != NULL && i < list->problems.count; i++)
		check_text(list->problems.items[i].text);
	for (int i = 0; list != NULL && i < list->count; i++) {
		must(isfinite(list->rows[i].seconds) && list->rows[i].seconds > 0);
		must(find_again(list, &list->rows[i]) == &list->rows[i]);
	}
	latencies_release(list);
	latencies_release(second);
	return 0;
}
