/* The commands of the screen: the explorer's half of the command table. */
#include "ui/inside.h"

#include "base/files.h"
#include "report/export.h"
#include "report/report.h"
#include "study/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const move_words[MOVE_COUNT] = {
	"up", "down", "left", "right", "page-up", "page-down", "half-up", "half-down", "first", "last"
};

static enum status act_view(struct explorer *e, const char *name, struct diagnostic *d)
{
	const char *names[VIEW_COUNT];
	int nearest;

	for (int i = 0; i < VIEW_COUNT; i++) {
		names[i] = view_at((enum view_id)i)->name;
		if (strcmp(names[i], name) == 0) {
			if (e->results->model == NULL && (i == VIEW_LAYERS || i == VIEW_PATH || i == VIEW_PIPELINE || i == VIEW_NETWORK || i == VIEW_SEARCH || i == VIEW_PHASE || i == VIEW_COMPARE))
				return diagnostic_fail(d, STATUS_INPUT, "no model is open yet: choose one here with Enter, or `load MODEL`");
			explorer_show(e, (enum view_id)i);
			return STATUS_OK;
		}
	}
	nearest = text_nearest(name, names, VIEW_COUNT);
	return diagnostic_fail(d, STATUS_USAGE, "no view \"%s\"; views are layers, path, pipeline, network, search, phase, compare, models, help%s%s", name,
		nearest >= 0 ? ": did you mean " : "", nearest >= 0 ? names[nearest] : "");
}

static enum status act_focus(struct explorer *e, const char *word, struct diagnostic *d)
{
	static const char *const words[FOCUS_COUNT] = { "rows", "inspector", "dials" };
	bool inspector = explorer_view(e)->inspection != NULL && e->layout.inspector.rows > 1;
	int row;

	if (strcmp(word, "next") == 0 || strcmp(word, "back") == 0) {
		int step = word[0] == 'n' ? 1 : FOCUS_COUNT - 1;

		e->focus = (enum focus)((e->focus + step) % FOCUS_COUNT);
		if (e->focus == FOCUS_INSPECTOR && !inspector)
			e->focus = (enum focus)((e->focus + step) % FOCUS_COUNT);
		return STATUS_OK;
	}
	for (int i = 0; i < FOCUS_COUNT; i++)
		if (strcmp(words[i], word) == 0) {
			if (i == FOCUS_INSPECTOR && !inspector)
				return diagnostic_fail(d, STATUS_INPUT, "there is no inspector in this view at this size");
			e->focus = (enum focus)i;
			return STATUS_OK;
		}
	if (e->results->model == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no model is open");
	row = model_find(e->results->model, word, NULL, d);
	if (row < 0)
		return STATUS_INPUT;
	if (explorer_view(e)->inspection == NULL)
		explorer_show(e, VIEW_LAYERS);
	e->focus = FOCUS_ROWS;
	explorer_select(e, row, 0);
	e->rebuild = true;
	return STATUS_OK;
}

static void move_popup(struct popup *popup, enum move move)
{
	int most = popup->lines - popup->page;

	switch (move) {
	case MOVE_UP: popup->top--; break;
	case MOVE_DOWN: popup->top++; break;
	case MOVE_PAGE_UP: case MOVE_HALF_UP: popup->top -= popup->page; break;
	case MOVE_PAGE_DOWN: case MOVE_HALF_DOWN: popup->top += popup->page; break;
	case MOVE_FIRST: popup->top = 0; break;
	case MOVE_LAST: popup->top = most; break;
	default: break;
	}
	if (popup->top > most)
		popup->top = most;
	if (popup->top < 0)
		popup->top = 0;
}

static enum status act_move(struct explorer *e, const char *word, struct diagnostic *d)
{
	int move = 0;

