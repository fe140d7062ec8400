#define _XOPEN_SOURCE 700
#include "study/planning.h"
#include "study/edits.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/regex.h"
#include "network/load.h"
#include "network/presets.h"
#include "study/calibrated.h"
#include "study/pins.h"
#include "study/run_choices.h"
#include "study/stage_rules.h"
#include "study/preset.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const struct command_host *host, const char *format, ...) PRINTF_LIKE(2, 3);

static void say(const struct command_host *host, const char *format, ...)
{
	char raw[512], clean[512];
	va_list arguments;

	if (host == NULL || host->say == NULL)
		return;
	va_start(arguments, format);
	vsnprintf(raw, sizeof raw, format, arguments);
	va_end(arguments);
	text_sanitize(clean, sizeof clean, raw, strlen(raw));
	host->say(host->self, clean);
}


/* A topology of a file, where the name is none that is built in. */
static enum status read_topology(const char *path, struct topology *topology, struct diagnostic *d)
{
	char *bytes;
	size_t length;
	enum status status = file_read(path, &bytes, &length, d);

	if (status == STATUS_OK)
		status = topology_read(path, bytes, length, topology, d);
	memory_free(bytes);
	return status;
}

/* A kind alone is a choice; what says more, and a network by its name, is the document's own. */
static enum status set_topology(double *values, struct topology *topology, bool by_name, const char *text, struct diagnostic *d)
{
	struct topology read, bare;
	bool name;
	char near[64];

	if (strcmp(text, "own") == 0) {
		if (topology->count == 0)
			return diagnostic_fail(d, STATUS_INPUT, "topology: own is one that was set with sizes or links, such as topology=torus:4x4, and none was");
		values[PARAMETER_TOPOLOGY] = TOPOLOGY_KIND_COUNT;
		return STATUS_OK;
	}
	/* what has neither sizes nor links may be a name: then its list tells what is near */
	name = by_name || strpbrk(text, ":@+^") == NULL;
	if (by_name && (strchr(text, '/') != NULL || (access(text, F_OK) == 0 && network_find(text, &read, NULL) != STATUS_OK))) {
		if (read_topology(text, &read, d) != STATUS_OK)
			return STATUS_INPUT;
	} else if ((by_name || topology_parse(text, &read, d) != STATUS_OK) && (!name || network_find(text, &read, by_name ? d : NULL) != STATUS_OK)) {
		if (name && !by_name && network_nearest(text, near, sizeof near))
			return diagnostic_fail(d, STATUS_INPUT, "topology: \"%.40s\" is neither a kind nor a network; did you mean %s? (`whypar networks` lists both)", text, near);
		return STATUS_INPUT;
	}
	bare = topology_bare(read.tiers[0].kind);
	if (topology_equal(&read, &bare)) {
		values[PARAMETER_TOPOLOGY] = (double)read.tiers[0].kind;
		return STATUS_OK;
	}
	*topology = read;
	values[PARAMETER_TOPOLOGY] = TOPOLOGY_KIND_COUNT;
	return STATUS_OK;
}

/* One NAME and VALUE into values, which has a place for every parameter, of the study and of the screen.  A preset sets all
 * that it describes; what follows it can set some of that again. */
static enum status set_one(struct study *study, double *values, struct topology *topology, const char *name, const char *value, struct diagnostic *d)
{
	bool network = strcmp(name, "network") == 0;     /* a topology by its name */
	enum parameter_id id = network ? PARAMETER_TOPOLOGY : parameter_find(name, d);
	const struct accelerator *preset;
	enum status status;

	if (id == PARAMETER_COUNT)
		return STATUS_USAGE;
	if (id == PARAMETER_TOPOLOGY)
		return set_topology(values, topology, network, value, d);
	status = parameter_parse(id, value, &values[id], d);
	if (status != STATUS_OK || id != PARAMETER_ACCELERATOR)
		return status;
	preset = preset_find(study_accelerators(study), study_document(study)->own, values, d);
	if (preset == NULL)
		return STATUS_INPUT;
	preset_apply(preset, values);
	preset_bring(preset, values, topology);
	return STATUS_OK;
}

