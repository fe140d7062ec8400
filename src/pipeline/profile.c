#include "pipeline/profile.h"

#include "base/text.h"
#include "model/profiled.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS_MOST = 4096, WIDTHS_MOST = 16 };

/* ---- limits ---- */

static const struct {
	const char *name;
	enum unit unit;
	double least, most, standard;
} limits_known[PROFILE_LIMIT_COUNT] = {
#define X(id, name, unit, least, most, standard, text) [PROFILE_##id] = { name, unit, least, most, standard },
	PROFILE_LIMITS(X)
#undef X
};

const char *profile_limit_name(enum profile_limit limit)
{
	return limits_known[limit].name;
}

enum status profile_limit_parse(const char *word, struct profile_limits *limits, struct diagnostic *d)
{
	const char *equals = strchr(word, '='), *names[PROFILE_LIMIT_COUNT];
	size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
	char name[40];
	double value;
	int near;

	for (int i = 0; i < PROFILE_LIMIT_COUNT; i++) {
		names[i] = limits_known[i].name;
		if (equals == NULL || strlen(names[i]) != length || strncmp(word, names[i], length) != 0)
			continue;
		if (units_parse(limits_known[i].unit, names[i], equals + 1, &value, d) != STATUS_OK)
			return STATUS_INPUT;
		if (!(value >= limits_known[i].least && value <= limits_known[i].most))
			return diagnostic_fail(d, STATUS_INPUT, "%s=%s is out of range; it goes from %g to %g", names[i], equals + 1, limits_known[i].least, limits_known[i].most);
		if (limits_known[i].unit == UNIT_COUNT && value != floor(value))
			return diagnostic_fail(d, STATUS_INPUT, "%s=%s is no whole number", names[i], equals + 1);
		limits->values[i] = value;
		limits->set[i] = true;
		return STATUS_OK;
	}
	snprintf(name, sizeof name, "%.*s", (int)(length < 39 ? length : 39), word);
	near = text_nearest(name, names, PROFILE_LIMIT_COUNT);
	return diagnostic_fail(d, STATUS_USAGE, "%.60s: behind the file or model stand devices=N, memory=SIZE, bandwidth=RATE, microbatches=N, by=time or memory, cut=LAYER and join=LAYER%s%s%s", word, near >= 0 && equals != NULL ? "; did you mean " : "",
		near >= 0 && equals != NULL ? names[near] : "", near >= 0 && equals != NULL ? "?" : "");
}

/* What is set, else what the file states (0: nothing), else the default. */
static enum status settle_limit(const char *path, struct profile_limits *limits, enum profile_limit limit, double stated, struct diagnostic *d)
{
	limits->assumed[limit] = !limits->set[limit] && stated == 0;
	if (!limits->set[limit])
		limits->values[limit] = stated > 0 ? stated : limits_known[limit].standard;
	if (limits->values[limit] >= limits_known[limit].least && limits->values[limit] <= limits_known[limit].most)
		return STATUS_OK;
	diagnostic_fail(d, STATUS_INPUT, "%s of %g in the file; it goes from %g to %g, and %s= behind the file sets another", limits_known[limit].name, limits->values[limit], limits_known[limit].least,
		limits_known[limit].most, limits_known[limit].name);
	diagnostic_place(d, path, 0, 0);
	return STATUS_INPUT;
}

static enum status settle_limits(const char *path, struct profile_limits *limits, double devices, double memory, double bandwidth, double microbatches, struct staging_problem *p,
	struct diagnostic *d)
{
	if (settle_limit(path, limits, PROFILE_DEVICES, devices, d) != STATUS_OK || settle_limit(path, limits, PROFILE_MEMORY, memory, d) != STATUS_OK ||
	    settle_limit(path, limits, PROFILE_BANDWIDTH, bandwidth, d) != STATUS_OK || settle_limit(path, limits, PROFILE_MICROBATCHES, microbatches, d) != STATUS_OK)
		return STATUS_INPUT;
	p->devices = (int64_t)limits->values[PROFILE_DEVICES];
	p->memory = limits->values[PROFILE_MEMORY];
	p->bandwidth = limits->values[PROFILE_BANDWIDTH];
	p->microbatches = (int64_t)limits->values[PROFILE_MICROBATCHES];
	return STATUS_OK;
}

