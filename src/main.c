/* The command line: words in, exit code out.  Everything below returns a status; only main exits. */
#include "cli.h"

#include "base/files.h"
#include "base/memory.h"
#include "report/export.h"
#include "report/report.h"
#include "study/commands.h"
#include "ui/explorer.h"

#include <locale.h>
#include <string.h>
#include <unistd.h>

struct invocation;

struct subcommand {
	const char *name, *usage, *text;
	int least, most;         /* words after the name */
	enum status (*run)(struct invocation *in, struct diagnostic *d);
};

/* An option with its value. */
struct given {
	int option;              /* enum option_id */
	const char *value;
};

/* What was asked for, parsed but not yet carried out. */
struct invocation {
	const struct subcommand *subcommand;     /* NULL: the explorer */
	const char *words[4];
	int word_count;
	struct given *edits;     /* --set, --do, --source, --color, in order */
	int edit_count;
	enum report_form form;
	int level;
	const char *knob;
	const char *script;      /* --script */
	bool batch, no_config, stats;
	int rows, cols;          /* --size, of --batch */
	struct study *study;
};

/* ---- edits given on the command line ---- */

enum option_id {
#define X(id, ...) OPTION_##id,
	OPTIONS(X)
#undef X
	OPTION_COUNT
};

static const struct {
	const char *name, *value, *text;     /* value: NULL when it takes none */
} options[OPTION_COUNT] = {
#define X(id, name, value, text) [OPTION_##id] = { name, value, text },
	OPTIONS(X)
#undef X
};

/* What a command did ("pinned 3 rows") is for the screen; here the report shows it. */
static void keep_quiet(void *self, const char *text)
{
	(void)self;
	(void)text;
}

/* Commands of the screen: export works anywhere, the rest has nothing to act on and is passed over. */
static enum status act_without_screen(void *self, enum command_id id, int count, char **words, const char *rest, struct diagnostic *d)
{
	struct invocation *in = self;

	(void)count;
	if (id == COMMAND_EXPORT)
		return export_file(in->study, words[0], d);
	if (id == COMMAND_SAY) {
		char clean[1024];

		text_sanitize(clean, sizeof clean, rest, strlen(rest));
		fprintf(stderr, "whypar: %s\n", clean);
	}
	return STATUS_OK;
}

/* An option as the command line of the language that it stands for. */
static char *edit_line(const struct given *given)
{
	struct text line = { 0 };

	switch (given->option) {
	case OPTION_SET:
		text_printf(&line, "set %s", given->value);
		break;
	case OPTION_COLOR:
		text_printf(&line, "set color=%s", given->value);
		break;
	case OPTION_SOURCE:
		text_printf(&line, "source \"%s\"", given->value);
		break;
	default:
		text_printf(&line, "%s", given->value);
	}
	return line.bytes != NULL ? line.bytes : memory_copy_text("", 0);
}

static enum status run_edits(struct invocation *in, struct diagnostic *d)
{
	const struct command_host host = { .self = in, .act = act_without_screen, .say = keep_quiet };
	enum status status = STATUS_OK;

	for (int i = 0; i < in->edit_count && status == STATUS_OK; i++) {
		char *line = edit_line(&in->edits[i]);

		status = command_run(in->study, &host, line, d);
		memory_free(line);
	}
	return status;
}

static enum status load_model(struct invocation *in, const char *reference, struct diagnostic *d)
{
	struct diagnostics problems = { 0 };
	enum status status = study_load(in->study, reference, &problems, d);

	/* the first problem is the one reported; the others help to mend the file in one go */
	for (size_t i = 1; status != STATUS_OK && i < problems.count && i < 10; i++) {
		char line[1024];

		diagnostic_format(&problems.items[i], line, sizeof line);
		fprintf(stderr, "whypar: %s\n", line);
	}
	diagnostics_free(&problems);
	return status;
}

