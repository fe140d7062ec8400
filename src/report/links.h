/* What a level of the array exchanges over the links, in words. */
#ifndef WHYPAR_REPORT_LINKS_H
#define WHYPAR_REPORT_LINKS_H

#include "base/text.h"
#include "study/study.h"

/* How far and over how busy a link, and what that takes; there is a topology and a plan with that level.  Appends to out. */
void links_sentence(const struct study *study, int level, struct text *out);

/* Bytes/s of an exchange that takes so long; NAN where it takes no time. */
struct link_rates {
	double algorithm;        /* what each accelerator sends, over the time */
	double bus;              /* the same: of messages between two nccl-tests counts them as they are */
	double link;             /* what the busiest link carries, over the time */
};
void links_rates(const struct exchange *exchange, double seconds, struct link_rates *rates);

#endif
