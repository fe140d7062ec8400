/* The search view: methods that search for an accelerator, their best designs, every step they took, and how soon each was how good.
 *
 * Pages side by side where there is room, else one at a time.  All is read from the race as it goes on; nothing is computed here. */
#include "ui/search.h"

#include "report/race.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_COL = 3, WIDE_ROWS = 34, WIDE_COLS = 130, DETAIL_ROWS = 3, LEAST_CHART = 6 };

static const char *const page_names[SEARCH_PAGE_COUNT] = { "methods", "designs", "stages", "steps", "by designs", "by seconds", "by TDP", "by area" };

char search_mark(enum mine_method method)
{
	/* the letters that tell their names apart */
	return mine_method_name(method)[method == METHOD_WHAM_PAPER ? 5 : method == METHOD_RLGA ? 2 : 0];
}

void search_value(double value, char out[FORMAT_BYTES])
{
	snprintf(out, FORMAT_BYTES, !(value > 0) ? "none" : value >= 1e5 && value < 1e8 ? "%.0f" : "%.5g", value);
}

static bool is_pause(const struct explorer *e)
{
	return atomic_load(&e->racing.race->paused);
}

/* ---- cursor ---- */

/* Entrants, in the order of the table; the next in a direction. */
static void move_method(struct explorer *e, int direction)
{
	for (int i = (int)e->racing.method + direction; i >= 0 && i < METHOD_COUNT; i += direction)
		if (atomic_load(&e->racing.race->entrants[i].state) != RACE_ABSENT) {
			e->racing.method = (enum mine_method)i;
			return;
		}
}

/* Of the focused method, once it has ended; NULL: there are none. */
static const struct line_designs *designs_of_stages(const struct explorer *e)
{
	const struct line_found *found = race_line(&e->racing.race->entrants[e->racing.method]);

	return found != NULL && found->each.of_stage != NULL ? &found->each : NULL;
}

/* As many as are told. */
static int design_rows(const struct explorer *e, const struct miner *m)
{
	int most = (int)study_value(e->study, PARAMETER_TOPK);

	return m->top_count < most ? m->top_count : most;
}

static int row_count(const struct explorer *e, const struct miner *m)
{
	const struct line_designs *each = designs_of_stages(e);

	switch (e->racing.page) {
	case SEARCH_DESIGNS: return design_rows(e, m);
	case SEARCH_STAGES: return each != NULL ? racing_mining(e)->line->cut.stages : 0;
	case SEARCH_STEPS: return (int)m->event_count;
	default: return 0;
	}
}

bool search_focused(const struct explorer *e, struct judged *judged)
{
	const struct miner *m;
	const struct judged *found = NULL;
	int at;

	if (!racing_hold(e, e->racing.method))
		return false;
	m = &e->racing.race->entrants[e->racing.method].miner;
	at = e->racing.cursor[e->racing.page];
	if (e->racing.page == SEARCH_STEPS && at < (int)m->event_count)
		found = miner_tried(m, &m->events[at].design);
	else if (m->top_count > 0)
		found = &m->top[e->racing.page == SEARCH_DESIGNS && at < design_rows(e, m) ? at : 0];
	if (found != NULL)
		*judged = *found;
	racing_release(e, e->racing.method);
	return found != NULL;
}

/* A run on stages is what is searched for. */
static bool has_stages(const struct explorer *e)
{
	return racing_mining(e) != NULL && racing_mining(e)->line != NULL;
}

