#include "model/modules.h"

#include "base/units.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* What a word in the name of a module means, or one it begins with; the first that fits. */
static const struct {
	const char *word;
	bool begins;             /* but for underscores: __add__ */
	enum operator_kind kind;
} words[] = {
	{ "dropout", false, OPERATOR_DROPOUT }, { "softmax", false, OPERATOR_SOFTMAX }, { "norm", false, OPERATOR_NORM }, { "pool", false, OPERATOR_POOL },
	{ "loss", false, OPERATOR_LOSS }, { "criterion", false, OPERATOR_LOSS }, { "cat", true, OPERATOR_CONCAT }, { "concat", true, OPERATOR_CONCAT },
	{ "add", true, OPERATOR_ADD }, { "iadd", true, OPERATOR_ADD }, { "mul", true, OPERATOR_MUL }, { "imul", true, OPERATOR_MUL },
};

/* Keys of the arguments of those whose sizes are read; one without a key goes by its place. */
static const struct {
	const char *name;
	enum operator_kind kind;
	const char *places[2];   /* keys of the first arguments */
} sized[] = {
	{ "Conv2d", OPERATOR_CONV, { "in_channels", "out_channels" } }, { "Linear", OPERATOR_LINEAR, { "in_features", "out_features" } },
	{ "Embedding", OPERATOR_EMBEDDING, { "num_embeddings", "embedding_dim" } }, { "MaxPool2d", OPERATOR_POOL, { "kernel_size", "stride" } },
	{ "AvgPool2d", OPERATOR_POOL, { "kernel_size", "stride" } },
};

static const struct {
	const char *key;
	enum column column;
} columns[] = {
	{ "in_channels", COLUMN_IN_CH }, { "in_features", COLUMN_IN_CH }, { "num_embeddings", COLUMN_IN_CH }, { "out_channels", COLUMN_OUT_CH }, { "out_features", COLUMN_OUT_CH },
	{ "embedding_dim", COLUMN_OUT_CH }, { "kernel_size", COLUMN_KERNEL }, { "stride", COLUMN_STRIDE }, { "padding", COLUMN_PAD }, { "groups", COLUMN_GROUPS },
};

enum { SIZE_MOST = 1 << 30 };

struct argument {
	char key[24];            /* "" without one */
	const char *value;
	size_t length;
};

/* The next argument between the brackets, whose values may be brackets too; false behind the last. */
static bool next_argument(const char **at, struct argument *a)
{
	const char *from = *at, *equals = NULL;
	int depth = 0;

	while (*from == ' ' || *from == ',')
		from++;
	if (*from == '\0' || *from == ')')
		return false;
	for (*at = from; **at != '\0' && (depth > 0 || (**at != ',' && **at != ')')); ++*at) {
		depth += (**at == '(') - (**at == ')');
		if (**at == '=' && depth == 0 && equals == NULL)
			equals = *at;
	}
	a->key[0] = '\0';
	if (equals != NULL && (size_t)(equals - from) < sizeof a->key) {
		memcpy(a->key, from, (size_t)(equals - from));
		a->key[equals - from] = '\0';
	}
	a->value = equals != NULL ? equals + 1 : from;
	a->length = (size_t)(*at - a->value);
	return true;
}

static bool is_word(const struct argument *a, const char *word)
{
	return a->length == strlen(word) && memcmp(a->value, word, a->length) == 0;
}

/* 3, or (3, 5). */
static bool read_extent(const struct argument *a, struct extent *e)
{
	const char *comma = memchr(a->value, ',', a->length);
	size_t first, skip = 1;

	if (comma == NULL || a->length < 2 || a->value[0] != '(' || a->value[a->length - 1] != ')') {
		if (units_parse_whole(a->value, a->length, &e->h) != STATUS_OK || e->h > SIZE_MOST)
			return false;
		e->w = e->h;
		return true;
	}
	first = (size_t)(comma - a->value) - 1;
	skip += comma[1] == ' ';
	return a->length >= first + 2 + skip && units_parse_whole(a->value + 1, first, &e->h) == STATUS_OK &&
		units_parse_whole(comma + skip, a->length - first - 2 - skip, &e->w) == STATUS_OK && e->h <= SIZE_MOST && e->w <= SIZE_MOST;
}

static bool take_argument(struct module *m, const struct argument *a, const char *key)
{
	struct extent e;

	if (strcmp(key, "bias") == 0) {
		m->bias = is_word(a, "True");
		return m->bias || is_word(a, "False");
	}
	/* there is no column for windows with holes */
	if (strcmp(key, "dilation") == 0)
		return read_extent(a, &e) && e.h == 1 && e.w == 1;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		if (strcmp(columns[i].key, key) == 0) {
			m->row.given[columns[i].column] = true;
			return read_extent(a, &m->row.value[columns[i].column]) && (columns[i].column == COLUMN_PAD || m->row.value[columns[i].column].h >= 1);
		}
	return true;
}

/* True when all that was stated was understood. */
static bool take_arguments(struct module *m, const char *at, const char *const places[2])
{
	struct argument a;
	bool good = true;

	for (int place = 0; good && next_argument(&at, &a); place++)
		good = take_argument(m, &a, a.key[0] != '\0' ? a.key : place < 2 ? places[place] : "");
	return good;
}

static double count_params(const struct module *m)
{
	const struct extent *v = m->row.value;
	double params = (double)v[COLUMN_IN_CH].h * (double)v[COLUMN_OUT_CH].h;

	if (m->kind == OPERATOR_CONV)
		params *= (double)v[COLUMN_KERNEL].h * (double)v[COLUMN_KERNEL].w / (m->row.given[COLUMN_GROUPS] ? (double)v[COLUMN_GROUPS].h : 1);
	return params + (m->bias ? (double)v[COLUMN_OUT_CH].h : 0);
}

static bool has_word(const char *name, size_t length, const char *word, bool begins)
{
	for (size_t i = begins ? strspn(name, "_") : 0; i + strlen(word) <= length; i++)
		if (strncasecmp(name + i, word, strlen(word)) == 0)
			return true;
		else if (begins)
			return false;
	return false;
}

static enum operator_kind kind_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (has_word(name, length, words[i].word, words[i].begins))
			return words[i].kind;
	return OPERATOR_ACT;
}

struct module module_of(const char *text)
{
	struct module m = { .kind = OPERATOR_ACT };
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	m.kind = kind_of(text, length);
	for (size_t i = 0; text[length] == '(' && i < sizeof sized / sizeof *sized; i++) {
		struct module stated = { .kind = sized[i].kind, .bias = sized[i].kind == OPERATOR_CONV || sized[i].kind == OPERATOR_LINEAR };

		if (strlen(sized[i].name) != length || memcmp(sized[i].name, text, length) != 0 || !take_arguments(&stated, text + length + 1, sized[i].places))
			continue;
		/* a window moves by its own size unless told */
		if (stated.kind == OPERATOR_POOL && !stated.row.given[COLUMN_STRIDE]) {
			stated.row.given[COLUMN_STRIDE] = stated.row.given[COLUMN_KERNEL];
			stated.row.value[COLUMN_STRIDE] = stated.row.value[COLUMN_KERNEL];
		}
		stated.sized = operator_kind_weighted(stated.kind) && stated.row.given[COLUMN_IN_CH] && stated.row.given[COLUMN_OUT_CH] &&
			(stated.kind != OPERATOR_CONV || stated.row.given[COLUMN_KERNEL]);
		stated.params = stated.sized ? count_params(&stated) : 0;
		if (stated.sized || stated.kind == OPERATOR_POOL)
			m = stated;
	}
	return m;
}
