/* Topologies from files: a table of tiers of one's own, or ASTRA-sim's analytical network.  The format is told by the content. */
#ifndef WHYPAR_NETWORK_LOAD_H
#define WHYPAR_NETWORK_LOAD_H

#include "network/topology.h"

/* The bytes of a file; path is for messages.
 *   CSV: a row for each tier, innermost first; columns kind, size ("8", "4x4"; empty: follows the accelerators), gain, bandwidth, latency, links,
 *   oversubscription, sharing, of which only kind is needed; the unit of bandwidth and latency stands in the header, "bandwidth [GB/s]".
 *   YAML with the keys topology, npus_count, bandwidth, latency, each a list with an item for each dimension, innermost first.  Its GB/s are 2^30 bytes,
 *   its latencies ns.
 * STATUS_INPUT with the place of what is wrong. */
enum status topology_read(const char *path, const char *bytes, size_t length, struct topology *topology, struct diagnostic *d);

#endif
