#!/bin/sh
# The command line against CLI.md: exit codes, where output goes, what messages say.  TAP; run from the source root.
# WHYPAR: the program (build/whypar); B: the folder it was built in.
set -u
root=$(pwd)
B=${B:-build}
whypar=${WHYPAR:-$B/whypar}
whypar=$(cd "$(dirname "$whypar")" && pwd)/$(basename "$whypar")
json=$(cd "$B" && pwd)/tests/cli/json
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
unset WHYPAR_DATA
export LC_ALL=C.UTF-8
# built outside of the tree there is no data beside the program
[ -d "$(dirname "$whypar")/../data/models" ] || export WHYPAR_DATA="$root/data"
cd "$tmp" || exit 1

count=0 failed=0
ok() { count=$((count + 1)); echo "ok $count - $1"; }
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
not_ok() {
	count=$((count + 1)) failed=$((failed + 1))
	echo "not ok $count - $1"
	sed 's/^/# /' err | head -n 5
}
# check TEXT COMMAND...: passes when the command does.
check() { text=$1; shift; if "$@"; then ok "$text"; else not_ok "$text"; fi; }

run() { "$whypar" "$@" >out 2>err </dev/null; code=$?; }

# succeeds ARGUMENTS: exit 0, something on stdout, nothing on stderr.
succeeds() {
	run "$@"
	if [ $code -eq 0 ] && [ -s out ] && [ ! -s err ]; then ok "$*"; else not_ok "exit $code: $*"; fi
}
# fails CODE PHRASE ARGUMENTS: that exit code, an empty stdout, and the phrase on stderr, in one line or a few.
fails() {
	want=$1 phrase=$2
	shift 2
	run "$@"
	if [ $code -eq "$want" ] && [ ! -s out ] && grep -qF -e "$phrase" err && [ "$(wc -l <err)" -le 11 ]; then
		ok "exit $want: $*"
	else
		not_ok "exit $code, want $want and \"$phrase\": $*"
	fi
}
# No byte that could act on a terminal: C0 but newline, DEL, C1, line separators, direction overrides.
harmless() {
	[ "$(LC_ALL=C tr -d '\012\040-\176\200-\377' <"$1" | wc -c)" -eq 0 ] &&
		! LC_ALL=C grep -q "$(printf '\302[\200-\237]\|\342\200[\250-\256]')" "$1"
}
is_json() {
	[ -x "$json" ] || return 0
	"$json" "$@" <out 2>err
}

# ---- files to read ----

cat >small.csv <<'END'
name,kind,in_ch,in_h,in_w,kernel,out_ch
conv1,conv,3,8,8,3,16
fc,linear,576,1,1,,100
fc,linear,100,1,1,,10
END
: >empty.csv
printf 'name,kind,in_ch,out_ch\n' >header.csv
printf 'name,kind,in_ch,out_ch\nfc,linear,ten,10\n' >bad.csv
printf 'name,kind,in_ch,out_ch\nfc,linear,99999999999999999999,10\n' >huge.csv
printf 'name,kind,in_ch,out_ch\nfc,lin\000ear,10,10\n' >nul.csv
head -c 4096 /dev/urandom >noise.csv
truncate -s 1G line.csv
cp small.csv 'a b "c".csv'
printf 'set batch=64\npin fc mp\n' >good.why
printf '# fine\nset batch=64\nset batch=zero\n' >bad.why
cat >own.csv <<'END'
name,kind,tc,tc_rows,tc_cols,vc,vc_lanes,glb [MiB],memory [GiB],bandwidth [GB/s],clock [GHz],dataflow,precision,mac [pJ],source
tiny,systolic,1,4,4,1,4,1,1,1,1,os,fp32,4.6,ours
wide,systolic,4,8,8,2,8,1,1,1,1,ws,fp32,4.6,ours
END
sed 's/\[MiB\]//' own.csv >unitless.csv
cut -d, -f1-9,11- own.csv >narrow.csv
cat >times.csv <<'END'
operation,m,n,k,elements,time [us]
gemm,256,100,576,,25
gemm,7,7,7,,1
relu,,,,25600,3
END
printf 'operation,m,n,k,time\ngemm,1,1,1,1\n' >unitless-times.csv
printf 'operation,m,n,k,time [us]\ngemm,1,1,1,0\n' >bad-times.csv
printf 'name,kind,in_ch,out_ch\ncon\033[31mv\007,linear,10,10\nx\302\2331m\342\200\256y,linear,10,10\n"a\rb",linear,10,10\n' >hostile.csv

