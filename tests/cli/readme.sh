#!/bin/sh
# What README.md shows is what the program prints.  TAP; run from the source root.
#   A block whose first line is `$ whypar ...` must be that command's output; the block with the screen must be the golden file.
set -u
whypar=${WHYPAR:-build/whypar}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
count=0

verdict() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; failed=1; fi
}
failed=0

# One file a block: block.1, block.2, ...
awk -v folder="$folder" '/^```/ { inside = !inside; if (inside) n++; next } inside { print > (folder "/block." n) }' README.md
for block in "$folder"/block.*; do
	first=$(head -n 1 "$block")
	case $first in
	'$ whypar '*)
		# The words of the README are plain: no quotes, so splitting them is right.
		"$whypar" ${first#'$ whypar '} >"$folder/printed" 2>/dev/null
		tail -n +2 "$block" | diff - "$folder/printed" | sed 's/^/# /'
		tail -n +2 "$block" | cmp -s - "$folder/printed"
		verdict $? "$first"
		;;
	*'· batch 16 '*)
		sed 's/ *$//' tests/ui/golden/edited-80x24.block >"$folder/golden"
		sed 's/ *$//' "$block" | diff - "$folder/golden" | sed 's/^/# /'
		sed 's/ *$//' "$block" | cmp -s - "$folder/golden"
		verdict $? "the screen is the golden one"
		;;
	esac
done
[ "$count" -ge 3 ]
verdict $? "README shows a screen and at least two commands"
exit "$failed"
