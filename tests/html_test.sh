#!/bin/sh
# html_test.sh RUN LANGUAGE: drives the page of `bully diagram --format=html` in a headless Chromium:
# forward to the end, back to the beginning, the state shown is right at each step, and no error in
# the console. Without a Chromium it says so, and is skipped. html_test.cc runs it.
set -eu

run=$1 language=$2
bully=${BULLY_BINARY:-./bully}
tests=$(cd "$(dirname "$0")" && pwd)
browser=
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then
    browser=$name
    break
  fi
done
if [ -z "$browser" ]; then
  echo 'html_test: skipped: there is no Chromium here'
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Reads the verdict of html_selftest.js, which must be there, and what the console said.
drive() {
  sed "s|</body>|<script src=\"file://$tests/html_selftest.js\"></script></body>|" "$1" >"$1.driven.html"
  "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --disable-ipc-flooding-protection \
    --enable-logging=stderr --user-data-dir="$work/profile" --dump-dom "file://$1.driven.html" \
    >"$work/dom" 2>"$work/console"
  if grep -q 'CONSOLE' "$work/console"; then
    grep 'CONSOLE' "$work/console"
    echo "html_test: the console is not empty: $2"
    exit 1
  fi
  if ! grep -o 'id="selftest">selftest passed: [1-9][0-9]* steps' "$work/dom" >"$work/verdict"; then
    grep -o 'id="selftest">[^<]*' "$work/dom" || true
    echo "html_test: failed: $2"
    exit 1
  fi
  echo "html_test: $2: ${1##*/}: $(sed 's/.*>//' "$work/verdict")"
}

"$bully" diagram "$tests/golden/$run.jsonl" --format=html --lang="$language" >"$work/run.html"
drive "$work/run.html" "$run, $language"

# Ids of five digits, and a process that is stopped for a while.
printf '%s\n' 'nodes 40001..40005' 'pause 40005' 'run 6s' 'crash 40004' 'run 6s' 'resume 40005' run \
  >"$work/script"
"$bully" scenario "$work/script" --quiet --trace="$work/stopped.jsonl" >"$work/played"
"$bully" diagram "$work/stopped.jsonl" --format=html --lang="$language" >"$work/stopped.html"
grep -q 'process [a-z]* stopped' "$work/stopped.html"
drive "$work/stopped.html" "stopped, $language"

# The self-test can fail: with a page that takes each frame for the first one, hides nothing, or
# plays at one speed, it must.
for wrong in 's/run.frames\[at\].parts/run.frames[0].parts/' 's/hidden.add(lane)/0/' \
  "s/Number(byId('speed').value)/1500/"; do
  sed "$wrong" "$work/run.html" >"$work/wrong.html"
  if (drive "$work/wrong.html" wrong) >/dev/null 2>&1; then
    echo "html_test: the self-test does not notice $wrong"
    exit 1
  fi
done
