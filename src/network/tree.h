/* Links of a tree of accelerators: height 1 at the leaves, each height `gain` times as wide as the one below.  Pure. */
#ifndef WHYPAR_NETWORK_TREE_H
#define WHYPAR_NETWORK_TREE_H

#include "network/topology.h"

/* Of a link at that height, bytes/s. */
double tree_bandwidth(const struct dimension *tree, int height);

/* The narrowest from the leaves up to that height. */
double tree_narrowest(const struct dimension *tree, int heights);

/* One message, whole at each hop, up to that height and down again, s. */
double tree_path_seconds(const struct dimension *tree, int heights, double bytes);

/* Every leaf and the one 2^bit away send each other so many bytes at once, over height bit + 1. */
struct tree_exchange {
	double seconds;
	double load;             /* messages over the busiest link, in one direction */
	double bandwidth;        /* of that link */
};
struct tree_exchange tree_exchange(const struct dimension *tree, int bit, double bytes, bool store_forward);

#endif
