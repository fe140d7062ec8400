/* Networks by name: data/networks.csv. */
#ifndef WHYPAR_NETWORK_PRESETS_H
#define WHYPAR_NETWORK_PRESETS_H

#include "base/memory.h"
#include "network/topology.h"

struct network {
	const char *name, *text, *source;
	struct topology topology;
};

struct networks {
	struct arena arena;      /* of the texts */
	struct network *items;
	size_t count, capacity;
};

/* STATUS_INPUT when the file is missing or wrong, with the place.  Ends with networks_free. */
enum status networks_builtin(struct networks *list, struct diagnostic *d);
/* The topology of a name.  STATUS_INPUT with the nearest name when there is none. */
enum status network_find(const char *name, struct topology *topology, struct diagnostic *d);
/* The name nearest to that one; false when none is near. */
bool network_nearest(const char *name, char *near, size_t size);
void networks_free(struct networks *list);

#endif
