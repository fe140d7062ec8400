/* Speed, measured: `make bench`.  Median and p99 of many runs of each budget of the design, what was measured beside it, and
 * ratios within this one run.  Nothing here is a test: a slow machine fails no build. */
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "model/load.h"
#include "partition/solve.h"
#include "study/commands.h"
#include "study/study.h"
#include "network/exchange.h"
#include "tests/bench/measure.h"
#include "tests/bench/mine.h"
#include "tests/bench/run.h"
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

static void run_line(struct study *study, const char *line)
{
	struct diagnostic d;

	if (command_run(study, NULL, line, &d) != STATUS_OK) {
		fprintf(stderr, "bench: %s\n", d.text);
		exit(1);
	}
}

/* Lines run in turn, each an edit of a study with everything the screen shows at once. */
static void bench_lines(struct study *study, const char *const *lines, int count, int runs, double budget, const char *text)
{
	double *seconds = memory_alloc((size_t)runs, sizeof *seconds);

	/* a tenth of the runs warms up and is not counted */
	for (int i = -runs / 10 - 1; i < runs; i++) {
		double start = seconds_now();

		run_line(study, lines[(i + runs) % count]);
		study_update(study);
		if (i >= 0)
			seconds[i] = seconds_now() - start;
	}
	print_times(text, seconds, runs, budget);
	memory_free(seconds);
}

static void bench_edit(const char *model, const char *const *lines, int count, int runs, double budget, const char *text)
{
	struct study *study = study_new();
	struct diagnostic d;

	if (study_load(study, model, NULL, &d) != STATUS_OK) {
		fprintf(stderr, "bench: %s\n", d.text);
		exit(1);
	}
	study_settle(study, NULL);
	bench_lines(study, lines, count, runs, budget, text);
	study_free(study);
}

/* A decoder of that many blocks, with norms before each half, as a layer table. */
static void write_decoder(struct text *csv, int blocks, int width, int heads, int tokens)
{
	const char *last = "embed";
	char name[32];

	text_printf(csv, "name,kind,inputs,in_ch,in_h,out_ch,out_h,out_w,heads,bias\nwords,embedding,-,50257,%d,%d\nplaces,embedding,-,%d,%d,%d\nembed,add,words;places\n", tokens,
		width, tokens, tokens, width);
	for (int b = 1; b <= blocks; b++) {
		text_printf(csv, "b%d_norm1,norm,%s\nb%d_qkv,linear,,%d,%d,%d,,,,1\nb%d_attention,attention,,,,,,,%d\nb%d_proj,linear,,%d,%d,%d,,,,1\n", b, last, b, width, tokens,
			3 * width, b, heads, b, width, tokens, width);
		text_printf(csv, "b%d_add1,add,b%d_proj;%s\nb%d_norm2,norm\nb%d_up,linear,,%d,%d,%d,,,,1\nb%d_gelu,act\nb%d_down,linear,,%d,%d,%d,,,,1\nb%d_add2,add,b%d_down;b%d_add1\n", b, b,
			last, b, b, width, tokens, 4 * width, b, b, 4 * width, tokens, width, b, b, b);
		snprintf(name, sizeof name, "b%d_add2", b);
		last = name;
	}
	text_printf(csv, "norm,norm,%s\nhead,linear,,%d,%d,50257\n", last, width, tokens);
}

