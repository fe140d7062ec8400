/* Reinforcement learning, then a genetic algorithm, in the manner of ConfuciuX (MICRO 2020).  whypar-models(7) 8.3.
 *
 * ConfuciuX's: the network (policy.h), one episode over all choices in a random order, the reward (fitness above the least seen; over budget, less by how
 * far), discount, rates and clips; two thirds of the effort to REINFORCE, the rest to a population that begins as the best it found, with its sizes and
 * mutations.  Its temperature begins at its least, 1, and stays there.
 *
 * Different, since one design serves all layers and is judged only when whole: a step chooses one dimension, not a layer's share, and knows the dimension at
 * hand and the choices so far; a step earns nothing before the last; and rewards, which ConfuciuX standardises among the steps of an episode, are so among
 * the last episodes, or each would teach the same.  Crossover swaps dimensions that are alike, where ConfuciuX swaps layers. */
#include "mine/methods.h"
#include "mine/policy.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ConfuciuX's, but RECENT (it has no such list) and IDLE: generations without a new design that end the search. */
enum { RECENT = 100, SCHEDULE = 100, POPULATION = 20, PARENTS = 8, TRIES = 3, IDLE = 100 };
static const double DISCOUNT = 0.9, RATE = 1e-3, RATE_FACTOR = 0.8, RATE_END = 1e-6, MUTATION = 0.5, CROSSOVER = 0.2;

_Static_assert((int)AXIS_COUNT <= (int)POLICY_HEADS_MAX && (int)AXIS_COUNT <= (int)POLICY_STEPS_MAX && 2 * AXIS_COUNT + 2 <= (int)POLICY_INPUTS_MAX, "a head and a step for each axis");

struct agent {
	struct miner *miner;
	struct mine_random random;
	int axes;                        /* that are chosen */
	struct policy *policy;
	double rewards[RECENT];          /* of the last episodes */
	int64_t episodes;
	double least, most;              /* values seen, of designs that fit and reach the floor; most 0: none yet */
	struct design best;
};

static int draw_below(struct agent *a, int limit)
{
	return (int)(mine_draw(&a->random) % (uint64_t)limit);
}

/* The value, judged where it fits; 0 when it does not, or misses the floor. */
static double value_of(struct agent *a, const struct design *d, double *throughput)
{
	const struct judged *j = space_fits(a->miner->request->space, d) ? miner_try(a->miner, d) : NULL;

	*throughput = j != NULL ? j->throughput : 0;
	if (j == NULL || !(j->value > 0))
		return 0;
	a->least = a->most > 0 ? fmin(a->least, j->value) : j->value;
	if (j->value > a->most) {
		a->most = j->value;
		a->best = *d;
	}
	return j->value;
}

/* ---- REINFORCE ---- */

/* Of [0, 1]: how far a design is beyond the limit that it exceeds most, or below the floor of samples a second. */
static double beyond(const struct agent *a, const struct design *d, double throughput)
{
	const struct mine_request *r = a->miner->request;
	double area = 1 - r->space->area_limit / space_area(r->space, d), power = 1 - r->space->power_limit / space_tdp(r->space, d);

	if (space_fits(a->miner->request->space, d))
		return throughput > 0 && r->metric == METRIC_PERF_PER_TDP ? 1 - throughput / r->floor : 1;
	return fmax(area, power);
}

static double reward_of(struct agent *a, const struct design *d)
{
	double throughput, value = value_of(a, d, &throughput);

	if (value > 0)
		return value - a->least;
	/* as much as was ever earned may be lost */
	return -beyond(a, d, throughput) * (a->most > a->least ? a->most - a->least : 1);
}

/* By mean and deviation of the last episodes, this one among them. */
static double standardised(struct agent *a, double reward)
{
	double mean = 0, variance = 0;
	int count;

	a->rewards[a->episodes++ % RECENT] = reward;
	count = a->episodes < RECENT ? (int)a->episodes : RECENT;
	for (int i = 0; i < count; i++)
		mean += a->rewards[i] / count;
	for (int i = 0; i < count; i++)
		variance += (a->rewards[i] - mean) * (a->rewards[i] - mean) / count;
	return variance > 0 ? (reward - mean) / sqrt(variance) : 0;
}

/* A value of an axis as -1 to 1. */
static float as_input(int axis, int log)
{
	return 2 * (float)(log - design_axis_least((enum design_axis)axis)) / (float)(design_axis_size((enum design_axis)axis) - 1) - 1;
}

static int draw_choice(struct agent *a, const float *chances, int count)
{
	double at = mine_draw_part(&a->random);
	int choice = 0;

	while (choice < count - 1 && at >= chances[choice])
		at -= chances[choice++];
	return choice;
}

