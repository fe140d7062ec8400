/* The pipeline view: a training run - what its step is made of, the stages with their memory against what a device has, and the slots of the
 * schedule over time. */
#include "ui/inside.h"

#include "base/units.h"
#include "report/run.h"
#include "study/run_choices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_COL = 3, STAGE_COLS = 43, MEMORY_COLS_MOST = 60, LANES_MOST = 32 };

static bool is_there(const struct explorer *e)
{
	return e->results->model != NULL && e->results->run_trouble[0] == '\0';
}

static int stage_count(const struct explorer *e)
{
	return (int)e->results->run_plan.pipeline;
}

/* The focused stage, from 0. */
static int stage_of(const struct explorer *e)
{
	int last = stage_count(e) - 1;

	return e->pipeline.stage < 0 ? 0 : e->pipeline.stage > last ? last : e->pipeline.stage;
}

static void build(struct explorer *e)
{
	(void)e;
}

static void heading(struct explorer *e, char *out, size_t size)
{
	const struct results *r = e->results;
	const struct run_plan *p = &r->run_plan;
	double accelerators = explorer_value(e, PARAMETER_ACCELERATORS);
	char time[32], arrays[32] = "", where[80];

	if (!is_there(e))
		return;
	units_print_seconds(r->run.seconds, time, sizeof time);
	if (r->on_cluster)
		snprintf(where, sizeof where, "GPUs of %s", r->cluster->name);
	else
		snprintf(where, sizeof where, "accelerators");
	if (accelerators > 1)
		snprintf(arrays, sizeof arrays, "%.0f x ", accelerators);
	snprintf(out, size, "%.0f %s: %s%.0f x %.0f x %.0f, a step %s, %.1f %% of peak", r->run_devices, where, arrays, p->tensor, p->replicas, p->pipeline, time, 100 * r->run_utilisation);
}

static void wants(struct explorer *e, int *rows, int *cols)
{
	*rows = is_there(e) ? 2 * stage_count(e) + 10 : 4;
	*cols = 160;
}

/* ---- what the step is made of ---- */

/* A letter of each part, in the bar and before its share. */
static const char *const letters[RUN_PARTS] = { "F", "B", "R", "C", "T", "-", "G", "U", "S" };
static const uint8_t part_styles[RUN_PARTS] = { STYLE_DP, STYLE_MP, STYLE_OP, STYLE_ACCENT, STYLE_ACCENT, STYLE_DIM, STYLE_ACCENT, STYLE_TEXT, STYLE_WARNING };

/* Returns the rows that took. */
static int draw_parts(struct explorer *e, struct rect area)
{
	const struct run *run = &e->results->run;
	struct run_part parts[RUN_PARTS];
	int cols = area.cols - TEXT_COL - 2, from = 0, row = area.row + 1, col = area.col + TEXT_COL;
	double sum = 0;

	run_parts(run, parts);
	for (int i = 0; i < RUN_PARTS; i++) {
		char share[48];
		int to;

		sum += parts[i].seconds;
		to = (int)lround(cols * sum / run->seconds);
		for (; from < to; from++)
			cells_put(&e->cells, area, area.row, area.col + TEXT_COL + from, part_styles[i], letters[i]);
		if (parts[i].seconds < 0.0005 * run->seconds)
			continue;
		snprintf(share, sizeof share, "%s %s %.1f %%", letters[i], parts[i].name, 100 * parts[i].seconds / run->seconds);
		if (col + text_width(share) > area.col + area.cols - 1) {
			row++;
			col = area.col + TEXT_COL;
		}
		if (row < area.row + area.rows)
			cells_put(&e->cells, area, row, col, part_styles[i], share);
		col += text_width(share) + 3;
	}
	return row - area.row + 1;
}

/* ---- the stages ---- */

/* A letter of each part of the memory. */
static const char *const memory_letters[RUN_MEMORY_PARTS] = { "W", "G", "O", "A", "B", "c" };
static const uint8_t memory_styles[RUN_MEMORY_PARTS] = { STYLE_DP, STYLE_MP, STYLE_OP, STYLE_ACCENT, STYLE_TEXT, STYLE_DIM };

