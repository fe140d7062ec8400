/* Completion of a line being typed, from the same tables as everything else. */
#include "study/commands.h"

#include "base/builtin.h"
#include "base/memory.h"
#include "mine/methods.h"
#include "study/study.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

/* A candidate for the last word: offered when it starts with what was typed. */
struct completer {
	const char *line;        /* all before the last word */
	size_t line_length;
	const char *word;        /* the last word */
	struct text *out;
};

static void offer(struct completer *c, const char *candidate)
{
	if (!text_starts_with(candidate, c->word))
		return;
	if (c->out->length > 0)
		text_add(c->out, "\n");
	text_append(c->out, c->line, c->line_length);
	text_add(c->out, candidate);
}

/* The alternatives of the place-th word of a usage such as "a|b|NAME [down]"; those in capitals stand for something else. */
static void offer_usage(struct completer *c, const char *usage, int place)
{
	char word[64];

	for (; place > 1 && *usage != '\0'; place--) {
		usage += strcspn(usage, " ");
		usage += strspn(usage, " ");
	}
	usage += *usage == '[';
	while (*usage != '\0' && *usage != ' ' && *usage != ']') {
		size_t length = strcspn(usage, "| ]");

		snprintf(word, sizeof word, "%.*s", (int)length, usage);
		if (word[0] >= 'a' && word[0] <= 'z')
			offer(c, word);
		usage += length + (usage[length] == '|');
	}
}

static void offer_parameters(struct completer *c)
{
	char candidate[96];
	const char *equals = strchr(c->word, '=');

	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const struct parameter *p = parameter_at((enum parameter_id)i);

		snprintf(candidate, sizeof candidate, "%s=", p->name);
		if (equals == NULL)
			offer(c, candidate);
		for (size_t k = 0; equals != NULL && p->choices != NULL && p->choices[k] != NULL; k++) {
			snprintf(candidate, sizeof candidate, "%s=%s", p->name, p->choices[k]);
			offer(c, candidate);
		}
	}
}

static void offer_choices(struct completer *c, enum parameter_id id)
{
	for (size_t k = 0; parameter_at(id)->choices[k] != NULL; k++)
		offer(c, parameter_at(id)->choices[k]);
}

static void offer_levels(struct completer *c)
{
	char level[8];

	for (int h = 1; h <= LEVELS_MAX; h++) {
		snprintf(level, sizeof level, "H%d", h);
		offer(c, level);
	}
}

static void offer_states(struct completer *c)
{
	for (int state = 0; state < 2 * STATES_MAX; state++)
		offer(c, state_name(state >= STATES_MAX, state % STATES_MAX));
}

static void offer_files(struct completer *c)
{
	const char *slash = strrchr(c->word, '/');
	char folder[4096], candidate[4096 + 256];
	DIR *dir;
	struct dirent *entry;

	snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - c->word + 1) : 0, c->word);
	dir = opendir(folder[0] != '\0' ? folder : ".");
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		struct stat info;
		char clean[sizeof candidate];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(candidate, sizeof candidate, "%s%s", folder, entry->d_name);
		if (stat(candidate, &info) == 0 && S_ISDIR(info.st_mode))
			strncat(candidate, "/", sizeof candidate - strlen(candidate) - 1);
		/* a name that would have to be changed to be shown cannot be typed either */
		text_sanitize(clean, sizeof clean, candidate, strlen(candidate));
		if (strcmp(clean, candidate) == 0 && strpbrk(candidate, " \t\"'") == NULL)
			offer(c, candidate);
	}
	if (dir != NULL)
		closedir(dir);
}

static void offer_builtin(struct completer *c, const char *folder, const char *ending)
{
	struct builtin *list;
	struct diagnostic d;
	size_t count;

	if (builtin_list(folder, ending, &list, &count, &d) == STATUS_OK)
		for (size_t i = 0; i < count; i++)
			offer(c, list[i].name);
	memory_free(list);
}

/* A name that would have to be quoted is offered as its row. */
static void offer_name(struct completer *c, const char *name, int row)
{
	char number[16];

	snprintf(number, sizeof number, "#%d", row + 1);
	offer(c, strpbrk(name, " \t\"'\\/") == NULL ? name : number);
}

static void offer_layers(struct completer *c, struct study *study, bool all)
{
	const struct results *r = study_update(study);

	for (int row = 0; r->model != NULL && row < r->model->count; row++)
		if (all || r->problem->var_of_row[row] >= 0)
			offer_name(c, r->model->operators[row].name, row);
}

static void offer_words(struct completer *c, struct study *study, enum completion completion, const char *usage, int place)
{
	switch (completion) {
	case COMPLETE_PARAMETER:
		offer_parameters(c);
		break;
	case COMPLETE_MODEL:
		offer_builtin(c, "models", ".csv");
		offer_files(c);
		break;
	case COMPLETE_FILE:
		offer_files(c);
		break;
	case COMPLETE_LESSON:
		offer_builtin(c, "sessions", ".why");
		offer_files(c);
		break;
	case COMPLETE_LAYER:
		if (place == 1)
			offer_layers(c, study, false);
		else
			offer_levels(c);
		break;
	case COMPLETE_PIN:
		if (place == 1)
			offer_layers(c, study, false);
		else
			offer_states(c);
		if (place == 2)
			offer_levels(c);
		break;
	case COMPLETE_SOLVER:
		offer_choices(c, PARAMETER_SOLVER);
		break;
	case COMPLETE_COMMAND:
		for (int i = 0; i < COMMAND_COUNT; i++)
			offer(c, command_at((enum command_id)i)->name);
		break;
	case COMPLETE_THEME:
		offer_choices(c, PARAMETER_THEME);
		break;
	case COMPLETE_USAGE:
		offer_usage(c, usage, place);
		break;
	case COMPLETE_METHOD:
		for (int i = 0; i < METHOD_COUNT && place == 1; i++)
			offer(c, mine_method_name((enum mine_method)i));
		offer_usage(c, usage, place);
		offer(c, "from=");
		if (place > 1)
			offer_builtin(c, "models", ".csv");
		break;
	case COMPLETE_FOCUS:
		offer_usage(c, usage, place);
		offer_layers(c, study, true);
		break;
	default:
		break;
	}
}

void command_complete(struct study *study, const char *line, struct text *out)
{
	const char *space = strrchr(line, ' ');
	const char *word = space != NULL ? space + 1 : line;
	struct completer c = { .line = line, .line_length = (size_t)(word - line), .word = word, .out = out };
	char name[40];
	enum command_id id;
	int place = 0;

	if (space == NULL) {
		for (int i = 0; i < COMMAND_COUNT; i++)
			offer(&c, command_at((enum command_id)i)->name);
		return;
	}
	snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " "), line);
	id = command_find(name);
	if (id == COMMAND_COUNT)
		return;
	for (const char *p = line; p < word; p++)
		place += *p == ' ' && (p == line || p[-1] != ' ');
	if (place > command_at(id)->most)
		return;
	offer_words(&c, study, command_at(id)->completion, command_at(id)->usage, place);
}
