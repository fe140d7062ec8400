#include "model/training.h"

#include <stdio.h>
#include <string.h>

/* The nodes under way.  out[row]: the forward node whose result the row hands on. */
struct growth {
	const struct model *model;
	struct training_node *nodes;
	size_t count, capacity;
	int *inputs;
	size_t input_count, input_capacity;
	int *out;
	int *consumers;          /* how many rows read each row */
	bool bare;
};

static int add_node(struct growth *g, int row, enum training_part part, enum pass pass)
{
	g->nodes = memory_grow(g->nodes, &g->capacity, g->count + 1, sizeof *g->nodes);
	g->nodes[g->count] = (struct training_node){ .row = row, .part = part, .pass = pass, .first_input = (int)g->input_count };
	return (int)g->count++;
}

/* Only for the newest node; a node is not waited for twice. */
static void add_input(struct growth *g, int input)
{
	struct training_node *n = &g->nodes[g->count - 1];

	if (input < 0)
		return;
	for (int i = 0; i < n->input_count; i++)
		if (g->inputs[n->first_input + i] == input)
			return;
	g->inputs = memory_grow(g->inputs, &g->input_capacity, g->input_count + 1, sizeof *g->inputs);
	g->inputs[g->input_count++] = input;
	n->input_count++;
}

static int chain_node(struct growth *g, int row, enum training_part part, enum pass pass, int input)
{
	int node = add_node(g, row, part, pass);

	add_input(g, input);
	return node;
}

static bool is_bare(const struct model *m)
{
	for (int row = 0; row < m->count; row++)
		if (m->operators[row].kind == OPERATOR_ACT || m->operators[row].kind == OPERATOR_NORM || m->operators[row].kind == OPERATOR_LOSS)
			return false;
	return true;
}

static int last_weighted(const struct model *m)
{
	int last = -1;

	for (int row = 0; row < m->count; row++)
		if (operator_kind_weighted(m->operators[row].kind))
			last = row;
	return last;
}

static bool gets_relu(const struct growth *g, int row, int last)
{
	enum operator_kind kind = g->model->operators[row].kind;

	return g->bare && (kind == OPERATOR_CONV || kind == OPERATOR_LINEAR) && row != last;
}

static void add_row_inputs(struct growth *g, const struct operator *o)
{
	for (int i = 0; i < o->input_count; i++)
		if (o->inputs[i] != MODEL_INPUT)
			add_input(g, g->out[o->inputs[i]]);
}

static void grow_forward(struct growth *g, int row, int last)
{
	const struct operator *o = &g->model->operators[row];
	int node;

	if (o->kind == OPERATOR_ATTENTION) {
		add_node(g, row, PART_QK, PASS_FWD);
		add_row_inputs(g, o);
		node = chain_node(g, row, PART_SOFTMAX, PASS_FWD, (int)g->count - 1);
		node = chain_node(g, row, PART_AV, PASS_FWD, node);
	} else {
		node = add_node(g, row, PART_MAIN, o->kind == OPERATOR_LOSS ? PASS_LOSS : PASS_FWD);
		add_row_inputs(g, o);
	}
	if (gets_relu(g, row, last))
		node = chain_node(g, row, PART_RELU, PASS_FWD, node);
	if (o->pool > 1)
		node = chain_node(g, row, PART_POOL, PASS_FWD, node);
	g->out[row] = node;
}

/* The declared loss that the errors start from: the last that nothing reads, -1 for none. */
static int final_loss(const struct growth *g)
{
	int loss = -1;

	for (int row = 0; row < g->model->count; row++)
		if (g->model->operators[row].kind == OPERATOR_LOSS && g->consumers[row] == 0)
			loss = row;
	return loss;
}

/* The loss, after every row that nothing reads; it is where the errors start. */
static int grow_loss(struct growth *g, int row)
{
	int loss = add_node(g, row, row >= 0 ? PART_MAIN : PART_LOSS, PASS_LOSS);

	if (row >= 0)
		add_row_inputs(g, &g->model->operators[row]);
	for (int other = 0; other < g->model->count; other++)
		if (other != row && g->consumers[other] == 0)
			add_input(g, g->out[other]);
	return loss;
}

/* True when an error has to reach the row: it or a row before it has weights. */
static bool *rows_that_learn(const struct model *m)
{
	bool *learns = memory_alloc((size_t)m->count, sizeof *learns);

	for (int row = 0; row < m->count; row++) {
		const struct operator *o = &m->operators[row];

		learns[row] = operator_kind_weighted(o->kind) || o->kind == OPERATOR_NORM;
		for (int i = 0; i < o->input_count && !learns[row]; i++)
			learns[row] = o->inputs[i] != MODEL_INPUT && learns[o->inputs[i]];
	}
	return learns;
}

static bool inputs_learn(const struct operator *o, const bool *learns)
{
	for (int i = 0; i < o->input_count; i++)
		if (o->inputs[i] != MODEL_INPUT && learns[o->inputs[i]])
			return true;
	return false;
}

/* Errors flow back through these without work: a sum hands its error on, a concatenation a part of it. */
static bool passes_error(enum operator_kind kind)
{
	return kind == OPERATOR_ADD || kind == OPERATOR_CONCAT;
}

/* The error of a row's output: of its one consumer, or the sum over them; the loss's where nothing reads it. */
static int gather_error(struct growth *g, int row, int loss, const int *from, int count)
{
	int node;

	if (count == 0)
		return g->consumers[row] == 0 ? loss : -1;
	if (count == 1)
		return from[0];
	node = add_node(g, row, PART_SUM, PASS_BWD_DATA);
	g->nodes[node].branches = count;
	for (int i = 0; i < count; i++)
		add_input(g, from[i]);
	return node;
}

