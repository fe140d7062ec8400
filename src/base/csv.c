#include "base/csv.h"

#include "base/memory.h"

#include <csv.h>
#include <string.h>

enum { CHUNK_BYTES = 64 * 1024 };

struct csv_reader {
	struct csv_parser parser;
	struct csv_options options;
	const char *bytes;
	size_t length, at;
	unsigned long line;
	char delimiter;
	char *clean;             /* the line with no-break spaces as spaces */
	size_t clean_capacity;
	char *store;             /* the texts of the row's cells, each ended by NUL */
	size_t store_length, store_capacity;
	struct csv_cell *cells;
	size_t count, cells_capacity;
	bool too_long, too_many;
};

static void parser_start(struct csv_reader *r)
{
	csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
	csv_set_blk_size(&r->parser, 4096);
	csv_set_delim(&r->parser, (unsigned char)r->delimiter);
	/* A NUL never reaches the parser, so that as a quote mark it quotes nothing. */
	if (!r->options.quotes)
		csv_set_quote(&r->parser, '\0');
}

/* After an error libcsv's state is void: end it, and begin with a new one. */
static void parser_restart(struct csv_reader *r)
{
	csv_free(&r->parser);
	parser_start(r);
}

/* libcsv's callbacks cannot stop it: they note the trouble, and the feeding loop looks. */
static void on_cell(void *text, size_t length, void *data)
{
	struct csv_reader *r = data;

	if (length > CSV_CELL_BYTES_MAX)
		r->too_long = true;
	if (r->count >= CSV_CELLS_MAX)
		r->too_many = true;
	if (r->too_long || r->too_many)
		return;
	r->store = memory_grow(r->store, &r->store_capacity, r->store_length + length + 1, 1);
	if (length > 0)
		memcpy(r->store + r->store_length, text, length);
	r->store[r->store_length + length] = '\0';
	r->store_length += length + 1;
	r->cells = memory_grow(r->cells, &r->cells_capacity, r->count + 1, sizeof *r->cells);
	r->cells[r->count++].length = length;
}

static void on_row(int end, void *data)
{
	(void)end;
	(void)data;
}

/* Takes the next line from the bytes, without its end; false at the end of the file. */
static bool take_line(struct csv_reader *r, const char **line, size_t *length)
{
	size_t end = r->at;

	if (r->at == r->length)
		return false;
	while (end < r->length && r->bytes[end] != '\n' && r->bytes[end] != '\r')
		end++;
	*line = r->bytes + r->at;
	*length = end - r->at;
	if (end < r->length && r->bytes[end] == '\r')
		end++;
	if (end < r->length && r->bytes[end] == '\n')
		end++;
	r->at = end;
	r->line++;
	return true;
}

static bool is_blank_or_comment(const struct csv_reader *r, const char *line, size_t length)
{
	size_t i = 0;

	while (i < length && (line[i] == ' ' || line[i] == '\t'))
		i++;
	return i == length || (r->options.comments && line[i] == '#');
}

/* A copy of the line in which no-break spaces are spaces. */
static const char *clean_line(struct csv_reader *r, const char *line, size_t length)
{
	r->clean = memory_grow(r->clean, &r->clean_capacity, length + 1, 1);
	memcpy(r->clean, line, length);
	r->clean[length] = '\0';
	for (char *p = r->clean; (p = memchr(p, '\xC2', length - (size_t)(p - r->clean))) != NULL; p++)
		if (p[1] == '\xA0')
			p[0] = p[1] = ' ';
	return r->clean;
}

static enum csv_event bad(const struct csv_reader *r, unsigned long cell, struct diagnostic *d)
{
	diagnostic_place(d, NULL, r->line, cell);
	return CSV_EVENT_BAD;
}

static enum csv_event bad_quote(struct csv_reader *r, struct diagnostic *d)
{
	unsigned long cell = (unsigned long)r->count + 1;

	parser_restart(r);
	diagnostic_fail(d, STATUS_INPUT, "a double quote is out of place: a quoted cell begins and ends with one on the same line, "
		"and a quote inside is written twice, as in \"3\"\" pipe\"");
	return bad(r, cell, d);
}

