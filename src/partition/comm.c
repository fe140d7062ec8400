#include "partition/comm.h"

struct layouts {
	enum layout input;       /* needed of F_l */
	enum layout output;      /* had of F_{l+1} */
	enum layout error_needed;/* of E_{l+1} */
	enum layout error_had;   /* of E_l */
};

static const struct layouts layer_layouts[STATES_MAX] = {
	[SPLIT_DP] = { LAYOUT_ROW, LAYOUT_ROW, LAYOUT_ROW, LAYOUT_ROW },
	[SPLIT_MP] = { LAYOUT_COL, LAYOUT_FULL, LAYOUT_FULL, LAYOUT_COL },
	[SPLIT_OP] = { LAYOUT_FULL, LAYOUT_COL, LAYOUT_COL, LAYOUT_FULL },
};
static const struct layouts all_col = { LAYOUT_COL, LAYOUT_COL, LAYOUT_COL, LAYOUT_COL };

static struct layouts layouts_of(enum role role, int state)
{
	if (role == ROLE_JUNCTION) {
		enum layout l = (enum layout)state;

		return (struct layouts){ l, l, l, l };
	}
	if (role == ROLE_GROUPED && state == SPLIT_MP)
		return all_col;
	return layer_layouts[state];
}

int comm_states(enum role role)
{
	return role == ROLE_GROUPED ? 2 : 3;
}

double comm_change(enum comm_model model, enum layout from, enum layout to)
{
	if (from == to || from == LAYOUT_FULL)
		return 0;
	if (to == LAYOUT_FULL)
		return model == COMM_FIGURES ? 0 : 0.5;
	return 0.25;
}

double comm_edge(enum comm_model model, enum role from, int from_state, enum role to, int to_state)
{
	struct layouts left = layouts_of(from, from_state), right = layouts_of(to, to_state);
	double features = comm_change(model, left.output, right.input);
	double errors = to == ROLE_EMBEDDING ? 0 : comm_change(model, right.error_had, left.error_needed);

	return features + errors;
}

bool comm_halves_input(enum role role, int state)
{
	return role == ROLE_JUNCTION ? state != LAYOUT_FULL : state != SPLIT_OP;
}

bool comm_halves_output(enum role role, int state)
{
	if (role == ROLE_JUNCTION)
		return state != LAYOUT_FULL;
	return state != SPLIT_MP || role == ROLE_GROUPED;
}

bool comm_halves_weights(enum role role, int state)
{
	return role != ROLE_JUNCTION && state != SPLIT_DP;
}

double comm_intra(enum role role, int state, const struct shard *shard)
{
	if (role == ROLE_JUNCTION)
		return 0;
	switch (state) {
	case SPLIT_DP:
		return shard->weights;
	case SPLIT_MP:
		return role == ROLE_GROUPED ? 0 : shard->output;
	default:
		return role == ROLE_EMBEDDING ? 0 : shard->input;
	}
}
