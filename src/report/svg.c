#include "base/units.h"
#include "report/ops.h"
#include "report/timeline.h"

#include <math.h>

enum { LEFT = 70, WIDTH = 1400, LANE = 26, LANES_MOST = 24, NAME_LEAST = 60, LETTER = 6 };

static void add_escaped(struct text *out, const char *text)
{
	for (; *text != '\0'; text++)
		switch (*text) {
		case '&': text_add(out, "&amp;"); break;
		case '<': text_add(out, "&lt;"); break;
		case '>': text_add(out, "&gt;"); break;
		case '"': text_add(out, "&quot;"); break;
		default: text_append(out, text, 1);
		}
}

static const char style[] =
	"<style>text{font:11px monospace;fill:#222}.axis{stroke:#888}.fwd{fill:#4477aa}.loss{fill:#222}.bwd_data{fill:#ee9944}.bwd_weight{fill:#bbccdd}"
	".update{fill:#eee;stroke:#888}.critical{stroke:#000;stroke-width:1.5}</style>\n"
	"<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

static void add_box(const struct results *r, int task, int lane, struct text *out)
{
	const struct step *s = r->step;
	const struct placing *p = &s->schedule.tasks[task];
	double x = LEFT + WIDTH * p->start / s->schedule.makespan, width = WIDTH * s->tasks[task].seconds / s->schedule.makespan;
	struct text label = { 0 };
	char time[32];

	ops_label(r->training, s, task, &label);
	units_print_seconds(s->tasks[task].seconds, time, sizeof time);
	text_printf(out, "<rect class=\"%s%s\" x=\"%.3f\" y=\"%d\" width=\"%.3f\" height=\"%d\"><title>", pass_name(r->training->nodes[s->tasks[task].node].pass),
		s->bounds.tasks[task].critical ? " critical" : "", x, lane * LANE + 30, width, LANE - 6);
	add_escaped(out, text_string(&label));
	text_printf(out, ", %s%s</title></rect>\n", time, s->bounds.tasks[task].critical ? ", critical" : "");
	if (width >= NAME_LEAST) {
		/* as much of the name as the box holds */
		char part[64];

		text_sanitize(part, (size_t)fmin(60, width / LETTER), text_string(&label), label.length);
		text_printf(out, "<text x=\"%.3f\" y=\"%d\">", x + 3, lane * LANE + 45);
		add_escaped(out, part);
		text_add(out, "</text>\n");
	}
	text_free(&label);
}

/* Lanes of one kind from `first` on; the last stands for all further cores.  Returns how many. */
static int add_lanes(const struct results *r, enum resource resource, int first, struct text *out)
{
	int cores = r->step->graph.cores[resource], lanes = cores > LANES_MOST ? LANES_MOST : cores;

	for (int i = 0; i < lanes; i++)
		text_printf(out, "<text x=\"4\" y=\"%d\">%s%d%s</text>\n", (first + i) * LANE + 45, resource_lane(resource), i, i + 1 == lanes && cores > lanes ? "+" : "");
	for (int task = 0; task < r->step->task_count; task++) {
		int core = r->step->schedule.tasks[task].core[resource];

		for (int i = 0; i < lanes && core != CORE_UNUSED; i++)
			if (core == CORE_ALL || core == i || (i + 1 == lanes && core > i))
				add_box(r, task, first + i, out);
	}
	return lanes;
}

/* A lane for what runs on no core, where there is any.  Returns 1 or 0. */
static int add_memory_lane(const struct results *r, int lane, struct text *out)
{
	int found = 0;

	for (int task = 0; task < r->step->task_count; task++)
		if (r->step->tasks[task].core == CORE_NONE && r->step->tasks[task].seconds > 0) {
			add_box(r, task, lane, out);
			found = 1;
		}
	if (found)
		text_printf(out, "<text x=\"4\" y=\"%d\">memory</text>\n", lane * LANE + 45);
	return found;
}

static void add_axis(const struct results *r, int lanes, struct text *out)
{
	int y = lanes * LANE + 34;
	char label[32];

	text_printf(out, "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", LEFT, y, LEFT + WIDTH, y);
	for (int i = 0; i <= 10; i++) {
		units_print_seconds(r->step->schedule.makespan * i / 10, label, sizeof label);
		text_printf(out, "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/><text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + WIDTH * i / 10, y, LEFT + WIDTH * i / 10, y + 5,
			LEFT + WIDTH * i / 10 - (i == 10 ? 50 : 0), y + 18, label);
	}
}

void timeline_svg(const struct results *r, struct text *out)
{
	struct text body = { 0 };
	char step[32];
	int lanes = add_lanes(r, RESOURCE_TC, 0, &body);

	lanes += add_lanes(r, RESOURCE_VC, lanes, &body);
	lanes += add_memory_lane(r, lanes, &body);
	add_axis(r, lanes, &body);
	units_print_seconds(r->step->schedule.makespan, step, sizeof step);
	text_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n%s<text x=\"4\" y=\"16\">", LEFT + WIDTH + 20, lanes * LANE + 64, style);
	add_escaped(out, r->model->name);
	text_printf(out, ": a step of %s; forward blue, backward orange, weight gradient grey, update white; critical outlined</text>\n", step);
	text_append(out, text_string(&body), body.length);
	text_add(out, "</svg>\n");
	text_free(&body);
}
