/* The one table of parameters.  A row drives parsing, range check, completion, dials, help, man page and JSON.
 *
 * Values are doubles; a choice's value is the index of its word.  Names are those of the command
 * line's contract.  Thread-free: the table is constant. */
#ifndef WHYPAR_STUDY_PARAMETERS_H
#define WHYPAR_STUDY_PARAMETERS_H

#include "base/status.h"
#include "base/units.h"
#include "hardware/constants.h"
#include "hardware/core.h"
#include "mine/miner.h"
#include "network/collective.h"
#include "partition/plan.h"   /* enum solver: the values of `solver` */
#include "pipeline/run.h"
#include "schedule/overlap.h"

#include <stdbool.h>
#include <stddef.h>

/* STEP_POWER: a power of two, which also checks what is typed. */
enum parameter_step { STEP_DOUBLE, STEP_POWER, STEP_ONE, STEP_CHOICE };

/* What a parameter belongs to: the study (undone, saved, evaluated) or the screen alone. */
/* SCOPE_PRESET: of the study, and set by each accelerator that is chosen. */
enum parameter_scope { SCOPE_STUDY, SCOPE_PRESET, SCOPE_SCREEN };

/* Which dials a view shows: those of the plan, of the accelerator, of the links, of the phase map, of a run on a cluster; some are of several. */
enum dial { DIAL_NONE = 0, DIAL_PLAN = 1, DIAL_MACHINE = 2, DIAL_LINKS = 4, DIAL_MAP = 8, DIAL_RUN = 16, DIAL_SEARCH = 32, DIAL_ARRAY = DIAL_PLAN | DIAL_LINKS, DIAL_ALL = 55 };

#define CHOICE_NAME(id, name, ...) name,

#define CHOICES(...) ((const char *const[]){ __VA_ARGS__ NULL })

/* The knobs that a choice depends on, axes of the phase map: id, name. */
#define PHASE_KNOBS(X) \
	X(BATCH, "batch") X(ACCELERATORS, "accelerators") X(SOLVER, "solver") X(TYPES, "types") X(COMM_MODEL, "comm_model") X(MP_OUTPUT, "mp_output") \
	X(OBJECTIVE, "objective") X(PRECISION, "precision") X(TOPOLOGY, "topology") X(BANDWIDTH, "bandwidth") X(LATENCY, "latency") \
	X(ENDPOINT_DELAY, "endpoint_delay") X(SWITCHING, "switching") X(COMM_TIME, "comm_time")
enum { PHASE_KNOB_COUNT = 0
#define X(id, name) + 1
	PHASE_KNOBS(X)
#undef X
};
#define PHASE_KNOB_NAME(id, name) name,

/* What the exchanges of a plan read of the links. */
#define LINK_PARAMETERS(X) X(TOPOLOGY) X(BANDWIDTH) X(LATENCY) X(ENDPOINT_DELAY) X(SWITCHING) X(OVERLAP) X(COMM_TIME)

/* Values of the choices that are no enum of another room. */
enum { MP_OUTPUT_CONV, MP_OUTPUT_POOLED };
enum { SWITCHING_CUT_THROUGH, SWITCHING_STORE_FORWARD };
enum { COMM_TIME_LINKS, COMM_TIME_FIGURES };
enum { ENERGY_MODELLED, ENERGY_FIGURES };
enum { FUSION_ON, FUSION_OFF };
enum { ACCELERATOR2_SAME };
enum { SEQ_PARALLEL_OFF, SEQ_PARALLEL_ON };
enum { ATTENTION_FUSED, ATTENTION_PLAIN };
enum { CLUSTER_AUTO };
enum { SPACE_GRID, SPACE_FREE };

#define OF_THE_PRESET "the preset of accelerator; sources: whypar accelerators"

