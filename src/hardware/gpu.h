/* GPUs as those who train on them see them: published peaks, and what is achieved of them.  whypar-models(7) 7.1; data/gpus.csv.
 *
 * A product takes the waves of its tiles at a part of the peak, and a fixed time for each kernel; all else moves bytes at a part of the memory's
 * bandwidth.  Parts were calibrated on measured runs, which the table names.  Seconds, bytes, op/s (two a multiply-add). */
#ifndef WHYPAR_HARDWARE_GPU_H
#define WHYPAR_HARDWARE_GPU_H

#include "base/memory.h"
#include "base/status.h"
#include "hardware/constants.h"

struct gpu {
	const char *name, *source;
	const char *calibrated;              /* on what runs; "": on none */
	double peak, peak_fp8, peak_fp32;    /* dense, op/s: in 16 bits, in 8, and in 32 (tf32 where there is one); 0: it has none */
	double memory, bandwidth;            /* bytes, bytes/s */
	double units;                        /* that tiles are dealt over: streaming multiprocessors */
	double product_part, product_part_fp8, memory_part;  /* achieved of the peaks and of the bandwidth */
	double kernel_s;                     /* to start, fill and drain */
	double misaligned;                   /* how much longer batched products of heads take whose size is no multiple of 8 */
};

struct gpus {
	struct arena arena;      /* of the texts */
	struct gpu *items;
	size_t count, capacity;
};

/* STATUS_INPUT when data/gpus.csv is missing or wrong, with the place.  Ends with gpus_free. */
enum status gpus_builtin(struct gpus *list, struct diagnostic *d);
void gpus_free(struct gpus *list);
/* NULL when there is none of that name. */
const struct gpu *gpu_find(const struct gpus *list, const char *name);

/* One dense product of m x k by k x n in a number format, forward; and both of its backward pass. */
double gpu_product(const struct gpu *g, enum number_format format, double m, double n, double k);
double gpu_product_back(const struct gpu *g, enum number_format format, double m, double n, double k);
/* `count` products of queries x keys scores over a depth, in one kernel: of heads. */
double gpu_scores(const struct gpu *g, enum number_format format, double count, double queries, double keys, double depth);
/* The same arithmetic where scores never leave the chip. */
double gpu_fused_scores(const struct gpu *g, enum number_format format, double count, double queries, double keys, double depth);
/* Bytes through the memory, in so many kernels. */
double gpu_stream(const struct gpu *g, double kernels, double bytes);

#endif
