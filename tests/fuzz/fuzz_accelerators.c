/* libFuzzer target: any bytes either read as a table of accelerators or are refused with a reason, and every accelerator that was read has
 * sound figures and times products without end or overflow. */
#include "hardware/accelerator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void check_accelerator(const struct accelerator *a)
{
	static const int64_t sizes[] = { 1, 7, 4096, (int64_t)1 << 40 };
	const struct constants *c = constants_standard();
	double uncore = accelerator_uncore(a, c), least = INFINITY;
	struct power p = accelerator_power(a, &a->machine, uncore, c);

	must(a->name[0] != '\0' && a->source[0] != '\0');
	check_text(a->name);
	check_text(a->text);
	check_text(a->source);
	must(isfinite(uncore) && uncore >= 0 && isfinite(p.total) && p.total > 0 && machine_area(&a->machine, c).total > 0);
	for (int cores = 1; cores <= 2; cores++) {
		struct gemm g = gemm_plain(3, sizes[a->line % 4], sizes[a->line / 4 % 4], sizes[a->line / 16 % 4]);
		struct timing t;
		struct diagnostic d;

		if (tensor_time(&a->machine, &g, 1, cores, &t, &d) != STATUS_OK) {
			check_text(d.text);
			continue;
		}
		must(isfinite(t.time_s) && t.time_s > 0 && t.utilisation <= 1 && t.time_s <= least);
		least = t.time_s;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct accelerators list;
	struct diagnostics problems = { .items = NULL };
	struct diagnostic d = { .text = "" };
	enum status status = accelerators_read("fuzz", (const char *)data, size, &list, &problems, &d);

	must((status == STATUS_OK) == (list.count > 0));
	must(status == STATUS_OK || (d.text[0] != '\0' && problems.errors > 0));
	for (size_t i = 0; i < problems.count; i++)
		check_text(problems.items[i].text);
	for (size_t i = 0; i < list.count; i++) {
		check_accelerator(&list.items[i]);
		must(accelerator_find(&list, list.items[i].name, &d) == &list.items[i]);
	}
	accelerator_find(&list, "no such name", &d);
	check_text(d.text);
	accelerators_free(&list);
	diagnostics_free(&problems);
	return 0;
}
