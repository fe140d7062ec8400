#include "report/explain.h"

#include "base/units.h"
#include "partition/costs.h"
#include "report/explain_inside.h"
#include "report/forms.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* What an explanation is about, gathered once. */
struct subject {
	const struct results *r;
	const struct document *document;
	const struct operator *o;
	const struct problem_var *var;   /* NULL when the row has no choice */
	int row, level, state;
	struct why why;                  /* of quantities that compare choices */
};

static const char *exact(double value, char out[40])
{
	if (isnan(value))
		return "not known yet";
	units_print_exact(value, out, 40);
	return out;
}

static const char *as_bytes(const struct results *r, double elements, char out[40])
{
	units_print_bytes(elements * r->element_bytes, out, 40);
	return out;
}

static void bytes_line(const struct results *r, double elements, struct text *out)
{
	char a[40], b[40];

	text_printf(out, "%s elements x %.0f B (%.0f B each, both directions) = %s\n", exact(elements, a), r->element_bytes, r->element_bytes / 2,
		as_bytes(r, elements, b));
}

/* What plans are chosen by. */
static const char *as_cost(const struct results *r, double value, char out[40])
{
	if (r->plan->objective != OBJECTIVE_TIME)
		return as_bytes(r, value, out);
	units_print_seconds(value, out, 40);
	return out;
}

static const char *cost_word(const struct results *r)
{
	return r->plan->objective == OBJECTIVE_TIME ? "s" : "elements";
}

static void explain_shape(const struct subject *s, struct text *out)
{
	const struct operator *o = s->o;

	text_printf(out, "shape of %s (%s)\n", o->name, operator_kind_name(o->kind));
	text_printf(out, "input  %lld channels x %lld x %lld\n", (long long)o->in.ch, (long long)o->in.h, (long long)o->in.w);
	if (o->kind == OPERATOR_CONV)
		text_printf(out, "kernel %lldx%lld, stride %lldx%lld, pad %lldx%lld, %lld group%s\n", (long long)o->kernel.h, (long long)o->kernel.w,
			(long long)o->stride.h, (long long)o->stride.w, (long long)o->pad.h, (long long)o->pad.w, (long long)o->groups, o->groups == 1 ? "" : "s");
	text_printf(out, "output %lld channels x %lld x %lld", (long long)o->conv_out.ch, (long long)o->conv_out.h, (long long)o->conv_out.w);
	if (o->pool > 1)
		text_printf(out, ", pooled by %lld to %lld x %lld", (long long)o->pool, (long long)o->out.h, (long long)o->out.w);
	text_printf(out, "\nsource: row %d of %s", s->row + 1, s->r->model->path);
	if (o->line > 0)
		text_printf(out, ", line %lu", o->line);
	text_add(out, "\n");
}

static void explain_params(const struct subject *s, struct text *out)
{
	const struct operator *o = s->o;

	text_printf(out, "parameters of %s\n", o->name);
	if (o->kind == OPERATOR_CONV)
		text_printf(out, "%lld x %lld kernel x %lld / %lld channels x %lld", (long long)o->kernel.h, (long long)o->kernel.w,
			(long long)o->in.ch, (long long)o->groups, (long long)o->out.ch);
	else if (operator_kind_weighted(o->kind))
		text_printf(out, "%lld x %lld", (long long)o->in.ch, (long long)o->out.ch);
	else
		text_add(out, "not a weighted layer");
	if (o->tied)
		text_add(out, ", another layer's and counted there");
	if (o->bias)
		text_printf(out, " + %lld biases", (long long)o->out.ch);
	text_printf(out, " = %lld\n", (long long)o->params);
	text_add(out, "A(W), what dp sums, is of the products alone: no biases (whypar-models(7) 2.1)\nsource: the model's file\n");
}

