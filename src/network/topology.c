#include "network/topology.h"

#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int dimensions;
	const char *text;
} kinds[TOPOLOGY_KIND_COUNT] = {
#define X(id, name, dimensions, text) [TOPOLOGY_##id] = { name, dimensions, text },
	TOPOLOGY_KINDS(X)
#undef X
};

const char *topology_kind_name(enum topology_kind kind)
{
	return kinds[kind].name;
}

const char *topology_kind_text(enum topology_kind kind)
{
	return kinds[kind].text;
}

static enum status parse_kind(const char *word, enum topology_kind *kind, struct diagnostic *d)
{
	const char *names[TOPOLOGY_KIND_COUNT];
	char known[160] = "";
	int near;

	for (int i = 0; i < TOPOLOGY_KIND_COUNT; i++) {
		names[i] = kinds[i].name;
		if (strcmp(names[i], word) == 0) {
			*kind = (enum topology_kind)i;
			return STATUS_OK;
		}
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", names[i]);
	}
	near = text_nearest(word, names, TOPOLOGY_KIND_COUNT);
	return diagnostic_fail(d, STATUS_INPUT, "topology: \"%.40s\" is none of %s%s%s", word, known, near >= 0 ? "; did you mean " : "", near >= 0 ? names[near] : "");
}

/* "4x4" behind the colon. */
static enum status parse_sizes(const char *text, struct tier *t, struct diagnostic *d)
{
	int64_t product = 1;

	for (const char *at = text; ; at++) {
		size_t length = strcspn(at, "x");
		int64_t size;

		if (t->dimensions == kinds[t->kind].dimensions)
			return diagnostic_fail(d, STATUS_INPUT, "topology: %s has %s, not \"%.40s\"", kinds[t->kind].name,
				kinds[t->kind].dimensions == 1 ? "one size, such as 8" : "up to three sizes, such as 4x4", text);
		if (units_parse_whole(at, length, &size) != STATUS_OK || size < 1 || !units_multiply(product, size, &product) || product > NETWORK_MAX)
			return diagnostic_fail(d, STATUS_INPUT, "topology: \"%.40s\" of %s is no size; sizes are whole numbers from 1, together at most %d", text, kinds[t->kind].name,
				NETWORK_MAX);
		t->size[t->dimensions++] = size;
		at += length;
		if (*at == '\0')
			break;
	}
	if ((t->kind == TOPOLOGY_HTREE || t->kind == TOPOLOGY_FATTREE) && (product & (product - 1)) != 0)
		return diagnostic_fail(d, STATUS_INPUT, "topology: a %s is binary, and %lld is not a power of two", kinds[t->kind].name, (long long)product);
	return STATUS_OK;
}

static enum status parse_gain(const char *text, struct tier *t, struct diagnostic *d)
{
	char *end;

	t->gain = strtod(text, &end);
	if (t->kind != TOPOLOGY_HTREE)
		return diagnostic_fail(d, STATUS_INPUT, "topology: only an htree has a gain, ^%.20s", text);
	if (end == text || *end != '\0' || !(t->gain >= 0.0625 && t->gain <= 16))
		return diagnostic_fail(d, STATUS_INPUT, "topology: the gain \"%.20s\" is no number from 0.0625 to 16", text);
	return STATUS_OK;
}

/* One of the things behind @. */
static enum status parse_link_part(const char *text, int place, struct link *link, struct diagnostic *d)
{
	enum status status = STATUS_OK;
	int64_t links = 0;
	char *end;

