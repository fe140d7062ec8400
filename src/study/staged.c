#include "study/staged.h"

#include "study/line_run.h"

#include <math.h>
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

static int count_inputs(const struct model *m)
{
	int inputs = 0;

	for (int row = 0; row < m->count; row++)
		inputs += m->operators[row].input_count;
	return inputs;
}

/* The devices of a stage send a part each. */
static void fill_edges(const struct model *m, const int *layer_of, double bytes, struct staging_graph *graph)
{
	for (int row = 0; row < m->count; row++)
		for (int i = 0; i < m->operators[row].input_count; i++) {
			int from = m->operators[row].inputs[i];

			if (from != MODEL_INPUT && layer_of[from] != layer_of[row])
				add_edge(graph, layer_of[from], layer_of[row], bytes / graph->width * (double)shape_elements(m->operators[from].out));
		}
	qsort(graph->edges, (size_t)graph->edge_count, sizeof *graph->edges, by_ends);
}

/* The layers on arrays as set, each of them as wide as tensor says. */
static enum status fill_graph(struct study *study, double tensor, const int *layer_of, struct staging_problem *p, struct diagnostic *d)
{
	struct staging_graph *graph = &p->graphs[p->graph_count];
	const struct model *m = study_model(study);
	struct document document = *study_document(study);       /* borrowed */
	struct line_layer *layers = arena_alloc(&p->arena, (size_t)p->layer_count, sizeof *layers);

	document.values[PARAMETER_TENSOR] = tensor;
	document.values[PARAMETER_PIPELINE] = document.values[PARAMETER_REPLICAS] = 1;
	document.values[PARAMETER_MICROBATCH] = 0;
	document.stage_count = 0;
	if (line_layers(study, &document, layers, d) != STATUS_OK)
		return STATUS_INPUT;
	*graph = (struct staging_graph){ .width = p->array * (int)tensor, .layers = arena_alloc(&p->arena, (size_t)p->layer_count, sizeof *graph->layers),
		.edges = arena_alloc(&p->arena, (size_t)count_inputs(m), sizeof *graph->edges) };
	for (int row = m->count - 1; row >= 0; row--)
		graph->layers[layer_of[row]].name = m->operators[row].name;
	for (int i = 0; i < p->layer_count; i++) {
		struct staging_layer *to = &graph->layers[i];

		to->name = arena_copy_text(&p->arena, to->name, strlen(to->name));
		to->forward = layers[i].forward;
		to->backward = layers[i].backward;
		to->weights = layers[i].weights;
		to->activations = layers[i].activations;
		to->tensor = graph->width > 1;
	}
	fill_edges(m, layer_of, document.values[PARAMETER_BATCH] * document_element_bytes(&document), graph);
	p->graph_count++;
	return STATUS_OK;
}

/* As wide as is set; where nothing is, 1, 2, 4 and 8 as far as there are devices. */
static enum status fill_graphs(struct study *study, const int *layer_of, struct staging_problem *p, struct diagnostic *d)
{
	enum { WIDTHS = 4 };
	double set = study_document(study)->values[PARAMETER_TENSOR];
	enum status status;

	p->graphs = arena_alloc(&p->arena, WIDTHS, sizeof *p->graphs);
	status = fill_graph(study, set, layer_of, p, d);
	/* a width that does not go with the model is none to choose */
	for (int i = 1; status == STATUS_OK && set == 1 && i < WIDTHS && (int64_t)p->array << i <= p->devices; i++)
		fill_graph(study, 1 << i, layer_of, p, NULL);
	return status;
}

enum status staged_problem(struct study *study, struct profile_limits *limits, struct staging_problem *problem, struct diagnostic *d)
{
	struct run_plan bytes = study_run_plan(study_document(study)->values);
	const struct results *r = study_results(study);
	const double *v = study_document(study)->values;
	int *layer_of;

	*problem = (struct staging_problem){ .array = (int)v[PARAMETER_ACCELERATORS] };
	if (r->step == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "stages: %.600s", r->step_trouble);
	problem->devices = (int64_t)limit_or(limits, PROFILE_DEVICES, fmax(standard_of(PROFILE_DEVICES), v[PARAMETER_ACCELERATORS] * v[PARAMETER_TENSOR]));
	problem->microbatches = (int64_t)limit_or(limits, PROFILE_MICROBATCHES, standard_of(PROFILE_MICROBATCHES));
	problem->bandwidth = limit_or(limits, PROFILE_BANDWIDTH, v[PARAMETER_BANDWIDTH]);
	problem->memory = limit_or(limits, PROFILE_MEMORY, r->machine.hbm);
	/* weights, gradients and what the optimizer keeps of each */
	problem->weight_copies = 1 + (bytes.gradient_bytes + bytes.state_bytes) / document_element_bytes(study_document(study));
	problem->recompute = v[PARAMETER_RECOMPUTE] == RECOMPUTE_FULL;
	layer_of = arena_alloc(&problem->arena, (size_t)r->model->count, sizeof *layer_of);
	problem->layer_count = model_stage_layers(r->model, layer_of);
	return fill_graphs(study, layer_of, problem, d);
}
