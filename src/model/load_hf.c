/* Hugging Face config.json: the sizes of a transformer, from which its graph is made.
 *
 * A family (model_type) says under which keys its sizes stand and how its blocks are built; the graph is the published architecture: embeddings,
 * blocks, head and loss.  Rotary, relative and ALiBi positions have no weights worth a row and are left out. */
#include "model/loader.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum trait {
	BIASES = 1,              /* every linear layer of a block has one */
	QKV_BIAS = 2,            /* queries, keys and values alone */
	RMS = 4,                 /* norms scale only */
	GATED = 8,               /* the hidden layer times a gate of the same size */
	LEARNED = 16,            /* an embedding of positions */
	EMBED_NORM = 32,
	POST_NORM = 64,          /* norms behind the sums, none at the end */
	TIED = 128,              /* the head has the words' weights, unless tie_word_embeddings says otherwise */
	OFFSET = 256,            /* two positions more than are used */
	PARALLEL = 512,          /* attention and hidden layers read the same, unless use_parallel_residual says otherwise */
	ENCODER = 1024,          /* its head is a pooler, or one for masked words */
	EXPERTS = 2048
};

struct family {
	const char *type;        /* model_type */
	/* keys, the first that is there counts; "" where there is none */
	const char *hidden[3], *layers[3], *heads[3], *ffn, *positions[3];
	int traits;
};

static const struct family families[] = {
	{ "gpt2", { "n_embd" }, { "n_layer" }, { "n_head" }, "n_inner", { "n_positions", "n_ctx" }, BIASES | LEARNED | TIED },
	{ "llama", { "hidden_size" }, { "num_hidden_layers" }, { "num_attention_heads" }, "intermediate_size", { "max_position_embeddings" }, RMS | GATED },
	{ "mistral", { "hidden_size" }, { "num_hidden_layers" }, { "num_attention_heads" }, "intermediate_size", { "max_position_embeddings" }, RMS | GATED },
	{ "qwen2", { "hidden_size" }, { "num_hidden_layers" }, { "num_attention_heads" }, "intermediate_size", { "max_position_embeddings" }, RMS | GATED | QKV_BIAS },
	{ "mixtral", { "hidden_size" }, { "num_hidden_layers" }, { "num_attention_heads" }, "intermediate_size", { "max_position_embeddings" }, RMS | GATED | EXPERTS },
	{ "gpt_neox", { "hidden_size" }, { "num_hidden_layers" }, { "num_attention_heads" }, "intermediate_size", { "max_position_embeddings" }, BIASES | PARALLEL },
	{ "opt", { "hidden_size" }, { "num_hidden_layers" }, { "num_attention_heads" }, "ffn_dim", { "max_position_embeddings" }, BIASES | LEARNED | OFFSET | TIED },
	{ "bloom", { "hidden_size", "n_embed" }, { "n_layer", "num_hidden_layers" }, { "n_head", "num_attention_heads" }, "", { "seq_length" }, BIASES | EMBED_NORM | TIED },
	{ "bert", { "hidden_size" }, { "num_hidden_layers" }, { "num_attention_heads" }, "intermediate_size", { "max_position_embeddings" },
		BIASES | LEARNED | EMBED_NORM | POST_NORM | TIED | ENCODER },
	{ "roberta", { "hidden_size" }, { "num_hidden_layers" }, { "num_attention_heads" }, "intermediate_size", { "max_position_embeddings" },
		BIASES | LEARNED | EMBED_NORM | POST_NORM | TIED | ENCODER },
	{ "t5", { "d_model" }, { "num_layers" }, { "num_heads" }, "d_ff", { "n_positions" }, RMS | TIED },
};

enum { FAMILY_COUNT = sizeof families / sizeof *families, LAYERS_MOST = 4096, SEQUENCE_MOST = 8192, T5_POSITIONS = 512 };

struct config {
	const struct source *source;
	struct builder *b;
	const json_t *json;
	const struct family *family;
	int traits;
	int64_t hidden, layers, heads, kv_heads, head_size, ffn, vocab, positions, words_width, types, decoder_layers, experts, active;
	int64_t sequence;        /* positions of a sample */
	struct diagnostic *d;
	bool failed;             /* d says why; rows are added no more */
};

