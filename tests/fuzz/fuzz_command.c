/* libFuzzer target: lines of any bytes, run on a study.  Each either works or says why and changes nothing; what is completed
 * begins with what was typed; results stay sound; undoing everything leads back to the beginning.
 *
 * Lines that would touch files are passed over: save, export, dump-screen, source, load. */
#include "base/memory.h"
#include "study/commands.h"
#include "study/study.h"
#include "study/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 24 };

static void must(bool holds)
{
	if (!holds)
		abort();
}

static enum status accept_all(void *self, enum command_id id, int count, char **words, const char *rest, struct diagnostic *d)
{
	(void)self, (void)rest, (void)d;
	must(count >= command_at(id)->least && count <= command_at(id)->most);
	for (int i = 0; i < count; i++)
		must(words[i] != NULL);
	return STATUS_OK;
}

/* What is told to the user has no control characters. */
static void check_said(void *self, const char *text)
{
	(void)self;
	for (; *text != '\0'; text++)
		must((unsigned char)*text >= 0x20 && *text != 0x7F);
}

static const struct command_host host = { .act = accept_all, .say = check_said };

static bool touches_files(const char *line)
{
	static const char *const names[] = { "save", "export", "dump-screen", "source", "load" };
	struct words w;
	bool found = false;

	if (words_split(&w, line, NULL) == STATUS_OK && w.count > 0)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			found |= strcmp(w.word[0], names[i]) == 0;
	words_free(&w);
	return found;
}

static void check_completion(struct study *study, const char *line)
{
	const char *space = strrchr(line, ' ');
	size_t typed = space != NULL ? (size_t)(space - line) + 1 : 0;
	struct text out = { 0 };

	command_complete(study, line, &out);
	for (const char *at = text_string(&out); *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n')
		must(strncmp(at, line, typed) == 0);
	text_free(&out);
}

static void check_results(const struct results *r)
{
	must(r->model != NULL && (r->plan == NULL || r->plan->rows == r->model->count));
	if (r->plan_state != FRESH)
		return;
	must(isfinite(r->plan->elements) && r->plan->elements >= 0 && r->plan->bound <= r->plan->elements);
	for (size_t i = 0; i < r->warnings->count; i++)
		check_said(NULL, r->warnings->items[i].text);
}

static void run_line(struct study *study, const char *line)
{
	struct document before;
	struct diagnostic d = { 0 };

	document_copy(&before, study_document(study));
	if (command_run(study, &host, line, &d) != STATUS_OK) {
		must(d.text[0] != '\0' && document_equal(&before, study_document(study)));
		check_said(NULL, d.text);
	}
	document_free(&before);
	check_completion(study, line);
	check_results(study_update(study));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct study *study = study_new();
	const char *model = size > 0 && data[0] % 4 == 0 ? "load resnet18" : "load lenet-c";
	struct document first;
	struct diagnostic d;
	size_t at = 0;

	must(command_run(study, &host, model, &d) == STATUS_OK);
	document_copy(&first, study_document(study));
	for (int lines = 0; at < size && lines < LINES_MAX; lines++) {
		const uint8_t *end = memchr(data + at, '\n', size - at);
		size_t length = end != NULL ? (size_t)(end - data) - at : size - at;
		char *line = memory_copy_text((const char *)data + at, length);

		/* the model must stay: taking its load back would leave nothing to check */
		if (!touches_files(line) && strstr(line, "undo") == NULL)
			run_line(study, line);
		memory_free(line);
		at += length + 1;
	}
	while (document_equal(&first, study_document(study)) == false)
		must(study_undo(study) != NULL);
	check_results(study_update(study));
	document_free(&first);
	study_free(study);
	return 0;
}
