/* Benchmarks of training runs: a design point, all plans of so many GPUs, schedules played. */
#ifndef WHYPAR_TESTS_BENCH_RUN_H
#define WHYPAR_TESTS_BENCH_RUN_H

void bench_runs(void);

#endif
