#include "ui/keys.h"

#include "base/memory.h"
#include "study/commands.h"

#include <stdio.h>
#include <string.h>

/* The rc file everyone starts from.  vim's keys and the arrows, letters for everything, no function on an F-key alone. */
static const char builtin_rc[] =
	"bind q quit\n"
	"bind : prompt\n"
	"bind / prompt search /\n"
	"bind n search-next\n"
	"bind N search-next back\n"
	"bind f prompt filter /\n"
	"bind F filter\n"
	"bind S prompt sort \n"
	"bind ? help\n"
	"bind F1 help\n"
	"bind Esc cancel\n"
	"bind u undo\n"
	"bind ^R redo\n"
	"bind Tab focus next\n"
	"bind BackTab focus back\n"
	"bind t focus dials\n"
	"bind [ dial halve\n"
	"bind ] dial double\n"
	"bind b baseline\n"
	"bind B baseline clear\n"
	"bind o prompt load \n"
	"bind s prompt save \n"
	"bind e prompt export \n"
	"bind w warnings\n"
	"bind z fold\n"
	"bind y copy\n"
	"bind 1 view layers\n"
	"bind 2 view path\n"
	"bind 3 view pipeline\n"
	"bind 4 view network\n"
	"bind 5 view search\n"
	"bind 6 view phase\n"
	"bind 7 view compare\n"
	"bind m view models\n"
	"bind ^L redraw\n"
	"bind Enter explain\n"
	"bind j move down\n"
	"bind k move up\n"
	"bind h move left\n"
	"bind l move right\n"
	"bind Down move down\n"
	"bind Up move up\n"
	"bind Left move left\n"
	"bind Right move right\n"
	"bind g move first\n"
	"bind G move last\n"
	"bind Home move first\n"
	"bind End move last\n"
	"bind ^D move half-down\n"
	"bind ^U move half-up\n"
	"bind ^F move page-down\n"
	"bind ^B move page-up\n"
	"bind PageDown move page-down\n"
	"bind PageUp move page-up\n"
	"bind layers p cycle\n"
	"bind layers P release\n"
	"bind path + zoom in\n"
	"bind path = zoom in\n"
	"bind path - zoom out\n"
	"bind path 0 zoom fit\n"
	"bind path < pan left\n"
	"bind path > pan right\n"
	"bind pipeline + zoom in\n"
	"bind pipeline = zoom in\n"
	"bind pipeline - zoom out\n"
	"bind pipeline 0 zoom fit\n"
	"bind pipeline < border left\n"
	"bind pipeline > border right\n"
	"bind pipeline , pan left\n"
	"bind pipeline . pan right\n"
	"bind pipeline c prompt plan \n"
	"bind network + level up\n"
	"bind network - level down\n"
	"bind network c prompt collective all-reduce \n"
	"bind search Enter explain\n"
	"bind search Space mine pause\n"
	"bind search a adopt\n"
	"bind search c mine\n"
	"bind search C mine all\n"
	"bind phase Enter explain\n"
	"bind phase p cycle\n"
	"bind phase P release\n"
	"bind phase + level up\n"
	"bind phase - level down\n"
	"bind inspector p cycle\n"
	"bind inspector P release\n"
	"bind models Enter explain\n"
	"bind help q cancel\n"
	"bind popup q cancel\n"
	"bind popup Enter cancel\n"
	"bind dials Left dial down\n"
	"bind dials Right dial up\n"
	"bind dials h dial down\n"
	"bind dials l dial up\n"
	"bind dials Up move left\n"
	"bind dials Down move right\n"
	"bind dials k move left\n"
	"bind dials j move right\n"
	"bind dials Enter dial edit\n";

static const char *const context_names[] = {
#define X(id, name) name,
	KEY_CONTEXTS(X)
#undef X
};

const char *key_context_name(enum key_context context)
{
	return context_names[context];
}

/* CONTEXT_COUNT when there is none. */
static enum key_context key_context_find(const char *name)
{
	int i = 0;

	while (i < CONTEXT_COUNT && strcmp(context_names[i], name) != 0)
		i++;
	return (enum key_context)i;
}

