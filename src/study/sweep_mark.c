/* What tells one sweep from another: everything that its results depend on. */
#include "study/sweep.h"

#include "base/files.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* threads change no result, and the screen's parameters are none of the document. */
static void add_values(struct text *out, const struct document *base)
{
	char own[TOPOLOGY_BYTES];

	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const struct parameter *p = parameter_at((enum parameter_id)i);

		if (p->scope != SCOPE_SCREEN && i != PARAMETER_THREADS)
			text_printf(out, "%s=%a\n", p->name, base->values[i]);
	}
	if (base->topology.count > 0) {
		topology_print(&base->topology, own, sizeof own);
		text_printf(out, "topology %s\n", own);
	}
	if (base->own != NULL)
		text_printf(out, "accelerator %016llx %s\n", (unsigned long long)base->own->digest, base->own->chosen->name);
	if (base->latencies != NULL)
		text_printf(out, "latencies %016llx\n", (unsigned long long)base->latencies->digest);
}

static void add_rules(struct text *out, const struct document *base)
{
	for (size_t i = 0; i < base->pin_count; i++) {
		const struct pin_rule *p = &base->pins[i];

		text_printf(out, "pin %d %d %d %d %d %s\n", p->row, p->exact, p->level, p->state, p->junction, p->pattern);
	}
	for (size_t i = 0; i < base->stage_count; i++) {
		const struct stage_rule *s = &base->stages[i];

		text_printf(out, "stage %d %d %d %d %d", s->stage, s->starts, s->accelerator, s->accelerators, s->tensor);
		for (int k = 0; k < STAGE_CORES; k++)
			text_printf(out, " %a", s->cores[k]);
		text_add(out, "\n");
	}
}

/* A file that is not there is told by its points, and its coming makes another sweep. */
static void add_file(struct text *out, const char *path)
{
	char *bytes;
	size_t length;

	if (file_read(path, &bytes, &length, NULL) == STATUS_OK)
		text_printf(out, "file %016llx\n", (unsigned long long)text_hash(TEXT_HASH_START, bytes, length));
	else
		text_add(out, "no file\n");
	memory_free(bytes);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What a column names, each once, in an order that is the same everywhere. */
static void add_column(struct text *out, const struct sweep_grid *g, int column)
{
	const char **names = NULL;
	size_t count = 0, capacity = 0;
	char path[4096];

	for (int row = 0; row < g->row_count; row++) {
		const struct sweep_cell *cell = &g->rows[row].cells[column];

		names = memory_grow(names, &capacity, count + (size_t)cell->count, sizeof *names);
		memcpy(names + count, cell->values, (size_t)cell->count * sizeof *names);
		count += (size_t)cell->count;
	}
	qsort(names, count, sizeof *names, by_text);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
			add_file(out, column == g->model_column && model_find_file(names[i], path, sizeof path, NULL) == STATUS_OK ? path : names[i]);
	memory_free(names);
}

void sweep_mark(struct sweep_grid *g, const struct document *base)
{
	struct text all = { 0 };

	text_add(&all, "whypar " WHYPAR_VERSION "\n");
	add_values(&all, base);
	add_rules(&all, base);
	for (int i = 0; i < g->column_count; i++)
		if (i == g->model_column || strcmp(g->columns[i], "network") == 0)
			add_column(&all, g, i);
	g->mark = text_hash(g->mark, all.bytes, all.length);
	text_free(&all);
}
