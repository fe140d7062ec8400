/* Parsing the command line. */
#include "cli.h"

#include "base/memory.h"
#include "base/units.h"
#include "study/words.h"

#include <string.h>
#include <unistd.h>

static const struct {
	const char *name, *usage, *text;
	int least, most;         /* words after the name */
	unsigned options;        /* WITH_ bits of those that go with it */
} subcommands[SUBCOMMAND_COUNT] = {
#define X(run, name, usage, least, most, options, text) [SUBCOMMAND_##run] = { name, usage, text, least, most, options },
	SUBCOMMANDS(X)
#undef X
};

static const struct {
	const char *name, *value, *text;     /* value: NULL when it takes none */
	unsigned with;
} options[OPTION_COUNT] = {
#define X(id, name, value, with, text) [OPTION_##id] = { name, value, text, with },
	OPTIONS(X)
#undef X
};

void cli_help(void)
{
	printf("whypar - why each layer of a network, on an array of accelerators, picks its parallelism\n\n"
		"usage: whypar [MODEL] [options]          the explorer; `report` when stdout is no terminal\n");
	for (int i = 0; i < SUBCOMMAND_COUNT; i++) {
		char call[64];

		snprintf(call, sizeof call, "%s %s", subcommands[i].name, subcommands[i].usage);
		printf("       whypar %-37s %s\n", call, subcommands[i].text);
	}
	printf("\nMODEL is a file (its format is found by content) or a built-in name; LAYER a name or #N, its row.\n\n");
	for (int i = 0; i < OPTION_COUNT; i++) {
		char call[64];

		snprintf(call, sizeof call, "%s%s%s", options[i].name, options[i].value != NULL ? " " : "", options[i].value != NULL ? options[i].value : "");
		printf("  %-27s %s\n", call, options[i].text);
	}
	printf("\nexit codes: 0 done, 1 an input is wrong, 2 the words are wrong, 3 no feasible answer, 130 interrupted\n"
		"see whypar(1), whypar-commands(7), whypar-models(7), whypar-formats(5)\n");
}

/* An option as the command line of the language that it stands for. */
char *cli_edit_line(const struct edit *edit)
{
	struct text line = { 0 };

	switch (edit->option) {
	case OPTION_SET:
		text_printf(&line, "set %s", edit->value);
		break;
	case OPTION_COLOR:
		text_printf(&line, "set color=%s", edit->value);
		break;
	case OPTION_SOURCE:
		text_add(&line, "source ");
		words_quote(&line, edit->value);
		break;
	default:
		text_printf(&line, "%s", edit->value);
	}
	return line.bytes != NULL ? line.bytes : memory_copy_text("", 0);
}

enum status cli_carry_out(const struct invocation *in, struct study *study, const struct command_host *host, struct diagnostic *d)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < in->edit_count && status == STATUS_OK; i++) {
		char *line = cli_edit_line(&in->edits[i]);

		status = command_run(study, host, line, d);
		memory_free(line);
	}
	return status;
}

static enum status pass_over(void *self, enum command_id id, int count, char **words, const char *rest, struct diagnostic *d)
{
	(void)self, (void)id, (void)count, (void)words, (void)rest, (void)d;
	return STATUS_OK;
}

enum status cli_edit_study(void *in, struct study *study, struct diagnostic *d)
{
	static const struct command_host nobody = { .act = pass_over };

	return cli_carry_out(in, study, &nobody, d);
}

/* OPTION_COUNT with d filled when there is none of that name.  For --name=value, *value points behind the sign. */
static enum option find_option(const char *word, const char **value, struct diagnostic *d)
{
	const char *names[OPTION_COUNT], *equals = strchr(word, '=');
	size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
	int near;

	*value = equals != NULL ? equals + 1 : NULL;
	for (int i = 0; i < OPTION_COUNT; i++) {
		names[i] = options[i].name;
		if (strlen(names[i]) == length && strncmp(word, names[i], length) == 0)
			return (enum option)i;
	}
	near = text_nearest(word, names, OPTION_COUNT);
	diagnostic_fail(d, STATUS_USAGE, "no option %.*s%s%s%s (whypar --help lists them)", (int)length, word, near >= 0 ? "; did you mean " : "",
		near >= 0 ? names[near] : "", near >= 0 ? "?" : "");
	return OPTION_COUNT;
}

