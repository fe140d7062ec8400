/* The network view: what each level of the array exchanges over the links, and where the focused level's messages run.
 *
 * The drawing is of the dimension that the level lies in; every group of it is alike.  Each cell is a link, as high as it is busy. */
#include "report/explain.h"
#include "report/links.h"
#include "ui/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR_COLS = 16, LABEL_COLS = 12, TEXT_COL = 3, GRID_STEP = 4 };

static bool is_there(const struct explorer *e)
{
	return e->results->plan != NULL && e->results->topology.count > 0 && !isnan(e->results->comm_s) && e->results->plan->levels > 0;
}

/* The focused level, within the plan's. */
static int level_of(const struct explorer *e)
{
	int levels = e->results->plan->levels;

	return e->level < 1 ? 1 : e->level > levels ? levels : e->level;
}

static const struct exchange *exchange_of(const struct explorer *e, int level)
{
	return &e->results->level_exchange[level - 1];
}

static void build(struct explorer *e)
{
	(void)e;
}

static void heading(struct explorer *e, char *out, size_t size)
{
	char topology[TOPOLOGY_BYTES], time[32];

	if (!is_there(e))
		return;
	topology_print(&e->results->topology, topology, sizeof topology);
	units_print_seconds(e->results->comm_s, time, sizeof time);
	snprintf(out, size, "%.60s: exchanges %s", topology, time);
	if (e->results->comm_hidden_s > 0) {
		units_print_seconds(e->results->comm_exposed_s, time, sizeof time);
		snprintf(out + strlen(out), size - strlen(out), ", %s exposed", time);
	}
}

static void wants(struct explorer *e, int *rows, int *cols)
{
	*rows = is_there(e) ? 2 * e->results->plan->levels + 8 : 4;
	*cols = 150;
}

/* ---- the table of levels ---- */

/* No room for all columns: level, dimension and time stay. */
static bool is_narrow(const struct rect *area)
{
	return area->cols < 76;
}

/* Room for the parts of the time and the bandwidths, as of a collective, too. */
static bool is_wide(const struct rect *area)
{
	return area->cols >= 132;
}

/* Latencies and bytes over bandwidth; bandwidths as nccl-tests counts them, and of the busiest link. */
static void put_parts(const struct explorer *e, int level, char out[120])
{
	const struct exchange *x = exchange_of(e, level);
	struct link_rates rates;
	char alpha[24], beta[24], bus[24] = "-", link[24] = "-";

	links_rates(x, e->results->level_seconds[level - 1], &rates);
	units_print_seconds(x->alpha, alpha, sizeof alpha);
	units_print_seconds(x->beta, beta, sizeof beta);
	if (!isnan(rates.link)) {
		units_print_rate_short(rates.bus, bus, sizeof bus);
		units_print_rate_short(rates.link, link, sizeof link);
	}
	snprintf(out, 120, "  %4d  %8.0f  %9s  %9s  %11s  %10s", x->on.tier + 1, e->results->plan->level[level - 1].messages, alpha, beta, bus, link);
}

static void draw_level(struct explorer *e, struct rect area, int row, int level)
{
	const struct exchange *x = exchange_of(e, level);
	bool focused = level == level_of(e);
	uint8_t style = (uint8_t)(focused ? STYLE_STRONG | (e->focus == FOCUS_ROWS ? STYLE_FOCUS : 0) : STYLE_TEXT);
	double share = e->results->comm_s > 0 ? e->results->level_seconds[level - 1] / e->results->comm_s : 0;
	char text[320], parts[120] = "", sends[40], link[40], time[32], on[40], bar[4 * BAR_COLS + 1];
	int col = area.col + TEXT_COL + 5;

	units_print_bytes(x->bytes, sends, sizeof sends);
	units_print_bytes(x->link_bytes, link, sizeof link);
	units_print_seconds(e->results->level_seconds[level - 1], time, sizeof time);
	snprintf(on, sizeof on, "%s of %lld", dimension_name(x->on.kind), (long long)x->on.size);
	if (focused)
		cells_put(&e->cells, area, row, area.col + 1, STYLE_ACCENT, style_glyph(GLYPH_CURSOR, e->ascii));
	snprintf(text, sizeof text, "H%-3d", level);
	cells_put(&e->cells, area, row, area.col + TEXT_COL, style, text);
	if (is_wide(&area))
		put_parts(e, level, parts);
	if (is_narrow(&area))
		snprintf(text, sizeof text, "%-14s %9s", on, time);
	else
		snprintf(text, sizeof text, "%-14s %4.0f  %10s  %12s  %9s%s", on, x->hops, sends, link, time, parts);
	col += cells_put(&e->cells, area, row, col, STYLE_TEXT, text) + 2;
	style_bar(share, BAR_COLS, e->ascii, bar, sizeof bar);
	cells_put(&e->cells, area, row, col, STYLE_BAR, bar);
	if (focused) {
		e->cells.cursor_row = row;
		e->cells.cursor_col = area.col + TEXT_COL;
	}
}

