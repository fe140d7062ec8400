/* PipeDream's graph.txt: a line for each layer, "NODE -- MODULE -- forward_compute_time=, backward_compute_time=, activation_size=, parameter_size=", and
 * behind a tab "NODE -- NODE" for each edge.  Times are milliseconds of one minibatch, sizes bytes; activation_size is what the layer hands on, or a list
 * of that in brackets.  A stage_id behind them, which PipeDream's planner adds, is not read. */
#include "base/line.h"
#include "base/names.h"
#include "base/text.h"
#include "model/loader.h"
#include "model/profiled.h"
#include "model/profiled_rows.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char between[] = " -- ";

#define NODE_FORM "NODE -- MODULE -- forward_compute_time=MS, backward_compute_time=MS, activation_size=BYTES, parameter_size=BYTES"

enum { FORWARD, BACKWARD, ACTIVATION, PARAMETER, KEYS };

static const struct {
	const char *name;
	double most;             /* ms or bytes */
} keys[KEYS] = { { "forward_compute_time", 1e11 }, { "backward_compute_time", 1e11 }, { "activation_size", 1e15 }, { "parameter_size", 1e15 } };

/* Bytes of a line. */
struct part {
	const char *at;
	size_t length;
};

static struct part trimmed(const char *at, size_t length)
{
	while (length > 0 && isspace((unsigned char)*at)) {
		at++;
		length--;
	}
	while (length > 0 && isspace((unsigned char)at[length - 1]))
		length--;
	return (struct part){ at, length };
}

/* Where word begins in the part; length where it does not. */
static size_t find(struct part p, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= p.length; i++)
		if (memcmp(p.at + i, word, length) == 0)
			return i;
	return p.length;
}

static bool begins_with(struct part p, const char *word)
{
	return p.length >= strlen(word) && memcmp(p.at, word, strlen(word)) == 0;
}

/* By its first line: a node in front of two dashes, or anything in front of its times. */
bool pipedream_is(const char *bytes, size_t length)
{
	struct line_bytes line = { .number = 0 };
	struct part p = { .length = 0 };
	size_t at = 0;

	while (p.length == 0 && line_next_bytes(bytes, length, &at, &line))
		p = trimmed(line.bytes, line.length);
	return find(p, between) < p.length && (begins_with(p, "node") || find(p, keys[FORWARD].name) < p.length);
}

struct reading {
	const char *path;
	struct profiled_graph *g;
	struct diagnostics *problems;    /* NULL: the first fails */
	struct diagnostic *d;
	struct names names;
	struct profiled_layer *layers;   /* in the file's order, as costs */
	struct profiled_cost *costs;
	struct profiled_edge *edges;
	size_t layer_capacity, cost_capacity, edge_capacity;
};

/* Notes what is wrong at a byte of a line.  STATUS_OK: go on. */
static enum status PRINTF_LIKE(4, 5) wrong(struct reading *r, const struct line_bytes *line, const char *at, const char *format, ...)
{
	struct diagnostic d;
	char text[sizeof d.text];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diagnostic_fail(&d, STATUS_INPUT, "%s", text);
	diagnostic_place(&d, r->path, line->number, (unsigned long)(at - line->bytes) + 1);
	if (r->problems != NULL) {
		diagnostics_add(r->problems, &d);
		return STATUS_OK;
	}
	if (r->d != NULL)
		*r->d = d;
	return STATUS_INPUT;
}

static enum status too_many(struct reading *r, const struct line_bytes *line, const char *what, int most)
{
	diagnostic_fail(r->d, STATUS_INPUT, "more than %d %s; join layers that always go together", most, what);
	diagnostic_place(r->d, r->path, line->number, 1);
	return STATUS_INPUT;
}

/* ---- layers ---- */

static bool read_number(const char *at, size_t length, double most, double *value)
{
	char text[64];

	if (length == 0 || length >= sizeof text)
		return false;
	memcpy(text, at, length);
	text[length] = '\0';
	return line_number(text, value) && *value >= 0 && *value <= most;
}