	switch (place) {
	case 0:
		status = units_parse_stated(UNIT_RATE, "topology: bandwidth", text, &link->bandwidth, d);
		if (status == STATUS_OK && !(link->bandwidth >= LINK_RATE_LEAST && link->bandwidth <= LINK_RATE_MOST))
			return diagnostic_fail(d, STATUS_INPUT, "topology: a bandwidth of %.40s is out of range; it goes from 1kB/s to 1000TB/s", text);
		break;
	case 1:
		status = units_parse_stated(UNIT_TIME, "topology: latency", text, &link->latency, d);
		if (status == STATUS_OK && !(link->latency >= 0 && link->latency <= LINK_LATENCY_MOST))
			return diagnostic_fail(d, STATUS_INPUT, "topology: a latency of %.40s is out of range; it goes from 0s to 10s", text);
		break;
	case 2:
		if (units_parse_whole(text, strlen(text), &links) != STATUS_OK || links < 1 || links > LINKS_MOST)
			return diagnostic_fail(d, STATUS_INPUT, "topology: \"%.40s\" is no number of links from 1 to %d", text, LINKS_MOST);
		link->links = (int)links;
		break;
	case 3:
		link->oversubscription = strtod(text, &end);
		if (end == text || *end != '\0' || !(link->oversubscription >= 1 && link->oversubscription <= 1024))
			return diagnostic_fail(d, STATUS_INPUT, "topology: \"%.40s\" is no oversubscription from 1 to 1024", text);
		break;
	case 4:
		if (units_parse_whole(text, strlen(text), &links) != STATUS_OK || links < 1 || links > LINKS_MOST)
			return diagnostic_fail(d, STATUS_INPUT, "topology: \"%.40s\" is no number from 1 to %d of members that share a link", text, LINKS_MOST);
		link->sharing = (int)links;
		break;
	default:
		return diagnostic_fail(d, STATUS_INPUT, "topology: \"%.40s\" is one too many; behind @ stand bandwidth, latency, links, oversubscription and sharing", text);
	}
	return status;
}

static enum status parse_link(char *text, struct link *link, struct diagnostic *d)
{
	for (int place = 0; ; place++) {
		char *comma = strchr(text, ',');
		enum status status;

		if (comma != NULL)
			*comma = '\0';
		status = text[0] != '\0' ? parse_link_part(text, place, link, d) : STATUS_OK;
		if (status != STATUS_OK || comma == NULL)
			return status;
		text = comma + 1;
	}
}

static struct tier blank_tier(enum topology_kind kind)
{
	return (struct tier){ .kind = kind, .gain = kind == TOPOLOGY_FATTREE ? 2 : 1, .link = { NAN, NAN, 1, 1, 1 } };
}

struct topology topology_bare(enum topology_kind kind)
{
	return (struct topology){ .tiers = { blank_tier(kind) }, .count = 1 };
}

/* One tier; the text is cut up. */
static enum status parse_tier(char *text, struct tier *t, struct diagnostic *d)
{
	char *link = strchr(text, '@'), *gain, *sizes;
	enum status status;

	*t = blank_tier(TOPOLOGY_HTREE);
	if (link != NULL)
		*link++ = '\0';
	gain = strchr(text, '^');
	if (gain != NULL)
		*gain++ = '\0';
	sizes = strchr(text, ':');
	if (sizes != NULL)
		*sizes++ = '\0';
	status = parse_kind(text, &t->kind, d);
	*t = blank_tier(t->kind);
	if (status == STATUS_OK && sizes != NULL)
		status = parse_sizes(sizes, t, d);
	if (status == STATUS_OK && gain != NULL)
		status = parse_gain(gain, t, d);
	if (status == STATUS_OK && link != NULL)
		status = parse_link(link, &t->link, d);
	return status;
}

enum status topology_parse(const char *text, struct topology *topology, struct diagnostic *d)
{
	char copy[TOPOLOGY_BYTES];

