#include "ui/explorer.h"

#include "base/files.h"
#include "report/explain.h"
#include "study/words.h"
#include "ui/inside.h"

#include "study/calibrated.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 };         /* bindings that press keys that are bound to press keys... */

static void host_say(void *self, const char *text)
{
	explorer_say(self, STYLE_TEXT, "%s", text);
}

void explorer_init(struct explorer *e, struct study *study, bool live, bool console)
{
	memset(e, 0, sizeof *e);
	e->study = study;
	e->live = live;
	e->console = console;
	e->host = (struct command_host){ e, explorer_act, host_say };
	e->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	e->level = 1;
	e->row = e->path.node = e->completion = e->bad_pattern = -1;
	e->view = VIEW_LAYERS;
	e->built_generation = e->built_model = ~0ul;
	e->rebuild = true;
	cells_init(&e->cells);
	table_init(&e->layers);
	table_init(&e->models);
	table_init(&e->path.table);
	keys_init(&e->keys);
	models_builtin(&e->builtin, &e->builtin_count, NULL);
	e->results = study_update(study);
	if (e->results->model == NULL)
		e->view = VIEW_MODELS;
	dials_choose(e);
}

void explorer_free(struct explorer *e)
{
	cells_free(&e->cells);
	keys_free(&e->keys);
	prompt_free(&e->prompt);
	table_free(&e->layers);
	table_free(&e->models);
	table_free(&e->path.table);
	memory_free(e->path.bars);
	memory_free(e->pipeline.bars);
	text_free(&e->path.label);
	text_free(&e->path.sentence);
	memory_free(e->builtin);
	sheet_free(&e->help);
	sheet_free(&e->inspector.sheet);
	if (e->why.valid)
		why_free(&e->why.why);
	if (e->phase.valid)
		phase_free(&e->phase.phase);
	regex_free(e->search);
	text_free(&e->completions);
	memory_free(e->lesson.script);
	text_free(&e->lesson.note);
	text_free(&e->popup.body);
	text_free(&e->copy);
	racing_free(e);
	marks_free(e);
}

void explorer_resize(struct explorer *e, int rows, int cols)
{
	cells_resize(&e->cells, rows, cols);
	e->rebuild = true;
}

void explorer_say(struct explorer *e, enum style style, const char *format, ...)
{
	char raw[sizeof e->message.text];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(raw, sizeof raw, format, arguments);
	va_end(arguments);
	text_sanitize(e->message.text, sizeof e->message.text, raw, strlen(raw));
	e->message.style = style;
}

void explorer_complain(struct explorer *e, const struct diagnostic *d)
{
	char text[sizeof d->file + sizeof d->text];

	diagnostic_format(d, text, sizeof text);
	explorer_say(e, STYLE_ERROR, "%s", text);
}

double explorer_value(const struct explorer *e, enum parameter_id id)
{
	return study_value(e->study, id);
}

const struct view *view_at(enum view_id id)
{
	static const struct view *const views[VIEW_COUNT] = { &view_layers, &view_path, &view_pipeline, &view_network, &view_search, &view_phase, &view_compare, &view_models, &view_help };

	return views[id];
}

const struct view *explorer_view(const struct explorer *e)
{
	return view_at(e->view);
}

struct table *explorer_table(struct explorer *e)
{
	return explorer_view(e)->table != NULL ? explorer_view(e)->table(e) : NULL;
}

enum status explorer_filter(struct explorer *e, const char *pattern, struct diagnostic *d)
{
	struct table *table = explorer_table(e);
	struct regex *match = NULL;

	if (table == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "this view has no rows to filter");
	if (pattern[0] != '\0' && (match = regex_new(pattern, NULL, d)) == NULL)
		return STATUS_INPUT;
	regex_free(table->filter);
	table->filter = match;
	e->rebuild = true;
	return STATUS_OK;
}

enum key_context explorer_context(const struct explorer *e)
{
	if (e->popup.open)
		return CONTEXT_POPUP;
	if (e->view != VIEW_HELP && e->focus == FOCUS_DIALS)
		return CONTEXT_DIALS;
	if (e->focus == FOCUS_INSPECTOR && explorer_view(e)->inspection != NULL)
		return CONTEXT_INSPECTOR;
	return explorer_view(e)->context;
}

void explorer_show(struct explorer *e, enum view_id view)
{
	if (view == VIEW_HELP && e->view != VIEW_HELP)
		e->before_help = e->view;
	e->view = view;
	dials_choose(e);
	if (e->focus == FOCUS_INSPECTOR || view == VIEW_HELP)
		e->focus = FOCUS_ROWS;
	e->rebuild = true;
}

void explorer_select(struct explorer *e, int row, int level)
{
	const struct plan *plan = e->results->plan;

	if (e->results->model == NULL || row < 0 || row >= e->results->model->count)
		return;
	e->row = e->layers.selected = row;
	if (level > 0)
		e->level = level;
	if (plan != NULL && e->level > plan->levels)
		e->level = plan->levels > 0 ? plan->levels : 1;
}

