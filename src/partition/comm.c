#include "partition/comm.h"

struct layouts {
	enum layout input;       /* needed of F_l */
	enum layout output;      /* had of F_{l+1} */
	enum layout error_needed;/* of E_{l+1} */
	enum layout error_had;   /* of E_l */
};

#define SAME(layout) { layout, layout, layout, layout }
#define TYPES \
	[SPLIT_DP] = SAME(LAYOUT_ROW), \
	[SPLIT_MP] = { LAYOUT_COL, LAYOUT_FULL, LAYOUT_FULL, LAYOUT_COL }, \
	[SPLIT_OP] = { LAYOUT_FULL, LAYOUT_COL, LAYOUT_COL, LAYOUT_FULL }

static const struct layouts layouts[ROLE_COUNT][STATES_MAX] = {
	[ROLE_LAYER] = { TYPES },
	[ROLE_EMBEDDING] = { TYPES },
	[ROLE_GROUPED] = { [SPLIT_DP] = SAME(LAYOUT_ROW), [SPLIT_MP] = SAME(LAYOUT_COL) },
	[ROLE_JUNCTION] = { [LAYOUT_ROW] = SAME(LAYOUT_ROW), [LAYOUT_COL] = SAME(LAYOUT_COL), [LAYOUT_FULL] = SAME(LAYOUT_FULL) },
};

/* Fractions of a tensor, [from][to] in the order row, col, full. */
static const double changes[][LAYOUT_COUNT][LAYOUT_COUNT] = {
	[COMM_PRINTED] = { { 0, 0.25, 0.5 }, { 0.25, 0, 0.5 }, { 0, 0, 0 } },
	[COMM_FIGURES] = { { 0, 0.25, 0 }, { 0.25, 0, 0 }, { 0, 0, 0 } },
};

int comm_states(enum role role)
{
	return role == ROLE_GROUPED ? 2 : 3;
}

struct comm_changes comm_changes(enum comm_model model, enum role from, int from_state, enum role to, int to_state)
{
	const struct layouts *left = &layouts[from][from_state], *right = &layouts[to][to_state];

	return (struct comm_changes){ changes[model][left->output][right->input], to == ROLE_EMBEDDING ? 0 : changes[model][right->error_had][left->error_needed] };
}

double comm_edge(enum comm_model model, enum role from, int from_state, enum role to, int to_state)
{
	struct comm_changes c = comm_changes(model, from, from_state, to, to_state);

	return c.features + c.errors;
}

int comm_edge_messages(enum comm_model model, enum role from, int from_state, enum role to, int to_state)
{
	struct comm_changes c = comm_changes(model, from, from_state, to, to_state);

	return (c.features > 0) + (c.errors > 0);
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
