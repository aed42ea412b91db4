#include "support/markup.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/layout.h"
#include "base/text.h"

namespace bully {

namespace {

std::string text_error(std::string_view text) {
  for (std::size_t i = text.find('&'); i != std::string_view::npos; i = text.find('&', i + 1)) {
    const std::string_view entity = text.substr(i, text.find(';', i) + 1 - i);
    const bool known =
        entity == "&amp;" || entity == "&lt;" || entity == "&gt;" || entity == "&quot;";
    if (!known) return "a bare &";
  }
  return text.find('>') == std::string_view::npos ? "" : "a bare >";
}

// The attributes of <name …>: each NAME="VALUE", no name twice.
std::string attribute_error(std::string_view name, std::string_view rest) {
  const std::string where = " in <" + std::string(name) + '>';
  std::set<std::string_view> seen;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
    if (rest.empty()) return "";
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return "an attribute without a value" + where;
    if (rest.substr(equals + 1, 1) != "\"") return "an attribute without quotes" + where;
    const std::size_t end = rest.find('"', equals + 2);
    if (end == std::string_view::npos) return "an attribute without an end" + where;
    if (!seen.insert(rest.substr(0, equals)).second) return "an attribute twice" + where;
    if (!text_error(rest.substr(equals + 2, end - equals - 2)).empty()) return "a bare &" + where;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

bool is_plain(std::string_view text) {
  const std::vector<std::string> lines = lines_in(text);
  return std::ranges::all_of(lines, [](const std::string& line) { return harmless(line) == line; });
}

std::string markup_error(std::string_view text) {
  std::vector<std::string_view> open;
  if (text.starts_with("<!DOCTYPE html>")) text.remove_prefix(15);
  while (true) {
    const std::size_t begin = std::min(text.find('<'), text.size());
    if (std::string error = text_error(text.substr(0, begin)); !error.empty()) return error;
    text.remove_prefix(begin);
    if (text.empty()) break;
    const std::size_t end = text.find('>');
    if (end == std::string_view::npos) return "a tag without an end";
    std::string_view tag = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (tag.starts_with('/')) {
      if (open.empty()) return "<" + std::string(tag) + "> was never begun";
      if (open.back() != tag.substr(1)) {
        return '<' + std::string(tag) + "> ends <" + std::string(open.back()) + '>';
      }
      open.pop_back();
      continue;
    }
    const bool empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" \n"));
    std::string error = attribute_error(name, tag.substr(name.size()));
    if (!error.empty()) return error;
    if (!empty) open.push_back(name);
    if (name == "script" || name == "style") {
      const std::size_t closing = std::min(text.find("</" + std::string(name) + '>'), text.size());
      const bool has_tag = name == "style" && text.substr(0, closing).find('<') != text.npos;
      if (has_tag) return "a tag in <style>";
      text.remove_prefix(closing);
    }
  }
  return open.empty() ? "" : '<' + std::string(open.back()) + "> is never ended";
}

}  // namespace bully
