/* Our own layer CSV (whypar-formats(5)): a graph of operators, one a row.
 *
 * Two passes: the first notes the names, so that the second can tell an input that names a later row from a slip.  A row that
 * was not understood stays as an opaque operator where its output is known, so that the rows that read it keep their place. */
#include "model/columns.h"
#include "model/loader.h"
#include "base/names.h"

#include "base/units.h"

#include <stdlib.h>
#include <string.h>

enum {
	HINT_NAMES_MAX = 30000   /* names compared for hints in all, some 10 ms: after that, slips are told without the nearest name */
};

struct reading {
	const struct source *source;
	struct builder *b;
	int cell_of[COLUMN_COUNT];   /* place of a column in the header, or -1 */
	const char *kind_word;       /* "kind" or "type" as the header has it */
	struct names names;
	struct arena arena;          /* the names' texts */
	int *rows;                   /* data row of the file -> operator or NAME_KEPT_OUT */
	size_t row_count, row_capacity;
	int last;                    /* the row above, or MODEL_INPUT */
	int *inputs;                 /* of the row being read */
	struct shape *shapes;
	size_t inputs_capacity, shapes_capacity;
	int input_count;
	size_t hint_names;           /* compared so far */
};

struct line {
	const struct csv_row *row;
	struct declared declared;
	enum operator_kind kind;
	bool bad;
	struct diagnostic first;     /* why it is bad */
};

static int find_column(const struct csv_cell *cell)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (cell_is(cell, column_names[i]))
			return i;
	return cell_is(cell, "type") ? (int)COLUMN_KIND : -1;
}

static bool recognise(const struct source *s)
{
	bool name = false, kind = false;

	for (size_t i = 0; i < s->header_count; i++) {
		name = name || cell_is(&s->header[i], "name");
		kind = kind || cell_is(&s->header[i], "kind") || cell_is(&s->header[i], "type");
	}
	return name && kind;
}

static void read_header(struct reading *r)
{
	const struct source *s = r->source;

	for (int i = 0; i < COLUMN_COUNT; i++)
		r->cell_of[i] = -1;
	for (size_t i = 0; i < s->header_count; i++) {
		int column = find_column(&s->header[i]);
		unsigned long cell = (unsigned long)i + 1;

		if (column < 0 && s->header[i].length > 0) {
			int near = text_nearest(s->header[i].text, column_names, COLUMN_COUNT);

			builder_problem(r->b, SEVERITY_WARNING, s->header_line, cell, "column %lu: \"%.40s\" is not a column of a layer table and is not read%s%s",
				cell, s->header[i].text, near >= 0 ? "; did you mean " : "", near >= 0 ? column_names[near] : "");
		} else if (column >= 0 && r->cell_of[column] >= 0) {
			builder_problem(r->b, SEVERITY_WARNING, s->header_line, cell, "column %lu: a second column %s; the first is read", cell, column_names[column]);
		} else if (column >= 0) {
			r->cell_of[column] = (int)i;
			if (column == COLUMN_KIND)
				r->kind_word = s->header[i].text;
		}
	}
}

static unsigned long cell_number(const struct reading *r, int column)
{
	return (unsigned long)(r->cell_of[column] + 1);
}

/* The cell of a column, or NULL when the row has none or it is empty. */
static const struct csv_cell *cell_in(const struct reading *r, const struct csv_row *row, int column)
{
	int at = r->cell_of[column];

	return at >= 0 && (size_t)at < row->count && row->cells[at].length > 0 ? &row->cells[at] : NULL;
}

/* Marks the line as not understood; the first reason counts. */
static void spoil(struct line *line, const struct diagnostic *d)
{
	if (!line->bad)
		line->first = *d;
	line->bad = true;
}

/* The same for a reason that names an enum column (its number plus 1): the message says which cell that is. */
static void spoil_column(const struct reading *r, struct line *line, const struct diagnostic *d)
{
	struct diagnostic placed;
	unsigned long cell = 0;

	if (d->column > 0) {
		int column = (int)d->column - 1;

		cell = cell_number(r, column);
		if (cell > 0)
			diagnostic_fail(&placed, STATUS_INPUT, "column %lu (%s): %.560s", cell, column_names[column], d->text);
		else
			diagnostic_fail(&placed, STATUS_INPUT, "%s (no such column in this file): %.560s", column_names[column], d->text);
	} else {
		placed = *d;
	}
	placed.column = cell;
	spoil(line, &placed);
}

