#!/usr/bin/env bash
# fuzz.sh DIRECTORY SECONDS TARGET…: runs the fuzzers that `make fuzz` has built in DIRECTORY, one
# after the other, and says what each did. What a fuzzer keeps from one time to the next is in
# DIRECTORY/kept; tests/corpus is only read.
set -uo pipefail

directory=$1
seconds=$2
shift 2
status=0
mkdir -p "$directory/found"
for target in "$@"; do
  kept=$directory/kept/$target
  log=$directory/$target.log
  mkdir -p "$kept"
  words=()
  if [ -f "tests/fuzz/$target.dict" ]; then words=("-dict=tests/fuzz/$target.dict"); fi
  if "$directory/fuzz-$target" -max_total_time="$seconds" -max_len=4096 -timeout=20 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$directory/found/$target-" \
    "${words[@]}" "$kept" "tests/corpus/$target" >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1)
    echo "$target: $runs inputs in $seconds s, ${covered:-nothing new}, and nothing found"
  else
    status=1
    found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    echo "$target: FOUND (all of it in $log):"
    grep -m 5 -E 'ERROR|SUMMARY|runtime error|Assertion|^'"$target"':' "$log"
    echo "  again:        $directory/fuzz-$target $found"
    echo "  as a test:    cp $found tests/corpus/$target/   # repair it, and keep it there"
  fi
done
exit $status
