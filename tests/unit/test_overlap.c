/* Exchanges beside the cores: when they run, what they hide, and that nothing is lost or counted twice. */
#include "schedule/overlap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"
#include "tests/unit/study_help.h"

static void random_prices(struct random *r, struct prices *p)
{
	*p = (struct prices){ .objective = OBJECTIVE_TIME };
	for (int h = 0; h < LEVELS_MAX; h++) {
		p->element_s[h] = 1e-9 * (1 + random_below(r, 1000));
		p->message_s[h] = random_below(r, 2) ? 1e-6 * random_below(r, 10000) : 0;
	}
}

/* What rows exchange, each at its time, is what the levels of the plan take. */
static void rows_sum_up_to_the_levels(void **state)
{
	struct random r = { 41 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct model *m = random_model(&r, 3 + (int)random_below(&r, 10), round % 3 == 0);
		struct problem *p = problem_new(m);
		struct plan_request q = { .solver = round % 2 ? SOLVER_ACCPAR : SOLVER_HYPAR, .types = 3, .levels = 1 + (int)random_below(&r, 4), .batch = 64,
			.comm_model = (enum comm_model)random_below(&r, 2), .pooled = random_below(&r, 2) };
		struct search *s = search_new(p);
		struct row_exchanges *rows = memory_alloc((size_t)m->count, sizeof *rows);
		struct plan *plan;
		double sum = 0;

		random_prices(&r, &q.prices);
		plan = search_plan(s, &q, NULL);
		exchanges_of_rows(p, &q, &q.prices, plan, rows);
		for (int row = 0; row < m->count; row++)
			for (int kind = 0; kind < EXCHANGE_KIND_COUNT; kind++)
				sum += rows[row].seconds[kind];
		assert_true(fabs(sum - plan->cost) <= 1e-12 * plan->cost);
		memory_free(rows);
		plan_free(plan);
		search_free(s);
		problem_release(p);
		model_free(m);
	}
}

static double whole(struct study *study, const char *overlap)
{
	char line[40];

	snprintf(line, sizeof line, "set overlap=%s", overlap);
	must_run(study, line);
	study_settle(study, NULL);
	return study_results(study)->step_s;
}

/* Exchanges take turns on the links, or one that stops the cores holds up another; all lie within the step. */
static void check_timeline(const struct results *r)
{
	const struct overlapped *o = r->overlapped;

	for (int e = 0; e < o->count; e++) {
		const struct overlap_exchange *x = &o->exchanges[e];

		assert_true(x->start >= 0 && x->end >= x->start && x->end <= r->step_s * (1 + 1e-12));
		for (int k = e + 1; k < o->count; k++) {
			const struct overlap_exchange *y = &o->exchanges[k];

			assert_true(y->start >= x->start && (y->start >= x->end - 1e-12 || y->end <= x->end + 1e-12 || x->end - x->start <= 1e-12 || y->start <= x->start + 1e-12));
		}
	}
}

/* Nothing hides, then gradients, then all: the step never gets longer, the exchanges take turns on the links, and what is hidden and exposed are all. */
static void what_hides_makes_the_step_no_longer(void **state)
{
	static const char *const models[] = { "lenet-c", "vgg-a", "resnet18", "googlenet", "bert-base" };
	static const char *const edits[] = { "solve hypar", "solve mp", "set solver=joint types=3", "set bandwidth=100GB/s latency=5us", "set topology=torus accelerators=64", "set comm_time=figures" };

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
			char line[64];
			struct study *study;
			const struct results *r;
			double none, gradient, full;

			snprintf(line, sizeof line, "load %s", models[i]);
			study = study_with(line, edits[k]);
			none = whole(study, "none");
			r = study_results(study);
			assert_true(r->comm_exposed_s == r->comm_s && r->comm_hidden_s == 0 && r->overlapped->count == 0);
			gradient = whole(study, "gradient");
			assert_true(fabs(r->comm_exposed_s + r->comm_hidden_s - r->comm_s) <= 1e-9 * r->step_s && r->comm_exposed_s >= 0 && r->comm_hidden_s >= 0);
			check_timeline(r);
			full = whole(study, "full");
			assert_true(gradient <= none * (1 + 1e-12) && full <= gradient * (1 + 1e-12) && full >= r->step->schedule.makespan);
			check_timeline(r);
			study_free(study);
		}
}

