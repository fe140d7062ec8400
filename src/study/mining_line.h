/* A search for the accelerators of a run on stages: the best designs of each stage by itself, then one design for all of them, or one for each, by the run
 * that comes of it.  whypar-models(7) 8.4. */
#ifndef WHYPAR_STUDY_MINING_LINE_H
#define WHYPAR_STUDY_MINING_LINE_H

#include "study/line_run.h"
#include "study/mining.h"

/* What one stage has to do. */
struct mining_stage {
	struct mine_part part;
	struct mine_model model;
	int like;                /* the first stage that has the same to do; itself */
	double devices;          /* in all replicas */
};

struct mining_line {
	struct study *study;     /* borrowed; guard holds it */
	pthread_mutex_t guard;   /* so that runs are judged one at a time, whatever the threads */
	struct document base;    /* the study's, no stage with cores of its own */
	struct line_cut cut;     /* with the machine that is set */
	struct mining_stage *stages;     /* cut.stages of them */
	double devices;
};

/* A run of unlike stages. */
struct line_designs {
	struct design *of_stage; /* NULL: none was found */
	bool pinned;             /* the stages begin where they do now; else where that is best */
	double throughput, tdp, value;   /* W of all devices */
	double gain, gain_per_w;         /* over the best design for all; 0 where there is none */
};

/* What a search stage by stage found beside the best design for all. */
struct line_found {
	struct arena arena;
	struct mine_request request;     /* of the miner, once it goes on from the candidates */
	struct judged **top;     /* of each stage that is like no earlier one, best first by the metric, whatever its floor; NULL of the others */
	int *top_count;
	int64_t stage_evaluations;       /* of parts of a step, for these */
	int candidates;          /* designs that were tried for all stages and for each */
	struct line_designs each;
};

/* As mining_begin: STATUS_INPUT where there is no such run. */
enum status mining_line_begin(struct study *study, struct mining *mining, struct diagnostic *d);
void mining_line_end(struct mining_line *line);      /* NULL allowed */

/* Samples a second of the run as that document has it; 0 where it cannot be. */
double mining_line_throughput(struct mining_line *line, const struct document *document);

/* With wham, or as it was published, for each stage; found is the caller's (line_found_free). */
enum status mining_line_search(struct mining *mining, enum mine_method method, struct miner *miner, struct line_found *found, struct diagnostic *d);
void line_found_free(struct line_found *found);      /* NULL allowed */

/* Sets a design for each stage; and the commands that do, a line each. */
void line_found_set(const struct mining *mining, const struct line_designs *each, struct document *document);
void line_found_commands(const struct mining *mining, const struct line_designs *each, struct text *out);

#endif