/* The line a key stands in; JSON values know none. */
static unsigned long line_of(const struct source *s, const char *key)
{
	unsigned long line = 1;
	size_t length = strlen(key);

	for (size_t i = 0; i + length + 2 <= s->length; i++) {
		if (s->bytes[i] == '"' && memcmp(s->bytes + i + 1, key, length) == 0 && s->bytes[i + 1 + length] == '"')
			return line;
		line += s->bytes[i] == '\n';
	}
	return 0;
}

static enum status wrong(struct config *c, const char *key, const char *what)
{
	c->failed = true;
	diagnostic_fail(c->d, STATUS_INPUT, "\"%s\" %s", key, what);
	diagnostic_place(c->d, c->source->path, line_of(c->source, key), 0);
	return STATUS_INPUT;
}

/* A whole number of 1 to most; without the key, or with null, what stands for it (0: it must be there). */
static int64_t size_at(struct config *c, const char *key, int64_t most, int64_t otherwise)
{
	const json_t *v = json_object_get(c->json, key);
	char text[128], shown[32], *found;

	if (c->failed || ((v == NULL || json_is_null(v)) && otherwise > 0))
		return otherwise;
	if (json_is_integer(v) && json_integer_value(v) >= 1 && json_integer_value(v) <= most)
		return json_integer_value(v);
	found = v != NULL ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
	snprintf(shown, sizeof shown, "is %.24s", found != NULL ? found : "no such number");
	free(found);
	snprintf(text, sizeof text, "%s; a %s has there a whole number from 1 to %lld", v == NULL ? "is missing" : shown, c->family->type, (long long)most);
	wrong(c, key, text);
	return 1;
}

static int64_t first_size(struct config *c, const char *const keys[3], int64_t most, int64_t otherwise)
{
	for (int i = 0; i < 3 && keys[i] != NULL; i++)
		if (json_object_get(c->json, keys[i]) != NULL)
			return size_at(c, keys[i], most, otherwise);
	return size_at(c, keys[0], most, otherwise);
}

static bool flag_at(const struct config *c, const char *key, bool otherwise)
{
	const json_t *v = json_object_get(c->json, key);

	return json_is_boolean(v) ? json_is_true(v) : otherwise;
}

/* A word that starts with such a text, as "gated-gelu". */
static bool word_at(const struct config *c, const char *key, const char *start)
{
	const json_t *v = json_object_get(c->json, key);

	return json_is_string(v) && strncmp(json_string_value(v), start, strlen(start)) == 0;
}

/* ---- rows ---- */

static int add(struct config *c, struct operator *o, const char *name, const int *inputs, int count)
{
	int row;

	if (c->failed || !builder_row(c->b, 0))
		return 0;
	o->name = builder_name(c->b, name, strlen(name));
	o->conv_out = o->out;
	builder_inputs(c->b, o, inputs, count);
	row = builder_add(c->b, o, c->d);
	if (row >= 0)
		return row;
	c->failed = true;
	diagnostic_place(c->d, c->source->path, 0, 0);
	return 0;
}

static int embedding(struct config *c, const char *name, int64_t words, int64_t width, bool tied)
{
	struct operator o = operator_blank(OPERATOR_EMBEDDING, 0);
	int input = MODEL_INPUT;

	o.in = (struct shape){ words, c->sequence, 1 };
	o.out = (struct shape){ width, c->sequence, 1 };
	o.tied = tied;
	return add(c, &o, name, &input, 1);
}

static int linear(struct config *c, const char *name, int input, int64_t in, int64_t out, bool bias)
{
	struct operator o = operator_blank(OPERATOR_LINEAR, 0);

	o.in = (struct shape){ in, c->sequence, 1 };
	o.out = (struct shape){ out, c->sequence, 1 };
	o.bias = bias;
	return add(c, &o, name, &input, 1);
}