/* Loads words[0] and carries out the edits: what every subcommand about a model begins with. */
static enum status prepare(struct invocation *in, struct diagnostic *d)
{
	enum status status = STATUS_OK;

	if (in->word_count > 0)
		status = load_model(in, in->words[0], d);
	if (status == STATUS_OK)
		status = run_edits(in, d);
	return status;
}

static enum status find_layer(struct invocation *in, int *row, struct diagnostic *d)
{
	const struct model *m = study_update(in->study)->model;
	bool repeats;

	*row = model_find(m, in->words[1], &repeats, d);
	if (*row < 0)
		return STATUS_INPUT;
	if (repeats)
		fprintf(stderr, "whypar: warning: %s names several rows; the first, #%d, is meant\n", m->operators[*row].name, *row + 1);
	return STATUS_OK;
}

/* ---- subcommands ---- */

static void print(struct text *out)
{
	fwrite(text_string(out), 1, out->length, stdout);
	text_free(out);
}

static void print_warnings(const struct invocation *in)
{
	const struct results *r = study_results(in->study);
	char line[1024];

	if (in->form == REPORT_TEXT || r->model == NULL)
		return;
	for (size_t i = 0; i < r->warnings->count && i < 12; i++) {
		diagnostic_format(&r->warnings->items[i], line, sizeof line);
		fprintf(stderr, "whypar: warning: %s\n", line);
	}
}

static enum status run_report(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = prepare(in, d);

	if (status == STATUS_OK)
		status = report_study(in->study, in->form, &out, d);
	print(&out);
	print_warnings(in);
	return status;
}

/* The subcommands about one layer differ in what they ask of it. */
static enum status run_on_layer(struct invocation *in, enum status (*ask)(struct invocation *in, int row, struct text *out, struct diagnostic *d),
	struct diagnostic *d)
{
	struct text out = { 0 };
	int row = 0;
	enum status status = prepare(in, d);

	if (status == STATUS_OK)
		status = find_layer(in, &row, d);
	if (status == STATUS_OK)
		status = ask(in, row, &out, d);
	print(&out);
	return status;
}

static enum status ask_why(struct invocation *in, int row, struct text *out, struct diagnostic *d)
{
	return report_why(in->study, row, in->level, in->form, out, d);
}

static enum status run_why(struct invocation *in, struct diagnostic *d)
{
	return run_on_layer(in, ask_why, d);
}

static enum status ask_flips(struct invocation *in, int row, struct text *out, struct diagnostic *d)
{
	return report_flips(in->study, row, in->level, in->knob, in->form, out, d);
}

static enum status run_flips(struct invocation *in, struct diagnostic *d)
{
	return run_on_layer(in, ask_flips, d);
}

static enum status ask_phase(struct invocation *in, int row, struct text *out, struct diagnostic *d)
{
	return report_phase(in->study, row, in->form, out, d);
}

static enum status run_phase(struct invocation *in, struct diagnostic *d)
{
	return run_on_layer(in, ask_phase, d);
}

static enum status ask_explain(struct invocation *in, int row, struct text *out, struct diagnostic *d)
{
	return report_explain(in->study, in->words[2], row, in->level, in->word_count > 3 ? in->words[3] : NULL, in->form, out, d);
}

static enum status run_explain(struct invocation *in, struct diagnostic *d)
{
	return run_on_layer(in, ask_explain, d);
}

static enum status run_check(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = prepare(in, d);

	if (status == STATUS_OK)
		report_check(study_update(in->study)->model, in->form, &out);
	print(&out);
	return status;
}

static enum status run_convert(struct invocation *in, struct diagnostic *d)
{
	enum status status = prepare(in, d);

	return status == STATUS_OK ? export_model(study_update(in->study)->model, in->words[1], d) : status;
}

static enum status run_models(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = report_models(in->form, &out, d);

	print(&out);
	return status;
}

static enum status run_parameters(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };

	(void)d;
	report_parameters(in->form, &out);
	print(&out);
	return STATUS_OK;
}

