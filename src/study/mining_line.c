#include "study/mining_line.h"

#include "study/inside.h"
#include "study/preset.h"
#include "study/stage_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs of unlike stages that are played, of all that were estimated. */
enum { PLAYED_MOST = 12 };

/* ---- what the stages have to do ---- */

static bool in_place(const struct mine_part *p, int place, int row)
{
	return p->layer_of[row] >= p->first[place] && p->layer_of[row] < p->first[place + 1];
}

/* The next row of a place, from `row` on; count: none. */
static int next_row(const struct mine_part *p, int place, int row, int count)
{
	while (row < count && !in_place(p, place, row))
		row++;
	return row;
}

static bool same_row(const struct training *t, const struct mining_stage *a, int place_a, int row_a, const struct mining_stage *b, int place_b, int row_b)
{
	const struct operator *x = &t->model->operators[row_a], *y = &t->model->operators[row_b];

	if (t->blocks->class_of[row_a] != t->blocks->class_of[row_b] || x->input_count != y->input_count || memcmp(&a->model.shares[row_a], &b->model.shares[row_b], sizeof *a->model.shares) != 0)
		return false;
	for (int i = 0; i < x->input_count; i++) {
		bool inside = x->inputs[i] != MODEL_INPUT && in_place(&a->part, place_a, x->inputs[i]);

		if (inside != (y->inputs[i] != MODEL_INPUT && in_place(&b->part, place_b, y->inputs[i])) || (inside && row_a - x->inputs[i] != row_b - y->inputs[i]))
			return false;
	}
	return true;
}

/* The same rows in the same order, wired alike, with the same shares and exchanges; the last stage has the loss beside. */
static bool alike(const struct training *t, const struct mining_stage *a, const struct mining_stage *b)
{
	int count = t->model->count, stages = a->part.stages;

	if (a->model.beside_s != b->model.beside_s || a->part.stage == stages - 1 || b->part.stage == stages - 1)
		return false;
	for (int chunk = 0; chunk < a->part.chunks; chunk++) {
		int place_a = a->part.stage + chunk * stages, place_b = b->part.stage + chunk * stages;
		int row_a = next_row(&a->part, place_a, 0, count), row_b = next_row(&b->part, place_b, 0, count);

		while (row_a < count && row_b < count) {
			if (!same_row(t, a, place_a, row_a, b, place_b, row_b))
				return false;
			row_a = next_row(&a->part, place_a, row_a + 1, count);
			row_b = next_row(&b->part, place_b, row_b + 1, count);
		}
		if (row_a != row_b)
			return false;
	}
	return true;
}

static void fill_stage(struct mining *m, struct mining_line *line, int stage)
{
	struct mining_stage *s = &line->stages[stage];
	struct run_plan plan = study_run_plan(line->base.values);

	s->part = (struct mine_part){ .layer_of = line->cut.layer_of, .first = line->cut.first, .stage = stage, .stages = line->cut.stages, .chunks = line->cut.chunks,
		.again = plan.recompute == RECOMPUTE_FULL };
	s->model = m->models[0];
	s->model.shares = line->cut.shares[stage];
	s->model.samples = plan.microbatch;
	s->model.beside_s = line->cut.exchange[stage];
	s->model.part = &s->part;
	s->devices = line->cut.devices[stage] * plan.replicas;
	line->devices += s->devices;
	s->like = 0;
	while (s->like < stage && !(line->stages[s->like].like == s->like && alike(s->model.training, &line->stages[s->like], s)))
		s->like++;
}

/* ---- the run ---- */

double mining_line_throughput(struct mining_line *line, const struct document *document)
{
	struct line_run run;
	double throughput = 0;

	pthread_mutex_lock(&line->guard);
	if (line_run(line->study, document, &run, NULL) == STATUS_OK) {
		throughput = document->values[PARAMETER_BATCH] / run.run.seconds;
		line_run_free(&run);
	}
	pthread_mutex_unlock(&line->guard);
	return throughput;
}