static void add_edit(struct invocation *in, enum option option, const char *value)
{
	in->edits[in->edit_count++] = (struct edit){ option, value };
}

static enum status take_value(struct invocation *in, enum option option, const char *value, struct diagnostic *d)
{
	int64_t level;
	int used = 0;

	switch (option) {
	case OPTION_KNOB:
		in->knob = value;
		return STATUS_OK;
	case OPTION_OUT:
		in->out = value;
		return STATUS_OK;
	case OPTION_METHOD:
		in->method = value;
		return STATUS_OK;
	case OPTION_FROM:
		in->from = value;
		return STATUS_OK;
	case OPTION_SCRIPT:
		in->script = value;
		return STATUS_OK;
	case OPTION_LEVEL:
		if (units_parse_whole(value, strlen(value), &level) != STATUS_OK || level < 1 || level > LEVELS_MAX)
			return diagnostic_fail(d, STATUS_INPUT, "--level %s: levels are 1 (outermost) to %d", value, LEVELS_MAX);
		in->level = (int)level;
		return STATUS_OK;
	case OPTION_SIZE:
		if (sscanf(value, "%dx%d%n", &in->cols, &in->rows, &used) != 2 || value[used] != '\0' || in->cols < 1 || in->rows < 1 || in->cols > 500 || in->rows > 500)
			return diagnostic_fail(d, STATUS_INPUT, "--size %s: write COLSxROWS, such as 80x24, at most 500x500", value);
		return STATUS_OK;
	default:
		add_edit(in, option, value);
		return STATUS_OK;
	}
}

static void take_flag(struct invocation *in, enum option option)
{
	switch (option) {
	case OPTION_JSON:
		in->form = REPORT_JSON;
		break;
	case OPTION_REQUIRE_FIT:
		in->require_fit = true;
		break;
	case OPTION_CSV:
		in->form = REPORT_CSV;
		break;
	case OPTION_BATCH:
		in->batch = true;
		break;
	case OPTION_NO_CONFIG:
		in->no_config = true;
		break;
	case OPTION_STATS:
		in->stats = true;
		break;
	case OPTION_STEPS:
		in->steps = true;
		break;
	case OPTION_ASCII:
		add_edit(in, OPTION_SET, "glyphs=ascii");
		break;
	default:                 /* --help and --version were looked for before anything else */
		break;
	}
}

/* A first word that is no subcommand must be a model: a built-in name or an existing path. */
enum status cli_check_model(const char *word, struct diagnostic *d)
{
	const char *names[SUBCOMMAND_COUNT + 128];
	struct builtin *models = NULL;
	size_t count = 0, known = 0;
	enum status status = STATUS_USAGE;
	int near;

	if (access(word, F_OK) == 0)
		return STATUS_OK;
	if (models_builtin(&models, &count, d) != STATUS_OK)
		count = 0;
	for (int i = 0; i < SUBCOMMAND_COUNT; i++)
		names[known++] = subcommands[i].name;
	for (size_t i = 0; i < count && known < sizeof names / sizeof *names; i++) {
		names[known++] = models[i].name;
		if (strcmp(word, models[i].name) == 0)
			status = STATUS_OK;
	}
	near = text_nearest(word, names, known);
	if (status != STATUS_OK)
		diagnostic_fail(d, status, "\"%s\" is neither a subcommand, a built-in model nor a file%s%s%s", word,
			near >= 0 ? "; did you mean " : " (whypar --help, whypar models)", near >= 0 ? names[near] : "", near >= 0 ? "?" : "");
	memory_free(models);
	return status;
}

