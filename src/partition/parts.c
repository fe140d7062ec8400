#include "partition/parts.h"

int64_t parts_largest(int64_t size, int64_t ways)
{
	return (size + ways - 1) / ways;
}

struct parts parts_of(const struct operator *o, const struct plan *plan, int row, int64_t batch)
{
	struct parts p = { .batch_ways = 1, .in_ways = 1, .out_ways = 1, .group_ways = 1 };
	int64_t channels = plan->junction[row] && o->heads > 0 ? o->heads : o->out.ch;

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
	p.batch = parts_largest(batch, p.batch_ways);
	p.in_ch = parts_largest(o->in.ch, p.in_ways * p.group_ways);
	p.out_ch = parts_largest(channels, p.out_ways * p.group_ways);
	p.groups = o->groups > 1 ? parts_largest(o->groups, p.group_ways) : 0;
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
		struct parts p = parts_of(o, plan, row, samples);

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