/* ---- Phaze ---- */

/* What is wrong is told by the path of keys to it: JSON values have no lines. */
static enum status wrong(const char *path, struct diagnostic *d, const char *where, const char *what)
{
	diagnostic_fail(d, STATUS_INPUT, "%s: %s", where, what);
	diagnostic_place(d, path, 0, 0);
	return STATUS_INPUT;
}

struct reading {
	const char *path;
	struct profile_limits *limits;
	struct staging_problem *problem;
	long *ids;               /* of the layers, in their order */
	struct diagnostic *d;
};

static enum status number_at(const struct reading *r, const json_t *object, const char *where, const char *key, double least, double most, double *value)
{
	const json_t *v = json_object_get(object, key);
	char at[160], range[120];

	snprintf(at, sizeof at, "%s.%s", where, key);
	if (!json_is_number(v))
		return wrong(r->path, r->d, at, v == NULL ? "is missing" : "is no number");
	*value = json_number_value(v);
	if (*value >= least && *value <= most)
		return STATUS_OK;
	snprintf(range, sizeof range, "%g is out of range; it goes from %g to %g", *value, least, most);
	return wrong(r->path, r->d, at, range);
}

static int index_of(const struct reading *r, long id)
{
	for (int i = 0; i < r->problem->layer_count; i++)
		if (r->ids[i] == id)
			return i;
	return -1;
}

