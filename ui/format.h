/* How numbers look: units, ratios and changes.  Formatting only; what is formatted comes from results. */
#ifndef WHYPAR_UI_FORMAT_H
#define WHYPAR_UI_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum { FORMAT_BYTES = 32 };

/* One unit for a whole column: chosen by its largest value, shown in the header, divided out in the cells. */
struct scale {
	double factor;
	const char *unit;        /* "GB" */
};

struct scale format_scale_bytes(double largest);
/* "0.283"; a value too small to show is "<.001", never 0. */
void format_scaled(struct scale scale, double value, char *out, size_t size);

/* "6.42 M", three digits; "-" (or an en dash) for NAN. */
void format_number(double value, bool ascii, char *out, size_t size);

/* now against before: "+107 %", "−90.4 %", "+0.02 %", "×36.3" from ten times on, "" when equal; ASCII minus where wanted. */
void format_change(double now, double before, bool ascii, char *out, size_t size);

/* "×10.5", "×1" for equal and only then, "" for NAN. */
void format_ratio(double ratio, bool ascii, char *out, size_t size);

/* "0.04 ms", "2.1 s". */
void format_seconds(double seconds, char *out, size_t size);

#endif
