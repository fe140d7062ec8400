/* An operator's shape in a few characters, for tables: "64→128 112² k3". */
#ifndef WHYPAR_REPORT_SHAPE_H
#define WHYPAR_REPORT_SHAPE_H

#include "model/model.h"

void shape_print(const struct operator *o, char *out, size_t size);

#endif
