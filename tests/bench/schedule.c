#include "tests/bench/schedule.h"

#include "schedule/exact.h"
#include "schedule/ilp.h"
#include "schedule/list.h"
#include "tests/bench/measure.h"
#include "tests/unit/random_tasks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A graph that takes some time: 6 to 12 tasks. */
static void fill(struct random_tasks *r, struct bounds *b, bool spreading)
{
	do {
		int window = 2 + random_under(r, 8);

		random_fill(r, 6 + random_under(r, 7), window, 20, spreading);
		bounds_measure(&r->graph, b);
	} while (b->makespan == 0);
}

/* List scheduling over the optimum, 200 graphs of up to 12 tasks; where GLPK is there, its answer beside branch and bound's. */
static void bench_quality(bool spreading)
{
	enum { GRAPHS = 200 };
	static struct random_tasks r;
	struct bounds b = { 0 };
	struct schedule s = { 0 }, best = { 0 };
	struct exact_result found, program;
	struct diagnostic d;
	double sum = 0, worst = 0, exact[GRAPHS], ilp[GRAPHS];
	int optimal = 0, unlike = 0;

	r.state = 1;
	for (int i = 0; i < GRAPHS; i++) {
		double start, excess;

		fill(&r, &b, spreading);
		list_schedule(&r.graph, &b, &s);
		start = seconds_now();
		exact_schedule(&r.graph, 10000000, NULL, &found, &best, &d);
		exact[i] = seconds_now() - start;
		excess = s.makespan / found.makespan - 1;
		sum += excess;
		worst = fmax(worst, excess);
		optimal += excess == 0;
		start = seconds_now();
		if (ilp_available() && ilp_schedule(&r.graph, 10, NULL, &program, &best, &d) == STATUS_OK)
			unlike += program.proven && program.makespan != found.makespan;
		ilp[i] = seconds_now() - start;
	}
	printf("list over optimum, %d graphs of 6 to 12 tasks%s: mean %.2f %%, worst %.1f %%, optimal %d\n", GRAPHS,
	       spreading ? " that may spread" : "", sum / GRAPHS * 100, worst * 100, optimal);
	print_times("  branch and bound", exact, GRAPHS, 0);
	if (ilp_available())
		print_times("  integer program", ilp, GRAPHS, 0);
	printf("  proven by both and not the same: %d\n", unlike);
	bounds_free(&b);
	schedule_free(&s);
	schedule_free(&best);
}

/* Every run has other cores.  The budget is that of a whole design point. */
static void bench_speed(void)
{
	enum { RUNS = 2000 };
	static struct random_tasks r;
	static double bounds[RUNS], lists[RUNS];
	struct bounds b = { 0 };
	struct schedule s = { 0 };

	r.state = 1;
	random_fill(&r, 1000, 100, 9, false);
	for (int i = 0; i < RUNS; i++) {
		double start = seconds_now();

		r.graph.cores[RESOURCE_TC] = 1 + i % 8;
		bounds_measure(&r.graph, &b);
		bounds[i] = seconds_now() - start;
		start = seconds_now();
		list_schedule(&r.graph, &b, &s);
		lists[i] = seconds_now() - start;
	}
	print_times("bounds of 1 000 tasks", bounds, RUNS, 0.3e-3);
	print_times("list schedule of 1 000 tasks", lists, RUNS, 0.3e-3);
	bounds_free(&b);
	schedule_free(&s);
}

void bench_schedule(void)
{
	bench_quality(false);
	bench_quality(true);
	bench_speed();
}
