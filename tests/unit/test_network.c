/* Topologies and collectives: what is read, what is refused, and times against other people's simulator. */
#include "network/collective.h"
#include "network/exchange.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/csv.h"
#include "network/load.h"
#include "tests/unit/random_model.h"
#include "tests/unit/reference.h"

/* ---- topologies ---- */

static void what_is_read_is_written_back(void **state)
{
	static const char *const texts[] = {
		"htree", "ring:8", "torus:4x4", "torus:2x3x4", "mesh:5", "full:8", "switch:8", "htree:16^2", "htree:16^0.5", "fattree:32",
		"switch:8@300GB/s,10us+switch:64@25GB/s,20us,1,4", "ring:4@50GB/s,,2", "ring@,1us", "full:2+ring:4+switch:8@1GB/s,0s,3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct topology t, again;
		struct diagnostic d;
		char out[256];

		if (topology_parse(texts[i], &t, &d) != STATUS_OK)
			fail_msg("%s: %s", texts[i], d.text);
		topology_print(&t, out, sizeof out);
		assert_int_equal(topology_parse(out, &again, &d), STATUS_OK);
		assert_true(topology_equal(&t, &again));
		if (strchr(texts[i], ',') == NULL)
			assert_string_equal(out, texts[i]);
	}
}

static void files_are_topologies(void **state)
{
	static const struct { const char *bytes, *want; } cases[] = {
		{ "kind,size,bandwidth [GB/s],latency [us]\nswitch,8,300,1\nring,4,25,5\n", "switch:8@300GB/s,1us+ring:4@25GB/s,5us" },
		{ "# mine\nsharing,kind,links,gain\n1,htree,2,2\n", "htree^2@,,2" }, { "kind,size,oversubscription,sharing\ntorus,4x4,1.5,8\n", "torus:4x4@,,1,1.5,8" },
		{ "kind,bandwidth [Gb/s]\nfull,200\n", "full@25GB/s" },
		{ "topology: [ Switch ]\nnpus_count: [ 8 ]\nbandwidth: [ 400.0 ]  # GB/s\nlatency: [ 936.25 ]  # ns\n", "switch:8@429496729600B/s,936.25ns" },
		{ "latency:\n  - 500\n  - 0\nbandwidth: [1,2]\n---\ntopology: [\"Ring\", FullyConnected]\nnpus_count: [4, 2]\n", "ring:4@1073741824B/s,500ns+full:2@2147483648B/s,0s" },
	};
	static const struct { const char *bytes, *phrase; unsigned long line; } slips[] = {
		{ "", "table of tiers", 0 }, { "size\n8\n", "no column kind", 1 }, { "kind,size\n", "without a tier", 0 }, { "kind,bandwidth\nring,5\n", "has no unit", 1 },
		{ "kind,size\nring,8\nrnig,2\n", "did you mean ring", 3 }, { "kind,bandwidth [GB/s]\nring,0\n", "out of range", 2 }, { "kind,size\nring,x\n", "no size", 2 },
		{ "topology: [ Torus ]\nnpus_count: [ 8 ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n", "none of Ring", 1 },
		{ "topology: [ Ring, Ring ]\nnpus_count: [ 8 ]\n", "npus_count has 1 items", 2 }, { "npus_count: [ 8 ]\n", "topology has 0 items", 1 },
		{ "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ -1 ]\nlatency: [ 1 ]\n", "no number from", 1 }, { "npus_count: [1]\nnpus_count: [2]\n", "second time", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct topology t, want;
		struct diagnostic d;

		if (topology_read("f", cases[i].bytes, strlen(cases[i].bytes), &t, &d) != STATUS_OK)
			fail_msg("%s: %s", cases[i].want, d.text);
		assert_int_equal(topology_parse(cases[i].want, &want, &d), STATUS_OK);
		if (!topology_equal(&t, &want)) {
			char out[TOPOLOGY_BYTES];

			topology_print(&t, out, sizeof out);
			fail_msg("%s, not %s", out, cases[i].want);
		}
	}
	for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
		struct topology t;
		struct diagnostic d;

		assert_int_equal(topology_read("f", slips[i].bytes, strlen(slips[i].bytes), &t, &d), STATUS_INPUT);
		if (strstr(d.text, slips[i].phrase) == NULL || d.line != slips[i].line)
			fail_msg("case %zu: line %lu \"%s\" is not line %lu \"%s\"", i, d.line, d.text, slips[i].line, slips[i].phrase);
	}
}

