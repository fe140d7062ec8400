#include "model/profiled_rows.h"

#include "model/modules.h"

#include <math.h>
#include <string.h>

enum { NO_TENSOR = -2 };     /* what a layer of the file is when its consumers read nothing of it */

static const double BYTES_OF_ELEMENT = 4;    /* fp32, as frameworks train by default; the files do not say */

struct making {
	const struct profiled_graph *g;
	const struct profiled_cost *costs;
	struct builder *b;
	struct module *modules;  /* of each layer */
	bool *exact;             /* its module's sizes give its parameters */
	int *rows;               /* of each layer, MODEL_INPUT or NO_TENSOR */
	int *inputs;             /* rows the present layer reads */
	struct shape *shapes;    /* theirs; ch 0 where it is not known */
	int input_count;
	int64_t batch;           /* samples of a microbatch, 0 when the file does not tell */
	int guessed;
	int first_guess;
};

/* ---- what the bytes tell ---- */

static int64_t whole_elements(double bytes)
{
	double n = bytes / BYTES_OF_ELEMENT;

	return n >= 1 && n == floor(n) && n < 1e15 ? (int64_t)n : 0;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b != 0) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Samples x positions is what is left of a layer's output without its channels, and the samples divide them all.  Where a layer with one position is among
 * them, as the last of most networks, or their positions have no common factor, that is the batch. */
static void find_batch(struct making *m)
{
	for (int v = 0; m->g->handed && v < m->g->layer_count; v++) {
		int64_t all = whole_elements(m->costs[v].activations), ch = m->exact[v] ? m->modules[v].row.value[COLUMN_OUT_CH].h : 0;

		if (ch > 0 && all > 0 && all % ch == 0)
			m->batch = common_divisor(all / ch, m->batch);
	}
}

/* Elements of a sample that a layer hands on; 0: not told. */
static int64_t elements_of(const struct making *m, int layer)
{
	int64_t all = m->batch > 0 ? whole_elements(m->costs[layer].activations) : 0;

	return all > 0 && all % m->batch == 0 && all / m->batch <= MODEL_SIZE_MAX ? all / m->batch : 0;
}

/* A plane of so many channels, square, as images are; else one position.  ch 0 where they do not divide it. */
static struct shape plane_of(int64_t elements, int64_t ch)
{
	int64_t side;

	if (elements == 0 || ch == 0 || elements % ch != 0)
		return (struct shape){ 0, 0, 0 };
	side = (int64_t)sqrt((double)(elements / ch));
	return side * side == elements / ch ? (struct shape){ ch, side, side } : (struct shape){ ch, elements / ch, 1 };
}

/* ---- the graph ---- */

/* What the model is given: marked so, or without any producer, work and parameters, such as a mask. */
static bool is_given(const struct making *m, int layer, const int *producers)
{
	const struct profiled_cost *c = &m->costs[layer];

	return m->g->layers[layer].input || (producers[layer] == 0 && !m->g->layers[layer].bad && c->forward + c->backward + c->weights == 0);
}

static void find_given(struct making *m)
{
	int *producers = memory_alloc((size_t)m->g->layer_count, sizeof *producers);

	for (int e = 0; e < m->g->edge_count; e++)
		producers[m->g->edges[e].to]++;
	for (int v = 0; v < m->g->layer_count; v++) {
		if (is_given(m, v, producers))
			m->rows[v] = MODEL_INPUT;
		else if (strncmp(m->g->layers[v].text, "Size(", 5) == 0)
			m->rows[v] = NO_TENSOR;  /* a number for a view */
		else
			m->rows[v] = 0;
	}
	memory_free(producers);
}

static bool has_input(const struct making *m, int row)
{
	for (int i = 0; i < m->input_count; i++)
		if (m->inputs[i] == row)
			return true;
	return false;
}

/* Rows the layer reads, each once.  What the model is given is one of them where nothing else is read, or where what is read is summed or joined anyway. */
static void gather_inputs(struct making *m, int layer, int first_edge, int last_edge)
{
	bool joins = m->modules[layer].kind == OPERATOR_ADD || m->modules[layer].kind == OPERATOR_MUL || m->modules[layer].kind == OPERATOR_CONCAT;
	int given = -1;

	m->input_count = 0;
	for (int e = first_edge; e < last_edge; e++) {
		int from = m->g->edges[e].from, row = m->rows[from];

		given = row == MODEL_INPUT && given < 0 ? from : given;
		if (row == NO_TENSOR || has_input(m, row) || (row == MODEL_INPUT && !joins))
			continue;
		m->inputs[m->input_count] = row;
		m->shapes[m->input_count++] = row == MODEL_INPUT ? (struct shape){ 0, 0, 0 } : m->b->operators[row].out;
	}
	if (m->input_count == 0) {
		m->inputs[0] = MODEL_INPUT;
		m->shapes[0] = (struct shape){ 0, 0, 0 };
		m->input_count = 1;
	}
	for (int i = 0; i < m->input_count; i++)
		if (m->inputs[i] == MODEL_INPUT && given >= 0)
			m->shapes[i] = plane_of(elements_of(m, given), m->exact[layer] && m->modules[layer].kind == OPERATOR_CONV ? m->modules[layer].row.value[COLUMN_IN_CH].h : elements_of(m, given));
	/* a sum's size is that of an input that is known */
	for (int i = 1; i < m->input_count && m->shapes[0].ch == 0; i++)
		m->shapes[0] = m->shapes[i];
}