static void move(struct explorer *e, enum move move)
{
	struct racing *r = &e->racing;
	int by[MOVE_COUNT] = { [MOVE_UP] = -1, [MOVE_DOWN] = 1, [MOVE_PAGE_UP] = -r->page_rows, [MOVE_PAGE_DOWN] = r->page_rows, [MOVE_HALF_UP] = -((r->page_rows + 1) / 2), [MOVE_HALF_DOWN] = (r->page_rows + 1) / 2,
		[MOVE_FIRST] = -(1 << 28), [MOVE_LAST] = 1 << 28 };
	int count = 0, *at = &r->cursor[r->page];

	if (r->race == NULL)
		return;
	if (move == MOVE_LEFT || move == MOVE_RIGHT) {
		do
			r->page = (enum search_page)((r->page + (move == MOVE_LEFT ? SEARCH_PAGE_COUNT - 1 : 1)) % SEARCH_PAGE_COUNT);
		while (r->page == SEARCH_STAGES && !has_stages(e));
		return;
	}
	if (r->page != SEARCH_DESIGNS && r->page != SEARCH_STAGES && r->page != SEARCH_STEPS) {
		move_method(e, by[move] < 0 ? -1 : 1);
		return;
	}
	if (racing_hold(e, r->method)) {
		count = row_count(e, &r->race->entrants[r->method].miner);
		racing_release(e, r->method);
	}
	*at += by[move];
	*at = *at >= count ? count - 1 : *at;
	*at = *at < 0 ? 0 : *at;
}

/* ---- pages ---- */

static int spark_cols(struct rect area)
{
	return area.cols < 70 ? 0 : area.cols < 110 ? 14 : 24;
}

/* Where the value begins, behind the designs and, where there is room, the time. */
static int value_at(struct rect area)
{
	return area.cols < 50 ? 9 : 18;
}

/* Numbers, which are set to the right, wholly or not at all. */
static void put(struct explorer *e, struct rect area, int row, int col, int width, enum align align, enum style style, const char *text)
{
	if (row < area.row + area.rows && (align != ALIGN_RIGHT || col + width <= area.cols))
		cells_put_padded(&e->cells, area, row, area.col + col, width, align, (uint8_t)style, text);
}

/* A heading for each page; the cursor's one stands out. */
static struct rect page_heading(struct explorer *e, struct rect area, enum search_page page, const char *beside)
{
	bool here = e->racing.page == page;
	int col = area.col + 1;

	if (area.rows < 1)
		return area;
	col += cells_put(&e->cells, area, area.row, col, here ? STYLE_ACCENT : STYLE_DIM, here ? style_glyph(GLYPH_CURSOR, e->ascii) : " ") + 1;
	col += cells_put(&e->cells, area, area.row, col, here ? STYLE_ACCENT : STYLE_HEADER, page_names[page]) + 2;
	cells_put(&e->cells, area, area.row, col, STYLE_DIM, beside);
	return (struct rect){ area.row + 1, area.col, area.rows - 1, area.cols };
}

/* Best so far over the designs scheduled, both ends of the race at both ends, designs by their logarithm. */
static void draw_spark(struct explorer *e, struct rect area, int row, int col, const struct miner *m, double best, double most)
{
	size_t at = 0;

	for (int i = 0; i < spark_cols(area); i++) {
		double upto = pow(most, (i + 1.0) / spark_cols(area));

		if (m->curve_count == 0 || (double)m->curve[0].evaluations > upto)
			continue;
		while (at + 1 < m->curve_count && (double)m->curve[at + 1].evaluations <= upto)
			at++;
		if (i > 0 && pow(most, i / (double)spark_cols(area)) > (double)m->evaluations)
			break;
		cells_put(&e->cells, area, row, col + i, STYLE_BAR, style_height(0.999 * m->curve[at].value / best, e->ascii));
	}
}

static const char *state_word(const struct explorer *e, const struct race_entrant *entrant, bool narrow, char *out, size_t size)
{
	const struct miner *m = &entrant->miner;
	double left;

	switch (atomic_load(&entrant->state)) {
	case RACE_STOPPED: return "stopped";
	case RACE_FAILED: return entrant->ended == STATUS_INPUT ? "cannot search here" : "found none";
	case RACE_RUNNING:
		if (is_pause(e))
			return "paused";
		if (m->parts > 0) {
			snprintf(out, size, "stage %d of %d", m->part, m->parts);
			return out;
		}
		left = race_left(entrant);
		if (isnan(left))
			return "running";
		if (narrow)
			snprintf(out, size, "%.0f s left", left);
		else
			snprintf(out, size, "%.0f %%, %.0f/s, %.0f s left", 100.0 * (double)m->evaluations / (double)m->planned, (double)m->evaluations / miner_seconds(m), left);
		return out;
	default: return "";
	}
}

