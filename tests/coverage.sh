#!/bin/sh
# coverage.sh BUILD: lines covered by the tests, per folder, of a build made with --coverage that has run `check`.  Needs gcov.
set -eu
build=$(cd "$1" && pwd)
command -v gcov >/dev/null 2>&1 || { echo "coverage: gcov is missing (it comes with gcc)"; exit 1; }
# gcov names objects after the source; it writes nothing with -n and says "File 'x'" then "Lines executed:P% of N"
find "$build/src" "$build/ui" -name '*.gcda' | sort | while read -r data; do
	gcov -n -o "$(dirname "$data")" "$data" 2>/dev/null
done | awk -v quote="'" '
	/^File / { split($0, part, quote); file = part[2]; next }
	/^Lines executed:/ && file ~ /^(src|ui)\/.*\.c$/ && !(file in lines) {
		split($0, number, /[:% ]+/)
		lines[file] = number[5]
		covered[file] = number[3] * number[5] / 100
		folder = file
		sub(/\/[^\/]*$/, "", folder)
		total[folder] += lines[file]
		hit[folder] += covered[file]
		file = ""
	}
	END {
		for (folder in total) {
			printf "%-16s %6.1f %% of %5d lines\n", folder, 100 * hit[folder] / total[folder], total[folder] | "sort"
			all += total[folder]
			all_hit += hit[folder]
		}
		close("sort")
		if (all == 0) {
			print "coverage: nothing was run"
			exit 1
		}
		printf "%-16s %6.1f %% of %5d lines\n", "all", 100 * all_hit / all, all
		for (file in lines)
			if (covered[file] < 0.7 * lines[file])
				printf "  %-32s %6.1f %%\n", file, 100 * covered[file] / lines[file] | "sort"
	}'
