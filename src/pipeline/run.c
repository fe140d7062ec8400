#include "pipeline/run.h"

#include <math.h>
#include <string.h>

/* What the parts of a run share: one GPU's part of a block, and times of one microbatch.  s, bytes, numbers of elements. */
struct frame {
	const struct transformer *t;
	const struct run_plan *plan;
	const struct gpu *gpu;
	const struct cluster *cluster;
	double tokens;           /* of a microbatch */
	double bytes;            /* of an element outside of products in 8 bits */
	double heads, kv_heads, qkv, mixed;      /* of this GPU: heads, channels of queries, keys and values, and of what attention gives */
	double inside;           /* channels of the MLP on this GPU that a position meets, the gate's with them */
	double beside;           /* parts that what lies between the layers is in */
	double forward, backward, weight, again, collective;     /* weight: of backward, the gradients of weights; collective: one of a block's */
	double embedding, head, transfer;
};

static const char *const recompute_names[RECOMPUTE_COUNT] = {
#define X(id, name, text) name,
	RECOMPUTES(X)
#undef X
};

const char *recompute_name(enum recompute recompute)
{
	return recompute_names[recompute];
}

enum recompute recompute_find(const char *name)
{
	int i = 0;

	while (i < RECOMPUTE_COUNT && strcmp(recompute_names[i], name) != 0)
		i++;
	return (enum recompute)i;
}

static double microbatches(const struct run_plan *p)
{
	return p->batch / (p->replicas * p->microbatch);
}

/* Of a weight: products of 8 bits read copies of 16. */
static double weight_bytes(const struct run_plan *p)
{
	return fmax(format_at(p->format)->bytes, 2);
}

double run_microbatches(const struct run_plan *plan)
{
	return microbatches(plan);
}

double run_devices(const struct run_plan *plan)
{
	return plan->tensor * plan->pipeline * plan->replicas;
}

double run_blocks(const struct transformer *t, const struct run_plan *p, int stage)
{
	int stages = (int)p->pipeline, all = (int)t->blocks + (p->ends_count ? 2 : 0), rest = all % stages;
	bool end = stage == 0 || stage == stages - 1;

	if (p->dealt != NULL)
		return p->dealt[stage];

	/* a remainder goes behind the first, which has the embedding too */
	return stages == 1 ? t->blocks : all / stages + (stage >= 1 && stage <= rest) - (p->ends_count && end);
}

/* ---- links ---- */

static double inside_rate(const struct cluster *c)
{
	return c->inside * c->inside_part;
}

static double between_rate(const struct cluster *c)
{
	return c->between * c->between_part;
}

/* An all-reduce over the tensor-parallel GPUs, or a reduce-scatter and a gather: as many bytes. */
static double tensor_collective(const struct frame *f)
{
	double ways = f->plan->tensor, rate = ways <= f->cluster->node ? inside_rate(f->cluster) : between_rate(f->cluster);

	return ways > 1 ? f->cluster->inside_s + 2 * f->bytes * f->tokens * f->t->hidden * (ways - 1) / ways / rate : 0;
}

static bool spans_nodes(const struct frame *f)
{
	return run_devices(f->plan) > f->cluster->node;
}

/* Both ways for each chunk; the tensor-parallel GPUs send a part each. */
static double stage_transfer(const struct frame *f)
{
	double bytes = f->bytes * f->tokens * f->t->hidden / f->plan->tensor;

	if (f->plan->pipeline == 1)
		return 0;
	return 2 * f->plan->chunks * (spans_nodes(f) ? f->cluster->transfer_s + bytes / between_rate(f->cluster) : f->cluster->inside_s + bytes / inside_rate(f->cluster));
}

/* ---- one block, one microbatch ---- */

