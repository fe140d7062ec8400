/* The formulas behind an operator's time, and behind an accelerator's area, power and energy. */
#include "base/units.h"
#include "report/explain_inside.h"
#include "report/ops.h"
#include "study/preset.h"

#include <string.h>

static const char *exact(double value, char out[40])
{
	units_print_exact(value, out, 40);
	return out;
}

static const char *seconds(double value, char out[32])
{
	units_print_seconds(value, out, 32);
	return out;
}

static void product_lines(const struct machine *m, const struct gemm *g, struct text *out)
{
	static const char *const forms[DATAFLOW_COUNT] = {
		[DATAFLOW_WS] = "ceil(K/rows) x ceil(N/columns) folds, each M + 2 rows + columns - 2 cycles",
		[DATAFLOW_OS] = "ceil(M/rows) x ceil(N/columns) folds, each K + rows + columns - 2 cycles",
		[DATAFLOW_IS] = "ceil(K/rows) x ceil(M/columns) folds, each N + 2 rows + columns - 2 cycles",
	};
	struct folds f = gemm_folds(m, g);
	char a[40], b[40];

	text_printf(out, "%s: %s\n", dataflow_name(m->dataflow), forms[m->dataflow]);
	text_printf(out, "M %lld, N %lld, K %lld on %lld x %lld: %lld x %lld folds of %s cycles", (long long)g->m, (long long)g->n, (long long)g->k,
		(long long)m->tc_rows, (long long)m->tc_cols, (long long)f.rows, (long long)f.cols, exact(f.each, a));
	if (g->groups > 1)
		text_printf(out, ", %lld groups", (long long)g->groups);
	text_printf(out, " = %s cycles\n", exact(gemm_cycles(m, g, 1), b));
}

/* Where an operator has no number of its own: not understood, measured, or fused into another. */
static bool explain_other(const struct results *r, const struct step_node *n, struct text *out)
{
	struct text head = { 0 };
	char a[32];

	if (n->opaque) {
		text_add(out, "its row was not understood: nothing is known of its work\nsource: whypar-models(7) 3.4\n");
		return true;
	}
	if (n->measured) {
		text_printf(out, "its time was measured: %s; what the model says of it is not used\n", seconds(n->timing.time_s, a));
		if (n->taken_by < 0 && n->next >= 0)
			text_printf(out, "with what is fused into it the task takes %s\n", seconds(r->step->tasks[n->task].seconds, a));
		text_add(out, "source: whypar-models(7) 3.6\n");
		return true;
	}
	if (n->taken_by < 0)
		return false;
	ops_label(r->training, r->step, n->task, &head);
	text_printf(out, "done along with %s, whose numbers hold for both: explain that one\nsource: whypar-models(7) 4.2\n", text_string(&head));
	text_free(&head);
	return true;
}

static void explain_cycles(const struct results *r, const struct step_node *n, struct text *out)
{
	const struct step_task *t = &r->step->tasks[n->task];
	const struct timing *timing = step_timing(t);
	const struct machine *m = &r->machine;
	bool head = n->taken_by < 0;
	char a[40], b[32];

	if (n->opaque || n->measured) {
		explain_other(r, n, out);
		return;
	}
	for (int i = 0; i < n->gemm_count; i++)
		product_lines(m, &n->gemms[i], out);
	if (n->gemm_count > 0)
		text_add(out, "SCALE-Sim numbers cycles from 0 and reports the last one's number: its figure is one less\n");
	if (head && t->spreads && n->gemm_count > 0)
		text_printf(out, "on all %lld tensor cores, the larger side of the product or its folds in equal parts: %s cycles\n", (long long)m->tc, exact(timing->cycles, a));
	if (n->core == CORE_VC)
		text_printf(out, "ceil(elements / %lld lanes) x cycles each: %s cycles\n", (long long)m->vc_lanes, exact(n->vector_cycles, a));
	if (head && !t->spreads && t->core == CORE_VC && n->next >= 0)
		text_printf(out, "with the vector work fused into it, one pass for all: %s cycles\n", exact(timing->cycles, a));
	if (head && t->spreads && t->core == CORE_VC)
		text_printf(out, "ceil(elements / (%lld cores x %lld lanes)) x cycles each: %s cycles\n", (long long)m->vc, (long long)m->vc_lanes, exact(timing->cycles, a));
	if (head && t->core == CORE_BOTH)
		text_printf(out, "vector work fused into it: %s cycles on one core; it takes the longer of both, and the vector work of one tile of the result behind it\n", exact(t->vector_cycles, a));
	if (head)
		text_printf(out, "at %.6g MHz: %s\nsource: whypar-models(7) 3.2, 3.4\n", m->clock / 1e6, seconds(timing->compute_s, b));
	else
		text_printf(out, "by itself %s at %.6g MHz; fused, its part of the task is %s\nsource: whypar-models(7) 3.4\n", seconds(n->timing.compute_s, a), m->clock / 1e6, seconds(n->seconds, b));
}

