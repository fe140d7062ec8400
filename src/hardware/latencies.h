/* Measured latencies: seconds of products and of vector work by their shape, to be used instead of modelled ones.
 *
 * A table (whypar-formats(5)) that many may share; immutable once read, counted by its users.  One thread shares and releases. */
#ifndef WHYPAR_HARDWARE_LATENCIES_H
#define WHYPAR_HARDWARE_LATENCIES_H

#include "hardware/core.h"

struct latency {
	bool product;                    /* groups x (m, n, k), else elements of a vector operation */
	int64_t groups, m, n, k;
	enum vector_operation operation;
	bool backward;
	double elements;                 /* of the output */
	int64_t window;                  /* of a pool: height x width; else 1 */
	double seconds;
	unsigned long line;
};

struct latencies {
	char *path;
	uint64_t digest;                 /* of the bytes it was read from */
	struct latency *rows;            /* in the order of their shapes */
	int count;
	struct diagnostics problems;     /* rows that were kept out, and the like */
	int users;
};

/* Rows that are wrong are kept out and told in problems, each with its place.  NULL with d filled when the header is wrong or no row is
 * right. */
struct latencies *latencies_read(const char *path, const char *bytes, size_t length, struct diagnostic *d);
struct latencies *latencies_share(struct latencies *latencies);  /* NULL allowed */
void latencies_release(struct latencies *latencies);             /* NULL allowed */

/* The row of that very shape, or NULL. */
const struct latency *latencies_product(const struct latencies *latencies, const struct gemm *gemm);
const struct latency *latencies_vector(const struct latencies *latencies, enum vector_operation operation, bool backward, double elements,
	int64_t window);

#endif