/* A shared link is slower for all at once, and whole for a message alone. */
static void shared_links_are_shared(void **state)
{
	static const char *const texts[] = { "ring:8@25GB/s,1us", "ring:8@25GB/s,1us,1,1,4" };
	double all[2], alone[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct topology t, resolved;
		struct collective_time time;
		struct diagnostic d;

		assert_int_equal(topology_parse(texts[i], &t, &d), STATUS_OK);
		assert_int_equal(topology_resolve(&t, 8, 1, 1, &resolved, &d), STATUS_OK);
		assert_int_equal(collective_on(&resolved, &(struct collective_request){ .op = COLLECTIVE_ALL_REDUCE, .bytes = 1e9 }, &time, &d), STATUS_OK);
		all[i] = time.beta;
		assert_int_equal(collective_on(&resolved, &(struct collective_request){ .op = COLLECTIVE_P2P, .bytes = 1e9 }, &time, &d), STATUS_OK);
		alone[i] = time.beta;
	}
	assert_true(all[1] == 4 * all[0] && alone[1] == alone[0]);
}

static void slips_are_told_with_what_is_right(void **state)
{
	static const struct { const char *text, *phrase; } cases[] = {
		{ "rnig:8", "did you mean ring" }, { "", "is none of htree, ring" }, { "ring:0", "whole numbers from 1" }, { "ring:-4", "whole numbers from 1" }, { "ring:4x4", "one size" },
		{ "torus:2x2x2x2", "up to three sizes" }, { "htree:12", "not a power of two" }, { "ring:8^2", "only an htree has a gain" }, { "htree:8^0", "no number from" },
		{ "ring:8@0GB/s", "out of range" }, { "ring:8@100", "Gb/s are bits" }, { "ring:8@1GB/s,-1s", "latency" }, { "ring:8@1GB/s,1us,0", "no number of links" },
		{ "ring:8@1GB/s,1us,1,0.5", "no oversubscription" }, { "ring:8@1GB/s,1us,1,1,0", "share a link" }, { "ring:8@1GB/s,1us,1,1,1,9", "one too many" }, { "ring:2+ring:2+ring:2+ring:2+ring:2+ring:2+ring:2", "more than 6 tiers" },
		{ "ring:9999999", "no size" }, { "ring:8@1GB/s+", "is none of" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct topology t;
		struct diagnostic d;

		assert_int_equal(topology_parse(cases[i].text, &t, &d), STATUS_INPUT);
		if (strstr(d.text, cases[i].phrase) == NULL)
			fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, d.text, cases[i].phrase);
	}
}

static void sizes_follow_or_fit_the_accelerators(void **state)
{
	static const struct { const char *text; int64_t accelerators; const char *becomes, *phrase; } cases[] = {
		{ "htree", 16, "htree:16@1GB/s,1us", NULL }, { "torus", 32, "torus:8x4@1GB/s,1us", NULL }, { "mesh", 7, "mesh:7x1@1GB/s,1us", NULL },
		{ "switch:8+ring", 64, "switch:8@1GB/s,1us+ring:8@1GB/s,1us", NULL }, { "torus:4x4@2GB/s", 16, "torus:4x4@2GB/s,1us", NULL },
		{ "ring:8", 16, NULL, "joins 8, and there are 16" }, { "switch:8+ring", 12, NULL, "do not divide the 12" }, { "ring+ring", 16, NULL, "only one can follow" },
		{ "ring", 0, NULL, "needs a size" }, { "htree", 12, NULL, "not a power of two" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct topology t, resolved;
		struct diagnostic d;
		char out[256];
		enum status status;

		assert_int_equal(topology_parse(cases[i].text, &t, &d), STATUS_OK);
		status = topology_resolve(&t, cases[i].accelerators, 1e9, 1e-6, &resolved, &d);
		assert_int_equal(status, cases[i].becomes != NULL ? STATUS_OK : STATUS_INPUT);
		if (status != STATUS_OK) {
			assert_non_null(strstr(d.text, cases[i].phrase));
			continue;
		}
		topology_print(&resolved, out, sizeof out);
		assert_string_equal(out, cases[i].becomes);
	}
}

/* ---- collectives ---- */

/* One dimension of each kind, or several joined by x, as the simulator's names have them. */
static int dimensions_of(const char *names, const char *sizes, const char *bandwidths, const char *latencies, struct dimension *out)
{
	static const struct { const char *name; enum dimension_kind kind; double gain; } kinds[] = {
		{ "Ring", DIMENSION_RING, 1 }, { "BidirRing", DIMENSION_RING, 1 }, { "FullyConnected", DIMENSION_FULL, 1 }, { "Switch", DIMENSION_SWITCH, 1 },
		{ "MeshLine", DIMENSION_LINE, 1 }, { "Mesh2D", DIMENSION_RING, 1 },      /* a ring through all of an even grid */
		{ "HTreeThin", DIMENSION_TREE, 1 }, { "HTreeFat", DIMENSION_TREE, 2 },
	};
	int count = 0;

	for (; *names != '\0'; count++) {
		size_t length = strcspn(names, "x");
		bool known = false;

		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			if (strlen(kinds[k].name) == length && strncmp(kinds[k].name, names, length) == 0 && (known = true))
				out[count] = (struct dimension){ kinds[k].kind, strtoll(sizes, NULL, 10), kinds[k].gain, strtod(bandwidths, NULL) * 0x1p30, strtod(latencies, NULL) * 1e-9,
					strtod(bandwidths, NULL) * 0x1p30, 0, 0 };
		if (!known)
			fail_msg("%s: no kind of dimension of ours", names);
		names += length + (names[length] == 'x');
		sizes += strcspn(sizes, "x") + (strchr(sizes, 'x') != NULL);
		bandwidths += strcspn(bandwidths, "x") + (strchr(bandwidths, 'x') != NULL);
		latencies += strcspn(latencies, "x") + (strchr(latencies, 'x') != NULL);
	}
	return count;
}

static enum algorithm algorithm_of(const char *name, size_t length, bool both_ways)
{
	static const struct { const char *name; enum algorithm algorithm; } names[] = {
		{ "ring", ALGORITHM_RING }, { "foldedRing", ALGORITHM_RING }, { "hamiltonianRing", ALGORITHM_RING }, { "direct", ALGORITHM_DIRECT },
		{ "halvingDoubling", ALGORITHM_HALVING_DOUBLING }, { "doubleBinaryTree", ALGORITHM_DOUBLE_BINARY_TREE },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].name) == length && strncmp(names[i].name, name, length) == 0)
			return both_ways ? ALGORITHM_TWO_WAY_RING : names[i].algorithm;
	fail_msg("%s: no algorithm of ours", name);
	return ALGORITHM_AUTO;
}

