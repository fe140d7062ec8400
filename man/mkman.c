/* Fills a man page: lines that are a marker become mdoc made from the program's tables; all others pass through.
 *   mkman PAGE.in VERSION
 * @COMMANDS@ @PARAMETERS@ @KEYS@ @OPTIONS@ @SUBCOMMANDS@ @QUANTITIES@ @STEPS@ @KINDS@ @DATAFLOWS@ @VECTORS@ @OPTIMIZERS@ @CONSTANTS@
 * @FORMATS@; @VERSION@ may stand inside a line. */
#include "cli.h"
#include "hardware/constants.h"
#include "hardware/core.h"
#include "mine/miner.h"
#include "model/load.h"
#include "report/explain.h"
#include "study/commands.h"
#include "study/parameters.h"
#include "ui/keys.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints text as filler lines of at most WIDTH bytes, a new line for every sentence, with what roff would take as a
 * request or an escape made plain. */
enum { WIDTH = 72 };

static void print_word(const char *word, size_t length, bool first)
{
	if (first && (*word == '.' || *word == '\''))
		fputs("\\&", stdout);
	for (size_t i = 0; i < length; i++) {
		if (word[i] == '\\')
			fputs("\\e", stdout);
		else if (word[i] == '"')
			fputs("\\(dq", stdout);
		else if (word[i] == '-')
			fputs("\\-", stdout);
		else
			putchar(word[i]);
	}
}

static void print_text(const char *text)
{
	size_t column = 0;

	while (*text != '\0') {
		size_t length = strcspn(text, " ");
		bool ends = length > 1 && text[length - 1] == '.' && text[length] != '\0';

		if (column > 0 && column + 1 + length > WIDTH) {
			putchar('\n');
			column = 0;
		} else if (column > 0) {
			putchar(' ');
			column++;
		}
		print_word(text, length, column == 0);
		column += length;
		if (ends) {
			putchar('\n');
			column = 0;
		}
		text += length;
		text += strspn(text, " ");
	}
	if (column > 0)
		putchar('\n');
}

/* True when a text begins with a list of values that a parameter takes, "auto, always or never": these keep their letters. */
static bool is_choice(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]))
		length++;
	for (int i = 0; text[length] == ',' && i < PARAMETER_COUNT; i++) {
		const char *const *choice = parameter_at((enum parameter_id)i)->choices;

		for (; choice != NULL && *choice != NULL; choice++)
			if (strlen(*choice) == length && strncmp(*choice, text, length) == 0)
				return true;
	}
	return false;
}

/* A text of the tables as a sentence: with a capital, unless it begins with a word of the program, and a full stop. */
static void print_sentence(const char *text)
{
	char copy[1024];
	size_t length;

	snprintf(copy, sizeof copy - 1, "%s", text);
	length = strlen(copy);
	if (length == 0)
		return;
	if (!is_choice(copy))
		copy[0] = (char)toupper((unsigned char)copy[0]);
	if (copy[length - 1] != '.')
		strcpy(copy + length, ".");
	print_text(copy);
}

/* One word of a usage: "[--level", "H]", "/REGEX/|NAME|#N", "up|down", "...".  Capitals are for the user to replace. */
static void print_usage_word(const char *word, size_t length)
{
	int closes = 0;

	for (; length > 1 && word[0] == '['; word++, length--)
		fputs(" Oo", stdout);
	for (; length > 1 && word[length - 1] == ']'; length--)
		closes++;
	for (size_t i = 0; i < length; i++) {
		size_t part = i;
		bool group = false;      /* FILE.(csv|json|txt) is one part */

		for (; part < length && (group || word[part] != '|'); part++)
			group = (group || word[part] == '(') && word[part] != ')';
		if (i > 0)
			fputs(" |", stdout);
		if (part - i > 2 && strncmp(word + i, "--", 2) == 0) {
			fputs(" Fl ", stdout);
			print_word(word + i + 1, part - i - 1, true);
		} else {
			fputs(isupper((unsigned char)word[i]) || strchr("/#", word[i]) != NULL ? " Ar " : word[i] == '.' ? " " : " Cm ", stdout);
			print_word(word + i, part - i, true);
		}
		i = part;
	}
	for (; closes > 0; closes--)
		fputs(" Oc", stdout);
}

