/* libFuzzer target: a pattern, a newline, a text.  Any pattern compiles or is refused with a reason, any text is searched in
 * bounded time (run.sh gives each input a few seconds), and a match lies within it. */
#include "base/memory.h"
#include "base/regex.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = memchr(data, '\n', size);
	size_t length = newline != NULL ? (size_t)(newline - data) : size;
	char *pattern = memory_copy_text((const char *)data, length);
	char *subject = newline != NULL ? memory_copy_text((const char *)newline + 1, size - length - 1) : memory_copy_text("", 0);
	struct diagnostic d = { 0 };
	int offset = -1, start = -1, end = -1;
	struct regex *regex = regex_new(pattern, &offset, &d);

	if (regex == NULL) {
		must(d.text[0] != '\0' && offset >= 0 && (size_t)offset <= strlen(pattern));
	} else {
		must(strcmp(regex_pattern(regex), pattern) == 0);
		if (regex_find(regex, subject, &start, &end))
			must(start >= 0 && (size_t)end <= strlen(subject));
		must(regex_find(regex, subject, NULL, NULL) == (start >= 0));
	}
	regex_free(regex);
	memory_free(pattern);
	memory_free(subject);
	return 0;
}
