/* The dials: every parameter that is worth turning in a view, in table order. */
#include "ui/inside.h"

#include <stdio.h>
#include <string.h>

enum { DIAL_GAP = 2 };

void dials_choose(struct explorer *e)
{
	int present = e->dial_count > 0 ? e->dials[e->dial] : PARAMETER_BATCH;
	enum dial dials = explorer_view(e)->dials;

	if (dials == DIAL_NONE)          /* a view without dials leaves the last ones for the way back */
		dials = DIAL_PLAN;
	e->dial_count = e->dial = 0;
	for (int id = 0; id < PARAMETER_COUNT; id++) {
		if (!(parameter_at((enum parameter_id)id)->dials & dials))
			continue;
		if (id == present)
			e->dial = e->dial_count;
		e->dials[e->dial_count++] = id;
	}
}

const char *dials_no_effect(const struct explorer *e, int id)
{
	bool focused = e->focus == FOCUS_DIALS && e->dials[e->dial] == id;
	/* what has to be tried is tried only for the focused dial */
	return focused ? study_idle(e->study, (enum parameter_id)id) : study_idle_known(e->study, (enum parameter_id)id);
}

static void dial_text(const struct explorer *e, int index, char *value, size_t size)
{
	enum { MOST = 24 };      /* of a topology with all its tiers */
	enum parameter_id id = (enum parameter_id)e->dials[index];
	char whole[TOPOLOGY_BYTES];

	if (id != PARAMETER_TOPOLOGY) {
		parameter_print(id, explorer_value(e, id), value, size);
		return;
	}
	document_print(study_document(e->study), id, whole, sizeof whole);
	snprintf(value, size, strlen(whole) > MOST ? "%.22s.." : "%s", whole);
}

static int dial_width(const struct explorer *e, int index)
{
	char value[64];

	dial_text(e, index, value, sizeof value);
	return (int)(strlen(parameter_at((enum parameter_id)e->dials[index])->name) + strlen(value)) + 3;
}

int dials_width(const struct explorer *e)
{
	int width = 0;

	for (int i = 0; i < e->dial_count; i++)
		width += dial_width(e, i) + (i > 0 ? DIAL_GAP : 0);
	return width;
}

/* Places the dials from `first` on; a dial that has no room gets col -1. */
static void place_from(const struct explorer *e, struct rect area, int first, int rows[], int cols[])
{
	int row = 0, col = 1;

	for (int i = 0; i < e->dial_count; i++) {
		cols[i] = -1;
		if (i < first)
			continue;
		if (col > 1 && col + dial_width(e, i) > area.cols - 1) {
			row++;
			col = 1;
		}
		if (row >= area.rows)
			continue;
		rows[i] = row;
		cols[i] = col;
		col += dial_width(e, i) + DIAL_GAP;
	}
}

/* Where each dial stands.  Where room is short the focused one is kept in sight. */
static void place_dials(const struct explorer *e, struct rect area, int rows[], int cols[])
{
	int first = 0;

	place_from(e, area, first, rows, cols);
	while (cols[e->dial] < 0 && first < e->dial)
		place_from(e, area, ++first, rows, cols);
}

int dials_at(const struct explorer *e, struct rect area, int row, int col)
{
	int rows[PARAMETER_COUNT], cols[PARAMETER_COUNT];

	place_dials(e, area, rows, cols);
	for (int i = 0; i < e->dial_count; i++)
		if (cols[i] >= 0 && rows[i] == row - area.row && col - area.col >= cols[i] && col - area.col < cols[i] + dial_width(e, i))
			return i;
	return -1;
}

void dials_draw(struct explorer *e, struct rect area)
{
	int rows[PARAMETER_COUNT], cols[PARAMETER_COUNT];
	bool before = false, after = false;

	if (area.rows == 0)
		return;
	place_dials(e, area, rows, cols);
	for (int i = 0; i < e->dial_count; i++) {
		const struct parameter *parameter = parameter_at((enum parameter_id)e->dials[i]);
		bool dead = dials_no_effect(e, e->dials[i]) != NULL, focused = e->focus == FOCUS_DIALS && e->dial == i;
		const char *left = dead ? "(" : style_glyph(GLYPH_LEFT, e->ascii), *right = dead ? ")" : style_glyph(GLYPH_RIGHT, e->ascii);
		int row = area.row + rows[i], col = area.col + cols[i];
		char value[64];

		if (cols[i] < 0) {
			before = before || i < e->dial;
			after = after || i > e->dial;
			continue;
		}
		dial_text(e, i, value, sizeof value);
		col += cells_put(&e->cells, area, row, col, focused ? STYLE_STRONG : STYLE_DIM, parameter->name) + 1;
		col += cells_put(&e->cells, area, row, col, focused ? STYLE_ACCENT : STYLE_RULE, left);
		if (focused) {
			e->cells.cursor_row = row;
			e->cells.cursor_col = col;
		}
		col += cells_put(&e->cells, area, row, col, (uint8_t)(focused ? STYLE_STRONG | STYLE_FOCUS : dead ? STYLE_DIM : STYLE_STRONG), value);
		cells_put(&e->cells, area, row, col, focused ? STYLE_ACCENT : STYLE_RULE, right);
	}
	if (before)
		cells_put(&e->cells, area, area.row, area.col, STYLE_ACCENT, style_glyph(GLYPH_LEFT, e->ascii));
	if (after)
		cells_put(&e->cells, area, area.row + area.rows - 1, area.col + area.cols - 1, STYLE_ACCENT, style_glyph(GLYPH_RIGHT, e->ascii));
}

void dials_move(struct explorer *e, enum move move)
{
	switch (move) {
	case MOVE_LEFT: case MOVE_UP: e->dial = (e->dial + e->dial_count - 1) % e->dial_count; break;
	case MOVE_RIGHT: case MOVE_DOWN: e->dial = (e->dial + 1) % e->dial_count; break;
	case MOVE_FIRST: e->dial = 0; break;
	case MOVE_LAST: e->dial = e->dial_count - 1; break;
	default: break;
	}
}

enum status dials_turn(struct explorer *e, const char *how, struct diagnostic *d)
{
	enum parameter_id id = (enum parameter_id)e->dials[e->dial];
	const struct parameter *parameter = parameter_at(id);
	int direction = strcmp(how, "up") == 0 || strcmp(how, "double") == 0 ? 1 : strcmp(how, "down") == 0 || strcmp(how, "halve") == 0 ? -1 : 0;
	double value = explorer_value(e, id);
	char line[80], shown[64];
	const char *idle;
	enum status status;

	if (strcmp(how, "edit") == 0) {
		editing_open(e, "");
		prompt_open_value(&e->prompt, parameter->name);
		return STATUS_OK;
	}
	if (direction == 0)
		return diagnostic_fail(d, STATUS_USAGE, "dial up, down, double, halve or edit, not \"%s\"", how);
	if (parameter_step_value(id, value, direction) == value) {
		parameter_print(id, value, shown, sizeof shown);
		explorer_say(e, STYLE_WARNING, "%s=%s is the end of its range", parameter->name, shown);
		return STATUS_OK;
	}
	snprintf(line, sizeof line, "step %s %s", parameter->name, direction > 0 ? "+" : "-");
	status = command_run(e->study, &e->host, line, d);
	if (status == STATUS_OK && (idle = study_idle(e->study, id)) != NULL)
		explorer_say(e, STYLE_WARNING, "%s changes little or nothing now: %s", parameter->name, idle);
	return status;
}
