/* Layer graphs that others profiled, as their files have them: read once, and then a model (model/load_pipedream.c, load_piper.c) or a
 * problem of stages (pipeline/profile.c).
 *
 * Layers stand in topological order, those that could be next by their numbers.  Seconds are of one microbatch, bytes of one device.
 * A graph owns its strings, which are sanitised; end it with profiled_free. */
#ifndef WHYPAR_MODEL_PROFILED_H
#define WHYPAR_MODEL_PROFILED_H

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>

enum { PROFILED_LAYERS_MAX = 4096, PROFILED_EDGES_MAX = 65536, PROFILED_VARIANTS_MAX = 64 };

struct profiled_layer {
	const char *name;        /* each once */
	const char *text;        /* what it is: a module as PyTorch prints it, or a name; may be "" */
	unsigned long line;      /* 0 in JSON */
	bool input;              /* no layer, but what the model is given */
	bool bad;                /* named, but not understood: it has no numbers */
};

struct profiled_edge {
	int from, to;
	unsigned long line;
};

struct profiled_cost {
	double forward, backward;
	double weights;
	double activations;      /* of each microbatch in flight */
	double kept;             /* whatever the number of microbatches; negative: not stated */
};

/* The same graph run another way: split over so many devices, with or without recomputing. */
struct profiled_variant {
	int width;
	const char *name;        /* "" where there is one way a width */
	struct profiled_cost *costs;       /* of each layer */
	double *bytes;           /* of each edge */
};

struct profiled_graph {
	struct arena arena;
	struct profiled_layer *layers;
	int layer_count;
	int skipped;             /* layers whose very name was not understood, or was taken */
	struct profiled_edge *edges;       /* by to, then from, each pair once */
	int edge_count;
	struct profiled_variant *variants; /* ascending widths, else as in the file */
	int variant_count;
	bool handed;             /* activations are what a layer hands on, and no more */
	double devices, microbatches, bandwidth, memory;   /* 0: not in the file */
};

/* Whether the bytes are such a file, good or bad. */
bool pipedream_is(const char *bytes, size_t length);
bool piper_is(const char *bytes, size_t length);

/* Lines that are not understood go to `problems` and are left out; where it is NULL the first of them fails the whole.  On failure the graph
 * is empty. */
enum status pipedream_read(const char *path, const char *bytes, size_t length, struct profiled_graph *g, struct diagnostics *problems, struct diagnostic *d);
enum status piper_read(const char *path, const char *bytes, size_t length, struct profiled_graph *g, struct diagnostic *d);

void profiled_free(struct profiled_graph *g);

/* Orders layers so that what hands something on comes first, of those that could be next always the one of the smallest index.  Where they go round in
 * a circle: false, and *closing is an edge of it. */
bool profiled_order(int count, const struct profiled_edge *edges, int edge_count, int *order, int *closing);

/* Puts a graph whose layers and edges stand as in the file in order, edges of a pair made one; STATUS_INPUT where it is circular. */
enum status profiled_put_in_order(const char *path, struct profiled_graph *g, struct diagnostic *d);

#endif
