/* The explorer drawn into memory, for tests: no terminal, no threads. */
#ifndef WHYPAR_TESTS_UI_LIB_SCREEN_H
#define WHYPAR_TESTS_UI_LIB_SCREEN_H

#include "ui/inside.h"

struct screen {
	struct study *study;
	struct explorer e;
	struct text text;        /* of the last screen_text */
};

/* model may be NULL. */
void screen_open(struct screen *s, const char *model, int rows, int cols);
void screen_close(struct screen *s);

/* Runs a command line as the prompt would; its status. */
enum status screen_run(struct screen *s, const char *line);
/* Presses keys by name, words by blanks. */
void screen_press(struct screen *s, const char *keys);
void screen_type(struct screen *s, const char *text);
/* Refreshes, draws and returns the whole screen. */
const char *screen_text(struct screen *s);
bool screen_shows(struct screen *s, const char *part);
/* The row that holds part, into out; false when there is none. */
bool screen_row(struct screen *s, const char *part, char *out, size_t size);

/* A file of the test's own; path: a mkstemp template. */
void screen_write_file(char *path, const char *text);

#endif
