/* The dials of the accelerator: what they say and set is what a step with them shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "study/preset.h"
#include "tests/unit/study_help.h"

/* What study_idle says of a knob is what turning it shows: the step changes by less than a part in a thousand, or by more. */
static void idle_knobs_are_idle(void **state)
{
	static const char *const starts[] = {
		"set accelerator=tpuv2", "set accelerator=nvdla batch=16", "set accelerator=hmc hbm_bw=20MB/s", "set accelerator=wham-base tc=1 vc=1", "set glb=64B accelerators=2",
	};
	struct study *study = study_new();
	int idle = 0, alive = 0;

	(void)state;
	must_run(study, "load lenet-c");
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		must_run(study, starts[i]);
		for (int id = PARAMETER_TC; id <= PARAMETER_DATAFLOW; id++) {
			const char *why = study_idle(study, (enum parameter_id)id);
			double now = study_update(study)->step->schedule.makespan, change = 0, value = study_value(study, (enum parameter_id)id);

			/* what fits is another question */
			if (id == PARAMETER_HBM)
				continue;

			for (int direction = 0; direction < 2; direction++) {
				const struct results *r;
				char line[64];

				snprintf(line, sizeof line, "step %s %c", parameter_at((enum parameter_id)id)->name, direction ? '+' : '-');
				must_run(study, line);
				r = study_update(study);
				change = fmax(change, r->step != NULL ? fabs(r->step->schedule.makespan - now) / now : 1);
				if (study_value(study, (enum parameter_id)id) != value)
					must_run(study, "undo");
			}
			if ((why == NULL) != (change >= 1e-3))
				fail_msg("%s: %s changes the step by %g, said: %s", starts[i], parameter_at((enum parameter_id)id)->name, change, why != NULL ? why : "nothing");
			idle += why != NULL;
			alive += why == NULL;
		}
	}
	assert_true(idle >= 5 && alive >= 10);
	study_free(study);
}

/* A preset sets all of its parameters, what follows in the same line is set on top, and an accelerator of a file is one more preset. */
static void presets_set_the_rest(void **state)
{
	static const char rows[] = "name,kind,tc,tc_rows,tc_cols,vc,vc_lanes,glb [B],memory [GiB],bandwidth [GB/s],clock [GHz],dataflow,precision,mac [pJ],die [mm2],source\n"
		"mine,systolic,2,4,4,1,8,65536,1,1,1,os,fp32,4.6,3,ours\n";
	struct study *study = study_new();
	char line[256], own_file[] = "/tmp/whypar-own-XXXXXX";
	int file = mkstemp(own_file);

	(void)state;
	assert_true(file >= 0 && write(file, rows, sizeof rows - 1) == (ssize_t)sizeof rows - 1 && close(file) == 0);
	must_run(study, "load lenet-c");
	must_run(study, "set tc=7 accelerator=tpuv3 vc=3");
	assert_true(study_value(study, PARAMETER_TC) == 4 && study_value(study, PARAMETER_VC) == 3 && study_value(study, PARAMETER_GLB) == 33554432);
	assert_true(study_update(study)->machine.tc == 4 && study_results(study)->machine.vc == 3);
	must_run(study, "undo");
	assert_true(study_value(study, PARAMETER_TC) == 1 && study_value(study, PARAMETER_GLB) == 110592);
	snprintf(line, sizeof line, "accelerator \"%s\"", own_file);
	must_run(study, line);
	assert_string_equal(study_update(study)->accelerator->name, "mine");
	assert_true(study_value(study, PARAMETER_TC_ROWS) == 4 && study_results(study)->die_mm2 == 3);
	must_run(study, "set accelerator=hmc");
	must_run(study, "set accelerator=own");
	assert_string_equal(study_update(study)->accelerator->name, "mine");
	unlink(own_file);
	study_free(study);
}

/* The parameter table's words and numbers are those of data/accelerators.csv. */
static void the_parameter_table_has_the_presets(void **state)
{
	struct study *study = study_new();
	const struct accelerators *list = study_accelerators(study);
	const struct parameter *p = parameter_at(PARAMETER_ACCELERATOR);
	double values[PARAMETER_COUNT];

	(void)state;
	assert_int_equal(list->count, (size_t)p->maximum);
	for (size_t i = 0; i < list->count; i++)
		assert_string_equal(list->items[i].name, p->choices[i]);
	preset_apply(&list->items[(int)p->standard], values);
	for (int id = 0; id < PARAMETER_COUNT; id++)
		if (parameter_of_preset((enum parameter_id)id))
			assert_true(values[id] == parameter_at((enum parameter_id)id)->standard);
	study_free(study);
}

/* An accelerator takes no more power in a step than it can at most, whatever its tensors hold: a wider format is computed in its own.  Where
 * operators share the memory (warned of) the schedule is too short to tell. */