# ---- help and version, anywhere and first ----

for arguments in --help --version 'report --help' 'nosuch --version' '--set nosuch=1 --help' '--nosuch --help'; do
	# shellcheck disable=SC2086
	(unset TERM; exec "$whypar" $arguments) >out 2>err </dev/null
	check "without TERM: $arguments" test $? -eq 0 -a -s out -a ! -s err
done
run --version
check "the version is one line" test "$(wc -l <out)" -eq 1
run --help
for word in report why flips check convert models parameters commands --set --do --source --json --csv --level --knob --script --batch --no-config; do
	grep -q -e "$word" out || { not_ok "--help names $word"; continue; }
done
check "--help fits 80 columns or so" test "$(LC_ALL=C awk '{ if (length > m) m = length } END { print m }' out)" -le 130

# ---- what succeeds ----

succeeds report lenet-c
succeeds report small.csv
succeeds report 'a b "c".csv'
succeeds lenet-c
succeeds report lenet-c --set batch=64 --set accelerators=1
succeeds report lenet-c --set accelerators=4096 --set batch=4096
succeeds report lenet-c --set 'batch=4k' --set solver=joint
succeeds report lenet-c --do 'solve accpar' --do 'pin fc1 H1 mp'
succeeds report small.csv --source good.why
run report lenet-c --source dp-or-mp
check "what a script says goes to stderr, results to stdout" sh -c '[ "$1" -eq 0 ] && [ -s out ] && [ "$(grep -c "^whypar: [1-5] of 5" err)" -eq 5 ]' - "$code"
run report lenet-c --source critical-path
check "the other lesson runs too" sh -c '[ "$1" -eq 0 ] && [ -s out ] && [ "$(grep -c "^whypar: [1-5] of 5" err)" -eq 5 ]' - "$code"
succeeds why lenet-c fc1
succeeds why lenet-c '#3' --level 4
succeeds flips lenet-c fc1 --knob batch
succeeds check small.csv
succeeds models
succeeds parameters
succeeds commands
succeeds accelerators
succeeds networks
cat >nccl.txt <<'END'
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
       65536         16384     float     sum      -1    24.13    2.72    4.07      0    23.97    2.73    4.10      0
     1048576        262144     float     sum      -1    45.10   23.25   34.87      0    44.80   23.41   35.11      0
    16777216       4194304     float     sum      -1    380.2   44.13   66.19      0    379.9   44.16   66.24      0
END
succeeds calibrate nccl.txt
succeeds calibrate nccl.txt 4 --set network=nvlink2
fails 1 'no number of ranks' calibrate nccl.txt one
fails 1 'no row of nccl-tests' calibrate small.csv
succeeds report lenet-c --do 'calibrate nccl.txt'
succeeds collective all-reduce 64MiB --set network=dgx-h100 --set accelerators=64
succeeds collective p2p 1kB --set topology=torus:8x8 --set switching=store_forward
fails 2 'did you mean all-gather' collective all-gater 1MB
fails 1 'unknown unit' collective all-gather 1xB
fails 1 'what does: direct' collective all-to-all 1MB --set topology=htree --set algorithm=ring
fails 1 'joins 8, and there are 16' report lenet-c --set topology=ring:8
cat >chain.json <<'END'
{ "maxMemoryPerDevice": 9e6, "maxDevices": 4, "bandwidth": 1e9, "mbsInBatch": 8, "activationRecomputation": false, "optimizerAlgorithm": "SGD",
  "nodes": { "1": [
    { "id": 0, "parameterSize": 1e6, "activationSize": 2e6, "optimalLatencyFw": 0.1, "optimalLatencyBw": 0.2, "isTensorParallelized": false },
    { "id": 1, "parameterSize": 1e6, "activationSize": 2e6, "optimalLatencyFw": 0.1, "optimalLatencyBw": 0.2, "isTensorParallelized": false } ] },
  "edges": { "1": [ { "sourceId": 0, "destId": 1, "communicationCost": 1000 } ] } }
