/* Units: the only place where numbers meet their suffixes.
 *
 * Inside the program: elements, bytes, whole counts.  They print with SI prefixes (10^3).  Parsing and printing are in
 * the C locale. */
#ifndef WHYPAR_BASE_UNITS_H
#define WHYPAR_BASE_UNITS_H

#include "base/status.h"

#include <stdint.h>

enum unit {
	UNIT_COUNT,              /* whole numbers: 256, 4k = 4000, 1Ki = 1024 */
	UNIT_BYTES,              /* KiB..TiB (2^10), kB..TB (10^3) */
	UNIT_CHOICE,             /* a word from a list; the value is its index */
	UNIT_KINDS
};

/* Parses the whole of text as a value of unit; on failure fills d (name is what the message calls it). */
enum status units_parse(enum unit unit, const char *name, const char *text, double *value, struct diagnostic *d);

/* Parses a whole decimal integer >= 0 that fits int64; the whole of text must be it. */
enum status units_parse_whole(const char *text, size_t length, int64_t *value);

/* Short human form with an SI prefix and at most `digits` significant digits: 6.42 M, 132.9 k, 7.61 G.
 * Values below 1000 print plainly.  out is NUL-terminated. */
void units_print_si(double value, int digits, char *out, size_t size);

/* An exact whole number when it is one (up to 2^53), else 17 significant digits cut to the shortest that reads back. */
void units_print_exact(double value, char *out, size_t size);

/* Bytes moved, decimal: "18.9 MB". */
void units_print_bytes(double bytes, char *out, size_t size);

/* Checked product of sizes: false on overflow of int64 (result then untouched). */
int units_multiply(int64_t a, int64_t b, int64_t *product);

#endif
