/* What the commands that edit a study do. */
#ifndef WHYPAR_STUDY_EDITS_H
#define WHYPAR_STUDY_EDITS_H

#include "study/commands.h"
#include "study/words.h"

/* words[0] is the command's name; line the whole text, for the journal. */
enum status edits_run(struct study *study, const struct command_host *host, enum command_id id, struct words *words, const char *line,
	struct diagnostic *d);

#endif
