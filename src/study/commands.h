/* The command language: one table of commands, one line each.
 *
 * A key binding, a prompt line, a script line, a --do option and a journal entry are the same text.  Commands that
 * edit the study are carried out here; those about the screen are handed to the host (the explorer, or
 * the screenless host of --batch).  Lines are split by words.h. */
#ifndef WHYPAR_STUDY_COMMANDS_H
#define WHYPAR_STUDY_COMMANDS_H

#include "base/status.h"
#include "base/text.h"

struct study;

/* How the words after a command are completed. */
enum completion { COMPLETE_NONE, COMPLETE_PARAMETER, COMPLETE_MODEL, COMPLETE_FILE, COMPLETE_LAYER, COMPLETE_SOLVER,
	COMPLETE_COMMAND, COMPLETE_THEME, COMPLETE_LESSON, COMPLETE_FOCUS, COMPLETE_PIN, COMPLETE_METHOD,
	COMPLETE_USAGE };        /* the alternatives that the usage names */

/* id, name, usage of its words, least and most words, completion, is the host's, text */
#define COMMANDS(X) \
	X(SET,        "set",        "NAME=VALUE ...",            1, 64, COMPLETE_PARAMETER, false, "change parameters; all of them or, on an error, none") \
	X(LOAD,       "load",       "MODEL",                     1, 1,  COMPLETE_MODEL,     false, "open a model: a file or a built-in name") \
	X(SAVE,       "save",       "FILE",                      1, 1,  COMPLETE_FILE,      false, "write the study as a script that `source` reads back") \
	X(EXPORT,     "export",     "[layers|path|search|model] FILE.(csv|json|txt|trace.json|svg|dot)", 1, 2, COMPLETE_FILE, true, "write the report of the layers or the operators of the path (csv, json, txt), what a search found (json, which `mine from=` reads, or txt), or the training step as a trace, a picture or a graph; without a view, the one on the screen; of the model its CSV, JSON, DOT, or, as txt, an ASTRA-sim workload with its plan") \
	X(PIN,        "pin",        "/REGEX/|NAME|#N [Hn] TYPE", 2, 3,  COMPLETE_PIN,       false, "force layers to dp, mp or op (junctions to row, col or full), at one level or at all") \
	X(UNPIN,      "unpin",      "/REGEX/|NAME|#N [Hn]",      1, 2,  COMPLETE_LAYER,     false, "let pinned layers choose again") \
	X(ACCELERATOR,"accelerator", "FILE.csv [NAME]",           1, 2,  COMPLETE_FILE,      false, "read an accelerator of a table (whypar-formats(5)) and take it: accelerator=own") \
	X(CALIBRATE,  "calibrate",  "FILE [RANKS]",              1, 2,  COMPLETE_FILE,      false, "set bandwidth and latency to what fits the times that nccl-tests printed into a file") \
	X(PLAN,       "plan",       "GPUS",                      1, 1,  COMPLETE_NONE,      false, "set tensor, pipeline, replicas, microbatch, schedule, chunks, recompute and seq_parallel to the fastest plan of so many GPUs that fits") \
	X(STAGE,      "stage",      "N starts LAYER|accelerator=NAME|accelerators=N|tensor=N|tc=N|...|free ...", 2, 14, COMPLETE_NONE, false, "give one stage of the pipeline a layer to begin with, or a kind of accelerator, its cores (tc, tc_rows, tc_cols, vc, vc_lanes, glb) and sizes of its own; free takes all that back") \
	X(LATENCIES,  "latencies",  "FILE.csv|none",             1, 1,  COMPLETE_FILE,      false, "use measured latencies in place of modelled ones, by shape (whypar-formats(5))") \
	X(SOLVE,      "solve",      "SOLVER",                    1, 1,  COMPLETE_SOLVER,    false, "choose the solver: the same as set solver=") \
	X(BASELINE,   "baseline",   "[clear]",                   0, 1,  COMPLETE_NONE,      false, "remember the present plan and its figures; the title shows the change against it, the compare view all of it") \
	X(UNDO,       "undo",       "",                          0, 0,  COMPLETE_NONE,      false, "take the last edit back") \
	X(REDO,       "redo",       "",                          0, 0,  COMPLETE_NONE,      false, "do it again") \
	X(SOURCE,     "source",     "FILE|LESSON",               1, 1,  COMPLETE_LESSON,    false, "run a file of commands, or a built-in lesson") \
	X(STEP,       "step",       "NAME +|-",                  2, 2,  COMPLETE_PARAMETER, false, "move a parameter one step up or down") \
	X(SAY,        "say",        "TEXT",                      1, 64, COMPLETE_NONE,      true,  "show a line of text (for lessons)") \
	X(PAUSE,      "pause",      "",                          0, 0,  COMPLETE_NONE,      true,  "in a script: wait for Space on the screen") \
	X(VIEW,       "view",       "layers|path|pipeline|network|search|phase|compare|help|models",  1, 1,  COMPLETE_USAGE,      true,  "show a view") \
	X(FOCUS,      "focus",      "rows|inspector|dials|next|back|NAME", 1, 1, COMPLETE_FOCUS, true,  "move the focus to a part of the screen or to a layer") \
	X(MOVE,       "move",       "up|down|left|right|page-up|page-down|half-up|half-down|first|last", 1, 1, COMPLETE_USAGE, true, "move the cursor") \
	X(FOLD,       "fold",       "[on|off]",                  0, 1,  COMPLETE_USAGE,      true,  "show repeated blocks of the model once, or each; without a word, the other way") \
	X(ZOOM,       "zoom",       "in|out|fit",                1, 1,  COMPLETE_USAGE,      true,  "show less of the time axis, around the cursor, or more, or all of it") \
	X(BORDER,     "border",     "left|right",                1, 1,  COMPLETE_USAGE,      true,  "have the focused stage of the pipeline view begin one layer earlier or later") \
	X(PAN,        "pan",        "left|right",                1, 1,  COMPLETE_USAGE,      true,  "move over the time axis") \
	X(LEVEL,      "level",      "up|down|NUMBER",            1, 1,  COMPLETE_USAGE,      true,  "focus another level of the array; H1 is the outermost") \
	X(SEARCH,     "search",     "/REGEX/",                   1, 1,  COMPLETE_NONE,      true,  "go to the next row that matches") \
	X(SEARCH_NEXT,"search-next","[back]",                    0, 1,  COMPLETE_NONE,      true,  "repeat the search, forwards or back") \
	X(FILTER,     "filter",     "[/REGEX/]",                 0, 1,  COMPLETE_NONE,      true,  "show only rows that match; without words, all rows") \
	X(SORT,       "sort",       "layer|kind|shape|params|macs|types|moved|share|sure|time|bound|use|intensity|change|operator|on|product|start|slack|of-step [down]", 0, 2,  COMPLETE_USAGE,    true,  "sort rows by a column; without words, file order") \
	X(DIAL,       "dial",       "up|down|double|halve|edit", 1, 1,  COMPLETE_USAGE,      true,  "turn the focused dial (or the last one)") \
	X(MINE,       "mine",       "[METHOD,...|all|pause] [from=FILE] [MODEL ...]", 0, 14, COMPLETE_METHOD, true, "search for the accelerator that the model, or it and others, would choose, by wham or by several methods; from the designs that an earlier search wrote") \
	X(ADOPT,      "adopt",      "",                          0, 0,  COMPLETE_NONE,      true,  "set the design under the cursor of the search view") \
	X(CYCLE,      "cycle",      "",                          0, 0,  COMPLETE_NONE,      true,  "pin the focused layer at the focused level to its next type") \
	X(RELEASE,    "release",    "",                          0, 0,  COMPLETE_NONE,      true,  "unpin the focused layer") \
	X(EXPLAIN,    "explain",    "",                          0, 0,  COMPLETE_NONE,      true,  "show the formula of the focused number, with its numbers and its source") \
	X(COLLECTIVE, "collective", "all-reduce|reduce-scatter|all-gather|all-to-all|p2p BYTES", 2, 2, COMPLETE_USAGE, true,  "show one collective on the topology that is set: steps, time, bandwidths, busiest link") \
	X(STAGES,     "stages",     "[devices=N] [memory=SIZE] [bandwidth=RATE] [microbatches=N] [by=time|memory] [cut=LAYER] [join=LAYER]", 0, 12, COMPLETE_NONE, true, "show the exact split of the model into pipeline stages of accelerators as the one that is set") \
	X(NETWORKS,   "networks",   "",                          0, 0,  COMPLETE_NONE,      true,  "list the networks by name, and the kinds of topology") \
	X(ACCELERATORS, "accelerators", "",                      0, 0,  COMPLETE_NONE,      true,  "list the accelerators: published and modelled figures, sources") \
	X(REPRODUCE,  "reproduce",  "PAPER",                     1, 1,  COMPLETE_NONE,      true,  "hold a paper's numbers (hypar, wham), or measured runs (megatron), against ours") \
	X(PROMPT,     "prompt",     "[TEXT]",                    0, 64, COMPLETE_NONE,      true,  "open the command prompt") \
	X(PRESS,      "press",      "KEY ...",                   1, 64, COMPLETE_NONE,      true,  "act as if keys were pressed") \
	X(BIND,       "bind",       "[[CONTEXT] KEY [COMMAND]]",        0, 64, COMPLETE_COMMAND,   true,  "bind a key to a command line, everywhere or in one context (layers path pipeline network search phase compare models help dials inspector popup); without words, list all") \
	X(UNBIND,     "unbind",     "[CONTEXT] KEY",             1, 2,  COMPLETE_NONE,      true,  "forget a binding") \
	X(THEME,      "theme",      "NAME",                      1, 1,  COMPLETE_THEME,     true,  "choose colours: the same as set theme=") \
	X(HELP,       "help",       "[WORD]",                    0, 1,  COMPLETE_COMMAND,   true,  "keys of this view, commands and parameters") \
	X(WARNINGS,   "warnings",   "",                          0, 0,  COMPLETE_NONE,      true,  "show what was not understood of the model, and what to mind about the plan") \
	X(COPY,       "copy",       "",                          0, 0,  COMPLETE_NONE,      true,  "copy the focused row (needs set clipboard=osc52)") \
	X(DUMP,       "dump-screen","FILE",                      1, 1,  COMPLETE_FILE,      true,  "write the screen as text") \
	X(REDRAW,     "redraw",     "",                          0, 0,  COMPLETE_NONE,      true,  "draw the whole screen anew") \
	X(SUSPEND,    "suspend",    "",                          0, 0,  COMPLETE_NONE,      true,  "give the terminal back to the shell, as ^Z does; its fg comes back here") \
	X(STOP,       "stop",       "",                          0, 0,  COMPLETE_NONE,      true,  "cancel running work; what is known stays, and an edit starts it again") \
	X(CANCEL,     "cancel",     "",                          0, 0,  COMPLETE_NONE,      true,  "close what is open: prompt, formula, help, search mark, running work") \
	X(QUIT,       "quit",       "",                          0, 0,  COMPLETE_NONE,      true,  "leave")

