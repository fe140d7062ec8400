/* A table: columns as data, rows by identity.
 *
 * Rows are ids 0..total-1 of the view's own things.  The cursor is an id, so it stays on its row over sorting,
 * filtering and recompute.  The table knows what to show where; what a cell holds is asked of its source. */
#ifndef WHYPAR_UI_TABLE_H
#define WHYPAR_UI_TABLE_H

#include "ui/cells.h"
#include "base/regex.h"

struct table_column {
	const char *name;        /* the word of `sort` */
	char title[40];          /* header, with the unit */
	int width;
	enum align align;
	int rank;                /* 0 always stays; as the table gets narrow the highest rank goes first */
};

enum { TABLE_COLUMNS_MAX = 16 };

struct table_source {
	void *self;
	int total;
	bool (*listed)(void *self, int id);
	const char *(*text)(void *self, int id);              /* what search and filter look at */
	int (*compare)(void *self, int column, int a, int b);
	/* Draws one cell; bits are the style bits of its row. */
	void (*cell)(void *self, struct cells *cells, struct rect area, int column, int id, uint8_t bits);
};

enum move {
	MOVE_UP, MOVE_DOWN, MOVE_LEFT, MOVE_RIGHT, MOVE_PAGE_UP, MOVE_PAGE_DOWN, MOVE_HALF_UP, MOVE_HALF_DOWN,
	MOVE_FIRST, MOVE_LAST, MOVE_COUNT
};

struct table {
	struct table_column columns[TABLE_COLUMNS_MAX];
	int column_count;
	int *ids;                /* shown rows, in order */
	int count;
	size_t capacity;
	int selected;            /* id, -1 = none */
	int top, page;           /* first row drawn, rows drawn */
	int sort;                /* column, -1 = the source's own order */
	bool descending;
	struct regex *filter;    /* owned; NULL = all */
};

/* For compare: NAN last. */
int table_by_number(double a, double b);

void table_init(struct table *table);
void table_free(struct table *table);

/* Lists, filters and sorts anew.  The selected row stays selected; when it is gone, the nearest one is. */
void table_rebuild(struct table *table, const struct table_source *source);

/* Moves the cursor by rows; MOVE_LEFT and MOVE_RIGHT are the view's. */
void table_move(struct table *table, enum move move);
/* Position of the next row, from the cursor on in the direction (+1, -1), that matches; wraps; -1 = none. */
int table_search(const struct table *table, const struct table_source *source, struct regex *match, int direction,
	bool from_cursor);
/* Index of a column by its word, -1. */
int table_column_find(const struct table *table, const char *name);

/* Header in area's first row, rows below.  ascii picks the marks. */
void table_draw(struct table *table, const struct table_source *source, struct cells *cells, struct rect area, bool ascii,
	bool focused);
/* The place of a column in a table of that width, as last drawn by table_draw at that width: cols == 0 when hidden. */
struct rect table_column_place(const struct table *table, int width, int column);

/* Where text matches, in columns. */
void table_mark_match(struct cells *cells, struct rect area, const char *text, struct regex *match);

#endif
