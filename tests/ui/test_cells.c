/* The grid, the styles, the formats, the keys and the line editor: everything of the screen that needs neither a study nor
 * a terminal. */
#include "ui/cells.h"
#include "ui/format.h"
#include "ui/keys.h"
#include "ui/prompt.h"
#include "ui/sheet.h"
#include "ui/style.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct cells grid(int rows, int cols)
{
	struct cells cells;

	cells_init(&cells);
	cells_resize(&cells, rows, cols);
	return cells;
}

static struct rect whole(const struct cells *cells)
{
	return (struct rect){ 0, 0, cells->rows, cells->cols };
}

static void expect_dump(const struct cells *cells, const char *expected)
{
	struct text text = { 0 };

	cells_dump(cells, &text);
	assert_string_equal(text_string(&text), expected);
	text_free(&text);
}

static void text_is_clipped_by_columns(void **state)
{
	struct cells cells = grid(2, 6);

	(void)state;
	assert_int_equal(cells_put(&cells, whole(&cells), 0, 4, STYLE_TEXT, "abcd"), 2);
	cells_put(&cells, (struct rect){ 1, 1, 1, 3 }, 1, -1, STYLE_TEXT, "01234567");
	cells_put(&cells, whole(&cells), 7, 0, STYLE_TEXT, "outside");
	expect_dump(&cells, "    ab\n 234\n");
	cells_free(&cells);
}

static void a_wide_character_is_never_cut_in_half(void **state)
{
	struct cells cells = grid(1, 5);

	(void)state;
	/* Three wide ones in five columns: the third does not fit and leaves a blank. */
	cells_put(&cells, whole(&cells), 0, 0, STYLE_TEXT, "界界界");
	expect_dump(&cells, "界界\n");
	assert_int_equal(cells_at(&cells, 0, 1)->width, 0);
	/* Writing over the second half blanks the first. */
	cells_put(&cells, whole(&cells), 0, 1, STYLE_TEXT, "x");
	expect_dump(&cells, " x界\n");
	/* A left edge through its middle shows a blank for the visible half. */
	cells_clear(&cells);
	cells_put(&cells, (struct rect){ 0, 1, 1, 4 }, 0, 0, STYLE_TEXT, "界a");
	expect_dump(&cells, "  a\n");
	cells_free(&cells);
}

static void a_combining_mark_takes_no_column(void **state)
{
	struct cells cells = grid(1, 4);

	(void)state;
	assert_int_equal(cells_put(&cells, whole(&cells), 0, 0, STYLE_TEXT, "e\xCC\x81x"), 2);
	expect_dump(&cells, "e\xCC\x81x\n");
	cells_free(&cells);
}

static void a_screen_without_utf8_gets_question_marks_of_the_same_width(void **state)
{
	struct cells cells = grid(1, 8);

	(void)state;
	cells.ascii = cells.narrow = true;
	cells_put(&cells, whole(&cells), 0, 0, STYLE_TEXT, "a界éb");
	expect_dump(&cells, "a? ?b\n");
	/* Signs of our own sentences have stand-ins; a name keeps its letters where the terminal can show them. */
	cells.narrow = false;
	cells_put(&cells, whole(&cells), 0, 0, STYLE_TEXT, "ΔW×é−1 ");
	expect_dump(&cells, "dWxé-1\n");
	cells_free(&cells);
}

static void padding_aligns_and_marks_what_is_cut(void **state)
{
	struct cells cells = grid(3, 8);

	(void)state;
	cells_put_padded(&cells, whole(&cells), 0, 0, 6, ALIGN_RIGHT, STYLE_TEXT, "12");
	cells_put_padded(&cells, whole(&cells), 1, 0, 6, ALIGN_LEFT, STYLE_TEXT, "界界界界");
	cells_put_padded(&cells, whole(&cells), 2, 0, 6, ALIGN_LEFT, STYLE_TEXT, "1234567");
	expect_dump(&cells, "    12\n界界 …\n12345…\n");
	cells_free(&cells);
}

