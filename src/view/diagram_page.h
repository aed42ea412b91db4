// diagram_page.h: what is the same in every page of diagram_html.h: how it looks, and its script.
#pragma once

#include <string_view>

namespace bully {

extern const std::string_view diagram_page_style;
// Expects the constant `run` (diagram_html.cc makes it) and the elements that the page has.
extern const std::string_view diagram_page_script;

}  // namespace bully
