#include "tests/bench/mine.h"

#include "study/commands.h"
#include "study/mining.h"
#include "tests/bench/measure.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(enum status status, const struct diagnostic *d)
{
	if (status == STATUS_OK)
		return;
	fprintf(stderr, "bench: %s\n", d->text);
	exit(1);
}

static struct study *study_of(const char *model)
{
	struct study *study = study_new();
	struct diagnostic d;

	must(study_load(study, model, NULL, &d), &d);
	must(command_run(study, NULL, "set accelerator=wham-base accelerators=1 batch=64 precision=bf16", &d), &d);
	study_settle_plan(study);
	return study;
}

static void bench_wham(const char *model, double budget)
{
	enum { RUNS = 9 };
	static double seconds[RUNS];
	struct study *study = study_of(model);
	struct mining m;
	struct diagnostic d;
	long long evaluations = 0;
	char what[96];

	must(mining_begin(&study, 1, &m, &d), &d);
	for (int i = 0; i < RUNS; i++) {
		struct miner miner;
		double start = seconds_now();

		miner_init(&miner, &m.request);
		must(mine_run(METHOD_WHAM, &miner, &d), &d);
		seconds[i] = seconds_now() - start;
		evaluations = miner.evaluations;
		miner_free(&miner);
	}
	snprintf(what, sizeof what, "wham on %s, %lld designs", model, evaluations);
	print_times(what, seconds, RUNS, budget);
	mining_end(&m);
	study_free(study);
}

/* Designs spread over the whole space, one by one. */
static void bench_designs(const char *model)
{
	enum { RUNS = 400 };
	static double seconds[RUNS];
	struct study *study = study_of(model);
	struct mining m;
	struct diagnostic d;
	int64_t *numbers, fitting;
	char what[120];
	double sum = 0;

	must(mining_begin(&study, 1, &m, &d), &d);
	fitting = space_fitting(&m.space, &numbers);
	for (int i = 0; i < RUNS; i++) {
		struct design design = space_design(&m.space, numbers[fitting * i / RUNS]);
		double start = seconds_now();

		mine_judge(&m.request, &design);
		seconds[i] = seconds_now() - start;
		sum += seconds[i];
	}
	snprintf(what, sizeof what, "a design of %s (%.0f a second on one core, all %lld in %.1f s)", model, RUNS / sum, (long long)fitting, sum / RUNS * (double)fitting);
	print_times(what, seconds, RUNS, 0);
	memory_free(numbers);
	mining_end(&m);
	study_free(study);
}

static void *search(void *context)
{
	struct diagnostic d;

	mine_run(METHOD_EXHAUSTIVE, context, &d);
	return NULL;
}

/* From the wish to the end of a search of every design. */
static void bench_cancel(const char *model)
{
	enum { RUNS = 20 };
	static const struct timespec nap = { 0, 50000000 };
	static double seconds[RUNS];
	struct study *study = study_of(model);
	struct mining m;
	struct diagnostic d;
	char what[120];

	must(mining_begin(&study, 1, &m, &d), &d);
	for (int i = 0; i < RUNS; i++) {
		atomic_bool cancel = false;
		struct miner miner;
		pthread_t thread;
		double start;

		m.request.cancel = &cancel;
		miner_init(&miner, &m.request);
		must(pthread_create(&thread, NULL, search, &miner) == 0 ? STATUS_OK : STATUS_INPUT, &d);
		nanosleep(&nap, NULL);
		start = seconds_now();
		atomic_store(&cancel, true);
		pthread_join(thread, NULL);
		seconds[i] = seconds_now() - start;
		miner_free(&miner);
	}
	snprintf(what, sizeof what, "a search of all designs of %s, stopped", model);
	print_times(what, seconds, RUNS, 0.1);
	mining_end(&m);
	study_free(study);
}

void bench_mine(void)
{
	bench_wham("bert-large", 0.15);
	bench_wham("resnet50", 0);
	bench_designs("resnet50");
	bench_designs("bert-large");
	bench_cancel("gpt3-175b");
}
