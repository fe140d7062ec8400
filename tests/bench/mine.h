/* Times of the search for accelerators. */
#ifndef WHYPAR_TESTS_BENCH_MINE_H
#define WHYPAR_TESTS_BENCH_MINE_H

void bench_mine(void);

#endif