static void item(const char *macro, const char *name, const char *usage, const char *text)
{
	printf(".It %s ", macro);
	print_word(name, strlen(name), true);
	while (usage != NULL && *usage != '\0') {
		size_t length = strcspn(usage, " ");

		print_usage_word(usage, length);
		usage += length;
		usage += strspn(usage, " ");
	}
	printf("\n");
	print_sentence(text);
}

static void begin(void)
{
	puts(".Bl -tag -width Ds");
}

static void end(void)
{
	puts(".El");
}

static void commands(void)
{
	begin();
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_at((enum command_id)i);

		item("Ic", c->name, c->usage, c->text);
	}
	end();
}

static void parameters(void)
{
	begin();
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const struct parameter *p = parameter_at((enum parameter_id)i);
		char standard[64], least[64], most[64];

		parameter_print((enum parameter_id)i, p->standard, standard, sizeof standard);
		parameter_print((enum parameter_id)i, p->minimum, least, sizeof least);
		parameter_print((enum parameter_id)i, p->maximum, most, sizeof most);
		printf(".It Ic %s Ns =", p->name);
		if (p->choices == NULL)
			printf(" Ns Ar %s No to Ar %s", least, most);
		else
			for (size_t k = 0; p->choices[k] != NULL; k++)
				printf("%s%s", k > 0 ? " | " : " Ns Cm ", p->choices[k]);
		printf("\n");
		print_sentence(p->text);
		printf("Default %s%s\n", standard, p->source[0] != '\0' ? ";" : ".");
		if (p->source[0] != '\0') {
			char source[256];

			snprintf(source, sizeof source, "source: %s.", p->source);
			print_text(source);
		}
	}
	end();
}

/* Keys of one context; those bound to one command stand on one line. */
static void context_keys(const struct keys *k, enum key_context context)
{
	puts(".Bl -tag -width MMMMMMMMMMMM -compact");
	for (size_t i = 0; i < k->count; i++) {
		char names[64], text[256];
		size_t command;

		if (k->bindings[i].context != context || !keys_group(k, i, names, sizeof names))
			continue;
		/* with an end that is no delimiter, so that : [ ] and / stay in the macro */
		printf(".It Ic \"");
		print_word(names, strlen(names), true);
		printf("\\&\"\n");
		keys_describe(context, k->bindings[i].command, text, sizeof text);
		command = strcspn(text, ":");
		printf(".Ic \"");
		print_word(text, command, true);
		printf("\\&\"%s\n", text[command] != '\0' ? " :" : "");
		if (text[command] != '\0')
			print_text(text + command + 1 + strspn(text + command + 1, " "));
	}
	puts(".El");
}

static void keys(void)
{
	static const char *const headings[CONTEXT_COUNT] = {
		[CONTEXT_GENERIC] = "Everywhere", [CONTEXT_LAYERS] = "On the layers", [CONTEXT_PATH] = "On the path", [CONTEXT_PIPELINE] = "On the pipeline", [CONTEXT_COMPARE] = "On the comparison", [CONTEXT_NETWORK] = "On the network", [CONTEXT_PHASE] = "On the phase map",
		[CONTEXT_MODELS] = "On the models", [CONTEXT_HELP] = "In the help", [CONTEXT_DIALS] = "On the dials",
		[CONTEXT_INSPECTOR] = "On the why", [CONTEXT_POPUP] = "On a formula or another box",
	};
	struct keys k;

	keys_init(&k);
	for (int context = 0; context < CONTEXT_COUNT; context++) {
		bool any = false;

		for (size_t i = 0; i < k.count; i++)
			any = any || (int)k.bindings[i].context == context;
		if (!any)
			continue;
		printf(".Pp\n%s (context\n.Cm %s ) :\n.Pp\n", headings[context], key_context_name((enum key_context)context));
		context_keys(&k, (enum key_context)context);
	}
	keys_free(&k);
}

static void options(void)
{
	begin();
#define X(id, name, value, with, text) item("Fl", &(name)[1], value, text);
	OPTIONS(X)
#undef X
	end();
}

static void subcommands(void)
{
	begin();
#define X(run, name, usage, least, most, options, text) item("Ic", name, usage, text);
	SUBCOMMANDS(X)
#undef X
	end();
}

static void steps(void)
{
	begin();
#define X(id, name, text) item("Cm", name, NULL, text);
	MINE_EVENTS(X)
#undef X
	end();
}

