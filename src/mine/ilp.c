/* WHAM's optimal alternative, for small training graphs: counts of cores and a schedule from an integer program (schedule/ilp.h).  whypar-models(7) 8.3.
 *
 * Every design gets an optimistic bound first, from its longest path and its work.  Then, by that bound, dimensions and counts together, each is judged as all
 * methods' designs are, and has its shortest schedule found; once the next bound is no better than a schedule that was found, no program is left to solve, and
 * once it is no better than what the judge said of one, no design.  A step is fused as far as it can be or not at all, whichever is shorter, so a design has two
 * programs. */
#include "mine/methods.h"

#include "base/memory.h"
#include "schedule/ilp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the time there is, the most for one program: 1/SHARE. */
enum { SHARE = 10 };

struct option {
	struct design design;
	int64_t number;
	double bound;                    /* the value that it cannot exceed */
};

struct proof {
	struct miner *miner;
	const struct mine_model *model;
	struct option *options;
	size_t count, capacity;
	double best;                     /* value of the shortest schedule found */
	double solved, unsolved;         /* what designs that were looked at cannot exceed: proven to be so, or the program had no time for more */
};

static double value_of(const struct proof *p, double tdp, double makespan)
{
	return mine_value(p->miner->request, p->model->samples / (makespan + p->model->beside_s), tdp);
}

/* NULL where a buffer holds no tile: the design does not run. */
static struct step *step_of(const struct proof *p, const struct design *design, bool fused)
{
	struct machine machine = space_machine(p->miner->request->space, design);
	struct step_request request = { .machine = &machine, .shares = p->model->shares, .latencies = p->model->latencies, .optimizer = p->model->optimizer, .fusion = fused, .always_fused = fused };
	struct step *step;

	return step_new(p->model->training, &request, &step, NULL) == STATUS_OK ? step : NULL;
}

/* ---- bounds ---- */

/* What no schedule of these tasks beats on so many cores; s. */
static double bound_of(const struct step *step, const struct design *d, struct bounds *bounds)
{
	struct task_graph graph = step->graph;

	graph.cores[RESOURCE_TC] = 1 << d->log[AXIS_TC];
	graph.cores[RESOURCE_VC] = 1 << d->log[AXIS_VC];
	bounds_measure(&graph, bounds);
	return bounds->makespan;
}

static void add_option(struct proof *p, const struct design *d, double makespan)
{
	const struct design_space *space = p->miner->request->space;
	double bound = value_of(p, space_tdp(space, d), makespan);

	if (!(bound > 0))
		return;
	p->options = memory_grow(p->options, &p->capacity, p->count + 1, sizeof *p->options);
	p->options[p->count++] = (struct option){ *d, space_number(space, d), bound };
}

/* All counts of these dimensions that fit: the tasks are the same, what they take over all cores is not. */
static void bound_counts(struct proof *p, struct design d, struct bounds *bounds)
{
	struct step *whole = step_of(p, &d, false), *fused = whole != NULL && p->model->fusion ? step_of(p, &d, true) : NULL;

	for (int tc = design_axis_least(AXIS_TC); whole != NULL && tc <= design_axis_most(AXIS_TC); tc++)
		for (int vc = design_axis_least(AXIS_VC); vc <= design_axis_most(AXIS_VC); vc++) {
			double makespan;

			d.log[AXIS_TC] = (signed char)tc;
			d.log[AXIS_VC] = (signed char)vc;
			if (space_limit(p->miner->request->space, &d) != LIMIT_NONE)
				break;           /* nor do more */
			makespan = bound_of(whole, &d, bounds);
			if (fused != NULL)
				makespan = fmin(makespan, bound_of(fused, &d, bounds));
			add_option(p, &d, makespan);
		}
	step_free(whole);
	step_free(fused);
}

static bool out_of_time(struct proof *p)
{
	return !miner_goes_on(p->miner) || miner_seconds(p->miner) >= p->miner->request->time_limit;
}