/* "3" or "3x5" for kernel, stride and pad. */
static enum status read_pair(const struct csv_cell *cell, int column, unsigned long number, int64_t least, struct extent *out, struct diagnostic *d)
{
	size_t first = strcspn(cell->text, "xX");
	int64_t h, w;

	if (first == cell->length) {
		enum status status = cell_size(cell, column_names[column], number, least, &out->h, d);

		out->w = out->h;
		return status;
	}
	if (units_parse_whole(cell->text, first, &h) != STATUS_OK || units_parse_whole(cell->text + first + 1, cell->length - first - 1, &w) != STATUS_OK ||
	    h < least || w < least || h > MODEL_SIZE_MAX || w > MODEL_SIZE_MAX) {
		diagnostic_fail(d, STATUS_INPUT, "column %lu (%s): \"%.40s\" is neither a whole number >= %d nor two of them, rows by columns, such as 3x5",
			number, column_names[column], cell->text, (int)least);
		diagnostic_place(d, NULL, 0, number);
		return STATUS_INPUT;
	}
	*out = (struct extent){ h, w };
	return STATUS_OK;
}

static void read_sizes(const struct reading *r, struct line *line)
{
	static const int least[COLUMN_COUNT] = {
#define X(column, name, smallest) smallest,
		COLUMNS(X)
#undef X
	};

	for (int i = 0; i < COLUMN_COUNT; i++) {
		const struct csv_cell *cell = cell_in(r, line->row, i);
		struct extent *value = &line->declared.value[i];
		struct diagnostic d;
		enum status status;

		if (cell == NULL || least[i] < 0)
			continue;
		status = i == COLUMN_KERNEL || i == COLUMN_STRIDE || i == COLUMN_PAD ?
			read_pair(cell, i, cell_number(r, i), least[i], value, &d) :
			cell_size(cell, column_names[i], cell_number(r, i), least[i], &value->h, &d);
		if (status == STATUS_OK && (i == COLUMN_BIAS || i == COLUMN_TIED) && value->h > 1) {
			status = diagnostic_fail(&d, STATUS_INPUT, "column %lu (%s): \"%.40s\" is neither 0 nor 1 (1: %s)", cell_number(r, i), column_names[i], cell->text,
				i == COLUMN_BIAS ? "one parameter more for each output channel" : "its weights are another row's");
			d.column = cell_number(r, i);
		}
		line->declared.given[i] = status == STATUS_OK;
		if (status != STATUS_OK)
			spoil(line, &d);
	}
}

/* Says that a cell is no kind, with the nearest one or all of them. */
static void no_such_kind(const struct reading *r, const struct csv_cell *cell, struct diagnostic *d)
{
	const char *names[OPERATOR_KIND_COUNT];
	unsigned long number = cell_number(r, COLUMN_KIND);
	struct text list = { 0 };
	int near;

	for (int kind = 0; kind < OPERATOR_KIND_COUNT; kind++) {
		names[kind] = operator_kind_name((enum operator_kind)kind);
		text_printf(&list, "%s%s", kind > 0 ? ", " : "", names[kind]);
	}
	near = cell != NULL ? text_nearest(cell->text, names, OPERATOR_KIND_COUNT) : -1;
	if (cell == NULL)
		diagnostic_fail(d, STATUS_INPUT, "column %lu (%s): is empty; write one of %s", number, r->kind_word, list.bytes);
	else if (near >= 0)
		diagnostic_fail(d, STATUS_INPUT, "column %lu (%s): \"%.40s\" is not a kind; did you mean %s?", number, r->kind_word, cell->text, names[near]);
	else
		diagnostic_fail(d, STATUS_INPUT, "column %lu (%s): \"%.40s\" is not a kind; write one of %s", number, r->kind_word, cell->text, list.bytes);
	d->column = number;
	text_free(&list);
}

