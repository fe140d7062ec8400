/* The document: every input of a study, and nothing derived.
 *
 * Plain data that can be copied and compared; the undo journal is a list of copies.  It owns its strings. */
#ifndef WHYPAR_STUDY_DOCUMENT_H
#define WHYPAR_STUDY_DOCUMENT_H

#include "hardware/accelerator.h"
#include "hardware/latencies.h"
#include "study/parameters.h"

/* A pin rule.  Rules apply in order; a later one wins where both match.  state -1 frees again (unpin). */
struct pin_rule {
	int row;                 /* 0-based, of one row; -1: all rows that match the pattern */
	bool exact;              /* the pattern is a name, not a regex */
	char *pattern;           /* a name, or a PCRE2 pattern; "" when row >= 0 */
	int level;               /* 1-based, 0 = every level */
	int state;               /* enum split for layers, enum layout for junctions: dp=row 0, mp=col 1, op=full 2; -1 */
	bool junction;           /* the rule names a layout: it pins junctions, else layers */
};

enum { STAGE_CORES = PARAMETER_GLB - PARAMETER_TC + 1 };

/* What one stage of the pipeline has of its own. */
struct stage_rule {
	int stage;               /* from 1 */
	int starts;              /* row of the model that it begins with; -1: where that is best */
	int accelerator;         /* value of the parameter `accelerator`; -1: as set */
	int accelerators, tensor;        /* 0: as set */
	double cores[STAGE_CORES];       /* the parameters tc to glb, in their order; 0: as its accelerator has them */
};

struct document {
	char *model;             /* reference as given to load; NULL = none yet */
	double values[PARAMETER_COUNT];  /* but for SCOPE_SCREEN; the screen's are the study's (study_value) */
	struct pin_rule *pins;
	size_t pin_count, pin_capacity;
	struct stage_rule *stages;       /* by stage, one of each at most */
	size_t stage_count, stage_capacity;
	struct own_accelerator *own;         /* what accelerator=own means; NULL = no file was read.  A share */
	struct latencies *latencies;         /* measured ones, NULL = none.  A share */
	struct topology topology;            /* what topology=own means; of no tiers: nothing yet */
};

void document_init(struct document *document);
void document_copy(struct document *to, const struct document *from);   /* `to` is overwritten, not freed */
/* The same rows, level and state. */
bool document_same_rule(const struct pin_rule *a, const struct pin_rule *b);
bool document_same_pins(const struct document *a, const struct document *b);
bool document_equal(const struct document *a, const struct document *b);
void document_free(struct document *document);
/* Adds a copy of a rule behind the others; rules it leaves without effect go. */
void document_add_pin(struct document *document, const struct pin_rule *rule);

/* Takes the place of the stage's rule; one that says nothing goes. */
void document_set_stage(struct document *document, const struct stage_rule *rule);
/* The stage's rule, or one that says nothing. */
struct stage_rule document_stage(const struct document *document, int stage);
bool document_stage_has_cores(const struct stage_rule *rule);
/* No stage has a layer to begin with any more. */
void document_free_borders(struct document *document);
bool document_same_stages(const struct document *a, const struct document *b);

/* A parameter's value as text that sets it again: as parameter_print, and the tiers of an own topology. */
void document_print(const struct document *document, enum parameter_id id, char *out, size_t size);
/* The topology that is meant, as it is written. */
struct topology document_topology(const struct document *document);

/* Bytes of an element in the number format. */
int document_element_bytes(const struct document *document);

/* Those of its levels that tensor parallelism makes, the outermost: log2 of tensor; none where that is no power of two, or too many. */
int document_tensor_levels(const struct document *document);
/* H: the levels inside a stage, of its array and of tensor. */
int document_levels(const struct document *document);
/* Accelerators in all: accelerators x tensor x replicas x pipeline, with the sizes that stages have of their own. */
double document_devices(const struct document *document);

/* True for what the exchanges read of the links. */
bool document_of_links(enum parameter_id id);

/* Why turning a parameter changes nothing now, as far as the document alone tells (study_idle knows more). */
const char *document_idle(const struct document *document, enum parameter_id id);

#endif