/* The first level that is shown where so many are: the focused one stays on the screen. */
static int first_level(const struct explorer *e, int shown)
{
	return level_of(e) > shown ? level_of(e) - shown + 1 : 1;
}

/* As many levels as there is room for; returns the rows that took, the header's too. */
static int draw_levels(struct explorer *e, struct rect area, int room)
{
	int levels = e->results->plan->levels, shown = levels < room ? levels : room, first = first_level(e, shown);
	char text[240];

	if (is_narrow(&area))
		snprintf(text, sizeof text, "%-4s %-14s %9s", "", "over", "time");
	else
		snprintf(text, sizeof text, "%-4s %-14s %4s  %10s  %12s  %9s%s  %s", "", "over", "hops", "each sends", "busiest link", "time",
			is_wide(&area) ? "  tier  messages  latencies    bytes/B  algbw=busbw   link rate" : "", "of exchanges");
	cells_put(&e->cells, area, area.row, area.col + TEXT_COL, STYLE_HEADER, text);
	for (int i = 0; i < shown; i++)
		draw_level(e, area, area.row + 1 + i, first + i);
	e->network.shown = shown;
	return shown + 1;
}

/* ---- the links ---- */

/* share: of the time that the busiest one takes. */
static void put_link(struct explorer *e, struct rect area, int row, int col, double share)
{
	cells_put(&e->cells, area, row, col, (uint8_t)(share > 1 - 1e-9 ? STYLE_ACCENT : STYLE_TEXT), style_height(share, e->ascii));
}

/* Members that fit, a power of two. */
static int64_t fitting(const struct rect *area, int64_t members)
{
	int64_t room = area->cols - LABEL_COLS - TEXT_COL - 1;

	while (members > room)
		members /= 2;
	return members;
}

static void label_row(struct explorer *e, struct rect area, int row, const char *label)
{
	cells_put_padded(&e->cells, area, row, area.col + TEXT_COL, LABEL_COLS - 1, ALIGN_LEFT, STYLE_DIM, label);
}

/* A ring or a line: its links one behind the other, each way in a row of its own. */
static int draw_strip(struct explorer *e, struct rect area, int row)
{
	const struct exchange *x = exchange_of(e, level_of(e));
	int64_t links = x->on.kind == DIMENSION_LINE ? x->on.size - 1 : x->on.size, shown = links < fitting(&area, x->on.size) ? links : fitting(&area, x->on.size);

	for (int back = 0; back < 2; back++) {
		label_row(e, area, row + back, back ? "back" : "onward");
		for (int64_t place = 0; place < shown; place++)
			put_link(e, area, row + back, area.col + TEXT_COL + LABEL_COLS + (int)place, exchange_link_busyness(x, place, back));
		if (shown < links)
			cells_put(&e->cells, area, row + back, area.col + TEXT_COL + LABEL_COLS + (int)shown, STYLE_DIM, e->ascii ? "~" : "…");
	}
	return row + 2;
}

/* A tree from the root down: a link is as wide as the leaves below it. */
static int draw_tree(struct explorer *e, struct rect area, int row)
{
	const struct exchange *x = exchange_of(e, level_of(e));
	int64_t leaves = fitting(&area, x->on.size);
	int heights = (int)lround(log2((double)x->on.size)), below = (int)lround(log2((double)leaves)), each;
	char label[32];

	each = (int)((area.cols - LABEL_COLS - TEXT_COL - 1) / leaves);
	each = each > 4 ? 4 : each;
	for (int height = heights - 1; height >= 0 && row < area.row + area.rows; height--) {
		int64_t width = (height < below ? INT64_C(1) << height : leaves) * each;

		snprintf(label, sizeof label, "height %d", height + 1);
		label_row(e, area, row, label);
		for (int64_t at = 0; at < leaves * each; at++)
			/* a gap between links of one height, where they are wide enough */
			if (width == 1 || (at + 1) % width != 0)
				put_link(e, area, row, area.col + TEXT_COL + LABEL_COLS + (int)at, exchange_link_busyness(x, height, false));
		if (leaves < x->on.size)
			cells_put(&e->cells, area, row, area.col + TEXT_COL + LABEL_COLS + (int)leaves * each, STYLE_DIM, e->ascii ? "~" : "…");
		row++;
	}
	return row;
}

