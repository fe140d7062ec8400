/* A study as a document that lines edit: what is kept equals what is made anew, what is undone is as before, what is
 * saved reads back, and what fails changes nothing.  Long work is in test_jobs.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"
#include "tests/unit/study_help.h"

static char folder[] = "/tmp/whypar-study-XXXXXX";
static char nasty_model[128];    /* a file whose name and rows hold what a line might stumble over */
static char own_file[128], times_file[128];

/* A residual block, a depthwise row, attention, an embedding, names that repeat. */
static const char nasty_rows[] =
	"name,kind,inputs,in_ch,in_h,in_w,kernel,stride,pad,groups,out_ch,heads\n"
	"words,embedding,-,1000,8,1,,,,,64,\n"
	"conv.1*,linear,,64,8,1,,,,,64,\n"
	"\"a b/c\",linear,,64,8,1,,,,,64,\n"
	"\"q'k\"\"v\",linear,,64,8,1,,,,,192,\n"
	"(x|y),attention,,192,8,1,,,,,64,4\n"
	"[add]{2},add,(x|y);a b/c,64,8,1,,,,,64,\n"
	"dup,linear,,64,8,1,,,,,64,\n"
	"dup,linear,,64,8,1,,,,,64,\n"
	"back\\slash,linear,,64,8,1,,,,,64,\n"
	"^no#1$,linear,,64,8,1,,,,,64,\n"
	"Gr\xC3\xB6\xC3\x9Ft,linear,,64,8,1,,,,,96,\n"
	"dw,conv,,96,8,1,1,1,0,96,96,\n"
	"+last,linear,,96,8,1,,,,,10,\n";

static int write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	return file == NULL || fputs(text, file) < 0 || fclose(file) != 0 ? -1 : 0;
}

static int write_models(void **state)
{
	FILE *file;

	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(nasty_model, sizeof nasty_model, "%s/it's \"my\" \\ model #1.csv", folder);
	file = fopen(nasty_model, "w");
	if (file == NULL)
		return -1;
	fputs(nasty_rows, file);
	if (fclose(file) != 0)
		return -1;
	snprintf(own_file, sizeof own_file, "%s/own it.csv", folder);
	snprintf(times_file, sizeof times_file, "%s/times.csv", folder);
	return write_file(own_file, "name,kind,tc,tc_rows,tc_cols,vc,vc_lanes,glb [B],memory [GiB],bandwidth [GB/s],clock [GHz],dataflow,precision,mac [pJ],die [mm2],source\n"
		"mine,systolic,2,4,4,1,8,65536,1,1,1,os,fp32,4.6,3,ours\n") | write_file(times_file, "operation,m,n,k,time [us]\ngemm,64,64,64,3\ngemm,512,64,64,20\n");
}

static int remove_models(void **state)
{
	(void)state;
	unlink(nasty_model);
	unlink(own_file);
	unlink(times_file);
	return rmdir(folder);
}

/* The line that loads nasty_model. */
static const char *load_nasty(void)
{
	static char line[256];
	char *out = line + sprintf(line, "load \"");

	for (const char *c = nasty_model; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			*out++ = '\\';
		*out++ = *c;
	}
	strcpy(out, "\"");
	return line;
}

static const char *const targets[] = {
	"#1", "#2", "#4", "#7", "#8", "#20", "/fc/", "/conv/", "/dup/", "/./", "/add|dw/", "/o/", "dup", "dw", "\"a b/c\"", "conv.1*", "(x|y)",
	"conv1", "fc1", "ip1", "nosuch", "/(/",
};

