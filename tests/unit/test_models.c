/* Models as they are read: published totals, real files with their counts, and bad input with the place and the fix. */
#include "base/files.h"
#include "base/memory.h"
#include "base/units.h"
#include "model/load.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reference.h"

static struct model *load_text(const char *text)
{
	struct diagnostic d;
	struct model *m;

	if (model_load_bytes("t.csv", text, strlen(text), &m, NULL, &d) != STATUS_OK)
		fail_msg("%s: %s", text, d.text);
	return m;
}

/* MACs of convolutions and matrix products, and parameters with biases and norm scales.  Sources: the ten of HyPar from their
 * tables' products; ResNets, ResNeXt, MobileNets, Inception v3 and their parameters as torchvision publishes them; AlexNet (both
 * towers) and GoogLeNet as Caffe's model zoo does; BERT, GPT-2 and OPT as their configurations in Hugging Face; GPT-3 by its paper's
 * table; GNMT as MLPerf counts it. */
static void builtin_totals_are_the_published_ones(void **state)
{
	static const struct { const char *name; int layers; int64_t macs, params; } cases[] = {
		{ "sfc", 4, 140722176, 140722176 },
		{ "sconv", 4, 12588000, 100500 },
		{ "lenet-c", 4, 2293000, 430500 },
		{ "cifar-c", 5, 12354176, 145376 },
		{ "alexnet-hypar", 8, 787720464, 16624656 },
		{ "vgg-a", 11, 7609090048, 132851392 },
		{ "vgg-b", 13, 11308466176, 133035712 },
		{ "vgg-c", 16, 11770888192, 133625536 },
		{ "vgg-d", 16, 15470264320, 138344128 },
		{ "vgg-e", 19, 19632062464, 143652544 },
		{ "alexnet", 8, 724406816, 60965224 },
		{ "resnet18", 21, 1814073344, 11689512 },
		{ "resnet34", 37, 3663761408, 21797672 },
		{ "resnet50", 54, 4089184256, 25557032 },
		{ "resnext101", 105, 16414015488, 88791336 },
		{ "googlenet", 58, 1582671872, 6998552 },
		/* without the 3326696 parameters of the auxiliary classifier */
		{ "inception-v3", 95, 5713216096, 23834568 },
		{ "mobilenet-v2", 53, 300774272, 3504872 },
		{ "mobilenet-v3", 64, 216589760, 5483032 },
		/* 12 x (4 x 768^2 + 2 x 768 x 3072) x 512 + 12 x 2 x 512^2 x 768 + 768^2 */
		{ "bert-base", 52, 48318971904, 109482240 },
		/* 24 x (12 x 1024^2 x 512 + 2 x 512^2 x 1024) + 1024^2 */
		{ "bert-large", 100, 167504773120, 335141888 },
		/* 48 x (12 x 1600^2 x 1024 + 2 x 1024^2 x 1600) + 1600 x 50257 x 1024; the published count, the head's weights being the words' */
		{ "gpt2-xl", 195, 1753351782400, 1557611200 },
		/* 24 x (12 x 2048^2 x 2048 + 2 x 2048^2 x 2048) + 2048 x 50272 x 2048; the published count */
		{ "opt-1.3b", 99, 3097074073600, 1315758080 },
		/* 96 x (12 x 12288^2 x 2048 + 2 x 2048^2 x 12288) + 12288 x 50257 x 2048; 96 x (12 x 12288^2 + 13 x 12288) and the embeddings */
		{ "gpt3-175b", 387, 367402130866176, 174604259328 },
		/* 50 x (4 x 1024 x (5 x 2048 + 4 x 3072) + 2 x 1024^2) + 2 x 50^2 x 1024 + 1024 x 32320 x 50, where the head is the last;
		 * published 160671297, of which 2049 of the attention are left out */
		{ "gnmt", 23, 6378496000, 160669248 },
	};
	struct builtin *list;
	struct diagnostic d;
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct model *m = load_reference(cases[i].name);

		assert_string_equal(m->name, cases[i].name);
		assert_string_equal(m->format, "whypar");
		assert_int_equal(m->layers, cases[i].layers);
		assert_int_equal(m->macs, cases[i].macs);
		assert_int_equal(m->params, cases[i].params);
		assert_int_equal(m->problems.total, 0);
		model_free(m);
	}
	assert_int_equal(models_builtin(&list, &count, &d), STATUS_OK);
	assert_int_equal(count, sizeof cases / sizeof *cases);
	for (size_t i = 0; i < count; i++)
		assert_true(strlen(list[i].text) > 30);
	memory_free(list);
}

