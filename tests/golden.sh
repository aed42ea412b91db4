#!/bin/sh
# golden.sh BULLY: draws again what tests compare with: one election of a recorded run, in each format
# (tests/view), and a comparison (tests/sim). Read the diff.
set -eu
bully=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# draw FILE TRACE ELECTION OPTION…
draw() {
  file=tests/golden/$1 trace=$2 election=$3
  shift 3
  "$bully" diagram "$trace" --election="$election" "$@" >"$file"
}

run=tests/golden/election.jsonl
for format in text svg html; do
  draw "election.$format" "$run" 6 --lang=en --format="$format"
done
draw election.pt-BR.text "$run" 6 --lang=pt-BR
draw election.pt-BR.svg "$run" 6 --lang=pt-BR --format=svg

run=tests/golden/ring.jsonl
for format in text svg html; do
  draw "ring.$format" "$run" 2 --lang=en --format="$format"
done


"$bully" compare --lang=en --format=svg >tests/golden/compare.svg
"$bully" compare --lang=pt-BR --format=svg >tests/golden/compare.pt-BR.svg
