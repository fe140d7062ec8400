/* Small helpers over jansson for this folder. */
#ifndef WHYPAR_REPORT_JSON_H
#define WHYPAR_REPORT_JSON_H

#include "base/text.h"

#include <jansson.h>

/* Whole numbers print whole, others with 17 digits. */
json_t *json_number(double value);
/* Sets nothing when the value is NAN: absent, never zero. */
void json_set_number(json_t *object, const char *key, double value);
void json_set_text(json_t *object, const char *key, const char *value);
json_t *json_begin(void);                /* { "schema": 1 } */
void json_end(json_t *object, struct text *out);   /* dumps with a newline, and frees */

#endif
