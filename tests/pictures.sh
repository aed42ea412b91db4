#!/bin/sh
# pictures.sh BULLY: takes the READMEs' pictures of the page of every order again, in a headless
# Chromium: 5 has crashed, 2 and 3 are candidates, and 4 has just won.
set -eu
bully=$1
way='#4.1.1.2'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for browser in chromium chromium-browser google-chrome none; do
  if command -v "$browser" >"$scratch/found"; then break; fi
done
if [ "$browser" = none ]; then
  echo 'pictures.sh: there is no Chromium here' >&2
  exit 1
fi

# take FILE LANGUAGE
take() {
  "$bully" verify --nodes=5 --crashes=1 --restarts=0 --format=html --lang="$2" \
    >"$scratch/orders.html"
  "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1240,820 \
    --user-data-dir="$scratch/profile" --screenshot="$scratch/orders.png" \
    "file://$scratch/orders.html$way" 2>"$scratch/said"
  if command -v pngquant >"$scratch/found"; then
    pngquant --force --ext .png 64 "$scratch/orders.png"  # as sharp, in a quarter of the bytes
  fi
  mv "$scratch/orders.png" "tests/golden/$1"
}
take orders.png en
take orders.pt-BR.png pt-BR
