/* The path view: its time axis, its cores, its operators; and what it shares with the layers view. */
#include "tests/ui/lib_screen.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Start and end of the focused operator. */
static const struct placing *focused_task(const struct screen *s)
{
	const struct step *step = s->e.results->step;

	return &step->schedule.tasks[step->nodes[s->e.path.node].task];
}

/* Zooming keeps the focused operator where it stands, all of it fits again, and no window leaves the step. */
static void the_time_axis_zooms_about_the_cursor(void **state)
{
	struct screen s;
	double all, part;

	(void)state;
	screen_open(&s, "resnet50", 30, 100);
	screen_run(&s, "view path");
	screen_text(&s);
	all = s.e.results->step->schedule.makespan;
	assert_true(s.e.path.from == 0 && s.e.path.span == all);
	screen_run(&s, "search /s4b3_conv2:fwd/");
	for (int i = 0; i < 6; i++) {
		part = (focused_task(&s)->start - s.e.path.from) / s.e.path.span;
		screen_press(&s, "+");
		assert_true(fabs((focused_task(&s)->start - s.e.path.from) / s.e.path.span - part) < 1e-9);
	}
	assert_true(fabs(s.e.path.span * 64 / all - 1) < 1e-9);
	assert_true(screen_shows(&s, "zoom 64"));
	for (int i = 0; i < 300; i++)
		screen_press(&s, ">");
	assert_true(fabs(s.e.path.from + s.e.path.span - all) < 1e-9 * all);
	for (int i = 0; i < 300; i++)
		screen_press(&s, "<");
	assert_true(s.e.path.from == 0);
	for (int i = 0; i < 40; i++)
		screen_press(&s, "+");
	assert_true(s.e.path.span >= all * 1e-6);
	screen_press(&s, "0");
	assert_true(s.e.path.from == 0 && s.e.path.span == all);
	/* an edit keeps the part that is seen */
	screen_press(&s, "+ +");
	screen_run(&s, "set clock=500MHz");
	screen_text(&s);
	assert_true(fabs(s.e.path.span / s.e.results->step->schedule.makespan - 0.25) < 1e-9);
	screen_close(&s);
}

/* A million cores are a few lanes. */
static void absurd_numbers_of_cores_draw(void **state)
{
	struct screen s;
	int merged = 0;

	(void)state;
	screen_open(&s, "bert-base", 60, 200);
	screen_run(&s, "set tc=1048576 vc=1048576");
	screen_run(&s, "view path");
	for (int lane = 0; lane < 20; lane++) {
		char label[16];

		snprintf(label, sizeof label, "TC%d+", lane);
		merged += screen_shows(&s, label);
	}
	assert_true(merged == 1 && screen_shows(&s, "memory "));
	assert_true(s.e.path.bar_count < 100 * s.e.results->step->task_count);
	screen_close(&s);
}

/* Sideways goes along a core in time; what is focused can always be seen. */
static void sideways_goes_along_the_core(void **state)
{
	struct screen s;
	int steps = 0;
	double start = -1;

	(void)state;
	screen_open(&s, "googlenet", 30, 100);
	screen_run(&s, "set accelerator=tpuv2 accelerators=1 batch=32");
	screen_run(&s, "view path");
	screen_press(&s, "+ + +");
	screen_press(&s, "g");
	for (int node = -1; node != s.e.path.node; steps++) {
		node = s.e.path.node;
		assert_true(focused_task(&s)->start >= start);
		start = focused_task(&s)->start;
		assert_true(start <= s.e.path.from + s.e.path.span && focused_task(&s)->end >= s.e.path.from);
		screen_press(&s, "Right");
	}
	assert_true(steps > 50);
	for (int i = 0; i < 1000; i++)
		screen_press(&s, "Left");
	assert_true(focused_task(&s)->start == 0);
	screen_close(&s);
}

/* The layers and the path view are about the same layer. */
static void views_keep_the_layer(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 30, 100);
	screen_run(&s, "focus conv4_2");
	screen_press(&s, "2");
	assert_true(screen_shows(&s, "why conv4_2:fwd"));
	screen_run(&s, "search /fc2:bwd_weight/");
	assert_true(screen_shows(&s, "why fc2:bwd_weight"));
	screen_press(&s, "1");
	assert_true(screen_shows(&s, "why fc2 at H1"));
	screen_press(&s, "2");
	assert_true(screen_shows(&s, "why fc2:bwd_weight"));
	screen_run(&s, "filter /loss/");
	assert_true(screen_shows(&s, "why loss:loss"));
	screen_press(&s, "Enter");
	assert_true(screen_shows(&s, "loss:loss is critical"));
	screen_close(&s);
}

/* Each block once, said how often; a choice that differs is told. */
static void repeated_blocks_fold(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "bert-base", 30, 120);
	screen_run(&s, "focus b7_qkv");
	screen_press(&s, "z");
	assert_true(screen_shows(&s, "b1_qkv ×12 ") && !screen_shows(&s, "b2_qkv") && screen_shows(&s, "why b1_qkv"));
	assert_true(screen_shows(&s, "repeats folded"));
	screen_run(&s, "pin b7_qkv H1 mp");
	assert_true(screen_shows(&s, "b1_qkv ×12 ≠"));
	screen_press(&s, "z");
	assert_true(screen_shows(&s, "b2_qkv") && !screen_shows(&s, "×12"));
	screen_run(&s, "load lenet-c");
	assert_int_equal(screen_run(&s, "fold on"), STATUS_INPUT);
	screen_close(&s);
}

/* Every number of the operator's inspector explains itself. */
static void operators_explain_themselves(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 40, 140);
	screen_run(&s, "view path");
	screen_run(&s, "search /conv3_1:bwd_data/");
	screen_text(&s);
	screen_run(&s, "focus inspector");
	assert_true(s.e.inspector.sheet.item_count >= 5);
	for (int i = 0; i < s.e.inspector.sheet.item_count; i++) {
		s.e.inspector.focus = i;
		screen_press(&s, "Enter");
		if (!s.e.popup.open || strstr(s.e.popup.title, "conv3_1:bwd_data") == NULL || strstr(text_string(&s.e.popup.body), "source: ") == NULL)
			fail_msg("item %d: %s: %s", i, s.e.popup.title, text_string(&s.e.popup.body));
		screen_press(&s, "Esc");
	}
	screen_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_axis_zooms_about_the_cursor),
		cmocka_unit_test(absurd_numbers_of_cores_draw),
		cmocka_unit_test(sideways_goes_along_the_core),
		cmocka_unit_test(views_keep_the_layer),
		cmocka_unit_test(repeated_blocks_fold),
		cmocka_unit_test(operators_explain_themselves),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
