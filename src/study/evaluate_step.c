/* The stages of one accelerator: its training step, and what that takes of area, power and energy. */
#include "study/study.h"

#include "base/memory.h"
#include "base/units.h"
#include "partition/figures.h"
#include "partition/shares.h"
#include "study/inside.h"
#include "study/preset.h"

#include <math.h>
#include <string.h>

static struct step *make_step(const struct study *study, const struct plan *plan, const double *values, const struct machine *machine, const struct half *halves, struct diagnostic *d)
{
	const struct loaded *loaded = study->loaded;
	struct share *shares = memory_alloc((size_t)loaded->model->count, sizeof *shares);
	struct step_request request = { .machine = machine, .shares = shares, .latencies = study->document.latencies,
		.optimizer = (enum optimizer)(int)values[PARAMETER_OPTIMIZER], .fusion = values[PARAMETER_FUSION] == FUSION_ON };
	struct step *step = NULL;

	shares_of(loaded->model, loaded->problem, plan, (int64_t)fmax(1, study_run_plan(values).microbatch), halves, shares);
	step_new(loaded->training, &request, &step, d);
	memory_free(shares);
	return step;
}

struct step *study_step_of(const struct study *study, const struct plan *plan, const double *values, const struct machine *machine, struct diagnostic *d)
{
	return make_step(study, plan, values, machine, NULL, d);
}

struct step *study_make_step(const struct study *study, const double *values, struct diagnostic *d)
{
	struct machine machine = preset_machine(study->results.accelerator, values);
	struct half halves = { .first = study->first_share };

	return make_step(study, study->plan, values, &machine, study->first_share > 0 ? &halves : NULL, d);
}

/* The second half's machine is its preset's, in the number format of the document. */
static struct machine second_machine(const struct study *study, const struct accelerator *second)
{
	struct machine m = second->machine;

	m.element_bytes = document_element_bytes(&study->document);
	return m;
}

static bool same_machine(const struct machine *a, const struct machine *b)
{
	return a->tc == b->tc && a->tc_rows == b->tc_rows && a->tc_cols == b->tc_cols && a->vc == b->vc && a->vc_lanes == b->vc_lanes && a->glb == b->glb && a->hbm_bw == b->hbm_bw &&
		a->clock == b->clock && a->dataflow == b->dataflow;
}

/* Shares with which both halves finish together: by the speeds seen last, and by halving where these lead astray; the best is kept.  Work comes in whole
 * samples and channels, so they need not meet. */
static void solve_halves(struct study *study, struct diagnostic *d)
{
	enum { ROUNDS = 8 };
	static const double near = 2e-3;
	struct results *r = &study->results;
	double share = 0.5, least = INFINITY, low = 0, high = 1;

	study->second_machine = second_machine(study, r->second);
	if (same_machine(&r->machine, &study->second_machine)) {
		study->step = make_step(study, study->plan, study->document.values, &r->machine, NULL, d);
		r->first_share = 0.5;
		r->second_s = study->step != NULL ? study->step->schedule.makespan : NAN;
		study->second_work = study->step != NULL ? study->step->work : (struct work){ 0 };
		return;
	}
	for (int round = 0; round < ROUNDS; round++) {
		struct half first = { share, false }, second = { share, true };
		struct step *a = make_step(study, study->plan, study->document.values, &r->machine, &first, d), *b = make_step(study, study->plan, study->document.values, &study->second_machine, &second, d);
		double x = a != NULL ? a->schedule.makespan : NAN, y = b != NULL ? b->schedule.makespan : NAN;

		if (a != NULL && b != NULL && fmax(x, y) < least) {
			struct step *worse = study->step;

			least = fmax(x, y);
			study->step = a;
			study->first_share = r->first_share = share;
			study->second_work = b->work;
			r->second_s = y;
			a = worse;
		}
		step_free(a);
		step_free(b);
		if (!(fabs(x - y) > near * fmax(x, y)))
			break;
		*(x > y ? &high : &low) = share;
		/* a half's speed is its share over its time; both finish together with shares as their speeds */
		share = share / x / (share / x + (1 - share) / y);
		if (!(share > low && share < high) || round % 3 == 2)
			share = (low + high) / 2;
	}
}