static void power_holds_for_the_energy(void **state)
{
	static const char *const models[] = { "load vgg-a", "load resnet18" };
	struct study *study = study_new();
	int compared = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		must_run(study, models[i]);
		must_run(study, "set accelerators=1 batch=32");
		for (int preset = 0; preset < (int)parameter_at(PARAMETER_ACCELERATOR)->maximum; preset++)
			for (int format = 0; format < FORMAT_COUNT; format++) {
				const struct results *r;
				char line[96];

				snprintf(line, sizeof line, "set accelerator=%s precision=%s", parameter_at(PARAMETER_ACCELERATOR)->choices[preset],
					format_at((enum number_format)format)->name);
				must_run(study, line);
				r = study_update(study);
				if (r->accelerator->kind == ACCELERATOR_GPU || r->step->work.memory_bytes > r->machine.hbm_bw * r->step->schedule.makespan)
					continue;
				if (r->energy_j / r->step->schedule.makespan > r->power.total)
					fail_msg("%s: %g W of %g", line, r->energy_j / r->step->schedule.makespan, r->power.total);
				compared++;
			}
	}
	assert_true(compared > 30);
	study_free(study);
}

/* One more core, asked of a step, is what the dial shows, for the step and for each operator, whether or not fusion pays with it. */
static void one_more_core_is_what_the_dial_shows(void **state)
{
	static const char *const lines[] = { "load lenet-c", "load resnet18", "set tc=3 vc=2", "load mobilenet-v2", "set accelerator=tpuv2", "load sfc", "set vc=3" };
	struct study *study = study_new();

	(void)state;
	must_run(study, "set accelerators=1 batch=32 accelerator=wham-base");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		for (enum resource r = RESOURCE_TC; r <= RESOURCE_VC; r++) {
			static const char *const names[] = { "tc", "vc" };
			const struct whatif *w;
			double saves, *node_saves, before, *ends;
			char line[64];
			int count;

			must_run(study, r == RESOURCE_TC ? lines[i] : "set batch=32");
			w = study_whatif(study);
			count = study_results(study)->step->node_count;
			node_saves = calloc((size_t)count, sizeof *node_saves);
			ends = calloc((size_t)count, sizeof *ends);
			for (int node = 0; node < count; node++) {
				node_saves[node] = whatif_node_saves(w, study_results(study)->step, node, r);
				ends[node] = step_node_end(study_results(study)->step, node);
			}
			saves = whatif_saves(w, study_results(study)->step, r);
			before = study_results(study)->step->schedule.makespan;
			snprintf(line, sizeof line, "set %s=%.0f", names[r], study_document(study)->values[r == RESOURCE_TC ? PARAMETER_TC : PARAMETER_VC] + 1);
			must_run(study, line);
			study_update(study);
			assert_true(before - study_results(study)->step->schedule.makespan == saves);
			for (int node = 0; node < count; node++)
				assert_true(ends[node] - step_node_end(study_results(study)->step, node) == node_saves[node]);
			free(node_saves);
			free(ends);
			must_run(study, "undo");
		}
	study_free(study);
}

/* The whole step: computing, then what each level exchanges; by HyPar's figures all pairs one after another, twice as long on a torus. */
static void the_whole_step_has_its_exchanges(void **state)
{
	struct study *study = study_new();
	const struct results *r;
	double sum = 0, computing, tree;

	(void)state;
	must_run(study, "load vgg-a");
	must_run(study, "set comm_model=figures mp_output=pooled");
	r = study_update(study);
	computing = r->step->schedule.makespan;
	for (int h = 0; h < 4; h++) {
		/* one pair's bytes in one direction, over one link of the tree */
		assert_true(fabs(exchange_seconds(&r->level_exchange[h]) / (r->plan->level[h].per_pair * 4 / 0.25e9) - 1) < 1e-12);
		sum += exchange_seconds(&r->level_exchange[h]);
	}
	assert_true(r->comm_s == sum && r->step_s == computing + sum);
	must_run(study, "set topology=htree:16@0.5GB/s,1us");
	assert_true(study_update(study)->comm_s < sum && study_results(study)->comm_s > sum / 2);
	assert_non_null(study_idle(study, PARAMETER_BANDWIDTH));
	must_run(study, "set topology=htree comm_time=figures energy=figures");
	r = study_update(study);
	tree = r->comm_s;
	/* Fig. 8: 1.47 GB */
	assert_true(fabs(tree - 1.46872e9 / 0.25e9) < 1e-3 && r->step_s == computing + tree);
	assert_true(isnan(r->energy.sram) && fabs(r->energy_j - r->energy.compute - r->energy.dram - r->link_j) < 1e-9);
	must_run(study, "set topology=torus");
	assert_true(study_update(study)->comm_s == 2 * tree);
	must_run(study, "set topology=ring:8");
	r = study_update(study);
	assert_true(isnan(r->comm_s) && isnan(r->step_s) && r->topology.count == 0);
	assert_non_null(strstr(r->topology_trouble, "joins 8, and there are 16"));
	must_run(study, "set accelerators=8");
	assert_false(isnan(study_update(study)->step_s));
	must_run(study, "set accelerators=1 topology=htree");
	assert_true(study_update(study)->comm_s == 0);
	assert_non_null(study_idle(study, PARAMETER_LATENCY));
	study_free(study);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_knobs_are_idle),
		cmocka_unit_test(the_whole_step_has_its_exchanges),
		cmocka_unit_test(one_more_core_is_what_the_dial_shows),
		cmocka_unit_test(power_holds_for_the_energy),
		cmocka_unit_test(presets_set_the_rest),
		cmocka_unit_test(the_parameter_table_has_the_presets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