END
sed 's/9e6/3e6/' chain.json >small.json
sed 's/"mbsInBatch": 8/"mbsInBatch": 0/' chain.json >none.json
succeeds stages chain.json --json
check 'stages --json has its keys' is_json time_per_batch_s max_load_s data tensor stages feasible
fails 3 'the least of all is' stages small.json
fails 1 'mbsInBatch: 0 is out of range' stages none.json
succeeds stages small.csv devices=16
printf 'neither one\nnor the other\n' >neither.txt
fails 1 'no profiled layer graph' stages neither.txt
cat >graph.txt <<'END'
node1 -- Linear(in_features=4, out_features=4, bias=False) -- forward_compute_time=1, backward_compute_time=2, activation_size=32, parameter_size=64
node2 -- Linear(in_features=4, out_features=4, bias=False) -- forward_compute_time=1, backward_compute_time=2, activation_size=32, parameter_size=64
	node1 -- node2
END
succeeds check graph.txt
succeeds report graph.txt --json
succeeds stages graph.txt --json
succeeds stages chain.json devices=1 memory=1GB bandwidth=1GB/s microbatches=2
run stages graph.txt devices=2
check 'stages says what it assumed' grep -q 'assumed: memory=16GiB bandwidth=1GB/s microbatches=64' out
fails 2 'did you mean devices' stages graph.txt device=2
succeeds stages graph.txt devices=2 by=memory --json
fails 1 'by=time or by=memory' stages graph.txt by=size
succeeds stages vgg-a devices=4 --set accelerators=1 --set batch=8 --set accelerator=tpuv3 --json
check 'stages of a model has its keys' is_json time_per_batch_s max_load_s data tensor stages feasible
run stages vgg-a devices=4 cut=conv3_2 join=fc1 --set accelerators=1 --set batch=8 --set accelerator=tpuv3
check 'a stage ends where it was cut' grep -q ': conv1_1 to conv3_2$' out
fails 1 'no layer of that name' stages vgg-a cut=nowhere --set accelerators=1
run stages vgg-a devices=64 --set bandwidth=10GB/s
check "stages of arrays tell their width" grep -q "tensor width" out
succeeds plan gpt2-xl 8 --set accelerator=a100 --set accelerators=1 --set precision=bf16 --set optimizer=adam --json
check 'plan --json has its keys' is_json model gpu cluster gpus evaluated fitting plans plain megatron deepspeed
fails 1 'set accelerator=a100 or h100' plan gpt2-xl 8
fails 1 'is no transformer' plan vgg-a 8 --set accelerator=a100 --set accelerators=1
fails 1 'no whole number' plan gpt2-xl 0
fails 3 'takes 368' plan gpt3-175b 8 --set accelerator=a100 --set accelerators=1 --set precision=bf16 --set optimizer=adam --set batch=8
run report gpt3-175b --require-fit --set accelerator=a100 --set accelerators=1 --set precision=bf16 --set batch=8
check 'what must fit and does not is exit 3' test "$code" -eq 3
check 'and says by how much' grep -q 'one a100 has 80' err
succeeds report gpt2-xl --require-fit --set accelerator=a100 --set accelerators=1 --set precision=bf16 --set batch=8 --set replicas=8
run report lenet-c --require-fit --set hbm=1MiB
check 'the memory that is set is what a run must fit' test "$code" -eq 3 -a "$(grep -c 'takes 3.18 MiB of memory, and one hmc has 1.00 MiB' err)" -gt 0
run report gpt2-xl --require-fit --set accelerator=a100 --set accelerators=1 --set precision=bf16 --set batch=8 --set replicas=8 --set hbm=10GiB
check 'also on a cluster' test "$code" -eq 3 -a "$(grep -c 'and one a100 has 10' err)" -gt 0
succeeds reproduce megatron --json
check 'reproduce megatron --json has its keys' is_json paper rows summary
fails 2 'behind the file or model stand' stages graph.txt 2
fails 1 'out of range' stages graph.txt devices=0
fails 1 'a layer graph of Phaze' report chain.json
sed 's/node2$/node3/' graph.txt >broken.txt
fails 1 'broken.txt:3:11: the edge' stages broken.txt
fails 1 'joins 8, and there are 16' why lenet-c fc1 --set topology=ring:8
fails 1 'has no unit' report lenet-c --set bandwidth=100000
fails 1 'has no unit' report lenet-c --set latency=1
fails 1 'did you mean hdr' report lenet-c --set topology=hrd
fails 1 'set accelerators to 8' report lenet-c --set accelerators=4 --set replicas=3 --set network=dgx-a100
# six tiers of many digits are saved and read back whole
tiers=switch:2@0.0123456789GiB/s,1.23us,1024,1.5
many=$tiers+$tiers+$tiers+$tiers+$tiers+switch:64@1.23GiB/s,20us
run report lenet-c --set accelerators=2048 --set "topology=$many" --do 'save long.why' --json
mv out long.json
run report lenet-c --source long.why --json
check 'a long topology survives saving' cmp -s out long.json
fails 1 'did you mean ring' report lenet-c --set topology=rnig
fails 1 'Gb/s are bits' report lenet-c --set topology=ring@100
fails 1 'out of range' report lenet-c --set bandwidth=0GB/s
fails 1 'did you mean nvlink3' report lenet-c --set network=nvlnk3
succeeds ops lenet-c
succeeds ops lenet-c fc1:bwd_data
succeeds explain lenet-c conv1 step
succeeds explain lenet-c conv1 cycles bwd_weight
case $WHYPAR in
*asan*) ;;               # ten times half a minute
*)
	succeeds reproduce wham --json
	check 'reproduce wham --json has its keys' is_json paper rows summary
	;;
