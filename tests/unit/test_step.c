/* Training graphs and their steps: what every graph must obey, and what is known of a few by hand. */
#include "base/memory.h"
#include "schedule/exact.h"
#include "schedule/step.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/random_model.h"
#include "tests/unit/reference.h"

static struct machine test_machine(int64_t tc, int64_t vc)
{
	return (struct machine){ .tc = tc, .tc_rows = 32, .tc_cols = 32, .dataflow = DATAFLOW_WS, .vc = vc, .vc_lanes = 32, .glb = 1 << 20,
		.hbm = 1e9, .hbm_bw = 1e11, .clock = 1e9, .element_bytes = 2, .mac_j = 1e-12 };
}

static struct step *make(const struct training *t, const struct machine *machine, bool fusion, int64_t batch)
{
	struct share *shares = memory_alloc((size_t)t->model->count, sizeof *shares);
	struct step_request request = { .machine = machine, .shares = shares, .optimizer = OPTIMIZER_SGD, .fusion = fusion };
	struct step *step;
	struct diagnostic d;

	for (int row = 0; row < t->model->count; row++)
		shares[row] = share_whole(&t->model->operators[row], batch);
	if (step_new(t, &request, &step, &d) != STATUS_OK)
		fail_msg("%s: %s", t->model->name, d.text);
	memory_free(shares);
	return step;
}

static int find_node(const struct training *t, const char *name, enum pass pass)
{
	char text[600];

	for (int node = 0; node < t->count; node++) {
		training_name(t, node, text, sizeof text);
		if (strcmp(text, name) == 0 && t->nodes[node].pass == pass)
			return node;
	}
	return -1;
}

static bool waits_for(const struct training *t, int node, int input)
{
	for (int i = 0; i < t->nodes[node].input_count; i++)
		if (t->inputs[t->nodes[node].first_input + i] == input)
			return true;
	return false;
}

static void inputs_come_before_their_users(void **state)
{
	struct random r = { 31 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct model *m = random_model(&r, 1 + (int)random_below(&r, 20), round % 3 == 0);
		struct training *t = training_new(m);
		int updates = 0, gradients = 0;

		for (int node = 0; node < t->count; node++) {
			updates += t->nodes[node].pass == PASS_UPDATE;
			gradients += t->nodes[node].pass == PASS_BWD_WEIGHT;
			for (int i = 0; i < t->nodes[node].input_count; i++)
				assert_true(t->inputs[t->nodes[node].first_input + i] >= 0 && t->inputs[t->nodes[node].first_input + i] < node);
		}
		/* every layer that the loss can reach learns: here all rows lie on a path to the end */
		assert_int_equal(updates, gradients);
		assert_in_range(updates, 1, m->layers);
		training_free(t);
		model_free(m);
	}
}

/* VGG-A is a bare table: relu behind every layer but the last, a pool where the file has one, one loss; no error for the picture. */
static void a_bare_chain_gets_its_mirror(void **state)
{
	struct model *m = load_reference("vgg-a");
	struct training *t = training_new(m);
	int counts[PASS_COUNT] = { 0 };

	(void)state;
	assert_true(t->bare);
	for (int node = 0; node < t->count; node++)
		counts[t->nodes[node].pass]++;
	/* 11 layers, 10 relus, 5 pools */
	assert_int_equal(counts[PASS_FWD], 26);
	assert_int_equal(counts[PASS_LOSS], 1);
	assert_int_equal(counts[PASS_BWD_WEIGHT], 11);
	assert_int_equal(counts[PASS_UPDATE], 11);
	assert_int_equal(counts[PASS_BWD_DATA], 10 + 10 + 5);
	assert_int_equal(find_node(t, "conv1_1", PASS_BWD_DATA), -1);
	assert_true(waits_for(t, find_node(t, "conv2_1", PASS_FWD), find_node(t, "conv1_1.pool", PASS_FWD)));
	assert_true(waits_for(t, find_node(t, "fc3", PASS_BWD_WEIGHT), find_node(t, "loss", PASS_LOSS)));
	assert_true(waits_for(t, find_node(t, "fc2.relu", PASS_BWD_DATA), find_node(t, "fc3", PASS_BWD_DATA)));
	assert_true(waits_for(t, find_node(t, "conv2_1", PASS_UPDATE), find_node(t, "conv2_1", PASS_BWD_WEIGHT)));
	training_free(t);
	model_free(m);
}

