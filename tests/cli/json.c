/* Reads JSON from stdin; exits 0 when it is one object of schema 1 that has every key named as an argument, and holds no null. */
#include <jansson.h>
#include <stdio.h>

static int holds_null(const json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_null(value))
		return 1;
	json_object_foreach((json_t *)value, key, item)
		if (holds_null(item))
			return 1;
	json_array_foreach(value, i, item)
		if (holds_null(item))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *root = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
	int wrong = 0;

	if (root == NULL) {
		fprintf(stderr, "line %d: %s\n", error.line, error.text);
		return 1;
	}
	wrong |= json_integer_value(json_object_get(root, "schema")) != 1 || holds_null(root);
	for (int i = 1; i < argc; i++)
		if (json_object_get(root, argv[i]) == NULL) {
			fprintf(stderr, "no key %s\n", argv[i]);
			wrong = 1;
		}
	json_decref(root);
	return wrong;
}