/* The backward pieces of a row, given the error of its output; returns the error of its input, or -1. */
static int grow_backward(struct growth *g, int row, int error, int last, bool hands_on)
{
	const struct operator *o = &g->model->operators[row];
	int update;

	if (o->pool > 1)
		error = chain_node(g, row, PART_POOL, PASS_BWD_DATA, error);
	if (gets_relu(g, row, last))
		error = chain_node(g, row, PART_RELU, PASS_BWD_DATA, error);
	if (operator_kind_weighted(o->kind)) {
		update = chain_node(g, row, PART_MAIN, PASS_BWD_WEIGHT, error);
		chain_node(g, row, PART_MAIN, PASS_UPDATE, update);
	}
	if (o->kind == OPERATOR_EMBEDDING || o->kind == OPERATOR_LOSS)
		return o->kind == OPERATOR_LOSS ? error : -1;
	if (!hands_on || passes_error(o->kind))
		return hands_on ? error : -1;
	if (o->kind != OPERATOR_ATTENTION)
		return chain_node(g, row, PART_MAIN, PASS_BWD_DATA, error);
	error = chain_node(g, row, PART_AV, PASS_BWD_DATA, error);
	error = chain_node(g, row, PART_SOFTMAX, PASS_BWD_DATA, error);
	return chain_node(g, row, PART_QK, PASS_BWD_DATA, error);
}

/* Errors on the way to each row, as lists: one place for each edge of the model. */
struct arrivals {
	int *first, *count, *nodes;
};

static void deliver(struct arrivals *a, const struct operator *o, int error)
{
	for (int i = 0; i < o->input_count && error >= 0; i++)
		if (o->inputs[i] != MODEL_INPUT)
			a->nodes[a->first[o->inputs[i]] + a->count[o->inputs[i]]++] = error;
}

static void grow_backwards(struct growth *g, int loss, int last)
{
	const struct model *m = g->model;
	bool *learns = rows_that_learn(m);
	struct arrivals a = { memory_alloc((size_t)m->count + 1, sizeof(int)), memory_alloc((size_t)m->count, sizeof(int)), NULL };

	for (int row = 0; row < m->count; row++)
		a.first[row + 1] = a.first[row] + g->consumers[row];
	a.nodes = memory_alloc((size_t)a.first[m->count], sizeof(int));
	for (int row = m->count - 1; row >= 0; row--) {
		int error;

		if (!learns[row])
			continue;
		error = gather_error(g, row, loss, &a.nodes[a.first[row]], a.count[row]);
		if (error >= 0)
			deliver(&a, &m->operators[row], grow_backward(g, row, error, last, inputs_learn(&m->operators[row], learns)));
	}
	memory_free(a.first);
	memory_free(a.count);
	memory_free(a.nodes);
	memory_free(learns);
}

static void count_consumers(struct growth *g)
{
	for (int row = 0; row < g->model->count; row++)
		for (int i = 0; i < g->model->operators[row].input_count; i++)
			if (g->model->operators[row].inputs[i] != MODEL_INPUT)
				g->consumers[g->model->operators[row].inputs[i]]++;
}

struct training *training_new(const struct model *model)
{
	size_t rows = (size_t)model->count;
	struct growth g = { .model = model, .out = memory_alloc(rows, sizeof(int)), .consumers = memory_alloc(rows, sizeof(int)), .bare = is_bare(model) };
	struct arena arena = { NULL };
	struct training *t = arena_alloc(&arena, 1, sizeof *t);
	int last = last_weighted(model), loss;

	count_consumers(&g);
	loss = final_loss(&g);
	for (int row = 0; row < model->count; row++)
		if (row != loss)
			grow_forward(&g, row, last);
	grow_backwards(&g, grow_loss(&g, loss), last);
	t->model = model;
	t->blocks = blocks_new(model);
	t->bare = g.bare;
	t->count = (int)g.count;
	t->nodes = arena_alloc(&arena, g.count, sizeof *t->nodes);
	memcpy(t->nodes, g.nodes, g.count * sizeof *t->nodes);
	t->inputs = arena_alloc(&arena, g.input_count, sizeof *t->inputs);
	if (g.input_count > 0)
		memcpy(t->inputs, g.inputs, g.input_count * sizeof *t->inputs);
	t->arena = arena;
	memory_free(g.nodes);
	memory_free(g.inputs);
	memory_free(g.out);
	memory_free(g.consumers);
	return t;
}

void training_free(struct training *training)
{
	struct arena arena;

	if (training == NULL)
		return;
	blocks_free(training->blocks);
	arena = training->arena;
	arena_free(&arena);
}

const char *pass_name(enum pass pass)
{
	static const char *const names[PASS_COUNT] = { "fwd", "loss", "bwd_data", "bwd_weight", "update" };

	return names[pass];
}

void training_name(const struct training *training, int node, char *out, size_t size)
{
	static const char *const parts[TRAINING_PART_COUNT] = {
#define X(id, suffix, text) [PART_##id] = suffix,
		TRAINING_PARTS(X)
#undef X
	};
	const struct training_node *n = &training->nodes[node];

	snprintf(out, size, "%s%s", n->row >= 0 ? training->model->operators[n->row].name : "loss", parts[n->part]);
}
