/* The schedule's integer program, written for GLPK.
 *
 * GLPK keeps an environment for each thread; it is freed at the end of each solve, since nothing else here uses GLPK. */
#include "schedule/ilp.h"

#ifndef WHYPAR_GLPK

bool ilp_available(void)
{
	return false;
}

enum status ilp_schedule(const struct task_graph *g, double seconds, const atomic_bool *cancel, struct exact_result *result, struct schedule *schedule,
			 struct diagnostic *d)
{
	(void)g, (void)seconds, (void)cancel, (void)result, (void)schedule;
	return diagnostic_fail(d, STATUS_INFEASIBLE, "this whypar was built without GLPK; install libglpk-dev and build it again");
}

#else

#include "base/memory.h"
#include "schedule/list.h"

#include <glpk.h>
#include <math.h>

/* The whole program.  Columns and rows count from 1, as GLPK does; column 0 stands for none. */
struct program {
	const struct task_graph *graph;  /* with times in whole units */
	const struct bounds *bounds;
	double horizon;                  /* no better than the heuristic is no use */
	unsigned related[ILP_TASKS];     /* on a path with it, either way */
	glp_prob *glp;
	int makespan;                    /* columns */
	int start[ILP_TASKS], spread[ILP_TASKS];
	int first[ILP_TASKS][ILP_TASKS]; /* 1: the one ends before the other begins */
	int places[ILP_TASKS * ILP_TASKS + 1];   /* of the row being written */
	double values[ILP_TASKS * ILP_TASKS + 1];
	int entries;
	int sets;
	const atomic_bool *cancel;
	double bound;                    /* GLPK's last */
	long nodes;                      /* of its search */
};

static bool holds(const struct task_graph *g, int task, int resource)
{
	return g->seconds[task] > 0 && core_uses(g->kinds[task], resource);
}

static bool share_resource(const struct task_graph *g, int i, int j)
{
	return g->seconds[i] > 0 && g->seconds[j] > 0 && (core_needs(g->kinds[i]) & core_needs(g->kinds[j])) != 0;
}

/* ---- columns ---- */

static int add_column(struct program *p, double low, double high, bool binary)
{
	int column = glp_add_cols(p->glp, 1);

	if (binary)
		glp_set_col_kind(p->glp, column, GLP_BV);
	else
		glp_set_col_bnds(p->glp, column, low < high ? GLP_DB : GLP_FX, low, high);
	return column;
}

/* Latest start with which the horizon is kept. */
static double latest(const struct program *p, int task)
{
	return p->horizon - (p->bounds->path - p->bounds->tasks[task].alap);
}

