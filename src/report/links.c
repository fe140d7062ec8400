#include "report/links.h"

#include "base/units.h"

#include <math.h>

static const char *plural(double count)
{
	return count == 1 ? "" : "s";
}

void links_sentence(const struct study *study, int level, struct text *out)
{
	const struct results *r = study_results(study);
	const struct exchange *e = &r->level_exchange[level - 1];
	double offset = exp2(r->plan->levels - level);
	char bytes[40], link[40], time[32], alpha[32];

	units_print_bytes(e->bytes, bytes, sizeof bytes);
	units_print_bytes(e->link_bytes, link, sizeof link);
	units_print_seconds(exchange_seconds(e), time, sizeof time);
	units_print_seconds(e->alpha, alpha, sizeof alpha);
	text_printf(out, "At H%d accelerator 0 exchanges with %.0f, 1 with %.0f and so on, all at once: each sends %s and gets as much, over %.0f hop%s of a %s of %lld.", level, offset,
		offset + 1, bytes, e->hops, plural(e->hops), dimension_name(e->on.kind), (long long)e->on.size);
	text_printf(out, " The busiest link carries %.0f message%s in one direction, %s at %.4g GB/s", e->load, plural(e->load), link, e->bandwidth / 1e9);
	if (e->alpha > 0)
		text_printf(out, "; with latencies of %s that takes %s.", alpha, time);
	else
		text_printf(out, ", which takes %s.", time);
	units_print_seconds(r->level_seconds[level - 1], time, sizeof time);
	if (study_document(study)->values[PARAMETER_COMM_TIME] == COMM_TIME_FIGURES)
		text_printf(out, " But comm_time=figures counts all pairs one after another: %s.", time);
}

void links_rates(const struct exchange *e, double seconds, struct link_rates *rates)
{
	rates->algorithm = rates->bus = seconds > 0 ? e->bytes / seconds : NAN;
	rates->link = seconds > 0 ? e->link_bytes / seconds : NAN;
}
