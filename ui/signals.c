#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "ui/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct {
	int pipe[2];
	volatile sig_atomic_t fd, kept, real;
	struct termios modes;
	char restore[512];
	size_t length;
} guard = { { -1, -1 }, -1, -1, -1, { 0 }, "", 0 };

static const int passed_on[] = { SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP };
static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT };

enum { PASSED = sizeof passed_on / sizeof *passed_on, FATAL = sizeof fatal / sizeof *fatal };

static void pass_on(int number)
{
	int before = errno;
	unsigned char byte = (unsigned char)number;

	/* A full pipe holds enough bytes to wake the loop. */
	if (write(guard.pipe[1], &byte, 1) < 0)
		errno = before;
	errno = before;
}

static void copy_stderr(void)
{
	char bytes[512];
	ssize_t got;

	if (guard.kept < 0 || lseek(guard.kept, 0, SEEK_SET) < 0)
		return;
	dup2(guard.real, STDERR_FILENO);
	while ((got = read(guard.kept, bytes, sizeof bytes)) > 0)
		if (write(STDERR_FILENO, bytes, (size_t)got) < 0)
			return;
}

static void die(int number)
{
	if (guard.fd >= 0) {
		if (write(guard.fd, guard.restore, guard.length) < 0)
			guard.length = 0;
		tcsetattr(guard.fd, TCSANOW, &guard.modes);
	}
	copy_stderr();
	/* SA_RESETHAND put the default back: this ends the process, with a core where that is wanted. */
	raise(number);
}

int signals_open(void)
{
	struct sigaction action;

	if (pipe(guard.pipe) != 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		fcntl(guard.pipe[i], F_SETFL, O_NONBLOCK);
		fcntl(guard.pipe[i], F_SETFD, FD_CLOEXEC);
	}
	memset(&action, 0, sizeof action);
	sigemptyset(&action.sa_mask);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	action.sa_handler = pass_on;
	action.sa_flags = SA_RESTART;
	for (int i = 0; i < PASSED; i++)
		sigaction(passed_on[i], &action, NULL);
	action.sa_handler = die;
	action.sa_flags = (int)SA_RESETHAND | SA_NODEFER;
	for (int i = 0; i < FATAL; i++)
		sigaction(fatal[i], &action, NULL);
	return guard.pipe[0];
}

void signals_close(void)
{
	for (int i = 0; i < PASSED; i++)
		signal(passed_on[i], SIG_DFL);
	for (int i = 0; i < FATAL; i++)
		signal(fatal[i], SIG_DFL);
	for (int i = 0; i < 2; i++) {
		if (guard.pipe[i] >= 0)
			close(guard.pipe[i]);
		guard.pipe[i] = -1;
	}
}

int signals_next(void)
{
	unsigned char byte;

	return read(guard.pipe[0], &byte, 1) == 1 ? byte : 0;
}

void signals_guard(int fd, const struct termios *modes, const char *restore, size_t length)
{
	guard.fd = -1;
	if (fd < 0)
		return;
	guard.modes = *modes;
	guard.length = length < sizeof guard.restore ? length : sizeof guard.restore;
	memcpy(guard.restore, restore, guard.length);
	guard.fd = fd;
}

void signals_guard_stderr(int kept, int real)
{
	guard.real = real;
	guard.kept = kept;
}

void signals_stop_here(void)
{
	struct sigaction action, before;

	memset(&action, 0, sizeof action);
	sigemptyset(&action.sa_mask);
	action.sa_handler = SIG_DFL;
	sigaction(SIGTSTP, &action, &before);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &before, NULL);
}
