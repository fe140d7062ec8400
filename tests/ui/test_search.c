/* The search view: a race begun, looked at, adopted, exported and begun from again. */
#include "study/commands.h"
#include "tests/ui/lib_pty.h"
#include "tests/ui/lib_screen.h"
#include "ui/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char plain[] = "set accelerator=wham-base accelerators=1 batch=64 precision=bf16";

static void the_first_look_searches(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "lenet-c", 24, 80);
	screen_run(&s, plain);
	screen_press(&s, "5");
	assert_true(screen_shows(&s, "wham") && screen_shows(&s, "1.000") && screen_shows(&s, "tpuv2-like"));
	assert_true(screen_shows(&s, "throughput within 278.83mm2"));
	/* an edit searches again, as long as nothing but wham was there */
	screen_run(&s, "set area_limit=40mm2");
	assert_true(screen_shows(&s, "throughput within 40mm2"));
	screen_run(&s, "mine random");
	screen_run(&s, "set area_limit=50mm2");
	assert_true(screen_shows(&s, "of other values: c mines anew"));
	screen_press(&s, "c");
	assert_true(screen_shows(&s, "throughput within 50mm2"));
	screen_close(&s);
}

static void designs_are_adopted_and_taken_back(void **state)
{
	struct screen s;
	struct judged j;

	(void)state;
	screen_open(&s, "lenet-c", 24, 80);
	screen_run(&s, plain);
	screen_press(&s, "5 Enter j j");
	assert_true(screen_shows(&s, "designs  of wham"));
	assert_int_equal(s.e.racing.cursor[SEARCH_DESIGNS], 2);
	assert_true(search_focused(&s.e, &j));
	assert_true(memcmp(&s.e.racing.race->entrants[METHOD_WHAM].miner.top[2].design, &j.design, sizeof j.design) == 0);
	screen_press(&s, "a");
	assert_int_equal(s.e.view, VIEW_SEARCH);
	assert_int_equal((int)study_document(s.study)->values[PARAMETER_TC], 1 << j.design.log[AXIS_TC]);
	/* what the search judged is what the study says of the design that it set */
	screen_text(&s);
	assert_true(64 / s.e.results->step->schedule.makespan / j.throughput - 1 < 1e-12 && 64 / s.e.results->step->schedule.makespan / j.throughput - 1 > -1e-12);
	/* of the same race still, whatever design is set */
	assert_true(screen_shows(&s, "throughput within"));
	screen_press(&s, "u Enter");
	assert_int_equal(s.e.view, VIEW_PATH);
	assert_int_equal((int)study_document(s.study)->values[PARAMETER_TC], 1 << j.design.log[AXIS_TC]);
	screen_close(&s);
}

static void pages_tell_steps_and_charts(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "lenet-c", 24, 80);
	screen_run(&s, plain);
	screen_run(&s, "mine wham,wham-paper");
	assert_int_equal(s.e.racing.method, METHOD_WHAM);
	screen_press(&s, "j l l");
	assert_true(screen_shows(&s, "steps  of wham-paper") && screen_shows(&s, "begins with"));
	assert_true(screen_shows(&s, "asked for most by conv1, forward and backward"));
	screen_run(&s, "search /^prunes/");
	assert_true(screen_shows(&s, "no better than its parent"));
	screen_press(&s, "l");
	assert_true(screen_shows(&s, "designs scheduled") && screen_shows(&s, "pppp"));
	screen_press(&s, "l l");
	assert_true(screen_shows(&s, "by TDP  of wham-paper") && screen_shows(&s, "front"));
	screen_press(&s, "l l");
	assert_true(screen_shows(&s, "methods"));
	assert_true(screen_run(&s, "mine nothing") == STATUS_USAGE);
	assert_true(screen_run(&s, "mine pause") == STATUS_INPUT);
	assert_true(screen_run(&s, "mine wham no-such-model") != STATUS_OK);
	screen_close(&s);
}

static void one_design_for_several_models(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "lenet-c", 24, 80);
	screen_run(&s, plain);
	assert_int_equal(screen_run(&s, "mine wham sfc cifar-c"), STATUS_OK);
	assert_int_equal(s.e.racing.race->mining.request.model_count, 3);
	assert_true(screen_shows(&s, "one design for several models"));
	screen_close(&s);
}

