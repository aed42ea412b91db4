#include "sim/scenario_line.h"

#include <algorithm>
#include <charconv>

#include "trace/harmless.h"

namespace bully {

namespace {

// More ids than this in one range is a slip of the pen.
constexpr std::uint64_t most_ids = 100'000;

}  // namespace

void ScriptLine::require_text() const {
  std::string_view rest = text_;
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  for (std::size_t at = 0; !rest.empty();) {
    const Glyph glyph = first_glyph(rest);
    if (!glyph.is_harmless && rest.front() != '\t') {
      throw ScenarioError{.file = {},
                          .line = number_,
                          .column = static_cast<int>(at) + 1,
                          .expected = "text in UTF-8",
                          .found = harmless(rest.substr(0, glyph.size))};
    }
    at += glyph.size;
    rest.remove_prefix(glyph.size);
  }
}

std::vector<NodeId> ScriptLine::ids() {
  std::vector<NodeId> ids = ids_in_order();
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::vector<NodeId> ScriptLine::ids_in_order() {
  std::vector<NodeId> ids;
  const auto starts_id = [&] { return !at_end() && peek()[0] >= '0' && peek()[0] <= '9'; };
  if (!starts_id()) fail("a node's id, or a range such as 0..7");
  while (starts_id()) {
    const std::string_view range = peek();
    const std::size_t dots = range.find("..");
    const auto first = parse_id(range.substr(0, dots));
    const auto last = dots == std::string_view::npos ? first : parse_id(range.substr(dots + 2));
    const bool valid = first && last && *first <= *last && *last <= World::highest_id;
    if (!valid) fail("a node's id, or a range such as 0..7");
    if (*last - *first >= most_ids) fail("a range of at most " + std::to_string(most_ids) + " ids");
    for (NodeId id = *first; id <= *last; ++id) ids.push_back(id);
    word();
  }
  return ids;
}

std::chrono::nanoseconds ScriptLine::duration() {
  const std::string_view text = peek();
  std::uint32_t count = 0;
  const auto [unit_at, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto unit = text.substr(static_cast<std::size_t>(unit_at - text.data()));
  const bool known = unit == "us" || unit == "ms" || unit == "s";
  if (error != std::errc() || !known) fail("a duration such as 500ms or 2s");
  word();
  if (unit == "us") return std::chrono::microseconds(count);
  if (unit == "ms") return std::chrono::milliseconds(count);
  return std::chrono::seconds(count);
}

}  // namespace bully
