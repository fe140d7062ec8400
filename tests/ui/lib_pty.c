#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "tests/ui/lib_pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

double pty_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int on_property(VTermProp property, VTermValue *value, void *user)
{
	struct pty *p = user;

	if (property == VTERM_PROP_ALTSCREEN)
		p->alternate = value->boolean;
	if (property == VTERM_PROP_CURSORVISIBLE)
		p->cursor = value->boolean;
	if (property == VTERM_PROP_MOUSE)
		p->mouse = value->number;
	return 1;
}

static const VTermScreenCallbacks callbacks = { .settermprop = on_property };

static void be_the_program(const char *const *argv, const char *const *settings)
{
	static const char *const fixed[] = { "LC_ALL=C.UTF-8", "TERM=xterm-256color", "HOME=/nonexistent", "LINES", "COLUMNS", "NO_COLOR", "ESCDELAY",
		"XDG_CONFIG_HOME", "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0", NULL };
	const char *const *lists[2] = { fixed, settings };

	setenv("WHYPAR_DATA", "data", 0);
	for (int l = 0; l < 2; l++)
		for (const char *const *s = lists[l]; s != NULL && *s != NULL; s++) {
			if (strchr(*s, '=') != NULL)
				putenv(strdup(*s));
			else
				unsetenv(*s);
		}
	execvp(argv[0], (char *const *)(size_t)argv);
	_exit(127);
}

void pty_start(struct pty *p, int rows, int cols, const char *const *argv, const char *const *settings)
{
	struct winsize size = { (unsigned short)rows, (unsigned short)cols, 0, 0 };

	memset(p, 0, sizeof *p);
	p->rows = rows;
	p->cols = cols;
	p->pid = forkpty(&p->fd, NULL, NULL, &size);
	if (p->pid == 0)
		be_the_program(argv, settings);
	fcntl(p->fd, F_SETFL, O_NONBLOCK);
	p->vt = vterm_new(rows, cols);
	vterm_set_utf8(p->vt, 1);
	p->screen = vterm_obtain_screen(p->vt);
	vterm_screen_set_callbacks(p->screen, &callbacks, p);
	vterm_screen_enable_altscreen(p->screen, 1);
	vterm_screen_reset(p->screen, 1);
	p->cursor = true;
}

static void reap(struct pty *p, int options)
{
	if (!p->ended && waitpid(p->pid, &p->status, options) == p->pid)
		p->ended = true;
}

void pty_end(struct pty *p)
{
	reap(p, WNOHANG);
	if (!p->ended) {
		kill(p->pid, SIGKILL);
		kill(p->pid, SIGCONT);
		reap(p, 0);
	}
	if (p->fd >= 0)
		close(p->fd);
	vterm_free(p->vt);
}

bool pty_pump(struct pty *p, int ms)
{
	struct pollfd fd = { p->fd, POLLIN, 0 };
	char bytes[65536];
	ssize_t got;

	if (poll(&fd, 1, ms) <= 0)
		return true;
	while ((got = read(p->fd, bytes, sizeof bytes)) > 0) {
		p->bytes += (size_t)got;
		vterm_input_write(p->vt, bytes, (size_t)got);
	}
	return got < 0 && errno == EAGAIN;
}

void pty_send(struct pty *p, const char *keys)
{
	size_t left = strlen(keys);

	while (left > 0) {
		ssize_t sent = write(p->fd, keys, left);

		if (sent > 0) {
			keys += sent;
			left -= (size_t)sent;
		} else if (errno != EAGAIN || !pty_pump(p, 100)) {
			return;
		}
	}
}

void pty_reply(struct pty *p)
{
	char bytes[256];
	size_t got = vterm_output_read(p->vt, bytes, sizeof bytes - 1);

	bytes[got] = '\0';
	pty_send(p, bytes);
}

void pty_resize(struct pty *p, int rows, int cols)
{
	struct winsize size = { (unsigned short)rows, (unsigned short)cols, 0, 0 };

	p->rows = rows;
	p->cols = cols;
	vterm_set_size(p->vt, rows, cols);
	ioctl(p->fd, TIOCSWINSZ, &size);
}

const char *pty_row(struct pty *p, int row)
{
	size_t length = vterm_screen_get_text(p->screen, p->text, sizeof p->text - 1, (VTermRect){ row, row + 1, 0, p->cols });

	p->text[length] = '\0';
	return p->text;
}

bool pty_shows(struct pty *p, const char *part)
{
	for (int row = 0; row < p->rows; row++)
		if (strstr(pty_row(p, row), part) != NULL)
			return true;
	return false;
}

static bool wait_for(struct pty *p, const char *part, bool wanted)
{
	double end = pty_now() + PTY_MS / 1e3;

	while (pty_shows(p, part) != wanted) {
		if (pty_now() > end || !pty_pump(p, 20)) {
			if (pty_shows(p, part) == wanted)
				return true;
			fprintf(stderr, "# waited in vain for \"%s\"%s on\n", part, wanted ? "" : " to go");
			for (int row = 0; row < p->rows; row++)
				fprintf(stderr, "# %s\n", pty_row(p, row));
			return false;
		}
	}
	return true;
}

bool pty_wait(struct pty *p, const char *part)
{
	return wait_for(p, part, true);
}

bool pty_wait_gone(struct pty *p, const char *part)
{
	return wait_for(p, part, false);
}

bool pty_wait_end(struct pty *p, int ms)
{
	double end = pty_now() + ms / 1e3;

	while (!p->ended && pty_now() < end) {
		if (p->fd >= 0)
			pty_pump(p, 10);
		else
			usleep(5000);
		reap(p, WNOHANG);
	}
	if (p->fd >= 0)
		pty_pump(p, 20);
	return p->ended;
}

VTermScreenCell pty_cell(struct pty *p, int row, int col)
{
	VTermScreenCell cell;

	memset(&cell, 0, sizeof cell);
	vterm_screen_get_cell(p->screen, (VTermPos){ row, col }, &cell);
	return cell;
}

void pty_settle(struct pty *p, int ms)
{
	size_t before;

	do {
		before = p->bytes;
		pty_pump(p, ms);
	} while (p->bytes != before);
}

const char *pty_program(void)
{
	return getenv("WHYPAR") != NULL ? getenv("WHYPAR") : "build/whypar";
}

bool pty_start_explorer(struct pty *p, int rows, int cols, const char *const *settings)
{
	const char *const argv[] = { pty_program(), "--no-config", "vgg-a", NULL };

	pty_start(p, rows, cols, argv, settings);
	return pty_wait(p, "vgg-a");
}

bool pty_is_sane(const struct pty *p)
{
	struct termios modes;

	return tcgetattr(p->fd, &modes) == 0 && (modes.c_lflag & ECHO) && (modes.c_lflag & ICANON);
}
