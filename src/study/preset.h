/* Between parameters and the accelerator they describe: a preset sets the parameters, the parameters make a machine. */
#ifndef WHYPAR_STUDY_PRESET_H
#define WHYPAR_STUDY_PRESET_H

#include "hardware/accelerator.h"
#include "study/document.h"

/* The accelerator that values' `accelerator` names: of the program's own, or of the document's file.  NULL with d (may be NULL) filled when
 * no file was read. */
const struct accelerator *preset_find(const struct accelerators *builtin, const struct own_accelerator *own, const double *values, struct diagnostic *d);

/* The accelerator of the second half, or NULL where both halves are alike (then d is not touched) or there is none. */
const struct accelerator *preset_second(const struct accelerators *builtin, const double *values, struct diagnostic *d);

/* Sets all of parameter_of_preset to the preset's numbers. */
void preset_apply(const struct accelerator *preset, double *values);

/* What an accelerator that is chosen brings along beside these: a GPU is one in a stage, on its network.  Without the program's networks it brings none. */
void preset_bring(const struct accelerator *preset, double *values, struct topology *topology);

/* Whether it brings anything; NULL brings nothing. */
bool preset_brings(const struct accelerator *preset);

/* What a parameter is when nobody sets it: the preset's number, or the parameter's default. */
double preset_standard(const struct accelerator *preset, enum parameter_id id);

/* The machine that the parameters describe; what no parameter says (memory size) is the preset's.  mac_j is of the preset's own format. */
struct machine preset_machine(const struct accelerator *preset, const double *values);

/* Constants of area, power and energy as the parameters have them. */
struct constants preset_constants(const double *values);

#endif