static enum status run_commands(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };

	(void)d;
	report_commands(in->form, &out);
	print(&out);
	return STATUS_OK;
}

static const struct subcommand subcommands[] = {
#define X(run, name, usage, least, most, text) { name, usage, text, least, most, run },
	SUBCOMMANDS(X)
#undef X
};

enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof *subcommands };

/* ---- parsing ---- */

static void print_help(void)
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

/* OPTION_COUNT with d filled when there is none of that name. */
static enum option_id find_option(const char *word, struct diagnostic *d)
{
	const char *names[OPTION_COUNT];
	int near;

	for (int i = 0; i < OPTION_COUNT; i++) {
		names[i] = options[i].name;
		if (strcmp(word, names[i]) == 0)
			return (enum option_id)i;
	}
	near = text_nearest(word, names, OPTION_COUNT);
	diagnostic_fail(d, STATUS_USAGE, "no option %s%s%s%s (whypar --help lists them)", word, near >= 0 ? "; did you mean " : "",
		near >= 0 ? names[near] : "", near >= 0 ? "?" : "");
	return OPTION_COUNT;
}

static void add_edit(struct invocation *in, enum option_id option, const char *value)
{
	in->edits[in->edit_count++] = (struct given){ option, value };
}

static enum status take_value(struct invocation *in, enum option_id option, const char *value, struct diagnostic *d)
{
	int64_t level;

	switch (option) {
	case OPTION_KNOB:
		in->knob = value;
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
		if (sscanf(value, "%dx%d", &in->cols, &in->rows) != 2 || in->cols < 1 || in->rows < 1 || in->cols > 500 || in->rows > 500)
			return diagnostic_fail(d, STATUS_INPUT, "--size %s: write COLSxROWS, such as 80x24, at most 500x500", value);
		return STATUS_OK;
	default:
		add_edit(in, option, value);
		return STATUS_OK;
	}
}

static void take_flag(struct invocation *in, enum option_id option)
{
	switch (option) {
	case OPTION_JSON:
		in->form = REPORT_JSON;
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
	case OPTION_ASCII:
		add_edit(in, OPTION_SET, "glyphs=ascii");
		break;
	default:                 /* --help and --version were looked for before anything else */
		break;
	}
}

static enum status take_word(struct invocation *in, const char *word, struct diagnostic *d)
{
	if (in->word_count == 0 && in->subcommand == NULL)
		for (int i = 0; i < SUBCOMMAND_COUNT; i++)
			if (strcmp(word, subcommands[i].name) == 0) {
				in->subcommand = &subcommands[i];
				return STATUS_OK;
			}
	if (in->word_count == (in->subcommand != NULL ? in->subcommand->most : 1)) {
		if (strchr(word, '=') != NULL)
			return diagnostic_fail(d, STATUS_USAGE, "%s: a parameter is set by --set %s", word, word);
		if (in->subcommand != NULL)
			return diagnostic_fail(d, STATUS_USAGE, "one word too many: %s; usage: whypar %s %s", word, in->subcommand->name, in->subcommand->usage);
		return diagnostic_fail(d, STATUS_USAGE, "one word too many: %s; usage: whypar [MODEL] [options]", word);
	}
	in->words[in->word_count++] = word;
	return STATUS_OK;
}

static enum status parse(struct invocation *in, int argc, char **argv, struct diagnostic *d)
{
	bool plain = false;      /* behind --, everything is a word */

	for (int i = 1; i < argc; i++) {
		enum option_id option;
		enum status status;

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
		option = find_option(argv[i], d);
		if (option == OPTION_COUNT)
			return STATUS_USAGE;
		if (options[option].value == NULL) {
			take_flag(in, option);
			continue;
		}
		if (i + 1 == argc)
			return diagnostic_fail(d, STATUS_USAGE, "%s needs a value: %s %s", argv[i], argv[i], options[option].value);
		status = take_value(in, option, argv[i + 1], d);
		if (status != STATUS_OK)
			return status;
		i++;
	}
	if (in->subcommand != NULL && in->word_count < in->subcommand->least)
		return diagnostic_fail(d, STATUS_USAGE, "usage: whypar %s %s", in->subcommand->name, in->subcommand->usage);
	return STATUS_OK;
}

