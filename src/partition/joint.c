/* All levels at once.  A variable's state is its whole column of choices; see factors.h. */
#include "partition/relax.h"
#include "partition/search.h"

#include <math.h>
#include <string.h>

/* Beyond this a joint search is not attempted: the plan is the level-by-level one, the bound that of variables taken alone. */
#define JOINT_BYTES_MAX (1024.0 * 1024 * 1024)

static bool is_cancelled(const atomic_bool *cancel)
{
	return cancel != NULL && atomic_load(cancel);
}

static bool pins_op(const struct plan_request *r, int var)
{
	for (int h = 0; r->pins != NULL && h < r->levels; h++)
		if (r->pins[var * LEVELS_MAX + h] == SPLIT_OP)
			return true;
	return false;
}

static unsigned char *joint_radix(const struct problem *p, const struct plan_request *r, struct arena *arena)
{
	unsigned char *radix = arena_alloc(arena, (size_t)p->var_count, 1);

	for (int v = 0; v < p->var_count; v++) {
		enum role role = p->vars[v].role;

		radix[v] = (unsigned char)(role == ROLE_JUNCTION || r->types == 3 || r->tensor_levels > 0 || pins_op(r, v) ? comm_states(role) : 2);
	}
	return radix;
}

/* Costs of each whole state of a variable: grown digit by digit with the halvings of each prefix. */
static double *joint_unary(const struct problem_var *var, const struct plan_request *r, int radix, struct arena *arena)
{
	size_t count = factors_states(radix, r->levels), prefixes = 1;
	double *costs = arena_alloc(arena, count, sizeof *costs);
	struct halvings *halved;

	if (var->role == ROLE_JUNCTION)
		return costs;
	halved = memory_alloc(count, sizeof *halved);
	for (int h = 0; h < r->levels; h++) {
		/* from the end, so that a prefix is read before its place is taken */
		for (size_t p = prefixes; p-- > 0;) {
			struct shard shard = costs_shard(var, r, halved[p]);
			struct halvings before = halved[p];
			double so_far = costs[p];

			for (int state = radix - 1; state >= 0; state--) {
				size_t at = p * (size_t)radix + (size_t)state;
				double intra = comm_intra(var->role, state, &shard);

				costs[at] = so_far + prices_level(&r->prices, h + 1, intra, intra > 0);
				halved[at] = before;
				halvings_add(&halved[at], var->role, state);
			}
		}
		prefixes *= (size_t)radix;
	}
	memory_free(halved);
	return costs;
}

/* For each level and prefix of a consumer's digits: the price of an element there x what is left of its input. */
static const double *joint_scale(enum role role, const struct prices *prices, int radix, int levels, struct arena *arena)
{
	size_t total = 0, prefixes = 1;
	double *scale, *level;

	for (int h = 0; h < levels; h++)
		total += factors_states(radix, h);
	scale = level = arena_alloc(arena, total, sizeof *scale);
	level[0] = prices_element(prices, 1);
	for (int h = 1; h < levels; h++) {
		double *next = level + prefixes;

		for (size_t p = 0; p < prefixes; p++)
			for (int state = 0; state < radix; state++)
				next[p * (size_t)radix + (size_t)state] = level[p] / prices_element(prices, h) * (comm_halves_input(role, state) ? 0.5 : 1) * prices_element(prices, h + 1);
		level = next;
		prefixes *= (size_t)radix;
	}
	return scale;
}

static bool messages_cost(const struct prices *prices, int levels)
{
	for (int h = 0; h < levels; h++)
		if (prices_message(prices, h + 1) > 0)
			return true;
	return false;
}

