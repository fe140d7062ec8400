/* Exact splits: reference/placement.md 1.  Stages are cut off from the back: what lies behind a cut is closed under successors, a suffix of a
 * chain, and of a branching graph one of its downsets. */
#include "pipeline/staging.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, SETS_MAX = 8192 };

/* ---- sets of layers ---- */

struct sets {
	int words;               /* of each set */
	uint64_t *bits;          /* sets one after another, smaller ones first; set 0 is empty, the last has all */
	int *size;
	int count;
	size_t bits_capacity, size_capacity;
};

static uint64_t *set_at(const struct sets *s, int i)
{
	return &s->bits[(size_t)i * (size_t)s->words];
}

static bool has(const uint64_t *set, int layer)
{
	return set[layer / WORD_BITS] >> (layer % WORD_BITS) & 1;
}

static bool is_subset(const struct sets *s, int part, int whole)
{
	const uint64_t *a = set_at(s, part), *b = set_at(s, whole);

	for (int w = 0; w < s->words; w++)
		if (a[w] & ~b[w])
			return false;
	return true;
}

/* Adds a set with one layer more, unless it is among those from `from` on, which have as many. */
static void add_set(struct sets *s, int base, int layer, int from)
{
	uint64_t *next;

	s->bits = memory_grow(s->bits, &s->bits_capacity, (size_t)(s->count + 1) * (size_t)s->words, sizeof *s->bits);
	s->size = memory_grow(s->size, &s->size_capacity, (size_t)s->count + 1, sizeof *s->size);
	next = set_at(s, s->count);
	memset(next, 0, (size_t)s->words * sizeof *next);
	if (base >= 0)
		memcpy(next, set_at(s, base), (size_t)s->words * sizeof *next);
	if (layer >= 0)
		next[layer / WORD_BITS] |= UINT64_C(1) << (layer % WORD_BITS);
	for (int i = from; i < s->count; i++)
		if (memcmp(set_at(s, i), next, (size_t)s->words * sizeof *next) == 0)
			return;
	s->size[s->count] = base >= 0 ? s->size[base] + 1 : 0;
	s->count++;
}

/* True when the set has all that a layer hands something to. */
static bool may_join(const struct staging_graph *g, const uint64_t *set, int layer)
{
	for (int e = 0; e < g->edge_count; e++)
		if (g->edges[e].from == layer && !has(set, g->edges[e].to))
			return false;
	return true;
}

/* All downsets, by size.  False when there are too many. */
static bool find_sets(const struct staging_problem *p, struct sets *s)
{
	int first = 0;           /* of the sets of the present size */

	*s = (struct sets){ .words = (p->layer_count + WORD_BITS - 1) / WORD_BITS };
	add_set(s, -1, -1, 0);
	for (int size = 0; size < p->layer_count; size++) {
		int end = s->count;

		for (int base = first; base < end && s->count <= SETS_MAX; base++)
			for (int layer = 0; layer < p->layer_count; layer++)
				if (!has(set_at(s, base), layer) && may_join(&p->graphs[0], set_at(s, base), layer))
					add_set(s, base, layer, end);
		first = end;
	}
	return s->count <= SETS_MAX;
}

static void free_sets(struct sets *s)
{
	memory_free(s->bits);
	memory_free(s->size);
}

/* ---- one stage ---- */

/* A stage by itself, wherever it stands. */
struct part {
	double last_load, load;  /* s of a microbatch, as the last stage and before it */
	double resident, stash;  /* bytes, and those of each further microbatch in flight */
	double weights;
	bool tensor;
};

/* wait: room for a number of each layer. */
static struct part measure(const struct staging_problem *p, const struct staging_graph *g, const bool *in, double *wait)
{
	struct part s = { .load = 0 };
	double activations = 0, kept = 0, entering = 0, again = 0, forward = 0, backward = 0;
	int edge = 0;

	for (int v = 0; v < p->layer_count; v++) {
		/* a transfer begins with the microbatch, and only what takes it waits for it */
		for (; edge < g->edge_count && g->edges[edge].to == v; edge++)
			if (in[v] && !in[g->edges[edge].from]) {
				forward = fmax(forward, g->edges[edge].bytes / p->bandwidth);
				entering += g->edges[edge].bytes;
			}
		if (!in[v])
			continue;
		forward += g->layers[v].forward;
		again += g->layers[v].forward;
		s.weights += g->layers[v].weights;
		activations += g->layers[v].activations;
		kept += g->layers[v].kept;
		s.tensor = s.tensor || g->layers[v].tensor;
	}
	memset(wait, 0, (size_t)p->layer_count * sizeof *wait);
	for (int e = 0; e < g->edge_count; e++)
		if (in[g->edges[e].from] && !in[g->edges[e].to])
			wait[g->edges[e].from] = fmax(wait[g->edges[e].from], g->edges[e].bytes / p->bandwidth);
	for (int turn = 0; turn < 2; turn++) {
		backward = turn == 0 || !p->recompute ? 0 : again;
		for (int v = p->layer_count - 1; v >= 0; v--)
			if (in[v])
				backward = fmax(backward, wait[v]) + g->layers[v].backward;
		*(turn == 0 ? &s.last_load : &s.load) = forward + backward;
	}
	s.resident = p->weight_copies * s.weights + activations + kept;
	s.stash = p->recompute ? entering : activations;
	return s;
}

