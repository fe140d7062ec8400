/* A search for an accelerator, as text and as JSON. */
#include "base/units.h"
#include "report/json.h"
#include "report/report.h"
#include "study/mining.h"

#include <math.h>
#include <string.h>

static json_t *design_json(const struct mining *m, const struct judged *j)
{
	struct machine machine = space_machine(&m->space, &j->design);
	json_t *out = json_object();

	json_object_set_new(out, "tc", json_integer(machine.tc));
	json_object_set_new(out, "tc_rows", json_integer(machine.tc_rows));
	json_object_set_new(out, "tc_cols", json_integer(machine.tc_cols));
	json_object_set_new(out, "vc", json_integer(machine.vc));
	json_object_set_new(out, "vc_lanes", json_integer(machine.vc_lanes));
	json_set_number(out, "glb_bytes", machine.glb);
	json_set_number(out, "throughput", j->throughput);
	json_set_number(out, "perf_per_tdp", j->throughput / j->tdp);
	json_set_number(out, "area_mm2", j->area);
	json_set_number(out, "tdp_w", j->tdp);
	return out;
}

static json_t *fixed_json(const struct mining *m)
{
	json_t *list = json_array();

	for (int i = 0; i < MINING_FIXED; i++) {
		struct judged j = { .design = mining_fixed(i)->design, .throughput = m->fixed[i] };
		json_t *entry;

		j.area = space_area(&m->space, &j.design);
		j.tdp = space_tdp(&m->space, &j.design);
		entry = design_json(m, &j);
		json_set_text(entry, "name", mining_fixed(i)->name);
		json_array_append_new(list, entry);
	}
	return list;
}

static void write_json(const struct mining *m, enum mine_method method, const struct miner *miner, double seconds, int topk, struct text *out)
{
	json_t *root = json_begin(), *top = json_array(), *curve = json_array(), *models = json_array();

	for (int i = 0; i < m->request.model_count; i++)
		json_array_append_new(models, json_string(m->names[i]));
	json_object_set_new(root, "models", models);
	json_set_text(root, "method", mine_method_name(method));
	json_set_text(root, "metric", mine_metric_name(m->request.metric));
	json_object_set_new(root, "evaluations", json_integer(miner->evaluations));
	json_set_number(root, "seconds", seconds);
	if (m->request.metric == METRIC_PERF_PER_TDP)
		json_set_number(root, "min_throughput", m->request.floor);
	json_object_set_new(root, "best", design_json(m, &miner->top[0]));
	for (int i = 0; i < miner->top_count && i < topk; i++)
		json_array_append_new(top, design_json(m, &miner->top[i]));
	json_object_set_new(root, "topk", top);
	for (size_t i = 0; i < miner->curve_count; i++) {
		json_t *point = json_object();

		json_object_set_new(point, "evaluations", json_integer(miner->curve[i].evaluations));
		json_set_number(point, "seconds", miner->curve[i].seconds);
		json_set_number(point, "value", miner->curve[i].value);
		json_array_append_new(curve, point);
	}
	json_object_set_new(root, "curve", curve);
	json_object_set_new(root, "pruned", json_integer(miner->pruned));
	json_set_text(root, "limit", mining_limit_word(mining_limit(m, &miner->top[0])));
	json_object_set_new(root, "fixed", fixed_json(m));
	json_end(root, out);
}

static void design_line(const struct mining *m, const char *name, const struct judged *j, struct text *out)
{
	struct machine machine = space_machine(&m->space, &j->design);
	char cores[40];

	snprintf(cores, sizeof cores, "%lldx%lldx%lld", (long long)machine.tc, (long long)machine.tc_rows, (long long)machine.tc_cols);
	text_printf(out, "%-12s %-13s %5lldx%-4lld %5.0f MiB %12.6g %12.6g %9.4g %9.4g\n", name, cores, (long long)machine.vc, (long long)machine.vc_lanes, machine.glb / 0x1p20, j->throughput,
		j->throughput / j->tdp, j->area, j->tdp);
}

static void write_text(const struct mining *m, enum mine_method method, const struct miner *miner, double seconds, int topk, struct text *out)
{
	static const char *const stops[] = { [MINING_NONE] = "nothing next to it is better", [MINING_AREA] = "area_limit: more cores would not fit", [MINING_POWER] = "power_limit: more cores would exceed it",
		[MINING_BOUND] = "the critical path: more cores would wait for it" };
	char command[200], name[24];

	for (int i = 0; i < m->request.model_count; i++)
		text_printf(out, "%s%s", i > 0 ? ", " : "", m->names[i]);
	text_printf(out, ": %s by %s, %lld designs scheduled in %.3g s", mine_metric_name(m->request.metric), mine_method_name(method), (long long)miner->evaluations, seconds);
	if (m->request.metric == METRIC_PERF_PER_TDP)
		text_printf(out, ", at least %.6g samples/s", m->request.floor);
	text_printf(out, "\nwhat stops it: %s\n\n", stops[mining_limit(m, &miner->top[0])]);
	text_printf(out, "%-12s %-13s %10s %9s %12s %12s %9s %9s\n", "", "tensor cores", "vector", "buffer", "samples/s", "for each W", "mm2", "TDP W");
	for (int i = 0; i < miner->top_count && i < topk; i++) {
		snprintf(name, sizeof name, i == 0 ? "best" : "%d", i + 1);
		design_line(m, name, &miner->top[i], out);
	}
	for (int i = 0; i < MINING_FIXED; i++) {
		struct judged j = { .design = mining_fixed(i)->design, .throughput = m->fixed[i], .area = space_area(&m->space, &mining_fixed(i)->design), .tdp = space_tdp(&m->space, &mining_fixed(i)->design) };

		design_line(m, mining_fixed(i)->name, &j, out);
	}
	mining_command(m, &miner->top[0].design, command, sizeof command);
	text_printf(out, "\n%s\n", command);
}

enum status report_mine(struct study *const *studies, int count, const char *method, enum report_form form, const atomic_bool *cancel, struct text *out, struct diagnostic *d)
{
	enum mine_method which = mine_method_find(method);
	int topk = (int)study_document(studies[0])->values[PARAMETER_TOPK];
	struct mining mining;
	struct miner miner;
	enum status status;

	if (which == METHOD_COUNT) {
		const char *names[METHOD_COUNT];
		int nearest;

		for (int i = 0; i < METHOD_COUNT; i++)
			names[i] = mine_method_name((enum mine_method)i);
		nearest = text_nearest(method, names, METHOD_COUNT);
		return diagnostic_fail(d, STATUS_USAGE, "no method \"%.40s\"; there are wham, wham-paper, exhaustive, bayes and random%s%s", method, nearest >= 0 ? ": did you mean " : "",
			nearest >= 0 ? names[nearest] : "");
	}
	status = mining_begin(studies, count, &mining, d);
	if (status == STATUS_OK) {
		mining.request.cancel = cancel;
		miner_init(&miner, &mining.request);
		status = mine_run(which, &miner, d);
		/* what an interrupted search found is told all the same */
		if (miner.top_count > 0 && (status == STATUS_OK || status == STATUS_INTERRUPTED))
			(form == REPORT_JSON ? write_json : write_text)(&mining, which, &miner, miner_seconds(&miner), topk, out);
		miner_free(&miner);
	}
	mining_end(&mining);
	return status;
}
