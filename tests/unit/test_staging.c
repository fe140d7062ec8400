/* The exact split against every split there is, and against the published instances where they are at hand. */
#include "pipeline/staging.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/profile.h"
#include "tests/unit/random_model.h"

enum { LAYERS = 6 };

static double some(struct random *r, double most)
{
	return most * (1 + random_below(r, 1000)) / 1000;
}

/* A chain with some skips, or a graph of any edges; two widths, the second of slices. */
static struct staging_problem random_problem(struct random *r, bool chain)
{
	struct staging_problem p = { .layer_count = 1 + (int)random_below(r, LAYERS), .graph_count = 1 + (int)random_below(r, 2), .devices = 1 + random_below(r, 12),
		.microbatches = 1 + random_below(r, 40), .bandwidth = 1e9, .weight_copies = 2 + random_below(r, 2), .recompute = random_below(r, 2) };

	p.memory = some(r, 1.2e10);
	p.graphs = arena_alloc(&p.arena, (size_t)p.graph_count, sizeof *p.graphs);
	for (int k = 0; k < p.graph_count; k++) {
		struct staging_graph *g = &p.graphs[k];

		g->width = 1 + 3 * k;
		g->layers = arena_alloc(&p.arena, (size_t)p.layer_count, sizeof *g->layers);
		g->edges = arena_alloc(&p.arena, LAYERS * LAYERS, sizeof *g->edges);
		for (int v = 0; v < p.layer_count; v++)
			g->layers[v] = (struct staging_layer){ "", some(r, 1), some(r, 2), some(r, 1e9), some(r, 1e9), k > 0 && random_below(r, 4) > 0,
				k > 0 ? some(r, 1e9) : 0 };
		for (int to = 0; to < p.layer_count; to++)
			for (int from = 0; from < to; from++) {
				/* both widths have the same edges */
				bool there = k > 0 ? false : chain ? from + 1 == to || random_below(r, 6) == 0 : random_below(r, 3) == 0;

				for (int e = 0; k > 0 && e < p.graphs[0].edge_count; e++)
					there = there || (p.graphs[0].edges[e].from == from && p.graphs[0].edges[e].to == to);
				if (there)
					g->edges[g->edge_count++] = (struct staging_edge){ from, to, some(r, 1e9) };
			}
	}
	return p;
}

/* ---- every split, by its definition ---- */

struct brute {
	const struct staging_problem *p;
	const struct staging_graph *g;
	int stage[LAYERS];       /* of each layer, from the first */
	double least;
};

static void measure_stage(const struct brute *b, int stage, int place, double *load, double *memory, double *weights, bool *tensor)
{
	const struct staging_problem *p = b->p;
	double forward = 0, again = 0, backward, entering = 0, activations = 0, kept = 0;

	*weights = 0;
	*tensor = false;
	for (int v = 0; v < p->layer_count; v++) {
		if (b->stage[v] != stage)
			continue;
		for (int e = 0; e < b->g->edge_count; e++)
			if (b->g->edges[e].to == v && b->stage[b->g->edges[e].from] != stage) {
				forward = fmax(forward, b->g->edges[e].bytes / p->bandwidth);
				entering += b->g->edges[e].bytes;
			}
		forward += b->g->layers[v].forward;
		again += b->g->layers[v].forward;
		*weights += b->g->layers[v].weights;
		activations += b->g->layers[v].activations;
		kept += b->g->layers[v].kept;
		*tensor = *tensor || b->g->layers[v].tensor;
	}
	backward = p->recompute && place > 1 ? again : 0;
	for (int v = p->layer_count - 1; v >= 0; v--) {
		if (b->stage[v] != stage)
			continue;
		for (int e = 0; e < b->g->edge_count; e++)
			if (b->g->edges[e].from == v && b->stage[b->g->edges[e].to] != stage)
				backward = fmax(backward, b->g->edges[e].bytes / p->bandwidth);
		backward += b->g->layers[v].backward;
	}
	*load = forward + backward;
	*memory = p->weight_copies * *weights + activations + kept + (place - 1) * (p->recompute ? entering : activations);
}