static const struct {
	uint32_t key;
	const char *name;
} names[] = {
	{ KEY_CODE_ENTER, "Enter" }, { KEY_CODE_TAB, "Tab" }, { KEY_CODE_ESCAPE, "Esc" }, { ' ', "Space" }, { KEY_CODE_UP, "Up" },
	{ KEY_CODE_DOWN, "Down" }, { KEY_CODE_LEFT, "Left" }, { KEY_CODE_RIGHT, "Right" }, { KEY_CODE_HOME, "Home" },
	{ KEY_CODE_END, "End" }, { KEY_CODE_PAGE_UP, "PageUp" }, { KEY_CODE_PAGE_DOWN, "PageDown" },
	{ KEY_CODE_INSERT, "Insert" }, { KEY_CODE_DELETE, "Delete" }, { KEY_CODE_BACKSPACE, "Backspace" },
	{ KEY_CODE_BACK_TAB, "BackTab" },
};

void keys_name(uint32_t key, char *out, size_t size)
{
	char encoded[5] = "";

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].key == key) {
			snprintf(out, size, "%s", names[i].name);
			return;
		}
	if (key >= KEY_CODE_F1 && key <= KEY_CODE_F12)
		snprintf(out, size, "F%d", (int)(key - KEY_CODE_F1) + 1);
	else if (key < 0x20)
		snprintf(out, size, "^%c", (char)(key + 0x40));
	else {
		text_encode(key < KEY_CODE_NONE ? key : 0xFFFD, encoded);
		snprintf(out, size, "%s", encoded);
	}
}

uint32_t keys_parse(const char *name)
{
	size_t length = strlen(name);
	uint32_t character;
	int number;
	char after;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].key;
	if (length == 2 && name[0] == '^' && name[1] >= '@' && name[1] <= '_')
		return (uint32_t)(name[1] - 0x40);
	if (name[0] == 'F' && sscanf(name + 1, "%d%c", &number, &after) == 1 && number >= 1 && number <= 12)
		return KEY_CODE_F1 + (uint32_t)number - 1;
	if (length > 0 && text_decode(name, length, &character) == length)
		return character;
	return KEY_CODE_NONE;
}

static struct binding *find(const struct keys *keys, enum key_context context, uint32_t key)
{
	for (size_t i = 0; i < keys->count; i++)
		if (keys->bindings[i].context == context && keys->bindings[i].key == key)
			return &keys->bindings[i];
	return NULL;
}

void keys_bind(struct keys *keys, enum key_context context, uint32_t key, const char *command)
{
	struct binding *binding = find(keys, context, key);

	if (binding == NULL) {
		keys->bindings = memory_grow(keys->bindings, &keys->capacity, keys->count + 1, sizeof *keys->bindings);
		binding = &keys->bindings[keys->count++];
		binding->context = context;
		binding->key = key;
	} else {
		memory_free(binding->command);
	}
	binding->command = memory_copy_text(command, strlen(command));
}

bool keys_unbind(struct keys *keys, enum key_context context, uint32_t key)
{
	struct binding *binding = find(keys, context, key);

	if (binding == NULL)
		return false;
	memory_free(binding->command);
	memmove(binding, binding + 1, (size_t)(keys->bindings + keys->count - binding - 1) * sizeof *binding);
	keys->count--;
	return true;
}

const char *keys_command(const struct keys *keys, enum key_context context, uint32_t key)
{
	const struct binding *binding = find(keys, context, key);

	return binding != NULL ? binding->command : NULL;
}

bool keys_find(const struct keys *keys, enum key_context context, const char *command, char *out, size_t size)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < keys->count; i++)
			if (keys->bindings[i].context == (pass == 0 ? context : CONTEXT_GENERIC) &&
			    strcmp(keys->bindings[i].command, command) == 0) {
				keys_name(keys->bindings[i].key, out, size);
				return true;
			}
	return false;
}

void keys_init(struct keys *keys)
{
	const char *line = builtin_rc;

	memset(keys, 0, sizeof *keys);
	while (*line != '\0') {
		size_t length = strcspn(line, "\n");
		struct bind_line bound;
		char copy[160];

		snprintf(copy, sizeof copy, "%.*s", (int)length, line);
		if (keys_read_line(copy + strlen("bind "), &bound, NULL) == STATUS_OK)
			keys_bind(keys, bound.context, bound.key, bound.command);
		line += length + 1;
	}
}

void keys_free(struct keys *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		memory_free(keys->bindings[i].command);
	memory_free(keys->bindings);
	memset(keys, 0, sizeof *keys);
}

bool keys_next_word(const char **rest, char *word, size_t size)
{
	size_t length;

	*rest += strspn(*rest, " \t");
	length = strcspn(*rest, " \t");
	snprintf(word, size, "%.*s", (int)length, *rest);
	*rest += length;
	return length > 0;
}

