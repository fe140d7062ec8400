#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include "ui/term.h"

#include "base/memory.h"
#include "ui/keys.h"
#include "ui/signals.h"

#include <curses.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

/* curses and term.h define common words as macros. */
#undef lines
#undef columns

/* curses itself numbers a terminal's extra keys from KEY_MAX on */
enum { PASTE_BEGIN = KEY_MAX + 4096, PASTE_END, PASTE_BYTES_MAX = 64 * 1024 };

struct terminal {
	SCREEN *screen;
	FILE *in, *out;
	int signals;
	int kept_stderr, real_stderr;    /* -1 when stderr was left alone */
	struct termios modes;            /* before curses */
	enum color_tier tier;
	enum theme theme;
	bool mouse, pasting, console, fresh;
	struct text paste;
	struct cell *shown;              /* what is on the screen; fresh: nothing of it */
	int rows, cols;
	int cursor_row, cursor_col, cursor_shape;
};

/* Only where the terminal can be taken: sentences, never an exit. */
static enum status check_terminal(int fd, struct diagnostic *d)
{
	const char *name = getenv("TERM");
	int error = 0;

	if (!isatty(fd))
		return diagnostic_fail(d, STATUS_INPUT, "the explorer needs a terminal: use `whypar report MODEL`, or --script FILE --batch");
	if (name == NULL || name[0] == '\0')
		return diagnostic_fail(d, STATUS_INPUT, "TERM is not set, so the terminal's kind is not known: set it (TERM=xterm), or use `whypar report MODEL`");
	if (setupterm(NULL, fd, &error) != OK)
		return diagnostic_fail(d, STATUS_INPUT, "TERM=%s is not known here: set TERM to one that is (xterm, vt100), or use `whypar report MODEL`", name);
	if (tigetstr("cup") == NULL || tigetstr("cup") == (char *)-1)
		return diagnostic_fail(d, STATUS_INPUT, "TERM=%s cannot move its cursor: set TERM to the real terminal's kind, or use `whypar report MODEL`", name);
	return STATUS_OK;
}

/* Appends a capability without its padding. */
static void add_capability(struct text *out, const char *name)
{
	const char *value = tigetstr(name);

	if (value == NULL || value == (const char *)-1)
		return;
	while (*value != '\0') {
		if (value[0] == '$' && value[1] == '<') {
			value += strcspn(value, ">");
			value += *value == '>';
			continue;
		}
		text_append(out, value++, 1);
	}
}

static void guard_terminal(const struct terminal *term)
{
	struct text restore = { 0 };

	text_add(&restore, "\033[?2004l");
	if (term->mouse)
		text_add(&restore, "\033[?1006l\033[?1002l\033[?1000l");
	add_capability(&restore, "sgr0");
	add_capability(&restore, "op");
	add_capability(&restore, "rmkx");
	add_capability(&restore, "cnorm");
	add_capability(&restore, "rmcup");
	text_add(&restore, "\r\n");
	signals_guard(fileno(term->out), &term->modes, text_string(&restore), restore.length);
	text_free(&restore);
}

static void keep_stderr(struct terminal *term)
{
	FILE *file = isatty(STDERR_FILENO) ? tmpfile() : NULL;

	term->kept_stderr = term->real_stderr = -1;
	if (file == NULL)
		return;
	term->real_stderr = dup(STDERR_FILENO);
	term->kept_stderr = dup(fileno(file));
	fclose(file);
	fflush(stderr);
	if (term->real_stderr >= 0 && term->kept_stderr >= 0)
		dup2(term->kept_stderr, STDERR_FILENO);
	signals_guard_stderr(term->kept_stderr, term->real_stderr);
}

static void release_stderr(struct terminal *term)
{
	char bytes[512];
	ssize_t got;

	signals_guard_stderr(-1, -1);
	if (term->kept_stderr < 0 || term->real_stderr < 0)
		return;
	fflush(stderr);
	dup2(term->real_stderr, STDERR_FILENO);
	lseek(term->kept_stderr, 0, SEEK_SET);
	while ((got = read(term->kept_stderr, bytes, sizeof bytes)) > 0)
		if (write(STDERR_FILENO, bytes, (size_t)got) < 0)
			break;
	close(term->kept_stderr);
	close(term->real_stderr);
}

