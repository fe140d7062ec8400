/* Random small task graphs for the tests of the schedule room.  Seeded, so failures repeat. */
#ifndef WHYPAR_TESTS_RANDOM_TASKS_H
#define WHYPAR_TESTS_RANDOM_TASKS_H

#include "schedule/tasks.h"

#include <stdint.h>

enum { RANDOM_TASKS = 2000, RANDOM_INPUTS = 8000 };

struct random_tasks {
	struct task_graph graph;         /* over the arrays below: not to be copied */
	double seconds[RANDOM_TASKS];
	double spread[RANDOM_TASKS];     /* seconds on two cores and more; 0: does not spread */
	unsigned char kinds[RANDOM_TASKS];
	int first_input[RANDOM_TASKS + 1];
	int inputs[RANDOM_INPUTS];
	uint64_t state;
};

static inline int random_under(struct random_tasks *r, int limit)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return (int)((unsigned)(r->state >> 33) % (unsigned)limit);
}

static inline double random_spread(const void *context, int task, const int cores[RESOURCE_COUNT])
{
	(void)cores;
	return ((const double *)context)[task];
}

/* count tasks of every kind, of 0 (one in 10) to `longest` whole seconds: sums of them are exact.  Each reads up to `most`
 * (1 to 3, for the whole graph) of the `window` tasks before it.  spreading: one task in 3 takes about half the seconds on
 * all its cores. */
static inline void random_fill(struct random_tasks *r, int count, int window, int longest, bool spreading)
{
	static const unsigned char kinds[] = { CORE_TC, CORE_TC, CORE_TC, CORE_VC, CORE_VC, CORE_BOTH, CORE_LINK, CORE_NONE };
	int inputs = 0, most = 1 + random_under(r, 3);

	r->graph = (struct task_graph){
		.count = count, .seconds = r->seconds, .kinds = r->kinds, .first_input = r->first_input, .inputs = r->inputs,
		.spread = spreading ? random_spread : NULL, .spread_context = r->spread,
	};
	r->graph.cores[RESOURCE_TC] = 1 + random_under(r, 3);
	r->graph.cores[RESOURCE_VC] = 1 + random_under(r, 2);
	r->graph.cores[RESOURCE_LINK] = 1;
	for (int i = 0; i < count; i++) {
		int reach = i < window ? i : window, reads = random_under(r, most + 1);

		r->kinds[i] = kinds[random_under(r, sizeof kinds)];
		r->seconds[i] = random_under(r, 10) == 0 ? 0 : 1 + random_under(r, longest);
		r->spread[i] = random_under(r, 3) == 0 ? (double)(1 + (int)r->seconds[i] / 2) : 0;
		for (int k = 0; k < reads && reach > 0; k++)
			r->inputs[inputs++] = i - 1 - random_under(r, reach);
		r->first_input[i + 1] = inputs;
	}
}

#endif
