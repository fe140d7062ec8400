#include "study/staged.h"

#include <stdlib.h>
#include <string.h>

static double limit_or(struct profile_limits *limits, enum profile_limit limit, double otherwise)
{
	if (!limits->set[limit])
		limits->values[limit] = otherwise;
	return limits->values[limit];
}

static double standard_of(enum profile_limit limit)
{
	static const double standards[PROFILE_LIMIT_COUNT] = {
#define X(id, name, unit, least, most, standard, text) [PROFILE_##id] = standard,
		PROFILE_LIMITS(X)
#undef X
	};

	return standards[limit];
}

/* Seconds of each layer's tasks: forward with the loss, and backward; updates are of the batch and in neither.  A loss of no row is the last row's. */
static void time_layers(const struct results *r, const int *layer_of, struct staging_layer *layers)
{
	for (int node = 0; node < r->step->node_count; node++) {
		const struct training_node *n = &r->training->nodes[node];
		struct staging_layer *layer = &layers[layer_of[n->row >= 0 ? n->row : r->model->count - 1]];
		double seconds = r->step->nodes[node].seconds;

		if (n->pass == PASS_FWD || n->pass == PASS_LOSS)
			layer->forward += seconds;
		else if (n->pass != PASS_UPDATE)
			layer->backward += seconds;
	}
}

/* What one layer hands to another, each tensor once. */
static void add_edge(struct staging_graph *graph, int from, int to, double bytes)
{
	for (int e = graph->edge_count - 1; e >= 0 && graph->edges[e].to == to; e--)
		if (graph->edges[e].from == from)
			return;
	graph->edges[graph->edge_count++] = (struct staging_edge){ from, to, bytes };
}

static int by_ends(const void *a, const void *b)
{
	const struct staging_edge *x = a, *y = b;

	return x->to != y->to ? x->to - y->to : x->from - y->from;
}

static void fill_layers(const struct results *r, const int *layer_of, double batch, double bytes, struct staging_problem *p)
{
	struct staging_graph *graph = &p->graphs[0];

	for (int row = 0; row < r->model->count; row++) {
		const struct operator *o = &r->model->operators[row];
		struct staging_layer *layer = &graph->layers[layer_of[row]];

		if (layer->name == NULL)
			layer->name = arena_copy_text(&p->arena, o->name, strlen(o->name));
		layer->weights += bytes * (double)o->params;
		layer->activations += bytes * batch * (double)shape_elements(o->conv_out);
		for (int i = 0; i < o->input_count; i++)
			if (o->inputs[i] != MODEL_INPUT && layer_of[o->inputs[i]] != layer_of[row])
				add_edge(graph, layer_of[o->inputs[i]], layer_of[row], bytes * batch * (double)shape_elements(r->model->operators[o->inputs[i]].out));
	}
	qsort(graph->edges, (size_t)graph->edge_count, sizeof *graph->edges, by_ends);
	time_layers(r, layer_of, graph->layers);
}

static int count_inputs(const struct model *m)
{
	int inputs = 0;

	for (int row = 0; row < m->count; row++)
		inputs += m->operators[row].input_count;
	return inputs;
}

enum status staged_problem(const struct study *study, struct profile_limits *limits, struct staging_problem *problem, struct diagnostic *d)
{
	/* weights, gradients and what the optimizer keeps of each */
	static const double copies[] = { [OPTIMIZER_SGD] = 2, [OPTIMIZER_MOMENTUM] = 3, [OPTIMIZER_ADAM] = 4 };
	const struct results *r = study_results(study);
	const double *v = study_document(study)->values;
	int *layer_of;

	*problem = (struct staging_problem){ .layer_count = 0 };
	if (v[PARAMETER_ACCELERATORS] > 1)
		return diagnostic_fail(d, STATUS_INPUT, "stages: a device is one accelerator, and accelerators=%.0f are an array of them; set accelerators=1", v[PARAMETER_ACCELERATORS]);
	if (r->step == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "stages: %.600s", r->step_trouble);
	layer_of = arena_alloc(&problem->arena, (size_t)r->model->count, sizeof *layer_of);
	problem->layer_count = model_stage_layers(r->model, layer_of);
	problem->graph_count = 1;
	problem->graphs = arena_alloc(&problem->arena, 1, sizeof *problem->graphs);
	problem->graphs[0] = (struct staging_graph){ .width = 1, .layers = arena_alloc(&problem->arena, (size_t)problem->layer_count, sizeof *problem->graphs[0].layers),
		.edges = arena_alloc(&problem->arena, (size_t)count_inputs(r->model), sizeof *problem->graphs[0].edges) };
	fill_layers(r, layer_of, v[PARAMETER_BATCH], document_element_bytes(study_document(study)), problem);
	problem->devices = (int64_t)limit_or(limits, PROFILE_DEVICES, standard_of(PROFILE_DEVICES));
	problem->microbatches = (int64_t)limit_or(limits, PROFILE_MICROBATCHES, standard_of(PROFILE_MICROBATCHES));
	problem->bandwidth = limit_or(limits, PROFILE_BANDWIDTH, v[PARAMETER_BANDWIDTH]);
	problem->memory = limit_or(limits, PROFILE_MEMORY, r->machine.hbm);
	problem->weight_copies = copies[(int)v[PARAMETER_OPTIMIZER]];
	problem->recompute = v[PARAMETER_RECOMPUTE] == RECOMPUTE_FULL;
	return STATUS_OK;
}
