/* Timing of one operator on the cores of an accelerator: products on systolic arrays, the rest on vector cores, and the
 * memory behind both.  MODELS 3.
 *
 * Pure: reads shapes and a machine, writes its results.  Counts that may pass 2^63 (cycles, MACs, bytes) are doubles, exact
 * below 2^53.  Seconds, bytes, hertz, bytes/s.  Layers: core (products, time) over tiling (memory) and vector (cycle table). */
#ifndef WHYPAR_HARDWARE_CORE_H
#define WHYPAR_HARDWARE_CORE_H

#include "base/status.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/* kind, name, what stays in the array while the rest streams */
#define DATAFLOWS(X) \
	X(WS, "ws", "weight stationary: a tile of the right matrix stays") \
	X(OS, "os", "output stationary: a tile of the result stays") \
	X(IS, "is", "input stationary: a tile of the left matrix stays")

enum dataflow {
#define X(kind, name, text) DATAFLOW_##kind,
	DATAFLOWS(X)
#undef X
	DATAFLOW_COUNT
};

const char *dataflow_name(enum dataflow dataflow);
/* DATAFLOW_COUNT when there is none of that name. */
enum dataflow dataflow_find(const char *name);

/* Limits of what a machine may have. */
enum { CORES_MAX = 1 << 20, ARRAY_MAX = 1 << 16, LANES_MAX = 1 << 20 };
#define GLB_LEAST 6.0        /* a tile of one element each, twice, in bytes of one */
#define GLB_MOST 0x1p50
#define RATE_LEAST 1e3
#define RATE_MOST 1e15
#define CLOCK_LEAST 1e3
#define CLOCK_MOST 1e11

/* What can be dialled: all that time depends on.  Every number is positive. */
struct machine {
	int64_t tc, tc_rows, tc_cols;    /* tensor cores, each rows x cols multipliers */
	enum dataflow dataflow;
	int64_t vc, vc_lanes;            /* vector cores, each with lanes */
	double glb;                      /* bytes of the buffer that all cores share */
	double hbm, hbm_bw;              /* bytes and bytes/s of the memory */
	double clock;                    /* Hz */
	int element_bytes;               /* of every tensor */
	double mac_j;                    /* J of one multiply-add, in a tensor core */
};

/* ---- products ---- */

/* The passes that are products of matrices; the loss and the update are vector work. */
enum gemm_pass { GEMM_FORWARD, GEMM_BACKWARD_DATA, GEMM_WEIGHT_GRADIENT, GEMM_PASS_COUNT };

/* groups products M x K by K x N, one after another on a core. */
struct gemm {
	int64_t groups, m, n, k;
	double left, right, result;      /* elements of one group's three tensors as they lie in memory (raw, not im2col) */
};

/* What one accelerator holds of an operator: the largest part of each, as sharding leaves it (partition/parts.h).
 * in_ch and out_ch are of all its groups together; attention goes by heads. */
struct share {
	int64_t batch;                   /* samples of one microbatch */
	int64_t in_ch, out_ch, groups, heads;
};

/* All of an operator. */
struct share share_whole(const struct operator *o, int64_t batch);

enum { GEMMS_MAX = 2 };              /* of one node: the errors of both factors of attention */

/* The product of a pass of a convolution or a linear layer.  Returns how many were written: 0 for other operators, -1 when a size passes
 * 2^63.  Whether a first layer needs its backward-data is the caller's to know. */
int gemm_of(const struct operator *o, enum gemm_pass pass, const struct share *share, struct gemm out[GEMMS_MAX]);

/* Half of attention, for each head of each sample: queries times keys, or (values) weights times values; backward, the errors of both
 * factors.  Returns 1 or 2, -1 when a size passes 2^63. */
int gemm_of_attention(const struct operator *o, bool values, bool backward, const struct share *share, struct gemm out[GEMMS_MAX]);

/* One product whose tensors lie in memory as the matrices they are. */
struct gemm gemm_plain(int64_t groups, int64_t m, int64_t n, int64_t k);

double gemm_macs(const struct gemm *g);

/* ---- the tensor core.  MODELS 3.2 ---- */

/* How a product is cut to fit the array; strictly one fold after another. */
struct folds {
	int64_t rows, cols;              /* folds along the array's rows and columns */
	double each;                     /* cycles of one, fill and drain included */
};

struct folds gemm_folds(const struct machine *m, const struct gemm *g);

/* Cycles with `cores` cores side by side, all groups: the larger of M and N in equal parts, or the folds dealt out, whichever ends sooner.  SCALE-Sim numbers its cycles from 0 and reports the number of the last
 * one: its figure for a layer is ours minus 1. */
double gemm_cycles(const struct machine *m, const struct gemm *g, int64_t cores);

/* Elements moved between buffer and array, all groups.  reference/systolic.md 4, with M N result writes where it is output
 * stationary (SCALE-Sim adds rows + columns for each fold: a slip). */
struct sram_traffic { double left, right, result; };

struct sram_traffic gemm_sram(const struct machine *m, const struct gemm *g);

/* ---- memory.  MODELS 3.3 ---- */

/* The tiling that moves least: tiles of left, right and result together fit half the buffer, the other half fills meanwhile.
 * Left is read once for each column of tiles, right once for each row, the result written once and read and written again for each
 * further step of K. */
struct tiling {
	int64_t m, n, k;                 /* of a tile */
	int64_t m_count, n_count, k_count;
	double elements;                 /* moved between memory and buffer, by one group */
};