	*topology = (struct topology){ .count = 0 };
	if (strlen(text) >= sizeof copy)
		return diagnostic_fail(d, STATUS_INPUT, "topology: %zu characters are too many; at most %zu", strlen(text), sizeof copy - 1);
	snprintf(copy, sizeof copy, "%s", text);
	for (char *at = copy, *plus; at != NULL; at = plus) {
		enum status status;

		plus = strchr(at, '+');
		if (plus != NULL)
			*plus++ = '\0';
		if (topology->count == TIERS_MAX)
			return diagnostic_fail(d, STATUS_INPUT, "topology: more than %d tiers", TIERS_MAX);
		status = parse_tier(at, &topology->tiers[topology->count++], d);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

static void print_tier(const struct tier *t, struct text *out)
{
	const struct link *l = &t->link;
	char number[40];
	int parts = l->sharing != 1 ? 5 : l->oversubscription != 1 ? 4 : l->links != 1 ? 3 : !isnan(l->latency) ? 2 : !isnan(l->bandwidth) ? 1 : 0;

	text_add(out, kinds[t->kind].name);
	for (int i = 0; i < t->dimensions; i++)
		text_printf(out, "%s%lld", i == 0 ? ":" : "x", (long long)t->size[i]);
	if (t->kind == TOPOLOGY_HTREE && t->gain != 1) {
		units_print_exact(t->gain, number, sizeof number);
		text_printf(out, "^%s", number);
	}
	for (int i = 0; i < parts; i++) {
		text_add(out, i == 0 ? "@" : ",");
		if (i == 0 && !isnan(l->bandwidth))
			units_print(UNIT_RATE, l->bandwidth, number, sizeof number);
		else if (i == 1 && !isnan(l->latency))
			units_print(UNIT_TIME, l->latency, number, sizeof number);
		else if (i == 2)
			snprintf(number, sizeof number, "%d", l->links);
		else if (i == 3)
			units_print_exact(l->oversubscription, number, sizeof number);
		else if (i == 4)
			snprintf(number, sizeof number, "%d", l->sharing);
		else
			number[0] = '\0';
		text_add(out, number);
	}
}

void topology_print(const struct topology *topology, char *out, size_t size)
{
	struct text text = { 0 };

	for (int i = 0; i < topology->count; i++) {
		text_add(&text, i > 0 ? "+" : "");
		print_tier(&topology->tiers[i], &text);
	}
	snprintf(out, size, "%s", text_string(&text));
	text_free(&text);
}

static bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

bool topology_equal(const struct topology *a, const struct topology *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++) {
		const struct tier *x = &a->tiers[i], *y = &b->tiers[i];

		if (x->kind != y->kind || x->dimensions != y->dimensions || memcmp(x->size, y->size, sizeof x->size) != 0 || x->gain != y->gain ||
		    !same_number(x->link.bandwidth, y->link.bandwidth) || !same_number(x->link.latency, y->link.latency) || x->link.links != y->link.links ||
		    x->link.oversubscription != y->link.oversubscription || x->link.sharing != y->link.sharing)
			return false;
	}
	return true;
}

/* Members it joins; 0 while bare. */
static int64_t tier_size(const struct tier *t)
{
	int64_t size = t->dimensions > 0;

	for (int i = 0; i < t->dimensions; i++)
		size *= t->size[i];
	return size;
}

/* A bare tier of that many members: grids as near to a square as they go. */
static void size_tier(struct tier *t, int64_t members)
{
	int64_t side = (int64_t)sqrt((double)members);

	memset(t->size, 0, sizeof t->size);
	t->dimensions = 1;
	t->size[0] = members;
	if (kinds[t->kind].dimensions == 1)
		return;
	while (members % side != 0)
		side--;
	t->dimensions = 2;
	t->size[0] = members / side;
	t->size[1] = side;
}

/* A link is shared by those behind it or by those it joins, never by more than there are up to its tier. */
static enum status check_sharing(const struct topology *topology, struct diagnostic *d)
{
	int64_t so_far = 1;

	for (int i = 0; i < topology->count; i++) {
		const struct tier *t = &topology->tiers[i];

		so_far *= tier_size(t);
		if (t->link.sharing > so_far)
			return diagnostic_fail(d, STATUS_INPUT, "topology: %d accelerators share a link of the %s, and there are %lld up to it", t->link.sharing, kinds[t->kind].name, (long long)so_far);
	}
	return STATUS_OK;
}

static enum status size_bare(struct topology *out, int bare, int64_t sized, int64_t accelerators, struct diagnostic *d)
{
	struct tier *t = &out->tiers[bare];
	int64_t members = sized > 0 ? accelerators / sized : 0;
	char text[TOPOLOGY_BYTES];

	topology_print(out, text, sizeof text);
	if (accelerators == 0)
		return diagnostic_fail(d, STATUS_INPUT, "topology: %s needs a size, such as %s:8", kinds[t->kind].name, kinds[t->kind].name);
	if (members == 0 || members * sized != accelerators)
		return diagnostic_fail(d, STATUS_INPUT, "topology: %.200s has %lld accelerators without its %s, and they do not divide the %lld there are; set accelerators to %lld or a multiple", text,
			(long long)sized, kinds[t->kind].name, (long long)accelerators, (long long)sized);
	if ((t->kind == TOPOLOGY_HTREE || t->kind == TOPOLOGY_FATTREE) && (members & (members - 1)) != 0)
		return diagnostic_fail(d, STATUS_INPUT, "topology: a %s is binary, and %lld is not a power of two", kinds[t->kind].name, (long long)members);
	size_tier(t, members);
	return check_sharing(out, d);
}

/* What would fit: as many accelerators, where there can be so many, and the last tier with another size. */
static const char *advice(const struct topology *t, int64_t product, int64_t accelerators, char *out, size_t size)
{
	struct topology other = *t;
	struct tier *last = &other.tiers[t->count - 1];
	int64_t inner = product / tier_size(last);
	char text[TOPOLOGY_BYTES], many[64] = "";

	if (product > 1 && (product & (product - 1)) == 0 && product <= 4096)
		snprintf(many, sizeof many, "set accelerators=%lld; ", (long long)product);
	if (accelerators % inner != 0) {
		snprintf(out, size, "%ssizes that multiply to %lld", many, (long long)accelerators);
		return out;
	}
	size_tier(last, accelerators / inner);
	for (int i = 0; i < other.count; i++)
		other.tiers[i].link = blank_tier(other.tiers[i].kind).link;
	topology_print(&other, text, sizeof text);
	snprintf(out, size, "%sfor %lld there is %.180s, and a bare %s follows any number", many, (long long)accelerators, text, kinds[last->kind].name);
	return out;
}

enum status topology_resolve(const struct topology *topology, int64_t accelerators, double bandwidth, double latency, struct topology *out, struct diagnostic *d)
{
	int64_t product = 1, sized = 1;
	int bare = -1;
	char text[TOPOLOGY_BYTES], nearest[300];