static void explain_traffic(const struct results *r, const struct step_node *n, struct text *out)
{
	const struct step_task *task = &r->step->tasks[n->task];
	const struct timing *timing = step_timing(task);
	char a[40], b[40];

	if ((n->opaque || n->taken_by >= 0) && explain_other(r, n, out))
		return;
	for (int i = 0; i < n->gemm_count; i++) {
		const struct gemm *g = &n->gemms[i];
		struct tiling t;

		if (gemm_tile(g, r->machine.glb, r->machine.element_bytes, &t, NULL) != STATUS_OK)
			continue;
		text_printf(out, "tiles of %lld x %lld x %lld in half the buffer: left %.0f x %lld + right %.0f x %lld + result %.0f x (2 x %lld - 1) elements", (long long)t.m,
			(long long)t.n, (long long)t.k, g->left, (long long)t.n_count, g->right, (long long)t.m_count, g->result, (long long)t.k_count);
		if (g->groups > 1)
			text_printf(out, ", %lld groups", (long long)g->groups);
		text_printf(out, ", %d bytes each\n", r->machine.element_bytes);
	}
	if (n->gemm_count == 0)
		text_add(out, "every operand is read once, the result written once\n");
	if (n->next >= 0)
		text_printf(out, "with what is fused into it, less the tensors between, %s bytes instead of %s\n", exact(timing->bytes, a), exact(n->timing.bytes, b));
	if (n->measured)
		text_printf(out, "%s bytes, of which energy is counted; its time was measured: %s\nsource: whypar-models(7) 3.3, 3.6\n", exact(timing->bytes, a), seconds(n->timing.time_s, b));
	else
		text_printf(out, "%s bytes at %.6g GB/s: %s\nsource: whypar-models(7) 3.3\n", exact(timing->bytes, a), r->machine.hbm_bw / 1e9, seconds(timing->memory_s, b));
}

static void explain_utilisation(const struct results *r, const struct step_node *n, struct text *out)
{
	const struct step_task *task = &r->step->tasks[n->task];
	const struct timing *timing = step_timing(task);
	double multipliers = (double)r->machine.tc_rows * (double)r->machine.tc_cols * (task->spreads ? (double)r->machine.tc : 1);
	char a[40], b[40];

	if (explain_other(r, n, out))
		return;
	if (n->gemm_count == 0)
		text_add(out, "it multiplies no matrices, so no multipliers work\nsource: whypar-models(7) 3.4\n");
	else
		text_printf(out, "multiply-adds / (cycles x multipliers) = %s / (%s x %.0f) = %.4f\nsource: whypar-models(7) 3.2\n", exact(timing->macs, a), exact(timing->cycles, b), multipliers,
			timing->utilisation);
}

static void explain_time(const struct results *r, const struct step_node *n, struct text *out)
{
	const struct step_task *t = &r->step->tasks[n->task];
	const struct timing *timing = step_timing(t);
	char a[32], b[32], c[32];

	if (explain_other(r, n, out))
		return;
	text_printf(out, "time = the longer of compute %s and memory %s = %s\n", seconds(timing->compute_s, a), seconds(timing->memory_s, b), seconds(t->seconds, c));
	if (n->next >= 0)
		text_printf(out, "of that, %s are its own, the rest of what is fused into it\n", seconds(n->seconds, a));
	text_add(out, "source: whypar-models(7) 3.3\n");
}

void explain_operator(const struct results *r, enum quantity quantity, int node, struct text *out)
{
	const struct step_node *n;
	char name[600];

	if (r->step == NULL || node < 0 || node >= r->step->node_count) {
		text_printf(out, "there is no step\n%s\n", r->step_trouble);
		return;
	}
	n = &r->step->nodes[node];
	training_name(r->training, node, name, sizeof name);
	text_printf(out, "%s of %s:%s\n", quantity_name(quantity), name, pass_name(r->training->nodes[node].pass));
	switch (quantity) {
	case QUANTITY_CYCLES: explain_cycles(r, n, out); break;
	case QUANTITY_TRAFFIC: explain_traffic(r, n, out); break;
	case QUANTITY_UTILISATION: explain_utilisation(r, n, out); break;
	default: explain_time(r, n, out);
	}
}