/* An edge's elements, and (flat may be NULL) what its messages cost at each level. */
static void joint_edge(const struct problem *p, const struct plan_request *r, const unsigned char *radix, int e, double elements[STATES_MAX][STATES_MAX],
	double (*flat)[STATES_MAX][STATES_MAX])
{
	const struct problem_edge *ends = &p->edges[e];
	enum role from = p->vars[ends->from].role, to = p->vars[ends->to].role;
	double whole = costs_edge_elements(ends, r, (struct halvings){ 0 });

	for (int a = 0; a < radix[ends->from]; a++)
		for (int b = 0; b < radix[ends->to]; b++) {
			elements[a][b] = whole * comm_edge(r->comm_model, from, a, to, b);
			for (int h = 0; flat != NULL && h < r->levels; h++)
				flat[h][a][b] = prices_message(&r->prices, h + 1) * comm_edge_messages(r->comm_model, from, a, to, b);
		}
}

static void joint_costs(const struct problem *p, const struct plan_request *r, struct joint_tables *joint)
{
	struct factors *net = &joint->net;
	size_t vars = (size_t)p->var_count;
	double **unary = arena_alloc(&joint->arena, vars, sizeof *unary);
	const double **scale = arena_alloc(&joint->arena, vars, sizeof *scale);
	const double *known[ROLE_COUNT][STATES_MAX + 1] = { { NULL } };
	unsigned char *allowed = arena_alloc(&joint->arena, vars * (size_t)r->levels, 1);
	double (*edge)[STATES_MAX][STATES_MAX] = arena_alloc(&joint->arena, (size_t)p->edge_count, sizeof *edge), (*flat)[STATES_MAX][STATES_MAX] = NULL;

	if (messages_cost(&r->prices, r->levels))
		flat = arena_alloc(&joint->arena, (size_t)p->edge_count * (size_t)r->levels, sizeof *flat);

	for (int v = 0; v < p->var_count && !(net->cancel != NULL && atomic_load(net->cancel)); v++) {
		enum role role = p->vars[v].role;

		unary[v] = joint_unary(&p->vars[v], r, net->radix[v], &joint->arena);
		if (known[role][net->radix[v]] == NULL)
			known[role][net->radix[v]] = joint_scale(role, &r->prices, net->radix[v], r->levels, &joint->arena);
		scale[v] = known[role][net->radix[v]];
		for (int h = 0; h < r->levels; h++)
			allowed[v * r->levels + h] = (unsigned char)search_allowed(r, p, v, h);
	}
	for (int e = 0; e < p->edge_count; e++)
		joint_edge(p, r, net->radix, e, edge[e], flat != NULL ? &flat[e * r->levels] : NULL);
	net->unary = unary;
	net->scale = scale;
	net->allowed = allowed;
	net->edge = (const double (*)[STATES_MAX][STATES_MAX])edge;
	net->flat = (const double (*)[STATES_MAX][STATES_MAX])flat;
}

void joint_free(struct joint_tables *joint)
{
	forward_free(&joint->forward);
	arena_free(&joint->arena);
	memset(joint, 0, sizeof *joint);
}

static double table_bytes(const struct elimination *order, const unsigned char *radix, int levels)
{
	double entries = 0;

	for (int v = 0; v < order->var_count; v++)
		entries += 2 * pow(radix[v], levels);
	return 8 * (entries + factors_forward_entries(order, radix, levels));
}

enum joint_tier { JOINT_EXACT, JOINT_FOREST, JOINT_APART };

/* Made when first needed, kept with the search. */
static const struct elimination *forest_order(struct search *s)
{
	bool *keep;

	if (s->forest != NULL)
		return s->forest;
	keep = memory_alloc((size_t)s->problem->edge_count, sizeof *keep);
	relax_forest(s->problem, keep);
	s->forest = elimination_new(s->problem, keep);
	memory_free(keep);
	return s->forest;
}

static enum joint_tier joint_tier(struct search *s, const unsigned char *radix, int levels)
{
	if (!s->relaxed && factors_largest_table(s->order, radix, levels) <= TABLE_ENTRIES_MAX &&
	    table_bytes(s->order, radix, levels) <= JOINT_BYTES_MAX)
		return JOINT_EXACT;
	if (factors_largest_table(forest_order(s), radix, levels) <= TABLE_ENTRIES_MAX && table_bytes(forest_order(s), radix, levels) <= JOINT_BYTES_MAX)
		return JOINT_FOREST;
	return JOINT_APART;
}

