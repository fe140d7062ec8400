/* The chart of the path view: its lanes and bars, and the window of time that is shown. */
#include "ui/inside.h"

#include "ui/path.h"

#include <math.h>
#include <string.h>

enum { LANES_MOST = 16, TABLE_LEAST = 3 };

static const struct step *step_of(const struct explorer *e)
{
	return e->results->step;
}

/* ---- lanes and bars ---- */

/* Lanes of each kind of core, in the room there is; the last of a kind stands for all that have none of their own. */
struct lanes {
	struct gantt_lane lane[2 * LANES_MOST + 2];
	int count;
	int memory;              /* the lane of what runs on no core, such as a look-up; -1 = there is none */
	int first[RESOURCE_COUNT], shown[RESOURCE_COUNT];
};

static void add_lanes(struct lanes *l, enum resource r, int cores, int room)
{
	l->first[r] = l->count;
	l->shown[r] = cores < room ? cores : room;
	for (int i = 0; i < l->shown[r]; i++) {
		struct gantt_lane *lane = &l->lane[l->count++];

		lane->merged = i + 1 < l->shown[r] ? 1 : cores - i;
		snprintf(lane->label, sizeof lane->label, "%s%d", resource_lane(r), i);
		if (lane->merged == 1)
			continue;
		snprintf(lane->label, sizeof lane->label, "%s%d-%d", resource_lane(r), i, cores - 1);
		if (strlen(lane->label) > GANTT_LABEL_COLS - 2)
			snprintf(lane->label, sizeof lane->label, "%s%d+", resource_lane(r), i);
	}
}

/* True when some task takes time and no core. */
static bool any_without_core(const struct step *step)
{
	for (int task = 0; task < step->task_count; task++)
		if (step->tasks[task].core == CORE_NONE && step->tasks[task].seconds > 0)
			return true;
	return false;
}

static struct lanes lay_lanes(const struct explorer *e, int room)
{
	const struct step *step = step_of(e);
	int tc = step->graph.cores[RESOURCE_TC], vc = step->graph.cores[RESOURCE_VC], most;
	struct lanes l = { .count = 0, .memory = -1 };
	bool memory = any_without_core(step);

	room = room - 1 - memory > 2 * LANES_MOST ? 2 * LANES_MOST : room - 1 - memory;
	/* a kind that needs less than its half leaves the rest to the other */
	most = vc < room / 2 ? room - vc : tc < room / 2 ? tc : room - room / 2;
	add_lanes(&l, RESOURCE_TC, tc, most > 0 ? most : 1);
	add_lanes(&l, RESOURCE_VC, vc, room - l.shown[RESOURCE_TC] > 0 ? room - l.shown[RESOURCE_TC] : 1);
	if (memory) {
		l.memory = l.count;
		l.lane[l.count++] = (struct gantt_lane){ "memory", 1 };
	}
	l.lane[l.count++] = (struct gantt_lane){ "path", 1 };
	return l;
}

static const char *pass_glyph(const struct explorer *e, enum pass pass)
{
	static const enum glyph glyphs[PASS_COUNT] = {
		[PASS_FWD] = GLYPH_FORWARD, [PASS_LOSS] = GLYPH_LOSS, [PASS_BWD_DATA] = GLYPH_BACKWARD, [PASS_BWD_WEIGHT] = GLYPH_GRADIENT, [PASS_UPDATE] = GLYPH_UPDATE
	};

	return style_glyph(glyphs[pass], e->ascii);
}

static void add_bar(struct path_pane *pane, struct gantt_bar bar)
{
	pane->bars = memory_grow(pane->bars, &pane->bar_capacity, (size_t)pane->bar_count + 1, sizeof bar);
	pane->bars[pane->bar_count++] = bar;
}

/* Of one task in one kind of core: in its lane, or in all when it spreads. */
static void add_bars(struct path_pane *pane, struct gantt_bar bar, const struct lanes *l, enum resource r, int core)
{
	for (int i = 0; i < l->shown[r]; i++) {
		if (core != CORE_ALL && i != (core < l->shown[r] ? core : l->shown[r] - 1))
			continue;
		bar.lane = l->first[r] + i;
		bar.cores = core == CORE_ALL ? l->lane[bar.lane].merged : 1;
		add_bar(pane, bar);
	}
}

static void lay_bars(struct explorer *e, const struct lanes *l)
{
	const struct step *step = step_of(e);
	struct path_pane *pane = &e->path;

	pane->bar_count = 0;
	for (int task = 0; task < step->task_count; task++) {
		const struct placing *p = &step->schedule.tasks[task];
		int node = step->tasks[task].node;
		struct gantt_bar bar = { .id = node, .start = p->start, .end = p->end, .glyph = pass_glyph(e, e->results->training->nodes[node].pass),
			.style = step->bounds.tasks[task].critical ? STYLE_ACCENT : STYLE_TEXT };

		for (int r = 0; r < RESOURCE_LINK; r++)
			if (p->core[r] != CORE_UNUSED)
				add_bars(pane, bar, l, (enum resource)r, p->core[r]);
		if (step->tasks[task].core == CORE_NONE && l->memory >= 0 && p->end > p->start) {
			bar.lane = l->memory;
			bar.cores = 1;
			add_bar(pane, bar);
		}
	}
	for (int last = schedule_last(&step->schedule); last >= 0; last = step->schedule.tasks[last].waited_for) {
		int node = step->tasks[last].node;
		struct gantt_bar bar = { .lane = l->count - 1, .id = node, .cores = 1, .start = step->schedule.tasks[last].start, .end = step->schedule.tasks[last].end,
			.glyph = pass_glyph(e, e->results->training->nodes[node].pass), .style = STYLE_ACCENT };

		add_bar(pane, bar);
	}
}

