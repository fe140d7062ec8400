/* Sweeps: tables read, points evaluated as a study alone would, files that survive any end and are the same for any number of threads. */
#include "study/sweep.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/memory.h"
#include "tests/unit/study_help.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/whypar-sweep-XXXXXX");
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char grid_text[] = "model,batch,accelerators,pipeline\nlenet-c|cifar-c,16|64,4|16,1\nvgg-a,32,4,1|2|3\nsfc,7,2,2\nnosuch,1,1,1\n";

static void read_grid(const char *text, struct sweep_grid *grid)
{
	struct diagnostic d;

	if (sweep_read("grid.csv", text, strlen(text), grid, &d) != STATUS_OK)
		fail_msg("%s", d.text);
}

static enum status edit(void *self, struct study *study, struct diagnostic *d)
{
	(void)self;
	(void)d;
	must_run(study, "set precision=bf16");
	return STATUS_OK;
}

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static char *contents(const char *name)
{
	struct diagnostic d;
	char *bytes;
	size_t length;

	if (file_read(path_of(name), &bytes, &length, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	return bytes;
}

/* All of it, on so many threads; the text of the file, which is removed. */
static char *swept(const struct sweep_grid *grid, int threads)
{
	struct sweep_file *file;
	struct diagnostic d;
	bool finished;
	char *text;

	if (sweep_file_open(path_of("out.csv"), grid, &file, &finished, &d) != STATUS_OK || sweep_run(grid, edit, NULL, threads, file, NULL, NULL, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	sweep_file_close(file);
	text = contents("out.csv");
	assert_int_equal(access(path_of("out.csv.part"), F_OK), -1);
	unlink(path_of("out.csv"));
	return text;
}

static void points_are_what_a_study_says(void **state)
{
	struct sweep_grid grid;
	struct study *alone = study_with("load vgg-a", "set precision=bf16 batch=32 accelerators=4 pipeline=2");
	char *text, *row, first[64];
	double seconds;

	(void)state;
	read_grid(grid_text, &grid);
	assert_int_equal(grid.points, 8 + 3 + 1 + 1);
	text = swept(&grid, 1);
	row = strstr(text, "\n9,vgg-a,32,4,2,");
	assert_non_null(row);
	study_settle(alone, NULL);
	seconds = strtod(row + strlen("\n9,vgg-a,32,4,2,"), NULL);
	snprintf(first, sizeof first, "%.12g", study_results(alone)->run.seconds);
	assert_true(seconds == strtod(first, NULL));
	/* three stages do not divide as the batch is; nosuch is no model: both are told, in their rows */
	assert_non_null(strstr(text, "\n12,nosuch,1,1,1,,,,,,,,,,,,\""));
	assert_null(strstr(text, "nan"));
	memory_free(text);
	sweep_grid_free(&grid);
	study_free(alone);
}

static void threads_and_stops_change_nothing(void **state)
{
	struct sweep_grid grid;
	char *one, *three;

	(void)state;
	read_grid(grid_text, &grid);
	one = swept(&grid, 1);
	three = swept(&grid, 3);
	assert_string_equal(one, three);
	memory_free(three);
	/* stopped at any byte of part, as kill -9 does it: what is whole stays, what is cut off is done again */
	for (int kept = 0; kept < 4; kept++) {
		struct sweep_file *file;
		struct diagnostic d;
		bool finished;
		struct text row = { 0 };
		struct study *study = study_new();
		struct document base;
		struct stat info;

		edit(NULL, study, &d);
		document_copy(&base, study_document(study));
		assert_int_equal(sweep_file_open(path_of("out.csv"), &grid, &file, &finished, &d), STATUS_OK);
		for (int64_t point = 5; point < 8; point++) {
			sweep_evaluate(study, &base, &grid, point, &row);
			assert_int_equal(sweep_file_add(file, point, text_string(&row), &d), STATUS_OK);
			text_free(&row);
			row = (struct text){ 0 };
		}
		sweep_file_close(file);
		document_free(&base);
		study_free(study);
		assert_int_equal(stat(path_of("out.csv.part"), &info), 0);
		assert_int_equal(truncate(path_of("out.csv.part"), info.st_size - 40 * kept - (kept > 0)), 0);
		assert_int_equal(sweep_file_open(path_of("out.csv"), &grid, &file, &finished, &d), STATUS_OK);
		assert_int_equal(sweep_file_count(file), kept == 0 ? 3 : sweep_file_has(file, 5) + sweep_file_has(file, 6) + sweep_file_has(file, 7));
		assert_true(kept == 0 || !sweep_file_has(file, 7));
		sweep_file_close(file);
		three = swept(&grid, 2);
		assert_string_equal(one, three);
		memory_free(three);
	}
	memory_free(one);
	sweep_grid_free(&grid);
}

static void files_of_other_grids_are_left_alone(void **state)
{
	struct sweep_grid grid, other;
	struct sweep_file *file;
	struct diagnostic d;
	bool finished;

	(void)state;
	read_grid("model\nlenet-c\n", &grid);
	read_grid("model\ncifar-c\n", &other);
	assert_int_equal(sweep_file_open(path_of("a.csv"), &grid, &file, &finished, &d), STATUS_OK);
	sweep_file_close(file);
	assert_int_equal(sweep_file_open(path_of("a.csv"), &other, &file, &finished, &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "is of another grid"));
	assert_int_equal(rename(path_of("a.csv.part"), "/dev/null") == 0, 0);
	unlink(path_of("a.csv.part"));
	assert_int_equal(file_write(path_of("a.csv"), "mine\n", 5, &d), STATUS_OK);
	assert_int_equal(sweep_file_open(path_of("a.csv"), &grid, &file, &finished, &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "is there already"));
	unlink(path_of("a.csv"));
	sweep_grid_free(&grid);
	sweep_grid_free(&other);
}

static void wrong_tables_are_told(void **state)
{
	static const struct { const char *text, *phrase; unsigned long line; } cases[] = {
		{ "batch\n4\n", "no column model", 1 }, { "model,bacth\nvgg-a,4\n", "did you mean batch", 1 }, { "model,batch\nvgg-a,0\n", "out of range", 2 }, { "model,batch,batch\nvgg-a,1,1\n", "a second column batch", 1 },
		{ "model,batch\n", "no points", 0 }, { "", "no points", 0 }, { "model\nvgg-a,4\n", "2 cells, and the header has 1", 2 }, { "model,batch\n,4\n", "no model", 2 }, { "model,glyphs\nvgg-a,ascii\n", "of the screen", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sweep_grid grid;
		struct diagnostic d = { .text = "" };

		assert_true(sweep_read("grid.csv", cases[i].text, strlen(cases[i].text), &grid, &d) != STATUS_OK);
		if (strstr(d.text, cases[i].phrase) == NULL || d.line != cases[i].line)
			fail_msg("\"%s\" in line %lu does not say \"%s\" in line %lu", d.text, d.line, cases[i].phrase, cases[i].line);
		sweep_grid_free(&grid);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_what_a_study_says),
		cmocka_unit_test(threads_and_stops_change_nothing),
		cmocka_unit_test(files_of_other_grids_are_left_alone),
		cmocka_unit_test(wrong_tables_are_told),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