static enum status take_word(struct invocation *in, const char *word, struct diagnostic *d)
{
	if (in->word_count == 0 && in->subcommand == SUBCOMMAND_COUNT)
		for (int i = 0; i < SUBCOMMAND_COUNT; i++)
			if (strcmp(word, subcommands[i].name) == 0) {
				in->subcommand = (enum subcommand)i;
				return STATUS_OK;
			}
	if (in->word_count == (in->subcommand != SUBCOMMAND_COUNT ? subcommands[in->subcommand].most : 1)) {
		if (strchr(word, '=') != NULL)
			return diagnostic_fail(d, STATUS_USAGE, "%s: a parameter is set by --set %s", word, word);
		if (in->subcommand != SUBCOMMAND_COUNT)
			return diagnostic_fail(d, STATUS_USAGE, "one word too many: %s; usage: whypar %s %s", word, subcommands[in->subcommand].name, subcommands[in->subcommand].usage);
		if (cli_check_model(in->words[0], d) != STATUS_OK)
			return STATUS_USAGE;
		return diagnostic_fail(d, STATUS_USAGE, "one word too many: %s; usage: whypar [MODEL] [options]", word);
	}
	in->words[in->word_count++] = word;
	return STATUS_OK;
}

/* An option that would do nothing is refused: it is a slip, or meant for another subcommand.  Without a terminal the explorer
 * is a report, so its options go with that. */
static enum status check_options(const struct invocation *in, const bool *given, struct diagnostic *d)
{
	unsigned fitting = in->subcommand != SUBCOMMAND_COUNT ? subcommands[in->subcommand].options : WITH_MODEL | WITH_EXPLORER | WITH_JSON | WITH_REPORT;

	for (int i = 0; i < OPTION_COUNT; i++)
		if (given[i] && !(options[i].with & (fitting | WITH_ANY)))
			return diagnostic_fail(d, STATUS_USAGE, "%s does not go with %s (whypar --help)", options[i].name,
				in->subcommand != SUBCOMMAND_COUNT ? subcommands[in->subcommand].name : "the explorer");
	return STATUS_OK;
}

static enum status parse_words(struct invocation *in, int argc, char **argv, bool *given, struct diagnostic *d)
{
	bool plain = false;      /* behind --, everything is a word */

	for (int i = 1; i < argc; i++) {
		enum option option;
		enum status status;
		const char *value;

		if (!plain && strcmp(argv[i], "--") == 0) {
			plain = true;
			continue;
		}
		if (plain || argv[i][0] != '-' || argv[i][1] == '\0') {
			status = take_word(in, argv[i], d);
			if (status != STATUS_OK)
				return status;
			continue;
		}
		option = find_option(argv[i], &value, d);
		if (option == OPTION_COUNT)
			return STATUS_USAGE;
		given[option] = true;
		if (options[option].value == NULL) {
			if (value != NULL)
				return diagnostic_fail(d, STATUS_USAGE, "%s takes no value", options[option].name);
			take_flag(in, option);
			continue;
		}
		if (value == NULL && i + 1 < argc)
			value = argv[++i];
		if (value == NULL)
			return diagnostic_fail(d, STATUS_USAGE, "%s needs a value: %s %s", options[option].name, options[option].name, options[option].value);
		status = take_value(in, option, value, d);
		if (status != STATUS_OK)
			return status;
	}
	if (in->subcommand != SUBCOMMAND_COUNT && in->word_count < subcommands[in->subcommand].least)
		return diagnostic_fail(d, STATUS_USAGE, "usage: whypar %s %s", subcommands[in->subcommand].name, subcommands[in->subcommand].usage);
	if (in->subcommand == SUBCOMMAND_run_sweep && in->out == NULL)
		return diagnostic_fail(d, STATUS_USAGE, "sweep: where to? -o OUT.csv");
	return check_options(in, given, d);
}

enum status cli_parse(struct invocation *in, int argc, char **argv, struct diagnostic *d)
{
	bool given[OPTION_COUNT] = { false };

	in->subcommand = SUBCOMMAND_COUNT;
	in->form = REPORT_TEXT;
	in->level = 1;
	in->knob = "batch";
	in->rows = 24;
	in->cols = 80;
	in->edits = memory_alloc((size_t)argc, sizeof *in->edits);
	return parse_words(in, argc, argv, given, d);
}

void cli_free(struct invocation *in)
{
	memory_free(in->edits);
}

bool cli_asks(int argc, char **argv, enum option *which)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		*which = strcmp(argv[i], "--version") == 0 ? OPTION_VERSION : OPTION_HELP;
		if (*which == OPTION_VERSION || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	}
	return false;
}
