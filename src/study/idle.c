/* Why turning a parameter changes nothing now: known from the document, or tried. */
#include "study/study.h"

#include "study/inside.h"

#include <math.h>
#include <string.h>

/* A change of the step by less than this part is none to speak of. */
static const double LITTLE = 1e-3;

/* The step's seconds with another value of one parameter; NAN when there is none then. */
static double try_value(const struct study *study, enum parameter_id id, double value)
{
	double values[PARAMETER_COUNT];
	struct step *step;
	double seconds;

	memcpy(values, study->document.values, sizeof values);
	values[id] = value;
	step = study_make_step(study, values, NULL);
	seconds = step != NULL ? step->schedule.makespan : NAN;
	step_free(step);
	return seconds;
}

/* Parts of the step's length that memory binds and that were measured, along what each operator waited for. */
static void bound_parts(const struct step *step, double *memory, double *measured)
{
	*memory = *measured = 0;
	for (int task = schedule_last(&step->schedule); task >= 0; task = step->schedule.tasks[task].waited_for) {
		double part = step->tasks[task].seconds / step->schedule.makespan;

		if (step->nodes[step->tasks[task].node].measured)
			*measured += part;
		else if (step_timing(&step->tasks[task])->bound == BOUND_MEMORY)
			*memory += part;
	}
}

/* In words: what binds instead. */
static const char *reason_of(const struct study *study, enum parameter_id id)
{
	double memory_part, measured_part;
	bool memory;

	bound_parts(study->step, &memory_part, &measured_part);
	memory = memory_part > 0.5;
	if (measured_part > 0.5 && id != PARAMETER_TC && id != PARAMETER_VC)
		return "what the step waits for was measured, and stays as it was";
	switch (id) {
	case PARAMETER_GLB: case PARAMETER_HBM_BW:
		return memory ? "memory-bound, but no tile gets better by it: as many bytes move" : "compute-bound: the cores bind, memory keeps up";
	case PARAMETER_TC: case PARAMETER_VC:
		return memory ? "memory-bound: bandwidth binds, more cores only wait for it" : "no operator that the step waits for is waiting for such a core";
	case PARAMETER_FUSION:
		return "nothing here ends sooner fused";
	case PARAMETER_OPTIMIZER:
		return "updates hide behind other work";
	default:
		return memory ? "memory-bound: bandwidth binds" : "the step waits for other work";
	}
}

static bool is_of_step(enum parameter_id id)
{
	return (parameter_of_preset(id) && id != PARAMETER_UNCORE_MM2 && id != PARAMETER_MAC_ENERGY && id != PARAMETER_HBM) || id == PARAMETER_OPTIMIZER || id == PARAMETER_FUSION;
}

/* The pooled output differs from the convolution's own only where a layer pools. */
static bool any_pool(const struct model *model)
{
	for (int i = 0; i < model->count; i++)
		if (model->operators[i].kind == OPERATOR_CONV && model->operators[i].pool > 1)
			return true;
	return false;
}

static bool of_run(enum parameter_id id)
{
	return id >= PARAMETER_TENSOR && id <= PARAMETER_CLUSTER;
}

static bool any_attention(const struct model *model)
{
	for (int i = 0; i < model->count; i++)
		if (model->operators[i].kind == OPERATOR_ATTENTION)
			return true;
	return false;
}

static const char *run_idle(const struct study *study, enum parameter_id id)
{
	const double *v = study->document.values;

	if (study->results.run_trouble[0] != '\0')
		return study->results.run_trouble;
	if (id == PARAMETER_CLUSTER && !study->results.on_cluster)
		return study->results.cluster_trouble;
	if (id == PARAMETER_SEQ_PARALLEL && !study->results.on_cluster)
		return "each level lays tensors out as its layers have them; it is of runs on clusters";
	if (id == PARAMETER_ATTENTION && !study->results.on_cluster && !any_attention(study->loaded->model))
		return "this model has no attention";
	if (id == PARAMETER_CHUNKS && v[PARAMETER_SCHEDULE] != PIPELINE_INTERLEAVED)
		return "only schedule=interleaved has chunks";
	if (id == PARAMETER_SCHEDULE && v[PARAMETER_PIPELINE] < 2)
		return "one stage takes one pass after another";
	if (id == PARAMETER_SEQ_PARALLEL && v[PARAMETER_TENSOR] < 2)
		return "one GPU a stage has nothing to split";
	if (id == PARAMETER_ZERO && v[PARAMETER_REPLICAS] < 2)
		return "one replica has nobody to split with";
	if (id == PARAMETER_RECOMPUTE && v[PARAMETER_RECOMPUTE] == RECOMPUTE_SELECTIVE && v[PARAMETER_ATTENTION] == ATTENTION_FUSED)
		return "fused attention keeps no scores to compute again";
	return NULL;
}