/* Several of them, of which each position takes some; the hidden channels of these lie side by side. */
static int expert_linear(struct config *c, const char *name, int input, bool up)
{
	struct operator o = operator_blank(OPERATOR_LINEAR, 0);
	int64_t inside = c->ffn * c->active;

	o.in = (struct shape){ up ? c->hidden : inside, c->sequence, 1 };
	o.out = (struct shape){ up ? inside : c->hidden, c->sequence, 1 };
	o.experts = c->experts;
	o.active = c->active;
	return add(c, &o, name, &input, 1);
}

/* What keeps its shape: norm, act, add, mul, loss. */
static int same(struct config *c, enum operator_kind kind, const char *name, int64_t channels, int first, int second)
{
	struct operator o = operator_blank(kind, 0);
	const int inputs[] = { first, second };

	o.in = o.out = (struct shape){ channels, c->sequence, 1 };
	o.scale_only = kind == OPERATOR_NORM && (c->traits & RMS) != 0;
	return add(c, &o, name, inputs, second >= 0 ? 2 : 1);
}

static int attention(struct config *c, const char *name, const int *inputs, int count)
{
	struct operator o = operator_blank(OPERATOR_ATTENTION, 0);

	o.in = (struct shape){ (c->heads + 2 * c->kv_heads) * c->head_size, c->sequence, 1 };
	o.out = (struct shape){ c->heads * c->head_size, c->sequence, 1 };
	o.heads = c->heads;
	o.keys = c->sequence;
	return add(c, &o, name, inputs, count);
}

/* ---- parts of a model; each takes the row it reads and returns the row it hands on ---- */

/* "b3_up" of block 3 and "up". */
static const char *in_block(const char *block, const char *what, char out[64])
{
	snprintf(out, 64, "%s_%s", block, what);
	return out;
}

static int self_attention(struct config *c, const char *block, int input)
{
	bool bias = (c->traits & BIASES) != 0;
	int64_t width = c->heads * c->head_size;
	char name[64];
	int row = linear(c, in_block(block, "qkv", name), input, c->hidden, width + 2 * c->kv_heads * c->head_size, bias || (c->traits & QKV_BIAS) != 0);

	row = attention(c, in_block(block, "attention", name), &row, 1);
	return linear(c, in_block(block, "proj", name), row, width, c->hidden, bias);
}

/* The decoder's queries on the encoder's keys and values. */
static int cross_attention(struct config *c, const char *block, int input, int encoded)
{
	int64_t width = c->heads * c->head_size;
	char name[64];
	int inputs[3], row;

	inputs[0] = linear(c, in_block(block, "xq", name), input, c->hidden, width, false);
	inputs[1] = linear(c, in_block(block, "xk", name), encoded, c->hidden, width, false);
	inputs[2] = linear(c, in_block(block, "xv", name), encoded, c->hidden, width, false);
	row = attention(c, in_block(block, "xattention", name), inputs, 3);
	return linear(c, in_block(block, "xproj", name), row, width, c->hidden, false);
}

static int hidden_layers(struct config *c, const char *block, int input)
{
	bool bias = (c->traits & BIASES) != 0, experts = (c->traits & EXPERTS) != 0;
	int64_t inside = experts ? c->ffn * c->active : c->ffn;
	char name[64];
	int up, gate = -1, row, router = -1;

	if (experts) {
		router = linear(c, in_block(block, "router", name), input, c->hidden, c->experts, false);
		router = same(c, OPERATOR_SOFTMAX, in_block(block, "choice", name), c->experts, router, -1);
	}
	if ((c->traits & GATED) != 0) {
		gate = experts ? expert_linear(c, in_block(block, "gate", name), input, true) : linear(c, in_block(block, "gate", name), input, c->hidden, c->ffn, bias);
		gate = same(c, OPERATOR_ACT, in_block(block, "act", name), inside, gate, -1);
	}
	up = experts ? expert_linear(c, in_block(block, "up", name), input, true) : linear(c, in_block(block, "up", name), input, c->hidden, c->ffn, bias);
	row = gate >= 0 ? same(c, OPERATOR_MUL, in_block(block, "gated", name), inside, gate, up) : same(c, OPERATOR_ACT, in_block(block, "act", name), inside, up, -1);
	if (!experts)
		return linear(c, in_block(block, "down", name), row, c->ffn, c->hidden, bias);
	row = expert_linear(c, in_block(block, "down", name), row, false);
	return same(c, OPERATOR_MUL, in_block(block, "mixed", name), c->hidden, row, router);
}