static int by_id(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static enum status read_layer(const struct reading *r, const json_t *node, const char *where, struct staging_layer *layer)
{
	static const double most = 1e18;
	const json_t *name = json_object_get(node, "name");

	if (number_at(r, node, where, "parameterSize", 0, most, &layer->weights) != STATUS_OK ||
	    number_at(r, node, where, "activationSize", 0, most, &layer->activations) != STATUS_OK ||
	    number_at(r, node, where, "optimalLatencyFw", 0, most, &layer->forward) != STATUS_OK ||
	    number_at(r, node, where, "optimalLatencyBw", 0, most, &layer->backward) != STATUS_OK)
		return STATUS_INPUT;
	layer->tensor = json_is_true(json_object_get(node, "isTensorParallelized"));
	if (json_is_string(name))
		layer->name = arena_copy_text(&r->problem->arena, json_string_value(name), strlen(json_string_value(name)));
	return STATUS_OK;
}

/* The ids of the nodes, in order of their numbers. */
static enum status read_ids(struct reading *r, const json_t *nodes, const char *where)
{
	size_t count = json_array_size(nodes);
	char at[160];

	if (!json_is_array(nodes) || count == 0 || count > LAYERS_MOST)
		return wrong(r->path, r->d, where, "is no list of 1 to 4096 layers");
	r->problem->layer_count = (int)count;
	r->ids = memory_alloc(count, sizeof *r->ids);
	for (size_t i = 0; i < count; i++) {
		const json_t *id = json_object_get(json_array_get(nodes, i), "id");

		snprintf(at, sizeof at, "%s[%zu].id", where, i);
		if (!json_is_integer(id))
			return wrong(r->path, r->d, at, "is no whole number");
		r->ids[i] = (long)json_integer_value(id);
	}
	qsort(r->ids, count, sizeof *r->ids, by_id);
	for (size_t i = 1; i < count; i++)
		if (r->ids[i] == r->ids[i - 1])
			return wrong(r->path, r->d, where, "two layers have the same id");
	return STATUS_OK;
}

static enum status read_edge(const struct reading *r, const json_t *edge, const char *where, struct staging_edge *out)
{
	double from, to;

	if (number_at(r, edge, where, "sourceId", -1e15, 1e15, &from) != STATUS_OK || number_at(r, edge, where, "destId", -1e15, 1e15, &to) != STATUS_OK ||
	    number_at(r, edge, where, "communicationCost", 0, 1e18, &out->bytes) != STATUS_OK)
		return STATUS_INPUT;
	out->from = index_of(r, (long)from);
	out->to = index_of(r, (long)to);
	return out->from >= 0 && out->to >= 0 && out->from != out->to ? STATUS_OK : wrong(r->path, r->d, where, "does not join two layers");
}

static bool order_of(const struct staging_graph *g, int count, int *order)
{
	struct profiled_edge *edges = memory_alloc((size_t)g->edge_count, sizeof *edges);
	int closing;
	bool acyclic;

	for (int e = 0; e < g->edge_count; e++)
		edges[e] = (struct profiled_edge){ .from = g->edges[e].from, .to = g->edges[e].to };
	acyclic = profiled_order(count, edges, g->edge_count, order, &closing);
	memory_free(edges);
	return acyclic;
}

static int by_end(const void *a, const void *b)
{
	const struct staging_edge *x = a, *y = b;

	return x->to != y->to ? x->to - y->to : x->from - y->from;
}

static enum status read_graph(struct reading *r, const char *width, const json_t *nodes, const json_t *edges, struct staging_graph *g)
{
	struct staging_problem *p = r->problem;
	char where[96];

	g->width = atoi(width);
	snprintf(where, sizeof where, "nodes.%.20s", width);
	if (g->width < 1 || g->width > 4096)
		return wrong(r->path, r->d, where, "a width is a whole number from 1");
	if (r->ids == NULL && read_ids(r, nodes, where) != STATUS_OK)
		return STATUS_INPUT;
	if (json_array_size(nodes) != (size_t)p->layer_count)
		return wrong(r->path, r->d, where, "other layers than at the first width");
	g->layers = arena_alloc(&p->arena, (size_t)p->layer_count, sizeof *g->layers);
	for (int i = 0; i < p->layer_count; i++) {
		const json_t *node = json_array_get(nodes, (size_t)i);
		int at = index_of(r, (long)json_integer_value(json_object_get(node, "id")));

		snprintf(where, sizeof where, "nodes.%.20s[%d]", width, i);
		if (at < 0)
			return wrong(r->path, r->d, where, "no such layer at the first width");
		if (read_layer(r, node, where, &g->layers[at]) != STATUS_OK)
			return STATUS_INPUT;
	}
	g->edge_count = (int)json_array_size(edges);
	g->edges = arena_alloc(&p->arena, (size_t)g->edge_count, sizeof *g->edges);
	for (int e = 0; e < g->edge_count; e++) {
		snprintf(where, sizeof where, "edges.%.20s[%d]", width, e);
		if (read_edge(r, json_array_get(edges, (size_t)e), where, &g->edges[e]) != STATUS_OK)
			return STATUS_INPUT;
	}
	return STATUS_OK;
}

/* All graphs in the order of the first one's. */
static enum status put_in_order(struct reading *r)
{
	struct staging_problem *p = r->problem;
	size_t count = (size_t)p->layer_count;
	int *order = memory_alloc(count, sizeof *order), *place = memory_alloc(count, sizeof *place);
	bool acyclic = order_of(&p->graphs[0], p->layer_count, order);

	for (int i = 0; i < p->layer_count && acyclic; i++)
		place[order[i]] = i;
	for (int k = 0; k < p->graph_count && acyclic; k++) {
		struct staging_graph *g = &p->graphs[k];
		struct staging_layer *sorted = arena_alloc(&p->arena, count, sizeof *sorted);

		for (int i = 0; i < p->layer_count; i++) {
			sorted[i] = g->layers[order[i]];
			if (sorted[i].name == NULL) {
				char name[24];

				snprintf(name, sizeof name, "%ld", r->ids[order[i]]);
				sorted[i].name = arena_copy_text(&p->arena, name, strlen(name));
			}
		}
		g->layers = sorted;
		for (int e = 0; e < g->edge_count; e++) {
			g->edges[e].from = place[g->edges[e].from];
			g->edges[e].to = place[g->edges[e].to];
			acyclic = acyclic && g->edges[e].from < g->edges[e].to;
		}
		if (g->edge_count > 0)
			qsort(g->edges, (size_t)g->edge_count, sizeof *g->edges, by_end);
	}
	memory_free(order);
	memory_free(place);
	return acyclic ? STATUS_OK : wrong(r->path, r->d, "edges", "go round in a circle");
}

static int by_width(const void *a, const void *b)
{
	return ((const struct staging_graph *)a)->width - ((const struct staging_graph *)b)->width;
}

static enum status read_root(struct reading *r, const json_t *root)
{
	struct staging_problem *p = r->problem;
	const json_t *nodes = json_object_get(root, "nodes"), *edges = json_object_get(root, "edges"), *optimizer = json_object_get(root, "optimizerAlgorithm"),
		*recompute = json_object_get(root, "activationRecomputation"), *value;
	double devices, microbatches, memory, bandwidth;
	const char *width;

	if (!json_is_object(nodes) || !json_is_object(edges) || json_object_size(nodes) == 0 || json_object_size(nodes) > WIDTHS_MOST)
		return wrong(r->path, r->d, "nodes, edges", "are no graphs by their width, {\"1\": [...]}");
	if (number_at(r, root, "", "maxDevices", 1, 1e6, &devices) != STATUS_OK || number_at(r, root, "", "mbsInBatch", 1, 1e9, &microbatches) != STATUS_OK ||
	    number_at(r, root, "", "maxMemoryPerDevice", 0, 1e18, &memory) != STATUS_OK || number_at(r, root, "", "bandwidth", 1, 1e18, &bandwidth) != STATUS_OK ||
	    settle_limits(r->path, r->limits, devices, memory, bandwidth, microbatches, p, r->d) != STATUS_OK)
		return STATUS_INPUT;
	if (recompute != NULL && !json_is_boolean(recompute))
		return wrong(r->path, r->d, "activationRecomputation", "is neither true nor false");
	if (optimizer != NULL && !(json_is_string(optimizer) && (strcmp(json_string_value(optimizer), "Adam") == 0 || strcmp(json_string_value(optimizer), "SGD") == 0)))
		return wrong(r->path, r->d, "optimizerAlgorithm", "is neither \"Adam\" nor \"SGD\"");
	if (devices != floor(devices) || microbatches != floor(microbatches))
		return wrong(r->path, r->d, "maxDevices, mbsInBatch", "are no whole numbers");
	if (memory == 0)
		return wrong(r->path, r->d, "maxMemoryPerDevice", "0 holds nothing; without a limit leave the key out");
	p->recompute = json_is_true(recompute);
	p->weight_copies = optimizer != NULL && strcmp(json_string_value(optimizer), "Adam") == 0 ? 3 : 2;
	p->graphs = arena_alloc(&p->arena, json_object_size(nodes), sizeof *p->graphs);
	json_object_foreach((json_t *)nodes, width, value) {
		if (read_graph(r, width, value, json_object_get(edges, width), &p->graphs[p->graph_count++]) != STATUS_OK)
			return STATUS_INPUT;
	}
	qsort(p->graphs, (size_t)p->graph_count, sizeof *p->graphs, by_width);
	return put_in_order(r);
}

static enum status read_phaze(struct reading *r, const char *bytes, size_t length)
{
	json_error_t error;
	json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
	enum status status;

	if (root == NULL) {
		diagnostic_fail(r->d, STATUS_INPUT, "no JSON: %s", error.text);
		diagnostic_place(r->d, r->path, error.line > 0 ? (unsigned long)error.line : 0, error.column > 0 ? (unsigned long)error.column : 0);
		return STATUS_INPUT;
	}
	status = read_root(r, root);
	json_decref(root);
	memory_free(r->ids);
	return status;
}

/* ---- PipeDream and Piper ---- */

/* Layers that stand for what the model is given are none: place is -1. */
static void place_layers(const struct profiled_graph *g, int *place, struct staging_problem *p)
{
	for (int i = 0; i < g->layer_count; i++)
		place[i] = g->layers[i].input ? -1 : p->layer_count++;
}

/* At a width of more than one all layers are slices.  Where a file states what a layer keeps, that holds its weights. */
static void copy_variant(const struct profiled_graph *g, const struct profiled_variant *v, const int *place, struct staging_problem *p, struct staging_graph *out)
{
	out->width = v->width;
	out->way = v->name[0] != '\0' ? arena_copy_text(&p->arena, v->name, strlen(v->name)) : NULL;
	out->layers = arena_alloc(&p->arena, (size_t)p->layer_count, sizeof *out->layers);
	out->edges = arena_alloc(&p->arena, (size_t)g->edge_count, sizeof *out->edges);
	for (int i = 0; i < g->layer_count; i++) {
		const struct profiled_cost *c = &v->costs[i];

		if (place[i] >= 0)
			out->layers[place[i]] = (struct staging_layer){ arena_copy_text(&p->arena, g->layers[i].name, strlen(g->layers[i].name)), c->forward, c->backward, c->weights, c->activations,
				v->width > 1, c->kept > 0 ? c->kept : 0 };
	}
	for (int e = 0; e < g->edge_count; e++)
		if (place[g->edges[e].from] >= 0 && place[g->edges[e].to] >= 0)
			out->edges[out->edge_count++] = (struct staging_edge){ place[g->edges[e].from], place[g->edges[e].to], v->bytes[e] };
}

static enum status take_graph(struct reading *r, const struct profiled_graph *g)
{
	struct staging_problem *p = r->problem;
	int *place = memory_alloc((size_t)g->layer_count, sizeof *place);

	place_layers(g, place, p);
	p->weight_copies = g->handed ? 2 : 0;
	p->graphs = arena_alloc(&p->arena, (size_t)g->variant_count, sizeof *p->graphs);
	for (int k = 0; k < g->variant_count; k++)
		copy_variant(g, &g->variants[k], place, p, &p->graphs[p->graph_count++]);
	memory_free(place);
	if (p->layer_count > 0)
		return settle_limits(r->path, r->limits, g->devices, g->memory, g->bandwidth, g->microbatches, p, r->d);
	diagnostic_fail(r->d, STATUS_INPUT, "all layers are inputs: there is nothing to split");
	diagnostic_place(r->d, r->path, 0, 0);
	return STATUS_INPUT;
}

static bool is_json(const char *bytes, size_t length)
{
	size_t at = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	while (at < length && isspace((unsigned char)bytes[at]))
		at++;
	return at < length && (bytes[at] == '{' || bytes[at] == '[');
}

enum status profile_read(const char *path, const char *bytes, size_t length, struct profile_limits *limits, struct staging_problem *problem, struct diagnostic *d)
{
	struct profile_limits none = { .set = { false } };
	struct reading r = { .path = path, .limits = limits != NULL ? limits : &none, .problem = problem, .d = d };
	struct profiled_graph g = { .layer_count = 0 };
	enum status status;

	*problem = (struct staging_problem){ .layer_count = 0 };
	if (pipedream_is(bytes, length) || piper_is(bytes, length)) {
		status = piper_is(bytes, length) ? piper_read(path, bytes, length, &g, d) : pipedream_read(path, bytes, length, &g, NULL, d);
		if (status == STATUS_OK)
			status = take_graph(&r, &g);
		profiled_free(&g);
	} else if (is_json(bytes, length)) {
		status = read_phaze(&r, bytes, length);
	} else {
		status = diagnostic_fail(d, STATUS_INPUT, "no profiled layer graph: neither the JSON of Phaze or Piper, nor PipeDream's lines, node1 -- MODULE -- forward_compute_time=...");
		diagnostic_place(d, path, 1, 0);
	}
	if (status != STATUS_OK)
		staging_problem_free(problem);
	return status;
}