static void explain_macs(const struct subject *s, struct text *out)
{
	const struct operator *o = s->o;

	text_printf(out, "multiply-adds of %s, one forward sample\n", o->name);
	if (o->kind == OPERATOR_CONV)
		text_printf(out, "%lld weights x %lld x %lld outputs = %lld\n", (long long)o->weights, (long long)o->conv_out.h, (long long)o->conv_out.w, (long long)o->macs);
	else if (o->kind == OPERATOR_LINEAR)
		text_printf(out, "%lld weights x %lld positions = %lld\n", (long long)o->weights, (long long)(o->in.h * o->in.w), (long long)o->macs);
	else
		text_printf(out, "%lld\n", (long long)o->macs);
	text_add(out, "forward, backward and gradient passes have equal MACs; 1 MAC = 2 FLOP (whypar-models(7) 1)\n");
}

static void explain_moved(const struct subject *s, struct text *out)
{
	const struct plan *plan = s->r->plan;
	double sum = 0;
	char a[40];

	text_printf(out, "what %s moves in a training step\n", s->o->name);
	for (int h = 1; h <= plan->levels; h++) {
		double pair = plan->row_level[s->row * plan->levels + h - 1], pairs = plan->level[h - 1].pairs;

		text_printf(out, "H%-2d %-4s %s elements a pair x %.0f pair%s\n", h, plan_choice(plan, s->row, h), exact(pair, a), pairs, pairs == 1 ? "" : "s");
		sum += pair * pairs;
	}
	bytes_line(s->r, sum, out);
	text_add(out, "own exchange and the edges entering it; source: whypar-models(7) 2.1, HyPar Tables 1 and 2, AccPar\n");
}

/* The level's time, from the bytes of one accelerator. */
static void explain_exchange(const struct results *r, int level, const double *values, struct text *out)
{
	const struct exchange *e = &r->level_exchange[level - 1];
	char a[40], b[32], c[32];

	if (r->topology.count == 0 || isnan(r->comm_s)) {
		text_printf(out, "no time: %s\n", r->topology_trouble);
		return;
	}
	units_print_seconds(exchange_seconds(e), b, sizeof b);
	units_print_seconds(e->alpha, c, sizeof c);
	text_printf(out, "each accelerator sends %s bytes, over %.0f hop%s of a %s of %lld\n", exact(e->bytes, a), e->hops, e->hops == 1 ? "" : "s",
		dimension_name(e->on.kind), (long long)e->on.size);
	text_printf(out, "%.0f of these cross the busiest link, %.6g GB/s%s: %s%s, latencies %s of it\n", e->load, e->bandwidth / 1e9,
		e->on.kind == DIMENSION_TREE ? " at its height" : "", b, values[PARAMETER_SWITCHING] == SWITCHING_STORE_FORWARD ? ", each message whole at every hop" : "", c);
	units_print_seconds(r->level_seconds[level - 1], b, sizeof b);
	if (values[PARAMETER_COMM_TIME] == COMM_TIME_FIGURES)
		text_printf(out, "but comm_time=figures counts all bytes of all pairs one after another: %s\n", b);
}

static void explain_level(const struct subject *s, struct text *out)
{
	const struct plan *plan = s->r->plan;
	const struct plan_level *l = &plan->level[s->level - 1];

	text_printf(out, "what level H%d moves: %.0f pair%s of groups at once\n", s->level, l->pairs, l->pairs == 1 ? "" : "s");
	bytes_line(s->r, l->per_pair, out);
	text_printf(out, "all pairs of the level: ");
	bytes_line(s->r, l->per_pair * l->pairs, out);
	explain_exchange(s->r, s->level, s->document->values, out);
	text_add(out, "source: HyPar algorithm 2, whypar-models(7) 2.2, 6.3\n");
}

static void explain_total(const struct subject *s, struct text *out)
{
	const struct plan *plan = s->r->plan;
	char a[40];

	text_add(out, "what a training step moves: sum over levels of pairs x elements of one pair\n");
	for (int h = 1; h <= plan->levels; h++)
		text_printf(out, "H%-2d %4.0f x %s\n", h, plan->level[h - 1].pairs, exact(plan->level[h - 1].per_pair, a));
	bytes_line(s->r, plan->elements, out);
	text_add(out, "source: whypar-models(7) 2.2\n");
}

