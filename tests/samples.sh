#!/bin/sh
# samples.sh [--check] FILE...: what the program prints, in the READMEs. Below a line
#   <!-- sample: COMMAND -->
# stands a block of code. Its first line may begin with `$ `, and is kept; the rest is replaced by
# what COMMAND prints, in the language of the file. With --check nothing is changed: it fails where a
# block is no longer true. BULLY_BINARY is the program, or else ./bully. Commands may write into
# $SCRATCH, and their nodes meet there. A block whose command needs a Python that is not here is
# kept, and this is said.
set -eu

check=
if [ "$1" = --check ]; then check=1; shift; fi
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
export BULLY_BINARY="${BULLY_BINARY:-./bully}" BULLY_DIR="$SCRATCH/nodes" NO_COLOR=1 SCRATCH
made=$SCRATCH/made
lacking=
command -v python3 >/dev/null || lacking=python3
status=0

# print_again FILE: makes $made, the file with what its commands print now.
print_again() {
  # No file finds the traces of another's commands.
  rm -rf "$SCRATCH"
  (umask 077 && mkdir -p "$SCRATCH/nodes")
  # Within the old block nothing is copied; outside all is.
  awk -v lacking="$lacking" '
    /^ *<!-- sample: .* -->$/ {
      print
      command = $0
      sub(/^ *<!-- sample: /, "", command)
      sub(/ -->$/, "", command)
      getline
      if (lacking != "" && index(command, lacking)) {
        print "skipped: no " lacking >"/dev/stderr"
        print
        next
      }
      print
      margin = $0
      sub(/[^ ].*/, "", margin)
      getline
      while (substr($0, length(margin) + 1, 2) == "$ ") { print; getline }
      gsub(/\.\/bully/, "\"$BULLY_BINARY\"", command)
      while ((command | getline line) > 0) print (line == "" ? "" : margin line)
      if (close(command) != 0) exit 1
      while (substr($0, length(margin) + 1, 3) != "```") getline
    }
    { print }
  ' "$1" >"$made"
}

for file in "$@"; do
  case $file in *pt-BR*) LC_ALL=pt_BR.UTF-8 ;; *) LC_ALL=C.UTF-8 ;; esac
  export LC_ALL
  # On a busy machine the grader may say that it could not judge.
  for _ in 1 2 3; do
    print_again "$file"
    if [ -z "$check" ] || cmp -s "$file" "$made"; then break; fi
  done
  if cmp -s "$file" "$made"; then continue; fi
  if [ "$check" ]; then
    echo "$file: the program prints something else now; \`make samples\` puts it in" >&2
    diff -u "$file" "$made" >&2 || true
    status=1
  else
    cat "$made" >"$file"
  fi
done
exit $status
