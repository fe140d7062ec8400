/* Whole messages that wait for each other, played one by one: what a tree's exchange takes with store_forward. */
#include "network/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LEAVES_MAX = 64, HOPS_MAX = 16 };

/* A message on its way: over hop 0 .. hops - 1, each a link of a height and a place, up or down. */
struct message {
	int links[HOPS_MAX], heights[HOPS_MAX];
	int hops, at;
	double ready;            /* when it may go over its next link */
};

static int link_number(int height, int subtree, bool down)
{
	return (height * LEAVES_MAX + subtree) * 2 + down;
}

static struct message route(int from, int to, int bit)
{
	struct message m = { .hops = 0 };

	for (int height = 1; height <= bit + 1; height++, m.hops++) {
		m.heights[m.hops] = height;
		m.links[m.hops] = link_number(height, from >> (height - 1), false);
	}
	for (int height = bit + 1; height >= 1; height--, m.hops++) {
		m.heights[m.hops] = height;
		m.links[m.hops] = link_number(height, to >> (height - 1), true);
	}
	return m;
}

/* First come, first served on every link. */
static double play(const struct dimension *tree, int bit, double bytes)
{
	static double free_at[(HOPS_MAX + 1) * LEAVES_MAX * 2];
	struct message messages[LEAVES_MAX];
	int count = (int)tree->size;
	double last = 0;

	memset(free_at, 0, sizeof free_at);
	for (int i = 0; i < count; i++)
		messages[i] = route(i, i ^ 1 << bit, bit);
	for (;;) {
		struct message *next = NULL;
		double *link;

		for (int i = 0; i < count; i++)
			if (messages[i].at < messages[i].hops && (next == NULL || messages[i].ready < next->ready))
				next = &messages[i];
		if (next == NULL)
			return last;
		link = &free_at[next->links[next->at]];
		next->ready = *link = fmax(*link, next->ready) + bytes / tree_bandwidth(tree, next->heights[next->at]);
		last = fmax(last, next->ready);
		next->at++;
	}
}

static void a_tree_queues_as_played(void **state)
{
	static const double gains[] = { 1, 2, 0.5, 4, 1.5, 3 };

	(void)state;
	for (int heights = 1; heights <= 6; heights++)
		for (size_t g = 0; g < sizeof gains / sizeof *gains; g++) {
			struct dimension tree = { .kind = DIMENSION_TREE, .size = 1 << heights, .gain = gains[g], .bandwidth = 1e9 };

			for (int bit = 0; bit < heights; bit++) {
				double played = play(&tree, bit, 1e6), ours = tree_exchange(&tree, bit, 1e6, true).seconds;

				if (fabs(ours / played - 1) > 1e-9)
					fail_msg("2^%d apart in a tree of %d heights, gain %g: played %.9g s, ours %.9g", bit, heights, gains[g], played, ours);
				assert_true(tree_exchange(&tree, bit, 1e6, false).seconds <= ours);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_tree_queues_as_played) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
