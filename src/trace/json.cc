#include "trace/json.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace bully {

namespace {

struct Codes {
  char32_t first;
  char32_t last;
};
constexpr std::array harmful = {
    Codes{0x00, 0x1F},      // C0: ESC, BEL, the ends of lines
    Codes{0x7F, 0x9F},      // DEL, and C1: 0x9b alone is ESC [
    Codes{0x061C, 0x061C},  // the direction of writing
    Codes{0x200E, 0x200F},  //
    Codes{0x2028, 0x202E},  // with two more ends of lines
    Codes{0x2066, 0x2069},
};

bool is_harmful(char32_t code) {
  return std::ranges::any_of(
      harmful, [code](const Codes& codes) { return code >= codes.first && code <= codes.last; });
}

constexpr char32_t highest_code = 0x10FFFF;

// True if the code is half of a UTF-16 pair, and so no character.
bool is_half_of_pair(char32_t code) {
  return code >= 0xD800 && code <= 0xDFFF;
}

constexpr std::string_view hex = "0123456789abcdef";

constexpr int max_depth = 16;

template <class Integer>
std::optional<Integer> whole_number(const Json& json) {
  Integer value = 0;
  const char* end = json.text.data() + json.text.size();
  const auto [stop, error] = std::from_chars(json.text.data(), end, value);
  if (json.kind != Json::Kind::number || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

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
      if (is_object && (!string(out.keys.emplace_back()) || !take(':'))) return false;
      if (!value(out.elements.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(end);
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
    std::uint16_t code = 0;
    const auto [stop, error] = std::from_chars(
        rest_.data(), rest_.data() + std::min<std::size_t>(4, rest_.size()), code, 16);
    if (c != 'u' || error != std::errc() || stop != rest_.data() + 4) return false;
    rest_.remove_prefix(4);
    if (code >= 0x800) {
      out += static_cast<char>(0xE0 | code >> 12);
      out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    } else if (code >= 0x80) {
      out += static_cast<char>(0xC0 | code >> 6);
    }
    out += static_cast<char>(code < 0x80 ? code : 0x80 | (code & 0x3F));
    return !is_half_of_pair(code);
  }

  std::string_view rest_;
};

}  // namespace

Glyph first_glyph(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  // The first byte of several begins with a one bit for each. The smallest code that needs each
  // number of bytes:
  constexpr std::array<char32_t, 5> least = {0x00, 0x00, 0x80, 0x800, 0x10000};
  const auto ones = static_cast<std::size_t>(std::countl_one(byte(0)));
  const std::size_t size = std::max<std::size_t>(ones, 1);
  if (ones == 1 || ones >= least.size() || text.size() < size) return {};
  char32_t code = byte(0) & (0x7FU >> ones);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  if (code < least.at(ones) || code > highest_code || is_half_of_pair(code)) return {};
  return {size, code, true, !is_harmful(code)};
}

std::string harmless(std::string_view outside) {
  std::string shown;
  while (!outside.empty()) {
    const Glyph glyph = first_glyph(outside);
    for (const char c : outside.substr(0, glyph.size)) {
      const auto byte = static_cast<unsigned char>(c);
      if (glyph.is_harmless) {
        shown += c;
      } else {
        shown.append("\\x").append(1, hex[byte >> 4]).append(1, hex[byte & 15]);
      }
    }
    outside.remove_prefix(glyph.size);
  }
  return shown;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

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
      for (const unsigned shift : {12U, 8U, 4U, 0U}) quoted += hex[code >> shift & 15];
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
  std::string object;
  for (const auto& [key, value] : members) {
    if (!object.empty()) object += separator;
    object.append("\"").append(key).append("\":").append(value);
  }
  return '{' + object + '}';
}

}  // namespace bully
