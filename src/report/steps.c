/* Each step of a search for an accelerator, in a sentence: what was asked for, what was changed, what it gained, why a branch ended. */
#include "report/race.h"

#include <stdio.h>
#include <string.h>

static const struct mine_event *event_at(const struct miner *m, int event)
{
	return event >= 0 ? &m->events[event] : NULL;
}

/* The design of which this one is the next: for the end of a branch, that of the branch's parent. */
static const struct mine_event *before(const struct miner *m, const struct mine_event *e)
{
	const struct mine_event *at = event_at(m, e->parent);

	if (e->kind != MINED_PRUNED)
		return at;
	while (at != NULL && at->kind != MINED_TRIED)
		at = event_at(m, at->parent);
	return at != NULL ? event_at(m, at->parent) : NULL;
}

int report_step_depth(const struct miner *m, int event)
{
	int depth = 0;

	for (const struct mine_event *e = event_at(m, m->events[event].parent); e != NULL; e = event_at(m, e->parent))
		depth += e->kind == MINED_TRIED;
	return depth;
}

/* cores: the numbers of cores too; a branch begins with one of each kind again. */
static void add_changes(const struct design_space *space, const struct design *from, const struct design *to, bool cores, struct text *out)
{
	bool any = false;

	for (int axis = 0; axis < AXIS_COUNT; axis++) {
		if (from->log[axis] == to->log[axis] || (axis == AXIS_LANES && !space->free_lanes) || (!cores && (axis == AXIS_TC || axis == AXIS_VC)))
			continue;
		text_printf(out, "%s%s ", any ? ", " : "", design_axis_name((enum design_axis)axis));
		if (axis == AXIS_GLB)
			text_printf(out, "%d to %d MiB", 1 << (from->log[axis] - 20), 1 << (to->log[axis] - 20));
		else
			text_printf(out, "%d to %d", 1 << from->log[axis], 1 << to->log[axis]);
		any = true;
	}
}

/* floor: the metric has one. */
static void add_gain(const struct mine_event *from, const struct mine_event *to, bool floor, struct text *out)
{
	if (from == NULL || !(from->value > 0))
		text_printf(out, to->value > 0 ? ": %.6g" : floor ? ": below the floor" : ": it cannot run", to->value);
	else
		text_printf(out, ": %.6g, %+.2f %%", to->value, 100 * (to->value / from->value - 1));
}

/* Who on the critical path asked for the cores that were added. */
static void add_conflict(const struct mining *mining, const struct miner *m, const struct mine_event *from, const struct mine_event *to, struct text *out)
{
	int vector = to->design.log[AXIS_VC] > from->design.log[AXIS_VC];
	const struct judged *j = miner_tried(m, &from->design);
	const struct model *model = mining->models[0].training->model;

	if (j == NULL || (vector ? j->asked_vc : j->asked_tc) <= 0 || to->design.log[vector ? AXIS_VC : AXIS_TC] <= from->design.log[vector ? AXIS_VC : AXIS_TC])
		return;
	if (j->asked_row[vector] < 0)
		text_add(out, ", asked for most by the loss");
	else
		text_printf(out, ", asked for most by %s, forward and backward", model->operators[j->asked_row[vector]].name);
}

/* Why no more cores were added. */
static void add_end(const struct mining *mining, const struct miner *m, const struct mine_event *e, struct text *out)
{
	const struct judged *j = miner_tried(m, &e->design);
	bool fits = false;

	if (j == NULL)
		return;
	if (j->asked_tc <= 0 && j->asked_vc <= 0) {
		text_add(out, "nothing on the critical path waits for a core");
		return;
	}
	for (int vector = 0; vector < 2; vector++) {
		struct design more = e->design;

		if ((vector ? j->asked_vc : j->asked_tc) <= 0)
			continue;
		more.log[vector ? AXIS_VC : AXIS_TC]++;
		fits = fits || space_limit(&mining->space, &more) == LIMIT_NONE;
	}
	text_add(out, fits ? "more cores gain nothing" : "more cores do not fit the budget");
}

void report_step(const struct mining *mining, const struct miner *m, int event, struct text *out)
{
	const struct mine_event *e = &m->events[event], *from = before(m, e);
	bool floor = mining->request.metric != METRIC_THROUGHPUT;
	char design[80];

	mining_design(&mining->space, &e->design, design, sizeof design);
	switch (e->kind) {
	case MINED_TRIED:
		text_printf(out, "%s %s", from == NULL ? "begins with" : "branch", design);
		if (from != NULL) {
			text_add(out, ": ");
			add_changes(&mining->space, &from->design, &e->design, false, out);
		}
		add_gain(from, e, floor, out);
		break;
	case MINED_LOOKED:
		text_printf(out, "looks at %s", design);
		add_gain(from, e, floor, out);
		break;
	case MINED_ADDED: case MINED_STEPPED: case MINED_TRADED:
		if (from != NULL)
			add_changes(&mining->space, &from->design, &e->design, true, out);
		if (from != NULL && e->kind != MINED_TRADED)
			add_conflict(mining, m, from, e, out);
		add_gain(from, e, floor, out);
		break;
	case MINED_KEPT:
		text_printf(out, "keeps %s: ", design);
		add_end(mining, m, e, out);
		break;
	case MINED_BRANCHED:
		text_printf(out, "opens %s, the best of the open ones: each dimension is halved", design);
		break;
	case MINED_PRUNED:
		text_printf(out, "prunes %s: no better than its parent", design);
		if (from != NULL && from->value > 0)
			text_printf(out, ", %+.2f %%", 100 * (e->value / from->value - 1));
		text_printf(out, ", for %d level%s", m->request->hysteresis, m->request->hysteresis == 1 ? "" : "s");
		break;
	case MINED_SETTLED:
		text_printf(out, "settles on %s: nothing next to it is better", design);
		break;
	case MINED_COUNT:
		break;
	}
}