static void assert_same_operator(const struct operator *a, const struct operator *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->kind, b->kind);
	assert_memory_equal(&a->in, &b->in, sizeof a->in);
	assert_memory_equal(&a->kernel, &b->kernel, sizeof a->kernel);
	assert_memory_equal(&a->stride, &b->stride, sizeof a->stride);
	assert_memory_equal(&a->pad, &b->pad, sizeof a->pad);
	assert_memory_equal(&a->conv_out, &b->conv_out, sizeof a->conv_out);
	assert_memory_equal(&a->out, &b->out, sizeof a->out);
	assert_int_equal(a->groups, b->groups);
	assert_int_equal(a->pool, b->pool);
	assert_int_equal(a->heads, b->heads);
	assert_int_equal(a->tied, b->tied);
	assert_int_equal(a->weights, b->weights);
	assert_int_equal(a->params, b->params);
	assert_int_equal(a->macs, b->macs);
	assert_int_equal(a->input_count, b->input_count);
	assert_memory_equal(a->inputs, b->inputs, (size_t)a->input_count * sizeof *a->inputs);
}

static void assert_written_reads_back(const struct model *m)
{
	struct text out = { 0 };
	struct model *again;

	model_write_csv(m, &out);
	again = load_text(out.bytes);
	assert_int_equal(again->count, m->count);
	for (int i = 0; i < m->count; i++)
		assert_same_operator(&m->operators[i], &again->operators[i]);
	assert_int_equal(again->problems.errors, 0);
	model_free(again);
	text_free(&out);
}

static void builtin_models_write_and_read_back(void **state)
{
	struct builtin *list;
	struct diagnostic d;
	size_t count;

	(void)state;
	assert_int_equal(models_builtin(&list, &count, &d), STATUS_OK);
	for (size_t i = 0; i < count; i++) {
		struct model *m = load_reference(list[i].name);

		assert_written_reads_back(m);
		model_free(m);
	}
	memory_free(list);
}

/* Names that repeat, hold separators or look like references come back through #N and quotes. */
static void awkward_names_write_and_read_back(void **state)
{
	struct model *m = load_text("name,kind,inputs,in_ch,in_h,in_w,out_ch\n"
		"a,conv,-,3,8,8,4\na,conv,,,,,4\n\"x;y\",conv,#1,,,,4\n-,conv,#1,,,,4\n\"#9\",conv,#2,,,,4\n\"q\"\"q, r\",add,#5;#4;#3;#1\n\" led\",act\n,act,\nlast,mul,\" led\";\n");

	(void)state;
	assert_int_equal(m->problems.total, 1); /* " led": blanks around names in inputs are cut, so it is not found */
	assert_int_equal(m->operators[5].input_count, 4);
	assert_int_equal(m->operators[5].inputs[0], 4);
	assert_int_equal(m->operators[5].inputs[3], 0);
	assert_written_reads_back(m);
	model_free(m);
}

/* Output sizes by hand: rows (32 + 2*2 - 5)/2 + 1 = 16, columns (20 + 2*1 - 3)/3 + 1 = 7. */
static void oblong_grouped_convolution(void **state)
{
	struct model *m = load_text("name,kind,inputs,in_ch,in_h,in_w,kernel,stride,pad,groups,out_ch\nc,conv,-,12,32,20,5x3,2x3,2x1,4,8\nd,conv,,,,,1x3,,0x1,,6\n");
	const struct operator *o = m->operators;

	(void)state;
	assert_int_equal(o->out.h, 16);
	assert_int_equal(o->out.w, 7);
	assert_int_equal(o->weights, 5 * 3 * 3 * 8);
	assert_int_equal(o->macs, 5 * 3 * 3 * 8 * 16 * 7);
	assert_int_equal(o[1].in.ch, 8);
	assert_int_equal(o[1].out.h, 16);
	assert_int_equal(o[1].out.w, 7);
	assert_int_equal(m->problems.total, 0);
	assert_written_reads_back(m);
	model_free(m);
}

