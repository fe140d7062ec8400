/* Papers' numbers beside ours: what is called reproduced is, what is not stays listed, and the rules by hand. */
#include "partition/figures.h"
#include "report/reproduce.h"
#include "study/study.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reference.h"

/* fc 70 to 100 with a batch of 32: 3 x 32 x 7000 MACs, 16 accelerators of 42 GMAC/s, 0.25 GB/s. */
static void the_rules_by_hand(void **state)
{
	static const char rows[] = "name,kind,in_ch,out_ch\nfc,linear,70,100\n";
	struct model *m;
	struct diagnostic d;
	struct figures_work w;

	(void)state;
	assert_int_equal(model_load_bytes("t.csv", rows, sizeof rows - 1, &m, NULL, &d), STATUS_OK);
	w = figures_work(m, 32);
	assert_true(w.macs == 672000 && w.weights == 7000 && w.inputs == 2240 && w.outputs == 3200);
	assert_true(fabs(figures_seconds(&w, 16, 7000, false) / (672000 / (16 * 42e9) + 56000 / 0.25e9) - 1) < 1e-12);
	assert_true(fabs(figures_seconds(&w, 16, 7000, true) / (672000 / (16 * 42e9) + 112000 / 0.25e9) - 1) < 1e-12);
	assert_true(fabs(figures_joules(&w, 7000) / (4.6e-12 * 672000 + 1920e-12 * 12440 + 5950e-12 * 7000) - 1) < 1e-12);
	model_free(m);
}

static void only_what_is_near_is_reproduced(void **state)
{
	static const struct { const char *theirs; double ours, within; bool reproduced; } cases[] = {
		{ "2", 2.019, 0.01, true }, { "2", 2.021, 0.01, false }, { "2", 1.979, 0.01, false }, { "2", 1.98, 0.01, true }, { "2", NAN, 1, false },
		{ "0", 0, 0.01, true }, { "0", 1e-9, 0.01, false }, { ">10", 10.1, 0, true }, { ">10", 9.9, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct reproduced row = { .theirs_text = cases[i].theirs, .theirs = cases[i].theirs[0] == '>' ? NAN : strtod(cases[i].theirs, NULL), .ours = cases[i].ours };

		reproduced_judge(&row, cases[i].within);
		assert_int_equal(row.reproduced, cases[i].reproduced);
	}
}

/* Every figure, by the counts and means that were found; what is known not to reproduce must not begin to by itself. */
static void the_figures_of_hypar(void **state)
{
	static const struct { const char *source; int rows, reproduced; } figures[] = {
		{ "Fig. 5", 10, 10 }, { "Fig. 6", 33, 22 }, { "Fig. 7", 22, 12 }, { "Fig. 8", 33, 21 }, { "Fig. 10", 2, 1 }, { "Fig. 11", 28, 28 }, { "Fig. 12", 11, 11 }, { "Fig. 13", 14, 13 },
	};
	static const struct { const char *quantity; double theirs; } means[] = {
		{ "hypar gain", 3.39 }, { "torus gain, bar read", 2.23 }, { "gain over the trick", 1.62 }, { "hypar energy efficiency", 1.51 }, { "energy over the trick", 1.22 },
	};
	struct reproduction r;
	struct diagnostic d;

	(void)state;
	if (reproduce_hypar(&r, &d) != STATUS_OK)
		fail_msg("%s", d.text);
	for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
		int rows = 0, reproduced = 0;

		for (size_t i = 0; i < r.count; i++)
			if (strcmp(r.rows[i].source, figures[f].source) == 0) {
				rows++;
				reproduced += r.rows[i].reproduced;
				assert_true(r.rows[i].reproduced || r.rows[i].note[0] != '\0');
			}
		assert_int_equal(rows, figures[f].rows);
		assert_int_equal(reproduced, figures[f].reproduced);
	}
	for (size_t k = 0; k < sizeof means / sizeof *means; k++) {
		bool found = false;

		for (size_t i = 0; i < r.count; i++)
			if (strcmp(r.rows[i].item, "gmean") == 0 && strcmp(r.rows[i].quantity, means[k].quantity) == 0) {
				found = true;
				assert_true(r.rows[i].theirs == means[k].theirs && fabs(r.rows[i].ours / means[k].theirs - 1) <= 0.005);
			}
		assert_true(found);
	}
	reproduction_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rules_by_hand),
		cmocka_unit_test(only_what_is_near_is_reproduced),
		cmocka_unit_test(the_figures_of_hypar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
