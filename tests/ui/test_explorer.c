/* What the explorer promises its user, checked on screens in memory.  Numbers of rules: reference list of complaints about
 * terminal programs that the project works from (selection by identity 26, undo returns to the change 34, ...). */
#include "tests/ui/lib_screen.h"

#include "report/explain.h"
#include "ui/explorer.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int row_of(const struct screen *s, const char *name)
{
	return model_find(s->e.results->model, name, NULL, NULL);
}

static void any_size_draws_every_view(void **state)
{
	static const char *const views[] = { "view layers", "view path", "view phase", "view models", "help", "press :", "press / (" };
	static const char *const expected[] = { "conv1", "TC0", "○]", "alexnet", "Keys of the layers view", "Tab completes", " /(" };
	struct screen s;

	(void)state;
	for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
		screen_open(&s, "lenet-c", 24, 80);
		screen_run(&s, views[v]);
		for (int rows = 1; rows <= 60; rows += rows < 30 ? 1 : 7)
			for (int cols = 1; cols <= 220; cols += cols < 44 ? 1 : 13) {
				explorer_resize(&s.e, rows, cols);
				if (strstr(screen_text(&s), expected[v]) == NULL && strstr(screen_text(&s), "whypar needs") == NULL && cols > 12)
					fail_msg("%s at %dx%d shows neither \"%s\" nor what it needs", views[v], cols, rows, expected[v]);
				assert_true((rows < 10 || cols < 40) == (strstr(screen_text(&s), "whypar needs") != NULL) || cols < 12);
				assert_true(s.e.cells.cursor_row < rows && s.e.cells.cursor_col < cols);
			}
		screen_close(&s);
	}
}

static void a_tiny_screen_says_what_it_needs_and_recovers(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 9, 80);
	assert_true(screen_shows(&s, "whypar needs 40x10, this is 80x9"));
	explorer_resize(&s.e, 24, 80);
	assert_true(screen_shows(&s, "conv1_1"));
	screen_close(&s);
}

static void the_cursor_stays_on_its_row(void **state)
{
	struct screen s;
	int row;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_run(&s, "focus conv4_2");
	row = row_of(&s, "conv4_2");
	screen_run(&s, "sort moved down");
	assert_int_equal(s.e.row, row);
	screen_run(&s, "filter /conv[45]/");
	assert_int_equal(s.e.row, row);
	screen_run(&s, "set batch=8 accelerators=64");
	assert_int_equal(s.e.row, row);
	explorer_resize(&s.e, 60, 200);
	assert_true(screen_shows(&s, "why conv4_2"));
	/* A filter that takes the row away leaves the nearest one. */
	screen_run(&s, "filter /fc/");
	assert_int_equal(s.e.row, row_of(&s, "fc1"));
	screen_run(&s, "filter");
	assert_int_equal(s.e.row, row_of(&s, "fc1"));
	screen_close(&s);
}

static void undo_takes_the_cursor_back_to_the_change(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_run(&s, "focus conv3_2");
	screen_press(&s, "l l p");
	assert_int_equal(study_document(s.study)->pin_count, 1);
	screen_press(&s, "g h h t Right u");
	assert_int_equal(s.e.dials[s.e.dial], PARAMETER_BATCH);
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) == 256);
	screen_press(&s, "u");
	assert_int_equal(study_document(s.study)->pin_count, 0);
	assert_int_equal(s.e.row, row_of(&s, "conv3_2"));
	assert_int_equal(s.e.level, 3);
	screen_press(&s, "Esc g ^R");
	assert_int_equal(study_document(s.study)->pin_count, 1);
	assert_int_equal(s.e.row, row_of(&s, "conv3_2"));
	screen_close(&s);
}

static void an_edit_marks_what_it_changed(void **state)
{
	struct screen s;
	char row[512];

	(void)state;
	screen_open(&s, "vgg-a", 30, 120);
	assert_false(screen_shows(&s, "last edit"));
	screen_run(&s, "set batch=16");
	assert_true(screen_row(&s, "conv5_2", row, sizeof row));
	assert_non_null(strstr(row, "⇄"));
	assert_non_null(strstr(row, "▼"));
	/* Turning a knob of the screen is no edit: the marks stay. */
	screen_run(&s, "set theme=dark");
	assert_true(screen_row(&s, "conv5_2", row, sizeof row));
	assert_non_null(strstr(row, "⇄"));
	screen_run(&s, "set precision=bf16");
	assert_true(screen_row(&s, "conv5_2", row, sizeof row));
	assert_null(strstr(row, "⇄"));
	assert_non_null(strstr(row, "−50.0 %"));
	screen_close(&s);
}