/* ---- one row ---- */

static void declare(struct declared *row, enum column column, int64_t size)
{
	row->given[column] = true;
	row->value[column] = (struct extent){ size, size };
}

static bool derive(const struct making *m, struct operator *o, const struct declared *row)
{
	struct diagnostic d;
	struct operator trial = *o;

	trial.input_count = m->input_count;
	if (derive_operator(&trial, row, m->shapes, &d) != STATUS_OK)
		return false;
	*o = trial;
	return true;
}

/* The sizes that its module prints, where they make of what it reads what the file says it hands on. */
static bool take_module(const struct making *m, int layer, struct operator *o)
{
	const struct module *module = &m->modules[layer];
	struct declared row = module->row;
	int64_t elements = elements_of(m, layer);
	struct operator trial = *o;

	trial.kind = module->kind;
	trial.bias = module->bias;
	if (module->kind == OPERATOR_CONV && m->shapes[0].ch != row.value[COLUMN_IN_CH].h)
		return false;
	if (module->kind != OPERATOR_CONV && elements > 0 && shape_elements(m->shapes[0]) != elements / row.value[COLUMN_OUT_CH].h * row.value[COLUMN_IN_CH].h) {
		declare(&row, COLUMN_IN_H, elements / row.value[COLUMN_OUT_CH].h);
		declare(&row, COLUMN_IN_W, 1);
	}
	if (!derive(m, &trial, &row) || (elements > 0 && shape_elements(trial.out) != elements))
		return false;
	*o = trial;
	return true;
}

/* A window, as printed or as what comes out of it tells. */
static bool take_pool(const struct making *m, int layer, struct operator *o)
{
	struct shape in = m->shapes[0], out = plane_of(elements_of(m, layer), in.ch);
	struct declared row = m->modules[layer].row;
	struct operator trial = *o;

	trial.kind = OPERATOR_POOL;
	if (m->input_count > 1 || out.ch == 0 || in.w == 1 || out.h > in.h || out.w > in.w || shape_elements(in) == shape_elements(out))
		return false;
	declare(&row, COLUMN_OUT_H, out.h);
	declare(&row, COLUMN_OUT_W, out.w);
	if (m->modules[layer].kind != OPERATOR_POOL || !derive(m, &trial, &row)) {
		row.given[COLUMN_KERNEL] = row.given[COLUMN_STRIDE] = row.given[COLUMN_PAD] = false;
		if (!derive(m, &trial, &row))
			return false;
	}
	*o = trial;
	return true;
}

/* Without parameters: the kind its name tells, of the size of what it reads. */
static bool take_same(const struct making *m, int layer, struct operator *o)
{
	enum operator_kind kind = m->modules[layer].kind;
	struct declared row = { .given = { false } };
	int64_t elements = elements_of(m, layer);

	o->kind = kind;
	if (m->input_count > 1 && kind != OPERATOR_MUL && kind != OPERATOR_CONCAT)
		o->kind = OPERATOR_ADD;
	else if (operator_kind_weighted(kind) || kind == OPERATOR_POOL)
		o->kind = OPERATOR_ACT;
	if (m->shapes[0].ch == 0) {
		declare(&row, COLUMN_IN_CH, elements > 0 ? elements : 1);
		declare(&row, COLUMN_IN_H, 1);
		declare(&row, COLUMN_IN_W, 1);
	}
	return derive(m, o, &row);
}

/* A normalisation has a scale and a shift a channel. */
static bool take_norm(const struct making *m, int layer, struct operator *o)
{
	struct declared row = { .given = { false } };
	int64_t ch = whole_elements(m->costs[layer].weights) / 2;

	o->kind = OPERATOR_NORM;
	if (m->modules[layer].kind != OPERATOR_NORM || m->shapes[0].ch == 0 || ch < 1 || ch > MODEL_SIZE_MAX)
		return false;
	declare(&row, COLUMN_IN_CH, ch);
	return derive(m, o, &row);
}

/* A layer with parameters reads one tensor: several are joined in front of it. */
static void join_inputs(struct making *m, int layer)
{
	struct operator o = operator_blank(OPERATOR_CONCAT, m->g->layers[layer].line);
	struct declared row = { .given = { false } };
	struct diagnostic d;
	char name[NAME_BYTES_MAX];
	int at = -1;

	snprintf(name, sizeof name, "%.400s.inputs", m->g->layers[layer].name);
	o.name = builder_name(m->b, name, strlen(name));
	if (derive(m, &o, &row)) {
		builder_inputs(m->b, &o, m->inputs, m->input_count);
		at = builder_add(m->b, &o, &d);
	}
	if (at >= 0) {
		m->inputs[0] = at;
		m->shapes[0] = o.out;
	}
	m->input_count = 1;
}

