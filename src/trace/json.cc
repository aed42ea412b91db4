#include "trace/json.h"

#include <algorithm>
#include <charconv>

#include "trace/harmless.h"

namespace bully {

namespace {

constexpr int max_depth = 16;

template <class Integer>
std::optional<Integer> whole_number(const Json& json) {
  Integer value = 0;
  const char* end = json.text.data() + json.text.size();
  const auto [stop, error] = std::from_chars(json.text.data(), end, value);
  if (json.kind != Json::Kind::number || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// Recursive descent over the text; each function takes its value off the front, or says no.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool value(Json& out, int depth) {
    skip_space();
    if (rest_.empty() || depth > max_depth) return false;
    switch (rest_.front()) {
      case '{':
        return object(out, depth);
      case '[':
        return array(out, depth);
      case '"':
        out.kind = Json::Kind::string;
        return string(out.text);
      case 't':
      case 'f':
      case 'n':
        return word(out);
      default:
        return number(out);
    }
  }

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

 private:
  void skip_space() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }

  bool take(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool object(Json& out, int depth) {
    out.kind = Json::Kind::object;
    take('{');
    if (take('}')) return true;
    do {
      if (!string(out.keys.emplace_back()) || !take(':')) return false;
      if (!value(out.elements.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  bool array(Json& out, int depth) {
    out.kind = Json::Kind::array;
    take('[');
    if (take(']')) return true;
    do {
      if (!value(out.elements.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool word(Json& out) {
    for (const std::string_view known : {"true", "false", "null"}) {
      if (!rest_.starts_with(known)) continue;
      out.kind = known == "null" ? Json::Kind::null : Json::Kind::boolean;
      out.text = known;
      rest_.remove_prefix(known.size());
      return true;
    }
    return false;
  }

  bool number(Json& out) {
    const std::size_t size = std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
    out.kind = Json::Kind::number;
    out.text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return is_number(out.text);
  }

  // A sign, digits without a zero in front, a fraction, an exponent.
  static bool is_number(std::string_view text) {
    const auto accept = [&text](std::string_view any_of) {
      if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
      text.remove_prefix(1);
      return true;
    };
    const auto take_digits = [&text] {
      const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
      text.remove_prefix(size);
      return size > 0;
    };
    accept("-");
    if (!accept("0") && !take_digits()) return false;
    if (accept(".") && !take_digits()) return false;
    if (!accept("eE")) return text.empty();
    accept("+-");
    return take_digits() && text.empty();
  }

  bool string(std::string& out) {
    if (!take('"')) return false;
    while (!rest_.empty()) {
      const Glyph glyph = first_glyph(rest_);
      const std::string_view taken = rest_.substr(0, glyph.size);
      rest_.remove_prefix(glyph.size);
      if (taken == "\"") return true;
      if (!glyph.is_utf8 || glyph.code < 0x20) return false;
      if (taken != "\\") {
        out += taken;
      } else if (!escape(out)) {
        return false;
      }
    }
    return false;
  }

  bool escape(std::string& out) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    constexpr std::string_view from = "\"\\/bfnrt";
    constexpr std::string_view to = "\"\\/\b\f\n\r\t";
    if (const std::size_t at = from.find(c); at != std::string_view::npos) {
      out += to[at];
      return true;
    }
    std::uint16_t code = 0;
    const auto [stop, error] = std::from_chars(
        rest_.data(), rest_.data() + std::min<std::size_t>(4, rest_.size()), code, 16);
    if (c != 'u' || error != std::errc() || stop != rest_.data() + 4) return false;
    rest_.remove_prefix(4);
    return append_utf8(code, out);
  }

  std::string_view rest_;
};

}  // namespace

const Json& Json::operator[](std::string_view key) const {
  static const Json null;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return elements[i];
  }
  return null;
}

std::optional<std::uint64_t> Json::as_unsigned() const {
  return whole_number<std::uint64_t>(*this);
}
std::optional<std::int64_t> Json::as_signed() const {
  return whole_number<std::int64_t>(*this);
}

std::optional<Json> parse_json(std::string_view text) {
  Parser parser(text);
  Json json;
  if (!parser.value(json, 0) || !parser.at_end()) return std::nullopt;
  return json;
}

std::string json_string(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted = "\"";
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    if (glyph.is_harmless) {
      if (text.front() == '"' || text.front() == '\\') quoted += '\\';
      quoted.append(text.substr(0, glyph.size));
    } else {
      // JSON has characters only: what is none becomes the one that stands for such.
      const char32_t code = glyph.is_utf8 ? glyph.code : U'\uFFFD';
      quoted += "\\u";
      for (const unsigned shift : {12U, 8U, 4U, 0U}) quoted += hex[code >> shift & 15];
    }
    text.remove_prefix(glyph.size);
  }
  return quoted + '"';
}

}  // namespace bully
