#include "partition/parts.h"

/* parts_of asks for both by one name */
_Static_assert((int)SPLIT_DP == (int)LAYOUT_ROW && (int)SPLIT_MP == (int)LAYOUT_COL && (int)SPLIT_OP == (int)LAYOUT_FULL, "types and layouts are numbered alike");

int64_t parts_largest(int64_t size, int64_t ways)
{
	return (size + ways - 1) / ways;
}

int64_t parts_of_half(int64_t size, const struct half *h)
{
	int64_t first = (int64_t)((double)size * h->first + 0.5), half = h->second ? size - first : first;

	return half < 1 ? 1 : half;
}

/* The largest of so many parts; split_first: H1 halves this size. */
static int64_t largest(int64_t size, int64_t ways, bool split_first, const struct half *half)
{
	return half != NULL && split_first ? parts_largest(parts_of_half(size, half), ways / 2) : parts_largest(size, ways);
}

struct parts parts_of(const struct operator *o, const struct plan *plan, int row, int64_t batch, const struct half *half)
{
	struct parts p = { .batch_ways = 1, .in_ways = 1, .out_ways = 1, .group_ways = 1 };
	int64_t channels = plan->junction[row] && o->heads > 0 ? o->heads : o->out.ch;
	int first;
	bool grouped;

	for (int h = 1; h <= plan->levels; h++) {
		int state = plan_state(plan, row, h);

		if (state == NO_STATE)
			continue;
		if (plan->junction[row]) {
			p.batch_ways <<= state == LAYOUT_ROW;
			p.out_ways <<= state == LAYOUT_COL;
		} else if (state == SPLIT_MP && o->groups > 1) {
			p.group_ways *= 2;
		} else {
			p.batch_ways <<= state == SPLIT_DP;
			p.in_ways <<= state == SPLIT_MP;
			p.out_ways <<= state == SPLIT_OP;
		}
	}
	first = half != NULL && plan->levels > 0 ? plan_state(plan, row, 1) : NO_STATE;
	grouped = !plan->junction[row] && first == SPLIT_MP && o->groups > 1;
	/* dp and row are the same number, mp and col, op and full */
	p.batch = largest(batch, p.batch_ways, first == SPLIT_DP, half);
	p.in_ch = largest(o->in.ch, p.in_ways * p.group_ways, first == SPLIT_MP && !plan->junction[row], half);
	p.out_ch = largest(channels, p.out_ways * p.group_ways, plan->junction[row] ? first == LAYOUT_COL : first == SPLIT_OP || grouped, half);
	p.groups = o->groups > 1 ? largest(o->groups, p.group_ways, grouped, half) : 0;
	if (p.groups > 0) {      /* channels go with their group */
		p.in_ch = p.groups * (o->in.ch / o->groups);
		p.out_ch = p.groups * (channels / o->groups);
	}
	p.uneven = batch % p.batch_ways || o->in.ch % p.in_ways || channels % p.out_ways || (o->groups > 1 && o->groups % p.group_ways);
	p.idle = batch < p.batch_ways || o->in.ch < p.in_ways || channels < p.out_ways || (o->groups > 1 && o->groups < p.group_ways);
	return p;
}

static void warn(struct diagnostics *warnings, const char *name, const char *what, int64_t size, int ways)
{
	if (size < ways)
		diagnostics_warn(warnings, NULL, 0, 0, "%s: %lld %s over %d groups: %lld of them get none, so costs (which halve evenly) are optimistic",
			name, (long long)size, what, ways, (long long)(ways - size));
	else
		diagnostics_warn(warnings, NULL, 0, 0, "%s: %lld %s do not divide by %d: the largest part is %lld; costs halve evenly",
			name, (long long)size, what, ways, (long long)parts_largest(size, ways));
}

void parts_warn(const struct model *model, const struct problem *problem, const struct plan *plan, double batch, struct diagnostics *warnings)
{
	int64_t samples = (int64_t)batch;
	int batch_ways = 1;

	for (int v = 0; v < problem->var_count; v++) {
		int row = problem->vars[v].row;
		const struct operator *o = &model->operators[row];
		struct parts p = parts_of(o, plan, row, samples, NULL);

		batch_ways = samples % p.batch_ways && p.batch_ways > batch_ways ? p.batch_ways : batch_ways;
		if (!p.uneven)
			continue;
		if (o->in.ch % p.in_ways && !plan->junction[row])
			warn(warnings, o->name, "input channels", o->in.ch, p.in_ways);
		if (plan->junction[row] && o->heads > 0 && o->heads % p.out_ways)
			warn(warnings, o->name, "heads", o->heads, p.out_ways);
		else if (o->heads == 0 && o->out.ch % p.out_ways)
			warn(warnings, o->name, "output channels", o->out.ch, p.out_ways);
		if (o->groups > 1 && o->groups % p.group_ways)
			warn(warnings, o->name, "channel groups", o->groups, p.group_ways);
	}
	if (batch_ways > 1)
		warn(warnings, "batch", "samples", samples, batch_ways);
}
