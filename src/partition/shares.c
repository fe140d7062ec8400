#include "partition/shares.h"

static struct share share_of_choice(const struct operator *o, const struct plan *plan, int row, int64_t batch, const struct half *half)
{
	struct parts p = parts_of(o, plan, row, batch, half);
	struct share s = { .batch = p.batch, .in_ch = p.in_ch, .out_ch = p.out_ch, .groups = p.groups > 0 ? p.groups : 1, .heads = 1 };

	if (!plan->junction[row])
		return s;
	/* a junction's inputs and output are laid out alike */
	s.in_ch = half != NULL && p.out_ways > 1 && plan_state(plan, row, 1) == LAYOUT_COL ? parts_largest(parts_of_half(o->in.ch, half), p.out_ways / 2) : parts_largest(o->in.ch, p.out_ways);
	s.heads = o->heads > 0 ? p.out_ch : 1;
	if (o->heads > 0)
		s.out_ch = s.heads * parts_largest(o->out.ch, o->heads);
	return s;
}

/* Norms, activations, pools and the like: as their producer's output lies. */
static struct share share_of_follower(const struct operator *o, const struct operator *producer, const struct share *made)
{
	int64_t ways = parts_largest(producer->out.ch, made->out_ch);

	if (o->in.ch == producer->out.ch && o->out.ch == o->in.ch)      /* they keep the channels they find */
		return (struct share){ made->batch, made->out_ch, made->out_ch, 1, 1 };
	return (struct share){ made->batch, parts_largest(o->in.ch, ways), parts_largest(o->out.ch, ways), 1, 1 };
}

void shares_of(const struct model *model, const struct problem *problem, const struct plan *plan, int64_t batch, const struct half *half, struct share *shares)
{
	int64_t samples = half != NULL && plan->levels > 0 ? parts_largest(parts_of_half(batch, half), INT64_C(1) << (plan->levels - 1)) : parts_largest(batch, INT64_C(1) << plan->levels);

	for (int row = 0; row < model->count; row++) {
		const struct operator *o = &model->operators[row];
		int producer = o->inputs[0];

		if (problem->var_of_row[row] >= 0)
			shares[row] = share_of_choice(o, plan, row, batch, half);
		else if (producer != MODEL_INPUT)
			shares[row] = share_of_follower(o, &model->operators[producer], &shares[producer]);
		else     /* the model's input comes in by samples */
			shares[row] = (struct share){ samples, o->in.ch, o->out.ch, 1, 1 };
	}
}
