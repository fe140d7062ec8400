/* An operator's shape in a few characters, for tables: "64→128 112² k3 s2". */
#ifndef WHYPAR_REPORT_SHAPE_H
#define WHYPAR_REPORT_SHAPE_H

#include "model/model.h"

/* How shapes of a column line up. */
struct shape_form {
	int from, to;            /* least columns of the channels in (right-aligned) and out (left-aligned) */
	int extent;              /* least columns of the height and width, right-aligned */
	bool ascii;
};

/* channels, extent, kernel, stride, groups or heads.  form NULL: as short as can be. */
void shape_print(const struct operator *o, const struct shape_form *form, char *out, size_t size);

#endif
