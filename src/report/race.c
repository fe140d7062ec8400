/* A search for an accelerator, or a race of searches, as text and as JSON. */
#include "report/race.h"

#include "base/units.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

static json_t *design_json(const struct mining *m, const struct judged *j)
{
	struct machine machine = space_machine(&m->space, &j->design);
	json_t *out = json_object();

	json_object_set_new(out, "tc", json_integer(machine.tc));
	json_object_set_new(out, "tc_rows", json_integer(machine.tc_rows));
	json_object_set_new(out, "tc_cols", json_integer(machine.tc_cols));
	json_object_set_new(out, "vc", json_integer(machine.vc));
	json_object_set_new(out, "vc_lanes", json_integer(machine.vc_lanes));
	json_set_number(out, "glb_bytes", machine.glb);
	json_set_number(out, "throughput", j->throughput);
	json_set_number(out, "perf_per_tdp", judged_per_tdp(j));
	json_set_number(out, "area_mm2", j->area);
	json_set_number(out, "tdp_w", j->tdp);
	return out;
}

static json_t *fixed_json(const struct mining *m)
{
	json_t *list = json_array();

	for (int i = 0; i < MINING_FIXED; i++) {
		struct judged j = mining_fixed_judged(m, i);
		json_t *entry = design_json(m, &j);

		json_set_text(entry, "name", mining_fixed(i)->name);
		json_array_append_new(list, entry);
	}
	return list;
}

static json_t *design_axes_json(const struct mining *m, const struct design *design)
{
	struct judged j = { .design = *design, .tdp = space_tdp(&m->space, design), .area = space_area(&m->space, design) };
	json_t *out = design_json(m, &j);

	json_object_del(out, "throughput");
	json_object_del(out, "perf_per_tdp");
	return out;
}

/* Of a run on stages: what each stage's own search found, and the best run with a design for each. */
static void line_json(const struct mining *m, const struct line_found *found, int topk, json_t *out)
{
	const struct line_designs *e = &found->each;
	json_t *stages = json_array(), *each = json_object(), *designs = json_array(), *lines = json_array();
	struct text commands = { 0 };

	for (int stage = 0; stage < m->line->cut.stages; stage++) {
		const struct mining_stage *s = &m->line->stages[stage];
		json_t *entry = json_object(), *top = json_array();

		json_object_set_new(entry, "stage", json_integer(stage + 1));
		json_object_set_new(entry, "like", json_integer(s->like + 1));
		json_set_number(entry, "devices", s->devices);
		/* none when it was stopped before */
		for (int i = 0; found->top_count != NULL && i < found->top_count[stage] && i < topk; i++)
			json_array_append_new(top, design_json(m, &found->top[stage][i]));
		json_object_set_new(entry, "topk", top);
		json_array_append_new(stages, entry);
		if (e->of_stage != NULL)
			json_array_append_new(designs, design_axes_json(m, &e->of_stage[stage]));
	}
	json_object_set_new(out, "stages", stages);
	json_object_set_new(out, "stage_evaluations", json_integer(found->stage_evaluations));
	json_object_set_new(out, "candidates", json_integer(found->candidates));
	json_object_set_new(each, "designs", designs);
	json_set_number(each, "throughput", e->throughput);
	json_set_number(each, "perf_per_tdp", e->tdp > 0 ? e->throughput / e->tdp : 0);
	json_set_number(each, "tdp_w", e->tdp);
	if (e->of_stage != NULL)
		line_found_commands(m, e, &commands);
	for (const char *at = text_string(&commands); *at != '\0'; at += strcspn(at, "\n") + 1)
		json_array_append_new(lines, json_stringn(at, strcspn(at, "\n")));
	text_free(&commands);
	json_object_set_new(each, "commands", lines);
	json_object_set_new(out, "each", each);
}

