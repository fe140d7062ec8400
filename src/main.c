/* The command line: words in, exit code out.  Everything below returns a status; only main exits. */
#include "base/status.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--version") == 0) {
			printf("whypar %s\n", WHYPAR_VERSION);
			return STATUS_OK;
		}
	fprintf(stderr, "usage: whypar --version\n");
	return STATUS_USAGE;
}
