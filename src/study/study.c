/* The document and its journal. */
#include "study/study.h"

#include "base/memory.h"
#include "study/inside.h"

#include <math.h>
#include <string.h>

static struct loaded *loaded_share(struct loaded *loaded)
{
	if (loaded != NULL)
		loaded->users++;
	return loaded;
}

static void loaded_release(struct loaded *loaded)
{
	if (loaded == NULL || --loaded->users > 0)
		return;
	loaded_release(loaded->stated);
	training_free(loaded->training);
	problem_release(loaded->problem);
	model_free(loaded->model);
	memory_free(loaded);
}

static void entry_free(struct entry *entry)
{
	document_free(&entry->document);
	loaded_release(entry->loaded);
	memory_free(entry->label);
}

static void journal_clear(struct journal *j)
{
	for (size_t i = 0; i < j->count; i++)
		entry_free(&j->entries[i]);
	j->count = 0;
}

/* Edits that can be taken back; the oldest go first. */
enum { JOURNAL_MAX = 1000 };

static void journal_push(struct journal *j, const struct document *document, struct loaded *loaded, const char *label)
{
	struct entry *entry;

	if (j->count == JOURNAL_MAX) {
		entry_free(&j->entries[0]);
		memmove(&j->entries[0], &j->entries[1], --j->count * sizeof *j->entries);
	}
	j->entries = memory_grow(j->entries, &j->capacity, j->count + 1, sizeof *j->entries);
	entry = &j->entries[j->count++];
	document_copy(&entry->document, document);
	entry->loaded = loaded_share(loaded);
	entry->label = memory_copy_text(label, strlen(label));
}

struct study *study_new(void)
{
	struct study *study = memory_alloc(1, sizeof *study);

	document_init(&study->document);
	/* without its data the program still plans; what needs an accelerator says so */
	accelerators_builtin(&study->accelerators, NULL, NULL);
	gpus_builtin(&study->gpus, NULL);
	clusters_builtin(&study->clusters, NULL);
	for (int i = 0; i < PARAMETER_COUNT; i++)
		study->screen[i] = parameter_at((enum parameter_id)i)->standard;
	study->stale = stages_touched(UINT64_MAX, 0);
	study->results.warnings = &study->warnings;
	study->results.change_remembered = NAN;
	return study;
}

void study_free_search(struct study *study)
{
	search_free(study->search);
	search_free(study->baseline_search);
	search_free(study->probe);
	study->search = study->baseline_search = study->probe = NULL;
	memory_free(study->pins);
	study->pins = NULL;
	step_free(study->step);
	study->step = NULL;
	overlapped_free(&study->overlapped);
	plan_free(study->plan);
	study->plan = NULL;
	margins_free(study->margins);
	study->margins = NULL;
}

void study_forget_answers(struct study *study)
{
	why_free(&study->asked_why.why);
	phase_free(&study->asked_phase.phase);
	memset(&study->asked_why, 0, sizeof study->asked_why);
	memset(&study->asked_phase, 0, sizeof study->asked_phase);
}

void study_free(struct study *study)
{
	if (study == NULL)
		return;
	study_forget_answers(study);
	study_free_search(study);
	study_forget(study);
	journal_clear(&study->undo);
	journal_clear(&study->redo);
	memory_free(study->undo.entries);
	memory_free(study->redo.entries);
	diagnostics_free(&study->pin_warnings);
	diagnostics_free(&study->warnings);
	accelerators_free(&study->accelerators);
	line_run_free(&study->line);
	gpus_free(&study->gpus);
	clusters_free(&study->clusters);
	whatif_free(&study->whatif);
	loaded_release(study->loaded);
	document_free(&study->document);
	memory_free(study);
}

double study_value(const struct study *study, enum parameter_id id)
{
	return parameter_at(id)->scope == SCOPE_SCREEN ? study->screen[id] : study->document.values[id];
}

const struct document *study_document(const struct study *study)
{
	return &study->document;
}

const struct accelerators *study_accelerators(const struct study *study)
{
	return &study->accelerators;
}

const struct model *study_model(const struct study *study)
{
	return study->loaded != NULL ? study->loaded->model : NULL;
}

const struct problem *study_problem(const struct study *study)
{
	return study->loaded != NULL ? study->loaded->problem : NULL;
}

const struct results *study_results(const struct study *study)
{
	return &study->results;
}

/* ---- edits ---- */

/* Makes `next` and `loaded` (both taken over) the present state. */
static void become(struct study *study, struct document *next, struct loaded *loaded)
{
	uint64_t inputs = stages_changed(&study->document, next);

	if (loaded != study->loaded)
		inputs |= READS(INPUT_MODEL);
	study->stale = stages_touched(inputs, study->stale);
	document_free(&study->document);
	study->document = *next;
	memset(next, 0, sizeof *next);
	loaded_release(study->loaded);
	study->loaded = loaded;
}

