/* Layout: for every screen from 1x1 to 300x120 and all options, rectangles lie inside, do not overlap, and what must be
 * there is there.  Born of others' bugs: a division by zero at 184x39 in one program, blank screens at 80x24 in others. */
#include "ui/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RECTS = 8 };

static void list(const struct screen_layout *l, struct rect out[RECTS])
{
	const struct rect all[RECTS] = { l->title, l->dials, l->rule, l->main, l->inspector, l->strip, l->note, l->footer };

	memcpy(out, all, sizeof all);
}

static bool empty(struct rect r)
{
	return r.rows <= 0 || r.cols <= 0;
}

static bool overlap(struct rect a, struct rect b)
{
	return !empty(a) && !empty(b) && a.row < b.row + b.rows && b.row < a.row + a.rows && a.col < b.col + b.cols && b.col < a.col + a.cols;
}

static void check_one(int rows, int cols, const struct layout_options *options)
{
	struct screen_layout l = layout_compute(rows, cols, options);
	struct rect rects[RECTS];

	list(&l, rects);
	for (int i = 0; i < RECTS; i++) {
		if (empty(rects[i]))
			continue;
		if (rects[i].row < 0 || rects[i].col < 0 || rects[i].row + rects[i].rows > rows || rects[i].col + rects[i].cols > cols)
			fail_msg("%dx%d: rectangle %d leaves the screen", cols, rows, i);
		for (int j = 0; j < i; j++)
			if (overlap(rects[i], rects[j]))
				fail_msg("%dx%d: rectangles %d and %d overlap", cols, rows, i, j);
	}
	if (empty(l.title))
		fail_msg("%dx%d: nothing at all is shown", cols, rows);
	if (l.small != (rows < LAYOUT_LEAST_ROWS || cols < LAYOUT_LEAST_COLS))
		fail_msg("%dx%d: small is %d", cols, rows, l.small);
	if (!l.small && (l.main.rows < 3 || l.main.cols < 20 || empty(l.footer) || empty(l.rule)))
		fail_msg("%dx%d: the view has %dx%d", cols, rows, l.main.cols, l.main.rows);
	if (!l.small && rows >= 24 && cols >= 80 && options->inspector && options->note_rows == 0 && l.inspector.rows < 6)
		fail_msg("%dx%d: the why has %d rows", cols, rows, l.inspector.rows);
}

static void every_size_and_option_holds(void **state)
{
	(void)state;
	for (int rows = 1; rows <= 120; rows++)
		for (int cols = 1; cols <= 300; cols++)
			for (int o = 0; o < 24; o++) {
				struct layout_options options = { o & 1, o & 2 ? 115 : o & 4 ? 40 : 0, o >= 16 ? 5 : o >= 8 ? 1 : 0, o * 7 % 90, o * 31 % 240 };

				check_one(rows, cols, &options);
			}
}

static void a_row_more_never_takes_a_pane_away(void **state)
{
	struct layout_options options = { true, 115, 0, 20, 90 };

	(void)state;
	for (int cols = LAYOUT_LEAST_COLS; cols <= 300; cols++)
		for (int rows = LAYOUT_LEAST_ROWS; rows < 120; rows++) {
			struct screen_layout a = layout_compute(rows, cols, &options), b = layout_compute(rows + 1, cols, &options);

			assert_true(empty(a.inspector) || !empty(b.inspector));
			assert_true(empty(a.strip) || !empty(b.strip));
			assert_true(empty(a.dials) || !empty(b.dials));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_and_option_holds), cmocka_unit_test(a_row_more_never_takes_a_pane_away),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
