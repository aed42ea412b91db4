#!/bin/sh
# pictures.sh BULLY: takes the READMEs' pictures of pages again, in a headless Chromium. On the page
# of every order 5 has crashed, 2 and 3 are candidates, and 4 has just won. On that of a recorded run
# 1 has just taken over the id of 4; 3 and 4 have given way.
set -eu
bully=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for browser in chromium chromium-browser google-chrome none; do
  if command -v "$browser" >"$scratch/found"; then break; fi
done
if [ "$browser" = none ]; then
  echo 'pictures.sh: there is no Chromium here' >&2
  exit 1
fi

# take FILE SIZE STEP COMMAND…: of the page that this command writes.
take() {
  file=$1 size=$2 step=$3
  shift 3
  "$bully" "$@" --format=html >"$scratch/page.html"
  "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="$size" \
    --user-data-dir="$scratch/profile" --screenshot="$scratch/page.png" \
    "file://$scratch/page.html#$step" 2>"$scratch/said"
  if command -v pngquant >"$scratch/found"; then
    pngquant --force --ext .png 64 "$scratch/page.png"  # as sharp, in a quarter of the bytes
  fi
  mv "$scratch/page.png" "tests/golden/$file"
}
for language in en pt-BR; do
  file=orders.$language.png
  [ $language = en ] && file=orders.png
  take "$file" 1240,820 4.1.1.2 verify --nodes=5 --crashes=1 --restarts=0 --lang=$language
done
"$bully" scenario dolev-klawe-rodeh --trace="$scratch/run.jsonl" >"$scratch/said"
take ring.png 1240,700 12 diagram "$scratch/run.jsonl" --election=2 --lang=en
