#include "mine/space.h"

#include "base/memory.h"

#include <math.h>

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

int design_axis_size(enum design_axis axis)
{
	return axes[axis].most - axes[axis].least + 1;
}

int space_dimensions(const struct design_space *space)
{
	return space->free_lanes ? AXIS_COUNT : AXIS_LANES;
}

void space_follow(const struct design_space *space, struct design *d)
{
	if (!space->free_lanes)
		d->log[AXIS_LANES] = d->log[AXIS_ROWS];
}

int64_t space_count(const struct design_space *space)
{
	int64_t count = 1;

	for (int axis = 0; axis < space_dimensions(space); axis++)
		count *= design_axis_size((enum design_axis)axis);
	return count;
}

struct design space_design(const struct design_space *space, int64_t number)
{
	struct design d;

	for (int axis = 0; axis < space_dimensions(space); axis++) {
		d.log[axis] = (signed char)(axes[axis].least + number % design_axis_size((enum design_axis)axis));
		number /= design_axis_size((enum design_axis)axis);
	}
	space_follow(space, &d);
	return d;
}

int64_t space_number(const struct design_space *space, const struct design *d)
{
	int64_t number = 0;

	for (int axis = space_dimensions(space) - 1; axis >= 0; axis--)
		number = number * design_axis_size((enum design_axis)axis) + d->log[axis] - axes[axis].least;
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

bool space_fits(const struct design_space *space, const struct design *d)
{
	for (int axis = 0; axis < AXIS_COUNT; axis++)
		if (d->log[axis] < axes[axis].least || d->log[axis] > axes[axis].most)
			return false;
	return space_limit(space, d) == LIMIT_NONE;
}

int64_t space_fitting(const struct design_space *space, int64_t **numbers)
{
	int64_t count = space_count(space), fitting = 0;

	*numbers = memory_alloc((size_t)count, sizeof **numbers);
	for (int64_t number = 0; number < count; number++) {
		struct design d = space_design(space, number);

		if (space_fits(space, &d))
			(*numbers)[fitting++] = number;
	}
	return fitting;
}
