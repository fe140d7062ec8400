#include "report/json.h"

#include <math.h>
#include <stdlib.h>

json_t *json_number(double value)
{
	if (value == floor(value) && fabs(value) < 9007199254740992.0)
		return json_integer((json_int_t)value);
	return json_real(value);
}

void json_set_number(json_t *object, const char *key, double value)
{
	if (!isnan(value))
		json_object_set_new(object, key, json_number(value));
}

void json_set_text(json_t *object, const char *key, const char *value)
{
	json_object_set_new(object, key, json_string(value));
}

json_t *json_begin(void)
{
	json_t *object = json_object();

	json_object_set_new(object, "schema", json_integer(1));
	return object;
}

void json_end(json_t *object, struct text *out)
{
	char *dump = json_dumps(object, JSON_INDENT(1) | JSON_PRESERVE_ORDER);

	if (dump != NULL) {
		text_add(out, dump);
		text_add(out, "\n");
	}
	free(dump);
	json_decref(object);
}