/* One design for all stages: the whole run, its layers dealt out anew. */
static struct judged judge_run(void *context, const struct mine_request *r, const struct design *design)
{
	struct mining_line *line = context;
	struct judged j = { .design = *design, .asked_row = { -1, -1 }, .area = space_area(r->space, design), .tdp = line->devices * space_tdp(r->space, design) };
	struct document document;

	document_copy(&document, &line->base);
	mining_cores(r->space, design, &document.values[PARAMETER_TC]);
	j.throughput = mining_line_throughput(line, &document);
	j.value = mine_value(r, j.throughput, j.tdp);
	document_free(&document);
	return j;
}

enum status mining_line_begin(struct study *study, struct mining *m, struct diagnostic *d)
{
	struct mining_line *line = arena_alloc(&m->arena, 1, sizeof *line);

	for (size_t i = 0; i < study->document.stage_count; i++)
		if (study->document.stages[i].accelerator >= 0)
			return diagnostic_fail(d, STATUS_INPUT, "mine: stage %d is of a kind of its own, whose cores are given; `stage %d free` takes that back", study->document.stages[i].stage, study->document.stages[i].stage);
	line->study = study;
	pthread_mutex_init(&line->guard, NULL);
	document_copy(&line->base, &study->document);
	for (size_t i = 0; i < line->base.stage_count; i++)
		memset(line->base.stages[i].cores, 0, sizeof line->base.stages[i].cores);
	m->line = line;          /* to be ended from here on */
	if (line_cut(study, &line->base, &m->arena, &line->cut, d) != STATUS_OK)
		return STATUS_INPUT;
	line->stages = arena_alloc(&m->arena, (size_t)line->cut.stages, sizeof *line->stages);
	for (int stage = 0; stage < line->cut.stages; stage++)
		fill_stage(m, line, stage);
	m->request.judge = judge_run;
	m->request.judge_context = line;
	return STATUS_OK;
}

void mining_line_end(struct mining_line *line)
{
	if (line == NULL)
		return;
	document_free(&line->base);
	pthread_mutex_destroy(&line->guard);
}

/* ---- stage by stage ---- */

static double worth(enum mine_metric metric, const struct judged *j)
{
	return metric == METRIC_THROUGHPUT ? j->throughput : judged_per_tdp(j);
}

/* In its place by the metric, whatever it was found by; once. */
static void add_best(struct line_found *found, int stage, enum mine_metric metric, const struct judged *j)
{
	struct judged *top = found->top[stage];
	int at = found->top_count[stage];

	for (int i = 0; i < at; i++)
		if (memcmp(&top[i].design, &j->design, sizeof j->design) == 0)
			return;
	found->top_count[stage]++;
	for (; at > 0 && worth(metric, &top[at - 1]) < worth(metric, j); at--)
		top[at] = top[at - 1];
	top[at] = *j;
}

/* Adds the best of a stage's own search, by a metric. */
static enum status search_stage(struct mining *m, enum mine_method method, int stage, enum mine_metric metric, int topk, struct miner *whole, struct line_found *found, struct diagnostic *d)
{
	struct mine_request request = m->request;
	struct miner miner;
	enum status status;

	request.models = &m->line->stages[stage].model;
	request.judge = NULL;
	request.metric = metric;
	request.floor = m->request.floor / study_run_plan(m->line->base.values).replicas;
	request.begin_count = 0;
	miner_init(&miner, &request);
	status = mine_run(method, &miner, d);
	found->stage_evaluations += miner.evaluations;
	miner_leave_out(whole, miner.paused_s);
	for (int i = 0; i < miner.top_count && i < topk; i++)
		add_best(found, stage, m->request.metric, &miner.top[i]);
	miner_free(&miner);
	/* where no design of one stage reaches the floor, the whole run tells */
	return status == STATUS_INFEASIBLE ? STATUS_OK : status;
}

