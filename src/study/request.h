/* From a document to what its solvers are asked: the array, its links, what exchanges cost, the request itself.  Pure. */
#ifndef WHYPAR_STUDY_REQUEST_H
#define WHYPAR_STUDY_REQUEST_H

#include "partition/flips.h"
#include "study/document.h"

/* The document's topology with all sizes and links filled in. */
enum status request_topology(const struct document *document, struct topology *out, struct diagnostic *d);

/* What exchanges take over these links, by comm_time. */
struct prices request_link_prices(const struct document *document, const struct topology *topology);

/* What exchanges cost a solver.  Where the parameter says time but there is no such topology, the objective is elements: ask the prices, not the
 * parameter. */
struct prices request_prices(const struct document *document);

/* pins: variable x LEVELS_MAX, kept; may be NULL. */
struct plan_request request_of(const struct document *document, const signed char *pins);

/* The parameter that a knob of flips is, and back; FLIP_KNOB_COUNT where flips of it are not exact. */
enum parameter_id flip_parameter(enum flip_knob knob);
enum flip_knob flip_knob_of(enum parameter_id id);

/* What turning a knob does to the request; false where it does nothing: bandwidth, but where time is minimised. */
bool request_axis(const struct document *document, enum flip_knob knob, struct flip_axis *axis);

#endif
