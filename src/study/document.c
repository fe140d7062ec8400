#include "study/document.h"

#include "base/memory.h"

#include <string.h>

void document_init(struct document *document)
{
	memset(document, 0, sizeof *document);
	for (int i = 0; i < PARAMETER_COUNT; i++)
		document->values[i] = parameter_at((enum parameter_id)i)->standard;
}

void document_copy(struct document *to, const struct document *from)
{
	*to = *from;
	to->model = from->model != NULL ? memory_copy_text(from->model, strlen(from->model)) : NULL;
	to->pins = NULL;
	to->pin_count = to->pin_capacity = 0;
	for (size_t i = 0; i < from->pin_count; i++)
		document_add_pin(to, from->pins[i].pattern, from->pins[i].level, from->pins[i].state, from->pins[i].junction);
}

bool document_same_pins(const struct document *a, const struct document *b)
{
	if (a->pin_count != b->pin_count)
		return false;
	for (size_t i = 0; i < a->pin_count; i++) {
		const struct pin_rule *x = &a->pins[i], *y = &b->pins[i];

		if (x->level != y->level || x->state != y->state || x->junction != y->junction || strcmp(x->pattern, y->pattern) != 0)
			return false;
	}
	return true;
}

bool document_equal(const struct document *a, const struct document *b)
{
	if ((a->model == NULL) != (b->model == NULL) || (a->model != NULL && strcmp(a->model, b->model) != 0))
		return false;
	return memcmp(a->values, b->values, sizeof a->values) == 0 && document_same_pins(a, b);
}

void document_free(struct document *document)
{
	for (size_t i = 0; i < document->pin_count; i++)
		memory_free(document->pins[i].pattern);
	memory_free(document->pins);
	memory_free(document->model);
	memset(document, 0, sizeof *document);
}

/* True when rule `old` has no effect left once `next` follows it. */
static bool overridden(const struct pin_rule *old, const struct pin_rule *next)
{
	return strcmp(old->pattern, next->pattern) == 0 && (next->level == 0 || next->level == old->level) &&
		(old->junction == next->junction || next->state == NO_STATE);
}

void document_add_pin(struct document *document, const char *pattern, int level, int state, bool junction)
{
	struct pin_rule rule = { .level = level, .state = state, .junction = junction };
	size_t kept = 0;

	rule.pattern = memory_copy_text(pattern, strlen(pattern));
	for (size_t i = 0; i < document->pin_count; i++) {
		if (overridden(&document->pins[i], &rule))
			memory_free(document->pins[i].pattern);
		else
			document->pins[kept++] = document->pins[i];
	}
	document->pin_count = kept;
	document->pins = memory_grow(document->pins, &document->pin_capacity, kept + 1, sizeof *document->pins);
	document->pins[document->pin_count++] = rule;
}
