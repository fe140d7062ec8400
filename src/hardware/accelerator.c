#include "hardware/accelerator.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

double machine_peak_macs(const struct machine *m)
{
	return (double)m->tc * (double)m->tc_rows * (double)m->tc_cols * m->clock;
}

double machine_peak_ops(const struct machine *m)
{
	return 2 * machine_peak_macs(m);
}

double accelerator_mac_j(const struct accelerator *a, const struct machine *m, enum number_format format)
{
	double ratio = format_at(format)->mac_j / format_at(a->format)->mac_j;

	return m->mac_j * (ratio < 1 ? ratio : 1);
}

/* um2 of 1 KiB, 2 KiB, ... 128 MiB.  reference/area.md */
static const double sram_points[] = {
	6133.98, 8248.43, 12610.5, 22139.9, 38583.0, 63338.4, 115579, 204764, 446565, 897890,
	1634130, 3338220, 6078640, 11952400, 23745200, 46750900, 88605700, 175423000,
};

enum { SRAM_POINTS = sizeof sram_points / sizeof *sram_points };

double sram_area(double bytes)
{
	double from = 1024;
	int i = 0;

	while (i < SRAM_POINTS - 2 && bytes >= 2 * from) {
		from *= 2;
		i++;
	}
	return sram_points[i] + (sram_points[i + 1] - sram_points[i]) * ((bytes - from) / from);
}

/* The buffer of one core of that many multipliers or lanes. */
static double core_buffer(double units, const struct constants *c)
{
	double bytes = c->value[CONSTANT_L2_EACH] * units;

	return bytes > c->value[CONSTANT_L2_LEAST] ? bytes : c->value[CONSTANT_L2_LEAST];
}

struct area machine_area(const struct machine *m, const struct constants *c)
{
	double units = (double)m->tc_rows * (double)m->tc_cols, lanes = (double)m->vc_lanes, tc = (double)m->tc, vc = (double)m->vc;
	struct area a = {
		.tc = 1e-6 * tc * c->value[CONSTANT_TC_AREA] * units,
		.tc_sram = 1e-6 * tc * sram_area(core_buffer(units, c)),
		.vc = 1e-6 * vc * c->value[CONSTANT_VC_AREA] * lanes,
		.vc_sram = 1e-6 * vc * sram_area(core_buffer(lanes, c)),
		.glb = 1e-6 * sram_area(m->glb),
	};

	a.total = a.tc + a.tc_sram + a.vc + a.vc_sram + a.glb;
	return a;
}

double accelerator_uncore(const struct accelerator *a, const struct constants *c)
{
	double modelled = machine_area(&a->machine, c).total;

	return a->die_mm2 > modelled ? a->die_mm2 - modelled : 0;
}

struct power machine_power(const struct machine *m, double die_mm2, const struct constants *c)
{
	struct power p = {
		.compute = m->mac_j * machine_peak_macs(m),
		.memory = c->value[CONSTANT_MEMORY_BIT] * 8 * m->hbm_bw,
		.die = c->value[CONSTANT_DIE_DENSITY] * die_mm2,
	};

	p.total = p.compute + p.memory + p.die;
	return p;
}

struct power accelerator_power(const struct accelerator *a, const struct machine *m, double uncore_mm2, const struct constants *c)
{
	struct power p = machine_power(m, machine_area(m, c).total + uncore_mm2, c);

	if (a->kind == ACCELERATOR_GPU && a->tdp_w > 0) {
		p.total = a->tdp_w;
		p.published = true;
	}
	return p;
}

struct energy work_energy(const struct work *w, double mac_j, const struct constants *c)
{
	return (struct energy){
		.compute = mac_j * (w->macs + w->lane_cycles),
		.sram = c->value[CONSTANT_SRAM_BYTE] * w->sram_bytes,
		.dram = c->value[CONSTANT_MEMORY_BIT] * 8 * w->memory_bytes,
	};
}

const struct accelerator *accelerator_find(const struct accelerators *list, const char *name, struct diagnostic *d)
{
	const char **names = memory_alloc(list->count, sizeof *names);
	struct text all = { 0 };
	int near;

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].name, name) == 0) {
			memory_free(names);
			text_free(&all);
			return &list->items[i];
		}
		names[i] = list->items[i].name;
		text_printf(&all, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	near = text_nearest(name, names, list->count);
	diagnostic_fail(d, STATUS_INPUT, "no accelerator \"%.40s\"%s%s; there are %.480s", name, near >= 0 ? "; did you mean " : "",
		near >= 0 ? names[near] : "", text_string(&all));
	memory_free(names);
	text_free(&all);
	return NULL;
}

void accelerators_free(struct accelerators *list)
{
	arena_free(&list->arena);
	memory_free(list->items);
	*list = (struct accelerators){ .items = NULL };
}
