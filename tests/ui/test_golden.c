/* Screens as text, compared with files in tests/ui/golden.
 *
 * We generated these files ourselves (`make golden`) and looked at every one: they hold the drawing, not the numbers.
 * The numbers have their own oracles in tests/unit.  A difference prints both screens. */
#include "tests/ui/lib_screen.h"

#include "base/files.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct scene {
	const char *name, *model, *script;   /* script: lines of commands */
};

static const struct scene scenes[] = {
	{ "layers", "vgg-a", "" },
	{ "edited", "vgg-a", "set mp_output=pooled\nset batch=16\nfocus conv5_2" },
	{ "pinned", "vgg-a", "focus conv5_1\ncycle\nmove right\ncycle" },
	{ "graph", "googlenet", "move page-down" },
	{ "op", "vgg-a", "set solver=accpar\nfocus fc1" },
	{ "phase", "vgg-a", "set mp_output=pooled\nfocus conv5_2\nview phase" },
	{ "models", NULL, "" },
	{ "help", "vgg-a", "help" },
	{ "formula", "vgg-a", "focus fc1\nmove right\nmove right\nmove right\nmove right\nexplain" },
	{ "dials", "vgg-a", "focus dials\nmove right\nmove right" },
	{ "pattern", "vgg-a", "press / c o n v [" },
	{ "filter", "vgg-a", "filter /conv[45]/\nsort moved down" },
	{ "lesson", "vgg-a", "say One line of a lesson, long enough to be wrapped on a narrow screen and to show that the note takes its rows from the view." },
	{ "single", "vgg-a", "set accelerators=1" },
	{ "path", "vgg-a", "set accelerators=1 batch=32\nview path\nmove down\nmove down" },
	{ "path-zoom", "resnet50", "set accelerator=tpuv3 batch=512\nview path\nfocus s3b2_conv1\nzoom in\nzoom in\nzoom in" },
	{ "network", "vgg-a", "view network\nmove down" },
	{ "network-grid", "vgg-a", "set topology=torus\nview network" },
	{ "phase-time", "vgg-a", "set objective=time latency=100us\nfocus fc1\nview phase" },
	{ "network-overlap", "resnet18", "set overlap=gradient bandwidth=1GB/s\nview network" },
	{ "network-torus", "vgg-a", "set topology=switch:4@300GB/s,10us+torus accelerators=256\nview network\nmove down" },
	{ "network-trouble", "vgg-a", "set topology=ring:8\nview network" },
	{ "pipeline", "gpt2-xl", "set accelerator=a100 accelerators=1 precision=bf16 optimizer=adam batch=64 tensor=1 pipeline=4 microbatch=4 schedule=zb-h1\nview pipeline\nmove down" },
	{ "pipeline-full", "gpt3-175b", "set accelerator=h100 accelerators=1 precision=bf16 batch=1024 tensor=4 pipeline=16 replicas=8 microbatch=4\nview pipeline\nzoom in" },
	{ "pipeline-trouble", "vgg-a", "view pipeline" },
	{ "compare", "vgg-a", "baseline\nset batch=64 bandwidth=1GB/s topology=torus\nview compare" },
	{ "search", "resnet18", "set accelerator=wham-base accelerators=1 batch=64 precision=bf16\nmine wham,wham-paper,random\nmove right\nmove down" },
	{ "search-race", "resnet18", "set accelerator=wham-base accelerators=1 batch=64 precision=bf16\nmine wham,wham-paper,rlga,bayes,random" },
	{ "search-steps", "lenet-c", "set accelerator=wham-base accelerators=1 precision=bf16\nmine wham-paper\nmove right\nmove right\nmove down" },
	{ "search-front", "lenet-c", "set accelerator=wham-base accelerators=1 precision=bf16\nmine random\npress Left Left" },
	{ "search-trouble", "vgg-a", "set accelerator=wham-base area_limit=1mm2\nview search" },
	{ "path-trouble", "vgg-a", "set glb=16B\nview path" },
};

static const struct {
	int cols, rows;
} sizes[] = { { 40, 10 }, { 80, 24 }, { 120, 30 }, { 200, 60 } };

static void run_lines(struct screen *s, const char *script)
{
	while (*script != '\0') {
		size_t length = strcspn(script, "\n");
		char line[512];

		snprintf(line, sizeof line, "%.*s", (int)length, script);
		screen_run(s, line);
		script += length + (script[length] == '\n');
	}
}

static void compare(const char *path, const char *drawn)
{
	struct diagnostic d;
	char *expected = NULL;
	size_t length;

	if (getenv("WHYPAR_GOLDEN_WRITE") != NULL) {
		assert_int_equal(file_write(path, drawn, strlen(drawn), &d), STATUS_OK);
		return;
	}
	if (file_read(path, &expected, &length, &d) != STATUS_OK)
		fail_msg("%s; make golden writes it", d.text);
	if (strcmp(expected, drawn) != 0) {
		fprintf(stderr, "# %s should be\n%s# but is\n%s", path, expected, drawn);
		memory_free(expected);
		fail_msg("%s differs; if it is meant to, make golden and look at the difference", path);
	}
	memory_free(expected);
}

static void draw_scene(const struct scene *scene, bool ascii)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct screen s;
		char path[256];

		/* seconds each time: in blocks at 80x24 and 200x60 alone */
		if (strstr(scene->script, "rlga") != NULL && (ascii || (sizes[i].cols != 80 && sizes[i].cols != 200)))
			continue;
		screen_open(&s, scene->model, sizes[i].rows, sizes[i].cols);
		screen_run(&s, ascii ? "set glyphs=ascii" : "set glyphs=block");
		s.e.message.text[0] = '\0';
		run_lines(&s, scene->script);
		snprintf(path, sizeof path, "tests/ui/golden/%s-%dx%d.%s", scene->name, sizes[i].cols, sizes[i].rows, ascii ? "ascii" : "block");
		compare(path, screen_text(&s));
		/* Our own drawing keeps to ASCII where it is asked to; names from files are not ours. */
		for (const char *c = text_string(&s.text); ascii && scene->model != NULL && *c != '\0'; c++)
			if ((unsigned char)*c >= 0x80)
				fail_msg("%s: a byte that is not ASCII", path);
		screen_close(&s);
	}
}

static void every_scene_looks_as_its_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
		for (int ascii = 0; ascii < 2; ascii++)
			draw_scene(&scenes[i], ascii);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_scene_looks_as_its_file) };

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