/* Exact minimum; larger buffers never move more.  STATUS_INPUT when not even a tile of 1 x 1 x 1 fits; d (may be NULL) says the least
 * buffer that works. */
enum status gemm_tile(const struct gemm *g, double buffer_bytes, int element_bytes, struct tiling *t, struct diagnostic *d);

/* ---- time ---- */

enum bound { BOUND_COMPUTE, BOUND_MEMORY };

struct timing {
	double macs;                     /* on the tensor core */
	double cycles;
	double utilisation;              /* of the multipliers used, 0 for vector work */
	double bytes;                    /* between memory and buffer */
	double compute_s, memory_s;
	double time_s;                   /* the larger of the two */
	enum bound bound;
	double tile_part;                /* of the first product: how much of its result is one tile, what a fused vector operation waits for */
};

/* Operations (two a multiply-add) for each byte that memory moves; NAN where one of them is 0. */
double timing_intensity(double macs, double bytes);

/* count products of one operator on `cores` tensor cores (1, or the machine's tc).  Fails as gemm_tile. */
enum status tensor_time(const struct machine *m, const struct gemm *gemms, int count, int64_t cores, struct timing *t, struct diagnostic *d);

/* The same products side by side on `cores` cores: `one` is their time on one, whose traffic and tiles stay as they are. */
struct timing tensor_spread(const struct machine *m, const struct gemm *gemms, int count, int64_t cores, const struct timing *one);

/* Vector work of that many cycles that moves that many bytes. */
struct timing vector_time(const struct machine *m, double cycles, double bytes);

/* ---- the vector core.  MODELS 3.4 ---- */

#define WHAM_TABLE "WHAM's estimator, cycles per element"
#define AS_ITS_KIN "whypar-models(7) 3.4: as its nearest kin in WHAM's table"

/* id, name, cycles per element forward, backward, source.  A pool takes window forward cycles. */
#define VECTOR_OPERATIONS(X) \
	X(ADD,         "add",         1,  1,  WHAM_TABLE) \
	X(SUB,         "sub",         1,  1,  WHAM_TABLE) \
	X(MUL,         "mul",         1,  1,  WHAM_TABLE) \
	X(DIV,         "div",         10, 10, WHAM_TABLE) \
	X(RELU,        "relu",        1,  1,  WHAM_TABLE) \
	X(LAYER_NORM,  "layer_norm",  1,  1,  WHAM_TABLE) \
	X(BATCH_NORM,  "batch_norm",  1,  1,  WHAM_TABLE) \
	X(SQRT,        "sqrt",        15, 16, WHAM_TABLE) \
	X(POW,         "pow",         15, 16, WHAM_TABLE) \
	X(ERF,         "erf",         15, 15, WHAM_TABLE) \
	X(GELU,        "gelu",        15, 15, AS_ITS_KIN) \
	X(TANH,        "tanh",        27, 2,  WHAM_TABLE) \
	X(SIN,         "sin",         13, 2,  WHAM_TABLE) \
	X(COS,         "cos",         13, 2,  WHAM_TABLE) \
	X(SIGMOID,     "sigmoid",     12, 2,  WHAM_TABLE) \
	X(SILU,        "silu",        12, 2,  AS_ITS_KIN) \
	X(SWISH,       "swish",       14, 15, WHAM_TABLE) \
	X(SOFTMAX,     "softmax",     10, 2,  WHAM_TABLE) \
	X(LOG_SOFTMAX, "log_softmax", 13, 2,  WHAM_TABLE) \
	X(DROPOUT,     "dropout",     2,  1,  WHAM_TABLE) \
	X(POOL,        "pool",        1,  1,  WHAM_TABLE) \
	X(MEAN,        "mean",        1,  1,  AS_ITS_KIN) \
	X(LOSS,        "loss",        2,  2,  WHAM_TABLE)

enum vector_operation {
#define X(id, name, forward, backward, source) VECTOR_##id,
	VECTOR_OPERATIONS(X)
#undef X
	VECTOR_OPERATION_COUNT
};

struct vector_row {
	const char *name;
	int forward, backward;           /* cycles per element */
	const char *source;
};

const struct vector_row *vector_operation_at(enum vector_operation operation);
/* VECTOR_OPERATION_COUNT when there is none of that name. */
enum vector_operation vector_operation_find(const char *name);

/* id, name, cycles per weight, source */
#define OPTIMIZERS(X) \
	X(SGD,      "sgd",      2,  "WHAM's estimator: multiply by the rate, subtract") \
	X(MOMENTUM, "momentum", 4,  "whypar-models(7) 3.4: sgd, and two more for the velocity") \
	X(ADAM,     "adam",     11, "whypar-models(7) 3.4: two moments, a root and a quotient")

enum optimizer {
#define X(id, name, cycles, source) OPTIMIZER_##id,
	OPTIMIZERS(X)
#undef X
	OPTIMIZER_COUNT
};

struct optimizer_row {
	const char *name;
	int cycles;                      /* per weight */
	const char *source;
};

const struct optimizer_row *optimizer_at(enum optimizer optimizer);
/* OPTIMIZER_COUNT when there is none of that name. */
enum optimizer optimizer_find(const char *name);

/* Cycles of one lane for one element.  window: height x width of a pool, else ignored. */
double vector_each(enum vector_operation operation, bool backward, int64_t window);

/* ceil(elements / lanes) x cycles of each, on `cores` vector cores side by side. */
double vector_cycles(const struct machine *m, double each, double elements, int64_t cores);

#endif
