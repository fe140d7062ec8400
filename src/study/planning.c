#include "study/planning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double GPUS_MOST = 1 << 20;

enum status planning_gpus(const char *text, double *gpus, struct diagnostic *d)
{
	enum status status = units_parse(UNIT_COUNT, "GPUs", text, gpus, d);

	if (status == STATUS_OK && (*gpus != floor(*gpus) || *gpus < 1 || *gpus > GPUS_MOST))
		return diagnostic_fail(d, STATUS_INPUT, "GPUs: %.40s is no whole number from 1 to %.0f", text, GPUS_MOST);
	return status;
}

enum status planning_search(const struct study *study, double gpus, struct run_search *out, struct diagnostic *d)
{
	const struct results *r = study_results(study);
	struct run_plan base = study_run_plan(study_document(study)->values);
	enum status status;

	if (!r->on_cluster)
		return diagnostic_fail(d, STATUS_INPUT, "plans are looked for on clusters: %.600s", r->cluster_trouble);
	status = run_search(&r->transformer, &base, gpus, r->gpu, r->cluster, NULL, out, d);
	if (status != STATUS_OK || out->best_count > 0)
		return status;
	return diagnostic_fail(d, STATUS_INFEASIBLE, "no plan of %.0f GPUs fits %.0f GiB each; the nearest, tensor %.0f x replicas %.0f x pipeline %.0f, takes %.1f GiB; take more GPUs%s", gpus,
		r->gpu->memory / 0x1p30, out->nearest.plan.tensor, out->nearest.plan.replicas, out->nearest.plan.pipeline, out->nearest.run.memory.total / 0x1p30,
		base.zero == 0 ? " or set zero=1" : "");
}

void planning_command(const struct run_plan *p, char *out, size_t size)
{
	snprintf(out, size, "set tensor=%.0f pipeline=%.0f replicas=%.0f microbatch=%.0f schedule=%s chunks=%.0f recompute=%s seq_parallel=%s", p->tensor, p->pipeline, p->replicas, p->microbatch,
		pipeline_schedule_name(p->schedule), p->chunks,
		recompute_name(p->recompute), p->sequence_parallel ? "on" : "off");
}
