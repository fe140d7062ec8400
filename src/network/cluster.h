/* Clusters of GPUs: nodes whose GPUs are linked inside, and links between them; and what runs achieve of both.  whypar-models(7) 7.2; data/clusters.csv.
 *
 * Bandwidths are published, one way, of one GPU; parts and times were calibrated on measured runs, which the table names.  Seconds, bytes. */
#ifndef WHYPAR_NETWORK_CLUSTER_H
#define WHYPAR_NETWORK_CLUSTER_H

#include "base/memory.h"
#include "base/status.h"

struct cluster {
	const char *name, *gpu, *text, *source;
	const char *calibrated;  /* on what runs; "": on none */
	double node;             /* GPUs of one */
	double inside, between;  /* bytes/s: within a node, and between nodes */
	double inside_part, between_part;    /* achieved of them */
	double inside_s;         /* to begin a collective within a node */
	double transfer_s;       /* of a message between stages on two nodes, beside its bytes */
	double overhead;         /* of the software: so many times all work on a GPU */
	double straggling;       /* part by which a step gets longer each time the nodes double */
	double context;          /* bytes of a GPU's memory that are never the model's */
	double fragments;        /* reserved over used memory */
};

struct clusters {
	struct arena arena;      /* of the texts */
	struct cluster *items;
	size_t count, capacity;
};

/* STATUS_INPUT when data/clusters.csv is missing or wrong, with the place.  Ends with clusters_free. */
enum status clusters_builtin(struct clusters *list, struct diagnostic *d);
void clusters_free(struct clusters *list);
/* NULL when there is none of that name. */
const struct cluster *cluster_find(const struct clusters *list, const char *name);

#endif
