#!/bin/sh
# The rules of the house that a compiler does not check.  TAP; run from the source root.
# B: the build folder (build), where the library, the program and the man pages are looked at when they are there.
set -u
export LC_ALL=C
B=${B:-build}
whypar=${WHYPAR:-$B/whypar}
found=$(mktemp) || exit 1
trap 'rm -f "$found"' EXIT
count=0 failed=0

# rule TEXT: passes when nothing was written to $found.
rule() {
	count=$((count + 1))
	if [ -s "$found" ]; then
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$found" | head -n 20
	else
		echo "ok $count - $1"
	fi
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }

code=$(find src ui man tests -name '*.[ch]' | sort)
scripts=$(find tests .ci -name '*.sh' -o -path '*.ci/*' -type f | sort)
words=$(find README.md man data -type f \( -name '*.md' -o -name '*.in' -o -name '*.[1-8]' -o -name '*.why' -o -name '*.csv' \) 2>/dev/null | sort)
all="Makefile $code $scripts $words"

# ---- curses stays in one file ----

grep -lE '#[ 	]*include[ 	]*<(ncursesw/|ncurses/)?(n?curses|term|panel|menu|form)\.h>' $code | grep -v '^ui/term\.c$' >"$found"
rule "only ui/term.c includes curses"
if [ -f "$B/libwhypar.a" ]; then
	nm -u "$B/libwhypar.a" 2>/dev/null |
		grep -wE '(initscr|newterm|endwin|stdscr|curscr|doupdate|w?refresh|wnoutrefresh|w?add(str|ch)|w?addn?str|mv.*|getch|wgetch|setupterm|tigetstr|tigetnum|tparm|tputs|start_color|init_pair|wmove|curs_set)' >"$found"
	rule "libwhypar.a needs no symbol of curses"
else
	skip "libwhypar.a needs no symbol of curses" "not built"
fi

# ---- imports go one way: {ui, main} -> report -> study -> mine -> pipeline -> schedule -> partition -> hardware -> model -> base ----

one_way() {
	allowed=
	for folder in base model hardware network partition schedule pipeline mine study report; do
		allowed="$allowed|$folder"
		grep -nE '#[ 	]*include[ 	]*"' src/$folder/*.[ch] /dev/null | grep -vE "include[ 	]*\"(${allowed#|})/"
	done
	grep -nE '#[ 	]*include[ 	]*"' ui/*.[ch] /dev/null | grep -vE 'include[ 	]*"(base|model|hardware|network|schedule|partition|pipeline|mine|study|report|ui)/'
	grep -nE '#[ 	]*include[ 	]*"' src/main.c | grep -vE 'include[ 	]*"(base/|model/|hardware/|network/|schedule/|partition/|pipeline/|mine/|study/|report/|ui/|cli\.h)'
}
one_way >"$found"
rule "imports go one way"
for folder in src/*/; do
	case $folder in src/base/ | src/model/ | src/hardware/ | src/network/ | src/schedule/ | src/partition/ | src/pipeline/ | src/mine/ | src/study/ | src/report/) ;; *) echo "$folder has no place in the order" ;; esac
done >"$found"
rule "every folder of src has its place in that order"

# ---- files ----

# the words are put together here so that this file is not found itself
grep -nwE "TO""DO|FIX""ME|X""XX" $all >"$found"
rule "nothing is left to do in a comment"
grep -nE "/(ho""me|wo""rk|ro""ot|Us""ers)/" $all >"$found"
rule "no path of one machine"
grep -niE "pyth""on" Makefile $scripts $words >"$found"
rule "nothing needs a second language"
for file in $code $scripts; do
	lines=$(wc -l <"$file")
	[ "$lines" -le 650 ] || echo "$file: $lines lines"
done >"$found"
rule "no file over 650 lines"
for file in $code; do
	case $file in
	*.h)
		guard=$(sed -n 's/^#ifndef \(WHYPAR_[A-Z0-9_]*_H\)$/\1/p' "$file" | head -n 1)
		[ -n "$guard" ] && grep -q "^#define $guard\$" "$file" || { echo "$file: no guard"; continue; }
		echo "$guard" >>"$found.guards"
		;;
	esac
done >"$found"
[ ! -f "$found.guards" ] || sort "$found.guards" | uniq -d | sed 's/$/: twice/' >>"$found"
rm -f "$found.guards"
rule "every header has a guard of its own, named WHYPAR_..."
grep -nE '[ 	]+$' $code $scripts >"$found"
rule "no blanks at the ends of lines"
for script in $scripts; do
	sh -n "$script" 2>&1
done >"$found"
rule "every script parses"

# ---- the manual ----

pages=$(ls "$B"/man/*.[157] 2>/dev/null)
if [ -n "$pages" ] && [ -x "$whypar" ] && command -v mandoc >/dev/null 2>&1; then
	mandoc -T lint -W warning $pages >"$found" 2>&1
	rule "mandoc has nothing to say about the man pages"
	# as read: no bold by overstriking
	read_pages() { mandoc -T ascii -O width=200 "$@" | sed "s/.$(printf '\010')//g"; }
	read_pages $pages >"$found.pages"
	for list in commands parameters; do
		# the first word of each line that begins one
		for name in $("$whypar" "$list" | sed -n 's/^\([a-z][a-z_-]*\).*/\1/p'); do
			grep -qE -e "(^|[^a-z-])$name([^a-z-]|\$)" "$found.pages" || echo "$list: $name"
		done
	done >"$found"
	rule "every command and parameter is in the man pages"
	read_pages "$B/man/whypar.1" >"$found.pages"
	for name in $("$whypar" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p; s/^ *whypar \([a-z][a-z]*\) .*/\1/p'); do
		grep -qE -e "(^|[^a-z-])$name([^a-z-]|\$)" "$found.pages" || echo "whypar.1: $name"
	done >"$found"
	rule "every option and subcommand is in whypar(1)"
	rm -f "$found.pages"
else
	skip "the man pages" "no pages, no program or no mandoc"
fi

echo "1..$count"
[ "$failed" -eq 0 ]