esac
succeeds reproduce hypar
fails 2 'no paper "hypr"' reproduce hypr
succeeds explain lenet-c conv1 area
succeeds explain lenet-c conv1.relu:bwd_data cycles
fails 1 'not of an operator' explain lenet-c conv1:fwd margin
fails 1 'no operator "conv9:fwd"' explain lenet-c conv9:fwd time
succeeds ops small.csv --csv --set accelerator=tpuv2 --set precision=bf16 --set 'clock=1.4 GHz' --set fusion=off
run ops small.csv --do 'accelerator own.csv wide' --do 'set optimizer=adam'
check "ops says on stderr that operators share the memory" test $code -eq 0 -a "$(grep -c 'longer than its schedule says' err)" -eq 1
succeeds ops small.csv --do 'latencies times.csv' --do 'latencies none'
succeeds report -- lenet-c
cp small.csv ./--json
succeeds check -- --json
"$whypar" report /dev/stdin <small.csv >out 2>err
check "a model from standard input" test $? -eq 0 -a -s out
# shellcheck disable=SC2002
cat small.csv | "$whypar" report /dev/stdin >out 2>err
check "a model from a pipe" test $? -eq 0 -a -s out
mkfifo pipe
cat small.csv >pipe &
run report pipe
wait
check "a model from a named pipe" test $code -eq 0 -a -s out

# ---- an input is wrong: 1 ----

fails 1 missing.csv report missing.csv
fails 1 'did you mean vgg-a' report vgg-aa
fails 1 folder report .
fails 1 folder check "$tmp"
fails 1 'empty file' report empty.csv
fails 1 'layer' check header.csv
fails 1 'bad.csv:2' check bad.csv
fails 1 'huge.csv:2' check huge.csv
fails 1 nul.csv check nul.csv
fails 1 'layer CSV' check noise.csv
fails 1 '64 MiB' report line.csv
fails 1 'empty' report ''
if [ "$(id -u)" -eq 0 ]; then
	skip 'an unreadable file' 'root reads everything'
else
	cp small.csv secret.csv && chmod 000 secret.csv
	fails 1 secret.csv report secret.csv
