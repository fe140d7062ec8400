/* What the explorer tells: keys, help, footer, strip, warnings; checked on screens in memory. */
#include "tests/ui/lib_screen.h"

#include "ui/explorer.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void an_unknown_key_names_the_help_key(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_press(&s, "X");
	assert_true(screen_shows(&s, "X is not a key here; ? shows all keys"));
	screen_run(&s, "bind X set batch=1");
	screen_press(&s, "X");
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) == 1);
	screen_run(&s, "unbind X");
	screen_run(&s, "unbind ?");
	screen_press(&s, "X");
	assert_true(screen_shows(&s, "F1 shows all keys"));
	screen_close(&s);
}

static void every_binding_is_a_command_that_exists(void **state)
{
	struct keys keys;

	(void)state;
	keys_init(&keys);
	for (size_t i = 0; i < keys.count; i++) {
		char word[64];

		assert_int_not_equal(keys.bindings[i].key, KEY_CODE_NONE);
		snprintf(word, sizeof word, "%.*s", (int)strcspn(keys.bindings[i].command, " "), keys.bindings[i].command);
		if (command_find(word) == COMMAND_COUNT)
			fail_msg("%s is bound to \"%s\", which is no command", key_context_name(keys.bindings[i].context), keys.bindings[i].command);
	}
	keys_free(&keys);
}

/* What `bind` lists is an rc file that gives the same bindings. */
static void the_list_of_bindings_reads_back(void **state)
{
	struct text list = { 0 }, again = { 0 };
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	keys_list(&s.e.keys, &list);
	while (s.e.keys.count > 0)
		keys_unbind(&s.e.keys, s.e.keys.bindings[0].context, s.e.keys.bindings[0].key);
	for (const char *line = text_string(&list); *line != '\0'; line += strcspn(line, "\n") + 1) {
		char copy[256];

		snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
		if (screen_run(&s, copy) != STATUS_OK)
			fail_msg("%s: %s", copy, s.e.message.text);
	}
	keys_list(&s.e.keys, &again);
	assert_string_equal(text_string(&list), text_string(&again));
	text_free(&list);
	text_free(&again);
	screen_close(&s);
}

/* No function on an F-key alone: whatever F1..F12 are bound to has another key. */
static void function_keys_are_never_alone(void **state)
{
	struct keys keys;

	(void)state;
	keys_init(&keys);
	for (size_t i = 0; i < keys.count; i++) {
		bool other = keys.bindings[i].key < KEY_CODE_F1;

		for (size_t j = 0; j < keys.count && !other; j++)
			other = keys.bindings[j].key < KEY_CODE_F1 && strcmp(keys.bindings[i].command, keys.bindings[j].command) == 0;
		assert_true(other);
	}
	keys_free(&keys);
}

/* Among the words in the style of keys, not just somewhere in a text. */
static bool names_key(const struct sheet *help, const char *name)
{
	for (size_t i = 0; i < help->span_count; i++) {
		const char *text = help->spans[i].text, *at = text;

		if (help->spans[i].style != STYLE_KEY)
			continue;
		while ((at = strstr(at, name)) != NULL) {
			const char *end = at + strlen(name);

			if ((at == text || at[-1] == ' ') && (*end == ' ' || *end == '\0'))
				return true;
			at++;
		}
	}
	return false;
}

/* The command table's words for `sort` are the columns there are. */
static void sort_knows_every_column(void **state)
{
	char usage[256];
	struct screen s;
	int layers = 0, path = 0;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_run(&s, "view path");
	snprintf(usage, sizeof usage, "%.*s", (int)strcspn(command_at(COMMAND_SORT)->usage, " "), command_at(COMMAND_SORT)->usage);
	for (char *word = strtok(usage, "|"); word != NULL; word = strtok(NULL, "|")) {
		bool in_layers = table_column_find(&s.e.layers, word) >= 0, in_path = table_column_find(&s.e.path.table, word) >= 0;

		assert_true(in_layers || in_path);
		layers += in_layers;
		path += in_path;
	}
	assert_int_equal(layers, s.e.layers.column_count);
	assert_int_equal(path, s.e.path.table.column_count);
	screen_close(&s);
}

