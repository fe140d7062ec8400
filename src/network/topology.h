/* How accelerators are linked: rings, grids, switches, trees, and tiers of them.  MODELS 6.
 *
 * A topology is a list of tiers, innermost first: the first joins accelerators, each further one joins groups of what came before.  Plain
 * data.  Every link runs both ways at once; bandwidths are of one direction. */
#ifndef WHYPAR_NETWORK_TOPOLOGY_H
#define WHYPAR_NETWORK_TOPOLOGY_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

/* id, name, the most dimensions, text */
#define TOPOLOGY_KINDS(X) \
	X(HTREE,   "htree",   1, "binary tree with the accelerators at its leaves; ^g: each height has g times the bandwidth of the one below") \
	X(RING,    "ring",    1, "each to its two neighbours") \
	X(TORUS,   "torus",   3, "a ring along each dimension") \
	X(MESH,    "mesh",    3, "a line along each dimension") \
	X(FULL,    "full",    1, "each to each other") \
	X(SWITCH,  "switch",  1, "each to one switch that never blocks") \
	X(FATTREE, "fattree", 1, "htree^2: every height carries as much as the leaves together")

enum topology_kind {
#define X(id, ...) TOPOLOGY_##id,
	TOPOLOGY_KINDS(X)
#undef X
	TOPOLOGY_KIND_COUNT
};

enum { TIERS_MAX = 6, TIER_DIMENSIONS_MAX = 3, NETWORK_DIMENSIONS_MAX = TIERS_MAX * TIER_DIMENSIONS_MAX, NETWORK_MAX = 1 << 20 /* members of all tiers together */ };
/* Room for any topology as topology_print writes it. */
enum { TOPOLOGY_BYTES = 1024 };

/* Ranges of what a link says. */
#define LINK_RATE_LEAST 1e3
#define LINK_RATE_MOST 1e15
#define LINK_LATENCY_MOST 10.0
enum { LINKS_MOST = 1024 };


struct link {
	double bandwidth;        /* bytes/s of one, NAN: as the parameter has it */
	double latency;          /* s of one hop, NAN: as the parameter has it */
	int links;               /* side by side */
	double oversubscription; /* what they are less by for all that use them */
	int sharing;             /* accelerators that have them in common: less by that while all use them, not for one alone */
};

struct tier {
	enum topology_kind kind;
	int dimensions;          /* 0: no size is given, it follows the accelerators */
	int64_t size[TIER_DIMENSIONS_MAX];
	double gain;             /* htree */
	struct link link;
};

struct topology {
	struct tier tiers[TIERS_MAX];
	int count;
};

const char *topology_kind_name(enum topology_kind kind);
const char *topology_kind_text(enum topology_kind kind);

/* One tier that says nothing but its kind. */
struct topology topology_bare(enum topology_kind kind);

/* "ring", "torus:4x4", "htree:16^2", "switch:8@300GB/s,10us+switch:64@25GB/s,20us,1,4": tiers joined by +, each a kind, its sizes, the gain of
 * an htree, and behind @ bandwidth, latency, links, oversubscription and sharing, as far as given. */
enum status topology_parse(const char *text, struct topology *topology, struct diagnostic *d);
/* As topology_parse reads it. */
void topology_print(const struct topology *topology, char *out, size_t size);
bool topology_equal(const struct topology *a, const struct topology *b);

/* Everything filled in: sizes of a bare tier so that the product is `accelerators`, links that say nothing by `bandwidth` and `latency`.
 * STATUS_INPUT when the sizes cannot multiply to the accelerators (0: any number will do, a bare tier is an error). */
enum status topology_resolve(const struct topology *topology, int64_t accelerators, double bandwidth, double latency, struct topology *out, struct diagnostic *d);

/* ---- one dimension after another, what collectives work on ---- */

enum dimension_kind { DIMENSION_RING, DIMENSION_LINE, DIMENSION_FULL, DIMENSION_SWITCH, DIMENSION_TREE };

struct dimension {
	enum dimension_kind kind;
	int64_t size;
	double gain;             /* tree */
	double bandwidth, latency;       /* of all its links side by side, less oversubscription and what they are shared by; of a hop */
	double alone;            /* the bandwidth for one member alone */
	int tier, side;          /* which of the topology's tiers, and of that one's sizes */
};

const char *dimension_name(enum dimension_kind kind);    /* "ring", "line", "full", "switch", "tree" */

/* Of a resolved topology, innermost first; those of one member are left out.  Returns how many.  rounds: a ring through all of each mesh that
 * has one (of two sides, one of them even) in place of its lines. */
int topology_dimensions(const struct topology *topology, bool rounds, struct dimension out[NETWORK_DIMENSIONS_MAX]);

#endif