/* Many of these fail, as a user's do. */
static void random_line(struct random *r, char *line, size_t size)
{
	static const char *const models[] = { "lenet-c", "cifar-c", "sfc", "vgg-a" };
	static const char *const states[] = { "dp", "mp", "op", "row", "col", "full" };
	static const char *const steps[] = { "batch", "accelerators", "solver", "types", "precision", "comm_model", "mp_output",
		"accelerator", "tc", "tc_rows", "vc_lanes", "glb", "hbm_bw", "clock", "dataflow", "fusion", "optimizer", "die_density" };
	static const char *const topologies[] = { "htree", "torus", "ring:16", "htree:8^2", "switch:4@1GB/s+ring", "mesh", "full", "own", "switch:8@1GB/s,1us+switch:2", "rnig" };
	static const char *const objectives[] = { "elements", "bytes", "time" }, *const overlaps[] = { "none", "gradient", "full" };
	static const char *const microbatches[] = { "auto", "1", "4", "7" }, *const schedules[] = { "1f1b", "gpipe", "interleaved", "zb-h1", "zb-2p" }, *const recomputes[] = { "none", "selective", "full" };
	static const char *const rules[] = { "free", "starts #2", "starts fc1", "starts conv2", "accelerator=tpuv2", "accelerators=2", "tensor=2 accelerators=1", "starts #4 accelerator=wham-base", "starts nosuch" };
	static const char *const solvers[] = { "dp", "mp", "owt", "hypar", "accpar", "joint" };
	static const char *const accelerators[] = { "hmc", "eyeriss", "tpuv2", "wham-base", "own" };
	const char *target = targets[random_below(r, sizeof targets / sizeof *targets)], *type = states[random_below(r, 6)];
	unsigned level = 1 + random_below(r, 5);

	switch (random_below(r, 33)) {
	case 28: snprintf(line, size, "set tensor=%u pipeline=%u replicas=%u", 1 + random_below(r, 4), 1 + random_below(r, 4), 1 + random_below(r, 4)); break;
	case 29: snprintf(line, size, "set microbatch=%s schedule=%s chunks=%u", microbatches[random_below(r, 4)], schedules[random_below(r, 5)], 1 + random_below(r, 2)); break;
	case 30: snprintf(line, size, "set recompute=%s zero=%u optimizer=%s", recomputes[random_below(r, 3)], random_below(r, 4), random_below(r, 2) ? "adam" : "sgd"); break;
	case 31: snprintf(line, size, "stage %u %s", 1 + random_below(r, 4), rules[random_below(r, sizeof rules / sizeof *rules)]); break;
	case 32: snprintf(line, size, "set pipeline=%u batch=%u microbatch=auto schedule=1f1b chunks=1 zero=0", 1 + random_below(r, 4), 1u << random_below(r, 9)); break;
	case 0: snprintf(line, size, "set batch=%u", 1 + random_below(r, 700)); break;
	case 1: snprintf(line, size, "set accelerators=%u", 1u << random_below(r, 6)); break;
	case 2: snprintf(line, size, "solve %s", solvers[random_below(r, 6)]); break;
	case 3: snprintf(line, size, "set types=%u comm_model=%s", 2 + random_below(r, 2), random_below(r, 2) ? "figures" : "printed"); break;
	case 4: snprintf(line, size, "set mp_output=%s", random_below(r, 2) ? "conv" : "pooled"); break;
	case 5: snprintf(line, size, "step %s %s", steps[random_below(r, sizeof steps / sizeof *steps)], random_below(r, 2) ? "+" : "-"); break;
	case 6: snprintf(line, size, "load %s", models[random_below(r, 4)]); break;
	case 7: snprintf(line, size, "%s", load_nasty()); break;
	case 8: case 9: snprintf(line, size, "pin %s H%u %s", target, level, type); break;
	case 10: case 11: snprintf(line, size, "pin %s %s", target, type); break;
	case 12: snprintf(line, size, "unpin %s", target); break;
	case 13: snprintf(line, size, "unpin %s H%u", target, level); break;
	case 14: snprintf(line, size, "redo"); break;
	case 15: snprintf(line, size, random_below(r, 3) ? "baseline" : "baseline clear"); break;
	case 16: snprintf(line, size, "set accelerator=%s", accelerators[random_below(r, 5)]); break;
	case 17: snprintf(line, size, "set tc=%u vc=%u tc_cols=%u", 1 + random_below(r, 4), 1 + random_below(r, 3), 4 + random_below(r, 30)); break;
	case 18: snprintf(line, size, "set glb=%uKiB hbm_bw=%uMB/s dataflow=%s", random_below(r, 40), 20 + random_below(r, 2000), random_below(r, 2) ? "os" : "is"); break;
	case 19: snprintf(line, size, "accelerator \"%s\" %s", own_file, random_below(r, 3) ? "mine" : "theirs"); break;
	case 24: snprintf(line, size, "set topology=%s comm_time=%s", topologies[random_below(r, sizeof topologies / sizeof *topologies)], random_below(r, 2) ? "links" : "figures"); break;
	case 25: snprintf(line, size, "set bandwidth=%uMB/s latency=%uus endpoint_delay=%uns switching=%s energy=%s", 1 + random_below(r, 3000), random_below(r, 20), random_below(r, 100),
		random_below(r, 2) ? "cut_through" : "store_forward", random_below(r, 2) ? "modelled" : "figures"); break;
	case 26: snprintf(line, size, "set objective=%s overlap=%s", objectives[random_below(r, 3)], overlaps[random_below(r, 3)]); break;
	case 27: snprintf(line, size, "set accelerator2=%s", random_below(r, 2) ? "same" : "tpuv3"); break;
	case 20: snprintf(line, size, "latencies %s", random_below(r, 2) ? times_file : "none"); break;
	default: snprintf(line, size, "undo"); break;
	}
}

