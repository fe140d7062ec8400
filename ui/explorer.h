/* The explorer: a study on the screen.  The one door of ui/.
 *
 * explorer_run needs a terminal and returns when the user leaves; explorer_batch is the same explorer drawing into
 * memory, for `--script FILE --batch` and for tests: the same commands, keys and views, no terminal, no threads.
 * The study stays the caller's.  Glyphs, colours, theme, mouse and cursor are the study's screen parameters. */
#ifndef WHYPAR_UI_EXPLORER_H
#define WHYPAR_UI_EXPLORER_H

#include "base/status.h"

#include <stdbool.h>

struct study;

struct explorer_options {
	const char *rc;          /* file of commands to run first, NULL = none; a missing one is no error */
	const char *const *lines;/* commands given on the command line, run behind the rc: an error ends the call */
	int line_count;
	const char *script_path; /* what messages call the script */
	const char *script;      /* run behind these, NULL = none; its pauses wait for Space */
	const char *keep;        /* file the study is kept in when it was edited and is left, NULL = nowhere; folders are made */
	bool measure;            /* at the end, one line on stderr: start and frame times, bytes written */
};

/* The user's own rc file, $XDG_CONFIG_HOME/whypar/rc or ~/.config/whypar/rc, into out; false when neither is set. */
bool explorer_rc_path(char *out, size_t size);

/* Where a left study is kept, $XDG_STATE_HOME/whypar/last.why or ~/.local/state/whypar/last.why; false when neither is set. */
bool explorer_keep_path(char *out, size_t size);

/* STATUS_OK when the user left, STATUS_INTERRUPTED after ^C, SIGTERM or a hang-up, STATUS_INPUT when the terminal cannot be used. */
enum status explorer_run(struct study *study, const struct explorer_options *options, struct diagnostic *d);

/* Runs the options' lines and script on a screen of rows x cols in memory; no rc.  Stops at the first error, with its place
 * in d.  `say` lines go to stdout. */
enum status explorer_batch(struct study *study, int rows, int cols, const struct explorer_options *options, struct diagnostic *d);

#endif
