/* Sweeps: many design points of a table, each evaluated by itself.  whypar-formats(5).
 *
 * A table has a column `model` and columns of parameters; a cell with values joined by | stands for each of them, and a row for every combination of its
 * cells, the last column changing fastest.  Points are numbered from 0 through all rows. */
#ifndef WHYPAR_STUDY_SWEEP_H
#define WHYPAR_STUDY_SWEEP_H

#include "study/study.h"

#include <stdint.h>

enum { SWEEP_COLUMNS_MAX = 64, SWEEP_VALUES_MAX = 4096 };
#define SWEEP_POINTS_MAX INT64_C(100000000)

struct sweep_cell {
	const char *const *values;
	int count;
};

struct sweep_row {
	const struct sweep_cell *cells;  /* by column */
	int64_t first;                   /* point */
};

struct sweep_grid {
	struct arena arena;
	const char *columns[SWEEP_COLUMNS_MAX];
	int column_count, model_column;
	struct sweep_row *rows;
	int row_count;
	int64_t points;
	uint64_t mark;                   /* of all its cells and, with sweep_mark, of what else decides the results */
};

/* STATUS_INPUT with the place when a column is no parameter, a value is none of it, a row has no model, or there is no point at all.  Ends with
 * sweep_grid_free in any case. */
enum status sweep_read(const char *path, const char *bytes, size_t length, struct sweep_grid *grid, struct diagnostic *d);
/* Two sweeps of one mark have the same results: adds what is set for all points, the files that it and the grid name, and the program's version. */
void sweep_mark(struct sweep_grid *grid, const struct document *base);
/* The grid of a file, marked. */
enum status sweep_load(const char *path, const struct document *base, struct sweep_grid *grid, struct diagnostic *d);
void sweep_grid_free(struct sweep_grid *grid);

/* The header of the results, and the row of a point, each with its line feed.  base: what is set for all points (of no model).  A point that cannot be
 * evaluated has its reason in the last column.  The same study may be used for any points, one after another. */
void sweep_header(const struct sweep_grid *grid, struct text *out);
void sweep_evaluate(struct study *study, const struct document *base, const struct sweep_grid *grid, int64_t point, struct text *out);

/* ---- results on disk ---- */

/* OUT.part: rows in the order they were finished, kept through any end of the program, locked by who writes it; OUT: all of them by point, once all are
 * there. */
struct sweep_file;

/* Goes on where an earlier sweep of the same mark stopped.  STATUS_INPUT when OUT or OUT.part are of another one, OUT is not as it was written, another
 * process is at it, or they cannot be written. */
enum status sweep_file_open(const char *path, const struct sweep_grid *grid, struct sweep_file **file, struct diagnostic *d);
bool sweep_file_finished(const struct sweep_file *file);        /* OUT is there; of OUT.part nothing is left */
bool sweep_file_has(const struct sweep_file *file, int64_t point);
int64_t sweep_file_count(const struct sweep_file *file);
/* Writes a point's row at once; one thread at a time. */
enum status sweep_file_add(struct sweep_file *file, int64_t point, const char *row, struct diagnostic *d);
/* All points are there: writes OUT and removes OUT.part. */
enum status sweep_file_finish(struct sweep_file *file, struct diagnostic *d);
/* Of a finished one: STATUS_INPUT when all points failed.  d says how many did and why the first; its text is "" when none did. */
enum status sweep_file_outcome(const struct sweep_file *file, struct diagnostic *d);
void sweep_file_close(struct sweep_file *file);  /* NULL allowed */

/* ---- on all cores ---- */

struct sweep_watch {
	void *self;
	/* Called from any thread, one at a time, after each row; seconds since the start, rows done in this run, and all that were to do. */
	void (*told)(void *self, double seconds, int64_t done, int64_t all);
};

/* Evaluates what is missing on so many threads (0: as many as the machine has) and finishes the file.  edit: makes a thread's study what all points begin
 * with.  STATUS_INTERRUPTED when *cancel became true: all finished rows are on disk. */
enum status sweep_run(const struct sweep_grid *grid, enum status (*edit)(void *self, struct study *study, struct diagnostic *d), void *self, int threads, struct sweep_file *file,
	const struct sweep_watch *watch, const atomic_bool *cancel, struct diagnostic *d);

#endif
