/* The inside of the explorer: its state, and how its parts call each other.  Only ui/ includes this.
 *
 * One turn: a key or command changes the study or the explorer; explorer_refresh recomputes and rebuilds what the new
 * results touch; explorer_draw paints the whole grid from that.  Views draw results and compute nothing. */
#ifndef WHYPAR_UI_INSIDE_H
#define WHYPAR_UI_INSIDE_H

#include "report/shape.h"
#include "study/commands.h"
#include "study/race.h"
#include "study/study.h"
#include "ui/cells.h"
#include "ui/format.h"
#include "ui/gantt.h"
#include "ui/keys.h"
#include "ui/layout.h"
#include "base/regex.h"
#include "ui/prompt.h"
#include "ui/sheet.h"
#include "ui/style.h"
#include "ui/table.h"

enum view_id { VIEW_LAYERS, VIEW_PATH, VIEW_PIPELINE, VIEW_NETWORK, VIEW_SEARCH, VIEW_PHASE, VIEW_COMPARE, VIEW_MODELS, VIEW_HELP, VIEW_COUNT };
enum focus { FOCUS_ROWS, FOCUS_INSPECTOR, FOCUS_DIALS, FOCUS_COUNT };

struct explorer;

/* A key worth showing in the footer: the command it is bound to, and one word for it. */
struct hint {
	const char *command, *word;
};

/* What the inspector says about the focus of a view. */
struct inspection {
	int (*subject)(const struct explorer *e);        /* what is focused; -1 = nothing */
	void (*ask)(struct explorer *e);                 /* other results or another subject */
	void (*build)(struct explorer *e, bool beside, int width);       /* lines into e->inspector.sheet */
	void (*title)(const struct explorer *e, char *out, size_t size);
	void (*strip)(struct explorer *e, struct rect area);             /* the one line above the footer */
};

extern const struct inspection inspect_layer, inspect_operator;

struct view {
	const char *name;        /* the word of `view` */
	enum key_context context;
	enum dial dials;         /* which of them it shows */
	const struct inspection *inspection; /* what stands beside it; NULL = nothing */
	const struct hint *hints;
	/* Results changed (or the view was opened). */
	void (*build)(struct explorer *e);
	/* Heading, right of the view's name, for the rule above it. */
	void (*heading)(struct explorer *e, char *out, size_t size);
	void (*wants)(struct explorer *e, int *rows, int *cols);
	void (*draw)(struct explorer *e, struct rect area);
	void (*move)(struct explorer *e, enum move move);
	/* Enter. */
	enum status (*enter)(struct explorer *e, struct diagnostic *d);
	/* Goes to the next match; false when there is none. */
	bool (*search)(struct explorer *e, struct regex *match, int direction, bool from_cursor);
	/* The table behind it, for sort and filter; NULL = neither. */
	struct table *(*table)(struct explorer *e);
	/* A click at a row and column of its area. */
	void (*click)(struct explorer *e, int row, int col);
	/* Of a view with a time axis; NULL = it has none. */
	enum status (*zoom)(struct explorer *e, double factor, struct diagnostic *d);   /* of the time shown; INFINITY: all */
	enum status (*border)(struct explorer *e, int direction, struct diagnostic *d); /* what is focused begins one earlier or later */
	enum status (*pan)(struct explorer *e, int direction, struct diagnostic *d);
};

extern const struct view view_layers, view_path, view_pipeline, view_network, view_search, view_phase, view_compare, view_models, view_help;
const struct view *view_at(enum view_id id);

/* A plan and what it was of, to mark what an edit changed. */
struct snapshot {
	struct plan *plan;       /* owned; NULL = none is kept */
	struct document document;
	unsigned long model_serial;
	double element_bytes;
	double step;             /* seconds; NAN = none */
};

struct message {
	char text[640];
	enum style style;
};

/* Where the cursor and the filter were when the prompt was opened, for Esc. */
struct editing {
	int row, line;
	char filter[PROMPT_BYTES];
};

struct lesson {
	char *script;            /* owned; NULL = none is running */
	const char *left;        /* the rest, inside script */
	char path[256];
	struct text note;        /* its `say` lines since the last pause */
	bool waiting;            /* at a pause */
};

struct popup {
	bool open;
	char title[96];
	struct text body;
	int top, lines, page;
};

struct inspector {
	struct sheet sheet;
	const struct inspection *of;     /* what it was built for */
	int subject, width;
	bool beside, drawn_ascii, ask_again; /* ask_again: a job brought something */
	unsigned long generation;
	int focus, top;          /* item, first line */
};

