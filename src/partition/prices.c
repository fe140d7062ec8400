#include "partition/prices.h"

bool prices_equal(const struct prices *a, const struct prices *b)
{
	if (a->objective != b->objective)
		return false;
	for (int level = 1; level <= LEVELS_MAX; level++)
		if (prices_element(a, level) != prices_element(b, level) || prices_message(a, level) != prices_message(b, level))
			return false;
	return true;
}