	while (move < MOVE_COUNT && strcmp(move_words[move], word) != 0)
		move++;
	if (move == MOVE_COUNT)
		return diagnostic_fail(d, STATUS_USAGE, "cannot move \"%s\"; up down left right page-up page-down half-up half-down first last", word);
	if (e->popup.open)
		move_popup(&e->popup, (enum move)move);
	else if (e->view != VIEW_HELP && e->focus == FOCUS_DIALS)
		dials_move(e, (enum move)move);
	else if (e->focus == FOCUS_INSPECTOR && explorer_view(e)->inspection != NULL)
		inspector_move(e, (enum move)move);
	else
		explorer_view(e)->move(e, (enum move)move);
	return STATUS_OK;
}

static enum status act_fold(struct explorer *e, const char *how, struct diagnostic *d)
{
	if (how != NULL && strcmp(how, "on") != 0 && strcmp(how, "off") != 0)
		return diagnostic_fail(d, STATUS_USAGE, "fold on or off, not \"%s\"", how);
	if (e->results->model == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no model is open");
	if (e->results->training->blocks->run_count == 0)
		return diagnostic_fail(d, STATUS_INPUT, "no block of this model repeats");
	e->folded = how != NULL ? strcmp(how, "on") == 0 : !e->folded;
	if (e->folded && e->row >= 0)
		explorer_select(e, blocks_first(e->results->training->blocks, e->row), 0);
	e->rebuild = true;
	return STATUS_OK;
}

static enum status no_axis(struct diagnostic *d)
{
	return diagnostic_fail(d, STATUS_INPUT, "this view has no time axis; `view path` has one");
}

static enum status act_zoom(struct explorer *e, const char *how, struct diagnostic *d)
{
	double factor = strcmp(how, "in") == 0 ? 0.5 : strcmp(how, "out") == 0 ? 2 : strcmp(how, "fit") == 0 ? INFINITY : 0;

	if (factor == 0)
		return diagnostic_fail(d, STATUS_USAGE, "zoom in, out or fit, not \"%s\"", how);
	return explorer_view(e)->zoom != NULL ? explorer_view(e)->zoom(e, factor, d) : no_axis(d);
}

static enum status act_pan(struct explorer *e, const char *how, struct diagnostic *d)
{
	int direction = strcmp(how, "left") == 0 ? -1 : strcmp(how, "right") == 0 ? 1 : 0;

	if (direction == 0)
		return diagnostic_fail(d, STATUS_USAGE, "pan left or right, not \"%s\"", how);
	return explorer_view(e)->pan != NULL ? explorer_view(e)->pan(e, direction, d) : no_axis(d);
}

static enum status act_border(struct explorer *e, const char *how, struct diagnostic *d)
{
	int direction = strcmp(how, "left") == 0 ? -1 : strcmp(how, "right") == 0 ? 1 : 0;

	if (direction == 0)
		return diagnostic_fail(d, STATUS_USAGE, "border left or right, not \"%s\"", how);
	if (explorer_view(e)->border == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "this view has no stages; `view pipeline` has them");
	return explorer_view(e)->border(e, direction, d);
}

/* The pattern of a /REGEX/; a word without slashes is one as it is.  In words' arena or word itself. */
static const char *pattern_of(struct words *words, const char *word)
{
	const char *pattern = words_pattern(words, word);

	return pattern != NULL ? pattern : word;
}

static enum status act_level(struct explorer *e, const char *word, struct diagnostic *d)
{
	int levels = e->results->plan != NULL ? e->results->plan->levels : 0, level = e->level;
	char after;

	if (strcmp(word, "up") == 0 || strcmp(word, "down") == 0)
		level += word[0] == 'u' ? 1 : -1;
	else if (sscanf(word + (word[0] == 'H'), "%d%c", &level, &after) != 1)
		return diagnostic_fail(d, STATUS_USAGE, "level up, down or a number, not \"%s\"", word);
	if (level < 1 || level > levels)
		return diagnostic_fail(d, STATUS_INPUT, "there is no level H%d: this array has %d", level, levels);
	e->level = level;
	e->rebuild = true;
	return STATUS_OK;
}

static enum status no_rows(struct diagnostic *d)
{
	return diagnostic_fail(d, STATUS_INPUT, "this view has no rows to search; layers, path, search and phase have");
}

static enum status act_search(struct explorer *e, const char *word, struct diagnostic *d)
{
	struct words words = { 0 };
	const char *pattern = pattern_of(&words, word);
	struct regex *match = pattern[0] != '\0' ? regex_new(pattern, NULL, d) : NULL;
	bool empty = pattern[0] == '\0';

