#include "study/pins.h"

#include "base/memory.h"
#include "base/regex.h"
#include "base/text.h"

#include <string.h>

/* Smart case is off without a capital: an exact name says so itself. */
static const char exact_head[] = "(?-i)^";

char *pins_exact(const char *name)
{
	struct text out = { 0 };

	text_add(&out, exact_head);
	for (; *name != '\0'; name++) {
		if (strchr("\\^$.[|()?*+{}", *name) != NULL)
			text_add(&out, "\\");
		text_append(&out, name, 1);
	}
	text_add(&out, "$");
	return out.bytes;
}

void pins_words(const struct pin_rule *rule, char *out, size_t size)
{
	const char *pattern = rule->pattern;
	size_t used = 0, length = strlen(pattern);

	if (pattern[0] == '#' || !text_starts_with(pattern, exact_head)) {
		snprintf(out, size, pattern[0] == '#' ? "%s" : "/%s/", pattern);
		return;
	}
	for (size_t i = sizeof exact_head - 1; i + 1 < length && used + 1 < size; i++) {
		i += pattern[i] == '\\';
		out[used++] = pattern[i];
	}
	out[used] = '\0';
}

static bool has_state(const struct pin_rule *rule, const struct problem_var *var)
{
	if (rule->state == NO_STATE)
		return true;
	return rule->junction == (var->role == ROLE_JUNCTION) && rule->state < comm_states(var->role);
}

/* Calls for each variable the rule matches; shared by counting and resolving. */
struct visit {
	const struct pin_rule *rule;
	const struct problem *problem;
	signed char *pins;       /* NULL: only count */
	int matched, refused;
};

static void visit_var(struct visit *visit, int v)
{
	const struct pin_rule *rule = visit->rule;

	if (!has_state(rule, &visit->problem->vars[v])) {
		/* a regex for layers passes junctions over in silence */
		visit->refused += rule->junction == (visit->problem->vars[v].role == ROLE_JUNCTION);
		return;
	}
	visit->matched++;
	for (int h = 0; visit->pins != NULL && h < LEVELS_MAX; h++)
		if (rule->level == 0 || rule->level == h + 1)
			visit->pins[v * LEVELS_MAX + h] = (signed char)rule->state;
}

static enum status visit_rule(struct visit *visit, const struct model *model, struct diagnostic *d)
{
	const struct pin_rule *rule = visit->rule;
	struct regex *regex;

	if (rule->pattern[0] == '#') {
		int row = model_find(model, rule->pattern, NULL, d);

		if (row < 0)
			return STATUS_INPUT;
		if (visit->problem->var_of_row[row] >= 0)
			visit_var(visit, visit->problem->var_of_row[row]);
		return STATUS_OK;
	}
	regex = regex_new(rule->pattern, NULL, d);
	if (regex == NULL)
		return STATUS_INPUT;
	for (int v = 0; v < visit->problem->var_count; v++)
		if (regex_find(regex, model->operators[visit->problem->vars[v].row].name, NULL, NULL))
			visit_var(visit, v);
	regex_free(regex);
	return STATUS_OK;
}

void pins_resolve(const struct document *document, const struct model *model, const struct problem *problem, signed char *pins,
	struct diagnostics *warnings)
{
	memset(pins, NO_STATE, (size_t)problem->var_count * LEVELS_MAX);
	for (size_t i = 0; i < document->pin_count; i++) {
		struct visit visit = { .rule = &document->pins[i], .problem = problem, .pins = pins };
		struct diagnostic d;
		char words[160];

		if (visit_rule(&visit, model, &d) == STATUS_OK && (visit.matched > 0 || visit.rule->state == NO_STATE))
			continue;
		pins_words(visit.rule, words, sizeof words);
		diagnostic_fail(&d, STATUS_INPUT, "the pin on %s has no effect: no row of %s matches it and can take it", words, model->name);
		d.severity = SEVERITY_WARNING;
		diagnostics_add(warnings, &d);
	}
}

int pins_count(const struct pin_rule *rule, const struct model *model, const struct problem *problem, int *refused, struct diagnostic *d)
{
	struct visit visit = { .rule = rule, .problem = problem };

	if (visit_rule(&visit, model, d) != STATUS_OK)
		return -1;
	*refused = visit.refused;
	return visit.matched;
}
