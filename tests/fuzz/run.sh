#!/bin/sh
# run.sh FUZZER SECONDS: runs one libFuzzer target over its corpus, which lies beside it and starts from the project's own
# files.  Exits non-zero when it found something; the input is then kept beside the fuzzer.
# run.sh can COMPILER: whether that compiler builds fuzzers at all; says why not.
set -eu
if [ "$1" = can ]; then
	probe=$(mktemp -d)
	trap 'rm -rf "$probe"' EXIT
	echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && n ? 0 : 0; }' >"$probe/probe.c"
	"$2" -fsanitize=fuzzer,address,undefined -o "$probe/probe" "$probe/probe.c" >/dev/null 2>&1 && exit 0
	echo "fuzz: skipped: $2 or its fuzzer runtime is missing (Debian: clang libclang-rt-14-dev)"
	exit 1
fi
# Layer graphs of PipeDream and Piper, into a folder.
graphs() {
	printf 'node1 -- Input -- forward_compute_time=9.0, backward_compute_time=0.0, activation_size=384.0, parameter_size=0.0\nnode2 -- Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1)) -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=512.0, parameter_size=448.0\nnode3 -- MaxPool2d(kernel_size=2, stride=2, padding=0) -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=128.0, parameter_size=0.0\nnode4 -- LSTM(5, 5) -- forward_compute_time=8.0, backward_compute_time=16.0, activation_size=[40.0; 8.0], parameter_size=880.0\n\tnode1 -- node2\n\tnode2 -- node3\n\tnode3 -- node4\n\tnode2 -- node4\n' >"$1/pipedream"
	printf '{"maxDevices":2,"maxMemoryPerDevice":100,"bandwidth":1000,"mbsInBatch":4,"nodes":[{"id":7,"name":"x","TMPCs":{"2":[{"id":"plain","timePerSample":3,"parameterSize":16,"memoryUsageA":20,"memoryUsageB":30,"syncTimeFw":{"3":5},"syncTimeBw":{}},{"id":"recomp","timePerSample":4,"parameterSize":16,"memoryUsageA":2,"memoryUsageB":40,"syncTimeFw":{},"syncTimeBw":{}}],"1":[{"id":"plain","timePerSample":3,"parameterSize":16,"memoryUsageA":20,"memoryUsageB":30,"syncTimeFw":{"3":5},"syncTimeBw":{}},{"id":"recomp","timePerSample":4,"parameterSize":16,"memoryUsageA":2,"memoryUsageB":40,"syncTimeFw":{},"syncTimeBw":{}}]}},{"id":3,"name":"y","TMPCs":{"1":[{"id":"plain","timePerSample":3,"parameterSize":16,"memoryUsageA":20,"memoryUsageB":30,"syncTimeFw":{"3":5},"syncTimeBw":{}},{"id":"recomp","timePerSample":4,"parameterSize":16,"memoryUsageA":2,"memoryUsageB":40,"syncTimeFw":{},"syncTimeBw":{}}]}}],"edges":[{"sourceId":3,"destId":7,"communicationCost":100}]}' >"$1/piper"
}
fuzzer=$1 seconds=$2
name=$(basename "$fuzzer")
folder=$(dirname "$fuzzer")
corpus=$folder/corpus-$name
if [ ! -d "$corpus" ]; then
	mkdir -p "$corpus.new"
	case $name in
	fuzz_model)
		cp data/models/*.csv "$corpus.new"
		printf 'HYBRID_CUSTOMIZED\n2\na -1 5 NONE 0 6 ALLTOALL 64 7 ALLREDUCE 37632 1 DATA\nb -1 5 NONE 0 6 NONE 0 7 NONE 0 1 MODEL\n' >"$corpus.new/workload"
		graphs "$corpus.new"
		;;
	fuzz_command)
		cp data/sessions/*.why "$corpus.new"
		printf 'set batch=512 solver=accpar\npin /conv/ H2 mp\npin #3 dp\nunpin /c.*1/\nstep accelerators +\nredo\nbaseline\n' >"$corpus.new/edits"
		printf '\004\npin /add|conv/ row\nset types=3 solver=joint\nstep precision +\nview phase\n' >"$corpus.new/graph"
		;;
	fuzz_accelerators) cp data/accelerators.csv "$corpus.new" ;;
	fuzz_latencies)
		printf 'operation,m,n,k,groups,time [us]\ngemm,64,64,64,2,3\ngemm,512,64,64,,20\n' >"$corpus.new/products"
		printf 'operation,pass,elements,time [ms]\nrelu,bwd,1000,3\nsoftmax,fwd,64,2e-3\n' >"$corpus.new/vectors"
		;;
	fuzz_calibrate)
		printf '#  Rank  0\n#  Rank  1\n# size count type redop root time algbw busbw\n 1024 256 float sum -1 5.1 0.2 0.2 0\n 1048576 262144 float sum -1 45.1 23.2 23.2 0\n' >"$corpus.new/rows"
		;;
	fuzz_mined)
		printf '{"topk":[{"tc":2,"tc_rows":128,"tc_cols":128,"vc":2,"vc_lanes":128,"glb_bytes":33554432}]}' >"$corpus.new/one"
		printf '{"race":[{"method":"wham","topk":[{"tc":64,"tc_rows":4,"tc_cols":8,"vc":1,"vc_lanes":256,"glb_bytes":2097152}]}]}' >"$corpus.new/race"
		;;
	fuzz_network)
		printf 'kind,size,gain,bandwidth [GB/s],latency [us],links,oversubscription,sharing\nswitch,8,,300,1,2,1.5,1\nhtree,,2,25,5,1,1,8\n' >"$corpus.new/table"
		printf 'topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 25 ]  # GB/s\nlatency:\n  - 500.0\n  - 1\n' >"$corpus.new/yaml"
		;;
	fuzz_profile)
		printf '{"maxMemoryPerDevice":9e9,"maxDevices":4,"bandwidth":1e9,"mbsInBatch":8,"activationRecomputation":true,"optimizerAlgorithm":"Adam","nodes":{"1":[{"id":0,"parameterSize":1e6,"activationSize":2e6,"optimalLatencyFw":0.1,"optimalLatencyBw":0.2,"isTensorParallelized":false},{"id":1,"parameterSize":1e6,"activationSize":2e6,"optimalLatencyFw":0.1,"optimalLatencyBw":0.2,"isTensorParallelized":false}]},"edges":{"1":[{"sourceId":0,"destId":1,"communicationCost":1000}]}}' >"$corpus.new/chain"
		graphs "$corpus.new"
		;;
	fuzz_sweep)
		printf 'model,batch,accelerators,pipeline\nlenet-c|sfc,16|64,4,1|2\n"lenet-c",,,\n' >"$corpus.new/grid"
		;;
	fuzz_topology)
		printf 'htree:16^2' >"$corpus.new/tree"
		printf 'torus:4x2x2@1GB/s,1us' >"$corpus.new/torus"
		printf 'switch:8@300GB/s,10us+ring@25GB/s,20us,2,4' >"$corpus.new/tiers"
		;;
	fuzz_regex)
		printf 'conv[1-3]_.*\nconv3_2' >"$corpus.new/class"
		printf '(a+)+$\naaaaaaaaaaaaaaaaaaaaaaaaaaaab' >"$corpus.new/slow"
		printf '(?<n>x)(?!y)\\k<n>|\\p{Lu}{2,3}\nxxZQ' >"$corpus.new/named"
		;;
	esac
	mv "$corpus.new" "$corpus"
fi
# words of the command language, from its own tables
dictionary=$folder/$name.dict
sed -n 's/^	X([A-Z_0-9]*, *"\([a-z_-]*\)".*/"\1"/p' src/study/commands.h src/study/parameters.h >"$dictionary"
sed -n 's/^	X([A-Z_]*, *"\([a-z]*\)".*/"\1"/p' src/model/model.h >>"$dictionary"
case $name in fuzz_command) longest=512 ;; fuzz_regex) longest=1200 ;; *) longest=8192 ;; esac
log=$folder/$name.log
code=0
ASAN_OPTIONS=detect_leaks=1 "$fuzzer" -max_total_time="$seconds" -max_len=$longest -timeout=10 -rss_limit_mb=2048 -dict="$dictionary" \
	-artifact_prefix="$folder/$name-" -print_final_stats=1 "$corpus" >"$log" 2>&1 || code=$?
if [ "$code" -eq 0 ]; then
	echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s, nothing found"
else
	tail -n 40 "$log"
	echo "$name: found something; see $log and the input named there"
fi
exit "$code"
