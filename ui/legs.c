#include "ui/legs.h"

#include "base/memory.h"
#include "base/pool.h"
#include "ui/search.h"

#include <poll.h>

struct leg {
	struct race *race;
	enum mine_method method;
};

static void run_leg(void *item, const atomic_bool *cancel)
{
	struct leg *leg = item;
	struct diagnostic d;

	race_leg(leg->race, leg->method, cancel, &d);
}

int legs_fd(const struct legs *l)
{
	return l->pool != NULL ? pool_fd(l->pool) : -1;
}

void legs_cancel(struct legs *l)
{
	if (l->pool == NULL || pool_busy(l->pool) == 0)
		return;
	pool_cancel(l->pool);
	l->cancelled = true;
}

/* Legs of one race only are out at a time: those of one that is no longer shown are called off first. */
bool legs_feed(struct legs *l, struct explorer *e)
{
	struct racing *r = &e->racing;

	if (r->out != NULL && r->out != r->race && !l->cancelled)
		legs_cancel(l);
	if (r->wanted == 0 || (r->out != NULL && (r->out != r->race || l->cancelled)))
		return false;
	if (l->pool == NULL)
		l->pool = pool_new();
	for (int i = 0; i < METHOD_COUNT; i++) {
		struct leg *leg;
		struct diagnostic d;

		if (!(r->wanted & 1u << i))
			continue;
		/* No thread to be had: better late than never. */
		if (l->pool == NULL) {
			race_leg(r->race, (enum mine_method)i, NULL, &d);
			continue;
		}
		leg = memory_alloc(1, sizeof *leg);
		*leg = (struct leg){ r->race, (enum mine_method)i };
		r->out = r->race;
		pool_push(l->pool, run_leg, leg);
	}
	r->wanted = 0;
	return true;
}

bool legs_take(struct legs *l, struct explorer *e)
{
	struct racing *r = &e->racing;
	struct leg *leg;
	bool any = false;

	while (l->pool != NULL && (leg = pool_take(l->pool)) != NULL) {
		memory_free(leg);
		any = true;
		if (pool_busy(l->pool) > 0)
			continue;
		if (r->out != r->race)
			race_free(r->out);
		r->out = NULL;
		l->cancelled = false;
	}
	return any;
}

bool legs_watched(const struct explorer *e)
{
	return e->racing.out != NULL && e->view == VIEW_SEARCH && !atomic_load(&e->racing.out->paused);
}

bool legs_got_on(struct legs *l, const struct explorer *e)
{
	int64_t designs = 0;

	if (!legs_watched(e))
		return false;
	for (int i = 0; i < METHOD_COUNT; i++)
		if (racing_hold(e, (enum mine_method)i)) {
			designs += e->racing.race->entrants[i].miner.evaluations + e->racing.race->entrants[i].miner.part;
			racing_release(e, (enum mine_method)i);
		}
	if (designs == l->designs_seen)
		return false;
	l->designs_seen = designs;
	return true;
}

void legs_end(struct legs *l, struct explorer *e)
{
	while (l->pool != NULL && pool_busy(l->pool) > 0) {
		struct pollfd fd = { pool_fd(l->pool), POLLIN, 0 };

		legs_cancel(l);
		poll(&fd, 1, 100);
		legs_take(l, e);
	}
	pool_free(l->pool);
}
