/* Steps with one more core of each kind, beside the step as it is. */
#include "schedule/whatif.h"

void whatif_free(struct whatif *w)
{
	for (int r = 0; r < RESOURCE_COUNT; r++) {
		step_free(w->more[r]);
		w->more[r] = NULL;
	}
}

double whatif_saves(const struct whatif *w, const struct step *now, enum resource resource)
{
	return w->more[resource] == NULL ? 0 : now->schedule.makespan - w->more[resource]->schedule.makespan;
}

double whatif_node_saves(const struct whatif *w, const struct step *now, int node, enum resource resource)
{
	return w->more[resource] == NULL ? 0 : step_node_end(now, node) - step_node_end(w->more[resource], node);
}

int whatif_best(const struct whatif *w, const struct step *now)
{
	double most = 0;
	int best = -1;

	for (int r = 0; r < RESOURCE_COUNT; r++)
		if (whatif_saves(w, now, (enum resource)r) > most) {
			most = whatif_saves(w, now, (enum resource)r);
			best = r;
		}
	return best;
}
