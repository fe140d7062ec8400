/* A file of nccl-tests output, and the latency and bandwidth that fit it. */
#include "report/report.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/json.h"
#include "study/calibrated.h"

#include <math.h>
#include <string.h>

static void write_json(const struct calibrated *found, double rate, struct text *out)
{
	const struct calibration *c = found->calibration;
	json_t *root = json_begin(), *rows = json_array(), *problems = json_array();
	char line[1024];

	json_set_text(root, "op", collective_name(c->op));
	json_object_set_new(root, "ranks", json_integer(c->ranks));
	json_set_number(root, "alpha_s", c->alpha);
	json_set_number(root, "beta_s_per_byte", c->beta);
	json_set_number(root, "step_latency_s", c->step_latency);
	json_set_number(root, "bandwidth", c->bandwidth);
	json_set_number(root, "efficiency", c->bandwidth / rate);
	json_set_number(root, "set_bandwidth", found->bandwidth);
	json_set_number(root, "set_latency_s", found->latency);
	json_object_set_new(root, "ranks_told", json_boolean(c->ranks_told));
	json_set_number(root, "mean_relative_error", c->mean_error);
	json_set_number(root, "worst_relative_error", c->worst_error);
	for (size_t i = 0; i < c->count; i++)
		json_array_append_new(rows, json_pack("{s:I, s:o, s:o, s:o}", "line", (json_int_t)c->rows[i].line, "bytes", json_number(c->rows[i].bytes), "time_s", json_number(c->rows[i].seconds),
			"fitted_s", json_number(c->rows[i].fitted)));
	for (size_t i = 0; i < c->problems.count; i++) {
		diagnostic_format(&c->problems.items[i], line, sizeof line);
		json_array_append_new(problems, json_string(line));
	}
	json_object_set_new(root, "rows", rows);
	json_object_set_new(root, "warnings", problems);
	json_end(root, out);
}

static void write_text(const struct calibrated *found, double rate, struct text *out)
{
	const struct calibration *c = found->calibration;
	char a[160], b[40], e[32], line[1024], of[48];

	units_print_seconds(c->alpha, a, sizeof a);
	units_print_seconds(c->step_latency, b, sizeof b);
	units_print_rate_short(rate, of, sizeof of);
	text_printf(out, "%s among %s%d: time = %s + bytes x %.4g ns/kB\n", c->op == COLLECTIVE_ALL_REDUCE ? "all-reduce" : "all-gather, reduce-scatter or all-to-all",
		c->ranks_told ? "about " : "", c->ranks, a, c->beta * 1e12);
	text_printf(out, "as a ring: %s a step, %.4g GB/s over a link in one direction, %.3g %% of the %s that is set\n", b, c->bandwidth / 1e9, 100 * c->bandwidth / rate, of);
	if (c->one_size)
		text_add(out, "all rows are of one size: no latency can be told from them, and bandwidth takes all of the time\n");
	text_printf(out, "the fit is off by %.3g %% on average, %.3g %% at worst\n\n%10s %12s %12s %10s\n", 100 * c->mean_error, 100 * c->worst_error, "bytes", "measured", "fitted", "error");
	for (size_t i = 0; i < c->count; i++) {
		units_print_bytes(c->rows[i].bytes, a, sizeof a);
		units_print_seconds(c->rows[i].seconds, b, sizeof b);
		units_print_seconds(c->rows[i].fitted, e, sizeof e);
		text_printf(out, "%10s %12s %12s %+8.1f %%\n", a, b, e, 100 * (c->rows[i].fitted / c->rows[i].seconds - 1));
	}
	for (size_t i = 0; i < c->problems.count && i < 10; i++) {
		diagnostic_format(&c->problems.items[i], line, sizeof line);
		text_printf(out, "%swarning: %s\n", i == 0 ? "\n" : "", line);
	}
	calibrated_command(found, a, sizeof a);
	text_printf(out, "\non %s the command `calibrate FILE` does this:\n%s\n", found->as_ring ? "a ring, as the topology that is set joins another number," : "the topology that is set", a);
	if (found->idle != NULL)
		text_printf(out, "which changes nothing now: %s\n", found->idle);
}

/* Of the innermost dimension as it is set; of the parameter where the topology does not join so many. */
static double link_rate(const struct document *document, int ranks)
{
	const double *v = document->values;
	struct topology topology = document_topology(document), resolved;
	struct dimension dimensions[NETWORK_DIMENSIONS_MAX];

	if (topology_resolve(&topology, ranks, v[PARAMETER_BANDWIDTH], v[PARAMETER_LATENCY], &resolved, NULL) != STATUS_OK || topology_dimensions(&resolved, false, dimensions) == 0)
		return v[PARAMETER_BANDWIDTH];
	return dimensions[0].bandwidth;
}

enum status report_calibration(struct study *study, const char *path, const char *ranks, enum report_form form, struct text *out, struct diagnostic *d)
{
	struct calibrated c;
	double rate;
	char *bytes;
	size_t length;
	enum status status = file_read(path, &bytes, &length, d);

	if (status == STATUS_OK)
		status = calibrated_read(study_document(study), path, bytes, length, ranks, &c, d);
	memory_free(bytes);
	if (status != STATUS_OK)
		return STATUS_INPUT;
	rate = link_rate(study_document(study), c.calibration->ranks);
	if (form == REPORT_JSON)
		write_json(&c, rate, out);
	else
		write_text(&c, rate, out);
	calibration_free(c.calibration);
	return STATUS_OK;
}