void study_run_step(struct study *study)
{
	struct results *r = &study->results;
	struct diagnostic d = { .text = "" };

	study->whatif_ready = false;
	memset(study->idle_known, 0, sizeof study->idle_known);
	step_free(study->step);
	study->step = NULL;
	study->first_share = 0;
	r->second = NULL;
	r->first_share = r->second_s = r->compute_s = NAN;
	r->accelerator = preset_find(&study->accelerators, study->document.own, study->document.values, &d);
	if (r->accelerator != NULL) {
		r->machine = preset_machine(r->accelerator, study->document.values);
		r->second = preset_second(&study->accelerators, study->document.values, &d);
		if (study->loaded != NULL && study->plan != NULL && r->plan_state == FRESH && r->second != NULL)
			solve_halves(study, &d);
		else if (study->loaded != NULL && study->plan != NULL && r->plan_state == FRESH)
			study->step = study_make_step(study, study->document.values, &d);
	}
	r->training = study->loaded != NULL ? study->loaded->training : NULL;
	r->step = study->step;
	if (study->step != NULL)
		r->compute_s = r->second != NULL ? fmax(study->step->schedule.makespan, r->second_s) : study->step->schedule.makespan;
	snprintf(r->step_trouble, sizeof r->step_trouble, "%s", study->step == NULL ? d.text : "");
}

/* Of so many times what one accelerator does in a step of one microbatch, updates once. */
static struct work work_of(const struct step *step, double microbatches)
{
	struct work w = step->work, u = step->update;

	w.macs *= microbatches;
	w.lane_cycles += (microbatches - 1) * (w.lane_cycles - u.lane_cycles);
	w.sram_bytes += (microbatches - 1) * (w.sram_bytes - u.sram_bytes);
	w.memory_bytes += (microbatches - 1) * (w.memory_bytes - u.memory_bytes);
	return w;
}

/* Of all accelerators of one kind, in the number format of the document. */
static void add_energy(const struct study *study, const struct accelerator *a, const struct machine *machine, const struct work *work, double count, struct energy *to)
{
	struct constants constants = preset_constants(study->document.values);
	struct energy e = work_energy(work, accelerator_mac_j(a, machine, (enum number_format)(int)study->document.values[PARAMETER_PRECISION]), &constants);

	to->compute += e.compute * count;
	to->sram += e.sram * count;
	to->dram += e.dram * count;
}

void study_run_accounts(struct study *study)
{
	struct results *r = &study->results;
	const double *values = study->document.values;
	struct constants constants = preset_constants(values);
	/* each stage's array does a part of what the step is of; the arrays of a replica together all of it */
	double accelerators = exp2(document_levels(&study->document)) * values[PARAMETER_REPLICAS];
	struct run_plan plan = study_run_plan(values);
	struct work done;

	r->area = (struct area){ .total = NAN };
	r->power = (struct power){ .total = NAN };
	r->die_mm2 = NAN;
	r->energy = (struct energy){ NAN, NAN, NAN };
	r->link_j = r->energy_j = NAN;
	if (r->accelerator == NULL)
		return;
	r->area = machine_area(&r->machine, &constants);
	r->die_mm2 = r->area.total + values[PARAMETER_UNCORE_MM2];
	r->power = accelerator_power(r->accelerator, &r->machine, values[PARAMETER_UNCORE_MM2], &constants);
	if (r->step == NULL)
		return;
	if (values[PARAMETER_ENERGY] == ENERGY_FIGURES) {
		struct figures_work work = figures_work(study->loaded->model, values[PARAMETER_BATCH]);
		struct figures_energy e = figures_energy(&work, study->plan->elements);

		r->energy = (struct energy){ .compute = e.compute, .sram = NAN, .dram = e.dram };
		r->link_j = accelerators < 2 ? NAN : e.link;
		r->energy_j = e.compute + e.dram + e.link;
		return;
	}
	r->energy = (struct energy){ 0, 0, 0 };
	done = work_of(r->step, fmax(1, run_microbatches(&plan)));
	add_energy(study, r->accelerator, &r->machine, &done, r->second != NULL ? accelerators / 2 : accelerators, &r->energy);
	if (r->second != NULL)
		add_energy(study, r->second, &study->second_machine, &study->second_work, accelerators / 2, &r->energy);
	r->energy_j = r->energy.compute + r->energy.sram + r->energy.dram;
	if (study->plan->levels == 0)
		return;
	/* every element exchanged crosses a link in each direction (MODELS 2.1) */
	r->link_j = study->plan->elements * values[PARAMETER_REPLICAS] * 2 * r->machine.element_bytes * 8 * constants.value[CONSTANT_LINK_BIT];
	r->energy_j += r->link_j;
}

