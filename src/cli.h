/* The words of the command line: subcommands and options, one table each.  --help, whypar(1) and shell completion are
 * made from them. */
#ifndef WHYPAR_CLI_H
#define WHYPAR_CLI_H

/* function, name, usage of its words, least and most of them, text */
#define SUBCOMMANDS(X) \
	X(run_report,     "report",     "MODEL",                              1, 1, "one design point, evaluated") \
	X(run_why,        "why",        "MODEL LAYER [--level H]",            2, 2, "why that layer has its choice, and what would change it") \
	X(run_flips,      "flips",      "MODEL LAYER [--knob batch] [--level H]", 2, 2, "exact values at which that layer's choice changes") \
	X(run_phase,      "phase",      "MODEL LAYER",                        2, 2, "that layer's choices over batches and array sizes") \
	X(run_explain,    "explain",    "MODEL LAYER QUANTITY [TYPE] [--level H]", 3, 4, "the formula behind a number, with the numbers in it") \
	X(run_check,      "check",      "MODEL",                              1, 1, "what was read of a file, what was not, and why") \
	X(run_convert,    "convert",    "IN OUT.csv",                         2, 2, "any readable model to whypar's own CSV") \
	X(run_models,     "models",     "",                                   0, 0, "the built-in models") \
	X(run_parameters, "parameters", "",                                   0, 0, "every knob: range, default, source") \
	X(run_commands,   "commands",   "",                                   0, 0, "the command language")

/* id, name, value (NULL: none), text */
#define OPTIONS(X) \
	X(SET,       "--set",       "NAME=VALUE",  "set a parameter; may be given again") \
	X(DO,        "--do",        "COMMAND",     "carry out a command; may be given again") \
	X(SOURCE,    "--source",    "FILE",        "carry out a script of commands, or a lesson") \
	X(JSON,      "--json",      NULL,          "results as JSON") \
	X(CSV,       "--csv",       NULL,          "results as CSV (report)") \
	X(LEVEL,     "--level",     "H",           "level of the array, 1 is the outermost (why, flips)") \
	X(KNOB,      "--knob",      "NAME",        "the knob whose flips are wanted (flips); batch, the default, is the one there is") \
	X(SCRIPT,    "--script",    "FILE",        "run a script in the explorer") \
	X(BATCH,     "--batch",     NULL,          "run the script without a terminal") \
	X(SIZE,      "--size",      "COLSxROWS",   "size of the screen that --batch draws (80x24)") \
	X(ASCII,     "--ascii",     NULL,          "draw with ASCII only: the same as --set glyphs=ascii") \
	X(COLOR,     "--color",     "WHEN",        "auto, always or never: the same as --set color=") \
	X(NO_CONFIG, "--no-config", NULL,          "do not read the rc file") \
	X(STATS,     "--stats",     NULL,          "when the explorer ends, print frame times on stderr") \
	X(HELP,      "--help",      NULL,          "this text") \
	X(VERSION,   "--version",   NULL,          "the version")

#endif