static void send(const struct terminal *term, const char *bytes)
{
	fputs(bytes, term->out);
	fflush(term->out);
}

static FILE *stream(int fd, const char *mode)
{
	int copy = dup(fd);
	FILE *file;

	if (copy < 0)
		return NULL;
	fcntl(copy, F_SETFD, FD_CLOEXEC);
	file = fdopen(copy, mode);
	if (file == NULL)
		close(copy);
	return file;
}

static FILE *input_stream(void)
{
	if (isatty(STDIN_FILENO))
		return stream(STDIN_FILENO, "r");
	/* The data came on stdin: keys come from the terminal itself. */
	return fopen("/dev/tty", "r");
}

static void start_curses(struct terminal *term)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	meta(stdscr, TRUE);
	if (getenv("ESCDELAY") == NULL)
		set_escdelay(25);
	leaveok(stdscr, FALSE);
	define_key("\033[200~", PASTE_BEGIN);
	define_key("\033[201~", PASTE_END);
	define_key("\033[Z", KEY_BTAB);         /* the console's Shift-Tab, which its entry does not name */
	if (has_colors()) {
		start_color();
		use_default_colors();
	}
	send(term, "\033[?2004h");
}

static void free_terminal(struct terminal *term)
{
	if (term->in != NULL)
		fclose(term->in);
	if (term->out != NULL)
		fclose(term->out);
	memory_free(term->shown);
	text_free(&term->paste);
	memory_free(term);
}

struct terminal *terminal_open(struct diagnostic *d)
{
	struct terminal *term;

	if (check_terminal(STDOUT_FILENO, d) != STATUS_OK)
		return NULL;
	term = memory_alloc(1, sizeof *term);
	term->in = input_stream();
	term->out = stream(STDOUT_FILENO, "w");
	if (term->in == NULL || term->out == NULL || tcgetattr(fileno(term->out), &term->modes) != 0) {
		diagnostic_fail(d, STATUS_INPUT, "the terminal cannot be opened for keys: use `whypar report MODEL`");
		free_terminal(term);
		return NULL;
	}
	/* Exported, they freeze curses' idea of the size. */
	unsetenv("LINES");
	unsetenv("COLUMNS");
	/* Before newterm: curses installs its own handlers only where there are none. */
	term->signals = signals_open();
	guard_terminal(term);
	term->screen = newterm(NULL, term->out, term->in);
	if (term->screen == NULL) {
		diagnostic_fail(d, STATUS_INPUT, "this terminal (TERM=%s) cannot be used: use `whypar report MODEL`", getenv("TERM"));
		signals_guard(-1, NULL, NULL, 0);
		signals_close();
		free_terminal(term);
		return NULL;
	}
	term->console = strncmp(getenv("TERM"), "linux", 5) == 0;
	term->cursor_shape = -1;
	keep_stderr(term);
	start_curses(term);
	terminal_forget(term);
	return term;
}

void terminal_close(struct terminal *term)
{
	if (term == NULL)
		return;
	terminal_set_mouse(term, false);
	send(term, "\033[?2004l");
	curs_set(1);
	endwin();
	signals_guard(-1, NULL, NULL, 0);
	delscreen(term->screen);
	release_stderr(term);
	signals_close();
	free_terminal(term);
}

int terminal_input(const struct terminal *term)
{
	return fileno(term->in);
}

int terminal_signals(const struct terminal *term)
{
	return term->signals;
}

bool terminal_is_console(const struct terminal *term)
{
	return term->console;
}