struct text *explorer_popup(struct explorer *e, const char *title)
{
	e->popup.open = true;
	e->popup.top = 0;
	snprintf(e->popup.title, sizeof e->popup.title, "%s", title);
	text_clear(&e->popup.body);
	return &e->popup.body;
}

void explorer_explain(struct explorer *e, int quantity, int level, int state)
{
	struct text text = { 0 };
	const char *title, *body;
	size_t length;

	explain_number(e->study, (enum quantity)quantity, e->row, level, state, &text);
	title = text_string(&text);
	length = strcspn(title, "\n");
	body = title + length + strspn(title + length, "\n");
	text_add(explorer_popup(e, ""), body);
	snprintf(e->popup.title, sizeof e->popup.title, "%.*s", (int)length, title);
	text_free(&text);
}

static enum status run_script(struct explorer *e, const char *path, const char *script, const char **left, unsigned long first_line, struct diagnostic *d)
{
	bool before = e->scripted;
	enum status status;

	e->scripted = true;
	status = command_run_script(e->study, &e->host, path, script, left, first_line, d);
	e->scripted = before;
	return status;
}

void explorer_source(struct explorer *e, const char *path, const char *script, struct diagnostic *d, enum status *status)
{
	memory_free(e->lesson.script);
	e->lesson.script = memory_copy_text(script, strlen(script));
	e->lesson.left = NULL;
	e->lesson.waiting = false;
	snprintf(e->lesson.path, sizeof e->lesson.path, "%s", path);
	text_clear(&e->lesson.note);
	*status = run_script(e, e->lesson.path, e->lesson.script, e->live ? &e->lesson.left : NULL, 0, d);
	e->lesson.waiting = *status == STATUS_OK && e->lesson.left != NULL && *e->lesson.left != '\0';
	if (*status != STATUS_OK)
		text_clear(&e->lesson.note);
}

static enum status source_file(struct explorer *e, const char *name, struct diagnostic *d)
{
	char path[1024], *bytes;
	enum status status = command_find_script(name, path, sizeof path, d);

	if (status == STATUS_OK)
		status = command_read_script(path, &bytes, d);
	if (status != STATUS_OK)
		return status;
	explorer_source(e, path, bytes, d, &status);
	memory_free(bytes);
	return status;
}

static enum status source_line(struct explorer *e, const char *line, struct diagnostic *d)
{
	struct words words;
	enum status status = words_split(&words, line, d);

	if (status == STATUS_OK && words.count != 2)
		status = diagnostic_fail(d, STATUS_USAGE, "usage: %s %s", command_at(COMMAND_SOURCE)->name, command_at(COMMAND_SOURCE)->usage);
	if (status == STATUS_OK)
		status = source_file(e, words.word[1], d);
	words_free(&words);
	return status;
}

static void continue_lesson(struct explorer *e)
{
	struct diagnostic d;
	const char *rest = e->lesson.left;
	unsigned long line = 0;

	for (const char *at = e->lesson.script; at < rest; at++)
		line += *at == '\n';
	text_clear(&e->lesson.note);
	e->lesson.left = NULL;
	if (run_script(e, e->lesson.path, rest, &e->lesson.left, line, &d) != STATUS_OK) {
		explorer_complain(e, &d);
		e->lesson.left = NULL;
	}
	e->lesson.waiting = e->lesson.left != NULL && *e->lesson.left != '\0';
}

enum status explorer_command(struct explorer *e, const char *line, struct diagnostic *d)
{
	enum command_id id = command_of(line);
	bool back = id == COMMAND_UNDO || id == COMMAND_REDO;
	struct document before;
	enum status status;

	if (e->depth >= DEPTH_MAX)
		return diagnostic_fail(d, STATUS_INPUT, "commands press keys %d deep: a key is bound to itself", DEPTH_MAX);
	e->depth++;
	if (back)
		document_copy(&before, study_document(e->study));
	/* `source` is taken here rather than by the study, so that a pause in it can hold on the screen. */
	status = id == COMMAND_SOURCE ? source_line(e, line, d) : command_run(e->study, &e->host, line, d);
	if (back) {
		explorer_refresh(e);
		marks_follow(e, &before, study_document(e->study));
		document_free(&before);
	}
	e->depth--;
	return status;
}

void explorer_try(struct explorer *e, const char *line)
{
	struct diagnostic d;

	if (explorer_command(e, line, &d) != STATUS_OK)
		explorer_complain(e, &d);
}

void explorer_key(struct explorer *e, uint32_t key)
{
	enum key_context order[3] = { explorer_context(e), explorer_view(e)->context, CONTEXT_GENERIC };
	char name[16], help[16];

	if (e->prompt.open) {
		editing_key(e, key);
		return;
	}
	e->message.text[0] = '\0';
	if (key == ' ' && e->lesson.waiting && !e->popup.open) {
		continue_lesson(e);
		return;
	}
	/* ^C comes as a signal on a terminal; as a key it means the same as Esc. */
	if (key == 'C' - 0x40)
		key = KEY_CODE_ESCAPE;
	for (int i = 0; i < 3; i++) {
		const char *command = keys_command(&e->keys, order[i], key);
		char line[256];

		if (command == NULL)
			continue;
		snprintf(line, sizeof line, "%s", command);
		explorer_try(e, line);
		return;
	}
	keys_name(key, name, sizeof name);
	if (!keys_find(&e->keys, CONTEXT_GENERIC, "help", help, sizeof help))
		snprintf(help, sizeof help, ":help");
	explorer_say(e, STYLE_WARNING, "%s is not a key here; %s shows all keys", name, help);
}