static void draw_method(struct explorer *e, struct rect area, int row, enum mine_method method, double best, double most)
{
	const struct race_entrant *entrant = &e->racing.race->entrants[method];
	const struct miner *m = &entrant->miner;
	bool here = e->racing.method == method;
	uint8_t bits = (uint8_t)(here ? STYLE_SELECTED : 0);
	char text[96];
	int col = TEXT_COL;

	if (row >= area.row + area.rows)
		return;
	if (here)
		cells_put(&e->cells, area, row, area.col + 1, STYLE_ACCENT, style_glyph(GLYPH_CURSOR, e->ascii));
	if (here && e->racing.page == SEARCH_METHODS && e->focus == FOCUS_ROWS) {
		bits |= STYLE_FOCUS;
		e->cells.cursor_row = row;
		e->cells.cursor_col = area.col + col;
	}
	put(e, area, row, col, 11, ALIGN_LEFT, (enum style)(STYLE_TEXT | bits), mine_method_name(method));
	if (!racing_hold(e, method)) {
		put(e, area, row, col + 12 + spark_cols(area) + 2, 20, ALIGN_LEFT, STYLE_DIM, "waits its turn");
		return;
	}
	if (best > 0)
		draw_spark(e, area, row, area.col + col + 12, m, best, most);
	col += 12 + spark_cols(area) + 1;
	snprintf(text, sizeof text, "%lld", (long long)m->evaluations);
	put(e, area, row, col, 8, ALIGN_RIGHT, STYLE_TEXT, text);
	format_seconds(race_seconds(entrant), text, sizeof text);
	/* without a terminal the screen is to be the same every time */
	put(e, area, row, col + 9, 8, ALIGN_RIGHT, STYLE_DIM, e->live && value_at(area) > 9 ? text : "");
	search_value(m->top_count > 0 ? m->top[0].value : 0, text);
	put(e, area, row, col + value_at(area), 9, ALIGN_RIGHT, STYLE_STRONG, text);
	if (m->top_count > 0) {
		snprintf(text, sizeof text, "%.3f", m->top[0].value / best);
		put(e, area, row, col + value_at(area) + 10, 6, ALIGN_RIGHT, m->top[0].value == best ? STYLE_ACCENT : STYLE_TEXT, text);
		mining_design(&racing_mining(e)->space, &m->top[0].design, text, sizeof text);
		if (area.cols > col + 92)
			put(e, area, row, col + 37, 32, ALIGN_LEFT, STYLE_TEXT, text);
	}
	put(e, area, row, area.cols > col + 92 ? col + 70 : col + 36, area.cols, ALIGN_LEFT, STYLE_DIM, state_word(e, entrant, area.cols < 100, text, sizeof text));
	racing_release(e, method);
}

/* With its two headings. */
static int methods_rows(const struct explorer *e)
{
	int rows = 2 + MINING_FIXED;

	for (int i = 0; i < METHOD_COUNT; i++)
		rows += atomic_load(&e->racing.race->entrants[i].state) != RACE_ABSENT;
	return rows;
}

