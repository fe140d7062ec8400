#include "tests/ui/lib_screen.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void screen_open(struct screen *s, const char *model, int rows, int cols)
{
	struct command_host mute = { NULL, NULL, NULL };
	struct diagnostic d;
	char line[512];

	setenv("WHYPAR_DATA", "data", 0);
	memset(s, 0, sizeof *s);
	s->study = study_new();
	explorer_init(&s->e, s->study, false, false);
	if (model != NULL) {
		snprintf(line, sizeof line, "load %s", model);
		mute = s->e.host;
		if (command_run(s->study, &mute, line, &d) != STATUS_OK)
			fprintf(stderr, "cannot load %s: %s\n", model, d.text);
	}
	explorer_resize(&s->e, rows, cols);
	explorer_refresh(&s->e);
	s->e.message.text[0] = '\0';
	explorer_draw(&s->e);
}

void screen_close(struct screen *s)
{
	explorer_free(&s->e);
	study_free(s->study);
	text_free(&s->text);
}

enum status screen_run(struct screen *s, const char *line)
{
	struct diagnostic d;
	enum status status = explorer_command(&s->e, line, &d);

	if (status != STATUS_OK)
		explorer_say(&s->e, STYLE_ERROR, "%s", d.text);
	explorer_refresh(&s->e);
	explorer_draw(&s->e);
	return status;
}

void screen_press(struct screen *s, const char *keys)
{
	char line[512];

	snprintf(line, sizeof line, "%s", keys);
	for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
		explorer_key(&s->e, keys_parse(word));
		explorer_refresh(&s->e);
		explorer_draw(&s->e);
	}
}

void screen_type(struct screen *s, const char *text)
{
	for (; *text != '\0'; text++)
		explorer_key(&s->e, (unsigned char)*text);
	explorer_refresh(&s->e);
}

const char *screen_text(struct screen *s)
{
	explorer_refresh(&s->e);
	explorer_draw(&s->e);
	text_clear(&s->text);
	cells_dump(&s->e.cells, &s->text);
	return text_string(&s->text);
}

bool screen_shows(struct screen *s, const char *part)
{
	return strstr(screen_text(s), part) != NULL;
}

bool screen_row(struct screen *s, const char *part, char *out, size_t size)
{
	const char *line = screen_text(s);

	while (*line != '\0') {
		size_t length = strcspn(line, "\n");

		snprintf(out, size, "%.*s", (int)length, line);
		if (strstr(out, part) != NULL)
			return true;
		line += length + (line[length] == '\n');
	}
	return false;
}

void screen_write_file(char *path, const char *text)
{
	int file = mkstemp(path);

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		fprintf(stderr, "cannot write %s\n", path);
	close(file);
}