/* Back where the study was opened, nothing is changed any more: no marks, and their column's room is given back. */
static void undo_to_the_opening_unmarks_everything(void **state)
{
	struct screen s;
	char *first;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	first = memory_copy_text(screen_text(&s), strlen(screen_text(&s)));
	screen_press(&s, "[ [ p");
	assert_true(screen_shows(&s, "last edit"));
	screen_press(&s, "u u");
	assert_true(screen_shows(&s, "last edit"));
	screen_press(&s, "u");
	s.e.message.text[0] = '\0';
	assert_string_equal(screen_text(&s), first);
	/* Of another model, the opening is its own. */
	screen_run(&s, "load lenet-c");
	screen_run(&s, "set batch=64");
	assert_true(screen_shows(&s, "last edit"));
	screen_press(&s, "u");
	assert_false(screen_shows(&s, "last edit"));
	screen_press(&s, "u");
	s.e.message.text[0] = '\0';
	assert_string_equal(screen_text(&s), first);
	memory_free(first);
	screen_close(&s);
}

/* What the command line set is where the study opens, not an edit. */
static void the_command_line_marks_nothing(void **state)
{
	static const char *const lines[] = { "set batch=64", "view layers", "set batch=32" };
	struct diagnostic d;
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	assert_int_equal(explorer_start(&s.e, &(struct explorer_options){ .lines = lines, .line_count = 3 }, &d), STATUS_OK);
	assert_true(screen_shows(&s, "batch 32"));
	assert_false(screen_shows(&s, "last edit"));
	screen_press(&s, "]");
	assert_true(screen_shows(&s, "last edit"));
	screen_press(&s, "u");
	assert_false(screen_shows(&s, "last edit"));
	screen_close(&s);
}

static void a_knob_without_effect_says_why(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 120);
	assert_true(screen_shows(&s, "types (2)"));
	screen_press(&s, "t Down Down Down");
	assert_true(screen_shows(&s, "only the joint solver reads it"));
	screen_run(&s, "set solver=joint");
	assert_true(screen_shows(&s, "types ◂2▸"));
	screen_close(&s);
}

static void the_prompt_completes_runs_and_keeps_what_fails(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_type(&s, ":set bat");
	screen_press(&s, "Tab");
	assert_string_equal(s.e.prompt.line, "set batch=");
	screen_type(&s, "64");
	screen_press(&s, "Enter");
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) == 64);
	assert_false(s.e.prompt.open);
	/* A slip leaves the line open to be mended, and names the nearest word. */
	screen_type(&s, ":set bacth=8");
	screen_press(&s, "Enter");
	assert_true(s.e.prompt.open);
	assert_true(screen_shows(&s, "no parameter \"bacth\"; did you mean batch?"));
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) == 64);
	screen_press(&s, "Esc");
	assert_false(s.e.prompt.open);
	screen_press(&s, ": Up");
	assert_string_equal(s.e.prompt.line, "set bacth=8");
	screen_close(&s);
}

static void a_bad_pattern_is_shown_while_the_last_good_one_works_on(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_press(&s, "/ f c 2");
	assert_int_equal(s.e.row, row_of(&s, "fc2"));
	screen_press(&s, "[");
	assert_true(s.e.bad_pattern >= 0);
	assert_true(screen_shows(&s, "▲"));
	assert_string_equal(regex_pattern(s.e.search), "fc2");
	assert_int_equal(s.e.row, row_of(&s, "fc2"));
	screen_press(&s, "Esc");
	assert_int_equal(s.e.row, row_of(&s, "conv1_1"));
	/* Enter keeps; n and N go round. */
	screen_press(&s, "/ f c Enter");
	assert_int_equal(s.e.row, row_of(&s, "fc1"));
	screen_press(&s, "n n");
	assert_int_equal(s.e.row, row_of(&s, "fc3"));
	screen_press(&s, "n");
	assert_int_equal(s.e.row, row_of(&s, "fc1"));
	screen_press(&s, "N");
	assert_int_equal(s.e.row, row_of(&s, "fc3"));
	screen_close(&s);
}