static void time_products(struct frame *f)
{
	const struct transformer *t = f->t;
	const struct gpu *g = f->gpu;
	enum number_format format = f->plan->format;
	double met = f->tokens * t->active, inner = t->ffn / f->plan->tensor;

	f->forward = gpu_product(g, format, f->tokens, f->qkv, t->hidden) + gpu_product(g, format, f->tokens, t->hidden, f->mixed) +
		gpu_product(g, format, met, (t->gated ? 2 : 1) * inner, t->hidden) + gpu_product(g, format, met, t->hidden, inner);
	f->backward = gpu_product_back(g, format, f->tokens, f->qkv, t->hidden) + gpu_product_back(g, format, f->tokens, t->hidden, f->mixed) +
		gpu_product_back(g, format, met, (t->gated ? 2 : 1) * inner, t->hidden) + gpu_product_back(g, format, met, t->hidden, inner);
	f->weight = gpu_product(g, format, t->hidden, f->qkv, f->tokens) + gpu_product(g, format, f->mixed, t->hidden, f->tokens) +
		gpu_product(g, format, t->hidden, (t->gated ? 2 : 1) * inner, met) + gpu_product(g, format, inner, t->hidden, met);
}

/* Scores of all heads: two products forward, four backward (five where they are made anew on the chip), with softmax and dropout between. */
static void time_attention(struct frame *f)
{
	const struct gpu *g = f->gpu;
	double count = f->plan->microbatch * f->heads, length = f->t->sequence, scores = count * length * length, forward, backward;

	if (f->plan->fused_attention) {
		/* the causal half */
		double half = gpu_fused_scores(g, f->plan->format, count, length, length, f->t->head_size) / 2;

		forward = g->kernel_s + 2 * half;
		backward = 2 * g->kernel_s + 5 * half;
	} else {
		double one = gpu_scores(g, f->plan->format, count, length, length, f->t->head_size);

		/* softmax reads and writes, dropout too and writes a mask; backward both read theirs again */
		forward = 2 * one + gpu_stream(g, 2, (4 * f->bytes + 1) * scores);
		backward = 4 * one + gpu_stream(g, 2, (5 * f->bytes + 1) * scores);
	}
	f->forward += forward;
	f->backward += backward;
	f->again = f->plan->recompute == RECOMPUTE_SELECTIVE && !f->plan->fused_attention ? forward : 0;
}

/* Everything else moves bytes.  A pass over the hidden channels and back is two. */
static void time_elementwise(struct frame *f)
{
	const struct transformer *t = f->t;
	double between = f->tokens * t->hidden / f->beside, inner = f->inside * f->tokens, mixed = f->mixed * f->tokens, e = f->bytes;
	double weights = f->qkv * t->hidden + f->mixed * t->hidden + (t->gated ? 3 : 2) * t->hidden * t->ffn * t->experts / f->plan->tensor;

	/* two norms read and write (4e); two times bias, dropout and sum read two tensors and write one (6e) and a mask (2 bytes); the activation reads and
	 * writes; heads are laid out for attention */
	f->forward += gpu_stream(f->gpu, 4, (10 * e + 2) * between) + gpu_stream(f->gpu, 2, 2 * e * inner + 2 * e * mixed);
	/* backward: a norm reads its input and error and writes one, and again for its scale (2 x 5e); each dropout and sum reads an error and writes two, and
	 * the bias reads it once more (2 x 4e), and the masks (about e); heads back, and sums for their biases.  Each product's gradient is added to what is
	 * kept: 4 bytes a weight, set by hand, for most of it goes along with the product */
	f->backward += gpu_stream(f->gpu, 6, 19 * e * between) + gpu_stream(f->gpu, 5, 4 * e * inner + (2 * e * mixed + 3 * e * f->qkv * f->tokens)) +
		gpu_stream(f->gpu, 4, 4 * weights);
	f->weight += gpu_stream(f->gpu, 4, 4 * weights);
}

static void time_ends(struct frame *f)
{
	const struct transformer *t = f->t;
	const struct gpu *g = f->gpu;
	double words = t->vocabulary / f->plan->tensor, e = f->bytes;
	enum number_format format = f->bytes == 2 ? FORMAT_BF16 : f->plan->format;

	/* a row is read, positions added, dropout's mask: forward 4e; its gradient backward 3e */
	f->embedding = t->vocabulary > 0 ? gpu_stream(g, 4, 7 * e * f->tokens * t->hidden) + f->collective : 0;
	/* the product, and the loss over it in fp32: outputs read and written wide (4 + 4), maximum (4), exponents and their sum (12), gradient (8), narrow again
	 * (12): 44; and the last norm, forward 2e and backward 7e */
	f->head = t->head ? gpu_product(g, format, f->tokens, words, t->hidden) + gpu_product_back(g, format, f->tokens, words, t->hidden) +
		gpu_stream(g, 10, 44 * f->tokens * words) + gpu_stream(g, 3, 9 * e * f->tokens * t->hidden) + f->collective * (f->plan->sequence_parallel ? 1.5 : 1) : 0;
}