/* A sum of what went round and what went through, with a norm before or behind. */
static int norm(struct config *c, const char *block, const char *what, int input)
{
	char name[64];

	return same(c, OPERATOR_NORM, in_block(block, what, name), c->hidden, input, -1);
}

static int sum(struct config *c, const char *block, const char *what, int through, int round)
{
	char name[64];

	return same(c, OPERATOR_ADD, in_block(block, what, name), c->hidden, through, round);
}

static int block(struct config *c, const char *name, int input, int encoded)
{
	bool post = (c->traits & POST_NORM) != 0;
	int row = self_attention(c, name, post ? input : norm(c, name, "norm1", input));

	if ((c->traits & PARALLEL) != 0) {
		int other = hidden_layers(c, name, norm(c, name, "norm2", input));

		return sum(c, name, "add2", sum(c, name, "add1", row, other), input);
	}
	row = sum(c, name, "add1", row, input);
	row = post ? norm(c, name, "norm1", row) : row;
	if (encoded >= 0)
		row = sum(c, name, "xadd", cross_attention(c, name, norm(c, name, "xnorm", row), encoded), row);
	input = row;
	row = sum(c, name, "add2", hidden_layers(c, name, post ? row : norm(c, name, "norm2", row)), input);
	return post ? norm(c, name, "norm2", row) : row;
}

static int blocks(struct config *c, const char *prefix, int64_t count, int input, int encoded)
{
	for (int64_t i = 1; i <= count && !c->failed; i++) {
		char name[48];

		snprintf(name, sizeof name, "%s%lld", prefix, (long long)i);
		input = block(c, name, input, encoded);
	}
	return input;
}

static int embeddings(struct config *c)
{
	int row = embedding(c, "words", c->vocab, c->words_width, false), other;

	if (c->words_width != c->hidden)
		row = linear(c, "project_in", row, c->words_width, c->hidden, false);
	if ((c->traits & LEARNED) != 0) {
		other = embedding(c, "positions", c->positions + ((c->traits & OFFSET) != 0 ? 2 : 0), c->hidden, false);
		row = same(c, OPERATOR_ADD, "embed", c->hidden, row, other);
	}
	if (c->types > 0) {
		other = embedding(c, "segments", c->types, c->hidden, false);
		row = same(c, OPERATOR_ADD, "embed2", c->hidden, row, other);
	}
	return (c->traits & EMBED_NORM) != 0 ? same(c, OPERATOR_NORM, "embed_norm", c->hidden, row, -1) : row;
}

static void head(struct config *c, int row)
{
	int64_t width = c->words_width;
	struct operator o = operator_blank(OPERATOR_LINEAR, 0);

	if ((c->traits & POST_NORM) == 0)
		row = same(c, OPERATOR_NORM, "norm", c->hidden, row, -1);
	if (width != c->hidden)
		row = linear(c, "project_out", row, c->hidden, width, false);
	if ((c->traits & ENCODER) != 0) {
		row = linear(c, "transform", row, c->hidden, c->hidden, true);
		row = same(c, OPERATOR_ACT, "transform_act", c->hidden, row, -1);
		row = same(c, OPERATOR_NORM, "transform_norm", c->hidden, row, -1);
	}
	o.in = (struct shape){ width, c->sequence, 1 };
	o.out = (struct shape){ c->vocab, c->sequence, 1 };
	o.tied = flag_at(c, "tie_word_embeddings", (c->traits & TIED) != 0);
	o.bias = (c->traits & ENCODER) != 0;
	row = add(c, &o, "head", &row, 1);
	same(c, OPERATOR_LOSS, "loss", c->vocab, row, -1);
}

