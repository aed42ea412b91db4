// page.h: the files of a page, which the binary carries: its style (page.css), the script of all
// pages (frame.js), and the script of each (run.js, orders.js). They contain no algorithm, no words
// for people, and no layout: all of these come as data (page_parts.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "words/words.h"

namespace bully {

struct PageFile {
  std::string_view name;
  std::string_view kind;  // "css" or "js"
  std::string_view text;
};
// The Makefile writes this function.
std::span<const PageFile> page_files();
// REQUIRES: there is such a file.
std::string_view page_file(std::string_view name, std::string_view kind);

// A whole page: the names and contents of its data, as JSON, and its script.
struct WebPage {
  std::string title;
  std::string style = {};  // beside page.css
  std::string body = {};   // HTML
  std::string_view data = {};
  std::string json = {};
  std::string_view script = {};  // of page_files()
};
std::string page_html(const WebPage& page, Language language);

// A button with a sign; its words are for a user who hovers or cannot see it.
std::string page_button(std::string_view id, std::string_view sign, Text words, Language language);

}  // namespace bully
