#include "hardware/constants.h"

#include <string.h>

static const struct constants standard = { {
#define X(id, name, unit, least, most, value, text, source) [CONSTANT_##id] = value,
	HARDWARE_CONSTANTS(X)
#undef X
} };

static const struct format_row formats[FORMAT_COUNT] = {
#define X(id, name, bytes, mac_j, source) [FORMAT_##id] = { name, bytes, mac_j, source },
	NUMBER_FORMATS(X)
#undef X
};

const struct constants *constants_standard(void)
{
	return &standard;
}

const struct format_row *format_at(enum number_format format)
{
	return &formats[format];
}

enum number_format format_find(const char *name)
{
	int i = 0;

	while (i < FORMAT_COUNT && strcmp(formats[i].name, name) != 0)
		i++;
	return (enum number_format)i;
}