/* ---- the window of time ---- */

void path_clamp(struct explorer *e)
{
	struct path_pane *pane = &e->path;
	double all = step_of(e)->schedule.makespan;

	if (!(pane->span > 0) || pane->span >= all) {
		pane->span = all;
		pane->from = 0;
	}
	if (pane->from + pane->span > all)
		pane->from = all - pane->span;
	if (pane->from < 0)
		pane->from = 0;
}

/* Pans so that the focused operator can be seen. */
void path_follow(struct explorer *e)
{
	struct path_pane *pane = &e->path;
	int node = path_focused(e);
	const struct placing *p;

	if (node < 0)
		return;
	p = &step_of(e)->schedule.tasks[step_of(e)->nodes[node].task];
	if (p->end <= pane->from || p->start < pane->from)
		pane->from = p->start - pane->span * 0.1;
	else if (p->start >= pane->from + pane->span)
		pane->from = p->start - pane->span * 0.9;
	path_clamp(e);
}

enum status path_zoom(struct explorer *e, double factor, struct diagnostic *d)
{
	struct path_pane *pane = &e->path;
	int node = path_focused(e);
	double middle, part;

	if (step_of(e) == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "there is no step to zoom into");
	middle = node >= 0 ? step_of(e)->schedule.tasks[step_of(e)->nodes[node].task].start : pane->from + pane->span / 2;
	part = (middle - pane->from) / pane->span;
	if (!(part >= 0 && part <= 1))
		part = 0.5;
	if (pane->span * factor < step_of(e)->schedule.makespan * 1e-6)
		return diagnostic_fail(d, STATUS_INPUT, "this is as near as it goes");
	pane->span *= factor;
	pane->from = middle - part * pane->span;
	path_clamp(e);
	return STATUS_OK;
}

enum status path_pan(struct explorer *e, int direction, struct diagnostic *d)
{
	if (step_of(e) == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "there is no step to move over");
	e->path.from += direction * 0.25 * e->path.span;
	path_clamp(e);
	return STATUS_OK;
}

/* ---- drawing ---- */

static int lane_rows(const struct explorer *e, int rows)
{
	const struct step *step = step_of(e);
	int64_t wanted = (int64_t)step->graph.cores[RESOURCE_TC] + step->graph.cores[RESOURCE_VC] + 1 + any_without_core(step);
	int most = rows - GANTT_AXIS_ROWS - TABLE_LEAST - 1;

	most = most > rows / 2 ? rows / 2 : most;
	most = most < 3 ? 3 : most;
	return wanted < most ? (int)wanted : most;
}

static struct gantt gantt_of(const struct explorer *e, const struct lanes *lanes)
{
	return (struct gantt){ .lanes = lanes->lane, .lane_count = lanes->count, .bars = e->path.bars, .bar_count = e->path.bar_count, .from = e->path.from,
		.span = e->path.span, .focus = path_focused(e), .focused = e->focus == FOCUS_ROWS, .ascii = e->ascii };
}

static void draw_legend(struct explorer *e, struct rect area, int row, bool merged)
{
	static const char *const words[PASS_COUNT] = {
		[PASS_FWD] = "forward", [PASS_LOSS] = "loss", [PASS_BWD_DATA] = "backward", [PASS_BWD_WEIGHT] = "weight gradient", [PASS_UPDATE] = "update"
	};
	int col = area.col + 1;

	for (int pass = 0; pass < PASS_COUNT; pass++) {
		if (col + text_width(words[pass]) + 2 > area.col + area.cols)
			break;
		col += cells_put(&e->cells, area, row, col, STYLE_TEXT, pass_glyph(e, (enum pass)pass)) + 1;
		col += cells_put(&e->cells, area, row, col, STYLE_DIM, words[pass]) + 2;
	}
	if (col + (int)strlen("critical") <= area.col + area.cols)
		col += cells_put(&e->cells, area, row, col, STYLE_ACCENT, "critical") + 2;
	if (merged && col + (int)strlen("x some") <= area.col + area.cols) {
		col += cells_put(&e->cells, area, row, col, STYLE_TEXT, e->ascii ? "5" : "▄") + 1;
		cells_put(&e->cells, area, row, col, STYLE_DIM, "some");
	}
}

int path_chart_rows(const struct explorer *e, int rows)
{
	return lane_rows(e, rows) + GANTT_AXIS_ROWS;
}

int path_chart_draw(struct explorer *e, struct rect area)
{
	struct lanes lanes = lay_lanes(e, lane_rows(e, area.rows));
	struct gantt gantt;
	int rows = lanes.count + GANTT_AXIS_ROWS;
	bool merged = false;

	for (int i = 0; i < lanes.count; i++)
		merged |= lanes.lane[i].merged > 1;
	lay_bars(e, &lanes);
	gantt = gantt_of(e, &lanes);
	gantt_draw(&gantt, &e->cells, (struct rect){ area.row, area.col, rows, area.cols });
	if (area.rows - rows > TABLE_LEAST + 2)
		draw_legend(e, area, area.row + rows++, merged);
	return rows;
}

int path_chart_at(const struct explorer *e, struct rect area, int row, int col)
{
	struct lanes lanes = lay_lanes(e, lane_rows(e, area.rows));
	struct gantt gantt = gantt_of(e, &lanes);
	double moment = gantt_moment(&gantt, area.cols, col);

	for (int i = 0; i < e->path.bar_count && row < lanes.count; i++)
		if (e->path.bars[i].lane == row && moment >= e->path.bars[i].start && moment < e->path.bars[i].end)
			return e->path.bars[i].id;
	return -1;
}