/* What an empty cell means, kind by kind: name, shape out. */
static void shapes_follow_from_inputs(void **state)
{
	static const struct { const char *name; struct shape in, out; } cases[] = {
		{ "c", { 3, 9, 9 }, { 8, 4, 4 } },           /* 9 x 9, pooled by 2, rounded down */
		{ "n", { 8, 4, 4 }, { 8, 4, 4 } },
		{ "s", { 8, 4, 4 }, { 8, 4, 4 } },
		{ "k", { 24, 4, 4 }, { 24, 4, 4 } },         /* concat of three */
		{ "p", { 24, 4, 4 }, { 24, 2, 2 } },         /* window 2, stride 2 */
		{ "f", { 96, 1, 1 }, { 30, 1, 1 } },         /* a plane is flattened */
		{ "e", { 100, 7, 1 }, { 30, 7, 1 } },
		{ "q", { 30, 7, 1 }, { 36, 7, 1 } },         /* a sequence keeps its positions */
		{ "a", { 36, 7, 1 }, { 12, 7, 1 } },         /* packed q, k, v */
		{ "b", { 84, 7, 1 }, { 12, 7, 1 } },         /* q;k;v */
		{ "g", { 12, 7, 1 }, { 12, 1, 1 } },         /* global pool */
		{ "m", { 12, 7, 1 }, { 12, 7, 1 } },
	};
	struct model *m = load_text("name,kind,inputs,in_ch,in_h,in_w,kernel,stride,pad,groups,out_ch,out_h,out_w,pool,heads\n"
		"c,conv,-,3,9,9,3,1,1,,8,,,2\nn,norm\ns,add,n;c\nk,concat,s;n;c\np,pool,,,,,2,2\nf,linear,,,,,,,,,30\n"
		"e,EMBEDDING,-,100,7,,,,,,30\nq,FC,,,,,,,,,36\na,attention,,,,,,,,,,,,,4\nb,attention,a;q;q,,,,,,,,,,,,3\ng,pool,,,,,,,,,,1,1\nm,mul,b;g\n");

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_string_equal(m->operators[i].name, cases[i].name);
		assert_memory_equal(&m->operators[i].in, &cases[i].in, sizeof cases[i].in);
		assert_memory_equal(&m->operators[i].out, &cases[i].out, sizeof cases[i].out);
	}
	assert_int_equal(m->problems.total, 2);          /* b's queries, keys and values do not go together, which is told */
	assert_int_equal(m->count, sizeof cases / sizeof *cases);
	assert_int_equal(m->operators[8].macs, 2 * 12 * 7 * 7); /* QK' and AV: 2 s^2 d */
	assert_written_reads_back(m);
	model_free(m);
}

#define OURS "name,kind,inputs,in_ch,in_h,in_w,kernel,stride,pad,groups,out_ch,out_h,out_w,pool,heads\nok,conv,-,3,8,8,3,1,1,,16,,,,\n"
#define SCALE "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\nok,8,8,3,3,3,16,1,\n"
#define CONFUCIUX "K,C,Y,X,R,S,T\n16,3,8,8,3,3,1\n"
#define ACCPAR "num_layers 2\nok FC\nin_ch 4\nout_ch 5\n"

