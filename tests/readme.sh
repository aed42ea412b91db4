#!/bin/sh
# readme.sh README: runs the commands of a README that end by themselves, one after the other, in a
# copy of this tree: its blocks of shell, and the scenarios and comparisons in its tables. Each must
# end with 0, or with 1 where its comment says that it shows a failing run. Where python3 is not
# here, commands of a block after the first that needs it are left out, and this is said.
set -eu

readme=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
tar -C "$here" --exclude=.git -cf - . | tar -C "$place" -xf -
cd "$place"
export BULLY_DIR="$place/nodes"
has_python=$(command -v python3 || true)

# A line for each command; an empty one between blocks.
commands() {
  awk '/^```sh/ { inside = 1; next } /^```/ { if (inside) print ""; inside = 0 } inside' "$readme"
  # shellcheck disable=SC2016  # these are the README's own
  grep '^|' "$readme" | grep -o '`\./bully [sc][^`]* [^`]*`' | tr -d '`' | grep -v held.txt
}

status=0
is_left_out=
commands >commands.txt
while read -r command; do
  if [ -z "$command" ]; then
    is_left_out=
    continue
  fi
  case $command in *python*) [ "$has_python" ] || is_left_out=1 ;; esac
  if [ "$is_left_out" ]; then
    echo "left out, without python3: $command"
    continue
  fi
  expected=0
  case $command in *'# '*failing* | *'# '*falha*) expected=1 ;; esac
  ended=0
  sh -c "$command" </dev/null >said 2>&1 || ended=$?
  if [ "$ended" -ne "$expected" ]; then
    echo "$readme: this ended with $ended, not with $expected: $command" >&2
    cat said >&2
    status=1
  fi
done <commands.txt
exit $status