/* The words of a command that only the path view takes. */
static bool needs_path(const struct screen *s, const struct command *command, const char *word)
{
	if (command == command_at(COMMAND_SORT))
		return table_column_find(&s->e.layers, word) < 0;
	return command == command_at(COMMAND_ZOOM) || command == command_at(COMMAND_PAN);
}

/* The words that the command table offers, for completion and help, are the ones that are taken. */
static void offered_words_are_taken(void **state)
{
	char usage[256], line[320];
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 30, 120);
	for (int id = 0; id < COMMAND_COUNT; id++) {
		const struct command *command = command_at((enum command_id)id);

		if (command->completion != COMPLETE_USAGE)
			continue;
		snprintf(usage, sizeof usage, "%.*s", (int)strcspn(command->usage, " "), command->usage);
		for (char *word = strtok(usage, "[|]"); word != NULL; word = strtok(NULL, "[|]")) {
			snprintf(line, sizeof line, "%s %s%s", command->name, strcmp(word, "NUMBER") == 0 ? "1" : word, command->least > 1 ? " 1MB" : "");
			screen_run(&s, needs_path(&s, command, word) ? "view path" : "view layers");
			/* There may be no level further out; a word that is not known is another thing. */
			if (screen_run(&s, line) == STATUS_USAGE)
				fail_msg("%s: %s", line, s.e.message.text);
			s.e.prompt.open = false;
		}
		snprintf(line, sizeof line, "%s no-such-word", command->name);
		assert_int_equal(screen_run(&s, line), STATUS_USAGE);
	}
	screen_close(&s);
}

static void the_help_has_every_command_parameter_and_key(void **state)
{
	struct screen s;
	struct text all = { 0 }, line = { 0 };

	(void)state;
	screen_open(&s, "vgg-a", 24, 100);
	screen_press(&s, "?");
	for (int i = 0; i < s.e.help.lines; i++) {
		sheet_line_text(&s.e.help, i, &line);
		text_printf(&all, "%s\n", text_string(&line));
	}
	for (int id = 0; id < COMMAND_COUNT; id++)
		if (strstr(text_string(&all), command_at((enum command_id)id)->name) == NULL)
			fail_msg("the help lacks the command %s", command_at((enum command_id)id)->name);
	for (int id = 0; id < PARAMETER_COUNT; id++)
		if (strstr(text_string(&all), parameter_at((enum parameter_id)id)->name) == NULL)
			fail_msg("the help lacks the parameter %s", parameter_at((enum parameter_id)id)->name);
	for (size_t i = 0; i < s.e.keys.count; i++) {
		char name[16];

		keys_name(s.e.keys.bindings[i].key, name, sizeof name);
		if (s.e.keys.bindings[i].context == CONTEXT_GENERIC && !names_key(&s.e.help, name))
			fail_msg("the help lacks the key %s", name);
	}
	screen_press(&s, "q");
	assert_int_equal(s.e.view, VIEW_LAYERS);
	assert_false(s.e.quit);
	screen_run(&s, "help batch");
	assert_true(screen_shows(&s, "   batch         samples in one training step"));
	assert_false(screen_shows(&s, "dataflow"));
	assert_true(s.e.help.lines < 40);
	text_free(&all);
	text_free(&line);
	screen_close(&s);
}