enum command_id {
#define X(id, ...) COMMAND_##id,
	COMMANDS(X)
#undef X
	COMMAND_COUNT
};

struct command {
	const char *name, *usage, *text;
	int least, most;         /* words after the name */
	enum completion completion;
	bool host;
};

const struct command *command_at(enum command_id id);
enum command_id command_find(const char *name);   /* COMMAND_COUNT when there is none */
/* The command of a whole line; COMMAND_COUNT for a blank line, a comment or an unknown word. */
enum command_id command_of(const char *line);

/* The screen's side.  words[0..count) are the words after the name, unquoted; rest is the raw text after the name. */
struct command_host {
	void *self;
	enum status (*act)(void *self, enum command_id id, int count, char **words, const char *rest, struct diagnostic *d);
	/* One line for the user: what a command did ("undid: set batch=512"). */
	void (*say)(void *self, const char *text);
};

/* Carries out one line.  An error changes nothing.  d's text names the nearest command or parameter on a slip. */
enum status command_run(struct study *study, const struct command_host *host, const char *line, struct diagnostic *d);

/* Runs a script, line by line; stops at the first error, whose place is set in d (path, first_line + its line).  With left,
 * a `pause` line ends the call and *left points behind it, to be given again later; at the end *left is NULL.  Without, a pause
 * is the host's like any command of the screen. */
enum status command_run_script(struct study *study, const struct command_host *host, const char *path, const char *script,
	const char **left, unsigned long first_line, struct diagnostic *d);

/* Where the script of a `source` is: a file, or a built-in lesson. */
enum status command_find_script(const char *name, char *path, size_t size, struct diagnostic *d);

/* Reads a script whole (memory_free); one that holds a NUL byte is none. */
enum status command_read_script(const char *path, char **script, struct diagnostic *d);

/* Completions of a line being typed (cursor at its end), each the whole new line, one per '\n' in out. */
void command_complete(struct study *study, const char *line, struct text *out);

#endif
