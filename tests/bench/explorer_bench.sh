#!/bin/sh
# Runs BENCH (the explorer's benchmark, built) and, where spin and a C compiler are there, spin on
# ring.pml without partial-order reduction, for comparison.
#
# usage: explorer_bench.sh BENCH
set -eu
model=$(cd "$(dirname "$0")" && pwd)/ring.pml
status=0
"$1" || status=$?
if command -v spin > /dev/null && command -v cc > /dev/null; then
  work=$(dirname "$1")/spin  # among what was built
  mkdir -p "$work"
  cd "$work"
  spin -DN=7 -a "$model" > spin.log
  cc -O2 -DNOREDUCE -DSAFETY -DMEMLIM=1024 -w -o pan pan.c
  echo "spin, its own ring of 7 nodes, without reduction"
  ./pan -m100000 | grep -E 'states, stored|transitions|elapsed time|states/second|errors:' || true
else
  echo "spin is not installed: no comparison"
fi
exit $status
