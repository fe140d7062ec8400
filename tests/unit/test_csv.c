/* Tables: rows with their true lines, and what is no row is told with its place and passed over. */
#include "base/csv.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OURS { .quotes = true, .comments = true }
#define PLAIN { .quotes = false, .comments = false }

static const struct csv_options ours = OURS, plain = PLAIN;

/* All of a table as text: "LINE[cell|cell]" for a row, "LINE:CELL!" for a bad line. */
static void dump(const char *bytes, size_t length, struct csv_options options, struct text *out)
{
	struct csv_reader *r = csv_open(bytes, length, options);
	struct csv_row row;
	struct diagnostic d;
	enum csv_event event;

	while ((event = csv_next(r, &row, &d)) != CSV_EVENT_END) {
		if (event == CSV_EVENT_BAD) {
			assert_true(strlen(d.text) > 10);
			text_printf(out, "%lu:%lu!", d.line, d.column);
			continue;
		}
		text_printf(out, "%lu[", row.line);
		for (size_t i = 0; i < row.count; i++)
			text_printf(out, "%s%s", i > 0 ? "|" : "", row.cells[i].text);
		text_add(out, "]");
	}
	csv_close(r);
}

static void rows_carry_their_true_line(void **state)
{
	static const struct { const char *in; struct csv_options options; const char *out; } cases[] = {
		{ "a,b\n\n\nc,d\n", OURS, "1[a|b]4[c|d]" },
		{ "a,b\r\n\r\nc,d", OURS, "1[a|b]3[c|d]" },
		{ "a,b\rc,d\r", OURS, "1[a|b]2[c|d]" },
		{ "# note\n  # more\na,b\n", OURS, "3[a|b]" },
		{ "# note\na,b\n", PLAIN, "1[# note]2[a|b]" },
		{ "\xEF\xBB\xBF" "a,b\n", OURS, "1[a|b]" },
		{ "\xEF\xBB\xBF\"a\",b\n", OURS, "1[a|b]" },
		{ " a \t,\tb ,,\n", OURS, "1[a|b||]" },
		{ "a,\xC2\xA0" "b\xC2\xA0\n", OURS, "1[a|b]" },
		{ "\" a\",\"b\"\"c\",\"d,e\"\n", OURS, "1[ a|b\"c|d,e]" },
		{ "a\tb\tc\n1\t\t3\n", OURS, "1[a|b|c]2[1||3]" },
		{ "a,b\tc\n", OURS, "1[a|b\tc]" },
		{ ",,,\n", OURS, "1[|||]" },
		{ "", OURS, "" },
		{ "\n \n\t\n", OURS, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text out = { 0 };

		dump(cases[i].in, strlen(cases[i].in), cases[i].options, &out);
		assert_string_equal(text_string(&out), cases[i].out);
		text_free(&out);
	}
}

/* A stray quote must not swallow the rows after it (libcsv alone would, to the end of the file). */
static void bad_lines_are_placed_and_passed_over(void **state)
{
	static const struct { const char *in; size_t length; struct csv_options options; const char *out; } cases[] = {
		{ "a,b\n\"c\"x,d\ne,f\n", 0, OURS, "1[a|b]2:1!3[e|f]" },
		{ "a,b\nc,\"d\ne,f\n", 0, OURS, "1[a|b]2:2!3[e|f]" },
		{ "a,b\nc,d\"d\ne,f", 0, OURS, "1[a|b]2:2!3[e|f]" },
		{ "a,b\nc,\"", 0, OURS, "1[a|b]2:2!" },
		{ "a,b\n\"c\",d\n", 0, PLAIN, "1[a|b]2:1!" },
		{ "a,b\nc,d'\n", 0, PLAIN, "1[a|b]2[c|d']" },
		{ "a,b\nc,\0d\ne,f\n", 12, OURS, "1[a|b]2:2!3[e|f]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text out = { 0 };

		dump(cases[i].in, cases[i].length > 0 ? cases[i].length : strlen(cases[i].in), cases[i].options, &out);
		assert_string_equal(text_string(&out), cases[i].out);
		text_free(&out);
	}
}

static void caps_hold_and_the_next_row_is_read(void **state)
{
	size_t big = 3 * CSV_CELL_BYTES_MAX;
	char *bytes = memory_alloc(big + 8, 1);
	struct text out = { 0 };

	(void)state;
	memset(bytes, 'x', big);
	memcpy(bytes + big, "\na,b\n", 5);
	dump(bytes, big + 5, ours, &out);
	assert_string_equal(text_string(&out), "1:1!2[a|b]");
	text_clear(&out);
	memset(bytes, ',', 2000);
	memcpy(bytes + 2000, "\na,b\n", 5);
	dump(bytes, 2005, ours, &out);
	assert_string_equal(text_string(&out), "1:1025!2[a|b]");
	text_free(&out);
	memory_free(bytes);
}

static void cells_written_read_back(void **state)
{
	static const char *const cells[] = { "conv1", "", "a,b", "say \"x\"", " led", "trailed ", "#1", "Attn_QxK'", "\xC3\xA9", "\"", "tab\tbed" };

	(void)state;
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
		struct text out = { 0 };
		struct csv_reader *r;
		struct csv_row row;
		struct diagnostic d;

		csv_write_cell(&out, cells[i]);
		text_add(&out, ",end\n");
		r = csv_open(out.bytes, out.length, ours);
		assert_int_equal(csv_next(r, &row, &d), CSV_EVENT_ROW);
		assert_int_equal(row.count, 2);
		assert_string_equal(row.cells[0].text, cells[i]);
		csv_close(r);
		text_free(&out);
	}
}

/* Every byte string gives events that end, whatever its quotes, ends and delimiters.  Seed fixed. */
static void any_bytes_end(void **state)
{
	static const char marks[] = "a,\"\n\r\t #;\xC2\xA0\xEF\xBB\xBF";
	uint32_t seed = 2463534242u;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char bytes[48];
		struct text out = { 0 };
		size_t length = (size_t)round % sizeof bytes;

		for (size_t i = 0; i < length; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 17;
			seed ^= seed << 5;
			bytes[i] = marks[seed % sizeof marks];
		}
		dump(bytes, length, round % 2 ? ours : plain, &out);
		text_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_carry_their_true_line),
		cmocka_unit_test(bad_lines_are_placed_and_passed_over),
		cmocka_unit_test(caps_hold_and_the_next_row_is_read),
		cmocka_unit_test(cells_written_read_back),
		cmocka_unit_test(any_bytes_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