static struct loaded *loaded_new(struct model *model)
{
	struct loaded *loaded = memory_alloc(1, sizeof *loaded);

	loaded->model = model;
	loaded->problem = problem_new(model);
	loaded->training = training_new(model);
	loaded->users = 1;
	return loaded;
}

/* The model for sequences of a length, 0: its own.  Takes over loaded, also when it fails. */
static struct loaded *at_sequence(struct loaded *loaded, double sequence, struct diagnostic *d)
{
	struct loaded *stated = loaded->stated != NULL ? loaded_share(loaded->stated) : loaded_share(loaded), *other;
	struct model *model;

	if ((double)loaded->model->sequence == sequence || (sequence == 0 && loaded == stated) || (loaded == stated && loaded->model->sequence == 0)) {
		loaded_release(stated);
		return loaded;
	}
	loaded_release(loaded);
	if (sequence == 0)
		return stated;
	model = model_at_sequence(stated->model, (int64_t)sequence, d);
	if (model == NULL) {
		loaded_release(stated);
		return NULL;
	}
	other = loaded_new(model);
	other->stated = stated;
	return other;
}

static struct loaded *load(const char *reference, double sequence, struct diagnostics *problems, struct diagnostic *d)
{
	struct model *model;

	if (model_load(reference, &model, problems, d) != STATUS_OK)
		return NULL;
	return at_sequence(loaded_new(model), sequence, d);
}

static void edit(struct study *study, struct document *next, struct loaded *loaded, const char *label)
{
	journal_push(&study->undo, &study->document, study->loaded, label);
	journal_clear(&study->redo);
	become(study, next, loaded);
}

enum status study_edit(struct study *study, struct document *next, const char *label, struct diagnostic *d)
{
	bool same_model = next->model == NULL || (study->document.model != NULL && strcmp(next->model, study->document.model) == 0);
	struct loaded *loaded = NULL;

	if (document_equal(&study->document, next)) {
		document_free(next);
		return STATUS_OK;
	}
	if (next->model != NULL)
		loaded = same_model ? at_sequence(loaded_share(study->loaded), next->values[PARAMETER_SEQ], d) : load(next->model, next->values[PARAMETER_SEQ], NULL, d);
	if (next->model != NULL && loaded == NULL) {
		document_free(next);
		return STATUS_INPUT;
	}
	edit(study, next, loaded, label);
	return STATUS_OK;
}

enum status study_load(struct study *study, const char *reference, struct diagnostics *problems, struct diagnostic *d)
{
	struct loaded *loaded = load(reference, study->document.values[PARAMETER_SEQ], problems, d);
	struct text label = { 0 };
	struct document next;

	if (loaded == NULL)
		return STATUS_INPUT;
	document_copy(&next, &study->document);
	/* borders are rows of a model */
	if (next.model != NULL && strcmp(next.model, reference) != 0)
		document_free_borders(&next);
	memory_free(next.model);
	next.model = memory_copy_text(reference, strlen(reference));
	text_printf(&label, "load %s", reference);
	edit(study, &next, loaded, text_string(&label));
	text_free(&label);
	return STATUS_OK;
}

/* Moves one entry from one journal to the other and becomes it.  The label stays valid until the next edit. */
static const char *travel(struct study *study, struct journal *from, struct journal *to)
{
	struct entry entry;
	const char *label;

	if (from->count == 0)
		return NULL;
	entry = from->entries[--from->count];
	journal_push(to, &study->document, study->loaded, entry.label);
	label = to->entries[to->count - 1].label;
	become(study, &entry.document, entry.loaded);
	memory_free(entry.label);
	return label;
}

const char *study_undo(struct study *study)
{
	return travel(study, &study->undo, &study->redo);
}

const char *study_redo(struct study *study)
{
	return travel(study, &study->redo, &study->undo);
}

void study_start(struct study *study)
{
	journal_clear(&study->undo);
	journal_clear(&study->redo);
}

void study_set_screen(struct study *study, enum parameter_id id, double value)
{
	/* of the screen's parameters only these say what is computed */
	if (study->screen[id] != value && (id == PARAMETER_PHASE_X || id == PARAMETER_PHASE_Y))
		study->results.generation++;
	study->screen[id] = value;
}

bool study_remember(struct study *study)
{
	if (study->plan == NULL || study->results.plan_state != FRESH)
		return false;
	study_forget(study);
	study->remembered = plan_copy(study->plan);
	study->remembered_outcome = study->results.outcome;
	document_copy(&study->remembered_document, &study->document);
	study->stale = stages_touched(0, study->stale | 1u << STAGE_SUMMARY);
	return true;
}

void study_forget(struct study *study)
{
	if (study->remembered != NULL)
		document_free(&study->remembered_document);
	plan_free(study->remembered);
	study->remembered = NULL;
	study->stale = stages_touched(0, study->stale | 1u << STAGE_SUMMARY);
}