/* id, name, unit, min, max, default, step, scope, on which dials, choices, text, source */
#define PARAMETERS(X) \
	X(BATCH,        "batch",        UNIT_COUNT,  1, BATCH_MAX, 256, STEP_DOUBLE, SCOPE_STUDY, DIAL_ALL, NULL, \
	  "samples in one training step", "HyPar section 6 uses 256") \
	X(SEQ,          "seq",          UNIT_COUNT,  0, SEQUENCE_MAX, 0, STEP_DOUBLE, SCOPE_STUDY, DIAL_NONE, CHOICES("model",), \
	  "positions of a sample, for models of sequences; model is what the model is published with (of longer ones than 8192, that)", "") \
	X(ACCELERATORS, "accelerators", UNIT_COUNT,  1, ACCELERATORS_MAX, 16, STEP_POWER, SCOPE_STUDY, DIAL_ARRAY, NULL, \
	  "accelerators in the array, a power of two: 2^H of them make H levels", "HyPar section 6 uses 16") \
	X(SOLVER,       "solver",       UNIT_CHOICE, 0, 5,       3,   STEP_CHOICE, SCOPE_STUDY, DIAL_ARRAY, CHOICES("dp", "mp", "owt", "hypar", "accpar", "joint",), \
	  "how the plan is chosen: all dp, all mp, one weird trick (conv dp, linear mp), level by level with two types (hypar) or three (accpar), or all levels at once (joint)", "HyPar algorithms 1 and 2; AccPar; whypar-models(7) 2.3") \
	X(TYPES,        "types",        UNIT_COUNT,  2, 3,       2,   STEP_ONE,    SCOPE_STUDY, DIAL_PLAN, NULL, \
	  "types the joint solver may use: 2 (dp, mp) or 3 (also op)", "HyPar has two, AccPar three") \
	X(COMM_MODEL,   "comm_model",   UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_STUDY, DIAL_PLAN, CHOICES("printed", "figures",), \
	  "cost of re-laying a tensor between layers: as HyPar's Table 2 prints it, or as its figures obey (changes to full are free)", "whypar-models(7) 2.1") \
	X(MP_OUTPUT,    "mp_output",    UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_STUDY, DIAL_PLAN, CHOICES("conv", "pooled",), \
	  "partial sums that mp exchanges: the convolution's own output, or the pooled one of HyPar's figures", "whypar-models(7) 2.1") \
	X(OBJECTIVE,    "objective",    UNIT_CHOICE, 0, OBJECTIVE_COUNT - 1, 0, STEP_CHOICE, SCOPE_STUDY, DIAL_ARRAY, CHOICES("elements", "bytes", "time",), \
	  "what a solver makes least: elements exchanged, their bytes, or the time they take on the links", "whypar-models(7) 2.3") \
	X(PRECISION,    "precision",    UNIT_CHOICE, 0, 5,       0,   STEP_CHOICE, SCOPE_STUDY, DIAL_ARRAY | DIAL_SEARCH, CHOICES(NUMBER_FORMATS(CHOICE_NAME)), \
	  "number format of every tensor: 4, 4, 2, 2, 1 or 1 bytes an element, on links and in memory", "HyPar: fp32") \
	X(TOPOLOGY,     "topology",     UNIT_CHOICE, 0, TOPOLOGY_KIND_COUNT, 0, STEP_CHOICE, SCOPE_STUDY, DIAL_LINKS, \
	  CHOICES(TOPOLOGY_KINDS(CHOICE_NAME) "own",), \
	  "how the accelerators are linked: a kind, which follows their number, or KIND:SIZES^GAIN@BANDWIDTH,LATENCY,LINKS,OVERSUBSCRIPTION, tiers joined by + innermost first, or a name that `whypar networks` lists (own: one that was set so)", "HyPar section 6: an H-tree") \
	X(ALGORITHM,    "algorithm",    UNIT_CHOICE, 0, ALGORITHM_COUNT - 1, 0, STEP_CHOICE, SCOPE_STUDY, DIAL_NONE, CHOICES(ALGORITHMS(CHOICE_NAME)), \
	  "how collectives go about their work; auto takes the fastest in each dimension of the topology", "whypar-models(7) 6") \
	X(BANDWIDTH,    "bandwidth",    UNIT_RATE,   1e3, 1e15,  0.25e9, STEP_DOUBLE, SCOPE_STUDY, DIAL_LINKS, NULL, \
	  "of one link in one direction, where the topology states none", "HyPar: what its figures imply") \
	X(LATENCY,      "latency",      UNIT_TIME,   0, 10,      0,   STEP_DOUBLE, SCOPE_STUDY, DIAL_LINKS, NULL, \
	  "of one hop, where the topology states none", "HyPar has none") \
	X(ENDPOINT_DELAY, "endpoint_delay", UNIT_TIME, 0, 10,    0,   STEP_DOUBLE, SCOPE_STUDY, DIAL_LINKS, NULL, \
	  "what an accelerator takes to begin a collective, and to go on with each step of it", "ASTRA-sim") \
	X(SWITCHING,    "switching",    UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_STUDY, DIAL_LINKS, CHOICES("cut_through", "store_forward",), \
	  "a message goes on while it arrives, or once it is there whole", "whypar-models(7) 6") \
	X(CHUNKS_COMM,  "chunks_comm",  UNIT_COUNT,  1, 1024,    1,   STEP_DOUBLE, SCOPE_STUDY, DIAL_NONE, NULL, \
	  "parts that a collective is cut into, one behind the other", "ASTRA-sim") \
	X(OVERLAP,      "overlap",      UNIT_CHOICE, 0, OVERLAP_COUNT - 1, 0, STEP_CHOICE, SCOPE_STUDY, DIAL_LINKS, CHOICES("none", "gradient", "full",), \
	  "which exchanges may hide behind computing: none, the gradients' behind the remaining backward work, or all behind whatever does not wait for them", "whypar-models(7) 6.3") \
	X(COMM_TIME,    "comm_time",    UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_STUDY, DIAL_LINKS, CHOICES("links", "figures",), \
	  "how long exchanges take: the pairs of a level at once, each level as long as its busiest link, or all pairs one after another as in HyPar's figures", "whypar-models(7) 6.3") \
	X(ENERGY,       "energy",       UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_STUDY, DIAL_NONE, CHOICES("modelled", "figures",), \
	  "what a step takes of energy: by its work and traffic, or by the rule of HyPar's figures", "whypar-models(7) 5.3, 2.7") \
	X(ACCELERATOR,  "accelerator",  UNIT_CHOICE, 0, 11,      0,   STEP_CHOICE, SCOPE_STUDY, DIAL_MACHINE | DIAL_SEARCH, \
	  CHOICES("hmc", "eyeriss", "nvdla", "tpuv2", "tpuv3", "wham-base", "v100", "a100", "h100", "tpuv4", "tpuv5e", "own",), \
	  "a preset, which sets all of tc to uncore_mm2 below, and a GPU accelerators=1 and its network too; own is the one that the command accelerator read from a file", "HyPar section 6 uses hmc") \
	X(ACCELERATOR2, "accelerator2", UNIT_CHOICE, 0, 11,      0,   STEP_CHOICE, SCOPE_STUDY, DIAL_MACHINE, \
	  CHOICES("same", "hmc", "eyeriss", "nvdla", "tpuv2", "tpuv3", "wham-base", "v100", "a100", "h100", "tpuv4", "tpuv5e",), \
	  "the preset of the second half of the array, where that is of another kind: the halves then share at H1 so that both finish together", "AccPar; whypar-models(7) 2.8") \
	X(TC,           "tc",           UNIT_COUNT,  1, CORES_MAX, 1, STEP_DOUBLE, SCOPE_PRESET, DIAL_MACHINE, NULL, \
	  "tensor cores of one accelerator", OF_THE_PRESET) \
	X(TC_ROWS,      "tc_rows",      UNIT_COUNT,  1, ARRAY_MAX, 12, STEP_DOUBLE, SCOPE_PRESET, DIAL_MACHINE, NULL, \
	  "rows of multipliers in a tensor core", OF_THE_PRESET) \
	X(TC_COLS,      "tc_cols",      UNIT_COUNT,  1, ARRAY_MAX, 14, STEP_DOUBLE, SCOPE_PRESET, DIAL_MACHINE, NULL, \
	  "columns of multipliers in a tensor core", OF_THE_PRESET) \
	X(VC,           "vc",           UNIT_COUNT,  1, CORES_MAX, 1, STEP_DOUBLE, SCOPE_PRESET, DIAL_MACHINE, NULL, \
	  "vector cores of one accelerator", OF_THE_PRESET) \
	X(VC_LANES,     "vc_lanes",     UNIT_COUNT,  1, LANES_MAX, 12, STEP_DOUBLE, SCOPE_PRESET, DIAL_MACHINE, NULL, \
	  "lanes of a vector core", OF_THE_PRESET) \
	X(GLB,          "glb",          UNIT_BYTES,  GLB_LEAST, GLB_MOST, 110592, STEP_DOUBLE, SCOPE_PRESET, DIAL_MACHINE, NULL, \
	  "buffer that all cores share", OF_THE_PRESET) \
	X(HBM,          "hbm",          UNIT_BYTES,  1024, 0x1p50, 8589934592., STEP_DOUBLE, SCOPE_PRESET, DIAL_NONE, NULL, \
	  "what its memory holds", OF_THE_PRESET) \
	X(HBM_BW,       "hbm_bw",       UNIT_RATE,   RATE_LEAST, RATE_MOST, 320e9, STEP_DOUBLE, SCOPE_PRESET, DIAL_MACHINE, NULL, \
	  "bandwidth of the memory", OF_THE_PRESET) \
	X(CLOCK,        "clock",        UNIT_FREQUENCY, CLOCK_LEAST, CLOCK_MOST, 250e6, STEP_DOUBLE, SCOPE_PRESET, DIAL_MACHINE, NULL, \
	  "clock of all cores", OF_THE_PRESET) \
	X(DATAFLOW,     "dataflow",     UNIT_CHOICE, 0, 2,       0,   STEP_CHOICE, SCOPE_PRESET, DIAL_MACHINE, CHOICES(DATAFLOWS(CHOICE_NAME)), \
	  "what stays in a tensor core while the rest streams: weights, outputs or inputs", OF_THE_PRESET) \
	X(MAC_ENERGY,   "mac_energy",   UNIT_ENERGY, 1e-15, 1e-6, 4.6e-12, STEP_DOUBLE, SCOPE_PRESET, DIAL_NONE, NULL, \
	  "energy of one multiply-add of a tensor core, in the number format the accelerator was made for", OF_THE_PRESET) \
	X(UNCORE_MM2,   "uncore_mm2",   UNIT_AREA,   0, 1e5,     0,   STEP_DOUBLE, SCOPE_PRESET, DIAL_NONE, NULL, \
	  "die area beside cores and buffer: memory interfaces, links, host", "the preset's published die less its modelled area; 0 where none is published") \
	X(OPTIMIZER,    "optimizer",    UNIT_CHOICE, 0, 2,       0,   STEP_CHOICE, SCOPE_STUDY, DIAL_MACHINE, CHOICES(OPTIMIZERS(CHOICE_NAME)), \
	  "how weights are updated: sgd, momentum or adam take 2, 4 or 11 vector cycles a weight", "whypar-models(7) 3.4") \
	X(TENSOR,       "tensor",       UNIT_COUNT,  1, 1024,    1,   STEP_DOUBLE, SCOPE_STUDY, DIAL_RUN, NULL, \
	  "devices, or arrays of them, that share each layer of a stage (tensor parallelism); a power of two but on clusters", "Megatron-LM") \
	X(PIPELINE,     "pipeline",     UNIT_COUNT,  1, PIPELINE_STAGES_MAX,   1,   STEP_DOUBLE, SCOPE_STUDY, DIAL_RUN, NULL, \
	  "stages that the layers are dealt to", "GPipe, PipeDream") \
	X(REPLICAS,     "replicas",     UNIT_COUNT,  1, 1048576, 1,   STEP_DOUBLE, SCOPE_STUDY, DIAL_RUN, NULL, \
	  "copies of the pipeline, each with its part of the batch (data parallelism)", "") \
	X(MICROBATCH,   "microbatch",   UNIT_COUNT,  0, BATCH_MAX, 0, STEP_DOUBLE, SCOPE_STUDY, DIAL_RUN, CHOICES("auto",), \
	  "samples that go through a stage at a time; auto: all of a replica without a pipeline, else the largest power of two that leaves four microbatches a stage", "") \
	X(SCHEDULE,     "schedule",     UNIT_CHOICE, 0, PIPELINE_SCHEDULE_COUNT - 1, PIPELINE_1F1B, STEP_CHOICE, SCOPE_STUDY, DIAL_RUN, CHOICES(PIPELINE_SCHEDULES(CHOICE_NAME)), \
	  "in which order a stage takes forward and backward passes: all forward first, one of each in turn, that with chunks interleaved, or with gradients of weights put off (zero bubble)", "whypar-models(7) 7.3") \
	X(CHUNKS,       "chunks",       UNIT_COUNT,  1, PIPELINE_CHUNKS_MAX,    1,   STEP_ONE,    SCOPE_STUDY, DIAL_RUN, NULL, \
	  "parts of a stage that schedule=interleaved interleaves, each from another place of the model", "Megatron-LM (arXiv 2104.04473)") \
	X(RECOMPUTE,    "recompute",    UNIT_CHOICE, 0, RECOMPUTE_COUNT - 1, 0, STEP_CHOICE, SCOPE_STUDY, DIAL_RUN, CHOICES(RECOMPUTES(CHOICE_NAME)), \
	  "what the backward pass computes again instead of keeping it: nothing, the scores of attention, or every block", "arXiv 2205.05198") \
	X(ZERO,         "zero",         UNIT_COUNT,  0, 3,       0,   STEP_ONE,    SCOPE_STUDY, DIAL_RUN, NULL, \
	  "what replicas split instead of holding it all: nothing (0), optimizer states (1), gradients too (2), weights too (3)", "ZeRO, arXiv 1910.02054") \
	X(GRADIENT_BYTES, "gradient_bytes", UNIT_BYTES, 0, 16, 0, STEP_ONE, SCOPE_STUDY, DIAL_NONE, CHOICES("auto",), \
	  "of a weight's gradient, in memory and on the links; auto: 2 in fp16, else 4", "Megatron-LM") \
	X(STATE_BYTES,  "state_bytes",  UNIT_BYTES,  0, 64,      0,   STEP_ONE,    SCOPE_STUDY, DIAL_NONE, CHOICES("auto",), \
	  "that the optimizer keeps of a weight; auto: moments in fp32 (none, 4 or 8), and beside 16 bits 4 of the weight itself", "arXiv 1910.02054") \
	X(SEQ_PARALLEL, "seq_parallel", UNIT_CHOICE, 0, 1, SEQ_PARALLEL_ON, STEP_CHOICE, SCOPE_STUDY, DIAL_RUN, CHOICES("off", "on",), \
	  "what lies between tensor-parallel layers is split along the sequence too", "arXiv 2205.05198") \
	X(ATTENTION,    "attention",    UNIT_CHOICE, 0, 1, ATTENTION_FUSED, STEP_CHOICE, SCOPE_STUDY, DIAL_RUN, CHOICES("fused", "plain",), \
	  "whether scores of attention stay on the chip, or go through the memory", "FlashAttention, arXiv 2205.14135") \
	X(CLUSTER,      "cluster",      UNIT_CHOICE, 0, 8, CLUSTER_AUTO, STEP_CHOICE, SCOPE_STUDY, DIAL_RUN, CHOICES("auto", "selene", "megascale", "zero-bubble", "jean-zay", "dgx-h100", "dgx-2", "tpuv4-pod", "tpuv5e-pod",), \
	  "where a run takes place: links and what is achieved of them; auto takes the first of the accelerator's GPU", "data/clusters.csv; whypar-models(7) 7") \
	X(FUSION,       "fusion",       UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_STUDY, DIAL_MACHINE, CHOICES("on", "off",), \
	  "elementwise work is done along with the operator it follows, where that ends sooner", "WHAM; whypar-models(7) 4") \
	X(AREA_LIMIT,   "area_limit",   UNIT_AREA,   1e-3, 1e6,  278.83, STEP_DOUBLE, SCOPE_STUDY, DIAL_SEARCH, NULL, \
	  "modelled area that a mined accelerator may take", "MODELS 8: what eight 128x128 cores, two vector cores of 128 and 128 MiB take") \
	X(POWER_LIMIT,  "power_limit",  UNIT_POWER,  0, 1e6,     0,   STEP_DOUBLE, SCOPE_STUDY, DIAL_SEARCH, CHOICES("none",), \
	  "TDP that a mined accelerator may have", "") \
	X(METRIC,       "metric",       UNIT_CHOICE, 0, METRIC_COUNT - 1, 0, STEP_CHOICE, SCOPE_STUDY, DIAL_SEARCH, CHOICES(MINE_METRICS(CHOICE_NAME)), \
	  "what a mined accelerator is best in: samples a second, or these for each W of TDP above a floor", "WHAM; whypar-models(7) 8") \
	X(MIN_THROUGHPUT, "min_throughput", UNIT_PART, 0, 1e15,  0,   STEP_DOUBLE, SCOPE_STUDY, DIAL_SEARCH, CHOICES("auto",), \
	  "samples a second that perf_per_tdp needs; auto: those of tpuv2 on the model", "WHAM; whypar-models(7) 8") \
	X(TOPK,         "topk",         UNIT_COUNT,  1, MINE_TOP_MAX, 10, STEP_ONE, SCOPE_STUDY, DIAL_SEARCH, NULL, \
	  "how many of the best designs are told; of a run on stages, how many of each stage are tried for all", "WHAM") \
	X(HYSTERESIS,   "hysteresis",   UNIT_COUNT,  1, 16,      1,   STEP_ONE,    SCOPE_STUDY, DIAL_SEARCH, NULL, \
	  "levels without gain that end a branch of the published WHAM's tree", "WHAM") \
	X(SPACE,        "space",        UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_STUDY, DIAL_SEARCH, CHOICES("grid", "free",), \
	  "whether a vector core has as many lanes as a tensor core has rows (grid), or any number (free)", "whypar-models(7) 8.1") \
	X(SEED,         "seed",         UNIT_COUNT,  0, 1e9,     1,   STEP_ONE,    SCOPE_STUDY, DIAL_SEARCH, NULL, \
	  "of the methods that draw", "") \
	X(TIME_LIMIT,   "time_limit",   UNIT_TIME,   0.01, 86400, 60, STEP_DOUBLE, SCOPE_STUDY, DIAL_SEARCH, NULL, \
	  "how long a search by integer programs may take", "") \
	X(THREADS,      "threads",      UNIT_COUNT,  0, 64,      0,   STEP_ONE,    SCOPE_STUDY, DIAL_NONE, CHOICES("all",), \
	  "threads of what can use several; results are the same with any number", "") \
	X(PHASE_X,      "phase_x",      UNIT_CHOICE, 0, PHASE_KNOB_COUNT - 1, 0, STEP_CHOICE, SCOPE_SCREEN, DIAL_MAP, CHOICES(PHASE_KNOBS(PHASE_KNOB_NAME)), \
	  "the knob along the phase map", "") \
	X(PHASE_Y,      "phase_y",      UNIT_CHOICE, 0, PHASE_KNOB_COUNT, PHASE_KNOB_COUNT, STEP_CHOICE, SCOPE_SCREEN, DIAL_MAP, \
	  CHOICES(PHASE_KNOBS(PHASE_KNOB_NAME) "auto",), \
	  "the knob up the phase map; auto takes bandwidth where time is the objective, else accelerators", "") \
	X(GLYPHS,       "glyphs",       UNIT_CHOICE, 0, 2,       0,   STEP_CHOICE, SCOPE_SCREEN, DIAL_NONE, CHOICES("auto", "block", "ascii",), \
	  "characters the screen is drawn with; auto takes ascii where the locale is not UTF-8", "") \
	X(COLOR,        "color",        UNIT_CHOICE, 0, 2,       0,   STEP_CHOICE, SCOPE_SCREEN, DIAL_NONE, CHOICES("auto", "always", "never",), \
	  "colours; auto obeys NO_COLOR and what the terminal has", "no-color.org") \
	X(THEME,        "theme",        UNIT_CHOICE, 0, 2,       0,   STEP_CHOICE, SCOPE_SCREEN, DIAL_NONE, CHOICES("plain", "light", "dark",), \
	  "accents for any background (plain), a light or a dark one", "") \
	X(MOUSE,        "mouse",        UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_SCREEN, DIAL_NONE, CHOICES("off", "on",), \
	  "mouse clicks and wheel; off leaves the terminal's own selection alone", "") \
	X(CURSOR,       "cursor",       UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_SCREEN, DIAL_NONE, CHOICES("hide", "show",), \
	  "show the terminal's cursor on the focused item, for braille displays and screen readers", "") \
	X(CLIPBOARD,    "clipboard",    UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_SCREEN, DIAL_NONE, CHOICES("off", "osc52",), \
	  "let y copy through the terminal (OSC 52)", "")

