/* The results of a sweep on disk, so that no end of the program loses a finished row. */
#include "study/sweep.h"

#include "base/csv.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 128 };       /* room for the first line of both files */

struct sweep_file {
	const struct sweep_grid *grid;
	char *path, *part;
	FILE *rows;              /* part: read from anywhere, written at its end */
	int64_t *places;         /* of each point its row in part, + 1; 0: not there */
	int64_t size, count;     /* of part, bytes; points in it */
	bool finished;
	int64_t failed, first_failed;    /* points of OUT, and the first of them */
	char reason[640];                /* of that one */
};

static char *joined(const char *path, const char *ending)
{
	struct text out = { 0 };

	text_printf(&out, "%s%s", path, ending);
	return out.bytes;
}

static enum status cannot(const char *what, const char *path, struct diagnostic *d)
{
	return diagnostic_fail(d, STATUS_INPUT, "cannot %s %.400s: %s", what, path, strerror(errno));
}

static enum status of_another(const char *path, struct diagnostic *d)
{
	return diagnostic_fail(d, STATUS_INPUT, "%.400s belongs to another sweep: its table, settings (--set, --do, --source), models, other files or whypar are not these; "
		"begin it again as it was, give another file, or remove it", path);
}

/* What both files begin with; behind it part ends the line, and OUT has the sum of all that follows. */
static const char first_words[] = "# whypar sweep of ";
static const char sum_words[] = ", sum ";

static void first_line(const struct sweep_grid *g, char out[LINE_BYTES])
{
	snprintf(out, LINE_BYTES, "%s%lld points, %016llx", first_words, (long long)g->points, (unsigned long long)g->mark);
}

/* ---- part ---- */

/* Notes its whole rows; what the program was writing when it ended is cut off. */
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

/* The kernel's lock goes with the process, however that ends.  Where the file system has none (some of clusters), all is as if alone. */
static enum status lock(struct sweep_file *f, struct diagnostic *d)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fileno(f->rows), F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN))
		return STATUS_OK;
	return diagnostic_fail(d, STATUS_INPUT, "another whypar is sweeping into %.400s: wait for its end, or give another file", f->path);
}

static enum status open_part(struct sweep_file *f, struct diagnostic *d)
{
	int descriptor = open(f->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);      /* as it is: only the lock tells whose it is */
	char line[LINE_BYTES], found[LINE_BYTES] = "";

	f->rows = descriptor >= 0 ? fdopen(descriptor, "r+") : NULL;
	if (f->rows == NULL) {
		if (descriptor >= 0)
			close(descriptor);
		return cannot("open", f->part, d);
	}
	if (lock(f, d) != STATUS_OK)
		return STATUS_INPUT;
	first_line(f->grid, line);
	strcat(line, "\n");
	if (fgets(found, sizeof found, f->rows) != NULL && strcmp(line, found) == 0)
		note_rows(f);
	else if (!text_starts_with(line, found))         /* else the program ended before its first line did */
		return of_another(f->part, d);
	if (fflush(f->rows) != 0 || ftruncate(fileno(f->rows), f->size) != 0 || fseeko(f->rows, f->size, SEEK_SET) != 0)
		return cannot("write", f->part, d);
	if (f->size > 0)
		return STATUS_OK;
	f->size = (int64_t)strlen(line);
	return fputs(line, f->rows) >= 0 && fflush(f->rows) == 0 ? STATUS_OK : cannot("write", f->part, d);
}

/* ---- OUT ---- */

/* The row of a point that failed ends with the reason, others with an empty cell. */
static void note_failure(struct sweep_file *f, int64_t point, const char *row, size_t length)
{
	struct csv_reader *r;
	struct csv_row cells;
	struct diagnostic d;

	if ((length > 1 && row[length - 2] == ',') || f->failed++ > 0)
		return;
	f->first_failed = point;
	r = csv_open(row, length, (struct csv_options){ .quotes = true });
	if (csv_next(r, &cells, &d) == CSV_EVENT_ROW)
		snprintf(f->reason, sizeof f->reason, "%s", cells.cells[cells.count - 1].text);
	csv_close(r);
}

static enum status damaged(const struct sweep_file *f, long long line, const char *what, struct diagnostic *d)
{
	diagnostic_fail(d, STATUS_INPUT, "not as the sweep wrote it: %s; remove it, or give another file", what);
	diagnostic_place(d, f->path, (unsigned long)line, 0);
	return STATUS_INPUT;
}

/* That all behind the first line, which ends with its sum, is what was written there. */
static enum status check_rows(struct sweep_file *f, FILE *whole, const char *sum, struct diagnostic *d)
{
	struct text header = { 0 };
	char *row = NULL, written[24], what[96] = "";
	size_t capacity = 0;
	ssize_t length;
	uint64_t found = TEXT_HASH_START;
	int64_t point = -1;              /* the header's */

