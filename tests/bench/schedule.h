/* Schedules measured: how far list scheduling is from the optimum, and how long each method takes.  Called by the bench. */
#ifndef WHYPAR_TESTS_BENCH_SCHEDULE_H
#define WHYPAR_TESTS_BENCH_SCHEDULE_H

void bench_schedule(void);

#endif