/* The tier that the level lies in, where it is a grid of two sides that fits; else NULL. */
static const struct tier *grid_of(const struct explorer *e, const struct rect *area)
{
	const struct tier *t = &e->results->topology.tiers[exchange_of(e, level_of(e))->on.tier];

	if ((t->kind != TOPOLOGY_TORUS && t->kind != TOPOLOGY_MESH) || t->dimensions != 2 || t->size[0] < 2 || t->size[1] < 2)
		return NULL;
	return t->size[0] * GRID_STEP <= area->cols - TEXT_COL - 2 && 2 * t->size[1] <= area->rows - 8 ? t : NULL;
}

static int grid_rows(const struct tier *t)
{
	return (int)(2 * t->size[1]) - (t->kind == TOPOLOGY_MESH || t->size[1] == 2);
}

/* Of a link, the busier of its two ways. */
static double busier_way(const struct exchange *x, int64_t place)
{
	return fmax(exchange_link_busyness(x, place, false), exchange_link_busyness(x, place, true));
}

/* A grid: members and the links between them, along the rows the first size, down the second; a torus' links around its ends behind the last. */
static int draw_grid(struct explorer *e, struct rect area, int row, const struct tier *t)
{
	const struct exchange *x = exchange_of(e, level_of(e));
	/* two are joined by one link */
	bool around = t->kind == TOPOLOGY_TORUS && t->size[0] > 2, over = t->kind == TOPOLOGY_TORUS && t->size[1] > 2;

	for (int64_t y = 0; y < t->size[1]; y++) {
		for (int64_t place = 0; place < t->size[0]; place++) {
			int col = area.col + TEXT_COL + (int)place * GRID_STEP;

			cells_put(&e->cells, area, row, col, STYLE_STRONG, "o");
			for (int i = 1; i < GRID_STEP && (around || place + 1 < t->size[0]); i++)
				put_link(e, area, row, col + i, x->on.side == 0 ? busier_way(x, place) : 0);
			if (over || y + 1 < t->size[1])
				put_link(e, area, row + 1, col, x->on.side == 1 ? busier_way(x, y) : 0);
		}
		row += over || y + 1 < t->size[1] ? 2 : 1;
	}
	return row;
}

/* A switch or direct links: one from each member. */
static int draw_star(struct explorer *e, struct rect area, int row)
{
	const struct exchange *x = exchange_of(e, level_of(e));
	int64_t shown = fitting(&area, x->on.size);

	label_row(e, area, row, x->on.kind == DIMENSION_SWITCH ? "to switch" : "to partner");
	for (int64_t place = 0; place < shown; place++)
		put_link(e, area, row, area.col + TEXT_COL + LABEL_COLS + (int)place, 1);
	if (shown < x->on.size)
		cells_put(&e->cells, area, row, area.col + TEXT_COL + LABEL_COLS + (int)shown, STYLE_DIM, e->ascii ? "~" : "…");
	return row + 1;
}

static int draw_links(struct explorer *e, struct rect area, int row)
{
	const struct exchange *x = exchange_of(e, level_of(e));
	char text[256], tier[48] = "";

	if (e->results->topology.count > 1)
		snprintf(tier, sizeof tier, ", tier %d of %d", x->on.tier + 1, e->results->topology.count);
	snprintf(text, sizeof text, "links of the %.16s%.40s at H%d, each as high as it is busy", grid_of(e, &area) != NULL ? topology_kind_name(grid_of(e, &area)->kind) : dimension_name(x->on.kind), tier,
		level_of(e));
	cells_put(&e->cells, area, row++, area.col + TEXT_COL, STYLE_HEADER, text);
	switch (x->on.kind) {
	case DIMENSION_TREE: return draw_tree(e, area, row);
	case DIMENSION_RING: case DIMENSION_LINE: return grid_of(e, &area) != NULL ? draw_grid(e, area, row, grid_of(e, &area)) : draw_strip(e, area, row);
	default: return draw_star(e, area, row);
	}
}

/* How busy the links are over the step, where exchanges run beside the cores. */
static bool has_timeline(const struct explorer *e)
{
	return e->results->overlapped != NULL && e->results->overlapped->count > 0;
}

static int draw_timeline(struct explorer *e, struct rect area, int row)
{
	const struct overlapped *o = e->results->overlapped;
	int cols = area.cols - LABEL_COLS - TEXT_COL - 2;
	char text[96], time[32];

	units_print_seconds(e->results->comm_hidden_s, time, sizeof time);
	snprintf(text, sizeof text, "the links over the step: %s of the exchanges hide behind computing", time);
	cells_put(&e->cells, area, row, area.col + TEXT_COL, STYLE_HEADER, text);
	label_row(e, area, row + 1, "busy");
	for (int col = 0; col < cols; col++) {
		double from = o->seconds * col / cols, to = o->seconds * (col + 1) / cols, busy = 0;

		for (int i = 0; i < o->count; i++)
			busy += fmax(0, fmin(to, o->exchanges[i].end) - fmax(from, o->exchanges[i].start));
		cells_put(&e->cells, area, row + 1, area.col + TEXT_COL + LABEL_COLS + col, STYLE_TEXT, style_height(fmin(busy / (to - from), 1), e->ascii));
	}
	return row + 2;
}

