/* Memory: checked allocation and an arena.
 *
 * Running out of memory is not an error that a caller can mend: these functions print
 * one line and abort(), and the explorer's SIGABRT handler puts the terminal back.
 * Sizes are multiplied with overflow checks, so (count, size) pairs are safe as given. */
#ifndef WHYPAR_BASE_MEMORY_H
#define WHYPAR_BASE_MEMORY_H

#include <stddef.h>

/* Once, at the start of a program: what is freed is kept for the next block, not given back to the system page by page (glibc; elsewhere nothing). */
void memory_keep(void);

/* Zeroed array of count items.  Never NULL, also for count 0.  Free with memory_free. */
void *memory_alloc(size_t count, size_t size);
void memory_free(void *block);

/* Makes room for `need` items in a growing array; returns the block, which may have moved.
 * New items are not cleared. */
void *memory_grow(void *block, size_t *capacity, size_t need, size_t size);

/* A copy of length bytes with a terminating NUL. */
char *memory_copy_text(const char *text, size_t length);

/* An arena frees everything at once.  Blocks are aligned for any type and zeroed. */
struct arena {
	struct arena_block *blocks;   /* newest first */
};

void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_copy_text(struct arena *arena, const char *text, size_t length);
void arena_free(struct arena *arena);

#endif