static enum status search_stages(struct mining *m, enum mine_method method, struct miner *miner, struct line_found *found, struct diagnostic *d)
{
	int stages = m->line->cut.stages, topk = (int)m->line->base.values[PARAMETER_TOPK];
	enum status status = STATUS_OK;

	found->top = arena_alloc(&found->arena, (size_t)stages, sizeof *found->top);
	found->top_count = arena_alloc(&found->arena, (size_t)stages, sizeof *found->top_count);
	for (int stage = 0; stage < stages && status == STATUS_OK; stage++) {
		if (m->line->stages[stage].like != stage)
			continue;
		miner_part(miner, stage + 1, stages);
		found->top[stage] = arena_alloc(&found->arena, 2 * MINE_TOP_MAX, sizeof **found->top);
		status = search_stage(m, method, stage, METRIC_THROUGHPUT, topk, miner, found, d);
		if (status == STATUS_OK && m->request.metric != METRIC_THROUGHPUT)
			status = search_stage(m, method, stage, m->request.metric, topk, miner, found, d);
	}
	miner_part(miner, 0, 0);
	return status;
}

/* Once; returns how many there are then. */
static int add_candidate(struct design *candidates, int count, const struct design *design)
{
	for (int i = 0; i < count; i++)
		if (memcmp(&candidates[i], design, sizeof *design) == 0)
			return count;
	candidates[count] = *design;
	return count + 1;
}

/* The union of what an earlier search and the stages' searches found; returns how many. */
static int collect(const struct mining *m, enum mine_method method, const struct line_found *found, struct design *candidates)
{
	int count = 0;

	for (int i = 0; i < m->request.begin_count && method == METHOD_WHAM; i++)
		count = add_candidate(candidates, count, &m->request.begin_with[i]);
	for (int stage = 0; stage < m->line->cut.stages; stage++)
		for (int i = 0; i < found->top_count[stage]; i++)
			count = add_candidate(candidates, count, &found->top[stage][i].design);
	return count;
}

/* ---- one design for all ---- */

static void try_for_all(struct miner *miner, const struct design *candidates, int count)
{
	for (int i = 0; i < count; i++) {
		const struct judged *j = miner_try(miner, &candidates[i]);

		if (j == NULL)
			return;
		miner_tell(miner, MINED_TRIED, &candidates[i], j->value, -1);
	}
}

/* ---- one design for each ---- */

struct choice {
	double seconds, tdp;     /* of a microbatch; W of the stage's devices */
};

struct unlike {
	struct mining *m;
	struct miner *miner;
	const struct design *candidates;
	int count, stages;
	struct choice *choices;  /* stages x count */
	struct line_found *found;
};

static const struct choice *choice_at(const struct unlike *u, int stage, int i)
{
	return &u->choices[stage * u->count + i];
}

static bool measure_choices(struct unlike *u)
{
	struct mining_line *line = u->m->line;

	for (int stage = 0; stage < u->stages; stage++)
		for (int i = 0; i < u->count; i++) {
			const struct mining_stage *s = &line->stages[stage];
			struct choice *c = &u->choices[stage * u->count + i];
			struct mine_request request = u->m->request;

			if (!miner_goes_on(u->miner))
				return false;
			c->tdp = s->devices * space_tdp(&u->m->space, &u->candidates[i]);
			if (s->like != stage) {
				c->seconds = choice_at(u, s->like, i)->seconds;
				continue;
			}
			request.models = &s->model;
			request.judge = NULL;
			c->seconds = s->model.samples / mine_judge(&request, &u->candidates[i]).throughput;
			u->found->stage_evaluations++;
		}
	return true;
}

