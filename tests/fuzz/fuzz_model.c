/* libFuzzer target: any bytes either load as a model or are refused with a reason, and what loads writes and reads back.
 *
 * Built with clang -fsanitize=fuzzer,address,undefined from this file, src/base and src/model; seed it with a folder that holds copies
 * of data/models. */
#include "model/load.h"

#include <stdlib.h>

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_operator(const struct model *m, int row)
{
	const struct operator *o = &m->operators[row];

	must(o->name[0] != '\0' && o->input_count >= 1);
	for (int i = 0; i < o->input_count; i++)
		must(o->inputs[i] >= MODEL_INPUT && o->inputs[i] < row);
	must(shape_elements(o->in) >= 1 && shape_elements(o->conv_out) >= 1 && shape_elements(o->out) >= 1);
	must(o->groups >= 1 && o->pool >= 1 && o->kernel.h >= 1 && o->kernel.w >= 1 && o->stride.h >= 1 && o->stride.w >= 1);
	must(o->weights >= 0 && o->params >= (o->tied ? 0 : o->weights) && o->macs >= 0);
	must(o->experts == 0 ? o->active == 0 : o->active >= 1 && o->experts % o->active == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model *m, *again;
	struct diagnostics problems;
	struct diagnostic d;
	struct text out = { 0 };

	if (model_load_bytes("fuzz", (const char *)data, size, &m, &problems, &d) != STATUS_OK) {
		must(m == NULL && d.text[0] != '\0');
		diagnostics_free(&problems);
		return 0;
	}
	for (int row = 0; row < m->count; row++)
		check_operator(m, row);
	model_write_csv(m, &out);
	must(model_load_bytes("again", out.bytes, out.length, &again, &problems, &d) == STATUS_OK);
	must(again->count == m->count && again->macs == m->macs && again->params == m->params);
	model_free(again);
	model_free(m);
	text_free(&out);
	return 0;
}
