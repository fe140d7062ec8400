/* A line of stages: layers in their order dealt to stages one after the other, each of which may be of another kind.  whypar-models(7) 7.7.
 *
 * With chunks a stage has several places in the line: virtual stage k is on stage k mod stages. */
#ifndef WHYPAR_PIPELINE_LINE_H
#define WHYPAR_PIPELINE_LINE_H

#include "base/status.h"

struct line {
	int layers, stages, chunks;
	const double *const *seconds;    /* of each stage: s of each layer there, forward and backward of a microbatch */
	const int *starts;       /* of each virtual stage: the layer it has to begin with, -1 for any */
};

/* Deals the layers out so that the longest virtual stage is as short as can be, none of them empty; first: of each virtual stage its first layer, and the
 * layers behind the last.  Equal ones are told apart the same way every time.  STATUS_INPUT when there are fewer layers than virtual stages, or starts leave a stage
 * without any; d (NULL allowed) says which.  O(virtual stages x layers x log layers) where all stages have the same seconds, else O(virtual stages x layers x layers). */
enum status line_split(const struct line *line, int *first, struct diagnostic *d);

#endif
