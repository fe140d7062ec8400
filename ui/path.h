/* Between the two files of the path view: its table (view_path.c) and its chart (path_chart.c). */
#ifndef WHYPAR_UI_PATH_H
#define WHYPAR_UI_PATH_H

#include "ui/inside.h"

/* view_path.c: the focused operator's node, the head of its task; -1 without one. */
int path_focused(const struct explorer *e);

/* Rows the chart takes of that many, without its legend. */
int path_chart_rows(const struct explorer *e, int rows);
/* Draws lanes, axis and, where there is room, the legend; returns the rows it took. */
int path_chart_draw(struct explorer *e, struct rect area);
/* The node of the bar at a row and column of the area, as last drawn; -1 where there is none. */
int path_chart_at(const struct explorer *e, struct rect area, int row, int col);

/* Keeps the window within the step; all of it when it has no length yet. */
void path_clamp(struct explorer *e);
/* Pans so that the focused operator can be seen. */
void path_follow(struct explorer *e);
enum status path_zoom(struct explorer *e, double factor, struct diagnostic *d);
enum status path_pan(struct explorer *e, int direction, struct diagnostic *d);

#endif
