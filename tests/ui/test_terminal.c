/* The real program on a real terminal: start, keys, sizes, suspension, death.  Each test is a way in which other
 * programs broke their users' terminals. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "base/text.h"
#include "tests/ui/lib_pty.h"
#include "tests/ui/lib_screen.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

static void check_restored(struct pty *p)
{
	assert_false(p->alternate);
	assert_true(p->cursor);
	assert_true(pty_is_sane(p));
}

static void starts_draws_and_leaves_the_terminal_as_it_was(void **state)
{
	struct pty p;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	assert_true(pty_wait(&p, "conv5_2"));
	assert_true(pty_wait(&p, "? help"));
	assert_true(p.alternate);
	assert_false(p.cursor);
	assert_false(pty_is_sane(&p));
	pty_send(&p, "q");
	assert_true(pty_wait_end(&p, PTY_MS));
	assert_true(WIFEXITED(p.status) && WEXITSTATUS(p.status) == 0);
	check_restored(&p);
	pty_end(&p);
}

static void keys_of_vi_and_arrows_move_and_turn(void **state)
{
	struct pty p;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	pty_send(&p, "jj");
	assert_true(pty_wait(&p, "why conv3_1 at H1"));
	pty_send(&p, "\033OB\033OC");
	assert_true(pty_wait(&p, "why conv3_2 at H2"));
	pty_send(&p, "]");
	assert_true(pty_wait(&p, "batch 512"));
	assert_true(pty_wait(&p, "▲"));
	pty_send(&p, "u");
	assert_true(pty_wait(&p, "batch 256"));
	pty_send(&p, ":set accelerators=4\r");
	assert_true(pty_wait(&p, "accelerators ◂4▸"));
	pty_send(&p, "?");
	assert_true(pty_wait(&p, "Keys of the layers view"));
	pty_send(&p, "q");
	assert_true(pty_wait_gone(&p, "Keys of the layers view"));
	pty_send(&p, "q");
	assert_true(pty_wait_end(&p, PTY_MS));
	pty_end(&p);
}

static void escape_alone_acts_at_once(void **state)
{
	struct pty p;
	double before;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	pty_send(&p, ":");
	assert_true(pty_wait(&p, "Tab completes"));
	before = pty_now();
	pty_send(&p, "\033");
	assert_true(pty_wait_gone(&p, "Tab completes"));
	/* A program that waits for the rest of an escape sequence takes a second. */
	assert_true(pty_now() - before < 0.7);
	pty_end(&p);
}

static void a_storm_of_sizes_ends_in_a_whole_screen(void **state)
{
	unsigned seed = 20260801;
	struct pty p;
	char size[64];

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	pty_send(&p, "jjj");
	for (int i = 0; i < 200; i++) {
		seed = seed * 1103515245u + 12345u;
		pty_resize(&p, 1 + (int)(seed >> 16) % 70, 1 + (int)(seed >> 8) % 220);
		if (i % 3 == 0)
			pty_pump(&p, 2);
	}
	pty_resize(&p, 8, 44);
	assert_true(pty_wait(&p, "whypar needs 40x10, this is 44x8"));
	pty_resize(&p, 30, 120);
	assert_true(pty_wait(&p, "why conv3_2 at H1"));
	assert_true(pty_wait(&p, "? help"));
	snprintf(size, sizeof size, "%s", pty_row(&p, 29));
	assert_non_null(strstr(size, "? help"));
	pty_send(&p, "q");
	assert_true(pty_wait_end(&p, PTY_MS));
	assert_true(WIFEXITED(p.status));
	pty_end(&p);
}

static void exported_lines_and_columns_do_not_freeze_the_size(void **state)
{
	static const char *const settings[] = { "LINES=24", "COLUMNS=80", NULL };
	struct pty p;

	(void)state;
	assert_true(pty_start_explorer(&p, 30, 120, settings));
	assert_true(pty_wait(&p, "? help"));
	assert_non_null(strstr(pty_row(&p, 29), "? help"));
	pty_resize(&p, 40, 130);
	assert_true(pty_wait(&p, "joint, 3 types"));
	pty_end(&p);
}