static void wrapping_breaks_at_blanks_and_inside_long_words(void **state)
{
	struct cells cells = grid(4, 6);

	(void)state;
	assert_int_equal(cells_wrap(&cells, whole(&cells), 0, STYLE_TEXT, "ab cd ef abcdefgh\nx"), 5);
	expect_dump(&cells, "ab cd\nef\nabcdef\ngh\n");
	assert_int_equal(cells_wrap(NULL, (struct rect){ 0, 0, 0, 1 }, 0, STYLE_TEXT, "界界"), 2);
	assert_int_equal(cells_wrap(NULL, (struct rect){ 0, 0, 0, 0 }, 0, STYLE_TEXT, "a"), 0);
	cells_free(&cells);
}

static void glyphs_are_one_column_and_plain_ascii_has_a_form_of_each(void **state)
{
	(void)state;
	for (int glyph = 0; glyph < GLYPH_COUNT; glyph++) {
		assert_non_null(style_glyph((enum glyph)glyph, false));
		assert_int_equal(text_width(style_glyph((enum glyph)glyph, false)), 1);
		assert_int_equal(strlen(style_glyph((enum glyph)glyph, true)), 1);
	}
}

/* No meaning by hue alone: without colour the types still differ by glyph, and each state by glyph or attribute. */
static void types_and_states_differ_without_colour(void **state)
{
	(void)state;
	for (int ascii = 0; ascii < 2; ascii++) {
		assert_string_not_equal(style_glyph(GLYPH_DP, ascii), style_glyph(GLYPH_MP, ascii));
		assert_string_not_equal(style_glyph(GLYPH_MP, ascii), style_glyph(GLYPH_OP, ascii));
		assert_string_not_equal(style_glyph(GLYPH_DP, ascii), style_glyph(GLYPH_OP, ascii));
		assert_string_not_equal(style_glyph(GLYPH_LIVE, ascii), style_glyph(GLYPH_STALE, ascii));
		assert_string_not_equal(style_glyph(GLYPH_LIVE, ascii), style_glyph(GLYPH_COMPUTING, ascii));
	}
	assert_int_not_equal(style_look(THEME_PLAIN, TIER_MONO, STYLE_CHANGED).attributes, 0);
	assert_int_not_equal(style_look(THEME_PLAIN, TIER_MONO, STYLE_MATCH).attributes, 0);
	assert_int_not_equal(style_look(THEME_PLAIN, TIER_MONO, STYLE_TEXT | STYLE_FOCUS).attributes & LOOK_REVERSE, 0);
}

static void no_theme_writes_in_black_white_or_yellow(void **state)
{
	(void)state;
	for (int theme = 0; theme < THEME_COUNT; theme++)
		for (int style = 0; style < STYLE_COUNT; style++) {
			short colour = style_look((enum theme)theme, TIER_256, (uint8_t)style).foreground;

			for (int tier = 0; tier < TIER_256; tier++) {
				short few = style_look((enum theme)theme, (enum color_tier)tier, (uint8_t)style).foreground;

				/* Of sixteen: black, the yellows and the whites. */
				assert_true(few >= -1 && few < 16 && few != 0 && few != 3 && few != 7 && few != 11 && few != 15);
			}
			assert_in_range(colour + 1, 0, 256);
			assert_true(colour != 0 && colour != 7 && colour != 11 && colour != 15 && colour != 231 && colour != 16);
		}
}

static void bars_fill_by_eighths(void **state)
{
	char bar[64];

	(void)state;
	style_bar(1, 4, false, bar, sizeof bar);
	assert_string_equal(bar, "████");
	style_bar(0.53125, 4, false, bar, sizeof bar);
	assert_string_equal(bar, "██▏");
	style_bar(0.5, 4, true, bar, sizeof bar);
	assert_string_equal(bar, "##");
	style_bar(NAN, 4, false, bar, sizeof bar);
	assert_string_equal(bar, "");
	style_bar(7, 4, false, bar, sizeof bar);
	assert_string_equal(bar, "████");
}

