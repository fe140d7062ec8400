/* Sweeps: tables read, points evaluated as a study alone would, files that survive any end and are the same for any number of threads. */
#include "study/sweep.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
	char *text;

	if (sweep_file_open(path_of("out.csv"), grid, &file, &d) != STATUS_OK || sweep_run(grid, edit, NULL, threads, file, NULL, NULL, &d) != STATUS_OK)
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
		struct text row = { 0 };
		struct study *study = study_new();
		struct document base;
		struct stat info;

		edit(NULL, study, &d);
		document_copy(&base, study_document(study));
		assert_int_equal(sweep_file_open(path_of("out.csv"), &grid, &file, &d), STATUS_OK);
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
		assert_int_equal(sweep_file_open(path_of("out.csv"), &grid, &file, &d), STATUS_OK);
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

	(void)state;
	read_grid("model\nlenet-c\n", &grid);
	read_grid("model\ncifar-c\n", &other);
	assert_int_equal(sweep_file_open(path_of("a.csv"), &grid, &file, &d), STATUS_OK);
	sweep_file_close(file);
	assert_int_equal(sweep_file_open(path_of("a.csv"), &other, &file, &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "belongs to another sweep"));
	assert_int_equal(rename(path_of("a.csv.part"), "/dev/null") == 0, 0);
	unlink(path_of("a.csv.part"));
	assert_int_equal(file_write(path_of("a.csv"), "mine\n", 5, &d), STATUS_OK);
	assert_int_equal(sweep_file_open(path_of("a.csv"), &grid, &file, &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "is there already"));
	unlink(path_of("a.csv"));
	sweep_grid_free(&grid);
	sweep_grid_free(&other);
}

