/* `ops`: every operator of the training step, with what it costs and when it runs. */
#include "report/ops.h"

#include "base/csv.h"
#include "base/units.h"
#include "report/forms.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

/* ---- words ---- */

const char *ops_core(enum core_kind core)
{
	static const char *const names[CORE_KIND_COUNT] = {
		[CORE_NONE] = "none", [CORE_TC] = "tc", [CORE_VC] = "vc", [CORE_BOTH] = "tc+vc", [CORE_LINK] = "link"
	};

	return names[core];
}

static void add_core(struct text *out, enum resource r, int core)
{
	text_printf(out, "%s%s%d", out->length > 0 ? "+" : "", resource_lane(r), core);
}

void ops_on(const struct step *step, int task, struct text *out)
{
	enum { LISTED = 16 };
	const struct placing *p = &step->schedule.tasks[task];

	for (int r = 0; r < RESOURCE_COUNT; r++) {
		const char *lane = resource_lane((enum resource)r);
		int cores = step->graph.cores[r];

		if (p->core[r] >= 0)
			add_core(out, (enum resource)r, p->core[r]);
		else if (p->core[r] == CORE_ALL && cores > LISTED)
			text_printf(out, "%s%s0-%s%d", out->length > 0 ? "+" : "", lane, lane, cores - 1);
		for (int c = 0; p->core[r] == CORE_ALL && cores <= LISTED && c < cores; c++)
			add_core(out, (enum resource)r, c);
	}
}

const char *ops_binds(const struct step *step, int task)
{
	const struct step_task *t = &step->tasks[task];
	const struct step_node *n = &step->nodes[t->node];

	if (n->opaque)
		return "opaque";
	if (n->measured)
		return "measured";
	return t->seconds == 0 ? "" : step_timing(t)->bound == BOUND_COMPUTE ? "compute" : "memory";
}

const char *ops_row_binds(const struct step_row *row)
{
	if (row->measured)
		return "measured";
	return row->fused ? "fused" : row->seconds == 0 ? "" : row->bound == BOUND_COMPUTE ? "compute" : "memory";
}

const char *ops_bound_by(enum bound_by by)
{
	static const char *const words[BOUND_BY_COUNT] = {
		[BOUND_BY_PATH] = "longest path", [BOUND_BY_TC] = "work of the tensor cores", [BOUND_BY_VC] = "work of the vector cores", [BOUND_BY_LINK] = "work of the links"
	};

	return words[by];
}

void ops_label(const struct training *training, const struct step *step, int task, struct text *out)
{
	int node = step->tasks[task].node;
	char name[600];

	training_name(training, node, name, sizeof name);
	text_printf(out, "%s:%s", name, pass_name(training->nodes[node].pass));
}

void ops_fused(const struct training *training, const struct step *step, int task, struct text *out)
{
	int head = step->tasks[task].node, row = training->nodes[head].row;
	char name[600];

	for (int node = step->nodes[head].next; node >= 0; node = step->nodes[node].next) {
		size_t own = 0;

		training_name(training, node, name, sizeof name);
		/* a part of the same row goes by its part alone */
		if (row >= 0 && training->nodes[node].row == row && training->nodes[node].part != PART_MAIN)
			own = strlen(training->model->operators[row].name);
		text_printf(out, "%s%s", out->length > 0 ? " " : "", name + own);
	}
}

/* ---- JSON ---- */

static void set_product(json_t *op, const struct step_node *n)
{
	const struct gemm *g = &n->gemms[0];

	if (n->gemm_count == 0)
		return;
	json_object_set_new(op, "m", json_integer(g->m));
	json_object_set_new(op, "n", json_integer(g->n));
	json_object_set_new(op, "k", json_integer(g->k));
	json_object_set_new(op, "groups", json_integer(g->groups));
	if (n->gemm_count == 2) {
		g = &n->gemms[1];
		json_object_set_new(op, "second", json_pack("{s:I, s:I, s:I, s:I}", "m", (json_int_t)g->m, "n", (json_int_t)g->n, "k", (json_int_t)g->k,
			"groups", (json_int_t)g->groups));
	}
}

static json_t *inputs_json(const struct training *t, int node)
{
	json_t *list = json_array();

	for (int i = 0; i < t->nodes[node].input_count; i++)
		json_array_append_new(list, json_integer(t->inputs[t->nodes[node].first_input + i]));
	return list;
}

