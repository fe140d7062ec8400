/* How fast the explorer answers on a real terminal: start to first frame, key to painted frame, bytes when idle.
 *   frames PROGRAM MODEL */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE          /* forkpty */
#endif
#include "tests/bench/measure.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 60, COLS = 200, KEYS = 400 };

/* Reads until nothing has come for `quiet` milliseconds; the time of the last byte in *last. */
static long drain(int fd, int quiet, double *last)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buffer[65536];
	long total = 0;

	while (poll(&p, 1, quiet) > 0) {
		ssize_t n = read(fd, buffer, sizeof buffer);

		if (n <= 0)
			break;
		total += n;
		*last = seconds_now();
	}
	return total;
}

/* Time of the end of the first burst of output: the frame that answers, not a later one with a worker's result. */
static double first_burst(int fd)
{
	double end = seconds_now();

	if (poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 1000) > 0)
		drain(fd, 2, &end);
	return end;
}

/* Time at which the footer's last word has come: the whole first frame is there. */
static double first_frame(int fd)
{
	static char seen[1 << 18];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t used = 0;

	while (used + 1 < sizeof seen && poll(&p, 1, 2000) > 0) {
		ssize_t n = read(fd, seen + used, sizeof seen - 1 - used);

		if (n <= 0)
			break;
		used += (size_t)n;
		seen[used] = '\0';
		if (strstr(seen, "help") != NULL)
			return seconds_now();
	}
	fprintf(stderr, "frames: no frame came\n");
	exit(1);
}

static pid_t start(const char *program, const char *model, int *fd)
{
	struct winsize size = { ROWS, COLS, 0, 0 };
	pid_t pid = forkpty(fd, NULL, NULL, &size);

	if (pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		execl(program, program, model, "--no-config", (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* Keys answered one by one; every one changes the screen, and all of them lead back to where they began. */
static void bench_keys(int fd, const char *const *keys, int count, const char *text)
{
	double answers[KEYS], last = 0;
	long bytes = 0;

	for (int i = 0; i < KEYS; i++) {
		double begin = seconds_now();

		if (write(fd, keys[i % count], 1) != 1)
			exit(1);
		answers[i] = first_burst(fd) - begin;
		bytes += drain(fd, 40, &last);
	}
	print_times(text, answers, KEYS, 16e-3);
	printf("  behind the first burst of a key: %ld bytes on average\n", bytes / KEYS);
}

int main(int argc, char **argv)
{
	static const char *const layers[] = { "j", "]", "l", "p", "u", "[", "h", "k" };
	static const char *const path[] = { "j", "+", "]", ">", "<", "[", "-", "k" };
	double starts[20], last = 0;
	long idle;
	int fd = -1;
	pid_t pid = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: frames PROGRAM MODEL\n");
		return 2;
	}
	for (int i = 0; i < 20; i++) {
		double begin = seconds_now();

		pid = start(argv[1], argv[2], &fd);
		starts[i] = first_frame(fd) - begin;
		drain(fd, 150, &last);
		if (i < 19) {
			if (write(fd, "q", 1) != 1)
				return 1;
			waitpid(pid, NULL, 0);
			close(fd);
		}
	}
	print_times("start to first frame, 200x60", starts, 20, 60e-3);
	idle = drain(fd, 2000, &last);
	printf("idle for two seconds: %ld bytes written\n", idle);
	bench_keys(fd, layers, 8, "key to painted frame, 200x60");
	if (write(fd, "2", 1) != 1)
		return 1;
	drain(fd, 150, &last);
	bench_keys(fd, path, 8, "key to painted frame, path view, 200x60");
	if (write(fd, "q", 1) != 1)
		return 1;
	waitpid(pid, NULL, 0);
	return 0;
}