static bool is_masked(const struct config *c)
{
	const json_t *names = json_object_get(c->json, "architectures");
	const char *name = json_string_value(json_array_get(names, 0));

	return name != NULL && strstr(name, "MaskedLM") != NULL;
}

/* Of an encoder without a head for words: a dense layer over each position stands for that of the first. */
static void pooler(struct config *c, int row)
{
	row = linear(c, "pooler", row, c->hidden, c->hidden, true);
	same(c, OPERATOR_LOSS, "loss", c->hidden, row, -1);
}

static void make_graph(struct config *c)
{
	int row = embeddings(c), decoded;

	if (c->decoder_layers > 0) {
		row = same(c, OPERATOR_NORM, "encoded", c->hidden, blocks(c, "e", c->layers, row, -1), -1);
		/* the decoder's words are the encoder's */
		decoded = embedding(c, "targets", c->vocab, c->hidden, true);
		head(c, blocks(c, "d", c->decoder_layers, decoded, row));
		return;
	}
	row = blocks(c, "b", c->layers, row, -1);
	if ((c->traits & ENCODER) != 0 && !is_masked(c))
		pooler(c, row);
	else
		head(c, row);
}

/* ---- the file ---- */

static void check_sizes(struct config *c)
{
	char text[160];

	if (json_object_get(c->json, "head_dim") == NULL && json_object_get(c->json, "d_kv") == NULL && c->hidden % c->heads != 0) {
		snprintf(text, sizeof text, "%lld heads do not divide %lld channels; correct one of them or add head_dim", (long long)c->heads, (long long)c->hidden);
		wrong(c, c->family->heads[0], text);
	} else if (c->heads % c->kv_heads != 0) {
		snprintf(text, sizeof text, "of %lld do not divide %lld heads; as many or a divisor are expected", (long long)c->kv_heads, (long long)c->heads);
		wrong(c, "num_key_value_heads", text);
	} else if (c->active > c->experts || c->experts % c->active != 0) {
		snprintf(text, sizeof text, "of %lld is no divisor of %lld experts", (long long)c->active, (long long)c->experts);
		wrong(c, "num_experts_per_tok", text);
	}
}

static void read_sizes(struct config *c)
{
	const struct family *f = c->family;
	bool t5 = strcmp(f->type, "t5") == 0;

	c->hidden = first_size(c, f->hidden, MODEL_SIZE_MAX / 16, 0);
	c->layers = first_size(c, f->layers, LAYERS_MOST, 0);
	c->heads = first_size(c, f->heads, MODEL_SIZE_MAX / 16, 0);
	c->kv_heads = size_at(c, "num_key_value_heads", MODEL_SIZE_MAX / 16, c->heads);
	c->head_size = size_at(c, t5 ? "d_kv" : "head_dim", 65536, c->heads > 0 && c->hidden >= c->heads ? c->hidden / c->heads : 1);
	c->ffn = f->ffn[0] == '\0' ? 4 * c->hidden : size_at(c, f->ffn, MODEL_SIZE_MAX / 16, strcmp(f->type, "gpt2") == 0 ? 4 * c->hidden : 0);
	c->vocab = size_at(c, "vocab_size", MODEL_SIZE_MAX / 16, 0);
	c->positions = first_size(c, f->positions, MODEL_SIZE_MAX / 16, t5 ? T5_POSITIONS : strcmp(f->type, "bloom") == 0 ? 2048 : 0);
	c->words_width = size_at(c, "word_embed_proj_dim", MODEL_SIZE_MAX / 16, c->hidden);
	c->types = strcmp(f->type, "bert") == 0 || strcmp(f->type, "roberta") == 0 ? size_at(c, "type_vocab_size", MODEL_SIZE_MAX / 16, 2) : 0;
	c->decoder_layers = t5 ? size_at(c, "num_decoder_layers", LAYERS_MOST, c->layers) : 0;
	c->experts = (c->traits & EXPERTS) != 0 ? size_at(c, "num_local_experts", 65536, 8) : 1;
	c->active = (c->traits & EXPERTS) != 0 ? size_at(c, "num_experts_per_tok", 65536, 2) : 1;
	c->sequence = c->positions < SEQUENCE_MOST ? c->positions : SEQUENCE_MOST;
	if (!c->failed)
		check_sizes(c);
}

