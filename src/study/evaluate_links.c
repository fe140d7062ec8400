/* The stage of the links: the topology, what each level of the plan exchanges over it, and the whole step. */
#include "study/study.h"

#include "study/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A pair's elements cross in each direction, in equal parts by all accelerators of a side. */
static double exchange_levels(struct study *study)
{
	struct results *r = &study->results;
	const struct plan *plan = study->plan;
	const double *v = study->document.values;
	double bytes = format_at((enum number_format)(int)v[PARAMETER_PRECISION])->bytes, seconds = 0;

	for (int level = 1; level <= plan->levels; level++) {
		double members = exp2(plan->levels - level);
		struct exchange_request request = { .bytes = plan->level[level - 1].per_pair * bytes / members, .messages = plan->level[level - 1].messages,
			.store_forward = v[PARAMETER_SWITCHING] == 1, .endpoint_delay = v[PARAMETER_ENDPOINT_DELAY] };

		r->level_exchange[level - 1] = exchange_level(&r->topology, level, plan->levels, &request);
		seconds += exchange_seconds(&r->level_exchange[level - 1]);
	}
	return seconds;
}

/* All bytes of all pairs, one after the other; a torus takes twice as long.  MODELS 2.7. */
static double exchange_as_figures(const struct study *study)
{
	const double *v = study->document.values;
	double bytes = 2 * format_at((enum number_format)(int)v[PARAMETER_PRECISION])->bytes * study->plan->elements;
	bool torus = study->results.topology.tiers[0].kind == TOPOLOGY_TORUS;

	return (torus ? 2 : 1) * bytes / v[PARAMETER_BANDWIDTH];
}

void study_run_links(struct study *study)
{
	struct results *r = &study->results;
	const double *v = study->document.values;
	struct diagnostic d = { .text = "" };

	r->comm_s = r->step_s = NAN;
	if (request_topology(&study->document, &r->topology, &d) != STATUS_OK)
		r->topology.count = 0;
	snprintf(r->topology_trouble, sizeof r->topology_trouble, "%s", d.text);
	if (r->topology.count == 0 || study->plan == NULL || r->plan_state != FRESH)
		return;
	r->comm_s = exchange_levels(study);
	if (v[PARAMETER_COMM_TIME] == 1)
		r->comm_s = exchange_as_figures(study);
	if (r->step != NULL)
		r->step_s = r->step->schedule.makespan + r->comm_s;
}