/* After any lines, what the study keeps equals a study made from its document alone. */
static void incremental_equals_from_scratch(void **state)
{
	struct random r = { 61 };
	int compared = 0, failed = 0;

	(void)state;
	for (int round = 0; round < 6; round++) {
		struct study *study = study_new();
		double remembered = NAN;

		must_run(study, round % 2 ? "load lenet-c" : load_nasty());
		for (int i = 0; i < 120; i++) {
			struct diagnostic d = { 0 };
			struct study *fresh;
			const struct results *results;
			char line[256];
			enum status status;

			random_line(&r, line, sizeof line);
			status = command_run(study, &host, line, &d);
			failed += status != STATUS_OK;
			if (status == STATUS_OK && strcmp(line, "baseline") == 0)
				remembered = study_update(study)->remembered->elements;
			if (status == STATUS_OK && strcmp(line, "baseline clear") == 0)
				remembered = NAN;
			/* several edits before one update, now and then */
			if (random_below(&r, 3) == 0)
				continue;
			study_settle(study, NULL);
			results = study_results(study);
			fresh = study_from_scratch(study_document(study));
			assert_same_results(results, study_results(fresh));
			assert_true(same_number(results->change_remembered, results->plan != NULL && remembered > 0 ? results->plan->elements / remembered - 1 : NAN));
			compared++;
			study_free(fresh);
		}
		study_free(study);
	}
	assert_true(compared > 300 && failed > 50);
}

static void undo_and_redo_return_exactly(void **state)
{
	enum { EDITS = 60 };
	struct random r = { 62 };
	struct study *study = study_new();
	struct document before[EDITS + 1];
	double elements[EDITS + 1];
	int edits = 0;

	(void)state;
	must_run(study, load_nasty());
	while (edits < EDITS) {
		struct diagnostic d;
		char line[256];

		document_copy(&before[edits], study_document(study));
		study_settle(study, NULL);
		elements[edits] = study_results(study)->plan->elements;
		random_line(&r, line, sizeof line);
		/* load is an edit also when it names the same file: that may have changed */
		if (strstr(line, "do") != NULL || command_run(study, &host, line, &d) != STATUS_OK ||
		    (document_equal(&before[edits], study_document(study)) && !text_starts_with(line, "load")))
			document_free(&before[edits]);
		else
			edits++;
	}
	document_copy(&before[EDITS], study_document(study));
	study_settle(study, NULL);
	elements[EDITS] = study_results(study)->plan->elements;
	for (int way = 0; way < 4; way++)
		for (int i = 0; i < EDITS; i++) {
			int at = way % 2 ? i + 1 : EDITS - 1 - i;

			must_run(study, way % 2 ? "redo" : "undo");
			assert_true(document_equal(study_document(study), &before[at]));
			if (way >= 2)           /* the first time around, all at once at the end */
				study_settle(study, NULL);
			if (way >= 2)
				assert_true(study_results(study)->plan->elements == elements[at]);
		}
	study_settle(study, NULL);
	assert_true(study_results(study)->plan->elements == elements[EDITS]);
	for (int i = 0; i <= EDITS; i++)
		document_free(&before[i]);
	study_free(study);
}

