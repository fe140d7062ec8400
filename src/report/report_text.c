/* Reports for people: plain text, columns that line up, units in the headers. */
#include "base/csv.h"
#include "base/units.h"
#include "report/compare.h"
#include "report/forms.h"
#include "report/ops.h"
#include "report/run.h"
#include "report/shape.h"
#include "hardware/accelerator.h"

#include <math.h>
#include <string.h>

static const char *si(double value, char out[32])
{
	if (isnan(value))
		return "-";
	units_print_si(value, 4, out, 32);
	return out;
}

static const char *bytes(double value, char out[40])
{
	units_print_bytes(value, out, 40);
	return out;
}

/* Megabytes with three significant digits, never an exponent or a second prefix. */
static const char *megabytes(double value, char out[40])
{
	value /= 1e6;
	snprintf(out, 40, "%.*f", value >= 100 || value == 0 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3, value);
	return out;
}

static const char *percent(double fraction, char out[32])
{
	snprintf(out, 32, "%+.1f %%", 100 * fraction);
	return out;
}

/* What plans are chosen by, as bytes or as seconds. */
static const char *cost(const struct results *r, double value, char out[40])
{
	if (r->plan->objective != OBJECTIVE_TIME)
		return bytes(value * r->element_bytes, out);
	units_print_seconds(value, out, 40);
	return out;
}

static void heading(struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	const struct document *document = study_document(study);
	const double *v = document->values;
	char solver[32], types[24] = "", comm[32], output[32], precision[32], a[40], b[32];

	parameter_print(PARAMETER_SOLVER, v[PARAMETER_SOLVER], solver, sizeof solver);
	parameter_print(PARAMETER_COMM_MODEL, v[PARAMETER_COMM_MODEL], comm, sizeof comm);
	parameter_print(PARAMETER_MP_OUTPUT, v[PARAMETER_MP_OUTPUT], output, sizeof output);
	parameter_print(PARAMETER_PRECISION, v[PARAMETER_PRECISION], precision, sizeof precision);
	if (v[PARAMETER_SOLVER] == SOLVER_JOINT)
		snprintf(types, sizeof types, ", types %.0f", v[PARAMETER_TYPES]);
	text_printf(out, "%s, batch %.0f, %.0f accelerator%s, solver %s%s, comm_model %s, mp_output %s, precision %s\n", r->model->name,
		v[PARAMETER_BATCH], v[PARAMETER_ACCELERATORS], v[PARAMETER_ACCELERATORS] == 1 ? "" : "s", solver, types, comm, output, precision);
	text_printf(out, "moves %s a training step", bytes(r->plan->elements * r->element_bytes, a));
	if (r->baselines[BASELINE_DP].elements > 0)
		text_printf(out, ", %s against all dp", percent(r->plan->elements / r->baselines[BASELINE_DP].elements - 1, b));
	if (!isnan(r->change_remembered))
		text_printf(out, ", %s against the remembered plan", percent(r->change_remembered, b));
	if (r->plan->objective == OBJECTIVE_TIME)
		text_printf(out, "; chosen for the least time on the links, %s, %s against all dp", cost(r, r->plan->cost, a), percent(r->plan->cost / r->baselines[BASELINE_DP].cost - 1, b));
	if (!r->plan->exact)
		text_printf(out, "; not proven best: at most %.3g %% above the optimum (proven bound %s)", 100 * (r->plan->cost / r->plan->bound - 1), cost(r, r->plan->bound, a));
	text_add(out, "\n\n");
}

static int widest_name(const struct results *r)
{
	int width = 5;

	for (int v = 0; v < r->problem->var_count; v++) {
		int w = text_width(r->model->operators[r->problem->vars[v].row].name);

		width = w > width ? w : width;
	}
	return width < 32 ? width : 32;
}