/* A bad row beside a good one: the model loads, the first problem has this place and this fix, and so many rows are opaque or out. */
static void bad_rows_are_placed_and_explained(void **state)
{
	static const struct { const char *text; unsigned long line, column; const char *fix; int opaque, skipped; } cases[] = {
		{ OURS "b,convv,,,,,,,,,4\n", 3, 2, "did you mean conv", 1, 0 },
		{ OURS "b,,,,,,,,,,4\n", 3, 2, "write one of conv, linear", 1, 0 },
		{ OURS "b,conv,oak,,,,,,,,4\n", 3, 3, "did you mean ok", 1, 0 },
		{ OURS "b,conv,b,,,,,,,,4\n", 3, 3, "names itself", 1, 0 },
		{ OURS "b,add,ok;c\nc,conv,b,,,,,,,,4\n", 3, 3, "later row (line 4)", 1, 0 },
		{ OURS "b,conv,nowhere,,,,,,,,\nc,conv,ok,16,8,8,1,,,,4\n", 3, 3, "no row is named \"nowhere\"", 1, 0 },
		{ OURS "b,conv,,-16,,,,,,,4\n", 3, 4, "is negative", 1, 0 },
		{ OURS "b,conv,,0,,,,,,,4\n", 3, 4, "from 1 to 2147483647", 1, 0 },
		{ OURS "b,conv,,16,8.5,,,,,,4\n", 3, 5, "without a fraction", 1, 0 },
		{ OURS "b,conv,,16,1e3,,,,,,4\n", 3, 5, "without a fraction or exponent", 1, 0 },
		{ OURS "b,conv,,99999999999,,,,,,,4\n", 3, 4, "from 1 to 2147483647", 1, 0 },
		{ OURS "b,conv,,2147483647,2147483647,2147483647,1,,,,2147483647\n", 3, 0, "overflows", 1, 0 },
		{ OURS "b,conv,,,,,11,,,,4\n", 3, 7, "may be 8 at most", 1, 0 },
		{ OURS "b,conv,,,,,3xx,,,,4\n", 3, 7, "such as 3x5", 1, 0 },
		{ OURS "b,conv,,,,,3,0,,,4\n", 3, 8, "from 1 to", 1, 0 },
		{ OURS "b,conv,,,,,3,1,,5,4\n", 3, 10, "5 groups do not divide 16 input channels", 1, 0 },
		{ OURS "b,conv,,,,,3,1,,4,6\n", 3, 10, "4 groups do not divide 6 output channels", 1, 0 },
		{ OURS "b,conv,,,,,3,1,,,\n", 3, 11, "number of output channels", 1, 0 },
		{ OURS "b,conv,,,,,3,1,,,4,9,\n", 3, 12, "make of 8, which is 6", 1, 0 },
		{ OURS "b,conv,,,,,3,1,,,4,,,9\n", 3, 14, "pooling by 9 does not fit", 1, 0 },
		{ OURS "b,conv,,,,,3,1,,,4,,,,2\n", 3, 15, "only attention has heads", 1, 0 },
		{ OURS "b,attention,ok,15,8,1,,,,,,,,,5\n", 3, 0, "", 0, 0 },
		{ OURS "b,attention,ok,12,8,1,,,,,,,,,5\n", 3, 15, "5 heads do not divide 4 channels", 1, 0 },
		{ OURS "b,conv,ok;ok,,,,,,,,4\n", 3, 3, "join them by an add", 1, 0 },
		{ OURS "b,conv,,,,,1,1,,,4,,,,,7\n", 3, 16, "a comma too many", 1, 0 },
		{ OURS "\"b\"x,conv,,,,,1,1,,,4\n", 3, 1, "quote", 0, 1 },
		{ OURS "b,conv,\"ok\n", 3, 3, "quote", 0, 1 },
		{ OURS "b,act,-\nc,act,b\n", 3, 4, "write the size of its input", 1, 1 },
		{ SCALE "b,-8,8,3,3,3,16,1,\n", 3, 2, "is negative", 0, 1 },
		{ SCALE "b,8,abc,3,3,3,16,1,\n", 3, 3, "is not a whole number", 0, 1 },
		{ SCALE "b,8,8,9,3,3,16,1,\n", 3, 4, "at least 9", 0, 1 },
		{ SCALE "b,8,8,3,9,3,16,1,\n", 3, 5, "at least 9", 0, 1 },
		{ SCALE "b,8,8,3,3,3,16,0,\n", 3, 8, "from 1 to", 0, 1 },
		{ SCALE "b,8,8,3,3,3\n", 3, 7, "is empty", 0, 1 },
		{ SCALE "b,2000000000,2000000000,3,3,2000000001,2000000000,1,\n", 3, 6, "overflows", 0, 1 },
		{ SCALE "b, 1, 1, 1, ,1 2, 2, 1,\n", 3, 5, "is empty", 0, 1 },
		{ CONFUCIUX "16,3,8,8,9,3,1\n", 3, 5, "write the padded size in Y", 0, 1 },
		{ CONFUCIUX "16,3,8,8,3,3,3\n", 3, 7, "neither 1", 0, 1 },
		{ CONFUCIUX "16,3,8,8\n", 3, 5, "is empty", 0, 1 },
		{ ACCPAR "b CONV\nin_ch x\n", 6, 2, "a letter, not a number", 0, 1 },
		{ ACCPAR "b FC\nin_ch 5\n", 5, 1, "add a line \"out_ch NUMBER\"", 0, 1 },
		{ ACCPAR "b FC\nin_ch 5\nout_chan 5\n", 7, 1, "did you mean out_ch", 0, 1 },
		{ "num_layers 3\nok FC\nin_ch 4\nout_ch 5\n", 1, 2, "1 layers follow", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct model *m = load_text(cases[i].text);
		const struct diagnostic *d = m->problems.items;

		if (cases[i].fix[0] == '\0') { /* the row is good but its edge is not: a warning */
			assert_true(m->problems.total > 0 && m->problems.errors == 0);
		} else if (m->problems.total == 0 || d->line != cases[i].line || d->column != cases[i].column || strstr(d->text, cases[i].fix) == NULL) {
			fail_msg("case %zu: %s: got %lu:%lu: %s", i, cases[i].text, m->problems.total ? d->line : 0, m->problems.total ? d->column : 0,
				m->problems.total ? d->text : "no problem");
		}
		assert_int_equal(m->opaque, cases[i].opaque);
		assert_int_equal(m->skipped, cases[i].skipped);
		assert_written_reads_back(m);
		model_free(m);
	}
}

/* Files of which nothing can be used: refused, with a place where there is one, and with words that help. */
static void unusable_files_are_refused_with_the_reason(void **state)
{
	static const char scale[] = "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";
	static const struct { const char *text; unsigned long line; const char *word; bool headed; } cases[] = {
		{ "", 1, "an empty file", false },
		{ " \n\n", 1, "blanks only", false },
		{ "<html><body>404</body></html>\n", 1, "web page", false },
		{ "\xEF\xBB\xBF<!DOCTYPE html>", 1, "web page", false },
		{ "{\"a\":1}", 1, "JSON", false },
		{ "\x08\x07\x12\x0bonnx-caffe2", 1, "ONNX", false },
		{ "\x01\x02\x03", 1, "binary", false },
		{ "PK\x03\x04xx", 1, "save a spreadsheet as CSV", false },
		{ "a;b;c\n1;2;3\n", 1, "semicolons", false },
		{ "a,b,c\n1,2,3\n", 1, "not one of layers", false },
		{ "kind,in_ch\nconv,3\n", 1, "without the column name", false },
		{ "once upon a time\n", 1, "unknown form", false },
		{ "name,kind\n", 0, "no layer below it", false },
		{ "name,kind\nr,act\n", 2, "no known shape", false },
		{ "Layer,M,K,N,\nx,1,2,3,\n", 1, "in this order", false },
		{ "Layer name, IFMAP Height Intraline Factor, x\nc,1,2\n", 1, "layout file", false },
		{ "conv1,-224,224,3,3,3,64,1,\n", 2, "is negative", true },
		{ "conv1,4000000000,4000000000,3,3,4000000000,4000000000,1,\n", 2, "2147483647", true },
		{ "conv1,abc,224,3,3,3,64,1,\n", 2, "is not a whole number", true },
		{ "conv1,3,3,7,7,3,64,1,\n", 2, "does not fit", true },
		{ "\"conv1,224,224,3,3,3,64,1,\n", 2, "remove the quotes", true },
		{ "\x1b]0;owned\x07" "conv,x,224,3,3,3,64,1,\n", 2, "template", true },
		{ "LSTM_igate_h, 1, B, 1, 1, H, H, 1,\n", 2, "replace its letters by numbers", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text file = { 0 };
		struct diagnostics problems;
		struct diagnostic d;
		struct model *m;

		text_add(&file, cases[i].headed ? scale : "");
		text_add(&file, cases[i].text);
		assert_int_equal(model_load_bytes("x.csv", text_string(&file), file.length, &m, &problems, &d), STATUS_INPUT);
		assert_null(m);
		if (strstr(d.text, cases[i].word) == NULL || d.line != cases[i].line || strcmp(d.file, "x.csv") != 0)
			fail_msg("case %zu: got %s:%lu: %s", i, d.file, d.line, d.text);
		assert_null(strchr(d.text, '\x1b'));
		diagnostics_free(&problems);
		text_free(&file);
	}
}

static void references_that_are_no_file(void **state)
{
	static const struct { const char *reference, *word; } cases[] = {
		{ "vgg-z", "did you mean vgg-a" }, { "resnet5", "did you mean resnet50" }, { "frobnicate", "whypar models" }, { "", "empty model name" },
		{ "/absent/x.csv", "cannot open" }, { "./vgg-a", "cannot open" }, { "../models/vgg-a", "cannot open" }, { "src", "is a folder" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diagnostic d;
		struct model *m;

		assert_int_equal(model_load(cases[i].reference, &m, NULL, &d), STATUS_INPUT);
		if (strstr(d.text, cases[i].word) == NULL)
			fail_msg("%s: %s", cases[i].reference, d.text);
	}
}

/* SCALE-Sim's many dialects: sections begin a chain anew, a ninth cell is what the header says. */
static void scalesim_dialects(void **state)
{
	struct model *m = load_text("\xEF\xBB\xBFLayer name,\xC2\xA0IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Stride height, Stride width,\r\n"
		",,,,,,,,\r\nOne,\r\n \ta\t, 10, 12, 3, 3, 3, 8, 2, 3, \r\na,4,4,1,1,8,16,1 #dw\r\n# a, 1\r\nTwo\r\nq', 5,5,5,5,1,1,1,,,9,9 , #,x");
	const struct operator *o = m->operators;

	(void)state;
	assert_string_equal(m->format, "scalesim-conv");
	assert_int_equal(m->count, 2);
	assert_int_equal(m->skipped, 1);                   /* "1 #dw" is no stride: the comment has no comma before it */
	assert_int_equal(m->problems.items[0].line, 5);
	assert_string_equal(o[0].name, "a");
	assert_int_equal(o[0].out.h, 5);                   /* ceil(7 / 2) + 1 */
	assert_int_equal(o[0].out.w, 4);                   /* 9 / 3 + 1 */
	assert_int_equal(o[0].inputs[0], MODEL_INPUT);
	assert_string_equal(o[1].name, "q'");
	assert_int_equal(o[1].inputs[0], MODEL_INPUT);
	model_free(m);
	m = load_text("a\t9\t9\t3\t3\t1\t4\t1\nb\t7\t7\t7\t7\t4\t2\t1\n");
	assert_int_equal(m->count, 2);
	assert_int_equal(m->problems.total, 1);            /* no header */
	assert_int_equal(m->operators[1].inputs[0], 0);
	model_free(m);
	m = load_text("Layer,M,N,K,\n1,32,64,128,\n2,32,10,64,\n");
	assert_string_equal(m->format, "scalesim-gemm");
	assert_int_equal(m->macs, 32 * 64 * 128 + 32 * 10 * 64);
	assert_int_equal(m->operators[0].in.h, 32);
	model_free(m);
}

/* The next cell of a line of golden/scalesim_files.csv, none of whose first four has quotes. */
static const char *next_cell(char **at)
{
	char *from = *at, *end = from + strcspn(from, ",\n");

	*at = *end != '\0' ? end + 1 : end;
	*end = '\0';
	return from;
}

static void check_scalesim_file(const char *file, const char *kind, int layers, int64_t macs)
{
	struct text path = { 0 };
	struct diagnostic d;
	struct model *m;

	text_printf(&path, "corpus/scalesim/%s", file);
	if (strcmp(kind, "layout") == 0 || layers == 0) {
		assert_int_equal(model_load(shared_path(path.bytes), &m, NULL, &d), STATUS_INPUT);
		assert_non_null(strstr(d.text, strcmp(kind, "layout") == 0 ? "layout" : "replace its letters"));
	} else {
		m = load_reference(shared_path(path.bytes));
		assert_int_equal(m->layers, layers);
		assert_int_equal(m->macs, macs);
		assert_string_equal(m->format, strcmp(kind, "gemm") == 0 ? "scalesim-gemm" : "scalesim-conv");
		assert_written_reads_back(m);
		model_free(m);
	}
	text_free(&path);
}

static void real_scalesim_files_have_their_layers_and_macs(void **state)
{
	char line[4096];
	FILE *golden = fopen(shared_path("golden/scalesim_files.csv"), "r");
	int files = 0;

	(void)state;
	if (golden == NULL)
		skip();
	assert_non_null(fgets(line, sizeof line, golden));
	while (fgets(line, sizeof line, golden) != NULL) {
		char *at = line;
		const char *file = next_cell(&at), *kind = next_cell(&at), *layers = next_cell(&at), *macs = next_cell(&at);

		check_scalesim_file(file, kind, atoi(layers), strtoll(macs, NULL, 10));
		files++;
	}
	fclose(golden);
	assert_int_equal(files, 70);
}

static void real_confuciux_and_accpar_files(void **state)
{
	static const struct { const char *file; int layers; int64_t macs; } cases[] = {
		{ "confuciux/alexnet.csv", 5, 1485153024 }, { "confuciux/densenet.csv", 160, 7799308416 }, { "confuciux/example.csv", 2, 268738560 },
		{ "confuciux/googlenet.csv", 59, 1651267328 }, { "confuciux/mnasnet.csv", 52, 347058048 }, { "confuciux/mobilenet_v2.csv", 52, 340401216 },
		{ "confuciux/resnet18.csv", 20, 2269170432 }, { "confuciux/resnet50.csv", 53, 5823990528 }, { "confuciux/resnext50_32x4d.csv", 53, 14581582592 },
		{ "confuciux/shufflenet_v2.csv", 56, 169964408 }, { "confuciux/squeezenet.csv", 26, 1266696320 }, { "confuciux/vgg16.csv", 13, 13884537600 },
		{ "confuciux/wide_resnet50.csv", 53, 14581582592 },
		/* out x pool: 55^2 x 34848 + 54^2 x 614400 + 26^2 x 884736 + 13^2 x 1327104 + 12^2 x 884736 + 58621952 */
		{ "accpar/Alexnet.txt", 8, 2905391648 }, { "accpar/Vgg11.txt", 11, 7609090048 },
	};
	struct text path = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct model *m;
		FILE *file;

		text_clear(&path);
		text_printf(&path, "corpus/%s", cases[i].file);
		file = fopen(shared_path(path.bytes), "r");
		if (file == NULL) {
			text_free(&path);
			skip();
		}
		fclose(file);
		m = load_reference(shared_path(path.bytes));
		assert_int_equal(m->layers, cases[i].layers);
		assert_int_equal(m->macs, cases[i].macs);
		assert_int_equal(m->problems.total, 0);
		assert_written_reads_back(m);
		model_free(m);
	}
	text_free(&path);
}

static void golden_graphs_and_networks_load_without_a_word(void **state)
{
	static const char *const folders[] = { "golden/graphs", "golden/networks" };
	int files = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		DIR *folder = opendir(shared_path(folders[i]));
		struct dirent *entry;

		if (folder == NULL)
			skip();
		while ((entry = readdir(folder)) != NULL) {
			char path[512];
			struct model *m;

			if (strstr(entry->d_name, ".csv") == NULL)
				continue;
			snprintf(path, sizeof path, "%s/%.200s", folders[i], entry->d_name);
			m = load_reference(shared_path(path));
			assert_int_equal(m->problems.total, 0);
			assert_written_reads_back(m);
			model_free(m);
			files++;
		}
		closedir(folder);
	}
	assert_true(files >= 19);
}

/* The built-in ten of HyPar are those of golden/networks, to the last size. */
static void hypar_networks_are_the_golden_ones(void **state)
{
	static const char *const pairs[][2] = {
		{ "sfc", "SFC" }, { "sconv", "SCONV" }, { "lenet-c", "Lenet-c" }, { "cifar-c", "Cifar-c" }, { "alexnet-hypar", "AlexNet" },
		{ "vgg-a", "VGG-A" }, { "vgg-b", "VGG-B" }, { "vgg-c", "VGG-C" }, { "vgg-d", "VGG-D" }, { "vgg-e", "VGG-E" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct model *ours = load_reference(pairs[i][0]), *golden;
		struct diagnostic d;
		char file[64];

		snprintf(file, sizeof file, "golden/networks/%s.csv", pairs[i][1]);
		if (model_load(shared_path(file), &golden, NULL, &d) != STATUS_OK) {
			model_free(ours);
			skip();
		}
		assert_int_equal(ours->count, golden->count);
		for (int row = 0; row < ours->count; row++)
			assert_same_operator(&ours->operators[row], &golden->operators[row]);
		model_free(ours);
		model_free(golden);
	}
}

/* Real files with some bytes changed load or are refused, and never crash or hang.  Seed fixed. */
static void damaged_files_do_no_harm(void **state)
{
	static const char marks[] = ",;\n\"#-09x.eZ\t\r\x1b\xFF";
	static const char *const names[] = { "vgg-a", "resnet18", "bert-base", "alexnet" };
	uint32_t seed = 88172645u;

	(void)state;
	for (int round = 0; round < 400; round++) {
		char path[4096], *bytes, name[64];
		struct diagnostics problems;
		struct diagnostic d;
		struct model *m;
		size_t length;

		snprintf(name, sizeof name, "models/%s.csv", names[round % 4]);
		assert_true(data_find(name, path, sizeof path));
		assert_int_equal(file_read(path, &bytes, &length, &d), STATUS_OK);
		for (int i = 0; i < 1 + round % 40; i++) {
			seed = seed * 1664525u + 1013904223u;
			bytes[(seed >> 8) % length] = marks[(seed >> 3) % (sizeof marks - 1)];
		}
		if (model_load_bytes("damaged.csv", bytes, length, &m, &problems, &d) == STATUS_OK) {
			for (int i = 0; i < m->count; i++)
				for (int j = 0; j < m->operators[i].input_count; j++)
					assert_true(m->operators[i].inputs[j] < i);
			assert_written_reads_back(m);
			model_free(m);
		} else {
			assert_true(d.text[0] != '\0');
			diagnostics_free(&problems);
		}
		memory_free(bytes);
	}
}

/* 10 000 rows, good and then each with a bad reference; how fast is for the bench. */
static void long_files_load_whole(void **state)
{
	(void)state;
	for (int bad = 0; bad < 2; bad++) {
		struct text file = { 0 };
		struct model *m;

		text_add(&file, "name,kind,inputs,in_ch,in_h,in_w,kernel,stride,pad,groups,out_ch\n");
		for (int i = 0; i < 10000; i++)
			text_printf(&file, "conv%d,conv,%s%d,64,56,56,3,1,1,1,64\n", i, i == 0 ? "-#" : bad ? "cnov" : "conv", i - 1);
		memcpy(strstr(file.bytes, "-#-1"), "   -", 4);
		m = load_text(file.bytes);
		assert_int_equal(m->count, 10000);
		assert_int_equal(m->opaque, bad ? 9999 : 0);
		model_free(m);
		text_free(&file);
	}
}

static int find_data(void **state)
{
	(void)state;
	return setenv("WHYPAR_DATA", "data", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builtin_totals_are_the_published_ones),
		cmocka_unit_test(builtin_models_write_and_read_back),
		cmocka_unit_test(awkward_names_write_and_read_back),
		cmocka_unit_test(oblong_grouped_convolution),
		cmocka_unit_test(shapes_follow_from_inputs),
		cmocka_unit_test(bad_rows_are_placed_and_explained),
		cmocka_unit_test(unusable_files_are_refused_with_the_reason),
		cmocka_unit_test(references_that_are_no_file),
		cmocka_unit_test(scalesim_dialects),
		cmocka_unit_test(real_scalesim_files_have_their_layers_and_macs),
		cmocka_unit_test(real_confuciux_and_accpar_files),
		cmocka_unit_test(golden_graphs_and_networks_load_without_a_word),
		cmocka_unit_test(hypar_networks_are_the_golden_ones),
		cmocka_unit_test(damaged_files_do_no_harm),
		cmocka_unit_test(long_files_load_whole),
	};

	return cmocka_run_group_tests(tests, find_data, NULL);
}