/* A number, or in brackets numbers parted by ; or , which are added up.  At the end p stands behind it. */
static bool read_value(struct part *p, double most, double *value)
{
	bool list = p->length > 0 && *p->at == '[';
	size_t end = 0, from = list;

	while (end < p->length && (list ? p->at[end] != ']' : !isspace((unsigned char)p->at[end]) && p->at[end] != ','))
		end++;
	if (list && end == p->length)
		return false;
	*value = 0;
	for (size_t to = from; to <= end; to++) {
		struct part item;
		double one;

		if (to < end && p->at[to] != ';' && p->at[to] != ',')
			continue;
		item = trimmed(p->at + from, to - from);
		if (!read_number(item.at, item.length, most, &one) || *value + one > most)
			return false;
		*value += one;
		from = to + 1;
	}
	end += list;
	*p = (struct part){ p->at + end, p->length - end };
	return true;
}

/* The key in front of an equals sign; KEYS: another one, whose value is passed over. */
static int read_key(struct part *p)
{
	int key = 0;

	while (key < KEYS && !(begins_with(*p, keys[key].name) && p->length > strlen(keys[key].name) && p->at[strlen(keys[key].name)] == '='))
		key++;
	if (key < KEYS)
		*p = (struct part){ p->at + strlen(keys[key].name) + 1, p->length - strlen(keys[key].name) - 1 };
	return key;
}

static void pass_over(struct part *p)
{
	size_t end = 0;

	while (end < p->length && p->at[end] != ',')
		end++;
	*p = (struct part){ p->at + end, p->length - end };
}

/* The four numbers of a layer; what stands behind their own part of the line is not read.  *good is false when one is not understood, which is told. */
static enum status read_numbers(struct reading *r, const struct line_bytes *line, struct part p, struct profiled_cost *cost, bool *good)
{
	double values[KEYS] = { 0 };
	bool given[KEYS] = { false };
	size_t more = find(p, between);

	*good = false;
	p.length = more;
	while (p.length > 0) {
		struct part next = trimmed(p.at, p.length);
		const char *from;
		int key = read_key(&next);

		from = next.at;
		if (key == KEYS) {
			pass_over(&next);
		} else if (given[key]) {
			return wrong(r, line, from, "%s is there twice; leave one", keys[key].name);
		} else if (!read_value(&next, keys[key].most, &values[key])) {
			return wrong(r, line, from, "%s=%.*s: a number from 0 to %g is expected%s", keys[key].name, (int)(next.length < 30 ? next.length : 30), next.at, keys[key].most,
				key == ACTIVATION ? ", or several as [A; B]" : "");
		} else {
			given[key] = true;
		}
		next = trimmed(next.at, next.length);
		if (next.length > 0 && *next.at != ',')
			return wrong(r, line, next.at, "\"%.*s\" stands where a comma and the next key are expected", (int)(next.length < 30 ? next.length : 30), next.at);
		p = next.length > 0 ? (struct part){ next.at + 1, next.length - 1 } : next;
	}
	for (int key = 0; key < KEYS; key++)
		if (!given[key])
			return wrong(r, line, line->bytes, "%s is missing; a layer is %s", keys[key].name, NODE_FORM);
	*cost = (struct profiled_cost){ values[FORWARD] / 1e3, values[BACKWARD] / 1e3, values[PARAMETER], values[ACTIVATION], -1 };
	*good = true;
	return STATUS_OK;
}

static const char *keep_text(struct reading *r, struct part p)
{
	char clean[NAME_BYTES_MAX];

	return arena_copy_text(&r->g->arena, clean, text_sanitize(clean, sizeof clean, p.at, p.length));
}

static enum status add_layer(struct reading *r, const struct line_bytes *line, const struct profiled_layer *layer, const struct profiled_cost *cost)
{
	size_t count = (size_t)r->g->layer_count;

	if (count == PROFILED_LAYERS_MAX)
		return too_many(r, line, "layers", PROFILED_LAYERS_MAX);
	r->layers = memory_grow(r->layers, &r->layer_capacity, count + 1, sizeof *r->layers);
	r->costs = memory_grow(r->costs, &r->cost_capacity, count + 1, sizeof *r->costs);
	r->layers[count] = *layer;
	r->costs[count] = *cost;
	r->g->layer_count++;
	return STATUS_OK;
}

/* The module may hold anything, two dashes too: it ends where the times begin. */
static enum status read_layer(struct reading *r, const struct line_bytes *line, struct part p)
{
	size_t to = find(p, between);
	struct part name = trimmed(p.at, to), rest = { p.at + to, p.length - to }, module;
	struct profiled_layer layer = { .line = line->number };
	struct profiled_cost cost = { .kept = -1 };
	struct name *known;
	bool good = false;
	enum status status;