static void read_traits(struct config *c)
{
	c->traits = c->family->traits;
	if (flag_at(c, "attention_bias", false))
		c->traits |= QKV_BIAS;
	if (word_at(c, "feed_forward_proj", "gated"))
		c->traits |= GATED;
	if (!flag_at(c, "use_parallel_residual", true))
		c->traits &= ~PARALLEL;
	if (!flag_at(c, "do_layer_norm_before", true))
		c->traits |= POST_NORM;
}

/* Which keys were understood, of a family that was not. */
static enum status unknown_family(struct config *c, const char *type)
{
	static const char *const known[] = { "hidden_size", "n_embd", "d_model", "num_hidden_layers", "n_layer", "num_attention_heads", "n_head", "intermediate_size", "vocab_size",
		"max_position_embeddings", "num_key_value_heads" };
	struct text understood = { 0 }, all = { 0 };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (json_object_get(c->json, known[i]) != NULL)
			text_printf(&understood, "%s%s", understood.length > 0 ? ", " : "", known[i]);
	for (int i = 0; i < FAMILY_COUNT; i++)
		text_printf(&all, "%s%s", i > 0 ? ", " : "", families[i].type);
	if (type == NULL)
		diagnostic_fail(c->d, STATUS_INPUT, "a config.json without a \"model_type\"; it is one of %s", text_string(&all));
	else
		diagnostic_fail(c->d, STATUS_INPUT, "model_type \"%.40s\" is not known, so how its blocks are built is not; known are %s (understood of this file: %s). Where it is built like one of them, "
			"write that one's model_type", type, text_string(&all), understood.length > 0 ? text_string(&understood) : "no key");
	diagnostic_place(c->d, c->source->path, line_of(c->source, "model_type"), 0);
	text_free(&understood);
	text_free(&all);
	return STATUS_INPUT;
}

static enum status read_config(struct config *c)
{
	const char *type = json_string_value(json_object_get(c->json, "model_type"));
	char clean[48] = "";

	if (type != NULL)
		text_sanitize(clean, sizeof clean, type, strlen(type));
	for (int i = 0; type != NULL && i < FAMILY_COUNT; i++)
		if (strcmp(type, families[i].type) == 0)
			c->family = &families[i];
	if (c->family == NULL)
		return unknown_family(c, type != NULL ? clean : NULL);
	read_traits(c);
	read_sizes(c);
	if (!c->failed)
		make_graph(c);
	if (!c->failed && c->positions > c->sequence)
		builder_problem(c->b, SEVERITY_WARNING, line_of(c->source, c->family->positions[0]), 0, "sequences of %lld are taken, not of %lld: set seq to what is trained with", (long long)c->sequence,
			(long long)c->positions);
	return c->failed ? STATUS_INPUT : STATUS_OK;
}

static bool recognise(const struct source *s)
{
	size_t at = 0;

	while (at < s->length && isspace((unsigned char)s->bytes[at]))
		at++;
	return at < s->length && s->bytes[at] == '{' && (line_of(s, "model_type") > 0 || line_of(s, "architectures") > 0);
}

static enum status load(const struct source *s, struct builder *b, struct diagnostic *d)
{
	json_error_t error;
	json_t *json = json_loadb(s->bytes, s->length, JSON_REJECT_DUPLICATES, &error);
	struct config c = { .source = s, .b = b, .json = json, .d = d };
	enum status status;

	if (json == NULL) {
		char clean[JSON_ERROR_TEXT_LENGTH];

		text_sanitize(clean, sizeof clean, error.text, strlen(error.text));
		diagnostic_fail(d, STATUS_INPUT, "no JSON: %s", clean);
		diagnostic_place(d, s->path, error.line > 0 ? (unsigned long)error.line : 0, error.column > 0 ? (unsigned long)error.column : 0);
		return STATUS_INPUT;
	}
	status = read_config(&c);
	json_decref(json);
	return status;
}

const struct format format_hf = { "huggingface", recognise, load };