/* A word of the screen that is no command: the columns are explained where one looks. */
static void the_help_knows_the_columns(void **state)
{
	static const char *const words[] = { "own", "before", "after", "level", "whole", "margin", "sure", "moved", "shape", "MACs" };
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 60, 120);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char line[64], row[512];

		snprintf(line, sizeof line, "help %s", words[i]);
		screen_run(&s, line);
		snprintf(line, sizeof line, "   %s  ", words[i]);
		if (!screen_row(&s, line, row, sizeof row))
			fail_msg("help %s has no entry of that name", words[i]);
	}
	screen_run(&s, "help nothing-at-all");
	assert_true(screen_shows(&s, "nothing mentions this word"));
	screen_close(&s);
}

/* What a key does, not what its command could do with other words. */
static void keys_are_described_by_what_they_do(void **state)
{
	static const struct { enum key_context context; const char *command, *expected; } cases[] = {
		{ CONTEXT_GENERIC, "filter", "filter: show all rows again" },
		{ CONTEXT_GENERIC, "search-next back", "search-next back: repeat the search backwards" },
		{ CONTEXT_GENERIC, "baseline clear", "baseline clear: forget the remembered plan" },
		{ CONTEXT_MODELS, "explain", "explain: open the model under the cursor" },
		{ CONTEXT_LAYERS, "explain", "explain: show the formula of the focused number, with its numbers and its source" },
		{ CONTEXT_GENERIC, "prompt load ", "prompt load ...: open a model: a file or a built-in name" },
		{ CONTEXT_GENERIC, "prompt", "prompt: open the command prompt" },
		{ CONTEXT_GENERIC, "no-such-command x", "no-such-command x" },
	};
	char text[256];
	struct screen s;
	struct keys keys;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		keys_describe(cases[i].context, cases[i].command, text, sizeof text);
		assert_string_equal(text, cases[i].expected);
	}
	/* Every built-in binding says something, and in its own words when it has some. */
	keys_init(&keys);
	for (size_t i = 0; i < keys.count; i++) {
		keys_describe(keys.bindings[i].context, keys.bindings[i].command, text, sizeof text);
		assert_non_null(strstr(text, ": "));
	}
	keys_free(&keys);
	/* The models view begins with its own keys. */
	screen_open(&s, NULL, 24, 80);
	screen_press(&s, "?");
	assert_true(screen_shows(&s, "Keys of the models view"));
	assert_true(screen_shows(&s, "explain: open the model under the cursor"));
	screen_close(&s);
}

/* The strip has a heading at any width, and names that can be typed or read. */
static void the_strip_of_baselines_is_headed(void **state)
{
	struct screen s;
	char row[512];

	(void)state;
	for (int cols = 60; cols <= 100; cols += 20) {
		screen_open(&s, "vgg-a", 24, cols);
		assert_true(screen_row(&s, "× now  ", row, sizeof row));
		assert_non_null(strstr(row, "× now  dp 10.5  mp 157"));
		assert_true(cols < 80 || strstr(row, "joint/2 1  joint/3 0.92") != NULL);
		/* The plan on the screen is left out where room is short. */
		assert_int_equal(strstr(row, "hypar 1") != NULL, cols >= 90);
		screen_close(&s);
	}
	/* A joint plan has no best of one level, so no column of dashes. */
	screen_open(&s, "vgg-a", 24, 80);
	assert_true(screen_row(&s, "elements ", row, sizeof row));
	assert_non_null(strstr(row, " level "));
	screen_run(&s, "set solver=joint");
	assert_true(screen_row(&s, "elements ", row, sizeof row));
	assert_null(strstr(row, " level "));
	assert_non_null(strstr(row, " whole "));
	screen_close(&s);
}

static void footers_show_three_to_six_keys_that_work(void **state)
{
	struct keys keys;

	(void)state;
	keys_init(&keys);
	for (int v = 0; v < VIEW_COUNT; v++) {
		const struct view *view = view_at((enum view_id)v);
		int count = 0;

		for (const struct hint *hint = view->hints; hint->command != NULL; hint++, count++) {
			char key[16];

			if (!keys_find(&keys, view->context, hint->command, key, sizeof key))
				fail_msg("the footer of %s shows \"%s\", which no key does", view->name, hint->command);
		}
		assert_in_range(count, 3, 6);
	}
	keys_free(&keys);
}