/* Inputs: which axis is at hand; the choices so far, 0 where there is none; how many they are, and the last. */
static void choose_design(struct agent *a, struct design *d)
{
	int order[AXIS_COUNT];
	float inputs[2 * AXIS_COUNT + 2] = { 0 }, *chosen = inputs + a->axes, *last = chosen + a->axes;

	for (int i = 0; i < a->axes; i++) {
		int place = draw_below(a, i + 1);

		order[i] = order[place];
		order[place] = i;
	}
	policy_begin(a->policy);
	for (int i = 0; i < a->axes; i++) {
		int axis = order[i], choice;

		for (int k = 0; k < a->axes; k++)
			inputs[k] = k == axis ? 1 : -1;
		last[0] = 2 * (float)i / (float)a->axes - 1;
		choice = draw_choice(a, policy_step(a->policy, inputs, axis), design_axis_size((enum design_axis)axis));
		policy_chose(a->policy, choice);
		d->log[axis] = (signed char)(design_axis_least((enum design_axis)axis) + choice);
		chosen[axis] = last[1] = as_input(axis, d->log[axis]);
	}
	space_follow(a->miner->request->space, d);
}

static void learn(struct agent *a, double reward, double rate)
{
	double returns[AXIS_COUNT];

	returns[a->axes - 1] = standardised(a, reward);
	for (int i = a->axes - 2; i >= 0; i--)
		returns[i] = DISCOUNT * returns[i + 1];
	policy_learn(a->policy, returns, rate);
}

/* Designs had before, and those that do not fit, are episodes too, but no evaluations: both have an end. */
static void reinforce(struct agent *a, int64_t evaluations)
{
	struct policy_shape shape = { .inputs = { a->axes, a->axes, 2 }, .heads = a->axes };
	double rate = RATE;

	for (int axis = 0; axis < a->axes; axis++)
		shape.choices[axis] = design_axis_size((enum design_axis)axis);
	a->policy = policy_new(&shape, &a->random);
	while (a->miner->evaluations < evaluations && a->episodes < 4 * evaluations && miner_goes_on(a->miner)) {
		struct design d;

		choose_design(a, &d);
		learn(a, reward_of(a, &d), rate);
		if (a->episodes % SCHEDULE == 0 && a->most > 0)
			rate = fmax(rate * RATE_FACTOR, RATE_END);
	}
	policy_free(a->policy);
}

/* ---- the genetic algorithm ---- */

struct individual {
	struct design design;
	double value;                    /* 0: it does not fit, or reaches no floor */
};

/* Best first; equal ones stay in their order. */
static void sort_by_value(struct individual people[POPULATION])
{
	for (int i = 1; i < POPULATION; i++) {
		struct individual one = people[i];
		int at = i;

		for (; at > 0 && people[at - 1].value < one.value; at--)
			people[at] = people[at - 1];
		people[at] = one;
	}
}

/* Dimensions moved by up to a quarter of their range, cut towards 0 as ConfuciuX cuts; each move is kept where the design fits with it. */
static void mutate(struct agent *a, struct design *d)
{
	for (int i = 0; i < TRIES; i++) {
		struct design moved = *d;
		int axis = draw_below(a, a->axes), least = design_axis_least((enum design_axis)axis), most = design_axis_most((enum design_axis)axis), half = (most - least) / 2;
		int log = d->log[axis] + (int)((2 * mine_draw_part(&a->random) - 1) * MUTATION * (half > 1 ? half : 1));

		moved.log[axis] = (signed char)(log < least ? least : log > most ? most : log);
		space_follow(a->miner->request->space, &moved);
		if (space_fits(a->miner->request->space, &moved))
			*d = moved;
	}
}

/* Tensor for vector cores, or rows for columns: alike in their ranges. */
static void cross(struct agent *a, struct design *d)
{
	bool cores = draw_below(a, 2) == 0;
	enum design_axis one = cores ? AXIS_TC : AXIS_ROWS, other = cores ? AXIS_VC : AXIS_COLS;
	signed char log = d->log[one];

	d->log[one] = d->log[other];
	d->log[other] = log;
	space_follow(a->miner->request->space, d);
}

static void breed(struct agent *a, int64_t evaluations)
{
	struct individual people[POPULATION];

	for (int i = 0; i < POPULATION; i++)
		people[i] = (struct individual){ a->best, a->most };
	for (int idle = 0; idle < IDLE && a->miner->evaluations < evaluations && miner_goes_on(a->miner);) {
		int64_t before = a->miner->evaluations;
		struct individual parents[PARENTS];
		double throughput;
		int able = 0;

		sort_by_value(people);
		while (able < PARENTS && people[able].value > 0)
			able++;
		able = able > 0 ? able : 1;
		memcpy(parents, people, sizeof parents);
		for (int i = 1; i < POPULATION && a->miner->evaluations < evaluations && miner_goes_on(a->miner); i++) {
			people[i].design = parents[i % able].design;
			mutate(a, &people[i].design);
			if (mine_draw_part(&a->random) < CROSSOVER)
				cross(a, &people[i].design);
			people[i].value = value_of(a, &people[i].design, &throughput);
		}
		idle = a->miner->evaluations > before ? 0 : idle + 1;
	}
}

void mine_rlga(struct miner *miner)
{
	const struct mine_request *r = miner->request;
	struct agent a = { .miner = miner, .random = { r->seed }, .axes = space_dimensions(r->space) };
	int64_t *numbers, fitting = space_fitting(r->space, &numbers);

	memory_free(numbers);
	miner_plan(miner, r->evaluations < fitting ? r->evaluations : fitting);
	/* where no design is found that does, from the least, which fits */
	a.best = space_design(r->space, 0);
	reinforce(&a, 2 * miner->planned / 3);
	breed(&a, miner->planned);
}