/* Filled to the capacity, which has a mark; what is beyond it is drawn too, as far as there is room. */
static void draw_memory(struct explorer *e, struct rect area, int row, int col, int cols, const struct stage_figures *s)
{
	const struct run_memory *m = &s->memory;
	double capacity = s->capacity > 0 ? s->capacity : m->total, full = fmax(capacity, fmin(m->total, 1.25 * capacity)), sum = 0;
	struct run_memory_part parts[RUN_MEMORY_PARTS];
	int from = 0, mark = (int)lround(cols * capacity / full);

	run_memory_parts(m, parts);
	for (int i = 0; i < RUN_MEMORY_PARTS; i++) {
		int to;

		sum += parts[i].bytes;
		to = (int)lround(fmin(1, sum / full) * cols);
		for (; from < to; from++)
			cells_put(&e->cells, area, row, col + from, from >= mark ? STYLE_ERROR : memory_styles[i], memory_letters[i]);
	}
	for (; from < mark; from++)
		cells_put(&e->cells, area, row, col + from, STYLE_RULE, style_glyph(GLYPH_EMPTY, e->ascii));
	cells_put(&e->cells, area, row, col + mark, m->total > capacity ? STYLE_ERROR : STYLE_RULE, "|");
}

/* Where it begins, and what it is where it is of another kind than is set. */
static void begin_of(const struct explorer *e, const struct stage_figures *s, char *out, size_t size)
{
	const struct results *r = e->results;

	snprintf(out, size, "%s%s%s", s->row >= 0 ? r->model->operators[s->row].name : "", strcmp(s->accelerator, r->accelerator->name) != 0 ? ", " : "",
		strcmp(s->accelerator, r->accelerator->name) != 0 ? s->accelerator : "");
}

/* Columns of where a stage begins. */
static int name_cols(const struct explorer *e, struct rect area)
{
	return e->results->on_cluster && e->results->run_plan.dealt == NULL ? 0 : area.cols >= 110 ? 24 : 12;
}

static bool is_wide(struct rect area)
{
	return area.cols >= 76;
}

static void draw_stage(struct explorer *e, struct rect area, int row, int stage)
{
	const struct stage_figures *s = &e->results->stages[stage];
	bool focused = stage == stage_of(e), wide = is_wide(area), pinned = document_stage(study_document(e->study), stage + 1).starts >= 0;
	uint8_t style = (uint8_t)(focused ? STYLE_STRONG | (e->focus == FOCUS_ROWS ? STYLE_FOCUS : 0) : STYLE_TEXT);
	int name = wide ? name_cols(e, area) : 0, col = area.col + TEXT_COL + (wide ? STAGE_COLS + name : 14), bar = area.cols - (col - area.col) - 3;
	char text[160], forward[32], backward[32], memory[32], from[300];

	begin_of(e, s, from, sizeof from);
	units_print_seconds(s->times.forward, forward, sizeof forward);
	units_print_seconds(s->times.backward, backward, sizeof backward);
	units_print_memory(s->memory.total, memory, sizeof memory);
	if (focused)
		cells_put(&e->cells, area, row, area.col + 1, STYLE_ACCENT, style_glyph(GLYPH_CURSOR, e->ascii));
	snprintf(text, sizeof text, "%-3d", stage + 1);
	cells_put(&e->cells, area, row, area.col + TEXT_COL, style, text);
	if (name > 0)
		cells_put_padded(&e->cells, area, row, area.col + TEXT_COL + 4, name - 1, ALIGN_LEFT, pinned ? STYLE_ACCENT : STYLE_TEXT, from);
	if (wide)
		snprintf(text, sizeof text, "%6.0f %9s %9s %s%10s", s->layers, forward, backward, stage == e->results->run.slowest ? "*" : " ", memory);
	else
		snprintf(text, sizeof text, "%9s", memory);
	cells_put(&e->cells, area, row, area.col + TEXT_COL + 4 + name, stage_fits(s) ? STYLE_TEXT : STYLE_ERROR, text);
	draw_memory(e, area, row, col, bar < MEMORY_COLS_MOST ? bar : MEMORY_COLS_MOST, s);
	if (focused) {
		e->cells.cursor_row = row;
		e->cells.cursor_col = area.col + TEXT_COL;
	}
}

/* The first stage that is shown where so many are: the focused one stays on the screen. */
static int first_stage(const struct explorer *e, int shown)
{
	return stage_of(e) >= shown ? stage_of(e) - shown + 1 : 0;
}