static struct frame frame_of(const struct transformer *t, const struct run_plan *p, const struct gpu *g, const struct cluster *c)
{
	struct frame f = { .t = t, .plan = p, .gpu = g, .cluster = c, .tokens = p->microbatch * t->sequence, .bytes = weight_bytes(p), .heads = t->heads / p->tensor,
		.kv_heads = fmax(t->kv_heads / p->tensor, 1), .inside = (t->gated ? 2 : 1) * t->ffn * t->active / p->tensor, .beside = p->sequence_parallel ? p->tensor : 1 };

	f.qkv = (f.heads + 2 * f.kv_heads) * t->head_size;
	f.mixed = f.heads * t->head_size;
	if (g == NULL)
		return f;
	time_products(&f);
	time_attention(&f);
	time_elementwise(&f);
	if (p->recompute == RECOMPUTE_FULL)
		f.again = f.forward;
	f.collective = tensor_collective(&f);
	f.transfer = stage_transfer(&f);
	time_ends(&f);
	return f;
}

/* Of a block: two forward, two backward, and with sequence parallelism one more, which gathers the input again; full recomputation repeats the forward
 * ones. */
static double collectives_forward(const struct frame *f)
{
	return 2 * f->collective;
}

static double collectives_backward(const struct frame *f)
{
	return f->collective * ((f->plan->sequence_parallel ? 3 : 2) + (f->plan->recompute == RECOMPUTE_FULL ? 2 : 0));
}

struct run_stage run_stage_times(const struct transformer *t, const struct run_plan *plan, const struct gpu *gpu, const struct cluster *cluster, int stage)
{
	struct frame f = frame_of(t, plan, gpu, cluster);
	double blocks = run_blocks(t, plan, stage), ends = (stage == 0 ? f.embedding : 0) + (stage == (int)plan->pipeline - 1 ? f.head : 0), k = cluster->overhead;

	return (struct run_stage){ k * (blocks * (f.forward + collectives_forward(&f)) + ends / 3), k * (blocks * (f.backward + f.again + collectives_backward(&f)) + 2 * ends / 3),
		k * blocks * f.weight, f.transfer / 2 / plan->chunks };
}

/* ---- weights and what is done with them ---- */

/* Parameters of a block on one GPU: products; two norms of scale and shift and the biases of what leaves the attention and the MLP; those inside. */
static double block_weights(const struct frame *f)
{
	const struct transformer *t = f->t;
	double products = t->hidden * f->qkv + f->mixed * t->hidden + (t->gated ? 3 : 2) * t->hidden * t->ffn * t->experts / f->plan->tensor;

	return products + 6 * t->hidden + f->qkv + f->inside;
}

static double head_weights(const struct frame *f)
{
	return f->t->vocabulary * f->t->hidden / f->plan->tensor;
}

static double stage_weights(const struct frame *f, int stage)
{
	bool first = stage == 0, last = stage == (int)f->plan->pipeline - 1 && f->t->head;

	return run_blocks(f->t, f->plan, stage) * block_weights(f) + (first ? f->t->embedding_params / f->plan->tensor : 0) + (last && !(first && f->t->tied) ? head_weights(f) : 0);
}

double run_exchanged(const struct run_plan *p)
{
	double m = microbatches(p), weight = weight_bytes(p);

	switch (p->zero) {
	case 0: return 2 * p->exchanged_bytes;
	case 1: return p->exchanged_bytes + weight;
	case 2: return m * p->exchanged_bytes + weight;
	default: return m * (p->exchanged_bytes + 2 * weight);
	}
}