	*out = *topology;
	for (int i = 0; i < out->count; i++) {
		struct tier *t = &out->tiers[i];

		t->link.bandwidth = isnan(t->link.bandwidth) ? bandwidth : t->link.bandwidth;
		t->link.latency = isnan(t->link.latency) ? latency : t->link.latency;
		if (t->dimensions == 0 && bare >= 0)
			return diagnostic_fail(d, STATUS_INPUT, "topology: %s and %s both have no size; only one can follow the accelerators", kinds[out->tiers[bare].kind].name,
				kinds[t->kind].name);
		if (t->dimensions == 0)
			bare = i;
		else if (!units_multiply(sized, tier_size(t), &sized) || sized > NETWORK_MAX)
			return diagnostic_fail(d, STATUS_INPUT, "topology: its sizes multiply to more than %d", NETWORK_MAX);
	}
	if (bare >= 0)
		return size_bare(out, bare, sized, accelerators, d);
	for (int i = 0; i < out->count; i++)
		product *= tier_size(&out->tiers[i]);
	if (accelerators == 0 || product == accelerators)
		return check_sharing(out, d);
	topology_print(topology, text, sizeof text);
	return diagnostic_fail(d, STATUS_INPUT, "topology: %.200s joins %lld, and %s %lld accelerator%s; %s", text, (long long)product, accelerators == 1 ? "there is" : "there are",
		(long long)accelerators, accelerators == 1 ? "" : "s", advice(out, product, accelerators, nearest, sizeof nearest));
}

const char *dimension_name(enum dimension_kind kind)
{
	static const char *const names[] = { [DIMENSION_RING] = "ring", [DIMENSION_LINE] = "line", [DIMENSION_FULL] = "full", [DIMENSION_SWITCH] = "switch", [DIMENSION_TREE] = "tree" };

	return names[kind];
}

/* A closed walk through all of a grid, each step to a neighbour. */
static bool has_round(const struct tier *t)
{
	return t->kind == TOPOLOGY_MESH && t->dimensions == 2 && t->size[0] > 1 && t->size[1] > 1 && (t->size[0] % 2 == 0 || t->size[1] % 2 == 0);
}

int topology_dimensions(const struct topology *topology, bool rounds, struct dimension out[NETWORK_DIMENSIONS_MAX])
{
	static const enum dimension_kind of[TOPOLOGY_KIND_COUNT] = { [TOPOLOGY_HTREE] = DIMENSION_TREE, [TOPOLOGY_RING] = DIMENSION_RING, [TOPOLOGY_TORUS] = DIMENSION_RING,
		[TOPOLOGY_MESH] = DIMENSION_LINE, [TOPOLOGY_FULL] = DIMENSION_FULL, [TOPOLOGY_SWITCH] = DIMENSION_SWITCH, [TOPOLOGY_FATTREE] = DIMENSION_TREE };
	int count = 0;

	for (int i = 0; i < topology->count; i++) {
		const struct tier *t = &topology->tiers[i];
		double alone = t->link.bandwidth * t->link.links / t->link.oversubscription, bandwidth = alone / t->link.sharing;

		if (rounds && has_round(t)) {
			out[count++] = (struct dimension){ DIMENSION_RING, tier_size(t), 1, bandwidth, t->link.latency, alone, i, 0 };
			continue;
		}
		for (int k = 0; k < t->dimensions; k++)
			if (t->size[k] > 1)
				out[count++] = (struct dimension){ of[t->kind], t->size[k], t->gain, bandwidth, t->link.latency, alone, i, k };
	}
	return count;
}
