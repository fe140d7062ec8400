/* Between the files of the search view: its state and pages (view_search.c), its charts (search_charts.c), and the race behind it (racing.c). */
#ifndef WHYPAR_UI_SEARCH_H
#define WHYPAR_UI_SEARCH_H

#include "ui/inside.h"

/* Each miner is held while it is read: between these two.  False: that method has not begun. */
bool racing_hold(const struct explorer *e, enum mine_method method);
void racing_release(const struct explorer *e, enum mine_method method);

/* What the race is of, once its first leg is under way; NULL before, or when that failed. */
const struct mining *racing_mining(const struct explorer *e);

/* The design under the cursor, wherever it is; false when there is none. */
bool search_focused(const struct explorer *e, struct judged *judged);
/* A value by the metric, short. */
void search_value(double value, char out[FORMAT_BYTES]);
/* The letter that stands for a method in charts. */
char search_mark(enum mine_method method);

/* Best so far of all methods, as a distance from the best of all, by designs scheduled or by seconds. */
void search_draw_curves(struct explorer *e, struct rect area, bool by_seconds);
/* What the focused method tried: samples a second by TDP or by area. */
void search_draw_front(struct explorer *e, struct rect area, bool by_area);

#endif
