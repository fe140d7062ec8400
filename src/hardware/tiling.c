/* The least traffic over all tilings of a product.  MODELS 3.3.
 *
 * With counts a = ceil(N/Tn), b = ceil(M/Tm), c = ceil(K/Tk) the traffic is left a + right b + result (2c - 1), under the symmetric
 * rule that the pairwise products of Tm, Tn, Tk add up to half the buffer at most.  So the three axes are alike but for their weights
 * (left, right, 2 result).  The heaviest axis is searched outside, the second inside it, and the third follows from the room left.
 *
 * Only the smallest count of each tile size matters, so both searches step from one distinct tile size to the next.  They start at
 * the optimum over real numbers and walk away from it on both sides until the real optimum beyond is no better than the best found.
 * That is exact: in the logarithms of the tiles the real problem is a geometric program, hence convex, so its optimum as a
 * function of one count falls, then rises.  Only for buffers of more than 2^33 elements is one part in 10^4 left unsought.
 *
 * Counts and tiles are whole numbers in doubles: below 2^53 their quotients round up and down exactly, and doubles never overflow. */
#include "hardware/core.h"

#include <math.h>

struct axis {
	double size;             /* elements along it */
	double weight;           /* traffic of each of its tiles */
	double root;             /* sqrt(weight size) */
	int name;                /* 0 N, 1 M, 2 K */
};

struct search {
	struct axis axis[3];     /* heaviest first */
	double room;             /* half the buffer, in elements */
	double enough;           /* what part of the best is not worth beating: 1, or a little less for absurd buffers */
	double cost;             /* of the best so far */
	double tile[3];          /* by axis */
};

/* Casts are one instruction where floor is a call.  Arguments are below 2^63. */
static double round_down(double x)
{
	return (double)(int64_t)x;
}

static double ceil_div(double a, double b)
{
	double q = a / b, whole = round_down(q);

	return whole < q ? whole + 1 : whole;
}

/* Least weighted sum of the counts of p and q over real tiles, beside a tile of `other` on the third axis; *tile is p's.
 * With u = Tp + other and v = Tq + other the room is u v <= room + other^2, and the sum is convex in u with its root in closed form. */
static double relaxed_pair(const struct axis *p, const struct axis *q, double other, double room, double *tile)
{
	double area = room + other * other, side = sqrt(area);
	double u = (p->root * area + q->root * side * other) / (p->root * other + q->root * side);
	double tp = u - other, tq = area / u - other;

	if (tp >= p->size) {
		tp = p->size;
		tq = area / (tp + other) - other;
		tq = tq < q->size ? tq : q->size;
	} else if (tq > q->size) {
		tq = q->size;
		tp = area / (tq + other) - other;
		tp = tp < p->size ? tp : p->size;
	}
	*tile = tp;
	return p->weight * p->size / tp + q->weight * q->size / tq;
}

/* Least cost of `count` tiles on the second axis beside a tile of `first` on the first, over real numbers. */
static double relaxed_third(const struct search *s, double base, double first, double count)
{
	const struct axis *p = &s->axis[1], *q = &s->axis[2];
	double tile = p->size / count, left = s->room - first * tile, third;

	if (left <= 0)
		return INFINITY;
	third = left / (first + tile);
	return base + p->weight * count + q->weight * (third < q->size ? q->size / third : 1);
}

static void try_tile(struct search *s, double base, double first, double second, double count)
{
	double third = round_down((s->room - first * second) / (first + second)), cost, last;

	if (third < 1)
		return;
	if (third > s->axis[2].size)
		third = s->axis[2].size;
	last = ceil_div(s->axis[2].size, third);
	cost = base + s->axis[1].weight * count + s->axis[2].weight * last;
	if (cost < s->cost) {
		s->cost = cost;
		s->tile[0] = first;
		s->tile[1] = second;
		s->tile[2] = ceil_div(s->axis[2].size, last);
	}
}

/* The tile size of at most `count` tiles, and how many of them there are then. */
static double tile_of(const struct axis *a, double *count)
{
	double tile = ceil_div(a->size, *count);

	*count = ceil_div(a->size, tile);
	return tile;
}

/* On to the next larger tile; false when there is none. */
static bool step_down(const struct axis *a, double *tile, double *count)
{
	double larger = *count > 1 ? ceil_div(a->size, *count - 1) : INFINITY;

	if (*count <= 1)
		return false;
	/* counts past 2^53 do not change by 1 */
	*tile = larger > *tile ? larger : *tile + 1;
	*count = ceil_div(a->size, *tile);
	return true;
}

/* On to the next smaller tile, with as many more of them; false when there is none. */
static bool step_up(const struct axis *a, double *tile, double *count)
{
	double least;

	if (*tile <= 1)
		return false;
	*tile -= 1;
	*count = ceil_div(a->size, *tile);
	least = ceil_div(a->size, *count);
	/* past 2^53 a quotient may have been rounded to a whole number */
	*tile = least < *tile ? least : *tile;
	return true;
}

static double start_count(const struct axis *a, double tile)
{
	double count = round_down(a->size / (tile > 1 ? tile : 1));

	return count > 1 ? count : 1;
}

