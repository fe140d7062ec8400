#include "tests/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double print_times(const char *what, double *seconds, int runs, double budget)
{
	double median, p99;

	qsort(seconds, (size_t)runs, sizeof *seconds, ascending);
	median = seconds[runs / 2];
	p99 = seconds[(runs * 99 + 99) / 100 - 1];
	printf("%-58s median %10.1f us   p99 %10.1f us", what, median * 1e6, p99 * 1e6);
	if (budget > 0)
		printf("   budget %9.0f us  %5.2f of it", budget * 1e6, p99 / budget);
	printf("\n");
	return median;
}
