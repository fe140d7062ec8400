#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Blocks double up to the larger, so that a small arena stays cheap to clear. */
enum { ARENA_FIRST_BYTES = 2048, ARENA_BLOCK_BYTES = 64 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	_Alignas(max_align_t) unsigned char bytes[];
};

static void out_of_memory(size_t count, size_t size)
{
	fprintf(stderr, "whypar: out of memory (wanted %zu x %zu bytes)\n", count, size);
	abort();
}

static size_t bytes_for(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory(count, size);
	return bytes > 0 ? bytes : 1;
}

void memory_keep(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

void *memory_alloc(size_t count, size_t size)
{
	void *block = calloc(1, bytes_for(count, size));

	if (block == NULL)
		out_of_memory(count, size);
	return block;
}

void memory_free(void *block)
{
	free(block);
}

void *memory_grow(void *block, size_t *capacity, size_t need, size_t size)
{
	size_t wanted = *capacity > 0 ? *capacity : 8;

	if (need <= *capacity)
		return block;
	while (wanted < need) {
		if (wanted > SIZE_MAX / 2)
			out_of_memory(need, size);
		wanted *= 2;
	}
	block = realloc(block, bytes_for(wanted, size));
	if (block == NULL)
		out_of_memory(wanted, size);
	*capacity = wanted;
	return block;
}

char *memory_copy_text(const char *text, size_t length)
{
	char *copy = memory_alloc(length + 1, 1);

	memcpy(copy, text, length);
	return copy;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
	const size_t alignment = _Alignof(max_align_t);
	size_t bytes = bytes_for(count, size);
	struct arena_block *block = arena->blocks;
	void *piece;

	if (bytes > SIZE_MAX - alignment - sizeof *block)
		out_of_memory(count, size);
	bytes = (bytes + alignment - 1) / alignment * alignment;
	if (block == NULL || block->size - block->used < bytes) {
		size_t room = block == NULL ? ARENA_FIRST_BYTES : block->size < ARENA_BLOCK_BYTES / 2 ? 2 * block->size : ARENA_BLOCK_BYTES;

		room = bytes > room ? bytes : room;

		block = memory_alloc(1, sizeof *block + room);
		block->size = room;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	piece = block->bytes + block->used;
	block->used += bytes;
	return piece;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1, 1);

	memcpy(copy, text, length);
	return copy;
}

void arena_free(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block != NULL) {
		struct arena_block *next = block->next;

		memory_free(block);
		block = next;
	}
	arena->blocks = NULL;
}
