#!/bin/sh
# whypar-mpi with ranks of this machine: the same file for any number of them, and a lost rank loses nothing.  TAP.
set -u
root=$PWD
whypar=${WHYPAR:-build/whypar}
whypar=$(cd "$(dirname "$whypar")" && pwd)/$(basename "$whypar")
export WHYPAR_DATA="$root/data" LC_ALL=C.UTF-8
# as root, and with more ranks than cores
# MPI itself keeps what it has until the end
export ASAN_OPTIONS=detect_leaks=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if ! command -v mpirun >/dev/null 2>&1 || [ ! -x "$whypar-mpi" ]; then
	echo "ok 1 - ranks # SKIP no MPI here"
	echo "1..1"
	exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
count=0
failed=0
check() {
	count=$((count + 1))
	name=$1
	shift
	if "$@"; then echo "ok $count - $name"; else echo "not ok $count - $name"; failed=1; sed 's/^/# /' log; fi
}
ranks() {
	n=$1
	shift
	mpirun --oversubscribe -n "$n" "$whypar-mpi" "$@" >log 2>&1
}

printf 'model,batch,accelerators,precision\nlenet-c|sfc|cifar-c,16|64|256,2|4|8,bf16|fp32\nnosuch,1,1,fp32\n' >grid.csv
"$whypar" sweep grid.csv -o threads.csv --set solver=accpar >log 2>&1
for n in 1 2 4; do
	ranks $n sweep grid.csv -o ranks.csv --set solver=accpar
	check "$n rank(s) write what threads do" cmp -s threads.csv ranks.csv
	rm -f ranks.csv
done
ranks 2 sweep grid.csv -o threads.csv --set solver=accpar
check "a finished sweep has nothing to do" test $? -eq 0
ranks 2 sweep nosuch.csv -o out.csv
check "a grid that is missing is told once" test "$(grep -c 'cannot open nosuch.csv' log)" -eq 1
ranks 2 report lenet-c
check "whypar-mpi only sweeps" test "$(grep -c 'has one subcommand' log)" -eq 1
ranks 2 sweep grid.csv -o threads.csv --set solver=mp
check "other settings are another sweep" test $? -eq 1 -a "$(grep -c 'belongs to another sweep' log)" -eq 1
printf 'model\nnosuch\n' >failing.csv
ranks 2 sweep failing.csv -o failed.csv
check "a sweep of which all points fail says so" test $? -eq 1 -a "$(grep -c '1 of 1 points failed' log)" -eq 1

# each node has its own files, or lacks them: all ranks end, and rank 0 says whose are wrong
mkdir d0 d1
apart() {
	mpirun --oversubscribe -n 1 -wdir "$tmp/d0" "$whypar-mpi" sweep grid.csv -o out.csv : -n 1 -wdir "$tmp/d1" "$whypar-mpi" sweep grid.csv -o out.csv "$@" >log 2>&1
	code=$?
}
told() {
	test $code -eq "$1" -a "$(grep -c "^whypar-mpi: .*$2" log)" -eq 1 -a ! -e d0/out.csv -a ! -e d0/out.csv.part
}
printf 'model,batch\nlenet-c|net.csv,16\n' >d0/grid.csv
printf 'name,kind,in_ch,out_ch\nfc,linear,16,8\n' >d0/net.csv
apart
check "a rank without the grid" told 1 'rank 1 on .*: cannot open grid.csv'
cp d0/grid.csv d1
apart
check "a rank without a model's file" told 1 'rank 1 on .* are not those of rank 0'
cp d0/net.csv d1
apart --set tc=4
check "a rank with other settings" told 1 'rank 1 on .* are not those of rank 0'
apart --set tcc=4
check "a rank with wrong words" told 2 'rank 1 on .*tcc'
apart
check "ranks with the same files" test $code -eq 0 -a -f d0/out.csv -a ! -e d1/out.csv
rm d0/grid.csv
apart
check "rank 0 without the grid" test $code -eq 1 -a "$(grep -c '^whypar-mpi: cannot open grid.csv' log)" -eq 1

# a rank is killed in the middle of it: the run ends, what was finished is there, and the same command goes on
printf 'model,batch,accelerators,precision,bandwidth\nresnet50|bert-base,16|32|64|128|256|512|1024,2|4|8|16|32|64,bf16|fp32,1GB/s|2GB/s|3GB/s|4GB/s|5GB/s|6GB/s|8GB/s|9GB/s|12GB/s|16GB/s|20GB/s|25GB/s\n' >large.csv
ranks 4 sweep large.csv -o killed.csv &
run=$!
waited=0
rows() {
	sed -n '/^[0-9]/p' "$1" 2>/dev/null | wc -l
}
while [ $waited -lt 400 ] && [ ! -f killed.csv ] && [ "$(rows killed.csv.part)" -lt 40 ]; do
	sleep 0.05
	waited=$((waited + 1))
done
# the youngest rank is none that hands out
victim=
for process in /proc/[0-9]*; do
	words=$({ tr "\\0" " " <"$process/cmdline"; } 2>/dev/null)
	case $words in "$whypar-mpi sweep large.csv"*) [ "${process#/proc/}" -gt "${victim:-0}" ] && victim=${process#/proc/} ;; esac
done
[ -n "$victim" ] && kill -9 "$victim"
wait $run
code=$?
if [ -f killed.csv ]; then
	echo "# the sweep was over before its rank was gone ($code)"
else
	check "a lost rank ends the run with what was finished" test $code -ne 0 -a "$(rows killed.csv.part)" -ge 40
	ranks 4 sweep large.csv -o killed.csv
fi
"$whypar" sweep large.csv -o whole.csv >log 2>&1
check "and nothing is lost or done twice" cmp -s whole.csv killed.csv

echo "1..$count"
[ "$failed" -eq 0 ]
