/* The methods: each tries designs through a miner until it is done, cancelled, or has had its evaluations. */
#ifndef WHYPAR_MINE_METHODS_H
#define WHYPAR_MINE_METHODS_H

#include "mine/miner.h"

/* What they do: whypar-models(7) 8.3.  id, name */
#define MINE_METHODS(X) \
	X(WHAM,       "wham") \
	X(WHAM_PAPER, "wham-paper") \
	X(ILP,        "ilp") \
	X(RLGA,       "rlga") \
	X(BAYES,      "bayes") \
	X(RANDOM,     "random") \
	X(EXHAUSTIVE, "exhaustive")

enum mine_method {
#define X(id, ...) METHOD_##id,
	MINE_METHODS(X)
#undef X
	METHOD_COUNT
};

const char *mine_method_name(enum mine_method method);
/* METHOD_COUNT when there is none of that name. */
enum mine_method mine_method_find(const char *name);

/* Seeded numbers, the same on every machine: splitmix64 (Steele and others, OOPSLA 2014). */
struct mine_random {
	uint64_t state;
};

static inline uint64_t mine_draw(struct mine_random *r)
{
	uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

/* Of [0, 1). */
static inline double mine_draw_part(struct mine_random *r)
{
	return (double)(mine_draw(r) >> 11) * 0x1p-53;
}

/* Fills the miner.  STATUS_INPUT when the method cannot search here, STATUS_INFEASIBLE when no design fits (d: the nearest miss), STATUS_INTERRUPTED when cancelled: what was found is there. */
enum status mine_run(enum mine_method method, struct miner *miner, struct diagnostic *d);

/* STATUS_INFEASIBLE where not even the smallest design is within the limits. */
enum status mine_check_limits(const struct design_space *space, struct diagnostic *d);

/* What came of a search, in mine_run's words. */
enum status mine_ended(struct miner *miner, struct diagnostic *d);

/* The methods themselves. */
void mine_wham(struct miner *miner);
void mine_wham_paper(struct miner *miner);
void mine_exhaustive(struct miner *miner);
void mine_ilp(struct miner *miner);
void mine_rlga(struct miner *miner);
void mine_bayes(struct miner *miner);
void mine_random(struct miner *miner);

#endif
