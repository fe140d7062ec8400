/* Time and energy of a training step by the rules that HyPar's published figures follow.  whypar-models(7) 2.7, MODELS 2.7.
 *
 * Coarser than the rest of the program on purpose: they exist so that the paper's numbers can be held against ours.  Pure. */
#ifndef WHYPAR_PARTITION_FIGURES_H
#define WHYPAR_PARTITION_FIGURES_H

#include "model/model.h"

/* What the rules read of a model and a batch; tensors whole, each counted once. */
struct figures_work {
	double macs;             /* of the three passes: 3 B A(W) for each position of the input */
	double weights;          /* elements */
	double inputs, outputs;  /* elements of all layers' feature maps, outputs after pooling */
};

struct figures_work figures_work(const struct model *model, double batch);

/* Seconds: the work on that many accelerators, then all elements exchanged over one link's bandwidth; the torus takes twice as long for
 * them. */
double figures_seconds(const struct figures_work *work, double accelerators, double elements, bool torus);

/* Joules, in 32 bits: of multiply-adds, of accesses to DRAM, and of what is exchanged. */
struct figures_energy {
	double compute, dram, link;
};

struct figures_energy figures_energy(const struct figures_work *work, double elements);

static inline double figures_joules(const struct figures_work *work, double elements)
{
	struct figures_energy e = figures_energy(work, elements);

	return e.compute + e.dram + e.link;
}

#endif
