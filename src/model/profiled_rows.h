/* The rows of a model from a profiled graph: load_pipedream.c and load_piper.c.
 *
 * A module whose sizes are printed and give its parameters (fp32) is that row; any other with parameters is a linear layer as square as they divide,
 * and the rest keep their time alone.  The first variant's times are taken.  What was guessed is warned about. */
#ifndef WHYPAR_MODEL_PROFILED_ROWS_H
#define WHYPAR_MODEL_PROFILED_ROWS_H

#include "model/loader.h"
#include "model/profiled.h"

void profiled_rows(const struct profiled_graph *g, struct builder *b);

#endif