static void draw_methods(struct explorer *e, struct rect area)
{
	const struct race *race = e->racing.race;
	const struct mining *m = racing_mining(e);
	double best = race_best(e->racing.race), most = 2;
	int row = area.row, col = TEXT_COL + 12 + spark_cols(area) + 1;
	char text[64], value[FORMAT_BYTES];

	for (int i = 0; i < METHOD_COUNT; i++)
		if (racing_hold(e, (enum mine_method)i)) {
			most = fmax(most, (double)race->entrants[i].miner.evaluations);
			racing_release(e, (enum mine_method)i);
		}
	put(e, area, row, TEXT_COL + 12, spark_cols(area), ALIGN_LEFT, STYLE_HEADER, "best so far");
	put(e, area, row, col, 8, ALIGN_RIGHT, STYLE_HEADER, "designs");
	put(e, area, row, col + 9, 8, ALIGN_RIGHT, STYLE_HEADER, e->live && value_at(area) > 9 ? "time" : "");
	put(e, area, row, col + value_at(area), 9, ALIGN_RIGHT, STYLE_HEADER, m == NULL || m->request.metric == METRIC_THROUGHPUT ? "samples/s" : "each W");
	put(e, area, row++, col + value_at(area) + 10, 7, ALIGN_RIGHT, STYLE_HEADER, "of best");
	for (int i = 0; i < METHOD_COUNT; i++)
		if (atomic_load(&race->entrants[i].state) != RACE_ABSENT)
			draw_method(e, area, row++, (enum mine_method)i, best, most);
	for (int i = 0; m != NULL && i < MINING_FIXED; i++, row++) {
		search_value(mining_fixed_judged(m, i).value, value);
		put(e, area, row, TEXT_COL, 11, ALIGN_LEFT, STYLE_DIM, mining_fixed(i)->name);
		put(e, area, row, TEXT_COL + 12, spark_cols(area), ALIGN_LEFT, STYLE_DIM, "as it is");
		put(e, area, row, col + value_at(area), 9, ALIGN_RIGHT, STYLE_TEXT, value);
		snprintf(text, sizeof text, "%.3f", best > 0 ? mining_fixed_judged(m, i).value / best : NAN);
		put(e, area, row, col + value_at(area) + 10, 6, ALIGN_RIGHT, STYLE_TEXT, best > 0 ? text : "");
	}
}

/* The first row shown, so that the cursor can be seen. */
static int top_for(int cursor, int count, int rows)
{
	int top = cursor - rows / 2;

	top = top > count - rows ? count - rows : top;
	return top < 0 ? 0 : top;
}

static const struct { int at, width; const char *name; } design_columns[] = { { 35, 9, "samples/s" }, { 45, 8, "each W" }, { 54, 7, "mm2" }, { 62, 7, "TDP W" } };

static void draw_design(struct explorer *e, struct rect area, int row, int place, const struct judged *j)
{
	const struct mining *m = racing_mining(e);
	bool here = place == e->racing.cursor[SEARCH_DESIGNS];
	uint8_t bits = (uint8_t)(here ? STYLE_SELECTED : 0);
	double values[] = { j->throughput, judged_per_tdp(j), j->area, j->tdp };
	char text[96];

	if (here && e->racing.page == SEARCH_DESIGNS && e->focus == FOCUS_ROWS) {
		bits |= STYLE_FOCUS;
		e->cells.cursor_row = row;
		e->cells.cursor_col = area.col + TEXT_COL;
	}
	if (here)
		cells_put(&e->cells, area, row, area.col + 1, STYLE_ACCENT, style_glyph(GLYPH_CURSOR, e->ascii));
	snprintf(text, sizeof text, "%2d  ", place + 1);
	mining_design(&m->space, &j->design, text + 4, sizeof text - 4);
	put(e, area, row, TEXT_COL, 34, ALIGN_LEFT, (enum style)(STYLE_TEXT | bits), text);
	for (size_t i = 0; i < sizeof design_columns / sizeof *design_columns; i++) {
		snprintf(text, sizeof text, "%.4g", values[i]);
		if (i == 0)
			search_value(values[i], text);
		put(e, area, row, TEXT_COL + design_columns[i].at, design_columns[i].width, ALIGN_RIGHT, STYLE_TEXT, text);
	}
}

static void draw_designs(struct explorer *e, struct rect area)
{
	const struct miner *m = &e->racing.race->entrants[e->racing.method].miner;
	int rows = area.rows - 1, top, most;

	put(e, area, area.row, TEXT_COL + 4, 30, ALIGN_LEFT, STYLE_HEADER, "design");
	for (size_t i = 0; i < sizeof design_columns / sizeof *design_columns; i++)
		put(e, area, area.row, TEXT_COL + design_columns[i].at, design_columns[i].width, ALIGN_RIGHT, STYLE_HEADER, design_columns[i].name);
	if (!racing_hold(e, e->racing.method))
		return;
	most = design_rows(e, m);
	if (e->racing.cursor[SEARCH_DESIGNS] >= most)
		e->racing.cursor[SEARCH_DESIGNS] = most > 0 ? most - 1 : 0;
	top = top_for(e->racing.cursor[SEARCH_DESIGNS], most, rows);
	for (int i = 0; i < rows && top + i < most; i++)
		draw_design(e, area, area.row + 1 + i, top + i, &m->top[top + i]);
	racing_release(e, e->racing.method);
}

