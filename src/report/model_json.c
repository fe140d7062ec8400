/* A model's rows as JSON. */
#include "report/json.h"
#include "report/timeline.h"

static json_t *shape_json(struct shape s)
{
	return json_pack("{s:I, s:I, s:I}", "ch", (json_int_t)s.ch, "h", (json_int_t)s.h, "w", (json_int_t)s.w);
}

static json_t *extent_json(struct extent e)
{
	return json_pack("[I, I]", (json_int_t)e.h, (json_int_t)e.w);
}

static json_t *operator_json(const struct operator *o)
{
	json_t *row = json_object(), *inputs = json_array();

	json_set_text(row, "name", o->name);
	json_set_text(row, "kind", operator_kind_name(o->kind));
	/* rows from 1; 0 is the model's own input */
	for (int i = 0; i < o->input_count; i++)
		json_array_append_new(inputs, json_integer(o->inputs[i] + 1));
	json_object_set_new(row, "inputs", inputs);
	json_object_set_new(row, "in", shape_json(o->in));
	json_object_set_new(row, "out", shape_json(o->out));
	if (o->kind == OPERATOR_CONV || o->kind == OPERATOR_POOL) {
		json_object_set_new(row, "kernel", extent_json(o->kernel));
		json_object_set_new(row, "stride", extent_json(o->stride));
		json_object_set_new(row, "pad", extent_json(o->pad));
	}
	if (o->kind == OPERATOR_CONV) {
		json_object_set_new(row, "groups", json_integer(o->groups));
		json_object_set_new(row, "pool", json_integer(o->pool));
		json_object_set_new(row, "conv_out", shape_json(o->conv_out));
	}
	if (o->heads > 0)
		json_object_set_new(row, "heads", json_integer(o->heads));
	if (operator_kind_weighted(o->kind))
		json_object_set_new(row, "params", json_integer(o->params));
	if (o->macs > 0)
		json_object_set_new(row, "macs", json_integer(o->macs));
	if (o->tied)
		json_object_set_new(row, "tied", json_true());
	if (o->fwd_s > 0)
		json_set_number(row, "fwd_s", o->fwd_s);
	if (o->bwd_s > 0)
		json_set_number(row, "bwd_s", o->bwd_s);
	return row;
}

void model_json(const struct model *m, struct text *out)
{
	json_t *root = json_begin(), *rows = json_array();

	json_set_text(root, "name", m->name);
	json_set_text(root, "format", m->format);
	json_object_set_new(root, "params", json_integer(m->params));
	json_object_set_new(root, "macs", json_integer(m->macs));
	for (int i = 0; i < m->count; i++)
		json_array_append_new(rows, operator_json(&m->operators[i]));
	json_object_set_new(root, "rows", rows);
	json_end(root, out);
}