static void layer_line(const struct results *r, int row, int name_width, struct text *out)
{
	const struct operator *o = &r->model->operators[row];
	char a[64], cell[16];
	double least = NAN;

	text_pad(out, o->name, name_width + 2);
	shape_print(o, NULL, a, sizeof a);
	text_pad(out, a, 24);
	text_pad(out, operator_kind_weighted(o->kind) ? si((double)o->params, a) : "", -9);
	text_pad(out, o->macs > 0 ? si((double)o->macs, a) : "", -10);
	text_add(out, "  ");
	for (int h = 1; h <= r->plan->levels; h++) {
		double margin = r->margins != NULL ? margins_margin(r->margins, r->plan, row, h) : NAN;

		snprintf(cell, sizeof cell, "%s%s", plan_choice(r->plan, row, h), r->plan->pinned[row * r->plan->levels + h - 1] ? "!" : "");
		text_pad(out, cell, 5);
		if (!isnan(margin) && !(margin >= least))
			least = margin;
	}
	text_pad(out, megabytes(r->plan->row_elements[row] * r->element_bytes, a), -11);
	text_pad(out, isnan(least) ? "-" : answers_amount(r->plan->objective, least, a), -12);
	units_print_seconds(r->step->rows[row].seconds, a, sizeof a);
	text_pad(out, a, -10);
	text_printf(out, "  %s", ops_row_binds(&r->step->rows[row]));
	text_add(out, "\n");
}

static void layer_table(const struct results *r, struct text *out)
{
	int width = widest_name(r);
	char level[16];

	text_pad(out, "layer", width + 2);
	text_pad(out, "shape", 24);
	text_pad(out, "params", -9);
	text_pad(out, "MACs", -10);
	text_add(out, "  ");
	for (int h = 1; h <= r->plan->levels; h++) {
		snprintf(level, sizeof level, "H%d", h);
		text_pad(out, level, 5);
	}
	text_pad(out, "moved MB", -11);
	text_pad(out, r->plan->objective == OBJECTIVE_TIME ? "margin" : "margin, el", -12);
	text_pad(out, "time", -10);
	text_add(out, "  bound");
	text_add(out, "\n");
	for (int v = 0; v < r->problem->var_count; v++)
		layer_line(r, r->problem->vars[v].row, width, out);
	for (int cell = 0; cell < r->plan->rows * r->plan->levels; cell++)
		if (r->plan->pinned[cell]) {
			text_add(out, "! pinned\n");
			break;
		}
}

static void level_table(const struct results *r, struct text *out)
{
	char a[40], b[40], c[32], topology[TOPOLOGY_BYTES];

	if (r->plan->levels == 0)
		return;
	topology_print(&r->topology, topology, sizeof topology);
	text_printf(out, "\nlinks: %s\n", topology);
	text_add(out, "level   pairs   one pair moves   all pairs        time  over\n");
	for (int h = 0; h < r->plan->levels; h++) {
		const struct plan_level *l = &r->plan->level[h];
		const struct exchange *e = &r->level_exchange[h];

		units_print_seconds(r->level_seconds[h], c, sizeof c);
		text_printf(out, "H%-6d %5.0f   %14s   %9s   %9s  %.0f hop%s of a %s, busiest link %.0f at once\n", h + 1, l->pairs, bytes(l->per_pair * r->element_bytes, a),
			bytes(l->per_pair * l->pairs * r->element_bytes, b), c, e->hops, e->hops == 1 ? "" : "s", dimension_name(e->on.kind), e->load);
	}
}

/* Compute, then exchanges. */
static void whole_step(const struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	char a[32], b[32], c[32], hidden[32];

	if (r->plan->levels == 0)
		return;
	if (r->comm_hidden_s > 0) {
		units_print_seconds(r->compute_s, a, sizeof a);
		units_print_seconds(r->comm_exposed_s, b, sizeof b);
		units_print_seconds(r->step_s, c, sizeof c);
		units_print_seconds(r->comm_hidden_s, hidden, sizeof hidden);
		text_printf(out, "the whole step: %s of computing and %s of exchanges = %s; another %s of exchanges hide behind computing\n", a, b, c, hidden);
		return;
	}
	units_print_seconds(r->compute_s, a, sizeof a);
	units_print_seconds(r->comm_s, b, sizeof b);
	units_print_seconds(r->step_s, c, sizeof c);
	text_printf(out, "the whole step: %s of computing, then %s of exchanges%s = %s\n", a, b,
		study_document(study)->values[PARAMETER_COMM_TIME] == COMM_TIME_FIGURES ? ", all pairs one after another as in HyPar's figures," : "", c);
}