static void undo_says_what_it_took_back(void **state)
{
	struct study *study = study_new();

	(void)state;
	must_run(study, "load lenet-c");
	must_run(study, "set batch=512");
	must_run(study, "set batch=512");        /* equal: no edit */
	must_run(study, "undo");
	assert_string_equal(said, "undid: set batch=512");
	must_run(study, "redo");
	assert_string_equal(said, "did again: set batch=512");
	must_run(study, "undo");
	must_run(study, "undo");
	assert_string_equal(said, "undid: load lenet-c");
	assert_null(study_document(study)->model);
	assert_null(study_update(study)->plan);
	study_free(study);
}

/* theme, mouse and the like are the screen's: an undo leaves them, and they make nothing to undo. */
static void screen_parameters_are_not_undone(void **state)
{
	struct study *study = study_new();
	struct diagnostic d;

	(void)state;
	must_run(study, "load lenet-c");
	must_run(study, "set batch=512 theme=dark");
	must_run(study, "set mouse on");
	must_run(study, "step cursor +");
	must_run(study, "undo");
	assert_true(study_document(study)->values[PARAMETER_BATCH] == 256);
	assert_true(study_value(study, PARAMETER_THEME) == 2);
	assert_true(study_value(study, PARAMETER_MOUSE) == 1);
	assert_true(study_value(study, PARAMETER_CURSOR) == 1);
	must_run(study, "set theme=light");
	must_run(study, "redo");
	assert_true(study_document(study)->values[PARAMETER_BATCH] == 512);
	assert_true(study_value(study, PARAMETER_THEME) == 1);
	must_run(study, "undo");
	must_run(study, "undo");
	assert_int_equal(command_run(study, &host, "undo", &d), STATUS_INPUT);
	study_free(study);
}

/* results.work counts local costs and messages: all of them for a new batch, few for one layer, none for bytes. */
static void an_edit_redoes_only_what_it_touches(void **state)
{
	struct study *study = study_new();
	unsigned long all, generation;

	(void)state;
	must_run(study, "load bert-base");
	all = study_update(study)->work;
	assert_true(all > 1000);
	must_run(study, "set batch=512");
	assert_true(study_update(study)->work > all / 2);
	must_run(study, "pin #3 H4 mp");
	assert_in_range(study_update(study)->work, 1, all / 10);
	must_run(study, "unpin #3");
	assert_in_range(study_update(study)->work, 1, all / 10);
	must_run(study, "set precision=fp16");
	assert_int_equal(study_update(study)->work, 0);
	assert_true(study_results(study)->element_bytes == 4);
	generation = study_results(study)->generation;
	must_run(study, "set theme=dark");
	must_run(study, "set batch=512");
	assert_int_equal(study_update(study)->generation, generation);
	study_free(study);
}

/* ---- save and source ---- */

