/* A race: methods of mining, one after another, over the same models, budgets and seed.  Each runs on whatever thread its leg is given to; who looks on
 * sees it as it goes. */
#ifndef WHYPAR_STUDY_RACE_H
#define WHYPAR_STUDY_RACE_H

#include "study/mining_line.h"

enum race_state {
	RACE_ABSENT,
	RACE_WAITING,            /* entered, its leg has not begun */
	RACE_RUNNING,
	RACE_DONE,
	RACE_STOPPED,            /* by the user: what it found is there */
	RACE_FAILED              /* found nothing: trouble says why */
};

struct race_entrant {
	atomic_int state;
	struct miner miner;      /* from RACE_RUNNING on; to be held while that lasts */
	struct line_found *line; /* of a run on stages, by wham or wham-paper; by race_line only */
	double seconds;          /* it took, once it ended: race_seconds */
	enum status ended;       /* how, once it has */
	char trouble[640];       /* RACE_FAILED */
};

struct race {
	struct study *studies[MINING_MODELS_MAX];        /* of a model each */
	int count;
	bool owned;
	struct document document;        /* of the first: what the race is about */
	struct mining mining;            /* once it is ready: race_mining */
	atomic_bool ready;
	atomic_bool paused;
	struct race_entrant entrants[METHOD_COUNT];
	struct design *begin_with;       /* good designs of an earlier search, as they were written; best first; NULL: there is none */
	int begin_count;
};

/* studies: settled or not, with the same parameters, of a model each; owned: freed with the race, else they must outlive it unchanged. */
struct race *race_new(struct study *const *studies, int count, bool owned);
/* No leg may be running. */
void race_free(struct race *race);

/* A study of its own for a race: of the same document; NULL with d when its model cannot be loaded again. */
struct study *race_study(const struct document *document, struct diagnostic *d);

/* Methods by their names, joined by commas, or "all"; a set of 1 << method. */
enum status race_methods(const char *names, unsigned *methods, struct diagnostic *d);

/* Takes the designs of a `mine --json` as known good ones: wham, which must be one of the methods to come, begins with them.  Before the first leg. */
enum status race_warm(struct race *race, unsigned methods, const char *path, struct diagnostic *d);

/* True when it is to run: false when it ran to its end, or is about to. */
bool race_enter(struct race *race, enum mine_method method);
/* Runs one that was entered; one leg at a time.  STATUS_INTERRUPTED when cancelled; before it began, it is out of the race again. */
enum status race_leg(struct race *race, enum mine_method method, const atomic_bool *cancel, struct diagnostic *d);

/* What an entrant found may be read: it has run, or does, and must then be held. */
bool race_has_begun(const struct race *race, enum mine_method method);
/* What is searched for and in; NULL before the first leg has worked it out, which it may never.  From any thread. */
const struct mining *race_mining(const struct race *race);
/* What it found of stages; NULL: nothing, or not yet. */
const struct line_found *race_line(const struct race_entrant *entrant);
/* That it took, or has taken so far; while it runs it must be held. */
double race_seconds(const struct race_entrant *entrant);
/* That it will take yet, if it goes on as it has; NAN: it does not say how many designs it will schedule.  It runs and is held. */
double race_left(const struct race_entrant *entrant);
const char *race_state_name(const struct race_entrant *entrant);
/* Some design for all, or for each stage, was found.  No miner may be held. */
bool race_has_found(struct race *race);
/* The best value that any found so far; 0: none.  No miner may be held. */
double race_best(struct race *race);
/* True when the document is what the race is about, whatever design is set, and however many designs are told. */
bool race_is_of(const struct race *race, const struct document *document);

/* How soon an entrant was within 1 % of that value: false when it never was. */
bool race_reached(const struct race_entrant *entrant, double best, struct mine_point *when);

#endif