static void spread_states(const struct search *s, const unsigned char *radix, int levels, const size_t *from, signed char *states)
{
	for (int v = 0; v < s->problem->var_count; v++)
		for (int h = 0; h < levels; h++)
			states[v * levels + h] = (signed char)state_digit(from[v], radix[v], levels, h);
}

/* The level-by-level plan with as many types. */
static bool level_plan(struct search *s, const struct plan_request *r, const atomic_bool *cancel, signed char *states)
{
	struct plan_request levelled = *r;
	double bound;

	levelled.solver = r->types == 3 ? SOLVER_ACCPAR : SOLVER_HYPAR;
	return levels_solve(s, &levelled, cancel, states, &bound);
}

/* Every variable alone, its edges left out: the weakest bound, but it always fits. */
static double bound_apart(const struct search *s, const struct plan_request *r, const unsigned char *radix, const atomic_bool *cancel)
{
	double bound = 0;

	for (int v = 0; v < s->problem->var_count && !is_cancelled(cancel); v++) {
		struct arena arena = { NULL };
		unsigned char allowed[LEVELS_MAX];
		struct factors net = { .levels = r->levels, .radix = &radix[v], .allowed = allowed };
		const double *costs = joint_unary(&s->problem->vars[v], r, radix[v], &arena);

		for (int h = 0; h < r->levels; h++)
			allowed[h] = (unsigned char)search_allowed(r, s->problem, v, h);
		bound += costs[factors_cheapest(&net, 0, costs)];
		arena_free(&arena);
	}
	return bound;
}

/* A plan for what is too wide: the better of the forest's and the level-by-level one, improved. */
static void solve_relaxed(struct search *s, const struct plan_request *r, const atomic_bool *cancel, signed char *states)
{
	struct joint_tables *joint = &s->joint;
	size_t vars = (size_t)s->problem->var_count, *decoded = memory_alloc(vars, sizeof *decoded), *levelled = memory_alloc(vars, sizeof *levelled);

	factors_decode(&joint->net, &joint->forward, decoded);
	if (!level_plan(s, r, cancel, states)) {
		memory_free(decoded);
		memory_free(levelled);
		return;
	}
	for (size_t v = 0; v < vars; v++)
		for (int h = 0; h < r->levels; h++)
			levelled[v] = levelled[v] * joint->net.radix[v] + (size_t)states[v * (size_t)r->levels + (size_t)h];
	relax_improve(s->problem, &joint->net, decoded);
	relax_improve(s->problem, &joint->net, levelled);
	if (relax_cost(s->problem, &joint->net, levelled) <= relax_cost(s->problem, &joint->net, decoded))
		spread_states(s, joint->net.radix, r->levels, levelled, states);
	else
		spread_states(s, joint->net.radix, r->levels, decoded, states);
	memory_free(decoded);
	memory_free(levelled);
}

bool joint_solve(struct search *s, const struct plan_request *r, const atomic_bool *cancel, signed char *states, double *bound, bool *exact)
{
	struct joint_tables *joint = &s->joint;
	const unsigned char *radix;
	enum joint_tier tier;

	joint_free(joint);
	radix = joint_radix(s->problem, r, &joint->arena);
	tier = joint_tier(s, radix, r->levels);
	*exact = tier == JOINT_EXACT;
	if (tier == JOINT_APART) {
		*bound = bound_apart(s, r, radix, cancel);
		return level_plan(s, r, cancel, states);
	}
	joint->net = (struct factors){ .order = tier == JOINT_EXACT ? s->order : forest_order(s), .levels = r->levels, .radix = radix, .cancel = cancel };
	joint_costs(s->problem, r, joint);
	if (is_cancelled(cancel))        /* then not all costs are there */
		return false;
	forward_new(&joint->forward, &joint->net);
	*bound = factors_minimise(&joint->net, &joint->forward, NULL, &s->work);
	if (is_cancelled(cancel))
		return false;
	joint->net.slack = r->prices.objective == OBJECTIVE_TIME ? COST_ROUNDING * *bound : 0;
	if (tier == JOINT_EXACT) {
		size_t *decoded = memory_alloc((size_t)s->problem->var_count, sizeof *decoded);

		factors_decode(&joint->net, &joint->forward, decoded);
		spread_states(s, radix, r->levels, decoded, states);
		memory_free(decoded);
		joint->solved = true;
	} else {
		solve_relaxed(s, r, cancel, states);
		joint_free(joint);
	}
	return !is_cancelled(cancel);
}