/* A row of the golden file, in its order but for the backend. */
struct golden {
	const char *topology, *npus, *bandwidth, *latency, *collective, *algorithm, *chunks, *active, *delay, *memory, *bytes, *time, *formula, *source, *backend;
};

/* Within the whole nanoseconds that the simulator cuts each message, or hop, to. */
static bool judge(const struct golden *g, bool told)
{
	struct dimension dimensions[NETWORK_DIMENSIONS_MAX];
	int count = dimensions_of(g->topology, g->npus, g->bandwidth, g->latency, dimensions);
	struct collective_request r = { .bytes = strtod(g->bytes, NULL), .endpoint_delay = strtod(g->delay, NULL) * 1e-9, .chunks = atoi(g->chunks),
		.store_forward = strcmp(g->backend, "aware") == 0 };
	const char *algorithm = g->algorithm;
	struct collective_time t;
	struct diagnostic d;
	char op[32];
	double cut_ns = 0, want = strtod(g->time, NULL);
	bool line = strncmp(g->topology, "MeshLine", 8) == 0;

	snprintf(op, sizeof op, "%s", g->collective);
	for (char *c = op; *c != '\0'; c++)
		*c = *c == '_' ? '-' : *c;
	r.op = collective_find(op, NULL);
	for (int i = 0; i < count; i++) {
		size_t length = strcspn(algorithm, "+");

		r.algorithm[i] = algorithm_of(algorithm, length, strncmp(g->topology, "Bidir", 5) == 0);
		if (r.op == COLLECTIVE_ALL_TO_ALL && line)
			r.algorithm[i] = ALGORITHM_DIRECT;
		algorithm += length + (algorithm[length] == '+');
		cut_ns += 2 * (double)dimensions[i].size;
	}
	if (collective_time(dimensions, count, &r, &t, &d) != STATUS_OK)
		fail_msg("%s %s %s: %s", g->topology, g->collective, g->algorithm, d.text);
	assert_true(t.link_bytes > 0);
	if (fabs(t.seconds * 1e9 - want) <= 1 + 2e-6 * want + cut_ns * r.chunks + 2 * t.steps)
		return true;
	if (told)
		fail_msg("%s:%s %s %s %s B: %.1f ns, not %s", g->topology, g->npus, g->collective, g->algorithm, g->bytes, t.seconds * 1e9, g->time);
	return false;
}