struct why_pane {
	struct why why;
	bool valid;
	char trouble[640];       /* why there is no why */
};

struct phase_pane {
	struct phase phase;      /* a copy of the last map known, so that it can stay (marked) while the next one is computed */
	bool valid, stale;
	char trouble[640];       /* why there is none */
	bool placed;             /* the cursor: else it goes to the present point */
	int x, y;
};

struct pipeline_pane {
	int stage;               /* focused, from 0 */
	int first, shown;        /* stages on the screen */
	double from, span, all;  /* seconds: the window, and of which step length it is a part */
	struct gantt_bar *bars;  /* of the last frame */
	int bar_count;
	size_t bar_capacity;
};

struct network_pane {
	int shown;               /* levels on the screen */
};

enum search_page { SEARCH_METHODS, SEARCH_DESIGNS, SEARCH_STAGES, SEARCH_STEPS, SEARCH_BY_DESIGNS, SEARCH_BY_SECONDS, SEARCH_BY_TDP, SEARCH_BY_AREA, SEARCH_PAGE_COUNT };

/* The race behind the search view, and the view of it. */
struct racing {
	struct race *race;       /* shown; owned, unless it is `out`; NULL: none yet */
	struct race *out;        /* whose legs the loop has handed out: freed by it when another took its place; NULL: none */
	unsigned wanted;         /* entered methods that are to be handed out; 1 << method */
	enum mine_method method; /* focused */
	enum search_page page, curves, front;    /* and of the charts those that were looked at last */
	int cursor[SEARCH_PAGE_COUNT];           /* of designs and steps */
	int page_rows;
};

struct path_pane {
	struct table table;      /* its ids are training nodes */
	int node;                /* the focused operator, -1 = none yet */
	int row;                 /* e->row when that was: another one there moves the focus here */
	unsigned long model;     /* model_serial of what is shown */
	double from, span, all;  /* seconds: the window, and of which step length it is a part */
	struct gantt_bar *bars;  /* of the last frame */
	int bar_count;
	size_t bar_capacity;
	int table_row;           /* of the last frame */
	struct text label, sentence;
};

struct explorer {
	struct study *study;
	const struct results *results;
	struct command_host host;
	struct cells cells;
	struct screen_layout layout;
	struct keys keys;
	struct prompt prompt;
	struct editing editing;
	bool utf8, console;      /* facts of the locale and the terminal: console = the Linux console, whose font lacks most glyphs */
	bool ascii;              /* glyphs are ASCII: chosen from these facts and the parameter */
	bool live;               /* on a terminal, so pauses wait and work goes to the worker */
	bool scripted;           /* commands of a script or the command line run: writing a file needs no word */
	bool working;            /* a job is out (the loop tells) */

	enum view_id view, before_help;
	enum focus focus;
	int row, level;          /* focused operator (identity) and level, 1-based */

	struct table layers;
	int layers_column;       /* focused column of the layers view */
	struct shape_form shape; /* how the layers' shapes line up, by the model */
	struct scale scale;      /* of bytes moved */
	struct table models;
	struct builtin *builtin;
	size_t builtin_count;
	struct sheet help;
	int help_line, help_page;
	char help_word[64];
	struct path_pane path;
	struct pipeline_pane pipeline;
	struct network_pane network;
	struct racing racing;
	struct phase_pane phase;
	struct inspector inspector;
	struct why_pane why;

	int dials[PARAMETER_COUNT], dial_count, dial; /* parameter ids; the focused or last one */
	struct regex *search;    /* NULL = none */
	struct message message;
	struct text completions; /* one a line */
	int completion;          /* chosen, -1 = none */
	int bad_pattern;         /* column in the prompt's line where its pattern fails, -1 = it does not */
	struct lesson lesson;
	struct popup popup;
	struct snapshot now, before;
	struct document opening; /* of the first snapshot of this model, while there is a `now`: back there, nothing is marked */
	unsigned long built_generation, built_model; /* of results, as of the last refresh */
	bool folded;             /* the layers view shows repeated blocks once */
	bool rebuild;            /* views must be rebuilt though results did not change */
	int depth;               /* of commands that press keys that run commands */

	/* Requests to the loop. */
	bool quit, suspend, redraw, stop;
	struct text copy;        /* to the terminal's clipboard */
};

