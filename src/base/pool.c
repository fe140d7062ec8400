#include "base/pool.h"

#include "base/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct entry {
	struct entry *next;
	pool_work *work;
	void *item;
};

struct queue {
	struct entry *first, **end;
};

struct pool {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct queue waiting, finished;   /* under lock */
	bool leave;                       /* under lock */
	atomic_bool cancel;               /* set by the owner, cleared when a push finds the pool idle */
	int busy;                         /* the owner's */
	int pipe[2];
};

static void queue_add(struct queue *queue, struct entry *entry)
{
	entry->next = NULL;
	*queue->end = entry;
	queue->end = &entry->next;
}

static struct entry *queue_take(struct queue *queue)
{
	struct entry *entry = queue->first;

	if (entry != NULL && (queue->first = entry->next) == NULL)
		queue->end = &queue->first;
	return entry;
}

static void *run(void *argument)
{
	struct pool *pool = argument;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		struct entry *entry = queue_take(&pool->waiting);

		if (entry == NULL) {
			if (pool->leave)
				break;
			pthread_cond_wait(&pool->wake, &pool->lock);
			continue;
		}
		pthread_mutex_unlock(&pool->lock);
		entry->work(entry->item, &pool->cancel);
		pthread_mutex_lock(&pool->lock);
		queue_add(&pool->finished, entry);
		/* A full pipe is as good as one more byte. */
		if (write(pool->pipe[1], "", 1) < 0)
			continue;
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct pool *pool_new(void)
{
	struct pool *pool = memory_alloc(1, sizeof *pool);
	sigset_t all, before;
	bool started;

	if (pipe(pool->pipe) != 0) {
		memory_free(pool);
		return NULL;
	}
	for (int i = 0; i < 2; i++) {
		fcntl(pool->pipe[i], F_SETFL, O_NONBLOCK);
		fcntl(pool->pipe[i], F_SETFD, FD_CLOEXEC);
	}
	pool->waiting.end = &pool->waiting.first;
	pool->finished.end = &pool->finished.first;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wake, NULL);
	sigfillset(&all);
	/* Faults stay deliverable: a blocked SIGSEGV would end the process past the handler that restores the terminal. */
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	started = pthread_create(&pool->thread, NULL, run, pool) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		return pool;
	close(pool->pipe[0]);
	close(pool->pipe[1]);
	memory_free(pool);
	return NULL;
}

int pool_fd(const struct pool *pool)
{
	return pool->pipe[0];
}

int pool_busy(const struct pool *pool)
{
	return pool->busy;
}

void pool_push(struct pool *pool, pool_work *work, void *item)
{
	struct entry *entry = memory_alloc(1, sizeof *entry);

	entry->work = work;
	entry->item = item;
	if (pool->busy == 0)
		atomic_store(&pool->cancel, false);
	pool->busy++;
	pthread_mutex_lock(&pool->lock);
	queue_add(&pool->waiting, entry);
	pthread_cond_signal(&pool->wake);
	pthread_mutex_unlock(&pool->lock);
}

void *pool_take(struct pool *pool)
{
	struct entry *entry;
	void *item = NULL;
	char bytes[64];

	while (read(pool->pipe[0], bytes, sizeof bytes) > 0)
		;
	pthread_mutex_lock(&pool->lock);
	entry = queue_take(&pool->finished);
	pthread_mutex_unlock(&pool->lock);
	if (entry != NULL) {
		item = entry->item;
		memory_free(entry);
		pool->busy--;
	}
	return item;
}

void pool_cancel(struct pool *pool)
{
	if (pool->busy > 0)
		atomic_store(&pool->cancel, true);
}

void pool_free(struct pool *pool)
{
	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->leave = true;
	pthread_cond_signal(&pool->wake);
	pthread_mutex_unlock(&pool->lock);
	pthread_join(pool->thread, NULL);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->wake);
	close(pool->pipe[0]);
	close(pool->pipe[1]);
	memory_free(pool);
}
