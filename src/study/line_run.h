/* A run of any model on a line of stages, each an array of accelerators: what a document says of it.  whypar-models(7) 7.7.
 *
 * Inside a stage levels split layers as the plan has it, tensor's and the array's; replicas share the batch; stages may be of unlike kinds and sizes. */
#ifndef WHYPAR_STUDY_LINE_RUN_H
#define WHYPAR_STUDY_LINE_RUN_H

#include "study/study.h"

/* Owned by the caller; line_run_free ends it. */
struct line_run {
	struct arena arena;      /* of the stages */
	struct run_plan plan;
	struct run run;
	struct stage_figures *stages;
	int stage_count;
	struct pipeline_step pipeline;   /* as played; of no slots where there is one stage */
	bool plain;              /* one stage, one microbatch, one replica: the study's own step */
	bool whole;              /* all of its microbatches were played; else the rest of them was added up */
};

/* Of a document, which is the study's with other values.  The study's plan and step are used where the document has them be the same.  STATUS_INPUT where
 * there is no such run; d says why.  The study must be up to date as far as its links. */
enum status line_run(struct study *study, const struct document *document, struct line_run *out, struct diagnostic *d);
void line_run_free(struct line_run *run);

/* How a run's layers lie on its stages, and what stays as it is whatever cores they have. */
struct line_cut {
	int stages, chunks, layers;
	int *layer_of;           /* of each row its layer (model_stage_layers) */
	int *first;              /* of each virtual stage its first layer, and behind them their count */
	double *exchange;        /* of each stage: s of the exchanges of a microbatch, both passes */
	struct share **shares;   /* of each stage: of each row, of a microbatch */
	double *devices;         /* of each stage, of one replica */
};

/* The row that a virtual stage, from 0, begins with; -1: there is none. */
int line_cut_row(const struct line_cut *cut, int virtual_stage);
/* Into the arena.  As line_run. */
enum status line_cut(struct study *study, const struct document *document, struct arena *arena, struct line_cut *cut, struct diagnostic *d);

/* What one device of a stage has of a layer, of one microbatch: s, exchanges inside the stage included; bytes. */
struct line_layer {
	double forward, backward, weights, activations;
};

/* Of each layer (model_stage_layers), with the document's accelerators and tensor. */
enum status line_layers(struct study *study, const struct document *document, struct line_layer *layers, struct diagnostic *d);

#endif
