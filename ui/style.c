#include "ui/style.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One row a style: colour of each theme at 256 colours, colour at 8 and 16, attributes with colour, attributes
 * without.  256: 32/25/75 are blues and 166/130/214 oranges of about 4:1 contrast or better on their background (plain:
 * on both), told apart by every common colour blindness; greys for what steps back. */
struct row {
	short plain, light, dark, eight, sixteen;
	unsigned colored, mono;
};

static const struct row rows[STYLE_COUNT] = {
	[STYLE_TEXT]    = { -1, -1, -1, -1, -1, 0, 0 },
	[STYLE_DIM]     = { 244, 241, 246, -1, -1, 0, 0 },
	[STYLE_RULE]    = { 244, 248, 240, -1, -1, 0, 0 },
	[STYLE_STRONG]  = { -1, -1, -1, -1, -1, LOOK_BOLD, LOOK_BOLD },
	[STYLE_ACCENT]  = { 32, 25, 75, 4, 12, LOOK_BOLD, LOOK_BOLD },
	[STYLE_TITLE]   = { -1, -1, -1, -1, -1, LOOK_BOLD, LOOK_BOLD },
	[STYLE_HEADER]  = { 244, 241, 246, -1, -1, 0, LOOK_UNDERLINE },
	[STYLE_KEY]     = { 32, 25, 75, 4, 12, LOOK_BOLD, LOOK_BOLD },
	[STYLE_DP]      = { -1, -1, -1, -1, -1, 0, 0 },
	[STYLE_MP]      = { 166, 130, 214, 5, 5, LOOK_BOLD, LOOK_BOLD },
	[STYLE_OP]      = { 32, 25, 75, 4, 12, LOOK_BOLD, LOOK_BOLD },
	[STYLE_STALE]   = { 244, 241, 246, -1, -1, LOOK_DIM, LOOK_DIM },
	[STYLE_CHANGED] = { 166, 130, 214, 5, 5, LOOK_BOLD, LOOK_BOLD | LOOK_UNDERLINE },
	[STYLE_BAR]     = { 32, 25, 75, 4, 12, 0, 0 },
	[STYLE_MATCH]   = { 166, 130, 214, 5, 5, LOOK_UNDERLINE | LOOK_BOLD, LOOK_UNDERLINE | LOOK_BOLD },
	[STYLE_ERROR]   = { 160, 124, 203, 1, 9, LOOK_BOLD, LOOK_BOLD },
	[STYLE_WARNING] = { 166, 130, 214, 5, 5, LOOK_BOLD, LOOK_BOLD },
};

struct look style_look(enum theme theme, enum color_tier tier, uint8_t style)
{
	const struct row *row = &rows[(style & STYLE_ID_MASK) < STYLE_COUNT ? style & STYLE_ID_MASK : STYLE_TEXT];
	struct look look = { -1, tier == TIER_MONO ? row->mono : row->colored };

	if (tier == TIER_8)
		look.foreground = row->eight;
	else if (tier == TIER_16)
		look.foreground = row->sixteen;
	else if (tier == TIER_256)
		look.foreground = theme == THEME_LIGHT ? row->light : theme == THEME_DARK ? row->dark : row->plain;
	if (style & STYLE_SELECTED) {
		look.attributes = (look.attributes | LOOK_BOLD) & ~(unsigned)LOOK_DIM;
		if ((style & STYLE_ID_MASK) == STYLE_DIM)
			look.foreground = -1;
	}
	if (style & STYLE_FOCUS)
		look.attributes |= LOOK_REVERSE;
	return look;
}

static const char *const glyphs[GLYPH_COUNT][2] = {
	[GLYPH_DP] = { "○", "o" }, [GLYPH_MP] = { "●", "@" }, [GLYPH_OP] = { "■", "%" },
	[GLYPH_ROW] = { "─", "-" }, [GLYPH_COL] = { "│", "|" }, [GLYPH_FULL] = { "┼", "+" },
	[GLYPH_LIVE] = { "●", "*" }, [GLYPH_COMPUTING] = { "◐", "~" }, [GLYPH_STALE] = { "○", "!" },
	[GLYPH_CURSOR] = { "▸", ">" }, [GLYPH_LEFT] = { "◂", "<" }, [GLYPH_RIGHT] = { "▸", ">" },
	[GLYPH_PIN] = { "▪", "=" }, [GLYPH_FLIP] = { "⇄", "~" }, [GLYPH_UP] = { "▲", "^" }, [GLYPH_DOWN] = { "▼", "v" },
	[GLYPH_BAR] = { "│", "|" }, [GLYPH_DOT] = { "·", "-" },
	[GLYPH_TIMES] = { "×", "x" }, [GLYPH_CARET] = { "▲", "^" }, [GLYPH_EMPTY] = { "·", "." }, [GLYPH_ASCENDING] = { "▴", "^" },
	[GLYPH_DESCENDING] = { "▾", "v" }, [GLYPH_DASH] = { "–", "-" },
	[GLYPH_FORWARD] = { "█", "#" }, [GLYPH_LOSS] = { "◆", "*" }, [GLYPH_BACKWARD] = { "▓", "%" }, [GLYPH_GRADIENT] = { "▒", "=" },
	[GLYPH_UPDATE] = { "░", ":" },
};

const char *style_glyph(enum glyph glyph, bool ascii)
{
	return glyphs[glyph][ascii];
}

void style_bar(double fraction, int width, bool ascii, char *out, unsigned long size)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int parts = ascii ? 1 : 8, filled;
	unsigned long used = 0;

	out[0] = '\0';
	if (!(fraction >= 0))
		return;
	filled = (int)lround((fraction > 1 ? 1 : fraction) * width * parts);
	for (int i = 0; i < filled / parts && used + 4 < size; i++)
		used += (unsigned long)snprintf(out + used, size - used, "%s", ascii ? "#" : "█");
	if (!ascii && filled % 8 != 0 && used + 4 < size)
		snprintf(out + used, size - used, "%s", eighths[filled % 8]);
}

const char *style_height(double fraction, bool ascii)
{
	static const char *const heights[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇" }, *const tenths[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9" };
	int steps = ascii ? 9 : 7, step = (int)(fraction * steps);

	if (fraction <= 0)
		return style_glyph(GLYPH_EMPTY, ascii);
	step = step >= steps ? steps - 1 : step;
	return ascii ? tenths[step] : heights[step];
}