	words_free(&words);
	if (empty)
		return diagnostic_fail(d, STATUS_USAGE, "search needs a pattern");
	if (match == NULL)
		return STATUS_INPUT;
	if (explorer_view(e)->search == NULL) {
		regex_free(match);
		return no_rows(d);
	}
	regex_free(e->search);
	e->search = match;
	if (!explorer_view(e)->search(e, match, 1, true))
		return diagnostic_fail(d, STATUS_INPUT, "no row matches /%s/", regex_pattern(match));
	e->rebuild = true;
	return STATUS_OK;
}

static enum status act_search_next(struct explorer *e, int count, char **words, struct diagnostic *d)
{
	bool back = count > 0 && strcmp(words[0], "back") == 0;

	if (count > 0 && !back)
		return diagnostic_fail(d, STATUS_USAGE, "search-next takes nothing or \"back\", not \"%s\"", words[0]);
	if (e->search == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "nothing has been searched for yet: / starts a search");
	if (explorer_view(e)->search == NULL)
		return no_rows(d);
	if (!explorer_view(e)->search(e, e->search, back ? -1 : 1, false))
		return diagnostic_fail(d, STATUS_INPUT, "no row matches /%s/", regex_pattern(e->search));
	e->rebuild = true;
	return STATUS_OK;
}

static enum status act_filter(struct explorer *e, int count, char **words, struct diagnostic *d)
{
	struct words owner = { 0 };
	enum status status = explorer_filter(e, count > 0 ? pattern_of(&owner, words[0]) : "", d);

	words_free(&owner);
	return status;
}

static enum status act_sort(struct explorer *e, int count, char **words, struct diagnostic *d)
{
	struct table *table = explorer_table(e);
	int column = -1;

	if (table == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "this view has no rows to sort");
	if (count > 1 && strcmp(words[1], "down") != 0)
		return diagnostic_fail(d, STATUS_USAGE, "sort COLUMN or sort COLUMN down, not \"%s\"", words[1]);
	if (count > 0 && (column = table_column_find(table, words[0])) < 0) {
		struct text known = { 0 };

		for (int i = 0; i < table->column_count; i++)
			text_printf(&known, " %s", table->columns[i].name);
		diagnostic_fail(d, STATUS_USAGE, "no column \"%s\"; columns are%s", words[0], text_string(&known));
		text_free(&known);
		return STATUS_USAGE;
	}
	table->sort = column;
	table->descending = count > 1;
	e->rebuild = true;
	return STATUS_OK;
}

static enum status act_cycle(struct explorer *e, struct diagnostic *d)
{
	const struct plan *plan = e->results->plan;
	bool repeats = false;
	int state, states = STATES_MAX;
	const char *name;

	if (plan == NULL || e->row < 0 || !layers_has_choice(e, e->row) || plan->levels == 0)
		return diagnostic_fail(d, STATUS_INPUT, "this row has no choice to pin");
	name = e->results->model->operators[e->row].name;
	if (model_find(e->results->model, name, &repeats, NULL) != e->row || repeats)
		name = NULL;
	state = plan_state(plan, e->row, e->level);
	for (int i = 1; i < states; i++) {
		char line[320], *quoted = line;
		int next = (state + i) % states;

		if (name != NULL && strpbrk(name, " \"'/#") == NULL)
			snprintf(quoted, sizeof line, "pin %s H%d %s", name, e->level, state_name(layers_is_junction(e, e->row), next));
		else
			snprintf(quoted, sizeof line, "pin #%d H%d %s", e->row + 1, e->level, state_name(layers_is_junction(e, e->row), next));
		if (i + 1 == states)
			return command_run(e->study, &e->host, line, d);
		/* The third type is only for solvers that know it: then the next one is tried. */
		if (e->results->margins == NULL ? plan->junction[e->row] || next != SPLIT_OP :
		    !isnan(margins_value(e->results->margins, e->row, e->level, next)) || plan->pinned[e->row * plan->levels + e->level - 1]) {
			if (command_run(e->study, &e->host, line, d) == STATUS_OK)
				return STATUS_OK;
		}
	}
	return STATUS_OK;
}

static enum status act_release(struct explorer *e, struct diagnostic *d)
{
	char line[64];

