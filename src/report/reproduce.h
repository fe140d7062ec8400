/* A paper's numbers held against ours: theirs, ours, and the difference.
 *
 * Theirs lie in data/papers, one file a paper; how ours are computed is one file here a paper.  Nothing is tuned to match: what does
 * not reproduce is listed as such, with what is known of why. */
#ifndef WHYPAR_REPORT_REPRODUCE_H
#define WHYPAR_REPORT_REPRODUCE_H

#include "base/memory.h"
#include "report/report.h"

/* Texts are of the arena. */
struct reproduced {
	const char *source, *item, *quantity;    /* "Fig. 8", "VGG-A", "hypar GB" */
	const char *theirs_text, *ours_text;     /* as the paper writes it; NULL: ours is a number */
	double theirs, ours;             /* NAN where it is no number */
	double error;                    /* ours / theirs - 1; NAN where there is none */
	double within;                   /* how near counts as reproduced, relative; NAN where only the same does */
	bool reproduced;
	bool aside;              /* shown, but in no mean: what it depends on is not known well */
	bool kept_out;           /* of what constants were calibrated on */
	const char *note;                /* of what is not reproduced, "" for none */
};

struct reproduction {
	struct arena arena;
	struct reproduced *rows;
	size_t count, capacity;
};

/* HyPar's figures, data/papers/hypar.csv.  Ends with reproduction_free. */
enum status reproduce_hypar(struct reproduction *r, struct diagnostic *d);
/* WHAM's headline, data/papers/wham.csv: searches of eleven models, some tens of seconds. */
enum status reproduce_wham(struct reproduction *r, struct diagnostic *d);
/* Measured runs on clusters, data/papers/megatron.csv. */
enum status reproduce_megatron(struct reproduction *r, struct diagnostic *d);
void reproduction_free(struct reproduction *r);

/* within: how near a number must come, relative.  Fills error and reproduced of a row whose theirs and ours are known. */
void reproduced_judge(struct reproduced *row, double within);

#endif
