#include "mine/space.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const struct { signed char least, most; } axes[AXIS_COUNT] = {
#define X(id, name, least, most) [AXIS_##id] = { least, most },
	DESIGN_AXES(X)
#undef X
};

const char *design_axis_name(enum design_axis axis)
{
	static const char *const names[AXIS_COUNT] = {
#define X(id, name, least, most) name,
		DESIGN_AXES(X)
#undef X
	};

	return names[axis];
}

int design_axis_least(enum design_axis axis)
{
	return axes[axis].least;
}

int design_axis_most(enum design_axis axis)
{
	return axes[axis].most;
}

static int size_of(int axis)
{
	return axes[axis].most - axes[axis].least + 1;
}

/* Lanes that follow the rows are no dimension. */
static int dimensions(const struct design_space *space)
{
	return space->free_lanes ? AXIS_COUNT : AXIS_LANES;
}

int64_t space_count(const struct design_space *space)
{
	int64_t count = 1;

	for (int axis = 0; axis < dimensions(space); axis++)
		count *= size_of(axis);
	return count;
}

struct design space_design(const struct design_space *space, int64_t number)
{
	struct design d;

	for (int axis = 0; axis < dimensions(space); axis++) {
		d.log[axis] = (signed char)(axes[axis].least + number % size_of(axis));
		number /= size_of(axis);
	}
	if (!space->free_lanes)
		d.log[AXIS_LANES] = d.log[AXIS_ROWS];
	return d;
}

int64_t space_number(const struct design_space *space, const struct design *d)
{
	int64_t number = 0;

	for (int axis = dimensions(space) - 1; axis >= 0; axis--)
		number = number * size_of(axis) + d->log[axis] - axes[axis].least;
	return number;
}

struct machine space_machine(const struct design_space *space, const struct design *d)
{
	struct machine m = space->machine;

	m.tc = INT64_C(1) << d->log[AXIS_TC];
	m.tc_rows = INT64_C(1) << d->log[AXIS_ROWS];
	m.tc_cols = INT64_C(1) << d->log[AXIS_COLS];
	m.vc = INT64_C(1) << d->log[AXIS_VC];
	m.vc_lanes = INT64_C(1) << d->log[AXIS_LANES];
	m.glb = exp2(d->log[AXIS_GLB]);
	return m;
}

bool space_find(const struct design_space *space, const struct machine *m, struct design *d)
{
	double values[AXIS_COUNT] = { (double)m->tc, (double)m->tc_rows, (double)m->tc_cols, (double)m->vc, m->glb, (double)m->vc_lanes };

	for (int axis = 0; axis < AXIS_COUNT; axis++) {
		double log = log2(values[axis]);

		if (log != floor(log) || log < axes[axis].least || log > axes[axis].most)
			return false;
		d->log[axis] = (signed char)log;
	}
	return space->free_lanes || d->log[AXIS_LANES] == d->log[AXIS_ROWS];
}

double space_area(const struct design_space *space, const struct design *d)
{
	struct machine m = space_machine(space, d);

	return machine_area(&m, &space->constants).total;
}

double space_tdp(const struct design_space *space, const struct design *d)
{
	struct machine m = space_machine(space, d);

	return accelerator_power(space->preset, &m, space->uncore_mm2, &space->constants).total;
}

enum design_limit space_limit(const struct design_space *space, const struct design *d)
{
	if (space_area(space, d) > space->area_limit)
		return LIMIT_AREA;
	return space->power_limit < INFINITY && space_tdp(space, d) > space->power_limit ? LIMIT_POWER : LIMIT_NONE;
}

int64_t space_fitting(const struct design_space *space, int64_t **numbers)
{
	int64_t count = space_count(space), fitting = 0;

	*numbers = memory_alloc((size_t)count, sizeof **numbers);
	for (int64_t number = 0; number < count; number++) {
		struct design d = space_design(space, number);

		if (space_limit(space, &d) == LIMIT_NONE)
			(*numbers)[fitting++] = number;
	}
	return fitting;
}