const char *study_idle_known(const struct study *study, enum parameter_id id)
{
	const char *known = document_idle(&study->document, id);

	if (known == NULL && id == PARAMETER_MP_OUTPUT && study->loaded != NULL && !any_pool(study->loaded->model))
		return "no layer of this model pools, so both outputs are the same";
	if (known == NULL && of_run(id))
		return run_idle(study, id);
	if (known == NULL && id == PARAMETER_SEQ && study->loaded != NULL && study->loaded->model->sequence == 0)
		return "this model is not of sequences";
	return known;
}

/* The whole step with another value of what the exchanges read; NAN when there is none then. */
static double try_links(const struct study *study, enum parameter_id id, double value)
{
	struct document document = study->document;      /* borrowed */
	struct topology topology;
	struct overlapped o;
	double seconds;

	document.values[id] = value;
	if (request_topology(&document, &topology, NULL) != STATUS_OK)
		return NAN;
	study_overlap(study, &document, &topology, &o);
	seconds = o.seconds;
	overlapped_free(&o);
	return seconds;
}

static const char *reason_of_links(const struct study *study, enum parameter_id id)
{
	const struct results *r = &study->results;

	if (r->comm_s == 0)
		return "this plan exchanges nothing";
	if (id == PARAMETER_OVERLAP)
		return r->comm_s < LITTLE * r->step_s ? "exchanges are less than a thousandth of the step" : "what this plan exchanges is what the cores wait for";
	if (r->comm_hidden_s > 0 && r->comm_exposed_s < LITTLE * r->step_s)
		return "the exchanges hide behind computing";
	if (r->comm_s < LITTLE * r->step_s)
		return "exchanges are less than a thousandth of the step";
	return "a step of it changes the whole step by less than a thousandth";
}

enum { OTHERS_MAX = 16 };

/* What the parameter could be turned to: one step either way, or another choice. */
static int other_values(const struct study *study, enum parameter_id id, double value, double others[OTHERS_MAX])
{
	const struct parameter *p = parameter_at(id);
	int count = 0;

	for (double v = p->minimum; p->unit == UNIT_CHOICE && v <= p->maximum && count < OTHERS_MAX; v++)
		if (v != value && !(id == PARAMETER_TOPOLOGY && v == TOPOLOGY_KIND_COUNT && study->document.topology.count == 0))
			others[count++] = v;
	for (int direction = -1; p->unit != UNIT_CHOICE && direction <= 1; direction += 2) {
		double next = parameter_step_value(id, value, direction);

		if (next != value)
			others[count++] = next;
	}
	return count;
}

const char *study_idle(struct study *study, enum parameter_id id)
{
	const char *known = study_idle_known(study, id);
	double value = study->document.values[id], now, others[OTHERS_MAX];
	int count;

	bool links = document_of_links(id);

	study_update(study);
	/* a plan chosen by time depends on all links */
	if (known != NULL || study->step == NULL || study->results.second != NULL || !(is_of_step(id) || (links && !isnan(study->results.step_s) && study->plan->objective != OBJECTIVE_TIME)))
		return known;
	if (study->idle_known[id])
		return study->idle[id];
	study->idle_known[id] = true;
	study->idle[id] = NULL;
	now = links ? study->results.step_s : study->step->schedule.makespan;
	count = other_values(study, id, value, others);
	for (int i = 0; i < count; i++)
		if (!(fabs((links ? try_links(study, id, others[i]) : try_value(study, id, others[i])) - now) < LITTLE * now))
			return NULL;
	return study->idle[id] = links ? reason_of_links(study, id) : reason_of(study, id);
}
