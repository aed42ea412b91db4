#!/bin/sh
# verify.sh BULLY [beyond]: explores every election within the bounds that are feasible in minutes,
# in at most 4 GiB; with `beyond`, further, in ten minutes for each. The first that does not hold
# ends it, with its counterexample.
set -eu
bully=$1
how_far=${2:-usual}

# Of an algorithm, on standard input: nodes, crashes, restarts, and options.
explore() {
  while read -r nodes crashes restarts options; do
    # shellcheck disable=SC2086  # options are words
    "$bully" verify --brief --algorithm="$1" --nodes="$nodes" --crashes="$crashes" \
      --restarts="$restarts" $options || exit 1
  done
}

cut='3 1 1 --partitions=1
3 1 0 --partitions=1 --timing=asynchronous'

usual() {
  explore garcia-molina <<END
3 2 1 --timing=asynchronous
3 2 2 --beginning=starting
3 3 3
4 2 1
4 3 0 --timing=asynchronous
$cut
END
  for ring in dolev-klawe-rodeh chang-roberts tanenbaum-ring; do
    explore "$ring" <<END
4 1 0 --beginning=leaderless
4 2 1
3 3 3
3 4 3
3 2 2 --beginning=starting
3 2 1 --timing=asynchronous
4 1 0 --beginning=leaderless --arrangement=1,3,2,4
$cut
END
  done
  explore bully <<END
3 2 2
3 2 1 --timing=asynchronous
3 2 0 --beginning=starting
4 3 0
4 3 0 --timing=asynchronous
4 1 1 --delivery=arrival
4 1 1 --delivery=pair
$cut
4 0 0 --partitions=1
END
}

beyond() {
  for election in garcia-molina dolev-klawe-rodeh chang-roberts tanenbaum-ring; do
    explore "$election" <<END
4 2 2
4 3 1
5 1 1
END
  done
  for ring in dolev-klawe-rodeh chang-roberts tanenbaum-ring; do
    explore "$ring" <<END
3 5 4
5 2 1
END
  done
  for election in garcia-molina dolev-klawe-rodeh chang-roberts; do
    explore "$election" <<END
4 2 1 --timing=asynchronous
END
  done
  explore garcia-molina <<END
5 2 1
END
  explore bully <<END
3 3 2
END
}

$how_far
