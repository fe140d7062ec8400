/* A model as layers for the split: their times, weights and edges are those of its rows and of its step. */
#include "study/staged.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/study_help.h"

static void layers_are_the_rows_and_their_times(void **state)
{
	static const char *const models[] = { "vgg-a", "resnet18", "googlenet", "bert-base", "mobilenet-v2" };

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		char line[64];
		struct study *study;
		const struct results *r;
		struct profile_limits limits = { .set = { false } };
		struct staging_problem p;
		struct staging s;
		struct diagnostic d;
		double times = 0, weights = 0, all = 0;

		snprintf(line, sizeof line, "load %s", models[i]);
		study = study_with(line, "set accelerators=1 batch=4 accelerator=tpuv3");
		study_settle(study, NULL);
		r = study_results(study);
		if (staged_problem(study, &limits, &p, &d) != STATUS_OK)
			fail_msg("%s", d.text);
		for (int node = 0; node < r->step->node_count; node++)
			times += r->training->nodes[node].pass == PASS_UPDATE ? 0 : r->step->nodes[node].seconds;
		for (int layer = 0; layer < p.layer_count; layer++) {
			all += p.graphs[0].layers[layer].forward + p.graphs[0].layers[layer].backward;
			weights += p.graphs[0].layers[layer].weights;
			assert_non_null(p.graphs[0].layers[layer].name);
		}
		assert_true(fabs(all / times - 1) < 1e-12 && weights == 4.0 * (double)r->model->params);
		assert_true(p.layer_count <= r->model->count && p.layer_count >= r->model->layers);
		for (int e = 0; e < p.graphs[0].edge_count; e++) {
			const struct staging_edge *edge = &p.graphs[0].edges[e];

			assert_true(edge->from < edge->to && edge->bytes > 0);
			assert_true(e == 0 || edge[-1].to < edge->to || (edge[-1].to == edge->to && edge[-1].from < edge->from));
		}
		/* with links that cost nothing the longest stage is no longer than all, and no shorter than its part */
		p.bandwidth = 1e18;
		p.devices = 4;
		assert_int_equal(staging_solve(&p, &s, &d), STATUS_OK);
		assert_true(s.feasible && s.max_load <= times * (1 + 1e-9) && s.max_load >= times / s.stage_count * (1 - 1e-9));
		staging_free(&s);
		staging_problem_free(&p);
		study_free(study);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_are_the_rows_and_their_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
