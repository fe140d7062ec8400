/* What one more core of each kind would change: the list schedule made again with it, not guessed.  MODELS 4.
 *
 * A list schedule can get longer by a core (Graham's anomaly): then what is saved is negative, as the user would find. */
#ifndef WHYPAR_SCHEDULE_WHATIF_H
#define WHYPAR_SCHEDULE_WHATIF_H

#include "schedule/list.h"

struct whatif {
	struct schedule more[RESOURCE_COUNT];    /* with one more core of it; of 0 tasks when no task uses it */
};

void whatif_measure(const struct task_graph *graph, struct whatif *whatif);
void whatif_free(struct whatif *whatif);

/* Seconds by which the step ends sooner with one more core than in `now`, the list schedule of the graph as it is; 0 for a
 * resource no task uses. */
double whatif_saves(const struct whatif *whatif, const struct schedule *now, enum resource resource);

/* The resource of which one more saves most; -1 when none saves anything. */
int whatif_best(const struct whatif *whatif, const struct schedule *now);

/* What it is for one task. */
struct whatif_task {
	double waits;            /* seconds from its inputs' end to its start; for whom says its placing */
	double saves[RESOURCE_COUNT];    /* seconds by which it ends sooner with one more core */
};

struct whatif_task whatif_task(const struct whatif *whatif, const struct schedule *now, int task);

#endif