fi
fails 1 '1 to 4096' report lenet-c --set accelerators=0
fails 1 '2 and 4' report lenet-c --set accelerators=3
fails 1 '4096' report lenet-c --set accelerators=8192
fails 1 '1 to 1048576' report lenet-c --set batch=0
fails 1 'whole' report lenet-c --set batch=1.5
fails 1 '1 to 1048576' report lenet-c --set batch=-1
fails 1 '1 to 1048576' report lenet-c --set batch=1e30
fails 1 'not a number' report lenet-c --set batch=nan
fails 1 furlongs report lenet-c --set batch=8furlongs
fails 1 'did you mean hypar' report lenet-c --set solver=hypr
fails 1 'dp, mp or op' report lenet-c --do 'pin fc1 dpp'
fails 1 'did you mean fc1' why lenet-c fc11
fails 1 '#1 to #4' why lenet-c '#5'
fails 1 '1 (outermost)' why lenet-c fc1 --level 0
fails 1 'H1 to H4' why lenet-c fc1 --level 5
fails 1 '1 (outermost)' why lenet-c fc1 --level 99
fails 1 '1 (outermost)' why lenet-c fc1 --level one
fails 1 'batch' flips lenet-c fc1 --knob accelerators
fails 1 'character' report lenet-c --do 'pin /(/ mp'
fails 1 'bad.why:3' report lenet-c --source bad.why
fails 1 nosuch.why report lenet-c --source nosuch.why
fails 1 nosuch.why --script nosuch.why lenet-c --batch
fails 1 '' report lenet-c --do undo
fails 1 'nothing to redo' report lenet-c --do redo
fails 1 'nosuchfolder' convert lenet-c nosuchfolder/x.csv
fails 1 '.csv' convert lenet-c x.xyz
fails 1 '.trace.json' report lenet-c --do 'export x.xyz'
fails 1 'NAME:PASS' ops lenet-c nosuch
fails 1 'one accelerator' why lenet-c fc1 --set accelerators=1
fails 1 '24 bytes' ops lenet-c --set glb=8B
fails 1 '24 bytes' report lenet-c --set glb=8B
fails 1 'own' ops lenet-c --set accelerator=own
fails 1 'tpuv3' ops lenet-c --set accelerator=tpu3
fails 1 'B/s' ops lenet-c --set hbm_bw=700GB
fails 1 '1kHz to 100GHz' ops lenet-c --set clock=0
fails 1 'whole' ops lenet-c --set tc=1.5
fails 1 '1 to 1048576' ops lenet-c --set vc=0
fails 1 'unitless.csv:1:8' ops lenet-c --do 'accelerator unitless.csv'
fails 1 'bandwidth [GB/s]' ops lenet-c --do 'accelerator narrow.csv'
fails 1 'did you mean wide' ops lenet-c --do 'accelerator own.csv wde'
fails 1 'time [us]' ops lenet-c --do 'latencies unitless-times.csv'
fails 1 'bad-times.csv:2:5' ops lenet-c --do 'latencies bad-times.csv'
fails 1 missing.csv ops lenet-c --do 'latencies missing.csv'

# ---- the words are wrong: 2 ----

fails 2 'did you mean --json' report lenet-c --jsn
fails 2 'whypar --help' report lenet-c --frobnicate
fails 2 'did you mean report' reprot
fails 2 'did you mean vgg-e' vgg-ee
fails 2 'whypar --help' frobnicate
fails 2 'did you mean batch' report lenet-c --set bacth=4
fails 2 'whypar parameters' report lenet-c --set frobnicate=4
fails 2 'did you mean solve' report lenet-c --do 'slove joint'
fails 2 'whypar commands' report lenet-c --do frobnicate
fails 2 'batch=VALUE' report lenet-c --set batch
fails 2 'usage: whypar report' report
fails 2 'usage: whypar why' why lenet-c
fails 2 'too many' report lenet-c sfc
fails 2 'too many' lenet-c sfc
fails 2 'needs a value' report lenet-c --set
fails 2 'did you mean batch' flips lenet-c fc1 --knob batcj
fails 2 'usage: pin' report lenet-c --do 'pin fc1'
fails 2 '' ''
fails 2 'terminal'
fails 2 '--script' lenet-c --batch

# ---- order, repeated names, warnings ----