/* As many stages as there is room for behind the header; returns the rows that took. */
static int draw_stages(struct explorer *e, struct rect area, int room)
{
	int stages = stage_count(e), shown = stages < room - 1 ? stages : room - 1, first = first_stage(e, shown);
	char text[240], capacity[32];

	units_print_memory(e->results->stages[stage_of(e)].capacity, capacity, sizeof capacity);
	if (is_wide(area))
		snprintf(text, sizeof text, "%-4s%-*s%6s %9s %9s  %10s of %s%s", "", name_cols(e, area), name_cols(e, area) > 0 ? "from" : "", e->results->on_cluster ? "blocks" : "layers", "forward", "backward",
			e->results->on_cluster ? "a GPU" : "of one", capacity, area.cols >= 110 ? ": Weights Gradients Optimizer Activations Buffers context" : ": W G O A");
	else
		snprintf(text, sizeof text, "    memory of %s", capacity);
	cells_put(&e->cells, area, area.row, area.col + TEXT_COL, STYLE_HEADER, text);
	for (int i = 0; i < shown; i++)
		draw_stage(e, area, area.row + 1 + i, first + i);
	e->pipeline.first = first;
	e->pipeline.shown = shown;
	return shown + 1;
}

/* ---- the schedule ---- */

/* More stages than this take more than a frame to evaluate under each schedule; Enter does it. */
enum { STAGES_SIDE_BY_SIDE = 64 };

/* All schedules side by side, as many as there is room for: the step and what of it is bubble. */
static void draw_schedules(struct explorer *e, struct rect area)
{
	const struct run_choices *c = e->results->on_cluster || stage_count(e) <= STAGES_SIDE_BY_SIDE ? study_run_choices(e->study) : NULL;
	int col = area.col + TEXT_COL;

	if (c == NULL)
		cells_put(&e->cells, area, area.row, col, STYLE_DIM, "Enter compares the schedules");

	for (int i = 0; c != NULL && i < PIPELINE_SCHEDULE_COUNT; i++) {
		const struct run_scheduled *s = &c->schedules[i];
		char text[120], time[32], memory[32];

		if (isnan(s->run.seconds))
			continue;
		units_print_seconds(s->run.seconds, time, sizeof time);
		units_print_memory(s->run.memory.total, memory, sizeof memory);
		if (area.cols >= 150)
			snprintf(text, sizeof text, "%s %s, bubble %.0f %%, %s", s->name, time, 100 * s->run.bubble / s->run.seconds, memory);
		else
			snprintf(text, sizeof text, "%s %s", s->name, time);
		if (col + text_width(text) > area.col + area.cols - 1)
			break;
		col += cells_put(&e->cells, area, area.row, col, s->plan.schedule == e->results->run_plan.schedule ? STYLE_STRONG : STYLE_DIM, text) + 3;
	}
}

