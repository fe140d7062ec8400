#include "study/preset.h"

#include "network/presets.h"

#include <string.h>

const struct accelerator *preset_find(const struct accelerators *builtin, const struct own_accelerator *own, const double *values, struct diagnostic *d)
{
	const struct parameter *p = parameter_at(PARAMETER_ACCELERATOR);
	const char *name = p->choices[(int)values[PARAMETER_ACCELERATOR]];

	if ((int)values[PARAMETER_ACCELERATOR] < (int)p->maximum)
		return accelerator_find(builtin, name, d);
	if (own != NULL)
		return own->chosen;
	diagnostic_fail(d, STATUS_INPUT, "accelerator=own: none was read from a file; the command `accelerator FILE.csv [NAME]` reads one");
	return NULL;
}

const struct accelerator *preset_second(const struct accelerators *builtin, const double *values, struct diagnostic *d)
{
	int chosen = (int)values[PARAMETER_ACCELERATOR2];

	if (chosen == ACCELERATOR2_SAME || values[PARAMETER_ACCELERATORS] < 2)
		return NULL;
	return accelerator_find(builtin, parameter_at(PARAMETER_ACCELERATOR2)->choices[chosen], d);
}

double preset_standard(const struct accelerator *preset, enum parameter_id id)
{
	double values[PARAMETER_COUNT];

	if (preset == NULL || !parameter_of_preset(id))
		return parameter_at(id)->standard;
	preset_apply(preset, values);
	return values[id];
}

void preset_apply(const struct accelerator *preset, double *values)
{
	const struct machine *m = &preset->machine;

	values[PARAMETER_TC] = (double)m->tc;
	values[PARAMETER_TC_ROWS] = (double)m->tc_rows;
	values[PARAMETER_TC_COLS] = (double)m->tc_cols;
	values[PARAMETER_VC] = (double)m->vc;
	values[PARAMETER_VC_LANES] = (double)m->vc_lanes;
	values[PARAMETER_GLB] = m->glb;
	values[PARAMETER_HBM] = m->hbm;
	values[PARAMETER_HBM_BW] = m->hbm_bw;
	values[PARAMETER_CLOCK] = m->clock;
	values[PARAMETER_DATAFLOW] = (double)m->dataflow;
	values[PARAMETER_MAC_ENERGY] = m->mac_j;
	values[PARAMETER_UNCORE_MM2] = accelerator_uncore(preset, constants_standard());
}

bool preset_brings(const struct accelerator *preset)
{
	return preset != NULL && (preset->kind == ACCELERATOR_GPU || preset->network[0] != '\0');
}

void preset_bring(const struct accelerator *preset, double *values, struct topology *topology)
{
	if (preset->kind == ACCELERATOR_GPU)
		values[PARAMETER_ACCELERATORS] = 1;
	if (preset->network[0] != '\0' && network_find(preset->network, topology, NULL) == STATUS_OK)
		values[PARAMETER_TOPOLOGY] = TOPOLOGY_KIND_COUNT;
}

struct machine preset_machine(const struct accelerator *preset, const double *values)
{
	struct machine m = preset->machine;

	m.tc = (int64_t)values[PARAMETER_TC];
	m.tc_rows = (int64_t)values[PARAMETER_TC_ROWS];
	m.tc_cols = (int64_t)values[PARAMETER_TC_COLS];
	m.vc = (int64_t)values[PARAMETER_VC];
	m.vc_lanes = (int64_t)values[PARAMETER_VC_LANES];
	m.glb = values[PARAMETER_GLB];
	m.hbm = values[PARAMETER_HBM];
	m.hbm_bw = values[PARAMETER_HBM_BW];
	m.clock = values[PARAMETER_CLOCK];
	m.dataflow = (enum dataflow)(int)values[PARAMETER_DATAFLOW];
	m.mac_j = values[PARAMETER_MAC_ENERGY];
	m.element_bytes = format_at((enum number_format)(int)values[PARAMETER_PRECISION])->bytes;
	return m;
}

struct constants preset_constants(const double *values)
{
	struct constants c;

	/* the parameters follow the table of constants */
	memcpy(c.value, &values[PARAMETER_TC_AREA], sizeof c.value);
	return c;
}
