#include "study/stage_rules.h"

#include "pipeline/schedules.h"

#include <string.h>

static enum status read_number(const char *word, struct stage_rule *rule, struct diagnostic *d)
{
	int64_t stage;

	if (units_parse_whole(word, strlen(word), &stage) != STATUS_OK || stage < 1 || stage > PIPELINE_STAGES_MAX * PIPELINE_CHUNKS_MAX)
		return diagnostic_fail(d, STATUS_INPUT, "stage: \"%.60s\" is no stage; they are 1 up to what pipeline says", word);
	rule->stage = (int)stage;
	return STATUS_OK;
}

static enum status read_start(const struct model *model, const char *word, struct stage_rule *rule, struct diagnostic *d)
{
	int row;

	if (model == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no model is loaded; `load MODEL` first");
	row = model_find(model, word, NULL, d);
	if (row < 0)
		return STATUS_INPUT;
	if (rule->stage == 1 && row > 0)
		return diagnostic_fail(d, STATUS_INPUT, "stage 1 begins with the model; the stages behind it begin where they are told");
	rule->starts = rule->stage == 1 ? -1 : row;      /* it does so anyway */
	return STATUS_OK;
}

static bool is_of_cores(enum parameter_id id)
{
	return id >= PARAMETER_TC && id <= PARAMETER_GLB;
}

/* NAME=VALUE of a parameter that a stage may have of its own. */
static enum status read_value(const struct document *document, char *word, struct stage_rule *rule, struct diagnostic *d)
{
	char *equals = strchr(word, '=');
	enum parameter_id id;
	double value;

	if (equals == NULL)
		return diagnostic_fail(d, STATUS_USAGE, "stage: \"%.60s\" is none of starts LAYER, accelerator=NAME, accelerators=N, tensor=N, tc=N and the like, free", word);
	*equals = '\0';
	id = parameter_find(word, d);
	if (id == PARAMETER_COUNT)
		return STATUS_USAGE;
	if (id != PARAMETER_ACCELERATOR && id != PARAMETER_ACCELERATORS && id != PARAMETER_TENSOR && !is_of_cores(id))
		return diagnostic_fail(d, STATUS_USAGE, "stage: %s is one for all stages; a stage may have accelerator, accelerators, tensor, tc, tc_rows, tc_cols, vc, vc_lanes and glb of its own", word);
	if (parameter_parse(id, equals + 1, &value, d) != STATUS_OK)
		return STATUS_INPUT;
	if (id == PARAMETER_ACCELERATOR && value == parameter_at(id)->maximum && document->own == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "accelerator=own: none was read from a file; the command `accelerator FILE.csv [NAME]` reads one");
	if (is_of_cores(id)) {
		rule->cores[id - PARAMETER_TC] = value;
		return STATUS_OK;
	}
	*(id == PARAMETER_ACCELERATOR ? &rule->accelerator : id == PARAMETER_ACCELERATORS ? &rule->accelerators : &rule->tensor) = (int)value;
	return STATUS_OK;
}

enum status stage_rule_read(const struct document *document, const struct model *model, const struct words *w, struct stage_rule *rule, struct diagnostic *d)
{
	struct stage_rule read = { 0 };

	if (read_number(w->word[1], &read, d) != STATUS_OK)
		return STATUS_INPUT;
	*rule = document_stage(document, read.stage);
	for (int i = 2; i < w->count; i++) {
		enum status status = STATUS_OK;

		if (strcmp(w->word[i], "free") == 0)
			*rule = (struct stage_rule){ .stage = rule->stage, .starts = -1, .accelerator = -1 };
		else if (strcmp(w->word[i], "starts") == 0 && i + 1 < w->count)
			status = read_start(model, w->word[++i], rule, d);
		else if (strcmp(w->word[i], "starts") == 0)
			status = diagnostic_fail(d, STATUS_USAGE, "stage: starts with what layer? a name or #N");
		else
			status = read_value(document, w->word[i], rule, d);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

void stage_rule_write(const struct stage_rule *rule, struct text *out)
{
	char value[64];

	text_printf(out, "stage %d", rule->stage);
	if (rule->starts >= 0)
		text_printf(out, " starts #%d", rule->starts + 1);
	if (rule->accelerator >= 0) {
		parameter_print(PARAMETER_ACCELERATOR, rule->accelerator, value, sizeof value);
		text_printf(out, " accelerator=%s", value);
	}
	if (rule->accelerators > 0)
		text_printf(out, " accelerators=%d", rule->accelerators);
	if (rule->tensor > 0)
		text_printf(out, " tensor=%d", rule->tensor);
	for (int i = 0; i < STAGE_CORES; i++)
		if (rule->cores[i] > 0) {
			parameter_print((enum parameter_id)(PARAMETER_TC + i), rule->cores[i], value, sizeof value);
			text_printf(out, " %s=%s", parameter_at((enum parameter_id)(PARAMETER_TC + i))->name, value);
		}
	text_add(out, "\n");
}
