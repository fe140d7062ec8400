#!/bin/sh
# Runs test programs that speak TAP, as many at once as there are cores, and sums them up: `N passed, N failed[, N skipped]`.
# Scripts (.sh) run through sh.  A program that dies, or that reports nothing, counts as one failure.
set -u
kept=$(mktemp -d) || exit 1
trap 'rm -rf "$kept"' EXIT
trap 'exit 1' HUP INT TERM
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

WHYPAR_DATA=data CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C.UTF-8
export WHYPAR_DATA CMOCKA_MESSAGE_OUTPUT LC_ALL
printf '%s\n' "$@" | xargs -P "$jobs" -I PROGRAM sh -c '
	kept=$1/$(echo "$2" | tr / _)
	case $2 in
	*.sh) sh "$2" ;;
	*) "$2" ;;
	esac >"$kept.out" 2>&1 </dev/null
	echo $? >"$kept.code"' one "$kept" PROGRAM

passed=0 failed=0 skipped=0
for program in "$@"; do
	out=$kept/$(echo "$program" | tr / _).out
	code=$(cat "${out%.out}.code" 2>/dev/null || echo 1)
	# cmocka says "not ok 1 # SKIP name" of a test that it passed over
	skip=$(grep -Ec '^(not )?ok .*# SKIP' "$out")
	ok=$(grep '^ok ' "$out" | grep -vc '# SKIP')
	bad=$(grep '^not ok ' "$out" | grep -vc '# SKIP')
	if [ "$bad" -eq 0 ] && { [ "$code" -ne 0 ] || [ $((ok + skip)) -eq 0 ]; }; then
		bad=1
		echo "$program: exit $code after $((ok + skip)) tests"
	fi
	[ "$bad" -eq 0 ] || grep -v '^ok ' "$out" | tail -n 60
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	echo "$(basename "$(dirname "$program")")/$(basename "$program"): $ok passed, $bad failed, $skip skipped"
done
if [ "$skipped" -gt 0 ]; then echo "$passed passed, $failed failed, $skipped skipped"; else echo "$passed passed, $failed failed"; fi
[ "$failed" -eq 0 ]