static enum status set_words(struct study *study, double *values, struct topology *topology, struct words *w, struct diagnostic *d)
{
	/* "set mouse on" as well as "set mouse=on" */
	if (w->count == 3 && strchr(w->word[1], '=') == NULL && strchr(w->word[2], '=') == NULL)
		return set_one(study, values, topology, w->word[1], w->word[2], d);
	for (int i = 1, taken; i < w->count; i += taken) {
		char *equals = strchr(w->word[i], '=');
		const char *unit = i + 1 < w->count && strchr(w->word[i + 1], '=') == NULL && parameter_find(w->word[i + 1], NULL) == PARAMETER_COUNT ? w->word[i + 1] : "";
		struct text value = { 0 };
		enum status status;

		if (equals == NULL)
			return parameter_find(w->word[i], d) == PARAMETER_COUNT ? STATUS_USAGE :
				diagnostic_fail(d, STATUS_USAGE, "set %s: no value; write %s=VALUE", w->word[i], w->word[i]);
		*equals = '\0';
		/* "clock=1.4 GHz": a unit may stand apart */
		text_printf(&value, "%s%s%s", equals + 1, unit[0] != '\0' ? " " : "", unit);
		taken = unit[0] != '\0' ? 2 : 1;
		status = set_one(study, values, topology, w->word[i], text_string(&value), d);
		text_free(&value);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

static enum status edit_set(struct study *study, struct words *w, const char *line, struct diagnostic *d)
{
	struct document next;
	struct topology topology = study_document(study)->topology;
	double values[PARAMETER_COUNT];
	enum status status;

	for (int i = 0; i < PARAMETER_COUNT; i++)
		values[i] = study_value(study, (enum parameter_id)i);
	status = set_words(study, values, &topology, w, d);
	if (status != STATUS_OK)
		return status;
	document_copy(&next, study_document(study));
	next.topology = topology;
	for (int i = 0; i < PARAMETER_COUNT; i++)
		if (parameter_at((enum parameter_id)i)->scope == SCOPE_SCREEN)
			study_set_screen(study, (enum parameter_id)i, values[i]);
		else
			next.values[i] = values[i];
	return study_edit(study, &next, line, d);
}

static enum status edit_value(struct study *study, enum parameter_id id, const char *text, struct diagnostic *d)
{
	struct document next;
	char label[96];
	enum status status;

	document_copy(&next, study_document(study));
	status = set_one(study, next.values, &next.topology, parameter_at(id)->name, text, d);
	if (status != STATUS_OK) {
		document_free(&next);
		return status;
	}
	snprintf(label, sizeof label, "set %s=%s", parameter_at(id)->name, text);
	return study_edit(study, &next, label, d);
}

static enum status edit_step(struct study *study, struct words *w, struct diagnostic *d)
{
	enum parameter_id id = parameter_find(w->word[1], d);
	char text[64];
	double value;

	if (id == PARAMETER_COUNT)
		return STATUS_USAGE;
	if (strcmp(w->word[2], "+") != 0 && strcmp(w->word[2], "-") != 0)
		return diagnostic_fail(d, STATUS_USAGE, "step %s: \"%s\" is neither + nor -", w->word[1], w->word[2]);
	value = study_value(study, id);
	if (id == PARAMETER_SEQ && value == 0 && study_model(study) != NULL)
		value = (double)study_model(study)->sequence;
	value = parameter_step_value(id, value, w->word[2][0] == '+' ? 1 : -1);
	if (parameter_at(id)->scope == SCOPE_SCREEN) {
		study_set_screen(study, id, value);
		return STATUS_OK;
	}
	parameter_print(id, value, text, sizeof text);
	return edit_value(study, id, text, d);
}

static enum status edit_load(struct study *study, const struct command_host *host, struct words *w, struct diagnostic *d)
{
	enum status status = study_load(study, w->word[1], NULL, d);

	if (status == STATUS_OK) {
		const struct model *m = study_model(study);

		say(host, "%s: %s, %d layers%s", m->name, m->format, m->layers,
			m->problems.total > 0 ? "; some rows have problems (`warnings` lists them)" : "");
	}
	return status;
}

/* The rows a pin speaks of: /REGEX/, #N, or a name (which must exist; one that repeats means its first row). */
static enum status pin_target(struct study *study, const struct command_host *host, struct words *w, struct pin_rule *rule, struct diagnostic *d)
{
	const struct model *m = study_model(study);
	const char *pattern = words_pattern(w, w->word[1]);
	bool repeats;
	int row;

	if (m == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no model is loaded; `load MODEL` first");
	rule->row = -1;
	rule->pattern = pattern != NULL ? (char *)pattern : w->word[1];
	if (pattern != NULL)
		return STATUS_OK;
	row = model_find(m, w->word[1], &repeats, d);
	if (row < 0)
		return STATUS_INPUT;
	rule->exact = true;
	if (repeats || w->word[1][0] == '#') {
		rule->row = row;
		rule->exact = false;
		rule->pattern = "";
	}
	if (repeats)
		say(host, "%s names several rows; the first, #%d, is meant", w->word[1], row + 1);
	return STATUS_OK;
}

/* "H2" or "2"; 0 for a word that is no level. */
static int parse_level(const char *word, struct diagnostic *d)
{
	const char *digits = word[0] == 'H' || word[0] == 'h' ? word + 1 : word;
	int64_t level;

	if (units_parse_whole(digits, strlen(digits), &level) == STATUS_OK && level >= 1 && level <= LEVELS_MAX)
		return (int)level;
	diagnostic_fail(d, STATUS_INPUT, "\"%s\" is not a level; they are H1 (outermost) to H%d", word, LEVELS_MAX);
	return 0;
}

static bool parse_state(const char *word, int *state, bool *junction)
{
	for (int i = 0; i < 2 * STATES_MAX; i++) {
		*state = i % STATES_MAX;
		*junction = i >= STATES_MAX;
		if (strcmp(word, state_name(*junction, *state)) == 0)
			return true;
	}
	return false;
}

/* Why a rule that matches rows pins none of them. */
static enum status refuse_rule(const struct pin_rule *rule, const char *words, int refused, struct diagnostic *d)
{
	if (refused > 0)
		return diagnostic_fail(d, STATUS_INPUT, "%s cannot be op: a grouped convolution splits at its group borders; it takes dp or mp", words);
	if (rule->junction)
		return diagnostic_fail(d, STATUS_INPUT, "no junction matches %s; row, col and full are for junctions, layers take dp, mp or op", words);
	return diagnostic_fail(d, STATUS_INPUT, "no layer matches %s; dp, mp and op are for layers, junctions take row, col or full", words);
}

static enum status add_rule(struct study *study, const struct command_host *host, const struct pin_rule *rule, const char *line, struct diagnostic *d)
{
	struct document next;
	int refused = 0, matched = pins_count(rule, study_model(study), study_problem(study), &refused, d);
	char words[160];

	if (matched < 0)
		return STATUS_INPUT;
	pins_words(rule, words, sizeof words);
	if (matched == 0)
		return refuse_rule(rule, words, refused, d);
	document_copy(&next, study_document(study));
	document_add_pin(&next, rule);
	if (rule->level > document_levels(&next))
		say(host, "H%d waits for a larger array: this one has %d levels", rule->level, document_levels(&next));
	else
		say(host, "%s %d row%s", rule->state == NO_STATE ? "unpinned" : "pinned", matched, matched == 1 ? "" : "s");
	return study_edit(study, &next, line, d);
}

static enum status edit_pin(struct study *study, const struct command_host *host, enum command_id id, struct words *w, const char *line, struct diagnostic *d)
{
	struct pin_rule rule = { .state = NO_STATE };
	enum status status = pin_target(study, host, w, &rule, d);
	int level_word = id == COMMAND_PIN ? w->count == 4 ? 2 : 0 : w->count == 3 ? 2 : 0;

	if (status != STATUS_OK)
		return status;
	if (level_word > 0) {
		rule.level = parse_level(w->word[level_word], d);
		if (rule.level == 0)
			return STATUS_INPUT;
	}
	if (id == COMMAND_PIN && !parse_state(w->word[w->count - 1], &rule.state, &rule.junction))
		return diagnostic_fail(d, STATUS_INPUT, "\"%s\" is no type; layers take dp, mp or op, junctions row, col or full", w->word[w->count - 1]);
	return add_rule(study, host, &rule, line, d);
}

/* A pin by a name that this model has not waits for another: kept as a comment, for read back here it would be wrong. */
static void append_pin(struct text *out, const struct pin_rule *rule, const struct model *model)
{
	bool waits = rule->row >= 0 ? model != NULL && rule->row >= model->count : rule->exact && model != NULL && model_find(model, rule->pattern, NULL, NULL) < 0;

	text_printf(out, "%s%s ", waits ? "# waits for another model: " : "", rule->state == NO_STATE ? "unpin" : "pin");
	if (rule->row >= 0) {
		text_printf(out, "#%d", rule->row + 1);
	} else if (rule->exact) {
		words_quote(out, rule->pattern);
	} else {
		text_add(out, "/");
		for (const char *c = rule->pattern; *c != '\0'; c++) {
			if (*c == '/')
				text_add(out, "\\");
			text_append(out, c, 1);
		}
		text_add(out, "/");
	}
	if (rule->level > 0)
		text_printf(out, " H%d", rule->level);
	if (rule->state != NO_STATE)
		text_printf(out, " %s", state_name(rule->junction, rule->state));
	text_add(out, "\n");
}

/* The whole path of a file, so that a script can be read from anywhere; also of one that is gone by now. */
static void append_path(struct text *out, const char *path)
{
	char *whole = realpath(path, NULL), folder[4096], beside[8192];

	if (whole == NULL && path[0] != '/' && getcwd(folder, sizeof folder) != NULL) {
		snprintf(beside, sizeof beside, "%s/%.4000s", folder, path);
		words_quote(out, beside);
	} else {
		words_quote(out, whole != NULL ? whole : path);
	}
	free(whole);
}

/* A file by its path; a built-in model by its name. */
static void append_load(struct text *out, const char *reference)
{
	char name[256], builtin[4096];

	snprintf(name, sizeof name, "models/%s.csv", reference);
	text_add(out, "load ");
	if (strchr(reference, '/') == NULL && data_find(name, builtin, sizeof builtin))
		words_quote(out, reference);
	else
		append_path(out, reference);
	text_add(out, "\n");
}

/* accelerator FILE [NAME]: the file's accelerator becomes `own`, and the present one. */
static enum status edit_accelerator(struct study *study, const struct command_host *host, struct words *w, const char *line, struct diagnostic *d)
{
	struct own_accelerator *own = own_accelerator_read(w->word[1], w->count > 2 ? w->word[2] : NULL, d);
	struct document next;

	if (own == NULL)
		return STATUS_INPUT;
	document_copy(&next, study_document(study));
	own_accelerator_release(next.own);
	next.own = own;
	next.values[PARAMETER_ACCELERATOR] = parameter_at(PARAMETER_ACCELERATOR)->maximum;
	preset_apply(own->chosen, next.values);
	preset_bring(own->chosen, next.values, &next.topology);
	say(host, "accelerator %s of %s", own->chosen->name, own->path);
	return study_edit(study, &next, line, d);
}

/* calibrate FILE [RANKS]: the links become as fast as what was measured. */
static enum status edit_calibrate(struct study *study, const struct command_host *host, struct words *w, const char *line, struct diagnostic *d)
{
	struct calibrated c;
	struct document next;
	char *bytes, sentence[400];
	size_t length;
	enum status status = file_read(w->word[1], &bytes, &length, d);

	if (status == STATUS_OK)
		status = calibrated_read(study_document(study), w->word[1], bytes, length, w->count > 2 ? w->word[2] : NULL, &c, d);
	memory_free(bytes);
	if (status != STATUS_OK)
		return STATUS_INPUT;
	document_copy(&next, study_document(study));
	next.values[PARAMETER_BANDWIDTH] = c.bandwidth;
	next.values[PARAMETER_LATENCY] = c.latency;
	calibrated_sentence(&c, sentence, sizeof sentence);
	for (size_t i = 0; i < c.calibration->problems.count && i < 3; i++)
		say(host, "%s", c.calibration->problems.items[i].text);
	say(host, "%s", sentence);
	calibration_free(c.calibration);
	return study_edit(study, &next, line, d);
}

/* plan GPUS: the best there is of so many. */
static enum status edit_plan(struct study *study, const struct command_host *host, struct words *w, const char *line, struct diagnostic *d)
{
	struct run_search search;
	const struct run_plan *best = &search.best[0].plan;
	struct document next;
	char seconds[32];
	double gpus;
	enum status status = planning_gpus(w->word[1], &gpus, d);

	study_update(study);
	if (status == STATUS_OK)
		status = planning_search(study, gpus, &search, d);
	if (status != STATUS_OK)
		return status;
	document_copy(&next, study_document(study));
	run_plan_apply(best, next.values);
	units_print_seconds(search.best[0].run.seconds, seconds, sizeof seconds);
	say(host, "the best of %.0f plans of %.0f GPUs: %s a step", search.evaluated, gpus, seconds);
	return study_edit(study, &next, line, d);
}

/* stage N ...: what one stage has of its own. */
static enum status edit_stage(struct study *study, const struct command_host *host, struct words *w, const char *line, struct diagnostic *d)
{
	struct document next;
	struct stage_rule rule;
	enum status status = stage_rule_read(study_document(study), study_model(study), w, &rule, d);

	if (status != STATUS_OK)
		return status;
	document_copy(&next, study_document(study));
	document_set_stage(&next, &rule);
	if (rule.stage > next.values[PARAMETER_PIPELINE] * next.values[PARAMETER_CHUNKS])
		say(host, "stage %d waits for a longer pipeline: this one has %.0f", rule.stage, next.values[PARAMETER_PIPELINE]);
	return study_edit(study, &next, line, d);
}

/* latencies FILE|none. */
static enum status edit_latencies(struct study *study, const struct command_host *host, struct words *w, const char *line, struct diagnostic *d)
{
	struct latencies *read = NULL;
	struct document next;
	char *bytes;
	size_t length;

	if (strcmp(w->word[1], "none") != 0) {
		if (file_read(w->word[1], &bytes, &length, d) != STATUS_OK)
			return STATUS_INPUT;
		read = latencies_read(w->word[1], bytes, length, d);
		memory_free(bytes);
		if (read == NULL)
			return STATUS_INPUT;
		say(host, "%d measured latencies", read->count);
	}
	document_copy(&next, study_document(study));
	latencies_release(next.latencies);
	next.latencies = read;
	return study_edit(study, &next, line, d);
}

/* What differs from a fresh study, a preset before what it sets. */
static void append_values(struct text *out, const struct study *study)
{
	const struct document *document = study_document(study);
	const struct accelerator *preset = preset_find(study_accelerators(study), document->own, document->values, NULL);
	char value[TOPOLOGY_BYTES];
	bool brings = preset_brings(preset) || (document->own != NULL && preset_brings(document->own->chosen));
	double chosen = document->own != NULL ? parameter_at(PARAMETER_ACCELERATOR)->maximum : parameter_at(PARAMETER_ACCELERATOR)->standard;

	/* it sets others, so it comes first */
	if (document->own != NULL) {
		text_add(out, "accelerator ");
		append_path(out, document->own->path);
		text_add(out, " ");
		words_quote(out, document->own->chosen->name);
		text_add(out, "\n");
	}
	if (document->values[PARAMETER_ACCELERATOR] != chosen) {
		document_print(document, PARAMETER_ACCELERATOR, value, sizeof value);
		text_printf(out, "set accelerator=%s\n", value);
	}
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const struct parameter *p = parameter_at((enum parameter_id)i);

		if (p->scope == SCOPE_SCREEN || i == PARAMETER_ACCELERATOR || (document->values[i] == preset_standard(preset, (enum parameter_id)i) && !(brings && (i == PARAMETER_TOPOLOGY || i == PARAMETER_ACCELERATORS))))
			continue;
		document_print(document, (enum parameter_id)i, value, sizeof value);
		text_printf(out, "set %s=%s\n", p->name, value);
	}
	/* an own topology that is not in use comes back with topology=own */
	if (document->topology.count > 0 && document->values[PARAMETER_TOPOLOGY] != TOPOLOGY_KIND_COUNT) {
		topology_print(&document->topology, value, sizeof value);
		text_printf(out, "set topology=%s\n", value);
		document_print(document, PARAMETER_TOPOLOGY, value, sizeof value);
		text_printf(out, "set topology=%s\n", value);
	}
	if (document->latencies != NULL) {
		text_add(out, "latencies ");
		append_path(out, document->latencies->path);
		text_add(out, "\n");
	}
}

static enum status edit_save(const struct study *study, const struct command_host *host, const char *path, struct diagnostic *d)
{
	const struct document *document = study_document(study);
	struct text out = { 0 };
	enum status status;

	if (document->model != NULL && strpbrk(document->model, "\r\n") != NULL)
		return diagnostic_fail(d, STATUS_INPUT, "cannot save: the model's path holds a line feed, which a script cannot; rename the file");
	text_add(&out, "# a whypar study: read it back with `source`, or start with whypar --script\n");
	if (document->model != NULL)
		append_load(&out, document->model);
	append_values(&out, study);
	for (size_t i = 0; i < document->pin_count; i++)
		append_pin(&out, &document->pins[i], study_model(study));
	for (size_t i = 0; i < document->stage_count; i++)
		stage_rule_write(&document->stages[i], &out);
	status = file_write(path, out.bytes, out.length, d);
	if (status == STATUS_OK)
		say(host, "saved %s", path);
	text_free(&out);
	return status;
}

static enum status edit_baseline(struct study *study, const struct command_host *host, struct words *w, struct diagnostic *d)
{
	if (w->count == 2) {
		if (strcmp(w->word[1], "clear") != 0)
			return diagnostic_fail(d, STATUS_USAGE, "usage: baseline [clear]");
		study_forget(study);
		say(host, "baseline forgotten");
		return STATUS_OK;
	}
	study_update(study);
	if (!study_remember(study))
		return diagnostic_fail(d, STATUS_INPUT, "no plan to remember yet");
	say(host, "this plan is the baseline now");
	return STATUS_OK;
}

static enum status edit_travel(struct study *study, const struct command_host *host, bool back, struct diagnostic *d)
{
	const char *label = back ? study_undo(study) : study_redo(study);

	if (label == NULL)
		return diagnostic_fail(d, STATUS_INPUT, back ? "nothing to undo" : "nothing to redo");
	say(host, "%s: %s", back ? "undid" : "did again", label);
	return STATUS_OK;
}

enum status edits_run(struct study *study, const struct command_host *host, enum command_id id, struct words *words, const char *line,
	struct diagnostic *d)
{
	switch (id) {
	case COMMAND_SET:
		return edit_set(study, words, line, d);
	case COMMAND_STEP:
		return edit_step(study, words, d);
	case COMMAND_SOLVE:
		return edit_value(study, PARAMETER_SOLVER, words->word[1], d);
	case COMMAND_LOAD:
		return edit_load(study, host, words, d);
	case COMMAND_PIN:
	case COMMAND_UNPIN:
		return edit_pin(study, host, id, words, line, d);
	case COMMAND_ACCELERATOR:
		return edit_accelerator(study, host, words, line, d);
	case COMMAND_CALIBRATE:
		return edit_calibrate(study, host, words, line, d);
	case COMMAND_PLAN:
		return edit_plan(study, host, words, line, d);
	case COMMAND_STAGE:
		return edit_stage(study, host, words, line, d);
	case COMMAND_LATENCIES:
		return edit_latencies(study, host, words, line, d);
	case COMMAND_SAVE:
		return edit_save(study, host, words->word[1], d);
	case COMMAND_BASELINE:
		return edit_baseline(study, host, words, d);
	case COMMAND_UNDO:
		return edit_travel(study, host, true, d);
	case COMMAND_REDO:
		return edit_travel(study, host, false, d);
	default:
		return diagnostic_fail(d, STATUS_USAGE, "%s is not a command of the study", words->word[0]);
	}
}