/* The same edits of a decoder that no file holds. */
static void bench_decoder(int blocks, int width, int heads, int tokens, const char *const *lines, int count, double budget, const char *text)
{
	struct text csv = { 0 };
	char path[] = "/tmp/whypar-bench-XXXXXX";
	int file = mkstemp(path);
	FILE *out = file >= 0 ? fdopen(file, "w") : NULL;

	write_decoder(&csv, blocks, width, heads, tokens);
	if (out == NULL || fputs(text_string(&csv), out) < 0 || fclose(out) != 0) {
		perror(path);
		exit(1);
	}
	bench_edit(path, lines, count, 200, budget, text);
	remove(path);
	text_free(&csv);
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

/* All levels of 1 024 accelerators on a torus of 32 x 32. */
static void bench_exchanges(void)
{
	enum { RUNS = 1000 };
	static double seconds[RUNS];
	struct topology topology, resolved;
	struct diagnostic d;
	double sum = 0;

	topology_parse("torus:32x32", &topology, &d);
	for (int i = 0; i < RUNS; i++) {
		double start = seconds_now();

		topology_resolve(&topology, 1024, 1e9 + i, 1e-6, &resolved, &d);
		for (int level = 1; level <= 10; level++) {
			struct exchange e = exchange_level(&resolved, level, 10, &(struct exchange_request){ .bytes = 1e6, .messages = 50 });

			sum += exchange_seconds(&e);
		}
		seconds[i] = seconds_now() - start;
	}
	print_times(sum > 0 ? "exchanges of 1 024 accelerators on a torus, all levels" : "no exchange", seconds, RUNS, 2e-3);
}

/* A map of 60 x 20 points of VGG-E, batch by bandwidth: what a frame can show of it, and all of it with its exact flips. */
static void bench_phase(void)
{
	enum { RUNS = 20, COLUMNS = 60, ROWS = 20 };
	static double first[RUNS], all[RUNS];
	struct study *study = study_new();
	struct diagnostic d;
	char line[80];
	bool coarse = true, whole = true;

	run_line(study, "load vgg-e");
	for (int i = 0; i < RUNS; i++) {
		double start;

		snprintf(line, sizeof line, "set objective=time latency=%dus", 10 + i);
		run_line(study, line);
		study_settle(study, NULL);
		start = seconds_now();
		coarse = coarse && study_phase(study, 10, 1, COLUMNS, ROWS, false, &d) != NULL;
		first[i] = seconds_now() - start;
		study_settle(study, NULL);
		all[i] = seconds_now() - start;
		whole = whole && !study_phase(study, 10, 1, COLUMNS, ROWS, false, &d)->coarse;
	}
	print_times(coarse ? "phase map of 60 x 20, VGG-E, first picture" : "no map", first, RUNS, 16e-3);
	print_times(whole ? "phase map of 60 x 20, VGG-E, whole, with its flips" : "no map", all, RUNS, 100e-3);
	study_free(study);
}

int main(void)
{
	static const char *const batches[] = { "set batch=512", "set batch=256" };
	static const char *const pins[] = { "pin #3 H2 mp", "unpin #3" };
	static const char *const cores[] = { "set tc_rows=128", "set tc_rows=64", "set tc_rows=32" };
	static const char *const alone[] = { "set tc_rows=128 accelerators=1 batch=8", "set tc_rows=64 accelerators=1 batch=8", "set tc_rows=32 accelerators=1 batch=8" };
	static const char *const counts[] = { "set tc=4 accelerators=1", "set vc=4 accelerators=1", "set tc=1 accelerators=1", "set vc=1 accelerators=1" };
	double level, joint2, joint3;

	memory_keep();
	level = bench_search("vgg-e", SOLVER_HYPAR, 2, 4, PLAN, 2000, 50e-6, "hypar, VGG-E, 16 accelerators");
	bench_search("vgg-e", SOLVER_HYPAR, 2, 4, MARGINS, 2000, 200e-6, "margins of all layers and levels, VGG-E, 16");
	bench_search("vgg-e", SOLVER_JOINT, 3, 6, PLAN, 100, 50e-3, "joint, 3 types, H = 6, VGG-E");
	joint3 = bench_search("vgg-e", SOLVER_JOINT, 3, 4, PLAN, 500, 1e-3, "joint, 3 types, H = 4, VGG-E");
	joint2 = bench_search("vgg-e", SOLVER_JOINT, 2, 4, PLAN, 500, 1e-3, "joint, 2 types, H = 4, VGG-E");
	bench_search("resnet50", SOLVER_JOINT, 3, 4, PLAN, 30, 100e-3, "joint, 3 types, H = 4, ResNet-50's graph");
	bench_search("resnet50", SOLVER_HYPAR, 2, 4, PLAN, 500, 16e-3, "hypar, ResNet-50, 16 accelerators");
	bench_edit("vgg-a", batches, 2, 300, 16e-3, "edit batch, all results of the screen, VGG-A");
	bench_edit("bert-base", batches, 2, 300, 16e-3, "edit batch, all results of the screen, BERT base");
	bench_edit("bert-base", pins, 2, 300, 16e-3, "pin one layer at one level, BERT base");
	bench_edit("resnet50", cores, 3, 300, 2e-3, "another core, all results, ResNet-50");
	bench_edit("bert-base", cores, 3, 300, 16e-3, "another core, all results, BERT base");
	bench_decoder(96, 12288, 96, 2048, alone, 3, 5e-3, "another core, all results, GPT-3 of 96 blocks on one accelerator");
	bench_decoder(96, 12288, 96, 2048, cores, 3, 16e-3, "another core, all results, GPT-3 of 96 blocks on 16");
	bench_decoder(24, 1024, 16, 512, counts, 4, 0.3e-3, "another number of cores, decoder of 24 blocks (about 1 000 operators)");
	bench_exchanges();
	bench_phase();
	bench_load("", "10 000-row CSV, loaded");
	bench_load("nowhere", "10 000-row CSV, each row with a bad reference");
	bench_runs();
	bench_mine();
	bench_schedule();
	printf("in this run: joint over level by level, VGG-E at 16: %.1f x with 2 types, %.1f x with 3\n", joint2 / level, joint3 / level);
	return 0;
}
