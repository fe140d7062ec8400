/* Signals of the explorer, and the terminal's way back when the program dies.
 *
 * A handler can be given no pointer, so signals.c holds the one mutable static of ui/: a pipe's end and what
 * restores the terminal, all prepared beforehand.  Handlers only write(2), tcsetattr and re-raise. */
#ifndef WHYPAR_UI_SIGNALS_H
#define WHYPAR_UI_SIGNALS_H

#include <stddef.h>
#include <termios.h>

/* Installs the handlers; returns the file descriptor that becomes readable, or -1. */
int signals_open(void);
void signals_close(void);

/* Number of the next signal that came (SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP), or 0. */
int signals_next(void);

/* From now on a fatal signal writes `restore` to fd and sets the terminal's modes; fd -1 ends that. */
void signals_guard(int fd, const struct termios *modes, const char *restore, size_t length);

/* Also puts stderr back and copies what was kept of it: kept is a file, real the descriptor to return to; -1, -1 ends that. */
void signals_guard_stderr(int kept, int real);

/* Stops the process as ^Z does; returns after SIGCONT. */
void signals_stop_here(void);

#endif