run report lenet-c --set batch=64 --do 'set batch=32' --csv && cp out last
run report lenet-c --set batch=32 --csv
check "the last of --set and --do wins" cmp -s out last
run report lenet-c --do 'set batch=32' --set batch=64 --csv && cp out last
run report lenet-c --set batch=64 --csv
check "the order is that of the line" cmp -s out last
run why small.csv fc --json
check "a name that repeats means its first row, and says so" test $code -eq 0 -a -s out -a "$(grep -c 'names several rows' err)" -eq 1
cp out last
run why small.csv '#2' --json
check "which is the same as its number" cmp -s out last
run report small.csv --do 'pin /fc/ mp' --csv
check "a regex pins all that match" test "$(grep -c 'mp|mp|mp|mp' out)" -eq 2
run report lenet-c --set batch=3 --json
check "what does not divide is a warning on stderr, exit 0" test $code -eq 0 -a -s out -a -s err

# ---- JSON, CSV ----

[ -x "$json" ] || echo "# no $json: JSON is not parsed"
for arguments in 'report lenet-c' 'report bert-base' 'report mobilenet-v2 --set solver=accpar' 'report lenet-c --set accelerators=1'; do
	# shellcheck disable=SC2086
	run $arguments --json
	check "$arguments --json" is_json model batch accelerators solver layers comm step energy path accelerator warnings
done
run why lenet-c fc1 --json
check "why --json" is_json layer level choice tie options flips sentence
run flips lenet-c fc1 --knob batch --json
check "flips --json" is_json layer knob level segments
run check small.csv --json
check "check --json" is_json format layers operators macs params understood_macs_percent opaque problems
run ops lenet-c --json
check "ops --json" is_json operators
run reproduce hypar --json
check "reproduce hypar --json" is_json paper rows summary
for list in models parameters commands accelerators networks; do
	run "$list" --json
	check "$list --json" is_json "$list"
done
run report hostile.csv --json
check "hostile names as JSON" is_json layers
run report lenet-c --csv
check "CSV has a row a layer and as many cells in each" test "$(awk -F, '{ print NF }' out | sort -u | wc -l)" -eq 1 -a "$(wc -l <out)" -eq 5
run ops lenet-c --csv
check "ops --csv has as many cells in each row" test "$(awk -F, '{ print NF }' out | sort -u | wc -l)" -eq 1 -a "$(wc -l <out)" -gt 20
run ops small.csv --csv --set accelerators=1 --set fusion=off --do 'latencies times.csv'
check "measured latencies are used and marked, and one that fits nothing is told" \
	test $code -eq 0 -a "$(grep -c ',measured,,' out)" -eq 2 -a "$(grep -c '^fc,fwd,.*,2.5e-05,' out)" -eq 1 -a "$(grep -c 'times.csv:3.*7x7x7' err)" -eq 1
run report small.csv --csv --do 'accelerator own.csv wide' --do 'set tc=8' --do 'latencies times.csv' --do 'save study.why' && cp out last
run report small.csv --csv --source study.why
check "an own accelerator and latencies are saved and read back" cmp -s out last

# ---- the same bytes again, in any locale, from any folder ----

for arguments in 'report vgg-a' 'report googlenet --json' 'why resnet18 #1' 'models' 'parameters --json'; do
	# shellcheck disable=SC2086
	run $arguments && cp out last
	# shellcheck disable=SC2086
	run $arguments
	check "twice the same: $arguments" cmp -s out last
	# shellcheck disable=SC2086
	LC_ALL=C "$whypar" $arguments >out 2>err
	check "in the C locale too: $arguments" cmp -s out last
	# shellcheck disable=SC2086
	(mkdir -p deep/er && cd deep/er && "$whypar" $arguments) >out 2>err
	check "from another folder: $arguments" cmp -s out last
done
run report lenet-c --csv
cp out last
WHYPAR_DATA=/nonexistent "$whypar" report lenet-c --csv >out 2>err
check "a WHYPAR_DATA that is not there does not hide the program's own" test $? -eq 0 -o -n "${WHYPAR_DATA:-}"

# ---- hostile text ----

for arguments in 'report hostile.csv' 'check hostile.csv' 'why hostile.csv #1' 'report hostile.csv --csv' 'report hostile.csv --json' 'check hostile.csv --json'; do
	# shellcheck disable=SC2086
	run $arguments
	if harmless out && harmless err; then ok "harmless: $arguments"; else not_ok "harmful bytes: $arguments"; fi