	sweep_header(f->grid, &header);
	while (what[0] == '\0' && (length = getline(&row, &capacity, whole)) > 0) {
		char *after = row;

		found = text_hash(found, row, (size_t)length);
		if (point == f->grid->points)
			snprintf(what, sizeof what, "more than its %lld rows", (long long)f->grid->points);
		else if (row[length - 1] != '\n')
			snprintf(what, sizeof what, "it ends in the middle of a row");
		else if (point < 0 ? strcmp(row, text_string(&header)) != 0 : strtoll(row, &after, 10) != point || *after != ',')
			snprintf(what, sizeof what, point < 0 ? "the header is another" : "the row of point %lld is not here", (long long)point);
		else if (point >= 0)
			note_failure(f, point, row, (size_t)length);
		point++;
	}
	if (what[0] == '\0' && point < f->grid->points)
		snprintf(what, sizeof what, "it ends after %lld of %lld rows", (long long)(point > 0 ? point : 0), (long long)f->grid->points);
	snprintf(written, sizeof written, "%016llx\n", (unsigned long long)found);
	free(row);
	text_free(&header);
	if (what[0] != '\0')
		return damaged(f, (long long)point + 2, what, d);
	return strcmp(sum, written) == 0 ? STATUS_OK : damaged(f, 0, "a row was changed", d);
}

/* STATUS_OK and not finished: there is none. */
static enum status check_whole(struct sweep_file *f, struct diagnostic *d)
{
	FILE *whole;
	char line[LINE_BYTES], found[LINE_BYTES] = "";
	struct stat info;
	enum status status;

	/* a pipe would be waited for */
	if (stat(f->path, &info) == 0 && !S_ISREG(info.st_mode))
		return diagnostic_fail(d, STATUS_INPUT, "%.400s is no file that a sweep could go on in; give a name of one", f->path);
	whole = fopen(f->path, "r");
	if (whole == NULL)
		return errno == ENOENT ? STATUS_OK : cannot("open", f->path, d);
	first_line(f->grid, line);
	strcat(line, sum_words);
	if (fgets(found, sizeof found, whole) != NULL && text_starts_with(found, line))
		status = check_rows(f, whole, found + strlen(line), d);
	else if (text_starts_with(found, first_words))
		status = of_another(f->path, d);
	else
		status = diagnostic_fail(d, STATUS_INPUT, "%.400s is there already, and no sweep's; give another file, or remove it", f->path);
	fclose(whole);
	f->finished = status == STATUS_OK;
	return status;
}

enum status sweep_file_open(const char *path, const struct sweep_grid *grid, struct sweep_file **file, struct diagnostic *d)
{
	struct sweep_file *f;
	enum status status;

	*file = NULL;
	if (path[0] == '\0')
		return diagnostic_fail(d, STATUS_INPUT, "the results have no file: its name is empty; give one, as in -o OUT.csv");
	f = memory_alloc(1, sizeof *f);
	*f = (struct sweep_file){ .grid = grid, .path = joined(path, ""), .part = joined(path, ".part") };
	status = check_whole(f, d);
	if (status == STATUS_OK && !f->finished) {
		f->places = memory_alloc((size_t)grid->points, sizeof *f->places);
		status = open_part(f, d);
	}
	if (status == STATUS_OK)
		*file = f;
	else
		sweep_file_close(f);
	return status;
}

bool sweep_file_finished(const struct sweep_file *f)
{
	return f->finished;
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

/* The sum comes last, over the zeroes that hold its place. */
static bool write_first_line(const struct sweep_file *f, uint64_t sum, FILE *out)
{
	char line[LINE_BYTES];

	first_line(f->grid, line);
	return fseeko(out, 0, SEEK_SET) == 0 && fprintf(out, "%s%s%016llx\n", line, sum_words, (unsigned long long)sum) > 0;
}

/* All rows by point, into a file that takes the place of OUT when it is whole. */
static bool write_all(struct sweep_file *f, FILE *out)
{
	struct text header = { 0 };
	char *row = NULL;
	size_t capacity = 0;
	ssize_t length;
	uint64_t sum;
	bool good = write_first_line(f, 0, out);

	sweep_header(f->grid, &header);
	sum = text_hash(TEXT_HASH_START, header.bytes, header.length);
	good = good && fputs(header.bytes, out) >= 0;
	for (int64_t point = 0; point < f->grid->points && good; point++) {
		good = fseeko(f->rows, f->places[point] - 1, SEEK_SET) == 0 && (length = getline(&row, &capacity, f->rows)) > 0 && fputs(row, out) >= 0;
		if (good) {
			sum = text_hash(sum, row, (size_t)length);
			note_failure(f, point, row, (size_t)length);
		}
	}
	free(row);
	text_free(&header);
	return good && write_first_line(f, sum, out);
}

enum status sweep_file_finish(struct sweep_file *f, struct diagnostic *d)
{
	char *fresh = joined(f->path, ".new");
	FILE *out = fopen(fresh, "w");

	f->finished = out != NULL && write_all(f, out);
	f->finished = out != NULL && fclose(out) == 0 && f->finished && rename(fresh, f->path) == 0;
	if (!f->finished)
		cannot("write", f->path, d);
	else
		unlink(f->part);
	memory_free(fresh);
	return f->finished ? STATUS_OK : STATUS_INPUT;
}

enum status sweep_file_outcome(const struct sweep_file *f, struct diagnostic *d)
{
	*d = (struct diagnostic){ .text = "" };
	if (f->failed > 0)
		diagnostic_fail(d, STATUS_INPUT, "%lld of %lld points failed, each with its reason in %.200s; the first, point %lld: %s",
			(long long)f->failed, (long long)f->grid->points, f->path, (long long)f->first_failed, f->reason);
	return f->failed == f->grid->points ? STATUS_INPUT : STATUS_OK;
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