static void times_are_the_simulators(void **state)
{
	FILE *file = shared_open("golden/collectives.csv");
	char line[512];
	int rows = 0, off = 0;

	(void)state;
	if (file == NULL)
		skip();
	assert_non_null(fgets(line, sizeof line, file));
	while (fgets(line, sizeof line, file) != NULL) {
		const char *cells[16] = { "" };
		struct golden g;
		char *at = line;

		line[strcspn(line, "\n")] = '\0';
		for (int i = 0; i < 16; i++) {
			cells[i] = at;
			at += strcspn(at, ",");
			if (*at == ',')
				*at++ = '\0';
		}
		g = (struct golden){ cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8], cells[9], cells[10], cells[11], cells[12], cells[13], cells[14], cells[15], cells[1] };
		/* messages by distance are not collectives; several chunks at once give each the whole link; reductions take no time here; simulation alone has no form */
		if (strcmp(g.collective, "p2p") == 0 || strcmp(g.active, "1") != 0 || strtod(g.memory, NULL) < 1e8 || g.formula[0] == '\0' ||
		    fabs(strtod(g.formula, NULL) - strtod(g.time, NULL)) > 1)
			continue;
		rows++;
		off += !judge(&g, false);
	}
	fclose(file);
	assert_true(rows > 1500);
	assert_int_equal(off, 0);
}

