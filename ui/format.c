#include "ui/format.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>

struct scale format_scale_bytes(double largest)
{
	static const struct scale scales[] = {
		{ 1e15, "PB" }, { 1e12, "TB" }, { 1e9, "GB" }, { 1e6, "MB" }, { 1e3, "kB" }, { 1, "B" }
	};
	int i = 0;

	while (i < 5 && !(largest >= scales[i].factor))
		i++;
	return scales[i];
}

void format_scaled(struct scale scale, double value, char *out, size_t size)
{
	double shown = value / scale.factor;

	if (shown > 0 && shown < 0.0005)
		snprintf(out, size, "<.001");
	else if (scale.factor <= 1)
		snprintf(out, size, "%.0f", shown);
	else
		snprintf(out, size, "%.*f", shown >= 1000 ? 0 : shown >= 100 ? 1 : shown >= 10 ? 2 : 3, shown);
}

void format_number(double value, bool ascii, char *out, size_t size)
{
	if (isfinite(value))
		units_print_si(value, 3, out, size);
	else
		snprintf(out, size, "%s", ascii ? "-" : "–");
}

void format_change(double now, double before, bool ascii, char *out, size_t size)
{
	double percent = before != 0 ? 100 * (now / before - 1) : NAN, magnitude = fabs(percent);
	const char *sign = percent > 0 ? "+" : ascii ? "-" : "−";

	out[0] = '\0';
	if (now == before)
		return;
	if (now == 0)
		snprintf(out, size, "%s100 %%", sign);
	else if (!isfinite(percent))
		snprintf(out, size, "new");
	else if (magnitude >= 999.5)
		snprintf(out, size, "%s%.3g", ascii ? "x" : "×", now / before);
	else if (magnitude < 0.01)
		snprintf(out, size, "%s<.01 %%", sign);
	else if (percent < 0 && now > 0 && magnitude >= 99.995)
		snprintf(out, size, "%s>99.9 %%", sign);      /* something is left: not all of it went */
	else
		snprintf(out, size, "%s%.*f %%", sign, magnitude >= 99.95 && percent > 0 ? 0 : magnitude >= 1 && magnitude < 99.9 ? 1 : 2, magnitude);
}

void format_ratio(double ratio, bool ascii, char *out, size_t size)
{
	const char *times = ascii ? "x" : "×";

	out[0] = '\0';
	if (!isfinite(ratio))
		return;
	/* What is not equal does not show as 1. */
	if (ratio == 1)
		snprintf(out, size, "%s1", times);
	else if (fabs(ratio - 1) < 0.005)
		snprintf(out, size, "%s%.*f", times, fabs(ratio - 1) < 0.00005 ? 7 : 4, ratio);
	else
		snprintf(out, size, "%s%.*f", times, ratio >= 99.95 ? 0 : ratio >= 9.995 ? 1 : 2, ratio);
}

void format_seconds(double seconds, char *out, size_t size)
{
	if (seconds < 0.1)
		snprintf(out, size, "%.2f ms", seconds * 1e3);
	else
		snprintf(out, size, "%.2f s", seconds);
}
