/* A study: the document, its undo journal, and the stages that derive results from it.
 *
 * One thread edits and reads a study.  Work that would not fit a frame is handed out as a job over an immutable
 * snapshot; any thread may run it, and the owner installs the result (or drops it when the document has moved on).
 * Results stay valid until the next study_update or study_install. */
#ifndef WHYPAR_STUDY_STUDY_H
#define WHYPAR_STUDY_STUDY_H

#include "model/load.h"
#include "partition/plan.h"
#include "partition/why.h"
#include "network/exchange.h"
#include "schedule/overlap.h"
#include "schedule/step.h"
#include "schedule/whatif.h"
#include "study/document.h"
#include "study/outcome.h"
#include "study/phase.h"
#include "study/request.h"

#include <stdatomic.h>

struct study;

struct study *study_new(void);
void study_free(struct study *study);

const struct document *study_document(const struct study *study);

/* The program's own accelerators. */
const struct accelerators *study_accelerators(const struct study *study);

/* A parameter's present value, of the study or of the screen. */
double study_value(const struct study *study, enum parameter_id id);

/* Replaces the document and records the old one for undo; label is the command line that did it.  Takes over `next`,
 * also when it fails.  A document equal to the present one is no edit.  Its model must be the present one or one that
 * can be loaded. */
enum status study_edit(struct study *study, struct document *next, const char *label, struct diagnostic *d);

/* Loads a model (anew, also when it is the present one: its file may have changed).  When that fails nothing changes and
 * problems, when not NULL, receives every row's problem, to be freed by the caller. */
enum status study_load(struct study *study, const char *reference, struct diagnostics *problems, struct diagnostic *d);

/* Label of the edit taken back or done again, or NULL when there is none. */
const char *study_undo(struct study *study);
const char *study_redo(struct study *study);

/* Makes the present document the floor: what led to it can no longer be undone. */
void study_start(struct study *study);

/* Screen parameters are not undone, so they are set apart. */
void study_set_screen(struct study *study, enum parameter_id id, double value);

/* The plain baselines, always evaluated beside the present plan, without its pins.
 * id, name, short name, solver, types */
#define BASELINES(X) \
	X(DP,     "all dp",          "dp",      SOLVER_DP,     2) \
	X(MP,     "all mp",          "mp",      SOLVER_MP,     2) \
	X(OWT,    "one weird trick", "owt",     SOLVER_OWT,    2) \
	X(HYPAR,  "hypar",           "hypar",   SOLVER_HYPAR,  2) \
	X(ACCPAR, "accpar",          "accpar",  SOLVER_ACCPAR, 3) \
	X(JOINT2, "joint, 2 types",  "joint/2", SOLVER_JOINT,  2) \
	X(JOINT3, "joint, 3 types",  "joint/3", SOLVER_JOINT,  3)

enum baseline {
#define X(id, ...) BASELINE_##id,
	BASELINES(X)
#undef X
	BASELINE_COUNT
};

enum freshness {
	FRESH,                   /* live: the value of the present document */
	COMPUTING,               /* a job is wanted or out; the value, if any, is of an older document */
	SKIPPED                  /* stopped, or too long to be worth it unasked; the value, if any, is of an older document */
};

struct baseline_result {
	const char *name, *short_name;
	bool same;               /* it is what the present solver does, pins aside */
	enum freshness state;
	double elements;         /* of the whole step; NAN while not known */
	double cost;             /* what plans are chosen by: elements, or seconds; the least there is unless bound < cost */
	double bound;            /* proven lower bound of cost */
	double ratio;            /* cost / the present plan's; NAN when either is unknown or the plan moves nothing */
	const char *note;        /* why it was SKIPPED, else NULL */
};

struct results {
	unsigned long generation;          /* changes whenever anything below does */
	unsigned long model_serial;        /* changes when another model is shown, or the same one loaded again */
	const struct model *model;         /* NULL: none loaded; then the rest is empty */
	const struct problem *problem;
	const struct plan *plan;           /* the last one known */
	enum freshness plan_state;         /* not FRESH: plan is stale or NULL */
	const struct margins *margins;     /* of plan; NULL while computing */
	struct baseline_result baselines[BASELINE_COUNT];
	const struct plan *remembered;     /* the user's own baseline, or NULL */
	double change_remembered;          /* plan / remembered - 1; NAN without one */
	struct outcome outcome;            /* the present point's figures */
	const struct outcome *remembered_outcome;      /* and those of the user's baseline, with what was set; NULL without one */
	const struct document *remembered_document;
	double element_bytes;              /* on the links, both directions: 2 x bytes of the precision */

	/* One accelerator of the array: its training step, with the share of every operator that the plan leaves it. */
	const struct training *training;
	const struct accelerator *accelerator; /* the preset; NULL when there is none */
	struct machine machine;            /* as dialled; of no meaning without accelerator */
	const struct step *step;           /* NULL: no plan yet, or trouble.  Of the first half's, where the second half is of another kind */
	double compute_s;                  /* the length of the step's schedule, or of the longer one of both halves; NAN without step */
	const struct accelerator *second;  /* of the second half; NULL: both are alike */
	double first_share, second_s;      /* the first half's part of what H1 splits; what the second half computes for */
	char step_trouble[640];            /* why there is no step, "" when it only waits for the plan */
	struct area area;                  /* modelled; total is NAN without accelerator */
	double die_mm2;                    /* area and uncore */
	struct power power;
	/* Of one step on the whole array: every accelerator counted with the largest share.  NAN without step; link_j NAN for one. */
	struct energy energy;
	double link_j, energy_j;           /* J; energy_j is the sum of all parts */

