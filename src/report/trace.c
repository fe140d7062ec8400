#include "report/json.h"
#include "report/ops.h"
#include "report/timeline.h"

/* Lanes: one for each core, all cores of a kind behind the LANES_MOST-th as one, and as many as are needed for what runs on no core, so
 * that no two events of a lane overlap. */
enum { LANES_MOST = 64, MEMORY_LANES = 64, LANE_NO_CORE = RESOURCE_COUNT };

struct lanes {
	int first[RESOURCE_COUNT + 1], count[RESOURCE_COUNT + 1];
	double busy_until[MEMORY_LANES];
};

static struct lanes lay_lanes(const struct step *step)
{
	struct lanes l = { .busy_until = { 0 } };
	int next = 1;

	for (int r = 0; r <= RESOURCE_COUNT; r++) {
		int cores = r < RESOURCE_COUNT ? step->graph.cores[r] : 0;

		l.first[r] = next;
		l.count[r] = cores > LANES_MOST ? LANES_MOST : cores;
		next += l.count[r];
	}
	return l;
}

static void name_lane(json_t *events, int lane, const char *name)
{
	json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", "thread_name", "pid", 1, "tid", lane, "args", "name", name));
	json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:i, s:{s:i}}", "ph", "M", "name", "thread_sort_index", "pid", 1, "tid", lane, "args", "sort_index", lane));
}

static void name_lanes(const struct results *r, const struct lanes *l, json_t *events)
{
	char name[48];

	json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:{s:s}}", "ph", "M", "name", "process_name", "pid", 1, "args", "name", r->model->name));
	for (int kind = 0; kind < RESOURCE_COUNT; kind++)
		for (int i = 0; i < l->count[kind]; i++) {
			bool rest = i + 1 == l->count[kind] && r->step->graph.cores[kind] > l->count[kind];

			snprintf(name, sizeof name, rest ? "%s%d and on" : "%s%d", resource_lane((enum resource)kind), i);
			name_lane(events, l->first[kind] + i, name);
		}
}

static void add_event(const struct results *r, int task, int lane, json_t *events)
{
	const struct step_task *t = &r->step->tasks[task];
	const struct timing *timing = step_timing(t);
	const struct placing *p = &r->step->schedule.tasks[task];
	json_t *event = json_object(), *args = json_object();
	struct text words = { 0 };

	ops_label(r->training, r->step, task, &words);
	json_set_text(event, "ph", "X");
	json_set_text(event, "name", text_string(&words));
	json_set_text(event, "cat", pass_name(r->training->nodes[t->node].pass));
	json_set_number(event, "ts", p->start * 1e6);
	json_set_number(event, "dur", t->seconds * 1e6);
	json_object_set_new(event, "pid", json_integer(1));
	json_object_set_new(event, "tid", json_integer(lane));
	json_set_text(args, "bound", timing->bound == BOUND_COMPUTE ? "compute" : "memory");
	json_set_number(args, "bytes", timing->bytes);
	json_set_number(args, "macs", timing->macs);
	json_set_number(args, "slack_us", r->step->bounds.tasks[task].slack * 1e6);
	json_object_set_new(args, "critical", json_boolean(r->step->bounds.tasks[task].critical));
	text_clear(&words);
	ops_fused(r->training, r->step, task, &words);
	if (words.length > 0)
		json_set_text(args, "fused", text_string(&words));
	json_object_set_new(event, "args", args);
	json_array_append_new(events, event);
	text_free(&words);
}

/* The first lane of what runs on no core that is free when the task starts; a new one when none is. */
static int free_lane(const struct results *r, struct lanes *l, int task, json_t *events)
{
	const struct placing *p = &r->step->schedule.tasks[task];
	char name[32];
	int lane = 0;

	while (lane < l->count[LANE_NO_CORE] && l->busy_until[lane] > p->start)
		lane++;
	if (lane == l->count[LANE_NO_CORE] && lane < MEMORY_LANES) {
		snprintf(name, sizeof name, "memory %d", lane);
		name_lane(events, l->first[LANE_NO_CORE] + lane, name);
		l->count[LANE_NO_CORE]++;
	}
	lane = lane < MEMORY_LANES ? lane : MEMORY_LANES - 1;
	l->busy_until[lane] = p->end;
	return l->first[LANE_NO_CORE] + lane;
}

static void add_events(const struct results *r, struct lanes *l, int task, json_t *events)
{
	const struct placing *p = &r->step->schedule.tasks[task];
	bool on_core = false;

	for (int kind = 0; kind < RESOURCE_COUNT; kind++) {
		int core = p->core[kind];

		if (core == CORE_UNUSED)
			continue;
		on_core = true;
		for (int i = 0; i < l->count[kind]; i++)
			if (core == CORE_ALL || i == core || (i + 1 == l->count[kind] && core > i))
				add_event(r, task, l->first[kind] + i, events);
	}
	if (!on_core)
		add_event(r, task, free_lane(r, l, task, events), events);
}

void timeline_trace(const struct results *r, struct text *out)
{
	struct lanes l = lay_lanes(r->step);
	json_t *root = json_begin(), *events = json_array();

	name_lanes(r, &l, events);
	for (int task = 0; task < r->step->task_count; task++)
		if (r->step->tasks[task].seconds > 0)
			add_events(r, &l, task, events);
	json_object_set_new(root, "traceEvents", events);
	json_set_text(root, "displayTimeUnit", "ms");
	json_end(root, out);
}
