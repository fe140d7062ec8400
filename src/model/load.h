/* Models in and out: from a file of any known format, or by a built-in name.
 *
 * The format is recognised by content, never by name or flag.  A row that cannot be understood is
 * reported with its place and kept out (or kept as an opaque operator where the format gives it a place in the
 * graph); the model loads as long as one weighted row was understood. */
#ifndef WHYPAR_MODEL_LOAD_H
#define WHYPAR_MODEL_LOAD_H

#include "base/builtin.h"
#include "base/text.h"
#include "model/model.h"

/* reference: an existing path, or a built-in name (models_builtin).  On success *model is the caller's,
 * to be ended by model_free; row problems are in (*model)->problems.  On failure *model is NULL, d says why, and
 * when problems is not NULL it receives every row's problem, to be freed by the caller. */
enum status model_load(const char *reference, struct model **model, struct diagnostics *problems, struct diagnostic *d);

/* The file that model_load would read: a built-in model's, else the reference as a path.  A file of a built-in's name is given as ./NAME. */
enum status model_find_file(const char *reference, char *path, size_t size, struct diagnostic *d);

/* The same from memory; path is only what messages call it.  For tests and the fuzzer. */
enum status model_load_bytes(const char *path, const char *bytes, size_t length, struct model **model,
	struct diagnostics *problems, struct diagnostic *d);

/* Built-in models: the files of data/models, by name.  *list is the caller's (memory_free). */
enum status models_builtin(struct builtin **list, size_t *count, struct diagnostic *d);

/* Appends the model as our own layer CSV (CLI contract); reading it back gives the same operators. */
void model_write_csv(const struct model *m, struct text *out);

#endif
