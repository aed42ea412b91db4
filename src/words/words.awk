# words.awk: makes a file of words into a row of the table in words.cc: the code of the language, and
# a switch without a default. So the compiler names the key that is missing, and the line of the
# file that has one too many.

function put() {
  if (key == "") return
  printf "#line %d \"%s\"\ncase Text::%s: return R\"~(%s)~\";\n", begun, FILENAME, key, text
}

NR == 1 {
  code = FILENAME
  gsub(/.*\/|\.words$/, "", code)
  printf "#line 1 \"%s\"\n{\"%s\", [](Text key) -> std::string_view { switch (key) {\n", FILENAME, code
}

/^#/ { next }

/^$/ {
  blank = blank "\n"
  next
}

/^[a-z][a-z0-9_]*:/ {
  put()
  begun = NR
  key = $0
  sub(/:.*/, "", key)
  text = substr($0, length(key) + 3)
  separator = text == "" ? "\n" : " "
  blank = ""
  next
}

/^  / && key != "" {
  text = text (text == "" ? "" : separator blank) substr($0, 3)
  blank = ""
  next
}

{ printf "#line %d \"%s\"\n#error neither a key with its text, nor indented\n", NR, FILENAME }

END {
  put()
  print "} return {}; }},"
}
