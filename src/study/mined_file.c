#include "study/mined_file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* The exponent of a power of two that the axis has; -1 where the value is none. */
static int exponent_of(const json_t *value, enum design_axis axis)
{
	double number = json_is_number(value) ? json_number_value(value) : 0;
	int exponent = number > 0 ? (int)lround(log2(number)) : -1;

	return exponent >= design_axis_least(axis) && exponent <= design_axis_most(axis) && ldexp(1, exponent) == number ? exponent : -1;
}

static enum status read_design(const json_t *json, size_t place, const char *name, struct design *design, struct diagnostic *d)
{
	for (int axis = 0; axis < AXIS_COUNT; axis++) {
		const char *key = axis == AXIS_GLB ? "glb_bytes" : design_axis_name((enum design_axis)axis);
		int exponent = exponent_of(json_object_get(json, key), (enum design_axis)axis);

		if (exponent < 0) {
			char *found = json_dumps(json_object_get(json, key), JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);

			diagnostic_fail(d, STATUS_INPUT, "%.200s: design %zu of topk: %s is %.40s, not a power of two from %.0f to %.0f", name, place, key, found != NULL ? found : "missing",
				ldexp(1, design_axis_least((enum design_axis)axis)), ldexp(1, design_axis_most((enum design_axis)axis)));
			free(found);
			return STATUS_INPUT;
		}
		design->log[axis] = (signed char)exponent;
	}
	return STATUS_OK;
}

enum status mined_read(const char *name, const char *bytes, size_t length, struct design *designs, int *count, struct diagnostic *d)
{
	enum status status = STATUS_OK;
	json_error_t error;
	json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
	const json_t *top;

	*count = 0;
	if (root == NULL) {
		diagnostic_fail(d, STATUS_INPUT, "%.120s", error.text);
		diagnostic_place(d, name, error.line > 0 ? (unsigned long)error.line : 0, error.column > 0 ? (unsigned long)error.column : 0);
		return STATUS_INPUT;
	}
	top = json_object_get(root, "topk");
	if (top == NULL)
		top = json_object_get(json_array_get(json_object_get(root, "race"), 0), "topk");
	if (json_array_size(top) == 0)
		status = diagnostic_fail(d, STATUS_INPUT, "%.200s: no list \"topk\" of designs in it, as mine --json writes one", name);
	else if (json_array_size(top) > MINE_TOP_MAX)
		status = diagnostic_fail(d, STATUS_INPUT, "%.200s: %zu designs in \"topk\", more than mine --json writes (%d); keep the first", name, json_array_size(top), MINE_TOP_MAX);
	for (size_t i = 0; status == STATUS_OK && i < json_array_size(top); i++)
		status = read_design(json_array_get(top, i), i + 1, name, &designs[(*count)++], d);
	json_decref(root);
	return status;
}
