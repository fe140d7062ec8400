/* Options of one choice, by forcing each in turn and solving again. */
#include "partition/why.h"

#include "base/memory.h"
#include "partition/costs.h"

#include <math.h>
#include <string.h>

static void note_edge(struct why_option *o, const struct plan *plan, const struct problem_var *other, bool entering, int level, double tensor, double share)
{
	o->edges[o->edge_count++] = (struct why_edge){ .row = other->row, .entering = entering, .state = plan_state(plan, other->row, level),
		.tensor = tensor, .cost = tensor * share };
	*(entering ? &o->prev : &o->next) += tensor * share;
}

/* Own, entering and leaving exchange of a variable at a level of a plan. */
static void decompose(const struct why_context *c, const struct plan *plan, int v, int level, struct arena *arena, struct why_option *o)
{
	const struct problem *p = c->problem;
	const struct problem_var *var = &p->vars[v];
	enum comm_model model = c->request->comm_model;
	struct halvings halved = costs_halved_above(plan, var, level);
	struct shard shard = costs_shard(var, c->request, halved);
	int edges = p->first_in[v + 1] - p->first_in[v] + p->first_out[v + 1] - p->first_out[v];

	o->edges = arena_alloc(arena, (size_t)edges, sizeof *o->edges);
	o->intra = comm_intra(var->role, o->state, &shard);
	o->prev = o->next = 0;
	for (int e = p->first_in[v]; e < p->first_in[v + 1]; e++) {
		const struct problem_var *from = &p->vars[p->edges[e].from];

		note_edge(o, plan, from, true, level, costs_edge_elements(&p->edges[e], c->request, halved),
			comm_edge(model, from->role, plan_state(plan, from->row, level), var->role, o->state));
	}
	for (int k = p->first_out[v]; k < p->first_out[v + 1]; k++) {
		const struct problem_edge *edge = &p->edges[p->out_edges[k]];
		const struct problem_var *to = &p->vars[edge->to];

		note_edge(o, plan, to, false, level, costs_edge_elements(edge, c->request, costs_halved_above(plan, to, level)),
			comm_edge(model, var->role, o->state, to->role, plan_state(plan, to->row, level)));
	}
}

static void why_begin(const struct why_context *c, int row, int level, struct why *why)
{
	int v = c->problem->var_of_row[row];
	size_t cell = (size_t)row * (size_t)c->plan->levels + (size_t)level - 1;
	unsigned shown = solver_states(c->request, &c->problem->vars[v], level - 1);

	memset(why, 0, sizeof *why);
	why->row = row;
	why->level = level;
	why->junction = c->plan->junction[row];
	why->state = plan_state(c->plan, row, level);
	why->pinned = c->plan->pinned[cell];
	why->objective = c->plan->objective;
	why->here = c->plan->level[level - 1].cost;
	why->total = c->plan->cost;
	why->exact = c->plan->exact;
	why->whole_plan = c->request->solver == SOLVER_JOINT;
	for (int state = 0; state < STATES_MAX; state++)
		if (shown >> state & 1 || state == why->state)
			why->options[why->option_count++] = (struct why_option){ .state = state, .chosen = state == why->state,
				.intra = NAN, .prev = NAN, .next = NAN, .level_cost = NAN, .whole_cost = NAN, .margin = NAN, .level_elements = NAN, .whole_elements = NAN };
}

static void mark_tie(struct why *why)
{
	for (int i = 0; i < why->option_count; i++) {
		const struct why_option *o = &why->options[i];

		if (!o->chosen && o->margin == 0)
			why->tie = true;
	}
}

static void fill_option(const struct why_context *c, const struct plan *forced, int v, int level, struct why *why, struct why_option *o)
{
	const struct plan_level *at = &forced->level[level - 1];

	decompose(c, forced, v, level, &why->arena, o);
	o->whole_cost = forced->cost;
	o->whole_elements = forced->elements;
	if (why->whole_plan) {
		o->margin = margin_between(why->objective, o->whole_cost, why->total);
		return;
	}
	o->level_cost = at->cost;
	o->level_elements = at->per_pair;
	o->margin = margin_between(why->objective, o->level_cost, why->here);
}

enum status why_answer(const struct why_context *c, struct search *probe, int row, int level, struct why *why)
{
	int v = c->problem->var_of_row[row];
	size_t cells = (size_t)c->problem->var_count * LEVELS_MAX;
	signed char *pins = memory_alloc(cells, 1);
	struct plan_request forced = *c->request;
	enum status status = STATUS_OK;

	why_begin(c, row, level, why);
	for (int i = 0; i < why->option_count && status == STATUS_OK; i++) {
		struct why_option *o = &why->options[i];
		struct plan *plan;

		if (c->request->pins != NULL)
			memcpy(pins, c->request->pins, cells);
		else
			memset(pins, NO_STATE, cells);
		pins[v * LEVELS_MAX + level - 1] = (signed char)o->state;
		forced.pins = pins;
		/* the chosen state is the plan itself: forcing it must not let a tie elsewhere be broken another way */
		plan = o->chosen ? NULL : search_plan(probe, &forced, c->cancel);
		if (plan == NULL && !o->chosen) {
			status = STATUS_INTERRUPTED;
			break;
		}
		why->exact &= plan == NULL || plan->exact;
		fill_option(c, o->chosen ? c->plan : plan, v, level, why, o);
		plan_free(plan);
	}
	mark_tie(why);
	memory_free(pins);
	return status;
}

void why_answer_quickly(const struct why_context *c, const struct margins *margins, int row, int level, struct why *why)
{
	why_begin(c, row, level, why);
	for (int i = 0; i < why->option_count; i++) {
		struct why_option *o = &why->options[i];
		double value = margins != NULL ? margins_value(margins, row, level, o->state) : NAN;

		if (o->chosen)
			decompose(c, c->plan, c->problem->var_of_row[row], level, &why->arena, o);
		if (margins != NULL && margins->whole_plan)
			o->whole_cost = value;
		else
			o->level_cost = value;
		o->margin = margin_between(why->objective, value, margins != NULL && margins->whole_plan ? why->total : why->here);
	}
	mark_tie(why);
}

void why_copy(struct why *to, const struct why *from)
{
	*to = *from;
	to->arena = (struct arena){ NULL };
	for (int i = 0; i < from->option_count; i++) {
		size_t count = (size_t)from->options[i].edge_count;

		to->options[i].edges = arena_alloc(&to->arena, count, sizeof *to->options[i].edges);
		if (count > 0)
			memcpy(to->options[i].edges, from->options[i].edges, count * sizeof *to->options[i].edges);
	}
	for (int knob = 0; knob < FLIP_KNOB_COUNT; knob++)
		flips_copy(&to->flips[knob], &from->flips[knob]);
}

void why_free(struct why *why)
{
	arena_free(&why->arena);
	for (int knob = 0; knob < FLIP_KNOB_COUNT; knob++)
		flips_free(&why->flips[knob]);
}