/* No schedule beats this: every node waits for its inputs and for what is exchanged behind them, and for its own row's exchange before it runs. */
static double longest_path(const struct results *r, const struct row_exchanges *rows, bool gradients_only)
{
	const struct training *t = r->training;
	double *behind = memory_alloc((size_t)t->count, sizeof *behind), *before = memory_alloc((size_t)t->count, sizeof *before), *end = memory_alloc((size_t)t->count, sizeof *end), longest = 0;

	for (int row = 0; row < t->model->count; row++) {
		int first = -1, own = -1, error = -1, gradient = -1;

		for (int node = 0; node < t->count; node++) {
			if (t->nodes[node].row != row)
				continue;
			if (t->nodes[node].pass == PASS_FWD) {
				first = first < 0 ? node : first;
				own = t->nodes[node].part == PART_MAIN ? node : own;
			}
			error = t->nodes[node].pass == PASS_BWD_DATA ? node : error;
			gradient = t->nodes[node].pass == PASS_BWD_WEIGHT ? node : gradient;
		}
		if (gradient >= 0)
			behind[gradient] += rows[row].seconds[EXCHANGE_GRADIENT];
		if (gradients_only)
			continue;
		if (first >= 0)
			before[first] += rows[row].seconds[EXCHANGE_INPUT];
		if (own >= 0)
			behind[own] += rows[row].seconds[EXCHANGE_OUTPUT];
		if (error >= 0)
			behind[error] += rows[row].seconds[EXCHANGE_ERROR];
	}
	for (int node = 0; node < t->count; node++) {
		for (int i = 0; i < t->nodes[node].input_count; i++) {
			int input = t->inputs[t->nodes[node].first_input + i];

			end[node] = fmax(end[node], end[input] + behind[input]);
		}
		end[node] += before[node] + r->step->nodes[node].seconds;
		longest = fmax(longest, end[node] + behind[node]);
	}
	memory_free(behind);
	memory_free(before);
	memory_free(end);
	return longest;
}

static void exchanges_are_waited_for(void **state)
{
	static const char *const models[] = { "sfc", "lenet-c", "vgg-a", "resnet18" };
	static const char *const edits[] = { "set solver=mp fusion=off bandwidth=100MB/s", "set solver=accpar fusion=off bandwidth=100MB/s", "set solver=dp fusion=off bandwidth=10MB/s",
		"set solver=mp fusion=off bandwidth=25GB/s comm_model=figures" };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++) {
			char line[64];
			struct study *study;
			const struct results *r;
			struct row_exchanges *rows;
			struct plan_request request;
			struct prices prices;

			snprintf(line, sizeof line, "load %s", models[i]);
			study = study_with(line, edits[k]);
			for (int full = 0; full < 2; full++) {
				double seconds = whole(study, full ? "full" : "gradient"), least;

				r = study_results(study);
				request = request_of(study_document(study), NULL);
				prices = request_link_prices(study_document(study), &r->topology);
				rows = memory_alloc((size_t)r->model->count, sizeof *rows);
				exchanges_of_rows(r->problem, &request, &prices, r->plan, rows);
				least = longest_path(r, rows, !full);
				if (seconds < least * (1 - 1e-9))
					fail_msg("%s, %s, overlap=%s: %g s, though its longest path takes %g", models[i], edits[k], full ? "full" : "gradient", seconds, least);
				memory_free(rows);
			}
			study_free(study);
		}
}

/* A chain of linear layers, all dp, on one tensor core: backward work goes from the last layer to the first, and each layer's gradients queue for the
 * links as soon as they are there. */
static void gradients_of_a_chain_queue_behind_the_backward_work(void **state)
{
	struct study *study = study_with("load sfc", "set solver=dp overlap=gradient fusion=off");
	const struct results *r;
	double free_at = 0;

	(void)state;
	study_settle(study, NULL);
	r = study_results(study);
	assert_int_equal(r->overlapped->count, 4);
	for (int e = 0; e < 4; e++) {
		const struct overlap_exchange *x = &r->overlapped->exchanges[e];

		assert_int_equal(x->row, 3 - e);
		assert_true(x->start >= free_at);
		free_at = x->end;
	}
	/* the last exchange ends the step, but for its layer's update */
	assert_true(free_at <= r->step_s && r->step_s - free_at < 0.01 * r->step_s);
	study_free(study);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_sum_up_to_the_levels),
		cmocka_unit_test(what_hides_makes_the_step_no_longer),
		cmocka_unit_test(exchanges_are_waited_for),
		cmocka_unit_test(gradients_of_a_chain_queue_behind_the_backward_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