static void small_numbers_are_not_shown_as_zero(void **state)
{
	char out[FORMAT_BYTES];
	struct scale gb = format_scale_bytes(1.5e9);

	(void)state;
	assert_string_equal(gb.unit, "GB");
	format_scaled(gb, 0, out, sizeof out);
	assert_string_equal(out, "0.000");
	format_scaled(gb, 1000, out, sizeof out);
	assert_string_equal(out, "<.001");
	format_scaled(gb, 1.525e9, out, sizeof out);
	assert_string_equal(out, "1.525");
	format_change(200, 100, false, out, sizeof out);
	assert_string_equal(out, "+100 %");
	format_change(9.6, 100, false, out, sizeof out);
	assert_string_equal(out, "−90.4 %");
	format_change(100, 100, false, out, sizeof out);
	assert_string_equal(out, "");
	format_change(1000000001, 1000000000, true, out, sizeof out);
	assert_string_equal(out, "+<.01 %");
	format_ratio(1, false, out, sizeof out);
	assert_string_equal(out, "×1");
	/* What is not equal does not show as 1. */
	format_ratio(1.000001, false, out, sizeof out);
	assert_string_not_equal(out, "×1");
	format_ratio(NAN, false, out, sizeof out);
	assert_string_equal(out, "");
}

static void key_names_read_back(void **state)
{
	static const char *const names[] = { "q", ":", "/", "^D", "^R", "Esc", "Enter", "Tab", "BackTab", "Space", "Up", "PageDown", "F1", "F12", "é", "[" };
	char out[16];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		keys_name(keys_parse(names[i]), out, sizeof out);
		assert_string_equal(out, names[i]);
	}
	assert_int_equal(keys_parse("F13"), KEY_CODE_NONE);
	assert_int_equal(keys_parse("Foo"), KEY_CODE_NONE);
	assert_int_equal(keys_parse(""), KEY_CODE_NONE);
	assert_int_equal(keys_parse("^I"), KEY_CODE_TAB);
}

static void bindings_can_be_changed_and_found(void **state)
{
	struct keys keys;
	char out[16];

	(void)state;
	keys_init(&keys);
	assert_string_equal(keys_command(&keys, CONTEXT_GENERIC, 'q'), "quit");
	assert_string_equal(keys_command(&keys, CONTEXT_LAYERS, 'p'), "cycle");
	assert_null(keys_command(&keys, CONTEXT_GENERIC, 'p'));
	keys_bind(&keys, CONTEXT_GENERIC, 'q', "help");
	assert_string_equal(keys_command(&keys, CONTEXT_GENERIC, 'q'), "help");
	assert_false(keys_find(&keys, CONTEXT_LAYERS, "quit", out, sizeof out));
	assert_true(keys_unbind(&keys, CONTEXT_GENERIC, 'q'));
	assert_false(keys_unbind(&keys, CONTEXT_GENERIC, 'q'));
	assert_true(keys_find(&keys, CONTEXT_LAYERS, "cycle", out, sizeof out));
	assert_string_equal(out, "p");
	keys_free(&keys);
}

static void type(struct prompt *prompt, const char *text)
{
	size_t left = strlen(text), used;
	uint32_t character;

	while ((used = text_decode(text, left, &character)) > 0) {
		prompt_key(prompt, character);
		text += used;
		left -= used;
	}
}

