/* The forms of each report, behind report.h. */
#ifndef WHYPAR_REPORT_FORMS_H
#define WHYPAR_REPORT_FORMS_H

#include "report/report.h"

void report_study_json(struct study *study, struct text *out);
void report_study_text(struct study *study, struct text *out);
void report_study_csv(struct study *study, struct text *out);
void report_why_json(const struct study *study, const struct why *why, struct text *out);
void report_why_text(const struct why *why, struct text *out);
/* What plans are chosen by, as elements or as seconds. */
const char *answers_amount(enum objective objective, double value, char out[40]);
/* "dp for batch 1 to 37", "mp for bandwidth 1kB/s to 25GB/s". */
void answers_flip(enum flip_knob knob, bool junction, const struct flip_segment *segment, struct text *out);
void report_flips_json(const struct study *study, int row, int level, enum flip_knob knob, const struct flips *flips, struct text *out);
void report_flips_text(const struct study *study, int row, int level, enum flip_knob knob, const struct flips *flips, struct text *out);
void report_phase_json(const struct study *study, const struct phase *phase, struct text *out);
void report_phase_text(const struct study *study, const struct phase *phase, struct text *out);
void report_ops_json(const struct study *study, struct text *out);
void report_operator_json(const struct study *study, int node, const char *sentence, const char *loops, struct text *out);
void report_ops_csv(const struct study *study, struct text *out);
void report_ops_text(const struct study *study, struct text *out);
void report_check_json(const struct results *results, double understood_percent, struct text *out);
void report_check_text(const struct results *results, double understood_percent, struct text *out);

#endif