enum status keys_read_line(const char *rest, struct bind_line *line, struct diagnostic *d)
{
	*line = (struct bind_line){ CONTEXT_GENERIC, KEY_CODE_NONE, "", "" };
	if (!keys_next_word(&rest, line->name, sizeof line->name))
		return STATUS_OK;
	if (key_context_find(line->name) != CONTEXT_COUNT) {
		line->context = key_context_find(line->name);
		keys_next_word(&rest, line->name, sizeof line->name);
	}
	line->key = keys_parse(line->name);
	line->command = rest + strspn(rest, " \t");
	if (line->key == KEY_CODE_NONE)
		return diagnostic_fail(d, STATUS_USAGE, "\"%s\" is no key: a character, ^X, F1..F12, or Enter Tab Esc Space Up Down Left Right "
			"Home End PageUp PageDown Insert Delete Backspace BackTab", line->name);
	return STATUS_OK;
}

static bool same_binding(const struct binding *a, const struct binding *b)
{
	return a->context == b->context && strcmp(a->command, b->command) == 0;
}

bool keys_group(const struct keys *keys, size_t i, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t j = 0; j < keys->count; j++) {
		char name[16];

		if (!same_binding(&keys->bindings[j], &keys->bindings[i]))
			continue;
		if (j < i)
			return false;
		keys_name(keys->bindings[j].key, name, sizeof name);
		if (used + strlen(name) + 2 < size)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "", name);
	}
	return true;
}

/* Commands whose words, or whose place, give them a meaning of their own; all others are told by the command table.  The
 * first row that fits counts; CONTEXT_COUNT fits everywhere. */
