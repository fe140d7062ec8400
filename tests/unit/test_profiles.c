/* Layer graphs of PipeDream and Piper: as problems of stages, with sums by hand, and as models; real files where they are at hand. */
#include "pipeline/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "tests/unit/reference.h"

#define TIMES(f, b, a, p) "forward_compute_time=" #f ", backward_compute_time=" #b ", activation_size=" #a ", parameter_size=" #p "\n"

/* Samples of 2: a picture of 3 x 4 x 4, a convolution, a sum of its two branches, a window, a flattening with a number for it, a product, and an LSTM that prints
 * no sizes we know.  The file's order is any. */
static const char small[] =
	"node8 -- LSTM(5, 5) -- " TIMES(8.000, 16.000, [40.0; 8.0; 8.0], 880.000)
	"node2 -- Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1)) -- " TIMES(1.000, 2.000, 512.000, 448.000)
	"node1 -- Input -- " TIMES(99.000, 0.000, 384.000, 0.000)
	"node3 -- ReLU(inplace) -- " TIMES(0.500, 0.250, 512.000, 0.000)
	"node4 -- Add -- " TIMES(0.125, 0.125, 512.000, 0.000)
	"node5 -- MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False) -- " TIMES(0.250, 0.500, 128.000, 0.000) "\r\n"
	"node6 -- Size(0) -- " TIMES(0.000, 0.000, 4.000, 0.000)
	"node9 -- View(16) -- " TIMES(0.000, 0.000, 128.000, 0.000)
	"node7 -- Linear(in_features=16, out_features=5, bias=True) -- " TIMES(2.000, 4.000, 40.000, 340.000)
	"\tnode1 -- node2\n\tnode2 -- node3\n\tnode3 -- node4\n\tnode2 -- node4\n\tnode4 -- node5\n\tnode5 -- node6\n\tnode6 -- node9\n\tnode5 -- node9\n\tnode9 -- node7\n"
	"\tnode7 -- node8\n\tnode4 -- node8";

static struct staging_problem read_problem(const char *text, struct profile_limits *limits)
{
	struct staging_problem p;
	struct diagnostic d;

