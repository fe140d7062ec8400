#!/bin/sh
# What README.md and the manual pages show is what the program prints.  TAP; run from the source root.
#   README.md: a block whose first line is `$ whypar ...` must be that command's output; one behind the name of a golden file must
#   be that screen.
#   man/*.in: literal blocks and .Dl lines with `$ ...` are played, in order, in a folder for each page:
#     $ cat FILE        what follows is made that file
#     $ COMMAND         what follows must be what it prints, on stdout or stderr; with nothing behind it, it must succeed
#   A command goes on behind a \ or a line with `> `.  In a page a line may be folded at its blanks, and a line `...` leaves out
#   the rest.
set -u
whypar=${WHYPAR:-build/whypar}
whypar=$(cd "$(dirname "$whypar")" && pwd)/$(basename "$whypar")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C.UTF-8 HOME="$folder" WHYPAR_DATA="$PWD/data"
unset XDG_CONFIG_HOME XDG_STATE_HOME
count=0
failed=0
newline='
'

verdict() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; failed=1; fi
}

# ---- README.md ----

# One file a block: block.1, block.2, ..., and beside it the screen that the text before it names.
awk -v folder="$folder" '
	/^```/ { inside = !inside; if (inside) { n++; if (golden != "" && $0 == "```") print golden > (folder "/golden." n); if ($0 == "```") golden = "" } next }
	inside { print > (folder "/block." n) }
	!inside && match($0, "tests/ui/golden/[a-z0-9.-]*") { golden = substr($0, RSTART, RLENGTH) }' README.md
for block in "$folder"/block.*; do
	screen=$(cat "$folder/golden.${block##*.}" 2>/dev/null)
	if [ -n "$screen" ]; then
		sed 's/ *$//' "$screen" >"$folder/golden"
		sed 's/ *$//' "$block" | diff - "$folder/golden" | sed 's/^/# /'
		sed 's/ *$//' "$block" | cmp -s - "$folder/golden"
		verdict $? "the screen is $screen"
	fi
	first=$(head -n 1 "$block")
	case $first in
	'$ whypar '*)
		# The words of the README are plain: no quotes, so splitting them is right.
		"$whypar" ${first#'$ whypar '} >"$folder/printed" 2>/dev/null
		tail -n +2 "$block" | diff - "$folder/printed" | sed 's/^/# /'
		tail -n +2 "$block" | cmp -s - "$folder/printed"
		verdict $? "$first"
		;;
	esac
done
[ "$count" -ge 8 ]
verdict $? "README shows screens and commands"

# ---- man/*.in ----

mkdir "$folder/bin"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$whypar" >"$folder/bin/whypar"
chmod 755 "$folder/bin/whypar"
PATH=$folder/bin:$PATH

# The blocks of a page that hold a command, as text, each behind a line "%".
blocks() {
	awk '
	function plain(s) {
		gsub(/\\&/, "", s); gsub(/\\\(dq/, "\"", s); gsub(/\\\(aq/, "\047", s); gsub(/\\\(\*D/, "Δ", s); gsub(/\\\(mi/, "−", s)
		gsub(/\\\(->/, "→", s); gsub(/\\\(S2/, "²", s); gsub(/\\-/, "-", s); gsub(/\\e/, "\\", s)
		return s
	}
	/^\.Dl \$ / { print "%"; print plain(substr($0, 5)); next }
	/^\.Bd -literal/ { inside = 1; text = ""; shows = 0; next }
	/^\.Ed/ { if (shows) printf "%%\n%s", text; inside = 0; next }
	inside { text = text plain($0) "\n"; if ($0 ~ /^\$ /) shows = 1 }' "$1"
}

# Whether $1, of the page, is $2, of the program.
same() {
	no_break=$(printf '\302\240')
	sed "s/$no_break/ /g" "$2" >"$2.plain"
	awk '
	NR == FNR { page[++n] = $0; next }
	page[i + 1] == "..." { cut = 1; exit }
	{
		shown = page[++i]
		while (shown != $0 && i < n && index($0, shown " ") == 1)
			shown = shown " " page[++i]
		if (shown != $0) { print "# page:    " shown; print "# program: " $0; bad = 1; exit }
	}
	END { if (!bad && !cut && i < n) { print "# only in the page: " page[i + 1]; bad = 1 } exit bad }' "$1" "$2.plain"
}

finish() {
	set -- "$page: $command" "${command#cat }"
	[ -n "$command" ] || return
	case $command in
	'cat '*) mv "$folder/expected" "$2"; return ;;
	*jq*) command -v jq >/dev/null || { echo "# no jq: $command"; return; } ;;
	esac
	sh -c "$command" >"$folder/printed" 2>&1 </dev/null
	code=$?
	if [ -s "$folder/expected" ]; then
		compared=$((compared + 1))
		same "$folder/expected" "$folder/printed"
	else
		[ "$code" -eq 0 ] || sed 's/^/# /' "$folder/printed"
		[ "$code" -eq 0 ]
	fi
	verdict $? "$(echo "$1" | tr '\n' ' ')"
}

compared=0
for source in man/*.in; do
	page=${source#man/}
	blocks "$source" >"$folder/blocks"
	mkdir "$folder/$page"
	cd "$folder/$page" || exit 1
	# names that stand for the reader's own files
	cp "$WHYPAR_DATA/models/lenet-c.csv" my-network.csv
	: >FILE
	command='' in_command=0
	: >"$folder/expected"
	while IFS= read -r line; do
		case $in_command$line in
		?'$ '*)
			finish
			: >"$folder/expected"
			command=${line#'$ '} in_command=1
			;;
		?%)
			finish
			: >"$folder/expected"
			command='' in_command=0
			;;
		1'> '*) command=$command$newline${line#'> '} ;;
		*)
			case $in_command$command in
			1*\\) command=${command%\\}$line ;;
			*) in_command=0; printf '%s\n' "$line" >>"$folder/expected" ;;
			esac
			;;
		esac
	done <"$folder/blocks"
	finish
	cd "$OLDPWD" || exit 1
done
[ "$compared" -ge 10 ]
verdict $? "the pages show the output of at least ten commands"
exit "$failed"
