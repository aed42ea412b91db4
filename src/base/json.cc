// json.cc: a parser by recursive descent, and a writer.
#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace bully {

namespace {

constexpr int max_depth = 16;

// Recursive descent over the text; each function removes its value from the front, or returns
// false.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool value(Json& out, int depth) {
    skip_space();
    if (rest_.empty() || depth > max_depth) return false;
    if (rest_.front() == '{') return members(out, Json::Kind::object, '}', depth);
    if (rest_.front() == '[') return members(out, Json::Kind::array, ']', depth);
    if (rest_.front() != '"') return word(out) || number(out);
    out.kind = Json::Kind::string;
    return string(out.text);
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

  bool members(Json& out, Json::Kind kind, char end, int depth) {
    out.kind = kind;
    rest_.remove_prefix(1);
    if (take(end)) return true;
    do {
      const bool is_object = kind == Json::Kind::object;
      if (is_object && !key(out)) return false;
      if (!value(out.elements.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(end);
  }

  bool key(Json& out) {
    std::string name;
    if (!string(name) || !take(':')) return false;
    const auto equal = std::ranges::find(out.keys, name);
    if (equal != out.keys.end()) {
      out.elements.erase(out.elements.begin() + (equal - out.keys.begin()));
      out.keys.erase(equal);
    }
    out.keys.push_back(std::move(name));
    return true;
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

  // A sign, digits without a zero in front, a fraction, an exponent.
  bool number(Json& out) {
    const std::string_view before = rest_;
    const auto accept = [this](std::string_view any_of) {
      if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
      rest_.remove_prefix(1);
      return true;
    };
    const auto accept_digits = [&accept] {
      bool is_any = false;
      while (accept("0123456789")) is_any = true;
      return is_any;
    };
    accept("-");
    if (!accept("0") && !accept_digits()) return false;
    if (accept(".") && !accept_digits()) return false;
    if (accept("eE")) {
      accept("+-");
      if (!accept_digits()) return false;
    }
    out.kind = Json::Kind::number;
    out.text = before.substr(0, before.size() - rest_.size());
    return true;
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
    char32_t code = 0;
    if (c != 'u' || !four_digits(code)) return false;
    if (is_half_of_pair(code)) {
      // A character beyond 16 bits takes two escapes: half of its bits in each. Half a character
      // is none, and no JSON for us.
      char32_t second = 0;
      if (!rest_.starts_with("\\u")) return false;
      rest_.remove_prefix(2);
      const bool is_pair =
          four_digits(second) && code < 0xDC00 && is_half_of_pair(second) && second >= 0xDC00;
      if (!is_pair) return false;
      code = 0x10000 + ((code & 0x3FF) << 10 | (second & 0x3FF));
    }
    append_utf8(out, code);
    return true;
  }

  bool four_digits(char32_t& code) {
    std::uint16_t read = 0;
    const auto [stop, error] = std::from_chars(
        rest_.data(), rest_.data() + std::min<std::size_t>(4, rest_.size()), read, 16);
    if (error != std::errc() || stop != rest_.data() + 4) return false;
    rest_.remove_prefix(4);
    code = read;
    return true;
  }

  static void append_utf8(std::string& out, char32_t code) {
    const std::size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr std::array<unsigned, 4> first = {0x00, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(first.at(more) | code >> 6 * more);
    for (std::size_t i = more; i-- > 0;) {
      out += static_cast<char>(0x80 | (code >> 6 * i & 0x3F));
    }
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
  return kind == Kind::number ? parse_number(text) : std::nullopt;
}
std::optional<std::int64_t> Json::as_signed() const {
  return kind == Kind::number ? parse_signed_number(text) : std::nullopt;
}

std::optional<Json> parse_json(std::string_view text) {
  Parser parser(text);
  Json json;
  if (!parser.value(json, 0) || !parser.at_end()) return std::nullopt;
  return json;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    if (glyph.is_harmless) {
      if (text.front() == '"' || text.front() == '\\') quoted += '\\';
      quoted.append(text.substr(0, glyph.size));
    } else {
      // JSON has only characters: an invalid byte becomes the replacement character.
      const char32_t code = glyph.is_utf8 ? glyph.code : U'\uFFFD';
      quoted += "\\u";
      for (const unsigned shift : {12U, 8U, 4U, 0U}) quoted += hex_digits[code >> shift & 15];
    }
    text.remove_prefix(glyph.size);
  }
  return quoted + '"';
}

std::string json_bool(bool value) {
  return value ? "true" : "false";
}

std::string json_number(std::optional<std::uint64_t> value) {
  return value ? std::to_string(*value) : "null";
}

std::string json_object(const JsonMembers& members, std::string_view separator) {
  const auto in_json = [](const auto& member) {
    return '"' + std::string(member.first) + "\":" + member.second;
  };
  return '{' + joined(members, separator, in_json) + '}';
}

}  // namespace bully