enum parameter_id {
#define X(id, ...) PARAMETER_##id,
	PARAMETERS(X)
#undef X
#define X(id, ...) PARAMETER_##id,
	HARDWARE_CONSTANTS(X)    /* every constant of area, power and energy is a parameter too */
#undef X
	PARAMETER_COUNT
};

struct parameter {
	const char *name;
	enum unit unit;
	double minimum, maximum, standard;   /* standard: the default */
	enum parameter_step step;
	enum parameter_scope scope;
	enum dial dials;
	const char *const *choices;          /* NULL-terminated, or NULL; of a number: the word for 0 */
	const char *text, *source;
};

const struct parameter *parameter_at(enum parameter_id id);

/* Set by each accelerator that is chosen. */
bool parameter_of_preset(enum parameter_id id);

/* PARAMETER_COUNT when there is none; then d (may be NULL) holds STATUS_USAGE's message with the nearest name. */
enum parameter_id parameter_find(const char *name, struct diagnostic *d);

/* Parses and range-checks a value, the power-of-two rule of accelerators included. */
enum status parameter_parse(enum parameter_id id, const char *text, double *value, struct diagnostic *d);

/* As parameter_parse reads it back: "256", "hypar", "700GB/s". */
void parameter_print(enum parameter_id id, double value, char *out, size_t size);

/* The next value up (direction > 0) or down; the same value at the end of its range. */
double parameter_step_value(enum parameter_id id, double value, int direction);

#endif
