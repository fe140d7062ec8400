/* Files of the user and of the program: reading with limits, writing whole or not at all, finding built-in data. */
#ifndef WHYPAR_BASE_FILES_H
#define WHYPAR_BASE_FILES_H

#include "base/text.h"

enum { FILE_BYTES_MAX = 64 * 1024 * 1024 };

/* Reads a file or pipe of at most FILE_BYTES_MAX into *bytes (NUL-terminated, memory_free).
 * Missing, unreadable, a directory, too large: STATUS_INPUT with the path in the message. */
enum status file_read(const char *path, char **bytes, size_t *length, struct diagnostic *d);

/* Writes through a temporary file beside it and renames, so that path holds the old or the new content, never a part.  A link's
 * target and a file's mode are kept; a device or pipe is written in place. */
enum status file_write(const char *path, const char *bytes, size_t length, struct diagnostic *d);

/* Finds "models/x.csv" and the like: in $WHYPAR_DATA, then beside the program (data, ../data, ../share/whypar, ../../data), then
 * in the folder compiled in.  Returns false when it is in none of them; out then holds the last place tried. */
bool data_find(const char *name, char *out, size_t size);

#endif