/* explorer.c */
void explorer_init(struct explorer *e, struct study *study, bool live, bool console);
void explorer_free(struct explorer *e);
void explorer_resize(struct explorer *e, int rows, int cols);
void explorer_say(struct explorer *e, enum style style, const char *format, ...) PRINTF_LIKE(3, 4);
/* An error as the footer's message. */
void explorer_complain(struct explorer *e, const struct diagnostic *d);
/* Carries out a command line. */
enum status explorer_command(struct explorer *e, const char *line, struct diagnostic *d);
/* The same; an error becomes the message. */
void explorer_try(struct explorer *e, const char *line);
/* Carries out the options' lines and makes what they led to the floor of undo. */
struct explorer_options;
enum status explorer_start(struct explorer *e, const struct explorer_options *options, struct diagnostic *d);
void explorer_source(struct explorer *e, const char *path, const char *script, struct diagnostic *d, enum status *status);
void explorer_key(struct explorer *e, uint32_t key);
void explorer_paste(struct explorer *e, const char *text, size_t length);
void explorer_click(struct explorer *e, int row, int col);
/* Brings results and views up to date; true when something to be drawn changed. */
bool explorer_refresh(struct explorer *e);
void explorer_show(struct explorer *e, enum view_id view);
const struct view *explorer_view(const struct explorer *e);
enum key_context explorer_context(const struct explorer *e);
/* The table behind the view, NULL = it has none. */
struct table *explorer_table(struct explorer *e);
/* Shows only the table's rows that match; "" shows all. */
enum status explorer_filter(struct explorer *e, const char *pattern, struct diagnostic *d);
void explorer_select(struct explorer *e, int row, int level);
double explorer_value(const struct explorer *e, enum parameter_id id);
/* Exact bytes on the wire of that many elements. */
double explorer_bytes(const struct explorer *e, double elements);
/* Fills e->popup; it is closed by Esc. */
struct text *explorer_popup(struct explorer *e, const char *title);
/* The formula of a number of the focused row, as a popup; quantity: report/explain.h. */
void explorer_explain(struct explorer *e, int quantity, int level, int state);

/* actions.c: the commands of the screen. */
enum status explorer_act(void *self, enum command_id id, int count, char **words, const char *rest, struct diagnostic *d);

/* editing.c: what the prompt does with keys. */
void editing_open(struct explorer *e, const char *text);
void editing_key(struct explorer *e, uint32_t key);
void editing_changed(struct explorer *e);

/* frame.c */
void explorer_draw(struct explorer *e);

/* dials.c */
/* The dials of the view on the screen. */
void dials_choose(struct explorer *e);
int dials_width(const struct explorer *e);
void dials_draw(struct explorer *e, struct rect area);
void dials_move(struct explorer *e, enum move move);
enum status dials_turn(struct explorer *e, const char *how, struct diagnostic *d);
int dials_at(const struct explorer *e, struct rect area, int row, int col);   /* dial at a place, -1 */
/* Why turning the parameter changes nothing now, or NULL when it does. */
const char *dials_no_effect(const struct explorer *e, int id);

/* inspector.c */
void inspector_build(struct explorer *e);
void inspector_draw(struct explorer *e, struct rect area);
void inspector_move(struct explorer *e, enum move move);
enum status inspector_explain(struct explorer *e, struct diagnostic *d);
void inspector_draw_strip(struct explorer *e, struct rect area);

/* racing.c */
enum status act_mine(struct explorer *e, int count, char **words, struct diagnostic *d);
/* Sets the design under the cursor of the search view. */
enum status act_adopt(struct explorer *e, struct diagnostic *d);
/* The search view has nothing to show of the present document, and what it would show is soon found: the first look starts wham, an edit starts it again. */
bool racing_is_due(const struct explorer *e);
/* wham on the present document, in place of what was there. */
enum status racing_begin(struct explorer *e, struct diagnostic *d);
void racing_free(struct explorer *e);

/* marks.c */
/* Takes note of new results; true when they are of another document, that is after an edit. */
bool marks_note(struct explorer *e);
void marks_free(struct explorer *e);
bool marks_flipped(const struct explorer *e, int row, int level);
bool marks_any_flipped(const struct explorer *e, int row);
/* Bytes the row moved before the last edit; false when there is nothing to compare with. */
bool marks_before(const struct explorer *e, int row, double *moved);
bool marks_before_total(const struct explorer *e, double *total);
bool marks_before_step(const struct explorer *e, double *seconds);
/* After undo or redo: puts the cursor on what the change was about. */
void marks_follow(struct explorer *e, const struct document *from, const struct document *to);

/* view_layers.c */
bool layers_has_choice(const struct explorer *e, int row);
const char *layers_state_glyph(const struct explorer *e, int row, int state, enum style *style);
bool layers_is_junction(const struct explorer *e, int row);

#endif