/* What a residual block forks forward is summed backward. */
static void forks_are_summed_backward(void **state)
{
	struct model *m = load_reference("resnet18");
	struct training *t = training_new(m);
	int sum = find_node(t, "pool1.sum", PASS_BWD_DATA);

	(void)state;
	assert_false(t->bare);
	assert_in_range(sum, 0, t->count);
	assert_int_equal(t->nodes[sum].branches, 2);
	assert_int_equal(t->nodes[sum].input_count, 2);
	assert_true(waits_for(t, find_node(t, "pool1", PASS_BWD_DATA), sum));
	training_free(t);
	model_free(m);
}

/* A declared loss that leaves outputs unread waits for them too: nothing runs backward before it ran forward. */
static void the_loss_waits_for_all_outputs(void **state)
{
	static const char rows[] = "name,kind,inputs,in_ch,out_ch\nc,linear,-,64,64\nbig,linear,c,64,8192\nd,linear,c,64,600\nl,loss,d,,\nd2,linear,c,64,40\n";
	struct model *m;
	struct training *t;
	struct diagnostic d;
	int loss;

	(void)state;
	assert_int_equal(model_load_bytes("t.csv", rows, sizeof rows - 1, &m, NULL, &d), STATUS_OK);
	assert_int_equal(m->problems.total, 2);
	t = training_new(m);
	loss = find_node(t, "l", PASS_LOSS);
	assert_true(waits_for(t, loss, find_node(t, "d", PASS_FWD)) && waits_for(t, loss, find_node(t, "big", PASS_FWD)) && waits_for(t, loss, find_node(t, "d2", PASS_FWD)));
	assert_true(waits_for(t, find_node(t, "d2", PASS_BWD_WEIGHT), loss) && waits_for(t, find_node(t, "big", PASS_BWD_DATA), loss));
	assert_int_equal(find_node(t, "loss", PASS_LOSS), -1);
	training_free(t);
	model_free(m);
}

/* Of two losses each works on its own output; the last waits for the other. */
static void losses_work_once(void **state)
{
	static const char rows[] = "name,kind,inputs,in_ch,out_ch\nc,linear,-,64,64\na,linear,c,64,100\nb,linear,c,64,10\nl1,loss,a,,\nl2,loss,b,,\n";
	struct machine machine = test_machine(1, 1);
	struct model *m;
	struct training *t;
	struct step *s;
	struct diagnostic d;

	(void)state;
	assert_int_equal(model_load_bytes("t.csv", rows, sizeof rows - 1, &m, NULL, &d), STATUS_OK);
	assert_int_equal(m->problems.total, 0);
	t = training_new(m);
	s = make(t, &machine, false, 8);
	assert_true(waits_for(t, find_node(t, "l2", PASS_LOSS), find_node(t, "l1", PASS_LOSS)));
	assert_true(s->nodes[find_node(t, "l1", PASS_LOSS)].elements == 800 && s->nodes[find_node(t, "l2", PASS_LOSS)].elements == 80);
	step_free(s);
	training_free(t);
	model_free(m);
}

/* MODELS 3.1: forward and weight gradient have equal MACs; ResNet-18 has 1 814 073 344 forward. */
static void passes_have_equal_macs(void **state)
{
	struct model *m = load_reference("resnet18");
	struct training *t = training_new(m);
	struct machine machine = test_machine(1, 1);
	struct step *s = make(t, &machine, false, 1);
	double macs[PASS_COUNT] = { 0 };

	(void)state;
	for (int node = 0; node < t->count; node++)
		macs[t->nodes[node].pass] += s->nodes[node].timing.macs;
	assert_true(macs[PASS_FWD] == 1814073344.0);
	assert_true(macs[PASS_BWD_WEIGHT] == macs[PASS_FWD]);
	/* all but the first convolution's */
	assert_true(macs[PASS_BWD_DATA] == macs[PASS_FWD] - 118013952.0);
	step_free(s);
	training_free(t);
	model_free(m);
}

