#!/bin/sh
# carry.sh WHAT: prints the function that has the texts of these files, for the binary to carry. Each
# is named as its file, such as 02-detectors.pt-BR.txt, without the number that gives its place among
# them: "detectors", "pt-BR".
set -eu
cd "$(dirname "$0")"
# The files, and the header in which the function is declared, its type and its name.
case $1 in
  lessons) files='lessons/*.txt' header=sim/scenario.h type=Lesson name=lessons ;;
  help) files='help/*.txt' header=commands/help.h type=HelpTopic name=help_topics ;;
  page) files='view/*.css view/*.js' header=view/page.h type=PageFile name=page_files ;;
  examples) files='rules/bully.*' header=rules/examples.h type=RuleExample name=rule_examples ;;
esac
printf '#include "%s"\nstd::span<const bully::%s> bully::%s() {\n' "$header" "$type" "$name"
printf '  static constexpr %s all[] = {\n' "$type"
for file in $files; do
  named=$(basename "$file" .txt | sed 's/^[0-9]*-//; s/\./", "/')
  printf '{"%s", R"text(%s\n)text"},\n' "$named" "$(cat "$file")"
done
printf '  };\n  return all;\n}\n'
