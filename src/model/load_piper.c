/* Piper's JSON: layers with what they take at each tensor-parallel width, in one or more ways (plain, or with recomputing), and edges.
 *
 * timePerSample is forward and backward together.  What recomputing takes more is one forward; without it forward is a third.  memoryUsageA is held for
 * each microbatch in flight, memoryUsageB once.  The sync of an edge is in bytes too, whatever its name. */
#include "base/text.h"
#include "model/loader.h"
#include "model/profiled.h"
#include "model/profiled_rows.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A layer of the file, by its number. */
struct entry {
	json_int_t id;
	const json_t *node;
	size_t place;            /* in the file */
};

struct reading {
	const char *path;
	struct profiled_graph *g;
	struct entry *entries;   /* by id: the graph's layers until they are put in order */
	struct diagnostic *d;
};

bool piper_is(const char *bytes, size_t length)
{
	static const char word[] = "\"TMPCs\"";
	size_t at = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	while (at < length && isspace((unsigned char)bytes[at]))
		at++;
	if (at == length || bytes[at] != '{')
		return false;
	for (; at + sizeof word - 1 <= length; at++)
		if (bytes[at] == '"' && memcmp(bytes + at, word, sizeof word - 1) == 0)
			return true;
	return false;
}

/* JSON values have no lines: what is wrong is told by the path of keys to it. */
static enum status wrong(const struct reading *r, const char *where, const char *what)
{
	diagnostic_fail(r->d, STATUS_INPUT, "%s: %s", where, what);
	diagnostic_place(r->d, r->path, 0, 0);
	return STATUS_INPUT;
}

static enum status number_at(const struct reading *r, const json_t *object, const char *where, const char *key, double most, double *value)
{
	const json_t *v = json_object_get(object, key);
	char at[200], range[120];

	snprintf(at, sizeof at, "%s%s%s", where, where[0] != '\0' ? "." : "", key);
	if (!json_is_number(v))
		return wrong(r, at, v == NULL ? "is missing; a number is expected" : "is no number");
	*value = json_number_value(v);
	if (*value >= 0 && *value <= most)
		return STATUS_OK;
	snprintf(range, sizeof range, "%g is out of range; it goes from 0 to %g", *value, most);
	return wrong(r, at, range);
}

/* ---- layers and edges ---- */

