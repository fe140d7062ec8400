/* Accelerators: presets with what was published of them, and area, power and energy as modelled.  MODELS 5.
 *
 * A preset is a machine (core.h) with a name, what its makers published, and where that is from.  Modelled figures belong to a machine, which
 * may be a preset's with some numbers dialled; published ones to the preset.  mm2, W, J. */
#ifndef WHYPAR_HARDWARE_ACCELERATOR_H
#define WHYPAR_HARDWARE_ACCELERATOR_H

#include "hardware/constants.h"
#include "hardware/core.h"

/* A GPU is timed as many small arrays; its power is its makers' figure. */
enum accelerator_kind { ACCELERATOR_SYSTOLIC, ACCELERATOR_GPU };

struct accelerator {
	const char *name, *text, *source;
	const char *network;                 /* that it is used in, by its name in data/networks.csv; "" for none */
	enum accelerator_kind kind;
	struct machine machine;
	enum number_format format;           /* that it was made for: of machine.element_bytes, mac_j and the published peak */
	double die_mm2, tdp_w, peak_ops;     /* published; peak in op/s, two a MAC; 0: none published */
	unsigned long line;                  /* of the table */
};

/* A table of accelerators; owns all texts. */
struct accelerators {
	struct arena arena;
	struct accelerator *items;
	size_t count;
};

/* Reads a table (whypar-formats(5)): columns by name in any order, with the unit in the header, as in "clock [MHz]".  Rows that are
 * wrong are kept out; every problem, with its place, is added to problems (NULL allowed), and unknown columns are among them as warnings.
 * Fails when the header is wrong or no row is right; then *list is empty and d is the first error. */
enum status accelerators_read(const char *path, const char *bytes, size_t length, struct accelerators *list,
	struct diagnostics *problems, struct diagnostic *d);

/* The program's own: data/accelerators.csv. */
enum status accelerators_builtin(struct accelerators *list, struct diagnostics *problems, struct diagnostic *d);

void accelerators_free(struct accelerators *list);

/* One accelerator of a user's table; immutable once read, counted by its users.  One thread shares and releases. */
struct own_accelerator {
	char *path;
	uint64_t digest;                     /* of the file as it was read */
	struct accelerators table;
	const struct accelerator *chosen;    /* of the table */
	struct diagnostics problems;         /* rows that were kept out, and the like */
	int users;
};

/* name NULL: the table's first.  NULL with d filled when there is none. */
struct own_accelerator *own_accelerator_read(const char *path, const char *name, struct diagnostic *d);
struct own_accelerator *own_accelerator_share(struct own_accelerator *own);      /* NULL allowed */
void own_accelerator_release(struct own_accelerator *own);                       /* NULL allowed */

/* NULL when there is none of that name; then d names the nearest and all. */
const struct accelerator *accelerator_find(const struct accelerators *list, const char *name, struct diagnostic *d);

/* MAC/s, and op/s (two a MAC), with every tensor core busy. */
double machine_peak_macs(const struct machine *m);
double machine_peak_ops(const struct machine *m);

/* J of a multiply-add in a number format: narrower than the accelerator was made for, as the bare arithmetic compares; wider ones are
 * computed in its own. */
double accelerator_mac_j(const struct accelerator *a, const struct machine *m, enum number_format format);

/* ---- area.  reference/area.md, 22 nm ---- */

/* Area in um2 of a memory: linear between the table's points (1 KiB to 128 MiB), and beyond them on the line of the two nearest. */
double sram_area(double bytes);

struct area {                                /* mm2 */
	double tc, tc_sram;                  /* all tensor cores: multipliers; their own buffers */
	double vc, vc_sram;
	double glb;
	double total;
};

struct area machine_area(const struct machine *m, const struct constants *c);

/* What a published die holds beyond the modelled area (memory interfaces, links, host); 0 when no die was published or the
 * model is larger. */
double accelerator_uncore(const struct accelerator *a, const struct constants *c);

/* ---- power ---- */

struct power {                               /* W */
	double compute;                      /* every multiplier busy */
	double memory;                       /* full bandwidth */
	double die;                          /* leakage, clock and the rest */
	double total;                        /* TDP: the sum, or as published */
	bool published;
};

/* The three terms for a machine on a die of that many mm2 (modelled area and uncore), total their sum. */
struct power machine_power(const struct machine *m, double die_mm2, const struct constants *c);

/* Of a machine that began as preset a, with an uncore of that many mm2.  A GPU's total is its published TDP. */
struct power accelerator_power(const struct accelerator *a, const struct machine *m, double uncore_mm2, const struct constants *c);

/* ---- energy of a run ---- */

struct work {
	double macs;                         /* on tensor cores */
	double lane_cycles;                  /* elements times cycles each, on vector cores */
	double sram_bytes;                   /* between buffer and cores */
	double memory_bytes;                 /* between memory and buffer */
};

struct energy {                              /* J; what links take is the network's */
	double compute, sram, dram;
};

/* mac_j: accelerator_mac_j of the run's format.  A lane's cycle takes as much: lanes are built of the same multipliers. */
struct energy work_energy(const struct work *w, double mac_j, const struct constants *c);

#endif
