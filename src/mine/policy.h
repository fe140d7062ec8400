/* A policy network: a choice at each step of an episode, learnt by REINFORCE.  After ConfuciuX (MICRO 2020), the actor of its first stage.
 *
 *   inputs, in three groups -> an encoder of 10 units each -> 30 -> 128 -> 128 -> 128, ReLU behind each 128
 *     -> LSTM cell of 128, which remembers the episode -> a head: 128 -> 12 ReLU -> as many outputs as it has choices, softmax
 *
 * Each step uses the one head that it names.  A policy owns its weights, their moments (Adam) and what the steps of the episode under way computed.
 * Single precision, sums in a fixed order: the same on every machine but for exp and tanh. */
#ifndef WHYPAR_MINE_POLICY_H
#define WHYPAR_MINE_POLICY_H

#include "mine/methods.h"

enum { POLICY_GROUPS = 3, POLICY_INPUTS_MAX = 16, POLICY_HEADS_MAX = 8, POLICY_CHOICES_MAX = 16, POLICY_STEPS_MAX = 8 };

struct policy_shape {
	int inputs[POLICY_GROUPS];
	int heads;
	int choices[POLICY_HEADS_MAX];   /* of each head */
};

struct policy;

/* Weights drawn evenly from +-1/sqrt(inputs), of the LSTM cell from +-1/sqrt(128). */
struct policy *policy_new(const struct policy_shape *shape, struct mine_random *random);
void policy_free(struct policy *policy); /* NULL allowed */

/* Forgets the episode. */
void policy_begin(struct policy *policy);
/* The next step: probabilities of the head's choices, the policy's own until the next policy_begin.  inputs: of all groups, one after another. */
const float *policy_step(struct policy *policy, const float *inputs, int head);
/* What was chosen in that step. */
void policy_chose(struct policy *policy, int choice);

/* One step of Adam down the loss of the episode, -sum of returns[step] x log(probability of what was chosen). */
void policy_learn(struct policy *policy, const double *returns, double rate);

/* Inside, for a test against finite differences: the loss's gradient, unclipped, and all weights in the same order. */
const float *policy_gradient(struct policy *policy, const double *returns);
float *policy_weights(struct policy *policy, size_t *count);

#endif
