#include "report/report.h"

#include "report/explain.h"
#include "report/forms.h"
#include "report/json.h"
#include "report/operator.h"

#include <string.h>

/* A run that was asked for, and cannot be, is an error; one that nobody asked for a warning. */
static enum status need_run(const struct study *study, struct diagnostic *d)
{
	const struct results *r = study_results(study);
	const double *v = study_document(study)->values;
	bool asked = run_devices(&r->run_plan) > 1 || v[PARAMETER_MICROBATCH] > 0 || v[PARAMETER_CHUNKS] > 1 || study_document(study)->stage_count > 0;

	return asked && r->run_trouble[0] != '\0' && r->step_trouble[0] == '\0' ? diagnostic_fail(d, STATUS_INPUT, "%.600s", r->run_trouble) : STATUS_OK;
}

enum status report_need_links(struct study *study, struct diagnostic *d)
{
	const struct results *r = study_update(study);

	/* a run on a cluster has the cluster's links */
	return r->topology_trouble[0] == '\0' || r->on_cluster ? STATUS_OK : diagnostic_fail(d, STATUS_INPUT, "%s", r->topology_trouble);
}

/* What keeps a study from having a training step, as an error. */
enum status report_need_step(struct study *study, struct diagnostic *d)
{
	const struct results *r;

	study_settle_plan(study);
	r = study_results(study);
	if (r->model == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no model is loaded");
	if (report_need_links(study, d) != STATUS_OK)
		return STATUS_INPUT;
	return r->step != NULL ? STATUS_OK : diagnostic_fail(d, STATUS_INPUT, "%s", r->step_trouble);
}

enum status report_study(struct study *study, enum report_form form, struct text *out, struct diagnostic *d)
{
	enum status status = study_settle(study, NULL);

	if (status == STATUS_OK)
		status = report_need_step(study, d);
	if (status == STATUS_OK)
		status = need_run(study, d);
	if (status != STATUS_OK)
		return status;
	switch (form) {
	case REPORT_JSON:
		report_study_json(study, out);
		break;
	case REPORT_CSV:
		report_study_csv(study, out);
		break;
	case REPORT_TEXT:
		report_study_text(study, out);
		break;
	}
	return STATUS_OK;
}

enum status report_ops(struct study *study, enum report_form form, struct text *out, struct diagnostic *d)
{
	static void (*const forms[])(const struct study *, struct text *) = {
		[REPORT_TEXT] = report_ops_text, [REPORT_JSON] = report_ops_json, [REPORT_CSV] = report_ops_csv
	};

	if (report_need_step(study, d) != STATUS_OK)
		return STATUS_INPUT;
	forms[form](study, out);
	return STATUS_OK;
}

enum status report_operator(struct study *study, const char *name, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct text sentence = { 0 }, loops = { 0 };
	int node;

	if (report_need_step(study, d) != STATUS_OK)
		return STATUS_INPUT;
	node = operator_find(study_results(study), name, d);
	if (node < 0)
		return STATUS_INPUT;
	operator_sentence(study, node, &sentence);
	operator_loops(study_results(study), node, &loops);
	if (form == REPORT_JSON)
		report_operator_json(study, node, text_string(&sentence), text_string(&loops), out);
	else
		text_printf(out, "%s\n%s%s", text_string(&sentence), loops.length > 0 ? "\n" : "", text_string(&loops));
	text_free(&sentence);
	text_free(&loops);
	return STATUS_OK;
}

enum status report_why(struct study *study, int row, int level, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct why why;
	enum status status;

	study_settle_plan(study);
	status = study_why(study, row, level, true, &why, d);
	if (status != STATUS_OK)
		return status;
	if (form == REPORT_JSON)
		report_why_json(study, &why, out);
	else
		report_why_text(&why, out);
	why_free(&why);
	return STATUS_OK;
}

enum status report_flips(struct study *study, int row, int level, const char *knob, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct flips flips;
	enum flip_knob which;
	enum status status;
	enum parameter_id id = parameter_find(knob, d);

	if (id == PARAMETER_COUNT)
		return STATUS_USAGE;
	which = flip_knob_of(id);
	if (which == FLIP_KNOB_COUNT)
		return diagnostic_fail(d, STATUS_INPUT, "flips are found exactly for batch and bandwidth, not for %s; the phase map goes over any two knobs", knob);
	study_settle_plan(study);
	status = study_flips(study, row, level, which, &flips, d);
	if (status != STATUS_OK)
		return status;
	if (form == REPORT_JSON)
		report_flips_json(study, row, level, which, &flips, out);
	else
		report_flips_text(study, row, level, which, &flips, out);
	flips_free(&flips);
	return STATUS_OK;
}

enum status report_phase(struct study *study, int row, int level, enum report_form form, struct text *out, struct diagnostic *d)
{
	enum { COLUMNS = 41, ROWS = 21 };    /* batches half an octave apart */
	const struct phase *phase;

