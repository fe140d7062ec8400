/* Keys: their names, and what command line each is bound to, by context.
 *
 * The built-in bindings are text in the rc file's own form (`bind [CONTEXT] KEY COMMAND`), so the rc file, `:bind`, the
 * help and the footer all read one thing.  A key is looked up in the context of the focus, then in the view's, then in
 * generic.  Owned by the explorer. */
#ifndef WHYPAR_UI_KEYS_H
#define WHYPAR_UI_KEYS_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key is its Unicode character, or one of these. */
enum key {
	KEY_CODE_NONE = 0x110000,
	KEY_CODE_UP, KEY_CODE_DOWN, KEY_CODE_LEFT, KEY_CODE_RIGHT, KEY_CODE_HOME, KEY_CODE_END,
	KEY_CODE_PAGE_UP, KEY_CODE_PAGE_DOWN, KEY_CODE_INSERT, KEY_CODE_DELETE, KEY_CODE_BACKSPACE, KEY_CODE_BACK_TAB,
	KEY_CODE_F1, KEY_CODE_F12 = KEY_CODE_F1 + 11
};

enum { KEY_CODE_ENTER = 0x0D, KEY_CODE_TAB = 0x09, KEY_CODE_ESCAPE = 0x1B };

#define KEY_CONTEXTS(X) \
	X(GENERIC, "generic") X(LAYERS, "layers") X(PATH, "path") X(PIPELINE, "pipeline") X(NETWORK, "network") X(SEARCH, "search") X(PHASE, "phase") X(COMPARE, "compare") X(MODELS, "models") X(HELP, "help") \
	X(DIALS, "dials") X(INSPECTOR, "inspector") X(POPUP, "popup")

enum key_context {
#define X(id, name) CONTEXT_##id,
	KEY_CONTEXTS(X)
#undef X
	CONTEXT_COUNT
};

const char *key_context_name(enum key_context context);

/* "q", "^R", "Esc", "PageUp", "F1"; into out.  keys_parse returns KEY_CODE_NONE for a name it does not know. */
void keys_name(uint32_t key, char *out, size_t size);
uint32_t keys_parse(const char *name);

struct binding {
	enum key_context context;
	uint32_t key;
	char *command;
};

struct keys {
	struct binding *bindings;
	size_t count, capacity;
};

/* Starts from the built-in bindings. */
void keys_init(struct keys *keys);
void keys_free(struct keys *keys);

void keys_bind(struct keys *keys, enum key_context context, uint32_t key, const char *command);
/* False when the key was not bound there. */
bool keys_unbind(struct keys *keys, enum key_context context, uint32_t key);

/* Command of a key in that very context, or NULL. */
const char *keys_command(const struct keys *keys, enum key_context context, uint32_t key);
/* Name of the first key bound to a command in either context (the first one before generic), or false. */
bool keys_find(const struct keys *keys, enum key_context context, const char *command, char *out, size_t size);

/* The next word of raw text, by blanks alone: keys such as / and ' mean something to the splitter of command lines.  False at the end. */
bool keys_next_word(const char **rest, char *word, size_t size);

/* What stands behind `bind` or `unbind`. */
struct bind_line {
	enum key_context context;
	uint32_t key;            /* KEY_CODE_NONE on an empty line */
	char name[64];           /* the key's, as written */
	const char *command;     /* the rest of the line; "" when there is none */
};

/* Reads [CONTEXT] KEY [COMMAND]; STATUS_USAGE when KEY is none. */
enum status keys_read_line(const char *rest, struct bind_line *line, struct diagnostic *d);

/* For lists of keys: the names of all keys that do in its context what binding i does, into out; false when an earlier binding named them. */
bool keys_group(const struct keys *keys, size_t i, char *out, size_t size);
/* "search-next back: repeat the search backwards": a bound command and what it does in that context. */
void keys_describe(enum key_context context, const char *command, char *out, size_t size);

/* `bind` lines of all bindings, as the rc file takes them. */
void keys_list(const struct keys *keys, struct text *out);

#endif