/* Ring exchange of the largest stage's gradients, and of the new weights where states are split; and of a shared embedding's between the ends. */
static double exchange_gradients(const struct frame *f, double weights, double blocks)
{
	const struct run_plan *p = f->plan;
	const struct cluster *c = f->cluster;
	double near = fmin(p->replicas, fmax(1, floor(c->node / p->tensor))), seconds = 0;
	double rate = p->replicas <= near ? inside_rate(c) : fmin(between_rate(c) * near, inside_rate(c));
	double all = weights * (p->replicas - 1) / p->replicas / rate * run_exchanged(p);

	if (p->replicas > 1 && p->overlap) {
		/* behind the last backward pass, and new weights behind the first forward pass, or behind all of them; one block's always show */
		double behind = c->overhead * blocks * (f->backward + f->again + (p->zero > 0 ? f->forward : 0)) * (p->zero > 1 ? microbatches(p) : 1);

		seconds = fmax(all / fmax(blocks, 1), all - behind);
	} else if (p->replicas > 1) {
		seconds = all;
	}
	if (p->pipeline > 1 && f->t->vocabulary > 0 && f->t->tied)
		seconds += p->exchanged_bytes * head_weights(f) / (spans_nodes(f) ? between_rate(c) : inside_rate(c));
	return seconds;
}

/* Bytes that an update moves for each weight: the gradient for its norm (4), to unscale it (8), for the optimizer (4) and to zero it (4), states read and
 * written, the weight written.  46 with Adam beside 16 bits, which is what was calibrated. */
static double update_bytes(const struct frame *f)
{
	return 20 + 2 * f->plan->state_bytes + f->bytes;
}

/* ---- memory ---- */

double run_held(const struct run_plan *p, int stage)
{
	double m = microbatches(p), behind = p->pipeline - stage;

	if (p->schedule == PIPELINE_GPIPE)
		return m;
	if (p->schedule == PIPELINE_ZB_H1)       /* weight gradients that are put off hold what 1f1b's first stage does */
		return fmin(m, p->pipeline);
	if (p->schedule == PIPELINE_ZB_2P)
		return fmin(m, 2 * p->pipeline - 1);
	return p->chunks == 1 ? fmin(m, behind) : fmin(m * p->chunks, 2 * (behind - 1) + (p->chunks - 1) * p->pipeline + 1) / p->chunks;
}

/* Bytes that the backward pass of a block needs, of one microbatch, and without the scores. */
static double kept_all(const struct frame *f, bool scores)
{
	double e = f->bytes, between = 5 * e * f->tokens * f->t->hidden / f->beside, attention = (2 * f->heads + 2 * f->kv_heads) * f->t->head_size * e * f->tokens;
	double inner = (f->t->gated ? 3 : 2) * e * f->t->ffn * f->t->active / f->plan->tensor * f->tokens;

	return between + attention + inner + (scores && !f->plan->fused_attention ? (2 * e + 1) * f->plan->microbatch * f->heads * f->t->sequence * f->t->sequence : 0);
}

static struct run_memory stage_memory(const struct frame *f, int stage)
{
	const struct run_plan *p = f->plan;
	double weights = stage_weights(f, stage), hidden = f->tokens * f->t->hidden, flight = run_held(p, stage);
	double kept = p->recompute == RECOMPUTE_FULL ? f->bytes * hidden / f->beside : kept_all(f, p->recompute == RECOMPUTE_NONE);
	struct run_memory m = { .weights = f->bytes * weights / (p->zero > 2 ? p->replicas : 1), .gradients = p->gradient_bytes * weights / (p->zero > 1 ? p->replicas : 1),
		.states = p->state_bytes * weights / (p->zero > 0 ? p->replicas : 1),
		.activations = flight * run_blocks(f->t, p, stage) * kept + (stage == 0 ? flight * hidden / f->beside : 0) };

	if (p->recompute == RECOMPUTE_FULL)
		m.buffers += kept_all(f, true);
	else if (p->recompute == RECOMPUTE_SELECTIVE)
		m.buffers += kept_all(f, true) - kept;
	/* of split weights two blocks' at a time are gathered, that at work and the next */
	if (p->zero > 2 && p->replicas > 1)
		m.buffers += 2 * f->bytes * block_weights(f);
	/* of the loss: the head's outputs in both precisions, and softmax */
	if (stage == (int)p->pipeline - 1 && f->t->head)
		m.buffers += f->tokens * f->t->vocabulary / p->tensor * (f->bytes + 8) + 4 * hidden;
	m.total = m.weights + m.gradients + m.states + m.activations + m.buffers;
	m.context = m.total * (f->cluster->fragments - 1) + f->cluster->context;
	m.total += m.context;
	return m;
}

