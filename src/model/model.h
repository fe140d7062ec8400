/* A neural network as a graph of operators, in the order of its file.
 *
 * A model is made by one of the loaders (load.h) and immutable from then on, so any
 * thread may read it.  It owns all its memory through its arena; model_free ends it.
 * Shapes are per sample: channels x height x width, whole numbers >= 1.  A sequence is the
 * height of a linear layer.  Inputs always name earlier rows: the graph is a DAG by construction. */
#ifndef WHYPAR_MODEL_MODEL_H
#define WHYPAR_MODEL_MODEL_H

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* kind, name in files, is weighted, is a junction even with one input, text */
#define OPERATOR_KINDS(X) \
	X(CONV,      "conv",      true,  false, "convolution, grouped and depthwise too") \
	X(LINEAR,    "linear",    true,  false, "fully connected, at in_h x in_w positions") \
	X(EMBEDDING, "embedding", true,  false, "table look-up: in_ch words of out_ch numbers") \
	X(ADD,       "add",       false, true,  "element by element sum, such as a skip edge") \
	X(MUL,       "mul",       false, true,  "element by element product, such as a gate") \
	X(CONCAT,    "concat",    false, true,  "channels side by side") \
	X(ATTENTION, "attention", false, true,  "softmax(QK')V by heads") \
	X(POOL,      "pool",      false, false, "maximum or mean over a window") \
	X(NORM,      "norm",      false, false, "batch or layer normalisation") \
	X(ACT,       "act",       false, false, "activation") \
	X(SOFTMAX,   "softmax",   false, false, "softmax") \
	X(DROPOUT,   "dropout",   false, false, "dropout") \
	X(LOSS,      "loss",      false, false, "loss") \
	X(OPAQUE,    "opaque",    false, false, "a row that was not understood")

enum operator_kind {
#define X(kind, name, weighted, junction, text) OPERATOR_##kind,
	OPERATOR_KINDS(X)
#undef X
	OPERATOR_KIND_COUNT
};

struct extent {              /* height and width */
	int64_t h, w;
};

struct shape {               /* one sample of a tensor */
	int64_t ch, h, w;
};

enum { MODEL_INPUT = -1 };   /* as an input index: the model's own input */

struct operator {
	const char *name;        /* sanitised; may repeat */
	enum operator_kind kind;
	unsigned long line;      /* of the file; 0 when generated */
	struct shape in;         /* what it reads; for concat the sum of the inputs' channels */
	struct extent kernel, stride, pad;
	int64_t groups;
	struct shape conv_out;   /* its own output, before `pool` (equal to out where pool is 1) */
	int64_t pool;            /* down-sampling fused behind it, per side */
	struct shape out;        /* what its consumers read */
	int64_t heads;           /* attention only, else 0 */
	int64_t keys;            /* attention only: positions of its keys and values; those of its queries are out's */
	int64_t experts, active; /* linear only: so many layers, of which each position takes some, or 0 and 0.  The wider side has those taken side by side */
	bool scale_only;         /* norm only: no shift, as RMS norms have it */
	bool bias;               /* one parameter more for each output channel; weighted layers only */
	bool tied;               /* its weights are another row's: no parameters of its own; weighted layers only */
	const int *inputs;       /* operator indices, all smaller than its own, or MODEL_INPUT */
	int input_count;         /* >= 1 */
	double fwd_s, bwd_s;     /* measured seconds of one microbatch, forward and backward; 0: not measured */

	/* Derived by operator_measure. */
	int64_t weights;         /* A(W): multiplicands, never biases */
	int64_t params;          /* what the model declares, biases and norm scales included */
	int64_t macs;            /* multiply-adds of one forward sample */
};

struct model {
	struct arena arena;
	const char *name;        /* shown in the title: file name without folder and ending, or the built-in name */
	const char *path;        /* as opened */
	const char *format;      /* "whypar", "scalesim-conv", "scalesim-gemm", "confuciux", "accpar", "astrasim", "pipedream", "piper", "huggingface" */
	struct operator *operators;
	int count;
	int64_t sequence;        /* positions of its sequences; 0: it is not of sequences */
	int layers;              /* weighted operators */
	int opaque;              /* rows kept as OPERATOR_OPAQUE */
	int skipped;             /* rows kept out altogether */
	int64_t macs, params;    /* totals of the rows understood */
	struct diagnostics problems; /* what was not understood, with places */
};

const char *operator_kind_name(enum operator_kind kind);
const char *operator_kind_text(enum operator_kind kind);
bool operator_kind_weighted(enum operator_kind kind);

/* A junction holds a layout of its own: the named kinds, and any unweighted operator with several inputs. */
bool operator_is_junction(const struct operator *o);

/* Elements of one sample; exact, since operator_measure refused shapes whose products overflow. */
int64_t shape_elements(struct shape s);

/* Computes weights, params and macs of operator o with checked products.  On overflow or an
 * impossible shape returns STATUS_INPUT with the reason in d (no place set). */
enum status operator_measure(struct operator *o, struct diagnostic *d);

/* Sums layers, opaque, macs and params.  Fails when a total overflows or the
 * model has no weighted operator. */
enum status model_finish(struct model *m, struct diagnostic *d);

/* A copy for sequences of another length, to be ended by model_free; NULL with d filled when it has none, or sizes overflow. */
struct model *model_at_sequence(const struct model *m, int64_t sequence, struct diagnostic *d);

/* What pipeline stages are made of: the layer each row belongs to, from 0.  One with weights begins a layer, what has none goes with the last of what it
 * reads; all inputs then come from the same or earlier layers.  Returns the layers. */
int model_stage_layers(const struct model *m, int *layer_of);

enum { SEQUENCE_MAX = 1 << 20 };

/* Row by "name" or "#N" (1-based row).  When a name repeats the first is returned and *repeats
 * is set (may be NULL).  -1 when there is none; then d suggests the nearest. */
int model_find(const struct model *m, const char *name, bool *repeats, struct diagnostic *d);

/* NULL is allowed. */
void model_free(struct model *m);

#endif