static double memory_at(const struct part *s, int place)
{
	return s->resident + (place - 1) * s->stash;
}

/* The farthest place from the end where it fits; 0: none. */
static int farthest(const struct staging_problem *p, const struct part *s, int most)
{
	if (!(s->resident <= p->memory))
		return 0;
	if (memory_at(s, most) <= p->memory)
		return most;
	return (int)fmin(most, 1 + floor((p->memory - s->resident) / s->stash));
}

/* ---- the search ---- */

struct choice {
	double worst;            /* load, or bytes, of the worst stage behind the cut */
	int next;                /* the set behind the first of these stages */
};

struct search {
	const struct staging_problem *p;
	const struct staging_graph *g;
	const struct sets *sets;
	int most;                /* stages */
	bool mixed;              /* some layers of the graph are tensor-parallel, some not; else it is not counted how many stages are */
	struct choice *best;     /* of each set, number of stages, and where it is mixed number of those that are tensor-parallel */
	bool *in;
	double *wait;
	double *resident;        /* bytes of each set's layers, whatever is in flight */
	int64_t *data;           /* numbers of copies that can be best */
	int data_count;
};

/* What has been found best over all widths. */
struct found {
	double value, worst;
	int graph, stages, tensor_stages, first;
	int64_t data;
	struct choice *choices;  /* the way there: of each stage but the first, the set behind it */
};

static struct choice *choice_at(const struct search *s, int set, int stages, int tensor)
{
	size_t row = (size_t)(s->most + 1);

	return s->mixed ? &s->best[((size_t)set * row + (size_t)stages) * row + (size_t)tensor] : &s->best[(size_t)set * row + (size_t)stages];
}

/* One more than the most tensor-parallel stages that are told apart, of so many. */
static int told_apart(const struct search *s, int stages)
{
	return s->mixed ? stages : 1;
}

static bool is_mixed(const struct staging_problem *p, const struct staging_graph *g)
{
	for (int v = 1; v < p->layer_count; v++)
		if (g->layers[v].tensor != g->layers[0].tensor)
			return true;
	return false;
}

static void difference(const struct search *s, int whole, int behind)
{
	const uint64_t *a = set_at(s->sets, whole), *b = set_at(s->sets, behind);

	for (int v = 0; v < s->p->layer_count; v++)
		s->in[v] = has(a, v) && !has(b, v);
}

/* Borders that must be are kept apart, those that may not be are not cut. */
static bool borders_allow(const struct search *s)
{
	for (int v = 0; s->p->borders != NULL && v + 1 < s->p->layer_count; v++) {
		if (s->p->borders[v] > 0 && s->in[v] && s->in[v + 1])
			return false;
		if (s->p->borders[v] < 0 && s->in[v] != s->in[v + 1])
			return false;
	}
	return true;
}

static double price(const struct search *s, const struct part *part, int place)
{
	if (s->p->objective == STAGING_BY_MEMORY)
		return memory_at(part, place);
	return place == 1 ? part->last_load : part->load;
}

/* Bytes of all layers of each set. */
static void sum_resident(struct search *s)
{
	for (int set = 0; set < s->sets->count; set++) {
		s->resident[set] = 0;
		for (int v = 0; v < s->p->layer_count; v++)
			if (has(set_at(s->sets, set), v))
				s->resident[set] += s->p->weight_copies * s->g->layers[v].weights + s->g->layers[v].activations + s->g->layers[v].kept;
	}
}

/* At a glance, rounding aside: the stage between two cuts does not fit the memory wherever it stands. */
static bool too_large(const struct search *s, int whole, int behind)
{
	return s->p->objective == STAGING_BY_TIME && s->resident[whole] - s->resident[behind] > s->p->memory + 1e-9 * s->resident[whole];
}