	study_settle_plan(study);
	if (level > study_results(study)->plan->levels)
		return diagnostic_fail(d, STATUS_INPUT, "no level H%d: %.0f accelerators have H1 to H%d", level, study_document(study)->values[PARAMETER_ACCELERATORS],
			study_results(study)->plan->levels);
	phase = study_phase(study, row, level, COLUMNS, ROWS, true, d);
	if (phase == NULL)
		return STATUS_INPUT;
	if (form == REPORT_JSON)
		report_phase_json(study, phase, out);
	else
		report_phase_text(study, phase, out);
	return STATUS_OK;
}

/* A state's index by its word; the row's present one for NULL; NO_STATE with d filled when it is none. */
static int find_state(const struct study *study, int row, int level, const char *word, struct diagnostic *d)
{
	const struct plan *plan = study_results(study)->plan;
	bool junction = plan->junction[row];

	if (word == NULL && level <= plan->levels)
		return plan_state(plan, row, level);
	for (int state = 0; word != NULL && state < STATES_MAX; state++)
		if (strcmp(word, state_name(junction, state)) == 0)
			return state;
	diagnostic_fail(d, STATUS_INPUT, "\"%s\" is no choice of %s; it takes %s", word != NULL ? word : "",
		study_results(study)->model->operators[row].name, junction ? "row, col or full" : "dp, mp or op");
	return NO_STATE;
}

/* The node of a row's work in a pass, by its word; forward for NULL.  -1 with d filled when the row has none. */
static int find_pass(const struct results *r, int row, const char *word, struct diagnostic *d)
{
	int found = -1;

	for (int node = 0; node < r->training->count; node++) {
		if (r->training->nodes[node].row != row || strcmp(pass_name(r->training->nodes[node].pass), word != NULL ? word : "fwd") != 0)
			continue;
		/* the row's product before its activation and the like */
		if (r->step->nodes[node].gemm_count > 0)
			return node;
		found = found < 0 ? node : found;
	}
	if (found < 0)
		diagnostic_fail(d, STATUS_INPUT, "%s has no operator of pass \"%.40s\"; passes are fwd, loss, bwd_data, bwd_weight, update", r->model->operators[row].name,
			word != NULL ? word : "fwd");
	return found;
}

/* What explain_number is to be asked about: the index of a state, a baseline or a training node; false with d filled when there is none. */
static bool find_subject(struct study *study, enum quantity quantity, int row, int level, const char *word, int *index, struct diagnostic *d)
{
	const struct results *r = study_results(study);

	*index = 0;
	if (quantity_of_operator(quantity)) {
		*index = report_need_step(study, d) == STATUS_OK ? find_pass(r, row, word, d) : -1;
		return *index >= 0;
	}
	if (quantity == QUANTITY_BASELINE) {
		while (*index < BASELINE_COUNT && (word == NULL || strcmp(word, r->baselines[*index].name) != 0))
			++*index;
		if (*index == BASELINE_COUNT)
			diagnostic_fail(d, STATUS_INPUT, "which baseline?  One of \"all dp\", \"all mp\", \"one weird trick\", hypar, accpar, \"joint, 2 types\", \"joint, 3 types\"");
		return *index < BASELINE_COUNT;
	}
	if (quantity < QUANTITY_BASELINE && r->problem->var_of_row[row] >= 0)
		*index = find_state(study, row, level, word, d);
	return *index != NO_STATE || word == NULL;
}

static void give_explanation(struct study *study, enum quantity which, int row, int level, int index, enum report_form form, struct text *out)
{
	struct text lines = { 0 };
	json_t *root;

	explain_number_waiting(study, which, row, level, index, true, &lines);
	if (form == REPORT_JSON) {
		root = json_begin();
		json_set_text(root, "quantity", quantity_name(which));
		json_set_text(root, "text", text_string(&lines));
		json_end(root, out);
	} else {
		text_append(out, text_string(&lines), lines.length);
	}
	text_free(&lines);
}

enum status report_explain(struct study *study, const char *quantity, int row, int level, const char *state, enum report_form form,
	struct text *out, struct diagnostic *d)
{
	enum quantity which = quantity_find(quantity, d);
	int index;

	if (which == QUANTITY_COUNT)
		return STATUS_USAGE;
	if (study_settle(study, NULL) != STATUS_OK)
		return STATUS_INTERRUPTED;
	if (!find_subject(study, which, row, level, state, &index, d))
		return STATUS_INPUT;
	give_explanation(study, which, row, level, index, form, out);
	return STATUS_OK;
}

enum status report_explain_operator(struct study *study, const char *quantity, const char *name, enum report_form form, struct text *out, struct diagnostic *d)
{
	enum quantity which = quantity_find(quantity, d);
	int node;

	if (which == QUANTITY_COUNT)
		return STATUS_USAGE;
	if (report_need_step(study, d) != STATUS_OK)
		return STATUS_INPUT;
	node = operator_find(study_results(study), name, d);
	if (node < 0)
		return STATUS_INPUT;
	if (!quantity_of_operator(which))
		return diagnostic_fail(d, STATUS_INPUT, "%s is not of an operator but of a layer: write the layer's name alone", quantity_name(which));
	give_explanation(study, which, study_results(study)->training->nodes[node].row, 1, node, form, out);
	return STATUS_OK;
}

/* Rows that were not understood have no MACs that could be counted; when there are any, each is taken for an average one. */
static double understood_percent(const struct model *m)
{
	int rows = m->count + m->skipped, lost = m->opaque + m->skipped;

	return rows > 0 ? 100.0 * (rows - lost) / rows : 0;
}

void report_check(struct study *study, enum report_form form, struct text *out)
{
	const struct results *r = study_update(study);

	if (form == REPORT_JSON)
		report_check_json(r, understood_percent(r->model), out);
	else
		report_check_text(r, understood_percent(r->model), out);
}