static void saved_studies_read_back(void **state)
{
	static const char *const lines[] = {
		"set batch=300 accelerators=32 solver=accpar types=3 comm_model=figures mp_output=pooled precision=bf16 theme=dark",
		"pin \"a b/c\" H2 mp", "pin \"q'k\\\"v\" op", "pin (x|y) H1 col", "pin [add]{2} full", "pin #7 dp", "pin dup H3 mp", "pin back\\slash mp",
		"pin ^no#1$ H5 op", "pin Gr\xC3\xB6\xC3\x9Ft dp", "pin +last H1 mp", "pin conv.1* H4 dp", "pin /a b\\/c|w$/ H3 dp", "pin /it's|(x)/ H2 row",
		"unpin (x|y) H3", "pin dw mp", "unpin #13 H2", "pin words H1 op",
	};
	struct study *study = study_new(), *again = study_new();
	char line[160], path[96];

	(void)state;
	must_run(study, load_nasty());
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		must_run(study, lines[i]);
	assert_int_equal(study_document(study)->pin_count, 17);
	snprintf(path, sizeof path, "%s/a 'saved' study.why", folder);
	snprintf(line, sizeof line, "save \"%s\"", path);
	must_run(study, line);
	snprintf(line, sizeof line, "source \"%s\"", path);
	must_run(again, line);
	study_set_screen(study, PARAMETER_THEME, 0);     /* the screen's own are not saved */
	assert_true(document_equal(study_document(study), study_document(again)));
	study_settle(study, NULL);
	study_settle(again, NULL);
	assert_same_results(study_results(study), study_results(again));
	assert_int_equal(study_results(study)->plan_state, FRESH);
	unlink(path);
	study_free(study);
	study_free(again);
}

/* A file is saved by its whole path, even when it is gone by now: what was kept can be mended by putting it back. */
static void files_are_saved_by_their_whole_path(void **state)
{
	static const char row[] = "operation,m,n,k,time [us]\ngemm,64,64,64,3\n";
	struct study *study = study_new();
	char whole[200], back[4096], text[2000] = "";
	FILE *saved;

	(void)state;
	must_run(study, "load lenet-c");         /* found from here alone */
	assert_non_null(getcwd(back, sizeof back));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(write_file("gone.csv", row), 0);
	must_run(study, "latencies gone.csv");
	unlink("gone.csv");
	must_run(study, "save kept.why");
	saved = fopen("kept.why", "r");
	assert_non_null(saved);
	assert_true(fread(text, 1, sizeof text - 1, saved) > 0);
	fclose(saved);
	snprintf(whole, sizeof whole, "%s/gone.csv", folder);
	assert_non_null(strstr(text, whole));
	unlink("kept.why");
	assert_int_equal(chdir(back), 0);
	study_free(study);
}

