/* The table, dispatch, scripts.  What each command does to a study is in edits.c, completion in complete.c. */
#include "study/commands.h"

#include "base/builtin.h"
#include "base/files.h"
#include "study/edits.h"
#include "study/study.h"
#include "study/words.h"

#include <string.h>

enum { SCRIPT_DEPTH_MAX = 8 };

static const struct command table[COMMAND_COUNT] = {
#define X(id, name_, usage_, least_, most_, completion_, host_, text_) \
	[COMMAND_##id] = { .name = name_, .usage = usage_, .text = text_, .least = least_, .most = most_, .completion = completion_, .host = host_ },
	COMMANDS(X)
#undef X
};

const struct command *command_at(enum command_id id)
{
	return &table[id];
}

enum command_id command_find(const char *name)
{
	int id = 0;

	while (id < COMMAND_COUNT && strcmp(table[id].name, name) != 0)
		id++;
	return (enum command_id)id;
}

enum command_id command_of(const char *line)
{
	struct words words;
	struct diagnostic d;
	enum command_id id = COMMAND_COUNT;

	if (words_split(&words, line, &d) == STATUS_OK && words.count > 0)
		id = command_find(words.word[0]);
	words_free(&words);
	return id;
}

static enum status unknown_command(const char *name, struct diagnostic *d)
{
	const char *names[COMMAND_COUNT];
	int near;

	for (int i = 0; i < COMMAND_COUNT; i++)
		names[i] = table[i].name;
	near = text_nearest(name, names, COMMAND_COUNT);
	if (near >= 0)
		return diagnostic_fail(d, STATUS_USAGE, "no command \"%s\"; did you mean %s?", name, names[near]);
	return diagnostic_fail(d, STATUS_USAGE, "no command \"%s\"; `whypar commands` lists them", name);
}

static enum status run_source(struct study *study, const struct command_host *host, const char *name, int depth, struct diagnostic *d);

static enum status run_line(struct study *study, const struct command_host *host, const char *line, int depth, struct diagnostic *d)
{
	struct words words;
	enum status status = words_split(&words, line, d);
	enum command_id id;

	if (status == STATUS_OK && words.count > 0) {
		id = command_find(words.word[0]);
		if (id == COMMAND_COUNT)
			status = unknown_command(words.word[0], d);
		else if (words.count - 1 < table[id].least || words.count - 1 > table[id].most)
			status = diagnostic_fail(d, STATUS_USAGE, "usage: %s %s", table[id].name, table[id].usage);
		else if (table[id].host)
			status = host->act(host->self, id, words.count - 1, words.word + 1, words.rest, d);
		else if (id == COMMAND_SOURCE)
			status = run_source(study, host, words.word[1], depth, d);
		else
			status = edits_run(study, host, id, &words, line, d);
	}
	words_free(&words);
	return status;
}

enum status command_run(struct study *study, const struct command_host *host, const char *line, struct diagnostic *d)
{
	return run_line(study, host, line, 0, d);
}

static enum status run_script(struct study *study, const struct command_host *host, const char *path, const char *script,
	const char **left, unsigned long first_line, int depth, struct diagnostic *d)
{
	struct text line = { 0 };
	enum status status = STATUS_OK;
	unsigned long number = first_line;

	while (*script != '\0' && status == STATUS_OK) {
		size_t length = strcspn(script, "\n");

		text_clear(&line);
		text_append(&line, script, length);
		number++;
		script += length + (script[length] == '\n');
		if (left != NULL && command_of(text_string(&line)) == COMMAND_PAUSE) {
			*left = script;
			text_free(&line);
			return STATUS_OK;
		}
		status = run_line(study, host, text_string(&line), depth, d);
		if (status != STATUS_OK && d != NULL && d->line == 0)
			diagnostic_place(d, path, number, 0);
	}
	text_free(&line);
	if (left != NULL)
		*left = NULL;
	return status;
}

enum status command_run_script(struct study *study, const struct command_host *host, const char *path, const char *script,
	const char **left, unsigned long first_line, struct diagnostic *d)
{
	return run_script(study, host, path, script, left, first_line, 0, d);
}

static enum status no_script(const char *name, struct diagnostic *d)
{
	struct builtin *lessons;
	struct text known = { 0 };
	struct diagnostic unlisted;
	size_t count;

	if (builtin_list("sessions", ".why", &lessons, &count, &unlisted) != STATUS_OK)
		count = 0;
	for (size_t i = 0; i < count; i++)
		text_printf(&known, "%s%s", i > 0 ? ", " : "", lessons[i].name);
	diagnostic_fail(d, STATUS_INPUT, "cannot find a script %s: no such file, and no lesson of that name (lessons: %s)", name,
		count > 0 ? text_string(&known) : "none found");
	memory_free(lessons);
	text_free(&known);
	return STATUS_INPUT;
}

enum status command_find_script(const char *name, char *path, size_t size, struct diagnostic *d)
{
	char builtin[256];
	FILE *file = fopen(name, "r");

	if (file != NULL) {
		fclose(file);
		snprintf(path, size, "%s", name);
		return STATUS_OK;
	}
	snprintf(builtin, sizeof builtin, "sessions/%s.why", name);
	if (strchr(name, '/') == NULL && data_find(builtin, path, size))
		return STATUS_OK;
	return no_script(name, d);
}

enum status command_read_script(const char *path, char **script, struct diagnostic *d)
{
	size_t length;
	enum status status = file_read(path, script, &length, d);

	if (status != STATUS_OK)
		return status;
	if (length >= 3 && memcmp(*script, "\xEF\xBB\xBF", 3) == 0) {
		length -= 3;         /* the byte order mark of some editors */
		memmove(*script, *script + 3, length + 1);
	}
	if (memchr(*script, '\0', length) == NULL)
		return STATUS_OK;
	memory_free(*script);
	*script = NULL;
	return diagnostic_fail(d, STATUS_INPUT, "%s is not a script: it holds a NUL byte", path);
}

static enum status run_source(struct study *study, const struct command_host *host, const char *name, int depth, struct diagnostic *d)
{
	char path[4096], *script;
	enum status status;

	if (depth == SCRIPT_DEPTH_MAX)
		return diagnostic_fail(d, STATUS_INPUT, "scripts that source each other more than %d deep: %s", SCRIPT_DEPTH_MAX, name);
	status = command_find_script(name, path, sizeof path, d);
	if (status == STATUS_OK)
		status = command_read_script(path, &script, d);
	if (status != STATUS_OK)
		return status;
	status = run_script(study, host, path, script, NULL, 0, depth + 1, d);
	memory_free(script);
	return status;
}
