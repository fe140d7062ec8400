/* Between the files of line_run: what is under way.  Nobody else includes it. */
#ifndef WHYPAR_STUDY_LINE_INSIDE_H
#define WHYPAR_STUDY_LINE_INSIDE_H

#include "schedule/step_part.h"
#include "study/inside.h"
#include "study/line_run.h"

/* What stages of one kind have in common. */
struct kind {
	struct document document;        /* borrowed: with the kind's accelerator and sizes */
	const struct accelerator *accelerator;
	struct machine machine;
	double devices;                  /* accelerators x tensor */
	struct plan *plan;
	struct step *step;
	bool own;                        /* both are the kind's, not the study's */
	struct share *shares;            /* of each row */
	struct row_exchanges *exchanges; /* of each row, one microbatch; gradients of the step */
	double *seconds;                 /* of each layer */
	int *tasks, *first_task;         /* the step's tasks by layer, and of each layer its first there; behind them their count */
	int *part;                       /* room for as many */
	struct step_parts parts;
};

/* s of one microbatch of one virtual stage; passes that exchange nothing but themselves. */
struct slot_parts {
	double forward, backward, data, weight;  /* data: the backward pass without gradients of weights */
	double again;                    /* of forward, computed again in the backward pass */
	double exchange_forward, exchange_backward, gradients;
	double border;                   /* bytes that the stage takes in from those before it, all its devices together */
};

struct making {
	struct study *study;
	const struct model *model;
	const struct document *document;
	struct line_run *out;
	struct topology topology;        /* of all devices; of one device none */
	struct arena arena;              /* of what is needed on the way */
	int layers, virtual_stages;
	int *layer_of;                   /* of each row */
	int *first_row;                  /* of each layer */
	struct kind *kinds;
	int kind_count;
	struct kind **of_stage;          /* each stage's kind */
	int *first;                      /* of each virtual stage its first layer, and the layers */
	struct virtual_stage *played;    /* each virtual stage as the schedule is played with it */
	struct slot_parts *slots;        /* of each virtual stage */
};

/* line_slots.c: the times of each virtual stage, once the layers are dealt out. */
void line_time_slots(struct making *m);
/* s that the stage's updates take, as often as there are weights of its own. */
double line_update(struct making *m, int stage);
/* s of the stage's gradients, as far as they do not hide behind the last backward pass; one layer's always show. */
double line_gradients(const struct making *m, int stage);

/* line_memory.c: elements that one device of a stage of that kind holds of a row. */
double line_row_weights(const struct making *m, const struct kind *k, int row, int stage);
double line_row_activations(const struct making *m, const struct kind *k, int row);
/* Weights that one device of the stage holds. */
double line_weights(const struct making *m, int stage);
/* Memory and capacity. */
void line_memory(const struct making *m, int stage, struct stage_figures *f);

#endif