static void an_idle_screen_writes_nothing(void **state)
{
	struct pty p;
	size_t before;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	assert_true(pty_wait(&p, "? help"));
	pty_settle(&p, 300);
	before = p.bytes;
	pty_pump(&p, 700);
	assert_int_equal(p.bytes, before);
	pty_end(&p);
}

static void one_edit_sends_only_what_changed(void **state)
{
	struct pty p;
	size_t first, before;

	(void)state;
	assert_true(pty_start_explorer(&p, 60, 200, NULL));
	pty_settle(&p, 200);
	first = p.bytes;
	before = p.bytes;
	pty_send(&p, "j");
	assert_true(pty_wait(&p, "why conv2_1"));
	pty_settle(&p, 200);
	assert_true(p.bytes - before < first / 3);
	pty_end(&p);
}

/* The shell has the terminal again: line mode, and its prompt stands alone in the last row written. */
static bool shell_is_ready(struct pty *p)
{
	double end = pty_now() + PTY_MS / 1e3;

	while (pty_now() < end) {
		int row = p->rows - 1;

		while (row > 0 && strspn(pty_row(p, row), " ") == strlen(pty_row(p, row)))
			row--;
		if (!p->alternate && pty_is_sane(p) && strncmp(pty_row(p, row), "ready>", 6) == 0 && strspn(pty_row(p, row) + 6, " ") == strlen(pty_row(p, row) + 6))
			return true;
		pty_pump(p, 20);
	}
	return false;
}

/* A child of ours is in an orphaned group, where stop signals do nothing: so a shell in between. */
static void suspends_and_comes_back_under_a_shell(void **state)
{
	static const char *const argv[] = { "sh", "-i", NULL };
	static const char *const settings[] = { "PS1=ready> ", "ENV=", NULL };
	struct pty p;
	char line[512];

	(void)state;
	pty_start(&p, 24, 80, argv, settings);
	assert_true(pty_wait(&p, "ready>"));
	snprintf(line, sizeof line, "%s --no-config vgg-a\r", pty_program());
	pty_send(&p, line);
	assert_true(pty_wait(&p, "? help"));
	for (int i = 0; i < 2; i++) {
		pty_send(&p, "\032");
		assert_true(shell_is_ready(&p));
		pty_send(&p, "echo sa''ne\r");
		assert_true(pty_wait(&p, "sane"));
		pty_resize(&p, 24 + i + 1, 90);
		pty_send(&p, "fg\r");
		assert_true(pty_wait(&p, "? help"));
		assert_true(p.alternate);
		pty_send(&p, "j");
		assert_true(pty_wait(&p, i == 0 ? "why conv2_1" : "why conv3_1"));
	}
	pty_send(&p, "q");
	assert_true(shell_is_ready(&p));
	pty_end(&p);
}

static void dies_of(int number, bool handled)
{
	struct pty p;

	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	assert_true(pty_wait(&p, "? help"));
	assert_true(p.alternate);
	kill(p.pid, number);
	assert_true(pty_wait_end(&p, PTY_MS));
	if (handled)
		assert_true(WIFEXITED(p.status) && WEXITSTATUS(p.status) == 130);
	else
		assert_true(WIFSIGNALED(p.status) && WTERMSIG(p.status) == number);
	check_restored(&p);
	pty_end(&p);
}

static void signals_that_end_it_restore_the_terminal(void **state)
{
	(void)state;
	dies_of(SIGTERM, true);
	dies_of(SIGHUP, true);
	dies_of(SIGINT, true);
}

static void crashes_restore_the_terminal_and_stay_crashes(void **state)
{
	(void)state;
	dies_of(SIGSEGV, false);
	dies_of(SIGABRT, false);
	dies_of(SIGFPE, false);
	dies_of(SIGBUS, false);
}

static void a_hang_up_ends_it_without_spinning(void **state)
{
	struct rusage before, after;
	struct pty p;

	(void)state;
	getrusage(RUSAGE_CHILDREN, &before);
	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	assert_true(pty_wait(&p, "? help"));
	close(p.fd);
	p.fd = -1;
	assert_true(pty_wait_end(&p, 3000));
	assert_true(WIFEXITED(p.status));
	getrusage(RUSAGE_CHILDREN, &after);
	assert_true(after.ru_utime.tv_sec + after.ru_stime.tv_sec - before.ru_utime.tv_sec - before.ru_stime.tv_sec <= 1);
	pty_end(&p);
}

