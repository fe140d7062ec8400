/* The results of a sweep on disk, so that no end of the program loses a finished row. */
#include "study/sweep.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sweep_file {
	const struct sweep_grid *grid;
	char *path, *part;
	FILE *rows;              /* part: read from anywhere, written at its end */
	int64_t *places;         /* of each point its row in part, + 1; 0: not there */
	int64_t size, count;     /* of part, bytes; points in it */
};

static char *joined(const char *path, const char *ending)
{
	struct text out = { 0 };
	char *copy;

	text_printf(&out, "%s%s", path, ending);
	copy = memory_copy_text(out.bytes, out.length);
	text_free(&out);
	return copy;
}

static enum status cannot(const char *what, const char *path, struct diagnostic *d)
{
	return diagnostic_fail(d, STATUS_INPUT, "cannot %s %.400s: %s", what, path, strerror(errno));
}

/* The first line of both files. */
static void first_line(const struct sweep_grid *g, char out[96])
{
	snprintf(out, 96, "# whypar sweep of %lld points, %016llx\n", (long long)g->points, (unsigned long long)g->mark);
}

/* Whether the file begins with the grid's first line. */
static bool is_of_grid(const struct sweep_grid *g, FILE *file)
{
	char line[96], found[96] = "";

	first_line(g, line);
	return fgets(found, sizeof found, file) != NULL && strcmp(line, found) == 0;
}

/* Notes the whole rows of part, behind its first line; what the program was writing when it ended is cut off. */
static void note_rows(struct sweep_file *f)
{
	char *row = NULL;
	size_t capacity = 0;
	ssize_t length;

	f->size = ftello(f->rows);
	while ((length = getline(&row, &capacity, f->rows)) > 0 && row[length - 1] == '\n') {
		char *after;
		long long point = strtoll(row, &after, 10);

		if (after == row || *after != ',' || point < 0 || point >= f->grid->points)
			break;
		f->count += f->places[point] == 0;
		f->places[point] = f->size + 1;
		f->size += length;
	}
	free(row);
}

static enum status open_part(struct sweep_file *f, struct diagnostic *d)
{
	bool there = access(f->part, F_OK) == 0;
	char line[96];

	f->rows = fopen(f->part, there ? "r+" : "w+");
	if (f->rows == NULL)
		return cannot("open", f->part, d);
	if (there) {
		/* an empty one is of any grid: the program ended before its first line */
		if (!is_of_grid(f->grid, f->rows) && (fseeko(f->rows, 0, SEEK_END) != 0 || ftello(f->rows) > 0))
			return diagnostic_fail(d, STATUS_INPUT, "%.400s is of another grid: sweep that one on, or remove the file", f->part);
		note_rows(f);
	}
	if (fflush(f->rows) != 0 || ftruncate(fileno(f->rows), f->size) != 0 || fseeko(f->rows, f->size, SEEK_SET) != 0)
		return cannot("write", f->part, d);
	if (f->size > 0)
		return STATUS_OK;
	first_line(f->grid, line);
	f->size = (int64_t)strlen(line);
	return fputs(line, f->rows) >= 0 && fflush(f->rows) == 0 ? STATUS_OK : cannot("write", f->part, d);
}

enum status sweep_file_open(const char *path, const struct sweep_grid *grid, struct sweep_file **file, bool *finished, struct diagnostic *d)
{
	FILE *whole = fopen(path, "r");
	struct sweep_file *f;

	*file = NULL;
	*finished = whole != NULL && is_of_grid(grid, whole);
	if (whole != NULL)
		fclose(whole);
	if (whole != NULL)
		return *finished ? STATUS_OK : diagnostic_fail(d, STATUS_INPUT, "%.400s is there already, and of something else; give another file, or remove it", path);
	f = memory_alloc(1, sizeof *f);
	*f = (struct sweep_file){ .grid = grid, .path = joined(path, ""), .part = joined(path, ".part"), .places = memory_alloc((size_t)grid->points, sizeof *f->places) };
	if (open_part(f, d) != STATUS_OK) {
		sweep_file_close(f);
		return STATUS_INPUT;
	}
	*file = f;
	return STATUS_OK;
}

bool sweep_file_has(const struct sweep_file *f, int64_t point)
{
	return f->places[point] != 0;
}

int64_t sweep_file_count(const struct sweep_file *f)
{
	return f->count;
}

enum status sweep_file_add(struct sweep_file *f, int64_t point, const char *row, struct diagnostic *d)
{
	if (fputs(row, f->rows) < 0 || fflush(f->rows) != 0)
		return cannot("write", f->part, d);
	f->places[point] = f->size + 1;
	f->size += (int64_t)strlen(row);
	f->count++;
	return STATUS_OK;
}

/* All rows by point, into a file that takes the place of OUT when it is whole. */
static bool write_all(struct sweep_file *f, FILE *out)
{
	struct text header = { 0 };
	char line[96], *row = NULL;
	size_t capacity = 0;
	bool good;

	first_line(f->grid, line);
	sweep_header(f->grid, &header);
	good = fputs(line, out) >= 0 && fputs(text_string(&header), out) >= 0;
	for (int64_t point = 0; point < f->grid->points && good; point++)
		good = fseeko(f->rows, f->places[point] - 1, SEEK_SET) == 0 && getline(&row, &capacity, f->rows) > 0 && fputs(row, out) >= 0;
	free(row);
	text_free(&header);
	return good;
}

enum status sweep_file_finish(struct sweep_file *f, struct diagnostic *d)
{
	char *fresh = joined(f->path, ".new");
	FILE *out = fopen(fresh, "w");
	bool good = out != NULL && write_all(f, out);

	good = out != NULL && fclose(out) == 0 && good && rename(fresh, f->path) == 0;
	if (!good)
		cannot("write", f->path, d);
	else
		unlink(f->part);
	memory_free(fresh);
	return good ? STATUS_OK : STATUS_INPUT;
}

void sweep_file_close(struct sweep_file *f)
{
	if (f == NULL)
		return;
	if (f->rows != NULL)
		fclose(f->rows);
	memory_free(f->path);
	memory_free(f->part);
	memory_free(f->places);
	memory_free(f);
}