static void read_kind(const struct reading *r, struct line *line)
{
	const struct csv_cell *cell = cell_in(r, line->row, COLUMN_KIND);
	struct diagnostic d;

	line->kind = OPERATOR_OPAQUE;
	if (cell != NULL && cell_is(cell, "fc")) {
		line->kind = OPERATOR_LINEAR;
		return;
	}
	for (int kind = 0; cell != NULL && kind < OPERATOR_KIND_COUNT; kind++)
		if (cell_is(cell, operator_kind_name((enum operator_kind)kind))) {
			line->kind = (enum operator_kind)kind;
			return;
		}
	no_such_kind(r, cell, &d);
	spoil(line, &d);
}

static void add_input(struct reading *r, int input)
{
	const struct shape unknown = { 0, 0, 0 };

	r->inputs = memory_grow(r->inputs, &r->inputs_capacity, (size_t)r->input_count + 1, sizeof *r->inputs);
	r->shapes = memory_grow(r->shapes, &r->shapes_capacity, (size_t)r->input_count + 1, sizeof *r->shapes);
	r->inputs[r->input_count] = input;
	r->shapes[r->input_count++] = input == MODEL_INPUT ? unknown : r->b->operators[input].out;
}

/* A name that is nowhere: the nearest one, as long as searching does not cost much. */
static void no_such_name(struct reading *r, unsigned long cell, const char *name, struct diagnostic *d)
{
	const char **names;
	size_t count = 0;
	int near = -1;

	r->hint_names += r->names.count;
	if (r->hint_names <= HINT_NAMES_MAX) {
		names = memory_alloc(r->names.count, sizeof *names);
		for (size_t i = 0; i < r->names.capacity; i++)
			if (r->names.slots[i].text != NULL)
				names[count++] = r->names.slots[i].text;
		near = text_nearest(name, names, count);
		if (near >= 0)
			diagnostic_fail(d, STATUS_INPUT, "column %lu (inputs): no row is named \"%.80s\"; did you mean %.80s?", cell, name, names[near]);
		memory_free(names);
	}
	if (near < 0)
		diagnostic_fail(d, STATUS_INPUT, "column %lu (inputs): no row is named \"%.80s\"; write names of earlier rows joined by ;, "
			"or - for the model's input, or leave the cell empty for the row above", cell, name);
}

/* Why a name or #N means no row that can be read. */
static void unresolved(struct reading *r, unsigned long line, const char *text, size_t length, const struct name *name, bool numbered, struct diagnostic *d)
{
	unsigned long cell = cell_number(r, COLUMN_INPUTS);
	char shown[84];

	text_sanitize(shown, sizeof shown, text, length);
	if (name != NULL && name->row == NAME_KEPT_OUT)
		diagnostic_fail(d, STATUS_INPUT, "column %lu (inputs): row \"%s\" of line %lu could not be kept; correct that row first", cell, shown, name->line);
	else if (name != NULL && name->last_line == line)
		diagnostic_fail(d, STATUS_INPUT, "column %lu (inputs): row \"%s\" names itself; an input must be an earlier row", cell, shown);
	else if (name != NULL)
		diagnostic_fail(d, STATUS_INPUT, "column %lu (inputs): \"%s\" is a later row (line %lu), a cycle or a wrong order; move that row above this one",
			cell, shown, name->last_line);
	else if (numbered)
		diagnostic_fail(d, STATUS_INPUT, "column %lu (inputs): %s is not an earlier row that could be kept; this is row #%zu", cell, shown, r->row_count + 1);
	else
		no_such_name(r, cell, shown, d);
	d->column = cell;
}

/* What a name or #N means: an operator's index, or NAME_NOT_YET and the line is spoilt. */
static int resolve(struct reading *r, struct line *line, const char *text, size_t length)
{
	const struct name *name = names_find(&r->names, text, length);
	bool numbered = name == NULL && length > 1 && text[0] == '#';
	struct diagnostic d;
	int64_t number;

	if (name != NULL && name->row >= 0) {
		if (name->seen > 1)
			builder_problem(r->b, SEVERITY_WARNING, line->row->line, cell_number(r, COLUMN_INPUTS), "column %lu (inputs): %d earlier rows are named \"%.80s\"; "
				"the nearest, of line %lu, is taken; rename it, or write #N for the N-th row", cell_number(r, COLUMN_INPUTS), name->seen, name->text, name->line);
		return name->row;
	}
	numbered = numbered && units_parse_whole(text + 1, length - 1, &number) == STATUS_OK;
	if (numbered && number >= 1 && (size_t)number <= r->row_count && r->rows[number - 1] >= 0)
		return r->rows[number - 1];
	if (!line->bad) {
		unresolved(r, line->row->line, text, length, name, numbered, &d);
		spoil(line, &d);
	}
	return NAME_NOT_YET;
}