	if (e->results->plan == NULL || e->row < 0 || !layers_has_choice(e, e->row))
		return diagnostic_fail(d, STATUS_INPUT, "this row has no choice, so no pin");
	snprintf(line, sizeof line, "unpin #%d", e->row + 1);
	return command_run(e->study, &e->host, line, d);
}

static enum status act_bind(struct explorer *e, const char *rest, bool unbind, struct diagnostic *d)
{
	struct bind_line line;
	enum status status = keys_read_line(rest, &line, d);
	const char *bound;

	if (status != STATUS_OK)
		return status;
	if (line.key == KEY_CODE_NONE) {
		keys_list(&e->keys, explorer_popup(e, "bindings: put such lines into the rc file to change them"));
		return STATUS_OK;
	}
	bound = keys_command(&e->keys, line.context, line.key);
	if (unbind)
		return keys_unbind(&e->keys, line.context, line.key) ? STATUS_OK :
			diagnostic_fail(d, STATUS_INPUT, "%s is not bound in %s", line.name, key_context_name(line.context));
	if (line.command[0] == '\0') {
		explorer_say(e, STYLE_TEXT, "%s: %s", line.name, bound != NULL ? bound : "not bound");
		return STATUS_OK;
	}
	if (bound != NULL && strcmp(bound, line.command) != 0)
		explorer_say(e, STYLE_TEXT, "%s was bound to: %s", line.name, bound);
	keys_bind(&e->keys, line.context, line.key, line.command);
	e->rebuild = true;
	return STATUS_OK;
}

static enum status act_press(struct explorer *e, const char *rest, struct diagnostic *d)
{
	const char *check = rest;
	char word[64];

	while (keys_next_word(&check, word, sizeof word))
		if (keys_parse(word) == KEY_CODE_NONE)
			return diagnostic_fail(d, STATUS_USAGE, "\"%s\" is no key name", word);
	while (keys_next_word(&rest, word, sizeof word)) {
		if (e->depth > 8)
			return diagnostic_fail(d, STATUS_INPUT, "press: keys press keys without end");
		e->depth++;
		explorer_key(e, keys_parse(word));
		explorer_refresh(e);
		if (!e->live)
			explorer_draw(e);
		e->depth--;
	}
	return STATUS_OK;
}

static enum status act_dump(struct explorer *e, const char *path, struct diagnostic *d)
{
	struct text text = { 0 };
	enum status status;

	explorer_refresh(e);
	explorer_draw(e);
	cells_dump(&e->cells, &text);
	status = file_write(path, text_string(&text), text.length, d);
	text_free(&text);
	/* Pictures that a script takes in a row are to be clean. */
	if (status == STATUS_OK && !e->scripted)
		explorer_say(e, STYLE_TEXT, "wrote the screen to %s", path);
	return status;
}

static enum status act_export(struct explorer *e, int count, char **words, struct diagnostic *d)
{
	const char *path = words[count - 1];
	/* of the search view what is no picture of the step is what was found */
	bool found = count > 1 ? strcmp(words[0], view_search.name) == 0 : e->view == VIEW_SEARCH && export_is_report(path);
	enum status status = found ? export_race(e->racing.race, (int)study_value(e->study, PARAMETER_TOPK), path, d) : export_file(e->study, count > 1 ? words[0] : e->view == VIEW_PATH ? view_path.name : NULL, path, d);

	if (status == STATUS_OK && !e->scripted)
		explorer_say(e, STYLE_TEXT, "wrote %s", path);
	return status;
}

static enum status act_copy(struct explorer *e, struct diagnostic *d)
{
	const struct plan *plan = e->results->plan;

