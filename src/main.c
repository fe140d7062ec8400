/* The command line: words in, exit code out.  Everything below returns a status; only main exits. */
#include "cli.h"

#include "base/memory.h"
#include "report/export.h"
#include "report/race.h"
#include "report/report.h"
#include "study/sweep.h"
#include "ui/explorer.h"

#include <locale.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* ---- edits given on the command line ---- */

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

	if (id == COMMAND_EXPORT)
		return export_file(in->study, count > 1 ? words[0] : NULL, words[count - 1], d);
	if (id == COMMAND_SAY) {
		char clean[1024];

		text_sanitize(clean, sizeof clean, rest, strlen(rest));
		fprintf(stderr, "whypar: %s\n", clean);
	}
	return STATUS_OK;
}

static enum status run_edits(struct invocation *in, struct diagnostic *d)
{
	const struct command_host host = { .self = in, .act = act_without_screen, .say = keep_quiet };

	return cli_carry_out(in, in->study, &host, d);
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
	study_start(in->study);
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

	for (size_t i = 0; r->model != NULL && i < r->warnings->count && i < 12; i++) {
		diagnostic_format(&r->warnings->items[i], line, sizeof line);
		fprintf(stderr, "whypar: warning: %s\n", line);
	}
}

/* A run that was reported must fit its memory. */
static enum status require_fit(const struct invocation *in, struct diagnostic *d)
{
	const struct results *r = study_results(in->study);

	if (r->run_trouble[0] != '\0')
		return diagnostic_fail(d, STATUS_INPUT, "--require-fit: %.600s", r->run_trouble);
	return study_fits(r, d);
}

static enum status run_report(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = prepare(in, d);

	if (status == STATUS_OK)
		status = report_study(in->study, in->form, &out, d);
	print(&out);
	if (in->form != REPORT_TEXT)             /* the text holds them itself */
		print_warnings(in);
	if (status == STATUS_OK && in->require_fit)
		status = require_fit(in, d);
	return status;
}

static enum status run_plan(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = prepare(in, d);

	if (status == STATUS_OK) {
		study_update(in->study);
		status = report_plans(in->study, in->words[1], in->form, &out, d);
	}
	print(&out);
	return status;
}

/* The subcommands about one layer differ in what they ask of it. */
static enum status ask_of_layer(struct invocation *in, enum status (*ask)(struct invocation *in, int row, struct text *out, struct diagnostic *d),
	struct diagnostic *d)
{
	struct text out = { 0 };
	int row = 0;
	enum status status = find_layer(in, &row, d);

	if (status == STATUS_OK)
		status = ask(in, row, &out, d);
	print(&out);
	return status;
}

static enum status run_on_layer(struct invocation *in, enum status (*ask)(struct invocation *in, int row, struct text *out, struct diagnostic *d),
	struct diagnostic *d)
{
	enum status status = prepare(in, d);

	if (status == STATUS_OK)
		status = report_need_links(in->study, d);
	return status == STATUS_OK ? ask_of_layer(in, ask, d) : status;
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
	return report_phase(in->study, row, in->level, in->form, out, d);
}

static enum status run_phase(struct invocation *in, struct diagnostic *d)
{
	return run_on_layer(in, ask_phase, d);
}

static enum status ask_explain(struct invocation *in, int row, struct text *out, struct diagnostic *d)
{
	return report_explain(in->study, in->words[2], row, in->level, in->word_count > 3 ? in->words[3] : NULL, in->form, out, d);
}

/* Of a layer, or of one operator as `ops` names it. */
static enum status run_explain(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = prepare(in, d);

	if (status == STATUS_OK)
		status = report_need_links(in->study, d);
	if (status != STATUS_OK)
		return status;
	if (strchr(in->words[1], ':') == NULL || in->word_count > 3 || model_find(study_update(in->study)->model, in->words[1], NULL, NULL) >= 0)
		return ask_of_layer(in, ask_explain, d);
	status = report_explain_operator(in->study, in->words[2], in->words[1], in->form, &out, d);
	print(&out);
	return status;
}

static enum status run_ops(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status;

	if (in->word_count > 1 && in->form == REPORT_CSV)
		return diagnostic_fail(d, STATUS_USAGE, "--csv goes with all operators: whypar ops MODEL --csv");
	status = prepare(in, d);

	if (status == STATUS_OK)
		status = in->word_count > 1 ? report_operator(in->study, in->words[1], in->form, &out, d) : report_ops(in->study, in->form, &out, d);
	print(&out);
	if (status == STATUS_OK)
		print_warnings(in);
	return status;
}

static enum status run_check(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = prepare(in, d);

	if (status == STATUS_OK)
		report_check(in->study, in->form, &out);
	print(&out);
	return status;
}

static enum status run_convert(struct invocation *in, struct diagnostic *d)
{
	enum status status = prepare(in, d);

	return status == STATUS_OK ? export_model(in->study, in->words[1], d) : status;
}