/* Names joined by `;`, `-`, or the row above.  Those that resolve are kept also when another does not. */
static void read_inputs(struct reading *r, struct line *line)
{
	const struct csv_cell *cell = cell_in(r, line->row, COLUMN_INPUTS);
	const char *at, *end;

	r->input_count = 0;
	if (cell == NULL) {
		add_input(r, r->last);
		return;
	}
	for (at = cell->text; at != NULL; at = *end == ';' ? end + 1 : NULL) {
		const char *from = at, *to;
		int input;

		end = at + strcspn(at, ";");
		to = end;
		while (from < to && (*from == ' ' || *from == '\t'))
			from++;
		while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
			to--;
		if (from == to)
			continue;
		input = to - from == 1 && *from == '-' ? MODEL_INPUT : resolve(r, line, from, (size_t)(to - from));
		if (input != NAME_NOT_YET)
			add_input(r, input);
	}
	if (r->input_count == 0)
		add_input(r, r->last);
}

static void check_extra_cells(const struct reading *r, struct line *line)
{
	struct diagnostic d;

	for (size_t i = r->source->header_count; i < line->row->count; i++) {
		if (line->row->cells[i].length == 0)
			continue;
		diagnostic_fail(&d, STATUS_INPUT, "cell %zu (\"%.40s\") has no column: the header has %zu; is there a comma too many?", i + 1,
			line->row->cells[i].text, r->source->header_count);
		d.column = (unsigned long)i + 1;
		spoil(line, &d);
		return;
	}
}

static void show_shape(struct shape s, char *out, size_t size)
{
	snprintf(out, size, "%lldx%lldx%lld", (long long)s.ch, (long long)s.h, (long long)s.w);
}

/* Queries, keys and values that do not go together; true when something was told. */
static bool check_attention(const struct reading *r, const struct operator *o)
{
	struct shape q = r->shapes[0], k = r->shapes[1], v = r->input_count > 2 ? r->shapes[2] : r->shapes[1];
	unsigned long column = cell_number(r, COLUMN_INPUTS);

	if (q.ch == 0 || k.ch == 0 || v.ch == 0)
		return true;     /* not known */
	/* heads that share keys and values: as many channels for several heads of queries */
	if (k.ch == v.ch && q.ch % k.ch == 0 && k.ch % (q.ch / o->heads) == 0)
		v.ch = k.ch = q.ch;
	if (q.ch != k.ch)
		builder_problem(r->b, SEVERITY_WARNING, o->line, column, "attention \"%s\": queries of %lld channels and keys of %lld do not multiply; it is counted with %lld", o->name,
			(long long)q.ch, (long long)k.ch, (long long)o->out.ch);
	else if (q.ch != o->out.ch)
		builder_problem(r->b, SEVERITY_WARNING, o->line, column, "attention \"%s\": queries of %lld channels, but an output of %lld; both are counted with %lld", o->name,
			(long long)q.ch, (long long)o->out.ch, (long long)o->out.ch);
	if (k.h != v.h || k.w != v.w)
		builder_problem(r->b, SEVERITY_WARNING, o->line, column, "attention \"%s\": %lldx%lld keys and %lldx%lld values; each key has one value", o->name, (long long)k.h,
			(long long)k.w, (long long)v.h, (long long)v.w);
	if (v.ch != o->out.ch)
		builder_problem(r->b, SEVERITY_WARNING, o->line, column, "attention \"%s\": values of %lld channels, but an output of %lld; it is counted with those", o->name,
			(long long)v.ch, (long long)o->out.ch);
	return true;
}

