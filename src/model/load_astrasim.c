/* ASTRA-sim 1.0 workloads: a policy, a number of layers, and for each layer its name, a number, and for the forward, the input gradient and the weight
 * gradient pass each a time, a collective and its bytes; then the time of the update, which is not used: updates are modelled.
 *
 * Times are cycles, taken as ns.  What a layer is, the file does not say: the bytes of its weight gradients tell its weights, of which a square layer is
 * made; a layer that exchanges none is kept for its time alone.  Behind the layers, where the simulator reads no more, our own export holds the model
 * itself, which is then read instead. */
#include "model/astrasim.h"

#include "base/line.h"
#include "model/loader.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const char *const policies[] = { "DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_DLRM",
	"HYBRID_CUSTOMIZED", "MICRO", NULL };

/* Words of a layer. */
enum { NAME, RESERVED, FORWARD, INPUT_GRADIENT = FORWARD + 3, WEIGHT_GRADIENT = INPUT_GRADIENT + 3, UPDATE = WEIGHT_GRADIENT + 3, WORDS };

static const double BYTES_MOST = 1e18;

static bool is_policy(const char *word)
{
	for (int i = 0; policies[i] != NULL; i++)
		if (strcasecmp(policies[i], word) == 0)
			return true;
	return false;
}

static bool next_words(const struct source *s, size_t *at, struct line *line)
{
	while (line_next(s->bytes, s->length, at, line))
		if (line->count > 0)
			return true;
	return false;
}

/* By its policy, or by a number of layers in front of what has the words of one. */
static bool recognise(const struct source *s)
{
	struct line line = { .count = 0 };
	size_t at = 0;
	double layers;

	if (!next_words(s, &at, &line))
		return false;
	return is_policy(line.word[0]) || (line.count == 1 && next_words(s, &at, &line) && line.count == 1 && line_number(line.word[0], &layers) && next_words(s, &at, &line) && line.count >= WORDS);
}

/* A pass's time and bytes. */
static enum status read_pass(const struct line *line, int first, double *seconds, double *bytes, struct diagnostic *d)
{
	static const char *const collectives[] = { "NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", NULL };
	const char *what = line->word[first + 1];
	double cycles;
	int known = 0;

	if (!line_number(line->word[first], &cycles) || cycles < 0)
		return diagnostic_fail(d, STATUS_INPUT, "word %d, \"%.40s\": a time in cycles is expected", first + 1, line->word[first]);
	while (collectives[known] != NULL && strncasecmp(collectives[known], what, strlen(collectives[known])) != 0)
		known++;
	if (collectives[known] == NULL)
		return diagnostic_fail(d, STATUS_INPUT, "word %d, \"%.40s\": none of NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL", first + 2, what);
	if (!line_number(line->word[first + 2], bytes) || *bytes < 0 || *bytes > BYTES_MOST)
		return diagnostic_fail(d, STATUS_INPUT, "word %d, \"%.40s\": bytes are expected, up to %g", first + 3, line->word[first + 2], BYTES_MOST);
	*seconds = cycles * 1e-9;
	*bytes = known == 0 ? 0 : *bytes;
	return STATUS_OK;
}

struct reading {
	struct builder *b;
	int last, guessed, timed, surplus;
	int words;               /* of a layer, with this policy */
	unsigned long first_guess;
};

static enum status read_layer(struct reading *r, const struct line *line, struct diagnostic *d)
{
	struct operator o = operator_blank(OPERATOR_ACT, line->number);
	double seconds[3], bytes[3], update;

	if (line->kept < WORDS)
		return diagnostic_fail(d, STATUS_INPUT, "%d words; a layer has %d: name, -1, three times a time, a collective and bytes, and the update", line->count, WORDS);
	for (int pass = 0; pass < 3; pass++)
		if (read_pass(line, FORWARD + 3 * pass, &seconds[pass], &bytes[pass], d) != STATUS_OK)
			return STATUS_INPUT;
	if (!line_number(line->word[UPDATE], &update) || update < 0)
		return diagnostic_fail(d, STATUS_INPUT, "word %d, \"%.40s\": the time of the update is expected", UPDATE + 1, line->word[UPDATE]);
	if (line->count > r->words && r->surplus++ == 0)
		builder_problem(r->b, SEVERITY_WARNING, line->number, 1, "%d words where a layer has %d; those behind are not read", line->count, r->words);
	o.name = builder_name(r->b, line->word[NAME], strlen(line->word[NAME]));
	o.fwd_s = seconds[0];
	o.bwd_s = seconds[1] + seconds[2];
	/* fp32 */
	if (bytes[2] >= 4)
		operator_make_square(&o, (int64_t)(bytes[2] / 4));
	else if (r->last >= 0)
		o.in = o.out = o.conv_out = r->b->operators[r->last].out;
	builder_inputs(r->b, &o, &r->last, 1);
	if (o.kind == OPERATOR_LINEAR && r->guessed++ == 0)
		r->first_guess = line->number;
	r->timed += o.kind != OPERATOR_LINEAR;
	r->last = builder_add(r->b, &o, d);
	return r->last >= 0 ? STATUS_OK : STATUS_INPUT;
}

