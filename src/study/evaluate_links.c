/* The stage of the links: the topology, what each level of the plan exchanges over it, and the whole step. */
#include "study/study.h"

#include "base/memory.h"
#include "study/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A pair's elements cross in each direction, in equal parts by all accelerators of a side. */
static void route_levels(struct study *study)
{
	struct results *r = &study->results;
	const struct plan *plan = study->plan;
	const double *v = study->document.values;
	double bytes = document_element_bytes(&study->document);

	for (int level = 1; level <= plan->levels; level++) {
		const struct plan_level *at = &plan->level[level - 1];
		struct exchange_request request = { .bytes = at->per_pair * bytes / exp2(plan->levels - level), .messages = at->messages,
			.store_forward = v[PARAMETER_SWITCHING] == SWITCHING_STORE_FORWARD, .endpoint_delay = v[PARAMETER_ENDPOINT_DELAY] };

		r->level_exchange[level - 1] = exchange_level(&r->topology, level, plan->levels, &request);
	}
}

/* Seconds of all levels, each into level_seconds (may be NULL). */
static double time_levels(const struct plan *plan, const struct prices *prices, double *level_seconds)
{
	double seconds = 0;

	for (int level = 1; level <= plan->levels; level++) {
		double one = prices_level(prices, level, plan->level[level - 1].per_pair, plan->level[level - 1].messages);

		if (level_seconds != NULL)
			level_seconds[level - 1] = one;
		seconds += one;
	}
	return seconds;
}

double study_exchanges(const struct study *study, const struct document *document, const struct topology *topology, struct row_exchanges *rows)
{
	struct plan_request request = study_request(study);
	struct prices prices = request_link_prices(document, topology);

	exchanges_of_rows(study->loaded->problem, &request, &prices, study->plan, rows);
	return time_levels(study->plan, &prices, NULL);
}

void study_overlap(const struct study *study, const struct document *document, const struct topology *topology, struct overlapped *out)
{
	struct row_exchanges *rows = memory_alloc((size_t)study->loaded->model->count, sizeof *rows);
	double all = study_exchanges(study, document, topology, rows);

	overlap_step(study->loaded->training, study->step, rows, all, (enum overlap)(int)document->values[PARAMETER_OVERLAP], out);
	memory_free(rows);
}

void study_run_links(struct study *study)
{
	struct results *r = &study->results;
	struct diagnostic d = { .text = "" };
	struct prices prices;

	r->comm_s = r->step_s = r->comm_exposed_s = r->comm_hidden_s = NAN;
	r->overlapped = NULL;
	overlapped_free(&study->overlapped);
	memset(study->idle_known, 0, sizeof study->idle_known);
	if (request_topology(&study->document, &r->topology, &d) != STATUS_OK)
		r->topology.count = 0;
	snprintf(r->topology_trouble, sizeof r->topology_trouble, "%s", d.text);
	if (r->topology.count == 0 || study->plan == NULL || r->plan_state != FRESH)
		return;
	route_levels(study);
	prices = request_link_prices(&study->document, &r->topology);
	r->comm_s = time_levels(study->plan, &prices, r->level_seconds);
	if (study->step == NULL)
		return;
	study_overlap(study, &study->document, &r->topology, &study->overlapped);
	r->overlapped = &study->overlapped;
	/* hidden as behind the first half's work; the other half may be a little longer */
	r->step_s = study->overlapped.seconds + (r->compute_s - r->step->schedule.makespan);
	r->comm_exposed_s = study->overlapped.exposed;
	r->comm_hidden_s = study->overlapped.hidden;
}