/* ---- the explorer ---- */

/* A first word that is no subcommand must be a model: a built-in name or an existing path. */
static enum status check_first_word(const char *word, struct diagnostic *d)
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

static enum status run_explorer(struct invocation *in, struct diagnostic *d)
{
	struct explorer_options options_ = { .measure = in->stats, .line_count = in->edit_count };
	char rc[4096], keep[4096], path[4096], *script = NULL, **lines;
	size_t length;
	enum status status = STATUS_OK;

	if (in->word_count > 0)
		status = check_first_word(in->words[0], d);
	if (status == STATUS_OK && in->script != NULL) {
		status = command_find_script(in->script, path, sizeof path, d);
		if (status == STATUS_OK)
			status = file_read(path, &script, &length, d);
		if (status == STATUS_OK && memchr(script, '\0', length) != NULL)
			status = diagnostic_fail(d, STATUS_INPUT, "%s is not a script: it holds a NUL byte", in->script);
	}
	if (status == STATUS_OK && in->batch && script == NULL)
		status = diagnostic_fail(d, STATUS_USAGE, "--batch runs a script: add --script FILE");
	if (status == STATUS_OK && !in->batch && !isatty(STDOUT_FILENO)) {
		if (in->word_count == 0 && script == NULL)
			status = diagnostic_fail(d, STATUS_USAGE, "the explorer needs a terminal; without one name a model: whypar report MODEL");
		else if (script == NULL)
			return run_report(in, d);
		else
			in->batch = true;
	}
	if (status == STATUS_OK && in->word_count > 0)
		status = load_model(in, in->words[0], d);
	lines = memory_alloc((size_t)in->edit_count, sizeof *lines);
	for (int i = 0; i < in->edit_count; i++)
		lines[i] = edit_line(&in->edits[i]);
	options_.lines = (const char *const *)lines;
	options_.script_path = path;
	options_.script = script;
	if (!in->no_config && explorer_rc_path(rc, sizeof rc))
		options_.rc = rc;
	if (!in->no_config && explorer_keep_path(keep, sizeof keep))
		options_.keep = keep;
	if (status == STATUS_OK)
		status = in->batch ? explorer_batch(in->study, in->rows, in->cols, &options_, d) : explorer_run(in->study, &options_, d);
	for (int i = 0; i < in->edit_count; i++)
		memory_free(lines[i]);
	memory_free(lines);
	memory_free(script);
	return status;
}

int main(int argc, char **argv)
{
	struct invocation in = { .form = REPORT_TEXT, .level = 1, .knob = "batch", .rows = 24, .cols = 80 };
	struct diagnostic d = { 0 };
	enum status status;
	char line[1024];

	/* Characters follow the user's locale; numbers never do. */
	setlocale(LC_CTYPE, "");
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			print_help();
			return STATUS_OK;
		}
		if (strcmp(argv[i], "--version") == 0) {
			printf("whypar %s\n", WHYPAR_VERSION);
			return STATUS_OK;
		}
	}
	in.edits = memory_alloc((size_t)argc, sizeof *in.edits);
	in.study = study_new();
	status = parse(&in, argc, argv, &d);
	if (status == STATUS_OK)
		status = in.subcommand != NULL ? in.subcommand->run(&in, &d) : run_explorer(&in, &d);
	if (status != STATUS_OK && d.text[0] != '\0') {
		diagnostic_format(&d, line, sizeof line);
		fprintf(stderr, "whypar: %s\n", line);
	}
	if (fflush(stdout) != 0 && status == STATUS_OK) {
		perror("whypar: stdout");
		status = STATUS_INPUT;
	}
	study_free(in.study);
	memory_free(in.edits);
	return (int)status;
}