done
bad=$(printf 'x\033[31m\007\302\233\342\200\256')
for place in report set command why script level option first file; do
	case $place in
	report) run report "$bad" ;;
	set) run report lenet-c --set "$bad=1" ;;
	command) run report lenet-c --do "$bad" ;;
	why) run why lenet-c "$bad" ;;
	script) run report lenet-c --source "$bad" ;;
	level) run why lenet-c fc1 --level "$bad" ;;
	option) run report lenet-c "--$bad" ;;
	first) run "$bad" ;;
	file) cp bad.csv "$bad.csv"; run check "$bad.csv" ;;
	esac
	if [ $code -gt 0 ] && [ $code -lt 3 ] && harmless out && harmless err; then ok "a harmless message: $place"; else not_ok "exit $code: $place"; fi
done
long=$(printf '%070000d' 0)
for place in report set command why; do
	case $place in
	report) run report "$long" ;;
	set) run report lenet-c --set "batch=$long" ;;
	command) run report lenet-c --do "$long" ;;
	why) run why lenet-c "$long" ;;
	esac
	check "70 000 characters: $place" test $code -gt 0 -a $code -lt 3 -a "$(wc -c <err)" -lt 2000
done

# ---- convert ----

for model in small.csv vgg-a googlenet bert-base mobilenet-v2 alexnet; do
	run convert "$model" one.csv && "$whypar" convert one.csv two.csv 2>err
	check "$model converted twice is the same" cmp -s one.csv two.csv
	run report "$model" --csv --set accelerators=8 && cp out last
	run report one.csv --csv --set accelerators=8
	check "$model converted moves the same" cmp -s out last
done
cp one.csv before.csv
run convert missing.csv one.csv
check "a failed convert leaves the old file" cmp -s one.csv before.csv
run convert small.csv /dev/full/x.csv
check "an impossible target is 1" test $code -eq 1

if [ -w /dev/full ]; then
	"$whypar" report lenet-c >/dev/full 2>err
	check "a full disk behind stdout is not success" test $? -ne 0 -a -s err
else
	skip "a full disk behind stdout" "no /dev/full"
fi
"$whypar" report vgg-e | head -n 1 >out 2>err
check "a reader that leaves early is no noise" test ! -s err

# ---- the step for other programs ----

for form in trace.json svg dot; do
	run report hostile.csv --set accelerators=1 --do "export step.$form"
	check "export .$form" test $code -eq 0 -a -s "step.$form"
	if harmless "step.$form"; then ok "hostile names in .$form"; else not_ok "harmful bytes in .$form"; fi
done
cp step.trace.json out
check "a trace is JSON with events" is_json traceEvents displayTimeUnit
check "its lanes are named" test "$(grep -c '"thread_name"' step.trace.json)" -ge 2
check "an SVG ends" test "$(tail -n 1 step.svg)" = "</svg>"
run ops lenet-c --csv && cp out last
run report lenet-c --do 'export path out.csv' && cp out.csv out
check "the operators of the path can be exported" cmp -s out last
fails 2 'layers, path and search' report lenet-c --do 'export nosuch out.csv'
run convert resnet18 graph.dot
check "a model's graph as DOT has its edges" test $code -eq 0 -a "$(grep -c -e '->' graph.dot)" -eq "$("$whypar" check resnet18 --json | sed -n 's/.*"operators": \([0-9]*\).*/\1/p' | awk '{ print $1 + 7 }')"

# ---- searches and sweeps ----

