#include "study/pins.h"

#include "base/regex.h"

#include <string.h>

void pins_words(const struct pin_rule *rule, char *out, size_t size)
{
	if (rule->row >= 0)
		snprintf(out, size, "#%d", rule->row + 1);
	else
		snprintf(out, size, rule->exact ? "%s" : "/%s/", rule->pattern);
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
	int first;               /* row of the first matched, -1 */
};

static void visit_var(struct visit *visit, int v)
{
	const struct pin_rule *rule = visit->rule;

	if (!has_state(rule, &visit->problem->vars[v])) {
		/* a regex for layers passes junctions over in silence */
		visit->refused += rule->junction == (visit->problem->vars[v].role == ROLE_JUNCTION);
		return;
	}
	if (visit->matched++ == 0)
		visit->first = visit->problem->vars[v].row;
	for (int h = 0; visit->pins != NULL && h < LEVELS_MAX; h++)
		if (rule->level == 0 || rule->level == h + 1)
			visit->pins[v * LEVELS_MAX + h] = (signed char)rule->state;
}

static enum status visit_rule(struct visit *visit, const struct model *model, struct diagnostic *d)
{
	const struct pin_rule *rule = visit->rule;
	struct regex *regex = NULL;

	if (rule->row < 0 && !rule->exact) {
		regex = regex_new(rule->pattern, NULL, d);
		if (regex == NULL)
			return STATUS_INPUT;
	}
	for (int v = 0; v < visit->problem->var_count; v++) {
		int row = visit->problem->vars[v].row;
		const char *name = model->operators[row].name;

		if (rule->row >= 0 ? row == rule->row : rule->exact ? strcmp(name, rule->pattern) == 0 : regex_find(regex, name, NULL, NULL))
			visit_var(visit, v);
	}
	if (visit->matched == 0 && regex != NULL && regex_gave_up(regex)) {
		regex_free(regex);
		return diagnostic_fail(d, STATUS_INPUT, "/%s/ takes too long to try on these names; nested repeats such as (a+)+ do that", rule->pattern);
	}
	regex_free(regex);
	return STATUS_OK;
}

void pins_resolve(const struct document *document, const struct model *model, const struct problem *problem, signed char *pins,
	struct diagnostics *warnings)
{
	int levels = document_levels(document);

	memset(pins, NO_STATE, (size_t)problem->var_count * LEVELS_MAX);
	for (size_t i = 0; i < document->pin_count; i++) {
		struct visit visit = { .rule = &document->pins[i], .problem = problem, .pins = pins };
		struct diagnostic d;
		char words[160];
		bool applies = visit_rule(&visit, model, &d) == STATUS_OK && (visit.matched > 0 || visit.rule->state == NO_STATE);

		if (applies && visit.rule->level <= levels)
			continue;
		pins_words(visit.rule, words, sizeof words);
		if (applies)
			diagnostic_fail(&d, STATUS_INPUT, "the pin on %s at H%d waits for a larger array: this one has %d level%s", words, visit.rule->level,
				levels, levels == 1 ? "" : "s");
		else
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

int pins_first_row(const struct pin_rule *rule, const struct model *model, const struct problem *problem)
{
	struct visit visit = { .rule = rule, .problem = problem, .first = -1 };
	struct diagnostic d;

	return visit_rule(&visit, model, &d) == STATUS_OK ? visit.first : -1;
}
