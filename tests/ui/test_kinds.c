/* The real program on terminals of many kinds: what they can show, and what they send. */
#include "tests/ui/lib_pty.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool any_color(struct pty *p)
{
	for (int row = 0; row < p->rows; row++)
		for (int col = 0; col < p->cols; col++) {
			VTermScreenCell cell = pty_cell(p, row, col);

			if (VTERM_COLOR_IS_INDEXED(&cell.fg) || (VTERM_COLOR_IS_INDEXED(&cell.bg)))
				return true;
		}
	return false;
}

static void colours_are_asked_for_and_can_be_refused(void **state)
{
	static const char *const refused[] = { "NO_COLOR=1", NULL }, *const empty[] = { "NO_COLOR=", NULL };
	struct pty p;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	assert_true(pty_wait(&p, "? help"));
	assert_true(any_color(&p));
	pty_send(&p, ":set color=never\r");
	assert_true(pty_wait_gone(&p, ":set color=never"));
	pty_settle(&p, 200);
	assert_false(any_color(&p));
	pty_end(&p);
	assert_true(pty_start_explorer(&p, 24, 80, refused));
	assert_true(pty_wait(&p, "? help"));
	assert_false(any_color(&p));
	pty_send(&p, ":set color=always\r");
	assert_true(pty_wait_gone(&p, ":set color=always"));
	pty_settle(&p, 200);
	assert_true(any_color(&p));
	pty_end(&p);
	assert_true(pty_start_explorer(&p, 24, 80, empty));
	assert_true(pty_wait(&p, "? help"));
	assert_true(any_color(&p));
	pty_end(&p);
}

static void works_on_terminals_old_and_new(void **state)
{
	static const char *const kinds[] = { "TERM=vt100", "TERM=linux", "TERM=xterm", "TERM=xterm-256color", "TERM=screen", "TERM=tmux-256color", "TERM=ansi" };

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const char *const settings[] = { kinds[i], NULL };
		struct pty p;

		assert_true(pty_start_explorer(&p, 24, 80, settings));
		assert_true(pty_wait(&p, "conv5_2"));
		assert_true(pty_wait(&p, "? help"));
		pty_send(&p, "j");
		assert_true(pty_wait(&p, "why conv2_1 at H1"));
		pty_send(&p, "q");
		assert_true(pty_wait_end(&p, PTY_MS));
		assert_true(WIFEXITED(p.status) && WEXITSTATUS(p.status) == 0);
		assert_true(pty_is_sane(&p));
		pty_end(&p);
	}
}

static void a_terminal_it_cannot_use_gets_a_sentence(void **state)
{
	static const char *const kinds[] = { "TERM=dumb", "TERM=no-such-terminal", "TERM=", "TERM" };
	const char *const argv[] = { pty_program(), "--no-config", "vgg-a", NULL };

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const char *const settings[] = { kinds[i], NULL };
		struct pty p;

		pty_start(&p, 24, 80, argv, settings);
		assert_true(pty_wait_end(&p, PTY_MS));
		assert_true(WIFEXITED(p.status) && WEXITSTATUS(p.status) == 1);
		assert_true(pty_shows(&p, "whypar report MODEL") || pty_shows(&p, "TERM"));
		pty_end(&p);
	}
}

static void a_locale_without_utf8_gets_ascii(void **state)
{
	static const char *const settings[] = { "LC_ALL=C", NULL };
	struct pty p;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, settings));
	assert_true(pty_wait(&p, "? help"));
	for (int row = 0; row < 24; row++)
		for (const char *c = pty_row(&p, row); *c != '\0'; c++)
			assert_true((unsigned char)*c < 0x80);
	assert_true(pty_shows(&p, "o o o o"));
	assert_false(pty_shows(&p, "?W"));
	pty_end(&p);
}

/* ... unless it is told to draw blocks, which must be readable signs. */
static void the_console_draws_blocks_when_told(void **state)
{
	static const char *const settings[] = { "TERM=linux", NULL };
	struct pty p;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, settings));
	assert_true(pty_wait(&p, "o o o o"));
	assert_false(pty_shows(&p, "○"));
	pty_send(&p, ":set glyphs=block\r");
	assert_true(pty_wait(&p, "○ ○ ○ ○"));
	assert_true(pty_wait(&p, "? help"));
	for (int row = 0; row < 23; row++)
		assert_null(strchr(pty_row(&p, row), '?'));
	pty_end(&p);
}