/* Of a run on stages: a page more, whose designs are taken all at once and taken back at once. */
static void stages_get_designs_of_their_own(void **state)
{
	struct screen s;
	double throughput;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_run(&s, plain);
	screen_run(&s, "set pipeline=4 bandwidth=100GB/s");
	screen_press(&s, "5 l l");
	assert_true(screen_shows(&s, "stages  of wham") && screen_shows(&s, "% against one"));
	throughput = s.e.racing.race->entrants[METHOD_WHAM].line->each.throughput;
	screen_press(&s, "a");
	screen_text(&s);
	assert_true(64 / s.e.results->run.seconds / throughput - 1 < 1e-9 && 64 / s.e.results->run.seconds / throughput - 1 > -1e-9);
	/* of the same search still */
	assert_true(screen_shows(&s, "throughput within 278.83mm2") && screen_shows(&s, "% against one"));
	screen_press(&s, "u");
	assert_int_equal(study_document(s.study)->stage_count, 0);
	screen_press(&s, "h Enter");
	assert_int_equal(s.e.view, VIEW_PIPELINE);
	screen_close(&s);
}

/* A saved search of one budget shortens the next. */
static void a_search_is_saved_and_gone_on_from(void **state)
{
	char path[] = "/tmp/whypar-search-XXXXXX.json", line[96];
	struct screen s;
	int64_t scratch, warm;
	double best;
	int fd = mkstemps(path, 5);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	screen_open(&s, "resnet18", 24, 80);
	screen_run(&s, plain);
	assert_int_equal(screen_run(&s, "export search /tmp/none.json"), STATUS_INPUT);
	screen_press(&s, "5");
	scratch = s.e.racing.race->entrants[METHOD_WHAM].miner.evaluations;
	snprintf(line, sizeof line, "export %s", path);
	assert_int_equal(screen_run(&s, line), STATUS_OK);
	screen_run(&s, "set area_limit=200mm2");
	screen_text(&s);
	best = race_best(s.e.racing.race);
	snprintf(line, sizeof line, "mine from=%s", path);
	assert_int_equal(screen_run(&s, line), STATUS_OK);
	warm = s.e.racing.race->entrants[METHOD_WHAM].miner.evaluations;
	assert_true(warm < scratch / 2);
	assert_true(race_best(s.e.racing.race) > 0.95 * best);
	assert_int_equal(screen_run(&s, "mine from=/dev/null"), STATUS_INPUT);
	remove(path);
	screen_close(&s);
}

/* On a terminal: on a thread of its own, painted as it goes, paused, gone on with, stopped. */
static void a_running_search_is_paused_and_stopped(void **state)
{
	char path[] = "/tmp/whypar-search-XXXXXX.txt", line[96];
	int fd = mkstemps(path, 4);
	struct pty p;
	FILE *file;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_true(pty_start_explorer(&p, 30, 120, NULL));
	pty_send(&p, ":load bert-large\r");
	assert_true(pty_wait(&p, "bert-large"));
	pty_send(&p, ":set accelerator=wham-base precision=bf16\r");
	assert_true(pty_wait(&p, "bf16"));
	pty_send(&p, ":mine exhaustive\r");
	assert_true(pty_wait(&p, "s left"));
	assert_true(pty_wait(&p, "1.000"));
	/* what it has found until now, while it goes on */
	snprintf(line, sizeof line, ":export search %s\r", path);
	pty_send(&p, line);
	assert_true(pty_wait(&p, "wrote /tmp/whypar-search"));
	pty_send(&p, " ");
	assert_true(pty_wait(&p, "paused"));
	pty_send(&p, " ");
	assert_true(pty_wait(&p, "s left"));
	pty_send(&p, "\033");
	assert_true(pty_wait(&p, "what was found stays"));
	assert_true(pty_wait_gone(&p, "s left"));
	/* begun again, and another model in the middle of it; then left */
	pty_send(&p, ":mine exhaustive\r");
	assert_true(pty_wait(&p, "s left"));
	pty_send(&p, ":load lenet-c\r");
	assert_true(pty_wait(&p, "lenet-c"));
	pty_send(&p, ":mine wham\r");
	assert_true(pty_wait(&p, "1.000"));
	pty_send(&p, ":load bert-large\r");
	assert_true(pty_wait(&p, "bert-large"));
	pty_send(&p, ":mine exhaustive\r");
	assert_true(pty_wait(&p, "s left"));
	pty_send(&p, "q");
	assert_true(pty_wait_end(&p, PTY_MS));
	assert_int_equal(p.status, 0);
	pty_end(&p);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof line, file));
	assert_non_null(strstr(line, "by exhaustive"));
	assert_non_null(fgets(line, sizeof line, file));
	assert_string_equal(line, "what stops it: nothing yet: the search has not ended\n");
	fclose(file);
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_look_searches),
		cmocka_unit_test(designs_are_adopted_and_taken_back),
		cmocka_unit_test(pages_tell_steps_and_charts),
		cmocka_unit_test(one_design_for_several_models),
		cmocka_unit_test(stages_get_designs_of_their_own),
		cmocka_unit_test(a_search_is_saved_and_gone_on_from),
		cmocka_unit_test(a_running_search_is_paused_and_stopped),
	};

	return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