static void make_sizes(struct making *m, int layer, struct operator *o)
{
	int64_t weights = (int64_t)(m->costs[layer].weights / BYTES_OF_ELEMENT);

	if (weights > 0 && m->input_count > 1)
		join_inputs(m, layer);
	if (m->exact[layer] && take_module(m, layer, o))
		return;
	if (weights > 0 && !take_norm(m, layer, o)) {
		operator_make_square(o, weights);
		m->first_guess = m->guessed++ == 0 ? layer : m->first_guess;
	} else if (weights == 0 && !take_pool(m, layer, o)) {
		take_same(m, layer, o);
	}
}

static void make_row(struct making *m, int layer)
{
	const struct profiled_layer *l = &m->g->layers[layer];
	struct operator o = operator_blank(OPERATOR_OPAQUE, l->line);
	struct diagnostic d;

	if (!builder_row(m->b, l->line))
		return;
	o.fwd_s = m->costs[layer].forward;
	o.bwd_s = m->costs[layer].backward;
	if (!l->bad)
		make_sizes(m, layer, &o);
	else if (m->shapes[0].ch > 0)
		o.in = o.out = o.conv_out = m->shapes[0];
	o.name = builder_name(m->b, l->name, strlen(l->name));
	builder_inputs(m->b, &o, m->inputs, m->input_count);
	m->rows[layer] = builder_add(m->b, &o, &d);
	if (m->rows[layer] >= 0)
		return;
	m->rows[layer] = NO_TENSOR;
	m->b->model->skipped++;
	d.line = l->line;
	d.column = l->line > 0 ? 1 : 0;
	builder_bad_row(m->b, &d);
}

/* ---- the whole ---- */

static void warn(const struct making *m)
{
	const struct profiled_layer *first = &m->g->layers[m->first_guess];

	if (m->g->variant_count > 1)
		builder_problem(m->b, SEVERITY_WARNING, 0, 0, "of %d ways to run the layers the first is read: width %d%s%.60s", m->g->variant_count, m->g->variants[0].width,
			m->g->variants[0].name[0] != '\0' ? ", " : "", m->g->variants[0].name);
	if (m->batch > 0)
		builder_problem(m->b, SEVERITY_WARNING, 0, 0, "times are of one accelerator with %lld samples, as activations tell (fp32; positions that all layers have count as samples), "
			"and hold where each has as many; updates are modelled", (long long)m->batch);
	else
		builder_problem(m->b, SEVERITY_WARNING, 0, 0, "times are of one accelerator with one microbatch, and how many samples that is, the file does not say; updates are modelled");
	if (m->guessed > 0)
		builder_problem(m->b, SEVERITY_WARNING, first->line, first->line > 0 ? 1 : 0, "the sizes of %d layer%s, %.40s%s%.60s the first, are not in the file: "
			"each is taken as a linear layer as square as its parameters (fp32) divide",
			m->guessed, m->guessed == 1 ? "" : "s", first->name, first->text[0] != '\0' ? ", " : "", first->text);
}

static void find_modules(struct making *m)
{
	for (int v = 0; v < m->g->layer_count; v++) {
		m->modules[v] = module_of(m->g->layers[v].text);
		m->exact[v] = m->modules[v].sized && m->modules[v].params * BYTES_OF_ELEMENT == m->costs[v].weights;
	}
}

void profiled_rows(const struct profiled_graph *g, struct builder *b)
{
	size_t count = (size_t)g->layer_count;
	struct making m = { .g = g, .costs = g->variants[0].costs, .b = b };
	int edge = 0;

	m.modules = memory_alloc(count, sizeof *m.modules);
	m.exact = memory_alloc(count, sizeof *m.exact);
	m.rows = memory_alloc(count, sizeof *m.rows);
	m.inputs = memory_alloc(count + 1, sizeof *m.inputs);
	m.shapes = memory_alloc(count + 1, sizeof *m.shapes);
	find_modules(&m);
	find_batch(&m);
	find_given(&m);
	for (int v = 0; v < g->layer_count; v++) {
		int first = edge;

		while (edge < g->edge_count && g->edges[edge].to == v)
			edge++;
		if (m.rows[v] < 0)
			continue;
		gather_inputs(&m, v, first, edge);
		make_row(&m, v);
	}
	b->model->skipped += g->skipped;
	if (b->model->count > 0)
		warn(&m);
	memory_free(m.modules);
	memory_free(m.exact);
	memory_free(m.rows);
	memory_free(m.inputs);
	memory_free(m.shapes);
}
