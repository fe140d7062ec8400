/* What every load_*.c shares: the source being read, and the builder that gathers operators and problems into a model.
 *
 * A loader adds operators in file order and notes problems with their places; load.c then finishes the model.  Nothing
 * here prints.  The builder owns the model until builder_end hands it out. */
#ifndef WHYPAR_MODEL_LOADER_H
#define WHYPAR_MODEL_LOADER_H

#include "base/csv.h"
#include "model/model.h"

enum {
	MODEL_ROWS_MAX = 100000, /* a model has some hundreds; beyond this it is some other table */
	MODEL_SIZE_MAX = 2147483647, /* of one side or channel count: sums of a few never overflow int64 */
	HEADER_CELLS_MAX = 64,
	NAME_BYTES_MAX = 512
};

/* A file in memory, and its first row of cells for those who want to recognise it. */
struct source {
	const char *path;        /* for messages */
	const char *bytes;
	size_t length;
	struct csv_cell header[HEADER_CELLS_MAX];
	size_t header_count;     /* 0 when there is no row of cells */
	unsigned long header_line;
	struct arena arena;      /* the header's texts */
};

struct builder {
	const char *path;
	struct model *model;
	struct operator *operators;
	size_t capacity;
	struct diagnostics problems;
	int rows;                /* begun, good and bad */
	bool full;               /* a row more than MODEL_ROWS_MAX, at this line */
	unsigned long full_line;
};

struct format {
	const char *name;
	bool (*recognise)(const struct source *s);
	/* STATUS_OK also when rows were bad: they are in the builder's problems.  Fails when the file as a whole is not to be read. */
	enum status (*load)(const struct source *s, struct builder *b, struct diagnostic *d);
};

extern const struct format format_whypar, format_scalesim_conv, format_scalesim_gemm, format_scalesim_layout, format_confuciux, format_accpar, format_astrasim,
	format_pipedream, format_piper, format_hf;

/* Fills the header of a source that has bytes and a length; its texts are the source's arena's. */
void source_header(struct source *s);

/* Counts a row of the file; false, for ever, when it is one too many: the loader then stops, and the file is refused. */
bool builder_row(struct builder *b, unsigned long line);

/* Notes a problem at its place. */
void builder_problem(struct builder *b, enum severity severity, unsigned long line, unsigned long column, const char *format, ...) PRINTF_LIKE(5, 6);
/* Notes d, which has line and column, as an error. */
void builder_bad_row(struct builder *b, struct diagnostic *d);

/* A sanitised copy that lives as long as the model; "layerN" for an empty name, N the operator's 1-based row. */
const char *builder_name(struct builder *b, const char *name, size_t length);
/* One input, or `count` of them. */
void builder_inputs(struct builder *b, struct operator *o, const int *inputs, int count);

/* Measures and adds an operator; -1 with d filled (no place) when its sizes overflow. */
int builder_add(struct builder *b, struct operator *o, struct diagnostic *d);

/* An operator with every size 1, kind and line set, nothing else. */
struct operator operator_blank(enum operator_kind kind, unsigned long line);

/* Makes it a linear layer of that many weights (>= 1), as near to a square as they divide; a prime is one column.  Of very many, where no sides near the square
 * divide them, a remainder of less than one side is left out. */
void operator_make_square(struct operator *o, int64_t weights);

/* Reads a size of at least `least` from a cell; `name` and `column` (1-based) are what the message calls it. */
enum status cell_size(const struct csv_cell *cell, const char *name, unsigned long column, int64_t least, int64_t *value, struct diagnostic *d);

/* True when the cell is this word, whatever the case. */
bool cell_is(const struct csv_cell *cell, const char *word);
/* True when the word occurs in the cell, whatever the case. */
bool cell_has(const struct csv_cell *cell, const char *word);

/* For the user: what a file that no format recognised looks like. */
enum status content_refuse(const struct source *s, struct diagnostic *d);

#endif