/* A design for each stage, and what the run makes of them. */
static void draw_stages(struct explorer *e, struct rect area)
{
	const struct mining *m = racing_mining(e);
	const struct line_designs *each = designs_of_stages(e);
	int rows = area.rows - DETAIL_ROWS, cursor = e->racing.cursor[SEARCH_STAGES], top;
	char text[160];

	if (each == NULL) {
		cells_put(&e->cells, area, area.row, area.col + TEXT_COL, STYLE_DIM, "wham and wham-paper find a design for each stage, once they have ended");
		return;
	}
	snprintf(text, sizeof text, "%.5g samples/s, %.4g each W, %.4g W: %+.2f %% and %+.2f %% against one design for all", each->throughput, each->throughput / each->tdp, each->tdp,
		100 * each->gain, 100 * each->gain_per_w);
	cells_wrap(&e->cells, (struct rect){ area.row, area.col + TEXT_COL, 2, area.cols - TEXT_COL - 1 }, 0, STYLE_STRONG, text);
	put(e, area, area.row + 2, TEXT_COL, area.cols - TEXT_COL - 1, ALIGN_LEFT, STYLE_HEADER, "stage  devices  layers  its design");
	top = top_for(cursor, m->line->cut.stages, rows);
	for (int i = 0; i < rows && top + i < m->line->cut.stages; i++) {
		int stage = top + i, layers = 0, used;
		bool here = stage == cursor;
		uint8_t bits = (uint8_t)((here ? STYLE_SELECTED : 0) | (here && e->racing.page == SEARCH_STAGES && e->focus == FOCUS_ROWS ? STYLE_FOCUS : 0));

		for (int place = stage; place < m->line->cut.stages * m->line->cut.chunks; place += m->line->cut.stages)
			layers += m->line->cut.first[place + 1] - m->line->cut.first[place];
		used = snprintf(text, sizeof text, "%5d  %7.0f  %6d  ", stage + 1, m->line->stages[stage].devices, layers);
		mining_design(&m->space, &each->of_stage[stage], text + used, sizeof text - (size_t)used);
		put(e, area, area.row + 3 + i, TEXT_COL, area.cols - TEXT_COL - 1, ALIGN_LEFT, (enum style)(STYLE_TEXT | bits), text);
		if (here && e->racing.page == SEARCH_STAGES) {
			e->cells.cursor_row = area.row + 3 + i;
			e->cells.cursor_col = area.col + TEXT_COL;
		}
	}
}

static void draw_steps(struct explorer *e, struct rect area)
{
	const struct race_entrant *entrant = &e->racing.race->entrants[e->racing.method];
	const struct miner *m = &entrant->miner;
	struct rect list = { area.row, area.col, area.rows - DETAIL_ROWS, area.cols };
	int *cursor = &e->racing.cursor[SEARCH_STEPS], count, top;

	if (!racing_hold(e, e->racing.method))
		return;
	count = (int)m->event_count;
	if (count == 0)
		cells_put(&e->cells, area, area.row, area.col + TEXT_COL, STYLE_DIM, "this method takes designs without a plan: there are no steps to tell");
	*cursor = *cursor >= count ? count - 1 : *cursor;
	*cursor = *cursor < 0 ? 0 : *cursor;
	top = top_for(*cursor, count, list.rows);
	for (int i = 0; i < list.rows && top + i < count; i++) {
		const struct mine_event *event = &m->events[top + i];
		bool here = top + i == *cursor;
		uint8_t bits = (uint8_t)((here ? STYLE_SELECTED : 0) | (here && e->racing.page == SEARCH_STEPS && e->focus == FOCUS_ROWS ? STYLE_FOCUS : 0));
		int depth = report_step_depth(m, top + i), indent = 2 * (depth < 8 ? depth : 8);
		enum style style = event->kind == MINED_PRUNED ? STYLE_DIM : m->top_count > 0 && memcmp(&event->design, &m->top[0].design, sizeof event->design) == 0 ? STYLE_ACCENT : STYLE_TEXT;
		struct text sentence = { 0 };
		char evaluations[24];

		report_step(racing_mining(e), m, top + i, &sentence);
		snprintf(evaluations, sizeof evaluations, "%6lld", (long long)event->evaluations);
		put(e, list, list.row + i, 1, 6, ALIGN_RIGHT, STYLE_DIM, evaluations);
		put(e, list, list.row + i, 9 + indent, area.cols - 10 - indent, ALIGN_LEFT, (enum style)(style | bits), text_string(&sentence));
		if (here) {
			if (e->racing.page == SEARCH_STEPS) {
				e->cells.cursor_row = list.row + i;
				e->cells.cursor_col = area.col + 9 + indent;
			}
			cells_wrap(&e->cells, (struct rect){ area.row + area.rows - DETAIL_ROWS + 1, area.col + TEXT_COL, DETAIL_ROWS - 1, area.cols - TEXT_COL - 1 }, 0, STYLE_STRONG,
				text_string(&sentence));
		}
		text_free(&sentence);
	}
	racing_release(e, e->racing.method);
}

