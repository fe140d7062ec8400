#include "report/shape.h"

#include "base/text.h"

#include <string.h>

static void pad(struct text *out, int columns)
{
	while (columns-- > 0)
		text_add(out, " ");
}

/* "112²" for a square, "13×7" otherwise, "" for a linear layer's single position. */
static void extent_print(const struct operator *o, bool ascii, char *out, size_t size)
{
	if (o->kind != OPERATOR_CONV && o->in.h == 1 && o->in.w == 1)
		out[0] = '\0';
	else if (o->in.h == o->in.w)
		snprintf(out, size, "%lld%s", (long long)o->in.h, ascii ? "^2" : "\xC2\xB2");
	else
		snprintf(out, size, "%lld%s%lld", (long long)o->in.h, ascii ? "x" : "\xC3\x97", (long long)o->in.w);
}

static void details_print(const struct operator *o, struct text *out)
{
	if (o->kind == OPERATOR_CONV && o->kernel.h == o->kernel.w)
		text_printf(out, " k%lld", (long long)o->kernel.h);
	else if (o->kind == OPERATOR_CONV)
		text_printf(out, " k%lldx%lld", (long long)o->kernel.h, (long long)o->kernel.w);
	if (o->kind == OPERATOR_CONV && (o->stride.h > 1 || o->stride.w > 1))
		text_printf(out, o->stride.h == o->stride.w ? " s%lld" : " s%lldx%lld", (long long)o->stride.h, (long long)o->stride.w);
	if (o->groups > 1)
		text_printf(out, " g%lld", (long long)o->groups);
	if (o->heads > 0)
		text_printf(out, " %lld heads", (long long)o->heads);
}

void shape_print(const struct operator *o, const struct shape_form *form, char *out, size_t size)
{
	static const struct shape_form shortest;
	struct text line = { 0 };
	char number[24], extent[64];

	form = form != NULL ? form : &shortest;
	snprintf(number, sizeof number, "%lld", (long long)o->in.ch);
	pad(&line, form->from - (int)strlen(number));
	text_printf(&line, "%s%s", number, form->ascii ? ">" : "\xE2\x86\x92");
	snprintf(number, sizeof number, "%lld", (long long)o->out.ch);
	text_add(&line, number);
	pad(&line, form->to - (int)strlen(number));
	extent_print(o, form->ascii, extent, sizeof extent);
	if (extent[0] != '\0' || form->extent > 0)
		text_add(&line, " ");
	pad(&line, form->extent - text_width(extent));
	text_add(&line, extent);
	details_print(o, &line);
	while (line.length > 0 && line.bytes[line.length - 1] == ' ')
		line.length--;
	text_sanitize(out, size, line.bytes, line.length);
	text_free(&line);
}
