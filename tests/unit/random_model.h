/* Random small networks for property tests: layers of every role, junctions, skips.  Seeded, so failures repeat. */
#ifndef WHYPAR_TESTS_RANDOM_MODEL_H
#define WHYPAR_TESTS_RANDOM_MODEL_H

#include "model/model.h"

#include <stdint.h>
#include <stdio.h>

struct random {
	uint64_t state;
};

static inline unsigned random_below(struct random *r, unsigned limit)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(r->state >> 33) % limit;
}

static inline int64_t random_size(struct random *r)
{
	static const int64_t sizes[] = { 1, 2, 3, 4, 6, 8, 10, 16, 30, 64, 100, 512 };

	return sizes[random_below(r, sizeof sizes / sizeof *sizes)];
}

/* rows operators; chain: only weighted layers one after the other. */
static inline struct model *random_model(struct random *r, int rows, bool chain)
{
	struct arena arena = { NULL };
	struct model *m = arena_alloc(&arena, 1, sizeof *m);
	struct diagnostic d;

	m->operators = arena_alloc(&arena, (size_t)rows, sizeof *m->operators);
	m->name = m->path = m->format = "random";
	m->count = rows;
	for (int i = 0; i < rows; i++) {
		struct operator *o = &m->operators[i];
		unsigned pick = random_below(r, chain ? 6 : 10);
		char name[16];
		int *inputs = arena_alloc(&arena, 3, sizeof *inputs);

		snprintf(name, sizeof name, "n%d", i);
		o->name = arena_copy_text(&arena, name, strlen(name));
		o->kind = i == 0 || pick < 3 ? OPERATOR_CONV : pick < 6 ? OPERATOR_LINEAR : pick < 9 ? OPERATOR_ADD : OPERATOR_ACT;
		if (i == 0 && random_below(r, 4) == 0)
			o->kind = OPERATOR_EMBEDDING;
		o->groups = 1;
		o->pool = 1;
		o->kernel = o->stride = (struct extent){ 1, 1 };
		o->in = (struct shape){ random_size(r), 1 + random_below(r, 4), 1 };
		if (o->kind == OPERATOR_CONV && random_below(r, 3) == 0) {
			o->groups = 2;
			o->in.ch *= 2;
		}
		o->conv_out = (struct shape){ random_size(r), o->in.h, 1 };
		if (o->groups == 2)
			o->conv_out.ch *= 2;
		o->out = o->conv_out;
		if (random_below(r, 2) == 0)
			o->conv_out.h *= 2;
		o->input_count = o->kind == OPERATOR_ADD ? 2 + (int)random_below(r, 2) : 1;
		for (int k = 0; k < o->input_count; k++)
			inputs[k] = i == 0 ? MODEL_INPUT : chain ? i - 1 : k == 0 ? i - 1 : (int)random_below(r, (unsigned)i + 1) - 1;
		o->inputs = inputs;
		operator_measure(o, &d);
	}
	model_finish(m, &d);
	m->arena = arena;
	return m;
}

#endif