static void draw_page(struct explorer *e, struct rect area, enum search_page page)
{
	const struct race_entrant *entrant = &e->racing.race->entrants[e->racing.method];
	char beside[96] = "";

	if (page != SEARCH_METHODS)
		snprintf(beside, sizeof beside, page <= SEARCH_STEPS || page >= SEARCH_BY_TDP ? "of %s" : "distance from the best of all", mine_method_name(e->racing.method));
	area = page_heading(e, area, page, beside);
	if (page != SEARCH_METHODS && atomic_load(&entrant->state) == RACE_FAILED) {
		cells_wrap(&e->cells, (struct rect){ area.row, area.col + TEXT_COL, area.rows, area.cols - TEXT_COL - 1 }, 0, STYLE_WARNING, entrant->trouble);
		return;
	}
	switch (page) {
	case SEARCH_METHODS: draw_methods(e, area); break;
	case SEARCH_DESIGNS: draw_designs(e, area); break;
	case SEARCH_STAGES: draw_stages(e, area); break;
	case SEARCH_STEPS: draw_steps(e, area); break;
	case SEARCH_BY_DESIGNS: case SEARCH_BY_SECONDS: search_draw_curves(e, area, page == SEARCH_BY_SECONDS); break;
	default: search_draw_front(e, area, page == SEARCH_BY_AREA); break;
	}
}

/* All at once: methods above, designs and steps below, and of the charts those that were looked at last. */
static void draw_wide(struct explorer *e, struct rect area)
{
	int present = methods_rows(e) + 1, half = area.cols / 2, middle, left;
	struct racing *r = &e->racing;

	if (r->page >= SEARCH_BY_TDP || (r->page == SEARCH_STAGES && has_stages(e)))
		r->front = r->page;
	else if (r->page >= SEARCH_BY_DESIGNS)
		r->curves = r->page;
	left = area.rows - present;
	middle = left / 2;
	draw_page(e, (struct rect){ area.row, area.col, present, area.cols }, SEARCH_METHODS);
	draw_page(e, (struct rect){ area.row + present, area.col, middle, 75 }, SEARCH_DESIGNS);
	draw_page(e, (struct rect){ area.row + present, area.col + 76, middle, area.cols - 76 }, SEARCH_STEPS);
	draw_page(e, (struct rect){ area.row + present + middle, area.col, left - middle, half - 1 }, r->curves);
	draw_page(e, (struct rect){ area.row + present + middle, area.col + half, left - middle, area.cols - half }, r->front);
}

/* The methods, and below them how soon each was how good. */
static void draw_above(struct explorer *e, struct rect area)
{
	int rows = methods_rows(e);

	draw_page(e, (struct rect){ area.row, area.col, rows, area.cols }, SEARCH_METHODS);
	draw_page(e, (struct rect){ area.row + rows, area.col, area.rows - rows, area.cols }, SEARCH_BY_DESIGNS);
}

/* ---- the view ---- */