	/* What is exchanged, over the links of the document. */
	struct topology topology;          /* with all sizes and links; of no tiers: trouble */
	char topology_trouble[640];        /* why there is none */
	struct exchange level_exchange[LEVELS_MAX];    /* of each level of the plan, routed */
	double level_seconds[LEVELS_MAX];  /* of each level, by comm_time */
	double comm_s;                     /* of a step; NAN without a fresh plan or a topology */
	double comm_exposed_s, comm_hidden_s;  /* what of it makes the step longer, and the rest; NAN without step_s */
	double step_s;                     /* compute and what is exposed; NAN when either is not known */
	const struct overlapped *overlapped;   /* the exchanges beside the cores, by overlap; NULL without step_s */

	/* A run of the model: of a transformer on a cluster of the accelerator's GPUs, by what was measured there; else on stages of arrays as they are
	 * modelled above.  With trouble there is none, and trouble says why. */
	char run_trouble[640];
	bool on_cluster;
	char cluster_trouble[640];         /* why it is not */
	struct transformer transformer;    /* of no blocks: the model is none */
	const struct gpu *gpu;             /* on a cluster */
	const struct cluster *cluster;
	struct run_plan run_plan;
	struct run run;
	bool run_plain;                    /* it is no more than the step above, of one array and one microbatch */
	double run_devices, run_utilisation;       /* in all; of the peak of them, by the model's own operations: 0 to 1 */
	const struct stage_figures *stages;
	int stage_count;
	const struct pipeline_step *pipeline;      /* its schedule played; NULL: one stage, or more slots than a frame has time for */

	const struct diagnostics *warnings;/* pins that match nothing, dimensions that do not divide */
	double seconds;                    /* the last recompute took */
	bool pending;                      /* a job is to be taken (study_take_job) */
	unsigned long work;                /* local costs and messages redone by the last update */
};

/* STATUS_INFEASIBLE when a stage of the run takes more memory than it has (d: both numbers), STATUS_INPUT when there is no run. */
enum status study_fits(const struct results *r, struct diagnostic *d);

/* What the parameters say of a run, microbatch=auto resolved. */
struct run_plan study_run_plan(const double *values);

/* What is loaded, also before the next update; NULL when there is none. */
const struct model *study_model(const struct study *study);
const struct problem *study_problem(const struct study *study);

/* Recomputes what the edits since the last call touched, and only that.  Never blocks for long. */
const struct results *study_update(struct study *study);
const struct results *study_results(const struct study *study);

/* Remembers the present plan as the user's baseline; false when there is none yet.  The other forgets it. */
bool study_remember(struct study *study);
void study_forget(struct study *study);

/* Long work.  take: NULL when there is none (or one is out already).  run: from any thread; returns early when
 * *cancel becomes true.  install: true when the result was still wanted.  The job is freed by install. */
struct study_job;
struct study_job *study_take_job(struct study *study);
void study_run_job(struct study_job *job, const atomic_bool *cancel);
bool study_install(struct study *study, struct study_job *job);

/* Runs what the plan and all that follows from it need, here and now; baselines that do not fit a frame stay out. */
void study_settle_plan(struct study *study);

/* Runs everything pending here and now (no screen).  STATUS_INTERRUPTED when *cancel became true. */
enum status study_settle(struct study *study, const atomic_bool *cancel);

/* The answer for one row and level (1-based); row must have a choice and the plan be FRESH, else STATUS_INPUT.  With wait
 * everything is computed here; without it, what would not fit a frame is left out (NAN, has_flips false) and
 * handed out as the next job; ask again once it is installed.  why is the caller's, to be ended by why_free. */
enum status study_why(struct study *study, int row, int level, bool wait, struct why *why, struct diagnostic *d);

/* Exact segments of a knob (MODELS 2.6), computed here.  STATUS_INPUT for bandwidth where it is not time that is minimised. */
enum status study_flips(struct study *study, int row, int level, enum flip_knob knob, struct flips *flips, struct diagnostic *d);

/* Why turning a parameter one step either way changes nothing now (of the step: less than 0.1 %), in a few words; NULL when it may change
 * something.  What the step or the exchanges read is tried: a step, or the exchanges, for each value it could be turned to. */
const char *study_idle(struct study *study, enum parameter_id id);
/* The same as far as it is known without trying. */
const char *study_idle_known(const struct study *study, enum parameter_id id);

/* The step with one more core of each kind, and what each would save; NULL without a step.  Valid until the next study_update. */
const struct whatif *study_whatif(struct study *study);

/* The phase map of one row over the knobs phase_x and phase_y, at most columns x rows values.  Without wait a map that does not fit a frame is
 * coarse at first and a job is handed out for the rest; ask again once it is installed.  NULL when the row has no choice or the knobs are
 * the same (then d says so; it may be NULL).  Valid until the next study_update, study_install or study_phase. */
const struct phase *study_phase(struct study *study, int row, int level, int columns, int rows, bool wait, struct diagnostic *d);

#endif
