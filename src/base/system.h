/* The machine that the program runs on: its time and its processors. */
#ifndef WHYPAR_BASE_SYSTEM_H
#define WHYPAR_BASE_SYSTEM_H

enum { THREADS_MAX = 64 };

/* Seconds since some moment that stays the same while the program runs; never goes back. */
double seconds_now(void);
/* How many threads: as many as wanted, or for 0 as many as there are processors; 1 to THREADS_MAX. */
int thread_count(int wanted);

#endif
