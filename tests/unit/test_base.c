/* The floor everything stands on: sanitiser, suggestions, units, arena. */
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void sanitize_replaces_what_could_act_on_a_terminal(void **state)
{
	static const struct { const char *in, *out; } cases[] = {
		{ "conv5_2", "conv5_2" },
		{ "\x1b[31mred", "\xEF\xBF\xBD[31mred" },
		{ "a\rb\nc\td", "a\xEF\xBF\xBD" "b\xEF\xBF\xBD" "c\xEF\xBF\xBD" "d" },
		{ "\xC2\x9B" "31m", "\xEF\xBF\xBD" "31m" },          /* C1 CSI */
		{ "\xE2\x80\xAE" "evil", "\xEF\xBF\xBD" "evil" },    /* right-to-left override */
		{ "\xC3\xA9\xE7\x95\x8C", "\xC3\xA9\xE7\x95\x8C" },  /* e acute, a wide character */
		{ "\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD" },          /* overlong NUL */
		{ "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" }, /* a surrogate */
		{ "\xFF", "\xEF\xBF\xBD" },
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		text_sanitize(out, sizeof out, cases[i].in, strlen(cases[i].in));
		assert_string_equal(out, cases[i].out);
	}
}

static void sanitize_never_cuts_a_character(void **state)
{
	char out[6];

	(void)state;
	for (size_t size = 1; size <= sizeof out; size++) {
		size_t n = text_sanitize(out, size, "\xE7\x95\x8C\xE7\x95\x8C", 6);

		assert_int_equal(n % 3, 0);
		assert_true(n < size);
		assert_int_equal(out[n], 0);
	}
}

/* At every size of the buffer: as many whole characters as fit, runs of ASCII among others or not. */
static void sanitize_keeps_what_fits(void **state)
{
	static const char source[] = "ab\xE7\x95\x8C" "cde\033f", clean[] = "ab\xE7\x95\x8C" "cde\xEF\xBF\xBD" "f";
	static const size_t fits[] = { 0, 1, 2, 2, 2, 5, 6, 7, 8, 8, 8, 11, 12, 12 };

	(void)state;
	for (size_t size = 1; size <= sizeof fits / sizeof *fits; size++) {
		char out[16];
		size_t n = text_sanitize(out, size, source, sizeof source - 1);

		assert_int_equal(n, fits[size - 1]);
		assert_memory_equal(out, clean, n);
		assert_int_equal(out[n], 0);
	}
}

static void nearest_name_is_a_likely_slip_or_nothing(void **state)
{
	static const char *const names[] = { "batch", "accelerators", "solver" };

	(void)state;
	assert_int_equal(text_nearest("bacth", names, 3), 0);
	assert_int_equal(text_nearest("accel", names, 3), 1);
	assert_int_equal(text_nearest("sovler", names, 3), 2);
	assert_int_equal(text_nearest("frobnicate", names, 3), -1);
	assert_int_equal(text_nearest("", names, 3), -1);
}

static void counts_parse_with_units_and_nothing_else(void **state)
{
	double value;
	struct diagnostic d;

	(void)state;
	assert_int_equal(units_parse(UNIT_COUNT, "batch", "256", &value, &d), STATUS_OK);
	assert_true(value == 256);
	assert_int_equal(units_parse(UNIT_COUNT, "batch", "4k", &value, &d), STATUS_OK);
	assert_true(value == 4000);
	assert_int_equal(units_parse(UNIT_BYTES, "glb", "2 MiB", &value, &d), STATUS_OK);
	assert_true(value == 2097152);
	static const char *const bad[] = { "", "abc", "8furlongs", "nan", "inf", "0x10", "1e999", "-", "1 2" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(units_parse(UNIT_COUNT, "batch", bad[i], &value, &d), STATUS_INPUT);
		assert_true(strlen(d.text) > 10);
	}
}

static void numbers_print_short(void **state)
{
	static const struct { double value; const char *out; } cases[] = {
		{ 0, "0" }, { 999, "999" }, { 1728, "1.73 k" }, { 132851392, "133 M" }, { 7609090048, "7.61 G" }, { 999999, "1.00 M" }, { 0.25, "0.25" },
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		units_print_si(cases[i].value, 3, out, sizeof out);
		assert_string_equal(out, cases[i].out);
	}
}

static void arena_blocks_are_zeroed_apart_and_aligned(void **state)
{
	struct arena a = { 0 };
	unsigned char *blocks[300];

	(void)state;
	for (size_t i = 0; i < 300; i++) {
		blocks[i] = arena_alloc(&a, i * 7, 3);
		assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < i * 21; j++) {
			assert_int_equal(blocks[i][j], 0);
			blocks[i][j] = 0xFF;
		}
	}
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sanitize_replaces_what_could_act_on_a_terminal),
		cmocka_unit_test(sanitize_never_cuts_a_character),
		cmocka_unit_test(sanitize_keeps_what_fits),
		cmocka_unit_test(nearest_name_is_a_likely_slip_or_nothing),
		cmocka_unit_test(counts_parse_with_units_and_nothing_else),
		cmocka_unit_test(numbers_print_short),
		cmocka_unit_test(arena_blocks_are_zeroed_apart_and_aligned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