/* No model, but the edits set the topology. */
static enum status run_collective(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = run_edits(in, d);

	if (status == STATUS_OK)
		status = report_collective(in->study, in->words[0], in->words[1], in->form, &out, d);
	print(&out);
	return status;
}

static enum status run_calibrate(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = run_edits(in, d);

	if (status == STATUS_OK)
		status = report_calibration(in->study, in->words[0], in->word_count > 1 ? in->words[1] : NULL, in->form, &out, d);
	print(&out);
	return status;
}

/* Files that are layer graphs with times of their own are split as they are, though they load as models too; others are timed here. */
static bool is_profile(const char *word)
{
	struct model *m;
	struct diagnostic d;
	bool profile;

	if (cli_check_model(word, &d) != STATUS_OK || model_load(word, &m, NULL, &d) != STATUS_OK)
		return true;
	profile = strcmp(m->format, "pipedream") == 0 || strcmp(m->format, "piper") == 0;
	model_free(m);
	return profile;
}

static enum status run_stages(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status;

	if (is_profile(in->words[0])) {
		status = report_stages(in->words, in->word_count, in->form, &out, d);
	} else {
		status = prepare(in, d);
		if (status == STATUS_OK)
			status = study_settle(in->study, NULL);
		if (status == STATUS_OK)
			status = report_model_stages(in->study, in->words + 1, in->word_count - 1, in->form, &out, d);
	}
	print(&out);
	return status;
}

/* ---- long searches can be interrupted ---- */

static atomic_bool interrupted;

static void interrupt(int signal)
{
	(void)signal;
	atomic_store(&interrupted, true);
}

/* A study of each model, all with the same edits. */
static enum status prepare_each(struct invocation *in, struct study **studies, struct diagnostic *d)
{
	struct study *first = in->study;
	enum status status = STATUS_OK;

	for (int i = 0; i < in->word_count && status == STATUS_OK; i++) {
		studies[i] = in->study = i == 0 ? first : study_new();
		status = load_model(in, in->words[i], d);
		study_start(in->study);
		if (status == STATUS_OK)
			status = run_edits(in, d);
		if (status == STATUS_OK)
			status = study_settle(in->study, NULL);
	}
	in->study = first;
	return status;
}

_Static_assert((int)WORDS_GIVEN_MAX <= (int)MINING_MODELS_MAX, "a race takes as many models as are given");

static enum status run_mine(struct invocation *in, struct diagnostic *d)
{
	struct study *studies[WORDS_GIVEN_MAX] = { NULL };
	struct text out = { 0 };
	struct race *race = NULL;
	unsigned methods, begun = 0;
	enum status status = race_methods(in->method != NULL ? in->method : "wham", &methods, d);
	bool several = status == STATUS_OK && (methods & (methods - 1)) != 0;

	if (status == STATUS_OK)
		status = prepare_each(in, studies, d);
	if (status == STATUS_OK) {
		race = race_new(studies, in->word_count, false);
		status = in->from != NULL ? race_warm(race, methods, in->from, d) : STATUS_OK;
		signal(SIGINT, interrupt);
		signal(SIGTERM, interrupt);
	}
	for (int i = 0; i < METHOD_COUNT && status == STATUS_OK; i++)
		if (methods & 1u << i) {
			race_enter(race, (enum mine_method)i);
			status = race_leg(race, (enum mine_method)i, &interrupted, d);
			/* in a race, others may find what one cannot */
			if (several && (status == STATUS_INFEASIBLE || status == STATUS_INPUT) && race_mining(race) != NULL)
				status = STATUS_OK;
			if (race_has_begun(race, (enum mine_method)i))
				begun |= 1u << i;
		}
	/* what an interrupted search found is told all the same */
	if (begun != 0 && (status == STATUS_OK || status == STATUS_INTERRUPTED) && race_has_found(race))
		report_race(race, begun, (int)study_document(in->study)->values[PARAMETER_TOPK], in->form, in->steps, &out);
	else if (status == STATUS_OK)
		status = STATUS_INFEASIBLE;      /* and the last method said why */
	print(&out);
	race_free(race);
	for (int i = 1; i < in->word_count; i++)
		study_free(studies[i]);
	return status;
}

/* On a terminal, a line that tells how far it is, five times a second. */
static void tell_progress(void *self, double seconds, int64_t done, int64_t all)
{
	double *told = self, rate = (double)done / seconds;

	if (!isatty(STDERR_FILENO) || (seconds - *told < 0.2 && done < all))
		return;
	*told = seconds;
	fprintf(stderr, "\r%lld of %lld points, %.0f/s, %.0f s left  %s", (long long)done, (long long)all, rate, (double)(all - done) / rate, done == all ? "\n" : "");
}

static enum status run_sweep(struct invocation *in, struct diagnostic *d)
{
	struct sweep_grid grid = { .points = 0 };
	struct sweep_file *file = NULL;
	double told = 0;
	struct sweep_watch watch = { &told, tell_progress };
	bool finished;
	enum status status = run_edits(in, d);

