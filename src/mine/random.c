/* Designs drawn evenly from those that fit. */
#include "mine/methods.h"

#include "base/memory.h"

void mine_random(struct miner *miner)
{
	const struct mine_request *r = miner->request;
	int64_t *numbers, fitting = space_fitting(r->space, &numbers), most = r->evaluations < fitting ? r->evaluations : fitting;
	struct mine_random random = { r->seed };

	miner_plan(miner, most);
	/* draws that were had before cost nothing, so there is an end to drawing */
	for (int64_t draws = 0; miner->evaluations < most && draws < 64 * most && miner_goes_on(miner); draws++) {
		struct design d = space_design(r->space, numbers[mine_draw(&random) % (uint64_t)fitting]);

		miner_try(miner, &d);
	}
	memory_free(numbers);
}
