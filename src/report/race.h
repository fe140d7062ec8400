/* What a race found, and the steps of its methods, in words and as JSON. */
#ifndef WHYPAR_REPORT_RACE_H
#define WHYPAR_REPORT_RACE_H

#include "base/text.h"
#include "report/report.h"
#include "study/race.h"

/* What those of the methods that have begun found, so many designs of each; one method: its designs, several: a table of how soon each was how good.  No
 * miner may be held; with a running one, what it has found until now. */
void report_race(struct race *race, unsigned methods, int topk, enum report_form form, bool steps, struct text *out);

/* One step of a method in a sentence, without an end of line; and how deep in its tree it is, 0 up.  The miner is held, or at rest. */
void report_step(const struct mining *mining, const struct miner *miner, int event, struct text *out);
int report_step_depth(const struct miner *miner, int event);

#endif
