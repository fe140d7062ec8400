/* Command lines as words, and completion: what is offered is accepted. */
#include "study/commands.h"
#include "study/study.h"
#include "study/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"

/* words joined by | */
static const struct { const char *line, *words; } lines[] = {
	{ "", "" },
	{ "   \t ", "" },
	{ "# set batch=3", "" },
	{ "  # indented", "" },
	{ "set batch=512", "set|batch=512" },
	{ "  set\tbatch=512 \r", "set|batch=512" },
	{ "say # is no comment here", "say|#|is|no|comment|here" },
	{ "pin #3 mp", "pin|#3|mp" },
	{ "load \"my model.csv\"", "load|my model.csv" },
	{ "load 'a \"b\" c'", "load|a \"b\" c" },
	{ "load \"a \\\"b\\\" \\\\c\"", "load|a \"b\" \\c" },
	{ "load 'a\\b'", "load|a\\b" },
	{ "load a\\b", "load|a\\b" },
	{ "say it's fine", "say|it's|fine" },
	{ "say \"open", "say|\"open" },
	{ "load a\"b c\"d", "load|ab cd" },
	{ "x \"\" y", "x||y" },
	{ "pin /conv [12]/ mp", "pin|/conv [12]/|mp" },
	{ "pin /a\\/ b/ H2 mp", "pin|/a\\/ b/|H2|mp" },
	{ "pin /it's/ mp", "pin|/it's/|mp" },
	{ "load /tmp/x.csv", "load|/tmp/x.csv" },
	{ "load /tmp/a /tmp/b", "load|/tmp/a|/tmp/b" },
};

static void lines_divide_as_the_header_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct words w;
		struct diagnostic d;
		struct text joined = { 0 };

		assert_int_equal(words_split(&w, lines[i].line, &d), STATUS_OK);
		for (int k = 0; k < w.count; k++)
			text_printf(&joined, "%s%s", k > 0 ? "|" : "", w.word[k]);
		assert_string_equal(text_string(&joined), lines[i].words);
		text_free(&joined);
		words_free(&w);
	}
}

static void rest_is_the_raw_text_behind_the_name(void **state)
{
	struct words w;
	struct diagnostic d;

	(void)state;
	assert_int_equal(words_split(&w, "  say  \"two  blanks\" ", &d), STATUS_OK);
	assert_string_equal(w.rest, "\"two  blanks\" ");
	words_free(&w);
	assert_int_equal(words_split(&w, "quit", &d), STATUS_OK);
	assert_string_equal(w.rest, "");
	words_free(&w);
}

static void too_many_words_are_refused(void **state)
{
	struct text line = { 0 };
	struct words w;
	struct diagnostic d;

	(void)state;
	for (int i = 0; i < WORDS_MAX; i++)
		text_add(&line, "x ");
	assert_int_equal(words_split(&w, text_string(&line), &d), STATUS_OK);
	assert_int_equal(w.count, WORDS_MAX);
	words_free(&w);
	text_add(&line, "x");
	assert_int_equal(words_split(&w, text_string(&line), &d), STATUS_USAGE);
	assert_non_null(strstr(d.text, "words"));
	words_free(&w);
	text_free(&line);
}

