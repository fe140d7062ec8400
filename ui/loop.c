/* The loop: waits for keys, signals and the worker; handles all that came; recomputes; paints one frame.
 *
 * Only this thread touches the study and the terminal.  What the worker brings is painted at most 60 times a second, a
 * key at once (all that have come, in one frame); with nothing to do it sleeps in poll and writes nothing. */
#include "ui/explorer.h"

#include "base/pool.h"
#include "base/system.h"
#include "ui/legs.h"
#include "ui/term.h"

#include "ui/signals.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FRAMES_KEPT = 4096, SILENT_WAKEUPS_MAX = 64 };

/* Least time between frames: for results, and for keys (a held key, or a paste that is not bracketed). */
static const double FRAME_SECONDS = 1.0 / 60, KEY_FRAME_SECONDS = 0.004, RACE_SECONDS = 0.05;

struct loop {
	struct explorer e;
	struct terminal *term;
	struct pool *pool;               /* made when the first job comes */
	struct legs legs;
	struct document job_document;    /* what the job out was taken for */
	bool has_job_document;
	bool stopped;                    /* by the user: no new job until the document or what is looked at changes */
	int stopped_view, stopped_row, stopped_level;
	bool dirty;                      /* something to paint */
	bool leave;
	enum status status;
	double started, first_frame, last_frame, event_at; /* event_at: when the oldest unpainted event was read, 0 = none */
	float *frames;                   /* seconds from event to painted, when measuring */
	size_t frame_count;
	int silent;                      /* wake-ups by the terminal without anything to read */
};

static void run_job(void *item, const atomic_bool *cancel)
{
	study_run_job(item, cancel);
}

static void note_document(struct loop *l)
{
	if (l->has_job_document)
		document_free(&l->job_document);
	document_copy(&l->job_document, study_document(l->e.study));
	l->has_job_document = true;
}

/* Hands the worker what the study wants done; calls off what the document has left behind. */
static void feed_worker(struct loop *l)
{
	const struct results *results = study_results(l->e.study);
	bool moved_on = l->has_job_document && !document_equal(&l->job_document, study_document(l->e.study));
	struct study_job *job;

	if (l->e.stop) {
		l->e.stop = false;
		l->stopped = true;
		l->stopped_view = (int)l->e.view;
		l->stopped_row = l->e.row;
		l->stopped_level = l->e.level;
		note_document(l);
		if (l->pool != NULL && pool_busy(l->pool) > 0)
			pool_cancel(l->pool);
		explorer_say(&l->e, STYLE_WARNING, l->e.racing.out != NULL ? "stopped; what was found stays" : "stopped; any edit starts it again");
		legs_cancel(&l->legs);
		l->dirty = true;
		return;
	}
	if (l->stopped && (moved_on || l->stopped_view != (int)l->e.view || l->stopped_row != l->e.row || l->stopped_level != l->e.level))
		l->stopped = false;
	if (l->pool != NULL && pool_busy(l->pool) > 0) {
		if (moved_on)
			pool_cancel(l->pool);
		return;
	}
	if (!results->pending || l->stopped)
		return;
	if (l->pool == NULL && (l->pool = pool_new()) == NULL) {
		/* No thread to be had: better late than never. */
		study_settle(l->e.study, NULL);
		l->e.rebuild = l->dirty = true;
		return;
	}
	job = study_take_job(l->e.study);
	if (job == NULL)
		return;
	note_document(l);
	pool_push(l->pool, run_job, job);
	l->e.working = true;
	l->dirty = true;
}

static void take_finished(struct loop *l)
{
	struct study_job *job;

	while (l->pool != NULL && (job = pool_take(l->pool)) != NULL) {
		if (study_install(l->e.study, job)) {
			l->e.rebuild = true;
			l->e.inspector.ask_again = true;
		}
		l->e.working = pool_busy(l->pool) > 0;
		l->dirty = true;
	}
}

static void settings(struct loop *l)
{
	struct explorer *e = &l->e;

	terminal_set_colors(l->term, (int)explorer_value(e, PARAMETER_COLOR), (enum theme)(int)explorer_value(e, PARAMETER_THEME));
	terminal_set_mouse(l->term, explorer_value(e, PARAMETER_MOUSE) > 0);
}

static void paint(struct loop *l)
{
	struct explorer *e = &l->e;
	double painted;

	explorer_refresh(e);
	settings(l);
	if (e->redraw) {
		terminal_forget(l->term);
		e->redraw = false;
	}
	explorer_draw(e);
	terminal_draw(l->term, &e->cells, explorer_value(e, PARAMETER_CURSOR) > 0);
	painted = seconds_now();
	if (l->first_frame == 0)
		l->first_frame = painted;
	if (l->event_at > 0 && l->frames != NULL)
		l->frames[l->frame_count++ % FRAMES_KEPT] = (float)(painted - l->event_at);
	l->event_at = 0;
	l->last_frame = painted;
	l->dirty = false;
}

