#include "study/document.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void document_init(struct document *document)
{
	memset(document, 0, sizeof *document);
	for (int i = 0; i < PARAMETER_COUNT; i++)
		document->values[i] = parameter_at((enum parameter_id)i)->standard;
}

static struct pin_rule copy_rule(const struct pin_rule *rule)
{
	struct pin_rule copy = *rule;

	copy.pattern = memory_copy_text(rule->pattern, strlen(rule->pattern));
	return copy;
}

void document_copy(struct document *to, const struct document *from)
{
	*to = *from;
	to->model = from->model != NULL ? memory_copy_text(from->model, strlen(from->model)) : NULL;
	to->pins = memory_alloc(from->pin_count, sizeof *to->pins);
	to->pin_capacity = from->pin_count;
	to->stages = memory_alloc(from->stage_count, sizeof *to->stages);
	to->stage_capacity = from->stage_count;
	if (from->stage_count > 0)
		memcpy(to->stages, from->stages, from->stage_count * sizeof *to->stages);
	to->own = own_accelerator_share(from->own);
	to->latencies = latencies_share(from->latencies);
	for (size_t i = 0; i < from->pin_count; i++)
		to->pins[i] = copy_rule(&from->pins[i]);
}

static bool same_rows(const struct pin_rule *a, const struct pin_rule *b)
{
	return a->row == b->row && a->exact == b->exact && strcmp(a->pattern, b->pattern) == 0;
}

bool document_same_rule(const struct pin_rule *a, const struct pin_rule *b)
{
	return same_rows(a, b) && a->level == b->level && a->state == b->state && a->junction == b->junction;
}

bool document_same_pins(const struct document *a, const struct document *b)
{
	if (a->pin_count != b->pin_count)
		return false;
	for (size_t i = 0; i < a->pin_count; i++)
		if (!document_same_rule(&a->pins[i], &b->pins[i]))
			return false;
	return true;
}

bool document_equal(const struct document *a, const struct document *b)
{
	if ((a->model == NULL) != (b->model == NULL) || (a->model != NULL && strcmp(a->model, b->model) != 0))
		return false;
	return memcmp(a->values, b->values, sizeof a->values) == 0 && a->own == b->own && a->latencies == b->latencies &&
		topology_equal(&a->topology, &b->topology) && document_same_pins(a, b) && document_same_stages(a, b);
}

void document_free(struct document *document)
{
	for (size_t i = 0; i < document->pin_count; i++)
		memory_free(document->pins[i].pattern);
	memory_free(document->pins);
	memory_free(document->stages);
	memory_free(document->model);
	own_accelerator_release(document->own);
	latencies_release(document->latencies);
	memset(document, 0, sizeof *document);
}

/* True when rule `old` has no effect left once `next` follows it. */
static bool overridden(const struct pin_rule *old, const struct pin_rule *next)
{
	return same_rows(old, next) && (next->level == 0 || next->level == old->level) &&
		(old->junction == next->junction || next->state == NO_STATE);
}

void document_add_pin(struct document *document, const struct pin_rule *rule)
{
	struct pin_rule copy = copy_rule(rule);
	size_t kept = 0;

	for (size_t i = 0; i < document->pin_count; i++) {
		if (overridden(&document->pins[i], &copy))
			memory_free(document->pins[i].pattern);
		else
			document->pins[kept++] = document->pins[i];
	}
	document->pin_count = kept;
	document->pins = memory_grow(document->pins, &document->pin_capacity, kept + 1, sizeof *document->pins);
	document->pins[document->pin_count++] = copy;
}

struct stage_rule document_stage(const struct document *document, int stage)
{
	for (size_t i = 0; i < document->stage_count; i++)
		if (document->stages[i].stage == stage)
			return document->stages[i];
	return (struct stage_rule){ .stage = stage, .starts = -1, .accelerator = -1 };
}

static bool same_stage(const struct stage_rule *a, const struct stage_rule *b)
{
	return a->stage == b->stage && a->starts == b->starts && a->accelerator == b->accelerator && a->accelerators == b->accelerators && a->tensor == b->tensor &&
		memcmp(a->cores, b->cores, sizeof a->cores) == 0;
}

bool document_stage_has_cores(const struct stage_rule *rule)
{
	for (int i = 0; i < STAGE_CORES; i++)
		if (rule->cores[i] > 0)
			return true;
	return false;
}

bool document_same_stages(const struct document *a, const struct document *b)
{
	if (a->stage_count != b->stage_count)
		return false;
	for (size_t i = 0; i < a->stage_count; i++)
		if (!same_stage(&a->stages[i], &b->stages[i]))
			return false;
	return true;
}

