/* What one more core of each kind would change: the step made again with it, not guessed.  MODELS 4.
 *
 * A step can get longer by a core (Graham's anomaly): then what is saved is negative, as the user would find. */
#ifndef WHYPAR_SCHEDULE_WHATIF_H
#define WHYPAR_SCHEDULE_WHATIF_H

#include "schedule/step.h"

struct whatif {
	struct step *more[RESOURCE_COUNT];       /* with one more core of it, owned; NULL when no task uses it or there cannot be more */
};

void whatif_free(struct whatif *whatif);

/* Seconds by which the step ends sooner with one more core than now; 0 for a resource no task uses. */
double whatif_saves(const struct whatif *whatif, const struct step *now, enum resource resource);
/* Seconds by which a node of the training graph ends sooner. */
double whatif_node_saves(const struct whatif *whatif, const struct step *now, int node, enum resource resource);

/* The resource of which one more saves most; -1 when none saves anything. */
int whatif_best(const struct whatif *whatif, const struct step *now);

#endif
