#!/bin/sh
# soak.sh BUILD: the long repetitions, six hours. For each algorithm SOAK_ROUNDS of chaos, and for
# some SOAK_MINUTES with a recorder among twenty nodes; every order beyond the bounds of `make
# verify`; then the tests that have a long form, SOAK_REPEATS times. BULLY_BINARY is
# the program.
set -eu
build=$1
for algorithm in bully dolev-klawe-rodeh chang-roberts tanenbaum-ring garcia-molina; do
  "$build/tests/chaos/chaos" --algorithm=$algorithm --rounds="${SOAK_ROUNDS:-2000}" --nodes=0 \
    --seed="${SEED:-1}" --faults=
done
for algorithm in bully dolev-klawe-rodeh chang-roberts tanenbaum-ring; do
  "$build/tests/chaos/chaos" --algorithm=$algorithm --minutes="${SOAK_MINUTES:-10}" --nodes=20 \
    --seed="${SEED:-1}" --faults= --record
done
tests/verify.sh "$BULLY_BINARY" beyond
long=$(grep -l 'is_soak\|BULLY_SOAK_ROUNDS' tests/*_test.cc tests/*/*_test.cc | sed 's|^tests/|*/|' | paste -s -d ,)
BULLY_SOAK_ROUNDS=${SOAK_REPEATS:-200} "$build/tests/run" --source-file="$long"
