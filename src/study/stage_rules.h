/* The command `stage`: what one stage of the pipeline has of its own. */
#ifndef WHYPAR_STUDY_STAGE_RULES_H
#define WHYPAR_STUDY_STAGE_RULES_H

#include "study/study.h"
#include "study/words.h"

/* Reads the words of `stage N ...` onto what the document says of that stage.  A layer is one of the model's. */
enum status stage_rule_read(const struct document *document, const struct model *model, const struct words *w, struct stage_rule *rule, struct diagnostic *d);

/* As the command that says it again, with its line feed. */
void stage_rule_write(const struct stage_rule *rule, struct text *out);

#endif