/* Of each stage the design of least TDP that takes at most so many seconds; where none is so fast, the fastest. */
static void choose(const struct unlike *u, double most, int *chosen)
{
	for (int stage = 0; stage < u->stages; stage++) {
		int best = -1;

		for (int i = 0; i < u->count; i++) {
			const struct choice *c = choice_at(u, stage, i), *b = best >= 0 ? choice_at(u, stage, best) : NULL;

			if (b == NULL || (b->seconds > most ? c->seconds < b->seconds : c->seconds <= most && (c->tdp < b->tdp || (c->tdp == b->tdp && c->seconds < b->seconds))))
				best = i;
		}
		chosen[stage] = best;
	}
}

void line_found_set(const struct mining *m, const struct line_designs *each, struct document *document)
{
	const struct line_cut *cut = &m->line->cut;

	/* other designs may have been set there before */
	for (int place = 0; place < cut->stages * cut->chunks; place++) {
		struct stage_rule rule = document_stage(document, place + 1);

		if (place < cut->stages)
			mining_cores(&m->space, &each->of_stage[place], rule.cores);
		rule.starts = each->pinned && place > 0 ? line_cut_row(cut, place) : document_stage(&m->line->base, place + 1).starts;
		document_set_stage(document, &rule);
	}
}

/* Plays the run of these; keeps it where it is better. */
static void try_for_each(struct unlike *u, const int *chosen, bool pinned)
{
	struct line_designs *best = &u->found->each, each = { .pinned = pinned };
	struct design designs[PIPELINE_STAGES_MAX];
	struct document document;

	each.of_stage = designs;
	for (int stage = 0; stage < u->stages; stage++) {
		designs[stage] = u->candidates[chosen[stage]];
		each.tdp += choice_at(u, stage, chosen[stage])->tdp;
	}
	document_copy(&document, &u->m->line->base);
	line_found_set(u->m, &each, &document);
	each.throughput = mining_line_throughput(u->m->line, &document);
	document_free(&document);
	each.value = mine_value(&u->m->request, each.throughput, each.tdp);
	if (best->of_stage != NULL && (each.value < best->value || (each.value == best->value && each.tdp >= best->tdp)))
		return;
	each.of_stage = best->of_stage != NULL ? best->of_stage : arena_alloc(&u->found->arena, (size_t)u->stages, sizeof *each.of_stage);
	memcpy(each.of_stage, designs, (size_t)u->stages * sizeof *designs);
	*best = each;
}

/* How long the longest stage may be. */
struct target {
	double seconds, hope;    /* of a microbatch; what the metric would be at best */
};