/* A pin by name pins that row alone, whatever regex its name would be. */
static void names_are_not_patterns(void **state)
{
	static const struct { const char *line; int rows; } pins[] = {
		{ "pin conv.1* mp", 1 }, { "pin (x|y) col", 1 }, { "pin [add]{2} row", 1 }, { "pin ^no#1$ mp", 1 }, { "pin dup mp", 1 }, { "pin /dup/ mp", 2 },
		{ "pin \"q'k\\\"v\" mp", 1 }, { "pin back\\slash mp", 1 }, { "pin +last mp", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof pins / sizeof *pins; i++) {
		struct study *study = study_new();
		const struct plan *plan;
		int rows = 0;

		must_run(study, load_nasty());
		must_run(study, pins[i].line);
		plan = study_update(study)->plan;
		for (int row = 0; row < plan->rows; row++)
			rows += plan->pinned[row * plan->levels];
		assert_int_equal(rows, pins[i].rows);
		study_free(study);
	}
}

/* ---- what fails ---- */

static const struct { const char *line; enum status status; const char *help; } slips[] = {
	{ "set batch=0", STATUS_INPUT, "1 to 1048576" }, { "set batch=-1", STATUS_INPUT, "1 to 1048576" }, { "set batch=1e30", STATUS_INPUT, "1 to 1048576" },
	{ "set batch=abc", STATUS_INPUT, "not a number" }, { "set batch=1.5", STATUS_INPUT, "whole" }, { "set batch=4furlongs", STATUS_INPUT, "furlongs" },
	{ "set batch=", STATUS_INPUT, "batch" }, { "set accelerators=3", STATUS_INPUT, "2 and 4" }, { "set accelerators=8192", STATUS_INPUT, "4096" },
	{ "set accelerators=0", STATUS_INPUT, "1 to 4096" }, { "set solver=hypr", STATUS_INPUT, "did you mean hypar" },
	{ "set solver=zzzz", STATUS_INPUT, "dp, mp, owt" }, { "set bacth=4", STATUS_USAGE, "did you mean batch" }, { "set zzzz=4", STATUS_USAGE, "whypar parameters" },
	{ "set batch", STATUS_USAGE, "batch=VALUE" }, { "set", STATUS_USAGE, "usage: set" }, { "set batch=512 solver=nope", STATUS_INPUT, "solver" },
	{ "set theme=dark batch=0", STATUS_INPUT, "batch" }, { "set batch=512 nosuch=1", STATUS_USAGE, "nosuch" },
	{ "sett batch=3", STATUS_USAGE, "did you mean set" }, { "frobnicate", STATUS_USAGE, "whypar commands" }, { "SET batch=3", STATUS_USAGE, "SET" },
	{ "pin dup", STATUS_USAGE, "usage: pin" }, { "pin dup H1 mp extra", STATUS_USAGE, "usage: pin" }, { "pin nosuchlayer mp", STATUS_INPUT, "no layer" },
	{ "pin wrds mp", STATUS_INPUT, "did you mean words" }, { "pin dup H13 mp", STATUS_INPUT, "H1 (outermost)" }, { "pin dup H0 mp", STATUS_INPUT, "H1 (outermost)" },
	{ "pin dup Hx mp", STATUS_INPUT, "H1 (outermost)" }, { "pin dup half", STATUS_INPUT, "dp, mp or op" }, { "pin /(/ mp", STATUS_INPUT, "character" },
	{ "pin /[z/ H2 mp", STATUS_INPUT, "character" }, { "pin #99 mp", STATUS_INPUT, "#1 to #13" }, { "pin #0 mp", STATUS_INPUT, "#1 to #13" },
	{ "pin dup row", STATUS_INPUT, "no junction" }, { "pin (x|y) mp", STATUS_INPUT, "no layer" }, { "pin dw op", STATUS_INPUT, "dp or mp" },
	{ "pin /zzz/ mp", STATUS_INPUT, "zzz" }, { "unpin", STATUS_USAGE, "usage: unpin" }, { "unpin zzz", STATUS_INPUT, "no layer" },
	{ "unpin /(/", STATUS_INPUT, "character" }, { "unpin dup H99", STATUS_INPUT, "H1 (outermost)" }, { "solve best", STATUS_INPUT, "dp, mp" },
	{ "solve", STATUS_USAGE, "usage: solve" }, { "load", STATUS_USAGE, "usage: load" }, { "load vgg-aa", STATUS_INPUT, "did you mean vgg-a" },
	{ "load /nonexistent/x.csv", STATUS_INPUT, "/nonexistent/x.csv" }, { "load /tmp", STATUS_INPUT, "folder" }, { "load \"\"", STATUS_INPUT, "whypar models" },
	{ "load /dev/null", STATUS_INPUT, "layer CSV" }, { "save /nonexistent/dir/x.why", STATUS_INPUT, "cannot write" }, { "save", STATUS_USAGE, "usage: save" },
	{ "save /tmp", STATUS_INPUT, "cannot write" }, { "source nosuch", STATUS_INPUT, "dp-or-mp" }, { "source /tmp", STATUS_INPUT, "folder" },
	{ "step nosuch +", STATUS_USAGE, "nosuch" }, { "step batch *", STATUS_USAGE, "+ nor -" }, { "step batch", STATUS_USAGE, "usage: step" },
	{ "baseline now", STATUS_USAGE, "baseline [clear]" }, { "undo 3", STATUS_USAGE, "usage: undo" },
};

static void failing_lines_change_nothing(void **state)
{
	struct study *study = study_new();
	struct document before;
	unsigned long generation;

	(void)state;
	must_run(study, load_nasty());
	must_run(study, "pin dup mp");
	must_run(study, "set batch=128");
	must_run(study, "undo");         /* so that there is something to do again, which a failure must not drop */
	study_settle(study, NULL);
	generation = study_results(study)->generation;
	document_copy(&before, study_document(study));
	for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
		struct diagnostic d = { 0 };
		enum status status = command_run(study, &host, slips[i].line, &d);

		if (status != slips[i].status || strstr(d.text, slips[i].help) == NULL)
			fail_msg("%s: status %d, \"%s\"; want %d and \"%s\"", slips[i].line, status, d.text, slips[i].status, slips[i].help);
		if (!document_equal(&before, study_document(study)))
			fail_msg("%s: changed the document", slips[i].line);
		assert_int_equal(study_update(study)->generation, generation);
	}
	must_run(study, "redo");
	must_run(study, "undo");
	must_run(study, "undo");
	assert_string_equal(said, "undid: pin dup mp");
	document_free(&before);
	study_free(study);
}