	if (name.length == 0 || to == p.length) {
		r->g->skipped++;
		return wrong(r, line, p.at, "\"%.*s\" is neither a layer nor an edge; a layer is %s, an edge a tab and NODE -- NODE", (int)(p.length < 40 ? p.length : 40), p.at, NODE_FORM);
	}
	known = names_add(&r->names, name.at, name.length);
	if (known->seen++ > 0) {
		r->g->skipped++;
		return wrong(r, line, p.at, "a second layer %.*s, after that of line %lu; give it a name of its own", (int)(name.length < 40 ? name.length : 40), name.at, known->line);
	}
	known->line = line->number;
	known->row = r->g->layer_count;
	to = find(rest, keys[FORWARD].name);
	if (to == rest.length)
		status = wrong(r, line, rest.at, "no forward_compute_time; a layer is %s", NODE_FORM);
	else
		status = read_numbers(r, line, (struct part){ rest.at + to, rest.length - to }, &cost, &good);
	module = trimmed(rest.at, to);
	module = begins_with(module, "-- ") ? trimmed(module.at + 3, module.length - 3) : (struct part){ module.at, 0 };
	if (module.length >= 2 && memcmp(module.at + module.length - 2, "--", 2) == 0)
		module = trimmed(module.at, module.length - 2);
	layer.name = keep_text(r, name);
	layer.text = keep_text(r, module);
	layer.bad = !good;
	/* reading samples is no work of the model: PipeDream's planner takes these out too */
	layer.input = begins_with(module, "Input");
	return status == STATUS_OK ? add_layer(r, line, &layer, &cost) : status;
}

/* ---- edges ---- */

/* Behind a blank, or where blanks were lost: two names, and no numbers. */
static bool is_edge(const struct line_bytes *line, struct part p)
{
	size_t to = find(p, between);

	if (line->length > 0 && (*line->bytes == '\t' || *line->bytes == ' '))
		return find(p, keys[FORWARD].name) == p.length;
	p = (struct part){ p.at + to, p.length - to };
	return p.length > 0 && find(p, "=") == p.length && find((struct part){ p.at + 4, p.length - 4 }, " ") == p.length - 4;
}

static enum status find_end(struct reading *r, const struct line_bytes *line, struct part name, int *layer)
{
	const struct name *known = names_find(&r->names, name.at, name.length);

	*layer = known != NULL ? known->row : -1;
	if (known != NULL)
		return STATUS_OK;
	return wrong(r, line, name.at, "the edge's \"%.*s\" is no layer of the file; write its name as in its line, or take the edge out", (int)(name.length < 40 ? name.length : 40), name.at);
}

static enum status read_edge(struct reading *r, const struct line_bytes *line, struct part p)
{
	size_t to = find(p, between), count = (size_t)r->g->edge_count;
	struct profiled_edge edge = { .line = line->number };

	if (to == p.length)
		return wrong(r, line, p.at, "\"%.*s\" is no edge, which is a tab and NODE -- NODE", (int)(p.length < 40 ? p.length : 40), p.at);
	if (find_end(r, line, trimmed(p.at, to), &edge.from) != STATUS_OK || (edge.from >= 0 && find_end(r, line, trimmed(p.at + to + 4, p.length - to - 4), &edge.to) != STATUS_OK))
		return STATUS_INPUT;
	if (edge.from < 0 || edge.to < 0)
		return STATUS_OK;
	if (edge.from == edge.to)
		return wrong(r, line, p.at, "%.60s reads itself; take the edge out", r->layers[edge.from].name);
	if (count == PROFILED_EDGES_MAX)
		return too_many(r, line, "edges", PROFILED_EDGES_MAX);
	r->edges = memory_grow(r->edges, &r->edge_capacity, count + 1, sizeof *r->edges);
	r->edges[r->g->edge_count++] = edge;
	return STATUS_OK;
}

/* ---- the whole ---- */

/* Edges may name layers that stand behind them, so they are read in a second turn. */
static enum status read_lines(struct reading *r, const char *bytes, size_t length, bool edges)
{
	struct line_bytes line = { .number = 0 };
	enum status status = STATUS_OK;
	size_t at = 0;

	while (status == STATUS_OK && line_next_bytes(bytes, length, &at, &line)) {
		struct part p = trimmed(line.bytes, line.length);

		if (p.length > 0 && is_edge(&line, p) == edges)
			status = edges ? read_edge(r, &line, p) : read_layer(r, &line, p);
	}
	return status;
}