static void add_all(struct diagnostics *to, const struct diagnostics *from)
{
	for (size_t i = 0; i < from->count; i++)
		diagnostics_add(to, &from->items[i]);
}

/* A measured latency whose shape does not occur. */
static void warn_unused(const struct latencies *latencies, const struct latency *l, struct diagnostics *warnings)
{
	if (l->product)
		diagnostics_warn(warnings, latencies->path, l->line, 0, "no operator is %lld x %lldx%lldx%lld: its measured time is not used", (long long)l->groups, (long long)l->m,
			(long long)l->n, (long long)l->k);
	else
		diagnostics_warn(warnings, latencies->path, l->line, 0, "no operator is %s of %.0f elements: its measured time is not used",
			vector_operation_at(l->operation)->name, l->elements);
}

/* Operators that run at once share the memory, which the schedule does not know. */
static void warn_memory(const struct results *r, struct diagnostics *warnings)
{
	double all = r->step->work.memory_bytes / r->machine.hbm_bw;
	char bytes[32], schedule[32];

	if (all <= r->step->schedule.makespan)
		return;
	units_print_seconds(all, bytes, sizeof bytes);
	units_print_seconds(r->step->schedule.makespan, schedule, sizeof schedule);
	diagnostics_warn(warnings, NULL, 0, 0, "the step is longer than its schedule says: operators that run at once share the memory, and all their bytes take %s, not %s", bytes, schedule);
}

void study_warn_step(const struct study *study, struct diagnostics *warnings)
{
	const struct latencies *latencies = study->document.latencies;
	const struct accelerator *a = study->results.accelerator;
	const struct format_row *format = format_at((enum number_format)(int)study->document.values[PARAMETER_PRECISION]);

	if (study->document.own != NULL)
		add_all(warnings, &study->document.own->problems);
	if (latencies != NULL)
		add_all(warnings, &latencies->problems);
	for (int i = 0; study->step != NULL && latencies != NULL && i < latencies->count; i++)
		if (!study->step->latency_used[i])
			warn_unused(latencies, &latencies->rows[i], warnings);
	if (study->results.step_trouble[0] != '\0')
		diagnostics_warn(warnings, NULL, 0, 0, "there is no step: %s", study->results.step_trouble);
	if (study->loaded != NULL && study->loaded->model->opaque > 0)
		diagnostics_warn(warnings, NULL, 0, 0, "nothing is known of the work of %d of %d rows (opaque): the step is longer than it says", study->loaded->model->opaque,
			study->loaded->model->count);
	if (study->results.topology_trouble[0] != '\0' && !study->results.on_cluster)
		diagnostics_warn(warnings, NULL, 0, 0, "the time of exchanges is not known: %s", study->results.topology_trouble);
	if (study->step != NULL && study->step->rows_unused > 0)
		diagnostics_warn(warnings, NULL, 0, 0, "measured seconds of %d row%s are not used, those of %s first: its channels are split, or nothing is done that they are of", study->step->rows_unused,
			study->step->rows_unused == 1 ? "" : "s", study->loaded->model->operators[study->step->row_unused].name);
	if (study->step != NULL)
		warn_memory(&study->results, warnings);
	if (a != NULL && format->bytes > format_at(a->format)->bytes)
		diagnostics_warn(warnings, NULL, 0, 0, "%s was made for %s: with precision=%s it is as fast, but moves %d bytes an element instead of %d", a->name, format_at(a->format)->name,
			format->name, format->bytes, format_at(a->format)->bytes);
}
