/* The words of the command line: subcommands and options, one table each, and what was asked for.  --help and whypar(1) are
 * made from the tables. */
#ifndef WHYPAR_CLI_H
#define WHYPAR_CLI_H

#include "mine/methods.h"
#include "report/report.h"
#include "study/commands.h"

/* function, name, usage of its words, least and most of them, the options that go with it, text */
#define SUBCOMMANDS(X) \
	X(run_report,     "report",     "MODEL",                              1, 1, WITH_MODEL | WITH_REPORT | WITH_JSON, "one design point, evaluated") \
	X(run_why,        "why",        "MODEL LAYER [--level H]",            2, 2, WITH_MODEL | WITH_LEVEL | WITH_JSON, "why that layer has its choice, and what would change it") \
	X(run_flips,      "flips",      "MODEL LAYER [--knob NAME] [--level H]", 2, 2, WITH_MODEL | WITH_LEVEL | WITH_FLIPS | WITH_JSON, "exact values at which that layer's choice changes") \
	X(run_phase,      "phase",      "MODEL LAYER [--level H]",            2, 2, WITH_MODEL | WITH_LEVEL | WITH_JSON, "that layer's choices over two knobs (phase_x, phase_y)") \
	X(run_explain,    "explain",    "MODEL LAYER|OPERATOR QUANTITY [TYPE] [--level H]", 3, 4, WITH_MODEL | WITH_LEVEL | WITH_JSON, "the formula behind a number, with the numbers in it") \
	X(run_ops,        "ops",        "MODEL [OPERATOR]",                   1, 2, WITH_MODEL | WITH_REPORT | WITH_JSON, "every operator of a step: time, bound, core, slack; or why one (NAME:PASS)") \
	X(run_check,      "check",      "MODEL",                              1, 1, WITH_MODEL | WITH_JSON, "what was read of a file, what was not, and why") \
	X(run_convert,    "convert",    "IN OUT.(csv|json|dot|txt)",          2, 2, WITH_MODEL, "any model as CSV, JSON, DOT, or with its plan as an ASTRA-sim workload") \
	X(run_collective, "collective", "OP BYTES",                           2, 2, WITH_MODEL | WITH_JSON, "one collective on the set topology: steps, time, bandwidths, busiest link") \
	X(run_calibrate,  "calibrate",  "FILE [RANKS]",                       1, 2, WITH_MODEL | WITH_JSON, "latency and bandwidth that fit what nccl-tests printed") \
	X(run_plan,       "plan",       "MODEL GPUS",                         2, 2, WITH_MODEL | WITH_JSON, "the fastest plans of a training run on so many GPUs") \
	X(run_stages,     "stages",     "MODEL|PROFILE [devices=N] [by=memory] ...", 1, 12, WITH_MODEL | WITH_JSON, "the exact pipeline split of a model or of a profiled layer graph") \
	X(run_mine,       "mine",       "MODEL ... [--method NAME,...|all]",          1, 12, WITH_MODEL | WITH_MINE | WITH_JSON, "the accelerator a model, or several, would choose") \
	X(run_sweep,      "sweep",      "GRID.csv -o OUT.csv",                1, 1, WITH_MODEL | WITH_SWEEP, "every point of a table, on all cores; goes on where it stopped") \
	X(run_reproduce,  "reproduce",  "hypar|wham|megatron",                     1, 1, WITH_JSON, "a paper's numbers or measured runs beside ours") \
	X(run_models,     "models",     "",                                   0, 0, WITH_MODEL | WITH_JSON, "the built-in models") \
	X(run_accelerators,"accelerators","",                                0, 0, WITH_MODEL | WITH_JSON, "the accelerators: published and modelled figures, sources") \
	X(run_networks,   "networks",   "",                                   0, 0, WITH_MODEL | WITH_JSON, "the networks by name, and the kinds of topology") \
	X(run_parameters, "parameters", "",                                   0, 0, WITH_MODEL | WITH_JSON, "every knob: range, default, source") \
	X(run_commands,   "commands",   "",                                   0, 0, WITH_MODEL | WITH_JSON, "the command language")

/* What an option goes with: bits. */
enum { WITH_MODEL = 1, WITH_LEVEL = 2, WITH_FLIPS = 4, WITH_REPORT = 8, WITH_JSON = 16, WITH_EXPLORER = 32, WITH_ANY = 64, WITH_MINE = 128, WITH_SWEEP = 256 };

#define METHOD_NAME(id, name) name ", "

