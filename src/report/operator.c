#include "report/operator.h"

#include "base/units.h"
#include "report/ops.h"

#include <string.h>

/* ---- the sentence ---- */

static void add_seconds(struct text *out, double seconds)
{
	char a[32];

	units_print_seconds(seconds, a, sizeof a);
	text_add(out, a);
}

static void say_slack(const struct step *step, int task, struct text *out)
{
	const struct task_bounds *b = &step->bounds.tasks[task];

	if (b->critical) {
		text_add(out, " is critical: whatever delays it delays the step.");
		return;
	}
	text_add(out, " could start ");
	add_seconds(out, b->slack);
	text_add(out, " later and, with enough cores, delay nothing.");
}

static void say_wait(const struct results *r, int task, struct text *out)
{
	const struct step *step = r->step;
	const struct placing *p = &step->schedule.tasks[task];
	struct text other = { 0 };

	if (p->waited_for >= 0)
		ops_label(r->training, step, p->waited_for, &other);
	switch (p->wait) {
	case WAIT_INPUT:
		text_printf(out, " It starts when %s, its last input, ends.", text_string(&other));
		break;
	case WAIT_CORE:
		text_add(out, " Its inputs are there ");
		add_seconds(out, p->start - p->ready);
		text_printf(out, " before it starts: it waits for %s, which %s frees.", step->tasks[task].spreads ? "all cores, the last of" : "a core", text_string(&other));
		break;
	case WAIT_KEPT:
		text_add(out, " Its inputs are there ");
		add_seconds(out, p->start - p->ready);
		text_printf(out, " before it starts: the idle cores were kept for an operator that spreads over all of them, until %s ended.", text_string(&other));
		break;
	default:
		text_add(out, " It starts with the step.");
	}
	text_free(&other);
}

static void say_bound(const struct results *r, int task, struct text *out)
{
	static const char *const places[CORE_KIND_COUNT][2] = {
		[CORE_NONE] = { "of work", "of work" }, [CORE_TC] = { "on the array", "on the arrays of all tensor cores" }, [CORE_VC] = { "on the vector core", "on all vector cores" },
		[CORE_BOTH] = { "on a tensor and a vector core", "on all cores of both kinds" }, [CORE_LINK] = { "on the link", "on all links" }
	};
	const struct step_task *t = &r->step->tasks[task];
	const struct timing *timing = step_timing(t);
	const struct step_node *n = &r->step->nodes[t->node];

	if (n->opaque) {
		text_add(out, " Its row was not understood, so nothing is known of its work.");
		return;
	}
	if (n->measured) {
		text_add(out, " Its time was measured: ");
		add_seconds(out, n->timing.time_s);
		if (n->next >= 0) {
			text_add(out, "; with what is fused into it the task takes ");
			add_seconds(out, t->seconds);
		}
		text_add(out, ".");
		return;
	}
	if (t->seconds == 0) {
		text_add(out, " It takes no time.");
		return;
	}
	text_printf(out, " It is %s-bound: ", timing->bound == BOUND_COMPUTE ? "compute" : "memory");
	add_seconds(out, timing->compute_s);
	text_printf(out, " %s", places[t->core][t->spreads]);
	if (n->gemm_count > 0)
		text_printf(out, " with %.1f %% of its multipliers busy", 100 * timing->utilisation);
	text_add(out, ", ");
	add_seconds(out, timing->memory_s);
	text_add(out, " for memory.");
}

static void say_more(struct study *study, struct text *out)
{
	const struct step *now = study_results(study)->step;
	const struct whatif *w = study_whatif(study);
	const char *before = " One more";

	for (int r = 0; r < RESOURCE_COUNT; r++) {
		double saved = whatif_saves(w, now, (enum resource)r) / now->schedule.makespan;

		if (w->more[r] == NULL)
			continue;
		if (saved > -0.00005 && saved < 0.00005)
			text_printf(out, "%s %s would change nothing", before, resource_name((enum resource)r));
		else
			text_printf(out, "%s %s would make computing %.*f %% %s", before, resource_name((enum resource)r), saved < 0.001 && saved > -0.001 ? 2 : 1,
				100 * (saved > 0 ? saved : -saved), saved > 0 ? "shorter" : "longer");
		before = ", one more";
	}
	text_add(out, ".");
}

void operator_sentence(struct study *study, int node, struct text *out)
{
	const struct results *r = study_results(study);
	int task = r->step->nodes[node].task;
	char name[600];

	training_name(r->training, node, name, sizeof name);
	text_printf(out, "%s:%s", name, pass_name(r->training->nodes[node].pass));
	if (r->step->nodes[node].taken_by >= 0) {
		text_add(out, " is done along with ");
		ops_label(r->training, r->step, task, out);
		text_add(out, ", which");
	}
	say_slack(r->step, task, out);
	say_wait(r, task, out);
	say_bound(r, task, out);
	say_more(study, out);
}

/* ---- loops ---- */

/* What M, N and K count: of convolutions, of linear layers, of attention. */
static const char *const convolution[3] = { "positions", "filters", "window elements" };
static const char *const linear[3] = { "positions", "outputs", "inputs" };
static const char *const product[3] = { "rows", "columns", "products of a sum" };