	if (status == STATUS_OK)
		status = sweep_load(in->words[0], study_document(in->study), &grid, d);
	if (status == STATUS_OK)
		status = sweep_file_open(in->out, &grid, &file, d);
	finished = status == STATUS_OK && sweep_file_finished(file);
	if (finished)
		fprintf(stderr, "whypar: %s has all %lld points already\n", in->out, (long long)grid.points);
	if (status == STATUS_OK && !finished) {
		signal(SIGINT, interrupt);
		signal(SIGTERM, interrupt);
		status = sweep_run(&grid, cli_edit_study, in, (int)study_document(in->study)->values[PARAMETER_THREADS], file, &watch, &interrupted, d);
	}
	if (status == STATUS_OK) {
		status = sweep_file_outcome(file, d);
		if (status == STATUS_OK && d->text[0] != '\0')
			fprintf(stderr, "whypar: %s\n", d->text);
	}
	sweep_file_close(file);
	sweep_grid_free(&grid);
	return status;
}

static enum status run_reproduce(struct invocation *in, struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = report_reproduce(in->words[0], in->form, &out, d);

	print(&out);
	return status;
}

/* Lists of what is built in: no model, but the edits are carried out, so that a wrong one is told. */
static enum status run_list(struct invocation *in, enum status (*list)(enum report_form form, struct text *out, struct diagnostic *d), struct diagnostic *d)
{
	struct text out = { 0 };
	enum status status = run_edits(in, d);

	if (status == STATUS_OK)
		status = list(in->form, &out, d);
	print(&out);
	return status;
}

static enum status run_models(struct invocation *in, struct diagnostic *d)
{
	return run_list(in, report_models, d);
}

static enum status run_accelerators(struct invocation *in, struct diagnostic *d)
{
	return run_list(in, report_accelerators, d);
}

static enum status run_networks(struct invocation *in, struct diagnostic *d)
{
	return run_list(in, report_networks, d);
}

static enum status run_parameters(struct invocation *in, struct diagnostic *d)
{
	return run_list(in, report_parameters, d);
}

static enum status run_commands(struct invocation *in, struct diagnostic *d)
{
	return run_list(in, report_commands, d);
}

static enum status (*const run[SUBCOMMAND_COUNT])(struct invocation *in, struct diagnostic *d) = {
#define X(function, ...) [SUBCOMMAND_##function] = function,
	SUBCOMMANDS(X)
#undef X
};

/* ---- the explorer ---- */

static enum status run_explorer(struct invocation *in, struct diagnostic *d)
{
	struct explorer_options options_ = { .measure = in->stats, .line_count = in->edit_count };
	char rc[4096], keep[4096], path[4096], *script = NULL, **lines;
	enum status status = STATUS_OK;

	if (in->word_count > 0)
		status = cli_check_model(in->words[0], d);
	if (status == STATUS_OK && in->script != NULL) {
		status = command_find_script(in->script, path, sizeof path, d);
		if (status == STATUS_OK)
			status = command_read_script(path, &script, d);
	}
	if (status == STATUS_OK && in->batch && script == NULL)
		status = diagnostic_fail(d, STATUS_USAGE, "--batch runs a script: add --script FILE");
	if (status == STATUS_OK && in->word_count > 0 && script == NULL && in->form != REPORT_TEXT)
		return run_report(in, d);
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
		lines[i] = cli_edit_line(&in->edits[i]);
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

/* A result that could not be written is no result. */
static enum status end_output(enum status status)
{
	bool failed = ferror(stdout) != 0;

	if ((fflush(stdout) == 0 && !failed) || status != STATUS_OK)
		return status;
	perror("whypar: stdout");
	return STATUS_INPUT;
}

int main(int argc, char **argv)
{
	struct invocation in = { .study = NULL };
	struct diagnostic d = { 0 };
	enum option asked;
	enum status status;
	char line[1024];

	memory_keep();
	/* Characters follow the user's locale; numbers never do. */
	setlocale(LC_CTYPE, "");
	if (cli_asks(argc, argv, &asked)) {
		if (asked == OPTION_VERSION)
			printf("whypar %s\n", WHYPAR_VERSION);
		else
			cli_help();
		return (int)end_output(STATUS_OK);
	}
	in.study = study_new();
	status = cli_parse(&in, argc, argv, &d);
	if (status == STATUS_OK)
		status = in.subcommand != SUBCOMMAND_COUNT ? run[in.subcommand](&in, &d) : run_explorer(&in, &d);
	if (status != STATUS_OK && d.text[0] != '\0') {
		diagnostic_format(&d, line, sizeof line);
		fprintf(stderr, "whypar: %s\n", line);
	}
	status = end_output(status);
	study_free(in.study);
	cli_free(&in);
	return (int)status;
}
