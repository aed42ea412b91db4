#!/bin/sh
# kill_node.sh: sends a signal to a node of `bully`, by its part in the election.
#
#   ./kill_node.sh             SIGKILL to the coordinator
#   ./kill_node.sh --lowest    to the lowest process
#   ./kill_node.sh --help      the rest
#
# It is `./bully kill` by another name, which takes care that nobody else gets the signal. Read
# next: src/node/peer_process.h.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
[ -x "$here/bully" ] || {
  case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
    pt | pt[-_.@]*) echo "kill_node.sh: ainda não há $here/bully: compile-o com make" ;;
    *) echo "kill_node.sh: there is no $here/bully yet: build it with make" ;;
  esac >&2
  exit 1
}
for argument; do
  case $argument in
    --help | -h)
      words=$("$here/bully" kill "$@") || exit
      printf '%s\n' "$words" | sed '1s|bully kill|./kill_node.sh|'
      exit
      ;;
  esac
done
exec "$here/bully" kill "$@"