static void filtering_is_live_and_esc_takes_it_back(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_press(&s, "f f c");
	assert_int_equal(s.e.layers.count, 3);
	assert_true(screen_shows(&s, "3 of 11"));
	screen_press(&s, "Esc");
	assert_int_equal(s.e.layers.count, 11);
	screen_press(&s, "f f c Enter f Esc");
	assert_int_equal(s.e.layers.count, 3);
	screen_press(&s, "F");
	assert_int_equal(s.e.layers.count, 11);
	screen_close(&s);
}

static void pins_by_pattern_preview_and_can_be_taken_back_at_once(void **state)
{
	struct screen s;
	char row[512];

	(void)state;
	screen_open(&s, "vgg-a", 30, 120);
	screen_run(&s, "pin /conv5/ mp");
	assert_true(screen_row(&s, " conv5_1", row, sizeof row));
	assert_non_null(strstr(row, "▪●▪●▪●▪●"));
	assert_true(screen_row(&s, " conv4_1", row, sizeof row));
	assert_null(strstr(row, "▪"));
	screen_press(&s, "u");
	assert_int_equal(study_document(s.study)->pin_count, 0);
	screen_close(&s);
}

/* A popup with a title that names what it is about, a formula with numbers, and where it comes from. */
static bool explains(const struct screen *s, const char *subject)
{
	const char *body = text_string(&s->e.popup.body);

	return s->e.popup.open && strstr(s->e.popup.title, subject) != NULL && strlen(s->e.popup.title) > 8 && strpbrk(body, "0123456789") != NULL &&
		(strstr(body, "source: ") != NULL || s->e.layers_column < 5);
}

static const char *shown_number(const struct sheet *sheet, int item)
{
	for (size_t i = 0; i < sheet->span_count; i++)
		if (sheet->spans[i].item == item)
			return sheet->spans[i].text;
	return "";
}

/* Some amount of elements in the popup is printed as that number. */
static bool ends_in(const struct screen *s, const char *number)
{
	for (const char *at = text_string(&s->e.popup.body); (at = strstr(at, " elements x ")) != NULL; at++) {
		const char *start = at;
		char printed[FORMAT_BYTES];

		while (start > text_string(&s->e.popup.body) && strchr("0123456789.e+", start[-1]) != NULL)
			start--;
		format_number(atof(start), false, printed, sizeof printed);
		if (strcmp(printed, number) == 0)
			return true;
	}
	return false;
}

static void every_number_explains_itself(void **state)
{
	struct screen s;
	char number[64];

	(void)state;
	screen_open(&s, "vgg-a", 60, 200);
	screen_run(&s, "focus conv5_2");
	screen_press(&s, "h h h");
	for (int i = 0; i < 9; i++) {
		screen_press(&s, "Enter");
		if (!explains(&s, "conv5_2"))
			fail_msg("column %d explains nothing", s.e.layers_column);
		screen_press(&s, "Esc l");
	}
	screen_run(&s, "focus inspector");
	assert_true(s.e.inspector.sheet.item_count > 20);
	for (int i = 0; i < s.e.inspector.sheet.item_count; i++) {
		s.e.inspector.focus = i;
		screen_press(&s, "Enter");
		snprintf(number, sizeof number, "%s", shown_number(&s.e.inspector.sheet, i));
		if (!explains(&s, ""))
			fail_msg("item %d (quantity %d) of the inspector explains nothing", i, s.e.inspector.sheet.items[i].quantity);
		/* What is counted in elements ends in the very number that is shown. */
		if (strpbrk(number, "kMG") != NULL && strchr(number, ' ') != NULL && s.e.inspector.sheet.items[i].quantity != QUANTITY_MARGIN && !ends_in(&s, number))
			fail_msg("item %d (quantity %d) shows %s and explains\n%s", i, s.e.inspector.sheet.items[i].quantity, number, text_string(&s.e.popup.body));
		screen_press(&s, "Esc");
	}
	screen_close(&s);
}