static void explain_margin(const struct subject *s, struct text *out)
{
	const struct margins *m = s->r->margins;
	const struct plan *plan = s->r->plan;
	char a[40], b[40];
	double here;

	if (m == NULL || s->var == NULL) {
		text_add(out, s->r->plan->exact ? "margin: not known for this choice\n" : "margin: the plan is only bounded, so what it would lose is not known\n");
		return;
	}
	here = m->whole_plan ? plan->cost : plan->level[s->level - 1].cost;
	text_printf(out, "margin of %s at H%d: what is lost when the choice is forced another way\n", s->o->name, s->level);
	for (int state = 0; state < STATES_MAX; state++) {
		double value = margins_value(m, s->row, s->level, state);

		if (isnan(value))
			continue;
		text_printf(out, "%s %-4s %s - %s %s: %s\n", state == plan_state(plan, s->row, s->level) ? ">" : " ", state_name(plan->junction[s->row], state),
			exact(value, a), exact(here, b), cost_word(s->r), as_cost(s->r, margin_between(plan->objective, value, here), (char[40]){ 0 }));
	}
	text_printf(out, "the best %s with that choice forced minus the present one; the bar is 1 - present / forced\n",
		m->whole_plan ? "whole plan" : "plan of the level, one pair,");
	text_add(out, "source: min-marginals of the exact search, whypar-models(7) 2.5\n");
}

/* Sizes one group holds, with how they came about. */
static struct shard shard_here(const struct subject *s, struct halvings *halved)
{
	struct plan_request request = { .batch = s->document->values[PARAMETER_BATCH], .pooled = s->document->values[PARAMETER_MP_OUTPUT] == MP_OUTPUT_POOLED };

	*halved = costs_halved_above(s->r->plan, s->var, s->level);
	return costs_shard(s->var, &request, *halved);
}

static void explain_intra(const struct subject *s, struct text *out)
{
	struct halvings halved;
	struct shard shard = shard_here(s, &halved);
	double batch = s->document->values[PARAMETER_BATCH];
	bool pooled = s->document->values[PARAMETER_MP_OUTPUT] == MP_OUTPUT_POOLED;
	char a[40], b[40];

	text_printf(out, "own exchange of %s as %s at H%d, one pair\n", s->o->name, state_name(s->var->role == ROLE_JUNCTION, s->state), s->level);
	if (s->var->role == ROLE_JUNCTION)
		text_add(out, "a junction exchanges nothing itself: only its edges cost\n");
	else if (s->state == SPLIT_DP)
		text_printf(out, "both groups hold gradients of the same weights, which must be summed: A(dW) = %s / 2^%d = %s elements\n",
			exact(s->var->weights, a), halved.weights, exact(shard.weights, b));
	else if (s->state == SPLIT_MP && s->var->role != ROLE_GROUPED)
		text_printf(out, "each group has a partial sum of the whole output: A(F) = %s x batch %.0f / 2^%d = %s elements (%s output)\n",
			exact(pooled ? s->var->output : s->var->conv_output, a), batch, halved.output, exact(shard.output, b), pooled ? "pooled" : "the layer's own");
	else if (s->state == SPLIT_OP && s->var->role != ROLE_EMBEDDING)
		text_printf(out, "each group has a partial error of the whole input: A(E) = %s x batch %.0f / 2^%d = %s elements\n", exact(s->var->input, a),
			batch, halved.input, exact(shard.input, b));
	else
		text_add(out, "0: nothing has to be summed\n");
	bytes_line(s->r, comm_intra(s->var->role, s->state, &shard), out);
	text_add(out, "source: HyPar Table 1, AccPar; whypar-models(7) 2.1\n");
}

/* The option of the state asked about; NULL when the row does not consider it. */
static const struct why_option *option_of(const struct subject *s)
{
	for (int i = 0; i < s->why.option_count; i++)
		if (s->why.options[i].state == s->state)
			return &s->why.options[i];
	return NULL;
}