void explain_row_time(const struct results *r, int row, struct text *out)
{
	const struct step_row *s;
	char name[600], a[32], b[32], c[32];

	if (r->step == NULL) {
		text_printf(out, "there is no step\n%s\n", r->step_trouble);
		return;
	}
	s = &r->step->rows[row];
	text_printf(out, "%s in a step on one accelerator\n", r->model->operators[row].name);
	for (int node = 0; node < r->step->node_count; node++) {
		const struct step_node *n = &r->step->nodes[node];

		if (r->training->nodes[node].row != row)
			continue;
		training_name(r->training, node, name, sizeof name);
		text_printf(out, "%s:%s %s%s\n", name, pass_name(r->training->nodes[node].pass), seconds(n->seconds, a), n->measured ? ", measured" : n->taken_by >= 0 ? ", fused" : "");
	}
	text_printf(out, "= %s; its tasks: compute %s, memory %s\n", seconds(s->seconds, a), seconds(s->compute_s, b), seconds(s->memory_s, c));
	if (s->macs > 0)
		text_printf(out, "multipliers busy %.1f %%, 2 x %.6g multiply-adds over %.6g bytes = %.4g FLOP a byte\n", 100 * s->utilisation, s->macs, s->bytes, timing_intensity(s->macs, s->bytes));
	text_add(out, "source: whypar-models(7) 3\n");
}

/* ---- the accelerator ---- */

static void explain_area(const struct results *r, struct text *out)
{
	const struct area *a = &r->area;

	text_printf(out, "tensor cores %.6g + their buffers %.6g + vector cores %.6g + their buffers %.6g + shared buffer %.6g = %.9g mm2 at 22 nm\n", a->tc, a->tc_sram,
		a->vc, a->vc_sram, a->glb, a->total);
	text_printf(out, "die: with %.6g mm2 of uncore %.6g mm2", r->die_mm2 - a->total, r->die_mm2);
	if (r->accelerator->die_mm2 > 0)
		text_printf(out, "; %s published %.6g", r->accelerator->name, r->accelerator->die_mm2);
	text_add(out, "\nsource: whypar-models(7) 5\n");
}

static void explain_power(const struct results *r, struct text *out)
{
	const struct power *p = &r->power;

	text_printf(out, "every multiplier busy %.4g + full memory bandwidth %.4g + leakage, clock and the rest of %.4g mm2 %.4g = %.4g W\n", p->compute, p->memory, r->die_mm2, p->die,
		p->compute + p->memory + p->die);
	if (p->published)
		text_printf(out, "taken is what its makers published, %.4g W\n", p->total);
	else if (r->accelerator->tdp_w > 0)
		text_printf(out, "%s published %.4g W\n", r->accelerator->name, r->accelerator->tdp_w);
	text_add(out, "source: whypar-models(7) 5\n");
}

static void explain_energy(const struct study *study, const struct results *r, struct text *out)
{
	struct constants c = preset_constants(study_document(study)->values);
	const struct work *w;

	if (r->step == NULL) {
		text_printf(out, "there is no step\n%s\n", r->step_trouble);
		return;
	}
	w = &r->step->work;
	text_printf(out, "one accelerator: %.6g multiply-adds and lane cycles, %.6g bytes between buffer and cores at %.4g pJ, %.6g between memory and buffer at %.4g pJ a bit\n",
		w->macs + w->lane_cycles, w->sram_bytes, 1e12 * c.value[CONSTANT_SRAM_BYTE], w->memory_bytes, 1e12 * c.value[CONSTANT_MEMORY_BIT]);
	text_printf(out, "all %.0f: compute %.6g + buffer %.6g + memory %.6g", study_document(study)->values[PARAMETER_ACCELERATORS], r->energy.compute, r->energy.sram, r->energy.dram);
	if (r->link_j >= 0)
		text_printf(out, " + links %.6g", r->link_j);
	text_printf(out, " = %.6g J a step; every accelerator is counted with the largest share\nsource: whypar-models(7) 5\n", r->energy_j);
}

void explain_accelerator(const struct study *study, enum quantity quantity, struct text *out)
{
	const struct results *r = study_results(study);

	if (r->accelerator == NULL) {
		text_printf(out, "there is no accelerator\n%s\n", r->step_trouble);
		return;
	}
	text_printf(out, "%s of %s as it is dialled\n", quantity_name(quantity), r->accelerator->name);
	switch (quantity) {
	case QUANTITY_AREA: explain_area(r, out); break;
	case QUANTITY_POWER: explain_power(r, out); break;
	default: explain_energy(study, r, out);
	}
}
