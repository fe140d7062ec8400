/* What every bench needs: a clock, and a line of median and p99. */
#ifndef WHYPAR_TESTS_BENCH_MEASURE_H
#define WHYPAR_TESTS_BENCH_MEASURE_H

#include "base/system.h"

/* Sorts the runs and prints their median and p99, and the p99 over a budget in seconds (0: there is none).
 * Returns the median, in seconds. */
double print_times(const char *what, double *seconds, int runs, double budget);

#endif