static int by_bound(const void *a, const void *b)
{
	const struct option *x = a, *y = b;

	if (x->bound != y->bound)
		return x->bound < y->bound ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

/* False when there was no time for all. */
static bool bound_designs(struct proof *p)
{
	const struct design_space *space = p->miner->request->space;
	int64_t count = space_count(space), number = 0;
	struct bounds bounds = { 0 };

	for (; number < count; number++) {
		struct design d = space_design(space, number);

		if (d.log[AXIS_TC] != design_axis_least(AXIS_TC) || d.log[AXIS_VC] != design_axis_least(AXIS_VC))
			continue;
		if (out_of_time(p))
			break;
		bound_counts(p, d, &bounds);
	}
	bounds_free(&bounds);
	if (p->count > 0)
		qsort(p->options, p->count, sizeof *p->options, by_bound);
	return number == count;
}

/* ---- programs ---- */

/* The shortest schedule of one of a design's two graphs. */
static void solve_graph(struct proof *p, const struct step *step, double tdp)
{
	const struct mine_request *r = p->miner->request;
	double reach = value_of(p, tdp, step->free_bound), seconds = fmin(r->time_limit / SHARE, r->time_limit - miner_seconds(p->miner));
	struct exact_result result = { .proven = false };
	struct schedule schedule = { 0 };

	if (reach <= p->best)
		return;
	if (ilp_schedule(&step->graph, seconds, r->cancel, &result, &schedule, NULL) == STATUS_OK) {
		p->best = fmax(p->best, value_of(p, tdp, result.makespan));
		reach = fmin(reach, value_of(p, tdp, result.bound));
	}
	if (result.proven)
		p->solved = fmax(p->solved, reach);
	else
		p->unsolved = fmax(p->unsolved, reach);
	schedule_free(&schedule);
}

static void solve_design(struct proof *p, const struct design *d)
{
	double tdp = space_tdp(p->miner->request->space, d);

	for (int fused = 0; fused <= p->model->fusion; fused++) {
		struct step *step = step_of(p, d, fused);

		if (step == NULL)
			continue;
		if (!fused || step->task_count < step->node_count)
			solve_graph(p, step, tdp);
		step_free(step);
	}
}

static void solve(struct proof *p)
{
	struct miner *m = p->miner;
	size_t at = 0;
	double listed = 0, rest;         /* best of the schedules that the judge makes */

	for (; at < p->count && p->options[at].bound > listed && m->evaluations < m->request->evaluations && !out_of_time(p); at++) {
		const struct judged *j = miner_try(m, &p->options[at].design);

		if (j == NULL)
			break;
		listed = fmax(listed, j->value);
		p->best = fmax(p->best, listed);
		if (p->options[at].bound > p->best)
			solve_design(p, &p->options[at].design);
	}
	rest = at < p->count ? p->options[at].bound : 0;
	miner_hold(m);
	m->pruned = (int64_t)(p->count - at);
	m->bound = fmax(fmax(p->best, rest), fmax(p->solved, p->unsolved));
	m->proven = rest <= p->best && p->unsolved <= p->best;
	miner_release(m);
}

static bool can_solve(struct miner *m)
{
	const struct mine_request *r = m->request;

	miner_hold(m);
	if (!ilp_available())
		snprintf(m->trouble, sizeof m->trouble, "ilp: this whypar was built without GLPK; install libglpk-dev and build it again, or search by wham");
	else if (r->model_count > 1)
		snprintf(m->trouble, sizeof m->trouble, "ilp: %d models at once are too many, it takes one; wham takes them", r->model_count);
	else if (r->judge != NULL)
		snprintf(m->trouble, sizeof m->trouble, "ilp: a run on stages is more than one step, which is what it schedules; set pipeline=1 and replicas=1, or search by wham");
	else if (r->models[0].exchanges != NULL)
		snprintf(m->trouble, sizeof m->trouble, "ilp: it does not schedule exchanges that hide behind computing; set overlap=none, or search by wham");
	else if (r->models[0].training->count > ILP_TASKS)
		snprintf(m->trouble, sizeof m->trouble, "ilp: a training step of %d tasks is too much for integer programs, which take %d; wham and exhaustive take any", r->models[0].training->count, ILP_TASKS);
	miner_release(m);
	return m->trouble[0] == '\0';
}

void mine_ilp(struct miner *miner)
{
	struct proof p = { .miner = miner, .model = &miner->request->models[0] };

	if (!can_solve(miner))
		return;
	if (bound_designs(&p)) {
		miner_plan(miner, miner->request->evaluations < (int64_t)p.count ? miner->request->evaluations : (int64_t)p.count);
		solve(&p);
	} else if (miner_goes_on(miner)) {
		miner_hold(miner);
		snprintf(miner->trouble, sizeof miner->trouble, "ilp: time_limit: %g s are too few to bound all designs; raise it, or search by wham", miner->request->time_limit);
		miner_release(miner);
	}
	memory_free(p.options);
}