/* The Linux console's font lacks most glyphs; who says block gets blocks all the same, and no question marks. */
static void the_console_gets_plain_signs_unless_told_otherwise(void **state)
{
	struct screen s;
	char *first, row[512];

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	s.e.console = true;
	first = memory_copy_text(screen_text(&s), strlen(screen_text(&s)));
	for (const char *c = first; *c != '\0'; c++)
		assert_true((unsigned char)*c < 0x80);
	screen_run(&s, "set batch=512");
	screen_run(&s, "undo");
	s.e.message.text[0] = '\0';
	assert_string_equal(screen_text(&s), first);
	screen_run(&s, "set glyphs=block");
	assert_true(screen_row(&s, " conv5_2", row, sizeof row));
	assert_non_null(strstr(row, "○ ○ ○ ○"));
	assert_null(strchr(row, '?'));
	screen_run(&s, "set glyphs=auto");
	s.e.message.text[0] = '\0';
	assert_string_equal(screen_text(&s), first);
	/* Without UTF-8 there is nothing to choose. */
	s.e.console = s.e.utf8 = false;
	screen_run(&s, "set glyphs=block");
	s.e.message.text[0] = '\0';
	assert_string_equal(screen_text(&s), first);
	memory_free(first);
	screen_close(&s);
}

static void bad_rows_and_warnings_can_be_read(void **state)
{
	static const char model[] = "name,kind,in_ch,in_h,in_w,kernel,pad,out_ch\n"
		"a,conv,3,32,32,3,1,16\nb,conv,16,32,32,3,1,wide\nc,wiggle,16,32,32,3,1,16\nd,linear,16384,1,1,1,0,10\n";
	char path[] = "/tmp/whypar-warnings-XXXXXX", line[128], row[700];
	struct screen s;

	(void)state;
	screen_write_file(path, model);
	screen_open(&s, NULL, 24, 80);
	snprintf(line, sizeof line, "load %s", path);
	assert_int_equal(screen_run(&s, line), STATUS_OK);
	screen_run(&s, "set batch=2");
	assert_true(s.e.results->warnings->total > 0);
	assert_true(screen_row(&s, "not understood", row, sizeof row));
	assert_non_null(strstr(row, "(w)"));
	screen_press(&s, "w");
	assert_true(s.e.popup.open);
	/* Every problem with its line and column, every warning of the plan. */
	assert_true(s.e.results->model->problems.total > 1);
	for (size_t i = 0; i < s.e.results->model->problems.count; i++) {
		const struct diagnostic *d = &s.e.results->model->problems.items[i];

		snprintf(row, sizeof row, "%lu:%lu: %s", d->line, d->column, d->text);
		assert_true(d->line > 1);
		if (d->column > 0 && strstr(text_string(&s.e.popup.body), row) == NULL)
			fail_msg("not told: %s", row);
	}
	for (size_t i = 0; i < s.e.results->warnings->count; i++)
		assert_non_null(strstr(text_string(&s.e.popup.body), s.e.results->warnings->items[i].text));
	assert_true(screen_shows(&s, "wiggle"));
	/* More than fits is scrolled. */
	explorer_resize(&s.e, 11, 60);
	screen_text(&s);
	assert_true(s.e.popup.lines > s.e.popup.page);
	screen_press(&s, "G");
	assert_int_equal(s.e.popup.top, s.e.popup.lines - s.e.popup.page);
	screen_press(&s, "j");
	assert_int_equal(s.e.popup.top, s.e.popup.lines - s.e.popup.page);
	screen_press(&s, "g");
	assert_int_equal(s.e.popup.top, 0);
	unlink(path);
	screen_close(&s);
	screen_open(&s, "vgg-a", 24, 80);
	screen_press(&s, "w");
	assert_true(screen_shows(&s, "Every row was understood"));
	screen_close(&s);
}