/* Warns when an edge does not carry what its consumer reads: rows that were edited apart. */
static void check_edges(const struct reading *r, const struct operator *o)
{
	char reads[80], gets[80];

	for (int i = 0; i < r->input_count && o->kind != OPERATOR_EMBEDDING; i++) {
		struct shape from = r->shapes[i], in = r->input_count > 1 ? r->shapes[0] : o->in;
		bool fits = r->inputs[i] == MODEL_INPUT || in.ch == 0 || shape_elements(from) == shape_elements(in);

		if (o->kind == OPERATOR_CONCAT)
			fits = r->inputs[i] == MODEL_INPUT || (from.h == o->in.h && from.w == o->in.w);
		else if (o->kind == OPERATOR_MUL && from.h == 1 && from.w == 1)
			fits = fits || from.ch == in.ch || from.ch == 1;
		else if (o->kind == OPERATOR_MUL && from.h == in.h && from.w == in.w && from.ch > 0)
			fits = fits || in.ch % from.ch == 0;
		else if (o->kind == OPERATOR_ATTENTION && r->input_count > 1)
			fits = i > 0 || check_attention(r, o);
		if (fits)
			continue;
		show_shape(in, reads, sizeof reads);
		show_shape(from, gets, sizeof gets);
		builder_problem(r->b, SEVERITY_WARNING, o->line, cell_number(r, COLUMN_INPUTS), "%s \"%s\" reads %s, but its input \"%s\" hands over %s; correct one of the two rows",
			operator_kind_name(o->kind), o->name, reads, r->b->operators[r->inputs[i]].name, gets);
	}
}

/* Keeps a row that was not understood as an opaque operator, where what it hands on is known. */
static int keep_opaque(struct reading *r, struct operator *o, const struct line *line)
{
	struct operator opaque = operator_blank(OPERATOR_OPAQUE, o->line);
	struct diagnostic d;

	opaque.name = o->name;
	opaque.out = opaque.conv_out = derive_opaque(&line->declared, r->shapes, r->input_count);
	opaque.in = r->shapes[0].ch > 0 ? r->shapes[0] : opaque.out;
	builder_inputs(r->b, &opaque, r->inputs, r->input_count);
	return opaque.out.ch > 0 ? builder_add(r->b, &opaque, &d) : -1;
}

/* A measured time above 0; one that is none is told and left out, the row stays. */
static double read_seconds(struct reading *r, const struct csv_row *row, int column)
{
	const struct csv_cell *cell = cell_in(r, row, column);
	double seconds;
	char *end;

	if (cell == NULL)
		return 0;
	seconds = strtod(cell->text, &end);
	if (*end == '\0' && seconds > 0 && seconds < 1e9 && strpbrk(cell->text, "xX") == NULL)
		return seconds;
	builder_problem(r->b, SEVERITY_WARNING, row->line, cell_number(r, column), "column %lu (%s): \"%.40s\" is not a number of seconds above 0 and is not used", cell_number(r, column),
		column_names[column], cell->text);
	return 0;
}

static int understand(struct reading *r, struct operator *o, struct line *line)
{
	struct diagnostic d;
	int at = -1;

	if (line->bad)
		return -1;
	o->input_count = r->input_count;
	if (derive_operator(o, &line->declared, r->shapes, &d) != STATUS_OK) {
		spoil_column(r, line, &d);
		return -1;
	}
	o->bias = line->declared.value[COLUMN_BIAS].h == 1;
	o->tied = line->declared.value[COLUMN_TIED].h == 1;
	o->fwd_s = read_seconds(r, line->row, COLUMN_FWD_S);
	o->bwd_s = read_seconds(r, line->row, COLUMN_BWD_S);
	builder_inputs(r->b, o, r->inputs, r->input_count);
	at = builder_add(r->b, o, &d);
	if (at < 0) {
		spoil(line, &d);
		return -1;
	}
	if (o->kind == OPERATOR_ATTENTION && !line->declared.given[COLUMN_HEADS])
		builder_problem(r->b, SEVERITY_WARNING, o->line, cell_number(r, COLUMN_HEADS), "attention \"%s\" without heads counts as one head; write heads", o->name);
	if (o->kind == OPERATOR_OPAQUE)
		builder_problem(r->b, SEVERITY_WARNING, o->line, cell_number(r, COLUMN_KIND), "\"%s\" is opaque: nothing is known of its work", o->name);
	check_edges(r, o);
	return at;
}