bool terminal_resize(struct terminal *term, int *rows, int *cols)
{
	struct winsize size;

	*rows = getmaxy(stdscr);
	*cols = getmaxx(stdscr);
	if (ioctl(fileno(term->out), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
		*rows = size.ws_row > 1000 ? 1000 : size.ws_row;
		*cols = size.ws_col > 2000 ? 2000 : size.ws_col;
		if (*rows != getmaxy(stdscr) || *cols != getmaxx(stdscr))
			resizeterm(*rows, *cols);
	}
	if (term->rows == *rows && term->cols == *cols)
		return false;
	memory_free(term->shown);
	term->rows = *rows;
	term->cols = *cols;
	term->shown = memory_alloc((size_t)term->rows * (size_t)term->cols, sizeof *term->shown);
	terminal_forget(term);
	return true;
}

void terminal_forget(struct terminal *term)
{
	term->fresh = true;
	term->cursor_row = term->cursor_col = -1;
}

static uint32_t key_of(wint_t code)
{
	static const struct {
		wint_t code;
		uint32_t key;
	} table[] = {
		{ KEY_UP, KEY_CODE_UP }, { KEY_DOWN, KEY_CODE_DOWN }, { KEY_LEFT, KEY_CODE_LEFT }, { KEY_RIGHT, KEY_CODE_RIGHT },
		{ KEY_HOME, KEY_CODE_HOME }, { KEY_END, KEY_CODE_END }, { KEY_PPAGE, KEY_CODE_PAGE_UP }, { KEY_NPAGE, KEY_CODE_PAGE_DOWN },
		{ KEY_IC, KEY_CODE_INSERT }, { KEY_DC, KEY_CODE_DELETE }, { KEY_BACKSPACE, KEY_CODE_BACKSPACE }, { KEY_BTAB, KEY_CODE_BACK_TAB },
		{ KEY_ENTER, KEY_CODE_ENTER },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].code == code)
			return table[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return KEY_CODE_F1 + (uint32_t)(code - KEY_F(1));
	return KEY_CODE_NONE;
}

static struct term_event mouse_event(void)
{
	struct term_event event = { EVENT_NONE, 0, 0, 0 };
	MEVENT mouse;

	if (getmouse(&mouse) != OK)
		return event;
	event.row = mouse.y;
	event.col = mouse.x;
	if (mouse.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		event.kind = EVENT_CLICK;
	else if (mouse.bstate & (BUTTON4_PRESSED | BUTTON5_PRESSED))
		event = (struct term_event){ EVENT_SCROLL, 0, mouse.bstate & BUTTON4_PRESSED ? -1 : 1, 0 };
	return event;
}

static void add_pasted(struct terminal *term, wint_t character)
{
	char bytes[4];

	if (term->paste.length < PASTE_BYTES_MAX)
		text_append(&term->paste, bytes, text_encode((uint32_t)character, bytes));
}

struct term_event terminal_next(struct terminal *term)
{
	static const struct term_event none = { EVENT_NONE, 0, 0, 0 };

	for (;;) {
		wint_t code;
		int kind = get_wch(&code);

		if (kind == ERR)
			return none;
		if (kind == KEY_CODE_YES && code == PASTE_BEGIN) {
			text_clear(&term->paste);
			term->pasting = true;
		} else if ((kind == KEY_CODE_YES && code == PASTE_END) || (term->pasting && kind != KEY_CODE_YES && code == '\033')) {
			/* an Escape too: what lost its end does not take keys for ever */
			if (!term->pasting)
				continue;
			term->pasting = false;
			return (struct term_event){ EVENT_PASTE, 0, 0, 0 };
		} else if (term->pasting) {
			if (kind != KEY_CODE_YES)
				add_pasted(term, code);
		} else if (kind == KEY_CODE_YES && code == KEY_MOUSE) {
			struct term_event event = mouse_event();

			if (event.kind != EVENT_NONE)
				return event;
		} else if (kind == KEY_CODE_YES) {
			if (key_of(code) != KEY_CODE_NONE)
				return (struct term_event){ EVENT_KEY, key_of(code), 0, 0 };
		} else {
			uint32_t key = code == '\n' ? KEY_CODE_ENTER : code == 0x7F || code == 8 ? KEY_CODE_BACKSPACE : (uint32_t)code;

			return (struct term_event){ EVENT_KEY, key, 0, 0 };
		}
	}
}

const struct text *terminal_pasted(const struct terminal *term)
{
	return &term->paste;
}

void terminal_set_colors(struct terminal *term, int wish, enum theme theme)
{
	const char *no_color = getenv("NO_COLOR");
	bool wanted = wish == 1 || (wish == 0 && (no_color == NULL || no_color[0] == '\0'));
	/* A direct-colour terminal (xterm-direct) counts RGB values, of which only the first eight mean the usual colours. */
	enum color_tier tier = !wanted || !has_colors() || COLORS < 8 ? TIER_MONO : COLORS > 256 ? TIER_8 : COLORS == 256 ? TIER_256 :
		COLORS >= 16 ? TIER_16 : TIER_8;

	if (!term->fresh && tier == term->tier && theme == term->theme)
		return;
	term->tier = tier;
	term->theme = theme;
	for (int style = 0; tier != TIER_MONO && style < STYLE_COUNT; style++)
		init_pair((short)(style + 1), style_look(theme, tier, (uint8_t)style).foreground, -1);
	terminal_forget(term);
}

void terminal_set_mouse(struct terminal *term, bool on)
{
	if (term->mouse == on)
		return;
	term->mouse = on;
	mouseinterval(0);
	mousemask(on ? BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
	guard_terminal(term);
}

static void put_cell(const struct terminal *term, int row, int col, const struct cell *cell)
{
	struct look look = style_look(term->theme, term->tier, cell->style);
	/* A selected dim cell takes the default colour, which is the plain text's pair. */
	int style = cell->style & STYLE_ID_MASK;
	short pair = (short)(term->tier == TIER_MONO ? 0 : look.foreground < 0 ? 0 : style + 1);
	attr_t attributes = (look.attributes & LOOK_BOLD ? A_BOLD : 0) | (look.attributes & LOOK_DIM ? A_DIM : 0) |
		(look.attributes & LOOK_REVERSE ? A_REVERSE : 0) | (look.attributes & LOOK_UNDERLINE ? A_UNDERLINE : 0);
	wchar_t text[3] = { (wchar_t)cell->character, (wchar_t)cell->mark, 0 };
	cchar_t glyph;

	setcchar(&glyph, text, attributes, pair, NULL);
	mvadd_wch(row, col, &glyph);
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->character == b->character && a->mark == b->mark && a->style == b->style && a->width == b->width;
}

void terminal_draw(struct terminal *term, const struct cells *cells, bool show_cursor)
{
	int shape = cells->cursor_row >= 0 && (show_cursor || cells->cursor_shown) ? 1 : 0;
	int rows = cells->rows < term->rows ? cells->rows : term->rows, cols = cells->cols < term->cols ? cells->cols : term->cols;

	if (term->fresh) {
		werase(stdscr);
		clearok(stdscr, TRUE);
	}
	for (int row = 0; row < rows; row++)
		for (int col = 0; col < cols; col++) {
			const struct cell *cell = &cells->cell[row * cells->cols + col];
			struct cell *shown = &term->shown[row * term->cols + col];

			if (!term->fresh && same_cell(cell, shown))
				continue;
			*shown = *cell;
			/* The second half of a wide character comes with its first. */
			if (cell->width > 0)
				put_cell(term, row, col, cell);
		}
	if (shape != term->cursor_shape)
		curs_set(shape);
	if (cells->cursor_row >= 0)
		move(cells->cursor_row < term->rows ? cells->cursor_row : term->rows - 1, cells->cursor_col < term->cols ? cells->cursor_col : term->cols - 1);
	term->cursor_shape = shape;
	term->fresh = false;
	wnoutrefresh(stdscr);
	doupdate();
}

void terminal_suspend(struct terminal *term)
{
	send(term, "\033[?2004l");
	curs_set(1);
	endwin();
	signals_guard(-1, NULL, NULL, 0);
	signals_stop_here();
	guard_terminal(term);
	refresh();
	send(term, "\033[?2004h");
	term->cursor_shape = -1;
	terminal_forget(term);
}

void terminal_copy(struct terminal *term, const char *text, size_t length)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct text out = { 0 };

	text_add(&out, "\033]52;c;");
	for (size_t i = 0; i < length; i += 3) {
		unsigned long bits = 0;
		char four[4];

		for (size_t j = 0; j < 3; j++)
			bits = bits << 8 | (i + j < length ? (unsigned char)text[i + j] : 0);
		for (int j = 3; j >= 0; j--, bits >>= 6)
			four[j] = digits[bits & 63];
		for (size_t j = length - i < 3 ? length - i + 1 : 4; j < 4; j++)
			four[j] = '=';
		text_append(&out, four, 4);
	}
	text_add(&out, "\a");
	send(term, text_string(&out));
	text_free(&out);
}