/* What is known of an operator's task is given by its head; the others say which that is. */
static void set_task(json_t *op, const struct results *r, int node)
{
	const struct step_node *n = &r->step->nodes[node];
	const struct step_task *t = &r->step->tasks[n->task];
	const struct timing *timing = n->taken_by < 0 ? step_timing(t) : &n->timing;

	json_set_number(op, "macs", timing->macs);
	json_set_number(op, "cycles", timing->cycles);
	json_set_number(op, "utilisation", timing->utilisation);
	json_set_number(op, "bytes", n->taken_by < 0 ? timing->bytes : 0);
	json_set_number(op, "compute_s", timing->compute_s);
	json_set_number(op, "memory_s", n->taken_by < 0 ? timing->memory_s : 0);
	json_set_number(op, "time_s", n->seconds);
	json_set_text(op, "bound", timing->bound == BOUND_COMPUTE ? "compute" : "memory");
	if (n->taken_by >= 0)
		json_object_set_new(op, "fused_into", json_integer(n->taken_by));
}

static void set_schedule(json_t *op, const struct results *r, int node)
{
	const struct step_node *n = &r->step->nodes[node];
	const struct task_bounds *b = &r->step->bounds.tasks[n->task];
	struct text on = { 0 };

	json_set_number(op, "asap_s", b->asap + n->offset);
	json_set_number(op, "alap_s", b->alap + n->offset);
	json_set_number(op, "slack_s", b->slack);
	json_object_set_new(op, "critical", json_boolean(b->critical));
	json_set_number(op, "start_s", r->step->schedule.tasks[n->task].start + n->offset);
	ops_on(r->step, n->task, &on);
	if (on.length > 0)
		json_set_text(op, "on", text_string(&on));
	text_free(&on);
}

/* What the start of an operator's task waited for: "input", "core" or "kept", and whose end that was. */
static void set_wait(json_t *op, const struct results *r, int node)
{
	const struct placing *p = &r->step->schedule.tasks[r->step->nodes[node].task];

	if (p->waited_for < 0)
		return;
	json_set_text(op, "waits_for", p->wait == WAIT_CORE ? "core" : p->wait == WAIT_KEPT ? "kept" : "input");
	json_object_set_new(op, "waited_for", json_integer(r->step->tasks[p->waited_for].node));
}

static json_t *op_json(const struct results *r, int node)
{
	const struct step_node *n = &r->step->nodes[node];
	json_t *op = json_object();
	char name[600];

	training_name(r->training, node, name, sizeof name);
	json_set_text(op, "name", name);
	json_set_text(op, "pass", pass_name(r->training->nodes[node].pass));
	if (r->training->nodes[node].row >= 0)
		json_object_set_new(op, "row", json_integer(r->training->nodes[node].row + 1));
	json_set_text(op, "core", ops_core(r->step->tasks[n->task].core));
	set_product(op, n);
	set_task(op, r, node);
	set_schedule(op, r, node);
	json_object_set_new(op, "inputs", inputs_json(r->training, node));
	set_wait(op, r, node);
	if (n->measured)
		json_object_set_new(op, "measured", json_true());
	json_object_set_new(op, "opaque", json_boolean(n->opaque));
	return op;
}

void report_ops_json(const struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	json_t *root = json_begin(), *operators = json_array();

	json_set_text(root, "model", r->model->name);
	for (int node = 0; node < r->step->node_count; node++)
		json_array_append_new(operators, op_json(r, node));
	json_object_set_new(root, "operators", operators);
	json_end(root, out);
}

void report_operator_json(const struct study *study, int node, const char *sentence, const char *loops, struct text *out)
{
	const struct results *r = study_results(study);
	json_t *root = json_begin();

	json_set_text(root, "model", r->model->name);
	json_object_set_new(root, "operator", op_json(r, node));
	json_set_text(root, "sentence", sentence);
	json_set_text(root, "loops", loops);
	json_end(root, out);
}

/* ---- CSV ---- */

static void csv_number(struct text *out, double value)
{
	char a[40];

	units_print_exact(value, a, sizeof a);
	text_printf(out, ",%s", isnan(value) ? "" : a);
}

static void csv_product(struct text *out, const struct step_node *n, int product)
{
	const struct gemm *g = &n->gemms[product];

	if (product < n->gemm_count)
		text_printf(out, ",%lld,%lld,%lld,%lld", (long long)g->m, (long long)g->n, (long long)g->k, (long long)g->groups);
	else
		text_add(out, ",,,,");
}

