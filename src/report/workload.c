/* A training step with its plan as an ASTRA-sim 1.0 workload: a line for each layer with weights, and the model itself behind them. */
#include "model/astrasim.h"
#include "model/load.h"
#include "partition/costs.h"
#include "report/timeline.h"

#include <math.h>
#include <string.h>

enum { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, PASSES };

struct pass_line {
	double seconds;
	const char *collective;
	double bytes;
};

struct layer_line {
	struct pass_line pass[PASSES];
	double update;
};

/* Seconds of all nodes, each on the line of its row, or of the last layer with weights before it. */
static void add_times(const struct results *r, const int *line_of_row, struct layer_line *lines)
{
	for (int node = 0; node < r->training->count; node++) {
		const struct training_node *n = &r->training->nodes[node];
		struct layer_line *line = &lines[line_of_row[n->row >= 0 ? n->row : r->model->count - 1]];
		double seconds = r->step->nodes[node].seconds;

		switch (n->pass) {
		case PASS_BWD_DATA: line->pass[INPUT_GRADIENT].seconds += seconds; break;
		case PASS_BWD_WEIGHT: line->pass[WEIGHT_GRADIENT].seconds += seconds; break;
		case PASS_UPDATE: line->update += seconds; break;
		default: line->pass[FORWARD].seconds += seconds;
		}
	}
}

/* What a layer sums over all levels of a type: once over the groups of all of them. */
static void add_sums(const struct results *r, const struct problem_var *var, const struct plan_request *request, struct layer_line *line)
{
	static const struct { int state; int pass; } sums[] = { { SPLIT_DP, WEIGHT_GRADIENT }, { SPLIT_MP, FORWARD }, { SPLIT_OP, INPUT_GRADIENT } };
	struct halvings halved = costs_halved_above(r->plan, var, r->plan->levels + 1);
	struct shard shard = costs_shard(var, request, halved);

	for (int i = 0; i < 3; i++) {
		bool chosen = false;
		double elements = comm_intra(var->role, sums[i].state, &shard);

		for (int level = 1; level <= r->plan->levels; level++)
			chosen = chosen || plan_state(r->plan, var->row, level) == sums[i].state;
		if (chosen && elements > 0)
			line->pass[sums[i].pass] = (struct pass_line){ line->pass[sums[i].pass].seconds, "ALLREDUCE", elements * r->element_bytes / 2 };
	}
}

/* Re-laid tensors go where the layer sums nothing itself: the simulator has room for one collective a pass. */
static void add_changes(const struct results *r, int v, const struct plan_request *request, struct layer_line *line)
{
	const struct problem *p = r->problem;
	const struct problem_var *var = &p->vars[v];
	double most[2] = { 0, 0 };

	for (int level = 1; level <= r->plan->levels; level++)
		for (int e = p->first_in[v]; e < p->first_in[v + 1]; e++) {
			const struct problem_var *from = &p->vars[p->edges[e].from];
			double tensor = costs_edge_elements(&p->edges[e], request, costs_halved_above(r->plan, var, level)) * r->element_bytes / 2;
			struct comm_changes c = comm_changes(request->comm_model, from->role, plan_state(r->plan, from->row, level), var->role, plan_state(r->plan, var->row, level));

			most[0] = c.features > 0 ? fmax(most[0], tensor) : most[0];
			most[1] = c.errors > 0 ? fmax(most[1], tensor) : most[1];
		}
	for (int pass = FORWARD; pass <= INPUT_GRADIENT; pass++)
		if (most[pass] > 0 && line->pass[pass].bytes == 0)
			line->pass[pass] = (struct pass_line){ line->pass[pass].seconds, "ALLTOALL", most[pass] };
}

/* All dp, none, or both, by what the innermost level does. */
static const char *policy(const struct plan *plan, int row)
{
	int dp = 0;

	for (int level = 1; level <= plan->levels; level++)
		dp += plan_state(plan, row, level) == SPLIT_DP;
	if (dp == plan->levels)
		return "DATA";
	if (dp == 0)
		return "MODEL";
	return plan_state(plan, row, plan->levels) == SPLIT_DP ? "HYBRID_DATA_MODEL" : "HYBRID_MODEL_DATA";
}

/* The format cuts names at blanks. */
static void write_name(const char *name, struct text *out)
{
	for (; *name != '\0'; name++)
		text_append(out, *name == ' ' || *name == '\t' ? "_" : name, 1);
}

static void write_line(const struct results *r, int row, const struct layer_line *line, struct text *out)
{
	write_name(r->model->operators[row].name, out);
	text_add(out, "\t-1");
	for (int pass = 0; pass < PASSES; pass++) {
		const struct pass_line *p = &line->pass[pass];

		text_printf(out, "\t%.0f\t%s\t%.0f", fmax(1, round(p->seconds * 1e9)), p->bytes > 0 ? p->collective : "NONE", ceil(p->bytes));
	}
	text_printf(out, "\t%.0f\t%s\n", fmax(1, round(line->update * 1e9)), policy(r->plan, row));
}

static void write_model(const struct model *model, struct text *out)
{
	struct text csv = { 0 };

	model_write_csv(model, &csv);
	for (const char *at = text_string(&csv); *at != '\0'; ) {
		size_t length = strcspn(at, "\n");

		text_add(out, ASTRASIM_MODEL);
		text_append(out, at, length);
		text_add(out, "\n");
		at += length + (at[length] == '\n');
	}
	text_free(&csv);
}

void timeline_workload(const struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	struct plan_request request = request_of(study_document(study), NULL);
	struct layer_line *lines = memory_alloc((size_t)r->model->count, sizeof *lines);
	int *line_of_row = memory_alloc((size_t)r->model->count, sizeof *line_of_row), line = -1, first = -1;

	for (int row = 0; row < r->model->count; row++)
		if (operator_kind_weighted(r->model->operators[row].kind) && first < 0)
			first = row;
	for (int row = 0; row < r->model->count; row++)
		line_of_row[row] = line = operator_kind_weighted(r->model->operators[row].kind) ? row : line < 0 ? first : line;
	add_times(r, line_of_row, lines);
	text_printf(out, "HYBRID_CUSTOMIZED\n%d\n", r->model->layers);
	for (int row = 0; row < r->model->count; row++) {
		int v = r->problem->var_of_row[row];

		if (!operator_kind_weighted(r->model->operators[row].kind))
			continue;
		add_sums(r, &r->problem->vars[v], &request, &lines[row]);
		add_changes(r, v, &request, &lines[row]);
		write_line(r, row, &lines[row], out);
	}
	write_model(r->model, out);
	memory_free(lines);
	memory_free(line_of_row);
}
