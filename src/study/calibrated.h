/* Links as fast as what was measured: the bandwidth and latency with which a collective, as a ring on the document's topology, takes as long as
 * nccl-tests printed. */
#ifndef WHYPAR_STUDY_CALIBRATED_H
#define WHYPAR_STUDY_CALIBRATED_H

#include "network/calibrate.h"
#include "study/document.h"

struct calibrated {
	struct calibration *calibration;         /* owned; calibration_free ends it */
	double bandwidth, latency;               /* with four digits */
	bool as_ring;                            /* the topology does not join so many: a ring stands for it */
	const char *idle;                        /* why setting them changes nothing, or NULL */
};

/* ranks: as the user states them, or NULL.  path: for messages. */
enum status calibrated_read(const struct document *document, const char *path, const char *bytes, size_t length, const char *ranks, struct calibrated *out, struct diagnostic *d);

/* "set bandwidth=… latency=…". */
void calibrated_command(const struct calibrated *c, char *out, size_t size);
/* What was told from the measurements, for the user. */
void calibrated_sentence(const struct calibrated *c, char *out, size_t size);

#endif
