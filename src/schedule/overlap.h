/* A step with its exchanges: those that may hide run on the links beside the cores, and what waits for them waits.
 *
 * An exchange goes where the row needs it: before its forward work, behind it, behind its backward work, or between its gradients and their
 * update.  All take turns on the links; the cores do whatever does not depend on them. */
#ifndef WHYPAR_SCHEDULE_OVERLAP_H
#define WHYPAR_SCHEDULE_OVERLAP_H

#include "partition/exchanges.h"
#include "schedule/step.h"

/* Which exchanges may hide behind computing. */
enum overlap { OVERLAP_NONE, OVERLAP_GRADIENT, OVERLAP_FULL, OVERLAP_COUNT };

/* One exchange as it runs. */
struct overlap_exchange {
	int row;
	enum exchange_kind kind;         /* of several at one task, the last */
	double start, end;       /* s from the start of the step */
};

struct overlapped {
	double seconds;          /* s, of the step, all exchanges included */
	double exposed, hidden;  /* of the exchanges: what they make the step longer by, and the rest */
	struct overlap_exchange *exchanges;      /* all, those that stop the cores too, by start; none when nothing hides */
	int count;
};

/* rows: as exchanges_of_rows fills them; all: the seconds of all of them.  With OVERLAP_NONE all exchanges follow the step. */
void overlap_step(const struct training *training, const struct step *step, const struct row_exchanges *rows, double all, enum overlap overlap, struct overlapped *out);
void overlapped_free(struct overlapped *overlapped);

#endif
