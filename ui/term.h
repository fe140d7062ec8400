/* The terminal: the only file that knows curses.
 *
 * It turns what the terminal sends into events and puts a cell grid on the screen, sending only what changed.  One
 * thread.  While it is open stderr is kept aside, so that a stray message cannot smear the screen; it comes out at the end. */
#ifndef WHYPAR_UI_TERM_H
#define WHYPAR_UI_TERM_H

#include "base/status.h"
#include "ui/cells.h"
#include "ui/style.h"

struct terminal;

enum term_event_kind { EVENT_NONE, EVENT_KEY, EVENT_PASTE, EVENT_CLICK, EVENT_SCROLL };

struct term_event {
	enum term_event_kind kind;
	uint32_t key;            /* keys.h */
	int row, col;            /* click; scroll: row is -1 or +1 */
};

/* NULL with a sentence in d: not a terminal, TERM unknown or without cursor movement. */
struct terminal *terminal_open(struct diagnostic *d);
void terminal_close(struct terminal *term);      /* NULL allowed */

int terminal_input(const struct terminal *term);
int terminal_signals(const struct terminal *term);
bool terminal_is_console(const struct terminal *term); /* the Linux console, whose font lacks most glyphs */

/* Asks the system for the size and tells curses; true when it changed. */
bool terminal_resize(struct terminal *term, int *rows, int *cols);

/* The next event that is there; EVENT_NONE when there is none.  Text of EVENT_PASTE is terminal_pasted's until the next call. */
struct term_event terminal_next(struct terminal *term);
const struct text *terminal_pasted(const struct terminal *term);

/* wish: index of color's choices (auto, always, never). */
void terminal_set_colors(struct terminal *term, int wish, enum theme theme);
void terminal_set_mouse(struct terminal *term, bool on);

void terminal_draw(struct terminal *term, const struct cells *cells, bool show_cursor);
/* Forgets what is on the screen. */
void terminal_forget(struct terminal *term);

/* ^Z: gives the terminal back, stops, and takes it again. */
void terminal_suspend(struct terminal *term);
void terminal_copy(struct terminal *term, const char *text, size_t length);   /* OSC 52 */

#endif
