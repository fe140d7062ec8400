#include "model/blocks.h"

#include <stdlib.h>
#include <string.h>

/* Longer blocks are not looked for: the search takes rows x this. */
enum { LENGTH_MOST = 512 };

static bool same_extent(struct extent a, struct extent b)
{
	return a.h == b.h && a.w == b.w;
}

static bool same_shape(struct shape a, struct shape b)
{
	return a.ch == b.ch && a.h == b.h && a.w == b.w;
}

/* The same kind and sizes: they cost the same. */
static bool same_class(const struct operator *a, const struct operator *b)
{
	return a->kind == b->kind && same_shape(a->in, b->in) && same_extent(a->kernel, b->kernel) && same_extent(a->stride, b->stride) &&
		same_extent(a->pad, b->pad) && a->groups == b->groups && same_shape(a->conv_out, b->conv_out) && a->pool == b->pool &&
		same_shape(a->out, b->out) && a->heads == b->heads && a->keys == b->keys && a->bias == b->bias && a->tied == b->tied && a->input_count == b->input_count &&
		a->fwd_s == b->fwd_s && a->bwd_s == b->bwd_s;
}

static uint64_t mix(uint64_t hash, int64_t value)
{
	return (hash ^ (uint64_t)value) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t hash_class(const struct operator *o)
{
	const int64_t values[] = { o->kind, o->in.ch, o->in.h, o->in.w, o->kernel.h, o->kernel.w, o->stride.h, o->groups, o->out.ch, o->out.h, o->out.w, o->heads, o->keys, o->experts, o->active };
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		hash = mix(hash, values[i]);
	return hash ^ hash >> 32;
}

/* Classes by a table of twice as many places as rows, probed in steps of one. */
static void find_classes(const struct model *m, int *class_of)
{
	size_t places = 2;
	int *table;

	while (places < 2 * (size_t)m->count)
		places *= 2;
	table = memory_alloc(places, sizeof *table);
	for (int row = 0; row < m->count; row++) {
		size_t at = hash_class(&m->operators[row]) & (places - 1);

		/* a place holds a row + 1 */
		while (table[at] != 0 && !same_class(&m->operators[table[at] - 1], &m->operators[row]))
			at = (at + 1) & (places - 1);
		if (table[at] == 0)
			table[at] = row + 1;
		class_of[row] = table[at] - 1;
	}
	memory_free(table);
}

/* Row and row + length are alike: the same class, and inputs as far back. */
static bool repeats(const struct model *m, const int *class_of, int row, int length)
{
	const struct operator *a = &m->operators[row], *b = &m->operators[row + length];

	if (class_of[row] != class_of[row + length])
		return false;
	for (int i = 0; i < a->input_count; i++)
		if ((a->inputs[i] == MODEL_INPUT) != (b->inputs[i] == MODEL_INPUT) || (a->inputs[i] != MODEL_INPUT && row - a->inputs[i] != row + length - b->inputs[i]))
			return false;
	return true;
}

/* All longest stretches that repeat, of every length. */
static struct block_run *find_candidates(const struct model *m, const int *class_of, size_t *count)
{
	struct block_run *list = NULL;
	size_t capacity = 0;
	int most = m->count / 2 < LENGTH_MOST ? m->count / 2 : LENGTH_MOST;

	*count = 0;
	for (int length = 1; length <= most; length++)
		for (int row = 0; row + length < m->count; row++) {
			int alike = 0;

			while (row + alike + length < m->count && repeats(m, class_of, row + alike, length))
				alike++;
			if (alike >= length) {
				list = memory_grow(list, &capacity, *count + 1, sizeof *list);
				list[(*count)++] = (struct block_run){ row, length, alike / length + 1 };
			}
			row += alike;
		}
	return list;
}

/* The most rows first, then the shortest block, then the first. */
static int compare_candidates(const void *a, const void *b)
{
	const struct block_run *x = a, *y = b;
	int64_t covered = (int64_t)y->length * y->count - (int64_t)x->length * x->count;

	if (covered != 0)
		return covered < 0 ? -1 : 1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int compare_first(const void *a, const void *b)
{
	return ((const struct block_run *)a)->first - ((const struct block_run *)b)->first;
}

/* Greedily, without overlaps. */
static void choose_runs(struct blocks *b, struct block_run *list, size_t count)
{
	qsort(list, count, sizeof *list, compare_candidates);
	b->runs = arena_alloc(&b->arena, count, sizeof *b->runs);
	for (size_t i = 0; i < count; i++) {
		int end = list[i].first + list[i].length * list[i].count;
		bool clear = true;

		for (int row = list[i].first; row < end && clear; row++)
			clear = b->run_of[row] < 0;
		if (!clear)
			continue;
		for (int row = list[i].first; row < end; row++)
			b->run_of[row] = 0;
		b->runs[b->run_count++] = list[i];
	}
	if (b->run_count > 0)
		qsort(b->runs, (size_t)b->run_count, sizeof *b->runs, compare_first);
	for (int run = 0; run < b->run_count; run++)
		for (int row = b->runs[run].first; row < b->runs[run].first + b->runs[run].length * b->runs[run].count; row++)
			b->run_of[row] = run;
}

struct blocks *blocks_new(const struct model *model)
{
	struct blocks *b = memory_alloc(1, sizeof *b);
	struct block_run *list;
	size_t count;

	b->run_of = arena_alloc(&b->arena, (size_t)model->count, sizeof *b->run_of);
	b->class_of = arena_alloc(&b->arena, (size_t)model->count, sizeof *b->class_of);
	for (int row = 0; row < model->count; row++)
		b->run_of[row] = -1;
	find_classes(model, b->class_of);
	list = find_candidates(model, b->class_of, &count);
	if (count > 0)
		choose_runs(b, list, count);
	memory_free(list);
	return b;
}

void blocks_free(struct blocks *blocks)
{
	if (blocks == NULL)
		return;
	arena_free(&blocks->arena);
	memory_free(blocks);
}

int blocks_first(const struct blocks *b, int row)
{
	const struct block_run *run = b->run_of[row] >= 0 ? &b->runs[b->run_of[row]] : NULL;

	return run == NULL ? row : run->first + (row - run->first) % run->length;
}

int blocks_count(const struct blocks *b, int row)
{
	return b->run_of[row] >= 0 ? b->runs[b->run_of[row]].count : 1;
}
