#define _XOPEN_SOURCE 700
#include "base/files.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef WHYPAR_DATADIR
#define WHYPAR_DATADIR "/usr/local/share/whypar"
#endif

enum status file_read(const char *path, char **bytes, size_t *length, struct diagnostic *d)
{
	struct stat info;
	size_t used = 0, capacity = 0;
	char *buffer = NULL;
	enum status status = STATUS_OK;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*bytes = NULL;
	*length = 0;
	if (fd < 0 || fstat(fd, &info) != 0) {
		status = diagnostic_fail(d, STATUS_INPUT, "cannot open %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return status;
	}
	if (S_ISDIR(info.st_mode)) {
		close(fd);
		return diagnostic_fail(d, STATUS_INPUT, "%s is a folder; give one file of it", path);
	}
	for (;;) {
		ssize_t got;

		buffer = memory_grow(buffer, &capacity, used + 65537, 1);
		got = read(fd, buffer + used, 65536);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			status = diagnostic_fail(d, STATUS_INPUT, "cannot read %s: %s", path, strerror(errno));
			break;
		}
		if (got == 0)
			break;
		used += (size_t)got;
		if (used > FILE_BYTES_MAX) {
			status = diagnostic_fail(d, STATUS_INPUT, "%s holds more than %d MiB; a model file is a table of layers, not its weights",
				path, FILE_BYTES_MAX / 1048576);
			break;
		}
	}
	close(fd);
	if (status != STATUS_OK) {
		memory_free(buffer);
		return status;
	}
	/* a byte order mark says nothing */
	if (used >= 3 && memcmp(buffer, "\xef\xbb\xbf", 3) == 0)
		memmove(buffer, buffer + 3, used -= 3);
	buffer[used] = '\0';
	*bytes = buffer;
	*length = used;
	return STATUS_OK;
}

/* Writes all of it; errno says why not. */
static bool write_all(int fd, const char *bytes, size_t length)
{
	for (size_t done = 0; done < length;) {
		ssize_t put = write(fd, bytes + done, length - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		done += (size_t)put;
	}
	return true;
}

/* A pipe, a terminal, /dev/null: nothing to replace. */
static bool write_in_place(const char *path, const char *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write_all(fd, bytes, length);

	return fd >= 0 && close(fd) == 0 && done;
}

/* Writes a new file beside `path` and renames it over. */
static bool write_beside(const char *path, mode_t mode, const char *bytes, size_t length)
{
	const char *slash = strrchr(path, '/');
	struct text temporary = { 0 };
	bool done;
	int fd, saved;

	text_append(&temporary, path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
	text_add(&temporary, ".whypar-XXXXXX");
	fd = mkstemp(temporary.bytes);
	done = fd >= 0 && write_all(fd, bytes, length) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
	saved = errno;
	if (fd >= 0 && close(fd) != 0 && done) {
		done = false;
		saved = errno;
	}
	if (done && rename(temporary.bytes, path) != 0) {
		done = false;
		saved = errno;
	}
	if (fd >= 0 && !done)
		unlink(temporary.bytes);
	text_free(&temporary);
	errno = saved;
	return done;
}

enum status file_write(const char *path, const char *bytes, size_t length, struct diagnostic *d)
{
	mode_t mask = umask(0), mode = 0666 & ~mask;
	struct stat info;
	char *target = realpath(path, NULL);     /* what a link points to is replaced, not the link */
	bool exists = stat(path, &info) == 0, done;

	umask(mask);
	if (exists)
		mode = info.st_mode & 0777;
	if (exists && S_ISDIR(info.st_mode)) {
		errno = EISDIR;
		done = false;
	} else if (exists && !S_ISREG(info.st_mode)) {
		done = write_in_place(path, bytes, length);
	} else {
		done = write_beside(target != NULL ? target : path, mode, bytes, length);
	}
	if (!done)
		diagnostic_fail(d, STATUS_INPUT, "cannot write %s: %s", path, strerror(errno));
	free(target);
	return done ? STATUS_OK : STATUS_INPUT;
}

static bool try_folder(const char *folder, const char *name, char *out, size_t size)
{
	int length = snprintf(out, size, "%s/%s", folder, name);
	char *plain;

	if (length <= 0 || (size_t)length >= size || access(out, R_OK) != 0)
		return false;
	/* shown to the user: without "build/../data" */
	plain = realpath(out, NULL);
	if (plain != NULL && strlen(plain) < size)
		memcpy(out, plain, strlen(plain) + 1);
	free(plain);
	return true;
}

bool data_find(const char *name, char *out, size_t size)
{
	const char *set = getenv("WHYPAR_DATA");
	char program[4096], folder[4200];
	ssize_t length;

	if (set != NULL && set[0] != '\0' && try_folder(set, name, out, size))
		return true;
	length = readlink("/proc/self/exe", program, sizeof program - 1);
	if (length > 0) {
		static const char *const beside[] = { "/data", "/../data", "/../share/whypar", "/../../data" };
		char *slash;

		program[length] = '\0';
		slash = strrchr(program, '/');
		if (slash != NULL)
			*slash = '\0';
		for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
			snprintf(folder, sizeof folder, "%s%s", program, beside[i]);
			if (try_folder(folder, name, out, size))
				return true;
		}
	}
	return try_folder(WHYPAR_DATADIR, name, out, size);
}
