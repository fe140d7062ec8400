/* The one table of parameters.  A row drives parsing, range check, completion, dials, help, man page and JSON.
 *
 * Values are doubles; a choice's value is the index of its word.  Names are those of the command
 * line's contract.  Thread-free: the table is constant. */
#ifndef WHYPAR_STUDY_PARAMETERS_H
#define WHYPAR_STUDY_PARAMETERS_H

#include "base/status.h"
#include "base/units.h"
#include "partition/plan.h"   /* enum solver: the values of `solver` */

#include <stdbool.h>
#include <stddef.h>

/* STEP_POWER: a power of two, which also checks what is typed. */
enum parameter_step { STEP_DOUBLE, STEP_POWER, STEP_ONE, STEP_CHOICE };

/* What a parameter belongs to: the study (undone, saved, evaluated) or the screen alone. */
enum parameter_scope { SCOPE_STUDY, SCOPE_SCREEN };

/* name, bytes of an element */
#define PRECISIONS(X) X("fp32", 4) X("tf32", 4) X("bf16", 2) X("fp16", 2) X("fp8", 1) X("int8", 1)
#define PRECISION_NAME(name, bytes) name,

#define CHOICES(...) ((const char *const[]){ __VA_ARGS__ NULL })

/* id, name, unit, min, max, default, step, scope, is a dial, choices, text, source */
#define PARAMETERS(X) \
	X(BATCH,        "batch",        UNIT_COUNT,  1, BATCH_MAX, 256, STEP_DOUBLE, SCOPE_STUDY, true, NULL, \
	  "samples in one training step", "HyPar section 6 uses 256") \
	X(ACCELERATORS, "accelerators", UNIT_COUNT,  1, ACCELERATORS_MAX, 16, STEP_POWER, SCOPE_STUDY, true, NULL, \
	  "accelerators in the array, a power of two: 2^H of them make H levels", "HyPar section 6 uses 16") \
	X(SOLVER,       "solver",       UNIT_CHOICE, 0, 5,       3,   STEP_CHOICE, SCOPE_STUDY, true, CHOICES("dp", "mp", "owt", "hypar", "accpar", "joint",), \
	  "how the plan is chosen: all dp, all mp, one weird trick (conv dp, linear mp), level by level with two types (hypar) or three (accpar), or all levels at once (joint)", "HyPar algorithms 1 and 2; AccPar; whypar-models(7) 2.3") \
	X(TYPES,        "types",        UNIT_COUNT,  2, 3,       2,   STEP_ONE,    SCOPE_STUDY, true, NULL, \
	  "types the joint solver may use: 2 (dp, mp) or 3 (also op)", "HyPar has two, AccPar three") \
	X(COMM_MODEL,   "comm_model",   UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_STUDY, true, CHOICES("printed", "figures",), \
	  "cost of re-laying a tensor between layers: as HyPar's Table 2 prints it, or as its figures obey (changes to full are free)", "whypar-models(7) 2.1") \
	X(MP_OUTPUT,    "mp_output",    UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_STUDY, true, CHOICES("conv", "pooled",), \
	  "partial sums that mp exchanges: the convolution's own output, or the pooled one of HyPar's figures", "whypar-models(7) 2.1") \
	X(PRECISION,    "precision",    UNIT_CHOICE, 0, 5,       0,   STEP_CHOICE, SCOPE_STUDY, true, CHOICES(PRECISIONS(PRECISION_NAME)), \
	  "number format of every tensor: 4, 4, 2, 2, 1 or 1 bytes an element on the links", "HyPar: fp32") \
	X(GLYPHS,       "glyphs",       UNIT_CHOICE, 0, 2,       0,   STEP_CHOICE, SCOPE_SCREEN, false, CHOICES("auto", "block", "ascii",), \
	  "characters the screen is drawn with; auto takes ascii where the locale is not UTF-8", "") \
	X(COLOR,        "color",        UNIT_CHOICE, 0, 2,       0,   STEP_CHOICE, SCOPE_SCREEN, false, CHOICES("auto", "always", "never",), \
	  "colours; auto obeys NO_COLOR and what the terminal has", "no-color.org") \
	X(THEME,        "theme",        UNIT_CHOICE, 0, 2,       0,   STEP_CHOICE, SCOPE_SCREEN, false, CHOICES("plain", "light", "dark",), \
	  "accents for any background (plain), a light or a dark one", "") \
	X(MOUSE,        "mouse",        UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_SCREEN, false, CHOICES("off", "on",), \
	  "mouse clicks and wheel; off leaves the terminal's own selection alone", "") \
	X(CURSOR,       "cursor",       UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_SCREEN, false, CHOICES("hide", "show",), \
	  "show the terminal's cursor on the focused item, for braille displays and screen readers", "") \
	X(CLIPBOARD,    "clipboard",    UNIT_CHOICE, 0, 1,       0,   STEP_CHOICE, SCOPE_SCREEN, false, CHOICES("off", "osc52",), \
	  "let y copy through the terminal (OSC 52)", "")

enum parameter_id {
#define X(id, ...) PARAMETER_##id,
	PARAMETERS(X)
#undef X
	PARAMETER_COUNT
};

struct parameter {
	const char *name;
	enum unit unit;
	double minimum, maximum, standard;   /* standard: the default */
	enum parameter_step step;
	enum parameter_scope scope;
	bool dial;
	const char *const *choices;          /* NULL-terminated, or NULL */
	const char *text, *source;
};

const struct parameter *parameter_at(enum parameter_id id);

/* PARAMETER_COUNT when there is none; then d (may be NULL) holds STATUS_USAGE's message with the nearest name. */
enum parameter_id parameter_find(const char *name, struct diagnostic *d);

/* Parses and range-checks a value, the power-of-two rule of accelerators included. */
enum status parameter_parse(enum parameter_id id, const char *text, double *value, struct diagnostic *d);

/* "256", "hypar". */
void parameter_print(enum parameter_id id, double value, char *out, size_t size);

/* The next value up (direction > 0) or down; the same value at the end of its range. */
double parameter_step_value(enum parameter_id id, double value, int direction);

#endif
