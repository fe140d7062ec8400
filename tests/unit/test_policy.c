/* The policy network: its gradient against finite differences, and that it learns what pays. */
#include "mine/policy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { STEPS = 5, INPUTS = 12 };
static const struct policy_shape shape = { .inputs = { 5, 5, 2 }, .heads = 5, .choices = { 13, 8, 8, 13, 7 } };
static const int heads[STEPS] = { 3, 0, 4, 1, 2 }, choices[STEPS] = { 12, 3, 0, 7, 5 };
static const double returns[STEPS] = { 0.7, -1.2, 0.4, 2, -0.3 };

/* The episode's loss, run with the weights as they are. */
static double loss_of(struct policy *p, const float inputs[STEPS][INPUTS])
{
	double loss = 0;

	policy_begin(p);
	for (int i = 0; i < STEPS; i++) {
		loss -= returns[i] * log((double)policy_step(p, inputs[i], heads[i])[choices[i]]);
		policy_chose(p, choices[i]);
	}
	return loss;
}

static void draw_inputs(struct mine_random *random, float inputs[STEPS][INPUTS])
{
	for (int i = 0; i < STEPS; i++)
		for (int k = 0; k < INPUTS; k++)
			inputs[i][k] = (float)((double)(mine_draw(random) >> 11) * 0x1p-52 - 1);
}

/* Along random directions, each of a block of weights only: the slope is that of the loss. */
static void the_gradient_is_that_of_finite_differences(void **state)
{
	enum { BLOCK = 997 };
	const float step = 0.0005f;
	struct mine_random random = { 5 };
	struct policy *p = policy_new(&shape, &random);
	float inputs[STEPS][INPUTS], *weights;
	const float *gradient;
	size_t count, blocks = 0;
	double worst = 0;

	(void)state;
	draw_inputs(&random, inputs);
	weights = policy_weights(p, &count);
	loss_of(p, (const float (*)[INPUTS])inputs);
	gradient = policy_gradient(p, returns);
	for (size_t from = 0; from < count; from += BLOCK, blocks++) {
		size_t to = from + BLOCK < count ? from + BLOCK : count;
		double slope = 0, losses[2], length = 0, found;
		uint64_t seed = mine_draw(&random);

		for (int side = 0; side < 2; side++) {
			struct mine_random signs = { seed };
			float kept[BLOCK];

			for (size_t i = from; i < to; i++) {
				float by = mine_draw(&signs) & 1 ? step : -step;

				kept[i - from] = weights[i];
				slope += side == 0 ? (double)(by * gradient[i]) : 0;
				length += side == 0 ? (double)(step * gradient[i]) * (double)(step * gradient[i]) : 0;
				weights[i] += side == 0 ? by : -by;
			}
			losses[side] = loss_of(p, (const float (*)[INPUTS])inputs);
			for (size_t i = from; i < to; i++)
				weights[i] = kept[i - from];
		}
		found = (losses[0] - losses[1]) / 2;
		/* single precision leaves about 1e-6 of a loss of about 10; larger steps meet the kinks of ReLU */
		worst = fmax(worst, fabs(found - slope) / (sqrt(length) + 2e-5));
	}
	assert_true(blocks > 150);
	if (worst > 0.05)
		fail_msg("off by %.3g of the slope", worst);
	policy_free(p);
}

/* A row of choices pays whenever it is made: soon each of them is nearly certain, and the weights stay finite. */
static void what_pays_is_learnt(void **state)
{
	struct mine_random random = { 1 };
	struct policy *p = policy_new(&shape, &random);
	float inputs[STEPS][INPUTS];

	(void)state;
	draw_inputs(&random, inputs);
	for (int episode = 0; episode < 150; episode++) {
		loss_of(p, (const float (*)[INPUTS])inputs);
		policy_learn(p, (const double[STEPS]){ 1, 1, 1, 1, 1 }, 1e-3);
	}
	assert_true(isfinite(loss_of(p, (const float (*)[INPUTS])inputs)));
	for (int i = 0; i < STEPS; i++) {
		const float *chances;

		policy_begin(p);
		for (int k = 0; k <= i; k++)
			chances = policy_step(p, inputs[k], heads[k]);
		assert_true(chances[choices[i]] > 0.9f);
	}
	policy_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_gradient_is_that_of_finite_differences),
		cmocka_unit_test(what_pays_is_learnt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
