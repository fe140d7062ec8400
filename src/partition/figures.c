#include "partition/figures.h"

/* One accelerator: 168 multipliers at 250 MHz.  A link: the figures fix its ratio to that, 168 MACs a byte. */
static const double MACS_PER_S = 168 * 250e6, BYTES_PER_S = 0.25e9;
/* fp32, in both directions. */
static const double BYTES_PER_ELEMENT = 8;
/* J.  0.9 to add and 3.7 to multiply; three accesses of DRAM for each element of a tensor; an element exchanged is the one number
 * that was fitted, 9.3 accesses. */
static const double J_PER_MAC = 4.6e-12, J_PER_ACCESS = 640e-12, J_PER_ELEMENT = 5950e-12;

struct figures_work figures_work(const struct model *m, double batch)
{
	struct figures_work w = { 0 };

	for (int row = 0; row < m->count; row++) {
		const struct operator *o = &m->operators[row];

		if (!operator_kind_weighted(o->kind))
			continue;
		w.macs += 3 * batch * (double)o->weights * (double)o->in.h * (double)o->in.w;
		w.weights += (double)o->weights;
		w.inputs += batch * (double)shape_elements(o->in);
		w.outputs += batch * (double)shape_elements(o->out);
	}
	return w;
}

double figures_seconds(const struct figures_work *w, double accelerators, double elements, bool torus)
{
	return w->macs / (accelerators * MACS_PER_S) + (torus ? 2 : 1) * elements * BYTES_PER_ELEMENT / BYTES_PER_S;
}

struct figures_energy figures_energy(const struct figures_work *w, double elements)
{
	return (struct figures_energy){ J_PER_MAC * w->macs, 3 * J_PER_ACCESS * (w->weights + w->inputs + w->outputs), J_PER_ELEMENT * elements };
}
