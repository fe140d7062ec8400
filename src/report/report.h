/* What a study has to say, without a screen: text for people, JSON and CSV for programs.
 *
 * JSON is the command line's contract (schema 1, additive changes only).  Fields whose part of the engine does not
 * apply are absent, never zero.  All functions append to out, computing what is pending where they need it. */
#ifndef WHYPAR_REPORT_REPORT_H
#define WHYPAR_REPORT_REPORT_H

#include "study/study.h"

enum report_form { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

/* One design point.  STATUS_INPUT when no model is loaded. */
enum status report_study(struct study *study, enum report_form form, struct text *out, struct diagnostic *d);

/* Why one row has its choice at a level. */
enum status report_why(struct study *study, int row, int level, enum report_form form, struct text *out, struct diagnostic *d);

/* Segments of a knob (batch, bandwidth) with one choice each. */
enum status report_flips(struct study *study, int row, int level, const char *knob, enum report_form form, struct text *out, struct diagnostic *d);

/* Choices of one row over the knobs phase_x and phase_y accelerators. */
enum status report_phase(struct study *study, int row, int level, enum report_form form, struct text *out, struct diagnostic *d);

/* The formula behind a number, as explain.h names them; state as words: "dp", "row", NULL for the present choice. */
enum status report_explain(struct study *study, const char *quantity, int row, int level, const char *state, enum report_form form,
	struct text *out, struct diagnostic *d);

/* The same of one operator of the training step; name: report/operator.h. */
enum status report_explain_operator(struct study *study, const char *quantity, const char *name, enum report_form form, struct text *out, struct diagnostic *d);

/* A topology that does not join the accelerators is an error, whatever is asked. */
enum status report_need_links(struct study *study, struct diagnostic *d);

/* Computes the plan and the step where they are not yet.  STATUS_INPUT when there is no step, with the reason. */
enum status report_need_step(struct study *study, struct diagnostic *d);

/* Every operator of the training step on one accelerator of the array.  STATUS_INPUT when there is no step, with the reason. */
enum status report_ops(struct study *study, enum report_form form, struct text *out, struct diagnostic *d);

/* One of them in words, with its loops; name: report/operator.h. */
enum status report_operator(struct study *study, const char *name, enum report_form form, struct text *out, struct diagnostic *d);

/* The fastest plans of a run on so many GPUs, as typed.  STATUS_INFEASIBLE when none fits. */
enum status report_plans(struct study *study, const char *gpus, enum report_form form, struct text *out, struct diagnostic *d);

/* What was read of a model, and what was not. */
void report_check(struct study *study, enum report_form form, struct text *out);

/* One collective ("all-reduce") of so many bytes ("64MiB") on the document's topology.  STATUS_USAGE for an unknown one. */
enum status report_collective(struct study *study, const char *op, const char *bytes, enum report_form form, struct text *out, struct diagnostic *d);

/* What nccl-tests printed into a file, as a latency and a bandwidth; ranks: NULL where the file tells. */
enum status report_calibration(struct study *study, const char *path, const char *ranks, enum report_form form, struct text *out, struct diagnostic *d);

/* The exact split of a profiled layer graph into pipeline stages; words: the path, and limits as NAME=VALUE (pipeline/profile.h).  STATUS_INFEASIBLE with the limit and the nearest miss when nothing fits. */
enum status report_stages(const char *const *words, int count, enum report_form form, struct text *out, struct diagnostic *d);
/* The same of the study's model, whose rows are timed on its accelerator; the study must be settled. */
enum status report_model_stages(struct study *study, const char *const *limits, int count, enum report_form form, struct text *out, struct diagnostic *d);

/* A paper's numbers beside ours; name: "hypar".  STATUS_USAGE when there is no such paper. */
enum status report_reproduce(const char *name, enum report_form form, struct text *out, struct diagnostic *d);

/* What is built in. */
enum status report_models(enum report_form form, struct text *out, struct diagnostic *d);
enum status report_accelerators(enum report_form form, struct text *out, struct diagnostic *d);
enum status report_networks(enum report_form form, struct text *out, struct diagnostic *d);
enum status report_parameters(enum report_form form, struct text *out, struct diagnostic *d);
enum status report_commands(enum report_form form, struct text *out, struct diagnostic *d);

#endif
