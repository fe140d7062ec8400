/* The list schedule with one more core of each kind. */
#include "schedule/whatif.h"

#include <limits.h>

static bool is_used(const struct task_graph *g, enum resource resource)
{
	for (int i = 0; i < g->count; i++)
		if (g->seconds[i] > 0 && core_uses(g->kinds[i], resource))
			return true;
	return false;
}

void whatif_measure(const struct task_graph *g, struct whatif *w)
{
	struct bounds bounds = { 0 };

	for (int r = 0; r < RESOURCE_COUNT; r++) {
		struct task_graph more = *g;

		schedule_size(&w->more[r], 0);
		if (!is_used(g, r) || g->cores[r] == INT_MAX)
			continue;
		more.cores[r]++;
		bounds_measure(&more, &bounds);
		list_schedule(&more, &bounds, &w->more[r]);
	}
	bounds_free(&bounds);
}

void whatif_free(struct whatif *w)
{
	for (int r = 0; r < RESOURCE_COUNT; r++)
		schedule_free(&w->more[r]);
}

double whatif_saves(const struct whatif *w, const struct schedule *now, enum resource resource)
{
	return w->more[resource].count == 0 ? 0 : now->makespan - w->more[resource].makespan;
}

int whatif_best(const struct whatif *w, const struct schedule *now)
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

struct whatif_task whatif_task(const struct whatif *w, const struct schedule *now, int task)
{
	struct whatif_task t = { .waits = now->tasks[task].start - now->tasks[task].ready };

	for (int r = 0; r < RESOURCE_COUNT; r++)
		if (w->more[r].count > 0)
			t.saves[r] = now->tasks[task].end - w->more[r].tasks[task].end;
	return t;
}
