/* What comes with the program in a folder of data/: one file an item, described by the comment it begins with. */
#ifndef WHYPAR_BASE_BUILTIN_H
#define WHYPAR_BASE_BUILTIN_H

#include "base/status.h"

struct builtin {
	char name[64];           /* of the file, without its ending */
	char text[160];          /* its leading comment lines, joined, cut to size */
};

/* Lists the files of data/FOLDER with an ending (".csv"), by name.  *list is the caller's (memory_free). */
enum status builtin_list(const char *folder, const char *ending, struct builtin **list, size_t *count, struct diagnostic *d);

#endif
