/* From a document to what its solvers are asked: the array, its links, what exchanges cost, the request itself.  Pure. */
#ifndef WHYPAR_STUDY_REQUEST_H
#define WHYPAR_STUDY_REQUEST_H

#include "partition/why.h"
#include "study/document.h"

/* The document's topology with all sizes and links filled in. */
enum status request_topology(const struct document *document, struct topology *out, struct diagnostic *d);

/* What exchanges take over these links, by comm_time. */
struct prices request_link_prices(const struct document *document, const struct topology *topology);

/* What exchanges cost a solver.  Where time is the objective and there is no such topology, elements are. */
struct prices request_prices(const struct document *document);

/* pins: variable x LEVELS_MAX, kept; may be NULL. */
struct plan_request request_of(const struct document *document, const signed char *pins);

/* What turning a knob does to the request. */
struct flip_axis request_axis(const struct document *document, enum flip_knob knob);

/* The parameter that a knob of flips is, and back; FLIP_KNOB_COUNT where flips of it are not exact. */
enum parameter_id flip_parameter(enum flip_knob knob);
enum flip_knob flip_knob_of(enum parameter_id id);

/* Flips of bandwidth are there only where time is minimised. */
bool request_has_axis(const struct document *document, enum flip_knob knob);

#endif
