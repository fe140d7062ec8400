/* The network view: its levels, its links, and what turning a dial of the links does to them. */
#include "tests/ui/lib_screen.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void levels_are_walked_and_explained(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_press(&s, "4");
	assert_true(screen_shows(&s, "htree:16@250MB/s,0s: exchanges 868 ms"));
	assert_true(screen_shows(&s, "whole step 9.95 s"));
	assert_true(screen_shows(&s, "links of the tree at H1"));
	screen_press(&s, "j j j j j");
	assert_int_equal(s.e.level, 4);
	assert_true(screen_shows(&s, "At H4 accelerator 0 exchanges with 1"));
	screen_press(&s, "-");
	assert_int_equal(s.e.level, 3);
	screen_press(&s, "Enter");
	assert_true(screen_shows(&s, "what level H3 moves"));
	screen_press(&s, "Esc g");
	assert_int_equal(s.e.level, 1);
	screen_close(&s);
}

static void the_dials_of_the_links_turn_it(void **state)
{
	struct screen s;
	double before;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_press(&s, "4 t");
	screen_text(&s);
	before = s.e.results->comm_s;
	screen_run(&s, "set bandwidth=500MB/s");
	assert_true(fabs(s.e.results->comm_s * 2 / before - 1) < 1e-12);
	screen_run(&s, "set topology=torus");
	assert_true(screen_shows(&s, "ring of 4") && screen_shows(&s, "topology ◂torus▸"));
	screen_run(&s, "set topology=switch:4@300GB/s,10us+ring");
	assert_true(screen_shows(&s, "switch of 4") && screen_shows(&s, "onward"));
	screen_run(&s, "set topology=ring:8");
	assert_true(screen_shows(&s, "joins 8, and there are 16"));
	assert_true(isnan(s.e.results->comm_s));
	screen_run(&s, "set accelerators=8");
	assert_true(screen_shows(&s, "ring of 8"));
	screen_run(&s, "set accelerators=1 topology=htree");
	assert_true(screen_shows(&s, "One accelerator exchanges nothing") && screen_shows(&s, "topology (htree)"));
	screen_close(&s);
}

/* Every size and any number of levels draw something, and nothing beyond the screen. */
static void it_fits_every_screen(void **state)
{
	static const char *const topologies[] = { "htree", "ring", "torus", "mesh", "full", "switch", "fattree" };
	static const int sizes[][2] = { { 10, 40 }, { 12, 50 }, { 24, 80 }, { 60, 200 }, { 11, 200 }, { 60, 40 } };

	(void)state;
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		struct screen s;

		screen_open(&s, "lenet-c", sizes[k][0], sizes[k][1]);
		screen_press(&s, "4");
		for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
			for (int accelerators = 2; accelerators <= 4096; accelerators *= 8) {
				char line[80];

				snprintf(line, sizeof line, "set topology=%s accelerators=%d", topologies[i], accelerators);
				screen_run(&s, line);
				screen_press(&s, "G");
				snprintf(line, sizeof line, "H%d ", (int)lround(log2(accelerators)));
				assert_true(screen_shows(&s, line));
				screen_press(&s, "g");
				assert_true(screen_shows(&s, "H1 ") && screen_shows(&s, "time"));
			}
		screen_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_walked_and_explained), cmocka_unit_test(the_dials_of_the_links_turn_it), cmocka_unit_test(it_fits_every_screen),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("network view", tests, NULL, NULL);
}