/* Lines of nccl-tests: the links they tell are put into the prompt, for Enter to set.  True when the text was for this. */
static bool paste_measurements(struct explorer *e, const char *text, size_t length)
{
	static const char command[] = "calibrate";
	bool asked = e->prompt.open && strncmp(e->prompt.line, command, sizeof command - 1) == 0;
	char ranks[16] = "", line[160], sentence[400];
	struct calibrated c;
	struct diagnostic d;

	if (e->prompt.open && !asked)
		return false;
	if (asked)
		sscanf(e->prompt.line + sizeof command - 1, "%15s", ranks);
	if (calibrated_read(study_document(e->study), "the pasted text", text, length, ranks[0] != '\0' ? ranks : NULL, &c, &d) == STATUS_OK) {
		calibrated_command(&c, line, sizeof line);
		calibrated_sentence(&c, sentence, sizeof sentence);
		calibration_free(c.calibration);
		if (e->prompt.open)
			prompt_set_line(&e->prompt, line);
		else
			editing_open(e, line);
		editing_changed(e);
		explorer_say(e, STYLE_TEXT, "%s; Enter sets it", sentence);
		return true;
	}
	/* a path is pasted in one line */
	if (!asked || (memchr(text, '\n', length) == NULL && memchr(text, '\r', length) == NULL))
		return false;
	explorer_say(e, STYLE_ERROR, "%s", d.text);
	return true;
}

void explorer_paste(struct explorer *e, const char *text, size_t length)
{
	char help[16];

	if (paste_measurements(e, text, length))
		return;
	if (e->prompt.open) {
		if (!prompt_paste(&e->prompt, text, length))
			explorer_say(e, STYLE_ERROR, "%zu pasted characters are too many for a command", length);
		editing_changed(e);
		return;
	}
	if (!keys_find(&e->keys, CONTEXT_GENERIC, "prompt", help, sizeof help))
		snprintf(help, sizeof help, "the prompt key");
	explorer_say(e, STYLE_WARNING, "pasted text is not run; open the prompt with %s and paste there", help);
}

static bool inside(struct rect area, int row, int col)
{
	return row >= area.row && row < area.row + area.rows && col >= area.col && col < area.col + area.cols;
}

void explorer_click(struct explorer *e, int row, int col)
{
	if (e->popup.open || e->prompt.open)
		return;
	if (inside(e->layout.dials, row, col)) {
		int dial = dials_at(e, e->layout.dials, row, col);

		if (dial >= 0) {
			e->focus = FOCUS_DIALS;
			e->dial = dial;
		}
	} else if (inside(e->layout.main, row, col) && explorer_view(e)->click != NULL) {
		e->focus = FOCUS_ROWS;
		explorer_view(e)->click(e, row - e->layout.main.row, col - e->layout.main.col);
	} else if (inside(e->layout.inspector, row, col) && explorer_view(e)->inspection != NULL) {
		e->focus = FOCUS_INSPECTOR;
	}
}

/* A file of ours under one of the user's folders: $VARIABLE, or HOME/fallback. */
static bool user_path(const char *variable, const char *fallback, const char *name, char *out, size_t size)
{
	const char *folder = getenv(variable), *home = getenv("HOME");

	if (folder != NULL && folder[0] == '/')
		snprintf(out, size, "%s/whypar/%s", folder, name);
	else if (home != NULL && home[0] != '\0')
		snprintf(out, size, "%s/%s/whypar/%s", home, fallback, name);
	else
		return false;
	return true;
}

bool explorer_rc_path(char *out, size_t size)
{
	return user_path("XDG_CONFIG_HOME", ".config", "rc", out, size);
}

bool explorer_keep_path(char *out, size_t size)
{
	return user_path("XDG_STATE_HOME", ".local/state", "last.why", out, size);
}

enum status explorer_start(struct explorer *e, const struct explorer_options *options, struct diagnostic *d)
{
	enum status status = STATUS_OK;

	e->scripted = true;
	for (int i = 0; i < options->line_count && status == STATUS_OK; i++)
		status = command_run(e->study, &e->host, options->lines[i], d);
	e->scripted = false;
	study_start(e->study);
	/* What led here is no edit: nothing is marked as changed by it. */
	marks_free(e);
	return status;
}

enum status explorer_batch(struct study *study, int rows, int cols, const struct explorer_options *options, struct diagnostic *d)
{
	struct explorer e;
	enum status status;

	setlocale(LC_CTYPE, "");
	explorer_init(&e, study, false, false);
	explorer_resize(&e, rows, cols);
	explorer_refresh(&e);
	status = explorer_start(&e, options, d);
	if (status == STATUS_OK && options->script != NULL)
		explorer_source(&e, options->script_path, options->script, d, &status);
	explorer_free(&e);
	return status;
}