/* Pictures that a script takes one after the other have nothing of the taking in them. */
static void a_script_writes_pictures_in_silence(void **state)
{
	char path[] = "/tmp/whypar-picture-XXXXXX", script[256];
	enum status status;
	struct diagnostic d;
	struct screen s;

	(void)state;
	screen_write_file(path, "");
	screen_open(&s, "vgg-a", 24, 80);
	snprintf(script, sizeof script, "dump-screen %s\n", path);
	explorer_source(&s.e, "x.why", script, &d, &status);
	assert_int_equal(status, STATUS_OK);
	assert_false(screen_shows(&s, "wrote"));
	script[strlen(script) - 1] = '\0';
	screen_run(&s, script);
	assert_true(screen_shows(&s, "wrote the screen to"));
	unlink(path);
	screen_close(&s);
}

/* Also in a script that was sourced from the prompt, and however the line is indented. */
static void a_pause_waits_for_space(void **state)
{
	char path[] = "/tmp/whypar-pause-XXXXXX", line[128];
	struct screen s;

	(void)state;
	screen_write_file(path, "say one\nset batch=64\n  pause\nsay two\nset batch=32\n");
	screen_open(&s, "vgg-a", 24, 80);
	s.e.live = true;
	snprintf(line, sizeof line, "  source '%s'", path);
	assert_int_equal(screen_run(&s, line), STATUS_OK);
	assert_true(s.e.lesson.waiting);
	assert_true(screen_shows(&s, "│ one"));
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) == 64);
	screen_press(&s, "Space");
	assert_false(s.e.lesson.waiting);
	assert_true(screen_shows(&s, "│ two"));
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) == 32);
	/* What is no text is no script. */
	{
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fwrite("set batch=8\0\n", 1, 13, file);
		fclose(file);
	}
	assert_int_equal(screen_run(&s, line), STATUS_INPUT);
	assert_true(screen_shows(&s, "holds a NUL byte"));
	assert_true(explorer_value(&s.e, PARAMETER_BATCH) == 32);
	/* One word, neither none nor two. */
	assert_int_equal(screen_run(&s, "source"), STATUS_USAGE);
	assert_int_equal(screen_run(&s, "source a b"), STATUS_USAGE);
	unlink(path);
	screen_close(&s);
}

static void keys_that_press_themselves_end(void **state)
{
	struct screen s;

	(void)state;
	screen_open(&s, "vgg-a", 24, 80);
	screen_run(&s, "bind X press X X X X X X X X");
	screen_press(&s, "X");
	screen_run(&s, "bind X press Y");
	screen_run(&s, "bind Y press X");
	screen_press(&s, "X");
	assert_true(screen_shows(&s, "press: keys press keys without end") || screen_shows(&s, "a key is bound to itself"));
	screen_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_key_names_the_help_key),
		cmocka_unit_test(every_binding_is_a_command_that_exists),
		cmocka_unit_test(the_list_of_bindings_reads_back),
		cmocka_unit_test(function_keys_are_never_alone),
		cmocka_unit_test(the_help_has_every_command_parameter_and_key),
		cmocka_unit_test(sort_knows_every_column),
		cmocka_unit_test(offered_words_are_taken),
		cmocka_unit_test(the_help_knows_the_columns),
		cmocka_unit_test(keys_are_described_by_what_they_do),
		cmocka_unit_test(the_strip_of_baselines_is_headed),
		cmocka_unit_test(footers_show_three_to_six_keys_that_work),
		cmocka_unit_test(the_console_gets_plain_signs_unless_told_otherwise),
		cmocka_unit_test(bad_rows_and_warnings_can_be_read),
		cmocka_unit_test(a_script_writes_pictures_in_silence),
		cmocka_unit_test(a_pause_waits_for_space),
		cmocka_unit_test(keys_that_press_themselves_end),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("told", tests, NULL, NULL);
}
