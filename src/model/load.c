#include "model/load.h"

#include "base/files.h"
#include "model/loader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* In this order: the first that recognises the content reads it.  A new format is one line here. */
static const struct format *const formats[] = {
	&format_astrasim, &format_pipedream, &format_piper, &format_hf, &format_scalesim_layout, &format_whypar, &format_confuciux, &format_scalesim_gemm,
	&format_scalesim_conv, &format_accpar,
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

void source_header(struct source *s)
{
	struct csv_reader *csv = csv_open(s->bytes, s->length, (struct csv_options){ .quotes = true, .comments = true });
	struct csv_row row;
	struct diagnostic d;

	if (csv_next(csv, &row, &d) == CSV_EVENT_ROW) {
		s->header_line = row.line;
		s->header_count = row.count < HEADER_CELLS_MAX ? row.count : (size_t)HEADER_CELLS_MAX;
		for (size_t i = 0; i < s->header_count; i++) {
			s->header[i].text = arena_copy_text(&s->arena, row.cells[i].text, row.cells[i].length);
			s->header[i].length = row.cells[i].length;
		}
	}
	csv_close(csv);
}

static const struct format *recognise(const struct source *s)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (formats[i]->recognise(s))
			return formats[i];
	return NULL;
}

/* "vgg-a" of "models/vgg-a.csv". */
static const char *model_name(struct model *m, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *from = slash != NULL ? slash + 1 : path, *dot = strrchr(from, '.');
	size_t length = dot != NULL && dot > from ? (size_t)(dot - from) : strlen(from);
	char clean[256];

	length = text_sanitize(clean, sizeof clean, from, length);
	return arena_copy_text(&m->arena, clean, length);
}

static void builder_begin(struct builder *b, const char *path, const char *format)
{
	struct arena arena = { 0 };
	struct model *m = arena_alloc(&arena, 1, sizeof *m);
	char clean[4096];

	m->arena = arena;
	m->path = arena_copy_text(&m->arena, clean, text_sanitize(clean, sizeof clean, path, strlen(path)));
	m->name = model_name(m, path);
	m->format = format;
	*b = (struct builder){ .path = path, .model = m };
}

/* Why no model came of it: the first error among its rows, else what model_finish says. */
static enum status refuse(const struct builder *b, struct diagnostic *d)
{
	for (size_t i = 0; i < b->problems.count; i++)
		if (b->problems.items[i].severity == SEVERITY_ERROR) {
			*d = b->problems.items[i];
			return STATUS_INPUT;
		}
	diagnostic_fail(d, STATUS_INPUT, "a header and no layer below it; add one row for each layer");
	diagnostic_place(d, b->path, 0, 0);
	return STATUS_INPUT;
}

static enum status builder_end(struct builder *b, struct diagnostic *d)
{
	struct model *m = b->model;

	m->operators = arena_alloc(&m->arena, (size_t)m->count, sizeof *m->operators);
	if (m->count > 0)
		memcpy(m->operators, b->operators, (size_t)m->count * sizeof *m->operators);
	if (b->full) {
		diagnostic_fail(d, STATUS_INPUT, "more than %d rows or problems; a model of layers has some hundreds, so this is some other table", MODEL_ROWS_MAX);
		diagnostic_place(d, b->path, b->full_line, 0);
		return STATUS_INPUT;
	}
	if (model_finish(m, d) == STATUS_OK)
		return STATUS_OK;
	diagnostic_place(d, b->path, 0, 0);
	return m->layers == 0 && (m->count == 0 || b->problems.errors > 0) ? refuse(b, d) : STATUS_INPUT;
}

static enum status load_source(const struct source *s, struct model **model, struct diagnostics *problems, struct diagnostic *d)
{
	const struct format *format = recognise(s);
	struct builder b;
	enum status status;

	if (format == NULL)
		return content_refuse(s, d);
	builder_begin(&b, s->path, format->name);
	status = format->load(s, &b, d);
	if (status == STATUS_OK)
		status = builder_end(&b, d);
	memory_free(b.operators);
	if (status == STATUS_OK) {
		b.model->problems = b.problems;
		*model = b.model;
		return STATUS_OK;
	}
	model_free(b.model);
	if (problems != NULL)
		*problems = b.problems;
	else
		diagnostics_free(&b.problems);
	return status;
}

enum status model_load_bytes(const char *path, const char *bytes, size_t length, struct model **model,
	struct diagnostics *problems, struct diagnostic *d)
{
	struct source s = { .path = path, .bytes = bytes, .length = length };
	struct diagnostic local;
	enum status status;

	*model = NULL;
	if (problems != NULL)
		memset(problems, 0, sizeof *problems);
	source_header(&s);
	status = load_source(&s, model, problems, d != NULL ? d : &local);
	arena_free(&s.arena);
	return status;
}

/* No file and no built-in of this name. */
static enum status no_such_model(const char *reference, struct diagnostic *d)
{
	struct builtin *list = NULL;
	const char **names;
	size_t count = 0;
	int near;

	if (models_builtin(&list, &count, d) != STATUS_OK)
		return STATUS_INPUT;
	names = memory_alloc(count, sizeof *names);
	for (size_t i = 0; i < count; i++)
		names[i] = list[i].name;
	near = text_nearest(reference, names, count);
	if (near >= 0)
		diagnostic_fail(d, STATUS_INPUT, "no file and no built-in model \"%.200s\"; did you mean %s?", reference, names[near]);
	else
		diagnostic_fail(d, STATUS_INPUT, "no file and no built-in model \"%.200s\"; give the path of a file, or a name that `whypar models` lists", reference);
	memory_free(names);
	memory_free(list);
	return STATUS_INPUT;
}

enum status model_find_file(const char *reference, char *path, size_t size, struct diagnostic *d)
{
	struct stat info;
	bool named = reference[0] != '\0' && strchr(reference, '/') == NULL && strlen(reference) < sizeof ((struct builtin *)0)->name;
	int found = stat(reference, &info), missing = errno, length;

	if (reference[0] == '\0')
		return diagnostic_fail(d, STATUS_INPUT, "an empty model name; give the path of a file, or a name that `whypar models` lists");
	if (named) {
		char name[80];

		snprintf(name, sizeof name, "models/%s.csv", reference);
		if (data_find(name, path, size))
			return STATUS_OK;
		if (found != 0 && missing == ENOENT)
			return no_such_model(reference, d);
	}
	length = snprintf(path, size, "%s", reference);
	if (length < 0 || (size_t)length >= size)
		return diagnostic_fail(d, STATUS_INPUT, "a path of %zu bytes is too long", strlen(reference));
	return STATUS_OK;
}

enum status model_load(const char *reference, struct model **model, struct diagnostics *problems, struct diagnostic *d)
{
	char path[4096];
	char *bytes;
	size_t length;
	enum status status;

	*model = NULL;
	if (problems != NULL)
		memset(problems, 0, sizeof *problems);
	if (model_find_file(reference, path, sizeof path, d) != STATUS_OK || file_read(path, &bytes, &length, d) != STATUS_OK)
		return STATUS_INPUT;
	status = model_load_bytes(path, bytes, length, model, problems, d);
	memory_free(bytes);
	return status;
}

enum status models_builtin(struct builtin **list, size_t *count, struct diagnostic *d)
{
	return builtin_list("models", ".csv", list, count, d);
}