/* What one method found, into an object. */
static void entrant_json(const struct race *race, enum mine_method method, int topk, bool steps, json_t *out)
{
	const struct race_entrant *e = &race->entrants[method];
	const struct miner *miner = &e->miner;
	json_t *top = json_array(), *curve = json_array(), *told = json_array();

	json_set_text(out, "method", mine_method_name(method));
	json_object_set_new(out, "evaluations", json_integer(miner->evaluations));
	json_set_number(out, "seconds", race_seconds(e));
	json_set_text(out, "state", race_state_name(e));
	if (miner->top_count > 0)
		json_object_set_new(out, "best", design_json(&race->mining, &miner->top[0]));
	for (int i = 0; i < miner->top_count && i < topk; i++)
		json_array_append_new(top, design_json(&race->mining, &miner->top[i]));
	json_object_set_new(out, "topk", top);
	for (size_t i = 0; i < miner->curve_count; i++) {
		json_t *point = json_object();

		json_object_set_new(point, "evaluations", json_integer(miner->curve[i].evaluations));
		json_set_number(point, "seconds", miner->curve[i].seconds);
		json_set_number(point, "value", miner->curve[i].value);
		json_array_append_new(curve, point);
	}
	json_object_set_new(out, "curve", curve);
	json_object_set_new(out, "pruned", json_integer(miner->pruned));
	if (miner->top_count > 0)
		json_set_text(out, "limit", mining_limit_word(mining_limit(&race->mining, &miner->top[0])));
	if (race_line(e) != NULL)
		line_json(&race->mining, race_line(e), topk, out);
	if (miner->bound > 0) {
		json_set_number(out, "bound", miner->bound);
		json_object_set_new(out, "proven", json_boolean(miner->proven));
	}
	if (e->trouble[0] != '\0')
		json_set_text(out, "trouble", e->trouble);
	for (size_t i = 0; steps && i < miner->event_count; i++) {
		json_t *step = json_object();
		struct text sentence = { 0 };

		report_step(&race->mining, miner, (int)i, &sentence);
		json_set_text(step, "kind", mine_event_name(miner->events[i].kind));
		json_object_set_new(step, "evaluations", json_integer(miner->events[i].evaluations));
		json_set_number(step, "value", miner->events[i].value);
		json_object_set_new(step, "parent", json_integer(miner->events[i].parent));
		json_set_text(step, "text", text_string(&sentence));
		json_array_append_new(told, step);
		text_free(&sentence);
	}
	if (steps)
		json_object_set_new(out, "steps", told);
	else
		json_decref(told);
}

static void write_json(struct race *race, unsigned methods, int topk, bool steps, struct text *out)
{
	const struct mining *m = &race->mining;
	bool several = (methods & (methods - 1)) != 0;
	double best = race_best(race);
	json_t *root = json_begin(), *list = json_array(), *models = json_array();

	for (int i = 0; i < m->request.model_count; i++)
		json_array_append_new(models, json_string(m->names[i]));
	json_object_set_new(root, "models", models);
	json_set_text(root, "metric", mine_metric_name(m->request.metric));
	if (m->request.metric == METRIC_PERF_PER_TDP)
		json_set_number(root, "min_throughput", m->request.floor);
	for (int i = 0; i < METHOD_COUNT; i++) {
		struct race_entrant *e = &race->entrants[i];
		struct mine_point when;
		json_t *entry;

		if (!(methods & 1u << i))
			continue;
		entry = several ? json_object() : root;
		miner_hold(&e->miner);
		entrant_json(race, (enum mine_method)i, topk, steps, entry);
		if (several && e->miner.top_count > 0)
			json_set_number(entry, "of_best", e->miner.top[0].value / best);
		if (several && race_reached(e, best, &when)) {
			json_object_set_new(entry, "evaluations_to_1pct", json_integer(when.evaluations));
			json_set_number(entry, "seconds_to_1pct", when.seconds);
		}
		miner_release(&e->miner);
		if (several)
			json_array_append_new(list, entry);
	}
	if (several)
		json_object_set_new(root, "race", list);
	else
		json_decref(list);
	json_object_set_new(root, "fixed", fixed_json(m));
	json_end(root, out);
}

static const char design_format[] = "%-12s %-13s %10s %9s %12s %12s %9s %9s\n";

