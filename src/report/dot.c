#include "base/units.h"
#include "report/shape.h"
#include "report/timeline.h"

#include <string.h>

/* A quoted string of DOT: quotes and backslashes are escaped. */
static void add_quoted(struct text *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			text_add(out, "\\");
		text_append(out, text, 1);
	}
}

void model_dot(const struct model *m, struct text *out)
{
	text_add(out, "digraph \"");
	add_quoted(out, m->name);
	text_add(out, "\" {\n  node [shape=box, fontname=monospace];\n");
	for (int row = 0; row < m->count; row++) {
		const struct operator *o = &m->operators[row];
		char shape[128];

		shape_print(o, NULL, shape, sizeof shape);
		text_printf(out, "  r%d [label=\"", row + 1);
		add_quoted(out, o->name);
		text_printf(out, "\\n%s ", operator_kind_name(o->kind));
		add_quoted(out, shape);
		text_printf(out, "\"%s];\n", operator_kind_weighted(o->kind) ? ", style=bold" : "");
		for (int i = 0; i < o->input_count; i++)
			if (o->inputs[i] != MODEL_INPUT)
				text_printf(out, "  r%d -> r%d;\n", o->inputs[i] + 1, row + 1);
	}
	text_add(out, "}\n");
}

void timeline_dot(const struct results *r, struct text *out)
{
	const struct training *t = r->training;
	char name[600], time[32];

	text_add(out, "digraph \"");
	add_quoted(out, r->model->name);
	text_add(out, "\" {\n  rankdir=LR;\n  node [shape=box, fontname=monospace];\n");
	for (int node = 0; node < t->count; node++) {
		const struct step_node *n = &r->step->nodes[node];

		training_name(t, node, name, sizeof name);
		units_print_seconds(n->seconds, time, sizeof time);
		text_printf(out, "  n%d [label=\"", node);
		add_quoted(out, name);
		text_printf(out, ":%s\\n%s\"%s%s];\n", pass_name(t->nodes[node].pass), time, r->step->bounds.tasks[n->task].critical ? ", style=bold" : "",
			n->taken_by >= 0 ? ", color=grey" : "");
		for (int i = 0; i < t->nodes[node].input_count; i++)
			text_printf(out, "  n%d -> n%d;\n", t->inputs[t->nodes[node].first_input + i], node);
	}
	text_add(out, "}\n");
}
