#include "study/calibrated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was measured is not known better. */
static double four_digits(double value)
{
	char text[32];

	snprintf(text, sizeof text, "%.4g", value);
	return strtod(text, NULL);
}

/* What a collective takes of one byte/s, of one second of latency, and of neither. */
struct unit_times {
	double beta, alpha, fixed;
};

static enum status unit_times(const struct document *document, const struct calibration *c, struct unit_times *unit, bool *as_ring, struct diagnostic *d)
{
	const double *v = document->values;
	struct topology topology = document_topology(document), resolved;
	struct collective_time t;
	/* nccl-tests counts a gather by the bytes of the whole, as a reduce-scatter is counted here */
	struct collective_request request = { .op = c->op == COLLECTIVE_ALL_REDUCE ? COLLECTIVE_ALL_REDUCE : COLLECTIVE_REDUCE_SCATTER, .bytes = 1,
		.store_forward = v[PARAMETER_SWITCHING] == SWITCHING_STORE_FORWARD, .chunks = (int)v[PARAMETER_CHUNKS_COMM], .algorithm = { ALGORITHM_RING } };
	enum status status;

	for (int i = 0; i < topology.count; i++) {
		topology.tiers[i].link.bandwidth = 1;
		topology.tiers[i].link.latency = 0;
	}
	*as_ring = topology_resolve(&topology, c->ranks, 1, 1, &resolved, NULL) != STATUS_OK;
	if (*as_ring) {
		topology = topology_bare(TOPOLOGY_RING);
		topology_resolve(&topology, c->ranks, 1, 1, &resolved, NULL);
	}
	status = collective_on(&resolved, &request, &t, d);
	if (status != STATUS_OK)
		return status;
	unit->beta = t.seconds;
	request.bytes = 0;
	request.endpoint_delay = v[PARAMETER_ENDPOINT_DELAY];
	status = collective_on(&resolved, &request, &t, d);
	unit->fixed = t.seconds;
	request.endpoint_delay = 0;
	for (int i = 0; i < resolved.count; i++)
		resolved.tiers[i].link.latency = 1;
	if (status == STATUS_OK)
		status = collective_on(&resolved, &request, &t, d);
	unit->alpha = t.seconds;
	return status;
}

static enum status in_range(enum parameter_id id, double value, struct diagnostic *d)
{
	const struct parameter *p = parameter_at(id);
	char found[40], least[40], most[40];

	if (value >= p->minimum && value <= p->maximum)
		return STATUS_OK;
	parameter_print(id, value, found, sizeof found);
	parameter_print(id, p->minimum, least, sizeof least);
	parameter_print(id, p->maximum, most, sizeof most);
	return diagnostic_fail(d, STATUS_INPUT, "the times fit a %s of %s, and it goes from %s to %s: are bytes and microseconds where nccl-tests prints them?", p->name, found, least, most);
}

enum status calibrated_read(const struct document *document, const char *path, const char *bytes, size_t length, const char *ranks, struct calibrated *out, struct diagnostic *d)
{
	struct unit_times unit = { .alpha = 1 };
	int64_t stated = 0;
	enum status status;

	*out = (struct calibrated){ .calibration = NULL };
	if (ranks != NULL && (units_parse_whole(ranks, strlen(ranks), &stated) != STATUS_OK || stated < 2 || stated > NETWORK_MAX))
		return diagnostic_fail(d, STATUS_INPUT, "\"%.40s\" is no number of ranks; it is a whole number from 2 to %d", ranks, NETWORK_MAX);
	out->calibration = calibration_read(path, bytes, length, (int)stated, d);
	if (out->calibration == NULL)
		return STATUS_INPUT;
	status = unit_times(document, out->calibration, &unit, &out->as_ring, d);
	if (status == STATUS_OK) {
		out->bandwidth = four_digits(unit.beta / out->calibration->beta);
		out->latency = four_digits(fmax(0, out->calibration->alpha - unit.fixed) / unit.alpha);
		out->idle = document_idle(document, PARAMETER_BANDWIDTH);
		status = in_range(PARAMETER_BANDWIDTH, out->bandwidth, d);
	}
	if (status == STATUS_OK)
		status = in_range(PARAMETER_LATENCY, out->latency, d);
	if (status == STATUS_OK)
		return status;
	diagnostic_place(d, path, 0, 0);
	calibration_free(out->calibration);
	out->calibration = NULL;
	return status;
}

void calibrated_command(const struct calibrated *c, char *out, size_t size)
{
	char bandwidth[40], latency[40];

	parameter_print(PARAMETER_BANDWIDTH, c->bandwidth, bandwidth, sizeof bandwidth);
	parameter_print(PARAMETER_LATENCY, c->latency, latency, sizeof latency);
	snprintf(out, size, "set bandwidth=%s latency=%s", bandwidth, latency);
}

void calibrated_sentence(const struct calibrated *c, char *out, size_t size)
{
	char time[32];

	units_print_seconds(c->latency, time, sizeof time);
	snprintf(out, size, "%s%d ranks%s: bandwidth %.4g GB/s, latency %s a hop; off by %.3g %% on average%s%s", c->calibration->ranks_told ? "about " : "", c->calibration->ranks,
		c->as_ring ? ", taken as a ring" : "", c->bandwidth / 1e9, time, 100 * c->calibration->mean_error, c->idle != NULL ? "; it changes nothing now: " : "",
		c->idle != NULL ? c->idle : "");
}
