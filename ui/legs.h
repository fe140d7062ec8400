/* The legs of races on a thread of their own, for the loop: handed out as methods are entered, called off when another race takes their place. */
#ifndef WHYPAR_UI_LEGS_H
#define WHYPAR_UI_LEGS_H

#include "ui/inside.h"

struct legs {
	struct pool *pool;       /* made when the first leg comes */
	bool cancelled;          /* those that are out: no new one before they are back */
	int64_t designs_seen;    /* scheduled in the race shown, when legs_got_on was last true */
};

/* Readable when a leg is back; -1: none was out yet. */
int legs_fd(const struct legs *legs);
/* Hands out what the explorer entered; true when it did. */
bool legs_feed(struct legs *legs, struct explorer *e);
/* Takes those that are back; true when some were. */
bool legs_take(struct legs *legs, struct explorer *e);
void legs_cancel(struct legs *legs);
/* A race runs on the screen: it is to be looked at now and then. */
bool legs_watched(const struct explorer *e);
/* True when it has got on since. */
bool legs_got_on(struct legs *legs, const struct explorer *e);
/* Calls off all and waits for them. */
void legs_end(struct legs *legs, struct explorer *e);

#endif
