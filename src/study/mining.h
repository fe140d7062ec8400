/* A search for the accelerator that the study's model, or several models, would choose: from parameters to a request of the mine room. */
#ifndef WHYPAR_STUDY_MINING_H
#define WHYPAR_STUDY_MINING_H

#include "mine/methods.h"
#include "study/study.h"

enum { MINING_MODELS_MAX = 12, MINING_FIXED = 2 };

/* What a search is of, with all that its request borrows but the studies: these must outlive it and stay as they are.  It points into itself, so it is not
 * to be moved. */
struct mining {
	struct arena arena;
	struct mine_request request;
	struct design_space space;
	struct mine_model models[MINING_MODELS_MAX];
	const char *names[MINING_MODELS_MAX];
	struct mining_line *line;        /* of a run that is more than one step of one array; NULL: that is all */
	double fixed[MINING_FIXED];      /* samples/s of each fixed design (mining_fixed), geometric mean of the models; 0: it does not run */
};

/* Designs that others made, to compare with: as WHAM has them, on the machine that is set. */
struct mining_fixed {
	const char *name;
	struct design design;
};
const struct mining_fixed *mining_fixed(int which);

/* studies: settled, with the same parameters, of a model each; the first one's count.  STATUS_INPUT when there is no step to judge by.  Ends with mining_end
 * in any case. */
enum status mining_begin(struct study *const *studies, int count, struct mining *mining, struct diagnostic *d);
void mining_end(struct mining *mining);

/* What stops the best design from being better: more cores would not fit the area or the power, its critical path is as short as it can be, or nothing. */
enum mining_limit { MINING_NONE, MINING_AREA, MINING_POWER, MINING_BOUND };
enum mining_limit mining_limit(const struct mining *mining, const struct judged *best);
const char *mining_limit_word(enum mining_limit limit);

/* Such a design as the search's own were judged: with m->fixed, and of a run on stages the TDP of all its devices. */
struct judged mining_fixed_judged(const struct mining *mining, int which);
/* A design in a few words: "8x128x128, vc 2x128, 64 MiB". */
void mining_design(const struct design_space *space, const struct design *design, char *out, size_t size);
/* Its values of the parameters tc to glb. */
void mining_cores(const struct design_space *space, const struct design *design, double *values);
/* Sets it, for all stages of a run too; and the commands that do where that document is set, a line each. */
void mining_set(const struct mining *mining, const struct design *design, struct document *document);
void mining_commands(const struct mining *mining, const struct design *design, const struct document *document, struct text *out);

#endif
