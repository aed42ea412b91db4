#!/bin/sh
# carry.sh WHAT: prints the function that has the texts of these files, for the binary to carry. Each
# is named as its file, such as 02-detectors.pt-BR.txt, without the number that gives its place among
# them: "detectors", "pt-BR".
set -eu
cd "$(dirname "$0")"
case $1 in
  lessons) files='lessons/*.txt' function=lessons ;;
  help) files='help/*.txt' function=help_topics ;;
  page) files='pictures/*.css pictures/*.html pictures/*.js pictures/*.svg' function=page_files ;;
  examples) files='rules/bully.*' function=rule_examples ;;
esac
printf '#include "base/carried.h"\n'
printf 'std::span<const bully::CarriedText> bully::%s() {\n' "$function"
printf '  static constexpr CarriedText all[] = {\n'
for file in $files; do
  named=$(basename "$file" .txt | sed 's/^[0-9]*-//')
  kind=${named#"${named%%.*}"}
  printf '{"%s", "%s", R"text(%s\n)text"},\n' "${named%%.*}" "${kind#.}" "$(cat "$file")"
done
printf '  };\n  return all;\n}\n'
