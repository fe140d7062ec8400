/* The judge: what a design is worth, by the schedule of each model's step on it, or of the part of it that a pipeline stage has. */
#include "mine/miner.h"

#include "base/memory.h"
#include "schedule/step_part.h"

#include <math.h>

double mine_value(const struct mine_request *r, double throughput, double tdp)
{
	if (r->metric == METRIC_THROUGHPUT)
		return throughput;
	return throughput >= r->floor ? throughput / tdp : 0;
}

/* What critical paths ask for, of each row (and of none, first) and each kind of core: s waited, or shorter with twice as many. */
struct asking {
	const struct mine_model *model;
	const struct step *step;
	double (*rows)[2];
};

/* tasks: of the step, by those of the schedule; NULL: the same. */
static void add_asked(struct asking *a, const struct schedule *schedule, const int *tasks)
{
	for (int at = schedule_last(schedule); at >= 0; at = schedule->tasks[at].waited_for) {
		const struct placing *p = &schedule->tasks[at];
		const struct step_task *task = &a->step->tasks[tasks != NULL ? tasks[at] : at];
		double waited = p->wait == WAIT_CORE || p->wait == WAIT_KEPT ? p->start - p->ready : 0;
		double shorter = schedule_spreads(schedule, at) && task->spread.bound == BOUND_COMPUTE ? (p->end - p->start) / 2 : 0;
		double *row = &a->rows[a->model->training->nodes[task->node].row + 1][task->core == CORE_VC];

		/* a row's forward and backward work mirror each other: the more urgent of both counts; fused work asks for tensor cores, which hold it up most */
		if (task->core == CORE_TC || task->core == CORE_VC || task->core == CORE_BOTH)
			*row = fmax(*row, waited + shorter);
	}
}

static void sum_asked(const struct asking *a, bool first, struct judged *j)
{
	double most[2] = { 0 };

	for (int row = 0; row <= a->model->training->model->count; row++) {
		j->asked_tc += (float)a->rows[row][0];
		j->asked_vc += (float)a->rows[row][1];
		for (int kind = 0; kind < 2 && first; kind++)
			if (a->rows[row][kind] > most[kind]) {
				most[kind] = a->rows[row][kind];
				j->asked_row[kind] = row - 1;
			}
	}
}

static int layer_of_node(const struct mine_model *model, const struct training_node *n)
{
	return n->row >= 0 ? model->part->layer_of[n->row] : model->part->first[model->part->stages * model->part->chunks] - 1;
}

/* The passes of one place of the stage, on all cores as if nothing else ran. */
static double place_seconds(struct asking *a, struct step_parts *parts, int place, unsigned passes, int *tasks)
{
	const struct mine_part *part = a->model->part;
	int count = 0;
	double seconds;

	for (int task = 0; task < a->step->task_count; task++) {
		const struct training_node *n = &a->model->training->nodes[a->step->tasks[task].node];
		int layer = layer_of_node(a->model, n);

		if (passes >> n->pass & 1 && layer >= part->first[place] && layer < part->first[place + 1])
			tasks[count++] = task;
	}
	seconds = step_part_seconds(parts, a->step, tasks, count);
	if (count > 0)
		add_asked(a, &parts->schedule, tasks);
	return seconds;
}

static double part_seconds(struct asking *a)
{
	const struct mine_part *part = a->model->part;
	struct step_parts parts = { .of_part = NULL };
	int *tasks = memory_alloc((size_t)a->step->task_count, sizeof *tasks);
	double seconds = 0;

	step_parts_size(&parts, a->step);
	for (int place = part->stage; place < part->stages * part->chunks; place += part->stages)
		seconds += place_seconds(a, &parts, place, 1 << PASS_FWD | 1 << PASS_LOSS, tasks) * (part->again ? 2 : 1) +
			place_seconds(a, &parts, place, 1 << PASS_BWD_DATA | 1 << PASS_BWD_WEIGHT, tasks);
	step_parts_free(&parts);
	memory_free(tasks);
	return seconds;
}

double mine_step_seconds(const struct mine_model *model, const struct step *step)
{
	struct overlapped o;
	double seconds = step->schedule.makespan + model->beside_s;

	if (model->exchanges == NULL)
		return seconds;
	overlap_step(model->training, step, model->exchanges, model->beside_s, model->overlap, &o);
	seconds = o.seconds;
	overlapped_free(&o);
	return seconds;
}

struct judged mine_judge(const struct mine_request *r, const struct design *design)
{
	struct judged j = { .design = *design, .asked_row = { -1, -1 }, .area = space_area(r->space, design), .tdp = space_tdp(r->space, design) };
	struct machine machine = space_machine(r->space, design);
	double logs = 0;

	if (r->judge != NULL)
		return r->judge(r->judge_context, r, design);
	for (int i = 0; i < r->model_count; i++) {
		const struct mine_model *model = &r->models[i];
		struct step_request request = { .machine = &machine, .shares = model->shares, .latencies = model->latencies, .optimizer = model->optimizer, .fusion = model->fusion };
		struct asking asking = { .model = model };
		struct step *step;
		double seconds;

		if (step_new(model->training, &request, &step, NULL) != STATUS_OK)
			return j;
		asking.step = step;
		asking.rows = memory_alloc((size_t)model->training->model->count + 1, sizeof *asking.rows);
		if (model->part == NULL)
			add_asked(&asking, &step->schedule, NULL);
		seconds = model->part != NULL ? part_seconds(&asking) + model->beside_s : mine_step_seconds(model, step);
		sum_asked(&asking, i == 0, &j);
		logs += log(model->samples / seconds);
		memory_free(asking.rows);
		step_free(step);
	}
	j.throughput = exp(logs / r->model_count);
	j.value = mine_value(r, j.throughput, j.tdp);
	return j;
}
