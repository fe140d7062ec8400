/* Inside of the solvers: what a search keeps.  Only the files of this folder include it. */
#ifndef WHYPAR_PARTITION_SEARCH_H
#define WHYPAR_PARTITION_SEARCH_H

#include "partition/costs.h"
#include "partition/factors.h"

/* The tables of one level of a level-by-level solve. */
struct level_tables {
	bool solved;
	unsigned char *allowed;                          /* variables */
	double **unary;                                  /* variables x STATES_MAX behind it */
	double (*edge)[STATES_MAX][STATES_MAX];          /* edges */
	double *edge_elements;                           /* edges: what the tables of edge were made from, */
	enum comm_model comm_model;                      /* and by which model, */
	double message_elements;                         /* and what a message costs */
	struct forward_tables forward;
	bool *dirty;                                     /* steps */
	size_t *states;
};

/* The tables of the last joint solve, kept for its margins. */
struct joint_tables {
	bool solved;
	struct factors net;
	struct arena arena;                              /* of net's arrays */
	struct forward_tables forward;
};

struct search {
	struct problem *problem;
	struct elimination *order;
	struct elimination *forest;                      /* of a spanning forest's edges; NULL until it is needed */
	bool relaxed;                                    /* order keeps a forest only: a level does not fit exactly */
	unsigned char *radix;                            /* of every variable's role: all states there are */
	struct level_tables levels[LEVELS_MAX];
	struct joint_tables joint;
	struct plan_request last;                        /* pins point to last_pins */
	signed char *last_pins;
	signed char *last_states;                        /* variable x levels */
	unsigned long work;
};

/* The states that may be chosen at a level: the solver's, or the pin's. */
unsigned search_allowed(const struct plan_request *request, const struct problem *problem, int var, int level);

/* Level by level; fills states (variable x levels).  *bound: sum over levels and pairs of proven minima.  False when cancelled. */
bool levels_solve(struct search *s, const struct plan_request *request, const atomic_bool *cancel, signed char *states, double *bound);
struct margins *levels_margins(struct search *s, const atomic_bool *cancel);
void levels_free(struct search *s);

/* All levels at once.  exact says whether bound is reached. */
bool joint_solve(struct search *s, const struct plan_request *request, const atomic_bool *cancel, signed char *states, double *bound, bool *exact);
struct margins *joint_margins(struct search *s, const atomic_bool *cancel);
double joint_operations(struct search *s, const struct plan_request *request);
void joint_free(struct joint_tables *joint);

#endif