static void patterns_lose_their_slashes(void **state)
{
	static const struct { const char *word, *pattern; } cases[] = {
		{ "/conv/", "conv" }, { "//", "" }, { "/a\\/b/", "a/b" }, { "/a\\.b/", "a\\.b" }, { "/a\\\\/", "a\\\\" },
		{ "conv", NULL }, { "/tmp/x", NULL }, { "/", NULL }, { "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct words w = { .count = 0 };
		const char *pattern = words_pattern(&w, cases[i].word);

		if (cases[i].pattern == NULL)
			assert_null(pattern);
		else
			assert_string_equal(pattern, cases[i].pattern);
		words_free(&w);
	}
}

static const char nasty[] = "ab1.*+?()[]{}|^$/\\\"'# \t-_:;,%~\xC3\xA9";

static void random_text(struct random *r, char *out, unsigned most)
{
	unsigned length = 1 + random_below(r, most);

	for (unsigned i = 0; i < length; i++)
		*out++ = nasty[random_below(r, sizeof nasty - 1)];
	*out = '\0';
}

/* Any text in double quotes with \ before " and \ is one word again, wherever it stands. */
static void quoted_words_read_back(void **state)
{
	struct random r = { 51 };

	(void)state;
	for (int round = 0; round < 5000; round++) {
		char word[3][24];
		struct text line = { 0 };
		struct words w;
		struct diagnostic d;

		text_add(&line, "load");
		for (int k = 0; k < 3; k++) {
			random_text(&r, word[k], 20);
			text_add(&line, " \"");
			for (const char *c = word[k]; *c != '\0'; c++)
				text_printf(&line, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
			text_add(&line, "\"");
		}
		assert_int_equal(words_split(&w, text_string(&line), &d), STATUS_OK);
		assert_int_equal(w.count, 4);
		for (int k = 0; k < 3; k++)
			assert_string_equal(w.word[k + 1], word[k]);
		words_free(&w);
		text_free(&line);
	}
}

/* Pin rules that a typed line can make come back from `save` as the same rules.  What a line cannot say is not made: a pattern
 * that ends in a backslash, or has one before a slash, and one that begins with # (a row). */
static bool can_be_typed(const char *pattern)
{
	size_t length = strlen(pattern);

	return pattern[0] != '#' && pattern[length - 1] != '\\' && strstr(pattern, "\\/") == NULL && strchr(pattern, '\t') == NULL;
}

static bool can_be_a_name(const char *pattern)
{
	return pattern[0] != '#' && pattern[0] != '/';
}

/* A rule on a row, a name or a pattern. */
static void add_random_rule(struct random *r, struct document *into)
{
	char pattern[24] = "";
	struct pin_rule rule = { .row = -1, .pattern = pattern, .level = (int)random_below(r, 5), .state = (int)random_below(r, 4) - 1 };

	if (random_below(r, 4) == 0)
		rule.row = (int)random_below(r, 30);
	else
		random_text(r, pattern, 20);
	rule.exact = rule.row < 0 && random_below(r, 2);
	/* an unpin has no kind, and save does not tell one */
	rule.junction = rule.state != NO_STATE && random_below(r, 2);
	if (rule.row >= 0 || (rule.exact ? can_be_a_name(pattern) : can_be_typed(pattern)))
		document_add_pin(into, &rule);
}

/* Adds what the words of a saved line say, which must be `rule`. */
static void read_rule(struct words *w, const struct pin_rule *rule, struct document *into)
{
	const char *pattern = words_pattern(w, w->word[1]);
	char number[16];
	int at = 2;

	snprintf(number, sizeof number, "#%d", rule->row + 1);
	assert_string_equal(w->word[0], rule->state == NO_STATE ? "unpin" : "pin");
	assert_int_equal(pattern != NULL, rule->row < 0 && !rule->exact);
	assert_string_equal(pattern != NULL ? pattern : w->word[1], rule->row >= 0 ? number : rule->pattern);
	if (rule->level > 0) {
		assert_in_range(at, 0, w->count - 1);
		assert_int_equal(w->word[at][0], 'H');
		assert_int_equal(atoi(w->word[at++] + 1), rule->level);
	}
	if (rule->state != NO_STATE) {
		assert_in_range(at, 0, w->count - 1);
		assert_string_equal(w->word[at++], rule->junction ? layout_name((enum layout)rule->state) : split_name((enum split)rule->state));
	}
	assert_int_equal(at, w->count);
	document_add_pin(into, rule);
}

static void saved_pins_read_back(void **state)
{
	struct random r = { 52 };
	char path[] = "/tmp/whypar-words-XXXXXX";
	int fd = mkstemp(path);
	int told = 0;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (int round = 0; round < 300; round++) {
		struct study *study = study_new(), *again = study_new();
		struct document next;
		struct diagnostic d = { 0 };
		char line[64];
		FILE *file;

		document_copy(&next, study_document(study));
		for (int k = 0; k < 5; k++)
			add_random_rule(&r, &next);
		told += (int)next.pin_count;
		assert_int_equal(study_edit(study, &next, "test", &d), STATUS_OK);
		snprintf(line, sizeof line, "save %s", path);
		assert_int_equal(command_run(study, NULL, line, &d), STATUS_OK);
		file = fopen(path, "r");
		document_copy(&next, study_document(again));
		for (char text[256]; fgets(text, sizeof text, file) != NULL;) {
			struct words w;

			assert_int_equal(words_split(&w, text, &d), STATUS_OK);
			if (w.count > 0)
				read_rule(&w, &study_document(study)->pins[next.pin_count], &next);
			words_free(&w);
		}
		fclose(file);
		assert_true(document_same_pins(&next, study_document(study)));
		document_free(&next);
		study_free(study);
		study_free(again);
	}
	unlink(path);
	assert_true(told > 500);
}

/* ---- completion ---- */

static enum status accept_all(void *self, enum command_id id, int count, char **words, const char *rest, struct diagnostic *d)
{
	(void)self, (void)id, (void)count, (void)words, (void)rest, (void)d;
	return STATUS_OK;
}

static const struct command_host host = { .act = accept_all };

static struct study *study_with(const char *model)
{
	struct study *study = study_new();
	struct diagnostic d;
	char line[512];

	snprintf(line, sizeof line, "load %s", model);
	if (command_run(study, &host, line, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	return study;
}

static void complete(struct study *study, const char *line, struct text *out)
{
	text_clear(out);
	command_complete(study, line, out);
}

static bool offers(struct study *study, const char *line, const char *candidate)
{
	struct text out = { 0 };
	bool found = false;

	complete(study, line, &out);
	for (const char *at = text_string(&out); *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n')
		found |= strncmp(at, candidate, strcspn(at, "\n")) == 0 && strcspn(at, "\n") == strlen(candidate);
	text_free(&out);
	return found;
}

static void completion_offers_what_there_is(void **state)
{
	struct study *study = study_with("googlenet");
	struct text out = { 0 };

	(void)state;
	assert_true(offers(study, "", "quit"));
	assert_true(offers(study, "base", "baseline"));
	assert_false(offers(study, "base", "quit"));
	assert_true(offers(study, "set b", "set batch="));
	assert_true(offers(study, "set batch=1 sol", "set batch=1 solver="));
	assert_true(offers(study, "set solver=j", "set solver=joint"));
	assert_true(offers(study, "solve ", "solve accpar"));
	assert_true(offers(study, "load vgg", "load vgg-e"));
	assert_true(offers(study, "load data/mod", "load data/models/"));
	assert_true(offers(study, "pin conv1 ", "pin conv1 mp"));
	assert_true(offers(study, "source dp", "source dp-or-mp"));
	assert_true(offers(study, "theme d", "theme dark"));
	complete(study, "nosuch ", &out);
	assert_int_equal(out.length, 0);
	complete(study, "undo ", &out);
	assert_int_equal(out.length, 0);
	text_free(&out);
	study_free(study);
}

/* Every candidate for a first argument starts with the line and, run, is not refused for its words. */
static void completions_are_accepted(void **state)
{
	static const struct { const char *line, *behind; } typed[] = {
		{ "set ", NULL }, { "solve ", "" }, { "load v", "" }, { "load data/models/", "" }, { "pin ", " dp" }, { "unpin ", "" }, { "view ", "" },
		{ "sort ", "" }, { "theme ", "" }, { "move ", "" }, { "focus ", "" }, { "help ", "" }, { "source dp", "" }, { "step ", NULL },
		{ "set solver=", "" }, { "set comm_model=", "" }, { "set precision=", "" }, { "set glyphs=", "" },
	};
	struct text out = { 0 };
	int tried = 0;

	(void)state;
	for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
		struct study *study = study_with("lenet-c");

		complete(study, typed[i].line, &out);
		assert_true(out.length > 0);
		for (char *at = out.bytes, *end; at != NULL; at = end) {
			struct diagnostic d = { 0 };
			char line[512];
			enum status status;

			end = strchr(at, '\n');
			if (end != NULL)
				*end++ = '\0';
			assert_true(text_starts_with(at, typed[i].line));
			tried++;
			if (typed[i].behind == NULL) {          /* a parameter: its name must be known */
				char *name = at + strlen(typed[i].line);

				name[strcspn(name, "=")] = '\0';
				assert_int_not_equal(parameter_find(name, &d), PARAMETER_COUNT);
				continue;
			}
			snprintf(line, sizeof line, "%s%s", at, typed[i].behind);
			status = command_run(study, &host, line, &d);
			if (status != STATUS_OK)
				fail_msg("offered but refused: %s: %s", line, d.text);
		}
		study_free(study);
	}
	text_free(&out);
	assert_true(tried > 100);
}

/* Commands offered at the beginning of a line are commands. */
static void command_names_complete_to_commands(void **state)
{
	struct study *study = study_new();
	struct text out = { 0 };
	int count = 0;

	(void)state;
	complete(study, "", &out);
	for (char *at = strtok(out.bytes, "\n"); at != NULL; at = strtok(NULL, "\n"), count++)
		assert_int_not_equal(command_find(at), COMMAND_COUNT);
	assert_int_equal(count, COMMAND_COUNT);
	text_free(&out);
	study_free(study);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_divide_as_the_header_says),
		cmocka_unit_test(rest_is_the_raw_text_behind_the_name),
		cmocka_unit_test(too_many_words_are_refused),
		cmocka_unit_test(patterns_lose_their_slashes),
		cmocka_unit_test(quoted_words_read_back),
		cmocka_unit_test(saved_pins_read_back),
		cmocka_unit_test(completion_offers_what_there_is),
		cmocka_unit_test(completions_are_accepted),
		cmocka_unit_test(command_names_complete_to_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