static void design_line(const struct mining *m, const char *name, const struct judged *j, struct text *out)
{
	struct machine machine = space_machine(&m->space, &j->design);
	char cores[40];

	snprintf(cores, sizeof cores, "%lldx%lldx%lld", (long long)machine.tc, (long long)machine.tc_rows, (long long)machine.tc_cols);
	text_printf(out, "%-12s %-13s %5lldx%-4lld %5.0f MiB %12.6g %12.6g %9.4g %9.4g\n", name, cores, (long long)machine.vc, (long long)machine.vc_lanes, machine.glb / 0x1p20, j->throughput,
		judged_per_tdp(j), j->area, j->tdp);
}

static void fixed_lines(const struct mining *m, struct text *out)
{
	for (int i = 0; i < MINING_FIXED; i++) {
		struct judged j = mining_fixed_judged(m, i);

		design_line(m, mining_fixed(i)->name, &j, out);
	}
}

/* A design for each stage, and what the run makes of them beside one for all. */
static void each_text(const struct mining *m, const struct line_designs *e, struct text *out)
{
	char design[80];

	if (e->of_stage == NULL)
		return;
	text_printf(out, "\na design for each stage: %.6g samples/s, %.6g for each W, %.4g W: %+.2f %% and %+.2f %% against one for all\n", e->throughput, e->throughput / e->tdp, e->tdp, 100 * e->gain,
		100 * e->gain_per_w);
	for (int stage = 0, last; stage < m->line->cut.stages; stage = last + 1) {
		for (last = stage; last + 1 < m->line->cut.stages && memcmp(&e->of_stage[last + 1], &e->of_stage[stage], sizeof *e->of_stage) == 0;)
			last++;
		mining_design(&m->space, &e->of_stage[stage], design, sizeof design);
		if (last > stage)
			text_printf(out, "stages %d to %d: %s\n", stage + 1, last + 1, design);
		else
			text_printf(out, "stage %d: %s\n", stage + 1, design);
	}
	line_found_commands(m, e, out);
}

static void heading(const struct mining *m, struct text *out)
{
	for (int i = 0; i < m->request.model_count; i++)
		text_printf(out, "%s%s", i > 0 ? ", " : "", m->names[i]);
	text_printf(out, ": %s", mine_metric_name(m->request.metric));
	if (m->request.metric == METRIC_PERF_PER_TDP)
		text_printf(out, ", at least %.6g samples/s", m->request.floor);
	if (m->line != NULL)
		text_printf(out, " on %d stage%s, %.0f accelerator%s", m->line->cut.stages, m->line->cut.stages == 1 ? "" : "s", m->line->devices, m->line->devices == 1 ? "" : "s");
}

static void steps_text(const struct race *race, const struct miner *miner, struct text *out)
{
	text_add(out, "\nafter designs, step\n");
	for (size_t i = 0; i < miner->event_count; i++) {
		text_printf(out, "%6lld  %*s", (long long)miner->events[i].evaluations, 2 * report_step_depth(miner, (int)i), "");
		report_step(&race->mining, miner, (int)i, out);
		text_add(out, "\n");
	}
}

/* Of methods that prove one. */
static void bound_line(const struct miner *miner, struct text *out)
{
	if (miner->bound > 0)
		text_printf(out, "however it is scheduled, no design exceeds %.6g%s\n", miner->bound, miner->proven ? ": proven" : ", as far as proven");
}

/* Why the best is no better. */
static const char *end_of(const struct race *race, enum mine_method method)
{
	static const char *const stops[] = { [MINING_AREA] = "area_limit: more cores would not fit", [MINING_POWER] = "power_limit: more cores would exceed it",
		[MINING_BOUND] = "the critical path: more cores would wait for it" };
	const struct race_entrant *e = &race->entrants[method];
	enum mining_limit limit;

	if (atomic_load(&e->state) != RACE_DONE)
		return atomic_load(&e->state) == RACE_RUNNING ? "nothing yet: the search has not ended" : "it was stopped before its end";
	limit = mining_limit(&race->mining, &e->miner.top[0]);
	if (limit != MINING_NONE && (method != METHOD_ILP || e->miner.proven))
		return stops[limit];
	if (method == METHOD_ILP && !e->miner.proven)
		return "time_limit or the designs it may schedule: not all could be proven";
	return method == METHOD_EXHAUSTIVE ? "no design is better" : method == METHOD_WHAM ? "nothing next to it is better" : "the search found no better one";
}

