/* Constants of area, power and energy: one table with units and sources.  MODELS 5; reference/area.md, hardware.md.
 *
 * Functions take the set to use, so that a study can set any of them anew; constants_standard is the table's own.  Units are
 * SI but for areas (um2 of a part, mm2 of a die). */
#ifndef WHYPAR_HARDWARE_CONSTANTS_H
#define WHYPAR_HARDWARE_CONSTANTS_H

#include "base/units.h"

/* id, name, unit, least, most, value, text, source */
#define HARDWARE_CONSTANTS(X) \
	X(TC_AREA,     "tc_area",     UNIT_PART_AREA, 0, 1e9,  760.041386, "one multiplier of a tensor core with its 16 registers, 22 nm", "fitted to Phaze's table, exact on 29360 rows") \
	X(VC_AREA,     "vc_area",     UNIT_PART_AREA, 0, 1e9,  759.823853, "one lane of a vector core with its 6 registers, 22 nm", "fitted to Phaze's table, exact on 29360 rows") \
	X(L2_EACH,     "l2_each",     UNIT_BYTES,     0, 1e6,  16,         "buffer of a core for each multiplier or lane", "Phaze: 1/64 KiB") \
	X(L2_LEAST,    "l2_least",    UNIT_BYTES,     0, 0x1p40, 1024,       "least buffer of a core", "Phaze: 1 KiB") \
	X(MEMORY_BIT,  "memory_bit",  UNIT_ENERGY,    0, 1e-6, 3.9e-12,    "one bit moved between memory and buffer", "HBM2, recalled") \
	X(SRAM_BYTE,   "sram_byte",   UNIT_ENERGY,    0, 1e-6, 1.25e-12,   "one byte moved between buffer and cores", "HyPar: 5.0 pJ for 32 bits; Horowitz ISSCC 2014: 10 pJ for 64 bits of 8 KiB") \
	X(LINK_BIT,    "link_bit",    UNIT_ENERGY,    0, 1e-6, 6.8e-12,    "one bit moved over a link between accelerators", "logic and link of a memory cube, recalled") \
	X(DIE_DENSITY, "die_density", UNIT_DENSITY,   0, 1e3,  0.28,       "leakage, clock and all that is not multipliers, for each mm2 of the die", "fitted with the others to TPUv2 (280 W) and TPUv3 (450 W), 16 nm")

enum hardware_constant {
#define X(id, ...) CONSTANT_##id,
	HARDWARE_CONSTANTS(X)
#undef X
	CONSTANT_COUNT
};

struct constants {
	double value[CONSTANT_COUNT];
};

const struct constants *constants_standard(void);

/* ---- number formats ---- */

/* id, name, bytes, J of a multiply and an add, source.  45 nm, the bare arithmetic: how formats compare, not what a chip takes. */
#define NUMBER_FORMATS(X) \
	X(FP32, "fp32", 4, 4.6e-12,  "Horowitz ISSCC 2014: 3.7 + 0.9 pJ, as HyPar has it") \
	X(TF32, "tf32", 4, 2.0e-12,  "an fp16 multiply (1.1 pJ; both have 10 bits of fraction) and an fp32 add (0.9)") \
	X(BF16, "bf16", 2, 2.0e-12,  "an fp16 multiply at most (1.1 pJ) and an fp32 add (0.9)") \
	X(FP16, "fp16", 2, 1.5e-12,  "Horowitz ISSCC 2014: 1.1 + 0.4 pJ") \
	X(FP8,  "fp8",  1, 0.6e-12,  "an int8 multiply (0.2 pJ) and an fp16 add (0.4)") \
	X(INT8, "int8", 1, 0.23e-12, "Horowitz ISSCC 2014: 0.2 + 0.03 pJ")

enum number_format {
#define X(id, name, bytes, mac_j, source) FORMAT_##id,
	NUMBER_FORMATS(X)
#undef X
	FORMAT_COUNT
};

struct format_row {
	const char *name;
	int bytes;
	double mac_j;
	const char *source;
};

const struct format_row *format_at(enum number_format format);
/* FORMAT_COUNT when there is none of that name. */
enum number_format format_find(const char *name);

#endif