/* The stage between two cuts, in front of every way to have split what lies behind it. */
static void extend(struct search *s, int whole, int behind)
{
	struct part part;
	int most;

	if (too_large(s, whole, behind))
		return;
	difference(s, whole, behind);
	if (!borders_allow(s))
		return;
	part = measure(s->p, s->g, s->in, s->wait);
	most = s->p->objective == STAGING_BY_MEMORY ? s->most : farthest(s->p, &part, s->most);
	for (int stages = 1; stages <= most && stages <= s->sets->size[behind] + 1; stages++)
		for (int tensor = 0; tensor < told_apart(s, stages); tensor++) {
			const struct choice *from = choice_at(s, behind, stages - 1, tensor);
			struct choice *to = choice_at(s, whole, stages, tensor + part.tensor);
			double worst = fmax(from->worst, price(s, &part, stages));

			if (worst < to->worst)
				*to = (struct choice){ worst, behind };
		}
}

/* Seconds of a batch, and which number of copies gives the least. */
static double least_seconds(const struct search *s, double load, double weights, int stages, int64_t devices, int64_t *data)
{
	double least = INFINITY;

	for (int i = 0; i < s->data_count && s->data[i] <= s->p->devices / devices; i++) {
		double d = (double)s->data[i], seconds = load * (ceil((double)s->p->microbatches / d) + stages - 1) + 4 * (d - 1) / d * weights / s->p->bandwidth;

		if (seconds < least) {
			least = seconds;
			*data = s->data[i];
		}
	}
	return least;
}

static void keep(struct search *s, int graph, double value, double worst, int first, int stages, int tensor, bool first_tensor, int64_t data, struct found *found)
{
	int set = first, at = tensor - first_tensor;

	*found = (struct found){ value, worst, graph, stages, tensor, first, data, found->choices };
	for (int left = stages - 1; left > 0; left--) {
		const struct choice *c = choice_at(s, set, left, at);

		found->choices[stages - 1 - left] = *c;
		difference(s, set, c->next);
		at -= measure(s->p, s->g, s->in, s->wait).tensor;
		set = c->next;
	}
}

/* The first stage last: its weights and the number of stages decide with how many copies all of it takes least. */
static void finish(struct search *s, int graph, int behind, struct found *found)
{
	struct part part;
	int most;

	if (too_large(s, s->sets->count - 1, behind))
		return;
	difference(s, s->sets->count - 1, behind);
	if (!borders_allow(s))
		return;
	part = measure(s->p, s->g, s->in, s->wait);
	most = s->p->objective == STAGING_BY_MEMORY ? s->most : farthest(s->p, &part, s->most);
	for (int stages = 1; stages <= most && stages <= s->sets->size[behind] + 1; stages++)
		for (int tensor = 0; tensor < told_apart(s, stages); tensor++) {
			double worst = fmax(choice_at(s, behind, stages - 1, tensor)->worst, price(s, &part, stages)), value;
			int64_t wide = s->mixed ? tensor + part.tensor : part.tensor ? stages : 0, devices = stages + wide * (s->g->width - 1), data = 1;

			if (worst == INFINITY || devices > s->p->devices)
				continue;
			value = s->p->objective == STAGING_BY_MEMORY ? worst : least_seconds(s, worst, part.weights, stages, devices, &data);
			if (value < found->value)
				keep(s, graph, value, worst, behind, stages, tensor + part.tensor, part.tensor, data, found);
		}
}

static void search_graph(struct search *s, int graph, struct found *found)
{
	size_t row = (size_t)(s->most + 1), count = (size_t)s->sets->count * row;
	int all = s->sets->count - 1;

	s->g = &s->p->graphs[graph];
	s->mixed = is_mixed(s->p, s->g);
	sum_resident(s);
	memory_free(s->best);
	count *= s->mixed ? row : 1;
	s->best = memory_alloc(count, sizeof *s->best);
	for (size_t i = 0; i < count; i++)
		s->best[i] = (struct choice){ INFINITY, -1 };
	choice_at(s, 0, 0, 0)->worst = 0;
	for (int whole = 1; whole < all; whole++)
		for (int behind = 0; behind < whole; behind++)
			if (s->sets->size[behind] < s->sets->size[whole] && is_subset(s->sets, behind, whole))
				extend(s, whole, behind);
	for (int behind = 0; behind < all; behind++)
		finish(s, graph, behind, found);
}

/* Of the copies that leave a copy as many microbatches, the fewest: more only make the gradients' exchange longer. */
static void find_data(struct search *s)
{
	int64_t most = s->p->devices < s->p->microbatches ? s->p->devices : s->p->microbatches, before = -1;

	s->data = memory_alloc((size_t)(2 * sqrt((double)s->p->microbatches) + 3), sizeof *s->data);
	for (int64_t d = 1; d <= most; ) {
		int64_t left = (s->p->microbatches + d - 1) / d;

		if (left != before)
			s->data[s->data_count++] = d;
		before = left;
		/* the next that leaves fewer */
		d = left > 1 ? (s->p->microbatches + left - 2) / (left - 1) : most + 1;
	}
}