/* One of each kind, for where the file is not. */
static void times_of_some(void **state)
{
	static const struct golden rows[] = {
		{ "FullyConnected", "16", "50", "500", "all_gather", "direct", "1", "1", "10", "inf", "1048576", "20051", "20051", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "all_gather", "halvingDoubling", "1", "1", "10", "inf", "1048576", "295018", "295018", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "all_gather", "ring", "1", "1", "10", "inf", "1048576", "300625", "300625", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "all_reduce", "direct", "1", "1", "10", "inf", "1073741824", "2501030", "2501030", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "all_reduce", "doubleBinaryTree", "1", "1", "10", "inf", "131072", "23618", "23618", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "all_reduce", "halvingDoubling", "1", "1", "10", "inf", "1073741824", "37504090", "37504090", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "all_reduce", "ring", "1", "1", "10", "inf", "1048576", "51910", "51910", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "all_to_all", "direct", "1", "1", "10", "inf", "131072", "672", "672", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "all_to_all", "ring", "1", "1", "10", "inf", "131072", "79450", "79450", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "reduce_scatter", "direct", "1", "1", "10", "inf", "1048576", "1740", "1740", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "reduce_scatter", "halvingDoubling", "1", "1", "10", "inf", "1048576", "20358", "20358", "sim", "aware" },
		{ "FullyConnected", "16", "50", "500", "reduce_scatter", "ring", "1", "1", "10", "inf", "1048576", "25960", "25960", "sim", "aware" },
		{ "Ring", "16", "50", "500", "all_gather", "halvingDoubling", "1", "1", "10", "inf", "8388608", "5007550", "5007550", "sim", "aware" },
		{ "Ring", "16", "50", "500", "all_gather", "ring", "1", "1", "10", "inf", "1048576", "300625", "300625", "sim", "aware" },
		{ "Ring", "16", "50", "500", "all_reduce", "halvingDoubling", "1", "1", "10", "inf", "1048576", "93196", "93196", "sim", "aware" },
		{ "Ring", "16", "50", "500", "all_reduce", "ring", "1", "1", "10", "inf", "1048576", "51910", "51910", "sim", "aware" },
		{ "Ring", "16", "50", "500", "all_to_all", "ring", "1", "1", "10", "inf", "131072", "79450", "79450", "sim", "aware" },
		{ "Ring", "16", "50", "500", "reduce_scatter", "halvingDoubling", "1", "1", "10", "inf", "1048576", "46603", "46603", "sim", "aware" },
		{ "Ring", "16", "50", "500", "reduce_scatter", "ring", "1", "1", "10", "inf", "1048576", "25960", "25960", "sim", "aware" },
		{ "Switch", "16", "50", "500", "all_gather", "direct", "1", "1", "10", "inf", "1048576", "313516", "313516", "sim", "aware" },
		{ "Switch", "16", "50", "500", "all_gather", "halvingDoubling", "1", "1", "10", "inf", "1073741824", "600004050", "600004050", "sim", "aware" },
		{ "Switch", "16", "50", "500", "all_gather", "ring", "1", "1", "10", "inf", "67108864", "37515160", "37515160", "sim", "aware" },
		{ "Switch", "16", "50", "500", "all_reduce", "direct", "1", "1", "10", "inf", "1073741824", "40002030", "40002030", "sim", "aware" },
		{ "Switch", "16", "50", "500", "all_reduce", "doubleBinaryTree", "1", "1", "10", "inf", "131072", "61792", "61792", "sim", "aware" },
		{ "Switch", "16", "50", "500", "all_reduce", "halvingDoubling", "1", "1", "10", "inf", "1048576", "81322", "81322", "sim", "aware" },
		{ "Switch", "16", "50", "500", "all_to_all", "direct", "1", "1", "10", "inf", "1048576", "20540", "20540", "sim", "aware" },
		{ "Switch", "16", "50", "500", "all_to_all", "ring", "1", "1", "10", "inf", "1048576", "414010", "414010", "sim", "aware" },
		{ "Switch", "16", "50", "500", "reduce_scatter", "direct", "1", "1", "10", "inf", "131072", "3452", "3452", "sim", "aware" },
		{ "Switch", "16", "50", "500", "reduce_scatter", "halvingDoubling", "1", "1", "10", "inf", "1048576", "40666", "40666", "sim", "aware" },
		{ "Switch", "16", "50", "500", "reduce_scatter", "ring", "1", "1", "10", "inf", "1048576", "51760", "51760", "sim", "aware" },
		{ "Switch", "32", "50", "500", "all_reduce", "ring", "1", "1", "10", "inf", "1073741824", "77562630", "77562630", "sim", "aware" },
		{ "Ring", "16", "50", "500", "all_gather", "direct", "1", "1", "10", "inf", "1048576", "23551", "23551", "sim", "unaware" },
		{ "Ring", "16", "50", "500", "all_reduce", "direct", "1", "1", "10", "inf", "131072", "8334", "8334", "sim", "unaware" },
		{ "Ring", "16", "50", "500", "all_to_all", "direct", "1", "1", "10", "inf", "1048576", "5240", "5240", "sim", "unaware" },
		{ "Ring", "16", "50", "500", "reduce_scatter", "direct", "1", "1", "10", "inf", "1048576", "5240", "5240", "sim", "unaware" },
		{ "BidirRing", "16", "50", "500", "all_gather", "ring", "1", "1", "0", "inf", "1048576", "153984", "153984", "formula", "alpha-beta" },
		{ "BidirRing", "16", "50", "500", "all_reduce", "ring", "1", "1", "0", "inf", "1048576", "33311", "33311", "formula", "alpha-beta" },
		{ "BidirRing", "16", "50", "500", "all_to_all", "ring", "1", "1", "0", "inf", "1073741824", "40004000", "40004000", "formula", "alpha-beta" },
		{ "BidirRing", "16", "50", "500", "reduce_scatter", "ring", "1", "1", "0", "inf", "1048576", "16655", "16655", "formula", "alpha-beta" },
		{ "HTreeFat", "16", "50", "500", "all_gather", "halvingDoubling", "1", "1", "0", "inf", "1048576", "302969", "302969", "formula", "alpha-beta" },
		{ "HTreeFat", "16", "50", "500", "all_to_all", "direct", "1", "1", "0", "inf", "1048576", "22311", "22311", "formula", "alpha-beta" },
		{ "HTreeFat", "16", "50", "500", "reduce_scatter", "halvingDoubling", "1", "1", "0", "inf", "1073741824", "18760000", "18760000", "formula", "alpha-beta" },
		{ "HTreeFat", "32", "50", "500", "all_reduce", "halvingDoubling", "1", "1", "0", "inf", "1048576", "67842", "67842", "formula", "alpha-beta" },
		{ "HTreeThin", "16", "50", "500", "all_gather", "halvingDoubling", "1", "1", "0", "inf", "1048576", "635000", "635000", "formula", "alpha-beta" },
		{ "HTreeThin", "16", "50", "500", "all_reduce", "halvingDoubling", "1", "1", "0", "inf", "1073741824", "80020000", "80020000", "formula", "alpha-beta" },
		{ "HTreeThin", "16", "50", "500", "all_to_all", "direct", "1", "1", "0", "inf", "1048576", "82125", "82125", "formula", "alpha-beta" },
		{ "HTreeThin", "16", "50", "500", "reduce_scatter", "halvingDoubling", "1", "1", "0", "inf", "1073741824", "40010000", "40010000", "formula", "alpha-beta" },
		{ "Mesh2D", "16", "50", "500", "all_gather", "hamiltonianRing", "1", "1", "0", "inf", "1048576", "300469", "300469", "formula", "alpha-beta" },
		{ "Mesh2D", "16", "50", "500", "all_reduce", "hamiltonianRing", "1", "1", "0", "inf", "1048576", "51621", "51621", "formula", "alpha-beta" },
		{ "Mesh2D", "16", "50", "500", "reduce_scatter", "hamiltonianRing", "1", "1", "0", "inf", "1048576", "25811", "25811", "formula", "alpha-beta" },
		{ "MeshLine", "16", "50", "500", "all_to_all", "foldedRing", "1", "1", "0", "inf", "1048576", "85625", "85625", "formula", "alpha-beta" },
		{ "MeshLine", "16", "50", "500", "reduce_scatter", "foldedRing", "1", "1", "0", "inf", "1073741824", "18765000", "18765000", "formula", "alpha-beta" },
		{ "MeshLine", "32", "50", "500", "all_gather", "foldedRing", "1", "1", "0", "inf", "1073741824", "620031000", "620031000", "formula", "alpha-beta" },
		{ "MeshLine", "32", "50", "500", "all_reduce", "foldedRing", "1", "1", "0", "inf", "1073741824", "38812000", "38812000", "formula", "alpha-beta" },
		{ "FullyConnectedxSwitch", "4x8", "200x25", "100x2000", "all_gather", "direct+direct", "1", "1", "10", "inf", "1048576", "82264", "82264", "sim", "unaware" },
		{ "FullyConnectedxSwitch", "4x8", "200x25", "100x2000", "all_reduce", "direct+direct", "1", "1", "10", "inf", "1048576", "13150", "13150", "sim", "unaware" },
		{ "FullyConnectedxSwitch", "4x8", "200x25", "100x2000", "all_reduce", "ring+ring", "1", "1", "10", "inf", "1048576", "81230", "81230", "sim", "unaware" },
		{ "RingxFullyConnectedxSwitch", "2x8x4", "200x100x50", "50x500x2000", "all_gather", "ring+ring+ring", "1", "1", "10", "inf", "67108864", "31265690", "31265690", "sim", "unaware" },
		{ "RingxRing", "4x4", "50x50", "500x500", "all_gather", "ring+ring", "1", "1", "10", "inf", "67108864", "18753080", "18753080", "sim", "unaware" },
		{ "RingxRing", "4x4", "50x50", "500x500", "all_reduce", "direct+direct", "1", "1", "10", "inf", "1048576", "16274", "16274", "sim", "unaware" },
		{ "RingxRing", "4x8", "80x80", "1000x1000", "all_gather", "ring+halvingDoubling", "1", "1", "10", "inf", "67108864", "24228830", "24228830", "sim", "unaware" },
		{ "RingxRing", "4x8", "80x80", "1000x1000", "reduce_scatter", "direct+direct", "1", "1", "10", "inf", "67108864", "225766", "225766", "sim", "unaware" },
		{ "RingxRing", "4x8", "80x80", "1000x1000", "reduce_scatter", "ring+ring", "1", "1", "10", "inf", "67108864", "766954", "766954", "sim", "unaware" },
		{ "RingxRing", "8x8", "50x50", "500x500", "all_to_all", "direct+direct", "1", "1", "10", "inf", "1048576", "8922", "8922", "sim", "unaware" },
		{ "RingxRingxRing", "4x4x4", "100x50x25", "250x500x1000", "all_gather", "ring+direct+halvingDoubling", "1", "1", "10", "inf", "1048576", "668902", "668902", "sim", "unaware" },
		{ "RingxRingxRing", "4x4x4", "100x50x25", "250x500x1000", "all_gather", "ring+ring+ring", "1", "1", "10", "inf", "67108864", "52505370", "52505370", "sim", "unaware" },
		{ "RingxRingxRing", "4x4x4", "100x50x25", "250x500x1000", "all_to_all", "direct+direct+direct", "1", "1", "10", "inf", "67108864", "1097310", "1097310", "sim", "unaware" },
		{ "RingxRingxRing", "4x4x4", "100x50x25", "250x500x1000", "all_to_all", "ring+ring+ring", "1", "1", "10", "inf", "1048576", "113238", "113238", "sim", "unaware" },
		{ "SwitchxRing", "8x4", "400x50", "936.25x1000", "all_to_all", "ring+ring", "1", "1", "10", "inf", "1048576", "96608", "96608", "sim", "unaware" },
		{ "SwitchxSwitch", "8x8", "400x50", "936.25x2500", "all_gather", "ring+halvingDoubling", "1", "1", "10", "inf", "67108864", "17528224", "17528224", "sim", "unaware" },
		{ "SwitchxSwitch", "8x8", "400x50", "936.25x2500", "all_to_all", "ring+ring", "1", "1", "10", "inf", "1048576", "269884", "269884", "sim", "unaware" },
		{ "SwitchxSwitch", "8x8", "400x50", "936.25x2500", "reduce_scatter", "ring+ring", "1", "1", "10", "inf", "1048576", "52534", "52534", "sim", "unaware" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		judge(&rows[i], true);
}

/* More bytes never take less, more bandwidth never more; auto is as fast as the fastest, and no link carries more than it can. */
static void times_are_monotone(void **state)
{
	struct random random = { 41 };

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct dimension x = { (enum dimension_kind)random_below(&random, 5), INT64_C(2) << random_below(&random, 6), 1 + random_below(&random, 2), 1e9, 1e-6 * random_below(&random, 5), 1e9, 0, 0 };
		struct collective_request r = { .op = (enum collective)random_below(&random, COLLECTIVE_P2P), .bytes = 1 + random_below(&random, 1 << 24), .store_forward = random_below(&random, 2) };
		struct collective_time fastest, t;
		struct diagnostic d;
		double least = INFINITY;

		assert_int_equal(collective_time(&x, 1, &r, &fastest, &d), STATUS_OK);
		for (int a = ALGORITHM_RING; a < ALGORITHM_COUNT; a++) {
			struct collective_request more = r;
			struct dimension wide = x;
			struct collective_time other;

			more.algorithm[0] = r.algorithm[0] = (enum algorithm)a;
			assert_int_equal(collective_time(&x, 1, &r, &t, &d), algorithm_does((enum algorithm)a, &x, r.op) ? STATUS_OK : STATUS_INPUT);
			if (!algorithm_does((enum algorithm)a, &x, r.op)) {
				assert_non_null(strstr(d.text, "what does: "));
				continue;
			}
			least = fmin(least, x.kind == DIMENSION_TREE ? t.seconds : t.alpha + fmax(t.beta, t.link_bytes / x.bandwidth));
			more.bytes *= 2;
			wide.bandwidth *= 2;
			assert_int_equal(collective_time(&x, 1, &more, &other, &d), STATUS_OK);
			assert_true(other.seconds >= t.seconds);
			assert_int_equal(collective_time(&wide, 1, &r, &other, &d), STATUS_OK);
			assert_true(other.seconds <= t.seconds);
		}
		assert_true(fabs(fastest.seconds - least) <= 1e-12 * least);
	}
}

/* ---- exchanges of levels ---- */

/* Link by link, one dimension: rank i sends to i xor offset; which directed links that takes, counted in load. */
static void walk(const struct dimension *x, int64_t i, int64_t offset, int *load, int *hops)
{
	int64_t n = x->size, to = i ^ offset, apart = (to - i + n) % n;

	switch (x->kind) {
	case DIMENSION_RING:
		/* 0 .. n - 1 clockwise from each, n .. 2 n - 1 the other way; the shorter, clockwise when they are alike */
		for (int64_t at = i; at != to; (*hops)++) {
			load[apart <= n - apart ? at : n + at]++;
			at = apart <= n - apart ? (at + 1) % n : (at + n - 1) % n;
		}
		break;
	case DIMENSION_LINE:
		for (int64_t at = i; at != to; at += to > i ? 1 : -1, (*hops)++)
			load[to > i ? at : n + at]++;
		break;
	case DIMENSION_TREE:
		/* node of height l above leaf i: links up are numbered by height and subtree */
		for (int l = 0; i >> l != to >> l; l++) {
			load[(l << 12) + (i >> l)]++;
			load[(1 << 17) + (l << 12) + (to >> l)]++;
			*hops += 2;
		}
		break;
	case DIMENSION_SWITCH:
		load[i]++;
		load[n + to]++;
		*hops = 2;
		break;
	default:
		load[i * n + to]++;
		*hops = 1;
	}
}

static void exchanges_are_routed(void **state)
{
	static int load[1 << 18];
	static const char *const kinds[] = { "ring:%d", "mesh:%d", "full:%d", "switch:%d", "htree:%d", "htree:%d^2", "htree:%d^0.5", "torus:%dx2" };

	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (int bits = 1; bits <= 6; bits++) {
			struct topology t, resolved;
			struct dimension all[NETWORK_DIMENSIONS_MAX];
			struct diagnostic d;
			char text[64];
			int levels;

			snprintf(text, sizeof text, kinds[k], 1 << bits);
			assert_int_equal(topology_parse(text, &t, &d), STATUS_OK);
			assert_int_equal(topology_resolve(&t, 0, 1e9, 1e-6, &resolved, &d), STATUS_OK);
			topology_dimensions(&resolved, false, all);
			levels = bits + (kinds[k][0] == 't');
			for (int level = levels - bits + 1; level <= levels; level++) {
				struct exchange e = exchange_level(&resolved, level, levels, &(struct exchange_request){ .bytes = 8e6, .messages = 3 });
				int most = 0, hops = 0, farthest = 0;
				double slowest = 0;

				memset(load, 0, sizeof load);
				for (int64_t i = 0; i < 1 << bits; i++, hops = 0) {
					walk(&all[0], i, e.offset, load, &hops);
					farthest = hops > farthest ? hops : farthest;
				}
				for (int link = 0; link < 1 << 18; link++) {
					double bandwidth = all[0].kind == DIMENSION_TREE ? 1e9 * pow(all[0].gain, (link & ~(1 << 17)) >> 12) : 1e9;

					most = load[link] > most ? load[link] : most;
					slowest = fmax(slowest, load[link] * 8e6 / bandwidth);
				}
				assert_true(e.on.kind == all[0].kind && e.offset == 1 << (levels - level));
				assert_true(e.hops == farthest && fabs(e.beta - slowest) <= 1e-12 * slowest && fabs(e.alpha - 3e-6 * farthest) < 1e-15);
				assert_true(all[0].kind == DIMENSION_TREE || e.load == most);
				for (int64_t place = 0; all[0].kind == DIMENSION_RING && place < 1 << bits; place++) {
					assert_true(exchange_link_messages(&e, place, false) == load[place]);
					/* the other way round a link is walked from its far end */
					assert_true(exchange_link_messages(&e, place, true) == load[(1 << bits) + (place + 1) % (1 << bits)]);
				}
				for (int64_t place = 0; all[0].kind == DIMENSION_LINE && place + 1 < 1 << bits; place++)
					assert_true(exchange_link_messages(&e, place, false) == load[place] && exchange_link_messages(&e, place, true) == load[(1 << bits) + place + 1]);
				for (int height = 0; all[0].kind == DIMENSION_TREE && height < bits; height++)
					assert_true(exchange_link_messages(&e, height, false) == load[height << 12]);
			}
		}
}

/* HyPar's array: what a pair moves at the outermost level goes over the tree's top link, whatever lies below. */
static void a_tree_carries_a_level_over_one_link(void **state)
{
	struct topology t = topology_bare(TOPOLOGY_HTREE), resolved;
	struct diagnostic d;

	(void)state;
	assert_int_equal(topology_resolve(&t, 16, 0.25e9, 0, &resolved, &d), STATUS_OK);
	for (int level = 1; level <= 4; level++) {
		double pair = 1e9, members = 16 >> level;
		struct exchange e = exchange_level(&resolved, level, 4, &(struct exchange_request){ .bytes = pair / members, .messages = 1 });

		assert_true(exchange_seconds(&e) == pair / 0.25e9);
		assert_true(e.hops == 2 * (5 - level) && e.link_bytes == pair);
	}
}

/* Tiers: the inner levels stay in the inner tier, and are as fast as it. */
static void levels_lie_in_tiers(void **state)
{
	struct topology t, resolved;
	struct diagnostic d;

	(void)state;
	assert_int_equal(topology_parse("switch:8@300GB/s,1us+ring:4@25GB/s,5us,2,4", &t, &d), STATUS_OK);
	assert_int_equal(topology_resolve(&t, 32, 1, 1, &resolved, &d), STATUS_OK);
	for (int level = 1; level <= 5; level++) {
		struct exchange e = exchange_level(&resolved, level, 5, &(struct exchange_request){ .bytes = 1e9, .messages = 2, .endpoint_delay = 1e-7 });

		assert_int_equal(e.on.tier, level <= 2);
		if (level <= 2)
			assert_true(e.on.bandwidth == 12.5e9 && e.beta == (level == 1 ? 2 : 1) * 1e9 / 12.5e9 && fabs(e.alpha - 2 * ((level == 1 ? 2 : 1) * 5e-6 + 2e-7)) < 1e-15);
		else
			assert_true(e.beta == 1e9 / 300e9 && fabs(e.alpha - 2 * (2e-6 + 2e-7)) < 1e-15);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_is_written_back),
		cmocka_unit_test(files_are_topologies),
		cmocka_unit_test(shared_links_are_shared),
		cmocka_unit_test(slips_are_told_with_what_is_right),
		cmocka_unit_test(sizes_follow_or_fit_the_accelerators),
		cmocka_unit_test(times_are_the_simulators),
		cmocka_unit_test(times_of_some),
		cmocka_unit_test(times_are_monotone),
		cmocka_unit_test(exchanges_are_routed),
		cmocka_unit_test(a_tree_carries_a_level_over_one_link),
		cmocka_unit_test(levels_lie_in_tiers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
