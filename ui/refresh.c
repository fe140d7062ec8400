/* Bringing the explorer up to date with its study.  Part of explorer.c's job, apart because it is about results. */
#include "ui/inside.h"

double explorer_bytes(const struct explorer *e, double elements)
{
	return elements * e->results->element_bytes;
}

/* A new model: the cursor starts on the first row that has a choice. */
static void start_on_model(struct explorer *e)
{
	const struct model *model = e->results->model;

	e->built_model = e->results->model_serial;
	e->row = -1;
	e->level = 1;
	regex_free(e->layers.filter);
	e->layers.filter = NULL;
	e->layers.top = 0;
	e->layers.selected = -1;
	if (model == NULL)
		return;
	for (int row = 0; row < model->count && e->row < 0; row++)
		if (layers_has_choice(e, row))
			e->row = row;
	if (e->row < 0 && model->count > 0)
		e->row = 0;
	e->layers.selected = e->row;
	if (e->view == VIEW_MODELS)
		e->view = VIEW_LAYERS;
}

static void choose_glyphs(struct explorer *e)
{
	enum { AUTO, BLOCK, ASCII };     /* the words of the parameter */
	int glyphs = (int)explorer_value(e, PARAMETER_GLYPHS);
	bool before = e->ascii;

	e->ascii = !e->utf8 || glyphs == ASCII || (glyphs == AUTO && e->console);
	e->cells.ascii = e->ascii;
	e->cells.narrow = !e->utf8 || (glyphs != BLOCK && e->console);
	e->rebuild = e->rebuild || e->ascii != before;
}

/* What the edit made doubtful: said once, counted in the view's heading. */
static void say_warnings(struct explorer *e)
{
	const struct diagnostics *warnings = e->results->warnings;

	if (warnings == NULL || warnings->count == 0)
		return;
	if (warnings->total > 1)
		explorer_say(e, STYLE_WARNING, "%s (and %zu more)", warnings->items[0].text, warnings->total - 1);
	else
		explorer_say(e, STYLE_WARNING, "%s", warnings->items[0].text);
}

bool explorer_refresh(struct explorer *e)
{
	const struct results *results = study_update(e->study);

	if (!e->live && results->pending) {
		study_settle(e->study, NULL);
		results = study_results(e->study);
	}
	e->results = results;
	choose_glyphs(e);
	e->rebuild = e->rebuild || (e->view == VIEW_SEARCH && racing_is_due(e));
	if (results->generation == e->built_generation && !e->rebuild)
		return false;
	if (results->model_serial != e->built_model)
		start_on_model(e);
	if (marks_note(e) && e->message.text[0] == '\0')
		say_warnings(e);
	e->built_generation = results->generation;
	e->rebuild = false;
	explorer_select(e, e->row, e->level);
	explorer_view(e)->build(e);
	return true;
}
