#include "schedule/step_part.h"

#include <string.h>

struct spreading {
	const struct step *step;
	const int *of_step;
};

static double spread_of(const void *context, int task, const int cores[RESOURCE_COUNT])
{
	const struct spreading *s = context;

	return s->step->graph.spread(s->step->graph.spread_context, s->of_step[task], cores);
}

void step_parts_size(struct step_parts *p, const struct step *step)
{
	size_t count = (size_t)step->task_count, inputs = (size_t)step->graph.first_input[step->task_count];

	arena_free(&p->arena);
	p->seconds = arena_alloc(&p->arena, count, sizeof *p->seconds);
	p->kinds = arena_alloc(&p->arena, count, sizeof *p->kinds);
	p->first = arena_alloc(&p->arena, count + 1, sizeof *p->first);
	p->inputs = arena_alloc(&p->arena, inputs, sizeof *p->inputs);
	p->of_part = arena_alloc(&p->arena, count, sizeof *p->of_part);
}

void step_parts_free(struct step_parts *p)
{
	arena_free(&p->arena);
	bounds_free(&p->bounds);
	schedule_free(&p->schedule);
}

double step_part_seconds(struct step_parts *p, const struct step *step, const int *tasks, int count)
{
	const struct task_graph *whole = &step->graph;
	struct spreading spreading = { step, tasks };
	struct task_graph part = *whole;
	int edges = 0;

	if (count == 0)
		return 0;
	for (int i = 0; i < count; i++) {
		int task = tasks[i];

		p->of_part[task] = i + 1;
		p->seconds[i] = whole->seconds[task];
		p->kinds[i] = whole->kinds[task];
		p->first[i] = edges;
		for (int k = whole->first_input[task]; k < whole->first_input[task + 1]; k++)
			if (p->of_part[whole->inputs[k]] > 0)
				p->inputs[edges++] = p->of_part[whole->inputs[k]] - 1;
	}
	p->first[count] = edges;
	for (int i = 0; i < count; i++)
		p->of_part[tasks[i]] = 0;
	part.count = count;
	part.seconds = p->seconds;
	part.kinds = p->kinds;
	part.first_input = p->first;
	part.inputs = p->inputs;
	part.spread = whole->spread != NULL ? spread_of : NULL;
	part.spread_context = &spreading;
	bounds_measure(&part, &p->bounds);
	list_schedule(&part, &p->bounds, &p->schedule);
	return p->schedule.makespan;
}