/* Dependencies hold, no core does two things at once, and the bounds bound. */
static void check_step(const struct training *t, const struct step *s)
{
	const double slack = 1e-9 * s->schedule.makespan;

	assert_true(s->schedule.makespan >= s->bounds.makespan - slack);
	for (int i = 0; i < s->task_count; i++) {
		const struct placing *p = &s->schedule.tasks[i];
		const struct task_bounds *b = &s->bounds.tasks[i];

		assert_true(fabs(p->end - p->start - s->tasks[i].seconds) <= slack);
		assert_true(p->start >= b->asap - slack && b->alap - b->asap >= -slack);
		for (int k = s->graph.first_input[i]; k < s->graph.first_input[i + 1]; k++) {
			assert_true(s->graph.inputs[k] < i);
			assert_true(s->schedule.tasks[s->graph.inputs[k]].end <= p->start + slack);
			assert_true(s->bounds.tasks[s->graph.inputs[k]].asap + s->tasks[s->graph.inputs[k]].seconds <= b->asap + slack);
		}
		for (int j = 0; j < i; j++)
			for (int resource = 0; resource < RESOURCE_COUNT; resource++) {
				const struct placing *q = &s->schedule.tasks[j];
				bool shared = p->core[resource] != CORE_UNUSED && q->core[resource] != CORE_UNUSED &&
					(p->core[resource] == q->core[resource] || p->core[resource] == CORE_ALL || q->core[resource] == CORE_ALL);

				assert_true(!shared || p->end <= q->start + slack || q->end <= p->start + slack);
			}
	}
	for (int node = 0; node < t->count; node++)
		assert_in_range(s->nodes[node].task, 0, s->task_count - 1);
}

static void steps_obey_their_graph(void **state)
{
	static const char *const models[] = { "vgg-a", "resnet18", "mobilenet-v2", "googlenet", "bert-base" };

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct model *m = load_reference(models[i]);
		struct training *t = training_new(m);

		for (int round = 0; round < 4; round++) {
			struct machine machine = test_machine(round % 2 ? 4 : 1, round % 2 ? 2 : 1);
			struct step *s = make(t, &machine, round < 2, 4);

			check_step(t, s);
			step_free(s);
		}
		training_free(t);
		model_free(m);
	}
}

/* What is fused has its head's task, and no step is longer for it, however busy either kind of core is. */
static void fusion_only_ever_helps(void **state)
{
	static const char *const names[] = { "sfc", "lenet-c", "mobilenet-v2", "googlenet", "bert-base" };
	int fused = 0, shorter = 0;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct model *m = load_reference(names[i]);
		struct training *t = training_new(m);

		for (int round = 0; round < 12; round++) {
			struct machine machine = test_machine(1 + round % 3, 1 + round % 2);
			struct step *with, *without;

			machine.hbm_bw *= round < 6 ? 0.1 : 10;
			machine.vc_lanes *= 1 + 7 * (round % 4 == 0);
			with = make(t, &machine, true, 8);
			without = make(t, &machine, false, 8);
			assert_int_equal(without->task_count, t->count);
			assert_true(with->schedule.makespan <= (1.02 + 1e-9) * without->schedule.makespan);
			shorter += with->schedule.makespan < without->schedule.makespan;
			for (int node = 0; node < t->count; node++)
				if (with->nodes[node].taken_by >= 0) {
					fused++;
					assert_int_equal(with->nodes[node].task, with->nodes[with->nodes[node].taken_by].task);
				}
			step_free(with);
			step_free(without);
		}
		training_free(t);
		model_free(m);
	}
	assert_true(fused > 1000 && shorter > 30);
}

/* Vector work is dealt out by elements, each for all of its cycles: 80 weights take 2 cycles on 128 lanes, and on ten times as many. */
static void vector_work_spreads_by_elements(void **state)
{
	static const char rows[] = "name,kind,in_ch,in_h,out_ch\nr0,linear,8,128,10\nr1,linear,10,128,8\n";
	struct model *m;
	struct diagnostic d;

	(void)state;
	assert_int_equal(model_load_bytes("t.csv", rows, sizeof rows - 1, &m, NULL, &d), STATUS_OK);
	for (int vc = 1; vc <= 10; vc += 3) {
		struct training *t = training_new(m);
		struct machine machine = test_machine(1, vc);
		struct step *s;
		int update = find_node(t, "r1", PASS_UPDATE), relu = find_node(t, "r0.relu", PASS_FWD);

		machine.vc_lanes = 128;
		machine.hbm_bw = 1e15;
		s = make(t, &machine, false, 100);
		assert_true(s->tasks[s->nodes[update].task].seconds == 2 / machine.clock);
		/* 128 000 elements, one cycle each */
		assert_true(fabs(s->tasks[s->nodes[relu].task].seconds * machine.clock - ceil(128000 / (128.0 * vc))) < 1e-6);
		step_free(s);
		training_free(t);
	}
	model_free(m);
}