static void wrong_tables_are_told(void **state)
{
	static const struct { const char *text, *phrase; unsigned long line; } cases[] = {
		{ "batch\n4\n", "no column model", 1 }, { "model,bacth\nvgg-a,4\n", "did you mean batch", 1 }, { "model,batch\nvgg-a,0\n", "out of range", 2 }, { "model,batch,batch\nvgg-a,1,1\n", "a second column batch", 1 },
		{ "model,batch\n", "no points", 0 }, { "", "no points", 0 }, { "model\nvgg-a,4\n", "2 cells, and the header has 1", 2 }, { "model,batch\nvgg-a,4\nvgg-a\n", "1 cells, and the header has 2", 3 }, { "model,batch\n,4\n", "no model", 2 }, { "model,glyphs\nvgg-a,ascii\n", "of the screen", 1 },
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


static uint64_t mark_of(const char *text, const char *edits)
{
	struct sweep_grid grid;
	struct study *study = study_with("load sfc", edits);
	uint64_t mark;

	read_grid(text, &grid);
	sweep_mark(&grid, study_document(study));
	mark = grid.mark;
	sweep_grid_free(&grid);
	study_free(study);
	return mark;
}

static void write_text(const char *name, const char *text)
{
	struct diagnostic d;

	assert_int_equal(file_write(path_of(name), text, strlen(text), &d), STATUS_OK);
}

static void marks_tell_tables_and_settings_apart(void **state)
{
	/* where a cell and a row end; what is set; not on how many threads, nor how the screen is drawn, nor by which commands it came to be set */
	static const struct { const char *tables[2], *edits[2]; bool same; } cases[] = {
		{ { "model,batch,accelerators\nsfc,64|256,4\n", "model,batch,accelerators\nsfc,64,256|4\n" }, { "set tc=1", "set tc=1" }, false },
		{ { "model,batch\nsfc,4\nsfc|sfc,4\n", "model,batch\nsfc|sfc,4\nsfc,4\n" }, { "set tc=1", "set tc=1" }, false },
		{ { "model,batch\nsfc,4\n", "model,batch\n# as it was\n\"sfc\" , 4\n" }, { "set tc=1", "set tc=1" }, true },
		{ { "model\nsfc\n", "model\nsfc\n" }, { "set tc=1", "set tc=4" }, false },
		{ { "model\nsfc\n", "model\nsfc\n" }, { "set threads=1", "set threads=3 glyphs=ascii" }, true },
		{ { "model\nsfc\n", "model\nsfc\n" }, { "set batch=8", "step batch -" }, false },
		{ { "model\nsfc\n", "model\nsfc\n" }, { "set batch=128", "step batch -" }, true },
		{ { "model\nsfc\n", "model\nsfc\n" }, { "set topology=ring:16", "set topology=ring:16@1GB/s" }, false },
		{ { "model\nsfc\n", "model\nsfc\n" }, { "pin #1 dp", "pin #1 mp" }, false },
		{ { "model\nsfc\n", "model\nsfc\n" }, { "stage 1 tensor=2", "stage 1 tc=2" }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if ((mark_of(cases[i].tables[0], cases[i].edits[0]) == mark_of(cases[i].tables[1], cases[i].edits[1])) != cases[i].same)
			fail_msg("case %zu: %s", i, cases[i].edits[1]);
}

/* A file of the same name is another sweep's once its bytes are others, or it is gone. */
static void marks_tell_files_apart(void **state)
{
	static const char accelerator[] = "name,kind,tc,tc_rows,tc_cols,vc,vc_lanes,glb [KiB],memory [GiB],bandwidth [GB/s],clock [MHz],dataflow,precision,mac [pJ],source\nmine,systolic,1,8,8,1,8,64,1,%d,500,ws,fp32,1,me\n";
	static const struct { const char *table, *command, *text; } cases[] = {
		{ "model\n%s\n", "set tc=1", "name,kind,in_ch,out_ch\nfc,linear,16,%d\n" },
		{ "model,network\nsfc,%s\n", "set tc=1", "kind,size,bandwidth [GB/s]\nring,16,%d\n" },
		{ "model\nsfc\n", "set network=%s", "kind,size,bandwidth [GB/s]\nring,16,%d\n" },
		{ "model\nsfc\n", "accelerator %s", accelerator },
		{ "model\nsfc\n", "latencies %s", "operation,m,n,k,time [us]\ngemm,1,1,1,%d\n" },
		{ "model\nsfc\n", "source %s", "set batch=%d\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char table[256], command[256], text[512];
		uint64_t marks[3];

		snprintf(table, sizeof table, cases[i].table, path_of("file"));
		snprintf(command, sizeof command, cases[i].command, path_of("file"));
		for (int k = 0; k < 3; k++) {
			snprintf(text, sizeof text, cases[i].text, 7 + k % 2);
			write_text("file", text);
			marks[k] = mark_of(table, command);
		}
		unlink(path_of("file"));
		if (marks[0] == marks[1] || marks[0] != marks[2] || (i < 2 && mark_of(table, command) == marks[0]))
			fail_msg("case %zu: %s", i, command);
	}
}

static enum status opened(const struct sweep_grid *grid, const char *phrase)
{
	struct sweep_file *file;
	struct diagnostic d = { .text = "" };
	enum status status = sweep_file_open(path_of("out.csv"), grid, &file, &d);

	sweep_file_close(file);
	if (phrase != NULL && strstr(d.text, phrase) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", d.text, phrase);
	return status;
}

static void damage_is_told(void **state)
{
	struct sweep_grid grid;
	char *whole, *changed;
	size_t length;

	(void)state;
	read_grid("model,batch\nlenet-c,4|8|16\n", &grid);
	whole = swept(&grid, 1);
	length = strlen(whole);
	write_text("out.csv", whole);
	assert_int_equal(opened(&grid, NULL), STATUS_OK);
	/* cut at any byte, and any byte another */
	for (size_t i = 0; i < length; i++) {
		struct diagnostic d;

		assert_int_equal(file_write(path_of("out.csv"), whole, i, &d), STATUS_OK);
		assert_int_equal(opened(&grid, NULL), STATUS_INPUT);
		changed = memory_copy_text(whole, length);
		changed[i] ^= 1;
		write_text("out.csv", changed);
		assert_int_equal(opened(&grid, NULL), STATUS_INPUT);
		memory_free(changed);
	}
	write_text("out.csv", whole);
	assert_int_equal(truncate(path_of("out.csv"), strstr(whole, "\n2,") + 1 - whole), 0);
	opened(&grid, "it ends after 2 of 3 rows");
	assert_int_equal(truncate(path_of("out.csv"), strstr(whole, "\n1,") + 4 - whole), 0);
	opened(&grid, "it ends in the middle of a row");
	/* the row of point 1 is gone */
	changed = memory_copy_text(whole, length);
	memmove(strstr(changed, "\n1,"), strstr(whole, "\n2,"), strlen(strstr(whole, "\n2,")) + 1);
	write_text("out.csv", changed);
	opened(&grid, "the row of point 1 is not here");
	memory_free(changed);
	assert_int_equal(access(path_of("out.csv.part"), F_OK), -1);
	unlink(path_of("out.csv"));
	memory_free(whole);
	sweep_grid_free(&grid);
}

static void only_one_process_writes(void **state)
{
	struct sweep_grid grid;
	int told[2];
	char byte;
	pid_t other;

	(void)state;
	read_grid("model\nlenet-c\n", &grid);
	assert_int_equal(pipe(told), 0);
	other = fork();
	if (other == 0) {
		struct sweep_file *file;

		byte = (char)sweep_file_open(path_of("out.csv"), &grid, &file, NULL);
		_exit(write(told[1], &byte, 1) == 1 ? pause() : 1);
	}
	assert_int_equal(read(told[0], &byte, 1), 1);
	assert_int_equal(byte, STATUS_OK);
	assert_int_equal(opened(&grid, "another whypar is sweeping"), STATUS_INPUT);
	/* its lock goes with it */
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	assert_int_equal(opened(&grid, NULL), STATUS_OK);
	unlink(path_of("out.csv.part"));
	close(told[0]);
	close(told[1]);
	sweep_grid_free(&grid);
}

static void stopped_in_the_first_line_begins_again(void **state)
{
	struct sweep_grid grid;
	struct stat info;

	(void)state;
	read_grid("model\nlenet-c\n", &grid);
	assert_int_equal(opened(&grid, NULL), STATUS_OK);
	assert_int_equal(stat(path_of("out.csv.part"), &info), 0);
	for (off_t left = info.st_size; left >= 0; left--) {
		assert_int_equal(truncate(path_of("out.csv.part"), left), 0);
		assert_int_equal(opened(&grid, NULL), STATUS_OK);
	}
	unlink(path_of("out.csv.part"));
	sweep_grid_free(&grid);
}

static void failed_points_are_counted(void **state)
{
	static const struct { const char *table, *phrase; enum status status; } cases[] = {
		{ "model\nlenet-c\nsfc\n", "", STATUS_OK },
		{ "model\nlenet-c\nnosuch\nsfc\n", "1 of 3 points failed", STATUS_OK },
		{ "model\nnosuch\nsf\n", "point 0: no file and no built-in model \"nosuch\"", STATUS_INPUT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sweep_grid grid;
		struct sweep_file *file;
		struct diagnostic d;

		read_grid(cases[i].table, &grid);
		assert_int_equal(sweep_file_open(path_of("out.csv"), &grid, &file, &d), STATUS_OK);
		assert_int_equal(sweep_run(&grid, edit, NULL, 1, file, NULL, NULL, &d), STATUS_OK);
		/* just swept, and found there */
		for (int again = 0; again < 2; again++) {
			assert_true(sweep_file_finished(file));
			assert_int_equal(sweep_file_outcome(file, &d), cases[i].status);
			if (i == 0 ? d.text[0] != '\0' : strstr(d.text, cases[i].phrase) == NULL)
				fail_msg("\"%s\" does not say \"%s\"", d.text, cases[i].phrase);
			sweep_file_close(file);
			assert_int_equal(sweep_file_open(path_of("out.csv"), &grid, &file, &d), STATUS_OK);
		}
		sweep_file_close(file);
		unlink(path_of("out.csv"));
		sweep_grid_free(&grid);
	}
}

static void wrong_words_are_refused(void **state)
{
	struct sweep_grid grid;
	struct sweep_file *file;
	struct diagnostic d;
	struct text text = { 0 };

	(void)state;
	read_grid("model\nlenet-c\n", &grid);
	assert_int_equal(sweep_file_open("", &grid, &file, &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "its name is empty"));
	sweep_grid_free(&grid);
	text_add(&text, "model,batch\nsfc,1");
	while (text.length < 70000)
		text_add(&text, "|1");
	assert_int_equal(sweep_read("grid.csv", text.bytes, text.length, &grid, &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "longer than 64 KiB"));
	assert_null(strstr(d.text, "layers"));
	sweep_grid_free(&grid);
	text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_what_a_study_says),
		cmocka_unit_test(threads_and_stops_change_nothing),
		cmocka_unit_test(files_of_other_grids_are_left_alone),
		cmocka_unit_test(wrong_tables_are_told),
		cmocka_unit_test(marks_tell_tables_and_settings_apart),
		cmocka_unit_test(marks_tell_files_apart),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(only_one_process_writes),
		cmocka_unit_test(stopped_in_the_first_line_begins_again),
		cmocka_unit_test(failed_points_are_counted),
		cmocka_unit_test(wrong_words_are_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