struct run_memory run_stage_memory(const struct transformer *t, const struct run_plan *plan, const struct cluster *cluster, int stage)
{
	struct frame f = frame_of(t, plan, NULL, cluster);

	return stage_memory(&f, stage);
}

/* ---- the whole ---- */

/* What a schedule has of 1f1b's bubble, by one block's passes: whypar-models(7) 7.3. */
static double bubble_part(const struct frame *f)
{
	double forward = f->forward + collectives_forward(f), weight = f->weight, input = f->backward + f->again + collectives_backward(f) - weight, all = forward + input + weight;

	switch (f->plan->schedule) {
	case PIPELINE_ZB_H1: return fmax(forward + input - weight, fmax(forward, input)) / all;
	case PIPELINE_ZB_2P: return fmax(0, fmax(forward + input - 2 * weight, input - forward)) / all;
	default: return 1 / f->plan->chunks;
	}
}

/* The slowest stage into run, a microbatch's time there into longest; returns the sum over all stages. */
static double find_slowest(const struct frame *f, struct run *run, double *longest)
{
	int stages = (int)f->plan->pipeline;
	double block = f->forward + f->backward + f->again + collectives_forward(f) + collectives_backward(f), sum = 0;

	*longest = -1;
	for (int stage = 0; stage < stages; stage++) {
		double ends = (stage == 0 ? f->embedding : 0) + (stage == stages - 1 ? f->head : 0);
		double seconds = f->cluster->overhead * (run_blocks(f->t, f->plan, stage) * block + ends) + f->transfer;

		sum += seconds;
		if (seconds > *longest) {
			*longest = seconds;
			run->slowest = stage;
		}
	}
	return sum;
}

/* Multiply-adds twice, forward and both of the backward pass, of the model as it is written down. */
static double model_flops(const struct transformer *t, double batch)
{
	double block = t->hidden * (t->heads + 2 * t->kv_heads) * t->head_size + t->heads * t->head_size * t->hidden + (t->gated ? 3 : 2) * t->hidden * t->ffn * t->active;
	double scores = 2 * t->sequence * t->heads * t->head_size, head = t->head ? t->vocabulary * t->hidden : 0;

	return 6 * batch * t->sequence * (t->blocks * (block + scores) + head);
}

static void find_worst_memory(const struct frame *f, struct run *run)
{
	for (int stage = 0; stage < (int)f->plan->pipeline; stage++) {
		struct run_memory m = stage_memory(f, stage);

		if (stage > 0 && m.total <= run->memory.total)
			continue;
		run->memory = m;
		run->worst = stage;
	}
}

void run_evaluate(const struct transformer *t, const struct run_plan *plan, const struct gpu *gpu, const struct cluster *cluster, struct run *run)
{
	struct frame f = frame_of(t, plan, gpu, cluster);
	double m = microbatches(plan), k = cluster->overhead, weights = 0, longest, sum, blocks, ends;

	*run = (struct run){ .flops = model_flops(t, plan->batch) };
	sum = find_slowest(&f, run, &longest);
	blocks = run_blocks(t, plan, run->slowest);
	ends = (run->slowest == 0 ? f.embedding : 0) + (run->slowest == (int)plan->pipeline - 1 ? f.head : 0);
	run->forward = k * m * (blocks * f.forward + ends / 3);
	run->backward = k * m * (blocks * f.backward + 2 * ends / 3);
	run->recompute = k * m * blocks * f.again;
	run->collectives = k * m * blocks * (collectives_forward(&f) + collectives_backward(&f));
	run->transfers = m * f.transfer;
	run->bubble = (sum - longest) * bubble_part(&f);
	for (int stage = 0; stage < (int)plan->pipeline; stage++)
		weights = fmax(weights, stage_weights(&f, stage));
	run->gradients = exchange_gradients(&f, weights, blocks);
	run->update = k * gpu_stream(gpu, 0, update_bytes(&f) * weights / (plan->zero > 0 ? plan->replicas : 1));
	run->seconds = run->forward + run->backward + run->recompute + run->collectives + run->transfers + run->bubble + run->gradients + run->update;
	run->straggling = run->seconds * cluster->straggling * log2(fmax(1, run_devices(plan) / cluster->node));
	run->seconds += run->straggling;
	find_worst_memory(&f, run);
}