static void the_line_editor_edits(void **state)
{
	struct prompt prompt = { 0 };
	struct text line = { 0 };

	(void)state;
	prompt_open(&prompt, "");
	type(&prompt, "set bätch=5");
	assert_int_equal(prompt_key(&prompt, KEY_CODE_LEFT), PROMPT_MOVED);
	prompt_key(&prompt, KEY_CODE_BACKSPACE);
	type(&prompt, "1");
	assert_string_equal(prompt.line, "set bätch15");
	prompt_key(&prompt, 'W' - 0x40);
	assert_string_equal(prompt.line, "set 5");
	prompt_key(&prompt, 'U' - 0x40);
	assert_string_equal(prompt.line, "5");
	prompt_key(&prompt, 'E' - 0x40);
	prompt_key(&prompt, KEY_CODE_BACKSPACE);
	assert_int_equal(prompt_key(&prompt, KEY_CODE_BACKSPACE), PROMPT_CANCEL);
	type(&prompt, "undo");
	assert_int_equal(prompt_key(&prompt, KEY_CODE_ENTER), PROMPT_ACCEPT);
	prompt_command(&prompt, &line, true);
	prompt_open(&prompt, "");
	prompt_key(&prompt, KEY_CODE_UP);
	assert_string_equal(prompt.line, "undo");
	prompt_key(&prompt, KEY_CODE_DOWN);
	assert_string_equal(prompt.line, "");
	text_free(&line);
	prompt_free(&prompt);
}

static void a_pattern_is_typed_bare_and_runs_quoted(void **state)
{
	struct prompt prompt = { 0 };
	struct text line = { 0 };
	char pattern[64];
	size_t offset;

	(void)state;
	prompt_open(&prompt, "search /");
	type(&prompt, "a/b\\/c");
	prompt_command(&prompt, &line, false);
	assert_string_equal(text_string(&line), "search /a\\/b\\/c/");
	assert_true(prompt_pattern(&prompt, pattern, sizeof pattern, &offset));
	assert_string_equal(pattern, "a/b\\/c");
	prompt_open(&prompt, "pin /conv5_\\d/ mp");
	assert_true(prompt_pattern(&prompt, pattern, sizeof pattern, &offset));
	assert_string_equal(pattern, "conv5_\\d");
	assert_int_equal(offset, 5);
	prompt_open(&prompt, "set batch=1");
	assert_false(prompt_pattern(&prompt, pattern, sizeof pattern, &offset));
	text_free(&line);
	prompt_free(&prompt);
}

static void a_paste_is_one_harmless_line(void **state)
{
	static const char paste[] = "set batch=1\nquit\r\x1b[31m";
	struct prompt prompt = { 0 };

	(void)state;
	prompt_open(&prompt, "");
	prompt_paste(&prompt, paste, sizeof paste - 1);
	assert_string_equal(prompt.line, "set batch=1 quit \xEF\xBF\xBD[31m");
	/* A line that would be too long is not taken at all, so it is never half a command. */
	for (int i = 0; i < 200; i++)
		prompt_paste(&prompt, "0123456789", 10);
	assert_true(prompt.length < PROMPT_BYTES);
	prompt_free(&prompt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_clipped_by_columns), cmocka_unit_test(a_wide_character_is_never_cut_in_half),
		cmocka_unit_test(a_combining_mark_takes_no_column), cmocka_unit_test(a_screen_without_utf8_gets_question_marks_of_the_same_width),
		cmocka_unit_test(padding_aligns_and_marks_what_is_cut), cmocka_unit_test(wrapping_breaks_at_blanks_and_inside_long_words),
		cmocka_unit_test(glyphs_are_one_column_and_plain_ascii_has_a_form_of_each), cmocka_unit_test(types_and_states_differ_without_colour),
		cmocka_unit_test(no_theme_writes_in_black_white_or_yellow), cmocka_unit_test(bars_fill_by_eighths),
		cmocka_unit_test(small_numbers_are_not_shown_as_zero), cmocka_unit_test(key_names_read_back),
		cmocka_unit_test(bindings_can_be_changed_and_found), cmocka_unit_test(the_line_editor_edits),
		cmocka_unit_test(a_pattern_is_typed_bare_and_runs_quoted), cmocka_unit_test(a_paste_is_one_harmless_line),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
