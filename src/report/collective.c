/* One collective on the set topology. */
#include "report/report.h"

#include "base/text.h"
#include "network/collective.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

/* What was asked of which links. */
struct asked {
	struct topology topology;        /* resolved */
	struct collective_request request;
	struct collective_time time;
};

static enum status work_out(const struct study *study, const char *op, const char *bytes, struct asked *a, struct diagnostic *d)
{
	const double *v = study_document(study)->values;
	struct topology topology = document_topology(study_document(study));
	int64_t accelerators = 0;
	enum status status;

	a->request = (struct collective_request){ .op = collective_find(op, d), .algorithm = { (enum algorithm)(int)v[PARAMETER_ALGORITHM] },
		.store_forward = v[PARAMETER_SWITCHING] == SWITCHING_STORE_FORWARD, .endpoint_delay = v[PARAMETER_ENDPOINT_DELAY], .chunks = (int)v[PARAMETER_CHUNKS_COMM] };
	if (a->request.op == COLLECTIVE_COUNT)
		return STATUS_USAGE;
	status = units_parse(UNIT_BYTES, "bytes", bytes, &a->request.bytes, d);
	if (status == STATUS_OK && !(a->request.bytes >= 0 && a->request.bytes <= 1e18))
		status = diagnostic_fail(d, STATUS_INPUT, "bytes: %.40s is out of range; it goes from 0B to 1e18", bytes);
	/* sizes stand for themselves; a bare tier follows the accelerators */
	for (int i = 0; i < topology.count; i++)
		if (topology.tiers[i].dimensions == 0)
			accelerators = (int64_t)v[PARAMETER_ACCELERATORS];
	if (status == STATUS_OK)
		status = topology_resolve(&topology, accelerators, v[PARAMETER_BANDWIDTH], v[PARAMETER_LATENCY], &a->topology, d);
	return status == STATUS_OK ? collective_on(&a->topology, &a->request, &a->time, d) : status;
}

/* The algorithms that were taken, each once in a row: "ring", "ring+halving-doubling"; "" for a message. */
static void add_algorithms(const struct collective_time *t, struct text *out)
{
	const char *last = "";

	for (int i = 0; i < t->phase_count; i++) {
		const char *name = algorithm_name(t->phases[i].algorithm);

		if (strcmp(name, last) != 0)
			text_printf(out, "%s%s", out->length > 0 ? "+" : "", name);
		last = name;
	}
}

static json_t *phase_json(const struct collective_phase *p)
{
	json_t *phase = json_object();

	json_set_text(phase, "op", collective_name(p->op));
	json_set_text(phase, "algorithm", algorithm_name(p->algorithm));
	json_set_text(phase, "on", dimension_name(p->on.kind));
	json_object_set_new(phase, "members", json_integer(p->on.size));
	json_object_set_new(phase, "tier", json_integer(p->on.tier + 1));
	json_set_number(phase, "bytes", p->bytes);
	json_set_number(phase, "steps", p->steps);
	json_set_number(phase, "alpha_s", p->alpha);
	json_set_number(phase, "beta_s", p->beta);
	json_set_number(phase, "busiest_link_bytes", p->link_bytes);
	json_set_text(phase, "formula", algorithm_formula(p->algorithm, p->on.kind, p->op));
	return phase;
}

static void write_json(const struct asked *a, struct text *out)
{
	const struct collective_time *t = &a->time;
	json_t *root = json_begin(), *phases = json_array();
	struct text algorithms = { 0 };
	char topology[TOPOLOGY_BYTES];

	topology_print(&a->topology, topology, sizeof topology);
	add_algorithms(t, &algorithms);
	json_set_text(root, "op", collective_name(a->request.op));
	json_set_text(root, "topology", topology);
	if (algorithms.length > 0)
		json_set_text(root, "algorithm", text_string(&algorithms));
	json_set_number(root, "bytes", a->request.bytes);
	json_object_set_new(root, "group", json_integer(t->group));
	json_set_number(root, "steps", t->steps);
	json_set_number(root, "time_s", t->seconds);
	json_set_number(root, "alpha_s", t->alpha);
	json_set_number(root, "beta_s", t->beta);
	json_set_number(root, "algbw", t->algorithm_bandwidth);
	json_set_number(root, "busbw", t->bus_bandwidth);
	json_set_number(root, "busiest_link_bytes", t->link_bytes);
	for (int i = 0; i < t->phase_count; i++)
		json_array_append_new(phases, phase_json(&t->phases[i]));
	json_object_set_new(root, "phases", phases);
	json_end(root, out);
	text_free(&algorithms);
}

static void write_text(const struct asked *a, struct text *out)
{
	const struct collective_time *t = &a->time;
	char topology[TOPOLOGY_BYTES], bytes[40], time[32], alpha[32], beta[32];

	topology_print(&a->topology, topology, sizeof topology);
	units_print_bytes(a->request.bytes, bytes, sizeof bytes);
	units_print_seconds(t->seconds, time, sizeof time);
	units_print_seconds(t->alpha, alpha, sizeof alpha);
	units_print_seconds(t->beta, beta, sizeof beta);
	text_printf(out, "%s of %s among %lld on %s: %s\n", collective_name(a->request.op), bytes, (long long)t->group, topology, time);
	text_printf(out, "%.0f step%s; latencies and delays %s, bytes over bandwidth %s\n", t->steps, t->steps == 1 ? "" : "s", alpha, beta);
	if (!isnan(t->algorithm_bandwidth))
		text_printf(out, "algorithm bandwidth %.4g GB/s, bus bandwidth %.4g GB/s\n", t->algorithm_bandwidth / 1e9, t->bus_bandwidth / 1e9);
	units_print_bytes(t->link_bytes, bytes, sizeof bytes);
	text_printf(out, "over the busiest link, in one direction: %s\n", bytes);
	if (t->phase_count > 0)
		text_printf(out, "\n%-14s %-13s %4s %9s %6s %9s %10s\n", "phase", "on", "tier", "bytes", "steps", "latencies", "bytes/B");
	for (int i = 0; i < t->phase_count; i++) {
		const struct collective_phase *p = &t->phases[i];
		char on[32];

		snprintf(on, sizeof on, "%s of %lld", dimension_name(p->on.kind), (long long)p->on.size);
		units_print_bytes(p->bytes, bytes, sizeof bytes);
		units_print_seconds(p->alpha, alpha, sizeof alpha);
		units_print_seconds(p->beta, beta, sizeof beta);
		text_printf(out, "%-14s %-13s %4d %9s %6.0f %9s %10s\n  %s: %s\n", collective_name(p->op), on, p->on.tier + 1, bytes, p->steps, alpha, beta, algorithm_name(p->algorithm),
			algorithm_formula(p->algorithm, p->on.kind, p->op));
	}
	if (a->request.chunks > 1)
		text_printf(out, "for one of %d chunks; they follow one another through the dimensions\n", a->request.chunks);
}

enum status report_collective(struct study *study, const char *op, const char *bytes, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct asked a;
	enum status status = work_out(study, op, bytes, &a, d);

	if (status == STATUS_OK && form == REPORT_JSON)
		write_json(&a, out);
	else if (status == STATUS_OK)
		write_text(&a, out);
	return status;
}
