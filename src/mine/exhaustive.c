/* Every design that fits, dealt to threads in the order of their numbers; what they find is taken in that order, so that it is the same for any number
 * of threads. */
#include "mine/methods.h"

#include "base/memory.h"
#include "base/system.h"

#include <pthread.h>

enum { CHUNK = 256 };

struct sharing {
	const struct mine_request *request;
	const int64_t *numbers;          /* of the designs that fit */
	struct judged *judged;           /* of each */
	int64_t from, to;
	atomic_long next;
};

static void *judge_some(void *context)
{
	struct sharing *s = context;
	int64_t i;

	while ((i = s->from + atomic_fetch_add(&s->next, 1)) < s->to) {
		struct design d = space_design(s->request->space, s->numbers[i]);

		s->judged[i - s->from] = mine_judge(s->request, &d);
		if (s->request->cancel != NULL && atomic_load(s->request->cancel))
			break;
	}
	return NULL;
}

/* This thread works too; fewer threads than wanted only take longer. */
static void judge_chunk(struct sharing *s)
{
	pthread_t threads[THREADS_MAX];
	int others = thread_count(s->request->threads) - 1, started = 0;

	atomic_store(&s->next, 0);
	while (started < others && pthread_create(&threads[started], NULL, judge_some, s) == 0)
		started++;
	judge_some(s);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

void mine_exhaustive(struct miner *miner)
{
	int64_t *numbers, fitting = space_fitting(miner->request->space, &numbers);
	struct judged *judged = memory_alloc(CHUNK, sizeof *judged);
	struct sharing s = { .request = miner->request, .numbers = numbers, .judged = judged };

	miner_prune(miner, space_count(miner->request->space) - fitting);
	miner_plan(miner, fitting);
	for (s.from = 0; s.from < fitting; s.from = s.to) {
		s.to = s.from + CHUNK < fitting ? s.from + CHUNK : fitting;
		judge_chunk(&s);
		if (!miner_goes_on(miner))
			break;
		for (int64_t i = s.from; i < s.to; i++)
			miner_take(miner, &judged[i - s.from]);
	}
	memory_free(judged);
	memory_free(numbers);
}
