/* Communication totals and partitions against the reference rows, where the shared folder is at hand. */
#include "partition/solve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reference.h"

static double solve_total(const struct model *m, const struct plan_request *q, char *partition)
{
	struct problem *p = problem_new(m);
	struct search *s = search_new(p);
	struct plan *plan = search_plan(s, q, NULL);
	double elements = plan->elements;

	assert_true(plan->exact);
	for (int h = 1; h <= q->levels && partition != NULL; h++) {
		if (h > 1)
			*partition++ = '|';
		for (int row = 0; row < plan->rows; row++)
			if (plan_state(plan, row, h) != NO_STATE)
				*partition++ = (char)('0' + plan_state(plan, row, h));
	}
	if (partition != NULL)
		*partition = '\0';
	plan_free(plan);
	search_free(s);
	problem_release(p);
	return elements;
}

static int log2_of(int n)
{
	int levels = 0;

	while (1 << levels < n)
		levels++;
	return levels;
}

static void hypar_totals_and_partitions(void **state)
{
	static const struct { const char *theirs, *ours; } names[] = {
		{ "SFC", "sfc" }, { "SCONV", "sconv" }, { "Lenet-c", "lenet-c" }, { "Cifar-c", "cifar-c" }, { "AlexNet", "alexnet-hypar" },
		{ "VGG-A", "vgg-a" }, { "VGG-B", "vgg-b" }, { "VGG-C", "vgg-c" }, { "VGG-D", "vgg-d" }, { "VGG-E", "vgg-e" },
	};
	static const struct { const char *name; enum solver solver; int types; } strategies[] = {
		{ "DP", SOLVER_DP, 2 }, { "MP", SOLVER_MP, 2 }, { "OWT", SOLVER_OWT, 2 }, { "HYPAR", SOLVER_HYPAR, 2 },
		{ "JOINT2", SOLVER_JOINT, 2 }, { "ACCPAR", SOLVER_ACCPAR, 3 }, { "JOINT3", SOLVER_JOINT, 3 },
	};
	FILE *file = shared_open("golden/hypar_totals.csv");
	char line[4096], *cells[10], partition[1024];
	int rows = 0;

	(void)state;
	if (file == NULL)
		skip();
	assert_non_null(fgets(line, sizeof line, file));
	while (fgets(line, sizeof line, file) != NULL && split_line(line, cells, 10) == 10) {
		struct plan_request q = { .batch = atof(cells[2]), .levels = atoi(cells[4]), .pooled = true };
		struct model *m = NULL;
		double elements;

		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (strcmp(names[i].theirs, cells[0]) == 0)
				m = load_reference(names[i].ours);
		for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
			if (strcmp(strategies[i].name, cells[3]) == 0) {
				q.solver = strategies[i].solver;
				q.types = strategies[i].types;
			}
		q.comm_model = strcmp(cells[1], "fig") == 0 ? COMM_FIGURES : COMM_PRINTED;
		elements = solve_total(m, &q, partition);
		if (fabs(elements - atof(cells[6])) > 1e-9 * elements)
			fail_msg("%s %s %s H=%s: %.17g, want %s", cells[0], cells[1], cells[3], cells[4], elements, cells[6]);
		if (q.solver != SOLVER_JOINT)
			assert_string_equal(partition, cells[9]);
		model_free(m);
		rows++;
	}
	fclose(file);
	assert_true(rows > 300);
}

static void graph_totals(void **state)
{
	FILE *file = shared_open("golden/graph_totals.csv");
	char line[4096], *cells[8], name[128];
	int rows = 0;

	(void)state;
	if (file == NULL)
		skip();
	assert_non_null(fgets(line, sizeof line, file));
	while (fgets(line, sizeof line, file) != NULL && split_line(line, cells, 8) == 8) {
		struct plan_request q = { .batch = atof(cells[1]), .levels = log2_of(atoi(cells[2])), .types = atoi(cells[5]) };
		struct model *m;
		double elements;

		snprintf(name, sizeof name, "golden/graphs/%s", cells[0]);
		m = load_reference(shared_path(name));
		q.comm_model = strcmp(cells[3], "figures") == 0 ? COMM_FIGURES : COMM_PRINTED;
		q.pooled = strcmp(cells[4], "pooled") == 0;
		q.solver = strcmp(cells[6], "joint") == 0 ? SOLVER_JOINT : strcmp(cells[6], "accpar") == 0 ? SOLVER_ACCPAR : SOLVER_HYPAR;
		elements = solve_total(m, &q, NULL);
		if (fabs(elements - atof(cells[7])) > 1e-9 * elements)
			fail_msg("%s batch %s N=%s %s %s types %s %s: %.17g, want %s", cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], elements, cells[7]);
		model_free(m);
		rows++;
	}
	fclose(file);
	assert_true(rows > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hypar_totals_and_partitions),
		cmocka_unit_test(graph_totals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
