#!/bin/sh
# carry.sh HEADER TYPE FUNCTION FILE…: prints the function, declared in that header, that has the
# texts of these files. Each is named as its file, such as 02-detectors.pt-BR.txt, without the number
# that gives its place among them: "detectors", "pt-BR".
set -eu
printf '#include "%s"\nstd::span<const bully::%s> bully::%s() {\n' "$1" "$2" "$3"
printf '  static constexpr %s all[] = {\n' "$2"
shift 3
for file; do
  name=$(basename "$file" .txt | sed 's/^[0-9]*-//; s/\./", "/')
  printf '{"%s", R"text(%s\n)text"},\n' "$name" "$(cat "$file")"
done
printf '  };\n  return all;\n}\n'