static const struct {
	enum key_context context;
	const char *command, *text;
} meanings[] = {
	{ CONTEXT_MODELS, "explain", "open the model under the cursor" },
	{ CONTEXT_PATH, "explain", "why the operator runs when it does, and its loops on the array" },
	{ CONTEXT_PATH, "move left", "go to the operator before on the same core" },
	{ CONTEXT_PATH, "move right", "go to the next operator on the same core" },
	{ CONTEXT_COMPARE, "explain", "the same as text, with what was set differently" },
	{ CONTEXT_COUNT, "view compare", "show the present point beside the remembered one" },
	{ CONTEXT_PIPELINE, "explain", "the run in words, and what would make it fit" },
	{ CONTEXT_COUNT, "prompt plan ", "set the fastest plan of so many GPUs" },
	{ CONTEXT_NETWORK, "explain", "how the level's exchange is routed and timed" },
	{ CONTEXT_SEARCH, "explain", "of a method, its designs; a design or a step: take it, and show its schedule" },
	{ CONTEXT_SEARCH, "move left", "the page before: methods, designs, steps, charts" },
	{ CONTEXT_SEARCH, "move right", "the next page: methods, designs, steps, charts" },
	{ CONTEXT_COUNT, "mine", "search for an accelerator with wham" },
	{ CONTEXT_COUNT, "mine all", "race all methods" },
	{ CONTEXT_COUNT, "mine pause", "pause the search, or go on" },
	{ CONTEXT_COUNT, "view search", "search for the accelerator that this model would choose" },
	{ CONTEXT_PHASE, "explain", "make the point under the cursor the present one" },
	{ CONTEXT_DIALS, "move left", "go to the dial before" },
	{ CONTEXT_DIALS, "move right", "go to the next dial" },
	{ CONTEXT_POPUP, "cancel", "close the box" },
	{ CONTEXT_HELP, "cancel", "go back to the view before" },
	{ CONTEXT_COUNT, "prompt search /", "find the next row that matches, while the pattern is typed" },
	{ CONTEXT_COUNT, "prompt filter /", "show only rows that match, while the pattern is typed" },
	{ CONTEXT_COUNT, "search-next", "repeat the search" },
	{ CONTEXT_COUNT, "search-next back", "repeat the search backwards" },
	{ CONTEXT_COUNT, "filter", "show all rows again" },
	{ CONTEXT_COUNT, "baseline", "remember the present plan; the title shows the change against it" },
	{ CONTEXT_COUNT, "baseline clear", "forget the remembered plan" },
	{ CONTEXT_COUNT, "focus next", "go on to the next part of the screen: rows, why, dials" },
	{ CONTEXT_COUNT, "focus back", "go back to the part of the screen before" },
	{ CONTEXT_COUNT, "focus dials", "go to the dials" },
	{ CONTEXT_COUNT, "level up", "focus the next level inwards" },
	{ CONTEXT_COUNT, "level down", "focus the next level outwards" },
	{ CONTEXT_COUNT, "dial up", "one step up with the focused dial, or the last one" },
	{ CONTEXT_COUNT, "dial double", "one step up with the focused dial, or the last one" },
	{ CONTEXT_COUNT, "dial down", "one step down with the focused dial, or the last one" },
	{ CONTEXT_COUNT, "dial halve", "one step down with the focused dial, or the last one" },
	{ CONTEXT_COUNT, "dial edit", "type a value for the focused dial" },
	{ CONTEXT_COUNT, "view layers", "show the layers" },
	{ CONTEXT_COUNT, "view pipeline", "show a training run on a cluster: its step, the memory of its stages, its schedule" },
	{ CONTEXT_COUNT, "view network", "show what each level exchanges over the links" },
	{ CONTEXT_NETWORK, "prompt collective all-reduce ", "time a collective of so many bytes on these links" },
	{ CONTEXT_COUNT, "view path", "show the training step on the cores of one accelerator" },
	{ CONTEXT_PIPELINE, "zoom in", "half as much time, about the middle" },
	{ CONTEXT_PIPELINE, "move up", "one stage up" },
	{ CONTEXT_PIPELINE, "move down", "one stage down" },
	{ CONTEXT_COUNT, "zoom in", "half as much time, about the focused operator" },
	{ CONTEXT_COUNT, "zoom out", "twice as much time" },
	{ CONTEXT_COUNT, "zoom fit", "the whole step" },
	{ CONTEXT_COUNT, "border left", "have the focused stage begin a layer earlier" },
	{ CONTEXT_COUNT, "border right", "have the focused stage begin a layer later" },
	{ CONTEXT_COUNT, "pan left", "a quarter of the window earlier" },
	{ CONTEXT_COUNT, "pan right", "a quarter of the window later" },
	{ CONTEXT_COUNT, "fold", "show repeated blocks once, or each" },
	{ CONTEXT_COUNT, "view phase", "show the map of this choice over batch and array size" },
	{ CONTEXT_COUNT, "view models", "show the built-in models" },
	{ CONTEXT_COUNT, "move up", "one row up" },
	{ CONTEXT_COUNT, "move down", "one row down" },
	{ CONTEXT_COUNT, "move left", "one level or column to the left" },
	{ CONTEXT_COUNT, "move right", "one level or column to the right" },
	{ CONTEXT_COUNT, "move first", "go to the first row" },
	{ CONTEXT_COUNT, "move last", "go to the last row" },
	{ CONTEXT_COUNT, "move half-up", "half a page up" },
	{ CONTEXT_COUNT, "move half-down", "half a page down" },
	{ CONTEXT_COUNT, "move page-up", "a page up" },
	{ CONTEXT_COUNT, "move page-down", "a page down" },
};

void keys_describe(enum key_context context, const char *command, char *out, size_t size)
{
	enum command_id id = command_of(command);
	const char *typed = text_starts_with(command, "prompt ") ? command + strlen("prompt ") : "";
	size_t length = strlen(command);

	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if ((meanings[i].context == context || meanings[i].context == CONTEXT_COUNT) && strcmp(meanings[i].command, command) == 0) {
			snprintf(out, size, "%s: %s", command, meanings[i].text);
			return;
		}
	/* What the prompt is opened with is meant to be gone on with. */
	if (command_of(typed) != COMMAND_COUNT)
		id = command_of(typed);
	while (length > 0 && command[length - 1] == ' ')
		length--;
	snprintf(out, size, "%.*s%s%s%s", (int)length, command, *typed != '\0' ? " ..." : "", id != COMMAND_COUNT ? ": " : "",
		id != COMMAND_COUNT ? command_at(id)->text : "");
}

void keys_list(const struct keys *keys, struct text *out)
{
	for (size_t i = 0; i < keys->count; i++) {
		const struct binding *binding = &keys->bindings[i];
		char name[16];

		keys_name(binding->key, name, sizeof name);
		text_printf(out, "bind %s%s%s %s\n", binding->context == CONTEXT_GENERIC ? "" : context_names[binding->context],
			binding->context == CONTEXT_GENERIC ? "" : " ", name, binding->command);
	}
}