static void a_paste_is_never_run(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	explorer_paste(&s.e, "q\r:quit\r", 8);
	assert_false(s.e.quit);
	assert_true(screen_shows(&s, "pasted text is not run"));
	screen_press(&s, ":");
	explorer_paste(&s.e, "set batch=1\rquit\r", 17);
	assert_string_equal(s.e.prompt.line, "set batch=1 quit ");
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) == 256);
	screen_close(&s);
}

/* Lines of nccl-tests tell the links: the prompt then holds the edit, and Enter makes it. */
static void pasted_measurements_become_an_edit(void **state)
{
	static const char rows[] = "# Rank  0\n# Rank  1\n# Rank  2\n# Rank  3\n 1048576 262144 float sum -1 20.0 52.43 78.64 0\n 1073741824 268435456 float sum -1 16114.1 66.63 99.95 0\n";
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	explorer_paste(&s.e, rows, sizeof rows - 1);
	assert_true(s.e.prompt.open && strncmp(s.e.prompt.line, "set bandwidth=", 14) == 0);
	assert_true(explorer_value(&s.e, PARAMETER_BANDWIDTH) == 0.25e9);
	screen_press(&s, "Enter");
	assert_true(fabs(explorer_value(&s.e, PARAMETER_BANDWIDTH) / 100e9 - 1) < 0.01);
	screen_press(&s, "u :");
	screen_type(&s, "calibrate 8");
	explorer_paste(&s.e, rows, sizeof rows - 1);
	assert_true(screen_shows(&s, "lists 4 ranks, not 8"));
	screen_close(&s);
}

static void models_are_listed_and_enter_opens_one(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, NULL, 24, 80);
	assert_int_equal(s.e.view, VIEW_MODELS);
	assert_int_equal(screen_run(&s, "view layers"), STATUS_INPUT);
	screen_press(&s, "/ ^ l e n e t Enter Enter");
	assert_int_equal(s.e.view, VIEW_LAYERS);
	assert_string_equal(s.e.results->model->name, "lenet-c");
	/* Opening a model is an edit: it can be taken back. */
	screen_press(&s, "m");
	assert_int_equal(s.e.view, VIEW_MODELS);
	screen_press(&s, "g Enter");
	assert_int_equal(s.e.view, VIEW_LAYERS);
	assert_string_equal(s.e.results->model->name, "alexnet");
	screen_press(&s, "u");
	assert_string_equal(s.e.results->model->name, "lenet-c");
	assert_true(screen_shows(&s, " lenet-c · batch 256"));
	screen_close(&s);
}

static void phase_enter_goes_to_the_point(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 30, 100);
	screen_press(&s, "6 k l l Enter");
	assert_true(explorer_value(&s.e, PARAMETER_ACCELERATORS) == 32);
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) > 256);
	screen_press(&s, "u");
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) == 256);
	screen_close(&s);
}

static void names_of_any_kind_keep_the_columns_in_line(void **state)
{
	static const char model[] = "name,kind,in_ch,in_h,in_w,kernel,pad,out_ch\n"
		"界界层,conv,3,32,32,3,1,16\ne\xCC\x81t\xC3\xA9,conv,16,32,32,3,1,16\n\x1b[31mred\x07,conv,16,32,32,3,1,16\n"
		"a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on,conv,16,32,32,3,1,16\nplain,linear,16384,1,1,1,0,10\n";
	char path[] = "/tmp/whypar-names-XXXXXX", line[128];
	int column = -1;
	struct screen s;

	(void)state;
	screen_write_file(path, model);
	screen_open(&s, NULL, 24, 120);
	snprintf(line, sizeof line, "load %s", path);
	assert_int_equal(screen_run(&s, line), STATUS_OK);
	screen_text(&s);
	for (int row = s.e.layout.main.row + 1; row <= s.e.layout.main.row + 5; row++) {
		int col = 0;

		/* The first type of the strip stands in the same column in every row. */
		while (cells_at(&s.e.cells, row, col)->character != 0x25CB && cells_at(&s.e.cells, row, col)->character != 0x25CF)
			col++;
		if (column < 0)
			column = col;
		assert_int_equal(col, column);
	}
	assert_null(strchr(screen_text(&s), 0x1b));
	unlink(path);
	screen_close(&s);
}