static void quantities(void)
{
	begin();
#define X(id, name, text) item("Cm", name, NULL, text);
	QUANTITIES(X)
#undef X
	end();
}

static void kinds(void)
{
	begin();
	for (int i = 0; i < OPERATOR_KIND_COUNT; i++)
		if (i != OPERATOR_OPAQUE)
			item("Cm", operator_kind_name((enum operator_kind)i), NULL, operator_kind_text((enum operator_kind)i));
	end();
}

/* ---- the accelerator ---- */

static void dataflows(void)
{
	begin();
#define X(kind, name, text) item("Cm", name, NULL, text);
	DATAFLOWS(X)
#undef X
	end();
}

/* Cycles of one element; what a pool takes forward depends on its window. */
static void vectors(void)
{
	puts(".Bl -column log_softmax \"forward\" \"backward\" source -compact");
	puts(".It Em operation Ta Em forward Ta Em backward Ta Em source");
	for (int i = 0; i < VECTOR_OPERATION_COUNT; i++) {
		const struct vector_row *row = vector_operation_at((enum vector_operation)i);

		printf(".It Cm %s Ta ", row->name);
		if (i == VECTOR_POOL)
			printf("window");
		else
			printf("%d", row->forward);
		printf(" Ta %d Ta %s\n", row->backward, strcmp(row->source, WHAM_TABLE) == 0 ? "WHAM" : "nearest kin");
	}
	end();
}

static void optimizer_table(void)
{
	char text[256];

	begin();
	for (int i = 0; i < OPTIMIZER_COUNT; i++) {
		const struct optimizer_row *row = optimizer_at((enum optimizer)i);

		item("Cm", row->name, NULL, "");
		snprintf(text, sizeof text, "%d cycles a weight (%s).", row->cycles, row->source);
		print_text(text);
	}
	end();
}

/* The constants are parameters, so that they print as those do. */
static void constants(void)
{
	char text[512], value[64];

	begin();
	for (int i = 0; i < CONSTANT_COUNT; i++) {
		const struct parameter *p = parameter_at((enum parameter_id)(PARAMETER_TC_AREA + i));

		parameter_print((enum parameter_id)(PARAMETER_TC_AREA + i), p->standard, value, sizeof value);
		item("Ic", p->name, NULL, "");
		snprintf(text, sizeof text, "%s: %s (%s).", value, p->text, p->source);
		print_text(text);
	}
	end();
}

static void formats(void)
{
	char text[256];

	begin();
	for (int i = 0; i < FORMAT_COUNT; i++) {
		const struct format_row *row = format_at((enum number_format)i);

		item("Cm", row->name, NULL, "");
		snprintf(text, sizeof text, "%d byte%s, %.3g pJ: %s.", row->bytes, row->bytes == 1 ? "" : "s", 1e12 * row->mac_j, row->source);
		print_text(text);
	}
	end();
}

static int fill(const char *path, const char *version)
{
	static const struct { const char *marker; void (*print)(void); } markers[] = {
		{ "@COMMANDS@", commands }, { "@PARAMETERS@", parameters }, { "@KEYS@", keys }, { "@OPTIONS@", options },
		{ "@SUBCOMMANDS@", subcommands }, { "@QUANTITIES@", quantities }, { "@STEPS@", steps }, { "@KINDS@", kinds },
		{ "@DATAFLOWS@", dataflows }, { "@VECTORS@", vectors }, { "@OPTIMIZERS@", optimizer_table }, { "@CONSTANTS@", constants },
		{ "@FORMATS@", formats },
	};
	FILE *page = fopen(path, "r");
	char line[4096];

	if (page == NULL) {
		perror(path);
		return 1;
	}
	while (fgets(line, sizeof line, page) != NULL) {
		size_t i = 0;
		char *at = strstr(line, "@VERSION@");

		line[strcspn(line, "\n")] = '\0';
		while (i < sizeof markers / sizeof *markers && strcmp(line, markers[i].marker) != 0)
			i++;
		if (i < sizeof markers / sizeof *markers)
			markers[i].print();
		else if (at != NULL)
			printf("%.*s%s%s\n", (int)(at - line), line, version, at + strlen("@VERSION@"));
		else
			puts(line);
	}
	fclose(page);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: mkman PAGE.in VERSION\n");
		return 2;
	}
	return fill(argv[1], argv[2]);
}