static void csv_line(const struct results *r, int node, struct text *out)
{
	const struct step *step = r->step;
	const struct step_node *n = &step->nodes[node];
	const struct task_bounds *b = &step->bounds.tasks[n->task];
	const struct timing *timing = n->taken_by < 0 ? step_timing(&step->tasks[n->task]) : &n->timing;
	struct text on = { 0 };
	char name[600];

	training_name(r->training, node, name, sizeof name);
	csv_write_cell(out, name);
	text_printf(out, ",%s,%s", pass_name(r->training->nodes[node].pass), ops_core(step->tasks[n->task].core));
	csv_product(out, n, 0);
	csv_number(out, timing->macs);
	csv_number(out, timing->cycles);
	csv_number(out, timing->utilisation);
	csv_number(out, n->taken_by < 0 ? timing->bytes : 0);
	csv_number(out, timing->compute_s);
	csv_number(out, n->taken_by < 0 ? timing->memory_s : 0);
	csv_number(out, n->seconds);
	text_printf(out, ",%s", timing->bound == BOUND_COMPUTE ? "compute" : "memory");
	csv_number(out, b->asap + n->offset);
	csv_number(out, b->alap + n->offset);
	csv_number(out, b->slack);
	csv_number(out, step->schedule.tasks[n->task].start + n->offset);
	ops_on(step, n->task, &on);
	text_printf(out, ",%s,%s", text_string(&on), n->taken_by >= 0 ? "fused" : "");
	text_printf(out, ",%s,%s", n->measured ? "measured" : "", n->opaque ? "opaque" : "");
	csv_number(out, n->taken_by >= 0 ? (double)n->taken_by : NAN);
	csv_product(out, n, 1);
	text_add(out, "\n");
	text_free(&on);
}

void report_ops_csv(const struct study *study, struct text *out)
{
	const struct results *r = study_results(study);

	text_add(out, "name,pass,core,m,n,k,groups,macs,cycles,utilisation,bytes,compute_s,memory_s,time_s,bound,asap_s,alap_s,slack_s,start_s,on,fused,measured,opaque,fused_into,m2,n2,k2,groups2\n");
	for (int node = 0; node < r->step->node_count; node++)
		csv_line(r, node, out);
}

/* ---- text ---- */

static void text_line(const struct results *r, int task, struct text *out)
{
	const struct step *step = r->step;
	const struct step_task *t = &step->tasks[task];
	const struct step_node *n = &step->nodes[t->node];
	const struct timing *timing = step_timing(t);
	const struct task_bounds *b = &step->bounds.tasks[task];
	struct text label = { 0 }, on = { 0 }, fused = { 0 };
	char start[32], time[32], bytes[40], shape[64] = "", share[16] = "", slack[32] = "critical";

	ops_label(r->training, step, task, &label);
	ops_on(step, task, &on);
	if (n->gemm_count > 0) {
		snprintf(shape, sizeof shape, "%lldx%lldx%lld", (long long)n->gemms[0].m, (long long)n->gemms[0].n, (long long)n->gemms[0].k);
		if (!n->measured)
			snprintf(share, sizeof share, "%.1f", 100 * timing->utilisation);
	}
	units_print_seconds(step->schedule.tasks[task].start, start, sizeof start);
	units_print_seconds(t->seconds, time, sizeof time);
	units_print_bytes(timing->bytes, bytes, sizeof bytes);
	if (!b->critical)
		units_print_seconds(b->slack, slack, sizeof slack);
	text_printf(out, "%9s ", start);
	text_pad(out, text_string(&label), 30);
	ops_fused(r->training, step, task, &fused);
	text_printf(out, " %-15s %-20s %9s  %-8s %5s %9s %9s  %s\n", text_string(&on), shape, time,
		ops_binds(step, task), share, bytes, slack, text_string(&fused));
	text_free(&label);
	text_free(&on);
	text_free(&fused);
}

void report_ops_text(const struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	char makespan[32], bound[32];

	units_print_seconds(r->step->schedule.makespan, makespan, sizeof makespan);
	units_print_seconds(r->step->bounds.makespan, bound, sizeof bound);
	text_printf(out, "%s: %d operators in %d tasks, one accelerator's share: the step takes %s, in any other order at least %s\n\n", r->model->name, r->step->node_count,
		r->step->task_count, makespan, bound);
	text_printf(out, "%9s %-30s %-15s %-20s %9s  %-8s %5s %9s %9s  %s\n", "start", "operator", "on", "M x N x K", "time", "bound", "use %", "bytes", "slack", "fused into it");
	for (int task = 0; task < r->step->task_count; task++)
		text_line(r, task, out);
}