/* All tilings with `count` tiles of `first` on the first axis that could be better.  tile: the second's real optimum. */
static void search_second(struct search *s, double first, double base, double tile)
{
	const struct axis *p = &s->axis[1];
	double middle = start_count(p, tile), second = tile_of(p, &middle), start = second;

	for (double count = middle;;) {
		if (relaxed_third(s, base, first, count) >= s->cost * s->enough)
			break;
		try_tile(s, base, first, second, count);
		if (!step_down(p, &second, &count))
			break;
	}
	while (step_up(p, &start, &middle)) {
		if (relaxed_third(s, base, first, middle) >= s->cost * s->enough)
			break;
		try_tile(s, base, first, start, middle);
	}
}

static double relaxed_rest(const struct search *s, double count)
{
	double tile;

	return s->axis[0].weight * count + relaxed_pair(&s->axis[1], &s->axis[2], s->axis[0].size / count, s->room, &tile);
}

/* One tile size of the first axis; false when this side can hold nothing better.  next: the count that would follow. */
static bool search_first(struct search *s, double first, double count, double next)
{
	double base = s->axis[0].weight * count, tile, beyond;

	if (2 * first + 1 > s->room)
		return next > count;
	if (base + relaxed_pair(&s->axis[1], &s->axis[2], first, s->room, &tile) < s->cost * s->enough) {
		search_second(s, first, base, tile);
		return true;
	}
	beyond = relaxed_rest(s, count);
	return beyond < s->cost * s->enough || (next >= 1 && relaxed_rest(s, next) < beyond);
}

/* About where the real optimum lies: the axes in turn, each beside the last value of another. */
static double guess_first(const struct search *s)
{
	double tile[3];

	tile[0] = sqrt(s->room / 3);
	tile[0] = tile[0] < s->axis[0].size ? tile[0] : s->axis[0].size;
	relaxed_pair(&s->axis[1], &s->axis[2], tile[0], s->room, &tile[1]);
	for (int round = 0; round < 2; round++) {
		relaxed_pair(&s->axis[2], &s->axis[0], tile[1], s->room, &tile[2]);
		relaxed_pair(&s->axis[0], &s->axis[1], tile[2], s->room, &tile[0]);
		relaxed_pair(&s->axis[1], &s->axis[2], tile[0], s->room, &tile[1]);
	}
	return tile[0];
}

static void search_all(struct search *s)
{
	const struct axis *a = &s->axis[0];
	double guess = guess_first(s), most = round_down((s->room - 1) / 2), middle, start, tile;

	middle = start_count(a, guess < most ? guess : most);
	start = tile = tile_of(a, &middle);
	for (double count = middle; search_first(s, tile, count, count - 1) && step_down(a, &tile, &count);)
		;
	while (step_up(a, &start, &middle))
		if (!search_first(s, start, middle, middle + 1))
			break;
}

static void sort_axes(struct axis *a)
{
	for (int i = 1; i < 3; i++)
		for (int j = i; j > 0 && a[j].weight > a[j - 1].weight; j--) {
			struct axis swap = a[j];

			a[j] = a[j - 1];
			a[j - 1] = swap;
		}
}

/* Quotients stay within int64. */
static double axis_size(int64_t size)
{
	return size < (int64_t)1 << 62 ? (double)size : 0x1p62;
}

static void take(const struct gemm *g, const double by_name[3], struct tiling *t)
{
	double n = ceil_div(axis_size(g->n), by_name[0]), m = ceil_div(axis_size(g->m), by_name[1]), k = ceil_div(axis_size(g->k), by_name[2]);

	*t = (struct tiling){ (int64_t)by_name[1], (int64_t)by_name[0], (int64_t)by_name[2], (int64_t)m, (int64_t)n, (int64_t)k,
		g->left * n + g->right * m + g->result * (2 * k - 1) };
}

/* Half a buffer in elements. */
static double half_buffer(double buffer_bytes, int element_bytes)
{
	double room = floor(buffer_bytes / 2 / element_bytes);

	return room < 0x1p52 ? room : 0x1p52;
}

enum status gemm_tile(const struct gemm *g, double buffer_bytes, int element_bytes, struct tiling *t, struct diagnostic *d)
{
	struct search s = { .room = half_buffer(buffer_bytes, element_bytes), .cost = INFINITY, .enough = 1 };
	double n = axis_size(g->n), m = axis_size(g->m), k = axis_size(g->k), by_name[3] = { n, m, k };

	if (s.room < 3)
		return diagnostic_fail(d, STATUS_INPUT, "a buffer of %.0f bytes holds no tile: half of it must hold one element of each of three tensors; "
			"with %d bytes an element the least is %d bytes; set glb=%dB or more", buffer_bytes, element_bytes, 6 * element_bytes, 6 * element_bytes);
	if (m * k + k * n + m * n > s.room) {
		s.axis[0] = (struct axis){ n, g->left, sqrt(n * g->left), 0 };
		s.axis[1] = (struct axis){ m, g->right, sqrt(m * g->right), 1 };
		s.axis[2] = (struct axis){ k, 2 * g->result, sqrt(k * 2 * g->result), 2 };
		sort_axes(s.axis);
		if (s.room > 0x1p32)
			s.enough = 1 - 1e-4;
		search_all(&s);
		for (int i = 0; i < 3; i++)
			by_name[s.axis[i].name] = s.tile[i];
	}
	take(g, by_name, t);
	return STATUS_OK;
}
