#include "study/race.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/mined_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NEAR = 0.99;

struct race *race_new(struct study *const *studies, int count, bool owned)
{
	struct race *race = memory_alloc(1, sizeof *race);

	memcpy(race->studies, studies, (size_t)count * sizeof *studies);
	race->count = count;
	race->owned = owned;
	document_copy(&race->document, study_document(studies[0]));
	return race;
}

bool race_has_begun(const struct race *race, enum mine_method method)
{
	int state = atomic_load(&race->entrants[method].state);

	return state != RACE_ABSENT && state != RACE_WAITING;
}

const struct mining *race_mining(const struct race *race)
{
	return atomic_load(&race->ready) ? &race->mining : NULL;
}

const struct line_found *race_line(const struct race_entrant *e)
{
	int state = atomic_load(&e->state);

	return state == RACE_DONE || state == RACE_STOPPED ? e->line : NULL;
}

double race_seconds(const struct race_entrant *e)
{
	return atomic_load(&e->state) == RACE_RUNNING ? miner_seconds(&e->miner) : e->seconds;
}

double race_left(const struct race_entrant *e)
{
	const struct miner *m = &e->miner;

	return m->planned > 0 ? miner_seconds(m) * (double)(m->planned - m->evaluations) / (double)(m->evaluations > 0 ? m->evaluations : 1) : NAN;
}

const char *race_state_name(const struct race_entrant *e)
{
	static const char *const names[] = { [RACE_ABSENT] = "absent", [RACE_WAITING] = "waiting", [RACE_RUNNING] = "running", [RACE_DONE] = "done", [RACE_STOPPED] = "stopped", [RACE_FAILED] = "failed" };

	return names[atomic_load(&e->state)];
}

bool race_has_found(struct race *race)
{
	for (int i = 0; i < METHOD_COUNT; i++)
		if (race_line(&race->entrants[i]) != NULL && race_line(&race->entrants[i])->each.value > 0)
			return true;
	return race_best(race) > 0;
}

static void clear(struct race_entrant *e)
{
	miner_free(&e->miner);
	line_found_free(e->line);
	e->line = NULL;
	e->seconds = 0;
	e->trouble[0] = '\0';
}

void race_free(struct race *race)
{
	if (race == NULL)
		return;
	for (int i = 0; i < METHOD_COUNT; i++)
		if (race_has_begun(race, (enum mine_method)i))
			clear(&race->entrants[i]);
	mining_end(&race->mining);
	for (int i = 0; i < race->count && race->owned; i++)
		study_free(race->studies[i]);
	document_free(&race->document);
	memory_free(race->begin_with);
	memory_free(race);
}

struct study *race_study(const struct document *document, struct diagnostic *d)
{
	struct study *study = study_new();
	struct document copy;

	document_copy(&copy, document);
	if (study_edit(study, &copy, "mine", d) == STATUS_OK)
		return study;
	study_free(study);
	return NULL;
}

enum status race_methods(const char *names, unsigned *methods, struct diagnostic *d)
{
	const char *there[METHOD_COUNT + 1];
	struct text list = { 0 };
	char word[64];
	int nearest;

	*methods = 0;
	for (const char *at = names; *at != '\0';) {
		size_t length = strcspn(at, ",");
		enum mine_method method;

		snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
		at += length + (at[length] == ',');
		method = mine_method_find(word);
		if (strcmp(word, "all") == 0) {
			*methods = (1u << METHOD_COUNT) - 1;
			continue;
		}
		if (method != METHOD_COUNT) {
			*methods |= 1u << method;
			continue;
		}
		for (int i = 0; i <= METHOD_COUNT; i++) {
			there[i] = i < METHOD_COUNT ? mine_method_name((enum mine_method)i) : "all";
			text_printf(&list, "%s%s", i == 0 ? "" : i == METHOD_COUNT ? " and " : ", ", there[i]);
		}
		nearest = text_nearest(word, there, METHOD_COUNT + 1);
		diagnostic_fail(d, STATUS_USAGE, "no method \"%.40s\"; there are %s%s%s", word, text_string(&list), nearest >= 0 ? ": did you mean " : "", nearest >= 0 ? there[nearest] : "");
		text_free(&list);
		return STATUS_USAGE;
	}
	return *methods != 0 ? STATUS_OK : diagnostic_fail(d, STATUS_USAGE, "which method? mine wham, or mine all");
}

/* ---- what an earlier search found ---- */

enum status race_warm(struct race *race, unsigned methods, const char *path, struct diagnostic *d)
{
	char *bytes;
	size_t length;
	enum status status;

	if (!(methods >> METHOD_WHAM & 1))
		return diagnostic_fail(d, STATUS_USAGE, "from: what an earlier search found is of use to wham only; add wham to the methods, or leave the file out");
	status = file_read(path, &bytes, &length, d);
	if (status != STATUS_OK)
		return status;
	race->begin_with = memory_alloc(MINE_TOP_MAX, sizeof *race->begin_with);
	status = mined_read(path, bytes, length, race->begin_with, &race->begin_count, d);
	memory_free(bytes);
	return status;
}

/* With fewer cores until it fits these budgets, of the more numerous kind first; false when not even one of each does. */
static bool make_fit(const struct design_space *space, struct design *d)
{
	space_follow(space, d);
	while (space_limit(space, d) != LIMIT_NONE) {
		enum design_axis larger = d->log[AXIS_TC] >= d->log[AXIS_VC] ? AXIS_TC : AXIS_VC;

		if (d->log[larger] == design_axis_least(larger))
			return false;
		d->log[larger]--;
	}
	return true;
}

