/* A program on a terminal that we are: a pty with libvterm behind it.  Waits are for conditions, with deadlines. */
#ifndef WHYPAR_TESTS_UI_LIB_PTY_H
#define WHYPAR_TESTS_UI_LIB_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <vterm.h>

struct pty {
	pid_t pid;
	int fd;                  /* master; -1 when hung up */
	VTerm *vt;
	VTermScreen *screen;
	int rows, cols;
	bool alternate, cursor;  /* as the program set them */
	int mouse;               /* what it wants to hear of the mouse; 0 = nothing */
	size_t bytes;            /* read so far */
	int status;              /* of waitpid, once ended */
	bool ended;
	char text[512 * 4 * 4];  /* of pty_row */
};

enum { PTY_MS = 10000 };         /* deadline of a wait; a loaded machine is slow, a hung program is slower */

/* settings: "NAME=VALUE" or "NAME" (unset), NULL-terminated, over a small fixed environment. */
void pty_start(struct pty *p, int rows, int cols, const char *const *argv, const char *const *settings);
/* The whypar under test, and it on vgg-a; false when that did not show. */
const char *pty_program(void);
bool pty_start_explorer(struct pty *p, int rows, int cols, const char *const *settings);
/* Ends the program if it still runs, and frees. */
void pty_end(struct pty *p);

void pty_send(struct pty *p, const char *keys);
/* Sends what the terminal itself has to say (mouse). */
void pty_reply(struct pty *p);
void pty_resize(struct pty *p, int rows, int cols);
/* Reads what is there, waiting up to ms for the first byte; false at the end of the program. */
bool pty_pump(struct pty *p, int ms);

/* Echo on and canonical mode: what a shell needs to be usable. */
bool pty_is_sane(const struct pty *p);

const char *pty_row(struct pty *p, int row);
bool pty_shows(struct pty *p, const char *part);
/* Pumps until a row holds part; false when the deadline came first. */
bool pty_wait(struct pty *p, const char *part);
bool pty_wait_gone(struct pty *p, const char *part);
/* Pumps until the program has ended; false when it did not. */
bool pty_wait_end(struct pty *p, int ms);
VTermScreenCell pty_cell(struct pty *p, int row, int col);
/* Pumps until nothing came for ms. */
void pty_settle(struct pty *p, int ms);
double pty_now(void);

#endif
