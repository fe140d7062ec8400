#include "base/names.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* The slot that holds the name, or the free one where it belongs. */
static struct name *probe(struct name *slots, size_t capacity, const char *text, size_t length)
{
	size_t at = (size_t)text_hash(TEXT_HASH_START, text, length) & (capacity - 1);

	while (slots[at].text != NULL && (slots[at].length != length || memcmp(slots[at].text, text, length) != 0))
		at = (at + 1) & (capacity - 1);
	return &slots[at];
}

struct name *names_find(const struct names *n, const char *text, size_t length)
{
	struct name *slot = n->capacity > 0 ? probe(n->slots, n->capacity, text, length) : NULL;

	return slot != NULL && slot->text != NULL ? slot : NULL;
}

static void grow(struct names *n)
{
	size_t capacity = n->capacity > 0 ? 2 * n->capacity : 64;
	struct name *slots = memory_alloc(capacity, sizeof *slots);

	for (size_t i = 0; i < n->capacity; i++)
		if (n->slots[i].text != NULL)
			*probe(slots, capacity, n->slots[i].text, n->slots[i].length) = n->slots[i];
	memory_free(n->slots);
	n->slots = slots;
	n->capacity = capacity;
}

struct name *names_add(struct names *n, const char *text, size_t length)
{
	struct name *slot;

	if (2 * (n->count + 1) > n->capacity)
		grow(n);
	slot = probe(n->slots, n->capacity, text, length);
	if (slot->text == NULL) {
		slot->text = text;
		slot->length = length;
		slot->row = NAME_NOT_YET;
		n->count++;
	}
	return slot;
}

void names_free(struct names *n)
{
	memory_free(n->slots);
	memset(n, 0, sizeof *n);
}