/* id, name, value (NULL: none), what it goes with, text */
#define OPTIONS(X) \
	X(SET,       "--set",       "NAME=VALUE", WITH_MODEL,    "set a parameter; may be given again") \
	X(DO,        "--do",        "COMMAND",    WITH_MODEL,    "carry out a command; may be given again") \
	X(SOURCE,    "--source",    "FILE",       WITH_MODEL,    "carry out a script of commands, or a lesson") \
	X(JSON,      "--json",      NULL,         WITH_JSON,     "results as JSON") \
	X(REQUIRE_FIT, "--require-fit", NULL,     WITH_REPORT,   "fail, with exit code 3, when a training run does not fit the memory (report)") \
	X(CSV,       "--csv",       NULL,         WITH_REPORT,   "results as CSV (report, ops)") \
	X(LEVEL,     "--level",     "H",          WITH_LEVEL,    "level of the array, 1 is the outermost (why, flips, explain)") \
	X(KNOB,      "--knob",      "NAME",       WITH_FLIPS,    "the knob whose flips are wanted (flips): batch (the default) or, with objective=time, bandwidth") \
	X(METHOD,    "--method",    "NAME",       WITH_MINE,     "how to search (mine): " MINE_METHODS(METHOD_NAME) "or all") \
	X(FROM,      "--from",      "FILE",       WITH_MINE,     "begin with the designs that mine --json wrote into a file (mine)") \
	X(STEPS,     "--steps",     NULL,         WITH_MINE,     "tell every step that the search took, and why (mine)") \
	X(OUT,       "-o",          "FILE",       WITH_SWEEP,    "where the results go (sweep)") \
	X(SCRIPT,    "--script",    "FILE",       WITH_EXPLORER, "run a script in the explorer") \
	X(BATCH,     "--batch",     NULL,         WITH_EXPLORER, "run the script without a terminal") \
	X(SIZE,      "--size",      "COLSxROWS",  WITH_EXPLORER, "size of the screen that --batch draws (80x24)") \
	X(ASCII,     "--ascii",     NULL,         WITH_ANY,      "draw with ASCII only: the same as --set glyphs=ascii") \
	X(COLOR,     "--color",     "WHEN",       WITH_ANY,      "auto, always or never: the same as --set color=") \
	X(NO_CONFIG, "--no-config", NULL,         WITH_ANY,      "neither read the rc file nor keep the study when it is left") \
	X(STATS,     "--stats",     NULL,         WITH_EXPLORER, "when the explorer ends, print frame times on stderr") \
	X(HELP,      "--help",      NULL,         WITH_ANY,      "print a summary of these words") \
	X(VERSION,   "--version",   NULL,         WITH_ANY,      "the version")

enum subcommand {
#define X(run, ...) SUBCOMMAND_##run,
	SUBCOMMANDS(X)
#undef X
	SUBCOMMAND_COUNT
};

enum option {
#define X(id, ...) OPTION_##id,
	OPTIONS(X)
#undef X
	OPTION_COUNT
};

enum { WORDS_GIVEN_MAX = 12 };

/* An option that edits the study, with its value. */
struct edit {
	enum option option;
	const char *value;
};

/* What was asked for, parsed but not yet carried out.  Strings are argv's. */
struct invocation {
	enum subcommand subcommand;              /* SUBCOMMAND_COUNT: the explorer */
	const char *words[WORDS_GIVEN_MAX];
	int word_count;
	struct edit *edits;                      /* --set, --do, --source, --ascii, --color, in order */
	int edit_count;
	enum report_form form;
	int level;
	const char *knob;
	const char *method, *from;
	const char *out;
	const char *script;
	bool batch, no_config, stats, require_fit, steps;
	int rows, cols;                          /* of --size */
	struct study *study;                     /* the caller's */
};

/* Fills in (whose study is set) from argv; STATUS_USAGE or STATUS_INPUT with a suggestion in d.  End with cli_free. */
enum status cli_parse(struct invocation *in, int argc, char **argv, struct diagnostic *d);
void cli_free(struct invocation *in);

/* True when --help (or -h) or --version is among the words: they work everywhere, before anything else. */
bool cli_asks(int argc, char **argv, enum option *which);
void cli_help(void);

/* A first word that is no subcommand must be a model: a built-in name or an existing path. */
enum status cli_check_model(const char *word, struct diagnostic *d);

/* An edit as the line of the command language that it stands for; memory_free. */
char *cli_edit_line(const struct edit *edit);
/* All edits, on a study. */
enum status cli_carry_out(const struct invocation *in, struct study *study, const struct command_host *host, struct diagnostic *d);
/* The same for every thread or rank of a sweep: commands of the screen have nothing to act on.  in: an invocation. */
enum status cli_edit_study(void *in, struct study *study, struct diagnostic *d);

#endif