/* Also when the signal of the hang-up is ignored, as under nohup. */
static void a_hang_up_is_noticed_without_its_signal(void **state)
{
	const char *const argv[] = { "sh", "-c", "trap '' HUP; exec \"$0\" --no-config vgg-a", pty_program(), NULL };
	struct pty p;

	(void)state;
	pty_start(&p, 24, 80, argv, NULL);
	assert_true(pty_wait(&p, "? help"));
	close(p.fd);
	p.fd = -1;
	assert_true(pty_wait_end(&p, 3000));
	pty_end(&p);
}

/* q quits and nothing is lost; a study that was only looked at leaves no file. */
static void an_edited_study_is_kept_and_opens_again(void **state)
{
	const char *const argv[] = { pty_program(), "vgg-a", NULL };
	char folder[] = "/tmp/whypar-keep-XXXXXX", home[128], path[128], trash[160];
	const char *settings[] = { home, "XDG_STATE_HOME", NULL };
	const char *const again[] = { pty_program(), "--no-config", "--script", path, NULL };
	struct pty p;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(home, sizeof home, "HOME=%s", folder);
	snprintf(path, sizeof path, "%s/.local/state/whypar/last.why", folder);
	pty_start(&p, 24, 80, argv, settings);
	assert_true(pty_wait(&p, "conv5_2"));
	pty_send(&p, "jq");
	assert_true(pty_wait_end(&p, PTY_MS));
	assert_int_not_equal(access(path, F_OK), 0);
	pty_end(&p);
	pty_start(&p, 24, 80, argv, settings);
	assert_true(pty_wait(&p, "conv5_2"));
	pty_send(&p, "]");
	assert_true(pty_wait(&p, "batch 512"));
	pty_send(&p, "p");
	assert_true(pty_wait(&p, "pinned"));
	/* Also when the terminal goes away. */
	close(p.fd);
	p.fd = -1;
	assert_true(pty_wait_end(&p, 3000));
	pty_end(&p);
	assert_int_equal(access(path, R_OK), 0);
	pty_start(&p, 24, 100, again, settings);
	assert_true(pty_wait(&p, "batch 512"));
	assert_true(pty_wait(&p, "why conv1_1 at H1, pinned"));
	pty_end(&p);
	/* Where it cannot be written, that is said. */
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	pty_start(&p, 24, 100, argv, settings);
	assert_true(pty_wait(&p, "conv5_2"));
	pty_send(&p, "]");
	assert_true(pty_wait(&p, "batch 512"));
	pty_send(&p, "q");
	assert_true(pty_wait(&p, "the study could not be kept: "));
	pty_end(&p);
	snprintf(trash, sizeof trash, "rm -rf '%s'", folder);
	assert_int_equal(system(trash), 0);
}

static void a_lesson_waits_for_space_and_a_script_runs(void **state)
{
	const char *const argv[] = { pty_program(), "--no-config", "--script", "dp-or-mp", NULL };
	struct pty p;

	(void)state;
	pty_start(&p, 30, 100, argv, NULL);
	for (int step = 1; step <= 5; step++) {
		char text[24];

		snprintf(text, sizeof text, "%d of 5", step);
		assert_true(pty_wait(&p, text));
		pty_send(&p, " ");
	}
	pty_end(&p);
}

/* A grid of layers, whose joint plan at many accelerators takes long.  Released by the caller. */
static struct text grid_of_layers(int side)
{
	struct text file = { 0 };