static void a_buffer_without_room_for_a_tile_is_refused(void **state)
{
	struct model *m = load_reference("lenet-c");
	struct training *t = training_new(m);
	struct machine machine = test_machine(1, 1);
	struct share shares[8];
	struct step_request request = { .machine = &machine, .shares = shares, .optimizer = OPTIMIZER_SGD };
	struct step *s;
	struct diagnostic d;

	(void)state;
	for (int row = 0; row < m->count; row++)
		shares[row] = share_whole(&m->operators[row], 1);
	machine.glb = 4;
	assert_int_equal(step_new(t, &request, &s, &d), STATUS_INPUT);
	assert_null(s);
	assert_non_null(strstr(d.text, "conv1, fwd"));
	training_free(t);
	model_free(m);
}

/* VGG-A's conv1_1 takes relu and pool along: what it writes is the pooled picture, a quarter of its own.  On the way back the relu of conv5_1,
 * fused into the error of conv5_2, still reads which outputs were above 0. */
static void fused_work_moves_only_what_is_left(void **state)
{
	struct model *m = load_reference("vgg-a");
	struct training *t = training_new(m);
	struct machine machine = test_machine(1, 1);
	struct step *s;
	int head = find_node(t, "conv1_1", PASS_FWD), back = find_node(t, "conv5_2", PASS_BWD_DATA);
	double picture = 4.0 * 64 * 224 * 224 * 2, late = 4.0 * 512 * 14 * 14 * 2;

	(void)state;
	machine.vc_lanes = 1024;
	s = make(t, &machine, true, 4);
	assert_int_equal(s->nodes[find_node(t, "conv1_1.pool", PASS_FWD)].taken_by, head);
	assert_true(s->tasks[s->nodes[head].task].timing.bytes == s->nodes[head].timing.bytes - picture + picture / 4);
	assert_int_equal(s->nodes[find_node(t, "conv5_1.relu", PASS_BWD_DATA)].taken_by, back);
	assert_true(s->tasks[s->nodes[back].task].timing.bytes == s->nodes[back].timing.bytes + late);
	step_free(s);
	training_free(t);
	model_free(m);
}

/* What is between a product and what follows is at most what the one makes and the other takes: keys and values of packed attention come from
 * elsewhere, an opaque row stands between, and of two products it is the first that the next waits for. */
static void only_what_is_between_is_saved(void **state)
{
	static const char packed[] = "name,kind,in_ch,in_h,out_ch,heads\nqkv,linear,64,10,192,\nat,attention,,,,1\no,linear,64,10,64,\n";
	static const char unknown[] = "name,kind,in_ch,in_h,in_w,out_ch,out_h,out_w\na,linear,16,,,4096,,\nb,magic,,,,16,1,1\nc,linear,16,,,16,,\n";
	struct model *m;
	struct training *t;
	struct machine machine = test_machine(1, 1);
	struct step *s;
	struct diagnostic d;
	const struct step_node *head, *relu;

	(void)state;
	machine.vc_lanes = 4096;
	machine.hbm_bw = 1e9;
	assert_int_equal(model_load_bytes("t.csv", packed, sizeof packed - 1, &m, NULL, &d), STATUS_OK);
	t = training_new(m);
	s = make(t, &machine, true, 1000);
	head = &s->nodes[find_node(t, "at.qk", PASS_BWD_DATA)];
	relu = &s->nodes[find_node(t, "qkv.relu", PASS_BWD_DATA)];
	assert_true(relu->taken_by >= 0 && relu->task == head->task);
	/* 1000 x 10 x 64 each of dQ and dK are neither written nor read; dV is read */
	assert_true(s->tasks[head->task].timing.bytes == head->timing.bytes + relu->timing.bytes - 2 * 2 * 1000 * 10 * 64 * 2.0);
	head = &s->nodes[find_node(t, "at.av", PASS_BWD_DATA)];
	assert_int_equal(head->gemm_count, 2);
	assert_true(head->gemms[0].n == 10 && head->gemms[0].k == 64);
	assert_true(head->timing.tile_part <= 1 && head->timing.tile_part * 1000 * 100 >= 1);
	step_free(s);
	training_free(t);
	model_free(m);
	assert_int_equal(model_load_bytes("t.csv", unknown, sizeof unknown - 1, &m, NULL, &d), STATUS_OK);
	t = training_new(m);
	s = make(t, &machine, true, 256);
	assert_true(s->nodes[find_node(t, "b", PASS_BWD_DATA)].opaque);
	assert_true(s->nodes[find_node(t, "a.relu", PASS_BWD_DATA)].taken_by < 0);
	step_free(s);
	training_free(t);
	model_free(m);
}

