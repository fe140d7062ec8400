#include "study/stages.h"

#include "study/request.h"

#include <string.h>

static const struct {
	uint64_t inputs;
	unsigned stages;
} table[STAGE_COUNT] = {
#define X(id, inputs, stages) [STAGE_##id] = { inputs, stages },
	STAGES(X)
#undef X
};

uint64_t stages_changed(const struct document *a, const struct document *b)
{
	struct prices before = request_prices(a), after = request_prices(b);
	uint64_t changed = 0;

	for (int i = 0; i < PARAMETER_COUNT; i++)
		if (a->values[i] != b->values[i] && (i < INPUT_CONSTANTS || i >= PARAMETER_TC_AREA))
			changed |= READS(i < INPUT_CONSTANTS ? i : INPUT_CONSTANTS);
	if ((a->model == NULL) != (b->model == NULL) || (a->model != NULL && strcmp(a->model, b->model) != 0))
		changed |= READS(INPUT_MODEL);
	if (a->own != b->own)
		changed |= READS(INPUT_OWN);
	if (a->latencies != b->latencies)
		changed |= READS(INPUT_LATENCIES);
	if (!topology_equal(&a->topology, &b->topology))
		changed |= READS(INPUT_TOPOLOGY);
	if (!prices_equal(&before, &after))
		changed |= READS(INPUT_PRICES);
	if (!document_same_pins(a, b))
		changed |= READS(INPUT_PINS);
	if (!document_same_stages(a, b))
		changed |= READS(INPUT_STAGES);
	return changed;
}

unsigned stages_touched(uint64_t inputs, unsigned stale)
{
	for (int s = 0; s < STAGE_COUNT; s++)
		if (table[s].inputs & inputs || table[s].stages & stale)
			stale |= 1u << s;
	return stale;
}
