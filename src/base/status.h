/* How a function says that it failed, and what the user is told about it.
 *
 * Nothing below main exits or prints.  A function that can fail returns an enum
 * status and, when that is not STATUS_OK, has filled the caller's diagnostic: where it
 * was found, what was found, what was expected and how to mend it.  Strings that came
 * from outside are sanitised here, once, when they enter the diagnostic, so it can be
 * printed anywhere.  The exit codes are those of the command line's contract. */
#ifndef WHYPAR_BASE_STATUS_H
#define WHYPAR_BASE_STATUS_H

#include <stddef.h>
#include <stdio.h>

enum status {
	STATUS_OK = 0,
	STATUS_INPUT = 1,        /* an input is wrong: file, value, unit, unknown layer */
	STATUS_USAGE = 2,        /* the words are wrong: option, command, parameter name */
	STATUS_INFEASIBLE = 3,   /* no answer exists under the limits */
	STATUS_INTERRUPTED = 130
};

enum severity { SEVERITY_WARNING, SEVERITY_ERROR };

struct diagnostic {
	enum severity severity;
	char file[256];          /* "" when it is about no file */
	unsigned long line;      /* 1-based, 0 = none */
	unsigned long column;    /* 1-based cell or byte column, 0 = none */
	char text[640];          /* found, expected, fix: one line, sanitised */
};

#define PRINTF_LIKE(format_index, first) __attribute__((format(printf, format_index, first)))

/* Fills d (which may be NULL) and returns status, so that callers can write
 * `return diagnostic_fail(d, STATUS_INPUT, "...")`.  Clears file, line and column. */
enum status diagnostic_fail(struct diagnostic *d, enum status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* Adds the place to a filled diagnostic.  file may be NULL to keep the one there. */
void diagnostic_place(struct diagnostic *d, const char *file, unsigned long line, unsigned long column);

/* "file:line:column: text" with the parts that are known, into out. */
void diagnostic_format(const struct diagnostic *d, char *out, size_t size);

/* A growing list of problems, for readers that go on after a bad row.  Keeps the first
 * DIAGNOSTICS_KEPT and counts the rest.  The list owns its items. */
enum { DIAGNOSTICS_KEPT = 256 };

struct diagnostics {
	struct diagnostic *items;
	size_t count;            /* kept */
	size_t capacity;
	size_t total;            /* kept and dropped */
	size_t errors;           /* of the total */
};

void diagnostics_add(struct diagnostics *list, const struct diagnostic *d);
/* Adds a warning with its place; path may be NULL, line and column 0. */
void diagnostics_warn(struct diagnostics *list, const char *path, unsigned long line, unsigned long column, const char *format, ...) PRINTF_LIKE(5, 6);
/* Copies the first error into d (may be NULL) and returns STATUS_INPUT; STATUS_OK when none is kept. */
enum status diagnostics_first_error(const struct diagnostics *list, struct diagnostic *d);
void diagnostics_free(struct diagnostics *list);

#endif