static int by_seconds(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static int by_hope(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	return x->hope != y->hope ? (x->hope < y->hope) - (x->hope > y->hope) : by_seconds(a, b);
}

/* Each length that some stage has with some candidate, once; the first is 0: the fastest of each. */
static struct target *list_targets(const struct unlike *u, size_t *count)
{
	struct target *targets = memory_alloc((size_t)(u->stages * u->count) + 1, sizeof *targets);
	size_t all = 1, kept = 1;

	for (int stage = 0; stage < u->stages; stage++)
		for (int i = 0; i < u->count && u->m->line->stages[stage].like == stage; i++)
			targets[all++].seconds = choice_at(u, stage, i)->seconds;
	qsort(targets, all, sizeof *targets, by_seconds);
	for (size_t i = 1; i < all; i++)
		if (targets[i].seconds > targets[kept - 1].seconds)
			targets[kept++] = targets[i];
	*count = kept;
	return targets;
}

/* For each length that the longest stage may have, the designs of least TDP; what promises most is played. */
static void search_each(struct unlike *u)
{
	const struct run_plan plan = study_run_plan(u->m->line->base.values);
	int *chosen = memory_alloc((size_t)u->stages, sizeof *chosen), tried = 0;
	size_t count;
	struct target *targets = list_targets(u, &count);

	/* the same for all is one of them, so that a design for each is never worse */
	for (int i = 0; i < u->count; i++)
		if (u->miner->top_count > 0 && memcmp(&u->candidates[i], &u->miner->top[0].design, sizeof *u->candidates) == 0) {
			for (int stage = 0; stage < u->stages; stage++)
				chosen[stage] = i;
			try_for_each(u, chosen, false);
			break;
		}
	for (size_t i = 0; i < count && miner_goes_on(u->miner); i++) {
		double longest = 0, tdp = 0;

		choose(u, targets[i].seconds, chosen);
		for (int stage = 0; stage < u->stages; stage++) {
			longest = fmax(longest, choice_at(u, stage, chosen[stage])->seconds);
			tdp += choice_at(u, stage, chosen[stage])->tdp;
		}
		/* all microbatches of the longest stage, and the others once before and behind it */
		targets[i].hope = mine_value(&u->m->request, plan.batch / ((run_microbatches(&plan) + u->stages - 1) * longest), tdp);
	}
	qsort(targets, count, sizeof *targets, by_hope);
	for (size_t i = 0; i < count && tried < PLAYED_MOST && miner_goes_on(u->miner); i++) {
		choose(u, targets[i].seconds, chosen);
		try_for_each(u, chosen, false);
		try_for_each(u, chosen, true);
		tried++;
	}
	memory_free(targets);
	memory_free(chosen);
}

static void find_each(struct mining *m, struct miner *miner, const struct design *candidates, int count, struct line_found *found)
{
	struct unlike u = { .m = m, .miner = miner, .candidates = candidates, .count = count, .stages = m->line->cut.stages, .found = found };

	u.choices = memory_alloc((size_t)(u.stages * count), sizeof *u.choices);
	if (measure_choices(&u))
		search_each(&u);
	if (miner->top_count > 0 && found->each.of_stage != NULL) {
		found->each.gain = found->each.throughput / miner->top[0].throughput - 1;
		found->each.gain_per_w = (found->each.gain + 1) * miner->top[0].tdp / found->each.tdp - 1;
	}
	memory_free(u.choices);
}

/* ---- both ---- */

enum status mining_line_search(struct mining *m, enum mine_method method, struct miner *miner, struct line_found *found, struct diagnostic *d)
{
	struct design *candidates;
	enum status status = mine_check_limits(&m->space, d);

	/* ours searches by the whole run too: from scratch, since what is best for a stage alone may be far from it, and below from the candidates */
	if (status == STATUS_OK && method == METHOD_WHAM && m->request.begin_count == 0)
		mine_wham(miner);
	if (status == STATUS_OK)
		status = search_stages(m, method, miner, found, d);
	if (status != STATUS_OK)
		return status;
	candidates = arena_alloc(&found->arena, ((size_t)m->line->cut.stages * 2 + 1) * MINE_TOP_MAX + 1, sizeof *candidates);
	found->candidates = collect(m, method, found, candidates);
	try_for_all(miner, candidates, found->candidates);
	if (method == METHOD_WHAM) {
		found->request = m->request;
		found->request.begin_with = candidates;
		found->request.begin_count = found->candidates;
		miner_hold(miner);
		miner->request = &found->request;
		miner_release(miner);
		mine_wham(miner);
		if (miner->top_count > 0)
			found->candidates = add_candidate(candidates, found->candidates, &miner->top[0].design);
	}
	if (found->candidates > 0 && miner_goes_on(miner))
		find_each(m, miner, candidates, found->candidates, found);
	status = mine_ended(miner, d);
	return status == STATUS_INFEASIBLE && found->each.value > 0 ? STATUS_OK : status;
}

void line_found_free(struct line_found *found)
{
	if (found == NULL)
		return;
	arena_free(&found->arena);
	memory_free(found);
}

void line_found_commands(const struct mining *m, const struct line_designs *each, struct text *out)
{
	struct document document;

	document_copy(&document, &m->line->base);
	line_found_set(m, each, &document);
	for (size_t i = 0; i < document.stage_count; i++)
		stage_rule_write(&document.stages[i], out);
	document_free(&document);
}