	if (profile_read("graph", text, strlen(text), limits, &p, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	return p;
}

static void set(struct profile_limits *limits, const char *word)
{
	struct diagnostic d;

	if (profile_limit_parse(word, limits, &d) != STATUS_OK)
		fail_msg("%s: %s", word, d.text);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

static void pipedream_sums_are_those_of_the_lines(void **state)
{
	struct profile_limits limits = { .set = { false } };
	struct staging_problem p;
	struct staging s;
	struct diagnostic d;

	(void)state;
	set(&limits, "devices=1");
	set(&limits, "microbatches=1");
	p = read_problem(small, &limits);
	assert_int_equal(p.layer_count, 8);      /* but for the input */
	assert_string_equal(p.graphs[0].layers[0].name, "node2");
	assert_string_equal(p.graphs[0].layers[7].name, "node8");
	assert_true(limits.assumed[PROFILE_MEMORY] && !limits.assumed[PROFILE_DEVICES] && p.memory == 0x1p34);
	assert_int_equal(staging_solve(&p, &s, &d), STATUS_OK);
	/* 1 + .5 + .125 + .25 + 2 + 8 and twice the like, in ms */
	assert_true(near(s.seconds, 11.875e-3 + 22.875e-3));
	/* twice the parameters, and everything that is handed on: 512 x 3 + 128 + 4 + 128 + 40 + 56 */
	assert_true(near(s.max_memory, 2 * (448 + 340 + 880) + 1892));
	staging_free(&s);
	staging_problem_free(&p);
}

/* A chain of 3, 3 and 6 ms: two devices cut it in front of the last, which waits for 4 MB at 4 GB/s. */
static void pipedream_edges_carry_what_is_handed_on(void **state)
{
	static const char chain[] = "node1 -- a -- " TIMES(1, 2, 1e6, 10) "node2 -- b -- " TIMES(1, 2, 4000000, 10) "node3 -- c -- " TIMES(2, 4, 8, 10) "\tnode1 -- node2\nnode2 -- node3\n";
	struct profile_limits limits = { .set = { false } };
	struct staging_problem p;
	struct staging s;
	struct diagnostic d;

	(void)state;
	set(&limits, "devices=2");
	set(&limits, "microbatches=100");
	set(&limits, "bandwidth=4GB/s");
	set(&limits, "memory=6.1MB");            /* all on one device is 5000028 + 60 for one, the first of two 5000000 more */
	p = read_problem(chain, &limits);
	assert_int_equal(staging_solve(&p, &s, &d), STATUS_OK);
	/* two copies of the whole: 12 ms x 50, and 4 (2 - 1) / 2 x 30 bytes */
	assert_int_equal(s.stage_count, 1);
	assert_true(near(s.seconds, 12e-3 * 50 + 2 * 30 / 4e9));
	staging_free(&s);
	staging_problem_free(&p);
	set(&limits, "memory=20MB");
	limits.values[PROFILE_MICROBATCHES] = 1;
	p = read_problem(chain, &limits);
	p.borders = (const signed char[]){ -1, 1 };
	assert_int_equal(staging_solve(&p, &s, &d), STATUS_OK);
	assert_int_equal(s.stage_count, 2);
	assert_true(near(s.stages[0].load, 6e-3 + 1e-3) && near(s.stages[1].load, 6e-3 + 1e-3));
	assert_true(near(s.stages[0].memory, 40 + 2 * 5000000.0) && near(s.stages[1].memory, 20 + 8));
	staging_free(&s);
	staging_problem_free(&p);
}

#define WAY(id, time, w, a, b, fw, bw) "{\"id\":\"" id "\",\"timePerSample\":" #time ",\"parameterSize\":" #w ",\"memoryUsageA\":" #a ",\"memoryUsageB\":" #b ",\"syncTimeFw\":{" fw "},\"syncTimeBw\":{" bw "}}"

static const char piper[] = "{\"maxDevices\":2,\"maxMemoryPerDevice\":100,\"bandwidth\":1000,\"mbsInBatch\":4,\"nodes\":["
	"{\"id\":7,\"name\":\"x\",\"TMPCs\":{\"2\":[" WAY("plain", 1.5, 8, 10, 15, "\"3\":30", "") "],\"1\":[" WAY("plain", 3, 16, 20, 30, "\"3\":0", "") "," WAY("recomp", 3.5, 16, 5, 40, "", "") "]}},"
	"{\"id\":3,\"name\":\"x\",\"TMPCs\":{\"1\":[" WAY("plain", 6, 24, 30, 50, "", "\"7\":0") "," WAY("recomp", 8, 24, 10, 60, "", "") "],\"2\":[" WAY("plain", 3, 12, 20, 25, "", "\"7\":40") "],"
	"\"4\":[" WAY("plain", 1, 1, 1, 1, "", "") "]}}],\"edges\":[{\"sourceId\":3,\"destId\":7,\"communicationCost\":100}]}";

static void piper_ways_are_graphs(void **state)
{
	struct profile_limits limits = { .set = { false } };
	struct staging_problem p = read_problem(piper, &limits);
	struct staging s;
	struct diagnostic d;

	(void)state;
	/* width 4 is not there of all layers */
	assert_int_equal(p.graph_count, 3);
	assert_true(p.graphs[0].width == 1 && p.graphs[1].width == 1 && p.graphs[2].width == 2);
	assert_string_equal(p.graphs[0].way, "plain");
	assert_string_equal(p.graphs[1].way, "recomp");
	assert_string_equal(p.graphs[0].layers[0].name, "x-3");
	/* recomputing takes 2 s more, one forward; width 2 has nothing to tell it by, and so takes a third */
	assert_true(near(p.graphs[0].layers[0].forward, 2) && near(p.graphs[0].layers[0].backward, 4));
	assert_true(near(p.graphs[1].layers[0].forward, 2) && near(p.graphs[1].layers[0].backward, 6));
	assert_true(near(p.graphs[2].layers[0].forward, 1) && near(p.graphs[2].layers[0].backward, 2));
	/* 100 B and the larger sync */
	assert_true(p.graphs[0].edges[0].bytes == 100 && p.graphs[2].edges[0].bytes == 140);
	assert_true(!p.graphs[0].layers[0].tensor && p.graphs[2].layers[0].tensor);
	assert_true(p.devices == 2 && p.microbatches == 4 && p.bandwidth == 1000 && p.memory == 100);
	/* The whole plain at width 1 holds 130 > 100 in one stage.  In two the first holds 2 x 30 + 50 = 110, recomputing 2 x 10 + 60, and takes 8.1 s: 5 x 8.1 in all.
	 * Width 2 holds 30 + 40 in one stage and takes 4.5 s, 4 times: the least. */
	assert_int_equal(staging_solve(&p, &s, &d), STATUS_OK);
	assert_true(s.tensor == 2 && s.stage_count == 1 && s.graph == 2 && near(s.seconds, 18) && near(s.max_memory, 70));
	staging_free(&s);
	p.graph_count = 2;
	p.memory = 100;
	assert_int_equal(staging_solve(&p, &s, &d), STATUS_OK);
	assert_int_equal(s.graph, 1);
	staging_free(&s);
	staging_problem_free(&p);
}

/* ---- models ---- */

static struct model *read_model(const char *text)
{
	struct model *m;
	struct diagnostic d;

	if (model_load_bytes("graph", text, strlen(text), &m, NULL, &d) != STATUS_OK)
		fail_msg("%lu: %s", d.line, d.text);
	return m;
}

static void assert_read_back(const struct model *m)
{
	struct text csv = { 0 };
	struct model *again;

	model_write_csv(m, &csv);
	again = read_model(text_string(&csv));
	assert_true(again->count == m->count && again->macs == m->macs && again->params == m->params);
	model_free(again);
	text_free(&csv);
}

static void modules_become_their_rows(void **state)
{
	struct model *m = read_model(small);
	const struct operator *o = m->operators;

	(void)state;
	assert_string_equal(m->format, "pipedream");
	/* 2 to 5, 9, 7, and 8 with what joins its inputs */
	assert_int_equal(m->count, 8);
	assert_int_equal(m->layers, 3);
	assert_true(o[0].kind == OPERATOR_CONV && o[0].in.ch == 3 && o[0].in.h == 4 && o[0].out.ch == 4 && o[0].out.h == 4 && o[0].bias && o[0].params == 112);
	assert_true(o[0].fwd_s == 1e-3 && o[0].bwd_s == 2e-3 && o[0].line == 2);
	assert_true(o[1].kind == OPERATOR_ACT && o[1].inputs[0] == 0 && o[1].fwd_s == 0.5e-3);
	assert_true(o[2].kind == OPERATOR_ADD && o[2].input_count == 2 && o[2].inputs[0] == 0 && o[2].inputs[1] == 1);
	assert_true(o[3].kind == OPERATOR_POOL && o[3].kernel.h == 2 && o[3].out.h == 2);
	assert_true(o[4].kind == OPERATOR_ACT && o[4].input_count == 1 && o[4].inputs[0] == 3);
	assert_true(o[5].kind == OPERATOR_LINEAR && o[5].in.ch == 16 && o[5].out.ch == 5 && o[5].params == 85);
	assert_string_equal(o[5].name, "node7");
	/* 220 = 20 x 11 */
	assert_true(o[6].kind == OPERATOR_CONCAT && o[6].input_count == 2 && o[6].fwd_s == 0);
	assert_true(o[7].kind == OPERATOR_LINEAR && o[7].in.ch == 20 && o[7].out.ch == 11 && o[7].inputs[0] == 6 && o[7].fwd_s == 8e-3);
	assert_int_equal(m->problems.errors, 0);
	assert_int_equal(m->problems.total, 2);
	assert_non_null(strstr(m->problems.items[0].text, "with 2 samples"));
	assert_non_null(strstr(m->problems.items[1].text, "1 layer, node8, LSTM(5, 5)"));
	assert_read_back(m);
	model_free(m);
}

static void piper_layers_become_squares(void **state)
{
	struct model *m = read_model(piper);

	(void)state;
	assert_string_equal(m->format, "piper");
	assert_true(m->count == 2 && m->layers == 2 && m->operators[0].weights == 6 && m->operators[1].weights == 4);
	assert_true(near(m->operators[0].fwd_s, 2) && near(m->operators[0].bwd_s, 4) && near(m->operators[1].fwd_s, 0.5));
	assert_int_equal(m->operators[1].inputs[0], 0);
	assert_read_back(m);
	model_free(m);
}

/* What is wrong, where, and what a model makes of the rest: layers that stay; 0: refused. */
static void what_is_wrong_is_told_where(void **state)
{
	static const char good[] = "node1 -- Linear(in_features=2, out_features=2, bias=False) -- " TIMES(1, 1, 16, 16);
	static const struct { const char *more, *phrase; unsigned long line, column; int rows; } cases[] = {
		{ "node2 -- x -- forward_compute_time=1, backward_compute_time=1, activation_size=16\n", "parameter_size is missing", 2, 1, 2 },
		{ "node2 -- x -- forward_compute_time=fast, backward_compute_time=1, activation_size=16, parameter_size=1\n", "forward_compute_time=fast", 2, 36, 2 },
		{ "node2 -- x -- forward_compute_time=1, backward_compute_time=-1, activation_size=16, parameter_size=1\n", "number from 0", 2, 61, 2 },
		{ "node2 -- x -- forward_compute_time=1, backward_compute_time=1, activation_size=[1; 2, parameter_size=1\n", "or several as [A; B]", 2, 80, 2 },
		{ "node2 -- x -- forward_compute_time=1 backward_compute_time=1, activation_size=1, parameter_size=1\n", "a comma and the next key", 2, 38, 2 },
		{ "node2 -- x -- forward_compute_time=1, forward_compute_time=1, activation_size=1, parameter_size=1\n", "is there twice", 2, 60, 2 },
		{ "node2 -- module of many words\n", "no forward_compute_time", 2, 6, 2 }, { "nonsense\n", "neither a layer nor an edge", 2, 1, 1 },
		{ "node1 -- y -- " TIMES(1, 1, 1, 1), "a second layer node1, after that of line 1", 2, 1, 1 },
		{ "\tnode1 -- node9\n", "\"node9\" is no layer", 2, 11, 1 }, { "\tnode1 node9\n", "is no edge", 2, 2, 1 }, { "\n\tnode1 -- node1\n", "reads itself", 3, 2, 1 },
		{ "node2 -- y -- " TIMES(1, 1, 1, 1) "\tnode1 -- node2\n\tnode2 -- node1\n", "closes a circle", 3, 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text text = { 0 };
		struct staging_problem p;
		struct model *m;
		struct diagnostic d = { .line = 0 };

		text_printf(&text, "%s%s", good, cases[i].more);
		assert_int_equal(profile_read("graph", text_string(&text), text.length, NULL, &p, &d), STATUS_INPUT);
		if (strstr(d.text, cases[i].phrase) == NULL || (d.line != cases[i].line && cases[i].rows > 0) || d.column != cases[i].column)
			fail_msg("case %zu: %lu:%lu \"%s\"", i, d.line, d.column, d.text);
		assert_int_equal(model_load_bytes("graph", text_string(&text), text.length, &m, NULL, &d), cases[i].rows > 0 ? STATUS_OK : STATUS_INPUT);
		if (cases[i].rows > 0) {
			assert_int_equal(m->count, cases[i].rows);
			assert_int_equal(m->problems.errors, 1);
			assert_true(m->problems.items[0].line == cases[i].line && m->problems.items[0].column == cases[i].column);
			assert_read_back(m);
			model_free(m);
		}
		text_free(&text);
	}
}

/* Each is the file above with one thing put in another's place. */
static void what_is_wrong_in_json_is_told_by_its_keys(void **state)
{
	static const struct { const char *from, *to, *phrase; } cases[] = {
		{ "\"id\":3", "\"id\":7", "that of another layer" }, { "\"id\":3", "\"id\":\"3\"", "nodes[1].id: is no whole number" }, { "\"nodes\":[", "\"nodes\":[[],", "nodes[0].id" },
		{ "\"timePerSample\":6", "\"timePerSample\":-6", "nodes[1].TMPCs.1 (plain).timePerSample: -6 is out of range" }, { "\"memoryUsageA\":20,", "", "memoryUsageA: is missing" },
		{ "\"destId\":7", "\"destId\":8", "edges[0]: does not join" }, { "\"communicationCost\":100", "\"communicationCost\":\"a\"", "edges[0].communicationCost: is no number" },
		{ "}]}", "},{\"sourceId\":7,\"destId\":3,\"communicationCost\":1}]}", "closes a circle" }, { "\"4\":[", "\"four\":[", "a width is a whole number" },
		{ "\"maxDevices\":2", "\"maxDevices\":2e7", "devices of 2e+07 in the file" }, { "\"edges\":[", "\"edges\":{", "no JSON" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *at = strstr(piper, cases[i].from);
		struct text text = { 0 };
		struct staging_problem p;
		struct diagnostic d = { .text = "" };

		/* the last of those that there are several of */
		for (const char *next = at; strcmp(cases[i].from, "}]}") == 0 && next != NULL; next = strstr(next + 1, cases[i].from))
			at = next;
		assert_non_null(at);
		text_printf(&text, "%.*s%s%s", (int)(at - piper), piper, cases[i].to, at + strlen(cases[i].from));
		assert_int_equal(profile_read("graph", text_string(&text), text.length, NULL, &p, &d), STATUS_INPUT);
		if (strstr(d.text, cases[i].phrase) == NULL)
			fail_msg("case %zu: \"%s\"", i, d.text);
		text_free(&text);
	}
}

/* ---- real files ---- */

static char *read_shared(const char *file, size_t *length)
{
	FILE *there = shared_open(file);
	struct diagnostic d;
	char *bytes;

	if (there == NULL)
		skip();
	fclose(there);
	assert_int_equal(file_read(shared_path(file), &bytes, length, &d), STATUS_OK);
	return bytes;
}

/* MACs and parameters are those of torchvision's networks; times are summed from the lines, those of Input left out. */
static void real_pipedream_graphs(void **state)
{
	static const struct { const char *file; int64_t macs, params; int layers; double forward, backward; } cases[] = {
		{ "corpus/pipedream/alexnet.graph.txt", 714188480, 61100840, 22, 44.801e-3, 40.520e-3 },
		{ "corpus/pipedream/vgg16.graph.txt", 15470264320, 138357544, 40, 233.902e-3, 438.633e-3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double forward = 0, backward = 0;
		struct staging_problem p;
		struct model *m;
		struct diagnostic d;
		size_t length;
		char *bytes = read_shared(cases[i].file, &length);

		assert_int_equal(profile_read("graph", bytes, length, NULL, &p, &d), STATUS_OK);
		assert_int_equal(p.layer_count, cases[i].layers);
		for (int v = 0; v < p.layer_count; v++) {
			forward += p.graphs[0].layers[v].forward;
			backward += p.graphs[0].layers[v].backward;
		}
		assert_true(near(forward, cases[i].forward) && near(backward, cases[i].backward));
		staging_problem_free(&p);
		memory_free(bytes);
		m = load_reference(shared_path(cases[i].file));
		assert_true(m->macs == cases[i].macs && m->params == cases[i].params && m->problems.errors == 0);
		assert_read_back(m);
		model_free(m);
	}
}

static void a_real_piper_graph(void **state)
{
	struct profile_limits limits = { .set = { false } };
	struct staging_problem p;
	struct staging s;
	struct model *m;
	struct diagnostic d;
	size_t length;
	char *bytes = read_shared("corpus/piper/bert32a100.json", &length);

	(void)state;
	set(&limits, "devices=1");
	set(&limits, "microbatches=1");
	assert_int_equal(profile_read("graph", bytes, length, &limits, &p, &d), STATUS_OK);
	assert_true(p.layer_count == 37 && p.graph_count == 8 && p.graphs[0].edge_count == 67 && p.memory == 80e9);
	assert_int_equal(staging_solve(&p, &s, &d), STATUS_OK);
	/* width 1, plain: the sums of timePerSample and of memoryUsageA + memoryUsageB */
	assert_true(s.graph == 0 && near(s.seconds, 0.972864) && near(s.max_memory, 19457540096.0 + 11758963200.0));
	staging_free(&s);
	staging_problem_free(&p);
	memory_free(bytes);
	m = load_reference(shared_path("corpus/piper/bert32a100.json"));
	assert_true(m->count == 34 && m->layers == 34 && m->params == 5879481600 / 4);
	assert_read_back(m);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipedream_sums_are_those_of_the_lines),
		cmocka_unit_test(pipedream_edges_carry_what_is_handed_on),
		cmocka_unit_test(piper_ways_are_graphs),
		cmocka_unit_test(modules_become_their_rows),
		cmocka_unit_test(piper_layers_become_squares),
		cmocka_unit_test(what_is_wrong_is_told_where),
		cmocka_unit_test(what_is_wrong_in_json_is_told_by_its_keys),
		cmocka_unit_test(real_pipedream_graphs),
		cmocka_unit_test(a_real_piper_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
