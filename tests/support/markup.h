// markup.h: whether a text is well-formed as XML is; for the tests of SVG and HTML. What stands
// between <script> or <style> and its end is not looked at. It knows no entities but the usual.
#pragma once

#include <string>
#include <string_view>

namespace bully {

// What is wrong with `text`; empty where nothing is.
std::string markup_error(std::string_view text);

}  // namespace bully