static void one_text(struct race *race, enum mine_method method, int topk, bool steps, struct text *out)
{
	const struct mining *m = &race->mining;
	struct race_entrant *e = &race->entrants[method];
	const struct miner *miner = &e->miner;
	char name[24];

	miner_hold(&e->miner);
	heading(m, out);
	text_printf(out, " by %s, %lld designs scheduled", mine_method_name(method), (long long)miner->evaluations);
	if (race_line(e) != NULL)
		text_printf(out, " for the whole run and %lld for single stages", (long long)race_line(e)->stage_evaluations);
	text_printf(out, " in %.3g s\n", race_seconds(e));
	if (miner->top_count > 0)
		text_printf(out, "what stops it: %s\n", end_of(race, method));
	bound_line(miner, out);
	text_add(out, "\n");
	text_printf(out, design_format, "", "tensor cores", "vector", "buffer", "samples/s", "for each W", "mm2", "TDP W");
	for (int i = 0; i < miner->top_count && i < topk; i++) {
		snprintf(name, sizeof name, i == 0 ? "best" : "%d", i + 1);
		design_line(m, name, &miner->top[i], out);
	}
	fixed_lines(m, out);
	if (miner->top_count > 0) {
		text_add(out, "\n");
		mining_commands(m, &miner->top[0].design, &race->document, out);
	}
	if (race_line(e) != NULL)
		each_text(m, &race_line(e)->each, out);
	if (steps)
		steps_text(race, miner, out);
	miner_release(&e->miner);
}

/* How good each was, and how soon it was within 1 % of the best of all. */
static void race_text(struct race *race, unsigned methods, bool steps, struct text *out)
{
	const struct mining *m = &race->mining;
	double best = race_best(race);

	heading(m, out);
	text_printf(out, "\n\n%-12s %12s %8s %9s %9s %11s %11s  %s\n", "", "value", "of best", "designs", "seconds", "to 1 %", "seconds", "design");
	for (int i = 0; i < METHOD_COUNT; i++) {
		struct race_entrant *e = &race->entrants[i];
		struct mine_point when;
		char design[80];

		if (!(methods & 1u << i))
			continue;
		miner_hold(&e->miner);
		if (e->miner.top_count == 0) {
			text_printf(out, "%-12s %s\n", mine_method_name((enum mine_method)i), e->trouble[0] != '\0' ? e->trouble : "nothing yet");
		} else {
			mining_design(&m->space, &e->miner.top[0].design, design, sizeof design);
			text_printf(out, "%-12s %12.6g %8.4f %9lld %9.3g ", mine_method_name((enum mine_method)i), e->miner.top[0].value, e->miner.top[0].value / best, (long long)e->miner.evaluations, race_seconds(e));
			if (race_reached(e, best, &when))
				text_printf(out, "%11lld %11.3g  %s\n", (long long)when.evaluations, when.seconds, design);
			else
				text_printf(out, "%11s %11s  %s\n", "never", "", design);
			if (steps)
				steps_text(race, &e->miner, out);
		}
		miner_release(&e->miner);
	}
	for (int i = 0; i < METHOD_COUNT; i++) {
		struct miner *miner = &race->entrants[i].miner;

		if (!(methods & 1u << i))
			continue;
		miner_hold(miner);
		bound_line(miner, out);
		miner_release(miner);
	}
	text_add(out, "\nfixed designs\n");
	text_printf(out, design_format, "", "tensor cores", "vector", "buffer", "samples/s", "for each W", "mm2", "TDP W");
	fixed_lines(m, out);
}

void report_race(struct race *race, unsigned methods, int topk, enum report_form form, bool steps, struct text *out)
{
	int which = 0;

	while (!(methods & 1u << which))
		which++;
	if (form == REPORT_JSON)
		write_json(race, methods, topk, steps, out);
	else if (methods != 1u << which)
		race_text(race, methods, steps, out);
	else
		one_text(race, (enum mine_method)which, topk, steps, out);
}