static void explain_edges(const struct subject *s, bool entering, struct text *out)
{
	const struct why_option *o = option_of(s);
	bool junction = s->var->role == ROLE_JUNCTION, figures = s->document->values[PARAMETER_COMM_MODEL] == COMM_FIGURES;
	char a[40], b[40];

	text_printf(out, "re-laying %s of %s as %s at H%d, one pair\n", entering ? "the inputs" : "the outputs", s->o->name,
		state_name(junction, s->state), s->level);
	for (int i = 0; o != NULL && i < o->edge_count; i++) {
		const struct why_edge *e = &o->edges[i];

		if (e->entering == entering)
			text_printf(out, "%s %s (%s)  %s elements x %g = %s\n", entering ? "from" : "to", s->r->model->operators[e->row].name,
				state_name(s->r->plan->junction[e->row], e->state), exact(e->tensor, a), e->tensor > 0 ? e->cost / e->tensor : 0, exact(e->cost, b));
	}
	if (o == NULL || isnan(o->prev))
		text_add(out, "not known yet: the search with this choice forced is still to be done\n");
	else
		bytes_line(s->r, entering ? o->prev : o->next, out);
	text_printf(out, "each edge pays the change of F to its consumer and of E back: row to col or col to row 1/4, row or col to full %s, from full 0\n",
		figures ? "0 (comm_model=figures)" : "1/2");
	text_add(out, "source: HyPar Table 2, AccPar; whypar-models(7) 2.1\n");
}

static void explain_forced(const struct subject *s, bool total, struct text *out)
{
	const struct why_option *o = option_of(s);
	char a[40], b[40], c[40], d[40];
	double value = o == NULL ? NAN : total ? o->whole_elements : o->level_elements, cost = o == NULL ? NAN : total ? o->whole_cost : o->level_cost;

	text_printf(out, "%s with %s forced to %s at H%d\n", total ? "the whole plan" : "the level's best plan, one pair,", s->o->name,
		state_name(s->var->role == ROLE_JUNCTION, s->state), s->level);
	if (isnan(value)) {
		text_add(out, total || s->document->values[PARAMETER_SOLVER] != SOLVER_JOINT ? "not known yet\n" : "joint weighs whole plans, not levels\n");
		return;
	}
	if (!total && !isnan(o->intra))
		text_printf(out, "own %s + before %s + after %s + all other layers %s\n", exact(o->intra, a), exact(o->prev, b), exact(o->next, c),
			exact(value - o->intra - o->prev - o->next, d));
	bytes_line(s->r, value, out);
	if (s->r->plan->objective == OBJECTIVE_TIME)
		text_printf(out, "what the plan is chosen by, the time on the links: %s s = %s\n", exact(cost, a), as_cost(s->r, cost, b));
	text_add(out, total ? "pinned there, deeper levels solved anew, all levels and pairs; " : "");
	text_add(out, "source: exact search, solved again with that pin; whypar-models(7) 2.5\n");
}

static void explain_flips(const struct subject *s, struct text *out)
{
	bool junction = s->var->role == ROLE_JUNCTION;

	text_printf(out, "where %s changes at H%d as the batch%s grows\n", s->o->name, s->level, s->r->plan->objective == OBJECTIVE_TIME ? " or the bandwidth" : "");
	if (!s->why.has_flips[FLIP_BATCH]) {
		text_add(out, s->why.exact ? "not known yet: `whypar flips` finds them however long it takes\n" : "no flip is exact where plans are only bounded\n");
		return;
	}
	for (int knob = 0; knob < FLIP_KNOB_COUNT; knob++)
		for (size_t i = 0; i < s->why.flips[knob].count; i++)
			answers_flip((enum flip_knob)knob, junction, &s->why.flips[knob].segments[i], out);
	text_add(out, "with the levels above held, each plan of the level costs constant + slope x batch (or / bandwidth); the cheapest of these lines changes at\n"
		"their crossings, found exactly; ties go as the solver breaks them\nsource: whypar-models(7) 2.6\n");
}