	text_add(&file, "name,kind,inputs,in_ch,in_h,in_w,kernel,stride,pad,groups,out_ch\n");
	for (int i = 0; i < side; i++) {
		for (int j = 0; j < side; j++) {
			if (i > 0 && j > 0)
				text_printf(&file, "a%d_%d,add,n%d_%d;n%d_%d,,,,,,,,\n", i, j, i - 1, j, i, j - 1);
			text_printf(&file, "n%d_%d,conv,", i, j);
			if (i > 0 && j > 0)
				text_printf(&file, "a%d_%d", i, j);
			else if (i + j > 0)
				text_printf(&file, "n%d_%d", i > 0 ? i - 1 : 0, j > 0 ? j - 1 : 0);
			else
				text_add(&file, "-");
			text_add(&file, ",8,8,8,3,1,1,1,8\n");
		}
	}
	return file;
}

/* The plan takes many seconds; keys are answered while it is still being computed, and Esc stops it. */
static void long_work_leaves_the_keys_alive(void **state)
{
	char path[] = "/tmp/whypar-grid-XXXXXX";
	const char *const argv[] = { pty_program(), "--no-config", "--set", "accelerators=4096", "--set", "solver=joint", "--set", "types=3", path, NULL };
	struct text grid = grid_of_layers(30);
	struct pty p;

	(void)state;
	screen_write_file(path, text_string(&grid));
	pty_start(&p, 30, 120, argv, NULL);
	assert_true(pty_wait(&p, "no plan yet  ◐"));
	pty_send(&p, "?");
	assert_true(pty_wait(&p, "Keys of the layers view"));
	pty_send(&p, "q");
	assert_true(pty_wait_gone(&p, "Keys of the layers view"));
	assert_true(pty_shows(&p, "no plan yet  ◐"));
	pty_send(&p, "\033");
	assert_true(pty_wait(&p, "stopped; any edit starts it again"));
	pty_send(&p, "q");
	assert_true(pty_wait_end(&p, PTY_MS));
	pty_end(&p);
	unlink(path);
	text_free(&grid);
}

/* What --stats says at the end: whole numbers of frames, in order.  How small they are is for `make bench`. */
static void stats_are_printed_at_the_end(void **state)
{
	const char *const argv[] = { pty_program(), "--no-config", "--stats", "vgg-a", NULL };
	float first = 0, p50 = 0, p99 = 0, max = 0;
	int frames = 0, found = 0;
	struct pty p;

	(void)state;
	pty_start(&p, 60, 200, argv, NULL);
	assert_true(pty_wait(&p, "? help"));
	for (int i = 0; i < 10; i++) {
		pty_send(&p, i % 2 == 0 ? "j" : "k");
		pty_settle(&p, 15);
	}
	pty_send(&p, "q");
	assert_true(pty_wait_end(&p, PTY_MS));
	for (int row = 0; row < p.rows && found == 0; row++) {
		const char *line = strstr(pty_row(&p, row), "first frame after");

		if (line != NULL)
			found = sscanf(line, "first frame after %f ms; %d frames, key to painted p50 %f p99 %f max %f ms", &first, &frames, &p50, &p99, &max);
	}
	assert_int_equal(found, 5);
	assert_in_range(frames, 1, 11);
	assert_true(first > 0 && p50 > 0 && p50 <= p99 && p99 <= max);
	pty_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_draws_and_leaves_the_terminal_as_it_was), cmocka_unit_test(keys_of_vi_and_arrows_move_and_turn),
		cmocka_unit_test(escape_alone_acts_at_once), cmocka_unit_test(a_storm_of_sizes_ends_in_a_whole_screen),
		cmocka_unit_test(exported_lines_and_columns_do_not_freeze_the_size), cmocka_unit_test(an_idle_screen_writes_nothing),
		cmocka_unit_test(one_edit_sends_only_what_changed), cmocka_unit_test(suspends_and_comes_back_under_a_shell),
		cmocka_unit_test(signals_that_end_it_restore_the_terminal), cmocka_unit_test(crashes_restore_the_terminal_and_stay_crashes),
		cmocka_unit_test(a_hang_up_ends_it_without_spinning), cmocka_unit_test(a_hang_up_is_noticed_without_its_signal),
		cmocka_unit_test(an_edited_study_is_kept_and_opens_again), cmocka_unit_test(a_lesson_waits_for_space_and_a_script_runs), cmocka_unit_test(long_work_leaves_the_keys_alive),
		cmocka_unit_test(stats_are_printed_at_the_end),
	};

	return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