static void build(struct explorer *e)
{
	struct diagnostic d;

	/* not set yet: the methods are no chart */
	if (e->racing.curves == SEARCH_METHODS) {
		e->racing.curves = SEARCH_BY_DESIGNS;
		e->racing.front = SEARCH_BY_TDP;
	}
	/* nothing is on stages any more */
	if (racing_mining(e) != NULL && !has_stages(e)) {
		e->racing.page = e->racing.page == SEARCH_STAGES ? SEARCH_DESIGNS : e->racing.page;
		e->racing.front = e->racing.front == SEARCH_STAGES ? SEARCH_BY_TDP : e->racing.front;
	}
	if (racing_is_due(e) && racing_begin(e, &d) != STATUS_OK)
		explorer_complain(e, &d);
}

static void heading(struct explorer *e, char *out, size_t size)
{
	const struct race *race = e->racing.race;
	char limit[32], key[16];

	if (race == NULL)
		return;
	parameter_print(PARAMETER_AREA_LIMIT, race->document.values[PARAMETER_AREA_LIMIT], limit, sizeof limit);
	if (!race_is_of(race, study_document(e->study)))
		snprintf(out, size, "of other values: %s mines anew", keys_find(&e->keys, CONTEXT_SEARCH, "mine", key, sizeof key) ? key : ":mine");
	else
		snprintf(out, size, "%s within %s%s", mine_metric_name((enum mine_metric)(int)race->document.values[PARAMETER_METRIC]), limit, race->count > 1 ? ", one design for several models" : "");
}

static void wants(struct explorer *e, int *rows, int *cols)
{
	(void)e;
	*rows = 200;
	*cols = 500;
}

static void draw(struct explorer *e, struct rect area)
{
	if (e->racing.race == NULL || area.rows < 3)
		return;
	if (area.rows >= WIDE_ROWS && area.cols >= WIDE_COLS)
		draw_wide(e, area);
	else if (e->racing.page == SEARCH_METHODS && area.rows >= methods_rows(e) + LEAST_CHART)
		draw_above(e, area);
	else
		draw_page(e, area, e->racing.page);
	e->racing.page_rows = area.rows > 6 ? area.rows - 5 : 1;
}

/* A method's designs; a design or a step is taken, and its schedule shown. */
static enum status enter(struct explorer *e, struct diagnostic *d)
{
	enum status status;

	if (e->racing.page == SEARCH_METHODS) {
		e->racing.page = SEARCH_DESIGNS;
		return STATUS_OK;
	}
	status = act_adopt(e, d);
	if (status == STATUS_OK)
		explorer_show(e, has_stages(e) ? VIEW_PIPELINE : VIEW_PATH);
	return status;
}

/* Over the focused method's steps. */
static bool find_step(struct explorer *e, struct regex *match, int direction, bool from_cursor)
{
	struct miner *m;
	int found = -1, count;

	if (!racing_hold(e, e->racing.method))
		return false;
	m = &e->racing.race->entrants[e->racing.method].miner;
	count = (int)m->event_count;
	for (int i = from_cursor ? 0 : 1; i < count && found < 0; i++) {
		int at = (e->racing.cursor[SEARCH_STEPS] + direction * i % count + count) % count;
		struct text sentence = { 0 };

		report_step(racing_mining(e), m, at, &sentence);
		if (regex_find(match, text_string(&sentence), NULL, NULL))
			found = at;
		text_free(&sentence);
	}
	racing_release(e, e->racing.method);
	if (found < 0)
		return false;
	e->racing.cursor[SEARCH_STEPS] = found;
	e->racing.page = SEARCH_STEPS;
	return true;
}

static const struct hint hints[] = {
	{ "explain", "open" }, { "move right", "next page" }, { "mine all", "race all" }, { "mine pause", "pause" }, { "focus dials", "dials" }, { "help", "help" },
	{ NULL, NULL }
};

const struct view view_search = {
	.name = "search", .context = CONTEXT_SEARCH, .dials = DIAL_SEARCH, .hints = hints, .build = build, .heading = heading, .wants = wants, .draw = draw, .move = move, .enter = enter,
	.search = find_step
};