double run_utilisation(const struct run *run, const struct run_plan *plan, const struct gpu *gpu)
{
	int bytes = format_at(plan->format)->bytes;
	double peak = bytes == 1 ? gpu->peak_fp8 : bytes == 2 ? gpu->peak : gpu->peak_fp32;

	return run->flops / run->seconds / run_devices(plan) / peak;
}

/* ---- what goes together ---- */

static enum status check_divides(const char *part, double divisor, const char *whole, double number, struct diagnostic *d)
{
	double below = divisor;

	if (fmod(number, divisor) == 0)
		return STATUS_OK;
	while (below > 1 && fmod(number, below) != 0)
		below--;
	return diagnostic_fail(d, STATUS_INPUT, "%s: %.0f does not divide the %.0f %s; %.0f does", part, divisor, number, whole, below);
}

enum status run_schedule_check(const struct run_plan *p, struct diagnostic *d)
{
	if (check_divides("replicas", p->replicas, "samples of a batch", p->batch, d) != STATUS_OK ||
	    check_divides("microbatch", p->microbatch, "samples of a replica", p->batch / p->replicas, d) != STATUS_OK)
		return STATUS_INPUT;
	if ((p->chunks > 1) != (p->schedule == PIPELINE_INTERLEAVED))
		return diagnostic_fail(d, STATUS_INPUT, p->chunks > 1 ? "chunks: %.0f of a stage are interleaved; set schedule=interleaved" : "schedule: interleaved takes several chunks of a stage; set chunks=2 or more, or schedule=1f1b",
			p->chunks);
	if (p->chunks > 1 && p->pipeline == 1)
		return diagnostic_fail(d, STATUS_INPUT, "chunks: one stage has nothing to interleave; set chunks=1 or pipeline from 2");
	if (p->chunks > 1 && fmod(microbatches(p), p->pipeline) != 0)
		return diagnostic_fail(d, STATUS_INPUT, microbatches(p) < p->pipeline ? "chunks: %.0f microbatches are no multiple of the %.0f stages, which interleaving needs; the nearest is %.0f" :
			"chunks: %.0f microbatches are no multiple of the %.0f stages, which interleaving needs; the nearest are %.0f and %.0f", microbatches(p), p->pipeline,
			microbatches(p) < p->pipeline ? p->pipeline : floor(microbatches(p) / p->pipeline) * p->pipeline, ceil(microbatches(p) / p->pipeline) * p->pipeline);
	if (p->zero > 1 && p->pipeline > 1)
		return diagnostic_fail(d, STATUS_INPUT, "zero: %d splits gradients, which a pipeline of %.0f stages sums up over its microbatches; set zero=1 or pipeline=1", p->zero, p->pipeline);
	return STATUS_OK;
}

enum status run_plan_check(const struct transformer *t, const struct run_plan *p, const struct gpu *gpu, struct diagnostic *d)
{
	if (check_divides("tensor", p->tensor, "heads", t->heads, d) != STATUS_OK || check_divides("tensor", p->tensor, "inner channels", t->ffn, d) != STATUS_OK)
		return STATUS_INPUT;
	if (p->pipeline * p->chunks > t->blocks + (p->ends_count ? 2 : 0))
		return diagnostic_fail(d, STATUS_INPUT, "pipeline: %.0f stages of %.0f chunk%s need as many blocks, and there are %.0f; at most pipeline=%.0f", p->pipeline, p->chunks, p->chunks == 1 ? "" : "s",
			t->blocks, fmax(1, floor(t->blocks / p->chunks)));
	if (run_schedule_check(p, d) != STATUS_OK)
		return STATUS_INPUT;
	if (format_at(p->format)->bytes == 1 && gpu->peak_fp8 == 0)
		return diagnostic_fail(d, STATUS_INPUT, "precision: no products in 8 bits are known of %s; set precision=bf16", gpu->name);
	if (format_at(p->format)->bytes == 4 && gpu->peak_fp32 == 0)
		return diagnostic_fail(d, STATUS_INPUT, "precision: no products in 32 bits are known of %s; set precision=bf16", gpu->name);
	return STATUS_OK;
}
