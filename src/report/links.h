/* What a level of the array exchanges over the links, in words. */
#ifndef WHYPAR_REPORT_LINKS_H
#define WHYPAR_REPORT_LINKS_H

#include "base/text.h"
#include "study/study.h"

/* How far and over how busy a link, and what that takes; there is a topology and a plan with that level.  Appends to out. */
void links_sentence(const struct study *study, int level, struct text *out);

#endif
