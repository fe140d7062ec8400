#include "mine/miner.h"

#include "base/memory.h"
#include "base/system.h"

#include <string.h>
#include <time.h>

struct tried {
	int64_t number;          /* + 1; 0: a free place */
	struct judged judged;
};

const char *mine_metric_name(enum mine_metric metric)
{
	static const char *const names[METRIC_COUNT] = {
#define X(id, name, text) name,
		MINE_METRICS(X)
#undef X
	};

	return names[metric];
}

const char *mine_event_name(enum mine_event_kind kind)
{
	static const char *const names[MINED_COUNT] = {
#define X(id, name, text) name,
		MINE_EVENTS(X)
#undef X
	};

	return names[kind];
}

void miner_init(struct miner *m, const struct mine_request *request)
{
	*m = (struct miner){ .request = request, .started = seconds_now() };
	pthread_mutex_init(&m->guard, NULL);
}

void miner_free(struct miner *m)
{
	memory_free(m->curve);
	memory_free(m->events);
	memory_free(m->tried);
	pthread_mutex_destroy(&m->guard);
	*m = (struct miner){ .request = NULL };
}

double miner_seconds(const struct miner *m)
{
	return (m->paused > 0 ? m->paused : seconds_now()) - m->started - m->paused_s;
}

void miner_hold(struct miner *m)
{
	pthread_mutex_lock(&m->guard);
}

void miner_release(struct miner *m)
{
	pthread_mutex_unlock(&m->guard);
}

static bool is_set(const atomic_bool *flag)
{
	return flag != NULL && atomic_load(flag);
}

bool miner_cancelled(const struct miner *m)
{
	return is_set(m->request->cancel);
}

bool miner_goes_on(struct miner *m)
{
	static const struct timespec nap = { 0, 5000000 };

	if (is_set(m->request->pause) && !miner_cancelled(m)) {
		miner_hold(m);
		m->paused = seconds_now();
		miner_release(m);
		while (is_set(m->request->pause) && !miner_cancelled(m))
			nanosleep(&nap, NULL);
		miner_hold(m);
		m->paused_s += seconds_now() - m->paused;
		m->paused = 0;
		miner_release(m);
	}
	return !miner_cancelled(m);
}

/* ---- what was tried ---- */

static struct tried *place_of(const struct miner *m, int64_t number)
{
	size_t at = (size_t)((uint64_t)number * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (m->tried_capacity - 1);

	while (m->tried[at].number != 0 && m->tried[at].number != number + 1)
		at = (at + 1) & (m->tried_capacity - 1);
	return &m->tried[at];
}

static void make_room(struct miner *m)
{
	struct tried *old = m->tried;
	size_t capacity = m->tried_capacity;

	if (2 * ((size_t)m->evaluations + 1) < capacity)
		return;
	m->tried_capacity = capacity > 0 ? 2 * capacity : 1024;
	m->tried = memory_alloc(m->tried_capacity, sizeof *m->tried);
	for (size_t i = 0; i < capacity; i++)
		if (old[i].number != 0)
			*place_of(m, old[i].number - 1) = old[i];
	memory_free(old);
}

/* More value first; of equal ones the lower number, so that the order of trying does not tell. */
static bool is_before(const struct miner *m, const struct judged *a, const struct judged *b)
{
	if (a->value != b->value)
		return a->value > b->value;
	return space_number(m->request->space, &a->design) < space_number(m->request->space, &b->design);
}

static void rank(struct miner *m, const struct judged *j)
{
	int at = m->top_count;

	if (!(j->value > 0))
		return;
	while (at > 0 && is_before(m, j, &m->top[at - 1]))
		at--;
	if (at == MINE_TOP_MAX)
		return;
	m->top_count += m->top_count < MINE_TOP_MAX;
	memmove(&m->top[at + 1], &m->top[at], (size_t)(m->top_count - at - 1) * sizeof *m->top);
	m->top[at] = *j;
	if (at > 0 || (m->curve_count > 0 && m->curve[m->curve_count - 1].value == j->value))
		return;
	m->curve = memory_grow(m->curve, &m->curve_capacity, m->curve_count + 1, sizeof *m->curve);
	m->curve[m->curve_count++] = (struct mine_point){ m->evaluations, miner_seconds(m), j->value };
}

void miner_take(struct miner *m, const struct judged *j)
{
	struct tried *k;

	miner_hold(m);
	make_room(m);
	k = place_of(m, space_number(m->request->space, &j->design));
	if (k->number == 0) {
		k->number = space_number(m->request->space, &j->design) + 1;
		k->judged = *j;
		m->evaluations++;
		rank(m, j);
	}
	miner_release(m);
}

const struct judged *miner_tried(const struct miner *m, const struct design *design)
{
	const struct tried *k = m->tried_capacity > 0 ? place_of(m, space_number(m->request->space, design)) : NULL;

	return k != NULL && k->number != 0 ? &k->judged : NULL;
}

const struct judged *miner_next(const struct miner *m, size_t *at)
{
	while (*at < m->tried_capacity)
		if (m->tried[(*at)++].number != 0)
			return &m->tried[*at - 1].judged;
	return NULL;
}

const struct judged *miner_try(struct miner *m, const struct design *design)
{
	const struct judged *tried = miner_tried(m, design);
	struct judged j;

	if (!miner_goes_on(m))
		return NULL;
	if (tried != NULL)
		return tried;
	j = mine_judge(m->request, design);
	miner_take(m, &j);
	return miner_tried(m, design);
}

int miner_tell(struct miner *m, enum mine_event_kind kind, const struct design *design, double value, int parent)
{
	int number;

	miner_hold(m);
	m->events = memory_grow(m->events, &m->event_capacity, m->event_count + 1, sizeof *m->events);
	m->events[m->event_count] = (struct mine_event){ kind, *design, m->evaluations, value, parent };
	number = (int)m->event_count++;
	miner_release(m);
	return number;
}

void miner_plan(struct miner *m, int64_t designs)
{
	miner_hold(m);
	m->planned = designs;
	miner_release(m);
}

void miner_part(struct miner *m, int part, int parts)
{
	miner_hold(m);
	m->part = part;
	m->parts = parts;
	miner_release(m);
}

void miner_leave_out(struct miner *m, double seconds)
{
	miner_hold(m);
	m->paused_s += seconds;
	miner_release(m);
}

void miner_prune(struct miner *m, int64_t count)
{
	miner_hold(m);
	m->pruned += count;
	miner_release(m);
}

const struct judged *miner_best(const struct miner *m)
{
	return m->top_count > 0 ? &m->top[0] : NULL;
}
