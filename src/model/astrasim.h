/* What the reader and the writer of ASTRA-sim workloads agree on. */
#ifndef WHYPAR_MODEL_ASTRASIM_H
#define WHYPAR_MODEL_ASTRASIM_H

/* Begins each line that holds a row of the model, behind the layers, where the simulator has stopped reading. */
#define ASTRASIM_MODEL "#whypar "

#endif
