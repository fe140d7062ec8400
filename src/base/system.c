#include "base/system.h"

#include <time.h>
#include <unistd.h>

double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int thread_count(int wanted)
{
	long there = wanted > 0 ? wanted : sysconf(_SC_NPROCESSORS_ONLN);

	return there < 1 ? 1 : there < THREADS_MAX ? (int)there : THREADS_MAX;
}