static void a_paste_is_text_and_never_runs(void **state)
{
	struct pty p;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	assert_true(pty_wait(&p, "? help"));
	pty_send(&p, "\033[200~q\r:quit\r\033[201~");
	assert_true(pty_wait(&p, "pasted text is not run"));
	pty_send(&p, ":\033[200~set batch=8\rquit\r\033[201~");
	assert_true(pty_wait(&p, ":set batch=8 quit"));
	pty_send(&p, "\033");
	assert_true(pty_wait_gone(&p, ":set batch=8 quit"));
	assert_true(pty_shows(&p, "batch 256"));
	pty_end(&p);
}

/* A paste whose end got lost; and the console's Shift-Tab, which curses numbers by itself. */
static void no_key_is_taken_for_an_endless_paste(void **state)
{
	static const char *const kinds[] = { "TERM=linux", "TERM=xterm", "TERM=screen" };

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const char *const settings[] = { kinds[i], NULL };
		struct pty p;

		assert_true(pty_start_explorer(&p, 24, 80, settings));
		assert_true(pty_wait(&p, "? help"));
		pty_send(&p, "\033[Z:set batch=8\r");
		assert_true(pty_wait(&p, "batch 8"));
		pty_send(&p, "\033[200~half a paste");
		pty_settle(&p, 100);
		pty_send(&p, "\033");
		pty_settle(&p, 100);
		pty_send(&p, ":set batch=16\r");
		assert_true(pty_wait(&p, "batch 16"));
		pty_end(&p);
	}
}

static void the_cursor_is_left_on_the_focused_item(void **state)
{
	VTermPos at;
	struct pty p;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, NULL));
	pty_send(&p, ":set cursor=show\r");
	assert_true(pty_wait_gone(&p, ":set cursor"));
	pty_send(&p, "jj");
	assert_true(pty_wait(&p, "why conv3_1"));
	pty_settle(&p, 200);
	assert_true(p.cursor);
	vterm_state_get_cursorpos(vterm_obtain_state(p.vt), &at);
	assert_non_null(strstr(pty_row(&p, at.row), "conv3_1"));
	assert_true(pty_cell(&p, at.row, at.col).attrs.reverse);
	pty_end(&p);
}

/* Off by default, so that the terminal's own selection works; then clicks and the wheel do what keys do. */
static void the_mouse_is_asked_for(void **state)
{
	/* libvterm 0.1.4 heeds only the first of xterm's "1006;1000"; screen's entry asks with 1000 alone. */
	static const char *const settings[] = { "TERM=screen", NULL };
	struct pty p;
	int row = 0;

	(void)state;
	assert_true(pty_start_explorer(&p, 24, 80, settings));
	assert_true(pty_wait(&p, "? help"));
	assert_int_equal(p.mouse, 0);
	pty_send(&p, ":set mouse=on\r");
	assert_true(pty_wait_gone(&p, ":set mouse"));
	pty_settle(&p, 100);
	assert_int_not_equal(p.mouse, 0);
	while (strstr(pty_row(&p, row), " conv4_1") == NULL)
		row++;
	vterm_mouse_move(p.vt, row, 6, VTERM_MOD_NONE);
	vterm_mouse_button(p.vt, 1, true, VTERM_MOD_NONE);
	pty_reply(&p);
	assert_true(pty_wait(&p, "why conv4_1"));
	vterm_mouse_button(p.vt, 1, false, VTERM_MOD_NONE);
	vterm_mouse_button(p.vt, 5, true, VTERM_MOD_NONE);
	pty_reply(&p);
	assert_true(pty_wait(&p, "why conv4_2"));
	pty_send(&p, "q");
	assert_true(pty_wait_end(&p, PTY_MS));
	assert_int_equal(p.mouse, 0);
	pty_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_are_asked_for_and_can_be_refused),
		cmocka_unit_test(works_on_terminals_old_and_new),
		cmocka_unit_test(a_terminal_it_cannot_use_gets_a_sentence),
		cmocka_unit_test(a_locale_without_utf8_gets_ascii),
		cmocka_unit_test(the_console_draws_blocks_when_told),
		cmocka_unit_test(a_paste_is_text_and_never_runs),
		cmocka_unit_test(no_key_is_taken_for_an_endless_paste),
		cmocka_unit_test(the_cursor_is_left_on_the_focused_item),
		cmocka_unit_test(the_mouse_is_asked_for),
	};

	return cmocka_run_group_tests_name("kinds", tests, NULL, NULL);
}
