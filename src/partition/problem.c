#include "partition/problem.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct shared_problem {
	struct problem problem;  /* first, so that the two share their address */
	struct arena arena;
	atomic_int users;
};

static enum role role_of(const struct operator *o)
{
	if (!operator_kind_weighted(o->kind))
		return ROLE_JUNCTION;
	if (o->kind == OPERATOR_EMBEDDING)
		return ROLE_EMBEDDING;
	return o->groups > 1 ? ROLE_GROUPED : ROLE_LAYER;
}

static bool has_choice(const struct operator *o)
{
	return operator_kind_weighted(o->kind) || operator_is_junction(o);
}

static struct problem_var make_var(const struct operator *o, int row)
{
	struct problem_var v = { .row = row, .role = role_of(o), .kind = o->kind };

	v.weights = (double)o->weights;
	v.input = (double)shape_elements(o->in);
	if (o->kind == OPERATOR_EMBEDDING)      /* one word number at each position */
		v.input = (double)(o->in.h * o->in.w);
	v.conv_output = (double)shape_elements(o->conv_out);
	v.output = (double)shape_elements(o->out);
	return v;
}

/* What a row hands on: the variable it comes from (-1: the model's input) and its elements. */
struct source {
	int var;
	double elements;
};

static void add_edge(struct problem *p, int from, int to, double elements)
{
	for (int e = p->first_in[to]; e < p->edge_count; e++)
		if (p->edges[e].from == from) {
			p->edges[e].elements += elements;
			return;
		}
	p->edges[p->edge_count++] = (struct problem_edge){ from, to, elements };
}

static void add_edges_into(struct problem *p, const struct operator *o, int to, const struct source *sources)
{
	p->first_in[to] = p->edge_count;
	for (int i = 0; i < o->input_count; i++) {
		const struct source *s = o->inputs[i] == MODEL_INPUT ? NULL : &sources[o->inputs[i]];

		if (s != NULL && s->var >= 0)
			add_edge(p, s->var, to, p->vars[to].role == ROLE_JUNCTION ? s->elements : p->vars[to].input);
	}
}

static int by_producer(const void *a, const void *b)
{
	return ((const struct problem_edge *)a)->from - ((const struct problem_edge *)b)->from;
}

static void index_edges(struct problem *p)
{
	int *next = memory_alloc((size_t)p->var_count + 1, sizeof *next);

	for (int v = 0; v < p->var_count; v++)
		qsort(&p->edges[p->first_in[v]], (size_t)(p->first_in[v + 1] - p->first_in[v]), sizeof *p->edges, by_producer);
	for (int e = 0; e < p->edge_count; e++)
		p->first_out[p->edges[e].from + 1]++;
	for (int v = 0; v < p->var_count; v++) {
		p->first_out[v + 1] += p->first_out[v];
		next[v] = p->first_out[v];
	}
	for (int e = 0; e < p->edge_count; e++)
		p->out_edges[next[p->edges[e].from]++] = e;
	memory_free(next);
}

struct problem *problem_new(const struct model *model)
{
	struct shared_problem *shared = memory_alloc(1, sizeof *shared);
	struct problem *p = &shared->problem;
	struct source *sources = memory_alloc((size_t)model->count, sizeof *sources);
	size_t inputs = 0;

	atomic_init(&shared->users, 1);
	p->rows = model->count;
	p->var_of_row = arena_alloc(&shared->arena, (size_t)model->count, sizeof *p->var_of_row);
	for (int row = 0; row < model->count; row++) {
		p->var_of_row[row] = has_choice(&model->operators[row]) ? p->var_count++ : -1;
		inputs += (size_t)model->operators[row].input_count;
	}
	p->vars = arena_alloc(&shared->arena, (size_t)p->var_count, sizeof *p->vars);
	p->edges = arena_alloc(&shared->arena, inputs, sizeof *p->edges);
	p->first_in = arena_alloc(&shared->arena, (size_t)p->var_count + 1, sizeof *p->first_in);
	p->first_out = arena_alloc(&shared->arena, (size_t)p->var_count + 1, sizeof *p->first_out);
	for (int row = 0; row < model->count; row++) {
		const struct operator *o = &model->operators[row];
		int var = p->var_of_row[row];

		if (var >= 0) {
			p->vars[var] = make_var(o, row);
			add_edges_into(p, o, var, sources);
			sources[row] = (struct source){ var, p->vars[var].output };
		} else {
			int input = o->inputs[0];

			sources[row].var = input == MODEL_INPUT ? -1 : sources[input].var;
			sources[row].elements = (double)shape_elements(o->out);
		}
	}
	p->first_in[p->var_count] = p->edge_count;
	p->out_edges = arena_alloc(&shared->arena, (size_t)p->edge_count, sizeof *p->out_edges);
	index_edges(p);
	memory_free(sources);
	return p;
}

struct problem *problem_share(struct problem *problem)
{
	atomic_fetch_add(&((struct shared_problem *)problem)->users, 1);
	return problem;
}

void problem_release(struct problem *problem)
{
	struct shared_problem *shared = (struct shared_problem *)problem;

	if (problem == NULL || atomic_fetch_sub(&shared->users, 1) > 1)
		return;
	arena_free(&shared->arena);
	memory_free(shared);
}