static enum status take_earlier(struct race *race, struct diagnostic *d)
{
	struct design *fitting = arena_alloc(&race->mining.arena, MINE_TOP_MAX, sizeof *fitting);
	int count = 0;

	for (int i = 0; i < race->begin_count; i++) {
		fitting[count] = race->begin_with[i];
		count += make_fit(&race->mining.space, &fitting[count]);
	}
	race->mining.request.begin_with = fitting;
	race->mining.request.begin_count = count;
	if (race->begin_count > 0 && count == 0)
		return diagnostic_fail(d, STATUS_INFEASIBLE, "from: none of the %d designs of the earlier search fits, not even with one core of each kind; raise area_limit or power_limit, or leave the file out",
			race->begin_count);
	return STATUS_OK;
}

/* ---- legs ---- */

bool race_enter(struct race *race, enum mine_method method)
{
	struct race_entrant *e = &race->entrants[method];
	int state = atomic_load(&e->state);

	if (state == RACE_WAITING || state == RACE_RUNNING || state == RACE_DONE)
		return false;
	if (state != RACE_ABSENT)
		clear(e);
	atomic_store(&e->state, RACE_WAITING);
	return true;
}

static enum status prepare(struct race *race, const atomic_bool *cancel, struct diagnostic *d)
{
	enum status status = STATUS_OK;

	if (race_mining(race) != NULL)
		return STATUS_OK;
	for (int i = 0; i < race->count && status == STATUS_OK; i++) {
		status = study_settle(race->studies[i], cancel);
		if (status != STATUS_OK)
			diagnostic_fail(d, status, "interrupted");
	}
	if (status == STATUS_OK)
		status = mining_begin(race->studies, race->count, &race->mining, d);
	if (status == STATUS_OK)
		status = take_earlier(race, d);
	if (status != STATUS_OK) {
		mining_end(&race->mining);
		race->mining = (struct mining){ .arena = { 0 } };
		return status;
	}
	race->mining.request.pause = &race->paused;
	atomic_store(&race->ready, true);
	return STATUS_OK;
}

/* Of a run on stages WHAM looks at each stage by itself first. */
static enum status search(struct race *race, enum mine_method method, struct diagnostic *d)
{
	struct race_entrant *e = &race->entrants[method];

	if (race->mining.line == NULL || (method != METHOD_WHAM && method != METHOD_WHAM_PAPER))
		return mine_run(method, &e->miner, d);
	e->line = memory_alloc(1, sizeof *e->line);
	return mining_line_search(&race->mining, method, &e->miner, e->line, d);
}

enum status race_leg(struct race *race, enum mine_method method, const atomic_bool *cancel, struct diagnostic *d)
{
	struct race_entrant *e = &race->entrants[method];
	enum status status;

	if (cancel != NULL && atomic_load(cancel)) {
		atomic_store(&e->state, RACE_ABSENT);
		return diagnostic_fail(d, STATUS_INTERRUPTED, "interrupted");
	}
	status = prepare(race, cancel, d);
	miner_init(&e->miner, &race->mining.request);
	race->mining.request.cancel = cancel;
	atomic_store(&e->state, RACE_RUNNING);
	if (status == STATUS_OK)
		status = search(race, method, d);
	miner_hold(&e->miner);
	e->seconds = miner_seconds(&e->miner);
	e->ended = status;
	snprintf(e->trouble, sizeof e->trouble, "%s", status == STATUS_OK || status == STATUS_INTERRUPTED ? "" : d->text);
	miner_release(&e->miner);
	atomic_store(&e->state, status == STATUS_OK ? RACE_DONE : status == STATUS_INTERRUPTED ? RACE_STOPPED : RACE_FAILED);
	return status;
}

/* ---- looking on ---- */

double race_best(struct race *race)
{
	double best = 0;

	for (int i = 0; i < METHOD_COUNT; i++) {
		struct miner *m = &race->entrants[i].miner;

		if (!race_has_begun(race, (enum mine_method)i))
			continue;
		miner_hold(m);
		if (m->top_count > 0)
			best = fmax(best, m->top[0].value);
		miner_release(m);
	}
	return best;
}

/* What a design for each stage sets: their cores, and that they begin where they do anyway. */
static void forget_designs(const struct race *race, struct document *document)
{
	const struct mining *mining = race_mining(race);

	for (size_t i = document->stage_count; i-- > 0;) {
		struct stage_rule rule = document->stages[i];

		memset(rule.cores, 0, sizeof rule.cores);
		if (mining != NULL && mining->line != NULL && rule.starts == line_cut_row(&mining->line->cut, rule.stage - 1))
			rule.starts = -1;
		document_set_stage(document, &rule);
	}
}

bool race_is_of(const struct race *race, const struct document *document)
{
	struct document as, of;
	bool same;

	document_copy(&as, document);
	document_copy(&of, &race->document);
	forget_designs(race, &as);
	forget_designs(race, &of);
	memcpy(&as.values[PARAMETER_TC], &of.values[PARAMETER_TC], STAGE_CORES * sizeof *as.values);
	as.values[PARAMETER_THREADS] = of.values[PARAMETER_THREADS];
	/* on stages, it is how many of each are tried */
	if (race_mining(race) == NULL || race_mining(race)->line == NULL)
		as.values[PARAMETER_TOPK] = of.values[PARAMETER_TOPK];
	same = document_equal(&as, &of);
	document_free(&as);
	document_free(&of);
	return same;
}

bool race_reached(const struct race_entrant *e, double best, struct mine_point *when)
{
	for (size_t i = 0; i < e->miner.curve_count; i++)
		if (e->miner.curve[i].value >= NEAR * best) {
			*when = e->miner.curve[i];
			return true;
		}
	return false;
}
