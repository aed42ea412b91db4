// markup.h: whether a text is well-formed as XML is, for the tests of SVG and HTML; or else plain.
// In a <style> only tags are noticed, and in a <script> nothing. It knows no entities but the
// usual.
#pragma once

#include <string>
#include <string_view>

namespace bully {

// What is wrong with `text`; empty where nothing is.
std::string markup_error(std::string_view text);

// Whether there is nothing in it but lines of words, and nothing that a terminal would obey.
bool is_plain(std::string_view text);

}  // namespace bully