	if (explorer_value(e, PARAMETER_CLIPBOARD) < 1)
		return diagnostic_fail(d, STATUS_INPUT, "copying through the terminal is off: set clipboard=osc52 (tmux also needs set-clipboard on); export FILE always works");
	if (plan == NULL || e->row < 0)
		return diagnostic_fail(d, STATUS_INPUT, "there is no row to copy");
	text_clear(&e->copy);
	text_add(&e->copy, e->results->model->operators[e->row].name);
	for (int level = 1; level <= plan->levels; level++)
		text_printf(&e->copy, "\t%s", plan_choice(plan, e->row, level));
	text_printf(&e->copy, "\t%.17g", plan->row_elements[e->row]);
	explorer_say(e, STYLE_TEXT, "copied the row of %s (name, types, elements moved)", e->results->model->operators[e->row].name);
	return STATUS_OK;
}

static void list_problems(const struct diagnostics *list, const char *heading, struct text *out)
{
	if (list == NULL || list->total == 0)
		return;
	text_printf(out, "%s%s\n", out->length > 0 ? "\n" : "", heading);
	for (size_t i = 0; i < list->count; i++) {
		const struct diagnostic *d = &list->items[i];

		/* The heading has the file's name. */
		if (d->line > 0)
			text_printf(out, d->column > 0 ? "%lu:%lu: " : "%lu: ", d->line, d->column);
		text_printf(out, "%s\n", d->text);
	}
	if (list->total > list->count)
		text_printf(out, "... and %zu more\n", list->total - list->count);
}

static void act_warnings(struct explorer *e)
{
	const struct model *model = e->results->model;
	struct text *out = explorer_popup(e, "warnings");
	char heading[512];

	if (model != NULL) {
		snprintf(heading, sizeof heading, "%s, line:column:", model->path);
		list_problems(&model->problems, heading, out);
		list_problems(e->results->warnings, "The plan:", out);
	}
	if (out->length == 0)
		text_add(out, "Every row was understood, and nothing is to be minded about the plan.\n");
}

/* Closes the innermost thing that is open. */
static void act_cancel(struct explorer *e)
{
	if (e->popup.open) {
		e->popup.open = false;
	} else if (e->prompt.open) {
		prompt_close(&e->prompt);
	} else if (e->view == VIEW_HELP) {
		explorer_show(e, e->before_help);
	} else if (e->working || e->racing.out != NULL) {
		e->stop = true;
	} else if (e->focus != FOCUS_ROWS) {
		e->focus = FOCUS_ROWS;
	} else if (e->lesson.waiting || e->lesson.note.length > 0) {
		e->lesson.waiting = false;
		e->lesson.left = NULL;
		text_clear(&e->lesson.note);
		explorer_say(e, STYLE_TEXT, "left the lesson; u takes its edits back");
	} else if (e->search != NULL) {
		regex_free(e->search);
		e->search = NULL;
	} else if (explorer_table(e) != NULL && explorer_table(e)->filter != NULL) {
		explorer_filter(e, "", NULL);
	}
	e->rebuild = true;
}

static void act_say(struct explorer *e, const char *rest)
{
	rest += strspn(rest, " \t");
	if (!e->live) {
		printf("%s\n", rest);
		fflush(stdout);
	}
	text_printf(&e->lesson.note, "%s%s", e->lesson.note.length > 0 ? " " : "", rest);
}

static enum status act_theme(struct explorer *e, const char *name, struct diagnostic *d)
{
	char line[80];

	snprintf(line, sizeof line, "set theme=%.60s", name);
	e->redraw = true;
	return command_run(e->study, &e->host, line, d);
}

static enum status act_explain(struct explorer *e, struct diagnostic *d)
{
	if (e->popup.open) {
		e->popup.open = false;
		return STATUS_OK;
	}
	if (e->focus == FOCUS_INSPECTOR && explorer_view(e)->inspection != NULL)
		return inspector_explain(e, d);
	return explorer_view(e)->enter(e, d);
}

/* More layers than this take more than about a second to split. */
enum { STAGES_LAYERS_MAX = 320 };

/* A report in a box. */
static enum status act_show(struct explorer *e, enum command_id id, int count, char **words, struct diagnostic *d)
{
	struct text out = { 0 };
	char title[96];
	enum status status;