static void interrupt(struct loop *l)
{
	struct explorer *e = &l->e;

	if (e->prompt.open || e->popup.open || e->working || e->racing.out != NULL || e->view == VIEW_HELP || e->lesson.waiting) {
		explorer_key(e, 'C' - 0x40);
		l->dirty = true;
	} else {
		l->leave = true;
		l->status = STATUS_INTERRUPTED;
	}
}

static void take_size(struct loop *l)
{
	int rows, cols;

	if (terminal_resize(l->term, &rows, &cols)) {
		explorer_resize(&l->e, rows, cols);
		l->dirty = true;
	}
}

static void suspend(struct loop *l)
{
	terminal_suspend(l->term);
	take_size(l);
	l->e.suspend = false;
	l->dirty = true;
	l->event_at = 0;
}

static void take_signals(struct loop *l)
{
	int number;
	bool stop = false;

	while ((number = signals_next()) != 0) {
		if (number == SIGWINCH)
			take_size(l);
		else if (number == SIGTSTP)
			stop = true;
		else if (number == SIGINT)
			interrupt(l);
		else {
			l->leave = true;
			l->status = STATUS_INTERRUPTED;
		}
	}
	if (stop && !l->leave)
		suspend(l);
}

static void take_event(struct loop *l, const struct term_event *event)
{
	struct explorer *e = &l->e;

	if (event->kind == EVENT_KEY)
		explorer_key(e, event->key);
	else if (event->kind == EVENT_PASTE)
		explorer_paste(e, text_string(terminal_pasted(l->term)), terminal_pasted(l->term)->length);
	else if (event->kind == EVENT_CLICK)
		explorer_click(e, event->row, event->col);
	else
		explorer_try(e, event->row < 0 ? "move up" : "move down");
	if (e->copy.length > 0) {
		terminal_copy(l->term, text_string(&e->copy), e->copy.length);
		text_clear(&e->copy);
	}
	/* Keys that follow look at tables that this one may have changed. */
	explorer_refresh(e);
	l->dirty = true;
}

static bool take_keys(struct loop *l)
{
	bool any = false;

	while (!l->leave && !l->e.quit) {
		struct term_event event = terminal_next(l->term);

		if (event.kind == EVENT_NONE)
			break;
		if (l->event_at == 0)
			l->event_at = seconds_now();
		take_event(l, &event);
		any = true;
		if (l->e.suspend)
			suspend(l);
	}
	return any;
}

static double next_frame(const struct loop *l)
{
	return l->last_frame + (l->event_at > 0 ? KEY_FRAME_SECONDS : FRAME_SECONDS);
}

enum { EVENT_SOURCES = 4 };

static int wait_for_events(struct loop *l, struct pollfd fds[EVENT_SOURCES])
{
	int timeout = -1;

	fds[0] = (struct pollfd){ terminal_input(l->term), POLLIN, 0 };
	fds[1] = (struct pollfd){ terminal_signals(l->term), POLLIN, 0 };
	fds[2] = (struct pollfd){ l->pool != NULL ? pool_fd(l->pool) : -1, POLLIN, 0 };
	fds[3] = (struct pollfd){ legs_fd(&l->legs), POLLIN, 0 };
	if (legs_watched(&l->e))
		timeout = (int)(RACE_SECONDS * 1e3);
	if (l->dirty) {
		double left = next_frame(l) - seconds_now();

		timeout = left > 0 ? (int)ceil(left * 1e3) : 0;
	}
	return poll(fds, EVENT_SOURCES, timeout);
}

static void turn(struct loop *l)
{
	struct pollfd fds[EVENT_SOURCES];

	if (wait_for_events(l, fds) < 0 && errno != EINTR) {
		l->leave = true;
		l->status = STATUS_INTERRUPTED;
		return;
	}
	take_signals(l);
	take_finished(l);
	if (legs_take(&l->legs, &l->e))
		l->e.rebuild = l->dirty = true;
	if (legs_got_on(&l->legs, &l->e) && seconds_now() > l->last_frame + RACE_SECONDS / 2)
		l->dirty = true;
	if (take_keys(l))
		l->silent = 0;
	else if (fds[0].revents & POLLIN)
		l->silent++;
	/* A dead terminal reads as "no key" for ever. */
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL) || l->silent > SILENT_WAKEUPS_MAX) {
		l->leave = true;
		l->status = STATUS_INTERRUPTED;
	}
	if (l->leave || l->e.quit)
		return;
	if (l->dirty && seconds_now() >= next_frame(l))
		paint(l);
	feed_worker(l);
	if (legs_feed(&l->legs, &l->e))
		l->dirty = true;
}

