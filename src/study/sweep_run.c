/* A sweep on all cores: each thread takes the next point that is missing, with a study of its own. */
#include "study/sweep.h"

#include "base/memory.h"
#include "base/system.h"

#include <pthread.h>

struct running {
	const struct sweep_grid *grid;
	enum status (*edit)(void *self, struct study *study, struct diagnostic *d);
	void *self;
	struct sweep_file *file;
	const struct sweep_watch *watch;
	const atomic_bool *cancel;
	pthread_mutex_t lock;            /* of all below, and of the file */
	int64_t next, done, todo;
	double started;
	enum status status;              /* the first failure of any thread */
	struct diagnostic d;
};

/* The next point that is missing, or -1. */
static int64_t take_point(struct running *r)
{
	int64_t point = -1;

	pthread_mutex_lock(&r->lock);
	while (r->next < r->grid->points && sweep_file_has(r->file, r->next))
		r->next++;
	if (r->status == STATUS_OK && r->next < r->grid->points && !(r->cancel != NULL && atomic_load(r->cancel)))
		point = r->next++;
	pthread_mutex_unlock(&r->lock);
	return point;
}

static void give_row(struct running *r, int64_t point, const char *row)
{
	struct diagnostic d;

	pthread_mutex_lock(&r->lock);
	if (r->status == STATUS_OK && sweep_file_add(r->file, point, row, &d) != STATUS_OK) {
		r->status = STATUS_INPUT;
		r->d = d;
	}
	r->done++;
	if (r->watch != NULL)
		r->watch->told(r->watch->self, seconds_now() - r->started, r->done, r->todo);
	pthread_mutex_unlock(&r->lock);
}

static void fail(struct running *r, enum status status, const struct diagnostic *d)
{
	pthread_mutex_lock(&r->lock);
	if (r->status == STATUS_OK) {
		r->status = status;
		r->d = *d;
	}
	pthread_mutex_unlock(&r->lock);
}

static void *work(void *context)
{
	struct running *r = context;
	struct study *study = study_new();
	struct document base;
	struct diagnostic d;
	enum status status = r->edit(r->self, study, &d);
	int64_t point;

	if (status != STATUS_OK)
		fail(r, status, &d);
	document_copy(&base, study_document(study));
	while ((point = take_point(r)) >= 0) {
		struct text row = { 0 };

		sweep_evaluate(study, &base, r->grid, point, &row);
		give_row(r, point, text_string(&row));
		text_free(&row);
	}
	document_free(&base);
	study_free(study);
	return NULL;
}

enum status sweep_run(const struct sweep_grid *grid, enum status (*edit)(void *self, struct study *study, struct diagnostic *d), void *self, int threads, struct sweep_file *file,
	const struct sweep_watch *watch, const atomic_bool *cancel, struct diagnostic *d)
{
	struct running r = { .grid = grid, .edit = edit, .self = self, .file = file, .watch = watch, .cancel = cancel, .todo = grid->points - sweep_file_count(file), .started = seconds_now() };
	pthread_t others[THREADS_MAX];
	int wanted = thread_count(threads), started = 0;

	pthread_mutex_init(&r.lock, NULL);
	while (started < wanted - 1 && pthread_create(&others[started], NULL, work, &r) == 0)
		started++;
	work(&r);
	for (int i = 0; i < started; i++)
		pthread_join(others[i], NULL);
	pthread_mutex_destroy(&r.lock);
	if (r.status != STATUS_OK) {
		*d = r.d;
		return r.status;
	}
	if (cancel != NULL && atomic_load(cancel) && sweep_file_count(file) < grid->points)
		return diagnostic_fail(d, STATUS_INTERRUPTED, "interrupted; %lld of %lld rows are there, and the same command goes on", (long long)sweep_file_count(file), (long long)grid->points);
	return sweep_file_finish(file, d);
}