static int by_id(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int index_of(const struct reading *r, const json_t *id)
{
	struct entry wanted = { .id = json_integer_value(id) };
	const struct entry *found = json_is_integer(id) ? bsearch(&wanted, r->entries, (size_t)r->g->layer_count, sizeof wanted, by_id) : NULL;

	return found != NULL ? (int)(found - r->entries) : -1;
}

static const char *keep_text(const struct reading *r, const char *text)
{
	char clean[NAME_BYTES_MAX];

	return arena_copy_text(&r->g->arena, clean, text_sanitize(clean, sizeof clean, text, strlen(text)));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Layers go by their names where each has one of its own, else by name and number. */
static void name_layers(struct reading *r)
{
	size_t count = (size_t)r->g->layer_count;
	const char **names = memory_alloc(count, sizeof *names);
	bool own = true;

	for (size_t i = 0; i < count; i++) {
		const json_t *name = json_object_get(r->entries[i].node, "name");

		r->g->layers[i].text = keep_text(r, json_is_string(name) ? json_string_value(name) : "");
		names[i] = r->g->layers[i].text;
	}
	qsort(names, count, sizeof *names, by_text);
	for (size_t i = 0; i < count; i++)
		own = own && names[i][0] != '\0' && (i == 0 || strcmp(names[i], names[i - 1]) != 0);
	for (size_t i = 0; i < count; i++) {
		char name[NAME_BYTES_MAX + 32];

		snprintf(name, sizeof name, "%s%s%lld", r->g->layers[i].text, r->g->layers[i].text[0] != '\0' ? "-" : "", (long long)r->entries[i].id);
		r->g->layers[i].name = own ? r->g->layers[i].text : keep_text(r, name);
	}
	memory_free(names);
}

static enum status read_layers(struct reading *r, const json_t *nodes)
{
	size_t count = json_array_size(nodes);
	char where[64];

	if (!json_is_array(nodes) || count == 0 || count > PROFILED_LAYERS_MAX)
		return wrong(r, "nodes", "is no list of 1 to 4096 layers");
	r->g->layer_count = (int)count;
	r->g->layers = arena_alloc(&r->g->arena, count, sizeof *r->g->layers);
	r->entries = memory_alloc(count, sizeof *r->entries);
	for (size_t i = 0; i < count; i++) {
		const json_t *node = json_array_get(nodes, i), *id = json_object_get(node, "id");

		snprintf(where, sizeof where, "nodes[%zu].id", i);
		if (!json_is_integer(id))
			return wrong(r, where, "is no whole number");
		r->entries[i] = (struct entry){ json_integer_value(id), node, i };
	}
	qsort(r->entries, count, sizeof *r->entries, by_id);
	for (size_t i = 1; i < count; i++)
		if (r->entries[i].id == r->entries[i - 1].id) {
			snprintf(where, sizeof where, "nodes[%zu].id", r->entries[i].place);
			return wrong(r, where, "is that of another layer too; each has its own");
		}
	name_layers(r);
	return STATUS_OK;
}

static enum status read_edges(struct reading *r, const json_t *edges)
{
	size_t count = json_array_size(edges);
	char where[64];

	if (!json_is_array(edges) || count > PROFILED_EDGES_MAX)
		return wrong(r, "edges", "is no list of at most 65536 edges");
	r->g->edges = arena_alloc(&r->g->arena, count, sizeof *r->g->edges);
	r->g->edge_count = (int)count;
	for (size_t e = 0; e < count; e++) {
		const json_t *edge = json_array_get(edges, e);
		struct profiled_edge *out = &r->g->edges[e];

		out->from = index_of(r, json_object_get(edge, "sourceId"));
		out->to = index_of(r, json_object_get(edge, "destId"));
		snprintf(where, sizeof where, "edges[%zu]", e);
		if (out->from < 0 || out->to < 0 || out->from == out->to)
			return wrong(r, where, "does not join two layers; sourceId and destId are ids of nodes");
	}
	return STATUS_OK;
}

/* ---- ways to run them ---- */

static const json_t *ways_at(const json_t *node, const char *width)
{
	return json_object_get(json_object_get(node, "TMPCs"), width);
}

static const char *way_name(const json_t *way)
{
	const json_t *id = json_object_get(way, "id");

	return json_is_string(id) ? json_string_value(id) : "";
}

static bool recomputes(const json_t *way)
{
	return strstr(way_name(way), "recomp") != NULL;
}

static const json_t *find_way(const json_t *node, const char *width, const char *name)
{
	const json_t *ways = ways_at(node, width);

	for (size_t i = 0; i < json_array_size(ways); i++)
		if (strcmp(way_name(json_array_get(ways, i)), name) == 0)
			return json_array_get(ways, i);
	return NULL;
}

/* Of the time of both. */
static double forward_of(const json_t *node, const char *width, const json_t *way)
{
	const json_t *ways = ways_at(node, width);
	double seconds = json_number_value(json_object_get(way, "timePerSample")), plain = recomputes(way) ? 0.75 * seconds : seconds, more = 0;

	for (size_t i = 0; i < json_array_size(ways); i++) {
		const json_t *other = json_array_get(ways, i);
		double time = json_number_value(json_object_get(other, "timePerSample"));

		if (recomputes(way) && !recomputes(other)) {
			plain = time;
			more = seconds - time;
		} else if (!recomputes(way) && recomputes(other)) {
			more = time - seconds;
		}
	}
	return more > 0 && more < plain ? more : plain / 3;
}

static enum status read_cost(const struct reading *r, size_t layer, const char *width, const json_t *way, struct profiled_cost *cost)
{
	const json_t *node = r->entries[layer].node;
	char where[120];
	double seconds;

	snprintf(where, sizeof where, "nodes[%zu].TMPCs.%.20s (%.30s)", r->entries[layer].place, width, way_name(way));
	if (number_at(r, way, where, "timePerSample", 1e8, &seconds) != STATUS_OK || number_at(r, way, where, "parameterSize", 1e15, &cost->weights) != STATUS_OK ||
	    number_at(r, way, where, "memoryUsageA", 1e15, &cost->activations) != STATUS_OK || number_at(r, way, where, "memoryUsageB", 1e15, &cost->kept) != STATUS_OK)
		return STATUS_INPUT;
	cost->forward = fmin(forward_of(node, width, way), seconds);
	cost->backward = seconds - cost->forward;
	return STATUS_OK;
}

/* Bytes that the parts of a split layer pass on among themselves behind the transfer; 0 where none are stated. */
static double sync_of(const struct reading *r, int layer, const char *width, const char *way, const char *direction, int other)
{
	char id[32];

	snprintf(id, sizeof id, "%lld", (long long)r->entries[other].id);
	return fmax(0, json_number_value(json_object_get(json_object_get(find_way(r->entries[layer].node, width, way), direction), id)));
}

/* Forward the consumer's parts share what they were sent, backward the producer's; an edge has one size here, the larger. */
static enum status read_bytes(const struct reading *r, const json_t *edges, const char *width, const char *way, double *bytes)
{
	char where[64];

	for (int e = 0; e < r->g->edge_count; e++) {
		const struct profiled_edge *edge = &r->g->edges[e];

		snprintf(where, sizeof where, "edges[%d]", e);
		if (number_at(r, json_array_get(edges, (size_t)e), where, "communicationCost", 1e15, &bytes[e]) != STATUS_OK)
			return STATUS_INPUT;
		bytes[e] = fmin(bytes[e] + fmax(sync_of(r, edge->to, width, way, "syncTimeFw", edge->from), sync_of(r, edge->from, width, way, "syncTimeBw", edge->to)), 1e16);
	}
	return STATUS_OK;
}

/* One way to run all layers; a width or way that some layer does not have is none. */
static enum status read_variant(struct reading *r, const json_t *edges, const char *width, const char *way)
{
	struct profiled_variant *v = &r->g->variants[r->g->variant_count];
	size_t count = (size_t)r->g->layer_count;

	for (size_t i = 0; i < count; i++)
		if (find_way(r->entries[i].node, width, way) == NULL)
			return STATUS_OK;
	if (r->g->variant_count == PROFILED_VARIANTS_MAX)
		return wrong(r, "nodes", "more than 64 widths and ways");
	*v = (struct profiled_variant){ atoi(width), keep_text(r, way), arena_alloc(&r->g->arena, count, sizeof *v->costs), arena_alloc(&r->g->arena, (size_t)r->g->edge_count, sizeof *v->bytes) };
	for (size_t i = 0; i < count; i++)
		if (read_cost(r, i, width, find_way(r->entries[i].node, width, way), &v->costs[i]) != STATUS_OK)
			return STATUS_INPUT;
	r->g->variant_count++;
	return read_bytes(r, edges, width, way, v->bytes);
}

/* Ascending widths, ways of one as in the file. */
static void sort_by_width(struct profiled_graph *g)
{
	for (int i = 1; i < g->variant_count; i++) {
		struct profiled_variant v = g->variants[i];
		int at = i;

		for (; at > 0 && g->variants[at - 1].width > v.width; at--)
			g->variants[at] = g->variants[at - 1];
		g->variants[at] = v;
	}
}

static enum status read_variants(struct reading *r, const json_t *edges)
{
	const json_t *widths = json_object_get(r->entries[0].node, "TMPCs"), *ways;
	const char *width;
	char where[64];

	r->g->variants = arena_alloc(&r->g->arena, PROFILED_VARIANTS_MAX, sizeof *r->g->variants);
	json_object_foreach((json_t *)widths, width, ways) {
		int64_t value = strtol(width, NULL, 10);

		snprintf(where, sizeof where, "nodes[%zu].TMPCs.%.20s", r->entries[0].place, width);
		if (width[strspn(width, "0123456789")] != '\0' || strlen(width) > 5 || value < 1 || value > 4096)
			return wrong(r, where, "a width is a whole number from 1 to 4096");
		for (size_t i = 0; i < json_array_size(ways); i++)
			if (find_way(r->entries[0].node, width, way_name(json_array_get(ways, i))) != json_array_get(ways, i))
				return wrong(r, where, "two ways have the same id");
			else if (read_variant(r, edges, width, way_name(json_array_get(ways, i))) != STATUS_OK)
				return STATUS_INPUT;
	}
	if (r->g->variant_count == 0)
		return wrong(r, "nodes", "no width and id in TMPCs that all layers have, so there is no way to run them");
	sort_by_width(r->g);
	return STATUS_OK;
}

/* ---- the whole ---- */

static enum status limit_at(const struct reading *r, const json_t *root, const char *key, double *value)
{
	return json_object_get(root, key) == NULL ? STATUS_OK : number_at(r, root, "", key, 1e18, value);
}

static enum status read_root(struct reading *r, const json_t *root)
{
	struct profiled_graph *g = r->g;

	if (limit_at(r, root, "maxDevices", &g->devices) != STATUS_OK || limit_at(r, root, "maxMemoryPerDevice", &g->memory) != STATUS_OK ||
	    limit_at(r, root, "bandwidth", &g->bandwidth) != STATUS_OK || limit_at(r, root, "mbsInBatch", &g->microbatches) != STATUS_OK)
		return STATUS_INPUT;
	if (read_layers(r, json_object_get(root, "nodes")) != STATUS_OK || read_edges(r, json_object_get(root, "edges")) != STATUS_OK)
		return STATUS_INPUT;
	return read_variants(r, json_object_get(root, "edges"));
}

enum status piper_read(const char *path, const char *bytes, size_t length, struct profiled_graph *g, struct diagnostic *d)
{
	struct reading r = { .path = path, .g = g, .d = d };
	json_error_t error;
	json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
	enum status status;

	*g = (struct profiled_graph){ .layer_count = 0 };
	if (root == NULL) {
		diagnostic_fail(d, STATUS_INPUT, "no JSON: %s", error.text);
		diagnostic_place(d, path, error.line > 0 ? (unsigned long)error.line : 0, error.column > 0 ? (unsigned long)error.column : 0);
		return STATUS_INPUT;
	}
	status = read_root(&r, root);
	memory_free(r.entries);
	if (status == STATUS_OK)
		status = profiled_put_in_order(path, g, d);
	json_decref(root);
	if (status != STATUS_OK)
		profiled_free(g);
	return status;
}

static bool recognise(const struct source *s)
{
	return piper_is(s->bytes, s->length);
}

static enum status load(const struct source *s, struct builder *b, struct diagnostic *d)
{
	struct profiled_graph g;
	enum status status = piper_read(s->path, s->bytes, s->length, &g, d);

	if (status != STATUS_OK)
		return status;
	profiled_rows(&g, b);
	profiled_free(&g);
	return STATUS_OK;
}

const struct format format_piper = { "piper", recognise, load };