/* 11 of "node11". */
static double number_of(const char *name)
{
	return strtod(name + strcspn(name, "0123456789"), NULL);
}

struct ranked {
	double number;
	int place;
};

static int by_number(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : x->place - y->place;
}

/* The file's own order is any: layers by the numbers in their names, and then what they read first. */
static void number_layers(struct reading *r)
{
	struct profiled_graph *g = r->g;
	size_t count = (size_t)g->layer_count;
	struct ranked *ranked = memory_alloc(count, sizeof *ranked);
	int *place = memory_alloc(count, sizeof *place);
	struct profiled_variant *v = arena_alloc(&g->arena, 1, sizeof *v);

	*v = (struct profiled_variant){ 1, "", arena_alloc(&g->arena, count, sizeof *v->costs), arena_alloc(&g->arena, (size_t)g->edge_count, sizeof *v->bytes) };
	g->variants = v;
	g->variant_count = 1;
	g->layers = arena_alloc(&g->arena, count, sizeof *g->layers);
	g->edges = arena_alloc(&g->arena, (size_t)g->edge_count, sizeof *g->edges);
	for (int i = 0; i < g->layer_count; i++)
		ranked[i] = (struct ranked){ number_of(r->layers[i].name), i };
	qsort(ranked, count, sizeof *ranked, by_number);
	for (int i = 0; i < g->layer_count; i++) {
		place[ranked[i].place] = i;
		g->layers[i] = r->layers[ranked[i].place];
		v->costs[i] = r->costs[ranked[i].place];
	}
	for (int e = 0; e < g->edge_count; e++) {
		v->bytes[e] = r->costs[r->edges[e].from].activations;
		g->edges[e] = (struct profiled_edge){ place[r->edges[e].from], place[r->edges[e].to], r->edges[e].line };
	}
	memory_free(ranked);
	memory_free(place);
}

/* What has neither work nor bytes and reads no layer is given too, such as the parts of a state that begins as zeros. */
static void mark_inputs(struct profiled_graph *g)
{
	int edge = 0;

	for (int v = 0; v < g->layer_count; v++) {
		const struct profiled_cost *c = &g->variants[0].costs[v];
		bool reads = false;

		for (; edge < g->edge_count && g->edges[edge].to == v; edge++)
			reads = reads || !g->layers[g->edges[edge].from].input;
		g->layers[v].input = g->layers[v].input || (!reads && !g->layers[v].bad && c->forward + c->backward + c->weights + c->activations == 0);
	}
}

enum status pipedream_read(const char *path, const char *bytes, size_t length, struct profiled_graph *g, struct diagnostics *problems, struct diagnostic *d)
{
	struct reading r = { .path = path, .g = g, .problems = problems, .d = d };
	enum status status;

	*g = (struct profiled_graph){ .handed = true };
	status = read_lines(&r, bytes, length, false);
	if (status == STATUS_OK)
		status = read_lines(&r, bytes, length, true);
	if (status == STATUS_OK && g->layer_count == 0 && diagnostics_first_error(problems != NULL ? problems : &(struct diagnostics){ 0 }, d) == STATUS_OK) {
		status = diagnostic_fail(d, STATUS_INPUT, "no layer; a layer is %s", NODE_FORM);
		diagnostic_place(d, path, 0, 0);
	}
	status = status == STATUS_OK && g->layer_count == 0 ? STATUS_INPUT : status;
	if (status == STATUS_OK) {
		number_layers(&r);
		status = profiled_put_in_order(path, g, d);
		if (status == STATUS_OK)
			mark_inputs(g);
	}
	names_free(&r.names);
	memory_free(r.layers);
	memory_free(r.costs);
	memory_free(r.edges);
	if (status != STATUS_OK)
		profiled_free(g);
	return status;
}

static bool recognise(const struct source *s)
{
	return pipedream_is(s->bytes, s->length);
}

static enum status load(const struct source *s, struct builder *b, struct diagnostic *d)
{
	struct profiled_graph g;
	enum status status = pipedream_read(s->path, s->bytes, s->length, &g, &b->problems, d);

	if (status != STATUS_OK)
		return status;
	profiled_rows(&g, b);
	profiled_free(&g);
	return STATUS_OK;
}

const struct format format_pipedream = { "pipedream", recognise, load };
