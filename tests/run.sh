#!/bin/sh
# Runs test programs that speak TAP and sums them up: `N passed, N failed[, N skipped]`.  Scripts (.sh) run through sh.
# A program that dies, or that reports nothing, counts as one failure.
set -u
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
for program in "$@"; do
	case $program in
	*.sh) set -- sh "$program" ;;
	*) set -- "$program" ;;
	esac
	WHYPAR_DATA=data CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C.UTF-8 "$@" >"$out" 2>&1
	code=$?
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
