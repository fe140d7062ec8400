/* A training run, in words and as JSON. */
#ifndef WHYPAR_REPORT_RUN_H
#define WHYPAR_REPORT_RUN_H

#include "base/text.h"
#include "report/json.h"
#include "study/study.h"

/* The parts of a step, in order: name, key of the JSON, seconds; what takes no time too. */
enum { RUN_PARTS = 9 };
struct run_part {
	const char *name, *key;
	double seconds;
};
void run_parts(const struct run *run, struct run_part out[RUN_PARTS]);

/* The parts of a device's memory likewise. */
enum { RUN_MEMORY_PARTS = 6 };
struct run_memory_part {
	const char *name, *key;
	double bytes;
};
void run_memory_parts(const struct run_memory *memory, struct run_memory_part out[RUN_MEMORY_PARTS]);

/* In one sentence: what the step is made of. */
void run_sentence(const struct study *study, struct text *out);

/* All of a run, of a plain one its memory; nothing where there is none. */
void run_text(struct study *study, struct text *out);
/* "run", "memory" and the parts of "step" into a report; root and step are the report's. */
void run_json(struct study *study, json_t *root);
json_t *run_step_json(const struct results *r);

#endif
