/* The tables of the known schedules.  One pattern makes them all: a device runs some forwards ahead, then takes backwards and forwards in turn, and puts
 * its weight gradients off by some microbatches. */
#ifndef WHYPAR_PIPELINE_TABLES_H
#define WHYPAR_PIPELINE_TABLES_H

#include "pipeline/schedules.h"

/* Only the pipeline's schedule and numbers are read: times do not change the table. */
void table_build(const struct pipeline *pipeline, struct slot_table *table);

/* Moves weight gradients of a split schedule forward, each to where its device waits as long as it takes; times: as the table was played.  Nothing then ends
 * later than it did, and no more is held.  False when none could be moved. */
bool table_fill_waits(struct slot_table *table, const struct virtual_stage *stages, const struct slot_times *times);

#endif
