#include "study/request.h"

#include "network/exchange.h"

#include <math.h>

static enum status resolve(const struct document *document, double bandwidth, struct topology *out, struct diagnostic *d)
{
	const double *v = document->values;
	struct topology topology = document_topology(document);
	double devices = document_devices(document);
	struct diagnostic why;

	if (devices > NETWORK_MAX)
		return diagnostic_fail(d, STATUS_INPUT, "topology: accelerators x tensor x replicas x pipeline are %.0f, and links are known of at most %d", devices, NETWORK_MAX);
	/* of a box with less in it than there is room for, the places that are taken */
	if (topology.count > 1 && topology.tiers[0].dimensions == 1 && topology.tiers[topology.count - 1].dimensions == 0 && devices < (double)topology.tiers[0].size[0] &&
	    fmod((double)topology.tiers[0].size[0], devices) == 0)
		topology.tiers[0].size[0] = (int64_t)devices;
	/* a tree alone follows them to the next that it has a place for each in */
	if (topology.count == 1 && topology.tiers[0].dimensions == 0 && (topology.tiers[0].kind == TOPOLOGY_HTREE || topology.tiers[0].kind == TOPOLOGY_FATTREE))
		devices = exp2(ceil(log2(devices)));
	if (topology_resolve(&topology, (int64_t)devices, bandwidth, v[PARAMETER_LATENCY], out, &why) == STATUS_OK)
		return STATUS_OK;
	return diagnostic_fail(d, STATUS_INPUT, "%.500s%s", why.text, devices > v[PARAMETER_ACCELERATORS] ? "; they are accelerators x tensor x replicas x pipeline" : "");
}

enum status request_topology(const struct document *document, struct topology *out, struct diagnostic *d)
{
	return resolve(document, document->values[PARAMETER_BANDWIDTH], out, d);
}

/* All pairs of a level at once, each level as long as its busiest link: each accelerator of a side carries its part of what the pair exchanges. */
static void price_by_links(const struct document *document, const struct topology *topology, struct prices *p)
{
	const double *v = document->values;
	int levels = document_levels(document);

	for (int level = 1; level <= levels; level++) {
		struct exchange_request element = { .bytes = document_element_bytes(document) / exp2(levels - level), .store_forward = v[PARAMETER_SWITCHING] == SWITCHING_STORE_FORWARD };
		struct exchange_request message = { .messages = 1, .endpoint_delay = v[PARAMETER_ENDPOINT_DELAY] };
		struct exchange of_element = exchange_level(topology, level, levels, &element), of_message = exchange_level(topology, level, levels, &message);

		p->element_s[level - 1] = of_element.beta;
		p->message_s[level - 1] = of_message.alpha;
	}
}

/* All bytes of all pairs, one after the other, over a link of the innermost tier; a torus takes twice as long.  MODELS 2.7. */
static void price_as_figures(const struct document *document, const struct topology *topology, struct prices *p)
{
	const struct tier *inner = &topology->tiers[0];
	double slower = inner->kind == TOPOLOGY_TORUS ? 2 : 1;

	for (int h = 0; h < LEVELS_MAX; h++)
		p->element_s[h] = ldexp(slower * 2 * document_element_bytes(document) / inner->link.bandwidth, h);
}

struct prices request_link_prices(const struct document *document, const struct topology *topology)
{
	struct prices p = { .objective = OBJECTIVE_TIME };

	if (document->values[PARAMETER_COMM_TIME] == COMM_TIME_FIGURES)
		price_as_figures(document, topology, &p);
	else
		price_by_links(document, topology, &p);
	return p;
}

static struct prices prices_with(const struct document *document, double bandwidth)
{
	struct topology topology;

	if (document->values[PARAMETER_OBJECTIVE] != OBJECTIVE_TIME)
		return (struct prices){ .objective = (enum objective)(int)document->values[PARAMETER_OBJECTIVE] };
	if (resolve(document, bandwidth, &topology, NULL) != STATUS_OK)
		return (struct prices){ .objective = OBJECTIVE_ELEMENTS };
	return request_link_prices(document, &topology);
}

/* Every price is a line in 1 / bandwidth: what is left where that is 0, and the rest. */
static void price_axis(const struct document *document, struct flip_axis *axis)
{
	axis->fixed = prices_with(document, INFINITY);
	axis->falling = prices_with(document, 1);
	for (int h = 0; h < LEVELS_MAX; h++) {
		axis->falling.element_s[h] -= axis->fixed.element_s[h];
		axis->falling.message_s[h] -= axis->fixed.message_s[h];
	}
}

/* By the same arithmetic as flips find where they change. */
struct prices request_prices(const struct document *document)
{
	struct flip_axis axis = { .knob = FLIP_BANDWIDTH };

	price_axis(document, &axis);
	return flip_prices(&axis, 1 / document->values[PARAMETER_BANDWIDTH]);
}

struct plan_request request_of(const struct document *document, const signed char *pins)
{
	const double *values = document->values;

	return (struct plan_request){
		.solver = (enum solver)(int)values[PARAMETER_SOLVER],
		.types = (int)values[PARAMETER_TYPES],
		.levels = document_levels(document),
		.tensor_levels = document_tensor_levels(document),
		.batch = values[PARAMETER_BATCH],
		.replicas = values[PARAMETER_REPLICAS],
		.comm_model = (enum comm_model)(int)values[PARAMETER_COMM_MODEL],
		.pooled = values[PARAMETER_MP_OUTPUT] == MP_OUTPUT_POOLED,
		.prices = request_prices(document),
		.pins = pins,
	};
}

enum parameter_id flip_parameter(enum flip_knob knob)
{
	return knob == FLIP_BATCH ? PARAMETER_BATCH : PARAMETER_BANDWIDTH;
}

enum flip_knob flip_knob_of(enum parameter_id id)
{
	return id == PARAMETER_BATCH ? FLIP_BATCH : id == PARAMETER_BANDWIDTH ? FLIP_BANDWIDTH : FLIP_KNOB_COUNT;
}

bool request_axis(const struct document *document, enum flip_knob knob, struct flip_axis *axis)
{
	const struct parameter *p = parameter_at(flip_parameter(knob));

	*axis = (struct flip_axis){ .knob = knob, .from = (long)p->minimum, .to = (long)p->maximum };
	if (knob == FLIP_BATCH)
		return true;
	price_axis(document, axis);
	return axis->fixed.objective == OBJECTIVE_TIME;
}
