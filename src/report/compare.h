/* The present design point beside the remembered one (the command baseline): figures, and the settings that differ. */
#ifndef WHYPAR_REPORT_COMPARE_H
#define WHYPAR_REPORT_COMPARE_H

#include "base/text.h"
#include "report/json.h"
#include "study/study.h"

struct compared {
	const char *name, *text;
	char now[64], before[64];        /* "" where there is none */
	double ratio;                    /* now / before; NAN where one is not known or before is 0 */
	bool less_is_better;
};

/* Figure by figure; without a remembered point before is "" everywhere. */
enum { COMPARED_FIGURES = OUTCOME_COUNT };
void compare_figures(const struct study *study, struct compared out[COMPARED_FIGURES]);

/* The settings that differ, the model first; returns how many of at most COMPARED_SETTINGS.  None without a remembered point. */
enum { COMPARED_SETTINGS = 24 };
int compare_settings(const struct study *study, struct compared out[COMPARED_SETTINGS]);

/* Nothing without a remembered point. */
void compare_text(const struct study *study, struct text *out);
void compare_json(const struct study *study, json_t *root);

#endif