static void judge_split(struct brute *b, int stages)
{
	double worst = 0, first = 0;
	int64_t devices = 0;

	for (int s = 0; s < stages; s++) {
		double load, memory, weights;
		bool tensor;

		measure_stage(b, s, stages - s, &load, &memory, &weights, &tensor);
		if (memory > b->p->memory)
			return;
		worst = fmax(worst, load);
		first = s == 0 ? weights : first;
		devices += tensor ? b->g->width : 1;
	}
	for (int64_t d = 1; d * devices <= b->p->devices && d <= b->p->microbatches; d++)
		b->least = fmin(b->least, worst * (ceil((double)b->p->microbatches / (double)d) + stages - 1) + 4.0 * (double)(d - 1) / (double)d * first / b->p->bandwidth);
}

/* Every way to give the layers to stages so that nothing goes back. */
static void try_all(struct brute *b, int layer, int stages)
{
	bool used[LAYERS] = { false };

	if (layer < b->p->layer_count) {
		for (b->stage[layer] = 0; b->stage[layer] < stages; b->stage[layer]++) {
			bool fine = true;

			for (int e = 0; e < b->g->edge_count && fine; e++)
				fine = b->g->edges[e].to != layer || b->stage[b->g->edges[e].from] <= b->stage[layer];
			if (fine)
				try_all(b, layer + 1, stages);
		}
		return;
	}
	for (int v = 0; v < b->p->layer_count; v++)
		used[b->stage[v]] = true;
	for (int s = 0; s < stages; s++)
		if (!used[s])
			return;
	judge_split(b, stages);
}

static void splits_are_the_best_there_are(void **state)
{
	struct random r = { 71 };
	int feasible = 0;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct staging_problem p = random_problem(&r, round % 2);
		struct staging s;
		struct diagnostic d;
		double least = INFINITY;

		for (int k = 0; k < p.graph_count; k++)
			for (int stages = 1; stages <= p.layer_count; stages++) {
				struct brute b = { .p = &p, .g = &p.graphs[k], .least = INFINITY };

				try_all(&b, 0, stages);
				least = fmin(least, b.least);
			}
		assert_int_equal(staging_solve(&p, &s, &d), STATUS_OK);
		assert_true(s.feasible == (least < INFINITY));
		if (s.feasible) {
			int layers = 0;

			feasible++;
			assert_true(fabs(s.seconds - least) <= 1e-12 * least);
			assert_true(s.max_memory <= p.memory && s.data >= 1 && s.data <= p.microbatches);
			for (int i = 0; i < s.stage_count; i++) {
				assert_true(s.stages[i].count > 0);
				layers += s.stages[i].count;
			}
			assert_int_equal(layers, p.layer_count);
		}
		staging_free(&s);
		staging_problem_free(&p);
	}
	assert_in_range(feasible, 100, 390);
}

/* Where a border must be there is one, where none may be there is none, and both cost no less than freedom. */
static void borders_are_kept(void **state)
{
	struct random r = { 72 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct staging_problem p = random_problem(&r, true);
		signed char borders[LAYERS] = { 0 };
		struct staging free_split, s;
		struct diagnostic d;

		p.memory = 1e12;
		for (int v = 0; v + 1 < p.layer_count; v++)
			borders[v] = (signed char)((int)random_below(&r, 5) / 2 - 1);
		assert_int_equal(staging_solve(&p, &free_split, &d), STATUS_OK);
		p.borders = borders;
		assert_int_equal(staging_solve(&p, &s, &d), STATUS_OK);
		for (int i = 0; s.feasible && i < s.stage_count; i++) {
			const struct staging_stage *stage = &s.stages[i];

			for (int k = 0; k < stage->count; k++) {
				bool next = k + 1 < stage->count && stage->layers[k + 1] == stage->layers[k] + 1;

				if (stage->layers[k] + 1 < p.layer_count)
					assert_true(borders[stage->layers[k]] == 0 || next == (borders[stage->layers[k]] < 0));
			}
		}
		assert_true(!s.feasible || s.seconds >= free_split.seconds * (1 - 1e-12));
		staging_free(&free_split);
		staging_free(&s);
		staging_problem_free(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_are_the_best_there_are),
		cmocka_unit_test(borders_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
