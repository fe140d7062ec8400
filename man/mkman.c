/* Fills a man page: lines that are a marker become mdoc made from the program's tables; all others pass through.
 *   mkman PAGE.in VERSION
 * @COMMANDS@ @PARAMETERS@ @KEYS@ @OPTIONS@ @SUBCOMMANDS@ @KINDS@ @MODELS@ */
#include "cli.h"
#include "model/load.h"
#include "study/commands.h"
#include "study/parameters.h"
#include "ui/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that may begin with a dot, a quote or hold a backslash. */
static void print_escaped(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text != '\0'; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '"')
			fputs("\\(dq", stdout);
		else
			fputc(*text, stdout);
	}
}

static void item(const char *name, const char *argument, const char *text)
{
	printf(".It Ic \"");
	print_escaped(name);
	printf("\"");
	if (argument != NULL && argument[0] != '\0') {
		printf(" Ar \"");
		print_escaped(argument);
		printf("\"");
	}
	printf("\n");
	print_escaped(text);
	printf("\n");
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

		item(c->name, c->usage, c->text);
	}
	end();
}

static void parameters(void)
{
	begin();
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const struct parameter *p = parameter_at((enum parameter_id)i);
		char standard[64];

		parameter_print((enum parameter_id)i, p->standard, standard, sizeof standard);
		printf(".It Ic %s = ", p->name);
		if (p->choices == NULL)
			printf("Ar %.0f..%.0f", p->minimum, p->maximum);
		else
			for (size_t k = 0; p->choices[k] != NULL; k++)
				printf("%s%s", k > 0 ? " | " : "Cm ", p->choices[k]);
		printf("\n");
		print_escaped(p->text);
		printf(".\nDefault %s.\n", standard);
		if (p->source[0] != '\0') {
			printf("Source: ");
			print_escaped(p->source);
			printf(".\n");
		}
	}
	end();
}

/* `bind [CONTEXT] KEY COMMAND` lines, as the rc file takes them, kept as they are. */
static void keys(void)
{
	struct keys k;
	struct text list = { 0 };

	keys_init(&k);
	keys_list(&k, &list);
	puts(".Bd -literal -compact");
	for (const char *line = text_string(&list); *line != '\0'; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
		char copy[256];

		snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
		print_escaped(copy);
		printf("\n");
	}
	puts(".Ed");
	text_free(&list);
	keys_free(&k);
}

static void options(void)
{
	begin();
#define X(id, name, value, text) item(name, value, text ".");
	OPTIONS(X)
#undef X
	end();
}

static void subcommands(void)
{
	begin();
#define X(run, name, usage, least, most, text) item(name, usage, text ".");
	SUBCOMMANDS(X)
#undef X
	end();
}

static void kinds(void)
{
	begin();
	for (int i = 0; i < OPERATOR_KIND_COUNT; i++)
		if (i != OPERATOR_OPAQUE)
			item(operator_kind_name((enum operator_kind)i), NULL, operator_kind_text((enum operator_kind)i));
	end();
}

static int fill(const char *path, const char *version)
{
	static const struct { const char *marker; void (*print)(void); } markers[] = {
		{ "@COMMANDS@", commands }, { "@PARAMETERS@", parameters }, { "@KEYS@", keys }, { "@OPTIONS@", options },
		{ "@SUBCOMMANDS@", subcommands }, { "@KINDS@", kinds },
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
