// markup.h: whether a text is well-formed as XML is; for the tests of SVG and HTML. In a <style>
// only tags are noticed, and in a <script> nothing. It knows no entities but the usual.
#pragma once

#include <string>
#include <string_view>

namespace bully {

// What is wrong with `text`; empty where nothing is.
std::string markup_error(std::string_view text);

}  // namespace bully
