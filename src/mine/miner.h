/* A search among designs under way: what judges them, what it has found, and every step it took.
 *
 * A method asks the miner to try designs; each is scheduled once, and counted once, however often it is asked for.  Results depend on the order of asking
 * alone, never on time or threads.  One thread at a time uses a miner, and borrows all it was given; others may look on between miner_hold and
 * miner_release. */
#ifndef WHYPAR_MINE_MINER_H
#define WHYPAR_MINE_MINER_H

#include "mine/space.h"
#include "schedule/overlap.h"

#include <pthread.h>
#include <stdatomic.h>

/* What a stage of a pipeline has of a model: the layers of its places in the line. */
struct mine_part {
	const int *layer_of;             /* of each row; a loss of no row is the last layer's */
	const int *first;                /* of each place in the line its first layer, and behind them their count */
	int stage, stages, chunks;       /* this one has the places stage, stage + stages, .. */
	bool again;                      /* the forward pass is computed again in the backward pass */
};

/* One model's step, as an accelerator has it to do. */
struct mine_model {
	const struct training *training;
	const struct share *shares;      /* of each row */
	const struct latencies *latencies;       /* NULL allowed */
	enum optimizer optimizer;
	bool fusion;
	double samples;                  /* of a step, or of a part's microbatch */
	double beside_s;                 /* s of its exchanges, which no design changes */
	enum overlap overlap;            /* which of them may hide behind computing */
	const struct row_exchanges *exchanges;   /* of each row; NULL where none may hide */
	const struct mine_part *part;    /* NULL: the whole step */
};

/* id, name, text */
#define MINE_METRICS(X) \
	X(THROUGHPUT,   "throughput",   "samples a second") \
	X(PERF_PER_TDP, "perf_per_tdp", "samples a second for each W of TDP, where samples a second reach a floor")

enum mine_metric {
#define X(id, ...) METRIC_##id,
	MINE_METRICS(X)
#undef X
	METRIC_COUNT
};

struct judged;
struct mine_request;

/* Another judge of designs than the step of the models: of runs of which one step is not all.  From any thread. */
typedef struct judged mine_judge_run(void *context, const struct mine_request *request, const struct design *design);

struct mine_request {
	const struct design_space *space;
	const struct mine_model *models;
	int model_count;                 /* several: one design for all, by the geometric mean of their samples a second */
	enum mine_metric metric;
	double floor;                    /* samples a second that perf_per_tdp needs */
	int hysteresis;                  /* levels without gain that end a branch of wham's tree */
	uint64_t seed;                   /* of methods that draw */
	int64_t evaluations;             /* that rlga, bayes, random and ilp may take */
	double time_limit;               /* s that ilp may take */
	int threads;                     /* exhaustive; 0: as many as the machine has */
	const struct design *begin_with;         /* good ones of another search, best first, that fit; of use to wham */
	int begin_count;
	mine_judge_run *judge;           /* NULL: the step of the models */
	void *judge_context;
	const atomic_bool *cancel, *pause;       /* NULL allowed */
};

struct judged {
	struct design design;
	/* s that operators on the critical path waited for a core of each kind, or would be shorter by with twice as many; a row's forward and backward
	 * work, which mirror each other, count once */
	float asked_tc, asked_vc;
	int asked_row[2];                /* which row of the first model asked for most, of tensor and vector cores; -1: none */
	double throughput;               /* samples/s; 0: it cannot run at all */
	double area, tdp;                /* mm2 of one accelerator; W, of a run on stages of all its accelerators */
	double value;                    /* by the metric; 0: not reaching the floor, or not running */
};

/* Samples a second for each W. */
static inline double judged_per_tdp(const struct judged *j)
{
	return j->throughput / j->tdp;
}

/* What a method does, for who looks on. id, word, text */
#define MINE_EVENTS(X) \
	X(TRIED,    "tried",    "a design that it begins with, or a branch") \
	X(LOOKED,   "looked",   "at one of the designs that a search may begin with") \
	X(ADDED,    "added",    "an operator that the step waits for waited for such a core: it gets more of them") \
	X(KEPT,     "kept",     "more cores gain nothing: the design stays") \
	X(BRANCHED, "branched", "its dimensions are halved, one at a time") \
	X(PRUNED,   "pruned",   "no better than before for so many levels") \
	X(STEPPED,  "stepped",  "along one dimension, and better so") \
	X(TRADED,   "traded",   "along two dimensions or more at once, and better so") \
	X(SETTLED,  "settled",  "nothing next to it is better")

