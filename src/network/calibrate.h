/* Measured collectives as a calibration of the links: what nccl-tests prints, and the latency and bandwidth that fit it best.
 *
 * time = alpha + beta x bytes, fitted so that the relative errors of all rows are small together; alpha is spread over the steps of a ring,
 * beta gives the bandwidth of a link as nccl-tests counts it (bus bandwidth).  Pure; the caller ends it with calibration_free. */
#ifndef WHYPAR_NETWORK_CALIBRATE_H
#define WHYPAR_NETWORK_CALIBRATE_H

#include "network/collective.h"

struct calibration_row {
	unsigned long line;
	double bytes, seconds;           /* out of place */
	double fitted;                   /* seconds by the fit */
};

struct calibration {
	struct calibration_row *rows;
	size_t count, capacity;
	struct diagnostics problems;     /* lines that look like rows and are none */
	int ranks;
	bool ranks_told;                 /* by the two bandwidths: about so many */
	enum collective op;              /* all-reduce, or what stands for gathers and scatters: all-gather */
	bool one_size;                   /* of rows of one size no latency can be told: alpha is 0 */
	double alpha, beta;              /* s, s/byte */
	double step_latency;             /* alpha for each of a ring's steps */
	double bandwidth;                /* bytes/s over a link, in one direction */
	double mean_error, worst_error;  /* of the fit, relative */
};

/* NULL with d filled when there is no row, when the number of ranks is neither stated nor listed nor to be told from the bandwidths, or when these
 * contradict it or each other.  ranks: 0, or what the
 * user states. */
struct calibration *calibration_read(const char *path, const char *bytes, size_t length, int ranks, struct diagnostic *d);
void calibration_free(struct calibration *calibration);          /* NULL allowed */

#endif
