#include "network/tree.h"

#include <math.h>

double tree_bandwidth(const struct dimension *x, int height)
{
	return x->bandwidth * pow(x->gain, height - 1);
}

double tree_narrowest(const struct dimension *x, int heights)
{
	return x->gain < 1 ? tree_bandwidth(x, heights) : x->bandwidth;
}

double tree_path_seconds(const struct dimension *x, int heights, double bytes)
{
	double seconds = 0;

	for (int l = 1; l <= heights; l++)
		seconds += 2 * bytes / tree_bandwidth(x, l);
	return seconds;
}

struct tree_exchange tree_exchange(const struct dimension *x, int bit, double bytes, bool store_forward)
{
	struct tree_exchange e = { .load = 1, .bandwidth = x->bandwidth };
	double behind = 0;

	/* the link at height l carries the messages of all 2^(l-1) leaves on its side */
	for (int l = 1; l <= bit + 1; l++) {
		double load = exp2(l - 1), one = bytes / tree_bandwidth(x, l);

		if (load * one > e.seconds) {
			e.seconds = load * one;
			e.load = load;
			e.bandwidth = tree_bandwidth(x, l);
		}
		/* two streams meet at each height: a message waits for its twin, or for all in front of it where they do not get away in between */
		if (l > 1)
			behind = fmax(behind + one, (load - 1) * one);
	}
	/* whole at each hop, and behind others on the way up; so they come down one by one */
	if (store_forward)
		e.seconds = tree_path_seconds(x, bit + 1, bytes) + behind;
	return e;
}