static void baseline_table(const struct results *r, struct text *out)
{
	char a[40];

	text_add(out, r->plan->objective == OBJECTIVE_TIME ? "\nbaseline             takes   against this plan\n" : "\nbaseline             moves   against this plan\n");
	for (int b = 0; b < BASELINE_COUNT; b++) {
		const struct baseline_result *result = &r->baselines[b];

		text_pad(out, result->name, 16);
		if (isnan(result->elements)) {
			text_printf(out, "  %s\n", result->note != NULL ? result->note : "not evaluated");
			continue;
		}
		text_pad(out, cost(r, result->cost, a), -10);
		if (!isnan(result->ratio))
			text_printf(out, "   %.4g x", result->ratio);
		if (result->bound < result->cost)
			text_printf(out, "   (at most %.3g %% above the optimum)", 100 * (result->cost / result->bound - 1));
		text_add(out, "\n");
	}
}

static void warning_lines(const struct results *r, struct text *out)
{
	char line[1024];
	size_t shown = r->warnings->count < 12 ? r->warnings->count : 12;

	if (shown > 0)
		text_add(out, "\n");
	for (size_t i = 0; i < shown; i++) {
		diagnostic_format(&r->warnings->items[i], line, sizeof line);
		text_printf(out, "warning: %s\n", line);
	}
	if (r->warnings->total > shown)
		text_printf(out, "... and %zu more (report --json lists them)\n", r->warnings->total - shown);
	if (r->model->problems.total > 0)
		text_printf(out, "warning: %zu problem%s in %s: `whypar check` lists them\n", r->model->problems.total, r->model->problems.total == 1 ? "" : "s", r->model->path);
}

static void more_cores(struct study *study, struct text *out)
{
	const struct step *now = study_results(study)->step;
	const struct whatif *w = study_whatif(study);

	for (int r = 0; r < RESOURCE_COUNT; r++) {
		const char *name = resource_name((enum resource)r);
		double change = -100 * whatif_saves(w, now, (enum resource)r) / now->schedule.makespan;

		if (w->more[r] != NULL && fabs(change) >= 0.005)
			text_printf(out, "one more %s: computing %+.2f %%\n", name, change);
		else if (w->more[r] != NULL)
			text_printf(out, "one more %s: no change\n", name);
	}
}

static void idle_lines(struct study *study, struct text *out)
{
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const char *why = parameter_of_preset((enum parameter_id)i) ? study_idle(study, (enum parameter_id)i) : NULL;

		if (why != NULL)
			text_printf(out, "%s changes little or nothing now: %s\n", parameter_at((enum parameter_id)i)->name, why);
	}
}

/* The step on one accelerator, and what that is. */
static void step_lines(struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	const struct machine *m = &r->machine;
	const struct step *s = r->step;
	char a[40], b[40], c[40];

	units_print(UNIT_BYTES, m->glb, a, sizeof a);
	units_print(UNIT_RATE, m->hbm_bw, b, sizeof b);
	units_print(UNIT_FREQUENCY, m->clock, c, sizeof c);
	text_printf(out, "\none accelerator: %s, %lld tensor core%s %lldx%lld %s, %lld vector core%s of %lld lanes, %s buffer, %s, %s\n", r->accelerator->name, (long long)m->tc,
		m->tc == 1 ? "" : "s", (long long)m->tc_rows, (long long)m->tc_cols, dataflow_name(m->dataflow), (long long)m->vc, m->vc == 1 ? "" : "s", (long long)m->vc_lanes, a, b, c);
	text_printf(out, "%.3g TOP/s, %.3g mm2 of cores and buffer, %.3g W at most%s\n", 1e-12 * machine_peak_ops(m), r->area.total, r->power.total, r->power.published ? " (published)" : "");
	units_print_seconds(s->schedule.makespan, a, sizeof a);
	units_print_seconds(s->bounds.makespan, b, sizeof b);
	text_printf(out, "a step computes for %s, in any other order at least %s (%s); %d of %d tasks critical; `whypar ops` lists them\n", a, b, ops_bound_by(s->bounds.by), s->critical, s->task_count);
	if (r->second != NULL) {
		units_print_seconds(r->second_s, a, sizeof a);
		text_printf(out, "that is the first half of the array, with %.4g %% of what H1 splits; the second half, of %s, computes its part in %s\n", 100 * r->first_share, r->second->name, a);
	}
	whole_step(study, out);
	more_cores(study, out);
	idle_lines(study, out);
	text_printf(out, "energy of a step: %.4g J: compute %.3g", r->energy_j, r->energy.compute);
	if (!isnan(r->energy.sram))
		text_printf(out, ", buffer %.3g", r->energy.sram);
	text_printf(out, ", memory %.3g", r->energy.dram);
	if (!isnan(r->link_j))
		text_printf(out, ", links %.3g", r->link_j);
	text_add(out, "\n");
}

