/* Speed, measured: `make bench`.  Median and p99 of many runs of each budget of the design, what was measured beside it, and
 * ratios within this one run.  Nothing here is a test: a slow machine fails no build. */
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "model/load.h"
#include "partition/solve.h"
#include "study/commands.h"
#include "study/study.h"
#include "tests/bench/measure.h"
#include "tests/bench/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct model *load(const char *name)
{
	struct model *m;
	struct diagnostic d;

	if (model_load(name, &m, NULL, &d) != STATUS_OK) {
		fprintf(stderr, "bench: %s\n", d.text);
		exit(1);
	}
	return m;
}

enum what { PLAN, MARGINS };

/* Every run has another batch, so that nothing is kept from the run before. */
static double bench_search(const char *model, enum solver solver, int types, int levels, enum what what, int runs, double budget, const char *text)
{
	struct model *m = load(model);
	struct problem *p = problem_new(m);
	struct search *s = search_new(p);
	double *seconds = memory_alloc((size_t)runs, sizeof *seconds), median;

	/* a tenth of the runs warms caches and clock up and is not counted */
	for (int i = -runs / 10 - 1; i < runs; i++) {
		struct plan_request q = { .solver = solver, .types = types, .levels = levels, .batch = 1000 + i };
		double start = seconds_now();
		struct plan *plan = search_plan(s, &q, NULL);

		if (what == MARGINS) {
			start = seconds_now();
			margins_free(search_margins(s, NULL));
		}
		if (i >= 0)
			seconds[i] = seconds_now() - start;
		plan_free(plan);
	}
	median = print_times(text, seconds, runs, budget);
	memory_free(seconds);
	search_free(s);
	problem_release(p);
	model_free(m);
	return median;
}

/* A whole edit of a study: plan, margins, baselines, everything the screen shows at once. */
static void bench_edit(const char *model, const char *const *lines, int count, int runs, const char *text)
{
	struct study *study = study_new();
	struct diagnostic d;
	struct text line = { 0 };
	double *seconds = memory_alloc((size_t)runs, sizeof *seconds);

	text_printf(&line, "load %s", model);
	command_run(study, NULL, text_string(&line), &d);
	study_settle(study, NULL);
	for (int i = 0; i < runs; i++) {
		double start = seconds_now();

		if (command_run(study, NULL, lines[i % count], &d) != STATUS_OK) {
			fprintf(stderr, "bench: %s\n", d.text);
			exit(1);
		}
		study_update(study);
		seconds[i] = seconds_now() - start;
	}
	print_times(text, seconds, runs, 16e-3);
	memory_free(seconds);
	text_free(&line);
	study_free(study);
}

/* `from`: what each row names as its input; nothing of that name makes each row one that is not understood. */
static void bench_load(const char *from, const char *text)
{
	enum { ROWS = 10000, RUNS = 50 };
	struct text csv = { 0 };
	double seconds[RUNS];

	text_add(&csv, "name,kind,inputs,in_ch,in_h,in_w,kernel,stride,pad,groups,out_ch,out_h,out_w,pool,heads\n");
	for (int i = 0; i < ROWS; i++)
		text_printf(&csv, "layer_%d,conv,%s,64,28,28,3,1,1,1,64,,,,\n", i, i == 0 ? "-" : from);
	for (int i = 0; i < RUNS; i++) {
		struct model *m;
		struct diagnostic d;
		double start = seconds_now();

		if (model_load_bytes("rows.csv", csv.bytes, csv.length, &m, NULL, &d) != STATUS_OK) {
			fprintf(stderr, "bench: %s\n", d.text);
			exit(1);
		}
		seconds[i] = seconds_now() - start;
		model_free(m);
	}
	print_times(text, seconds, RUNS, 50e-3);
	text_free(&csv);
}

int main(void)
{
	static const char *const batches[] = { "set batch=512", "set batch=256" };
	static const char *const pins[] = { "pin #3 H2 mp", "unpin #3" };
	static const char *const cores[] = { "set tc_rows=128", "set tc_rows=64", "set tc_rows=32" };
	static const char *const counts[] = { "set tc=4", "set vc=4", "set tc=1", "set vc=1" };
	double level, joint2, joint3;

	level = bench_search("vgg-e", SOLVER_HYPAR, 2, 4, PLAN, 2000, 50e-6, "hypar, VGG-E, 16 accelerators");
	bench_search("vgg-e", SOLVER_HYPAR, 2, 4, MARGINS, 2000, 200e-6, "margins of all layers and levels, VGG-E, 16");
	bench_search("vgg-e", SOLVER_JOINT, 3, 6, PLAN, 100, 50e-3, "joint, 3 types, H = 6, VGG-E");
	joint3 = bench_search("vgg-e", SOLVER_JOINT, 3, 4, PLAN, 500, 1e-3, "joint, 3 types, H = 4, VGG-E");
	joint2 = bench_search("vgg-e", SOLVER_JOINT, 2, 4, PLAN, 500, 1e-3, "joint, 2 types, H = 4, VGG-E");
	bench_search("resnet50", SOLVER_JOINT, 3, 4, PLAN, 30, 100e-3, "joint, 3 types, H = 4, ResNet-50's graph");
	bench_search("resnet50", SOLVER_HYPAR, 2, 4, PLAN, 500, 16e-3, "hypar, ResNet-50, 16 accelerators");
	bench_edit("vgg-a", batches, 2, 300, "edit batch, all results of the screen, VGG-A");
	bench_edit("bert-base", batches, 2, 300, "edit batch, all results of the screen, BERT base");
	bench_edit("bert-base", pins, 2, 300, "pin one layer at one level, BERT base");
	bench_edit("resnet50", cores, 3, 100, "another core, all results, ResNet-50");
	bench_edit("bert-base", cores, 3, 100, "another core, all results, BERT base");
	bench_edit("resnet50", counts, 4, 100, "another number of cores, all results, ResNet-50");
	bench_load("", "10 000-row CSV, loaded");
	bench_load("nowhere", "10 000-row CSV, each row with a bad reference");
	bench_schedule();
	printf("in this run: joint over level by level, VGG-E at 16: %.1f x with 2 types, %.1f x with 3\n", joint2 / level, joint3 / level);
	return 0;
}