void document_set_stage(struct document *document, const struct stage_rule *rule)
{
	struct stage_rule nothing = { .stage = rule->stage, .starts = -1, .accelerator = -1 };
	size_t at = 0, behind;

	while (at < document->stage_count && document->stages[at].stage < rule->stage)
		at++;
	behind = at + (at < document->stage_count && document->stages[at].stage == rule->stage);
	document->stages = memory_grow(document->stages, &document->stage_capacity, document->stage_count + 1, sizeof *document->stages);
	if (same_stage(rule, &nothing)) {
		memmove(&document->stages[at], &document->stages[behind], (document->stage_count - behind) * sizeof *document->stages);
		document->stage_count -= behind - at;
		return;
	}
	memmove(&document->stages[at + 1], &document->stages[behind], (document->stage_count - behind) * sizeof *document->stages);
	document->stages[at] = *rule;
	document->stage_count += 1 - (behind - at);
}

void document_free_borders(struct document *document)
{
	for (size_t i = document->stage_count; i-- > 0;) {
		struct stage_rule rule = document->stages[i];

		rule.starts = -1;
		document_set_stage(document, &rule);
	}
}

struct topology document_topology(const struct document *document)
{
	int kind = (int)document->values[PARAMETER_TOPOLOGY];

	return kind == TOPOLOGY_KIND_COUNT ? document->topology : topology_bare((enum topology_kind)kind);
}

void document_print(const struct document *document, enum parameter_id id, char *out, size_t size)
{
	if (id == PARAMETER_TOPOLOGY && document->topology.count > 0 && document->values[id] == TOPOLOGY_KIND_COUNT)
		topology_print(&document->topology, out, size);
	else
		parameter_print(id, document->values[id], out, size);
}

int document_element_bytes(const struct document *document)
{
	return format_at((enum number_format)(int)document->values[PARAMETER_PRECISION])->bytes;
}

static int array_levels(const struct document *document)
{
	return (int)lround(log2(document->values[PARAMETER_ACCELERATORS]));
}

int document_tensor_levels(const struct document *document)
{
	double levels = log2(document->values[PARAMETER_TENSOR]);

	return levels == floor(levels) && array_levels(document) + levels <= LEVELS_MAX ? (int)levels : 0;
}

int document_levels(const struct document *document)
{
	return array_levels(document) + document_tensor_levels(document);
}

double document_devices(const struct document *document)
{
	const double *v = document->values;
	double devices = v[PARAMETER_ACCELERATORS] * v[PARAMETER_TENSOR] * v[PARAMETER_PIPELINE];

	for (size_t i = 0; i < document->stage_count; i++) {
		const struct stage_rule *rule = &document->stages[i];

		if (rule->stage <= v[PARAMETER_PIPELINE])
			devices += (rule->accelerators > 0 ? rule->accelerators : v[PARAMETER_ACCELERATORS]) * (rule->tensor > 0 ? rule->tensor : v[PARAMETER_TENSOR]) -
				v[PARAMETER_ACCELERATORS] * v[PARAMETER_TENSOR];
	}
	return devices * v[PARAMETER_REPLICAS];
}

bool document_of_links(enum parameter_id id)
{
	static const enum parameter_id of_links[] = {
#define X(id) PARAMETER_##id,
		LINK_PARAMETERS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof of_links / sizeof *of_links; i++)
		if (of_links[i] == id)
			return true;
	return false;
}

/* Whether every tier of the topology has a bandwidth, or a latency, of its own. */
static bool all_tiers_say(const struct document *document, bool bandwidth)
{
	struct topology topology = document_topology(document);

	for (int i = 0; i < topology.count; i++)
		if (isnan(bandwidth ? topology.tiers[i].link.bandwidth : topology.tiers[i].link.latency))
			return false;
	return true;
}

static const char *links_idle(const struct document *document, enum parameter_id id)
{
	bool figures = document->values[PARAMETER_COMM_TIME] == COMM_TIME_FIGURES;

	if (id == PARAMETER_ALGORITHM || id == PARAMETER_CHUNKS_COMM)
		return "the levels exchange between pairs; only `collective` reads it";
	if (figures && (id == PARAMETER_LATENCY || id == PARAMETER_ENDPOINT_DELAY || id == PARAMETER_SWITCHING))
		return "comm_time=figures counts bytes alone";
	if ((id == PARAMETER_LATENCY && all_tiers_say(document, false)) || (id == PARAMETER_BANDWIDTH && !figures && all_tiers_say(document, true)))
		return "each tier of the topology has its own";
	return NULL;
}

const char *document_idle(const struct document *document, enum parameter_id id)
{
	if (id == PARAMETER_TYPES && document->values[PARAMETER_SOLVER] != SOLVER_JOINT)
		return "only the joint solver reads it";
	if (document_devices(document) < 2 &&
	    (id == PARAMETER_SOLVER || id == PARAMETER_OBJECTIVE || id == PARAMETER_TYPES || id == PARAMETER_COMM_MODEL || id == PARAMETER_MP_OUTPUT || id == PARAMETER_LINK_BIT || document_of_links(id)))
		return "one accelerator exchanges nothing";
	if (id == PARAMETER_ACCELERATOR2 && document->values[PARAMETER_ACCELERATORS] < 2)
		return "one accelerator has no halves";
	return links_idle(document, id);
}
