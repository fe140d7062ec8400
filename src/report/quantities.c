/* The words for what can be explained. */
#include "report/explain.h"

#include <string.h>

static const char *const names[QUANTITY_COUNT] = {
#define X(id, name, text) [QUANTITY_##id] = name,
	QUANTITIES(X)
#undef X
};

const char *quantity_name(enum quantity quantity)
{
	return names[quantity];
}

bool quantity_of_operator(enum quantity quantity)
{
	return quantity >= QUANTITY_TIME && quantity <= QUANTITY_UTILISATION;
}

enum quantity quantity_find(const char *name, struct diagnostic *d)
{
	struct text known = { 0 };
	int near = text_nearest(name, names, QUANTITY_COUNT);

	for (int i = 0; i < QUANTITY_COUNT; i++) {
		if (strcmp(name, names[i]) == 0) {
			text_free(&known);
			return (enum quantity)i;
		}
		text_printf(&known, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	diagnostic_fail(d, STATUS_USAGE, "no quantity \"%s\"%s%s; there are %s", name, near >= 0 ? "; did you mean " : "", near >= 0 ? names[near] : "",
		text_string(&known));
	text_free(&known);
	return QUANTITY_COUNT;
}
