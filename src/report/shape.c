#include "report/shape.h"

#include <stdio.h>
#include <string.h>

/* "112²" for a square, "13x7" otherwise, "" for a single position. */
static void extent_print(int64_t h, int64_t w, char *out, size_t size)
{
	if (h == 1 && w == 1)
		out[0] = '\0';
	else if (h == w)
		snprintf(out, size, " %lld\xC2\xB2", (long long)h);
	else if (w == 1)
		snprintf(out, size, " x%lld", (long long)h);
	else
		snprintf(out, size, " %lldx%lld", (long long)h, (long long)w);
}

void shape_print(const struct operator *o, char *out, size_t size)
{
	char place[48], kernel[48] = "", groups[32] = "";

	extent_print(o->in.h, o->in.w, place, sizeof place);
	if (o->kind == OPERATOR_CONV && o->kernel.h == o->kernel.w)
		snprintf(kernel, sizeof kernel, " k%lld", (long long)o->kernel.h);
	else if (o->kind == OPERATOR_CONV)
		snprintf(kernel, sizeof kernel, " k%lldx%lld", (long long)o->kernel.h, (long long)o->kernel.w);
	if (o->groups > 1)
		snprintf(groups, sizeof groups, " g%lld", (long long)o->groups);
	if (o->heads > 0)
		snprintf(groups, sizeof groups, " %lld heads", (long long)o->heads);
	snprintf(out, size, "%lld\xE2\x86\x92%lld%s%s%s", (long long)o->in.ch, (long long)o->out.ch, place, kernel, groups);
}