/* The passes turn the same three axes. */
static void name_axes(const struct results *r, int node, const char *names[3])
{
	static const int turned[PASS_COUNT][3] = { [PASS_FWD] = { 0, 1, 2 }, [PASS_BWD_DATA] = { 0, 2, 1 }, [PASS_BWD_WEIGHT] = { 2, 1, 0 } };
	const struct training_node *t = &r->training->nodes[node];
	enum operator_kind kind = t->row >= 0 ? r->training->model->operators[t->row].kind : OPERATOR_ATTENTION;
	const char *const *forward = kind == OPERATOR_CONV ? convolution : kind == OPERATOR_LINEAR ? linear : product;

	for (int i = 0; i < 3; i++)
		names[i] = forward[forward == product ? i : turned[t->pass][i]];
}

static void loop(struct text *out, int depth, int64_t count, const char *unit, int64_t each, const char *of)
{
	text_printf(out, "%*sfor each of %lld %s of %lld %s\n", 2 * depth, "", (long long)count, unit, (long long)each, of);
}

/* All of a tile's loops, outermost first: every step of K goes over all of the result again. */
static int memory_loops(const struct results *r, const struct gemm *g, const char *const *names, int depth, struct text *out)
{
	struct tiling t;

	if (gemm_tile(g, r->machine.glb, r->machine.element_bytes, &t, NULL) != STATUS_OK)
		return depth;
	if (t.k_count * t.m_count * t.n_count == 1) {
		text_printf(out, "%*sall of it fits the buffer: every element moves once\n", 2 * depth, "");
		return depth;
	}
	loop(out, depth++, t.k_count, t.k_count > 1 ? "tiles" : "tile", t.k, names[2]);
	loop(out, depth++, t.m_count, t.m_count > 1 ? "tiles" : "tile", t.m, names[0]);
	loop(out, depth++, t.n_count, t.n_count > 1 ? "tiles" : "tile", t.n, names[1]);
	text_printf(out, "%*sread left %lldx%lld, right %lldx%lld%s; write result %lldx%lld\n", 2 * depth, "", (long long)t.m, (long long)t.k, (long long)t.k, (long long)t.n,
		t.k_count > 1 ? " and what there is of the result" : "", (long long)t.m, (long long)t.n);
	return depth;
}

static void array_loops(const struct results *r, const struct gemm *g, const char *const *names, struct text *out)
{
	const struct machine *m = &r->machine;
	struct folds f = gemm_folds(m, g);
	/* along rows, along columns, streaming: indices of M, N, K */
	static const int along[DATAFLOW_COUNT][3] = { [DATAFLOW_WS] = { 2, 1, 0 }, [DATAFLOW_OS] = { 0, 1, 2 }, [DATAFLOW_IS] = { 2, 0, 1 } };
	static const char *const held[DATAFLOW_COUNT] = { [DATAFLOW_WS] = "the right matrix stays", [DATAFLOW_OS] = "the sums stay", [DATAFLOW_IS] = "the left matrix stays" };
	const int64_t size[3] = { g->m, g->n, g->k };
	const int *a = along[m->dataflow];

	loop(out, 0, f.cols, f.cols > 1 ? "folds" : "fold", m->tc_cols < size[a[1]] ? m->tc_cols : size[a[1]], names[a[1]]);
	loop(out, 1, f.rows, f.rows > 1 ? "folds" : "fold", m->tc_rows < size[a[0]] ? m->tc_rows : size[a[0]], names[a[0]]);
	text_printf(out, "    a tile of %s in the array, %lld rows x %lld columns\n", held[m->dataflow], (long long)m->tc_rows, (long long)m->tc_cols);
	text_printf(out, "    for each of %lld %s: one a cycle\n", (long long)size[a[2]], names[a[2]]);
	text_printf(out, "    fill and drain: %.0f cycles more\n", f.each - (double)size[a[2]]);
	text_printf(out, "%.0f cycles = %lld x %lld folds of %.0f", gemm_cycles(m, g, 1), (long long)f.cols, (long long)f.rows, f.each);
	if (g->groups > 1)
		text_printf(out, ", %lld groups one after another", (long long)g->groups);
	text_add(out, "\n");
}

void operator_loops(const struct results *r, int node, struct text *out)
{
	const struct step_node *n = &r->step->nodes[node];
	const char *names[3];

	name_axes(r, node, names);
	for (int i = 0; i < n->gemm_count; i++) {
		const struct gemm *g = &n->gemms[i];

		text_printf(out, "%s", i > 0 ? "\n" : "");
		if (g->groups > 1)
			text_printf(out, "%lld x ", (long long)g->groups);
		text_printf(out, "M %lld x N %lld x K %lld\n", (long long)g->m, (long long)g->n, (long long)g->k);
		text_add(out, "between memory and buffer:\n");
		memory_loops(r, g, names, 0, out);
		text_add(out, "on the array:\n");
		array_loops(r, g, names, out);
	}
}

/* ---- names ---- */

int operator_find(const struct results *r, const char *words, struct diagnostic *d)
{
	const char *colon = strrchr(words, ':');
	enum pass pass = PASS_COUNT;
	size_t length = strlen(words);
	char name[600];

	for (int p = 0; colon != NULL && p < PASS_COUNT; p++)
		if (strcmp(colon + 1, pass_name((enum pass)p)) == 0)
			pass = (enum pass)p;
	if (pass < PASS_COUNT)
		length = (size_t)(colon - words);
	for (int node = 0; node < r->training->count; node++) {
		training_name(r->training, node, name, sizeof name);
		if (strlen(name) == length && strncmp(name, words, length) == 0 && (pass == PASS_COUNT || pass == r->training->nodes[node].pass))
			return node;
	}
	diagnostic_fail(d, STATUS_INPUT, "no operator \"%.80s\"; `whypar ops %.60s` lists them, each as NAME:PASS with pass fwd, loss, bwd_data, bwd_weight or update", words,
		r->model->name);
	return -1;
}