static void note_row(struct reading *r, int at)
{
	r->rows = memory_grow(r->rows, &r->row_capacity, r->row_count + 1, sizeof *r->rows);
	r->rows[r->row_count++] = at >= 0 ? at : NAME_KEPT_OUT;
	if (at >= 0)
		r->last = at;
	else
		r->b->model->skipped++;
}

static void take_row(struct reading *r, const struct csv_row *row)
{
	static const struct csv_cell nameless = { "", 0 };
	const struct csv_cell *cell = cell_in(r, row, COLUMN_NAME);
	const struct csv_cell *name = cell != NULL ? cell : &nameless;
	struct line line = { .row = row };
	struct operator o;
	struct name *slot = names_find(&r->names, name->text, name->length);
	int at;

	read_kind(r, &line);
	read_sizes(r, &line);
	check_extra_cells(r, &line);
	read_inputs(r, &line);
	o = operator_blank(line.kind, row->line);
	o.name = builder_name(r->b, name->text, name->length);
	at = understand(r, &o, &line);
	if (line.bad) {
		line.first.line = row->line;
		builder_bad_row(r->b, &line.first);
		at = keep_opaque(r, &o, &line);
	}
	note_row(r, at);
	if (slot != NULL) {
		slot->row = at >= 0 ? at : NAME_KEPT_OUT;
		slot->line = row->line;
		slot->seen++;
	}
}

static bool is_empty_row(const struct csv_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		if (row->cells[i].length > 0)
			return false;
	return true;
}

/* Both passes: naming only notes the names. */
static void read_rows(struct reading *r, bool naming)
{
	struct csv_reader *csv = csv_open(r->source->bytes, r->source->length, (struct csv_options){ .quotes = true, .comments = true });
	struct csv_row row;
	struct diagnostic d;
	enum csv_event event;
	int rows = 0;

	while ((event = csv_next(csv, &row, &d)) != CSV_EVENT_END && (naming ? rows++ <= MODEL_ROWS_MAX : builder_row(r->b, row.line))) {
		const struct csv_cell *cell;

		if (event == CSV_EVENT_BAD) {
			if (naming)
				continue;
			builder_bad_row(r->b, &d);
			note_row(r, -1);
			continue;
		}
		if (row.line == r->source->header_line || is_empty_row(&row))
			continue;
		if (!naming) {
			take_row(r, &row);
			continue;
		}
		cell = cell_in(r, &row, COLUMN_NAME);
		if (cell != NULL)
			names_add(&r->names, arena_copy_text(&r->arena, cell->text, cell->length), cell->length)->last_line = row.line;
	}
	csv_close(csv);
}

/* An output that no loss is said to read is taken to reach it all the same, or nothing behind it would learn. */
static void warn_unread(struct reading *r)
{
	int count = r->b->model->count;
	bool *read = memory_alloc((size_t)count, sizeof *read), declared = false;

	for (int i = 0; i < count; i++) {
		const struct operator *o = &r->b->operators[i];

		declared |= o->kind == OPERATOR_LOSS;
		for (int k = 0; k < o->input_count; k++)
			if (o->inputs[k] != MODEL_INPUT)
				read[o->inputs[k]] = true;
	}
	for (int i = 0; declared && i < count; i++)
		if (!read[i] && r->b->operators[i].kind != OPERATOR_LOSS)
			builder_problem(r->b, SEVERITY_WARNING, r->b->operators[i].line, 0, "nothing reads \"%s\", not even the loss: it is taken to reach the loss too", r->b->operators[i].name);
	memory_free(read);
}

static enum status load(const struct source *s, struct builder *b, struct diagnostic *d)
{
	struct reading r = { .source = s, .b = b, .kind_word = "kind", .last = MODEL_INPUT };

	(void)d;
	read_header(&r);
	read_rows(&r, true);
	read_rows(&r, false);
	warn_unread(&r);
	names_free(&r.names);
	arena_free(&r.arena);
	memory_free(r.rows);
	memory_free(r.inputs);
	memory_free(r.shapes);
	return STATUS_OK;
}

const struct format format_whypar = { "whypar", recognise, load };