enum mine_event_kind {
#define X(id, ...) MINED_##id,
	MINE_EVENTS(X)
#undef X
	MINED_COUNT
};

struct mine_event {
	enum mine_event_kind kind;
	struct design design;
	int64_t evaluations;             /* until then */
	double value;                    /* of the design */
	int parent;                      /* the event whose design this came from; -1 */
};

/* The best so far, whenever it got better. */
struct mine_point {
	int64_t evaluations;
	double seconds;                  /* since the start */
	double value;
};

enum { MINE_TOP_MAX = 64 };

struct miner {
	const struct mine_request *request;
	pthread_mutex_t guard;           /* the search alone writes, and holds it then (also for request); others hold it to read */
	int64_t evaluations;             /* designs scheduled */
	int64_t pruned;                  /* designs or branches that were not */
	int64_t planned;                 /* designs that it will schedule, or at most; 0: not known before */
	double bound;                    /* what no design is worth more than, however it is scheduled; 0: nothing was proven */
	bool proven;                     /* and some schedule is worth that, but for roundings */
	char trouble[200];               /* why the method cannot search here; empty: it can */
	double started;
	double paused;                   /* since when; 0: it is not */
	double paused_s;                 /* in all, before that, and what else was no search */
	int part, parts;                 /* of a search in parts: which one is under way; 0: it is in none */
	struct judged top[MINE_TOP_MAX]; /* best first; equal ones by number */
	int top_count;
	struct mine_point *curve;
	size_t curve_count, curve_capacity;
	struct mine_event *events;
	size_t event_count, event_capacity;
	struct tried *tried;             /* by number: what was judged */
	size_t tried_capacity;
};

void miner_init(struct miner *miner, const struct mine_request *request);
void miner_free(struct miner *miner);

/* Judges a design that fits; kept, so that asking again costs nothing.  NULL when cancelled.  Good until the next is tried or taken. */
const struct judged *miner_try(struct miner *miner, const struct design *design);
/* As miner_try, for what was judged elsewhere: by another thread. */
void miner_take(struct miner *miner, const struct judged *judged);
/* What a design is worth, without a miner (judge.c): for any thread. */
struct judged mine_judge(const struct mine_request *request, const struct design *design);
/* s of a whole step with its exchanges. */
double mine_step_seconds(const struct mine_model *model, const struct step *step);
/* By the metric: 0 below its floor. */
double mine_value(const struct mine_request *request, double throughput, double tdp);
/* parent: an event's number, or -1.  Returns the event's number. */
int miner_tell(struct miner *miner, enum mine_event_kind kind, const struct design *design, double value, int parent);
/* How many designs will be scheduled, or at most. */
void miner_plan(struct miner *miner, int64_t designs);
void miner_part(struct miner *miner, int part, int parts);
/* Time that was no search: pauses of searches within this one. */
void miner_leave_out(struct miner *miner, double seconds);
/* So many more designs or branches are left out. */
void miner_prune(struct miner *miner, int64_t count);
/* Since it began, pauses left out.  Another thread than the search's must hold the miner. */
double miner_seconds(const struct miner *miner);
/* Between designs: waits while it is paused; false once it is cancelled. */
bool miner_goes_on(struct miner *miner);
bool miner_cancelled(const struct miner *miner);
/* For another thread: nothing of the miner changes in between. */
void miner_hold(struct miner *miner);
void miner_release(struct miner *miner);
/* What was judged of a design; NULL when it was not tried.  As long as miner_try. */
const struct judged *miner_tried(const struct miner *miner, const struct design *design);
/* Of all that were tried, in no order but the same one each time: from at = 0 on; NULL at the end. */
const struct judged *miner_next(const struct miner *miner, size_t *at);
/* The best, or NULL when nothing was worth anything. */
const struct judged *miner_best(const struct miner *miner);

const char *mine_metric_name(enum mine_metric metric);
const char *mine_event_name(enum mine_event_kind kind);

#endif