static void end_worker(struct loop *l)
{
	while (l->pool != NULL && pool_busy(l->pool) > 0) {
		struct pollfd fd = { pool_fd(l->pool), POLLIN, 0 };
		struct study_job *job;

		pool_cancel(l->pool);
		poll(&fd, 1, 100);
		while ((job = pool_take(l->pool)) != NULL)
			study_install(l->e.study, job);
	}
	pool_free(l->pool);
	legs_end(&l->legs, &l->e);
	if (l->has_job_document)
		document_free(&l->job_document);
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void report_measure(struct loop *l)
{
	size_t count = l->frame_count < FRAMES_KEPT ? l->frame_count : FRAMES_KEPT;

	fprintf(stderr, "whypar: first frame after %.1f ms", (l->first_frame - l->started) * 1e3);
	if (count > 0) {
		qsort(l->frames, count, sizeof *l->frames, by_size);
		fprintf(stderr, "; %zu frames, key to painted p50 %.2f p99 %.2f max %.2f ms", l->frame_count,
			(double)l->frames[count / 2] * 1e3, (double)l->frames[count - 1 - count / 100] * 1e3, (double)l->frames[count - 1] * 1e3);
	}
	fputc('\n', stderr);
}

static void run_rc(struct explorer *e, const char *path)
{
	struct diagnostic d;
	char *bytes = NULL;
	FILE *file = fopen(path, "r");

	if (file == NULL)
		return;
	fclose(file);
	if (command_read_script(path, &bytes, &d) != STATUS_OK || command_run_script(e->study, &e->host, path, bytes, NULL, 0, &d) != STATUS_OK)
		explorer_complain(e, &d);
	memory_free(bytes);
}

/* The rc first, so that the command line has the last word; only an error of the command line ends the explorer. */
static enum status start(struct loop *l, const struct explorer_options *options, struct diagnostic *d)
{
	struct explorer *e = &l->e;
	enum status status;

	if (options->rc != NULL)
		run_rc(e, options->rc);
	status = explorer_start(e, options, d);
	if (status != STATUS_OK)
		return status;
	if (options->script != NULL) {
		struct diagnostic of_script;

		explorer_source(e, options->script_path, options->script, &of_script, &status);
		if (status != STATUS_OK)
			explorer_complain(e, &of_script);
	}
	return STATUS_OK;
}

/* "q quits and nothing is lost": an edited study is written as a script into the user's state folder.  False when there was
 * nothing to keep; *status says how it went. */
static bool keep_study(struct loop *l, const struct document *first, const char *path, enum status *status, struct diagnostic *d)
{
	const struct command_host silent = { NULL, NULL, NULL };
	char part[4096], line[4200];

	if (path == NULL || study_results(l->e.study)->model == NULL || document_equal(first, study_document(l->e.study)) ||
	    strlen(path) >= sizeof part || strpbrk(path, "\"\n") != NULL)
		return false;
	snprintf(part, sizeof part, "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0700);
		*slash = '/';
	}
	snprintf(line, sizeof line, "save \"%s\"", path);
	*status = command_run(l->e.study, &silent, line, d);
	return true;
}

enum status explorer_run(struct study *study, const struct explorer_options *options, struct diagnostic *d)
{
	struct document first;
	struct loop *l;
	struct diagnostic of_keeping;
	enum status status, kept;
	bool edited;

	setlocale(LC_CTYPE, "");
	l = memory_alloc(1, sizeof *l);
	l->started = seconds_now();
	l->term = terminal_open(d);
	if (l->term == NULL) {
		memory_free(l);
		return STATUS_INPUT;
	}
	l->frames = options->measure ? memory_alloc(FRAMES_KEPT, sizeof *l->frames) : NULL;
	explorer_init(&l->e, study, true, terminal_is_console(l->term));
	take_size(l);
	l->status = start(l, options, d);
	document_copy(&first, study_document(study));
	if (l->status == STATUS_OK) {
		if (!l->e.quit)
			paint(l);
		feed_worker(l);
		legs_feed(&l->legs, &l->e);
		while (!l->leave && !l->e.quit)
			turn(l);
	}
	end_worker(l);
	edited = keep_study(l, &first, options->keep, &kept, &of_keeping);
	document_free(&first);
	terminal_close(l->term);
	if (edited && kept != STATUS_OK)
		fprintf(stderr, "whypar: the study could not be kept: %s\n", of_keeping.text);
	else if (edited)
		fprintf(stderr, "whypar: the study is kept; whypar --script %s opens it again\n", options->keep);
	if (options->measure)
		report_measure(l);
	status = l->status;
	explorer_free(&l->e);
	memory_free(l->frames);
	memory_free(l);
	return status;
}