/* No schedule of a step ends sooner than its free bound, the optimum among them; the placed bound holds for the list schedule itself. */
static void bounds_hold_for_the_optimum(void **state)
{
	static const char rows[] = "name,kind,in_ch,out_ch\na,linear,64,64\nb,linear,64,10\n";
	struct random r = { 71 };
	int compared = 0;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct machine machine = test_machine(1 + (int64_t)random_below(&r, 3), 1 + (int64_t)random_below(&r, 3));
		struct schedule best = { 0 };
		struct exact_result found;
		struct diagnostic d;
		struct model *m;
		struct training *t;
		struct step *s;

		machine.hbm_bw = 1e8 * (double)(1 + random_below(&r, 100));
		machine.vc_lanes = 1 + (int64_t)random_below(&r, 64);
		assert_int_equal(model_load_bytes("t.csv", rows, sizeof rows - 1, &m, NULL, &d), STATUS_OK);
		t = training_new(m);
		s = make(t, &machine, round % 2 == 0, 1 + (int64_t)random_below(&r, 200));
		assert_true(s->bounds.makespan <= s->schedule.makespan * (1 + 1e-12) && s->free_bound <= s->bounds.makespan * (1 + 1e-12));
		if (s->task_count <= 12 && exact_schedule(&s->graph, 3000000, NULL, &found, &best, &d) == STATUS_OK) {
			assert_true(s->free_bound <= found.makespan * (1 + 1e-12));
			compared++;
		}
		schedule_free(&best);
		step_free(s);
		training_free(t);
		model_free(m);
	}
	assert_true(compared > 30);
}

/* What operators take adds up to what their task takes, whatever is fused and spread, and so does their work. */
static void parts_add_up(void **state)
{
	static const char *const names[] = { "bert-base", "resnet50", "vgg-a" };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (int cores = 1; cores <= 4; cores *= 4) {
			struct model *m = load_reference(names[i]);
			struct training *t = training_new(m);
			struct machine machine = test_machine(cores, cores);
			struct step *s = make(t, &machine, true, 4);
			double *sum = memory_alloc((size_t)s->task_count, sizeof *sum), macs = 0, bytes = 0;

			for (int node = 0; node < t->count; node++) {
				sum[s->nodes[node].task] += s->nodes[node].seconds;
				macs += s->nodes[node].timing.macs;
				assert_true(s->nodes[node].seconds >= 0 && s->nodes[node].offset >= 0);
			}
			for (int task = 0; task < s->task_count; task++) {
				assert_true(fabs(sum[task] - s->tasks[task].seconds) <= 1e-12 * s->schedule.makespan);
				bytes += s->tasks[task].timing.bytes;
			}
			assert_true(s->work.macs == macs && fabs(s->work.memory_bytes / bytes - 1) < 1e-12);
			memory_free(sum);
			step_free(s);
			training_free(t);
			model_free(m);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_come_before_their_users),
		cmocka_unit_test(a_bare_chain_gets_its_mirror),
		cmocka_unit_test(forks_are_summed_backward),
		cmocka_unit_test(the_loss_waits_for_all_outputs),
		cmocka_unit_test(losses_work_once),
		cmocka_unit_test(passes_have_equal_macs),
		cmocka_unit_test(steps_obey_their_graph),
		cmocka_unit_test(fusion_only_ever_helps),
		cmocka_unit_test(vector_work_spreads_by_elements),
		cmocka_unit_test(fused_work_moves_only_what_is_left),
		cmocka_unit_test(only_what_is_between_is_saved),
		cmocka_unit_test(bounds_hold_for_the_optimum),
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(a_buffer_without_room_for_a_tile_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