/* ---- the answer ---- */

static void fill_stage(const struct staging_problem *p, const struct staging_graph *g, bool *in, double *wait, int place, struct staging *out, struct staging_stage *stage)
{
	struct part part = measure(p, g, in, wait);

	stage->layers = arena_alloc(&out->arena, (size_t)p->layer_count, sizeof *stage->layers);
	stage->count = 0;
	for (int v = 0; v < p->layer_count; v++)
		if (in[v])
			stage->layers[stage->count++] = v;
	stage->devices = part.tensor ? g->width : 1;
	stage->load = place == 1 ? part.last_load : part.load;
	stage->memory = memory_at(&part, place);
	out->max_load = fmax(out->max_load, stage->load);
	out->max_memory = fmax(out->max_memory, stage->memory);
}

static double batch_seconds(const struct staging_problem *p, const struct staging_graph *g, const struct staging *s)
{
	double weights = 0, d = (double)s->data;

	for (int i = 0; i < s->stages[0].count; i++)
		weights += g->layers[s->stages[0].layers[i]].weights;
	return s->max_load * (ceil((double)p->microbatches / d) + s->stage_count - 1) + 4 * (d - 1) / d * weights / p->bandwidth;
}

static void write_answer(struct search *s, const struct found *found, struct staging *out)
{
	int whole = s->sets->count - 1;

	s->g = &s->p->graphs[found->graph];
	out->data = found->data;
	out->tensor = s->g->width;
	out->graph = found->graph;
	out->stage_count = found->stages;
	out->stages = arena_alloc(&out->arena, (size_t)found->stages, sizeof *out->stages);
	for (int i = 0; i < found->stages; i++) {
		int behind = i == 0 ? found->first : found->choices[i - 1].next;

		difference(s, whole, behind);
		fill_stage(s->p, s->g, s->in, s->wait, found->stages - i, out, &out->stages[i]);
		whole = behind;
	}
	out->seconds = batch_seconds(s->p, s->g, out);
	out->feasible = true;
}

enum status staging_solve(const struct staging_problem *p, struct staging *out, struct diagnostic *d)
{
	struct sets sets;
	struct search s = { .p = p, .sets = &sets };
	struct found found = { .value = INFINITY };

	*out = (struct staging){ .feasible = false };
	if (!find_sets(p, &sets)) {
		free_sets(&sets);
		return diagnostic_fail(d, STATUS_INFEASIBLE, "the layers branch so much that they can be cut in more than %d ways; join branches into one layer each", SETS_MAX);
	}
	s.most = p->devices < p->layer_count ? (int)p->devices : p->layer_count;
	s.in = memory_alloc((size_t)p->layer_count, sizeof *s.in);
	s.wait = memory_alloc((size_t)p->layer_count, sizeof *s.wait);
	s.resident = memory_alloc((size_t)sets.count, sizeof *s.resident);
	found.choices = memory_alloc((size_t)s.most + 1, sizeof *found.choices);
	find_data(&s);
	for (int graph = 0; graph < p->graph_count; graph++)
		search_graph(&s, graph, &found);
	if (found.value < INFINITY)
		write_answer(&s, &found, out);
	memory_free(s.in);
	memory_free(s.wait);
	memory_free(s.resident);
	memory_free(s.best);
	memory_free(s.data);
	memory_free(found.choices);
	free_sets(&sets);
	return STATUS_OK;
}

void staging_evaluate(const struct staging_problem *p, int graph, int64_t data, struct staging *s)
{
	const struct staging_graph *g = &p->graphs[graph];
	bool *in = memory_alloc((size_t)p->layer_count, sizeof *in);
	double *wait = memory_alloc((size_t)p->layer_count, sizeof *wait);

	s->max_load = s->max_memory = 0;
	s->data = data;
	s->tensor = g->width;
	s->graph = graph;
	s->feasible = true;
	for (int i = 0; i < s->stage_count; i++) {
		struct staging_stage stage = s->stages[i];

		memset(in, 0, (size_t)p->layer_count * sizeof *in);
		for (int k = 0; k < stage.count; k++)
			in[stage.layers[k]] = true;
		fill_stage(p, g, in, wait, s->stage_count - i, s, &s->stages[i]);
		s->feasible = s->feasible && s->stages[i].memory <= p->memory;
	}
	s->seconds = batch_seconds(p, g, s);
	memory_free(in);
	memory_free(wait);
}

void staging_free(struct staging *staging)
{
	arena_free(&staging->arena);
	*staging = (struct staging){ .feasible = false };
}

void staging_problem_free(struct staging_problem *problem)
{
	struct arena arena = problem->arena;

	*problem = (struct staging_problem){ .layer_count = 0 };
	arena_free(&arena);
}