static const char *slot_glyph(const struct explorer *e, const struct slot *s)
{
	static const char *const forward[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
	static const char *const backward[] = { "⓪", "①", "②", "③", "④", "⑤", "⑥", "⑦", "⑧", "⑨" };
	static const char *const letters_of[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };

	if (s->kind == SLOT_WEIGHT)
		return "w";
	return s->kind == SLOT_FORWARD ? forward[s->microbatch % 10] : e->ascii ? letters_of[s->microbatch % 10] : backward[s->microbatch % 10];
}

/* The slots within the window, each a bar of its stage's lane. */
static void collect_bars(struct explorer *e, int lanes)
{
	static const uint8_t styles[SLOT_KINDS] = { STYLE_DP, STYLE_MP, STYLE_OP };
	const struct pipeline_step *p = e->results->pipeline;
	int stages = stage_count(e), merge = (stages + lanes - 1) / lanes;

	e->pipeline.bar_count = 0;
	for (int stage = 0; stage < stages; stage++)
		for (int i = 0; i < p->table.per_device; i++) {
			const struct slot *s = &slot_row(&p->table, stage)[i];
			const struct slot_times *t = &p->times[(size_t)stage * (size_t)p->table.per_device + (size_t)i];

			if (t->end <= e->pipeline.from || t->start >= e->pipeline.from + e->pipeline.span)
				continue;
			e->pipeline.bars = memory_grow(e->pipeline.bars, &e->pipeline.bar_capacity, (size_t)e->pipeline.bar_count + 1, sizeof *e->pipeline.bars);
			e->pipeline.bars[e->pipeline.bar_count++] = (struct gantt_bar){ .lane = stage / merge, .id = -1, .cores = 1, .start = t->start, .end = t->end, .glyph = slot_glyph(e, s),
				.style = styles[s->kind] };
		}
}

/* Keeps the window within the step, which may be another one than before. */
static void keep_window(struct explorer *e)
{
	double all = e->results->pipeline->makespan;

	if (!(e->pipeline.span > 0) || e->pipeline.all != all) {
		e->pipeline.from = 0;
		e->pipeline.span = all;
	}
	e->pipeline.all = all;
	e->pipeline.span = fmin(e->pipeline.span, all);
	e->pipeline.from = fmax(0, fmin(e->pipeline.from, all - e->pipeline.span));
}

static void bubble_sentence(const struct explorer *e, char *out, size_t size)
{
	const struct pipeline_step *p = e->results->pipeline;
	const struct pipeline_loss *b = &p->idle;
	double all = 100 / p->seconds;
	char name[24];

	parameter_print(PARAMETER_SCHEDULE, explorer_value(e, PARAMETER_SCHEDULE), name, sizeof name);
	snprintf(out, size, "%s: stages idle %.1f %%: few microbatches %.1f, uneven %.1f, transfers %.1f; 0 forward, %s backward%s", name, all * b->all, all * b->few, all * b->uneven,
		all * b->transfer, e->ascii ? "a" : "⓪", pipeline_schedule_splits((enum pipeline_schedule)(int)explorer_value(e, PARAMETER_SCHEDULE)) ? ", w weights" : "");
}

static void draw_schedule(struct explorer *e, struct rect area)
{
	struct gantt_lane lanes[LANES_MOST];
	int stages = stage_count(e), room = area.rows - 1 - GANTT_AXIS_ROWS, most = room < LANES_MOST ? room : LANES_MOST, merge = (stages + most - 1) / most, count = (stages + merge - 1) / merge;
	struct gantt gantt = { .lanes = lanes, .lane_count = count, .focus = -1, .ascii = e->ascii };
	char text[240];

	keep_window(e);
	for (int i = 0; i < count; i++) {
		int last = (i + 1) * merge < stages ? (i + 1) * merge : stages;

		snprintf(lanes[i].label, sizeof lanes[i].label, merge > 1 ? "%d-%d" : "%d", i * merge + 1, last);
		lanes[i].merged = last - i * merge;
	}
	collect_bars(e, most);
	gantt.bars = e->pipeline.bars;
	gantt.bar_count = e->pipeline.bar_count;
	gantt.from = e->pipeline.from;
	gantt.span = e->pipeline.span;
	bubble_sentence(e, text, sizeof text);
	cells_put(&e->cells, area, area.row, area.col + TEXT_COL, STYLE_HEADER, text);
	gantt_draw(&gantt, &e->cells, (struct rect){ area.row + 1, area.col + 1, count + GANTT_AXIS_ROWS, area.cols - 2 });
}

/* Why there is no chart. */
static void draw_too_many(struct explorer *e, struct rect area)
{
	const struct run_plan *p = &e->results->run_plan;
	char text[200];

	snprintf(text, sizeof text, "The chart is left out: %.0f stages x %.0f microbatches x %.0f chunks are more slots than %d, or more than %d microbatches; larger microbatches make fewer.", p->pipeline,
		run_microbatches(p), p->chunks, PIPELINE_SLOTS_FRAME, PIPELINE_MICROBATCHES_MAX);
	cells_wrap(&e->cells, (struct rect){ area.row, area.col + TEXT_COL, area.rows, area.cols - TEXT_COL - 1 }, 0, STYLE_STALE, text);
}

/* ---- the view ---- */

static void draw_nothing(struct explorer *e, struct rect area)
{
	cells_wrap(&e->cells, (struct rect){ area.row + 1, area.col + TEXT_COL, area.rows - 1, area.cols - TEXT_COL - 1 }, 0, STYLE_STALE, e->results->run_trouble);
}

static void draw(struct explorer *e, struct rect area)
{
	int used, room, lanes;

	if (e->results->model == NULL || area.rows < 2)
		return;
	if (!is_there(e)) {
		draw_nothing(e, area);
		return;
	}
	used = draw_parts(e, area) + 1;
	if (used >= area.rows - 1)
		return;
	area.row += used;
	area.rows -= used;
	/* stages and their slots share what is left */
	lanes = e->results->pipeline != NULL && stage_count(e) > 1 && area.rows >= 9 ? (area.rows - 6) / 2 : 0;
	room = area.rows - (lanes > 0 ? lanes + 3 + GANTT_AXIS_ROWS : 0);
	used = draw_stages(e, area, room) + 1;
	area.row += used;
	area.rows -= used;
	if (lanes == 0) {
		if (e->results->pipeline == NULL && stage_count(e) > 1 && area.rows > 0)
			draw_too_many(e, area);
		return;
	}
	draw_schedules(e, area);
	area.row++;
	area.rows--;
	draw_schedule(e, area);
}

static void move(struct explorer *e, enum move move)
{
	int stage;

	if (!is_there(e))
		return;
	stage = stage_of(e);
	switch (move) {
	case MOVE_UP: case MOVE_LEFT: stage--; break;
	case MOVE_DOWN: case MOVE_RIGHT: stage++; break;
	case MOVE_FIRST: stage = 0; break;
	case MOVE_LAST: stage = stage_count(e) - 1; break;
	case MOVE_PAGE_UP: case MOVE_HALF_UP: stage -= 8; break;
	case MOVE_PAGE_DOWN: case MOVE_HALF_DOWN: stage += 8; break;
	default: break;
	}
	e->pipeline.stage = stage < 0 ? 0 : stage >= stage_count(e) ? stage_count(e) - 1 : stage;
	e->rebuild = true;
}

/* Enter: the run in words, and what would make it fit. */
static enum status enter(struct explorer *e, struct diagnostic *d)
{
	if (!is_there(e))
		return diagnostic_fail(d, STATUS_INPUT, "there is no run to explain: %.500s", e->results->run_trouble);
	run_text(e->study, explorer_popup(e, "training run"));
	return STATUS_OK;
}

static enum status zoom(struct explorer *e, double factor, struct diagnostic *d)
{
	double middle = e->pipeline.from + e->pipeline.span / 2;

	if (!is_there(e) || e->results->pipeline == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "there is no chart to zoom into: the schedule has one stage, or too many slots");
	e->pipeline.span = isinf(factor) ? e->pipeline.all : fmax(e->pipeline.span * factor, e->pipeline.all * 1e-4);
	e->pipeline.from = middle - e->pipeline.span / 2;
	keep_window(e);
	e->rebuild = true;
	return STATUS_OK;
}

static enum status pan(struct explorer *e, int direction, struct diagnostic *d)
{
	if (!is_there(e) || e->results->pipeline == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "there is no schedule to pan over");
	e->pipeline.from += direction * e->pipeline.span / 4;
	keep_window(e);
	e->rebuild = true;
	return STATUS_OK;
}

/* The row that the stage begins with when its border moves by one layer, or block; -1 where there is none. */
static int moved_begin(const struct explorer *e, int row, int direction)
{
	const struct results *r = e->results;
	int *layer_of, layer, moved = -1;

	if (r->on_cluster) {
		layer = transformer_block_of(r->model, row) + direction;
		return layer > 0 && layer < r->transformer.blocks ? transformer_block_row(r->model, layer) : -1;
	}
	layer_of = memory_alloc((size_t)r->model->count, sizeof *layer_of);
	model_stage_layers(r->model, layer_of);
	layer = layer_of[row] + direction;
	for (int i = r->model->count - 1; i >= 0; i--)
		if (layer > 0 && layer_of[i] == layer)
			moved = i;
	memory_free(layer_of);
	return moved;
}

static enum status border(struct explorer *e, int direction, struct diagnostic *d)
{
	int stage = stage_of(e), row;
	enum status status;
	char line[64];

	if (!is_there(e))
		return diagnostic_fail(d, STATUS_INPUT, "there is no run: %.400s; undo takes the last border back", e->results->run_trouble);
	if (stage_count(e) < 2)
		return diagnostic_fail(d, STATUS_INPUT, "one stage has no border; set pipeline=2 or more");
	if (stage == 0)
		return diagnostic_fail(d, STATUS_INPUT, "stage 1 begins with the model; focus the stage behind the border");
	if (e->results->stages[stage].row < 0)
		return diagnostic_fail(d, STATUS_INPUT, "chunks of blocks are dealt evenly; take another schedule than interleaved");
	row = moved_begin(e, e->results->stages[stage].row, direction);
	if (row < 0)
		return diagnostic_fail(d, STATUS_INPUT, "stage %d cannot begin any %s", stage + 1, direction < 0 ? "earlier" : "later");
	snprintf(line, sizeof line, "stage %d starts #%d", stage + 1, row + 1);
	status = command_run(e->study, &e->host, line, d);
	if (status != STATUS_OK || study_update(e->study)->run_trouble[0] == '\0')
		return status;
	/* a border that leaves a stage without layers goes back */
	diagnostic_fail(d, STATUS_INPUT, "%.400s", study_results(e->study)->run_trouble);
	study_undo(e->study);
	return STATUS_INPUT;
}

static const struct hint hints[] = {
	{ "explain", "in words" }, { "prompt plan ", "plan" }, { "border left", "border" }, { "zoom in", "zoom" }, { "focus dials", "dials" }, { "help", "help" }, { NULL, NULL }
};

const struct view view_pipeline = {
	.name = "pipeline", .context = CONTEXT_PIPELINE, .dials = DIAL_RUN, .hints = hints, .build = build, .heading = heading, .wants = wants, .draw = draw, .move = move,
	.enter = enter, .zoom = zoom, .pan = pan, .border = border
};