static int links_rows(const struct explorer *e, const struct rect *area)
{
	const struct exchange *x = exchange_of(e, level_of(e));
	const struct tier *grid = grid_of(e, area);

	if (grid != NULL)
		return (has_timeline(e) ? 3 : 0) + 1 + grid_rows(grid);

	return (has_timeline(e) ? 3 : 0) + 1 + (x->on.kind == DIMENSION_TREE ? (int)lround(log2((double)x->on.size)) : x->on.kind == DIMENSION_RING || x->on.kind == DIMENSION_LINE ? 2 : 1);
}

static void draw_nothing(struct explorer *e, struct rect area)
{
	const struct results *r = e->results;
	const char *text = r->topology_trouble[0] != '\0' ? r->topology_trouble : r->plan == NULL || r->plan_state != FRESH ? "The plan is being computed; its exchanges follow it."
		: "One accelerator exchanges nothing.";

	cells_wrap(&e->cells, (struct rect){ area.row + 1, area.col + TEXT_COL, area.rows - 1, area.cols - TEXT_COL - 1 }, 0, r->topology_trouble[0] != '\0' ? STYLE_ERROR : STYLE_STALE, text);
}

static void draw(struct explorer *e, struct rect area)
{
	struct text sentence = { 0 };
	int row, room, least, lines, end = area.row + area.rows;
	bool links;

	if (e->results->model == NULL || area.rows < 2)
		return;
	if (!is_there(e)) {
		draw_nothing(e, area);
		return;
	}
	links_sentence(e->study, level_of(e), &sentence);
	/* of the levels at least three; then the sentence, then the links, as far as they fit; then all levels */
	lines = 1 + text_width(text_string(&sentence)) * 11 / 10 / (area.cols - TEXT_COL - 2) + 1;
	room = area.rows - 1 - lines;
	least = e->results->plan->levels < 3 ? e->results->plan->levels : 3;
	links = room - links_rows(e, &area) - 1 >= least;
	room -= links ? links_rows(e, &area) + 1 : 0;
	row = area.row + draw_levels(e, area, room >= least ? room : area.rows - 1);
	if (links)
		row = draw_links(e, area, row + 1);
	if (links && has_timeline(e))
		row = draw_timeline(e, area, row + 1);
	if (row + 1 < end)
		cells_wrap(&e->cells, (struct rect){ row + 1, area.col + TEXT_COL, end - row - 1, area.cols - TEXT_COL - 2 }, 0, STYLE_TEXT, text_string(&sentence));
	text_free(&sentence);
}

static void move(struct explorer *e, enum move move)
{
	int level, levels;

	if (!is_there(e))
		return;
	level = level_of(e);
	levels = e->results->plan->levels;
	switch (move) {
	case MOVE_UP: case MOVE_LEFT: level--; break;
	case MOVE_DOWN: case MOVE_RIGHT: level++; break;
	case MOVE_FIRST: case MOVE_PAGE_UP: case MOVE_HALF_UP: level = 1; break;
	case MOVE_LAST: case MOVE_PAGE_DOWN: case MOVE_HALF_DOWN: level = levels; break;
	default: break;
	}
	e->level = level < 1 ? 1 : level > levels ? levels : level;
	e->rebuild = true;
}

/* Enter: the formula of the level. */
static enum status enter(struct explorer *e, struct diagnostic *d)
{
	char title[48];
	struct text *out;

	if (!is_there(e))
		return diagnostic_fail(d, STATUS_INPUT, "there is no exchange to explain");
	snprintf(title, sizeof title, "level H%d", level_of(e));
	out = explorer_popup(e, title);
	explain_number(e->study, QUANTITY_LEVEL, e->row, level_of(e), 0, out);
	return STATUS_OK;
}

static void click(struct explorer *e, int row, int col)
{
	(void)col;
	if (is_there(e) && row >= 1 && row <= e->network.shown) {
		e->level = first_level(e, e->network.shown) + row - 1;
		e->rebuild = true;
	}
}

static const struct hint hints[] = {
	{ "explain", "formula" }, { "level up", "level" }, { "prompt collective all-reduce ", "collective" }, { "focus dials", "dials" }, { "view layers", "layers" }, { "help", "help" }, { NULL, NULL }
};

const struct view view_network = {
	.name = "network", .context = CONTEXT_NETWORK, .dials = DIAL_LINKS, .hints = hints, .build = build, .heading = heading, .wants = wants, .draw = draw, .move = move,
	.enter = enter, .click = click
};