static void a_pattern_to_pin_is_previewed(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_type(&s, ":pin /conv[45]/");
	assert_true(screen_shows(&s, "matches 4 of 11 rows"));
	assert_int_equal(study_document(s.study)->pin_count, 0);
	screen_press(&s, "Esc");
	assert_int_equal(study_document(s.study)->pin_count, 0);
	screen_close(&s);
}

static void every_edit_leaves_the_same_screen_as_a_fresh_start(void **state)
{
	static const char *const edits[] = { "set batch=32", "set accelerators=64", "pin /conv5/ H2 mp", "set solver=accpar", "set solver=joint", "set comm_model=figures",
		"set precision=bf16", "unpin /conv5_1/", "set accelerators=2", "set mp_output=pooled", "set types=3", "set batch=4096", "set accelerators=8" };
	enum { EDITS = sizeof edits / sizeof *edits };
	struct screen live, fresh;

	(void)state;
	screen_open(&live, "vgg-a", 60, 200);
	for (int i = 0; i < EDITS; i++) {
		char *shown;

		assert_int_equal(screen_run(&live, edits[i]), STATUS_OK);
		screen_open(&fresh, "vgg-a", 60, 200);
		for (int j = 0; j <= i; j++)
			screen_run(&fresh, edits[j]);
		marks_free(&live.e);
		marks_free(&fresh.e);
		live.e.rebuild = fresh.e.rebuild = true;
		live.e.message.text[0] = fresh.e.message.text[0] = '\0';
		shown = memory_copy_text(screen_text(&live), strlen(screen_text(&live)));
		assert_string_equal(shown, screen_text(&fresh));
		memory_free(shown);
		screen_close(&fresh);
	}
	screen_close(&live);
}

static void batch_runs_a_script_and_names_the_line_that_fails(void **state)
{
	struct study *study = study_new();
	struct diagnostic d;

	(void)state;
	setenv("WHYPAR_DATA", "data", 0);
	assert_int_equal(explorer_batch(study, 24, 80, &(struct explorer_options){ .script_path = "x.why", .script = "load vgg-a\nset batch=32\nview phase\npress Esc\n" }, &d), STATUS_OK);
	assert_true(study_document(study)->values[PARAMETER_BATCH] == 32);
	assert_int_equal(explorer_batch(study, 24, 80, &(struct explorer_options){ .script_path = "x.why", .script = "# fine\nset batch=16\nview nowhere\nset batch=8\n" }, &d), STATUS_USAGE);
	assert_string_equal(d.file, "x.why");
	assert_int_equal(d.line, 3);
	assert_true(study_document(study)->values[PARAMETER_BATCH] == 16);
	study_free(study);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_size_draws_every_view), cmocka_unit_test(a_tiny_screen_says_what_it_needs_and_recovers),
		cmocka_unit_test(the_cursor_stays_on_its_row), cmocka_unit_test(undo_takes_the_cursor_back_to_the_change),
		cmocka_unit_test(an_edit_marks_what_it_changed), cmocka_unit_test(undo_to_the_opening_unmarks_everything), cmocka_unit_test(the_command_line_marks_nothing),
		cmocka_unit_test(a_knob_without_effect_says_why),
		cmocka_unit_test(the_prompt_completes_runs_and_keeps_what_fails), cmocka_unit_test(a_bad_pattern_is_shown_while_the_last_good_one_works_on),
		cmocka_unit_test(filtering_is_live_and_esc_takes_it_back), cmocka_unit_test(pins_by_pattern_preview_and_can_be_taken_back_at_once),
		cmocka_unit_test(every_number_explains_itself),
		cmocka_unit_test(a_paste_is_never_run), cmocka_unit_test(pasted_measurements_become_an_edit), cmocka_unit_test(models_are_listed_and_enter_opens_one),
		cmocka_unit_test(phase_enter_goes_to_the_point), cmocka_unit_test(names_of_any_kind_keep_the_columns_in_line),
		cmocka_unit_test(a_pattern_to_pin_is_previewed),
		cmocka_unit_test(every_edit_leaves_the_same_screen_as_a_fresh_start), cmocka_unit_test(batch_runs_a_script_and_names_the_line_that_fails),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("explorer", tests, NULL, NULL);
}