static void add_columns(struct program *p)
{
	const struct task_bounds *t = p->bounds->tasks;
	int n = p->graph->count;

	p->makespan = add_column(p, p->bounds->makespan * (1 - 1e-9), p->horizon, false);
	glp_set_obj_coef(p->glp, p->makespan, 1);
	for (int i = 0; i < n; i++) {
		p->start[i] = add_column(p, t[i].asap, latest(p, i), false);
		if (t[i].seconds < p->graph->seconds[i])
			p->spread[i] = add_column(p, 0, 1, true);
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (i != j && !(p->related[i] >> j & 1) && share_resource(p->graph, i, j) && t[i].asap + t[i].seconds <= latest(p, j) + 1e-6)
				p->first[i][j] = add_column(p, 0, 1, true);
}

/* ---- rows ---- */

static void add_entry(struct program *p, int column, double value)
{
	if (column == 0)
		return;
	p->places[++p->entries] = column;
	p->values[p->entries] = value;
}

/* Writes the row of the entries added: at least `low`. */
static void end_row(struct program *p, double low)
{
	int row = glp_add_rows(p->glp, 1);

	glp_set_row_bnds(p->glp, row, GLP_LO, low, 0);
	glp_set_mat_row(p->glp, row, p->entries, p->places, p->values);
	p->entries = 0;
}

/* later >= start + seconds of the task; unless a column is 1 only then, with a slack of M else. */
static void add_order(struct program *p, int later, int task, int only_when, double m)
{
	double seconds = p->graph->seconds[task];

	add_entry(p, later, 1);
	add_entry(p, p->start[task], -1);
	add_entry(p, p->spread[task], seconds - p->bounds->tasks[task].seconds);
	add_entry(p, only_when, -m);
	end_row(p, only_when == 0 ? seconds : seconds - m);
}

static void add_orders(struct program *p)
{
	const struct task_graph *g = p->graph;

	for (int i = 0; i < g->count; i++) {
		add_order(p, p->makespan, i, 0, 0);
		for (int k = g->first_input[i]; k < g->first_input[i + 1]; k++) {
			bool again = false;

			for (int before = g->first_input[i]; before < k; before++)
				again |= g->inputs[before] == g->inputs[k];
			if (!again)
				add_order(p, p->start[i], g->inputs[k], 0, 0);
		}
		for (int j = 0; j < g->count; j++)
			if (p->first[i][j] > 0) {
				double late = latest(p, i) + g->seconds[i] - p->bounds->tasks[j].asap;

				add_order(p, p->start[j], i, p->first[i][j], fmax(late, 0));
			}
	}
}

/* A spread task is ordered with every other that uses its cores. */
static void add_spreads(struct program *p)
{
	for (int i = 0; i < p->graph->count; i++)
		for (int j = 0; j < p->graph->count && p->spread[i] > 0; j++) {
			if (i == j || p->related[i] >> j & 1 || !share_resource(p->graph, i, j))
				continue;
			add_entry(p, p->first[i][j], 1);
			add_entry(p, p->first[j][i], 1);
			add_entry(p, p->spread[i], -1);
			end_row(p, 0);
		}
}

/* Adds a row for every way to make a set of `missing` more from tasks up to `from`, none on a path with another.
 * chosen: as bits.  False when there are too many. */
static bool add_sets(struct program *p, int resource, int from, int missing, unsigned chosen)
{
	const struct task_graph *g = p->graph;

	if (missing == 0) {
		for (int i = 0; i < g->count; i++)
			for (int j = 0; j < g->count; j++)
				if (chosen >> i & 1 && chosen >> j & 1)
					add_entry(p, p->first[i][j], 1);
		end_row(p, 1);
		return ++p->sets <= ILP_SETS;
	}
	for (int i = from; i >= missing - 1; i--)
		if (holds(g, i, resource) && (p->related[i] & chosen) == 0 && !add_sets(p, resource, i - 1, missing - 1, chosen | 1u << i))
			return false;
	return true;
}

static bool write_program(struct program *p)
{
	const struct task_graph *g = p->graph;

	glp_set_obj_dir(p->glp, GLP_MIN);
	add_columns(p);
	add_orders(p);
	add_spreads(p);
	for (int r = 0; r < RESOURCE_COUNT; r++)
		if (g->cores[r] > 0 && g->cores[r] < g->count && !add_sets(p, r, g->count - 1, g->cores[r] + 1, 0))
			return false;
	return true;
}

/* ---- solving ---- */

static void watch(glp_tree *tree, void *info)
{
	struct program *p = info;
	int node = glp_ios_best_node(tree);

	if (node != 0)
		p->bound = fmax(p->bound, glp_ios_node_bound(tree, node));
	p->nodes = glp_ios_reason(tree) == GLP_ISELECT ? p->nodes + 1 : p->nodes;
	if (p->cancel != NULL && atomic_load(p->cancel))
		glp_ios_terminate(tree);
}

/* GLPK's verdict: GLP_OPT, GLP_FEAS, or another when it found no schedule. */
static int run_glpk(struct program *p, double seconds)
{
	glp_iocp how;

	glp_init_iocp(&how);
	how.msg_lev = GLP_MSG_OFF;
	how.presolve = GLP_ON;
	how.tm_lim = seconds < 1e6 ? (int)(fmax(seconds, 0) * 1000) : 1000000000;
	how.cb_func = watch;
	how.cb_info = p;
	/* the presolver takes roundings for contradictions at times */
	if (glp_intopt(p->glp, &how) == GLP_ENOPFS && glp_simplex(p->glp, NULL) == 0) {
		how.presolve = GLP_OFF;
		glp_intopt(p->glp, &how);
	}
	return glp_mip_status(p->glp);
}

/* The order of starts in GLPK's solution.  What begins together goes by seconds: inputs of none before their tasks. */
static void read_order(const struct program *p, int *order, bool *spread)
{
	const struct task_graph *g = p->graph;
	double start[ILP_TASKS];

	for (int i = 0; i < g->count; i++) {
		int k = i;

		/* GLPK keeps rows to about 1e-7 */
		start[i] = rint(glp_mip_col_val(p->glp, p->start[i]) * 1000);
		spread[i] = p->spread[i] > 0 && glp_mip_col_val(p->glp, p->spread[i]) > 0.5;
		for (; k > 0 && (start[order[k - 1]] > start[i] || (start[order[k - 1]] == start[i] && g->seconds[order[k - 1]] > g->seconds[i])); k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}

/* True when every task of the order comes after its inputs. */
static bool inputs_first(const struct task_graph *g, const int *order)
{
	unsigned before = 0;

	for (int i = 0; i < g->count; i++) {
		for (int k = g->first_input[order[i]]; k < g->first_input[order[i] + 1]; k++)
			if (!(before >> g->inputs[k] & 1))
				return false;
		before |= 1u << order[i];
	}
	return true;
}

/* Keeps GLPK's schedule where it beats the heuristic's, which is in `schedule`. */
static void solve_program(struct program *p, const struct task_graph *g, double seconds, double per_second, struct exact_result *result,
			  struct schedule *schedule)
{
	int verdict = run_glpk(p, seconds), order[ILP_TASKS];
	bool spread[ILP_TASKS];
	struct schedule found = { 0 };

	if (verdict == GLP_OPT || verdict == GLP_FEAS) {
		read_order(p, order, spread);
		if (inputs_first(g, order)) {
			schedule_in_order(g, order, spread, &found);
			if (found.makespan < schedule->makespan) {
				schedule_free(schedule);
				*schedule = found;
				found = (struct schedule){ 0 };
			}
		}
		schedule_free(&found);
	}
	if (verdict == GLP_OPT)
		p->bound = glp_mip_obj_val(p->glp);
	*result = (struct exact_result){ .makespan = schedule->makespan, .bound = fmin(p->bound / per_second, schedule->makespan), .nodes = p->nodes };
	/* a whole unit of rounding for each task on the longest path, and GLPK's own */
	result->proven = verdict == GLP_OPT && (schedule->makespan - result->bound) * per_second <= g->count + 1;
}

/* The graph in whole units, rounded down. */
struct units {
	struct task_graph graph;
	double seconds[ILP_TASKS], spread[ILP_TASKS];
	double per_second;
};

static double spread_units(const void *context, int task, const int cores[RESOURCE_COUNT])
{
	(void)cores;
	return ((const struct units *)context)->spread[task];
}

/* What is less than a unit stays as it is: it is not nothing, and holds a core. */
static double round_down(double units)
{
	return units < 1 ? units : floor(units);
}

/* A power of two a second, so that whole seconds stay whole. */
static void to_units(const struct task_graph *g, double makespan, struct units *u)
{
	u->per_second = makespan > 0 ? exp2(floor(log2(1e4 / makespan))) : 1;
	u->graph = *g;
	for (int i = 0; i < g->count; i++) {
		u->seconds[i] = round_down(g->seconds[i] * u->per_second);
		u->spread[i] = round_down(tasks_spread_seconds(g, i) * u->per_second);
	}
	u->graph.seconds = u->seconds;
	u->graph.spread = g->spread == NULL ? NULL : spread_units;
	u->graph.spread_context = u;
}

static void find_related(struct program *p)
{
	unsigned before[ILP_TASKS] = { 0 };

	for (int i = 0; i < p->graph->count; i++) {
		for (int k = p->graph->first_input[i]; k < p->graph->first_input[i + 1]; k++)
			before[i] |= before[p->graph->inputs[k]] | 1u << p->graph->inputs[k];
		for (int j = 0; j < i; j++)
			if (before[i] >> j & 1) {
				p->related[i] |= 1u << j;
				p->related[j] |= 1u << i;
			}
	}
}

bool ilp_available(void)
{
	return true;
}

enum status ilp_schedule(const struct task_graph *g, double seconds, const atomic_bool *cancel, struct exact_result *result, struct schedule *schedule,
			 struct diagnostic *d)
{
	struct program p = { .cancel = cancel };
	struct bounds bounds = { 0 };
	struct units units;
	enum status status = STATUS_OK;

	if (g->count > ILP_TASKS)
		return diagnostic_fail(d, STATUS_INFEASIBLE, "%d tasks are too many for the integer program; the most is %d", g->count, ILP_TASKS);
	bounds_measure(g, &bounds);
	list_schedule(g, &bounds, schedule);
	to_units(g, schedule->makespan, &units);
	p.graph = &units.graph;
	p.horizon = schedule->makespan * units.per_second;
	bounds_measure(p.graph, &bounds);
	p.bounds = &bounds;
	p.bound = bounds.makespan;
	find_related(&p);
	glp_term_out(GLP_OFF);
	p.glp = glp_create_prob();
	if (write_program(&p))
		solve_program(&p, g, seconds, units.per_second, result, schedule);
	else
		status = diagnostic_fail(d, STATUS_INFEASIBLE, "more than %d sets of tasks could meet on too few cores: too many for the integer program", ILP_SETS);
	glp_delete_prob(p.glp);
	glp_free_env();
	bounds_free(&bounds);
	return status;
}

#endif