/* Gives one line to libcsv. */
static enum csv_event parse_line(struct csv_reader *r, const char *line, size_t length, struct diagnostic *d)
{
	r->count = r->store_length = 0;
	r->too_long = r->too_many = false;
	for (size_t done = 0; done < length;) {
		size_t part = length - done < CHUNK_BYTES ? length - done : (size_t)CHUNK_BYTES;

		if (csv_parse(&r->parser, line + done, part, on_cell, on_row, r) < part)
			return bad_quote(r, d);
		done += part;
		if (csv_get_buffer_size(&r->parser) > 2 * CSV_CELL_BYTES_MAX)
			r->too_long = true;
		if (r->too_long || r->too_many)
			break;
	}
	if (!r->too_long && !r->too_many && csv_fini(&r->parser, on_cell, on_row, r) != 0)
		return bad_quote(r, d);
	if (r->too_long || r->too_many) {
		if (r->too_long)
			diagnostic_fail(d, STATUS_INPUT, "a cell is longer than %d KiB, the most there is; is this the table that was meant?", CSV_CELL_BYTES_MAX / 1024);
		else
			diagnostic_fail(d, STATUS_INPUT, "a row has more than %d cells, the most there are; is this the table that was meant?", CSV_CELLS_MAX);
		parser_restart(r);
		return bad(r, (unsigned long)r->count + 1, d);
	}
	return CSV_EVENT_ROW;
}

/* The cell of the line, 1-based, in which a byte lies, in formats without quotes. */
static unsigned long cell_at(const struct csv_reader *r, const char *line, const char *byte)
{
	unsigned long cell = 1;

	for (; line < byte; line++)
		cell += *line == r->delimiter;
	return cell;
}

struct csv_reader *csv_open(const char *bytes, size_t length, struct csv_options options)
{
	struct csv_reader *r = memory_alloc(1, sizeof *r);
	const char *line;
	size_t n, mark = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	r->options = options;
	r->bytes = bytes;
	r->length = length;
	r->at = mark;
	r->delimiter = ',';
	while (take_line(r, &line, &n)) {
		if (is_blank_or_comment(r, line, n))
			continue;
		if (memchr(line, ',', n) == NULL && memchr(line, '\t', n) != NULL)
			r->delimiter = '\t';
		break;
	}
	r->at = mark;
	r->line = 0;
	parser_start(r);
	return r;
}

enum csv_event csv_next(struct csv_reader *r, struct csv_row *row, struct diagnostic *d)
{
	const char *line, *found;
	size_t length;
	char *text;

	do {
		enum csv_event event;

		if (!take_line(r, &line, &length))
			return CSV_EVENT_END;
		row->line = r->line;
		row->count = r->count = 0;
		found = memchr(line, '\0', length);
		if (found != NULL) {
			diagnostic_fail(d, STATUS_INPUT, "a NUL byte: this is not a text file, or it is damaged or UTF-16; save it as UTF-8 text");
			return bad(r, cell_at(r, line, found), d);
		}
		if (is_blank_or_comment(r, line, length))
			continue;
		line = clean_line(r, line, length);
		found = r->options.quotes ? NULL : memchr(line, '"', length);
		if (found != NULL) {
			diagnostic_fail(d, STATUS_INPUT, "a double quote: this format has none; remove the quotes");
			return bad(r, cell_at(r, line, found), d);
		}
		event = parse_line(r, line, length, d);
		if (event != CSV_EVENT_ROW)
			return event;
	} while (r->count == 0);
	text = r->store;
	for (size_t i = 0; i < r->count; i++) {
		r->cells[i].text = text;
		text += r->cells[i].length + 1;
	}
	row->cells = r->cells;
	row->count = r->count;
	return CSV_EVENT_ROW;
}

void csv_close(struct csv_reader *r)
{
	if (r == NULL)
		return;
	csv_free(&r->parser);
	memory_free(r->clean);
	memory_free(r->store);
	memory_free(r->cells);
	memory_free(r);
}

void csv_write_cell(struct text *out, const char *cell)
{
	size_t length = strlen(cell), need;
	bool plain = length == 0 || (cell[0] != ' ' && cell[0] != '\t' && cell[0] != '#' &&
		cell[length - 1] != ' ' && cell[length - 1] != '\t' && strpbrk(cell, ",\"\r\n\t") == NULL);

	if (plain) {
		text_append(out, cell, length);
		return;
	}
	need = csv_write(NULL, 0, cell, length);
	out->bytes = memory_grow(out->bytes, &out->capacity, out->length + need + 1, 1);
	csv_write(out->bytes + out->length, need, cell, length);
	out->length += need;
	out->bytes[out->length] = '\0';
}