static void explain_baseline(const struct subject *s, struct text *out)
{
	const struct baseline_result *b = &s->r->baselines[s->state];
	char a[40];

	text_printf(out, "baseline %s: the same model, batch and array, without pins\n", b->name);
	if (b->note != NULL)
		text_printf(out, "%s\n", b->note);
	if (!isnan(b->elements))
		bytes_line(s->r, b->elements, out);
	if (!isnan(b->ratio))
		text_printf(out, "%s times the present plan's\n", exact(b->ratio, a));
	if (b->bound < b->cost)
		text_printf(out, "not proven best: the optimum is at least %s %s\n", exact(b->bound, a), cost_word(s->r));
	text_add(out, "source: whypar-models(7) 2.3\n");
}

static bool compares_choices(enum quantity q)
{
	return q == QUANTITY_INTRA || q == QUANTITY_PREV || q == QUANTITY_NEXT || q == QUANTITY_PLAN || q == QUANTITY_FORCED_TOTAL || q == QUANTITY_FLIP;
}

static bool about_a_row(enum quantity q)
{
	return q != QUANTITY_TOTAL && q != QUANTITY_LEVEL && q <= QUANTITY_ROW_TIME && q != QUANTITY_BASELINE;
}

void explain_number_waiting(struct study *study, enum quantity quantity, int row, int level, int state, bool wait, struct text *out)
{
	struct subject s = { .r = study_update(study), .document = study_document(study), .row = row, .level = level, .state = state };
	struct diagnostic d;

	if (s.r->model == NULL || s.r->plan == NULL) {
		text_add(out, "nothing is computed yet\n");
		return;
	}
	if (row >= 0 && row < s.r->model->count) {
		s.o = &s.r->model->operators[row];
		s.var = s.r->problem->var_of_row[row] >= 0 ? &s.r->problem->vars[s.r->problem->var_of_row[row]] : NULL;
	}
	if (about_a_row(quantity) && s.o == NULL)
		return;
	if ((quantity == QUANTITY_LEVEL || quantity == QUANTITY_MARGIN) && (level < 1 || level > s.r->plan->levels)) {
		text_printf(out, "no level H%d: the array has %d\n", level, s.r->plan->levels);
		return;
	}
	if (compares_choices(quantity) && study_why(study, row, level, wait, &s.why, &d) != STATUS_OK) {
		text_printf(out, "%s\n", d.text);
		return;
	}
	switch (quantity) {
	case QUANTITY_SHAPE: explain_shape(&s, out); break;
	case QUANTITY_PARAMS: explain_params(&s, out); break;
	case QUANTITY_MACS: explain_macs(&s, out); break;
	case QUANTITY_MOVED: explain_moved(&s, out); break;
	case QUANTITY_MARGIN: explain_margin(&s, out); break;
	case QUANTITY_LEVEL: explain_level(&s, out); break;
	case QUANTITY_TOTAL: explain_total(&s, out); break;
	case QUANTITY_INTRA: explain_intra(&s, out); break;
	case QUANTITY_PREV: explain_edges(&s, true, out); break;
	case QUANTITY_NEXT: explain_edges(&s, false, out); break;
	case QUANTITY_PLAN: explain_forced(&s, false, out); break;
	case QUANTITY_FORCED_TOTAL: explain_forced(&s, true, out); break;
	case QUANTITY_FLIP: explain_flips(&s, out); break;
	case QUANTITY_BASELINE: explain_baseline(&s, out); break;
	case QUANTITY_ROW_TIME: explain_row_time(s.r, row, out); break;
	case QUANTITY_TIME: case QUANTITY_CYCLES: case QUANTITY_TRAFFIC: case QUANTITY_UTILISATION: explain_operator(s.r, quantity, state, out); break;
	case QUANTITY_AREA: case QUANTITY_POWER: case QUANTITY_ENERGY: explain_accelerator(study, quantity, out); break;
	case QUANTITY_COUNT: break;
	}
	why_free(&s.why);
}

void explain_number(struct study *study, enum quantity quantity, int row, int level, int state, struct text *out)
{
	explain_number_waiting(study, quantity, row, level, state, false, out);
}
