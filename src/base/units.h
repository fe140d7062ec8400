/* Units: the only place where numbers meet their suffixes.
 *
 * Inside the program: elements, bytes, bytes/s, hertz, joules, mm2 of a die, um2 of a part.  Parsing and printing are in the C locale. */
#ifndef WHYPAR_BASE_UNITS_H
#define WHYPAR_BASE_UNITS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* id, name of the unit values have inside ("count" and "word" have none) */
#define UNITS(X) \
	X(COUNT,     "count")    /* whole numbers: 256, 4k = 4000, 1Ki = 1024 */ \
	X(CHOICE,    "word")     /* from a list; the value is its index */ \
	X(BYTES,     "B")        /* KiB..TiB (2^10), kB..TB (10^3) */ \
	X(RATE,      "B/s")      /* GB/s, GiB/s, and Gb/s, in bits */ \
	X(FREQUENCY, "Hz") \
	X(TIME,      "s") \
	X(ENERGY,    "J") \
	X(AREA,      "mm2")      /* of a die */ \
	X(PART_AREA, "um2")      /* of a part of one */ \
	X(POWER,     "W") \
	X(DENSITY,   "W/mm2") \
	X(OPERATIONS, "op/s") \
	X(PART,      "part")     /* of a whole, or so many times: a plain number */

enum unit {
#define X(id, name) UNIT_##id,
	UNITS(X)
#undef X
	UNIT_KINDS
};

const char *units_name(enum unit unit);

/* Parses the whole of text as a value of unit; on failure fills d (name is what the message calls it).  A number without a suffix is
 * in the unit of the inside. */
enum status units_parse(enum unit unit, const char *name, const char *text, double *value, struct diagnostic *d);

/* Between a suffix and the inside.  Fractions are divided for, so that 25 us is the double nearest to 25e-6. */
struct unit_scale {
	double multiply, divide;
};

static inline double units_inside(struct unit_scale scale, double outside)
{
	return outside * scale.multiply / scale.divide;
}

static inline double units_outside(struct unit_scale scale, double inside)
{
	return inside * scale.divide / scale.multiply;
}

/* multiply is 0 when the unit has no suffix of that name. */
struct unit_scale units_scale(enum unit unit, const char *suffix, size_t length);
/* The suffixes of a unit, "B, KiB, ...". */
void units_list(enum unit unit, char *out, size_t size);

/* Parses a whole decimal integer >= 0 that fits int64; the whole of text must be it. */
/* The same, but for a rate or a time whose unit must be guessed: a plain number is taken only where nobody means another unit, a rate from 1e6 bytes/s
 * on and a time below 1e-3 s. */
enum status units_parse_stated(enum unit unit, const char *name, const char *text, double *value, struct diagnostic *d);

enum status units_parse_whole(const char *text, size_t length, int64_t *value);

/* A value with the suffix that makes it shortest, as units_parse reads it back exactly: "700GB/s", "108KiB", "256". */
void units_print(enum unit unit, double value, char *out, size_t size);

/* Short human form with an SI prefix and at most `digits` significant digits: 6.42 M, 132.9 k, 7.61 G.
 * Values below 1000 print plainly.  out is NUL-terminated. */
void units_print_si(double value, int digits, char *out, size_t size);

/* An exact whole number when it is one (up to 2^53), else 17 significant digits cut to the shortest that reads back. */
void units_print_exact(double value, char *out, size_t size);

/* Bytes moved, decimal: "18.9 MB". */
void units_print_bytes(double bytes, char *out, size_t size);
/* What memories hold, in KiB, MiB or GiB: "1.53 GiB". */
void units_print_memory(double bytes, char *out, size_t size);

/* "163 GB/s": three digits. */
void units_print_rate_short(double bytes_per_second, char *out, size_t size);
/* "163.294 GB/s": six digits, for reading; units_print is exact. */
void units_print_rate(double bytes_per_second, char *out, size_t size);

/* Time with three digits: "41.3 ms", "0.84 ns". */
void units_print_seconds(double seconds, char *out, size_t size);

/* Checked product of sizes: false on overflow of int64 (result then untouched). */
int units_multiply(int64_t a, int64_t b, int64_t *product);

#endif
