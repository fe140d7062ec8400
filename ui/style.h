/* Semantic styles: drawing code says what a thing is; a theme and the terminal's colours say how it looks.
 *
 * A cell's style byte is a STYLE id with at most two bits over it.  Every state also differs by glyph or attribute:
 * no meaning by hue alone.  Text and background stay the terminal's own, so that every background is readable. */
#ifndef WHYPAR_UI_STYLE_H
#define WHYPAR_UI_STYLE_H

#include <stdbool.h>
#include <stdint.h>

enum style {
	STYLE_TEXT, STYLE_DIM, STYLE_RULE, STYLE_STRONG, STYLE_ACCENT, STYLE_TITLE, STYLE_HEADER, STYLE_KEY,
	STYLE_DP, STYLE_MP, STYLE_OP,       /* the three types, and the three layouts of a junction */
	STYLE_STALE,                        /* a number of an older document */
	STYLE_CHANGED,                      /* differs from before the last edit */
	STYLE_BAR, STYLE_MATCH, STYLE_ERROR, STYLE_WARNING,
	STYLE_COUNT
};

enum {
	STYLE_ID_MASK = 0x3F,
	STYLE_SELECTED = 0x40,              /* the row of the cursor: bold */
	STYLE_FOCUS = 0x80                  /* the focused item itself: reverse */
};

enum color_tier { TIER_MONO, TIER_8, TIER_16, TIER_256, TIER_COUNT };
enum theme { THEME_PLAIN, THEME_LIGHT, THEME_DARK, THEME_COUNT };

enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_REVERSE = 4, LOOK_UNDERLINE = 8 };

struct look {
	short foreground;                   /* colour number, -1 = the terminal's own */
	unsigned attributes;                /* LOOK_ bits */
};

struct look style_look(enum theme theme, enum color_tier tier, uint8_t style);

/* Glyphs, each in the block and the ASCII set; every one is a single column. */
enum glyph {
	GLYPH_DP, GLYPH_MP, GLYPH_OP, GLYPH_ROW, GLYPH_COL, GLYPH_FULL,
	GLYPH_LIVE, GLYPH_COMPUTING, GLYPH_STALE,
	GLYPH_CURSOR, GLYPH_LEFT, GLYPH_RIGHT, GLYPH_PIN, GLYPH_FLIP, GLYPH_UP, GLYPH_DOWN,
	GLYPH_BAR, GLYPH_DOT, GLYPH_TIMES, GLYPH_CARET, GLYPH_EMPTY,
	GLYPH_ASCENDING, GLYPH_DESCENDING, GLYPH_DASH,
	GLYPH_FORWARD, GLYPH_LOSS, GLYPH_BACKWARD, GLYPH_GRADIENT, GLYPH_UPDATE,     /* by enum pass */
	GLYPH_COUNT
};

const char *style_glyph(enum glyph glyph, bool ascii);

/* A bar of `width` cells filled to `fraction` (0..1) in eighths of a cell (ASCII: whole cells). */
void style_bar(double fraction, int width, bool ascii, char *out, unsigned long size);

/* A part of a whole (0..1) in one cell, as a height or in tenths; nothing that anything else is drawn with. */
const char *style_height(double fraction, bool ascii);

#endif
