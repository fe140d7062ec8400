/* The cut of a chain into stages of unlike kinds against every cut there is. */
#include "pipeline/line.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"

enum { LAYERS = 9, STAGES = 4 };

struct drawn {
	double seconds[STAGES][LAYERS];
	const double *of[STAGES];
	int starts[STAGES * 2];
	struct line line;
};

static void draw(struct random *r, struct drawn *d)
{
	bool alike = random_below(r, 2);

	d->line = (struct line){ .layers = 1 + (int)random_below(r, LAYERS), .stages = 1 + (int)random_below(r, STAGES), .chunks = 1 + (int)random_below(r, 2), .seconds = d->of, .starts = d->starts };
	for (int s = 0; s < STAGES; s++) {
		d->of[s] = d->seconds[alike ? 0 : s];
		for (int i = 0; i < LAYERS; i++)      /* some layers take no time, some the same */
			d->seconds[s][i] = (double)random_below(r, 4);
	}
	for (int k = 0; k < STAGES * 2; k++)
		d->starts[k] = random_below(r, 5) == 0 ? (int)random_below(r, LAYERS) : -1;
}

static double longest_of(const struct line *line, const int *first)
{
	double longest = 0;

	for (int k = 0; k < line->stages * line->chunks; k++) {
		double sum = 0;

		for (int i = first[k]; i < first[k + 1]; i++)
			sum += line->seconds[k % line->stages][i];
		longest = fmax(longest, sum);
	}
	return longest;
}

static bool allowed(const struct line *line, const int *first)
{
	for (int k = 0; k < line->stages * line->chunks; k++)
		if (first[k + 1] <= first[k] || (line->starts[k] >= 0 && line->starts[k] != first[k]))
			return false;
	return true;
}

/* Every cut, as digits: where each virtual stage but the first begins. */
static double brute_force(const struct line *line)
{
	int count = line->stages * line->chunks, first[STAGES * 2 + 1] = { 0 };
	double least = INFINITY;

	for (;;) {
		int k = 1;

		first[count] = line->layers;
		if (allowed(line, first))
			least = fmin(least, longest_of(line, first));
		while (k < count && ++first[k] >= line->layers)
			first[k++] = 0;
		if (k >= count)
			return least;
	}
}

static void the_cut_is_the_best_of_all(void **state)
{
	struct random r = { 5 };
	int possible = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct drawn d;
		int first[STAGES * 2 + 1];
		double least;
		struct diagnostic why = { .text = "" };
		enum status status;

		draw(&r, &d);
		if (d.line.stages * d.line.chunks > 5)
			continue;
		least = brute_force(&d.line);
		status = line_split(&d.line, first, &why);
		assert_int_equal(status == STATUS_OK, isfinite(least));
		if (status != STATUS_OK) {
			assert_true(strstr(why.text, "stage") != NULL);
			continue;
		}
		assert_true(allowed(&d.line, first));
		assert_true(longest_of(&d.line, first) == least);
		possible++;
	}
	assert_true(possible > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cut_is_the_best_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
