#!/bin/sh
# lessons.sh BULLY DIRECTORY: writes each lesson as a page, in both languages, and an index of them by
# concept, with the READMEs' plan of a class as a path through them. Any web server takes DIRECTORY.
set -eu
bully=$1
pages=$2
source=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$pages"
page=$(mktemp)
trap 'rm -f "$page"' EXIT

# The names of the lessons, in their order.
names() {
  for script in "$source"/lessons/*.txt; do
    basename "$script" .txt | sed 's/^[0-9]*-//'
  done
}

# escaped < TEXT: as HTML, with the code between backquotes.
escaped() {
  # shellcheck disable=SC2016 # these are no commands
  sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/`\([^`]*\)`/<code>\1<\/code>/g'
}

# title LESSON, concept LESSON
title() {
  sed -n "s/^title ${language%-*}: //p" "$source"/lessons/*-"$1".txt | escaped
}
concept() {
  key=$(sed -n 's/^concept //p' "$source"/lessons/*-"$1".txt)
  sed -n "s/^concept_$key: //p" "$source/words/$language.words" | escaped
}

# lesson_link LESSON
lesson_link() {
  printf '<a href="%s%s">%s</a>' "$1" "$end" "$(title "$1")"
}

# The rows of the README's plan: its lessons, and its page of a cut network, become links.
plan() {
  sed -n '/^| 50 | 100 |/,/^$/p' "$source/../$readme" | sed '1,2d; /^$/d; s/^| *//; s/ *|$//' |
    while IFS='|' read -r short long show say; do
      lesson=$(echo "$show" | sed -n 's/.*bully scenario \([a-z-]*\) --step.*/\1/p')
      shown=$(echo "$show" | escaped)
      case $show in
        *" --step"*) shown=$(lesson_link "$lesson") ;;
        *"$cut"*) shown="<a href=\"cut$end\">$shown</a>" ;;
      esac
      printf '<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n' \
        "$short" "$long" "$shown" "$(echo "$say" | escaped)"
    done
}

index() {
  printf '<!DOCTYPE html>\n<html lang="%s">\n<head>\n<meta charset="utf-8"/>\n' "$language"
  printf '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
  printf '<title>%s</title>\n<style>\n' "$lessons"
  cat "$source/pictures/page.css"
  printf '</style>\n</head>\n<body class="index">\n<header><h1>%s</h1> %s</header>\n<main>\n' \
    "$lessons" "<a href=\"index$other_end\" lang=\"$other\">$in_other</a>"
  echo '<section>'
  names | while read -r name; do
    printf '%s\t%s\n' "$(concept "$name")" "<li>$(lesson_link "$name")</li>"
  done | awk -F'\t' '
    !($1 in items) { order[++count] = $1 }
    { items[$1] = items[$1] $2 "\n" }
    END { for (i = 1; i <= count; ++i) printf "<h2>%s</h2>\n<ul>\n%s</ul>\n", order[i], items[order[i]] }'
  printf '</section>\n<section>\n<h2>%s</h2>\n<table>\n' "$class"
  sed -n '/^| 50 | 100 |/p' "$source/../$readme" |
    sed 's/^| /<tr><th>/; s/ |$/<\/th><\/tr>/; s/ | /<\/th><th>/g'
  plan
  printf '</table>\n</section>\n</main>\n</body>\n</html>\n'
}

# The page on standard input, with links to the index and, at the same place, to the other language.
linked() {
  links="<a href=\"index$end\">$lessons</a> <a href=\"$1$other_end\" lang=\"$other\""
  links="$links onclick=\"this.hash = location.hash\">$in_other</a>"
  sed "s|</h1>|</h1> $links|"
}

for language in en pt-BR; do
  case $language in
    en)
      end=.html other=pt-BR other_end=.pt-BR.html in_other='em português' readme=README.md
      lessons='Lessons, by concept' class='A class of 50 and of 100 minutes' cut='cut network'
      ;;
    pt-BR)
      end=.pt-BR.html other=en other_end=.html in_other='in English' readme=README.pt-BR.md
      lessons='Lições, por conceito' class='Uma aula de 50 e de 100 minutos' cut='rede cortada'
      ;;
  esac
  index >"$pages/index$end"
  names | while read -r name; do
    "$bully" scenario --lang=$language --format=html "$name" >"$page"
    linked "$name" <"$page" >"$pages/$name$end"
  done
  "$bully" verify --lang=$language --nodes=3 --crashes=0 --restarts=0 --partitions=1 --format=html \
    >"$page"
  linked cut <"$page" >"$pages/cut$end"
done
echo "$pages/index.html"