void report_study_text(struct study *study, struct text *out)
{
	const struct results *r = study_results(study);

	heading(study, out);
	run_text(study, out);
	layer_table(r, out);
	level_table(r, out);
	baseline_table(r, out);
	compare_text(study, out);
	if (r->on_cluster && r->run_trouble[0] == '\0')
		text_add(out, "\nBelow, one microbatch through all layers on one GPU, timed as many small arrays; the run above is timed as measured runs are.\n");
	step_lines(study, out);
	warning_lines(r, out);
}

static void step_cells(const struct step_row *row, struct text *out)
{
	char a[40];

	units_print_exact(row->seconds, a, sizeof a);
	text_printf(out, ",%s,%s,", a, ops_row_binds(row));
	if (!isnan(row->utilisation))
		text_printf(out, "%.9g", row->utilisation);
	text_add(out, ",");
	if (!isnan(timing_intensity(row->macs, row->bytes)))
		text_printf(out, "%.9g", timing_intensity(row->macs, row->bytes));
}

void report_study_csv(struct study *study, struct text *out)
{
	const struct results *r = study_results(study);
	char a[40];

	text_printf(out, "row,name,kind,params,macs,choice,comm_elements,comm_bytes,least_margin_%s,time_s,bound,utilisation,flop_per_byte\n",
		r->plan->objective == OBJECTIVE_TIME ? "s" : "elements");
	for (int v = 0; v < r->problem->var_count; v++) {
		int row = r->problem->vars[v].row;
		const struct operator *o = &r->model->operators[row];
		double least = NAN;

		text_printf(out, "%d,", row + 1);
		csv_write_cell(out, o->name);
		text_printf(out, ",%s,%lld,%lld,", operator_kind_name(o->kind), (long long)o->params, (long long)o->macs);
		for (int h = 1; h <= r->plan->levels; h++) {
			double margin = r->margins != NULL ? margins_margin(r->margins, r->plan, row, h) : NAN;

			text_printf(out, "%s%s", h > 1 ? "|" : "", plan_choice(r->plan, row, h));
			if (!isnan(margin) && !(margin >= least))
				least = margin;
		}
		units_print_exact(r->plan->row_elements[row], a, sizeof a);
		text_printf(out, ",%s,", a);
		units_print_exact(r->plan->row_elements[row] * r->element_bytes, a, sizeof a);
		text_printf(out, "%s,", a);
		if (!isnan(least)) {
			units_print_exact(least, a, sizeof a);
			text_add(out, a);
		}
		step_cells(&r->step->rows[row], out);
		text_add(out, "\n");
	}
}

void report_check_text(const struct results *r, double understood_percent, struct text *out)
{
	const struct model *m = r->model;
	const struct blocks *b = r->training->blocks;
	char macs[32], params[32], line[1024];

	text_printf(out, "%s: read as %s\n", m->path, m->format);
	text_printf(out, "%d rows, %d layers with weights, %s MACs a sample, %s parameters\n", m->count, m->layers,
		si((double)m->macs, macs), si((double)m->params, params));
	if (m->opaque + m->skipped == 0)
		text_add(out, "every row was understood\n");
	else
		text_printf(out, "%.3g %% of the rows understood; %d kept as opaque, %d kept out\n", understood_percent, m->opaque, m->skipped);
	for (int i = 0; i < b->run_count; i++)
		text_printf(out, "rows %d to %d are %d times a block of %d row%s\n", b->runs[i].first + 1, b->runs[i].first + b->runs[i].length * b->runs[i].count, b->runs[i].count,
			b->runs[i].length, b->runs[i].length > 1 ? "s" : "");
	if (r->training->bare)
		text_add(out, "a bare table: in the training step a relu follows every layer with weights but the last, and a loss the end\n");
	for (size_t i = 0; i < m->problems.count; i++) {
		diagnostic_format(&m->problems.items[i], line, sizeof line);
		text_printf(out, "%s: %s\n", m->problems.items[i].severity == SEVERITY_ERROR ? "error" : "warning", line);
	}
	if (m->problems.total > m->problems.count)
		text_printf(out, "... and %zu more\n", m->problems.total - m->problems.count);
}