	switch (id) {
	case COMMAND_COLLECTIVE: status = report_collective(e->study, words[0], words[1], REPORT_TEXT, &out, d); break;
	case COMMAND_STAGES: status = e->results->model == NULL ? diagnostic_fail(d, STATUS_INPUT, "no model is open") :
		e->results->model->layers > STAGES_LAYERS_MAX ? diagnostic_fail(d, STATUS_INPUT, "%d layers take longer to split than a screen should wait; `whypar stages` does it", e->results->model->layers) :
		report_model_stages(e->study, (const char *const *)words, count, REPORT_TEXT, &out, d); break;
	case COMMAND_NETWORKS: status = report_networks(REPORT_TEXT, &out, d); break;
	case COMMAND_ACCELERATORS: status = report_accelerators(REPORT_TEXT, &out, d); break;
	default: status = strcmp(words[0], "wham") == 0 ? diagnostic_fail(d, STATUS_INPUT, "its searches take half a minute, longer than a screen should wait; `whypar reproduce wham` runs them") :
		report_reproduce(words[0], REPORT_TEXT, &out, d);
	}
	snprintf(title, sizeof title, id == COMMAND_COLLECTIVE || id == COMMAND_REPRODUCE ? "%s %.40s" : "%s", command_at(id)->name, words[0]);
	if (status == STATUS_OK)
		text_add(explorer_popup(e, title), text_string(&out));
	text_free(&out);
	return status;
}

static enum status act_suspend(struct explorer *e, struct diagnostic *d)
{
	e->suspend = e->live;
	return e->live ? STATUS_OK : diagnostic_fail(d, STATUS_INPUT, "there is no terminal to stop");
}

static enum status act_help(struct explorer *e, const char *word)
{
	snprintf(e->help_word, sizeof e->help_word, "%s", word);
	e->help_line = 0;
	explorer_show(e, VIEW_HELP);
	return STATUS_OK;
}

enum status explorer_act(void *self, enum command_id id, int count, char **words, const char *rest, struct diagnostic *d)
{
	struct explorer *e = self;

	explorer_refresh(e);
	/* Pages, panes and hidden columns are as of the last frame: without a terminal, of the one there would have been. */
	if (!e->live)
		explorer_draw(e);
	switch (id) {
	case COMMAND_SAY: act_say(e, rest); return STATUS_OK;
	case COMMAND_PAUSE: return STATUS_OK;
	case COMMAND_VIEW: return act_view(e, words[0], d);
	case COMMAND_FOCUS: return act_focus(e, words[0], d);
	case COMMAND_MOVE: return act_move(e, words[0], d);
	case COMMAND_FOLD: return act_fold(e, count > 0 ? words[0] : NULL, d);
	case COMMAND_ZOOM: return act_zoom(e, words[0], d);
	case COMMAND_BORDER: return act_border(e, words[0], d);
	case COMMAND_PAN: return act_pan(e, words[0], d);
	case COMMAND_LEVEL: return act_level(e, words[0], d);
	case COMMAND_SEARCH: return act_search(e, words[0], d);
	case COMMAND_SEARCH_NEXT: return act_search_next(e, count, words, d);
	case COMMAND_FILTER: return act_filter(e, count, words, d);
	case COMMAND_SORT: return act_sort(e, count, words, d);
	case COMMAND_DIAL: return dials_turn(e, words[0], d);
	case COMMAND_MINE: return act_mine(e, count, words, d);
	case COMMAND_ADOPT: return act_adopt(e, d);
	case COMMAND_CYCLE: return act_cycle(e, d);
	case COMMAND_RELEASE: return act_release(e, d);
	case COMMAND_EXPLAIN: return act_explain(e, d);
	case COMMAND_COLLECTIVE: case COMMAND_STAGES: case COMMAND_NETWORKS: case COMMAND_ACCELERATORS: case COMMAND_REPRODUCE: return act_show(e, id, count, words, d);
	case COMMAND_PROMPT: editing_open(e, rest + strspn(rest, " \t")); return STATUS_OK;
	case COMMAND_PRESS: return act_press(e, rest, d);
	case COMMAND_BIND: return act_bind(e, rest, false, d);
	case COMMAND_UNBIND: return act_bind(e, rest, true, d);
	case COMMAND_THEME: return act_theme(e, words[0], d);
	case COMMAND_HELP: return act_help(e, count > 0 ? words[0] : "");
	case COMMAND_WARNINGS: act_warnings(e); return STATUS_OK;
	case COMMAND_COPY: return act_copy(e, d);
	case COMMAND_EXPORT: return act_export(e, count, words, d);
	case COMMAND_DUMP: return act_dump(e, words[0], d);
	case COMMAND_REDRAW: e->redraw = true; return STATUS_OK;
	case COMMAND_SUSPEND: return act_suspend(e, d);
	case COMMAND_STOP: e->stop = true; return STATUS_OK;
	case COMMAND_CANCEL: act_cancel(e); return STATUS_OK;
	case COMMAND_QUIT: e->quit = true; return STATUS_OK;
	default: return diagnostic_fail(d, STATUS_USAGE, "%s is not a command of the screen", command_at(id)->name);
	}
}
