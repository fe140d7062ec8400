/* Designs drawn evenly from those that fit. */
#include "mine/methods.h"

void mine_random(struct miner *miner)
{
	const struct mine_request *r = miner->request;
	int64_t count = space_count(r->space), most = r->evaluations;
	struct mine_random random = { r->seed };

	/* draws that were had before cost nothing, so there is an end to drawing */
	for (int64_t draws = 0; miner->evaluations < most && draws < 64 * most && !miner_cancelled(miner); draws++) {
		struct design d = space_design(r->space, (int64_t)(mine_draw(&random) % (uint64_t)count));

		if (space_limit(r->space, &d) == LIMIT_NONE)
			miner_try(miner, &d);
	}
}