double joint_operations(struct search *s, const struct plan_request *r)
{
	struct arena arena = { NULL };
	const unsigned char *radix = joint_radix(s->problem, r, &arena);
	enum joint_tier tier = joint_tier(s, radix, r->levels);
	double operations = 0;

	if (tier != JOINT_APART)
		operations = factors_operations(tier == JOINT_EXACT ? s->order : forest_order(s), radix, r->levels);
	for (int v = 0; v < s->problem->var_count; v++) {
		int edges = s->problem->first_in[v + 1] - s->problem->first_in[v] + s->problem->first_out[v + 1] - s->problem->first_out[v];

		operations += 4 * pow(radix[v], r->levels);
		/* some five rounds of improvement from five starts, each over every state and edge */
		if (tier == JOINT_FOREST)
			operations += 25 * (1 + edges) * pow(radix[v], r->levels);
	}
	arena_free(&arena);
	return operations;
}

/* From the minimum with each whole state forced to the minimum with one level's digit forced: that digit may be any the
 * solver considers or a pin has, the digits of the other levels must be ones that may be chosen. */
static void margins_of_var(const struct search *s, int v, const double *marginal, double *into)
{
	const struct plan_request *r = &s->last;
	int radix = s->joint.net.radix[v];
	size_t count = factors_states(radix, r->levels);
	unsigned allowed[LEVELS_MAX];
	int digits[LEVELS_MAX] = { 0 };

	for (int h = 0; h < r->levels; h++)
		allowed[h] = search_allowed(r, s->problem, v, h);
	for (size_t x = 0; x < count; x++) {
		int barred = 0, where = 0;

		for (int h = 0; h < r->levels && barred < 2; h++)
			if (!(allowed[h] >> digits[h] & 1)) {
				barred++;
				where = h;
			}
		for (int h = barred == 1 ? where : 0; barred < 2 && h < (barred == 1 ? where + 1 : r->levels); h++) {
			double *value = &into[h * STATES_MAX + digits[h]];

			if (!(*value <= marginal[x]))
				*value = marginal[x];
		}
		for (int h = r->levels - 1; h >= 0 && ++digits[h] == radix; h--)
			digits[h] = 0;
	}
	for (int h = 0; h < r->levels; h++)
		for (int state = 0; state < STATES_MAX; state++)
			if (!((solver_states(r, &s->problem->vars[v], h) | allowed[h]) >> state & 1))
				into[h * STATES_MAX + state] = NAN;
}

struct margins *joint_margins(struct search *s, const atomic_bool *cancel)
{
	struct joint_tables *joint = &s->joint;
	const struct problem *p = s->problem;
	const struct plan_request *r = &s->last;
	struct margins *m;
	double **marginal;
	struct arena arena = { NULL };

	if (!joint->solved)
		return NULL;
	joint->net.cancel = cancel;
	m = margins_new(p->rows, r->levels, true);
	marginal = arena_alloc(&arena, (size_t)p->var_count, sizeof *marginal);
	for (int v = 0; v < p->var_count; v++)
		marginal[v] = arena_alloc(&arena, factors_states(joint->net.radix[v], r->levels), sizeof **marginal);
	factors_marginals(&joint->net, &joint->forward, marginal);
	for (int v = 0; v < p->var_count; v++)
		margins_of_var(s, v, marginal[v], &m->value[(size_t)p->vars[v].row * (size_t)r->levels * STATES_MAX]);
	arena_free(&arena);
	if (is_cancelled(cancel)) {
		margins_free(m);
		return NULL;
	}
	return m;
}