static void with_nothing_there_the_lines_say_so(void **state)
{
	static const struct { const char *line, *help; } empty[] = {
		{ "undo", "nothing to undo" }, { "redo", "nothing to redo" }, { "pin conv1 mp", "load MODEL" }, { "unpin conv1", "load MODEL" }, { "baseline", "no plan" },
	};
	struct study *study = study_new();

	(void)state;
	for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
		struct diagnostic d = { 0 };

		assert_int_equal(command_run(study, &host, empty[i].line, &d), STATUS_INPUT);
		assert_non_null(strstr(d.text, empty[i].help));
	}
	study_free(study);
}

/* The place of the line that failed; a script that sources itself ends. */
static void scripts_tell_the_line(void **state)
{
	char path[96], line[160];
	struct study *study = study_new();
	struct diagnostic d = { 0 };
	FILE *file;

	(void)state;
	snprintf(path, sizeof path, "%s/bad.why", folder);
	file = fopen(path, "w");
	fprintf(file, "# comment\n\nload lenet-c\nset batch=0\nset batch=7\n");
	fclose(file);
	snprintf(line, sizeof line, "source %s", path);
	assert_int_equal(command_run(study, &host, line, &d), STATUS_INPUT);
	assert_string_equal(d.file, path);
	assert_int_equal(d.line, 4);
	assert_true(study_document(study)->values[PARAMETER_BATCH] == 256);
	file = fopen(path, "w");
	fprintf(file, "set types=3\nsource %s\n", path);
	fclose(file);
	assert_int_equal(command_run(study, &host, line, &d), STATUS_INPUT);
	assert_non_null(strstr(d.text, "deep"));
	unlink(path);
	study_free(study);
}

static void the_remembered_baseline_stays_until_cleared(void **state)
{
	struct study *study = study_new();
	double before;

	(void)state;
	must_run(study, "load vgg-a");
	assert_true(isnan(study_update(study)->change_remembered));
	must_run(study, "baseline");
	before = study_update(study)->plan->elements;
	assert_true(study_results(study)->change_remembered == 0);
	must_run(study, "solve dp");
	assert_true(study_update(study)->change_remembered == study_results(study)->plan->elements / before - 1);
	assert_true(study_results(study)->change_remembered > 1);
	must_run(study, "undo");
	assert_true(study_update(study)->change_remembered == 0);
	must_run(study, "baseline clear");
	assert_null(study_update(study)->remembered);
	assert_true(isnan(study_results(study)->change_remembered));
	study_free(study);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(incremental_equals_from_scratch),
		cmocka_unit_test(undo_and_redo_return_exactly),
		cmocka_unit_test(undo_says_what_it_took_back),
		cmocka_unit_test(screen_parameters_are_not_undone),
		cmocka_unit_test(an_edit_redoes_only_what_it_touches),
		cmocka_unit_test(saved_studies_read_back),
		cmocka_unit_test(files_are_saved_by_their_whole_path),
		cmocka_unit_test(names_are_not_patterns),
		cmocka_unit_test(failing_lines_change_nothing),
		cmocka_unit_test(with_nothing_there_the_lines_say_so),
		cmocka_unit_test(scripts_tell_the_line),
		cmocka_unit_test(the_remembered_baseline_stays_until_cleared),
	};

	return cmocka_run_group_tests(tests, write_models, remove_models);
}
