/* Inside of a study, shared by study.c (document, journal), evaluate.c, evaluate_step.c and evaluate_links.c (stages), questions.c and idle.c (what is asked of
 * results) and jobs.c (long work).  Nobody else includes it. */
#ifndef WHYPAR_STUDY_INSIDE_H
#define WHYPAR_STUDY_INSIDE_H

#include "study/line_run.h"
#include "study/run_choices.h"
#include "study/stages.h"
#include "study/study.h"

/* A loaded model and its problem, shared by the journal's entries. */
struct loaded {
	struct model *model;
	struct problem *problem;
	struct training *training;
	struct loaded *stated;   /* the same with the model's own sequences, shared; NULL: these are */
	int users;
};

struct entry {
	struct document document;
	struct loaded *loaded;   /* NULL when the document names no model */
	char *label;             /* the edit that left this document behind (undo) or that leads to it (redo) */
};

struct journal {
	struct entry *entries;
	size_t count, capacity;
};

enum job_kind { JOB_PLAN, JOB_WHY, JOB_PHASE, JOB_BASELINE };

/* A question whose answer is kept until the plan changes. */
struct asked_why {
	bool wanted, ready;
	bool with_flips;
	int row, level;
	struct why why;
};

struct asked_phase {
	bool wanted, ready;      /* not ready: phase is coarse, or of nothing yet */
	struct phase_question question;
	struct phase phase;
};

struct study {
	struct document document;
	double screen[PARAMETER_COUNT];  /* values of SCOPE_SCREEN */
	struct loaded *loaded;
	struct journal undo, redo;
	unsigned stale;                  /* stages out of date */

	signed char *pins;               /* variable x LEVELS_MAX */
	struct diagnostics pin_warnings, warnings;
	struct search *search;           /* the plan's tables, kept for incremental solving */
	struct search *baseline_search, *probe;
	struct plan *plan;
	struct margins *margins;
	struct plan *remembered;
	struct outcome remembered_outcome;       /* with remembered_document, of `remembered` */
	struct document remembered_document;
	struct line_run line;            /* of the stages; of a run on a cluster the figures alone */
	struct run_choices run_choices;
	bool run_choices_ready;
	struct gpus gpus;
	struct gpu gpu;          /* on a cluster: of the table, with the memory that is set */
	struct clusters clusters;
	struct accelerators accelerators;   /* the program's own; empty when its data was not found */
	struct step *step;
	struct overlapped overlapped;
	double first_share;              /* where the halves are unlike; else 0 */
	struct work second_work;
	struct machine second_machine;
	struct whatif whatif;
	bool whatif_ready;
	bool idle_known[PARAMETER_COUNT];        /* of this step: whether turning it was tried, and the answer */
	const char *idle[PARAMETER_COUNT];
	struct results results;

	unsigned long stamp;             /* of the inputs of plan and baselines: results of older ones are dropped */
	bool plan_wanted;
	bool baseline_wanted[BASELINE_COUNT];
	struct asked_why asked_why;
	struct asked_phase asked_phase;
	bool job_out;
};

/* Work of more steps than this does not fit a frame and becomes a job; at about 2 ns a step, 4 ms. */
#define FRAME_OPERATIONS 2e6
/* A baseline of more steps than this is not worth it unasked: about a second. */
#define BASELINE_OPERATIONS 3e8
/* A plan that was asked for gets its margins up to here: about 10 s. */
#define MARGIN_OPERATIONS 5e9
/* Flips that a why would like to have, but was not asked for, up to here. */
#define FLIPS_OPERATIONS 5e9

/* A phase map has some hundred cells; a joint solve of more steps than this is shown as unsolved there. */
#define PHASE_CELL_OPERATIONS 2e7

struct plan_request study_request(const struct study *study);
struct plan_request baseline_request(const struct study *study, enum baseline which);

/* Installs a finished plan, whose margins may be NULL; takes both over. */
void study_take_plan(struct study *study, struct plan *plan, struct margins *margins);
void study_take_baseline(struct study *study, enum baseline which, const struct plan *plan);
/* evaluate_step.c and evaluate_links.c: the stages STEP, LINKS and ACCOUNTS. */
/* The step of a plan on a machine, of a microbatch of what values describe; NULL with d filled (may be NULL) when there is none. */
struct step *study_step_of(const struct study *study, const struct plan *plan, const double *values, const struct machine *machine, struct diagnostic *d);
/* The step of the present plan on the machine that values describe; NULL with d filled (may be NULL) when there is none. */
struct step *study_make_step(const struct study *study, const double *values, struct diagnostic *d);
void study_run_step(struct study *study);
void study_run_links(struct study *study);
/* What the present plan exchanges over the links of a document, of each row of the model; s of all of it. */
double study_exchanges(const struct study *study, const struct document *document, const struct topology *topology, struct row_exchanges *rows);
/* The present plan and step with their exchanges over the links of a document; overlapped_free ends out. */
void study_overlap(const struct study *study, const struct document *document, const struct topology *topology, struct overlapped *out);
void study_run_accounts(struct study *study);
/* evaluate_run.c: the stage RUN. */
void study_run_training(struct study *study);
/* What is to be minded about it: GPUs that were asked for in vain, memory that is exceeded. */
void study_warn_run(const struct study *study, struct diagnostics *warnings);
/* What is to be minded about the accelerator, its tables and the step. */
void study_warn_step(const struct study *study, struct diagnostics *warnings);
/* Redoes all stages that read this one. */
void study_run_after(struct study *study, unsigned stages);
void study_summarise(struct study *study);
void study_forget_answers(struct study *study);
void study_free_search(struct study *study);

#endif
