#!/bin/sh
# html_test.sh: drives the page of `bully diagram --format=html` in a headless Chromium: forward to
# the end, back to the beginning, the state shown is right at each step, and no error in the console.
# Without a Chromium it says so, and is skipped.
set -eu

bully=${BULLY_BINARY:-./bully}
golden=$(dirname "$0")/golden
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

# Ends the browser and removes the directory when this script has ended, however it ends.
work=$("$bully" guard $$)
exec 9>"$work/guard"
printf '\0' >&9

# Reads the page's own verdict, which must be there, and what the console said.
drive() {
  # shellcheck disable=SC2016
  sh -c 'printf "%s\0" $$ >&9 && exec "$@" 9>&-' sh "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking \
    --enable-logging=stderr --user-data-dir="$work/profile" --dump-dom "file://$1#selftest" \
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

for run in election ring; do
  for language in en pt-BR; do
    "$bully" diagram "$golden/$run.jsonl" --format=html --lang="$language" >"$work/run.html"
    drive "$work/run.html" "$run, $language"
  done
done

# The self-test can fail: with another end than the steps lead to, it must.
sed 's/^"end":\[{"up":true/"end":[{"up":null/; s/^"end":\[{"up":false/"end":[{"up":true/' \
  "$work/run.html" >"$work/wrong.html"
if (drive "$work/wrong.html" wrong) >/dev/null 2>&1; then
  echo 'html_test: the self-test does not notice a wrong state'
  exit 1
fi
