/* One worker thread with a queue.
 *
 * The owner pushes work, polls pool_fd for reading, and takes finished items in order.  The worker touches nothing but
 * the item it was given; all signals are blocked in it.  Cancelling asks the running item to stop early (it polls the
 * flag) and makes waiting ones run with the flag set already; every item pushed can be taken again, so its owner frees it. */
#ifndef WHYPAR_BASE_POOL_H
#define WHYPAR_BASE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

struct pool;

typedef void pool_work(void *item, const atomic_bool *cancel);

/* NULL when the system gives no thread or pipe. */
struct pool *pool_new(void);
/* Ends the worker and frees the pool, which must not be busy: every item must have been taken.  NULL allowed. */
void pool_free(struct pool *pool);

int pool_fd(const struct pool *pool);
void pool_push(struct pool *pool, pool_work *work, void *item);
/* Next finished item, or NULL. */
void *pool_take(struct pool *pool);
void pool_cancel(struct pool *pool);
/* Items pushed and not yet taken. */
int pool_busy(const struct pool *pool);

#endif
