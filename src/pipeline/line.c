#include "pipeline/line.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>

struct splitting {
	const struct line *line;
	int virtual_stages;
	double **sums;           /* of each stage: s of all layers before each */
	double *longest;         /* of each virtual stage + 1 x layer + 1: with so many stages in front of that layer, the longest's s; INFINITY: impossible */
	bool alike;              /* all stages take the same */
	int *lows;               /* of each virtual stage: where it begins at the earliest */
	int *begins;             /* and where the last of those begins */
};

static double *longest_at(const struct splitting *s, int stages, int layers)
{
	return &s->longest[(size_t)stages * (size_t)(s->line->layers + 1) + (size_t)layers];
}

static double seconds_of(const struct splitting *s, int k, int from, int to)
{
	const double *sums = s->sums[k % s->line->stages];

	return sums[to] - sums[from];
}

/* Where each virtual stage begins at the earliest: with a layer for each stage since the last that is told where. */
static int *earliest_begins(const struct line *line, struct arena *arena)
{
	int *lows = arena_alloc(arena, (size_t)line->stages * (size_t)line->chunks, sizeof *lows);

	for (int k = 1; k < line->stages * line->chunks; k++)
		lows[k] = line->starts != NULL && line->starts[k] >= 0 ? line->starts[k] : lows[k - 1] + 1;
	return lows;
}

/* The earliest begin of virtual stage k, from low to high, with which the stage is no longer than what is before it; high where there is none.  Where all
 * stages are alike, what is before the begin never gets shorter as it moves on. */
static int crossing(const struct splitting *s, int k, int low, int high, int to)
{
	while (low < high) {
		int middle = low + (high - low) / 2;

		if (*longest_at(s, k, middle) < seconds_of(s, k, middle, to))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The best begin of virtual stage k, which ends in front of `to`. */
static void place(const struct splitting *s, int k, int to)
{
	bool fixed = k == 0 || (s->line->starts != NULL && s->line->starts[k] >= 0);
	int low = s->lows[k], high = fixed ? low : to - 1;
	double best = INFINITY;

	if (s->alike && low < high) {
		int at = crossing(s, k, low, high, to);

		low = at > low ? at - 1 : at;
		high = at;
	}
	for (int at = low; at <= high && at < to; at++) {
		double longest = fmax(*longest_at(s, k, at), seconds_of(s, k, at, to));

		if (longest < best) {
			best = longest;
			s->begins[(size_t)k * (size_t)(s->line->layers + 1) + (size_t)to] = at;
		}
	}
	*longest_at(s, k + 1, to) = best;
}

static bool all_alike(const struct line *line)
{
	for (int stage = 1; stage < line->stages; stage++)
		if (line->seconds[stage] != line->seconds[0])
			return false;
	return true;
}

static enum status check(const struct line *line, struct diagnostic *d)
{
	int count = line->stages * line->chunks, before = -1;

	if (count > line->layers)
		return diagnostic_fail(d, STATUS_INPUT, "pipeline: %d stage%s of %d chunk%s need as many layers, and there are %d; at most pipeline=%d", line->stages, line->stages == 1 ? "" : "s",
			line->chunks, line->chunks == 1 ? "" : "s", line->layers, line->layers / line->chunks > 0 ? line->layers / line->chunks : 1);
	for (int k = 0, last = -1; line->starts != NULL && k < count; k++) {
		int start = line->starts[k];

		if (start < 0)
			continue;
		if (start - before < k - last || count - k > line->layers - start || (k == 0 && start > 0))
			return diagnostic_fail(d, STATUS_INPUT, "stage %d cannot start with layer %d of %d: the stages before it and behind it need a layer each", k + 1, start + 1, line->layers);
		before = start;
		last = k;
	}
	return STATUS_OK;
}

enum status line_split(const struct line *line, int *first, struct diagnostic *d)
{
	struct splitting s = { .line = line, .virtual_stages = line->stages * line->chunks };
	struct arena arena = { 0 };
	size_t width = (size_t)line->layers + 1, cells;

	if (check(line, d) != STATUS_OK)
		return STATUS_INPUT;
	cells = ((size_t)s.virtual_stages + 1) * width;
	s.sums = arena_alloc(&arena, (size_t)line->stages, sizeof *s.sums);
	s.longest = arena_alloc(&arena, cells, sizeof *s.longest);
	s.begins = arena_alloc(&arena, cells, sizeof *s.begins);
	s.lows = earliest_begins(line, &arena);
	s.alike = all_alike(line);
	for (int stage = 0; stage < line->stages; stage++) {
		s.sums[stage] = arena_alloc(&arena, width, sizeof **s.sums);
		for (int i = 0; i < line->layers; i++)
			s.sums[stage][i + 1] = s.sums[stage][i] + line->seconds[stage][i];
	}
	for (size_t i = 0; i < cells; i++)
		s.longest[i] = INFINITY;
	*longest_at(&s, 0, 0) = 0;
	for (int k = 0; k < s.virtual_stages; k++)
		for (int to = k + 1; to <= line->layers; to++)
			place(&s, k, to);
	first[s.virtual_stages] = line->layers;
	for (int k = s.virtual_stages - 1; k >= 0; k--)
		first[k] = s.begins[(size_t)k * width + (size_t)first[k + 1]];
	arena_free(&arena);
	return STATUS_OK;
}
