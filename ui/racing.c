/* The race behind the search view: begun by `mine`, run by the loop's legs, or here and now where there is no terminal. */
#include "ui/search.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

bool racing_hold(const struct explorer *e, enum mine_method method)
{
	if (e->racing.race == NULL || !race_has_begun(e->racing.race, method))
		return false;
	miner_hold(&e->racing.race->entrants[method].miner);
	return true;
}

const struct mining *racing_mining(const struct explorer *e)
{
	return e->racing.race != NULL ? race_mining(e->racing.race) : NULL;
}

void racing_release(const struct explorer *e, enum mine_method method)
{
	miner_release(&e->racing.race->entrants[method].miner);
}

/* The old one goes, unless its legs are still out: then the loop frees it when they are back. */
static void take_race(struct explorer *e, struct race *race)
{
	if (e->racing.race != e->racing.out)
		race_free(e->racing.race);
	e->racing.race = race;
	e->racing.wanted = 0;
	memset(e->racing.cursor, 0, sizeof e->racing.cursor);
}

void racing_free(struct explorer *e)
{
	take_race(e, NULL);
}

/* With the present document, and those models beside the present one. */
static struct race *new_race(struct explorer *e, int count, char **models, struct diagnostic *d)
{
	struct study *studies[MINING_MODELS_MAX];
	int made = 0;
	bool failed = false;

	for (int i = 0; i <= count && !failed; i++) {
		studies[made] = race_study(study_document(e->study), d);
		failed = studies[made] == NULL;
		made += !failed;
		failed = failed || (i > 0 && study_load(studies[made - 1], models[i - 1], NULL, d) != STATUS_OK);
	}
	if (!failed)
		return race_new(studies, made, true);
	while (made > 0)
		study_free(studies[--made]);
	return NULL;
}

static void run_here(struct explorer *e)
{
	for (int i = 0; i < METHOD_COUNT; i++) {
		struct diagnostic d;

		if (e->racing.wanted & 1u << i)
			race_leg(e->racing.race, (enum mine_method)i, NULL, &d);
	}
	e->racing.wanted = 0;
}

static void enter_methods(struct explorer *e, unsigned methods)
{
	bool seen = false;

	for (int i = 0; i < METHOD_COUNT; i++) {
		if (!(methods & 1u << i))
			continue;
		if (race_enter(e->racing.race, (enum mine_method)i))
			e->racing.wanted |= 1u << i;
		if (!seen)
			e->racing.method = (enum mine_method)i;
		seen = true;
	}
	atomic_store(&e->racing.race->paused, false);
	if (!e->live)
		run_here(e);
	e->rebuild = true;
}

enum status racing_begin(struct explorer *e, struct diagnostic *d)
{
	struct race *race = new_race(e, 0, NULL, d);

	if (race == NULL)
		return STATUS_INPUT;
	take_race(e, race);
	enter_methods(e, 1u << METHOD_WHAM);
	return STATUS_OK;
}

/* Nothing but wham has run, of one step of one model, from scratch: so soon done that an edit may do it again unasked. */
static bool is_light(const struct race *race)
{
	for (int i = 0; i < METHOD_COUNT; i++)
		if (i != METHOD_WHAM && atomic_load(&race->entrants[i].state) != RACE_ABSENT)
			return false;
	return race->count == 1 && race->begin_with == NULL && (race_mining(race) == NULL || race_mining(race)->line == NULL);
}

bool racing_is_due(const struct explorer *e)
{
	const struct race *race = e->racing.race;

	return e->results->model != NULL && (race == NULL || (is_light(race) && !race_is_of(race, study_document(e->study))));
}

static enum status pause_race(struct explorer *e, struct diagnostic *d)
{
	struct race *race = e->racing.race;

	if (race == NULL || (e->racing.out != race && e->racing.wanted == 0))
		return diagnostic_fail(d, STATUS_INPUT, "no search is running");
	atomic_store(&race->paused, !atomic_load(&race->paused));
	return STATUS_OK;
}

enum status act_mine(struct explorer *e, int count, char **words, struct diagnostic *d)
{
	static const char from[] = "from=";
	const char *file = NULL;
	char *models[MINING_MODELS_MAX - 1];
	int model_count = 0;
	unsigned methods = 0;
	enum status status = STATUS_OK;
	struct race *race;

	if (count > 0 && strcmp(words[0], "pause") == 0)
		return count == 1 ? pause_race(e, d) : diagnostic_fail(d, STATUS_USAGE, "mine pause takes no more words");
	if (e->results->model == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "no model is open");
	for (int i = 0; i < count && status == STATUS_OK; i++) {
		if (strncmp(words[i], from, sizeof from - 1) == 0)
			file = words[i] + sizeof from - 1;
		else if (methods == 0)
			status = race_methods(words[i], &methods, d);
		else if (strcmp(words[i], study_document(e->study)->model) == 0)
			continue;        /* it is one of them anyway */
		else if (model_count == MINING_MODELS_MAX - 1)
			status = diagnostic_fail(d, STATUS_USAGE, "mine takes at most %d models, the open one among them", MINING_MODELS_MAX);
		else
			models[model_count++] = words[i];
	}
	if (status != STATUS_OK)
		return status;
	methods = methods != 0 ? methods : 1u << METHOD_WHAM;
	/* the same models and values: who ran before stays in the race */
	race = e->racing.race;
	if (race == NULL || file != NULL || race->begin_with != NULL || model_count > 0 || race->count > 1 || !race_is_of(race, study_document(e->study))) {
		race = new_race(e, model_count, models, d);
		status = race == NULL ? STATUS_INPUT : file != NULL ? race_warm(race, methods, file, d) : STATUS_OK;
		if (status != STATUS_OK) {
			race_free(race);
			return status;
		}
		take_race(e, race);
	}
	enter_methods(e, methods);
	explorer_show(e, VIEW_SEARCH);
	return STATUS_OK;
}

/* Each stage's design, as one edit. */
static enum status adopt_stages(struct explorer *e, struct diagnostic *d)
{
	const struct line_found *found = race_line(&e->racing.race->entrants[e->racing.method]);
	struct document next;

	if (found == NULL || found->each.of_stage == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "there are no designs of stages to take");
	document_copy(&next, study_document(e->study));
	line_found_set(racing_mining(e), &found->each, &next);
	return study_edit(e->study, &next, "adopt", d);
}

enum status act_adopt(struct explorer *e, struct diagnostic *d)
{
	struct judged j;
	struct document next;
	struct text commands = { 0 };
	enum status status;

	if (e->racing.page == SEARCH_STAGES && e->racing.race != NULL)
		return adopt_stages(e, d);
	if (!search_focused(e, &j))
		return diagnostic_fail(d, STATUS_INPUT, "there is no design to take: `mine` searches for some");
	document_copy(&next, study_document(e->study));
	mining_set(racing_mining(e), &j.design, &next);
	mining_commands(racing_mining(e), &j.design, &next, &commands);
	status = study_edit(e->study, &next, text_string(&commands), d);
	text_free(&commands);
	return status;
}
