#include "mine/methods.h"

#include <math.h>
#include <string.h>

static void (*const runs[METHOD_COUNT])(struct miner *) = {
	[METHOD_WHAM] = mine_wham, [METHOD_WHAM_PAPER] = mine_wham_paper, [METHOD_ILP] = mine_ilp, [METHOD_RLGA] = mine_rlga, [METHOD_BAYES] = mine_bayes, [METHOD_RANDOM] = mine_random,
	[METHOD_EXHAUSTIVE] = mine_exhaustive,
};

static const char *const words[METHOD_COUNT] = {
#define X(id, name) name,
	MINE_METHODS(X)
#undef X
};

const char *mine_method_name(enum mine_method method)
{
	return words[method];
}

enum mine_method mine_method_find(const char *name)
{
	int i = 0;

	while (i < METHOD_COUNT && strcmp(words[i], name) != 0)
		i++;
	return (enum mine_method)i;
}

enum status mine_check_limits(const struct design_space *space, struct diagnostic *d)
{
	struct design least = space_design(space, 0);

	if (space_area(space, &least) > space->area_limit)
		return diagnostic_fail(d, STATUS_INFEASIBLE, "area_limit: no design fits %.4g mm2; the smallest, one 2x2 core of each kind and a buffer of 2 MiB, takes %.4g", space->area_limit,
			space_area(space, &least));
	if (space_tdp(space, &least) > space->power_limit)
		return diagnostic_fail(d, STATUS_INFEASIBLE, "power_limit: no design fits %.4g W; the smallest, one 2x2 core of each kind and a buffer of 2 MiB, takes %.4g", space->power_limit,
			space_tdp(space, &least));
	return STATUS_OK;
}

enum status mine_run(enum mine_method method, struct miner *miner, struct diagnostic *d)
{
	enum status status = mine_check_limits(miner->request->space, d);

	if (status != STATUS_OK)
		return status;
	runs[method](miner);
	return mine_ended(miner, d);
}

enum status mine_ended(struct miner *miner, struct diagnostic *d)
{
	const struct mine_request *r = miner->request;
	const struct judged *j;
	double most = 0;
	size_t at = 0;

	if (miner_cancelled(miner))
		return diagnostic_fail(d, STATUS_INTERRUPTED, "interrupted");
	if (miner->trouble[0] != '\0')
		return diagnostic_fail(d, STATUS_INPUT, "%s", miner->trouble);
	if (miner_best(miner) != NULL)
		return STATUS_OK;
	while ((j = miner_next(miner, &at)) != NULL)
		most = j->throughput > most ? j->throughput : most;
	if (most > 0)
		return diagnostic_fail(d, STATUS_INFEASIBLE, "min_throughput: no design that was tried reaches %.6g samples/s, the nearest %.6g; lower it, or raise %s", r->floor, most,
			r->space->power_limit < INFINITY ? "area_limit or power_limit" : "area_limit");
	return diagnostic_fail(d, STATUS_INFEASIBLE, r->judge != NULL ? "no design that was tried can do the run at all; `report` with one of them says why" :
		"no design that was tried can run the step at all: its buffer holds no tile; raise area_limit or power_limit");
}