succeeds mine lenet-c --set accelerator=wham-base --set accelerators=1 --set batch=64 --json
check 'mine --json has its keys' is_json models method metric evaluations seconds best topk curve pruned limit fixed
succeeds mine lenet-c sfc --set accelerator=wham-base --set accelerators=1 --set batch=64 --set metric=perf_per_tdp
fails 2 'did you mean wham' mine lenet-c --method whm --set accelerator=wham-base --set accelerators=1
fails 3 'no design fits 1 mm2' mine lenet-c --set accelerator=wham-base --set accelerators=1 --set area_limit=1mm2
fails 1 'set accelerator=wham-base' mine lenet-c --set accelerator=a100
printf 'model,batch\nlenet-c|sfc,4|8|16\n' >grid.csv
run sweep grid.csv -o points.csv --set accelerators=4
check 'sweep writes every point' test "$code" -eq 0 -a "$(grep -c '^[0-9]' points.csv)" -eq 6
run sweep grid.csv -o points.csv --set accelerators=4
check 'and a second time has nothing to do' test "$code" -eq 0 -a "$(grep -c 'all 6 points already' err)" -eq 1
run sweep grid.csv -o points.csv --set accelerators=4 --set threads=1
check 'nor has another number of threads' test "$code" -eq 0
fails 1 'belongs to another sweep' sweep grid.csv -o points.csv --set accelerators=8
fails 1 'belongs to another sweep' sweep grid.csv -o points.csv --set accelerators=4 --do 'set tc=4'
sed 4d points.csv >cut.csv
fails 1 'cut.csv:4: not as the sweep wrote it: the row of point 1 is not here' sweep grid.csv -o cut.csv --set accelerators=4
# killed in the middle: the rows of one setting are not gone on with by another
sed '2d; 5,$d; s/, sum .*//' points.csv >half.csv.part
fails 1 'half.csv.part belongs to another sweep' sweep grid.csv -o half.csv --set accelerators=8
run sweep grid.csv -o half.csv --set accelerators=4
check 'the same setting goes on with them' cmp -s points.csv half.csv
printf 'name,kind,in_ch,out_ch\nfc,linear,16,8\n' >net.csv
printf 'model,batch\nnet.csv,4\n' >own.csv
run sweep own.csv -o own.out
printf 'name,kind,in_ch,out_ch\nfc,linear,16,9\n' >net.csv
fails 1 'belongs to another sweep' sweep own.csv -o own.out
fails 1 'its name is empty' sweep grid.csv -o ''
check 'and leaves no file' test ! -e .part
printf 'model,batch\nlenet-x|sfx,4|8\n' >failing.csv
fails 1 '4 of 4 points failed, each with its reason in failed.csv; the first, point 0: no file and no built-in model "lenet-x"' sweep failing.csv -o failed.csv
check 'its rows are there all the same' test "$(grep -c '^[0-9]' failed.csv)" -eq 4
printf 'model,batch\nlenet-c|sfx,4|8\n' >failing.csv
run sweep failing.csv -o some.csv
check 'some points that failed are told' test "$code" -eq 0 -a "$(grep -c '^whypar: 2 of 4 points failed' err)" -eq 1
printf 'model,batch\nlenet-c,4\nlenet-c\n' >short.csv
fails 1 'short.csv:3:1: 1 cells, and the header has 2' sweep short.csv -o short.out
fails 2 '-o OUT.csv' sweep grid.csv
fails 1 'is there already' sweep grid.csv -o grid.csv
fails 1 'is no file that a sweep could go on in' sweep grid.csv -o .
printf 'model,batch\nlenet-c,0\n' >wrong.csv
fails 1 'wrong.csv:2:2' sweep wrong.csv -o wrong.out
printf 'view pipeline\nsearch /b/\n' >find.why
fails 1 'no rows to search' vgg-a --script find.why --batch
fails 1 'does not divide the 256 samples' report vgg-a --set replicas=3
run report vgg-a --do 'pin fc1 dp' --do 'load resnet50' --do 'save kept.why'
succeeds report resnet50 --source kept.why

# ---- installed ----

run report lenet-c --csv
cp out last
# the outer make's variables are not for this one
if (unset MAKEFLAGS MFLAGS MAKELEVEL; cd "$root" && make -s B="$B" DESTDIR="$tmp/stage" PREFIX=/opt/x install) >log 2>&1; then
	(unset WHYPAR_DATA; cd / && "$tmp/stage/opt/x/bin/whypar" report lenet-c --csv) >out 2>err
	check "installed, it finds its data" cmp -s out last
	check "pages are installed" test "$(find "$tmp/stage/opt/x/share/man" -name 'whypar*' | wc -l)" -ge 1
	(unset MAKEFLAGS MFLAGS MAKELEVEL; cd "$root" && make -s B="$B" DESTDIR="$tmp/stage" PREFIX=/opt/x uninstall) >log 2>&1
	check "uninstall takes all files away" test "$(find "$tmp/stage" -type f | wc -l)" -eq 0
else
	cp log err
	not_ok "make install DESTDIR"
fi

echo "1..$count"
[ "$failed" -eq 0 ]