/* The model behind the layers, if it is there: lines behind a mark, each a row of our CSV. */
static enum status read_embedded(const struct source *s, struct builder *b, bool *found, struct diagnostic *d)
{
	const char *at = s->bytes, *end = s->bytes + s->length;
	struct text csv = { 0 };
	struct source inner = { .path = s->path };
	enum status status = STATUS_OK;
	unsigned long line = 0, first = 0;

	*found = false;
	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		size_t length = next != NULL ? (size_t)(next - at) : (size_t)(end - at);

		/* lines keep their numbers: what is not the model's is empty there */
		line++;
		if (length > strlen(ASTRASIM_MODEL) && memcmp(at, ASTRASIM_MODEL, strlen(ASTRASIM_MODEL)) == 0) {
			first = *found ? first : line;
			*found = true;
			text_append(&csv, at + strlen(ASTRASIM_MODEL), length - strlen(ASTRASIM_MODEL));
		}
		text_add(&csv, "\n");
		at += length + 1;
	}
	if (*found) {
		inner.bytes = text_string(&csv);
		inner.length = csv.length;
		source_header(&inner);
		if (format_whypar.recognise(&inner)) {
			status = format_whypar.load(&inner, b, d);
		} else {
			status = diagnostic_fail(d, STATUS_INPUT, "what stands behind \"%s\" is no layer table of whypar; without these lines the layers are read", ASTRASIM_MODEL);
			diagnostic_place(d, s->path, first, 1);
		}
		arena_free(&inner.arena);
	}
	text_free(&csv);
	return status;
}

static void end_reading(struct reading *r, double layers, unsigned long line)
{
	if (layers != r->guessed + r->timed + r->b->model->skipped)
		builder_problem(r->b, SEVERITY_WARNING, line, 1, "%.0f layers are announced, but %d follow", layers, r->guessed + r->timed + r->b->model->skipped);
	if (r->guessed > 0)
		builder_problem(r->b, SEVERITY_WARNING, r->first_guess, 1, "the sizes of %d layers are not in the file: each is taken as a linear layer as square as the weights that its gradients' bytes tell (fp32) divide; "
			"times are as the file has them, a cycle being 1 ns, but for updates, which are modelled", r->guessed);
}

static enum status load(const struct source *s, struct builder *b, struct diagnostic *d)
{
	struct reading r = { .b = b, .last = MODEL_INPUT, .words = WORDS };
	struct line line = { .count = 0 };
	unsigned long announced;
	size_t at = 0;
	double layers = 0;
	bool found;
	enum status status = read_embedded(s, b, &found, d);

	if (found || status != STATUS_OK)
		return status;
	next_words(s, &at, &line);
	if (!is_policy(line.word[0]))
		builder_problem(b, SEVERITY_WARNING, line.number, 1, "\"%.40s\" is no policy of ASTRA-sim 1.0, such as DATA or MODEL; policies are not read, the plan is chosen here", line.word[0]);
	/* there each layer ends with a policy of its own */
	r.words += strcasecmp(line.word[0], "HYBRID_CUSTOMIZED") == 0;
	announced = line.number;
	if (!next_words(s, &at, &line) || line.count != 1 || !line_number(line.word[0], &layers) || layers < 1 || layers != floor(layers)) {
		status = diagnostic_fail(d, STATUS_INPUT, "behind the policy the number of layers is expected, alone in its line%s%.40s%s", line.number > announced ? ", not \"" : "",
			line.number > announced ? line.word[0] : "", line.number > announced ? "\"" : "");
		diagnostic_place(d, s->path, line.number, 1);
		return status;
	}
	announced = line.number;
	for (int i = 0; i < layers && next_words(s, &at, &line) && builder_row(b, line.number); i++) {
		struct diagnostic row;

		if (read_layer(&r, &line, &row) == STATUS_OK)
			continue;
		row.line = line.number;
		row.column = 1;
		builder_bad_row(b, &row);
		b->model->skipped++;
	}
	if (next_words(s, &at, &line) && line.count >= WORDS)
		builder_problem(b, SEVERITY_WARNING, line.number, 1, "only the %.0f layers that are announced are read", layers);
	end_reading(&r, layers, announced);
	if (r.guessed > 0 || r.timed == 0)
		return STATUS_OK;
	diagnostic_fail(d, STATUS_INPUT, "no layer exchanges gradients, so no layer's weights are known: there is nothing to choose");
	diagnostic_place(d, s->path, announced, 1);
	return STATUS_INPUT;
}

const struct format format_astrasim = { "astrasim", recognise, load };
